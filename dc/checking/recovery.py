"""Which errors to report when a compilation goes on after the first (--all-errors).

An error that only follows from an earlier one is not reported.  To tell them
apart, `Errors` keeps the names that are lost: those whose declaration or first
assignment had an error, and unknown names, once they were reported as unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dc.diagnostics import CompileError, Diagnostic
from dc.names.identifiers import Names, Variable
from dc.source import tree as syntax
from dc.source.tables import KEYWORDS
from dc.types.scopes import Scope
from dc.types.types import Record
from dif import isa

_WORD = re.compile(r"(?:self|this)->\w+|@\w+|(?:struct|union|enum)\s+\w+|[A-Za-z_]\w*")
_SCOPES = {"self": isa.SCOPE_THREAD, "this": isa.SCOPE_LOCAL}
_TYPES = (syntax.NamedType, syntax.RecordSpecifier, syntax.EnumSpecifier)


class Errors:
    """The errors of a compilation so far; `names` and `scope` have what is known without them."""

    def __init__(self, names: Names, scope: Scope) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._names = names
        self._scope = scope
        self._lost: set[str] = set()

    def take(self, node: syntax.Node | None, exception: CompileError) -> None:
        """Keep the errors of a declaration, statement or clause, except those that lost names explain."""
        named = list(_named(node)) if node is not None else []
        lost = [each for each, name in named if name in self._lost]
        if not any(isinstance(each, _TYPES) for each in lost):
            explained = {each.span for each in lost}
            self._keep(each for each in exception.diagnostics if each.span not in explained)
        self._lose(name for each, name in named if not isinstance(each, syntax.ProbeSpec))

    def take_syntax(self, text: str, exception: CompileError) -> None:
        """The same for a text that could not be parsed."""
        words = _words(text)
        explained = any(exception.first.message.endswith(f"there is no type {name}") for name in self._lost)
        if not explained and self._lost.isdisjoint(words[:1]):
            self._keep(exception.diagnostics)
        probes, brace, body = text.partition("{")
        is_clause = brace and _words(probes)[0].partition(" ")[0] not in KEYWORDS
        self._lose(word for word in (_words(body) if is_clause else words) if word not in KEYWORDS)

    def in_order(self) -> list[Diagnostic]:
        """The errors by their places in the program; those in files that it includes come first."""
        return sorted(self.diagnostics, key=lambda each: (not each.span.file, each.span))

    def _keep(self, diagnostics: Iterator[Diagnostic] | list[Diagnostic]) -> None:
        self.diagnostics += [each for each in diagnostics if each not in self.diagnostics]

    def _lose(self, names: Iterator[str]) -> None:
        self._lost.update(name for name in names if not self._is_known(name))

    def _is_known(self, name: str) -> bool:
        names, scope = self._names, self._scope
        if name.startswith("@"):
            return name[1:] in names.aggregations
        if " " in name:
            found = scope.lookup(name)
            return found is not None and not (isinstance(found, Record) and not found.is_defined)
        keyword, arrow, local = name.partition("->")
        found_name = names.table(_SCOPES[keyword]).get(local) if arrow else names.find(name)
        if found_name is None:
            return not arrow and (scope.enumerator(name) is not None or scope.is_type_name(name))
        return not (isinstance(found_name, Variable) and found_name.untouched)


def _words(text: str) -> list[str]:
    return [" ".join(word.split()) for word in _WORD.findall(text)] or [""]


def _named(node: syntax.Node) -> Iterator[tuple[syntax.Node, str]]:
    """The nodes with names in a tree, and the names, as messages spell them."""
    name = getattr(node, "name", None)
    if isinstance(node, syntax.Member):
        if isinstance(node.base, syntax.Identifier) and node.base.name in _SCOPES:
            yield node, f"{node.base.name}->{node.name}"
    elif isinstance(node, syntax.Aggregation):
        yield node, f"@{node.name}"
    elif isinstance(node, syntax.RecordSpecifier | syntax.EnumSpecifier):
        if node.tag:
            yield node, f"{getattr(node, 'kind', 'enum')} {node.tag}"
    elif isinstance(node, syntax.ProbeSpec):
        yield node, node.text.partition(":")[0]
    elif isinstance(name, str):
        yield node, name
    for each in node.children():
        yield from _named(each)
