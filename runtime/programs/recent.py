"""What is known of files, made when it is first asked for: programs may bring new files without end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
MOST = 1000  # paths


class Recent(Generic[T]):
    """What `make` returns for a path, for the `most` paths that were asked for last.

    All that is kept takes no more than `room`, as `size` tells of each, unless a single one does.
    """

    def __init__(self, make: Callable[[str], T], room: int, size: Callable[[T], int],
                 most: int = MOST) -> None:
        self._make = make
        self._most = most
        self._room = room
        self._size = size
        self._made: dict[str, T] = {}  # the one asked for last is the last
        self._used = 0

    def get(self, path: str) -> T:
        """Return what is known of a file."""
        if path in self._made:
            made = self._made.pop(path)
        else:
            made = self._make(path)
            self._used += self._size(made)
            while self._made and (len(self._made) >= self._most or self._used > self._room):
                self._used -= self._size(self._made.pop(next(iter(self._made))))
        self._made[path] = made
        return made
