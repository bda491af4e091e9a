"""Indirect functions: symbols of type STT_GNU_IFUNC, such as memcpy in the GNU C library.

Such a symbol's value is a resolver, which the dynamic loader calls, as late as at the first use, to
learn which implementation it is to bind callers to.  Users mean that implementation by the name.  (The
names are those of <elf.h>; the scheme is Ulrich Drepper's and H. J. Lu's, in the x86-64 ABI, 4.5.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dof.elf import R_IRELATIVE, SHT_DYNSYM, SHT_REL, SHT_RELA
from runtime.kernel.base.errors import MemoryFault

if TYPE_CHECKING:
    from runtime.kernel.memory.addrspace import AddressSpace
    from runtime.providers.fasttrap.loadobjects import Function, LoadObject, ObjectFile

WORD, GLOB_DAT, JUMP_SLOT = 1, 6, 7  # of both machines


class Bindings:
    """Which words of an object the dynamic loader fills with the addresses of functions, by their
    symbol's name and, for the object's own indirect functions, by their resolver's address."""

    def __init__(self, file: ObjectFile) -> None:
        self.by_name: dict[str, list[int]] = {}
        self.by_resolver: dict[int, list[int]] = {}
        elf = file.elf
        table = next((section for section in elf.sections if section.type == SHT_DYNSYM), None)
        symbols = elf.symbols(table) if table is not None else []
        for section in elf.sections:
            if section.type not in (SHT_REL, SHT_RELA) or not section.address:
                continue
            for each in elf.relocations(section):
                if each.type == R_IRELATIVE.get(file.bits):
                    resolver = each.addend or _word(file, each.offset, file.bits)
                    self.by_resolver.setdefault(resolver, []).append(each.offset)
                elif each.type in (WORD, GLOB_DAT, JUMP_SLOT) and 0 < each.symbol < len(symbols):
                    name = symbols[each.symbol].name.decode("utf-8", "replace")
                    self.by_name.setdefault(name, []).append(each.offset)


def implementation(space: AddressSpace, objects: Sequence[LoadObject], owner: LoadObject,
                   resolver: Function) -> int | None:
    """The address that the name of `resolver`, in `owner`, is bound to already; None if it is not."""
    places = [(owner, offset) for offset in owner.file.bindings.by_resolver.get(resolver.start, ())]
    places += [(each, offset) for each in objects for name in resolver.names
               for offset in each.file.bindings.by_name.get(name, ())]
    for each, offset in places:
        address = _word(space, offset + each.bias, each.file.bits)
        if address != resolver.start + owner.bias and _is_text(owner, address - owner.bias):
            return address
    return None


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
