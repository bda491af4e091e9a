"""Declarations: what they declare, and every error they can have."""

from __future__ import annotations

import pytest

from dc.diagnostics import CompileError, Span
from dc.source import tree as syntax
from dc.source.lexer import Lexer
from dc.source.parser import parse_program
from dc.types.declarations import Declarations, Declared
from dc.types.scopes import Scope


class Program:
    """A program of declarations only."""

    def __init__(self) -> None:
        self.scope = Scope.intrinsic().child()
        self.declarations = Declarations(self.scope, is_variable=self.is_variable)
        self.is_type_name = self.scope.is_type_name
        self.begin_record = self.declarations.begin_record

    def is_variable(self, name: str) -> bool:
        return name == "pid"

    def declare(self, text: str) -> list[Declared]:
        declared = []
        for node in parse_program(Lexer(text, self)):
            assert isinstance(node, syntax.Declaration)
            declared += self.declarations.declare(node)
        return declared


def test_what_is_declared() -> None:
    program = Program()
    declared = program.declare("""
        typedef struct s { int a; } s_t;
        s_t one, *two[3]; self char *three; this int four; int five[int, string]; extern int six(void);
        enum e { A, B = A + 4, C = sizeof (s_t) << 1 }; int seven[B * 2]; int eight(char);
        """)
    assert [(each.name, str(each.type), each.storage, None if each.keys is None else [*map(str, each.keys)])
            for each in declared] == [
        ("s_t", "struct s", "typedef", None), ("one", "s_t", "", None), ("two", "s_t *[3]", "", None),
        ("three", "char *", "self", None), ("four", "int", "this", None),
        ("five", "int", "", ["int", "string"]), ("six", "int ()", "extern", None),
        ("seven", "int [8]", "", None), ("eight", "int (char)", "extern", None)]
    assert program.scope.enumerator("C") == (8, program.scope.lookup("enum e"))


def test_forward_declarations_are_completed() -> None:
    program = Program()
    program.declare("struct node { struct node *next; struct other *o; }; struct other { int x; };")
    node = program.scope.lookup("struct node")
    assert node is not None and node.size == 16
    other = program.scope.lookup("struct other")
    assert other is not None and other.size == 4


@pytest.mark.parametrize(("text", "tag"), [
    ("short char x;", "D_DECL_CHARATTR"), ("unsigned void *x;", "D_DECL_VOIDATTR"),
    ("unsigned float x;", "D_DECL_SIGNINT"), ("unsigned struct s x;", "D_DECL_SIGNINT"),
    ("long struct s x;", "D_DECL_LONGINT"), ("int char x;", "D_DECL_COMBO"),
    ("unsigned unsigned int x;", "D_DECL_COMBO"), ("long short x;", "D_UNKNOWN"),
    ("self this int x;", "D_DECL_CLASS"), ("static int x;", "D_DECL_BADCLASS"),
    ("auto int x;", "D_DECL_BADCLASS"), ("int x[static int y];", "D_DECL_PARMCLASS"),
    ("int x[0];", "D_DECL_ARRSUB"), ("int x[-1];", "D_DECL_ARRSUB"), ("int x[pid];", "D_DECL_ARRSUB"),
    ("int x[];", "D_DECL_ARRNULL"), ("int x[0x100000000];", "D_DECL_ARRBIG"),
    ("int x[65536][65536];", "D_DECL_ARRBIG"), ("typedef int a; typedef int a;", "D_DECL_IDRED"),
    ("typedef int pid;", "D_DECL_IDRED"), ("typedef int a; int a;", "D_DECL_IDRED"),
    ("enum { pid };", "D_DECL_IDRED"), ("enum { A }; enum { A };", "D_DECL_IDRED"),
    ("struct s { int a; }; struct s { int b; };", "D_DECL_TYPERED"),
    ("enum e { A }; enum e { B };", "D_DECL_TYPERED"),
    ("struct s { struct t { int a; } ; };", "D_DECL_MNAME"),
    ("struct s { int m`a; };", "D_DECL_SCOPE"), ("int m`a;", "D_DECL_SCOPE"),
    ("enum { m`a };", "D_DECL_SCOPE"),
    ("struct s { int a : 0; };", "D_DECL_BFCONST"), ("struct s { int a : 33; };", "D_DECL_BFSIZE"),
    ("struct s { float a : 3; };", "D_DECL_BFTYPE"), ("enum { A = pid };", "D_DECL_ENCONST"),
    ("enum { A = 0x80000000 };", "D_DECL_ENOFLOW"), ("int;", "D_DECL_USELESS"),
    ("this int x[int];", "D_DECL_LOCASSC"), ("void x;", "D_DECL_VOIDOBJ"),
    ("void x[3];", "D_DECL_VOIDOBJ"), ("struct s { void a; };", "D_DECL_VOIDOBJ"),
    ("struct s { int a[int]; };", "D_DECL_DYNOBJ"), ("struct t x;", "D_DECL_INCOMPLETE"),
    ("struct s { struct s a; };", "D_DECL_INCOMPLETE"), ("int x[int, ...];", "D_DECL_PROTO_VARARGS"),
    ("int x[void];", "D_DECL_PROTO_TYPE"), ("int x(void, int);", "D_DECL_PROTO_VOID"),
    ("int x(void a);", "D_DECL_PROTO_NAME"), ("int x(int a, char a);", "D_DECL_PROTO_FORM"),
    ("struct s { int a; int a; };", "D_UNKNOWN"), ("enum e { A, A };", "D_UNKNOWN"),
    ("int " + "*" * 1000 + "x;", "D_UNKNOWN"),
])
def test_errors(text: str, tag: str) -> None:
    with pytest.raises(CompileError) as caught:
        Program().declare("\n" + text)
    assert caught.value.tag == tag
    assert caught.value.first.span != Span() and caught.value.first.span.line == 2


@pytest.mark.parametrize(("text", "value"), [
    ("7 / -2", -3), ("7 % -2", 1), ("1 << 4 | 1", 17), ("~0 & 0xff", 255), ("3 > 2 && !0", 1),
    ("2 ^^ 2", 0), ("1 ? 20 : 30", 20), ("(char)300", 44), ("(unsigned char)-1", 255),
    ("sizeof (struct t)", 12), ("offsetof(struct t, c)", 8), ("sizeof (int *)", 8), ("'a'", 97),
    ("1 / 0", None), ("pid", None), ("pid + 1", None), ("1 << pid", None),
    ("sizeof pid", None), ("offsetof(int, c)", None),
])
def test_constants(text: str, value: int | None) -> None:
    program = Program()
    program.declare("struct t { int a, b, c; };")
    from dc.source.parser import parse_expression
    from dc.types.constants import evaluate

    assert evaluate(parse_expression(Lexer(text, program)), program.declarations.scope,
                    program.declarations.type_name) == value
