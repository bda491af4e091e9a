"""system() and freopen(): what a record's text does to the output of whatever reporter shows it."""

from __future__ import annotations

from dof.model import ActionKind
from runtime.consumer.notices import LIBRARY_FAULT, Fault
from runtime.consumer.output import RESTORE, Output
from runtime.consumer.records import Firing, Formatted


def perform(record: Formatted, text: bytes, firing: Firing, output: Output) -> Fault | None:
    """Do what `record`, which formats to `text`, asks of `output`; the error, if it cannot be done."""
    if record.action == ActionKind.SYSTEM:
        output.run(text)
        return None
    try:
        output.reopen(b"" if record.bound.template in RESTORE else text)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        path = text.decode("utf-8", "replace")
        return Fault(firing.cpu, firing.epid, firing.probe, LIBRARY_FAULT,
                     reason=f'couldn\'t freopen() "{path}": {reason}')
    return None
