"""Where functions' arguments are when they are entered.

Sources: AMD64 ABI 3.2.3, i386 ABI 2.2.3, the SPARC supplements of the System V ABI, V8 and V9, chapter 3, and
the Procedure Call Standard for the Arm 64-bit Architecture, 6.8.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from dc.names.catalog import UNREACHABLE
from dc.types.types import Array, Function, Record, Type
from dif.elfnumbers import EM_AARCH64, EM_SPARC, EM_SPARCV9

REGISTERS, VECTORS = 6, 8  # of arguments (AMD64 ABI 3.2.3; AArch64 has as many vectors)
ARM_REGISTERS = 8
EIGHTBYTE = 8
NESTED, LEAVES = 32, 256  # of a value that is passed in registers: levels, and parts
LARGEST_IN_SLOTS, LARGEST_RETURNED = 16, 32  # bytes of structures that V9 does not pass by their address


def places(function: Function, bits: int, machine: int = 0) -> list[int]:
    """For each parameter the number N of the argN that is its value; `machine` is the program's e_machine.

    Words after those in registers are on the stack.  UNREACHABLE stands for a parameter that no argN has.
    """
    if machine in (EM_SPARC, EM_SPARCV9):
        return _slots(function, bits // 8)
    if machine == EM_AARCH64:
        return _arm64(function)
    used = [0, 0, 0]  # registers, vector registers, words of the stack
    if bits == 32:
        used[0] = int(function.returns.is_record())
        return [_on_stack(type_, used, 4, 0) for type_ in function.parameters]
    if function.returns.is_record() and "memory" in _classes(function.returns):
        used[0] = 1
    return [_place(type_, used) for type_ in function.parameters]


def _slots(function: Function, word: int) -> list[int]:
    """SPARC: each parameter takes the next words, in registers or on the stack."""
    found = []
    at = int(word == EIGHTBYTE and function.returns.is_record() and function.returns.size > LARGEST_RETURNED)
    for type_ in function.parameters:
        by_address = type_.is_record() and (word != EIGHTBYTE or type_.size > LARGEST_IN_SLOTS)
        size = word if by_address else max(type_.size, 1)
        if word == EIGHTBYTE and not by_address and type_.align > word:
            at += at & 1
        found.append(at if type_.is_scalar() and not type_.is_float() and size <= word else UNREACHABLE)
        at += -(-size // word)
    return found


def _arm64(function: Function) -> list[int]:
    """AArch64: X0-X7 and V0-V7, then words of the stack; large structures by their address."""
    found, integers, vectors, stack = [], 0, 0, 0
    for type_ in function.parameters:
        words, parts = -(-type_.size // EIGHTBYTE) or 1, _vectors(type_)
        if parts:
            if vectors + parts <= VECTORS:
                vectors += parts
            else:
                vectors = VECTORS
                stack += words
            found.append(UNREACHABLE)
            continue
        if type_.is_record() and type_.size > LARGEST_IN_SLOTS:
            words = 1
        even = type_.align > EIGHTBYTE and words > 1
        if even:
            integers += integers & 1
        if integers + words <= ARM_REGISTERS:
            at = integers
            integers += words
        else:
            integers = ARM_REGISTERS
            stack += stack & 1 if even else 0
            at = ARM_REGISTERS + stack
            stack += words
        found.append(at if type_.is_scalar() and type_.size <= EIGHTBYTE else UNREACHABLE)
    return found


def _vectors(type_: Type) -> int:
    """The vector registers that a value takes: one for a number, up to four for a homogeneous aggregate."""
    if type_.is_float():
        return 1
    if not type_.is_record() or not 0 < type_.size <= 4 * LARGEST_IN_SLOTS:
        return 0
    leaves = [leaf for _, leaf in itertools.islice(_leaves(type_, 0, NESTED), 5)]
    sizes = {leaf.size for leaf in leaves}
    alike = len(leaves) <= 4 and len(sizes) == 1 and all(leaf.is_float() for leaf in leaves)
    return len(leaves) if alike and sum(leaf.size for leaf in leaves) == type_.size else 0


def _on_stack(type_: Type, used: list[int], word: int, registers: int) -> int:
    which = 2 if registers else 0
    if word == EIGHTBYTE and type_.align > word:
        used[which] += used[which] & 1
    at = used[which] + registers
    used[which] += max(1, -(-type_.size // word))
    return at if type_.is_scalar() and type_.size <= word else UNREACHABLE


def _place(type_: Type, used: list[int]) -> int:
    classes = _classes(type_)
    integers, vectors = classes.count("integer"), classes.count("vector")
    if "memory" in classes or used[0] + integers > REGISTERS or used[1] + vectors > VECTORS:
        return _on_stack(type_, used, EIGHTBYTE, REGISTERS)
    at = used[0]
    used[0] += integers
    used[1] += vectors
    return at if type_.is_scalar() and integers == 1 else UNREACHABLE


def _classes(type_: Type) -> list[str]:
    """The class of each eightbyte of a value."""
    if type_.is_float():
        return ["vector" if type_.size <= EIGHTBYTE else "memory"]
    if type_.size > 2 * EIGHTBYTE:
        return ["memory"]
    if not type_.is_record():
        return ["integer"] * max(1, -(-type_.size // EIGHTBYTE))
    if not type_.size:
        return []
    classes = ["vector"] * -(-type_.size // EIGHTBYTE)
    for number, (offset, leaf) in enumerate(_leaves(type_, 0, NESTED)):
        if number == LEAVES or not 0 <= offset < 8 * type_.size:
            return ["memory"]  # as only broken debug information has it
        if (leaf.is_float() and leaf.size > EIGHTBYTE) or offset // 8 % max(1, leaf.align):
            return ["memory"]
        if not leaf.is_float():
            classes[min(offset // 64, len(classes) - 1)] = "integer"
    return classes


def _leaves(type_: Type, offset: int, nested: int) -> Iterator[tuple[int, Type]]:
    """What a value consists of, with offsets in bits; nothing deeper than `nested` levels is looked into.

    (Broken debug information may say that a structure has itself for a member.)
    """
    base = type_.resolve()
    if not nested:
        yield offset, base
    elif isinstance(base, Record):
        for member in base.members or ():
            unit = member.unit * 8 if member.type.is_bitfield() else member.offset
            yield from _leaves(member.type, offset + unit, nested - 1)
    elif isinstance(base, Array):
        for index in range(min(base.count, 2 * EIGHTBYTE)):
            yield from _leaves(base.element, offset + index * base.element.size * 8, nested - 1)
    else:
        yield offset, base
