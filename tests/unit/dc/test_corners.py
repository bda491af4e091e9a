"""Corners of the language: writing through stepped pointers, types that are not defined, messages that say
what is wrong and not what the compiler made of it.
"""

from __future__ import annotations

import contextlib

import pytest

from dc.checking.formats import validate
from dc.compiler import compile as compile_d
from dc.diagnostics import CompileError, Diagnostic, Span, labelled_line
from dc.names.values import Value
from dc.options import Options
from dc.script import Request
from dc.source.preprocessor import preprocess
from dc.types.headers import header_types
from runtime.command.command import main as dtrace_main
from tests.unit.dc.conftest import ENGINES, compiled, records


def failure(source: str, *options: str) -> Diagnostic:
    settings = Options()
    for option in options:
        settings.assign(option)
    with pytest.raises(CompileError) as caught:
        compile_d(source, options=settings)
    return caught.value.first


# -- writing through pointers that are not plain variables ---------------------------------------------

@pytest.mark.parametrize("engine", ENGINES)
def test_stores_through_stepped_pointers(engine: str) -> None:
    """Each address is computed once: what is behind is left alone."""
    body = """
        this->p = (char *)alloca(8); bcopy("\\0\\0\\0\\0\\0\\0\\0", this->p, 8); this->q = this->p;
        *this->p++ = 'a'; *++this->p = 'c'; *(1, this->q + 1) = 'b'; *(this->q + 3) = 'd';
        *(4 + this->q) = 'e';
        *this->p++ += 1; *this->p-- = 'D'; *--this->p = 'B'; *(this->q - -5) = 'f';
        trace(stringof(this->q)); trace(this->p - this->q);
    """
    text, distance = records(compiled(f"test:::t {{ {body} }}"), [0] * 5, engine)
    assert text.split(b"\0")[0] == b"aBdDef"
    assert int.from_bytes(distance, "little") == 1


@pytest.mark.parametrize("statement", ["this->p = (int *)8; this->p++ = 0", "this->a = this->b = 1; "
                                       "(this->a, this->b) = 3"])
def test_a_stepped_variable_is_no_place(statement: str) -> None:
    assert failure(f"BEGIN {{ {statement}; }}").tag == "D_OP_LVAL"


# -- formats ---------------------------------------------------------------------------------------------

SMALL = {"char", "unsigned char", "short", "unsigned short", "int", "unsigned int", "enum e"}
SIGNED, UNSIGNED = {"long", "int64_t", "alias_t"}, {"unsigned long", "uint64_t"}  # long is what they are
LARGE = SIGNED | UNSIGNED | {"long long", "unsigned long long"}
ADDRESSES = SMALL | LARGE | {"void *", "char [4]", "int [4]"}
OTHERS = {"string", "float", "double", "struct s"}


@pytest.mark.parametrize(("conversions", "taken"), [
    ("d i o u x X", SMALL | LARGE), ("c C", SMALL), ("hd hi", {"short"}), ("ho hu", {"unsigned short"}),
    ("hx hX", {"short", "unsigned short"}), ("ld li", SIGNED), ("lo lu", UNSIGNED),
    ("lx lX", SIGNED | UNSIGNED), ("lld lli", {"long long"}), ("llo llu", {"unsigned long long"}),
    ("llx llX", {"long long", "unsigned long long", "int64_t", "uint64_t", "alias_t"}),
    ("lc wc", {"int", "enum e"}), ("P", {"unsigned short"}), ("s S", {"string", "char [4]"}),
    ("ls ws", {"int [4]"}), ("T Y", LARGE), ("e E f g G", {"float", "double"}), ("Le Lf LG", set()),
    ("k", set()), ("a p", ADDRESSES), ("A", ADDRESSES)])
def test_which_values_a_conversion_takes(conversions: str, taken: set[str]) -> None:
    scope = header_types("typedef int64_t alias_t; enum e { E }; struct s { int n; };")
    types = {name: scope.lookup(name) for name in ADDRESSES | OTHERS}
    for conversion in conversions.split():
        for has_target in (True, False):
            found = set()
            for name, type_ in types.items():
                assert type_ is not None
                with contextlib.suppress(CompileError):
                    validate(f"%{conversion}", "printf", [Value(Span(), type_)], Span(), exact=True,
                             aggregated=None, has_target=has_target)
                    found.add(name)
            assert found == (taken if has_target or conversion != "A" else set()), conversion


# -- types -----------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("expression", "tag"), [
    ("(enum nosuch)1", "D_CAST_INVAL"), ("(enum nosuch)arg0", "D_CAST_INVAL"),
    ("sizeof (enum nosuch)", "D_SIZEOF_TYPE")])
def test_an_enumeration_that_is_not_defined(expression: str, tag: str) -> None:
    found = failure(f"BEGIN {{ trace({expression}); }}")
    assert found.tag == tag


def test_a_pointer_to_an_enumeration_that_is_not_defined_is_a_pointer() -> None:
    assert compile_d("BEGIN { trace(sizeof (enum nosuch *)); trace((enum nosuch *)arg0); }")


def test_the_nearest_enumeration() -> None:
    for expression in ("(enum colr)1", "sizeof (enum colr)"):
        assert failure(f"enum color {{ RED }}; BEGIN {{ trace({expression}); }}").hints \
            == ("did you mean `enum color`?",)


@pytest.mark.parametrize(("members", "name"), [
    ("int a; union { int b; int a; };", "a"), ("union { int b; struct { int c; }; }; int c;", "c"),
    ("union { int b; }; union { int b; };", "b"), ("struct { struct { int x; }; }; union { int x; };", "x")])
def test_a_member_may_not_come_twice_through_anonymous_ones(members: str, name: str) -> None:
    assert failure(f"struct s {{ {members} }}; BEGIN {{ }}").message == f"there is a member {name} already"


def test_members_of_different_names_may() -> None:
    assert compile_d("struct s { int a; union { int b; struct { int c; } d; }; struct { int e; }; };"
                     "BEGIN { this->s = (struct s *)arg0; trace(this->s->b + this->s->e); }")


def test_a_member_of_a_type_that_is_not_defined() -> None:
    for kind in ("struct nosuch", "union nosuch", "enum nosuch", "struct nosuch a[2]; int"):
        found = failure(f"struct s {{ {kind} x; }}; BEGIN {{ }}")
        assert (found.tag, "is not defined" in found.message) == ("D_DECL_INCOMPLETE", True)
    assert compile_d("struct s { struct nosuch *x; }; BEGIN { trace(sizeof (struct s)); }")


# -- messages --------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("program", "said", "hint"), [
    ('BEGIN { if ("a") trace(1); }', "a condition is true or false, and this is string", None),
    ('BEGIN { if (1) { if ("a") trace(1); } }', "a condition is true or false, and this is string", None),
    ('BEGIN { trace(1 && "a"); }', "operator && is for", None),
    ('string a; BEGIN { a["x"] = 2; }', "scalar a is string, no array with elements for string", None),
    ("BEGIN { self.x = 1; }", "self is no variable", "did you mean `self->x`?"),
    ("BEGIN { trace(this.y); }", "this is no variable", "did you mean `this->y`?"),
    ("BEGIN { x = 1; trace((nosuch_t)(x)); }", "there is no type and no function nosuch_t", None),
    ("BEGIN { x = 1; trace((uint8_tt)(x)); }", "there is no function uint8_tt", None),
    ("BEGIN { trace((int8t_t)(x)); }", "there is no type and no function", "did you mean `int8_t`?"),
    ("BEGIN { int x = 3; }", 'syntax error near "int"', "variables are declared outside of clauses"),
    ("BEGIN { y = 1; struct s *x; }", 'syntax error near "struct"', "variables are declared outside"),
    ("BEGIN { self int x; }", 'syntax error near "int"', "variables are declared outside of clauses"),
    ('BEGIN { a["x"] = 2; a = 3; }', "a is no variable with a value but an associative array", None),
    ("BEGIN { trace(@); }", "there is no aggregation @", None),
    ("BEGIN { @ = count(); @ = sum(1); }", "@ is sum( ) here and count( )", None),
    ("BEGIN { @[1] = count(); @[1, 2] = count(); }", "@[ ] has 1 key, and here are 2", None),
    ("inline int a = 1; inline int a = 2;", "a is an inline here and was an inline", None),
    ("int a; inline int a = 2;", "a is an inline here and was a scalar", None),
    ('BEGIN { printf("x", 1); }', "printf( ) has 1 argument after its format, which uses 0", None),
    ('BEGIN { printf("%d", 1, 2); }', "printf( ) has 2 arguments after its format, which uses 1", None),
    ("#define N 1\nBEGIN { }", "there is no control line #define in D", "need the -C option"),
    ("#defin N 1\nBEGIN { }", "there is no control line #defin in D", None),
    ("#pragma D optoin quiet\nBEGIN { }", "there is no #pragma D optoin", "did you mean `option`?"),
    ("BEGIN { x = 1; trace(getmajor(1, 2)); }", "getmajor( ) takes 1 argument, and here are 2", None),
    ("BEGIN { trace(strtok()); }", "strtok( ) takes 2 arguments, and here are 0", None),
    ("BEGIN { trace(lltostr(1, 2, 3)); }", "lltostr( ) takes no more than 2 arguments, and here are 3", None),
    ("BEGIN { printf(); }", "printf( ) takes at least 1 argument, and here are 0", None),
    ("BEGIN { trace(substr(execname)); }", "substr( ) takes at least 2 arguments, and here is 1", None),
    ("pid1:libstdc++*::entry { }", 'syntax error near "++"', "write ? for each"),
])
def test_messages(program: str, said: str, hint: str | None) -> None:
    found = failure(program)
    assert found.message.startswith(said)
    assert "@_" not in found.message
    if hint is None:
        assert not found.hints
    else:
        assert found.hints[0].startswith(hint) or hint in found.hints[0]


@pytest.mark.parametrize(("file", "line", "found"), [
    ("", 1, "one"), ("", 2, None), ("a", 1, "two"), ("a", 2, "three"), ("a", 7, "four"), ("b", 3, "five"),
    ("b", 9, "six"), ("b", 20, "seven"), ("", 20, None), ("a", 3, None)])
def test_lines_by_their_labels(file: str, line: int, found: str | None) -> None:
    """As a preprocessor has labelled them, and programs do."""
    text = ('one\n# 1 "a"\ntwo\nthree\n#line 7\nfour\n #pragma line 3 "b" 2\nfive\n# pragma D line 9\nsix\n'
            '# 20\nseven')
    assert labelled_line(text, file, line) == found


def test_a_tuple_has_as_many_keys_as_there_are_registers() -> None:
    for keys in (1, 2, 3, 8):
        settings = Options()
        settings.assign(f"tregs={keys}")
        compile_d(f"BEGIN {{ x[{', '.join('1' * keys)}] = 3; }}", options=settings)
        assert failure(f"BEGIN {{ x[{', '.join('1' * (keys + 1))}] = 3; }}", f"tregs={keys}").tag == "D_NOREG"


@pytest.mark.parametrize("line", ["#if FOO == 3", "#ifdef FOO", "#ifndef BAR", "#if defined(FOO) && FOO"])
def test_an_if_without_an_end_is_shown_as_written(line: str) -> None:
    with pytest.raises(CompileError) as caught:
        preprocess(f"#define FOO 3\n{line}\nBEGIN {{ trace(1); }}\n", "x.d", Options())
    found = caught.value.first
    assert (found.message, found.span.line) == (f"preprocessor: {line.split()[0]} has no #endif", 2)


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    status = dtrace_main([*arguments])
    return status, capfd.readouterr().err


@pytest.mark.parametrize("statement", [
    "*curthread->t_procp++ = 1", "*pid++ = 1", "(1, curthread)->t_state = 1",
    "*(curthread->t_procp - 1) = 1"])
def test_what_is_to_be_read_only(statement: str, capfd: pytest.CaptureFixture[str]) -> None:
    status, said = run(capfd, "-x", "errtags", "-e", "-n", f"BEGIN {{ {statement}; }}")
    assert status == 1 and ("[D_OP_WRITE]" in said or "[D_OP_INCOMPAT]" in said)


@pytest.mark.parametrize("name", ["tick-5x", "profile-97q", "profile:::tick-10secs"])
def test_an_unknown_unit_is_named(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    status, said = run(capfd, "-e", "-n", name)
    unit = name.rpartition("-")[2].lstrip("0123456789")
    assert status == 1 and "did you mean" not in said
    assert f"hint: {unit} is no unit of a rate: hz, ns, " in said


@pytest.mark.parametrize("program", [
    "BEGIN { trace($target); }", "syscall:::entry /pid == $target/ { @[$$target] = count(); }",
    "pid$target::main:entry { trace(arg0); }", "myserv$target:::query-start { }"])
def test_a_target_is_0_for_what_is_only_compiled(program: str,
                                                 capfd: pytest.CaptureFixture[str]) -> None:
    assert run(capfd, "-e", "-n", program) == (0, "")
    status, said = run(capfd, "-n", program)
    assert status == 1 and "$target" in said


def test_only_what_target_made_is_taken_for_granted(capfd: pytest.CaptureFixture[str]) -> None:
    for program in ("nosuch:::x { }", "pid10:::entry { }"):
        assert run(capfd, "-e", "-n", program)[0] == 1


# -- what a single wrong change would break ----------------------------------------------------------------

def test_a_pointer_to_what_a_translator_makes_is_not_null(capfd: pytest.CaptureFixture[str]) -> None:
    assert dtrace_main(["-q", "-n", "BEGIN /(uintptr_t)curpsinfo != 0/ { printf(\"%d %d\", "
                        "(uintptr_t)curpsinfo != 0, (uintptr_t)curpsinfo == 0); } BEGIN { exit(0); }"]) == 0
    assert capfd.readouterr().out.strip() == "1 0"


@pytest.mark.parametrize("engine", ENGINES)
def test_narrowing_shifts_before_an_addition(engine: str) -> None:
    """((x<<61>>61)+1)&7: the sign of the lowest three bits must be gone from what is added to."""
    program = compiled("test:::t { trace(((arg0<<61>>61)+1)&7); trace((arg0<<61>>61)+1); "
                       "trace((((uint64_t)arg0<<61>>61)+1)&7); }")
    for value in range(16):
        found = [int.from_bytes(each, "little", signed=True)
                 for each in records(program, [value, 0, 0, 0, 0], engine)]
        low = value & 7
        assert found == [low + 1 & 7, (low - 8 if low & 4 else low) + 1, low + 1 & 7]


@pytest.mark.parametrize(("minimum", "description", "allowed"), [
    ("Evolving/Evolving/Common", "profile:::tick-1", True),
    ("Stable/Stable/Common", "profile:::tick-1", False),
    ("Evolving/Evolving/Common", "fbt::fop_read:entry", False),
    ("Private/Private/Unknown", "fbt::fop_read:entry", True),
    ("Evolving/Evolving/Common", "syscall::read:entry", False)])
def test_amin_is_about_the_description_too(minimum: str, description: str, allowed: bool,
                                           capfd: pytest.CaptureFixture[str]) -> None:
    status, said = run(capfd, "-x", "errtags", "-x", f"amin={minimum}", "-e", "-n", f"{description} {{ }}")
    assert (status == 0) is allowed
    assert ("[D_ATTR_MIN] clause is " in said) is not allowed


def test_amin_is_about_every_part_of_an_expression(capfd: pytest.CaptureFixture[str]) -> None:
    status, said = run(capfd, "-x", "errtags", "-x", "amin=Evolving/Evolving/Common", "-e", "-n",
                       "dtrace:::BEGIN { trace(sizeof(curthread)); }")
    assert status == 1 and "[D_ATTR_MIN] in action list: scalar curthread is Stable/Private" in said


@pytest.mark.parametrize(("version", "known"), [("1.0", False), ("1.1", True), ("1.2", True)])
def test_substr_came_with_version_1_1(version: str, known: bool) -> None:
    program = 'BEGIN { trace(substr("abc", 1)); }'
    if known:
        settings = Options()
        settings.assign(f"version={version}")
        assert compile_d(program, options=settings)
    else:
        assert failure(program, f"version={version}").tag == "D_FUNC_UNDEF"


def test_a_fault_in_a_clause_that_records_nothing_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    program = "ERROR { printf(\"%d %d\", arg2, arg4); exit(0); } BEGIN { *(char *)NULL; }"
    assert dtrace_main(["-q", "-n", program]) == 0
    found = capfd.readouterr()
    assert found.out.strip() == "1 1" and "invalid address (0x0) in action #1" in found.err


def test_the_most_that_one_record_takes() -> None:
    """DOF has sizes of 32 bits, and a record begins with its header."""
    compile_d("BEGIN { tracemem(0, 4294967280); }")


@pytest.mark.parametrize(("text", "name"), [
    ("syscall::read:entry /pid == 1/ { trace(1); }", "syscall::read:entry "), ("a;b{c", "a"),
    ("{ trace(1); }", ""),
    ("BEGIN", "BEGIN"), ("/usr/bin/x:f:entry { a", "/usr/bin/x:f:entry "), ("/a b/x:f:entry", ""),
    ("x /1/ { y::z }", "x "), ("lib/x.so::f:entry/1/", "lib/x.so::f:entry")])
def test_how_messages_call_a_description(text: str, name: str) -> None:
    """By what stands before its predicate and actions; a path in it is no predicate."""
    assert Request("name", text).name == name
    assert Request("script", text).name == text


@pytest.mark.parametrize(("value", "alone", "of_a_process"), [
    ("uaddr(arg0)", True, True), ("usym(arg0)", True, True), ("arg0", False, True),
    ("(char *)arg0", False, True), ("execname", False, False), ("sym(arg0)", False, False)])
def test_addresses_of_programs_are_shown(value: str, alone: bool, of_a_process: bool) -> None:
    """A number is one where there is a process that it may be an address of."""
    for target, good in ((0, alone), (7, of_a_process)):
        program = f'BEGIN {{ @[{value}] = count(); printa("%A %@d", @); }}'
        if good:
            compile_d(program, variables={"target": target})
        else:
            with pytest.raises(CompileError, match="conversion #1, %A, takes"):
                compile_d(program, variables={"target": target})
