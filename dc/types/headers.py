"""C headers as type scopes: a declaration is parsed when one of its names is first looked up."""

from __future__ import annotations

from collections.abc import Iterable

from dc.source import tree as s
from dc.source.lexer import Lexer
from dc.source.parser import parse_program
from dc.types.declarationindex import Index, Piece, Source
from dc.types.declarations import Declarations
from dc.types.scopes import Scope
from dc.types.types import Model


def header_types(text: str, model: int = Model.LP64, *, parent: Scope | None = None, name: str = "",
                 filename: str = "<header>") -> Scope:
    """The scope of what a C header declares, called `name`, in front of `parent` (else of C's own types).

    The text is preprocessed already; control lines in it are skipped.
    """
    scope = Scope(model, parent or Scope.intrinsic(model), name)
    scope.loader = _Header(text, scope, filename)
    return scope


class _Header:
    """A scope's loader that parses the declarations of a header (scopes.Loader)."""

    def __init__(self, text: str, scope: Scope, filename: str) -> None:
        self._scope = scope
        self._declarations = Declarations(scope, deferred=True)
        self._index = Index([Source(filename, text)])

    def is_variable(self, name: str) -> bool:
        """For the lexer: a header has types and nothing else."""
        return False

    def is_type_name(self, name: str) -> bool:
        return self._scope.is_type_name(name)

    def begin_record(self, keyword: str, tag: str, span: s.Span) -> None:
        """For the lexer: each definition of a header is read once, so none is a second one."""

    def similar_type(self, name: str) -> tuple[str, ...]:
        """For the parser: a header is not the user's to correct, and gets no hints."""
        return ()

    def load_type(self, key: str) -> None:
        """Declare a type.  Raises CompileError where the header is not C."""
        self._load(self._index.take_type(key))

    def load_value(self, name: str) -> None:
        """Declare an enumerator or a variable.  Raises CompileError where the header is not C."""
        self._load(self._index.take_value(name))

    def words(self) -> set[str]:
        return self._index.words()

    def _load(self, pieces: Iterable[Piece]) -> None:
        for each in pieces:
            lexer = Lexer(f'# {each.line} "{each.file}"\n{each.text}', self, file=each.file, header=True)
            for node in parse_program(lexer):
                if isinstance(node, s.Declaration):
                    self._declare(node)

    def _declare(self, node: s.Declaration) -> None:
        for each in self._declarations.declare(node):
            if each.storage != "typedef":
                self._scope.variables[each.name] = each.type
