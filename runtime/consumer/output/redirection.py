"""system() and freopen(): what a record's text does to the output of whatever reporter shows it."""

from __future__ import annotations

from dof.model import ActionKind
from runtime.border import FaultKind
from runtime.consumer.events.notices import Fault
from runtime.consumer.events.records import Firing, Formatted
from runtime.consumer.output.stream import RESTORE, Output


def perform(record: Formatted, text: bytes, firing: Firing, output: Output) -> Fault | None:
    """Run the command, or reopen `output`, as `record` asks; `text` is the record formatted.

    Returns the error if that cannot be done.
    """
    runs = record.action == ActionKind.SYSTEM
    try:
        if runs:
            output.run(text)
        else:
            output.reopen(b"" if record.bound.template in RESTORE else text)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        what = f"{'run' if runs else 'freopen()'} \"{text.decode('utf-8', 'replace')}\""
        return Fault(firing.cpu, firing.epid, firing.probe, FaultKind.LIBRARY,
                     reason=f"couldn't {what}: {reason}")
    return None
