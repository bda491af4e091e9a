"""D libraries as files: declarations of types, inlines and translators that every program may use.

Our own (dc/lib/*.d) are cut into declarations, and a declaration is compiled
when one of its names is first used, as with headers: most programs use none.
Constants that systems number differently stand in a file for each system,
dc/lib/constants/*.d.
Libraries in directories that the user gives (-L, `-x libdir`) are compiled whole,
each after those that it depends on.  One that cannot be had is left out.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence

from dc.diagnostics import CompileError, Span, error
from dc.types.declarationindex import Index, Source
from dif.hostfiles import read_whole
from dif.records import NamedTuple

OWN_DIRECTORY = os.path.join(os.path.dirname(os.path.dirname(__file__)), "lib")
CORE = "core.d"  # the library that even `-x nolibs` leaves


LeaveOut = Callable[[str, str, str], None]  # told the path, the text and why


class LibraryFile(NamedTuple):
    """A whole library; `depends` has (class, name, line) of each of its depends_on pragmas."""

    path: str
    text: str
    depends: list[tuple[str, str, int]]

    @property
    def name(self) -> str:
        """The name by which depends_on pragmas refer to it."""
        return os.path.basename(self.path)


def own(system: str = "linux", *, core_only: bool = False,
        is_available: Callable[[str, str], bool] = lambda kind, name: True,
        replaced: Collection[str] = ()) -> Index:
    """The declarations of our own libraries, with the constants of `system`: linux, illumos or freebsd.

    `is_available` tells whether a "provider" or "module" is there, on which a library depends;
    `replaced` are names of our files in whose place the user has libraries of the same names.
    """
    def source(path: str) -> Source:
        text = _text(path)
        return Source(path, text, lambda: all(
            is_available(kind, name) for kind, name, _line in _depends(text) if kind != "library"))

    paths = [path for path in _files(OWN_DIRECTORY) if os.path.basename(path) == CORE
             or not (core_only or os.path.basename(path) in replaced)]
    if not core_only:
        paths.append(os.path.join(OWN_DIRECTORY, "constants", f"{system}.d"))
    return Index(map(source, paths))


def own_names() -> list[str]:
    """The names of our own libraries, by which those of users may depend on them."""
    return [os.path.basename(path) for path in _files(OWN_DIRECTORY)]


def _files(directory: str) -> list[str]:
    """The libraries in a directory, by name.  Raises OSError."""
    return [os.path.join(directory, name) for name in sorted(os.listdir(directory)) if name.endswith(".d")]


def _text(path: str) -> str:
    return read_whole(path).decode("utf-8", "surrogateescape").replace("\r\n", "\n")


def _depends(text: str) -> list[tuple[str, str, int]]:
    if "depends_on" not in text:
        return []
    from dc.types.declarationtexts import dependencies

    return dependencies(text)


def _readable(paths: Sequence[str], leave_out: LeaveOut) -> dict[str, LibraryFile]:
    """The libraries of directories by their names; of two with one name the first counts."""
    files: dict[str, LibraryFile] = {}
    for directory in paths:
        try:
            listed = _files(directory)
        except OSError as error:
            leave_out(directory, "", error.strerror or str(error))
            continue
        for path in listed:
            try:
                text = _text(path)
            except OSError as error:
                leave_out(path, "", error.strerror or str(error))
                continue
            known = files.setdefault(os.path.basename(path), LibraryFile(path, text, _depends(text)))
            if known.path != path:
                leave_out(path, text, f"{known.path} has the same name")
    return files


def directories(paths: Sequence[str], own: Collection[str] = (),
                leave_out: LeaveOut = lambda path, text, why: None) -> list[LibraryFile]:
    """Every library of the given directories, each after those it depends on; `own` names ours.

    Of two libraries with one name the first counts.  The others are left out, and files and directories that
    cannot be read.  Raises D_PRAGMA_DEPEND for a library that depends on a missing one, or on itself.
    """
    files = _readable(paths, leave_out)
    ordered: list[LibraryFile] = []
    done: set[str] = set()

    def refused(library: LibraryFile, line: int, message: str) -> CompileError:
        refusal = error("D_PRAGMA_DEPEND", Span(library.path, line, 1, 2), message)
        refusal.texts[library.path] = library.text
        return refusal

    def visit(library: LibraryFile, below: tuple[str, ...]) -> None:
        name = library.name
        if name in done:
            return
        for kind, wanted, line in library.depends:
            if kind != "library":
                continue
            if wanted in (name, *below):
                raise refused(library, line, f"library depends on itself: {wanted}")
            if wanted not in files:
                if wanted in own:
                    continue
                raise refused(library, line, f"no library directory has {wanted}")
            visit(files[wanted], (*below, name))
        done.add(name)
        ordered.append(library)

    for library in files.values():
        visit(library, ())
    return ordered
