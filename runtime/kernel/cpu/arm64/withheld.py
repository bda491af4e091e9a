"""Instructions that the engine is not to execute, of which it gets pages of code with others instead.

LDSMIN and LDSMAX of less than 64 bits are undefined there and carried out here: Unicorn 2.1 ignores the sign.
So are LDAPUR and STLUR of more than a byte, which do not fault there where they should.  Random numbers
(RNDR, RNDRRS) are not offered: runs would differ.

What else Unicorn executes without the faults of a processor becomes an instruction that has them (Arm
Architecture Reference Manual, C6.2, D24.2): a load with acquire the exclusive one, a store with release a
swap, and the maintenance of a cache, which has nothing to do here, a load of one byte.  What can misalign the
stack pointer is undefined there, too, and executed apart (stackpointer).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dif.limits import MASK as VALUE_MASK
from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.base.words import signed
from runtime.kernel.cpu.arm64 import stackpointer
from runtime.kernel.cpu.arm64.forms import SIZE, Form, number, word_at
from runtime.kernel.cpu.arm64.registers import PC, Registers, untagged

if TYPE_CHECKING:
    from runtime.kernel.cpu.processor import UserThread

MASK, VALUE, LEAST, WIDE = 0x3F20EC00, 0x38204000, 1 << 12, 3  # LDSMAX, LDSMIN's bit, the size of 64 bits
UNSCALED_MASK, UNSCALED, OFFSET_BITS = 0x3F200C00, 0x19000000, 9  # LDAPUR*, STLUR*
STORE = 0  # of their kinds; of those which extend the sign, to how many bits:
SIGNED = {2: 64, 3: 32}
LOAD_EXCLUSIVE, SWAP, LOAD_BYTE = 0x085F7C00, 0x38208000, 0x3940001F  # ldxrb w0, [x0]; swpb; ldrb wzr, [x0]
ORDERED_LOAD, ORDERED_SWAP = 1 << 15, 1 << 22  # ldaxrb, swplb
MAINTENANCE = frozenset((5, 0xA, 0xB, 0xC, 0xD, 0xE))  # IVAU, CVAC, CVAU, CVAP, CVADP, CIVAC
EXCLUSIVE_MASK, EXCLUSIVE = 0x3F800000, 0x08000000  # loads and stores, but for CASP
LOADS, PAIR, LONG = 1 << 22, 1 << 21, 1 << 31
SEQUENCE = 16  # instructions that are looked at for the load of an exclusive access


class Refused(MemoryFault):
    """Memory that such an instruction cannot use: its address is not aligned, or `writes` says for what."""

    def __init__(self, address: int, aligned: bool, writes: bool = False) -> None:
        super().__init__(address)
        self.aligned, self.writes = aligned, writes


def is_carried_out(word: int) -> bool:
    """Whether the kernel executes it in the engine's place."""
    return _is_minimum(word) or _is_unscaled(word)


def _is_minimum(word: int) -> bool:
    """Whether it is LDSMIN or LDSMAX of less than 64 bits."""
    return word & MASK == VALUE and word >> 30 != WIDE


def replacements(code: bytes | memoryview) -> list[tuple[int, int]]:
    """Return where such instructions stand in a page of code, and words for them."""
    page, found = number(code), []
    for form, instead in _FORMS:
        for place in form.places(page):
            replaced = instead(code, place, word_at(code, place))
            if replaced is not None:
                found.append((place, replaced))
    return found + [(place, 0) for place in stackpointer.writers(code, page)]


# What the engine gets for a word at a place of code; None for that itself.

def _random(_code: bytes | memoryview, _place: int, _word: int) -> int:
    return 0


def _lesser(_code: bytes | memoryview, _place: int, word: int) -> int | None:
    return 0 if _is_minimum(word) else None


def _unscaled(code: bytes | memoryview, place: int, word: int) -> int | None:
    return None if not word >> 30 or (_is_unscaled(word) and _in_sequence(code, place)) else 0


def _load(code: bytes | memoryview, place: int, word: int) -> int | None:
    size = word & 3 << 30
    if not size or _in_sequence(code, place):
        return None
    return size | LOAD_EXCLUSIVE | word & ORDERED_LOAD | word & (31 << 5 | 31)


def _store(_code: bytes | memoryview, _place: int, word: int) -> int | None:
    size, base, register = word & 3 << 30, word & 31 << 5, word & 31
    return size | SWAP | word << 7 & ORDERED_SWAP | register << 16 | base | 31 if size else None


def _maintenance(_code: bytes | memoryview, _place: int, word: int) -> int | None:
    register = word & 31
    if word >> 8 & 15 not in MAINTENANCE or register == 31:  # 31 is the stack pointer to a load
        return None
    return LOAD_BYTE | register << 5


_FORMS = (
    (Form(0xFFFFFF00, 0xD53B2400), _random),       # mrs of RNDR, RNDRRS
    (Form(MASK, VALUE), _lesser),
    (Form(UNSCALED_MASK, UNSCALED), _unscaled),
    (Form(0x3FFF7C00, 0x08DF7C00), _load),         # ldar, ldlar
    (Form(0x3FFFFC00, 0x38BFC000), _load),         # ldapr
    (Form(0x3FFF7C00, 0x089F7C00), _store),        # stlr, stllr
    (Form(0xFFFFF000, 0xD50B7000), _maintenance))  # dc, ic


def _in_sequence(code: bytes | memoryview, place: int) -> bool:
    """Whether an exclusive load stands before `place`, whose store would fail if another came between."""
    for at in range(place - SIZE, max(place - SIZE * SEQUENCE, 0) - 1, -SIZE):
        word = word_at(code, at)
        if word & EXCLUSIVE_MASK == EXCLUSIVE and (word & LONG or not word & PAIR):
            return bool(word & LOADS)
    return False


def carry_out(thread: UserThread, word: int) -> bool:
    """Execute the instruction at the program counter, if it is such a one; returns whether it is.

    Raises Refused.
    """
    regs: Registers = thread.regs
    if _is_minimum(word):
        _minimum(thread, word)
    elif _is_unscaled(word):
        _move(thread, word)
    else:
        return False
    regs[PC] += SIZE
    return True


def _is_unscaled(word: int) -> bool:
    """Whether it is LDAPUR or STLUR of more than a byte, or LDAPURS of less than what it is extended to."""
    size, kind = word >> 30, word >> 22 & 3
    return word & UNSCALED_MASK == UNSCALED and size > 0 and 8 << size < SIGNED.get(kind, 128)


def _aligned(thread: UserThread, word: int, offset: int = 0) -> tuple[int, int]:
    """Return the address that the instruction uses, and how many bytes.  Raises Refused."""
    size = 1 << (word >> 30)
    address = untagged(int(thread.regs[word >> 5 & 31]) + offset & VALUE_MASK)
    if address % size:
        raise Refused(address, aligned=False)
    return address, size


def _minimum(thread: UserThread, word: int) -> None:
    regs: Registers = thread.regs
    address, size = _aligned(thread, word)
    writes = False
    try:
        old = int.from_bytes(thread.read(address, size), "little")
        values = signed(old, 8 * size), signed(regs.x(word >> 16 & 31), 8 * size)
        new = min(values) if word & LEAST else max(values)
        writes = True
        thread.write(address, new.to_bytes(size, "little", signed=True))
    except MemoryFault:
        raise Refused(address, True, writes) from None
    regs.set_x(word & 31, old)


def _move(thread: UserThread, word: int) -> None:
    """Load or store with an offset in bytes; nothing else of the thread's comes between in this machine."""
    regs: Registers = thread.regs
    address, size = _aligned(thread, word, signed(word >> 12, OFFSET_BITS))
    kind, number = word >> 22 & 3, word & 31
    try:
        if kind == STORE:
            thread.write(address, (regs.x(number) & (1 << 8 * size) - 1).to_bytes(size, "little"))
            return
        value = int.from_bytes(thread.read(address, size), "little")
    except MemoryFault:
        raise Refused(address, True, kind == STORE) from None
    regs.set_x(number, signed(value, 8 * size) & (1 << SIGNED[kind]) - 1 if kind in SIGNED else value)
