"""Tokens → syntax tree: the LALR automaton of dc/source/tables.py, and the Builder that makes nodes.

The automaton reduces without looking ahead wherever it can, so that a
declaration is complete before the token after it is read: the types that it
declares change how that token is read.  Therefore `parse_program` is a
generator, and its caller declares each external declaration before it asks for
the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from dc.diagnostics import CompileError, Span, error
from dc.source import tree as s
from dc.source.lexer import KEYWORDS, Lexer, NumberValue, Token, cropped
from dc.source.tables import ACTIONS, DEFAULT, END, GOTO, RULES, START

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Any

STACK_LIMIT = 4000  # as with a yacc parser, nesting is bounded; a tree this deep is no program
DEPTH_LIMIT = 2000
_OUTSIDE = 2  # states on the stack outside of external declarations
_PASSING = frozenset([number for number, (left, length, method, _kept) in enumerate(RULES)
                      if length == 1 and not method and left != "external" and left not in START])


def parse_program(lexer: Lexer, recover: Callable[[str, CompileError], None] | None = None
                  ) -> Iterator[s.External]:
    """The external declarations of a D program, and its pragmas, in order.

    Raises CompileError.  With `recover`, the parser calls it with the text of the clause or declaration
    that has an error and with the error, and goes on after that clause or declaration.
    """
    while True:
        try:
            yield from _run(lexer, "d_program")
            return
        except CompileError as exception:
            if recover is None:
                raise
            lexer.pragmas.clear()  # of those that stand within what is not to be understood
            recover(lexer.recover(), exception)


def parse_expression(lexer: Lexer) -> s.Expression:
    """A single expression.  Raises CompileError."""
    lexer.clause = False
    result = _last(lexer, "d_expression")
    assert isinstance(result, s.Expression)
    return result


def parse_type(lexer: Lexer) -> s.TypeName:
    """A type name, as in a cast.  Raises CompileError."""
    lexer.clause = False
    result = _last(lexer, "d_type")
    assert isinstance(result, s.TypeName)
    return result


def _last(lexer: Lexer, start: str) -> object:
    result: object = None
    for result in _run(lexer, start):  # noqa: B007
        pass
    return result


def _run(lexer: Lexer, start: str) -> Iterator[Any]:
    """Run the automaton; yield externals as they are complete, or else the one result."""
    states: list[int] = [START[start]]
    values: list[object] = [None]
    build = Builder(lexer)
    token: Token | None = None
    count = 0
    while True:
        state = states[-1]
        rule = DEFAULT[state]
        if rule < 0:
            if token is None:
                token = lexer.next(_expects_name(values))
                count += 1
                if lexer.pragmas and len(states) <= _OUTSIDE:
                    yield from _taken(lexer.pragmas)
            state, step = _STEPS[states[-2] if len(states) > 1 else 0, state, token.terminal]
            states[-1] = state
            if step > 0:
                if lexer.pragmas:  # within an external declaration that goes on: else the syntax is wrong
                    yield from _taken(lexer.pragmas)
                states.append(step)
                values.append(token)
                token = None
                if len(states) > STACK_LIMIT:
                    raise error("D_SYNTAX", lexer.end_span(), "program is nested too deeply")
                continue
            if not step:
                raise _syntax_error(token, state, values, lexer)
            rule = -step
        left, length, method, kept = RULES[rule]
        value = getattr(build, method)(*map(values.__getitem__, kept)) if method else values[kept[0]]
        if length:
            del states[-length:], values[-length:]
        state = _REACHED[states[-1], left]
        states.append(state)
        values.append(value)
        if left == "external":
            if count > DEPTH_LIMIT:
                _check_depth(value)
            count = 0
            yield value
            lexer.begin_external()
        elif state == END[start]:
            token = token or lexer.next()
            if token.terminal != "$END":
                raise _syntax_error(token, state, values, lexer)
            if start != "d_program":
                _check_depth(value)
                yield value
            return


# Most rules of expressions only pass a value on to the next level of precedence.  A chain of such
# rules is one step.

class _Reached(dict[tuple[int, str], int]):
    """[below, nonterminal]: the state that the nonterminal leads to on top of `below`, whatever follows."""

    def __missing__(self, key: tuple[int, str]) -> int:
        below, left = key
        state = _GOTO[below][left]
        rule = DEFAULT[state]
        self[key] = state = self[below, RULES[rule][0]] if rule > 0 and rule in _PASSING else state
        return state


class _Steps(dict[tuple[int, int, str], tuple[int, int]]):
    """[below, state, terminal]: the state that `state`, on top of `below`, becomes before the terminal, and
    what it does: its action, 0 for a syntax error.
    """

    def __missing__(self, key: tuple[int, int, str]) -> tuple[int, int]:
        below, state, terminal = key
        step = -DEFAULT[state] if DEFAULT[state] > 0 else _ACTIONS[state].get(terminal, 0)
        found = state, step
        if -step in _PASSING:
            found = self[below, _REACHED[below, RULES[-step][0]], terminal]
        self[key] = found
        return found


def _unpack(row: str) -> dict[str, int]:
    words = row.split()
    return dict(zip(words[::2], map(int, words[1::2]), strict=True))


class _Rows(dict[int, dict[str, int]]):
    """The rows of a table by their states, each unpacked when it is first looked at."""

    def __init__(self, packed: Sequence[str]) -> None:
        super().__init__()
        self._packed = packed

    def __missing__(self, state: int) -> dict[str, int]:
        self[state] = row = _unpack(self._packed[state])
        return row


def _taken(pragmas: list[s.Pragma]) -> list[s.Pragma]:
    taken = pragmas.copy()
    pragmas.clear()
    return taken


_ACTIONS, _GOTO = _Rows(ACTIONS), _Rows(GOTO)
_REACHED, _STEPS = _Reached(), _Steps()


def _expects_name(values: list[object]) -> bool:
    """Whether a type was just parsed, so that the next word is a name, even if a type has it."""
    top = values[-1]
    if isinstance(top, s.Specifiers):
        return bool(top.words or top.named)
    if isinstance(top, Token):
        before = values[-2]
        if top.terminal == "STAR":
            return isinstance(before, s.Specifiers) or _is_pointer(before)
        return top.terminal in ("IDENT", "TNAME") and isinstance(before, Token) \
            and before.terminal in ("STRUCT", "UNION", "ENUM")
    return _is_pointer(top)


def _is_pointer(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[-1], s.PointerTo)


def _syntax_error(token: Token, state: int, values: list[object], lexer: Lexer) -> CompileError:
    near = f'near "{cropped(token.text)}"' if token.text else "near end of input"
    for each in (*values[-3:], token):
        name = getattr(each, "name", getattr(each, "text", ""))
        if isinstance(each, s.Node | Token) and isinstance(name, str) and _might_be_type(name, lexer):
            span = each.span if each.span.line == token.span.line else token.span
            return error("D_SYNTAX", span, f"syntax error {near}: there is no type {name}",
                         *lexer.names.similar_type(name))
    hints, last, possible = [], values[-1], _ACTIONS[state].keys()
    if possible == {"SEMICOLON"} and isinstance(last, Token):
        return error("D_SYNTAX", last.span, f"syntax error {near}: a `;` should follow this {last.text}")
    if {"COMMA", "SEMICOLON", "RBRACE"} <= possible or possible == {"SEMICOLON", "COLON"}:
        # after a whole expression, or the declaration of a probe
        hints.append("a `;` may be missing before it")
    if token.terminal in _TYPE_WORDS and ({"SEMICOLON", "RBRACE"} <= possible or _is_storage(last)):
        hints = ["variables are declared outside of clauses; one that is assigned to needs no declaration"]
    if token.text[:1] == "+" and _is_probe(last):
        hints = ["probe descriptions have no +: write ? for each, which stands for any character"]
    if token.terminal == "RESERVED":
        hints.append(f"`{token.text}` is reserved, and D has no loops or jumps")
    return error("D_SYNTAX", token.span, f"syntax error {near}", *hints)


_TYPE_WORDS = frozenset({"TNAME", *(KEYWORDS[word] for word in (
    "char", "int", "long", "short", "signed", "unsigned", "void", "float", "double", "struct", "union",
    "enum", "const", "volatile", "string"))})


def _is_storage(value: object) -> bool:
    """Whether it is `self` or `this`, which may stand before a declaration."""
    return (isinstance(value, s.Identifier) and value.name in ("self", "this")) \
        or (isinstance(value, Token) and value.text in ("self", "this"))


def _is_probe(value: object) -> bool:
    """Whether it is a probe description, or the last of several."""
    last = value[-1] if isinstance(value, list) and value else value
    return isinstance(last, s.ProbeSpec) or (isinstance(last, Token) and last.terminal == "PSPEC")


def _might_be_type(name: str, lexer: Lexer) -> bool:
    """Whether a name looks like a type's, and is the name of nothing."""
    return name.endswith("_t") and " " not in name and not lexer.names.is_variable(name) \
        and not lexer.names.is_type_name(name)


def _check_depth(node: object) -> None:
    """Refuse a tree too deep to walk.  Raises D_SYNTAX."""
    assert isinstance(node, s.Node)
    level: list[s.Node] = [node]
    for _ in range(DEPTH_LIMIT):
        level = [child for each in level for child in each.children()]
        if not level:
            return
    raise error("D_SYNTAX", level[0].span, "expression is nested too deeply")


class Builder:
    """Makes the nodes.  The grammar names the method for each rule, and which values it receives."""

    def __init__(self, lexer: Lexer) -> None:
        self._lexer = lexer

    # -- lists ---------------------------------------------------------------------------------------

    def nothing(self, *_values: object) -> None:
        return None

    def list_empty(self) -> list[object]:
        return []

    def list_one(self, item: object) -> list[object]:
        return [item]

    def list_more(self, items: list[object], item: object) -> list[object]:
        items.append(item)
        return items

    list_append = list_more

    def list_statement(self, items: list[object], item: object) -> list[object]:
        if item is not None:
            items.append(item)
        return items

    # -- clauses -------------------------------------------------------------------------------------

    def probe_by_name(self, token: Token) -> s.ProbeSpec:
        return s.ProbeSpec(token.span, token.text)

    def probe_by_id(self, token: Token) -> s.ProbeSpec:
        assert isinstance(token.value, NumberValue)
        return s.ProbeSpec(token.span, token.text, token.value.value)

    def probe_specifiers(self, probes: list[s.ProbeSpec]) -> list[s.ProbeSpec]:
        self._lexer.clause = False
        return probes

    def clause_bare(self, probes: list[s.ProbeSpec]) -> s.Clause:
        if self._lexer.script:
            raise error("D_SYNTAX", probes[0].span,
                        "a /predicate/ or { actions } should follow the probe description")
        return s.Clause(probes[0].span, probes, None, None)

    def clause(self, probes: list[s.ProbeSpec], statements: list[s.Statement]) -> s.Clause:
        return s.Clause(probes[0].span, probes, None, statements)

    def clause_predicate(self, probes: list[s.ProbeSpec], predicate: s.Expression, _slash: Token,
                         statements: list[s.Statement]) -> s.Clause:
        return s.Clause(probes[0].span, probes, predicate, statements)

    def clause_predicate_only(self, _probes: list[s.ProbeSpec], predicate: s.Expression,
                              _slash: Token) -> s.Clause:
        raise error("D_SYNTAX", predicate.span,
                    "{ actions } should follow the predicate")

    def statement(self, expression: s.Expression) -> s.ExpressionStatement:
        return s.ExpressionStatement(expression.span, expression)

    def statements_last(self, statements: list[s.Statement], expression: s.Expression) -> list[s.Statement]:
        statements.append(s.ExpressionStatement(expression.span, expression))
        return statements

    def block_one(self, statement: s.Statement | None) -> list[s.Statement]:
        return [] if statement is None else [statement]

    def block(self, statements: list[s.Statement]) -> list[s.Statement]:
        return statements

    def if_then(self, test: s.Expression, then: list[s.Statement]) -> s.If:
        return s.If(test.span, test, then, None)

    def if_else(self, test: s.Expression, then: list[s.Statement], otherwise: list[s.Statement]) -> s.If:
        return s.If(test.span, test, then, otherwise)

    # -- expressions ---------------------------------------------------------------------------------

    def identifier(self, token: Token) -> s.Identifier:
        return s.Identifier(token.span, str(token.value))

    def aggregation(self, token: Token) -> s.Aggregation:
        return s.Aggregation(token.span, str(token.value))

    def integer(self, token: Token) -> s.Integer:
        assert isinstance(token.value, NumberValue)
        return s.Integer(token.span, *token.value)

    def string(self, token: Token) -> s.String:
        assert isinstance(token.value, bytes)
        return s.String(token.span, token.value)

    def index(self, base: s.Expression, _bracket: Token, indices: list[s.Expression]) -> s.Index:
        return s.Index(base.span, base, indices)

    def call_empty(self, function: s.Expression, _parenthesis: Token) -> s.Call:
        return s.Call(function.span, function, [])

    def call(self, function: s.Expression, _parenthesis: Token, arguments: list[s.Expression]) -> s.Call:
        return s.Call(function.span, function, arguments)

    def member(self, base: s.Expression, operator: Token, name: Token) -> s.Member:
        span = name.span
        if base.span.line == span.line:
            span = Span(span.file, span.line, base.span.column, span.end)
        return s.Member(span, base, name.text, operator.terminal == "ARROW")

    def post_step(self, operand: s.Expression, operator: Token) -> s.Step:
        return s.Step(operator.span, operator.text, operand, prefix=False)

    def pre_step(self, operator: Token, operand: s.Expression) -> s.Step:
        return s.Step(operator.span, operator.text, operand, prefix=True)

    def unary(self, operator: Token, operand: s.Expression) -> s.Unary:
        return s.Unary(operator.span, operator.text, operand)

    def sizeof(self, keyword: Token, operand: s.Expression | s.TypeName) -> s.Sizeof:
        return s.Sizeof(keyword.span, operand)

    def stringof(self, keyword: Token, operand: s.Expression) -> s.Stringof:
        return s.Stringof(keyword.span, operand)

    def offsetof(self, keyword: Token, of: s.TypeName, member: Token) -> s.Offsetof:
        return s.Offsetof(keyword.span, of, member.text)

    def xlate(self, keyword: Token, to: s.TypeName, operand: s.Expression) -> s.Xlate:
        return s.Xlate(keyword.span, to, operand)

    def cast(self, parenthesis: Token, to: s.TypeName, operand: s.Expression) -> s.Cast:
        return s.Cast(parenthesis.span, to, operand)

    def binary(self, left: s.Expression, operator: Token, right: s.Expression) -> s.Binary:
        return s.Binary(operator.span, operator.text, left, right)

    def conditional(self, test: s.Expression, question: Token, then: s.Expression,
                    otherwise: s.Expression) -> s.Conditional:
        return s.Conditional(question.span, test, then, otherwise)

    def assign(self, target: s.Expression, operator: Token, value: s.Expression) -> s.Assign:
        return s.Assign(operator.span, operator.text, target, value)

    # -- declarations --------------------------------------------------------------------------------

    def inline(self, _keyword: Token, specifiers: s.Specifiers, declarator: s.Declarator,
               value: s.Expression) -> s.Inline:
        return s.Inline(declarator.span, specifiers, declarator, value)

    def translator(self, keyword: Token, output: s.TypeName, input_: s.TypeName, name: Token,
                   members: list[s.TranslatorMember]) -> s.Translator:
        return s.Translator(keyword.span, output, input_, name.text, members)

    def translator_member(self, name: Token, value: s.Expression) -> s.TranslatorMember:
        return s.TranslatorMember(name.span, name.text, value)

    def provider(self, _keyword: Token, name: Token, probes: list[s.ProbeDeclaration]
                 ) -> s.ProviderDeclaration:
        return s.ProviderDeclaration(name.span, name.text, probes)

    def probe(self, name: Token, native: s.FunctionOf, translated: s.FunctionOf | None = None
              ) -> s.ProbeDeclaration:
        return s.ProbeDeclaration(name.span, name.text, native, translated)

    def declaration(self, specifiers: s.Specifiers, declarators: list[s.Declarator]) -> s.Declaration:
        return s.Declaration(declarators[0].span, specifiers, declarators)

    def declaration_bare(self, specifiers: s.Specifiers) -> s.Declaration:
        return s.Declaration(specifiers.span, specifiers, [])

    def storage_first(self, token: Token) -> s.Specifiers:
        return s.Specifiers(token.span, storage=[token.text])

    def storage_more(self, specifiers: s.Specifiers, token: Token) -> s.Specifiers:
        specifiers.storage.append(token.text)
        return specifiers

    def qualifier_first(self, token: Token) -> s.Specifiers:
        return s.Specifiers(token.span, qualifiers=[token.text])

    def qualifier_more(self, specifiers: s.Specifiers, token: Token) -> s.Specifiers:
        specifiers.qualifiers.append(token.text)
        return specifiers

    def type_first(self, value: Token | s.Node) -> s.Specifiers:
        return self.type_more(s.Specifiers(value.span), value)

    def type_more(self, specifiers: s.Specifiers, value: Token | s.Node) -> s.Specifiers:
        if isinstance(value, Token):
            specifiers.words.append(value.text)
        else:
            specifiers.named.append(value)  # type: ignore[arg-type]
        return specifiers

    def named_type(self, token: Token) -> s.NamedType:
        return s.NamedType(token.span, token.text)

    def record_mention(self, keyword: Token, tag: Token) -> s.RecordSpecifier:
        return s.RecordSpecifier(tag.span, keyword.text, tag.text, None)

    def record_anonymous(self, keyword: Token, members: list[s.MemberDeclaration]) -> s.RecordSpecifier:
        return s.RecordSpecifier(keyword.span, keyword.text, None, members,
                                 self._lexer.record_alignment(keyword))

    def record_open(self, keyword: Token, tag: Token) -> tuple[Token, Token]:
        self._lexer.names.begin_record(keyword.text, tag.text, tag.span)
        return keyword, tag

    def record(self, opening: tuple[Token, Token], members: list[s.MemberDeclaration]) -> s.RecordSpecifier:
        keyword, tag = opening
        return s.RecordSpecifier(tag.span, keyword.text, tag.text, members,
                                 self._lexer.record_alignment(keyword))

    def members(self, specifiers: s.Specifiers, declarators: list[s.MemberDeclarator]
                ) -> s.MemberDeclaration:
        return s.MemberDeclaration(specifiers.span, specifiers, declarators)

    def members_anonymous(self, specifiers: s.Specifiers) -> s.MemberDeclaration:
        return s.MemberDeclaration(specifiers.span, specifiers, [])

    def member_declarator(self, declarator: s.Declarator) -> s.MemberDeclarator:
        return s.MemberDeclarator(declarator.span, declarator, None, self._lexer.take_alignment())

    def member_bitfield(self, declarator: s.Declarator, width: s.Expression) -> s.MemberDeclarator:
        return s.MemberDeclarator(declarator.span, declarator, width, self._lexer.take_alignment())

    def member_unnamed(self, colon: Token, width: s.Expression) -> s.MemberDeclarator:
        return s.MemberDeclarator(colon.span, None, width)

    def enum_mention(self, _keyword: Token, tag: Token) -> s.EnumSpecifier:
        return s.EnumSpecifier(tag.span, tag.text, None)

    def enum_anonymous(self, keyword: Token, enumerators: list[s.Enumerator]) -> s.EnumSpecifier:
        return s.EnumSpecifier(keyword.span, None, enumerators)

    def enum(self, _keyword: Token, tag: Token, enumerators: list[s.Enumerator]) -> s.EnumSpecifier:
        return s.EnumSpecifier(tag.span, tag.text, enumerators)

    def enumerator(self, name: Token, value: s.Expression | None = None) -> s.Enumerator:
        return s.Enumerator(name.span, name.text, value)

    # -- declarators ---------------------------------------------------------------------------------

    def declared(self, name: Token) -> s.Declarator:
        return s.Declarator(name.span, name.text)

    def layered(self, declarator: s.Declarator, layer: s.ArrayOf | s.FunctionOf) -> s.Declarator:
        declarator.layers.append(layer)
        return declarator

    def abstract_layer(self, layer: s.ArrayOf | s.FunctionOf) -> s.Declarator:
        return s.Declarator(layer.span, None, [layer])

    def pointer(self, star: Token, qualifiers: list[Token] | None = None) -> list[s.PointerTo]:
        return [s.PointerTo(star.span, [each.text for each in qualifiers or ()])]

    def pointer_more(self, pointers: list[s.PointerTo], star: Token,
                     qualifiers: list[Token] | None = None) -> list[s.PointerTo]:
        pointers += self.pointer(star, qualifiers)
        return pointers

    def pointed(self, pointers: list[s.PointerTo], declarator: s.Declarator) -> s.Declarator:
        declarator.layers += reversed(pointers)
        return declarator

    def abstract_pointer(self, pointers: list[s.PointerTo]) -> s.Declarator:
        return s.Declarator(pointers[0].span, None, list(reversed(pointers)))

    def type_name(self, specifiers: s.Specifiers, declarator: s.Declarator | None = None) -> s.TypeName:
        return s.TypeName(specifiers.span, specifiers, declarator or s.Declarator(specifiers.span, None))

    def array(self, bracket: Token, size: s.Expression | None = None) -> s.ArrayOf:
        return s.ArrayOf(bracket.span, size)

    def array_keys(self, bracket: Token, keys: list[s.Parameter | Token]) -> s.ArrayOf:
        parameters = [each for each in keys if isinstance(each, s.Parameter)]
        return s.ArrayOf(bracket.span, None, parameters, len(parameters) != len(keys))

    def function(self, parenthesis: Token, listed: list[s.Parameter | Token] | None = None) -> s.FunctionOf:
        listed = listed or []
        parameters = [each for each in listed if isinstance(each, s.Parameter)]
        return s.FunctionOf(parenthesis.span, parameters, len(parameters) != len(listed))

    def parameter(self, specifiers: s.Specifiers, declarator: s.Declarator | None = None) -> s.Parameter:
        return s.Parameter(specifiers.span, specifiers, declarator or s.Declarator(specifiers.span, None))
