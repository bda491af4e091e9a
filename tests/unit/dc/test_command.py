"""The command dc, and how errors are shown."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dc.command import main
from dc.diagnostics import (
    CompileError,
    Diagnostic,
    Span,
    did_you_mean,
    error,
    labelled_line,
    one_line,
    render,
    texts,
)
from dc.script import own_ids
from dof import reader

Capture = pytest.CaptureFixture[bytes]
SCRIPT = "#pragma D option quiet\nint total;\nsyscall::read:entry\n/pid == $1/\n{\n\ttotal += arg2;\n" \
         "\t@sizes[execname] = quantize(arg2);\n}\n"


def dc(capsysbinary: Capture, *arguments: str) -> tuple[int, str, str]:
    status = main(list(arguments))
    out, err = capsysbinary.readouterr()
    return status, out.decode("utf-8", "replace"), err.decode()


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.d"
    path.write_text(SCRIPT)
    return path


def test_dof_is_written(script: Path, tmp_path: Path, capsysbinary: Capture) -> None:
    out = tmp_path / "out.dof"
    assert dc(capsysbinary, str(script), "-o", str(out), "-b", "8k", "--", "12") == (0, "", "")
    program = reader.read(out.read_bytes())
    assert str(program.ecbs[0].probe) == "syscall::read:entry"
    assert dict(program.options) == {0: 8192, 12: 0}
    second = tmp_path / "second.dof"
    assert dc(capsysbinary, str(script), "-o", str(second), "-b", "8k", "--", "12")[0] == 0
    assert out.read_bytes() == second.read_bytes()


def test_a_tree_knows_the_types_of_libraries(tmp_path: Path, capsysbinary: Capture) -> None:
    (tmp_path / "mine.d").write_text("typedef int mine_t;\n")
    words = "--emit", "ast", "-n", "BEGIN { x = 1; trace((mine_t)(x)); }"
    assert "NamedType:1 name='mine_t'" in dc(capsysbinary, "-L", str(tmp_path), *words)[1]
    assert "NamedType" not in dc(capsysbinary, *words)[1]


def test_several_inputs_are_one_program(script: Path, tmp_path: Path,
                                        capsysbinary: Capture) -> None:
    other = tmp_path / "other.d"
    other.write_text("END { printa(@sizes); trace(total); }\n")
    out = tmp_path / "out.dof"
    arguments = [str(script), str(other), "-n", "BEGIN", "-x", "defaultargs", "-o", str(out)]
    assert dc(capsysbinary, *arguments)[0] == 0
    assert [each.probe.name for each in reader.read(out.read_bytes()).ecbs] == ["BEGIN", "entry", "END"]


@pytest.mark.parametrize("model", ["-32", "-64"])
def test_the_data_model_is_in_the_program(tmp_path: Path, capsysbinary: Capture,
                                          model: str) -> None:
    out = tmp_path / "out.dof"
    assert dc(capsysbinary, "-n", "BEGIN { trace(sizeof (long)); }", model, "-o", str(out))[0] == 0
    difo = reader.read(out.read_bytes()).ecbs[0].actions[0].difo
    assert difo is not None and difo.inttab == [int(model[1:]) // 8]


def test_the_default_name(script: Path, capsysbinary: Capture, monkeypatch: pytest.MonkeyPatch,
                          tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert dc(capsysbinary, "script.d", "-x", "defaultargs")[0] == 0
    assert (tmp_path / "script.dof").read_bytes()[:4] == b"\x7fDOF"


def test_stripped_programs_leave_their_source_behind(script: Path, tmp_path: Path,
                                                     capsysbinary: Capture) -> None:
    out = tmp_path / "out.dof"
    for options, source in (([], SCRIPT), (["-x", "strip"], "")):
        assert dc(capsysbinary, str(script), "-x", "defaultargs", *options, "-o", str(out))[0] == 0
        assert reader.read(out.read_bytes()).source == source


@pytest.mark.parametrize(("passes", "expected"), [
    ("1", ["Declaration:2", "Clause:3", "  ProbeSpec:3 text='syscall::read:entry'"]),
    ("2", ["operator ==: int", "  scalar pid: pid_t", "  integer constant 0x7: int", "operator +=: int"]),
    ("4", ["Clause:3", "  ProbeSpec:3 text='syscall::read:entry'"]),
])
def test_trees_after_each_phase(passes: str, expected: list[str], script: Path,
                                capsysbinary: Capture) -> None:
    """-x tree: what was read, what it was found to mean, what if and else have become."""
    status, out, err = dc(capsysbinary, "-e", "-x", f"tree={passes}", str(script), "--", "7")
    assert (status, out) == (0, "")
    lines = iter(err.splitlines())
    assert all(any(line.startswith(each) for line in lines) for each in expected), err


@pytest.mark.parametrize(("program", "tag"), [
    ("syscall::read:entry { this->fd = args[0]; this->size = args[2]; }", ""),
    ("::fop_read:entry { trace(args[2]); }", ""),
    ("fbt:genunix:fop_read:entry { trace(args[0]->v_path); trace(args[1]->uio_resid); }", ""),
    ("fbt::fop_read:return, syscall::read:return { trace(args[1]); }", ""),
    ("syscall::read:entry { trace(args[3]); }", "D_ARGS_IDX"), ("syscall::nosuch:entry { trace(args[0]); }",
    "D_ARGS_IDX"),
    ("syscall::read*:entry { trace(args[0]); }", "D_ARGS_MULTI"), ("fbt::fop_read: { trace(args[0]); }",
    "D_ARGS_MULTI"),
    ("syscall::read:entry { trace(args[1]->x); }", "D_OP_SOU")])
def test_arguments_of_the_machines_probes(program: str, tag: str, capsysbinary: Capture) -> None:
    """dc has no kernel, but asks the machine; no other system has these probes."""
    status, _out, err = dc(capsysbinary, "-x", "errtags", "-e", "-n", program)
    assert (status, tag in err) == (int(bool(tag)), True), err
    assert dc(capsysbinary, "-x", "errtags", "-x", "target=illumos", "-e", "-n", program)[0] == 1


def test_debugging_messages(tmp_path: Path, capsysbinary: Capture) -> None:
    (tmp_path / "mine.d").write_text("inline int MINE = 3;\n")
    (tmp_path / "other.d").write_text("#pragma D depends_on provider nosuch\n")
    program = ["-e", "-n", "BEGIN { exit(MINE); }", "-L", str(tmp_path)]
    assert dc(capsysbinary, *program) == (0, "", "")
    status, out, err = dc(capsysbinary, *program, "-x", "debug")
    assert (status, out) == (0, "")
    assert f"libdtrace DEBUG: reading {tmp_path}/mine.d, line 1\n" in err
    assert "libdtrace DEBUG: :::BEGIN matches 1 probes\n" in err


def test_forms(script: Path, capsysbinary: Capture) -> None:
    def form(*arguments: str) -> str:
        status, out, err = dc(capsysbinary, str(script), *arguments, "-x", "defaultargs")
        assert (status, err) == (0, "")
        return out

    assert "DIFO 0x0 returns" in form("-S")
    assert form("--emit", "dif").startswith(".model lp64")
    (program,) = json.loads(form("--emit", "json"))
    assert program["clauses"][0]["probe"] == "syscall::read:entry"
    assert [each["kind"] for each in program["clauses"][0]["actions"]] == ["difexpr"] * 3 + ["agg_quantize"]
    assert "  Binary:4 op='=='" in form("--emit", "ast")
    types = form("--emit", "types")
    assert "int total;  // variable 1280" in types and "@sizes;  // aggregation 1" in types
    assert form("-e") == ""


@pytest.mark.parametrize("form", ["ast", "html", "types", "dif", "json"])
def test_no_form_of_a_wrong_program(form: str, capsysbinary: Capture) -> None:
    words = ["--emit", form, "-x", "errtags", "-n", "BEGIN { trace(1); } END { trace(2 }", "-o", "-"]
    assert dc(capsysbinary, *words) == (
        1, "", f'dc: invalid probe specifier {words[5]}: [D_SYNTAX] syntax error near "}}"\n')


def test_a_page_is_of_one_program(capsysbinary: Capture) -> None:
    status, out, err = dc(capsysbinary, "--emit", "html", "-n", "BEGIN", "-n", "END")
    assert (status, out) == (2, "") and "--emit html shows one program" in err


def test_macro_variables_of_the_process() -> None:
    numbers = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    status = Path("/proc/self/status").read_text().splitlines()
    ids = dict(line.split(":\t", 1) for line in status if ":\t" in line)
    found = own_ids()
    assert [found[name] for name in ("ppid", "pgid", "sid")] == [int(each) for each in numbers[1:4]]
    assert [found["uid"], found["euid"]] == [int(each) for each in ids["Uid"].split()[:2]]
    assert [found["gid"], found["egid"]] == [int(each) for each in ids["Gid"].split()[:2]]
    assert found["pid"] == int(ids["Pid"]) and found["projid"] == found["taskid"] == 0


def test_standard_input(capsysbinary: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"BEGIN { exit(0); }\n")))
    assert dc(capsysbinary, "-", "-S")[0] == 0


def test_errors_are_located(tmp_path: Path, capsysbinary: Capture) -> None:
    path = tmp_path / "bad.d"
    path.write_text("BEGIN\n{\n\tcopyinst(1);\n}\n")
    status, out, err = dc(capsysbinary, "-e", str(path))
    assert (status, out) == (1, "")
    assert err.splitlines() == [
        f"dc: failed to compile script {path}: line 3: there is no function copyinst",
        "  \tcopyinst(1);", "  \t^^^^^^^^", "  hint: did you mean `copyinstr`?",
            "  more: dtrace --explain D_FUNC_UNDEF"]
    status, out, err = dc(capsysbinary, "-e", "-x", "errtags", str(path))
    assert err == f"dc: failed to compile script {path}: [D_FUNC_UNDEF] line 3: " \
                  "there is no function copyinst\n"
    status, out, err = dc(capsysbinary, "-n", "BEGIN { trace(nosuch); }", "-x", "errtags", "-e")
    assert (status, err) == (1, "dc: invalid probe specifier BEGIN { trace(nosuch); }: [D_IDENT_UNDEF] "
                                "in action list: there is no variable nosuch\n")


def test_all_errors(tmp_path: Path, capsysbinary: Capture) -> None:
    path = tmp_path / "bad.d"
    path.write_text("BEGIN { trace(a); }\nEND { trace(); }\ntick-1s { exit(0); }\nERROR { b = c; }\n")
    status, _out, err = dc(capsysbinary, "-e", "--all-errors", "-x", "errtags", str(path))
    assert status == 1
    assert [line.split(": [")[1].split(":")[0] for line in err.splitlines()] == [
        "D_IDENT_UNDEF] line 1", "D_PROTO_LEN] line 2", "D_IDENT_UNDEF] line 4"]


def test_every_process_is_of_the_first_project(capsysbinary: Capture) -> None:
    texts = [dc(capsysbinary, "--emit", "json", "-n", f"BEGIN {{ trace({ids}); }}")[1]
             for ids in ("$projid + 2 * $taskid", "0", "1")]
    assert texts[0].replace("$projid + 2 * $taskid", "0") == texts[1] != texts[2]


@pytest.mark.parametrize(("arguments", "status"), [
    ([], 2), (["--nosuch"], 2), (["-x", "nosuch", "-e", "-n", "BEGIN"], 2),
    (["--emit", "music", "-n", "x"], 2),
    (["-x"], 2), (["-31", "-n", "BEGIN"], 2), (["/no/such.d"], 1), (["a\0b"], 1), (["/"], 1), (["--help"], 0),
    (["-V"], 0), (["-n", "BEGIN", "-o", "/no/such/dir/x"], 1), (["--types", "/no/such.h", "-n", "BEGIN"], 1),
])
def test_status(arguments: list[str], status: int, capsysbinary: Capture) -> None:
    got, out, err = dc(capsysbinary, *arguments)
    assert got == status
    assert bool(err) == (status != 0) and bool(out) == (status == 0)
    if status:
        assert err.startswith("dc: ")


HOSTILE = {
    "parentheses": b"(" * 1_000_000, "nul": b"\0" * 1000, "random": bytes(range(256)) * 100,
    "one-line": b"BEGIN { " + b"trace(1); " * 5_000, "comment": b"/*" * 100_000, "string": b'BEGIN { trace("',
    "brackets": b"BEGIN { @a" + b"[" * 100_000, "digits": b"BEGIN { trace(" + b"9" * 3_000 + b"); }",
    "stars": b"int " + b"*" * 100_000 + b"x;", "types": b"struct a { " * 10_000, "empty": b"",
    "colons": b":" * 5000, "hash": b"#" * 10_000, "utf-16": "BEGIN { }".encode("utf-16"),
    "cast": b"BEGIN { x = " + b"(int)" * 20_000 + b"1; }",
    "ternary": b"BEGIN { x = " + b"1 ? 2 : " * 20_000 + b"3; }",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_programs_end_with_one_clear_error(name: str, tmp_path: Path,
                                                   capsysbinary: Capture) -> None:
    path = tmp_path / "hostile.d"
    path.write_bytes(HOSTILE[name])
    status, _out, err = dc(capsysbinary, "-e", "-x", "errtags", str(path))
    assert status == 1
    assert err.count("\n") == 1 and ": [D_" in err and err.isprintable() is False
    assert "Traceback" not in err and len(err) < 400


def test_start_up_loads_nothing_heavy(script: Path) -> None:
    code = "import sys, dc.command; s = dc.command.main(sys.argv[1:]); " \
           "print(s, sorted({'lark', 'click', 'numpy', 'unicorn', 'llvmlite', 'json', 'rich', 'argparse', " \
           "'difflib', 'dc.source.preprocessor'} & set(sys.modules)))"
    arguments = ["-x", "defaultargs", "-o", os.devnull, str(script)]
    done = subprocess.run([sys.executable, "-S", "-c", code, *arguments],
                          capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))})
    assert done.stdout == "0 []\n"


# -- diagnostics ---------------------------------------------------------------------------------------

def test_one_line() -> None:
    found = Diagnostic("D_SYNTAX", Span("", 3, 2, 5), "oops", region="predicate")
    assert one_line(found) == "line 3: oops"
    assert one_line(found, tags=True) == "[D_SYNTAX] line 3: oops"
    assert one_line(found, lines=False) == "in predicate: oops"
    assert one_line(found._replace(span=Span("a.h", 3, 2, 5)), lines=False) == '"a.h", line 3: oops'
    assert one_line(found._replace(message="\x1b[2J\udc80")) == "line 3: ?[2J?"


def test_long_lines_are_shown_around_the_place() -> None:
    source = "x" * 5000 + "HERE" + "y" * 5000
    found = Diagnostic("D_SYNTAX", Span("", 1, 5001, 5005), "oops")
    lines = render([found], "context", source=lambda file, line: source).splitlines()
    assert len(lines[1]) < 130 and lines[1][lines[2].index("^"):].startswith("HERE")
    assert lines[2].count("^") == 4


def test_colour_is_asked_for() -> None:
    found = [Diagnostic("D_SYNTAX", Span("", 1, 1, 2), "oops", ("try this",))]
    assert "\x1b[" not in render(found, "c", source=lambda file, line: "x")
    assert "\x1b[" in render(found, "c", source=lambda file, line: "x", colour=True)


def test_all_that_is_shown_of_errors() -> None:
    """Each once, with its line, its hints and where there is more; or each in one line."""
    first = Diagnostic("D_SYNTAX", Span("", 2, 2, 4), "oops", ("try this", "or that"))
    second = Diagnostic("D_UNKNOWN", Span("a.h", 1, 1, 2), "oops")
    found = [first, second, first, second._replace(message="again"), first._replace(region="x")]
    source = texts("one\ntwo\n", {"a.h": "header\n"})
    head = "dc: failed: "
    assert render(found, "failed", source=source, program="dc").splitlines() == [
        f"{head}line 2: oops", "  two", "   ^^", "  hint: try this", "  hint: or that",
        "  more: dtrace --explain D_SYNTAX",
        f'{head}"a.h", line 1: oops', "  header", "  ^", "  more: dtrace --explain D_UNKNOWN",
        f'{head}"a.h", line 1: again', "  header", "  ^", "  more: dtrace --explain D_UNKNOWN"]
    assert render(found[:2], "failed", source=source, tags=True, lines=False, program="dc").splitlines() == [
        f"{head}[D_SYNTAX] oops", f'{head}[D_UNKNOWN] "a.h", line 1: oops']
    assert render(found[:1], "failed", source=source, program="dc", colour=True).splitlines()[:3] == [
        f"\x1b[1m{head}\x1b[1;31mline 2: oops\x1b[0m", "  two", "   \x1b[1;31m^^\x1b[0m"]


@pytest.mark.parametrize(("text", "file", "line", "found"), [
    ("a\nb", "", 2, "b"), ("a\nb", "", 3, None), ("a\nb", "f", 1, None), ("# 5\nb\nc", "", 6, "c"),
    ('#line 5 "f"\nb\n# 9\nc', "f", 9, "c"), ('a\n# 1 "f"\nb\n# 3 ""\nc', "", 3, "c"), ("a\nb", "", 0, None),
    (' # pragma D line 7 "f"\nb', "f", 7, "b"), ("#pragma line 7\nb", "", 7, "b"), ("a\n#if\nc", "", 3, "c")])
def test_lines_by_their_labels(text: str, file: str, line: int, found: str | None) -> None:
    assert labelled_line(text, file, line) == found


def test_only_tags_of_the_table() -> None:
    with pytest.raises(ValueError, match="no such tag"):
        error("D_NO_SUCH", Span(), "x")
    assert isinstance(error("D_SYNTAX", Span(), "x"), CompileError)


def test_hints() -> None:
    assert did_you_mean("timestmap", ["timestamp", "vtimestamp"]) == ("did you mean `timestamp`?",)
    assert did_you_mean("zzz", ["timestamp"]) == ()


def test_no_caret_where_a_macro_made_the_text() -> None:
    found = Diagnostic("D_IDENT_UNDEF", Span("", 1, 9, 15), "there is no variable nosuch")
    assert render([found], "failed", source=texts("\ttrace(X);")).splitlines()[1:-1] == ["  \ttrace(X);"]
    assert render([found], "failed", source=texts("\ttrace(nosuch);")).splitlines()[-2].endswith("^^^^^^")


def test_what_a_macro_made_of_the_line_is_shown(tmp_path: Path, capsysbinary: Capture) -> None:
    header, script = tmp_path / "names.h", tmp_path / "it.d"
    more = "  more: dtrace --explain D_IDENT_UNDEF"
    header.write_text("#define NAME nosuch\n#define SHOW(x) trace(x)\n")
    script.write_text('#include "names.h"\nBEGIN\n{\n\tSHOW(NAME); /* and */ trace(1);\n}\n')
    _, _, err = dc(capsysbinary, "-C", "-e", str(script))
    assert err.splitlines() == [
        f"dc: failed to compile script {script}: line 4: there is no variable nosuch",
        "  \tSHOW(NAME); /* and */ trace(1);", "  which the preprocessor makes",
        "  \ttrace(nosuch); trace(1);", "  \t      ^^^^^^", more]
    script.write_text('#include "names.h"\nBEGIN { /* first */ SHOW(1); SHOW(nosuch); }')
    _, _, err = dc(capsysbinary, "-C", "-e", str(script))
    assert err.splitlines()[1:] == [
        "  BEGIN { /* first */ SHOW(1); SHOW(nosuch); }", " " * 36 + "^^^^^^", more]
    script.write_text('#include "names.h"\nBEGIN {\nnosuch * SHOW(1);\n}')
    _, _, err = dc(capsysbinary, "-C", "-e", str(script))
    assert err.splitlines()[1:] == ["  nosuch * SHOW(1);", "  ^^^^^^", more]


@pytest.mark.parametrize(("column", "shown"), [(1, 0), (15, 16), (24, 25), (28, 29)])
def test_which_of_several_is_meant(column: int, shown: int) -> None:
    """What stands in the line as often as in what the preprocessor makes of it is found by its number."""
    made, source = texts("aa = 1; trace(aa, 'b', aa, aa);"), texts("aa = ONE; trace(aa, 'b', aa, aa);")
    found = Diagnostic("D_IDENT_UNDEF", Span("", 1, column, column + 2), "there is no variable aa")
    _, line, carets, _ = render([found], "failed", source=source, preprocessed=made).splitlines()
    assert (line, carets) == (f"  {source('', 1)}", " " * (shown + 2) + "^^")


def test_carets_stand_below_wide_characters() -> None:
    found = Diagnostic("D_IDENT_UNDEF", Span("", 1, 9, 15), "there is no variable nosuch")
    shown = render([found], "failed", source=texts('"日本é\u0301", nosuch'))
    assert shown.splitlines()[2] == " " * 11 + "^^^^^^"


@pytest.mark.parametrize(("length", "column", "first"), [
    (110, 100, 0), (111, 100, 40), (111, 61, 1), (111, 60, 0), (300, 200, 140), (300, 298, 238)])
def test_the_part_of_a_long_line_that_matters(length: int, column: int, first: int) -> None:
    """It begins 60 characters before what is wrong, and is no longer than 110."""
    line = "".join(chr(97 + at % 26) for at in range(length))
    shown = render([Diagnostic("D_SYNTAX", Span("", 1, column, column + 3), "bad")], "failed",
                   source=texts(line)).splitlines()
    assert shown[1:3] == [f"  {line[first:first + 110]}", " " * (column - first + 1) + "^^^"]


def test_kernel_variables_have_the_emulated_kernels_addresses(tmp_path: Path, capsysbinary: Capture) -> None:
    status, out, _ = dc(capsysbinary, "-n", "BEGIN { trace(`practive); }", "-S")
    assert status == 0 and "! 0xfffffffffbc00000" in out
    status, _, err = dc(capsysbinary, "-xerrtags", "-n", "BEGIN { trace(&`p0); }", "-S")
    assert status == 1 and "[D_IDENT_UNDEF]" in err and "its address is known to the running kernel" in err


def test_another_kernels_variables_are_left_to_its_loader(tmp_path: Path, capsysbinary: Capture) -> None:
    header = tmp_path / "types.h"
    header.write_text("extern int hz;\n")
    words = ["--types", str(header), "-xerrtags", "-S", "-n", "BEGIN { trace(`hz); }"]
    status, _, err = dc(capsysbinary, *words)
    assert status == 1 and "[D_IDENT_UNDEF]" in err
    status, out, _ = dc(capsysbinary, "-xlinkmode=dynamic", "-xknodefs", *words)
    assert status == 0 and "KREL" in out and "hz" in out
