"""Where functions' arguments are when they are entered, and results when they return.

What is not the value of an argN has a number beyond: VECTOR_HALVES + 2n is the lower half of vector register
n, the next number its upper half, and IN_MEMORY + N the address of the word on the stack that is argN.

Sources: AMD64 ABI 3.2.3, i386 ABI 2.2.3, the SPARC supplements of the System V ABI, V8 and V9, chapter 3, and
the Procedure Call Standard for the Arm 64-bit Architecture, 6.8.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

from dc.names.catalog import UNREACHABLE, Part
from dc.types.types import Array, Function, Record, Type
from dif.elfnumbers import EM_386, EM_AARCH64, EM_SPARC, EM_SPARCV9, EM_X86_64
from dif.limits import MASK
from dif.records import NamedTuple
from runtime.programs.pairs import Pair, is_complex, is_quad

REGISTERS, VECTORS = 6, 8  # of arguments (AMD64 ABI 3.2.3; AArch64 has as many vectors)
ARM_REGISTERS = 8
EIGHTBYTE = 8
NESTED, LEAVES = 32, 256  # of a value that is passed in registers: levels, and parts
LARGEST_IN_SLOTS, LARGEST_RETURNED = 16, 32  # bytes of structures that V9 does not pass by their address
VECTOR_HALVES, IN_MEMORY = 1 << 20, 1 << 21


class Place(NamedTuple):
    """Where a value is: what argN it is, or is the address of, or of which it consists."""

    number: int = UNREACHABLE
    pointed: bool = False
    parts: tuple[Part, ...] = ()


NOWHERE = Place()


def places(function: Function, bits: int, machine: int = 0) -> list[Place]:
    """Return for each parameter where it is; `machine` is the program's e_machine.

    Words after those in registers are on the stack.  NOWHERE stands for a parameter that D cannot read.
    """
    if machine in (EM_SPARC, EM_SPARCV9):
        return _slots(function, bits // 8)
    if machine == EM_AARCH64:
        return _arm64(function)
    result = returned(function.returns, bits, EM_386 if bits == 32 else EM_X86_64)
    used = [int(result.pointed), 0, 0]  # registers, vector registers, words of the stack
    if bits == 32:
        return [_on_stack(type_, used, 4, 0) for type_ in function.parameters]
    return [_place(type_, used) for type_ in function.parameters]


def returned(type_: Type, bits: int, machine: int) -> Place:
    """Return where a result is: the return probe's arg1 and arg2 are in the registers for results."""
    if type_.is_scalar() and type_.size <= bits // 8:
        return Place(1)
    if type_.is_scalar() and bits == 32:
        low, high = (1, 2) if machine == EM_386 else (2, 1)
        return Place(parts=(Part(0, 4, low), Part(4, 4, high)))
    if machine == EM_AARCH64:
        parts = _floats(type_)
        if parts:
            return _in_vectors(type_, parts, 0)
        if type_.is_record() and type_.size <= LARGEST_IN_SLOTS:
            return _gathered(type_, [1, 2])
    elif bits == 64 and machine == EM_X86_64:
        if _on_x87(type_):
            return NOWHERE
        by_address = type_.is_record() and "memory" in _classes(type_)
        return Place(1, pointed=True) if by_address else _in_registers(type_, [1, 0])
    elif machine == EM_386 and type_.is_record():
        if is_complex(type_) and type_.size == EIGHTBYTE:
            return Place(parts=(Part(0, 4, 1), Part(4, 4, 2)))
        return Place(1, pointed=True)
    return NOWHERE


def elsewhere(number: int, word: Callable[[int], int], vector: Callable[[int], int]) -> int:
    """Return what a number from VECTOR_HALVES on stands for, given where words are and what vectors hold."""
    if number >= IN_MEMORY:
        return word(number - IN_MEMORY)
    register, half = divmod(number - VECTOR_HALVES, 2)
    return vector(register) >> 64 * half & MASK if register < VECTORS else 0


def _simple(type_: Type, number: int, word: int) -> Place:
    """The place of a value in one general register or word of the stack."""
    return Place(number) if type_.is_scalar() and type_.size <= word else NOWHERE


def _slots(function: Function, word: int) -> list[Place]:
    """SPARC: each parameter takes the next words, in registers or on the stack."""
    found = []
    at = int(word == EIGHTBYTE and function.returns.is_record() and function.returns.size > LARGEST_RETURNED)
    for type_ in function.parameters:
        by_address = type_.is_record() and (word != EIGHTBYTE or type_.size > LARGEST_IN_SLOTS)
        size = word if by_address else max(type_.size, 1)
        if word == EIGHTBYTE and not by_address and type_.align > word:
            at += at & 1
        found.append(_simple(type_, at, word))
        at += -(-size // word)
    return found


# -- AArch64 ----------------------------------------------------------------------------------------

def _arm64(function: Function) -> list[Place]:
    """AArch64: X0-X7 and V0-V7, then words of the stack; large structures by their address."""
    found, integers, vectors, stack = [], 0, 0, 0
    for type_ in function.parameters:
        words, parts = _words(type_, EIGHTBYTE), _floats(type_)
        if parts and vectors + len(parts) <= VECTORS:
            found.append(_in_vectors(type_, parts, vectors))
            vectors += len(parts)
            continue
        by_address = not parts and type_.is_record() and type_.size > LARGEST_IN_SLOTS
        words = 1 if by_address else words
        even = _natural_alignment(type_) > EIGHTBYTE and not by_address
        if parts:
            vectors = VECTORS
        elif even:
            integers += integers & 1
        if not parts and integers + words <= ARM_REGISTERS:
            numbers = [*range(integers, integers + words)]
            found.append(Place(integers, pointed=True) if by_address else _gathered(type_, numbers))
            integers += words
            continue
        if not parts:
            integers = ARM_REGISTERS
        stack += stack & 1 if even else 0
        at = ARM_REGISTERS + stack
        found.append(Place(at, pointed=True) if by_address else _in_memory(type_, at, EIGHTBYTE))
        stack += words
    return found


def _natural_alignment(type_: Type) -> int:
    """That of a structure's members: what is asked of the structure itself does not count."""
    base = type_.resolve()
    members = (base.members or ()) if isinstance(base, Record) and not isinstance(base, Pair) else ()
    return max((each.type.align for each in members), default=type_.align)


def _floats(type_: Type) -> list[int]:
    """The sizes of what a value has in vector registers: one number, or up to four of one kind."""
    if _is_float(type_):
        return [type_.size]
    if not type_.is_record() or type_.size > 4 * LARGEST_IN_SLOTS:
        return []
    leaves = list(itertools.islice(_leaves(type_), LEAVES))
    starts = {offset for offset, _ in leaves}  # members of a union share theirs
    sizes = {leaf.size if _is_float(leaf) else 0 for _, leaf in leaves}
    size = min(sizes, default=0)
    return [size] * len(starts) if len(sizes) == 1 and len(starts) <= 4 and size * len(starts) == type_.size \
        else []


def _is_float(type_: Type) -> bool:
    return type_.is_float() or is_quad(type_)


def _in_vectors(type_: Type, sizes: Sequence[int], first: int) -> Place:
    """The place of numbers that are in vector registers from `first` on, one in each."""
    if not type_.is_record() and type_.size <= EIGHTBYTE:
        return Place(VECTOR_HALVES + 2 * first)
    return Place(parts=tuple(
        Part(at * size + half, min(size, EIGHTBYTE), VECTOR_HALVES + 2 * (first + at) + half // EIGHTBYTE)
        for at, size in enumerate(sizes) for half in range(0, size, EIGHTBYTE)))


# -- what they have in common -----------------------------------------------------------------------

def _words(type_: Type, word: int) -> int:
    """How many words a value takes; an empty structure takes none in C, as GNU has it."""
    return -(-type_.size // word) or int(not type_.is_record())


def _gathered(type_: Type, numbers: Sequence[int]) -> Place:
    """The place of a value whose words these arguments are."""
    if type_.is_record():
        return Place(parts=tuple(Part(EIGHTBYTE * at, EIGHTBYTE, each) for at, each in enumerate(numbers)))
    return _simple(type_, numbers[0], EIGHTBYTE)


def _in_memory(type_: Type, number: int, word: int) -> Place:
    """The place of a value on the stack, where argN is its first word."""
    if type_.is_scalar() and type_.size <= word:
        return Place(number)
    return Place(IN_MEMORY + number, pointed=True)


def _on_stack(type_: Type, used: list[int], word: int, registers: int) -> Place:
    which = 2 if registers else 0
    if word == EIGHTBYTE and type_.align > word:
        used[which] += used[which] & 1
    at = used[which] + registers
    used[which] += _words(type_, word)
    return _in_memory(type_, at, word)


# -- AMD64 ------------------------------------------------------------------------------------------

def _place(type_: Type, used: list[int]) -> Place:
    classes = _classes(type_)
    integers, vectors = classes.count("integer"), classes.count("vector")
    if "memory" in classes or used[0] + integers > REGISTERS or used[1] + vectors > VECTORS:
        return _on_stack(type_, used, EIGHTBYTE, REGISTERS)
    return _in_registers(type_, used)


def _in_registers(type_: Type, used: list[int]) -> Place:
    """The place of a value by the classes of its eightbytes, in the next registers that are not `used`."""
    numbers = []
    for kind in _classes(type_):
        vector = VECTOR_HALVES + 2 * used[1]
        numbers.append({"vector": vector, "upper": vector - 1}.get(kind, used[0]))
        used[kind == "vector"] += kind in ("vector", "integer")
    if type_.is_float():
        return Place(numbers[0])
    return _gathered(type_, numbers) if numbers else NOWHERE


def _on_x87(returns: Type) -> bool:
    """Whether a result is on x87's stack: a long double, also alone in a structure, or a complex one."""
    leaves = [leaf for _, leaf in itertools.islice(_leaves(returns), LEAVES)]
    return all(leaf.is_float() and leaf.size > EIGHTBYTE for leaf in leaves) and \
        (len(leaves) == 1 or is_complex(returns))


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
    classes = ["none"] * -(-type_.size // EIGHTBYTE)
    for number, (offset, leaf) in enumerate(_leaves(type_)):
        if number == LEAVES or not 0 <= offset < 8 * type_.size:
            return ["memory"]  # as only broken debug information has it
        if (leaf.is_float() and leaf.size > EIGHTBYTE) or offset // 8 % max(1, leaf.align):
            return ["memory"]
        at = min(offset // 64, len(classes) - 1)
        if is_quad(leaf) and at + 1 < len(classes) and classes[at + 1] == "none":
            classes[at + 1] = "upper"
        if not _is_float(leaf):
            classes[at] = "integer"
        elif classes[at] in ("none", "upper"):
            classes[at] = "vector"
    if classes[-1] == "upper" and "integer" in classes:
        classes[-1] = "vector"
    return classes


def _leaves(type_: Type, offset: int = 0, nested: int = NESTED) -> Iterator[tuple[int, Type]]:
    """What a value consists of, with offsets in bits; nothing deeper than `nested` levels is looked into.

    (Broken debug information may say that a structure has itself for a member.)
    """
    base = type_.resolve()
    if not nested or is_quad(base):
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
