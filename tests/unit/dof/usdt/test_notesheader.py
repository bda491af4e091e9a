"""-x header=sdt and sdt-dtrace: headers whose probes are notes, and the object with their semaphores."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from subprocess import CompletedProcess, run

import atonce
import compilers
import pytest

from dof.elf import ElfFile
from dof.usdt.sdtproviders import parse_probes
from dof.usdt.semaphores import MACHINES, Machine, generate_semaphores

sys.path.insert(0, str(Path(__file__).parents[3] / "conformance"))

import provider_files
import provider_shapes

PROVIDER = """provider shop {
    probe sale(int number, char *what);
    probe price__change(string what, long from, unsigned long long to, double rate, short s, unsigned char c);
    probe none();
};
"""
SOURCE = """
#include <stdio.h>
#include "shop.h"
static int twice(int x) { SHOP_SALE(x, "twice"); return 2 * x; }
int counter = 5;
int main(int argc, char **argv)
{
    int i;
    const char *tea = argv[0];
    for (i = 0; i < 3; i++)
        SHOP_SALE(i, tea);
    if (SHOP_PRICE_CHANGE_ENABLED())
        SHOP_PRICE_CHANGE(tea, -argc, 1ULL << 40, (double)argc, -7, 200);
    SHOP_SALE(counter, 0);
    SHOP_NONE();
    printf("%d\\n", twice(argc));
    return 0;
}
"""
CLAUSES = """
shop$target:::sale { printf("sale %d\\n", (int)arg0); }
shop$target:::price-change { printf("%d %x %d %d\\n", (long)arg1, arg2, (short)arg4, arg5); }
shop$target:::none { printf("none\\n"); }
"""
STRICT = ("-Wall", "-Wextra", "-Werror")


def command(module: str, *words: str) -> CompletedProcess[str]:
    if module == "runtime.command":
        return atonce.run(["dtrace", *words])
    return run([sys.executable, "-m", module, *words], capture_output=True, text=True, check=False,
               timeout=100)


def compiling(program: str, *words: str) -> list[str]:
    """The command of gcc or g++ with these arguments; the test is skipped where gcc cannot do them."""
    if program == "gcc":
        found = compilers.building(words)
    else:
        found = [*compilers.cxx(), *words]
    if found is None:
        pytest.skip(f"no {program} {'-m32' if '-m32' in words else ''}: the header of notes with it")
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "shop.d").write_text(PROVIDER)
    (tmp_path / "main.c").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("flags", [
    ("gcc", "-O2"), ("gcc", "-O0", "-std=c99", "-pedantic", "-Wno-long-long"),
    ("gcc", "-O2", "-fPIC", "-m32"), ("g++", "-O2", "-x", "c++", "-std=c++17", "-pedantic")])
@pytest.mark.parametrize("linked", [False, True])
def test_program(folder: Path, flags: tuple[str, ...], linked: bool) -> None:
    """Probes fire with their arguments; one behind its semaphore only while it is traced."""
    assert command("runtime.command.sdtdtrace", "-h", "-s", "shop.d").returncode == 0
    words = compiling(*flags, *STRICT, "-o", "main", "main.c")
    if linked:
        model = ["-m32"] if "-m32" in flags else []
        flagged = [*model, "-fPIC", "-O2", "-g", "-k"]
        assert command("runtime.command.sdtdtrace", *flagged, "-G", "-sshop.d", "-o", "p.o").returncode == 0
        words += ["-x", "none", "p.o"]
    run(words, check=True)
    assert run(["./main"], check=True, capture_output=True, text=True).stdout == "2\n"
    (folder / "all.d").write_text(CLAUSES)
    done = command("runtime.command", "-x", "copyin=touch", "-qs", "all.d", "-c", "./main")
    assert [line for line in done.stdout.splitlines() if line not in ("2", "")] == [
        "sale 0", "sale 1", "sale 2", "-1 10000000000 -7 200", "sale 5", "none", "sale 1"], done.stderr
    alone = command("runtime.command", "-qn", "shop$target:::sale { @ = count(); }", "-c", "./main")
    assert alone.stdout.split() == ["2", "5"]


def test_object(folder: Path) -> None:
    """It has a semaphore for each probe, and nothing else."""
    assert command("runtime.command", "-G", "-x", "header=sdt", "-s", "shop.d", "-o", "p.o").returncode == 0
    shown = run(["readelf", "-sSW", "p.o"], capture_output=True, text=True, check=True).stdout
    names = [line.split()[-1] for line in shown.splitlines() if "HIDDEN" in line]
    assert names == ["shop_sale_semaphore", "shop_price__change_semaphore", "shop_none_semaphore"]
    assert ".probes" in shown and "SUNW_dof" not in shown


def test_types(folder: Path) -> None:
    """--types gives the arguments' types names."""
    command("runtime.command.sdtdtrace", "--types", "-h", "-s", "shop.d", "-o", "typed.h")
    source = "#include \"typed.h\"\nshop_sale_arg1 a = 1; shop_price__change_arg4 b = 1.5;\n"
    run(["gcc", "-c", "-xc", "-", "-o", "t.o"], input=source, text=True, check=True)


def test_comments(folder: Path) -> None:
    """Lines that begin with "#" are comments, as in libvirt's provider files, if no control lines."""
    (folder / "shop.d").write_text('# 1 "shop.d"\n#pragma D option quiet\n\t# file: main.c\n#\n' + PROVIDER)
    for mode in ("-h", "-G"):
        done = command("runtime.command.sdtdtrace", mode, "-s", "shop.d")
        assert (done.returncode, done.stderr) == (0, "")
    assert "there is no control line" in command("runtime.command", "-h", "-s", "shop.d").stderr


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="memory with a variable's name is x86's")
def test_where_arguments_lie(folder: Path) -> None:
    """Up to four arguments are never memory, which some tracers cannot name; more may be."""
    (folder / "shop.d").write_text("provider shop { probe four(int, int, int, int)"
                                   " probe five(int, int, int, int, int) }\n")
    assert command("runtime.command.sdtdtrace", "-h", "-s", "shop.d").returncode == 0
    (folder / "main.c").write_text('#include "shop.h"\nint a, b, c, d, e;\nint main(void)\n'
                                   "{ SHOP_FOUR(a, b, c, d); SHOP_FIVE(a, b, c, d, e); return 0; }\n")
    run(["gcc", "-O2", "main.c", "-o", "main"], check=True)
    lie = dict(arguments(folder / "main"))
    assert all(each.startswith("-4@%") for each in lie["four"].split()), lie
    assert len(lie["five"].split()) == 5


def arguments(file: Path) -> list[tuple[str, str]]:
    """The names and the arguments of a file's notes, in order."""
    shown = run(["readelf", "-nW", str(file)], capture_output=True, text=True, check=True).stdout
    return re.findall(r"Name: (\S+)\n.*\n\s+Arguments: *(.*)", shown)


def test_booleans(folder: Path) -> None:
    """bool is a type, as in QEMU's provider files."""
    (folder / "shop.d").write_text("provider shop { probe open(bool now, int number); };\n")
    (folder / "main.c").write_text("#include <stdbool.h>\n#include \"shop.h\"\n"
                                   "int main(int argc, char **argv)\n"
                                   "{ bool now = argc > 0; (void)argv; SHOP_OPEN(now, 7); return 0; }\n")
    assert command("runtime.command.sdtdtrace", "-h", "-s", "shop.d").returncode == 0
    run(["gcc", *STRICT, "-o", "main", "main.c"], check=True)
    traced = command("runtime.command", "-qn", 'shop$target:::open { printf("%d %d", args[0], args[1]); }',
                     "-c", "./main")
    assert (traced.stdout.strip(), traced.stderr) == ("1 7", "")


def test_turned_off(folder: Path) -> None:
    """-D_DTRACE_VERSION=0 leaves nothing of the probes."""
    command("runtime.command.sdtdtrace", "-h", "-s", "shop.d")
    run(["gcc", *STRICT, "-D_DTRACE_VERSION=0", "-Wno-unused-variable", "-Wno-unused-but-set-variable", "-o",
         "main", "main.c"], check=True)
    assert ".note.stapsdt" not in run(["readelf", "-SW", "main"], capture_output=True, text=True,
                                      check=True).stdout


def test_no_objects(folder: Path) -> None:
    """DTrace's own -G says what it lacks."""
    done = command("runtime.command", "-G", "-s", "shop.d", "-o", "p.o")
    assert done.returncode == 1 and not (folder / "p.o").exists()
    assert done.stderr == ("dtrace: failed to link script shop.d: give the objects that call the probes of "
                           "provider shop (for a header of notes, -x header=sdt)\n")


BY_HAND = """
#include <sys/sdt.h>
int main(int argc, char **argv)
{
    char text[] = "tea";
    short small = -3;
    (void)argv;
    DTRACE_PROBE(shop, open);
    DTRACE_PROBE2(shop, sale, argc, text);
    STAP_PROBE12(shop, many, 1, 2, 3, 4, 5, 6, 7, 8, small, (unsigned char)200, &small, argc);
    STAP_PROBE3(shop, fractions, argc + 0.5f, argc + 1.5, (long double)2.5);
    STAP_PROBEV(shop, counted, argc, text, small);
    __asm__ __volatile__("\\n" STAP_PROBE_ASM(shop, between, STAP_PROBE_ASM_TEMPLATE(2)) "\\n"
                         :: STAP_PROBE_ASM_OPERANDS(2, argc, text));
    __asm__ __volatile__(STAP_PROBE_ASM(shop, written, 4@%esp -4@4(%esp)));
    return 0;
}
"""
BY_HAND_CLAUSES = """
shop$target:::open { printf("open\\n"); }
shop$target:::sale,shop$target:::between { printf("%d %s\\n", arg0, copyinstr(arg1)); }
shop$target:::many { printf("%d %d %d %d\\n", arg7, args[8], args[9], *(short *)copyin(args[10], 2)); }
shop$target:::counted { printf("%d %s %d\\n", arg0, copyinstr(arg1), args[2]); }
"""


@pytest.mark.parametrize("flags", [("gcc", "-O2", "-std=c99", "-pedantic"), ("gcc", "-O0"),
                                   ("gcc", "-O2", "-m32"), ("gcc", "-O1", "-std=c89", "-pedantic"),
                                   ("g++", "-O2", "-x", "c++", "-std=c++98", "-pedantic"),
                                   ("g++", "-O0", "-x", "c++", "-std=c++17", "-pedantic")])
def test_probes_by_hand(folder: Path, flags: tuple[str, ...]) -> None:
    """What <sys/sdt.h> offers: a local array is in memory when its probe fires."""
    (folder / "sys").mkdir()
    assert command("runtime.command", "-x", "header=sys", "-h", "-o", "sys/sdt.h").returncode == 0
    (folder / "hand.c").write_text(BY_HAND)
    run(compiling(*flags, *STRICT, "-I.", "hand.c", "-o", "hand"), check=True)
    traced = command("runtime.command", "-qn", BY_HAND_CLAUSES, "-c", "./hand")
    assert ([line for line in traced.stdout.split("\n") if line], traced.stderr) == (
        ["open", "1 tea", "8 -3 200 -3", "1 tea -3", "1 tea"], "")
    assert dict(arguments(folder / "hand"))["written"] == "4@%esp -4@4(%esp)"
    if "-O0" not in flags:
        kinds = [each.partition("@")[0] for each in dict(arguments(folder / "hand"))["fractions"].split()]
        assert kinds == ["4f", "8f", "12f" if "-m32" in flags else "16f"]
    run(compiling(*flags, *STRICT, "-Wno-unused", "-Wno-unused-parameter", "-D_DTRACE_VERSION=0", "-I.", "-c",
                  "hand.c"), check=True)


def test_probes_in_assembler(folder: Path) -> None:
    """<sys/sdt.h> serves it, too; operands are the assembler's."""
    (folder / "sys").mkdir()
    command("runtime.command", "-x", "header=sys", "-h", "-o", "sys/sdt.h")
    (folder / "f.S").write_text("#include <sys/sdt.h>\n\tSTAP_PROBE2(shop, two, 8@$7, -4@$-8)\n"
                                "\tDTRACE_PROBE(shop, none)\n")
    for flags, found in (([], [("two", "8@$7 -4@$-8"), ("none", "")]), (["-D_DTRACE_VERSION=0"], [])):
        run(["gcc", *flags, "-I.", "-c", "f.S"], check=True)
        assert arguments(folder / "f.o") == found


@pytest.mark.parametrize("model", ["-m64", "-m32"])
def test_objects_are_listed(folder: Path, model: str) -> None:
    """The notes of an object that is not linked yet are of functions, in whatever sections these are."""
    (folder / "lib.c").write_text(
        '#include "shop.h"\nstatic int x(int n) { return n + 1; }\nint (*f)(int) = x;\n'
        "void buy(int n) { SHOP_SALE(n, 0); }\n"
        'void __attribute__((section(".text.sell"))) sell(int n) { SHOP_NONE(); SHOP_SALE(n, 0); }\n')
    command("runtime.command.sdtdtrace", "-h", "-s", "shop.d")
    run(compiling("gcc", "-O1", model, "-fno-pic", "-c", "lib.c"), check=True)
    rows = [line.split() for line in command("runtime.command", "-l", "lib.o").stdout.splitlines()[1:]]
    assert rows == [["1", "shop", "lib.o", "buy", "sale"], ["2", "shop", "lib.o", "sell", "none"],
                    ["3", "shop", "lib.o", "sell", "sale"]]
    rows = [line.split() for line in command("runtime.command", "-ln", "sale", "lib.o", "lib.o")
            .stdout.splitlines()[1:]]
    assert [(number, function) for number, _, _, function, _ in rows] == [
        ("1", "buy"), ("2", "sell"), ("3", "buy"), ("4", "sell")]


@pytest.mark.parametrize(("name", "reason"), [
    ("none.o", "No such file or directory"), ("text.o", "not an ELF file")])
def test_a_file_that_cannot_be_listed_is_told(folder: Path, name: str, reason: str) -> None:
    """The machine's own probes are not shown instead."""
    (folder / "text.o").write_text("text\n")
    done = command("runtime.command", "-l", name)
    assert (done.stdout, done.stderr) == ("", f"dtrace: failed to read {name}: {reason}\n")
    assert done.returncode == 1


def test_semaphores_of_a_library(folder: Path) -> None:
    """Its code is mapped before its data, where they are: in a program that a shell executes."""
    (folder / "lib.c").write_text('#include "shop.h"\n'
                                  "void sell(int n) { if (SHOP_SALE_ENABLED()) SHOP_SALE(n, 0); }\n")
    (folder / "use.c").write_text("void sell(int);\nint main(void) { sell(7); return 0; }\n")
    for mode in ("-h", "-G"):
        assert command("runtime.command.sdtdtrace", mode, "-s", "shop.d").returncode == 0
    run(["gcc", "-shared", "-fPIC", "-o", "libshop.so", "lib.c", "shop.o"], check=True)
    run(["gcc", "-o", "use", "use.c", "-L.", "-lshop", "-Wl,-rpath,$ORIGIN"], check=True)
    traced = command("runtime.command", "-Zqn", 'shop$target:::sale { printf("%d", arg0); }', "-c",
                     "sh -c 'exec ./use'")
    assert (traced.stdout.strip(), traced.stderr) == ("7", "")


def quickly(words: Sequence[str]) -> CompletedProcess[str]:
    return atonce.run(words) if words[0] == "dtrace" else provider_shapes.alone(words)


@pytest.mark.parametrize("name", provider_shapes.SHAPES)
def test_shapes_of_provider_files(folder: Path, name: str) -> None:
    """What large projects write; by turns the program is in C, C++, or for 32 bits."""
    flags = provider_shapes.COMPILERS[list(provider_shapes.SHAPES).index(name) % 3]
    shape, compiler = provider_shapes.SHAPES[name], compiling(*flags)
    program = "dtrace" if shape.d else "sdt-dtrace"
    assert list(provider_shapes.problems(shape, program, compiler, quickly)) == []


Sides = tuple[provider_files.Side, provider_files.Side | None]


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> Sides:
    return provider_files.sides(tmp_path_factory.mktemp("files"))


@pytest.mark.parametrize("seed", range(12))
def test_random_provider_files(seed: int, sides: Sides) -> None:
    """What SystemTap's dtrace takes, with the same probes in headers, objects and programs."""
    assert list(provider_files.differences(seed, *sides)) == []


COMMAND_LINES = {  # the status, and the file that is written
    "": (1, ""), "--help": (1, ""), "-V": (1, ""), "-h": (1, ""), "-s a.d": (1, ""), "-h -s": (1, ""),
    "-h -s a.d -o": (1, ""), "-h -x": (1, ""), "-l": (1, ""), "-Gs a.d": (1, ""), "-h -n foo -s a.d": (1, ""),
    "-h -s a.d": (0, "a.h"), "-G -s a.d": (0, "a.o"), "-h -G -s a.d": (0, "a.o"), "-G -h -s a.d": (0, "a.h"),
    "-h -s b/noext": (0, "noext.h"), "-G -s b/a.stp": (0, "a.o"), "-h -C -s c.d": (1, ""),
    "-h --types --no-pyparsing -k -32 -64 -fpic -fPIC -x nosuch=1 -s a.d -o x": (0, "x"),
    "-G -s a.d nowhere.o c.d -o x": (0, "x"), "-h -C -DX=1 -I. -s a.d -o x": (0, "x"),
    "-h -s empty.d": (0, "empty.h"), "-h -s prose.d -o x": (0, "x"), "-h -s a.d -o no/where": (1, "")}


@pytest.mark.parametrize("line", COMMAND_LINES)
def test_command_lines(folder: Path, line: str) -> None:
    """Exit status and outputs are SystemTap's."""
    (folder / "b").mkdir()
    texts = {"a.d": PROVIDER, "b/noext": PROVIDER, "b/a.stp": PROVIDER, "c.d": '#include "no.h"\n' + PROVIDER,
             "empty.d": "", "prose.d": "There is none.\n"}
    for name, text in texts.items():
        (folder / name).write_text(text)
    before = set(os.listdir())
    systemtap = [[found] for found in (provider_files.systemtap(),) if found and not line.startswith("-h -C")]
    for words in ([sys.executable, "-m", "runtime.command.sdtdtrace"], *systemtap):
        done = run([*words, *line.split()], capture_output=True, text=True, check=False)
        written = set(os.listdir()) - before
        assert (done.returncode, "".join(written)) == COMMAND_LINES[line], done.stderr
        assert "Traceback" not in done.stderr or words in systemtap
        for each in written:
            os.remove(each)


@pytest.mark.skipif(not Path("/usr/include/pthread.h").exists(), reason="no C headers: preprocessing them")
def test_what_c_says(folder: Path) -> None:
    """With -C a provider file is C to the preprocessor, not D, and may include any header."""
    there = ("defined(__linux__)", "defined(__GNUC__)", "__STDC_VERSION__ >= 199901L", "__STDC__",
             "__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__", "__SIZEOF_POINTER__ == 8", "__CHAR_BIT__ == 8",
             "X == 3")
    nowhere = "defined(__sun)", "defined(__SUNW_D)", "defined(_LITTLE_ENDIAN)", "defined(__APPLE__)", "Y == 2"
    included = "".join(f"#include <{each}.h>\n" for each in ("stdio", "pthread", "sys/types"))
    (folder / "shop.d").write_text(included + "".join(
        f"#if {test}\nprovider p{number} {{ probe q(pid_t x); }}\n#endif\n"
        for number, test in enumerate((*there, *nowhere))))
    flags = "-C", "-DX=3", "-DY=2", "-h", "-s", "shop.d", "-o", "shop.h"
    expected = {(f"P{number}_Q", 1) for number in range(len(there))}
    assert command("runtime.command.sdtdtrace", "-UY", *flags).returncode == 0
    assert provider_files.macros((folder / "shop.h").read_text()) == expected


def test_flags_that_builds_give(folder: Path) -> None:
    """Those of a compiler, and a switch with its argument in one word, are no obstacle."""
    flags = "-O2 -g -gstabs -Wall -pipe -pthread -std=c99 -mcmodel=large -m32 -xnolibs -f -DX -D Y -U Z -I ."
    done = command("runtime.command.sdtdtrace", "-G", *flags.split(), "-sshop.d", "-op.o")
    assert (done.returncode, done.stderr) == (0, "")
    assert ElfFile((folder / "p.o").read_bytes()).bits == 32
    for wrong in ("-m", "-q", "-Zh", "--version"):
        done = command("runtime.command.sdtdtrace", "-h", "-sshop.d", wrong)
        assert done.returncode == 1 and f" {wrong};" in done.stderr


def test_arguments_that_never_end(folder: Path) -> None:
    """Whoever forgets a parenthesis sees where."""
    (folder / "shop.d").write_text("provider shop {\n\tprobe sale(int;\n};\n")
    done = command("runtime.command.sdtdtrace", "-h", "-s", "shop.d")
    assert done.returncode == 1 and "line 2" in done.stderr and not (folder / "shop.h").exists()


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_objects_of_any_machine(folder: Path, machine: Machine) -> None:
    """The semaphores are for the machine of the first object that is there, in an archive or not."""
    providers = parse_probes(PROVIDER)
    flagged = machine._replace(flags=machine.flags | 0x100)
    (folder / "first.o").write_bytes(generate_semaphores(providers, flagged))
    words = "-G", "-sshop.d", "none.o", "main.c", "first.o", "-op.o"
    assert command("runtime.command.sdtdtrace", *words).returncode == 0
    made = ElfFile((folder / "p.o").read_bytes())
    assert (made.bits, made.order, made.machine, made.flags) == flagged


@pytest.mark.parametrize(("compiler", "flags", "name"), [
    ("riscv64-linux-gnu-gcc-12", "-O2", "riscv64"), ("ccache arm-linux-gnueabihf-gcc", "", "arm"),
    ("clang --target=powerpc64le-linux-gnu", "-g", "ppc64le"), ("clang", "-target s390x-linux-gnu", "s390x"),
    ("x86_64-linux-gnu-gcc", "-m32", "i386"), ("/usr/bin/aarch64-linux-gnu-gcc", "-m32", "aarch64"),
    ("i686-linux-gnu-gcc", "-m64 -m32", "i386")])
def test_the_compilers_machine(folder: Path, monkeypatch: pytest.MonkeyPatch, compiler: str, flags: str,
                               name: str) -> None:
    """Without objects the variables CC and CFLAGS say what they would be for."""
    monkeypatch.setenv("CC", compiler)
    monkeypatch.setenv("CFLAGS", flags)
    assert command("runtime.command.sdtdtrace", "-G", "-sshop.d", "-op.o").returncode == 0
    made = ElfFile((folder / "p.o").read_bytes())
    assert (made.machine, made.bits, made.order) == (
        MACHINES[name].number, MACHINES[name].bits, MACHINES[name].order)


def test_headers_of_one_provider(folder: Path) -> None:
    """Several parts of one provider, in files of one name, serve one source, as often as it includes them."""
    for part in ("a", "b"):
        (folder / part).mkdir()
        (folder / f"{part}.d").write_text(f"provider shop {{ probe common(int) probe {part}(int, long) }}\n")
        command("runtime.command.sdtdtrace", "-h", "-s", f"{part}.d", "-o", f"{part}/probes.h")
    (folder / "main.cc").write_text('#include "a/probes.h"\n#include "b/probes.h"\n#include "a/probes.h"\n'
                                    "int main() { SHOP_COMMON(1); SHOP_A(2, 3); SHOP_B(4, 5); }\n")
    run(compiling("g++", *STRICT, "main.cc", "-o", "main"), check=True)
    assert {name for name, _arguments in arguments(folder / "main")} == {"common", "a", "b"}
