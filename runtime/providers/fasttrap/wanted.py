"""What tracers have asked for: of processes that are still to come, and of objects still to be loaded."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from runtime.framework.probes.privileges import Credentials

MOST = 10_000  # of one tracer: a program with the device may ask without end
T = TypeVar("T", bound=Hashable)


class Wanted(Generic[T]):
    """Each thing once, with who asked for it: tracers with the same credentials are one, here.

    What one asks for is in this order.  Beyond MOST of one what it asked for first is forgotten.
    """

    def __init__(self) -> None:
        self._by_tracer: dict[Credentials | None, dict[T, None]] = {}

    def add(self, what: T, who: Credentials | None) -> None:
        """Note that a tracer wants this."""
        mine = self._by_tracer.setdefault(who, {})
        if what not in mine and len(mine) >= MOST:
            del mine[next(iter(mine))]
        mine[what] = None

    def forget(self, who: Credentials | None) -> None:
        """Note that a tracer wants nothing any more."""
        self._by_tracer.pop(who, None)

    def __iter__(self) -> Iterator[tuple[T, Credentials | None]]:
        return iter([(what, who) for who, mine in self._by_tracer.items() for what in mine])

    def __bool__(self) -> bool:
        return bool(self._by_tracer)
