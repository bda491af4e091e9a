"""A receiver of everything that a session reports, made of functions."""

from __future__ import annotations

from dif.records import Record

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from collections.abc import Callable

    from runtime.consumer.events.notices import Drop, Fault
    from runtime.consumer.events.records import Firing, Run


def _nothing(_event: object) -> None:
    """The default of a Callbacks field."""


class Callbacks(Record):
    """A Handler made of functions; what is not given is ignored."""

    firing: Callable[[Firing], None] = _nothing
    fault: Callable[[Fault], None] = _nothing
    drop: Callable[[Drop], None] = _nothing

    def run(self, run: Run) -> bool:
        """Firings are taken one by one."""
        return False
