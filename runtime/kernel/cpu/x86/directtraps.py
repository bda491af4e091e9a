"""Traps that machine code leads to what a tracer does there: an accelerator, which CALLED_TRAPS leaves out.

A trap that is hit often gets a callback of its own.  The callback for exceptions searches a table, which
tells where the thread goes on, and that callback.  All other traps come to one that looks them up.
"""

from __future__ import annotations

import ctypes
import mmap
import struct

from dif.arithmetic import MASK
from dif.records import NamedTuple
from runtime.kernel.base.traps import Hit, Traps
from runtime.kernel.memory.physical import PAGE

ENTRIES = 1024  # of a table; each has four words: the trap's address, where the thread goes on, the callback
WORDS = 4
NONE = MASK  # no trap's address
_MARKS = tuple(struct.pack("<Q", number) for number in range(0x2000000000000001, 0x2000000000000005))
# The callback for exceptions; numbers stand for the places of the program counter and of the table's address,
# and for the callbacks of all other traps and of other exceptions.  A trap's address chooses its entry.
# amd64: cmp esi, 3; jne others; movabs rcx, 0x2000000000000001; mov rax, [rcx]; dec rax; mov rdx, rax; \
#   shr rdx, 4; xor edx, eax; and edx, 0x3ff; shl edx, 5; movabs r8, 0x2000000000000002; add rdx, [r8]; \
#   cmp [rdx], rax; jne slow; mov rax, [rdx + 8]; mov [rcx], rax; jmp [rdx + 16]; \
#   slow: movabs rax, 0x2000000000000003; jmp rax; others: movabs rax, 0x2000000000000004; jmp rax
CODE = (
    b"\x83\xfe\x03\x75\x4a\x48\xb9\x01\x00\x00\x00\x00\x00\x00\x20\x48\x8b\x01\x48\xff\xc8\x48\x89\xc2\x48"
    b"\xc1\xea\x04\x31\xc2\x81\xe2\xff\x03\x00\x00\xc1\xe2\x05\x49\xb8\x02\x00\x00\x00\x00\x00\x00\x20\x49"
    b"\x03\x10\x48\x39\x02\x75\x0a\x48\x8b\x42\x08\x48\x89\x01\xff\x62\x10\x48\xb8\x03\x00\x00\x00\x00\x00"
    b"\x00\x20\xff\xe0\x48\xb8\x04\x00\x00\x00\x00\x00\x00\x20\xff\xe0")


class TrapTable:
    """The traps of one address space that have callbacks of their own."""

    def __init__(self) -> None:
        self._data = (ctypes.c_uint64 * (WORDS * ENTRIES))(*(NONE, 0, 0, 0) * ENTRIES)
        self.address = ctypes.addressof(self._data)
        # by entry; one that is dropped stays until another comes there, as it may be the caller
        self._callbacks: dict[int, object] = {}

    def add(self, address: int, hit: Hit) -> bool:
        """Have a trap's hits call `hit` from now on, if its entry is free; returns whether it is."""
        entry = _entry(address)
        if self._data[entry] != NONE:
            return False
        callback = self._callbacks[entry] = ctypes.CFUNCTYPE(None)(hit.act)
        place = ctypes.cast(callback, ctypes.c_void_p).value or 0
        self._data[entry:entry + 3] = [address, hit.go, place]
        return True

    def drop(self, address: int) -> None:
        """See runtime.kernel.base.traps."""
        entry = _entry(address)
        if self._data[entry] == address:
            self._data[entry] = NONE


def _entry(address: int) -> int:
    """The first word of a trap's entry."""
    return WORDS * ((address ^ address >> 4) % ENTRIES)


class Places(NamedTuple):
    """Addresses that the machine code is made for: of the program counter, and of two callbacks."""

    counter: int
    traps: int
    others: int


class DirectTraps:
    """The callback for exceptions, at `address`."""

    def __init__(self, places: Places) -> None:
        self._none = TrapTable()
        self._table = ctypes.c_uint64(self._none.address)  # the table in force
        self._page = mmap.mmap(-1, PAGE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        code = CODE
        for mark, place in zip(_MARKS, (places.counter, ctypes.addressof(self._table), places.traps,
                                        places.others), strict=True):
            code = code.replace(mark, struct.pack("<Q", place))
        self._page.write(code)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self._page))

    def lead(self, traps: Traps) -> None:
        """From now on lead to the traps of this address space."""
        table = traps.table
        self._table.value = table.address if isinstance(table, TrapTable) else self._none.address

    def often(self, traps: Traps, address: int, hit: Hit) -> None:
        """A trap of the address space that is led to has been hit often."""
        if not isinstance(traps.table, TrapTable):
            traps.table = TrapTable()
            self.lead(traps)
        traps.table.add(address, hit)
