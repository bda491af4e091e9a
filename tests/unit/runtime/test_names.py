"""Names of places in programs: linkage stubs, stripped files, Rust's symbols, calls that never return."""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path
from subprocess import PIPE, run
from types import SimpleNamespace
from typing import Any

import assembler
import pytest
import zigcc

import runtime.symbols as symbols_module
from dof.elf import ElfFile
from runtime.consumer.events.stacks import UserFrame, placed
from runtime.consumer.events.symbols import Mapped, NoSymbols, Symbol
from runtime.ioctl.hostsymbols import HostMapping
from runtime.kernel.base.budgets import Budgets, Limits
from runtime.kernel.base.kernelfunctions import KFUNCTIONS, SLOT
from runtime.kernel.kernel import Kernel
from runtime.programs import rustnames, symboltable, usertypes
from runtime.programs.demangle import Demangler
from runtime.programs.symboltable import SymbolTable
from runtime.programs.usertypes import PROCESS
from runtime.symbols import MachineSymbols, ProgramSymbols

sys.path.insert(0, str(Path(__file__).parent))

from rust_names import Names

SOURCE = """
#include <stdio.h>
#include <stdlib.h>
__asm__(".globl bare\\nbare: ret\\n");
extern void bare(void);
__attribute__((noinline)) static int hidden(int n) { return n * 3 + rand(); }
int main(int argc, char **argv)
{
	bare();
	free(malloc(argc));
	printf("%d %p\\n", hidden(argc), (void *)free);
	return atexit(bare);
}
"""
RUST = {  # of RFC 2603 and of what compilers have made
    "_RNvNtCs1234_7mycrate3foo3bar": "mycrate::foo::bar",
    "_RNvMs_Cs4Cv8Wi1oAIB_7mycrateNtB4_7Example3foo": "<mycrate::Example>::foo",
    "_RNvXCs15kBYyAo9fc_7mycrateNtB2_7ExampleNtB2_5Trait3foo": "<mycrate::Example as mycrate::Trait>::foo",
    "_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_": "cc::spawn::{closure#0}::{closure#0}",
    "_RINvNtC3std3mem8align_ofdE": "std::mem::align_of::<f64>",
    "_RNvC6_123foo3bar": "123foo::bar",
    "_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y":
        "utf8_idents::საჭმელად_გემრიელი_სადილი",
    "_RINbNbCskIICzLVDPPb_5alloc5alloc8box_freeDINbNiB4_5boxed5FnBoxuEp6OutputuEL_ECs1iopQbuBiw2_3std":
        "alloc::alloc::box_free::<dyn alloc::boxed::FnBox<(), Output = ()>>",
    "_RMC0INtC8arrayvec8ArrayVechKj7b_E": "<arrayvec::ArrayVec<u8, 123>>",
    "_RIC0Kc76_E": "::<'v'>",
    "_RINvC1t3ptrFG_KClRL0_hExEB2_": "t::ptr::<for<'a> extern \"C\" fn(i32, &'a u8) -> i64>",
    "_RNvC9backtrace3foo.llvm.A5310EB9": "backtrace::foo",
    "_RINvC1a3fooL_E": "a::foo::<'_>",
    "_RNvC9backtrace3foo.cold": "backtrace::foo.cold",
    "_RNvC3foo9bar": "_RNvC3foo9bar",  # the name is cut short
    "_RIC0FG_RL0_hEu": "_RIC0FG_RL0_hEu",
    "_RNvB_1a": "_RNvB_1a",  # refers to itself
    "_R": "_R",
    "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE": "core::fmt::Write::write_fmt",
}
RUST_CONSTANTS = {  # what stands behind "_RIC0", and up to "E": of RFC 2603 and what amends it
    "KRe616263_": '"abc"', "KRe225c0a27_": '"\\"\\\\\\n\'"',
    "Ke616263_": '{*"abc"}', "KRRe616263_": '{&"abc"}',
    "KRAE": "{&[]}", "KRAh1_h2_h3_E": "{&[1, 2, 3]}", "KQh1_": "{&mut 1}",
    "KTE": "{()}", "KTh7_E": "{(7,)}", "KTh7_b1_E": "{(7, true)}",
    "KVC1tU": "{t}", "KVC1tTh1_h2_E": "{t(1, 2)}", "KVC1tS1xh1_s_1yb0_E": "{t { x: 1, y: false }}",
    "Kan7f_": "-127", "Kxn10_": "-16", "Ko123456789abcdef01_": "0x123456789abcdef01",
    "Kyffffffffffffffff_": "18446744073709551615", "Kc10ffff_": r"'\u{10ffff}'", "Kc27_": r"'\''",
    "Kcd7ff_": r"'\u{d7ff}'", "Kce000_": r"'\u{e000}'", "Kc0_": r"'\0'", "Kca_": r"'\n'", "Kce9_": "'é'",
    "Kc1f600_": "'😀'", "Ki_": "0", "Kin_": "-0",
    "RL_h": "&u8", "QL_h": "&mut u8", "PhOh": "*const u8, *mut u8", "Su": "[()]", "Ahj2_": "[u8; 2]",
    "ThE": "(u8,)", "TE": "()", "ThtE": "(u8, u16)", "FUKCEu": 'unsafe extern "C" fn()',
    "FK5a_bcdEh": 'extern "a-bcd" fn() -> u8', "DC1TINtC1a1bhEEL_": "dyn T + a::b<u8>",
    "DC1TEL_": "dyn T", "DC1Tp1xhEL_": "dyn T<x = u8>", "DIC1ThEp1xhEL_": "dyn T<u8, x = u8>",
}
MORE_THAN_BRIEF = re.compile(r": (?:[iu](?:8|16|32|64|128|size)|bool|char)(?=[],>])|(?<=\w)\[[0-9a-f]+\]")
NOT_RUST = ("_RIC0Kc110000_E", "_RIC0Kcd800_E", "_RIC0KReff_E", "_RIC0KRe616_E", "_RIC0KRe61E", "_RIC0Kb2_E",
            "_RIC0KhA_E", "_RIC0Kh1E", "_RIC0Kpu0E", "_RIC0KhgE", "_RIC0KkE", "_RIC0KVC1tXE", "_RNvC1a",
            "_RIC0Ah_E", "_RYhC1TG", "_RIC0DG_C1TL0_EL_E", "_RIC0FKC1x", "_RIC0DC1TE", "_RNSC1as0_", "_RNC1a",
            "_RNvC1au5_ab_0_", "_R1C1a", "_RIC0L0_E", "_RIC0RL0_hE", "_RIC0FG_RL1_hEuE")


def read(path: str) -> bytes | None:
    return Path(path).read_bytes() if Path(path).is_file() else None


def build(folder: Path, *flags: str) -> str:
    source, program = folder / "names.c", folder / "names"
    source.write_text(SOURCE)
    run(["gcc", *flags, "-o", str(program), str(source)], check=True)
    return str(program)


@pytest.mark.parametrize(("name", "plain"), RUST.items())
def test_rust(name: str, plain: str) -> None:
    assert Demangler().demangle(name) == plain


def test_rust_as_another_tool_has_it() -> None:
    """Random names, and the first parts of them; c++filt tells crates' hashes and constants' types, too."""
    writer, draw = Names(1), random.Random(1)
    whole = [name for name in (writer.name() for _ in range(2000)) if len(name) < 300]
    names = [*whole, *(name[:draw.randrange(2, len(name))] for name in whole)]
    asked = "".join(f"{name}\n" for name in names)
    text = run(["c++filt", "-s", "rust"], input=asked, stdout=PIPE, text=True, check=True).stdout
    plain = [None if found == name else MORE_THAN_BRIEF.sub("", found)
             for name, found in zip(names, text.splitlines(), strict=True)]
    assert plain.count(None) > 1000
    assert {name: rustnames.demangle(name) for name in names} == dict(zip(names, plain, strict=True))


def test_older_names_of_rust() -> None:
    """Random parts of paths, as c++filt has them; it leaves the hash, and shows ASCII only."""
    escapes = ("SP", "BP", "RF", "LT", "GT", "LP", "RP", "C", "u1", "XX", "u", "uzz", "",
               *(f"u{code:x}" for code in b" '~[]{};+\""))
    draw, pieces = random.Random(2), ("a", "1", "_", ".", "..", "$", "Vec", *map("${}$".format, escapes))
    parts = ["".join(draw.choice(pieces) for _ in range(draw.randrange(1, 6))) for _ in range(3000)]
    names = ["".join(f"{len(part)}{part}" for part in parts[at:at + 3]) for at in range(0, 3000, 3)]
    hashed = [f"_ZN{name}17h0123456789abcdef{'E'}" for name in names if "00" not in name]
    text = run(["c++filt", "-s", "rust"], input="\n".join(hashed), stdout=PIPE, text=True, check=True).stdout
    told = [line.removesuffix("::h0123456789abcdef") for line in text.splitlines()]
    assert [Demangler().demangle(name) for name in hashed] == told
    for escape, plain in (("ue9", "é"), ("u1f600", "😀"), ("uffff", "\uffff"), ("u7f", None), ("ud800", None),
                          ("u9f", None), ("ua0", "\xa0"), ("u110000", None)):
        part = f"_$u7b$$u7b$closure$u7d$$u7d$${escape}$"
        assert Demangler().demangle(f"_ZN3std{len(part)}{part}17h0123456789abcdefE") == \
            f"std::{{{{closure}}}}{plain or f'${escape}$'}"


def test_constants_and_types_of_rust() -> None:
    assert {text: rustnames.demangle(f"_RIC0{text}E") for text in RUST_CONSTANTS} == {
        text: f"::<{plain}>" for text, plain in RUST_CONSTANTS.items()}
    assert {name: rustnames.demangle(name) for name in NOT_RUST} == dict.fromkeys(NOT_RUST)


def test_how_deep_types_of_rust_may_lie() -> None:
    """200 levels: the path and its type are two."""
    for count in (196, 197, 198, 199, 250):
        plain = f"::<{'&' * count}u8>" if count <= 198 else None
        assert rustnames.demangle(f"_RIC0{'R' * count}hE") == plain, count


@pytest.mark.parametrize("name", [
    "_R" + "Nv" * 3000 + "C1a" + "1b" * 3000, "_RIC1a" + "R" * 3000 + "hE", "_RIC1aFG" + "z" * 20 + "_EuE",
    "_RINvC1a1bTThhETB8_B8_ETBb_Bb_EEE"[:-1], "_RNvC1au5_ab_0_"])
def test_senseless_rust(name: str) -> None:
    assert Demangler().demangle(name) == name


def relocated(program: str) -> list[tuple[str, str]]:
    """The symbols of a program's relocations, and in which sections these are, as readelf has them."""
    found, section = [], ""
    for line in run(["readelf", "-rW", program], stdout=PIPE, text=True, check=True).stdout.splitlines():
        if line.startswith("Relocation section"):
            section = line.split("'")[1]
        elif len(words := line.split()) > 4 and words[2].startswith("R_"):
            found.append((words[4].partition("@")[0], section))
    return found


@pytest.mark.parametrize("flags", [("-Wl,-z,lazy",), ("-Wl,-z,now",), ("-no-pie",),
                                   ("-fcf-protection=full", "-Wl,-z,ibtplt")])
def test_stubs(flags: tuple[str, ...], tmp_path: Path) -> None:
    """Every stub has the name that objdump gives it; code without a type has its own."""
    program = build(tmp_path, "-O1", *flags)
    table = SymbolTable(program, Path(program).read_bytes(), read)
    elf = ElfFile(Path(program).read_bytes())
    relocations = relocated(program)
    listing = run(["objdump", "-d", program], stdout=PIPE, text=True, check=True).stdout
    stubs = re.findall(r"^([0-9a-f]+) <(\w+@plt)>:$", listing, re.MULTILINE)
    assert len(stubs) >= 3
    for address, name in stubs:
        entry = table.find(int(address, 16))
        assert entry is not None and (entry.value, entry.name) == (int(address, 16), name)
    section = elf.section(".plt")
    names = [name for name, where in relocations if where == ".rela.plt"]
    if section is not None and ".plt.sec" in {each.name for each in elf.sections}:
        for at, name in enumerate(names, 1):  # what the stubs above jump to, before they are bound
            entry = table.find(section.address + 16 * at + 15)
            assert entry is not None and entry.name == f"{name}@plt"
    bare = re.search(r"^([0-9a-f]+) <bare>:$", listing, re.MULTILINE)
    assert bare is not None
    entry = table.find(int(bare[1], 16))
    assert entry is not None and entry.name == "bare"


def test_what_maps_code_is_no_function(tmp_path: Path) -> None:
    """AArch64's $x and $d tell code from data; a label without a type has its own name."""
    program = tmp_path / "program"
    assembler.link(program, "arm64", "_start: nop; bare: nop; .quad 1; nop")
    data = program.read_bytes()
    entry = ElfFile(data).entry
    table = SymbolTable(str(program), data, read)
    found = [table.find(entry + offset) for offset in (0, 4, 16)]
    assert [each.name for each in found if each is not None] == ["_start", "bare", "bare"]


@pytest.mark.parametrize("order", [1, -1])
def test_of_several_names_for_one_address(order: int, tmp_path: Path) -> None:
    """One with a size, then the fewest underscores, then the shortest, then the first of the alphabet."""
    program = tmp_path / "program"
    pairs = (("_long", "bare"), ("longest", "_few"), ("few", "many"), ("a", "b"))
    text = "_start: nop; .type bare, @function; "
    for pair in pairs:
        text += "".join(f".globl {name}; {name}: " for name in pair[::order]) + "nop; " + "".join(
            f".type {name}, @function; .size {name}, 4; " for name in pair if name != "bare")
    assembler.link(program, "arm64", text)
    data = program.read_bytes()
    table, entry = SymbolTable(str(program), data, read), ElfFile(data).entry
    found = [table.find(entry + offset) for offset in range(4, 4 + 4 * len(pairs), 4)]
    assert [each.name for each in found if each is not None] == [best for best, _ in pairs]


@pytest.mark.parametrize(("flags", "size"), [
    (("-pie",), 16), (("-pie", "-z", "pac-plt"), 24), (("-pie", "-z", "force-bti"), 24),
    (("-z", "force-bti", "-z", "pac-plt"), 24)])
def test_stubs_of_arm(flags: tuple[str, ...], size: int, tmp_path: Path) -> None:
    """Each of their instructions has the name; the size is of the linker's making, and stands nowhere."""
    names = [f"f{number}" for number in range(9)]
    (tmp_path / "library.s").write_text("".join(f".type {name}, %function\n.globl {name}\n{name}: ret\n"
                                                for name in names))
    (tmp_path / "program.s").write_text(".globl _start\n_start: " + "\n".join(f"bl {name}" for name in names)
                                        + "\nadrp x0, f4\nadd x0, x0, :lo12:f4\n" * ("-pie" not in flags))
    zig, target = str(zigcc.zig()), assembler.TARGETS["arm64"]
    for name, linking in (("library", ["-shared"]), ("program", [*flags, "library"])):
        for words in ("clang", *target, "-c", f"{name}.s", "-o"), ("ld.lld", *linking, "-o", name):
            run([zig, *words, f"{name}.o"], cwd=tmp_path, check=True, stderr=PIPE)
    program = tmp_path / "program"
    elf = ElfFile(program.read_bytes())
    table = SymbolTable(str(program), elf.data, read)
    stubs, bound = elf.section(".plt"), elf.section(".rela.plt")
    assert stubs is not None and bound is not None
    symbols = elf.symbols(elf.section_at(bound.link))
    for number, relocation in enumerate(elf.relocations(bound)):
        start = stubs.address + 32 + size * number  # behind what binds them
        found = [table.find(start + offset) for offset in range(0, size, 4)]
        assert {(entry.name, entry.value) for entry in found if entry is not None} == \
            {(f"{symbols[relocation.symbol].name.decode()}@plt", start)}
    assert number == len(names) - 1


@pytest.mark.parametrize(("place", "right"), [("", True), (".debug", True), ("", False)])
def test_debug_link(place: str, right: bool, tmp_path: Path) -> None:
    """Static functions of a stripped file are found where .gnu_debuglink says, if it is the right file."""
    program = build(tmp_path, "-O1", "-g", "-Wl,--build-id=none")
    table = SymbolTable(program, Path(program).read_bytes(), read)
    address = next(entry.value for entry in table.entries if entry.name == "hidden")
    debug = tmp_path / place / "names.debug"
    debug.parent.mkdir(exist_ok=True)
    run(["objcopy", "--only-keep-debug", program, str(debug)], check=True)
    run(["strip", program], check=True)
    run(["objcopy", f"--add-gnu-debuglink={debug}", program], check=True)
    if not right:
        debug.write_bytes(debug.read_bytes() + b"\0")
    entry = SymbolTable(program, Path(program).read_bytes(), read).find(address)
    assert (entry.name if entry is not None else None) == ("hidden" if right else None)


def test_pages_of_two_segments(tmp_path: Path) -> None:
    """A page of the file may be mapped twice, as the end of the text and the beginning of the data."""
    program = build(tmp_path, "-Wl,-z,noseparate-code", "-Wl,-z,norelro")
    kernel = Kernel()
    symbols = MachineSymbols(lambda: kernel)
    process = kernel.spawn([program])
    base = process.space.areas[0].start
    found = 0
    for each in SymbolTable(program, Path(program).read_bytes(), read).entries:
        symbol = symbols.user(process.pid, base + each.value)
        if symbol is not None:
            assert (symbol.name, symbol.value) == (each.name, base + each.value)
            found += 1
    assert found > 10
    kernel.close()


def test_the_first_and_the_last_function_of_the_kernel() -> None:
    kernel = Kernel()
    symbols = MachineSymbols(lambda: kernel)
    ordered = sorted(KFUNCTIONS.values(), key=lambda function: function.address)
    for each in (ordered[0], ordered[-1]):
        for address in (each.address, each.address + SLOT - 1):
            found = symbols.kernel(address)
            assert found is not None and (found.name, found.value) == (each.name, each.address)
            first = min(other.address for other in ordered if other.module == each.module)
            assert symbols.kernel_module(address) == Mapped(each.module, first)
    assert symbols.kernel_module(ordered[0].address - 1) is None
    assert symbols.kernel(ordered[0].address - 1) is symbols.kernel(ordered[-1].address + SLOT) is None
    kernel.close()


def test_call_that_never_returns() -> None:
    """What such a call would return to may be the next function's; but not so after a signal."""
    class Symbols(NoSymbols):
        def user(self, pid: int, address: int) -> Symbol | None:
            for name, start, end in (("die", 0, 16), ("caller", 16, 32), ("next", 32, 48),
                                     ("__restore_rt", 48, 64)):
                if start <= address < end:
                    return Symbol("prog", name, start, end - start)
            return None

    def names(*addresses: int) -> list[str]:
        return [symbol.name if symbol else "" for _, symbol, _ in
                placed(1, [UserFrame(each) for each in addresses], Symbols())]

    assert names(4, 32, 40) == ["die", "caller", "next"]
    assert names(32, 32) == ["next", "caller"]
    assert names(4, 48, 32, 32) == ["die", "__restore_rt", "next", "caller"]


@pytest.mark.parametrize(("words", "address", "slot"), [
    ((0xB0000010, 0xF9400E11), 0x1000, 0x2018),  # adrp x16, the next page; ldr x17, [x16, #24]
    ((0xD503245F, 0xB0000010, 0xF9400E11), 0xFFC, 0x2018),  # behind bti: adrp stands in the next page
    ((0xD503245F, 0xB0000010, 0xF9400E11), 0xFF8, 0x1018),
    ((0xF0FFFFF0, 0xF9400211), 0x5678, 0x4000),  # the page before
    ((0x90000010, 0xF97FFE11), 0x5678, 0x5000 + 8 * 0xFFF), ((0xB0000011, 0xF9400E11), 0x1000, None),
    ((0xB0000010, 0xF9400E12), 0x1000, None), ((0xB0000010,), 0x1000, None), ((), 0x1000, None)])
def test_the_slot_of_a_stub_on_aarch64(words: tuple[int, ...], address: int, slot: int | None) -> None:
    """A stub begins at the code's first word; one that leads to no known slot is none."""
    code = b"".join(word.to_bytes(4, "little") for word in words)
    for ending in (b"", b"\0\0"):
        found = list(symboltable._stubs_arm64(code + ending, address, {slot or 0x2018: "f"}))
        assert found == ([(address, address + 16, 16, "f@plt")] if slot is not None else [])
        assert list(symboltable._stubs_arm64(code + ending, address, {})) == []


@pytest.mark.parametrize(("module", "targets", "found"), [
    (f"{PROCESS}7", [], 7), (f"{PROCESS}7", [5], 7), (PROCESS, [5, 6], 5), (PROCESS, [], None),
    ("a", [], None), (f"{PROCESS}x", [8], (8, f"{PROCESS}x")),
    ("xyz12", [8], (8, "xyz12")), ("1234567", [8], (8, "1234567")),
    ("", [7, 8], (8, "a.out")), ("none", [8], None)])
def test_which_types_a_module_means(module: str, targets: list[int], found: object) -> None:
    """A number: those of that process; a pair: those of an object of it."""
    own: Any = SimpleNamespace(_process=lambda pid: pid, _object=lambda pid, name: (
        (pid, name) if pid == 8 and name != "none" else None))
    assert usertypes.UserTypes.scope(own, module, targets) == found


class Played(ProgramSymbols):
    """The symbols of process 7, whose files have the tables that a test gives them."""

    def __init__(self, areas: list[HostMapping]) -> None:
        super().__init__(lambda: Budgets(Limits()))
        self.areas, self.tables = areas, dict[str, Any]()

    def _areas(self, pid: int) -> list[HostMapping]:
        return self.areas if pid == 7 else []

    def _object(self, path: str) -> Any:
        return self.tables.get(path)


AREAS = [HostMapping(0x1000, 0x2000, b"/bin/a", 0, False), HostMapping(0x2000, 0x3000, b"", 0, True),
         HostMapping(0x3000, 0x4000, b"/bin/a", 0x1000, True),
         HostMapping(0x5000, 0x6000, b"/lib/b", 0, False)]


@pytest.mark.parametrize(("pid", "address", "mapped", "symbol"), [
    (7, 0xFFF, None, None), (7, 0x1000, ("a", 0x1000, False), None),
    (7, 0x1FFF, ("a", 0x1000, False), ("a", "f", 0x1F00, 256)), (7, 0x2000, None, None),
    (7, 0x3000, ("a", 0x1000, True), None), (7, 0x3F80, ("a", 0x1000, True), ("a", "f", 0x3F00, 256)),
    (7, 0x4000, None, None), (7, 0x5FFF, ("b", 0x5000, False), None), (7, 0x6000, None, None),
    (8, 0x1000, None, None)])
def test_addresses_of_programs(pid: int, address: int, mapped: tuple[str, int, bool] | None,
                               symbol: tuple[str, str, int, int] | None) -> None:
    """Each in the area that holds it; an object begins where its first area does."""
    played = Played(AREAS)
    entry = SimpleNamespace(name="f", value=0xF00, size=256)
    played.tables["/bin/a"] = SimpleNamespace(
        bias=lambda start, _address: start if start != 0x2000 else 0x3000,
        find=lambda at: entry if 0xF00 <= at < 0x1000 else None)
    assert played.user_mapping(pid, address) == (None if mapped is None else Mapped(*mapped))
    assert played.user(pid, address) == (None if symbol is None else Symbol(*symbol))


def test_an_object_without_a_bias_has_no_symbols() -> None:
    played = Played(AREAS)
    played.tables["/bin/a"] = SimpleNamespace(bias=lambda _start, _address: None, find=lambda at: 1 / 0)
    assert played.user(7, 0x1000) is None


@pytest.mark.parametrize(("name", "plain"), [
    ("_ZN1a1bEv", "a::b()"), ("_ZN1a1bEv@plt", "a::b()@plt"), ("main", "main"), ("main@plt", "main@plt"),
    ("_Znonsense", "_Znonsense"), ("_", "_")])
def test_names_as_programmers_wrote_them(name: str, plain: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when so many are remembered that all are forgotten."""
    played = Played([])
    monkeypatch.setattr(symbols_module, "MOST_NAMES", 1)
    assert [played._plain(each) for each in (name, "_ZN1c1dEv", name)] == [plain, "c::d()", plain]
    assert len(played._demangled) == 1


def test_mappings_of_processes_that_have_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the last ones are kept."""
    monkeypatch.setattr(symbols_module, "MOST_ENDED", 2)
    kernel: Any = SimpleNamespace(process=lambda pid: SimpleNamespace(space=None) if pid == 1 else None)
    symbols = MachineSymbols(lambda: kernel)
    for pid in (1, 2, 3):
        space = SimpleNamespace(areas=(f"of {pid}",))
        thread: Any = SimpleNamespace(process=SimpleNamespace(pid=pid, space=space))
        symbols._remember(thread, 0)
    thread = SimpleNamespace(process=SimpleNamespace(pid=4, space=None))
    symbols._remember(thread, 0)
    assert [symbols._areas(pid) for pid in (1, 2, 3, 4)] == [[], ["of 2"], ["of 3"], []]
