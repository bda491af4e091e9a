"""Tokens: literals, escapes, macros, probe descriptions, types against variables, control lines."""

from __future__ import annotations

import sys

import pytest

from dc.characters import unescape
from dc.compiler import compile as compile_d
from dc.diagnostics import CompileError, Span
from dc.source.lexer import Lexer, Macros
from dc.source.tables import KEYWORDS, OPERATORS
from dc.types.scopes import Scope


class Known:
    """Types of C, and a few variables."""

    def __init__(self, *variables: str) -> None:
        self.is_type_name = Scope.intrinsic().is_type_name
        self.is_variable = frozenset(variables).__contains__

    def begin_record(self, keyword: str, tag: str, span: Span) -> None:
        pass


def tokens(text: str, *variables: str, clause: bool = False, **named: object) -> list[tuple[str, object]]:
    lexer = Lexer(text, Known(*variables), **named)  # type: ignore[arg-type]
    lexer.clause = clause
    found = []
    while (token := lexer.next()).terminal != "$END":
        found.append((token.terminal, token.value))
    return found


def only(text: str, **named: object) -> object:
    (token,) = tokens(text, **named)  # type: ignore[arg-type]
    return token[1]


@pytest.mark.parametrize("text", [*OPERATORS, *KEYWORDS])
def test_every_literal_of_the_grammar_is_one_token(text: str) -> None:
    names = {**OPERATORS, **KEYWORDS}
    opening = {")": "( ", "]": "[ ", "}": "{ "}.get(text, "")
    assert [name for name, _value in tokens(opening + text + " x")][-2] == (
        names[text] if text != "/" else "SLASH")


@pytest.mark.parametrize(("text", "value"), [
    ("0", (0, "", False, False)), ("10", (10, "", True, False)), ("0x1F", (31, "", False, False)),
    ("017", (15, "", False, False)), ("5ULL", (5, "ULL", True, False)),
    ("18446744073709551615", (2**64 - 1, "", True, False)),
    ("'a'", (97, "", True, False)), (r"'\n'", (10, "", True, False)), (r"'\0'", (0, "", True, False)),
    (r"'\x41'", (65, "", True, False)), ("'ab'", (0x6162, "", True, False)), (r"'\"'", (34, "", True, False)),
    (r"'\''", (0x5c27, "", True, False)),
])
def test_constants(text: str, value: tuple[object, ...]) -> None:
    assert only(text) == value


@pytest.mark.parametrize(("text", "raw"), [
    (r"a\tb", b"a\tb"), (r"\101", b"A"), (r"\x4a", b"J"), (r"\"", b'"'), (r"\\", b"\\"), (r"\q", b"\\q"),
    (r"it\'s\?", rb"it\'s\?"), ("é", "é".encode()),
])
def test_escapes(text: str, raw: bytes) -> None:
    assert unescape(text) == raw


@pytest.mark.parametrize(("text", "tag", "marked"), [
    ("18446744073709551616", "D_INT_OFLOW", 20), ("089", "D_INT_DIGIT", 3), ('"abc\n', "D_STR_NL", 4),
    ("'a\n", "D_CHR_NL", 2), ('"abc', "D_SYNTAX", 4), ("'a", "D_SYNTAX", 2),
    ("''", "D_CHR_NULL", 2), ("'123456789'", "D_CHR_OFLOW", 11), ("1.5", "D_SYNTAX", 3),
    ("1.5e+3f", "D_SYNTAX", 7), ("1e5", "D_SYNTAX", 3), ("1E-5F", "D_SYNTAX", 5),
    (".5e1", "D_SYNTAX", 4), ("1.e", "D_SYNTAX", 2), ("1f", "D_SYNTAX", 2), ("10F", "D_SYNTAX", 3),
    ("1.l", "D_SYNTAX", 3), ("1e+", "D_SYNTAX", 1), ("/* x", "D_SYNTAX", 2),
    ("$nosuch", "D_MACRO_UNDEF", 7), ("$7", "D_MACRO_UNDEF", 2), (")", "D_SYNTAX", 1),
    ("\x01", "D_SYNTAX", 1), ("#pragma x", "D_SYNTAX", 1),
    # an escape is no end, and no newline and no end of the text is escaped
    (r'"a\tb', "D_SYNTAX", 5), ('"a\\tb\n"', "D_STR_NL", 5), ('"a\\', "D_SYNTAX", 3),
    ('"a\\\nb"', "D_STR_NL", 3), ('"a\\"b\nc"', "D_STR_NL", 5), ("'\\", "D_SYNTAX", 2),
])
def test_what_is_refused(text: str, tag: str, marked: int) -> None:
    """It is marked from its beginning on, so many characters of it."""
    with pytest.raises(CompileError) as caught:
        tokens("x + " + text)
    assert (caught.value.tag, caught.value.first.span) == (tag, Span("", 1, 5, 5 + marked))


def test_a_comment_within_a_comment() -> None:
    with pytest.raises(CompileError, match="within a comment") as caught:
        tokens("/* /* */")
    assert caught.value.first.span == Span("", 1, 4, 6)


def test_macros() -> None:
    macros = Macros(["prog", "12", "name", "-3", "a b", '"q"'], {"target": 77})
    values = tokens("$1 $2 $3 $4 $5 $$1 $target $$target", macros=macros)
    assert values == [
        ("INT", (12, "", True, False)), ("IDENT", "name"), ("INT", (3, "", True, True)), ("STRING", b"a b"),
        ("STRING", b"q"), ("STRING", b"12"), ("INT", (77, "", True, False)), ("STRING", b"77")]
    assert macros.used == {1, 2, 3, 4, 5}
    assert tokens("$1 $2", macros=Macros(["p", "0x1f", "a5"])) == [
        ("INT", (31, "", False, False)), ("IDENT", "a5")]
    assert tokens("$1 $2 $3 $4 $5 $6", macros=Macros(["p", "", '"', '""', "+5", "a-5", "-"])) == [
        ("STRING", b""), ("STRING", b'"'), ("STRING", b""), ("INT", (5, "", True, False)), ("STRING", b"a-5"),
        ("STRING", b"-")]


@pytest.mark.parametrize(("text", "instances", "first"), [
    ("p1/vm1:syscall::read:entry", True, "p1/vm1:syscall::read:entry"), ("p1/vm1::::", True, "p1/vm1::::"),
    ("p*/**:dtrace:::BEGIN/x/", True, "p*/**:dtrace:::BEGIN"), ("p1/vm1:syscall::read:entry", False, "p1"),
    ("syscall::read:entry/pid/", True, "syscall::read:entry"), ("END/x:a:b:c/", True, "END"),
    ("END/x:a:b:c:d:e/", True, "END")])
def test_paths_of_instances(text: str, instances: bool, first: str) -> None:
    """They are what four fields follow; elsewhere a slash begins a predicate."""
    lexer = Lexer(text, Known(), instances=instances)
    lexer.clause = True
    assert lexer.next().text == first


@pytest.mark.parametrize(("argument", "token"), [
    ("", ("STRING", b"")), ("+5", ("INT", (5, "", True, False))), ("-0x10", ("INT", (16, "", False, True))),
    ("5u", ("INT", (5, "u", True, False))), ("--5", ("STRING", b"--5")), ("-", ("STRING", b"-")),
    ("5 6", ("STRING", b"5 6")), ("5.", ("STRING", b"5.")), ("a", ("IDENT", "a")), ("_", ("IDENT", "_")),
    ("u", ("IDENT", "u")), ("ull", ("IDENT", "ull")), ("+", ("STRING", b"+")),
    ("a`b", ("IDENT", "a`b")), ("a-b", ("STRING", b"a-b")), ("-a", ("STRING", b"-a")),
    ("int", ("INTKW", None)), ('"', ("STRING", b'"')), ('""', ("STRING", b"")), ('"5"', ("STRING", b"5")),
    ("'a'", ("STRING", b"'a'")), (r"a\tb", ("STRING", b"a\tb"))])
def test_what_an_argument_is_taken_for(argument: str, token: tuple[str, object]) -> None:
    found = tokens("$1", macros=Macros(["p", argument]))
    assert found == [token] if token[1] is not None else found[0][0] == KEYWORDS[argument]


def test_macro_overflow_and_defaults() -> None:
    with pytest.raises(CompileError) as caught:
        tokens("$1", macros=Macros(["p", str(2**64)]))
    assert caught.value.tag == "D_MACRO_OFLOW"
    with pytest.raises(CompileError, match="089 is octal"):
        tokens("$1", macros=Macros(["p", "089"]))
    assert tokens("$1 $$2", macros=Macros(default=True)) == [("INT", (0, "", False, False)), ("STRING", b"")]


def test_names_are_types_unless_they_are_variables() -> None:
    assert tokens("uint64_t") == [("TNAME", "uint64_t")]
    assert tokens("uint64_t", "uint64_t") == [("IDENT", "uint64_t")]
    assert tokens("size_t = 1")[0] == ("IDENT", "size_t")
    assert tokens("size_t == 1")[0] == ("TNAME", "size_t")
    assert tokens("size_t/**/ /* */\n= 1")[0] == ("IDENT", "size_t")
    assert tokens("size_t[1]; size_t")[-1] == ("IDENT", "size_t")  # once a variable, always one
    assert tokens("C`int foo.ko`sym") == [("TNAME", "C`int"), ("IDENT", "foo.ko`sym")]


def test_division_or_end_of_predicate() -> None:
    assert [name for name, _ in tokens("a / b / {")] == ["IDENT", "SLASH", "IDENT", "EPRED", "LBRACE"]
    assert [name for name, _ in tokens("a / /* note */ {")] == ["IDENT", "EPRED", "LBRACE"]
    with pytest.raises(CompileError, match="the predicate ends before"):
        tokens("(a / {")


def test_outside_of_clauses() -> None:
    assert tokens("syscall::open*:entry, tick-1s", clause=True) == [
        ("PSPEC", "syscall::open*:entry"), ("COMMA", ","), ("PSPEC", "tick-1s")]
    assert tokens("uint64_t*x", clause=True) == [("TNAME", "uint64_t"), ("STAR", "*"), ("IDENT", "x")]
    assert tokens("uint64_t*x", clause=True, pspec=True) == [("PSPEC", "uint64_t*x")]


@pytest.mark.parametrize(("text", "first"), [
    ("a/b:c:d:e:f {", "a/b:c:d:e:f"), ("h/v*/i:::f:n, x", "h/v*/i:::f:n"), ("a/b:c:d:e:f/1/", "a/b:c:d:e:f"),
    ("a/b:c:d:e/", "a"), ("a/b:c:d:e:f:g/", "a"), ("a:::n/x::f:n:e/", "a:::n"), ("a/1/", "a"), ("a/b", "a"),
    ("a/(b ? c:d)/ {", "a"), ("a/b ? c:d/ { trace(1?2:3:4:5); }", "a"), ("a:b:c:d:e/f", "a:b:c:d:e")])
def test_a_path_of_instances_has_four_fields_behind_it(text: str, first: str) -> None:
    """Elsewhere a slash begins a predicate."""
    lexer = Lexer(text, Known(), instances=True)
    assert lexer.next().text == first
    assert Lexer(text, Known()).next().text == text[:text.index("/")]


def test_control_lines() -> None:
    lexer = Lexer('#!/bin/x\n#pragma D option quiet=1 "s" 3\n  # 40 "inc.h" 1 3 4\na\n# 9 "" 2\nb', Known())
    lexer.clause = False
    first = lexer.next()
    assert (first.span.file, first.span.line, lexer.include_depth) == ("inc.h", 40, 1)
    second = lexer.next()
    assert (second.span.file, second.span.line, second.span.column) == ("", 9, 1)
    assert lexer.include_depth == 0
    other = Lexer('# 3 "one.h"\na\n#line 5\nb\n#pragma line 7 "two.h"\nc\n#pragma D line 9\nd', Known())
    places = [other.next().span[:2] for _ in range(4)]
    assert places == [("one.h", 3), ("one.h", 5), ("two.h", 7), ("two.h", 9)]
    assert Lexer("\n#\n#\na", Known()).next().span.line == 4
    (pragma,) = lexer.pragmas
    assert pragma.words == ["pragma", "D", "option", "quiet=1", b"s", 3]
    assert pragma.span.line == 2


@pytest.mark.parametrize("text", ["a.", "a`b.c ", '"\\""', "pid$target`t ", "# 1 \"f\"\n", "1+", "/**/a "])
def test_every_character_is_looked_at_a_few_times(text: str) -> None:
    def calls(count: int) -> int:
        made = 0

        def counted(_frame: object, event: str, _argument: object) -> None:
            nonlocal made
            made += event in ("call", "c_call")

        before = sys.getprofile()
        sys.setprofile(counted)
        try:
            tokens(text * count, macros=Macros(variables={"target": 1}))
        finally:
            sys.setprofile(before)
        return made

    assert calls(2000) < 11 * calls(200)


@pytest.mark.parametrize("access", ["p->T", "(*p).T", "a[0].T", "p->size_t", "q->T.T"])
def test_a_member_may_be_called_as_a_type_is(access: str) -> None:
    compile_d("typedef int T; struct S { int T; int size_t; } a[2]; struct S *p; struct { struct S T; } *q;"
              f" BEGIN {{ trace({access}); }}")
