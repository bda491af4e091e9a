"""Machine code of our own in the engine's library: it replaces functions, or stands before them.

The library is loaded once in a process, and all engines share what is changed.  It stays until the process
ends.
"""

from __future__ import annotations

import ctypes
import mmap
import re
import struct
from collections.abc import Iterator

SUFFIX = "_x86_64"  # of the engine's names for functions of this processor
CODE_SIZE = 1 << 17
RETURN = b"\xc3"  # amd64: ret
DISTANCE = b"\x22\x22\x22\x22"  # in code that is expected: any
PLACE = struct.pack("<Q", 0x2000000000000001)
# amd64: movabs rax, 0x2000000000000001; jmp rax
JUMP = b"\x48\xb8\x01\x00\x00\x00\x00\x00\x00\x20\xff\xe0"


def function(library: ctypes.CDLL, name: str) -> int:
    """Return the address of a function.  Raises ValueError where the library does not have it."""
    return ctypes.addressof(ctypes.c_char.in_dll(library, name + SUFFIX))


def overwritten(library: ctypes.CDLL, name: str) -> bool:
    """Whether a function begins with a jump already."""
    start = ctypes.string_at(function(library, name), len(JUMP))
    return start[:2] + start[-2:] == JUMP[:2] + JUMP[-2:]


def jump_target(address: int) -> int:
    """Return the number that the first instruction there loads: `movabs` into a register, as JUMP begins."""
    return ctypes.c_uint64.from_address(address + 2).value


def expected(code: bytes) -> re.Pattern[bytes]:
    """Return a pattern of code in which each DISTANCE is a group."""
    return re.compile(re.escape(code).replace(re.escape(DISTANCE), b"(.{4})"), re.DOTALL)


def distances(found: re.Match[bytes]) -> list[int]:
    """Return the distances in code that was expected."""
    return [int.from_bytes(each, "little", signed=True) for each in found.groups()]


class Patches:
    """Collects machine code in pages of its own, and changes to the library; `finish` puts all in force."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.library = library
        self._system = ctypes.CDLL(None, use_errno=True)
        self._system.mmap.restype = ctypes.c_void_p
        self._system.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
        self._system.wmemchr.restype = ctypes.c_void_p
        self._system.wmemchr.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_size_t]
        self._system.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        self._start = self.pages(CODE_SIZE)
        self._code = bytearray()
        self._jumps: list[tuple[int, int]] = []
        self._pointers: list[tuple[int, int, bool]] = []
        self._segments: list[tuple[bool, int, int]] | None = None

    def pages(self, size: int) -> int:
        """Return the address of memory that is never given back.  Raises OSError."""
        address = self._system.mmap(None, size, mmap.PROT_READ | mmap.PROT_WRITE,
                                    mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        if address == ctypes.c_void_p(-1).value:
            raise OSError(ctypes.get_errno(), "no memory for machine code")
        return int(address)

    @property
    def next(self) -> int:
        """The address of what is placed next."""
        return self._start + (len(self._code) + 15 & ~15)

    def place(self, code: bytes) -> int:
        """Append code; returns its address."""
        at = self.next
        self._code += bytes(at - self._start - len(self._code)) + code
        return at

    def overwrite(self, name: str, target: int) -> None:
        """Have a function begin with a jump."""
        self._jumps.append((function(self.library, name), target))

    def redirect(self, name: str, target: int, writable: bool) -> None:
        """Have calls through pointers go elsewhere, so that the function itself can still be called.

        The pointers are in those parts of the library's data that stay writable, or in those that do not.
        Raises LookupError where there is none.
        """
        found = self.pointers(name, writable)
        if not found:
            raise LookupError(name)
        self._pointers += [(address, target, writable) for address in found]

    def pointers(self, name: str, writable: bool) -> list[int]:
        """Return where the library's data have pointers to a function: in writable data there is one."""
        pointer = function(self.library, name)
        lower = pointer & 0xFFFFFFFF  # the C library finds words of 4 bytes many times faster than 8 bytes
        found: list[int] = []
        for start, end in self._data(writable):
            at = self._system.wmemchr(start, lower, (end - start) // 4)
            while at is not None:
                if at % 8 == 0 and ctypes.c_uint64.from_address(at).value == pointer:
                    found.append(at)
                    if writable:
                        return found
                at = self._system.wmemchr(at + 4, lower, (end - at) // 4 - 1)
        return found

    def _data(self, writable: bool) -> list[tuple[int, int]]:
        """Return where the library's data begin and end."""
        if self._segments is None:
            self._segments = list(self._read_data())
        return [(start, end) for may_write, start, end in self._segments if may_write == writable]

    def _read_data(self) -> Iterator[tuple[bool, int, int]]:
        """Yield the parts of the library that may hold addresses: whether it is writable, start, end.

        A loader fills in addresses, so they are in writable data and in what was so until it was done, which
        lies just before.
        """
        inside = function(self.library, "helper_addsd")
        with open("/proc/self/maps", encoding="utf-8") as file:
            rows = [(line.split("-", 1)[0], *line.partition("-")[2].split(maxsplit=5)) for line in file]
        spans = [(int(row[0], 16), int(row[1], 16), row[2], row[6:]) for row in rows]
        name = next(name for start, end, _rights, name in spans if start <= inside < end)
        data = [(rights[1] == "w", start, end) for start, end, rights, other in spans
                if other == name and start > inside and rights[0] == "r" and rights[2] == "-"]
        first = min((start for writable, start, _end in data if writable), default=0)
        yield from (each for each in data if each[0] or each[2] == first)

    def finish(self) -> None:
        """Put the code, the jumps and the pointers in force.  Raises OSError."""
        assert len(self._code) <= CODE_SIZE
        ctypes.memmove(self._start, bytes(self._code), len(self._code))
        self._protect(self._start, CODE_SIZE, mmap.PROT_READ | mmap.PROT_EXEC)
        if self._jumps:
            pages = [address & -mmap.PAGESIZE for address, _ in self._jumps]
            first, size = min(pages), max(pages) - min(pages) + 2 * mmap.PAGESIZE
            self._protect(first, size, mmap.PROT_READ | mmap.PROT_EXEC | mmap.PROT_WRITE)
            for address, target in self._jumps:
                ctypes.memmove(address, JUMP.replace(PLACE, struct.pack("<Q", target)), len(JUMP))
            self._protect(first, size, mmap.PROT_READ | mmap.PROT_EXEC)
        for address, target, writable in self._pointers:
            page = address & -mmap.PAGESIZE
            if not writable:
                self._protect(page, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_WRITE)
            ctypes.memmove(address, struct.pack("<Q", target), 8)
            if not writable:
                self._protect(page, mmap.PAGESIZE, mmap.PROT_READ)

    def _protect(self, address: int, size: int, protection: int) -> None:
        if self._system.mprotect(address, size, protection):
            raise OSError(ctypes.get_errno(), "code cannot be changed")
