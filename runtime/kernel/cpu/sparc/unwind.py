"""Whether a function has its own register window yet, told by the code around a program counter."""

from __future__ import annotations

from collections.abc import Callable

from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.cpu.sparc.registers import I7, O7

Read = Callable[[int, int], bytes]  # address, size; raises MemoryFault

SIZE = 4
LONGEST = 16384  # bytes of code looked at
SAVE, RESTORE, JUMP = 0x3C, 0x3D, 0x38  # op3


def frame_is_callers(read: Read, pc: int, start: int) -> bool:
    """Whether the code at `pc` runs in its caller's window, its return address being in %o7.

    The code before `pc` tells, which begins at `start`: a `save` of this function, or the end of another one
    (`ret` or `retl` and its delay slot).  A function that never saves is a leaf.
    """
    if _is(_word(read, pc), SAVE):
        return True
    for address in range(pc - SIZE, max(pc - LONGEST, start) - 1, -SIZE):
        word = _word(read, address)
        if word is None:
            return True
        if _is(word, SAVE):
            return False
        if _is_return(word) and address + 2 * SIZE <= pc:
            return not _framed_return(word) or _starts(read, pc)
    return True


def _starts(read: Read, pc: int) -> bool:
    """Whether what follows `pc` is not the rest of a function with a window."""
    for address in range(pc, pc + LONGEST, SIZE):
        word = _word(read, address)
        if word is None or _is(word, SAVE):
            return True
        if _is_return(word):
            return not _framed_return(word)
    return True


def _word(read: Read, address: int) -> int | None:
    try:
        return int.from_bytes(read(address, SIZE), "big")
    except MemoryFault:
        return None


def _is(word: int | None, op3: int) -> bool:
    return word is not None and word >> 30 == 2 and word >> 19 & 63 == op3


def _is_return(word: int) -> bool:
    """Whether it is `ret` or `retl`, also past the size of a returned structure, or V9's `return`."""
    first = word >> 14 & 31
    return (word >> 30 == 2 and word >> 25 & 31 == 0 and word >> 19 & 63 in (JUMP, 0x39)
            and first in (O7, I7) and word >> 13 & 1 == 1 and word & 0x1FFF in (8, 12))


def _framed_return(word: int) -> bool:
    return word >> 14 & 31 == I7
