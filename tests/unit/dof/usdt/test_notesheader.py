"""-x header=sdt and sdt-dtrace: headers whose probes are notes, and the object with their semaphores."""

from __future__ import annotations

import sys
from pathlib import Path
from subprocess import CompletedProcess, run

import atonce
import compilers
import pytest

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


def test_where_arguments_lie(folder: Path) -> None:
    """Up to four arguments are never memory, which some tracers cannot name; more may be."""
    (folder / "shop.d").write_text("provider shop { probe four(int, int, int, int);"
                                   " probe five(int, int, int, int, int); };\n")
    done = command("runtime.command.sdtdtrace", "-h", "-s", "shop.d", "-o", "/dev/stdout")
    assert (done.stdout.count('"nr" (_dtrace_arg'), done.stdout.count('"nor" (_dtrace_arg')) == (4, 5)


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
    return 0;
}
"""
BY_HAND_CLAUSES = """
shop$target:::open { printf("open\\n"); }
shop$target:::sale { printf("%d %s\\n", arg0, copyinstr(arg1)); }
shop$target:::many { printf("%d %d %d %d\\n", arg7, args[8], args[9], *(short *)copyin(args[10], 2)); }
"""


@pytest.mark.parametrize("flags", [("gcc", "-O2", "-std=c99", "-pedantic"), ("gcc", "-O0"),
                                   ("gcc", "-O2", "-m32"),
                                   ("g++", "-O2", "-x", "c++", "-std=c++11", "-pedantic")])
def test_probes_by_hand(folder: Path, flags: tuple[str, ...]) -> None:
    """What <sys/sdt.h> offers: a local array is in memory when its probe fires."""
    (folder / "sys").mkdir()
    assert command("runtime.command", "-x", "header=sys", "-h", "-o", "sys/sdt.h").returncode == 0
    (folder / "hand.c").write_text(BY_HAND)
    run(compiling(*flags, *STRICT, "-I.", "hand.c", "-o", "hand"), check=True)
    traced = command("runtime.command", "-qn", BY_HAND_CLAUSES, "-c", "./hand")
    assert (traced.stdout.split("\n")[:3], traced.stderr) == (["open", "1 tea", "8 -3 200 -3"], "")
    run(compiling(*flags, *STRICT, "-Wno-unused", "-Wno-unused-parameter", "-D_DTRACE_VERSION=0", "-I.", "-c",
                  "hand.c"), check=True)


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
