"""D libraries: files of types, inlines and translators that every program may use.

Our own (dc/lib/*.d) are cut into declarations, and a declaration is compiled
when one of its names is first used, as headers are: most programs use none.
Directories given by the user (-L, `-x libdir`) are compiled whole, in an order
in which each library follows those it depends on.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence

from dc.diagnostics import error
from dc.headers import declared_names, pieces
from dc.syntax import Span
from dif.records import NamedTuple

OWN_DIRECTORY = os.path.join(os.path.dirname(__file__), "lib")
CORE = "core.d"  # the library that even `-x nolibs` leaves

_DEPENDS = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+D[ \t]+depends_on[ \t]+(\w+)[ \t]+(\S+)", re.MULTILINE)
_COMMENT = re.compile(r"/\*(?s:.*?)\*/|^[ \t]*#[^\n]*", re.MULTILINE)
_INLINE = re.compile(r"inline\b[^=]*?(\w+)\s*(?:\[[^=]*\])?\s*=")
_TRANSLATOR = re.compile(r"translator\s+((?:struct\s+|union\s+)?\w+)\s*\**\s*<")


class Piece(NamedTuple):
    """A declaration of a library: its text, and where it stands."""

    file: str
    line: int
    text: str


class LibraryFile(NamedTuple):
    """A library as a whole; `depends` are (class, name) of its depends_on pragmas, with their lines."""

    path: str
    text: str
    depends: tuple[tuple[str, str, int], ...]

    @property
    def name(self) -> str:
        """As depends_on pragmas name it."""
        return os.path.basename(self.path)


class OwnLibrary:
    """The declarations of our own libraries, handed out once each, by the names they declare.

    `is_available` answers for what a library depends on: ("provider" or "module", name).
    """

    def __init__(self, *, core_only: bool = False,
                 is_available: Callable[[str, str], bool] = lambda kind, name: True) -> None:
        self._pieces: list[Piece | None] = []
        self._types: dict[str, list[int]] = {}
        self._values: dict[str, list[int]] = {}
        for path in _files(OWN_DIRECTORY):
            if os.path.basename(path) == CORE or not core_only:
                library = read(path)
                needs = [(kind, name) for kind, name, _line in library.depends if kind != "library"]
                if all(is_available(kind, name) for kind, name in needs):
                    self._add(library)

    def _add(self, library: LibraryFile) -> None:
        aliases: dict[str, set[str]] = {}
        for text, line in pieces(library.text):
            bare = _COMMENT.sub(" ", text).strip()
            number = len(self._pieces)
            self._pieces.append(Piece(library.path, line, text))
            inline, translator = _INLINE.match(bare), _TRANSLATOR.match(bare)
            if inline is not None:
                self._values.setdefault(inline[1], []).append(number)
                continue
            if translator is not None:
                types, values = aliases.get(translator[1], {translator[1]}), set[str]()
            else:
                types, values = declared_names(text)
                aliases.update(dict.fromkeys(types, types))
            for index, names in ((self._types, types), (self._values, values)):
                for name in names:
                    index.setdefault(name, []).append(number)

    def take_type(self, key: str) -> list[Piece]:
        """What declares the type `key`, and the translators to it; nothing the second time."""
        return self._take(self._types.pop(key, ()))

    def take_value(self, name: str) -> list[Piece]:
        """What declares the inline or enumerator `name`; nothing the second time."""
        return self._take(self._values.pop(name, ()))

    def has_value(self, name: str) -> bool:
        """Whether an inline or enumerator of that name is yet to be taken."""
        return name in self._values

    def names(self) -> list[str]:
        """Names of inlines not yet taken, for hints."""
        return list(self._values)

    def _take(self, numbers: Iterable[int]) -> list[Piece]:
        taken = []
        for number in numbers:
            piece, self._pieces[number] = self._pieces[number], None
            if piece is not None:
                taken.append(piece)
        return taken


def _files(directory: str) -> list[str]:
    return [os.path.join(directory, name) for name in sorted(os.listdir(directory)) if name.endswith(".d")]


def read(path: str) -> LibraryFile:
    """A library file.  Raises OSError."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        text = file.read()
    depends = tuple((match[1], match[2], text.count("\n", 0, match.start()) + 1)
                    for match in _DEPENDS.finditer(text))
    return LibraryFile(path, text, depends)


def directories(paths: Sequence[str]) -> list[LibraryFile]:
    """Every library of the given directories, each after those it depends on.

    Raises OSError for a directory that cannot be read, and D_PRAGMA_DEPEND
    for a dependency that is not there, or on itself.
    """
    libraries = [read(path) for directory in paths for path in _files(directory) if os.path.isfile(path)]
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
