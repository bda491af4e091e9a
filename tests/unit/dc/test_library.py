"""Libraries and the preprocessor: what a program gets that it did not write."""

from __future__ import annotations

import errno
import re
import shutil
import signal
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from dc.compiler import compile as compile_d
from dc.diagnostics import CompileError
from dc.names import libraryfiles
from dc.names.kernelheader import kernel_header
from dc.names.staticcatalog import StaticCatalog
from dc.options import Options
from dc.source import preprocessor
from dc.source.preprocessor import preprocess
from dc.types.declarationtexts import dependencies, introduced, pieces
from dc.types.headers import header_types


def kernel() -> StaticCatalog:
    text = kernel_header()
    return StaticCatalog(header_types(text, name="genunix", filename="kernel.h"))


def translated_members() -> list[str]:
    """An expression for each member that a translator of ours defines, by way of a probe's argument."""
    ways = {"psinfo_t": "curpsinfo->{}", "lwpsinfo_t": "curlwpsinfo->{}", "cpuinfo_t": "curcpu->{}",
            "bufinfo_t": "xlate <bufinfo_t> ((buf_t *)arg0).{}",
            "siginfo_t": "xlate <siginfo_t> ((k_siginfo_t *)arg0).{}",
            "devinfo_t": "xlate <devinfo_t> ((buf_t *)arg0).{}", "fileinfo_t": "fds[0].{}",
            "tcplsinfo_t": "xlate <tcplsinfo_t> ((int64_t)arg5).{}"}
    natives = {"pktinfo_t": "mblk_t", "csinfo_t": "conn_t", "ipinfo_t": "void_ip_t", "ifinfo_t": "ill_t",
               "ipv4info_t": "ipha_t", "ipv6info_t": "ip6_t", "tcpinfo_t": "tcph_t", "tcpsinfo_t": "tcp_t",
               "udpinfo_t": "udpha_t", "udpsinfo_t": "udp_t", "conninfo_t": "conn_t"}
    ways |= {output: f"xlate <{output}> (({native} *)arg0).{{}}" for output, native in natives.items()}
    found = []
    for path in sorted(Path(libraryfiles.OWN_DIRECTORY).glob("*.d")):
        for output, body in re.findall(r"translator (\w+) <[^>]*> \{(.*?)\n\}", path.read_text(), re.DOTALL):
            found += [ways[output].format(name) for name in re.findall(r"^\t(\w+) =", body, re.MULTILINE)]
    return sorted(set(found))


@pytest.mark.parametrize("expression", translated_members())
def test_every_translated_member_compiles(expression: str) -> None:
    result = compile_d(f"BEGIN {{ trace({expression}); }}", catalog=kernel())
    assert result.program.ecbs[0].actions[0].difo is not None


@pytest.mark.parametrize("system", ["linux", "illumos", "freebsd"])
def test_every_inline_compiles(system: str) -> None:
    names = [name for name in libraryfiles.own(system).names() if name not in (
        "curpsinfo", "curlwpsinfo", "curcpu", "fds", "curproc", "cwd", "root", "ip_protocol_string",
        "tcp_state_string")]
    strings = "this->s = cwd; this->s = root; this->s = tcp_state_string[0];"
    text = strings + "".join(f"this->x = {name};" for name in names)
    compile_d(f"BEGIN {{ {text} }}", catalog=kernel(), constants=system)
    assert len(names) > 200 and len(names) == len(set(names))


def test_pieces_are_handed_out_once() -> None:
    own = libraryfiles.own()
    taken = own.take_type("psinfo_t")
    declarations = [re.sub(r"/\*.*?\*/", "", piece.text, flags=re.DOTALL).split() for piece in taken]
    assert [words[0] for words in declarations] == ["typedef", "translator", "translator"]
    assert own.take_type("struct psinfo") == []
    (inline,) = own.take_value("curpsinfo")
    assert inline.text.endswith(";") and Path(inline.file).name == "procfs.d"
    assert "curpsinfo" not in own.names() and own.take_value("nosuch") == []


def test_nolibs_leaves_the_core() -> None:
    options = Options()
    options.set("nolibs")
    compile_d("BEGIN { trace(NULL); }", options=options)
    with pytest.raises(CompileError) as caught:
        compile_d("BEGIN { trace(SIGKILL); }", options=options)
    assert caught.value.tag == "D_IDENT_UNDEF"
    compile_d("BEGIN { trace(SIGKILL); }")


def test_what_a_library_depends_on_must_be_there() -> None:
    own = libraryfiles.own(is_available=lambda kind, name: False)
    assert own.take_value("NULL")


def test_a_module_that_is_there_may_be_depended_on() -> None:
    compile_d("#pragma D depends_on module genunix\nBEGIN { }", catalog=kernel())
    with pytest.raises(CompileError, match="nonesuch"):
        compile_d("#pragma D depends_on module nonesuch\nBEGIN { }", catalog=kernel())


def write(directory: Path, **files: str) -> list[str]:
    for name, text in files.items():
        (directory / f"{name}.d").write_text(text)
    return [str(directory)]


def test_a_users_libraries_follow_those_they_depend_on(tmp_path: Path) -> None:
    paths = write(tmp_path, a="#pragma D depends_on library c.d\ninline int A = C + 1;\n",
                  b="#pragma D depends_on library a.d\ninline int B = A + 1;\n", c="inline int C = 1;\n")
    assert [each.name for each in libraryfiles.directories(paths)] == ["c.d", "a.d", "b.d"]
    options = Options()
    options.assign(f"libdir={tmp_path}")
    result = compile_d("BEGIN { trace(B); }", options=options)
    difo = result.program.ecbs[0].actions[0].difo
    assert difo is not None and difo.inttab == [3]


@pytest.mark.parametrize("files", [
    {"a": "#pragma D depends_on library b.d\n", "b": "#pragma D depends_on library a.d\n"},
    {"a": "#pragma D depends_on library a.d\n"}, {"a": "#pragma D depends_on library nosuch.d\n"}])
def test_dependencies_that_cannot_be_met(tmp_path: Path, files: dict[str, str]) -> None:
    with pytest.raises(CompileError) as caught:
        libraryfiles.directories(write(tmp_path, **files))
    assert caught.value.tag == "D_PRAGMA_DEPEND"
    assert caught.value.first.span.file.endswith(".d")


def failure(directory: Path, program: str, *settings: str) -> tuple[str, ...]:
    """The hints of the error that a program has with the libraries of a directory."""
    options = Options()
    for setting in (*settings, f"libdir={directory}"):
        options.assign(setting)
    with pytest.raises(CompileError) as caught:
        compile_d(program, options=options, catalog=kernel())
    return caught.value.first.hints


OURS = [path.name for path in sorted(Path(libraryfiles.OWN_DIRECTORY).glob("*.d"))]


@pytest.mark.parametrize("ours", OURS)
def test_a_users_library_depends_on_ours(ours: str, tmp_path: Path) -> None:
    write(tmp_path, tea=f"#pragma D depends_on library {ours}\ninline int TEA_MAX = 7;\n")
    options = Options({}, {"libdir": [str(tmp_path)]})
    difo = compile_d("BEGIN { trace(TEA_MAX); }", options=options).program.ecbs[0].actions[0].difo
    assert difo is not None and difo.inttab == [7]


def test_libraries_that_were_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The error that follows from one says so, and -x debug says each."""
    write(tmp_path, three="inline int THREE = 3;\n",
          one="#pragma D depends_on module nomod\ninline int ONE = 1;\ntypedef struct { int a; } tea_t;\n",
          two="#pragma D depends_on library one.d\ninline int TWO = ONE;\n")
    for text, library in (("trace(ONE)", "one.d"), ("x = (tea_t *)0", "one.d"), ("trace(TWO)", "two.d")):
        hint, = (each for each in failure(tmp_path, f"BEGIN {{ {text}; }}") if "left out" in each)
        assert f"{tmp_path}/{library}" in hint and "nomod" in hint
    assert not any("left out" in each for each in failure(tmp_path, "BEGIN { trace(THREE + FOUR); }"))
    capsys.readouterr()
    failure(tmp_path, "BEGIN { trace(ONE); }", "debug")
    said = [line for line in capsys.readouterr().err.splitlines() if "left out" in line]
    assert [Path(line.split()[5].rstrip(":")).name for line in said] == ["one.d", "two.d"]


def test_libraries_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.d").mkdir()
    (tmp_path / "b").mkdir()
    write(tmp_path, same="inline int SAME = 1;\n")
    write(tmp_path / "b", same="inline int SAME = 2; inline int MORE = 3;\n")
    hints = failure(tmp_path, "BEGIN { trace(NOSUCH); }", f"libdir={tmp_path}/missing")
    assert len(hints) == 2 and f"{tmp_path}/missing" in hints[0] and f"{tmp_path}/a.d" in hints[1]
    hints = failure(tmp_path / "b", "BEGIN { trace(MORE); }", f"libdir={tmp_path}")
    assert any(f"{tmp_path}/b/same.d" in hint for hint in hints)
    assert any(str(tmp_path) in hint and "nolibs" in hint for hint in
               failure(tmp_path, "BEGIN { trace(SAME); }", "nolibs"))


def test_a_program_has_all_libraries() -> None:
    with pytest.raises(CompileError) as caught:
        compile_d("#pragma D depends_on library procfs.d\nBEGIN { }")
    assert caught.value.tag == "D_PRAGMA_DEPEND"


def test_an_error_in_a_users_library_is_its_own(tmp_path: Path) -> None:
    write(tmp_path, bad="\n\ninline int X = ;\n")
    options = Options()
    options.assign(f"libdir={tmp_path}")
    with pytest.raises(CompileError) as caught:
        compile_d("BEGIN { trace(1); }", options=options)
    assert (Path(caught.value.first.span.file).name, caught.value.first.span.line) == ("bad.d", 3)


@pytest.mark.parametrize(("library", "module", "prefix"), [("errno", errno, "E"), ("signal", signal, "SIG")])
@pytest.mark.skipif(sys.platform != "linux", reason="not Linux: its numbers compared with its headers")
def test_numbers_are_those_that_programs_see(library: str, module: ModuleType, prefix: str) -> None:
    directory = Path(preprocessor.__file__).parents[1] / "lib"
    text = "".join((directory / path).read_text() for path in (f"{library}.d", "constants/linux.d"))
    ours = dict(re.findall(r"^inline int (\w+) = (-?\d+);", text, re.MULTILINE))
    known = {name: str(int(value)) for name, value in vars(module).items()
             if re.fullmatch(f"{prefix}[A-Z0-9]+", name) and isinstance(value, int)}
    assert {name: ours.get(name) for name in known} == known
    assert len(re.findall("^inline ", text, re.MULTILINE)) == len(set(re.findall(r"^inline \w+ (\w+)", text,
                                                                                 re.MULTILINE)))


# -- the preprocessor ----------------------------------------------------------------------------------

def cpp(text: str, directory: Path | None = None, *settings: str) -> str:
    options = Options()
    for setting in settings:
        options.assign(setting)
    return preprocess(text, str(directory / "x.d") if directory else "", options)


def exit_status(*settings: str, name: str = "EPERM") -> int:
    """The constant that a program exits with under these options."""
    options = Options()
    for setting in settings:
        options.assign(setting)
    difo = compile_d(f"BEGIN {{ exit({name}); }}", options=options).program.ecbs[0].actions[0].difo
    assert difo is not None
    return difo.inttab[0]


def test_a_users_library_replaces_ours_of_the_same_name(tmp_path: Path) -> None:
    for name, value in (("first", 77), ("second", 88)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "errno.d").write_text(f"inline int EPERM = {value};\n")
    first, second = f"libdir={tmp_path / 'first'}", f"libdir={tmp_path / 'second'}"
    assert exit_status() == 1
    assert exit_status(first, second) == 77
    assert exit_status(second, first) == 88
    assert exit_status(f"libdir={tmp_path / 'missing'}") == 1
    assert exit_status(first, name="SIGKILL") == 9


def test_another_system_directory(tmp_path: Path) -> None:
    (tmp_path / "own.d").write_text("inline int EPERM = 77;\n")
    assert exit_status(f"syslibdir={tmp_path}") == 77
    with pytest.raises(CompileError) as caught:
        exit_status(f"syslibdir={tmp_path}", name="ENOENT")
    assert caught.value.tag == "D_IDENT_UNDEF"


@pytest.mark.parametrize(("setting", "expected"), [
    ("argref", "0 0x0100d001"), ("stdc=a", "0 0x0100d001"), ("stdc=c", "1 0x0100d001"),
    ("stdc=s", "__STDC__ 0x0100d001"), ("version=1.2.1", "0 0x01002001"),
])
def test_macros_that_options_define(setting: str, expected: str) -> None:
    options = Options()
    options.assign(setting)
    assert expected in preprocess("__STDC__ __SUNW_D_VERSION\n", "", options)


def test_macros_and_conditions() -> None:
    text = cpp("#!/usr/sbin/dtrace -s\n#define N 3\n#ifdef __SUNW_D\nBEGIN { trace(N + M); }\n#endif\n",
               None, "define=M=4")
    assert "BEGIN { trace(3 + 4); }" in text and "dtrace -s" not in text
    assert "trace(M)" in cpp("BEGIN { trace(M); }", None, "define=M=4", "undef=M")


@pytest.mark.parametrize(("text", "line", "message"), [
    *((f"BEGIN {{ }}\n # {word} \t\n", 2, f"#{word} is incomplete")
      for word in ("define", "undef", "ifdef", "ifndef", "include", "if")),
    ("#if 0\n#elif\n#endif\n", 2, "#elif is incomplete"),
    ("#if 1\n#else\n#else\n#endif\n", 3, "#else after #else"),
    ("#if 0\n#else\n#elif 1\n#endif\n", 3, "#elif after #else"),
    ("#if 1\n#if 1\n#else\n#endif\n#else\n#else\n#endif\n", 6, "#else after #else"),
    ("#if 1\n#endif\n#endif\n", 3, "Misplaced #endif"), ("#else\n", 1, "Misplaced #else"),
    ("#error  one  two \n", 1, "#error one  two"), ("#if 1\n", 1, "#if has no #endif"),
    ("#ifdef A\n#if 1\n#endif\n", 1, "#ifdef has no #endif"),
    ("\n#include <nosuch.h>\n", 2, "include file nosuch.h not found"),
    ('\n#include "sys/proc.h"\n', 2, "include file sys/proc.h not found"),
    ("/* never\n", 1, "this comment never ends")])
def test_wrong_directives(text: str, line: int, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        cpp(text)
    found = caught.value.first
    assert (found.tag, found.message) == ("D_UNKNOWN", f"preprocessor: {message}")
    assert found.span == ("", line, 1, 1)


@pytest.mark.parametrize(("text", "output"), [
    ("#if 1\na\n#elif 1\nb\n#else\nc\n#endif\nd\n", "ad"), ("#if 0\na\n#elif 1\nb\n#else\nc\n#endif\n", "b"),
    ("#if 0\na\n#else\n#if 1\nb\n#else\nc\n#endif\n#endif\n", "b"), ("#warning x\na\n", "a"),
    ("#include <sys/proc.h>\na\n", "a"),
    ("#define A\n#ifdef A\na\n#endif\n#undef A\n#ifndef A\nb\n#endif\n", "ab"), ("M N\n", "1 2=3"),
    ("#!/bin/sh\na\n", "a"), (" \t#!dtrace #if\na", "a"), ("a\n#!b\n", "a#!b")])
def test_what_it_leaves(text: str, output: str) -> None:
    made = cpp(text, None, "define=M", "define=N=2=3", "define=O", "undef=O")
    assert "".join(line for line in made.splitlines() if not re.match(r"# \d", line)) == output


def including(tmp_path: Path, *files: str) -> str:
    """Write files a.h, b.h, ... and return a program that includes the first."""
    for name, text in zip("abcdef", files, strict=False):
        (tmp_path / f"{name}.h").write_text(text)
    return '#include "a.h"\nBEGIN { }\n'


@pytest.mark.parametrize(("setting", "where", "message"), [
    ("includedepth=3", None, ""), ("includedepth=2", ("b.h", 2), "more than 2 files within one another"),
    ("includes=3", None, ""), ("includes=2", ("c.h", 1), "more than 2 files included (-x includes=2)"),
    ("includesize=43", None, ""), ("includesize=42", ("c.h", 1), "more than 42 bytes included")])
def test_how_much_is_included(setting: str, where: tuple[str, int] | None, message: str,
                              tmp_path: Path) -> None:
    program = including(tmp_path, '#include "b.h"\n\n', '\n#include "c.h"\n', "int c;\n\n\n\n\n")
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) == 43
    if where is None:
        assert "int c;" in cpp(program, tmp_path, setting)
        return
    with pytest.raises(CompileError) as caught:
        cpp(program, tmp_path, setting)
    found = caught.value.first
    assert found.message.startswith(f"preprocessor: {message}")
    assert found.span[:2] == (str(tmp_path / where[0]), where[1])


def test_depth_is_counted_where_files_follow_one_another(tmp_path: Path) -> None:
    program = including(tmp_path, '#include "b.h"\n#include "b.h"\n#include "b.h"\n', "x\n")
    assert cpp(program, tmp_path, "includedepth=2").count("x\n") == 3


def test_where_files_are_looked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Beside the program first, then in the directories of -I, in order; -H tells which were found."""
    for name, text in (("own", "1"), ("first", "2"), ("second", "3")):
        (tmp_path / name).mkdir()
        for file in ("all.h", f"{name}.h", *(("both.h",) if name != "own" else ())):
            (tmp_path / name / file).write_text(f"{text}\n")
    source = '#include "all.h"\n#include <both.h>\n#include "second.h"\n#include "own.h"\n'
    paths = [f"incdir={tmp_path / name}" for name in ("first", "second")]
    made = cpp(source, tmp_path / "own", *paths, "cpphdrs")
    assert [line for line in made.splitlines() if len(line) == 1] == ["1", "2", "3", "1"]
    found = [Path(line).relative_to(tmp_path) for line in capsys.readouterr().err.splitlines()]
    assert found == [Path(path) for path in ("own/all.h", "first/both.h", "second/second.h", "own/own.h")]
    assert cpp(source, tmp_path / "own", *paths) == made and capsys.readouterr().err == ""


@pytest.mark.parametrize(("markers", "states"), [
    ("|a|", " 12"), ("|a|b|a|", " 1122"), ("|a||a|", " 1212"), ("||", "   "), ("|a|a|", " 1 2"),
    ("|a|b|c|", " 1112"), ("<stdin>|a|<stdin>", " 12")])
def test_where_a_file_begins_and_ends(markers: str, states: str) -> None:
    """A preprocessor tells where lines come from; the lexer wants to know which files they are within."""
    text = "".join(f'# {line} "{file}"\nx\n' for line, file in enumerate(markers.split("|"), 1))
    made = preprocessor._mark(text).splitlines()
    files = [file.replace("<stdin>", "") for file in markers.split("|")]
    assert made[::2] == [f'# {line} "{file}"{f" {state}" if state != " " else ""}'
                         for line, (file, state) in enumerate(zip(files, states, strict=True), 1)]
    assert preprocessor._mark('#line 7 "f" 3 4\n').strip() == '# 7 "f" 1'


def test_errors_keep_their_lines(tmp_path: Path) -> None:
    (tmp_path / "inc.h").write_text("struct inc { int a; };\n\n\n")
    source = '#include "inc.h"\n/* two\n lines */\nstruct inc i;\nBEGIN\n{\n\ttrace(nosuch);\n}\n'
    with pytest.raises(CompileError) as caught:
        compile_d(cpp(source, tmp_path))
    assert caught.value.first.span[:2] == ("", 7)
    (tmp_path / "inc.h").write_text("\n\nstruct inc { int ; };\n")
    with pytest.raises(CompileError) as caught:
        compile_d(cpp(source, tmp_path))
    assert caught.value.first.span[:2] == (str(tmp_path / "inc.h"), 3)


def test_files_that_include_each_other(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text('#include "b.h"\n')
    (tmp_path / "b.h").write_text('#include "a.h"\n')
    with pytest.raises(CompileError, match="more than 100 files within one another"):
        cpp('#include "a.h"\nBEGIN { }\n', tmp_path)


def test_an_included_file_is_c(tmp_path: Path) -> None:
    """Its types go behind D's own, and may repeat what D says; its enumerators yield to D's names."""
    (tmp_path / "inc.h").write_text(
        "typedef unsigned long size_t;\nenum { pid = 3, OTHER = 4 };\n"
        "typedef struct inc { size_t a; } inc_t;\nextern __inline int f(int) __attribute__((pure));\n")
    result = compile_d(cpp('#include "inc.h"\ninc_t v; C`inc_t *w;\nint inc_u;\n'
                           "BEGIN { v.a = OTHER; trace(pid); }\n", tmp_path))
    assert len(result.program.ecbs[0].actions) == 2
    with pytest.raises(CompileError) as caught:
        compile_d("typedef unsigned long size_t;\nBEGIN { }\n")
    assert caught.value.tag == "D_DECL_IDRED"


@pytest.mark.skipif(not Path("/usr/include/netinet/in.h").exists(), reason="no C headers: preprocessing them")
def test_the_hosts_headers(tmp_path: Path) -> None:
    result = compile_d(cpp("#include <sys/types.h>\n#include <netinet/in.h>\n#include <sys/stat.h>\n"
                           "BEGIN { trace(sizeof (struct sockaddr_in)); trace(sizeof (struct stat)); }\n",
                           tmp_path))
    sizes = [difo.inttab for difo in result.program.references()]
    assert sizes[0] == [16]


@pytest.mark.parametrize(("bits", "setting", "expected"), [
    (64, "argref", "1 __i386 1 1 __FreeBSD__ unsigned long"),
    (32, "argref", "__amd64 1 1 1 __FreeBSD__ unsigned int"),
    (64, "target=linux", "1 __i386 __SunOS_5_11 1 __FreeBSD__ unsigned long"),
    (64, "target=freebsd", "1 __i386 __SunOS_5_11 __linux__ 14 unsigned long"),
])
def test_macros_of_the_target(bits: int, setting: str, expected: str) -> None:
    options = Options()
    options.assign(setting)
    text = "__amd64 __i386 __SunOS_5_11 __linux__ __FreeBSD__ __SIZE_TYPE__\n"
    assert expected in preprocess(text, "", options, bits)


def test_c_allows_what_d_does_not(tmp_path: Path) -> None:
    """Large enumerators and empty arrays: only of included files."""
    text = "enum edge { EDGE = 0x80000000 }; enum wide { LOW = -1, WIDE = 0x100000000 };\n" \
        "struct tail { int length; char data[0]; };\n"
    (tmp_path / "inc.h").write_text(text)
    result = compile_d(cpp('#include "inc.h"\nBEGIN { trace(EDGE > 0); trace(WIDE); trace(LOW < 0); '
                           "trace(sizeof (enum wide)); trace(sizeof (struct tail)); }\n", tmp_path))
    assert [difo.inttab for difo in result.program.references()] == [[1], [1 << 32], [1], [8], [4]]
    for line in text.replace(" enum wide", "\nenum wide").splitlines():
        with pytest.raises(CompileError) as caught:
            compile_d(f"{line}\nBEGIN {{ }}\n")
        assert caught.value.tag in ("D_DECL_ENOFLOW", "D_DECL_ARRSUB")


def test_what_c_has_and_d_has_not(tmp_path: Path) -> None:
    """Bodies of functions, values of variables, and D's own words as names: only in included files."""
    lines = ["static inline int twice(int x) { if (x) { return \"}\"[0]; } return '}' + 1.5; }",
             "static const struct { const char *name; } names[] = { { \"a;\" }, { 0 } }, more = { 0 };",
             "inline int three(void);", "inline int three(void)", "{", *[""] * 12, "\treturn (3);", "};",
             "int counter;", "struct odd { int counter; char *self, string[4];",
             "union { int a; } this;; unsigned provider:3, probe:2; };",
             "extern int f(const char *string, struct odd self);", "struct odd v, *translator;"]
    (tmp_path / "inc.h").write_text("\n".join(lines) + "\nstruct bad { int a b; };\n")
    program = '#include "inc.h"\ninline int ONE = 1;\nBEGIN { trace(sizeof (struct odd)); trace(ONE); }\n'
    with pytest.raises(CompileError) as caught:
        compile_d(cpp(program, tmp_path))
    assert caught.value.first.span[:3] == (str(tmp_path / "inc.h"), len(lines) + 1, 20)
    lines += ["inline int TWO = 2;", "BEGIN { two[1] = TWO;; trace(two[1]); }"]
    (tmp_path / "inc.h").write_text("\n".join(lines))
    sizes = [difo.inttab for difo in compile_d(cpp(program, tmp_path)).program.references()]
    assert sizes[-2:] == [[32], [1]] and [2, 1] in sizes
    for line in lines[:3]:
        with pytest.raises(CompileError):
            compile_d(f"{line}\nBEGIN {{ }}\n")


@pytest.mark.skipif(shutil.which("cpp") is None, reason="no cpp: the preprocessor compared with it")
def test_another_preprocessor(tmp_path: Path) -> None:
    (tmp_path / "inc.h").write_text("struct inc { int a; };\n#define OF(x) (x) + 1\n")
    source = '#!/usr/sbin/dtrace -Cs\n#include "inc.h"\nBEGIN { trace(OF(N)); }\nEND { trace(nosuch); }\n'
    expanded = cpp(source, tmp_path, "cpppath=cpp", "define=N=5")
    assert "BEGIN { trace((5) + 1); }" in expanded
    with pytest.raises(CompileError) as caught:
        compile_d(expanded)
    assert caught.value.first.span[:2] == ("", 4)
    for path, message in (("/no/such", "/no/such does not run: No such file"), ("false", "false failed")):
        with pytest.raises(CompileError, match=message):
            cpp(source, tmp_path, f"cpppath={path}")


@pytest.mark.parametrize("header", ["glob.h", "linux/ip.h", "linux/tcp.h", "linux/in.h", "sys/epoll.h",
                                    "dirent.h", "pthread.h", "signal.h", "elf.h", "resolv.h", "complex.h",
                                    "tgmath.h", "linux/ethtool.h", "linux/cxl_mem.h", "linux/virtio_input.h",
                                    "linux/aio_abi.h", "linux/signal.h", "linux/nfc.h"])
def test_headers_of_the_host_that_scripts_may_include(header: str, tmp_path: Path) -> None:
    include = Path("/usr/include")
    if not any((folder / header).exists() for folder in (include, *include.glob("*-linux-gnu"))):
        pytest.skip("no such header: preprocessing it")
    assert compile_d(cpp(f"#include <{header}>\nBEGIN {{ trace(sizeof (long)); }}\n", tmp_path)).program.ecbs


def test_integers_of_headers_for_aarch64(tmp_path: Path) -> None:
    """<asm/sigcontext.h> there has vector registers of 128 bits, and so has <signal.h>."""
    (tmp_path / "inc.h").write_text("struct context { int head; __uint128_t vregs[2]; __int128_t last; };\n")
    text = cpp("#include <inc.h>\nBEGIN { trace(sizeof (struct context)); }\n", None, f"incdir={tmp_path}")
    assert 3 * 16 + 8 in compile_d(text).program.ecbs[0].actions[0].difo.inttab


def test_headers_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "inc.h").write_text("struct inc { int a; };\n")
    cpp("#include <inc.h>\n", None, f"incdir={tmp_path}", "cpphdrs")
    assert capsys.readouterr().err == f"{tmp_path}/inc.h\n"


@pytest.mark.parametrize(("text", "line"), [
    ("\n#if 1\n", 2), ("\n#error stop\n", 2), ("\n#else\n", 2), ("\n#include <no/such.h>\n", 2),
    ("\n#define\n", 2), ("#if 1\n#else\n#if 1\n#else\n#endif\n#else\n#endif\n", 6),
    ("#if 1/0\n#endif\n", 1), ("#define X(\nX(\n", 1), ("\n\n#endif\n", 3), ('#include "self.h"\n', 1),
    ("".join(f"#define A{n + 1} A{n}+A{n}\n" for n in range(40)) + "A40\n", 41),
])
def test_what_the_preprocessor_refuses(tmp_path: Path, text: str, line: int) -> None:
    (tmp_path / "self.h").write_text('#include "self.h"\n')
    start = time.process_time()
    with pytest.raises(CompileError) as caught:
        cpp(text, tmp_path, "macrosize=1m")
    assert caught.value.first.span.line == line
    assert time.process_time() - start < 30


# Declarations, and what each introduces: types, values, and what it translates to.
DECLARED = [
    ("typedef int a_t;", {"a_t"}, set(), set()),
    ("typedef int (*call_t)(int, char), row_t[3][4];", {"call_t", "row_t"}, set(), set()),
    ("typedef struct s { int a; } s_t, *p_t;", {"struct s", "s_t", "p_t"}, set(), set()),
    ("struct s { int a; };", {"struct s"}, set(), set()),
    ("int f(int, char), g(void), (*h)(int, int);", set(), {"f", "g", "h"}, set()),
    ("struct s *x;", set(), {"x"}, set()),
    ("union u { int a; struct v { int b; } c; } x, y[2];", {"union u", "struct v"}, {"x", "y"}, set()),
    ("enum e { A, B = 2, /* C, */ D };", {"enum e"}, {"A", "B", "D"}, set()),
    ("int f(int, char *);", set(), {"f"}, set()),
    ("# 3 \"x.h\"\nextern int (*handler)(void);", set(), {"handler"}, set()),
    ("inline int ONE = 1;", set(), {"ONE"}, set()),
    ("inline string named[int n] = n == 1 ? \"a\" : \"b\";", set(), {"named"}, set()),
    ("translator struct info < struct proc *P > { a = P->b; };", set(), set(), {"struct info"}),
    ("translator info_t < int i > { a = i; };", set(), set(), {"info_t"}),
]


@pytest.mark.parametrize(("piece", "types", "values", "made"), DECLARED)
def test_what_a_declaration_introduces(piece: str, types: set[str], values: set[str], made: set[str]) -> None:
    assert [introduced(piece, kind) for kind in ("typedef", "value", "translator")] == [types, values, made]


def test_declarations_of_a_text() -> None:
    """Where each begins: a line is that of the piece's first character, which is behind the one before."""
    text = """
#pragma D depends_on library a.d;
int a; /* ; { */ struct s {
    int b; union { int c; } d; };
 # pragma D depends_on provider io
typedef int t;
int rest"""
    assert pieces(text) == [
        ("\n#pragma D depends_on library a.d;\nint a;", 1),
        (" /* ; { */ struct s {\n    int b; union { int c; } d; };", 3),
        ("\n # pragma D depends_on provider io\ntypedef int t;", 4)]
    assert dependencies(text) == [("library", "a.d;", 2), ("provider", "io", 5)]
