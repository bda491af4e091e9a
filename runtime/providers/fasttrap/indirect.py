"""Indirect functions of a process: which implementation the dynamic loader has bound a name to.

Users mean that implementation by the name (see runtime.programs.objectfile).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from runtime.programs.objectfile import Function, LoadObject, word

if TYPE_CHECKING:
    from runtime.kernel.memory.addrspace import AddressSpace


def implementation(space: AddressSpace, objects: Sequence[LoadObject], owner: LoadObject,
                   resolver: Function) -> int | None:
    """The address to which the loader has bound the name of `resolver`, in `owner`; None if not yet."""
    places = [(owner, offset) for offset in owner.file.bindings.by_resolver.get(resolver.start, ())]
    places += [(each, offset) for each in objects for name in resolver.names
               for offset in each.file.bindings.by_name.get(name, ())]
    for each, offset in places:
        address = word(space, offset + each.bias, each.file.bits)
        if address != resolver.start + owner.bias and _is_text(owner, address - owner.bias):
            return address
    return None


def _is_text(each: LoadObject, address: int) -> bool:
    """Whether it is code, and not the stub that calls the loader before the first use."""
    return bool(each.file.code(address, 1)) and not any(
        section.name.startswith(".plt") and section.address <= address < section.address + section.size
        for section in each.file.elf.sections)
