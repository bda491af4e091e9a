"""Long programs: every line costs what every other does, and limits are told of in one line."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dc import compiler
from dc.command import main
from dc.compiler import compile
from dc.diagnostics import CompileError
from dc.generation import ir
from dc.options import Options
from dof import format, writer

Made = Callable[[int], str]


def each(text: str, before: str = "", after: str = "") -> Made:
    return lambda count: before + "".join(text.replace("#", str(number)) for number in range(count)) + after


def with_uses(declaration: str, use: str) -> Made:
    return lambda count: each(declaration)(count) + each(use, "BEGIN {", "}")(count)


PROGRAMS: dict[str, Made] = {
    "clauses": each("BEGIN /arg0 > #/ { @a[execname] = sum(#); }\n"),
    "descriptions": each("syscall::f#:entry,\n", after="BEGIN { trace(probefunc); }"),
    "globals": with_uses("int g#;", "g# = 1;"),
    "unknown names": each("v# = #;", "BEGIN {", "}"),
    "inlines": with_uses("inline int i# = # + 1;", "trace(i#);"),
    "structs": with_uses("struct s# { int a; };", "trace(((struct s# *)arg0)->a);"),
    "translators": with_uses("struct o# { int a; }; translator struct o# < int V > { a = V; };",
                             "trace((xlate <struct o#> (1)).a);"),
    "declared probes": lambda count: each("probe p#(int);", "provider many {", "};\n")(count)
    + each("many:::p# { trace(args[0]); }\n")(count),
    "operands": each(" + arg1 * #", "BEGIN { trace(0", "); }"),
}


def steps(source: str) -> int:
    """How many calls compiling a program takes."""
    count = 0

    def counted(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    options = Options()
    options.assign("zdefs")
    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        writer.write(compile(source, options=options).program)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("name", PROGRAMS)
def test_lines_cost_the_same(name: str) -> None:
    made = PROGRAMS[name]
    none, few, many = steps(made(1)), steps(made(30)), steps(made(120))
    assert many - none < 4.6 * (few - none)


def test_equal_code_is_one_object() -> None:
    program = compile("BEGIN { trace(arg0 + 1); trace(arg0 + 1); trace(arg0 + 2); }").program
    assert (len(list(program.objects())), len(list(program.references()))) == (2, 3)


def test_too_many_actions(tmp_path: Path, capsys: pytest.CaptureFixture[str],
                          monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(format, "MAX_ACTIONS", 16)
    script = tmp_path / "long.d"
    script.write_text("BEGIN { " + "trace(0);" * 17 + " }")
    assert main(["-o", str(tmp_path / "out"), str(script)]) == 1
    assert capsys.readouterr().err == "dc: :::BEGIN: over 16 actions\n"


def test_an_expression_may_be_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """As that of inlines that use inlines: it is told before its code has taken all memory."""
    text = "inline int i0 = arg0 + 1;\n" + "".join(f"inline int i{n + 1} = i{n} * i{n};\n" for n in range(12))
    monkeypatch.setattr(ir, "LIMIT", 1000)
    assert compile(text + "BEGIN { trace(i5); }").program.ecbs
    with pytest.raises(CompileError, match="expression is too large") as caught:
        compile(text + "BEGIN {\ntrace(i12); }")
    assert (caught.value.tag, caught.value.first.span.line) == ("D_UNKNOWN", 15)


@pytest.mark.parametrize("program", [
    f"BEGIN {{ trace({'- ' * 300}arg0); }}",  # the checker's recursion, and the generator's
    "inline int i0 = arg0 + 1;" + "".join(f"inline int i{n + 1} = i{n} + 1;" for n in range(300))
    + "BEGIN { trace(i300); }"])
def test_an_expression_may_be_too_deep(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    limit = sys.getrecursionlimit()
    assert compile(program).program.ecbs
    monkeypatch.setattr(compiler, "RECURSION", 0)
    sys.setrecursionlimit(len(inspect.stack()) + 200)
    try:
        with pytest.raises(CompileError, match="expression is nested too deeply") as caught:
            compile(program)
    finally:
        sys.setrecursionlimit(limit)
    assert caught.value.tag == "D_SYNTAX"
