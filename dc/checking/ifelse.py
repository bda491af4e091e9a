"""A clause with if and else → several clauses.

All of these clauses are for the same probes.  A clause of its own computes each
condition into a hidden clause-local variable, and the statements below the
condition become a clause with that variable as its predicate.

An error would end a single clause, and must end all that it became.  So each of
them tests self->%error, which a clause for dtrace:::ERROR sets.
"""

from __future__ import annotations

from dc.diagnostics import Span
from dc.source import tree as s


def error_clause(span: Span) -> s.Clause:
    """dtrace:::ERROR { self->%error = 1; }, which a program with an if needs once."""
    return s.Clause(span, [s.ProbeSpec(span, "dtrace:::ERROR")], None, [_set(span, _error(span), 1)])


def expand(clause: s.Clause) -> list[s.Clause]:
    """The clauses that a clause with an if becomes, in order."""
    expansion = _Expansion(clause)
    condition = 0
    if clause.predicate is not None:
        condition = expansion.condition(clause.predicate, 0)
    expansion.statements(clause.statements or [], condition)
    span = clause.span
    return [s.Clause(span, clause.probes, None, [_set(span, _error(span), 0)]), *expansion.clauses]


def _error(span: Span) -> s.Expression:
    return s.Member(span, s.Identifier(span, "self"), "%error", True)


def _condition(span: Span, number: int) -> s.Expression:
    return s.Member(span, s.Identifier(span, "this"), f"%condition_{number}", True)


def _set(span: Span, target: s.Expression, value: int) -> s.ExpressionStatement:
    return s.ExpressionStatement(span, s.Assign(span, "=", target, s.Integer(span, value)))


class _Expansion:
    """The clauses that one clause becomes, in order."""

    def __init__(self, clause: s.Clause) -> None:
        self.clause = clause
        self.clauses: list[s.Clause] = []
        self.count = 0

    def _add(self, span: Span, condition: int, statements: list[s.Statement]) -> None:
        predicate: s.Expression = s.Unary(span, "!", _error(span))
        if condition:
            predicate = s.Binary(span, "&&", predicate, _condition(span, condition))
        self.clauses.append(s.Clause(span, self.clause.probes, predicate, statements))

    def condition(self, test: s.Expression, outer: int) -> int:
        """A clause that computes a condition; `outer` is the condition it is nested in, or 0.

        `1 && test` gives the variable the type int whatever the test's is.
        """
        self.count += 1
        span = test.span
        left: s.Expression = _condition(span, outer) if outer else s.Integer(span, 1)
        value = s.Binary(span, "&&", left, test)
        statement = s.ExpressionStatement(span, s.Assign(span, "=", _condition(span, self.count), value))
        self._add(span, 0, [statement])
        return self.count

    def statements(self, statements: list[s.Statement], condition: int) -> None:
        """Clauses for a list of statements that all depend on `condition`."""
        block: list[s.Statement] = []
        for statement in statements:
            if not isinstance(statement, s.If):
                block.append(statement)
                continue
            self._block(block, condition)
            block = []
            self._if(statement, condition)
        self._block(block, condition)

    def _block(self, block: list[s.Statement], condition: int) -> None:
        if block:
            span = block[0].span
            if condition == 0 and not self.count:
                self.clauses.append(s.Clause(span, self.clause.probes, None, block))
            else:
                self._add(span, condition, block)

    def _if(self, node: s.If, outer: int) -> None:
        inner = self.condition(node.test, outer)
        self.statements(node.then, inner)
        if node.otherwise is not None:
            negated = s.Unary(node.span, "!", _condition(node.span, inner))
            self.statements(node.otherwise, self.condition(negated, outer))
