"""The check of an AArch64 processor that the stack pointer is a multiple of 16 where it addresses memory.

The engine has no such check.  What can leave the pointer at another address is withheld from it and executed
apart (engine); while it is at one, each instruction is looked at before it is executed.

Source: Arm Architecture Reference Manual, C4.1 (encodings), D1.8.2 (the check).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from runtime.kernel.cpu.arm64.forms import Form, word_at
from runtime.kernel.cpu.arm64.registers import SP

ALIGNED = 16  # bytes of which the stack pointer is a multiple
BASE_SP = SP << 5  # of a load or store: by the stack pointer
AND, ANDS = 0, 3
VECTORS = 1 << 26  # of a load or store: of vector registers


def _always(_word: int) -> bool:
    return True


def _added(word: int) -> bool:
    return word >> 5 & 31 != SP or (not word & 1 << 22 and word >> 10 & 15 != 0)


def _masked(word: int) -> bool:
    """AND, ORR or EOR; of AND not with ones that begin at bit 4 or later and end with the register.

    The fourth of them, ANDS, writes to the zero register.
    """
    kind, rotation, ones = word >> 29 & 3, word >> 16 & 63, (word >> 10 & 63) + 1
    aligns = kind == AND and word & 1 << 22 and 0 < rotation <= 60 and ones <= rotation
    return kind != ANDS and not aligns


def _moved(word: int) -> bool:
    return word >> 12 & 15 != 0


def _moved_signed(word: int) -> bool:
    """LDRAA and LDRAB, whose offset has eight bytes as its unit."""
    return word >> 12 & 1 != 0


def _moved_pair(word: int) -> bool:
    """Pairs, whose offset has the size of one register as its unit."""
    size = 4 << (word >> 30) if word & VECTORS else 8 if word >> 31 else 4
    return (word >> 15 & 127) * size % ALIGNED != 0


# Of words that write to the stack pointer: whether one can leave it not aligned that was.
_WRITERS: tuple[tuple[Form, Callable[[int], bool]], ...] = (
    (Form(0x3F80001F, 0x11000000 | SP), _added),               # add, sub of a number
    (Form(0x3FE0001F, 0x0B200000 | SP), _always),              # add, sub of a register
    (Form(0x1F80001F, 0x12000000 | SP), _masked),
    (Form(0x3B2007E0, 0x38000400 | BASE_SP), _moved),          # one register: offset before or after
    (Form(0xFF2007E0, 0xF8200400 | BASE_SP), _moved_signed),
    (Form(0x3A8003E0, 0x28800000 | BASE_SP), _moved_pair),
    (Form(0xBF8003E0, 0x0C800000 | BASE_SP), _always),         # ld1-ld4, st1-st4 with an offset after
    (Form(0xBF8003E0, 0x0D800000 | BASE_SP), _always))
# Words with a base register that do not check it, by mask and value: literals, three kinds of PRFM.
_UNCHECKED = ((0x3B000000, 0x18000000), (0xFFC00000, 0xF9800000), (0xFFE00C00, 0xF8A00800),
              (0xFFE00C00, 0xF8800000))


def writers(code: bytes | memoryview, page: int) -> Iterator[int]:
    """Yield where words stand that can misalign it, in a page of code, of which `page` is the number."""
    for form, misaligning in _WRITERS:
        for place in form.places(page):
            if misaligning(word_at(code, place)):
                yield place


def misaligns(word: int) -> bool:
    """Whether an instruction can leave a stack pointer that is not aligned."""
    return any(word & form.mask == form.value and misaligning(word) for form, misaligning in _WRITERS)


def is_checked(word: int) -> bool:
    """Whether an instruction addresses memory by the stack pointer, so that it must be aligned."""
    return (word & 0x0A0003E0 == 0x08000000 | BASE_SP
            and all(word & mask != value for mask, value in _UNCHECKED))
