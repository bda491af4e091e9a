"""The probes of any ELF file, and files that are broken."""

from __future__ import annotations

import contextlib
import random
import subprocess
import sys
from pathlib import Path

import compilers
import pytest
from usdt_programs import INT, MAIN, OTHER, TEXT, Toolchain, providers

from dof.elf import ElfError, ElfFile
from dof.format import DofError
from dof.usdt import reading, stapsdt
from dof.usdt.definition import ProbeDefinition, ProviderDefinition
from dof.usdt.instructions import InstructionSet

# an int and a pointer, as a function gets them
FIRST_TWO = {"x86-64": "-4@%edi 8@%rsi", "aarch64": "-4@x0 8@x1"}


@pytest.fixture
def program(toolchain: Toolchain) -> str:
    objects = [toolchain.compile("main.c", MAIN), toolchain.compile("other.c", OTHER)]
    return toolchain.program(*objects, toolchain.link_probes(*objects))


def test_dof_and_notes_tell_the_same(program: str) -> None:
    with open(program, "rb") as file:
        elf = ElfFile(file.read())
    dof = {(each.provider, each.name): set(each.sites) for each in reading.from_dof(elf) if each.sites}
    notes = {(each.provider, each.name): set(each.sites) for each in reading.from_notes(elf)}
    assert set(dof) == set(notes)
    for each in reading.from_notes(elf):
        assert len(each.operands) == len(each.sites)
        if each.name == "hit":
            assert each.native == ["int32_t", "uint64_t"]
            assert each.operands[0] == FIRST_TWO[compilers.HOST]
    assert all(each.source == "dof" for each in reading.probes_of(program))


def test_notes_alone_are_found(toolchain: Toolchain, program: str) -> None:
    bare = toolchain.path("bare")
    toolchain.run("objcopy", "--remove-section=.SUNW_dof", program, bare)
    found = reading.probes_of(bare)
    assert {each.source for each in found} == {"stapsdt"}
    assert {each.name for each in found} == {"hit", "many", "both", "dashed-name"}
    assert {each.function for each in found if each.name == "dashed-name"} == {"main"}


def test_the_command_lists_files(program: str) -> None:
    done = subprocess.run([sys.executable, "-m", "runtime.command", "-lv", "-n", "prov:::dash*", program],
                          capture_output=True, text=True, timeout=30)
    assert done.returncode == 0
    assert "prov" in done.stdout and "dashed-name" in done.stdout and "second" not in done.stdout
    assert "Identifier Names: Private" in done.stdout


def test_relocatable_objects_have_offsets(toolchain: Toolchain) -> None:
    objects = [toolchain.compile("main.c", MAIN), toolchain.compile("other.c", OTHER)]
    found = reading.probes_of(toolchain.link_probes(*objects))
    assert {each.name for each in found} == {"hit", "many", "both", "dashed-name"}


@pytest.mark.parametrize("seed", range(6))
def test_broken_files_end_in_an_error_or_a_list(program: str, tmp_path: Path, seed: int) -> None:
    random.seed(seed)
    whole = Path(program).read_bytes()
    broken = tmp_path / "broken"
    for _ in range(40):
        data = bytearray(whole)
        if random.random() < 0.4:
            del data[random.randrange(len(data)):]
        for _ in range(random.randrange(1, 30)):
            if data:  # anywhere, or in the headers at the end
                last = random.randrange(min(2500, len(data))) + 1
                data[random.choice((random.randrange(len(data)), len(data) - last))] = random.randrange(256)
        broken.write_bytes(data)
        with contextlib.suppress(ElfError, DofError):
            reading.probes_of(str(broken))


def test_a_note_that_passes_its_section(toolchain: Toolchain) -> None:
    note, at = stapsdt.build("p", "q", "", 64, address=0, semaphore=0)
    assert len(note) % 4 == 0 and at == 20
    toolchain.providers = [ProviderDefinition("one", [ProbeDefinition("hit", [INT, TEXT])])]
    toolchain.header()
    part = toolchain.compile("part.c", '#include "prov.h"\nvoid f(void) { ONE_HIT(1, "x"); }\n')
    path = Path(toolchain.link_probes(part))
    elf = ElfFile(path.read_bytes())
    section = elf.section(".note.stapsdt")
    assert section is not None
    elf.edit(section)[4:8] = b"\xff\xff\0\0"
    path.write_bytes(elf.save())
    with pytest.raises(ElfError):
        reading.probes_of(str(path))


def test_arguments_of_every_machine() -> None:
    from dof.usdt.aarch64 import AArch64
    from dof.usdt.i386 import I386
    from dof.usdt.x86_64 import X86_64
    many = providers()[0].probes[1].native
    double = INT._replace(type="double", size=8, signed=False, floating=True)
    assert X86_64().operands([*many], False).split() == [
        "-8@%rdi", "-8@%rsi", "-8@%rdx", "-8@%rcx", "-8@%r8", "-8@%r9", "-8@0(%rsp)", "-8@8(%rsp)"]
    assert X86_64().operands([INT, double, INT._replace(size=1, signed=False)], True) == \
        "-4@%edi 8f@%xmm0 1@%sil"
    assert I386().operands([INT, double, INT], False) == "-4@0(%esp) 8f@4(%esp) -4@12(%esp)"
    assert I386().operands([INT], True) == "-4@4(%esp)"
    assert AArch64().operands([*many, many[0], many[0]], False).split(" ", 8)[8] == "-8@[sp, 0] -8@[sp, 8]"
    assert AArch64().operands([double, INT], False) == "8f@d0 -4@x0"
    in_registers = " ".join(f"8f@%xmm{number}" for number in range(8))
    assert X86_64().operands([double] * 9 + [INT], False) == f"{in_registers} 8f@0(%rsp) -4@%edi"
    assert X86_64().operands([double] * 9 + [INT] * 7, True) \
        == f"{in_registers} 8f@8(%rsp) -4@%edi -4@%esi -4@%edx -4@%ecx -4@%r8d -4@%r9d -4@16(%rsp)"
    assert AArch64().operands([double] * 9, False).split(" ", 8)[8] == "8f@[sp, 0]"


def test_a_call_may_begin_where_its_section_does_and_end_where_it_does() -> None:
    from dof.elf import Relocation
    from dof.usdt.x86 import PLT32, call_site

    call = b"\xe8\0\0\0\0"
    for code, offset in ((call, 1), (b"\x90" + call, 2), (call + b"\x90", 1)):
        site = call_site(code, Relocation(offset, 0, PLT32, -4), b"", frozenset())
        assert site is not None
        assert (site.start, site.code, site.tail) == (offset - 1, b"\x90" * 5, False)
    assert call_site(call, Relocation(0, 0, PLT32, -4), b"", frozenset()) is None
    assert call_site(call, Relocation(2, 0, PLT32, -4), b"", frozenset()) is None


def test_sites_that_an_earlier_run_made_are_found() -> None:
    from dof.elf import Relocation
    from dof.usdt.aarch64 import CALL26, JUMP26, AArch64
    from dof.usdt.i386 import I386
    from dof.usdt.sparc import WDISP30, Sparc
    from dof.usdt.x86 import PLT32
    from dof.usdt.x86_64 import X86_64

    rows: list[tuple[InstructionSet, str, int, int]] = [  # a machine, a call, and its relocation
        (X86_64(), "e800000000", 1, PLT32), (X86_64(), "e900000000", 1, PLT32),
        (I386(), "e8fcffffff", 1, PLT32), (I386(), "e9fcffffff", 1, PLT32),
        (AArch64(), "00000094", 0, CALL26), (AArch64(), "00000014", 0, JUMP26),
        (Sparc(32), "4000000001000000", 0, WDISP30), (Sparc(64), "4000000001000000", 0, WDISP30)]
    for machine, call, at, kind in rows:
        for enabled in (False, True):
            code = bytearray.fromhex(call)
            made = machine.site(code, Relocation(at, 0, kind, -4), enabled)
            if made is None:
                assert kind == JUMP26 and enabled  # a jump that has a result
                continue
            assert machine.replaced(bytes(8), 0, enabled) is None
            code[made.start:made.start + len(made.code)] = made.code
            found = machine.replaced(code, made.start, enabled)
            assert found is not None and made.code.startswith(found.code)
            assert found._replace(code=made.code) == made, (machine.name, enabled)


def test_a_tail_call_with_arguments_on_the_stack_needs_a_stub() -> None:
    from dof.usdt.x86_64 import X86_64
    double = INT._replace(type="double", size=8, signed=False, floating=True)
    for arguments, needs in (([double] * 8 + [INT] * 6, False), ([double] * 9, True), ([INT] * 7, True),
                             ([], False)):
        assert X86_64().tail_needs_stub(arguments, False) is needs
        assert not X86_64().tail_needs_stub(arguments, True)


def test_a_sparc_call_may_end_where_its_section_does() -> None:
    from dof.elf import Relocation
    from dof.usdt.sparc import NOP, WDISP30, Sparc

    call, slot = bytes.fromhex("40000000"), NOP.to_bytes(4, "big")
    for code, offset in ((call + slot, 0), (slot + call + slot, 4), (call + slot + slot, 0)):
        for enabled in (False, True):
            site = Sparc(64).site(code, Relocation(offset, 0, WDISP30, 0), enabled)
            assert site is not None
            assert (site.start, site.point) == (offset, offset + 4)
            made = code[:offset] + site.code + code[offset + 8:]
            again = Sparc(64).replaced(made, offset, enabled)
            assert again is not None and again.code == site.code
        assert Sparc(64).replaced(code, offset, True) is None
    assert Sparc(64).site(call, Relocation(0, 0, WDISP30, 0), False) is None
    assert Sparc(64).replaced(call + call, 0, False) is None


@pytest.mark.parametrize(("operand", "is_one"), [(0x15, True), (0x90, True), (0x93, True), (0x97, True),
                                                 (0x94, False), (0x10, False), (0x50, False), (0xA4, False)])
def test_a_call_through_memory_is_one_with_a_displacement_of_32_bits(operand: int, is_one: bool) -> None:
    from dof.elf import Relocation
    from dof.usdt.x86 import call_site

    def made(code: bytes, at: int, kind: int) -> bool:
        return call_site(code, Relocation(at, 0, kind, -4), b"", frozenset((41,))) is not None

    call = bytes([0xFF, operand]) + bytes(4)
    assert made(call, 2, 41) is made(b"\x90" + call, 3, 41) is is_one
    assert not (made(call, 2, 42) or made(call, 2, 2) or made(call[1:], 1, 41)
                or made(b"\xfe" + call[1:], 2, 41))
