"""D libraries: files of types, inlines and translators that every program may use.

Our own (dc/lib/*.d) are cut into declarations, and a declaration is compiled
when one of its names is first used, as headers are: most programs use none.
Directories given by the user (-L, `-x libdir`) are compiled whole, in an order
in which each library follows those it depends on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from dc.diagnostics import error
from dc.index import Index, remembered
from dc.syntax import Span
from dif.records import NamedTuple

OWN_DIRECTORY = os.path.join(os.path.dirname(__file__), "lib")
CORE = "core.d"  # the library that even `-x nolibs` leaves


class LibraryFile(NamedTuple):
    """A library as a whole; `depends` are (class, name) of its depends_on pragmas, with their lines."""

    path: str
    text: str
    depends: list[tuple[str, str, int]]

    @property
    def name(self) -> str:
        """As depends_on pragmas name it."""
        return os.path.basename(self.path)


def own(*, core_only: bool = False,
        is_available: Callable[[str, str], bool] = lambda kind, name: True) -> Index:
    """The declarations of our own libraries.

    `is_available` answers for what a library depends on: ("provider" or "module", name).
    """
    def usable(path: str, depends: Sequence[tuple[str, str, int]]) -> bool:
        return (not core_only or os.path.basename(path) == CORE) and all(
            is_available(kind, name) for kind, name, _line in depends if kind != "library")

    paths = _files(OWN_DIRECTORY)
    key = tuple((path, (found := os.stat(path)).st_size, found.st_mtime_ns) for path in paths)
    return Index(remembered("library", key, lambda: [(path, _text(path)) for path in paths]), usable)


def _files(directory: str) -> list[str]:
    return [os.path.join(directory, name) for name in sorted(os.listdir(directory)) if name.endswith(".d")]


def _text(path: str) -> str:
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read()


def _read(path: str) -> LibraryFile:
    from dc.scan import dependencies

    text = _text(path)
    return LibraryFile(path, text, dependencies(text))


def directories(paths: Sequence[str]) -> list[LibraryFile]:
    """Every library of the given directories, each after those it depends on.

    Raises OSError for a directory that cannot be read, and D_PRAGMA_DEPEND
    for a dependency that is not there, or on itself.
    """
    libraries = [_read(path) for directory in paths for path in _files(directory) if os.path.isfile(path)]
    files = {each.name: each for each in libraries}
    ordered: list[LibraryFile] = []
    done: set[str] = set()

    def visit(library: LibraryFile, below: tuple[str, ...]) -> None:
        name = library.name
        if name in done:
            return
        for kind, wanted, line in library.depends:
            if kind != "library":
                continue
            span = Span(library.path, line, 1, 2)
            if wanted in (name, *below):
                raise error("D_PRAGMA_DEPEND", span, f"library depends on itself: {wanted}")
            if wanted not in files:
                if os.path.exists(os.path.join(OWN_DIRECTORY, wanted)):
                    continue
                raise error("D_PRAGMA_DEPEND", span, f"failed to find dependency in libpath: {wanted}")
            visit(files[wanted], (*below, name))
        done.add(name)
        ordered.append(library)

    for library in files.values():
        visit(library, ())
    return ordered
