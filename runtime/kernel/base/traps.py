"""What a tracer does at the traps of an address space, where that is one thing, done quickly."""

from __future__ import annotations

from collections.abc import Callable

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol

    class Table(Protocol):
        """What an engine keeps of them to be quicker still."""

        def drop(self, address: int) -> None:
            """Forget a trap, if it is there."""


OFTEN = 256  # calls of a Hit after which an engine may spend some hundred bytes to be quicker


class Hit:
    """What is done at a trap: the engine's thread goes on at `go`, and `act` is called.

    `act` raises nothing.  `calls` counts its calls until the engine has a quicker way.
    """

    __slots__ = ("act", "calls", "go")

    def __init__(self, go: int, act: Callable[[], None]) -> None:
        self.go, self.act = go, act
        self.calls = 0


class Traps:
    """Those of an address space: `hits` by the trap's address, and the engine's own `table` if it has one."""

    __slots__ = ("hits", "table")

    def __init__(self) -> None:
        self.hits: dict[int, Hit] = {}
        self.table: Table | None = None

    def drop(self, address: int) -> None:
        """Forget a trap, if it is there."""
        if self.hits.pop(address, None) is not None and self.table is not None:
            self.table.drop(address)
