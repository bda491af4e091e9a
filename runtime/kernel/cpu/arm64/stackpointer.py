"""The check of an AArch64 processor that the stack pointer is a multiple of 16 where it addresses memory.

The engine has no such check.  What can leave the pointer at another address is withheld from it and executed
apart (engine); while it is at one, each instruction is looked at before it is executed.

Source: Arm Architecture Reference Manual, C4.1 (encodings), D1.8.2 (the check).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from runtime.kernel.cpu.arm64.registers import SP

ALIGNED = 16  # bytes of which the stack pointer is a multiple
SIZE = 4  # bytes of an instruction
VECTORS = 1 << 26  # of a load or store: of vector registers

# How words begin that write to the stack pointer; many of them leave it aligned.
_CANDIDATE = re.compile(
    rb"[\x1f\x3f\x5f\x7f\x9f\xbf\xdf\xff](?s:..)[\x0b\x4b\x8b\xcb\x11\x51\x91\xd1\x12\x32\x52\x92\xb2\xd2]"
    rb"|[\xe0-\xff](?s:.(?:[\x80-\xff][\x0c\x0d\x4c\x4d\x28\x29\x68\x69\xa8\xa9\x2c\x2d\x6c\x6d\xac\xad]"
    rb"|.[\x38\x78\xb8\xf8\x3c\x7c\xbc\xfc]))")


def _base(word: int) -> int:
    return word >> 5 & 31


def _added(word: int) -> bool:
    return word & 31 == SP and (_base(word) != SP or (not word & 1 << 22 and word >> 10 & 15 != 0))


def _extended(word: int) -> bool:
    return word & 31 == SP


def _masked(word: int) -> bool:
    """AND, ORR or EOR: all but AND with ones that begin at bit 4 or later, and end with the register."""
    rotation, ones = word >> 16 & 63, word >> 10 & 63
    aligns = word >> 29 & 3 == 0 and word & 1 << 22 and rotation and 64 - rotation >= 4 \
        and ones + 1 + 64 - rotation <= 64
    return word & 31 == SP and not aligns


def _moved(word: int) -> bool:
    return _base(word) == SP and word >> 12 & 15 != 0


def _moved_signed(word: int) -> bool:
    """LDRAA and LDRAB, whose offset has eight bytes as its unit."""
    return _base(word) == SP and word >> 12 & 1 != 0


def _moved_pair(word: int) -> bool:
    """Pairs, whose offset has the size of one register as its unit."""
    size = 4 << (word >> 30) if word & VECTORS else 8 if word >> 31 else 4
    return _base(word) == SP and (word >> 15 & 127) * size % ALIGNED != 0


def _structures(word: int) -> bool:
    return _base(word) == SP


# By mask and value: whether such a word can leave the stack pointer not aligned that was.
_WRITERS: tuple[tuple[int, int, Callable[[int], bool]], ...] = (
    (0x3F800000, 0x11000000, _added),           # add, sub of a number
    (0x3FE00000, 0x0B200000, _extended),        # add, sub of a register
    (0x1F800000, 0x12000000, _masked),
    (0x3B200400, 0x38000400, _moved),           # one register: offset before or after
    (0xFF200400, 0xF8200400, _moved_signed),
    (0x3A800000, 0x28800000, _moved_pair),
    (0xBF800000, 0x0C800000, _structures),      # ld1-ld4, st1-st4 with an offset after
    (0xBF800000, 0x0D800000, _structures))
# Words with a base register that do not check it, by mask and value: literals, three kinds of PRFM.
_UNCHECKED = ((0x3B000000, 0x18000000), (0xFFC00000, 0xF9800000), (0xFFE00C00, 0xF8A00800),
              (0xFFE00C00, 0xF8800000))


def writers(code: bytes | memoryview) -> Iterator[int]:
    """Yield where words stand that can misalign it, in code that begins at a multiple of four."""
    at = 0
    while found := _CANDIDATE.search(code, at):
        at = found.start() + 1
        if at % SIZE == 1 and misaligns(int.from_bytes(found.group(), "little")):
            yield at - 1


def misaligns(word: int) -> bool:
    """Whether an instruction can leave a stack pointer that is not aligned."""
    return any(word & mask == value and test(word) for mask, value, test in _WRITERS)


def is_checked(word: int) -> bool:
    """Whether an instruction addresses memory by the stack pointer, so that it must be aligned."""
    return (word & 0x0A000000 == 0x08000000 and _base(word) == SP
            and all(word & mask != value for mask, value in _UNCHECKED))
