"""The grammar: what it accepts, the tree it builds, and how it stops."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import dc
from dc.diagnostics import CompileError
from dc.source import maketables
from dc.source import tree as syntax
from dc.source.lexer import Lexer
from dc.source.parser import parse_expression, parse_program, parse_type
from dc.source.tree import Node
from dc.types.scopes import Scope


class Types:
    """Only the types of C are known."""

    def __init__(self) -> None:
        self.is_type_name = Scope.intrinsic().is_type_name

    def is_variable(self, name: str) -> bool:
        return False

    def begin_record(self, keyword: str, tag: str, span: syntax.Span) -> None:
        pass


def program(text: str, **named: bool) -> list[syntax.External]:
    return list(parse_program(Lexer(text, Types(), **named)))  # type: ignore[arg-type]


def shown(node: Node | list[Node] | None) -> str:
    """An expression with every operator's grouping visible."""
    if isinstance(node, syntax.Binary):
        return f"({shown(node.left)}{node.op}{shown(node.right)})"
    if isinstance(node, syntax.Assign):
        return f"({shown(node.target)}{node.op}{shown(node.value)})"
    if isinstance(node, syntax.Conditional):
        return f"({shown(node.test)}?{shown(node.then)}:{shown(node.otherwise)})"
    if isinstance(node, syntax.Unary):
        return f"({node.op}{shown(node.operand)})"
    if isinstance(node, syntax.Step):
        return f"({node.op}{shown(node.operand)})" if node.prefix else f"({shown(node.operand)}{node.op})"
    if isinstance(node, syntax.Cast):
        return f"(cast {shown(node.operand)})"
    if isinstance(node, syntax.Sizeof):
        return f"(sizeof {shown(node.operand)})"
    if isinstance(node, syntax.Member):
        return f"{shown(node.base)}{'->' if node.arrow else '.'}{node.name}"
    if isinstance(node, syntax.Index):
        return f"{shown(node.base)}[{','.join(map(shown, node.indices))}]"
    if isinstance(node, syntax.Call):
        return f"{shown(node.function)}({','.join(map(shown, node.arguments))})"
    if isinstance(node, syntax.Aggregation):
        return f"@{node.name}"
    if isinstance(node, syntax.TypeName):
        return "type"
    return str(getattr(node, "name", getattr(node, "value", type(node).__name__)))


def test_tables_belong_to_the_grammar() -> None:
    path = Path(dc.__file__ or dc.__path__[0]).parent / "source" / "tables.py"
    current = path.read_text() == maketables.generate()
    assert current, "run python -m dc.source.maketables"


@pytest.mark.parametrize(("text", "tree"), [
    ("a+b*c", "(a+(b*c))"),
    ("a-b-c", "((a-b)-c)"),
    ("a=b=c", "(a=(b=c))"),
    ("a<<b+c<d", "((a<<(b+c))<d)"),
    ("a|b^c&d==e", "(a|(b^(c&(d==e))))"),
    ("a||b^^c&&d", "(a||(b^^(c&&d)))"),
    ("a?b:c?d:e", "(a?b:(c?d:e))"),
    ("a,b=c", "(a,(b=c))"),
    ("!a.b->c[1,2]++", "(!(a.b->c[1,2]++))"),
    ("*p++ + -q", "((*(p++))+(-q))"),
    ("sizeof a + b", "((sizeof a)+b)"),
    ("sizeof (int) + b", "((sizeof type)+b)"),
    ("(int)a+b", "((cast a)+b)"),
    ("(a)+b", "(a+b)"),
    ("&a && *b", "((&a)&&(*b))"),
    ("@x[a] = sum(b)", "(@x[a]=sum(b))"),
    ("@ = count()", "(@_=count())"),
    ("self->x.probe", "self->x.probe"),
    ("a.string->self", "a.string->self"),
    ("a.uint64_t", "a.uint64_t"),
    ("a %= b >>= c", "(a%=(b>>=c))"),
])
def test_precedence(text: str, tree: str) -> None:
    assert shown(parse_expression(Lexer(text, Types()))) == tree


def test_every_kind_of_external() -> None:
    nodes = program("""
        struct s { int a : 3, : 0, *b[2]; union { char c; }; enum { A, B = 4, } e; int (*f)(int, ...); };
        typedef unsigned long long int u; self string t, v[3]; int m[int, string, struct s *]; enum z;
        inline int twice[int n] = n * 2;
        translator struct s < int i > { a = i; b = NULL; };
        provider p { probe start(int a, char *); probe end(void *b) : (int b); };
        #pragma D option quiet
        syscall:::entry, 12 / pid == 1 / { trace(1); ; if (a) b; else { c } }
        BEGIN { }
        """)
    assert [type(node).__name__ for node in nodes] == [
        "Declaration", "Declaration", "Declaration", "Declaration", "Declaration", "Inline", "Translator",
        "ProviderDeclaration", "Pragma", "Clause", "Clause"]
    clause = nodes[-2]
    assert isinstance(clause, syntax.Clause)
    assert [(probe.text, probe.id) for probe in clause.probes] == [("syscall:::entry", None), ("12", 12)]
    assert shown(clause.predicate) == "(pid==1)"
    first, second = clause.statements or []
    assert isinstance(first, syntax.ExpressionStatement) and isinstance(second, syntax.If)
    assert len(second.then) == len(second.otherwise or []) == 1


def test_declarator_layers_begin_at_the_name() -> None:
    (node,) = program("int *(*f[3])(char);")
    assert isinstance(node, syntax.Declaration)
    layers = [type(layer).__name__ for layer in node.declarators[0].layers]
    assert layers == ["ArrayOf", "PointerTo", "FunctionOf", "PointerTo"]


def test_a_type_may_be_a_members_name() -> None:
    program("struct s { size_t size_t; uint_t *id_t; struct s pid_t; };")


def test_spans_name_the_principal_token() -> None:
    (clause,) = program("BEGIN\n{\n  trace(a +\n    b);\n}\n")
    assert isinstance(clause, syntax.Clause) and clause.statements is not None
    statement = clause.statements[0]
    assert isinstance(statement, syntax.ExpressionStatement)
    call = statement.expression
    assert isinstance(call, syntax.Call)
    assert call.span == syntax.Span("", 3, 3, 8)
    assert call.arguments[0].span == syntax.Span("", 3, 11, 12)


@pytest.mark.parametrize("text", [
    "BEGIN { trace(1) trace(2); }", "BEGIN { while (1) ; }", "BEGIN /1/", "BEGIN { a = ; }", "int int x y;",
    "BEGIN { trace(int); }", "struct { int a };", "BEGIN {", "}", "BEGIN { (a; }", "inline int x;",
    "translator int { a = 1; };", "BEGIN { a ? b; }", "provider { };", "BEGIN { @a[; }",
])
def test_syntax_errors(text: str) -> None:
    with pytest.raises(CompileError) as caught:
        program(text)
    assert caught.value.tag == "D_SYNTAX"


def test_a_description_alone_is_for_the_command_line() -> None:
    assert len(program("BEGIN, tick-1s")) == 1
    with pytest.raises(CompileError, match="should follow the probe"):
        program("BEGIN, tick-1s\n", script=True)


def test_type_context() -> None:
    assert parse_type(Lexer("const char *[3]", Types())).specifiers.words == ["char"]
    with pytest.raises(CompileError):
        parse_type(Lexer("char x", Types()))


@pytest.mark.parametrize(("text", "what"), [
    ("BEGIN { trace(" + "(" * 1_000_000, "program"),
    ("BEGIN { trace(" + "!" * 100_000 + "1); }", "program"),
    ("BEGIN { trace(" + "+".join(["x"] * 20_000) + "); }", "expression"),
    ("BEGIN { " + "if (1) {" * 20_000, "program"),
    ("struct { " * 20_000, "program"),
])
def test_depth_is_bounded(text: str, what: str) -> None:
    start = time.process_time()
    with pytest.raises(CompileError, match=f"{what} is nested too deeply") as caught:
        program(text)
    assert caught.value.tag == "D_SYNTAX"
    assert time.process_time() - start < 20


def test_recovery_goes_on_after_the_broken_clause() -> None:
    errors: list[tuple[str, CompileError]] = []
    text = "BEGIN { trace(; }\nint x y;\nEND { trace(1); }\ntick-1s /a b/ { \"}\" }\nBEGIN { exit(0); }\n"
    nodes = list(parse_program(Lexer(text, Types()), lambda *each: errors.append(each)))
    assert [error.first.span.line for _, error in errors] == [1, 2, 4]
    texts = [broken.strip() for broken, _ in errors]
    assert texts == ["BEGIN { trace(; }", "int x y;", 'tick-1s /a b/ { "}" }']
    assert [node.span.line for node in nodes] == [3, 5]
