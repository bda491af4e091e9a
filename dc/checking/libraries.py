"""D libraries: their declarations take effect when a program asks for a name in them.

Types of libraries stand in a scope of their own, behind the program's and in
front of the kernel's; their inlines and translators are names like any other.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from dc.checking.checker import Checker
from dc.checking.externals import Declarer, is_available
from dc.diagnostics import CompileError, Diagnostic
from dc.names import libraryfiles
from dc.names.identifiers import Names
from dc.names.sessioncatalog import SessionCatalog
from dc.options import Options
from dc.source.lexer import Lexer
from dc.source.parser import parse_program
from dc.types.declarationindex import Index, Piece
from dif.records import NamedTuple


class _LeftOut(NamedTuple):
    """A library, a declaration of one, or a directory of them, that is not there: its path and its text."""

    path: str
    text: str
    why: str


class Libraries:
    """Loads declarations of libraries into `names` and `scope`.

    `constants` is as in libraryfiles.own.  `read` is what that returned, if it has been called already.
    """

    def __init__(self, names: Names, catalog: SessionCatalog, constants: str = "linux",
                 read: Index | None = None) -> None:
        self.names = names
        self.catalog = catalog
        self.scope = catalog.types.child()
        self._declarer: Declarer | None = None
        self._constants = constants
        self._read = read
        self._own: Index | None = None
        self._core_only = False
        self._replaced: set[str] = set()  # names of our files in whose place the user has libraries
        self._loaded: set[str] = set()
        self._options = Options()
        self._present: set[str] = set()  # names of libraries, for those that depend on them
        self._left_out: list[_LeftOut] = []

    def begin(self, options: Options) -> None:
        """Begin a program: read the libraries in the user's directories.

        A library is left out if it depends on what is not there.  Raises CompileError for any other error
        in one.
        """
        self._options = options
        system = options.text("syslibdir")
        self._core_only = self._own is None and (options.is_on("nolibs") or bool(system))
        self.scope.loader = self
        self.names.loader = self.load_value
        if options.is_on("nolibs"):
            for path in options.items("libdir"):
                self._leave_out(path, "", "-x nolibs")
            return
        paths = [path for path in (*options.items("libdir"), *([system] if system else []))
                 if path not in self._loaded]
        if not paths:
            return
        own = [libraryfiles.CORE] if self._core_only else libraryfiles.own_names()
        found = libraryfiles.directories(paths, own, self._leave_out)
        self._replaced.update(each.name for each in found)
        present = self._present
        present.update(own)
        present.difference_update(self._replaced)
        for each in found:
            try:
                self._declare(each.text, each.path, 1)
            except CompileError as exception:
                if exception.tag != "D_PRAGMA_DEPEND":
                    exception.texts[each.path] = each.text
                    raise
                self._leave_out(each.path, each.text, exception.first.message + "".join(
                    f" ({other.why})" for other in self._left_out
                    if ("library", os.path.basename(other.path)) in [needed[:2] for needed in each.depends]))
                continue
            present.add(each.name)
        self._loaded.update(paths)

    def _leave_out(self, path: str, text: str, why: str) -> None:
        self._options.debug(f"left out library {path}: {why}")
        self._left_out.append(_LeftOut(path, text, why))

    def explained(self, error: CompileError) -> CompileError:
        """The same error, with hints where it follows from what was left out."""
        if not self._left_out:
            return error
        return CompileError([each._replace(hints=(*each.hints, *self._hints(each)))
                             for each in error.diagnostics], error.texts)

    def _hints(self, diagnostic: Diagnostic) -> Iterable[str]:
        from dc.types.declarationtexts import declared, words

        said = words(diagnostic.message)
        return dict.fromkeys(
            f"the library {each.path} was left out: {each.why}" for each in self._left_out
            if (said & declared(each.text) if each.text else "there is no " in diagnostic.message))

    # What the scope and the names ask -------------------------------------------------------------

    def load_type(self, key: str) -> None:
        """Declare a type and the translators to it, if a library has it."""
        self._take(self._library().take_type(key))

    def load_value(self, name: str) -> None:
        """Declare an inline or enumerator, if a library has it."""
        number = None
        if name.startswith("R_") and self._options.choice("arch") == "aarch64":
            from dif.userregisters import AARCH64

            number = AARCH64.get(self._options.choice("target", ""), {}).get(name)
        pieces = self._library().take_value(name)
        if number is not None and pieces:
            pieces = [Piece(pieces[0].file, pieces[0].line, f"inline int {name} = {number};")]
        self._take(pieces)

    def words(self) -> set[str]:
        """The words of our libraries, among them every name."""
        return self._library().words()

    def _library(self) -> Index:
        if self._own is None and self._read is not None and not self._core_only and not self._replaced:
            self._own = self._read.copy()
        if self._own is None:
            self._own = libraryfiles.own(
                self._constants, core_only=self._core_only,
                is_available=lambda kind, name: is_available(self.catalog, kind, name),
                replaced=self._replaced)
        return self._own

    def _take(self, pieces: list[Piece]) -> None:
        """Declare pieces.  One that needs types which this kernel does not have is left out."""
        for piece in pieces:
            try:
                self._declare(piece.text, piece.file, piece.line)
            except CompileError as exception:
                self._leave_out(f"{piece.file}, line {piece.line}", piece.text, exception.first.message)

    def _require_declarer(self) -> Declarer:
        if self._declarer is None:
            self._declarer = Declarer(Checker(self.names, self.scope, self.catalog), self._present)
        return self._declarer

    def _declare(self, text: str, file: str, line: int) -> None:
        """Declare a library's text, in which parameters of the program's inlines are unknown."""
        self._options.debug(f"reading {file}, line {line}")
        declarer = self._require_declarer()
        outer, self.names.parameters = self.names.parameters, []
        try:
            for node in parse_program(Lexer(f'# {line} "{file}"\n{text}', declarer, file=file)):
                declarer.declare(node)
        finally:
            self.names.parameters = outer
