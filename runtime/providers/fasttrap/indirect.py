"""Indirect functions: symbols of type STT_GNU_IFUNC, such as memcpy in the GNU C library.

Such a symbol's value is a resolver, which the dynamic loader calls, as late as at the first use, to
learn which implementation it is to bind callers to.  Users mean that implementation by the name.  (The
names are those of <elf.h>; the scheme is Ulrich Drepper's and H. J. Lu's, in the x86-64 ABI, 4.5.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dof.elf import SHT_DYNSYM, SHT_REL, SHT_RELA
from runtime.kernel.memory import MemoryFault

if TYPE_CHECKING:
    from dof.elf import ElfFile, Relocation
    from runtime.kernel.addrspace import AddressSpace
    from runtime.providers.fasttrap.objects import Function, LoadObject, ObjectFile

IRELATIVE = {32: 42, 64: 37}  # R_386_IRELATIVE, R_X86_64_IRELATIVE
WORD, GLOB_DAT, JUMP_SLOT = 1, 6, 7  # of both machines


def implementation(space: AddressSpace, objects: Sequence[LoadObject], each: LoadObject,
                   resolver: Function) -> int | None:
    """The address that the name of `resolver`, in `each`, is bound to already; None if it is not."""
    for candidate in (*_own(space, each, resolver), *_others(space, objects, resolver)):
        if candidate != resolver.start + each.bias and _is_text(each, candidate - each.bias):
            return candidate
    return None


def _own(space: AddressSpace, each: LoadObject, resolver: Function) -> Iterator[int]:
    """What the words are that the loader filled in by calling the resolver for the object itself."""
    file = each.file
    for relocation, _name in _relocations(file.elf):
        if relocation.type == IRELATIVE[file.bits] and resolver.start == (
                relocation.addend or _word(file, relocation.offset, file.bits)):
            yield _word(space, relocation.offset + each.bias, file.bits)


def _others(space: AddressSpace, objects: Sequence[LoadObject], resolver: Function) -> Iterator[int]:
    """What the words are that refer to the symbol from any object."""
    names = {name.encode() for name in resolver.names}
    for each in objects:
        for relocation, name in _relocations(each.file.elf):
            if name in names and relocation.type in (WORD, GLOB_DAT, JUMP_SLOT):
                yield _word(space, relocation.offset + each.bias, each.file.bits)


def _relocations(elf: ElfFile) -> Iterator[tuple[Relocation, bytes]]:
    """Those for the dynamic loader, each with its symbol's name."""
    table = next((section for section in elf.sections if section.type == SHT_DYNSYM), None)
    symbols = elf.symbols(table) if table is not None else []
    for section in elf.sections:
        if section.type in (SHT_REL, SHT_RELA) and section.address:
            for relocation in elf.relocations(section):
                known = 0 < relocation.symbol < len(symbols)
                yield relocation, symbols[relocation.symbol].name if known else b""


def _word(where: AddressSpace | ObjectFile, address: int, bits: int) -> int:
    """In memory; or in the file, where it is the addend that tables without addends lack."""
    try:
        return int.from_bytes(where.read(address, bits // 8), "little")
    except MemoryFault:
        return 0


def _is_text(each: LoadObject, address: int) -> bool:
    """Whether it is code, and not the stub that calls the loader before the first use."""
    return bool(each.file.code(address, 1)) and not any(
        section.name.startswith(".plt") and section.address <= address < section.address + section.size
        for section in each.file.elf.sections)
