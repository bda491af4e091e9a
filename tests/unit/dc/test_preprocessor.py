"""The preprocessor of -C, judged by gcc -E: what it makes of macros, conditions and files, token by token."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from dc.compiler import compile as compile_d
from dc.diagnostics import CompileError
from dc.options import Options
from dc.source.preprocessing.predefined import predefined
from dc.source.preprocessing.tokens import tokens
from dc.source.preprocessor import preprocess

HAS_GCC = shutil.which("gcc") is not None
needs_gcc = pytest.mark.skipif(not HAS_GCC, reason="no gcc: the preprocessor compared with it")
MARKER = re.compile(r'^# \d+ ".*$', re.MULTILINE)


def made(text: str, *settings: str, path: str = "") -> list[str]:
    """The tokens that the preprocessor makes of a text."""
    options = Options()
    for setting in settings:
        options.assign(setting)
    return [each.text for each in tokens(MARKER.sub("", preprocess(text, path, options)))]


def without_attributes(words: Iterable[str]) -> list[str]:
    """Tokens without GNU's attributes, which headers define away for other compilers, and we read."""
    left, depth = [], -1
    for word in words:
        if word == "__attribute__":
            depth = 0
        elif depth < 0:
            left.append(word)
        else:
            depth += (word == "(") - (word == ")")
            depth = depth or -1
    return left


def refused(text: str, *settings: str) -> tuple[int, str]:
    """Line and message of what is wrong with a text."""
    with pytest.raises(CompileError) as caught:
        made(text, *settings)
    found = caught.value.first
    assert found.tag == "D_UNKNOWN" and found.message.startswith("preprocessor: ")
    return found.span.line, found.message.removeprefix("preprocessor: ")


def judged(text: str, *flags: str) -> list[str] | None:
    """The tokens that gcc makes of a text behind the macros that we define; None if it refuses the text."""
    macros = "".join(f"#define {each}\n" for each in predefined(Options(), 64))
    command = ["gcc", "-E", "-P", "-std=gnu90", "-undef", "-U__STDC__", "-w", "-x", "c", *flags, "-"]
    done = subprocess.run(command, input=f"{macros}#line 1\n{text}", capture_output=True, text=True,
                          check=False)
    return [each.text for each in tokens(done.stdout)] if done.returncode == 0 else None


# -- conditions ------------------------------------------------------------------------------------------

@pytest.mark.parametrize("true", [
    "1 << 40000000000 == 0", "-1 >> 70 == -1", "-1 > 0u", "-1 < 0", "(0 ? 1u : -1) > 0", "1 << -1 == 0",
    "0x7fffffffffffffff + 1 < 0", "18446744073709551615 == -1", "9223372036854775808 > 0", "~0u == -1",
    "-7 / 2 == -3 && -7 % 2 == -1", "(-9223372036854775807 - 1) / -1 < 0", "'a' == 97 && '\\377' == -1",
    "'ab' == 24930", "L'\\377' == 255", "'\\x41' == 'A' && '\\0' == 0 && '\\\\' == 92", "0 || 2",
    "!(0 && 1/0)",
    "1 || 1/0", "1 ? 1 : 1/0", "(1, 2) == 2", "017 == 15 && 0b101 == 5 && 0x1F == 31", "1ull << 63 > 0",
    "nosuch == 0", "defined A && !defined(B) && !defined B", "FN(2) == 7", "HAS_A", "__LINE__ == 5",
    "+-~!0 == 2",
    "!!" * 2000 + "1", "(" * 3000 + "1" + ")" * 3000, "1" + "+1" * 5000 + " == 5001", "1u - 2 == ~0u",
    "!defined(C) ? 0 : 1", "5 & 6 ^ 1 | 8 == 13", "2 > 1 == 1", "10 - 2 - 3 == 5", "2 + 3 * 4 == 14"])
def test_what_holds(true: str) -> None:
    defined = "#define A\n#define C 1\n#define FN(x) ((x) * 3 + 1)\n#define HAS_A defined(A)\n"
    assert made(f"{defined}#if {true}\nyes\n#else\nno\n#endif\n") == ["yes"]


@pytest.mark.parametrize("wrong", [
    "1/0", "1 % 0", "0/0 && 0", "1 +", "(1", "1)", "1 2", "()", "1 ? 2", "1 : 2", '"abc"', "1.5", "1e5", "0x",
    "08",
    "1z", "1lul", "''", "'a", "A = 1", "1 ++ 2", "@", "1 @ 2", "!", ",", "1,", "defined", "defined 1",
    "defined(a",
    "18446744073709551616", "9" * 5000, "1 << 18446744073709551616", "'\\x'", "__has_include",
    "__has_include()",
    "__has_include(<a", "__has_include(1)", "A(", "FN(", "#"])
def test_conditions_that_are_none(wrong: str) -> None:
    line, message = refused(f"\n#define FN(x) (x)\n#if 0\n#elif {wrong}\n#endif\n")
    assert line == 4 and len(message) < 120 and "Error" not in message


OPERANDS = ("0", "1", "2", "63", "64", "65", "0x7fffffffffffffff", "0xffffffffffffffff", "-1", "0u", "3UL",
            "18446744073709551615", "9223372036854775808", "5ll", "'a'", "'\\377'", "'ab'", "L'z'", "017",
            "A", "B", "FN(2)", "FN(A)", "defined A", "defined(X)")
OPERATORS = ("+", "-", "*", "/", "%", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&", "|", "^", "&&", "||")


def expression(numbers: random.Random, depth: int = 0) -> str:
    """A random condition."""
    choice = numbers.random()
    if depth > 4 or choice < 0.35:
        return numbers.choice(OPERANDS)
    if choice < 0.45:
        return f"{numbers.choice('-+~!')} {expression(numbers, depth + 1)}"
    if choice < 0.55:
        return f"({expression(numbers, depth + 1)})"
    if choice < 0.65:
        return " ".join((expression(numbers, depth + 1), "?", expression(numbers, depth + 1), ":",
                         expression(numbers, depth + 1)))
    left, right = expression(numbers, depth + 1), expression(numbers, depth + 1)
    return f"{left} {numbers.choice(OPERATORS)} {right}"


@needs_gcc
def test_conditions_as_gcc_finds_them() -> None:
    numbers, lines = random.Random(37), ["#define A 3", "#define B -7", "#define FN(x) ((x)*A+1)"]
    for number in range(300):
        text = expression(numbers)
        text = numbers.choice([text, f"(({text}) >> {numbers.randrange(64)}) & 1", f"({text}) < 0"])
        group = f"#if {text}\nt{number}\n#else\nf{number}\n#endif"
        try:
            made("\n".join([*lines[:3], group]))
        except CompileError as error:
            assert error.first.message.endswith("divides by 0")
            assert number % 30 or judged("\n".join([*lines[:3], group])) is None
        else:
            lines.append(group)
    text = "\n".join(lines) + "\n"
    assert made(text) == judged(text) and len(lines) > 200


# -- macros ----------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("text", "expected"), [
    ("#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\nf(x+f(1))", "f(2 * (2+f(2 * (1))))"),
    ("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2*9*g"), ("#define A B\n#define B A\nA B", "A B"),
    ("#define EMPTY\n-EMPTY-x EMPTY+EMPTY+", "- -x + +"), ("#define f(x) -x\nf(-1) f(+1)", "- -1 -+1"),
    ("#define s(x) #x\ns( a  b\n\tc ) s(\"a\\n\" '\"' \\ @)", '"a b c" "\\"a\\\\n\\" \'\\"\' \\ @"'),
    ("#define E\n#define s(x) #x\n#define t(x) s(x)\nt(a E+) t((E x)) t(-E-)", '"a +" "( x)" "--"'),
    ("#define cat(a,b) a ## b\ncat(x,y) cat(,y)cat(x,) cat(1,e3) cat(+,+)", "xy y x 1e3 ++"),
    ("#define t(x,y,z) x ## y ## z\nt(1,2,3) t(,4,5) t(6,,7) t(8,9,) t(,,)x", "123 45 67 89 x"),
    ("#define h # ## #\n#define str(a) # a\n#define in(a) str(a)\n#define join(c,d) in(c h d)\njoin(x,y)",
     '"x ## y"'),
    ("#define f(a, ...) g(a, ## __VA_ARGS__)\nf(1) f(1,) f(1,2,3)", "g(1) g(1,) g(1,2,3)"),
    ("#define f(...) g(0, ##__VA_ARGS__)\nf() f(1,2)", "g(0) g(0,1,2)"),
    ("#define f(a, rest...) g(a, ## rest)\nf(1) f(1,2)", "g(1) g(1,2)"),
    ("#define f(a,...) (a __VA_OPT__(+ (__VA_ARGS__)) b)\nf(1) f(1,) f(1,2)", "(1 b) (1 b) (1 + (2) b)"),
    ("#define f(x) [x]\nf\n\n(\n(1,2)) f (f(3)) f", "[(1,2)] [[3]] f"), ("#define f() x\nf() f( ) f",
    "x x f"),
    ("#define f(x) [x]\nf(1\n#if 0\n2\n#else\n3\n#endif\n#define g 4\ng)", "[1 3 4]"),
    ("#define a /* b\n c */ d // e\na \"// no\" '/*' e", "d \"// no\" '/*' e"),
    ("#define a b \\\n c \\ \n d\na", "b c d"), ("#define A 1\n#undef A\n#undef B\nA", "A"),
    ("#define N open\nsyscall::N*:entry pid$N 1N \"N\"", 'syscall::open*:entry pid$N 1N "N"'),
    ("__COUNTER__ __COUNTER__ __INCLUDE_LEVEL__", "0 1 0"), ("it's /* one token\n2", "it's /* one token\n2"),
    ("#ifdef A\n1\n#elifndef B\n2\n#elifdef C\n3\n#endif", "2"),
    ("#if 0\n#if x (\n#else y\n'\n#endif\n#endif\na", "a"),
    ("#line 40 \"other.d\"\n__LINE__ __FILE__\n# 7 \"third.d\" 1\n__LINE__", '40 "other.d" 7'),
    ("#define N 30\n#line N\n__LINE__", "30"), ("a\\", "a"), ("#\n# /* nothing */\na", "a"),
    ("#define L __LINE__\n#define f(x) x L\nf(\n__LINE__\n) L", "4 3 5"), ("#define f(x) x x\nf(a\nb) c",
    "a b a b c")])
def test_macros(text: str, expected: str) -> None:
    assert made(f"{text}\n") == [each.text for each in tokens(expected)]
    if HAS_GCC:
        assert judged(f"{text}\n") == [each.text for each in tokens(expected)]


def test_macros_of_what_only_d_has() -> None:
    """What ## does not make one token of may be one in D; a module and its symbol, and ^^, come of macros."""
    text = preprocess("#define AGG(n) @ ## n\n#define MOD genunix\n#define X ^\n#define N 64\n"
                      "AGG(sum)[1] = MOD`rootdir ^X 1 xN`N;\n", "", Options())
    assert text.splitlines()[-1] == "@sum[1] = genunix`rootdir ^ ^ 1 xN`64;"


@pytest.mark.parametrize(("text", "line"), [
    ("#define", 1), ("#define 1", 1), ('\n#define "a"', 2), ("#define defined", 1), ("#define f(", 1),
    ("#define f(a", 1), ("#define f(a,)", 1), ("#define f(1)", 1), ("#define f(a a)", 1),
    ("#define f(a,a)", 1),
    ("#define f(...,a)", 1), ("#define f(a) #b", 1), ("#define f(a) #", 1), ("#define f(a) ##a", 1),
    ("#define x a ##", 1), ("#define f(...) __VA_OPT__(a", 1), ("#define f(...) __VA_OPT__(##)", 1),
    ("#undef 1", 1),
    ("#define f(x) x\n\nf(1\n2", 3), ("#define f(x) x\nf(1,2)", 2), ("#define f(a,b) a\n\nf(1)\n", 3),
    ("#define f() 1\nf(1)", 2), ("#define f(x) x\nf(1\n#include <a.h>\n)", 3), ("a\n/* b\n\n", 2),
    ("#include", 1),
    ("#include <", 1), ("#include <>", 1), ('#include "', 1), ("#include x", 1), ("#include 1", 1),
    ('#include "/etc"', 1), ("#line x", 1), ("#line 0x10", 1), ("#line 99999999999", 1), ("#line 5 x", 1),
    ("#ifdef 1\n#endif", 1), ("#ifndef\n#endif", 1), ("#elifdef x", 1)])
def test_control_lines_that_are_wrong(text: str, line: int) -> None:
    assert refused(f"{text}\n")[0] == line
    if HAS_GCC and "999" not in text:
        assert judged(f"{text}\n") is None


def test_a_wrong_macro_of_the_command_line() -> None:
    assert refused("BEGIN { }\n", "define=1x=2") == (1, "a macro cannot have the name 1x")


def program(numbers: random.Random) -> str:
    """A random program of macros that call one another."""
    counts = {f"F{number}": numbers.randrange(4) for number in range(4)}

    def word(depth: int, names: list[str]) -> str:
        choice = numbers.random()
        if names and choice < 0.25:
            return numbers.choice(names)
        if choice < 0.4:
            return f"M{numbers.randrange(4)}"
        if choice < 0.55 and depth < 2:
            name = numbers.choice(list(counts))
            arguments = [several(depth, names) for _ in range(counts[name])]
            return f"{name}{numbers.choice(['', ' '])}({','.join(arguments)})"
        if choice < 0.65:
            return numbers.choice([f"({several(depth, names)})", "K(name)", "K( 1)", "S(K(M1))"])
        return numbers.choice(("a", "b1", "_c", "1", "0x2f", '"s"', '"\\""', "'c'", "+", "-", "<", "=", "&"))

    def several(depth: int, names: list[str]) -> str:
        return " ".join(word(depth + 1, names) for _ in range(numbers.randint(1, 3)))

    lines = ["#define S(x) #x", "#define K(x) k ## x M0"]
    lines += [f"#define M{number} {several(1, []) if number else ''}" for number in range(4)]
    for name, count in counts.items():
        names = ["p", "q", "r"][:count]
        parts = [several(0, names), *(f"#{each}" for each in names), "x ## 1"]
        text = " ".join(numbers.sample(parts, min(len(parts), 3)))
        lines.append(f"#define {name}({','.join(names)}) {text}")
    return "\n".join([*lines, *(several(0, []) for _ in range(5)), ""])


@needs_gcc
def test_macros_as_gcc_replaces_them() -> None:
    numbers, accepted = random.Random(37), 0
    for _ in range(25):
        text = program(numbers)
        try:
            ours = made(text)
        except CompileError:
            ours = None
        assert ours == judged(text), text
        accepted += ours is not None
    assert accepted > 12


@needs_gcc
@pytest.mark.skipif(not Path("/usr/include/netinet/in.h").exists(), reason="no C headers: preprocessing them")
def test_headers_as_gcc_reads_them() -> None:
    text = "".join(f"#include <{each}.h>\n" for each in (
        "stdio", "stdlib", "sys/types", "netinet/in", "signal", "pthread", "linux/tcp", "elf", "limits",
        "sys/epoll"))
    folders = ["/usr/include", *map(str, Path("/usr/include").glob("*-linux-gnu")),
               *map(str, sorted(Path("/usr/lib/gcc").glob("*/*/include"))[-1:])]
    flags = [word for each in folders for word in ("-isystem", each)]
    assert without_attributes(made(text)) == judged(text, "-nostdinc", *flags)


# -- how much macros make ----------------------------------------------------------------------------------

DOUBLING = "".join(f"#define A{number + 1} A{number}{{}}A{number}\n" for number in range(60))


DROPPED = "#define DROP(x)\n#define f(x) x x x x\n#define g(x) DROP(f(x))\n" \
    + "g(" + "f(" * 40 + "1" + ")" * 41 + "\n"


@pytest.mark.parametrize("text", [
    f"#define A0 1\n{DOUBLING.replace('{}', '+')}A60\n", f"#define A0\n{DOUBLING.replace('{}', ' ')}1 A60\n",
    "#define f(x) x x x x\n" + "f(" * 40 + "1" + ")" * 40 + "\n",
    "#define D(x) E(x,x)\n#define E(a,b) a##b\n" + "D(" * 40 + "x" + ")" * 40 + "\n",
    "#define S(x) T(x)\n#define T(x) #x #x\n" + "S(" * 40 + "x" + ")" * 40 + "\n", DROPPED])
@pytest.mark.parametrize("form", ["stdc=a", "stdc=s"])
def test_macros_that_make_too_much(text: str, form: str) -> None:
    if (text, form) == (DROPPED, "stdc=s"):
        assert made(text, form) == []  # it is not looked at
        return
    line, message = refused(text, form, "macrosize=4m")
    assert (line, message[-22:]) == (text.count("\n"), "(-x macrosize=4194304)")


@pytest.mark.parametrize("form", ["stdc=a", "stdc=s"])
def test_macros_that_make_much(form: str) -> None:
    """More than a megabyte of text, of a few lines, is no bomb."""
    text = "#define A(x) (x == 1000000000 ? 2000000000 : 3000000000 + x + x + x + x + x)\n" + "".join(
        f"#define {name}(x) {before}(x) + {before}(x) + {before}(x) + {before}(x)\n"
        for before, name in zip("ABCDEFG", "BCDEFGH", strict=True)) + "trace(H(arg0));\n"
    output = preprocess(text, "", Options({"stdc": 2 if form == "stdc=s" else 0}))
    assert output.count("(arg0 == 1000000000") == 4 ** 7 and len(output) > 1_000_000


def test_what_is_no_longer_read_counts_no_longer() -> None:
    line = "f(f(f(1)))\n"
    text = "#define f(x) x x x x\n" + line * 1000
    assert len(made(text, "macrosize=12m")) == 64 * 1000


# -- files ---------------------------------------------------------------------------------------------------

def test_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text("__FILE__ __LINE__ __INCLUDE_LEVEL__\n#define HERE __FILE__ __LINE__\n")
    path = str(tmp_path / "x.d")
    assert made('#include "a.h"\n\nHERE\n__BASE_FILE__\n', path=path) == [
        f'"{tmp_path}/a.h"', "1", "1", f'"{path}"', "3", "__BASE_FILE__"]
    assert made("__FILE__\n") == ['"<stdin>"']
    assert made("__FILE__\n", path='a"\\b.d') == ['"a\\"\\\\b.d"']


def test_which_files_are_there(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "b.h").write_text(
        '#if __has_include("c.h") && !__has_include(<c.h>)\nb\n#endif\n')
    (tmp_path / "below" / "c.h").write_text("")
    path = str(tmp_path / "x.d")
    text = ('#ifdef __has_include\n#if __has_include("below/b.h") && !__has_include("nosuch.h") '
            "&& __has_include(<sys/proc.h>)\nyes\n#endif\n#endif\n"
            '#define B <b.h>\n#if __has_include(B)\n#include B\n#endif\n#include "below/b.h"\n')
    assert made(text, path=path) == ["yes", "b"]
    assert made(text, f"incdir={tmp_path}/below", path=path) == ["yes"]


def test_files_that_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "guarded.h").write_text(
        "/* . */\n#ifndef G\n#define G\n#if 1\n#else\n#endif\ng\n#endif /* G */\n\n")
    (tmp_path / "other.h").write_text("#ifndef O\n#define O\no\n#else\nagain\n#endif\n")
    (tmp_path / "once.h").write_text("#pragma once\np\n")
    (tmp_path / "import.h").write_text("i\n")
    text = "".join(f'#include "{each}.h"\n' for each in ("guarded", "other", "once") * 2) \
        + '#import "import.h"\n#import "import.h"\n'
    assert made(text, "includes=5", path=str(tmp_path / "x.d")) == ["g", "o", "p", "again", "i"]


def test_the_next_file_of_a_name(tmp_path: Path) -> None:
    for name, text in (("one", "1\n#include_next <a.h>\n"), ("two",
    "2\n#if __has_include_next(<a.h>)\n3\n#endif\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.h").write_text(text)
    assert made("#include <a.h>\n", f"incdir={tmp_path}/one", f"incdir={tmp_path}/two") == ["1", "2"]


def test_lines_are_where_they_were(tmp_path: Path) -> None:
    """Of a call over several lines, of comments in it, and of what stands behind it."""
    (tmp_path / "a.h").write_text("#define f(x) (x)\n")
    lines = ['#include "a.h"', "int a, /* one", "two */ b;", "BEGIN", "{", "trace(f(", "/* . */", "1 +",
             "1)); trace(2 \\", "+ 1);", "", "trace(nosuch);", "}"]
    with pytest.raises(CompileError) as caught:
        compile_d(preprocess("\n".join(lines) + "\n", str(tmp_path / "x.d"), Options()))
    assert caught.value.first.span == ("", 12, 7, 13)
    lines[7] = "nosuch +"
    with pytest.raises(CompileError) as caught:
        compile_d(preprocess("\n".join(lines) + "\n", str(tmp_path / "x.d"), Options()))
    assert caught.value.first.span[:2] == ("", 8)


# -- macros before standard C --------------------------------------------------------------------------

@pytest.mark.parametrize(("text", "expected"), [
    ("#define SAME(x)x\nSAME(IDX_)NAME SAME(a)1 1SAME(b)", "IDX_NAME a1 1SAME(b)"),
    ("#define SAME(x)x\n#define IDX_NAME 7\nSAME(IDX_)NAME IDX_NAME IDX_/**/NAME", "7 7 7"),
    ("#define CAT(a,b) a/**/b\nCAT(x,y) CAT(CAT(1,2),3)", "xy 123"), ("a/*c*/b /* */ c", "ab c"),
    ("#define S(x) \"x\" 'x' \"y x\"\nS(hello)", '"hello" \'hello\' "y hello"'),
    ("#define S(x) \"y x\"\nS(\"a\")", '"y \\"a\\""'),
    (" #define A 1\nA", "#define A 1 A"), ("#define str(x) [#x]\nstr(a)", "[#a]"),
    ("#define f(x) [x]\nf(a\nb) f (2) f", "[a b] [2] f"),
    ("#define f(x) [x]\n\"un\nf(1)\n'un f(1)", "\"un\n[1]\n'un f(1)"), ("a // b", "a // b"),
    ("#define two(a,b) b a\ntwo((1,2),\"a,b\")", '"a,b" (1,2)'), ("#define F() a\nF () F", "a F"),
    ("#if defined F || 2 > 3\n1\n#else\n2\n#endif", "2"),
    ("#define A 4\n#if A == 4 && defined(A)\n__LINE__\n#endif", "3"),
    ("#define A(a,...) a __VA_ARGS__\nA(1,2,3) A(1)", "1 2,3 1"), ("__STDC__", "__STDC__")])
def test_traditional_macros(text: str, expected: str) -> None:
    assert made(f"{text}\n", "stdc=s") == [each.text for each in tokens(expected)]


@pytest.mark.parametrize(("text", "line"), [
    ("#define", 1), ("#define 1", 1), ("#define f(a", 1), ("#define f(1)", 1), ("#define f(x) x\nf(1,2)", 2),
    ("#define f(x) x\n\nf(1", 3), ("#define s s+1\ns", 2), ("#define f(x) f(x)\nf(1)", 2),
    ("#if 1/0\n#endif", 1)])
def test_traditional_macros_that_are_wrong(text: str, line: int) -> None:
    assert refused(f"{text}\n", "stdc=s", "macrosize=1m")[0] == line


def test_offsets_of_a_virtual_machine() -> None:
    """As a public script has them: the name of a constant is put together, and is a macro."""
    text = ("#define IDX_SIZE 7\n#define copyin_int32(ADDR) *(int32_t*) copyin((uint64_t)(ADDR), 4)\n"
            "#define SAME(x) x\n"
            "#define copyin_offset(NAME) NAME = \\\n\tcopyin_int32(offsets + SAME(IDX_)NAME * 4)\n"
            "BEGIN { offsets = 1; copyin_offset(SIZE); }\n")
    result = compile_d(preprocess(text, "", Options({"stdc": 2})))
    assert 28 in next(difo.inttab for difo in result.program.references() if len(difo.inttab) > 1)
    assert re.search(r"offsets \+ IDX_ SIZE \* 4", preprocess(text, "", Options()))
