"""What a consumer reports to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from dif.records import Record

if TYPE_CHECKING:
    from runtime.consumer.events.notices import Drop, Fault
    from runtime.consumer.events.records import Firing


class Handler(Protocol):
    """Receives everything that happens, in order."""

    def firing(self, firing: Firing) -> None: ...

    def fault(self, fault: Fault) -> None: ...

    def drop(self, drop: Drop) -> None: ...


def _nothing(_event: object) -> None:
    """The default of a Callbacks field."""


class Callbacks(Record):
    """A Handler made of functions; what is not given is ignored."""

    firing: Callable[[Firing], None] = _nothing
    fault: Callable[[Fault], None] = _nothing
    drop: Callable[[Drop], None] = _nothing
