"""The shape of programs: actions, their order, arguments and sizes, as a kernel lays out its records."""

from __future__ import annotations

import pytest

from dc.compiler import Compiler, CompileResult
from dc.compiler import compile as compile_d
from dc.diagnostics import CompileError
from dc.options import Options
from dif import isa
from dof.model import ACTION_NAMES, Action


def actions(source: str, **options: str) -> list[Action]:
    settings = Options()
    for name, value in options.items():
        settings.set(name, value)
    return compile_d(source, options=settings).program.ecbs[0].actions


def sizes(found: list[Action]) -> list[tuple[str, int]]:
    return [(ACTION_NAMES[each.kind].upper(), each.difo.rtype.size if each.difo else -1) for each in found]


@pytest.mark.parametrize(("source", "expected"), [
    ("BEGIN { trace(1); }", [("DIFEXPR", 4)]),
    ("BEGIN { x = 1; }", [("DIFEXPR", 0)]),
    ('BEGIN { printf("%d %s", 1L, "a"); }', [("PRINTF", 8), ("PRINTF", 256)]),
    ('BEGIN { printf("x"); }', [("PRINTF", 8)]),
    ("BEGIN { exit(0); }", [("EXIT", 4)]),
    ("BEGIN { tracemem(0, 20); }", [("TRACEMEM", 20)]),
    ("BEGIN { tracemem(0, 20, 3); }", [("TRACEMEM_DYNSIZE", 8), ("TRACEMEM", 20)]),
    ("BEGIN { usym(1); }", [("USYM", 8)]),
    ("BEGIN { stop(); }", [("STOP", -1)]),
    ("BEGIN { @a[1, \"x\"] = count(); }",
     [("DIFEXPR", 8), ("DIFEXPR", 4), ("DIFEXPR", 256), ("AGG_COUNT", -1)]),
    ("BEGIN { @a[ustack(5)] = sum(1); }", [("DIFEXPR", 8), ("USTACK", -1), ("AGG_SUM", 4)]),
    ("BEGIN { @a = quantize(1, 2); }", [("DIFEXPR", 8), ("DIFEXPR", 0), ("AGG_QUANTIZE", 4)]),
    ("BEGIN { @a = count(); trunc(@a, 3); }",
     [("DIFEXPR", 8), ("AGG_COUNT", -1), ("LIBACT", 8), ("LIBACT", 4)]),
])
def test_records(source: str, expected: list[tuple[str, int]]) -> None:
    assert sizes(actions(source)) == expected


def test_tuple_count() -> None:
    found = actions("BEGIN { @a[1, 2] = count(); @b = count(); }")
    assert [each.ntuple for each in found] == [0, 0, 0, 3, 0, 1]


@pytest.mark.parametrize(("call", "arg"), [
    ("lquantize(1, -5, 10, 3)", 3 << 48 | 5 << 32 | (-5 & 0xFFFFFFFF)),
    ("lquantize(1, 0, 10)", 1 << 48 | 10 << 32),
    ("llquantize(1, 10, 0, 6, 20)", 10 << 48 | 0 << 32 | 6 << 16 | 20),
])
def test_quantization_levels(call: str, arg: int) -> None:
    assert actions(f"BEGIN {{ @ = {call}; }}")[-1].arg == arg


def test_stack_arguments() -> None:
    assert actions("BEGIN { stack(7); }")[0].arg == 7
    assert actions("BEGIN { ustack(3, 100); }")[0].arg == 100 << 32 | 3
    assert actions("BEGIN { stack(); }", stackframes="9")[0].arg == 9
    assert actions("BEGIN { jstack(); }", jstackframes="4", jstackstrsize="50")[0].arg == 50 << 32 | 4


def test_locks_of_the_target() -> None:
    """FreeBSD's subroutines take its own locks, and answer its own thread."""
    source = "struct thread { int td_tid; };\nBEGIN { trace(mutex_owned((struct mtx *)0) + " \
        "rw_iswriter((struct rwlock *)0) + sx_shared_held((struct sx *)0) + " \
        "mutex_owner((struct mtx *)0)->td_tid); }"
    assert compile_d(source, target="freebsd").program.ecbs


def test_library_actions_are_numbered_by_target() -> None:
    found = compile_d("BEGIN { @a = count(); clear(@a); }", target="freebsd").program.ecbs[0].actions
    assert found[-1].arg == 54 + 15
    assert actions("BEGIN { @a = count(); clear(@a); }")[-1].arg == 49 + 15


def test_formats_tell_signedness() -> None:
    found = actions('BEGIN { printf("%d %-5d %% %d", 1, 1U, (uint64_t)1); }')
    assert [each.string for each in found] == ["%d %-5u %% %u"] * 3


def test_statements_are_told_apart() -> None:
    found = actions('BEGIN { printf("%d %d", 1, 2); trace(3); }')
    assert found[0].uarg == found[1].uarg != found[2].uarg


def test_every_description_has_its_ecb() -> None:
    program = compile_d("a:b:c:d, syscall:::entry { trace(1); }\nBEGIN { }").program
    assert [str(each.probe) for each in program.ecbs] == ["a:b:c:d", "syscall:::entry", ":::BEGIN"]
    assert program.ecbs[2].actions == []


def test_if_becomes_clauses() -> None:
    program = compile_d("BEGIN { trace(1); if (pid) { trace(2); } else { trace(3); } trace(4); }").program
    assert [str(each.probe) for each in program.ecbs[:2]] == ["dtrace:::ERROR", ":::BEGIN"]
    assert len(program.ecbs) == 8


def test_programs_share_names() -> None:
    compiler = Compiler()
    first = compiler.compile("BEGIN { x = 1; @a = count(); }")
    second = compiler.compile("END { trace(x); @b = count(); }")
    assert first.aggregations == {1: "a"}
    assert second.aggregations == {1: "a", 2: "b"}
    assert second.program.ecbs[0].actions[0].difo.vartab[0].id == isa.VAR_OTHER_UBASE


def test_options_of_the_program() -> None:
    result: CompileResult = compile_d("#pragma D option bufsize=64k\nBEGIN { }")
    assert (0, 65536) in result.program.options


def test_string_size_follows_its_option() -> None:
    for strsize, size in (("64", 64), ("1", 1), ("16m", 1 << 24), ("1g", 1 << 24), ("0", 256)):
        assert actions("BEGIN { trace(execname); }", strsize=strsize)[0].difo.rtype.size == size


def test_same_source_same_program() -> None:
    source = 'BEGIN { self->x = 1; @a[execname] = count(); printf("%d", self->x); }'
    assert repr(compile_d(source).program) == repr(compile_d(source).program)


def test_only_a_helper_keeps_the_value_of_an_expression() -> None:
    def last(probe: str) -> int:
        difo = actions(f'{probe} {{ "name"; }}')[0].difo
        assert difo is not None
        return difo.text[-1]

    assert last("dtrace:helper:ustack:") != last("BEGIN") == isa.fmt(isa.Op.RET, 0, 0, 0)


@pytest.mark.parametrize(("source", "region"), [
    ("BEGIN /nosuch/ { }", "predicate"), ("BEGIN { nosuch; }", "action list"), ("int x[0]; BEGIN { }", ""),
    ('BEGIN /"a"/ { }', "predicate"), ("a:b:c:d:e { }", ""), ("BEGIN { 1 = 2; }", "action list"),
    ("BEGIN /1/ { trace(; }", ""), ("#pragma D nosuch\nBEGIN { }", ""), ("inline int x = nosuch;", ""),
    ("BEGIN { printf(1); }", "action list"), ("BEGIN /count()/ { }", "predicate")])
def test_in_which_part_an_error_is(source: str, region: str) -> None:
    with pytest.raises(CompileError) as caught:
        compile_d(source)
    assert caught.value.first.region == region


@pytest.mark.parametrize(("source", "arguments", "unused"), [
    ("BEGIN { }", ["a"], None), ("BEGIN { }", ["a", "1"], "$1, '1'"),
    ("BEGIN { trace($1); }", ["a", "1"], None),
    ("BEGIN { trace($$1); }", ["a", "1", "2"], "$2, '2'"), ("BEGIN { trace($2); }", ["a", "1", "2"], None),
    ("syscall::$1:entry { }", ["a", "read"], None), ("inline int x = $1; BEGIN { }", ["a", "1"], None),
    ("BEGIN { trace($$0); }", ["a", "1"], "$1, '1'")])
def test_arguments_are_to_be_used(source: str, arguments: list[str], unused: str | None) -> None:
    if unused is None:
        compile_d(source, arguments=arguments)
    else:
        with pytest.raises(CompileError, match="does not use its argument") as caught:
            compile_d(source, arguments=arguments)
        assert caught.value.first.message == f"the program does not use its argument {unused}"
    options = Options()
    options.assign("argref")
    compile_d(source, arguments=arguments, options=options)


def test_what_clauses_are_told_about() -> None:
    """Their descriptions, places, predicates and statements."""
    made = compile_d("BEGIN,\nsyscall::read:entry\n/pid/\n{ trace(1);\ntrace(2); }\nEND { }", filename="x.d")
    first, second, third = made.clauses
    assert [str(each.description) for each in made.clauses] == [
        ":::BEGIN", "syscall::read:entry", ":::END"]
    assert [each.span.line for each in made.clauses] == [1, 2, 6]
    assert first.predicate is not None and first.predicate.line == 3 and third.predicate is None
    assert [span.line for span in first.statements.values()] == [4, 5]
    assert [span.line for span in second.statements.values()] == [4, 5]
    assert not set(first.statements) & set(second.statements) and not third.statements
    assert [each.probes for each in made.clauses] == [1, 1, 1]


@pytest.mark.parametrize(("source", "strip", "kept"), [
    ("BEGIN { }", False, "BEGIN { }"), ("BEGIN { }", True, ""),
    ("BEGIN { } /* a\0b */", False, "BEGIN { } /* a")])
def test_the_source_in_a_program(source: str, strip: bool, kept: str) -> None:
    options = Options({"strip": 1} if strip else {})
    assert compile_d(source, options=options).program.source == kept
