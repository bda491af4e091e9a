"""Kernel addresses that mean something in one instance alone.

Where kernels are of one version, an address that a symbol covers means the same in each of them.  Any other
one is marked where it is recorded: its second highest bit is cleared, which no address of a processor has.
Each hop gives marked addresses of its children marked numbers of its own, so that equal ones of two instances
stay apart, and the way back to the instance is known.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from dof.model import ActionKind
from runtime.border import RecDesc
from runtime.instances.wire.verbs import Verb

FIRST_MARKED = 0b10 << 62
_WORD = struct.Struct("<Q")
_BIT = 1 << 62
_LOOKED_UP: dict[int, Verb] = {ActionKind.SYM: Verb.KERNEL_SYMBOL, ActionKind.MOD: Verb.KERNEL_MODULE,
              ActionKind.STACK: Verb.KERNEL_SYMBOL}

Places = tuple[tuple[int, Verb], ...]


def is_marked(address: int) -> bool:
    return address >> 62 == 0b10


def marked(address: int) -> int:
    """A kernel's address, marked."""
    return address & ~_BIT


def unmarked(address: int) -> int:
    return address | _BIT


def is_kernels(address: int) -> bool:
    """Whether it is an address of the kernel's half."""
    return address >> 62 == 0b11


def places_of(records: tuple[RecDesc, ...]) -> Places:
    """Where, counted from the start of a record, kernel addresses lie, and what looks them up."""
    found: list[tuple[int, Verb]] = []
    for record in records:
        if record.action == ActionKind.STACK:
            depth = record.arg & 0xFFFFFFFF
            if not depth or record.size != 8 * depth:
                continue
            found += [(record.offset + 8 * n, Verb.KERNEL_SYMBOL) for n in range(depth)]
        elif record.action in _LOOKED_UP and record.size == 8:
            found.append((record.offset, _LOOKED_UP[record.action]))
    return tuple(found)


def change(data: bytearray, places: Places, base: int, new: Callable[[int, Verb], int]) -> None:
    """Replace the addresses in one record, which begins at `base`."""
    for place, verb in places:
        address, = _WORD.unpack_from(data, base + place)
        if address:
            _WORD.pack_into(data, base + place, new(address, verb))
