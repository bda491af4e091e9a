"""Memory as DIF sees it: the framework's own arenas, and beyond them the kernel's.

Each arena is a contiguous piece of the kernel's address space that belongs to
the framework: it begins at a multiple of 4 GiB, so that the upper half of an
address selects the arena and the lower half is the offset in it.
"""

from __future__ import annotations

from dif.arithmetic import MASK
from runtime.framework.base.faults import DifFault, FaultKind
from runtime.framework.base.host import Host, MemoryFault
from runtime.framework.base.storage import Storage

SLOT_SHIFT = 32
OFFSET_MASK = (1 << SLOT_SHIFT) - 1
_FIRST = 0xFFFFCFFF
_PAGE = 4096
_LOAD_MAX = 1 << 24  # no single load of DIF is larger

STATES, CONSTANTS, STRINGS, STATICS, DYNAMICS, SCRATCH = (_FIRST + n for n in range(6))  # SCRATCH + cpu


def base(slot: int) -> int:
    """The address at which an arena begins."""
    return slot << SLOT_SHIFT


class Strings:
    """Kernel strings that DIF may point to: probe names, process names.

    Each distinct string has one address for as long as the framework lives.
    """

    def __init__(self) -> None:
        self.data = bytearray()
        self._known: dict[bytes, int] = {}

    def intern(self, text: bytes) -> int:
        """The address of `text`, NUL-terminated."""
        address = self._known.get(text)
        if address is None:
            address = base(STRINGS) + len(self.data)
            self.data += text.split(b"\0", 1)[0] + b"\0"
            self._known[text] = address
        return address


class Memory:
    """All that one tracing state may load from, by arena slot, over the kernel's memory.

    Every load raises DifFault(BADADDR) with the first bad address; one of no bytes never does.  Behind the
    end of an arena there are zeros, so that DIF can load a short string with the size of a long one.
    """

    def __init__(self, host: Host, strings: Strings) -> None:
        self.host = host
        self.constants = bytearray()
        self.arenas: dict[int, Storage] = {CONSTANTS: self.constants, STRINGS: strings.data}
        self._constants: dict[bytes, int] = {}

    def add_constants(self, table: bytes) -> int:
        """Put a DIFO's string table where DIF can point to it; returns its address."""
        address = self._constants.get(table)
        if address is None:
            address = base(CONSTANTS) + len(self.constants)
            self.constants += table + b"\0"
            self._constants[table] = address
        return address

    def load(self, address: int, size: int) -> bytes:
        """`size` bytes at `address`."""
        arena = self.arenas.get(address >> SLOT_SHIFT)
        if arena is not None:
            at = address & OFFSET_MASK
            if (at >= len(arena) and size) or size > _LOAD_MAX:
                raise DifFault(FaultKind.BADADDR, address)
            return bytes(arena[at:at + size]).ljust(size, b"\0")
        if size > _LOAD_MAX:
            raise DifFault(FaultKind.BADADDR, address)
        try:
            return self.host.load(address, size) if size else b""
        except MemoryFault as fault:
            raise DifFault(FaultKind.BADADDR, fault.address) from None

    def load_to_end(self, address: int, size: int) -> bytes:
        """As `load`, for a copy that goes on behind a bad byte: the fault is about the last one."""
        try:
            return self.load(address, size)
        except DifFault as fault:
            fault.address = self._last_bad(fault.address, address + size - 1 & MASK)
            raise

    def _last_bad(self, first: int, last: int) -> int:
        while last > first:
            try:
                self.load(last, 1)
            except DifFault:
                return last
            last = (last & -_PAGE) - 1
        return first

    def u8(self, address: int) -> int:
        """The byte at `address`."""
        return self.load(address, 1)[0]

    def u16(self, address: int) -> int:
        """The 16-bit integer at `address`, little-endian like all of these."""
        return int.from_bytes(self.load(address, 2), "little")

    def u32(self, address: int) -> int:
        """The 32-bit integer at `address`."""
        return int.from_bytes(self.load(address, 4), "little")

    def u64(self, address: int) -> int:
        """The 64-bit integer at `address`."""
        return int.from_bytes(self.load(address, 8), "little")

    def scalar(self, address: int, size: int) -> bytes:
        """What a load instruction of `size` bytes (1, 2, 4 or 8) loads."""
        return self.load(address, size)

    def string(self, address: int, limit: int) -> bytes:
        """The bytes at `address` up to a NUL (excluded), at most `limit`."""
        arena = self.arenas.get(address >> SLOT_SHIFT)
        if arena is not None:
            at = address & OFFSET_MASK
            size = len(arena)
            if at >= size and limit:
                raise DifFault(FaultKind.BADADDR, address)
            end = arena.find(b"\0", at, min(at + limit, size))
            if end < 0:
                end = min(at + limit, size)
            return bytes(arena[at:end])
        return self._kernel_string(address, limit)

    def beginning(self, address: int, limit: int) -> tuple[bytes, DifFault | None]:
        """As `string`; if there is a bad byte, what is before it, and its fault."""
        try:
            return self.string(address, limit), None
        except DifFault as fault:
            return self.load(address, fault.address - address & MASK), fault

    def _kernel_string(self, address: int, limit: int) -> bytes:
        parts: list[bytes] = []
        step = 32
        while limit > 0:
            size = min(limit, step, _PAGE - address % _PAGE)
            try:
                part = self.host.load(address, size)
            except MemoryFault as fault:
                good = fault.address - address
                part = self.host.load(address, good) if good else b""
                if b"\0" not in part:
                    raise DifFault(FaultKind.BADADDR, fault.address) from None
            end = part.find(b"\0")
            if end >= 0:
                parts.append(part[:end])
                break
            parts.append(part)
            address = (address + size) & MASK
            limit -= size
            step = 256
        return b"".join(parts)

    def poke(self, address: int, data: bytes) -> None:
        """Store into an arena; the caller has checked that this is allowed."""
        at = address & OFFSET_MASK
        self.arenas[address >> SLOT_SHIFT][at:at + len(data)] = data


class AlignedMemory(Memory):
    """Memory of a processor that loads integers from multiples of their sizes only.

    Other loads of instructions raise DifFault(BADALIGN), even where there is no memory.
    """

    def scalar(self, address: int, size: int) -> bytes:
        if address & (size - 1):
            raise DifFault(FaultKind.BADALIGN, address)
        return self.load(address, size)

    def u16(self, address: int) -> int:
        return int.from_bytes(self.scalar(address, 2), "little")

    def u32(self, address: int) -> int:
        return int.from_bytes(self.scalar(address, 4), "little")

    def u64(self, address: int) -> int:
        return int.from_bytes(self.scalar(address, 8), "little")
