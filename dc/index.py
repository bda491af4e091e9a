"""Declarations by the names they introduce, handed out when a name is first asked for.

A kernel's header and our libraries are long, and a D program asks for little
of them.  They are cut into declarations by a quick scan, and what it finds is
remembered where Python keeps byte code, and by the same rules: it is made anew
when the text has changed, and nothing needs it to be there.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Callable, Iterable

from dif.records import NamedTuple

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Any

    from dc.scan import Scanned

    Depends = list[tuple[str, str, int]]

_SCANNER = os.path.join(os.path.dirname(__file__), "scan.py")


class Piece(NamedTuple):
    """A declaration: its text, and where it stands."""

    file: str
    line: int
    text: str


class Index:
    """The declarations of some files, each of which can be taken once.

    `usable` tells, of a file and what it depends on, whether its declarations are to be had.
    """

    def __init__(self, scanned: Scanned,
                 usable: Callable[[str, Depends], bool] = lambda file, depends: True) -> None:
        pieces, self._types, self._values, depends = scanned
        files = {file: usable(file, each) for file, each in depends.items()}
        self._pieces = [each if files[each[0]] else None for each in pieces]

    def take_type(self, key: str) -> list[Piece]:
        """What declares the type `key`, and the translators to it; nothing the second time."""
        return self._take(self._types.pop(key, ()))

    def take_value(self, name: str) -> list[Piece]:
        """What declares the inline, variable or enumerator `name`; nothing the second time."""
        return self._take(self._values.pop(name, ()))

    def names(self) -> list[str]:
        """Names of values not yet taken."""
        return [name for name, numbers in self._values.items()
                if any(self._pieces[number] is not None for number in numbers)]

    def _take(self, numbers: Iterable[int]) -> list[Piece]:
        taken = []
        for number in numbers:
            piece, self._pieces[number] = self._pieces[number], None
            if piece is not None:
                taken.append(Piece(*piece))
        return taken


def remembered(name: str, key: tuple[object, ...], texts: Callable[[], Iterable[tuple[str, str]]]) -> Scanned:
    """What dc.scan finds in `texts()`, or found when `key` last was the same.

    `name` tells one set of texts from another; `key` is to change when they do.
    """
    path, key = _place(name), (*key, _modified(_SCANNER))
    kept = _kept(path, key)
    if kept is not None:
        return kept
    from dc.scan import scan

    found = scan(texts())
    if path is not None and not sys.dont_write_bytecode:
        _keep(path, (key, tuple(found)))
    return found


def _place(name: str) -> str | None:
    """A file beside this module's byte code."""
    cached = __spec__.cached if __spec__ is not None else None
    return cached and os.path.join(os.path.dirname(cached), f"{name}.{sys.implementation.cache_tag}.index")


def _modified(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:  # installed without sources: it does not change
        return 0


def _kept(path: str | None, key: tuple[object, ...]) -> Scanned | None:
    try:
        with open(path or "", "rb") as file:
            kept_key, found = marshal.load(file)
    except (OSError, EOFError, ValueError, TypeError):
        return None
    return found if kept_key == key else None


def _keep(path: str, value: Any) -> None:
    """Write whole or not at all: others may read at the same time."""
    temporary = f"{path}.{os.getpid()}"
    try:
        with open(temporary, "wb") as file:
            marshal.dump(value, file)
        os.replace(temporary, path)
    except OSError:  # a directory of somebody else's
        pass
