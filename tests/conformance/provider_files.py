"""Random provider files as projects write them: what sdt-dtrace makes of each, beside SystemTap's dtrace.

    python tests/conformance/provider_files.py [FILES] [FIRST SEED]

The generator knows which probes a file declares, and with how many arguments.  Both commands are to end with
the same status; our header is to have a macro for each probe, our object a semaphore; and a C program that
fires each probe is to have the same notes with either header, as readelf shows them: provider, name, and size
and sign of each argument.  Without SystemTap's dtrace, ours is compared with what the generator knows.
Where SystemTap's finds other probes than the file declares (it reads what it does not understand line by
line), only the status counts.  Status 1 if anything differs.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

# A type as a provider file spells it, and a value of it in a program.
TYPES = {
    "int": "i", "unsigned int": "u", "unsigned": "u", "long": "l", "unsigned long": "ul", "short": "s",
    "long long": "ll", "unsigned long long": "ull", "char": "c", "unsigned char": "uc", "signed char": "sc",
    "int8_t": "sc", "uint16_t": "us", "int32_t": "i", "uint64_t": "ull", "size_t": "ul", "uintptr_t": "ul",
    "bool": "uc", "_Bool": "uc", "double": "d", "float": "f", "int64": "ll", "mach_port_t": "u", "gint": "i",
    "pid_t": "i", "void *": "v", "char *": "t", "const char *": "ct", "char **": "tt", "string": "t",
    "struct item *": "v", "const struct item *": "cv", "struct item **": "tt", "FILE *": "v",
    "GObject *": "v", "unsigned char *": "ut", "const void *const": "cv", "uint8_t*": "ut",
    "union value *": "v"}
NAMES = ("x", "count", "name", "self", "this", "counter", "string", "probe_", "translator", "xlate", "key",
         "offset_", "inline_", "import", "len", "id", "stringof", "sizeof_", "userland", "arg0", "pid", "_")
PROBE_NAMES = ("start", "done", "query__start", "gc__done", "a__b__c", "lock_wait", "x1", "Mixed__Case",
               "entry", "self", "string", "counter", "io", "pop__", "object__new2")
BEFORE = (
    "", "/* A provider. */", "typedef struct item item_t;", "typedef unsigned int mach_port_t;",
    "struct item {\n\tint a;\n\tchar *b;\n};", "enum colour { RED, GREEN };",
    "#pragma D depends_on library procfs.d", "#include <sys/types.h>",
    "int twice(int x)\n{\n\treturn 2 * x;\n}", "// probes for all",
    "typedef struct {\n\tint number;\n\tchar name[16];\n} row_t;", "#define ITEM 1", "extern int used;",
)
AFTER = (
    "", "#pragma D attributes Evolving/Evolving/Common provider {name} provider",
    "#pragma D attributes Private/Private/Unknown provider {name} module", "#pragma D attributes x",
    "struct later {\n\tint a;\n};", "/* the end */", "// the end",
)
PROLOGUE = """\
static int i = -1; static unsigned u = 2; static long l = -3; static unsigned long ul = 4;
static short s = -5;
__extension__ static long long ll = -6; __extension__ static unsigned long long ull = 7;
static char c = 'c'; static unsigned char uc = 8; static signed char sc = -9; static unsigned short us = 10;
static double d = 1.5; static float f = 2.5f; static char text[] = "text"; static char *t = text, **tt = &t;
static const char *ct = text; static unsigned char *ut = (unsigned char *)text;
static void *v = text; static const void *cv = text;
int main(void)
{
    if (0) return *(char *)v + *ut + *ct + **tt + *(const char *)cv + i + u + l + ul + s + ll + ull + c + uc
        + sc + us + d + f;
"""


class Probe(NamedTuple):
    """A probe's name as C spells it, and the types of its arguments."""

    provider: str
    name: str
    types: tuple[str, ...]

    @property
    def macro(self) -> str:
        return f"{self.provider.upper()}_{self.name.replace('__', '_').upper()}"

    @property
    def call(self) -> str:
        return f"{self.macro}({', '.join(TYPES[each] for each in self.types)});"


def generated(seed: int) -> tuple[str, list[Probe]]:
    """A provider file's text, and the probes that it declares."""
    chance = random.Random(seed)
    text, probes = [], []
    for name in chance.sample(("shop", "lib2", "x__y", "Upper", "a_b_c"), chance.choice((1, 1, 1, 2, 3))):
        text += chance.sample(BEFORE, chance.choice((0, 1, 2)))
        found, lines = _provider(chance, name)
        probes += found
        text += lines
        text += [each.replace("{name}", name) for each in chance.sample(AFTER, chance.choice((0, 1, 5)))]
    return "\n".join(filter(None, text)) + "\n", probes


def _provider(chance: random.Random, name: str) -> tuple[list[Probe], list[str]]:
    ends = chance.choice((";", ";", ";", "", " ;"))
    opening = chance.choice((f"provider {name} {{", f"provider {name}\n{{", f"provider  {name}\t{{"))
    comments = chance.random() < 0.3
    probes, lines = [], []
    for spelled in chance.sample(PROBE_NAMES, chance.randint(1, 6)):
        types = tuple(chance.choices(list(TYPES), k=chance.choice((0, 1, 1, 2, 3, 4, 5, 8, 12))))
        probes.append(Probe(name, spelled, types))
        if comments:
            lines.append(chance.choice(("\t/* probe no(int a); */", "\t// probe no(int a);", "\t# a line")))
        separator = chance.choice((", ", ",", ",\n\t    "))
        listed = separator.join(_parameter(chance, each) for each in types)
        blank = chance.choice(("", "", " "))
        output = f" : ({listed})" if types and chance.random() < 0.1 else ""
        lines.append(f"\tprobe {spelled}{blank}({listed}){output}{ends}")
    return probes, [opening, *lines, chance.choice(("};", "};", "}", "} ;"))]


def _parameter(chance: random.Random, type_: str) -> str:
    if chance.random() < 0.4:
        return type_
    glue = "" if type_.endswith("*") else " "
    return type_ + glue + chance.choice(NAMES) + chance.choice(("",) * 9 + ("[4]",))


def program(probes: Sequence[Probe], guarded: bool) -> str:
    """A C program that fires each probe once."""
    calls = "".join(f"    if ({each.macro}_ENABLED()) {each.call}\n    {each.call}\n" if guarded else
                    f"    {each.call}\n" for each in probes)
    return f'#include "probes.h"\n{PROLOGUE}{calls}    return 0;\n}}\n'


def macros(header: str) -> set[tuple[str, int]]:
    """The function-like macros of probes that a header defines, with the number of their parameters."""
    found = re.findall(r"^#define\s+([A-Za-z]\w*)\(([^)]*)\)", header, re.MULTILINE)
    return {(name, len([each for each in given.split(",") if each.strip()])) for name, given in found
            if not name.endswith("_ENABLED")}


def notes(file: Path) -> list[tuple[str, ...]]:
    """Provider, name and kinds of arguments of each note of an object or a program, sorted."""
    shown = subprocess.run(["readelf", "-nW", str(file)], capture_output=True, text=True, check=True).stdout
    rows = re.findall(r"Provider: (\S+)\n\s+Name: (\S+)\n.*\n\s+Arguments: *(.*)", shown)
    return sorted((provider, name, *re.findall(r"(?:^| )(-?\d+f?)@", arguments))
                  for provider, name, arguments in rows)


def semaphores(file: Path) -> set[str]:
    shown = subprocess.run(["nm", str(file)], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in shown.splitlines() if line.endswith("_semaphore")}


class Side:
    """One of the two commands, in a directory of its own."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self.command = list(command)
        self.folder = folder
        folder.mkdir()

    def run(self, mode: str, output: str, *words: str) -> int | None:
        """The command's exit status; None if it does not end."""
        (self.folder / output).unlink(missing_ok=True)
        try:
            return subprocess.run([*self.command, mode, "-s", "probes.d", "-o", output, *words],
                                  cwd=self.folder, capture_output=True, timeout=20, check=False).returncode
        except subprocess.TimeoutExpired:
            return None

    def make(self, text: str) -> tuple[int | None, int | None]:
        """Write header and object of a provider file; returns both exit statuses."""
        (self.folder / "probes.d").write_text(text)
        return self.run("-h", "probes.h"), self.run("-G", "probes.o", "nowhere.o")

    def macros(self) -> set[tuple[str, int]]:
        return macros((self.folder / "probes.h").read_text())

    def build(self, source: str, flags: Sequence[str]) -> str:
        """Compile and link a program; returns what the compiler says against it."""
        (self.folder / "main.c").write_text(source)
        done = subprocess.run(["gcc", *flags, "main.c", "probes.o", "-o", "main"], cwd=self.folder,
                              capture_output=True, text=True, check=False)
        return done.stderr


FLAGS = (("-O0",), ("-O2",), ("-O2", "-fPIC"), ("-Os", "-std=c99"))


def differences(seed: int, ours: Side, theirs: Side | None) -> Iterator[str]:
    """What is wrong with our command for the file of a seed."""
    text, probes = generated(seed)
    statuses = ours.make(text)
    if statuses != (0, 0):
        yield f"our exit statuses are {statuses}"
        return
    expected = {(each.macro, len(each.types)) for each in probes}
    if ours.macros() != expected:
        yield f"macros: {sorted(ours.macros() ^ expected)}"
    if semaphores(ours.folder / "probes.o") != {f"{each.provider}_{each.name}_semaphore" for each in probes}:
        yield f"semaphores: {sorted(semaphores(ours.folder / 'probes.o'))}"
    flags, source = FLAGS[seed % len(FLAGS)], program(probes, guarded=seed % 3 == 0)
    said = ours.build(source, flags)
    if said:
        yield f"our program: {said}"
        return
    found = notes(ours.folder / "main")
    if {each[:2] for each in found} != {(each.provider, each.name) for each in probes}:
        yield f"notes: {found}"
    if theirs is None:
        return
    others = theirs.make(text)
    if others != statuses:
        yield f"SystemTap's exit statuses are {others}"
    elif theirs.macros() == expected and not theirs.build(source, flags):
        beside = notes(theirs.folder / "main")
        if beside != found:
            yield f"SystemTap's notes: {beside}\n  ours: {found}"


def systemtap() -> str | None:
    """SystemTap's dtrace; None where there is none."""
    path = shutil.which("dtrace", path="/usr/bin:/bin")
    try:
        return path if path and b"systemtap" in Path(path).read_bytes() else None
    except OSError:
        return None


def sides(folder: Path) -> tuple[Side, Side | None]:
    """Ours, and SystemTap's if it is there."""
    command = systemtap()
    return (Side([sys.executable, "-m", "runtime.command.sdtdtrace"], folder / "ours"),
            Side([command], folder / "theirs") if command else None)


def main(count: int = 200, first: int = 0) -> int:
    """Compare the files of seeds; returns the exit status."""
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = sides(Path(folder))
        for seed in range(first, first + count):
            for each in differences(seed, ours, theirs):
                wrong += 1
                print(f"seed {seed}: {each}\n{generated(seed)[0]}")
    print(f"{count} provider files, {wrong} differences"
          f"{'' if systemtap() else ' (from what they declare: there is no SystemTap)'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
