"""What is read of ELF files, as readelf tells it: functions with their names, relocations, code."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from subprocess import PIPE, run

import assembler
import compilers
import pytest

from dof.elf import ElfFile
from runtime.kernel.base.errors import MemoryFault
from runtime.programs.objectfile import LoadObject, ObjectFile, library_glob
from runtime.programs.recent import Recent
from runtime.programs.symbolsearch import SymbolSearch

SOURCE = """
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "indirect.h"
static int first(int n) { return n + 1; }
__attribute__((noinline)) static int hidden(int n) { if (n > 99) abort(); return n * 3 + rand(); }
extern int a_visible(int) __attribute__((alias("visible")));
int __visible(int) __attribute__((weak, alias("visible")));
int visible(int n) { return hidden(n) + first(n); }
int (*table[])(const char *) = { puts, atoi };
int chosen_one(void) { return 1; }
static __attribute__((used)) void *choose(void) { return chosen_one; }
INDIRECT(int, chosen, (void), choose);
int main(int argc, char **argv)
{
	char copy[64];
	memcpy(copy, argv[0], argc);
	free(malloc(argc));
	return table[0](copy) + visible(argc) + chosen() + (int)sqrt(argc);
}
"""
FLAGS = {"plain": ("-O1",), "lazy": ("-O0", "-Wl,-z,lazy"), "now": ("-O2", "-Wl,-z,now", "-no-pie"),
         "static": ("-O1", "-static"), "i386": ("-O1", "-m32"),
         "fixed": ("-O1", "-m32", "-no-pie"), "library": ("-O1", "-shared", "-fPIC")}
BINDING = re.compile(r"R_(X86_64|386)_(64|32|GLOB_DAT|JUMP_SLOT?)$")


def built(name: str, folder: Path) -> str:
    source, program = folder / "object.c", str(folder / name)
    source.write_text(SOURCE)
    command = compilers.building([*FLAGS[name], "-o", program, str(source), "-lm"])
    if command is None:
        pytest.skip(f"no compiler for {name}: what is read of its programs")
    run(command, check=True, capture_output=True)
    return program


def rows(program: str, what: str) -> list[list[str]]:
    text = run(["readelf", "-W", what, program], stdout=PIPE, text=True, check=True).stdout
    return [line.split() for line in text.splitlines()]


@pytest.mark.parametrize("name", FLAGS)
def test_as_readelf_has_it(name: str, tmp_path: Path) -> None:
    program = built(name, tmp_path)
    file = ObjectFile(program, Path(program).read_bytes(), None)
    named: dict[str, set[tuple[int, int]]] = defaultdict(set)
    resolvers: dict[int, set[str]] = defaultdict(set)
    for row in rows(program, "--symbols"):  # number, value, size, type, binding, visibility, section, name
        if len(row) < 8 or row[6] == "UND" or not row[0].removesuffix(":").isdigit():
            continue
        symbol, value = row[7].partition("@")[0], int(row[1], 16)
        if row[3] == "FUNC" and ".cold" not in symbol:
            named[symbol].add((value, int(row[2], 0)))
        elif row[3] == "IFUNC":
            resolvers[value].add(symbol)
    found = {symbol: {(each.start, each.size) for each in functions}
             for symbol, functions in file.by_name.items()}
    whole = {symbol: places for symbol, places in named.items() if all(size for _, size in places)}
    assert {symbol: found.get(symbol) for symbol in whole} == whole and len(whole) > 5
    assert {each.start: set(each.names) for each in file.indirect} == resolvers
    indirect = set().union(*resolvers.values())
    for symbol in ("visible", "a_visible", "__visible", "main", "no_such_function", "chosen_one", "chosen"):
        fresh = ObjectFile(program, file.elf.data, None)
        assert [(each.start, each.size, sorted(each.names)) for each in fresh.named(symbol)] == \
            [(each.start, each.size, sorted(each.names)) for each in file.by_name.get(symbol, [])]
        assert bool(fresh.resolvers(symbol)) == (symbol in indirect)
    visible = file.by_name["visible"][0]
    assert visible.name == "visible"  # and not __visible, nor a_visible, which is longer
    for each in file.functions:
        inside, last = file.function_at(each.start), file.function_at(each.start + each.size - 1)
        assert inside is not None and last is not None and inside.start == each.start
        assert not each.contains(each.start - 1) and each.contains(each.start)
    assert file.function_at(file.functions[0].start - 1) is None
    assert file.function_at(max(each.start + each.size for each in file.functions)) is None
    code = run(["objcopy", "-O", "binary", "--only-section=.text", program, "/dev/stdout"], stdout=PIPE,
               check=True).stdout
    text = file.elf.section(".text")
    assert text is not None and file.code(text.address, len(code)) == code
    assert file.code(visible.start, 5) == code[visible.start - text.address:][:5]


@pytest.mark.parametrize("name", FLAGS)
def test_words_that_the_loader_fills(name: str, tmp_path: Path) -> None:
    program = built(name, tmp_path)
    bindings = ObjectFile(program, Path(program).read_bytes(), None).bindings
    expected: dict[str, set[int]] = defaultdict(set)
    resolved: dict[int, set[int]] = defaultdict(set)
    data = Path(program).read_bytes()
    for row in rows(program, "--relocs"):  # offset, info, type, the symbol's value, its name (or the addend)
        if len(row) < 3 or not row[2].startswith("R_"):
            continue
        if row[2].endswith("IRELATIVE") and len(row) > 3:
            resolved[int(row[3], 16)].add(int(row[0], 16))
        elif row[2].endswith("IRELATIVE"):
            at = int(row[0], 16)
            where = ObjectFile(program, data, None).read(at, 4)
            resolved[int.from_bytes(where, "little")].add(at)
        elif BINDING.match(row[2]) and len(row) > 4:
            expected[row[4].partition("@")[0].removesuffix("()")].add(int(row[0], 16))
    assert {symbol: set(places) for symbol, places in bindings.by_name.items()} == expected
    assert {resolver: set(places) for resolver, places in bindings.by_resolver.items()} == resolved
    assert set(resolved) <= bindings.resolvers


def test_what_was_asked_for_last_is_kept() -> None:
    """As many as there may be, and as much as there is room for."""
    made: list[str] = []

    def make(path: str) -> str:
        made.append(path)
        return path

    def asked(recent: Recent[str], paths: str) -> str:
        made.clear()
        assert [recent.get(path) for path in paths.split()] == paths.split()
        return " ".join(made)

    few = Recent(make, 100, lambda _path: 1, most=2)
    assert asked(few, "a b a b") == "a b"
    assert asked(few, "c b a") == "c a"
    roomy = Recent(make, 6, len)
    assert asked(roomy, "aaa bbb aaa") == "aaa bbb"
    assert asked(roomy, "c aaa bbb") == "c bbb"
    assert asked(roomy, "tremendous tremendous aaa tremendous") == "tremendous aaa tremendous"


COLD = """
#include <stdlib.h>
__attribute__((cold, noinline)) void fails(int n) { exit(n); }
int parts(int n) { if (__builtin_expect(n == 77, 0)) { fails(n); fails(n + 1); } return n * 5; }
__attribute__((noinline)) static int inner(int n) { if (__builtin_expect(n == 7, 0)) fails(1); return n * 3; }
int main(int argc, char **argv) { return parts(argc) + inner(argc); }
"""


@pytest.mark.parametrize("flags", [(), ("-m32",)], ids=str)
def test_parts_that_are_moved_out(flags: tuple[str, ...], tmp_path: Path) -> None:
    """A cold part belongs to its function, and is none itself."""
    program = tmp_path / "cold"
    command = compilers.building(["-O2", *flags, "-xc", "-", "-o", str(program)])
    if command is None:
        pytest.skip("no compiler for it: what is moved out of a function's code")
    run(command, input=COLD, text=True, check=True, capture_output=True)
    symbols = {row[7]: (int(row[1], 16), int(row[2], 0)) for row in rows(str(program), "--symbols")
               if len(row) == 8 and row[3] == "FUNC" and row[6] != "UND"}
    cold = {name.removesuffix(".cold"): place for name, place in symbols.items() if name.endswith(".cold")}
    if "parts" not in cold:
        pytest.skip("a compiler that moves nothing out: what becomes of such parts")
    file = ObjectFile(str(program), program.read_bytes(), None)
    assert not [name for name in file.by_name if ".cold" in name]
    for name in ("parts", "inner", "main", "fails"):
        function, = file.named(name)
        assert function.cold == ([cold[name]] if name in cold else [])
        for start, size in (symbols[name], *([cold[name]] if name in cold else ())):
            asked = (start - 1, start, start + size - 1, start + size)
            inside = [any(at <= each < at + length for at, length in ((function.start, function.size),
                                                                      *function.cold)) for each in asked]
            assert [function.contains(each) for each in asked] == inside and inside[1:3] == [True, True]


SIZELESS = """
_start: nop; nop
.type first, @function
first: nop; nop; nop
.type second, @function; .size second, 8
second: nop; nop
.type within, @function
within: nop; nop; nop; nop
.type third, @function
third: nop
.section .more, "ax"
nop; nop
.type last, @function
last: nop; nop; nop
.type empty, @function
empty:
"""


@pytest.mark.parametrize(("machine", "nop"), [("amd64", 1), ("i386", 1), ("arm64", 4)])
def test_functions_without_a_size(machine: str, nop: int, tmp_path: Path) -> None:
    """One reaches to the next, or to its section's end; in another it is a label; at the end it is none."""
    program = tmp_path / "program"
    text = SIZELESS.replace(".size second, 8", f".size second, {4 * nop}")
    assembler.link(program, machine, text)
    file = ObjectFile(str(program), program.read_bytes(), None)
    values = {row[7]: int(row[1], 16) for row in rows(str(program), "--symbols")
              if len(row) == 8 and row[3] == "FUNC"}
    expected = {"first": 3, "second": 4, "third": 1, "last": 3}
    assert {each.name: (each.start, each.size) for each in file.functions} == {
        name: (values[name], count * nop) for name, count in expected.items()}
    for name in ("first", "second", "third", "last", "within", "empty"):
        found = ObjectFile(str(program), file.elf.data, None).named(name)
        assert [(each.start, each.size) for each in found] == (
            [(values[name], expected[name] * nop)] if name in expected else [])


@pytest.mark.parametrize("name", FLAGS)
def test_what_segments_hold(name: str, tmp_path: Path) -> None:
    """Each byte that the file has for an address, none before and behind; code, if it can be executed."""
    program = built(name, tmp_path)
    data = Path(program).read_bytes()
    file = ObjectFile(program, data, None)
    loads = [(int(row[1], 0), int(row[2], 0), int(row[4], 0), "E" in row[6:-1])
             for row in rows(program, "--segments") if row[:1] == ["LOAD"]]
    assert len(loads) > 1
    for offset, address, size, runs in loads:
        assert file.read(address, size) == data[offset:offset + size]
        assert file.read(address + size - 1, 1) == data[offset + size - 1:offset + size]
        assert file.read(address, 0) == file.read(address + size, 0) == b""
        others = [(start, start + length) for _, start, length, _ in loads if start != address]
        for start in (address - 1, address + size):
            if not any(low <= start < high for low, high in others):
                with pytest.raises(MemoryFault):
                    file.read(start, 1)
        with pytest.raises(MemoryFault):
            file.read(address, size + 1)
        inside = data[offset:offset + size] if runs else b""
        assert file.code(address, size) == inside and file.code(address, size + 100) == inside
        assert file.code(address + 3, 5) == inside[3:8] and file.code(address + size - 1, 5) == inside[-1:]
        page = offset & -4096
        assert (file.address_at(page) == address + page - offset) or not runs
    outside = max(address + size for _, address, size, _ in loads) + 4096
    assert file.code(outside, 1) == b"" and file.address_at(len(data) + 8192) is None


# static ones have no table of their frames
@pytest.mark.parametrize("name", ["plain", "i386", "fixed", "library"])
def test_functions_without_symbols(name: str, tmp_path: Path) -> None:
    """As the frames that readelf shows describe them: from the first to the last byte."""
    program = built(name, tmp_path)
    run(["strip", program], check=True)
    file = ObjectFile(program, Path(program).read_bytes(), None)
    text = run(["readelf", "--debug-dump=frames", program], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"pc=(\w+)\.\.(\w+)", text)
    ranges = sorted({(int(low, 16), int(high, 16)) for low, high in found})
    assert len(ranges) > 5
    for low, high in ranges:
        for place in (low, (low + high) // 2, high - 1):
            told = file.described(place)
            assert told is not None
            assert (told.name, told.start, told.size) == (f"{low:#x}", low, high - low)
        behind = file.described(high)
        assert behind is None or behind.start == high
    assert file.described(ranges[0][0] - 1) is None


@pytest.mark.parametrize(("name", "answers"), [
    ("libc.so.6", "libc libc.so libc.so.6"), ("libc-2.31.so", "libc libc-2.31 libc-2.31.so"),
    ("libc++.so", "libc++ libc++.so"), ("program", "program a.out")])
def test_what_a_module_may_be_called(name: str, answers: str, tmp_path: Path) -> None:
    assembler.write_program(tmp_path / name, "amd64", "nop")
    file = ObjectFile(name, (tmp_path / name).read_bytes(), None)
    words = f"{answers} lib libc libc.s libc.so libm libm.so.6 program a.out so .so".split()
    loaded = LoadObject(file, name, 0, name == "program")
    assert {word for word in words if loaded.answers_to(word)} == set(answers.split())


@pytest.mark.parametrize(("module", "glob"), [
    ("libm", "libm.so*"), ("libm.so", "libm.so*"), ("plugin.so", "plugin.so*"), ("libm.so.6", "libm.so.6"),
    ("program", "program")])
def test_what_a_library_to_come_may_be_called(module: str, glob: str) -> None:
    assert library_glob(module) == glob


@pytest.mark.parametrize("name", ["plain", "i386"])
def test_a_symbol_that_is_searched_is_that_of_the_table(name: str, tmp_path: Path) -> None:
    program = built(name, tmp_path)
    elf = ElfFile(Path(program).read_bytes())
    section = elf.section(".symtab")
    assert section is not None
    symbols, search = elf.symbols(section), SymbolSearch(elf, section)
    assert any(each.other for each in symbols)
    for each in symbols:
        assert each in search.named(each.name) and each in search.at({each.value})


@pytest.mark.parametrize("name", ["plain", "now", "library"])
def test_addresses_of_symbols(name: str, tmp_path: Path) -> None:
    """Of every type, but defined."""
    program = built(name, tmp_path)
    file = ObjectFile(program, Path(program).read_bytes(), None)
    values: dict[str, set[int]] = defaultdict(set)
    for row in rows(program, "--symbols"):
        if len(row) == 8 and row[0].removesuffix(":").isdigit() and row[6] != "UND" and "@" not in row[7]:
            values[row[7]].add(int(row[1], 16))
    assert len(values) > 20
    for symbol, places in values.items():
        assert file.symbol_address(symbol) in places
    assert [file.symbol_address(symbol) for symbol in ("malloc", "nothing", "ma")] == [None] * 3
