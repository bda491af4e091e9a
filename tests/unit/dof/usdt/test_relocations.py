"""The relocations of provider objects, and the instructions of stubs, are those that an assembler makes."""

from __future__ import annotations

import re

import assembler
import pytest

from dof.elf import ElfFile
from dof.usdt.machines import INSTRUCTION_SETS, select

WORDS = {"amd64": ".quad", "i386": ".long", "arm64": ".xword", "sparc": ".word", "sparcv9": ".xword"}
STUBS = {  # a call that does nothing, and one that asks whether the probe at `here` is enabled
    "amd64": ("endbr64; pop r11; here: nop; push r11; ret",
              "endbr64; .byte 0x48, 0x33, 0xc0; here: nop; ret"),
    "i386": ("endbr32; pop ecx; here: nop; push ecx; ret", "endbr32; .byte 0x33, 0xc0; here: nop; ret"),
    "arm64": ("bti c; here: nop; ret", "bti c; here: mov x0, #0; ret"),
    "sparc": ("here: nop; retl; nop", "clr %o0; here: nop; retl; nop"),
    "sparcv9": ("here: nop; retl; nop", "clr %o0; here: nop; retl; nop")}


@pytest.mark.parametrize("machine", WORDS)
def test_relocations_of_words(machine: str) -> None:
    """A word that holds an address, and one that holds the distance to it."""
    text = f".globl there; .data; {WORDS[machine]} there - .; {WORDS[machine]} there"
    elf = ElfFile(assembler._object(machine, text))
    made = select(elf.machine, elf.bits)
    assert made is not None and made in INSTRUCTION_SETS.values()
    section, = (each for each in elf.sections if re.fullmatch(r"\.rela?\.data", each.name))
    relative, absolute = sorted(elf.relocations(section), key=lambda each: each.offset)
    assert (made.relative, made.absolute) == (relative.type, absolute.type)
    assert made.addends == (section.name == ".rela.data")
    assert (made.order, made.bits) == (elf.order, elf.bits)


@pytest.mark.parametrize("machine", STUBS)
def test_stubs(machine: str) -> None:
    for text, enabled in zip(STUBS[machine], (False, True), strict=True):
        elf = ElfFile(assembler._object(machine, text))
        made, table = select(elf.machine, elf.bits), elf.symbol_table()
        assert made is not None and table is not None
        code = bytes(next(elf.contents(each) for each in elf.sections if each.name == ".text"))
        here = next(each.value for each in elf.symbols(table) if each.name == b"here")
        stub = made.stub(enabled)
        assert (stub.code.hex(), stub.point) == (code.hex(), here)
