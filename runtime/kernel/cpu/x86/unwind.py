"""User stacks: the callers of any instruction, found by .eh_frame, by the code, or by frame pointers."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from dif.elfnumbers import PT_GNU_EH_FRAME, PT_LOAD
from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.cpu.callframes import BadFrame, Common, Read, Row, evaluate, find_entry, rules
from runtime.kernel.cpu.x86 import engine as machine
from runtime.kernel.memory.physical import PAGE_MASK

if TYPE_CHECKING:
    from runtime.kernel.cpu.processor import UserThread
    from runtime.kernel.cpu.x86.codewalk import Follower
    from runtime.kernel.memory.addrspace import AddressSpace, Area

# indices of a thread's `regs` by DWARF number of the register
AMD64 = (machine.RAX, machine.RDX, machine.RCX, machine.RBX, machine.RSI, machine.RDI, machine.RBP,
         machine.RSP, *range(machine.R8, machine.R15 + 1))
I386 = tuple(range(8))
STACK_POINTER, FRAME_POINTER = {64: 7, 32: 4}, {64: 6, 32: 5}
RETURN = {64: 16, 32: 8}  # the column that the program counter has in the tables


class _Frame:
    """One frame: its registers by DWARF number, and its program counter."""

    def __init__(self, registers: dict[int, int], pc: int, interrupted: bool) -> None:
        self.registers = registers
        self.pc = pc
        self.interrupted = interrupted  # pc is the next instruction itself, not what follows a call


class _Text:
    """What is known of a process's code: rows of frame information by address, and a follower of code."""

    def __init__(self, space: AddressSpace, bits: int) -> None:
        self._space, self._bits = space, bits
        self.rows: dict[int, tuple[Row, Common] | None] = {}

    @cached_property
    def follower(self) -> Follower:
        from runtime.kernel.cpu.x86.codewalk import Follower

        return Follower(self._space.read, self._bits)


def user_frames(thread: UserThread, limit: int) -> list[tuple[int, int]]:
    """Return program counters, innermost first, at most `limit`, each with the value that the frame pointer's
    register has there; 0 where that is not known.
    """
    pointer = FRAME_POINTER[thread.process.bits]
    return [(frame.pc, frame.registers.get(pointer, 0)) for frame in _frames(thread, limit)]


def _frames(thread: UserThread, limit: int) -> Iterator[_Frame]:
    space = thread.process.space
    if space is None:
        return
    bits = thread.process.bits
    names = AMD64 if bits == 64 else I386
    mask = (1 << bits) - 1
    registers = {number: int(thread.regs[name]) & mask for number, name in enumerate(names)}
    frame: _Frame | None = _Frame(registers, thread.pc & mask, True)
    for _ in range(limit):
        if frame is None or not frame.pc:
            return
        yield frame
        frame = _caller(space, frame, bits)


def _caller(space: AddressSpace, frame: _Frame, bits: int) -> _Frame | None:
    pc = frame.pc if frame.interrupted else frame.pc - 1
    try:
        text = space.text
        if not isinstance(text, _Text):
            text = space.text = _Text(space, bits)
        if pc not in text.rows:
            text.rows[pc] = _described(space, pc, bits)
        described = text.rows[pc]
        if described is None:
            found = _by_code(text, frame) or _by_pointer(space, frame, bits)
        else:
            found = _by_rules(space.read, frame, *described, bits)
    except (MemoryFault, BadFrame):
        return None
    # what lies above the first function of a program need not be a return address
    return found if found is not None and space.find(found.pc) is not None else None


# -- with call frame information ------------------------------------------------------------------

def _described(space: AddressSpace, pc: int, bits: int) -> tuple[Row, Common] | None:
    area = space.find(pc)
    if area is None or not area.path:
        return None
    try:
        header = _header(space, area, bits)
        entry = find_entry(space.read, header, pc, bits // 8) if header else None
        return rules(space.read, entry, pc, bits // 8) if entry else None
    except (MemoryFault, BadFrame, struct.error):
        return None


def _header(space: AddressSpace, area: Area, bits: int) -> int | None:
    """Return where the .eh_frame_hdr of an object lies, of which `area` shows a part."""
    first = _first_of(space, area)
    if first is None:
        return None
    loads, found = [], None
    for kind, address in _segments(space.read, first.start, bits):
        if kind == PT_LOAD:
            loads.append(address)
        elif kind == PT_GNU_EH_FRAME:
            found = address
    if found is None or not loads:
        return None
    return first.start - (min(loads) & ~PAGE_MASK) + found


def _first_of(space: AddressSpace, area: Area) -> Area | None:
    """Return the nearest area at or below `area` that shows the beginning of the same file."""
    candidates = [each for each in space.areas
                  if each.path == area.path and not each.offset and each.start <= area.start]
    return candidates[-1] if candidates else None


def _segments(read: Read, base: int, bits: int) -> Iterator[tuple[int, int]]:
    """Yield (type, address) of each program header of the ELF file that is mapped at `base`."""
    if bits == 64:
        offset, = struct.unpack("<Q", read(base + 32, 8))
        size, count = struct.unpack("<HH", read(base + 54, 4))
    else:
        offset, = struct.unpack("<I", read(base + 28, 4))
        size, count = struct.unpack("<HH", read(base + 42, 4))
    for number in range(min(count, 64)):
        head = read(base + offset + number * size, size)
        kind, = struct.unpack_from("<I", head)
        address, = struct.unpack_from("<Q", head, 16) if bits == 64 else struct.unpack_from("<I", head, 8)
        yield kind, address


def _by_rules(read: Read, frame: _Frame, row: Row, common: Common, bits: int) -> _Frame | None:
    word, mask = bits // 8, (1 << bits) - 1
    old = frame.registers | {RETURN[bits]: frame.pc}
    if row.cfa_expression is not None:
        cfa = evaluate(read, row.cfa_expression, old, word)
    elif row.cfa is not None and row.cfa[0] in old:
        cfa = (old[row.cfa[0]] + row.cfa[1]) & mask
    else:
        raise BadFrame
    registers = dict(frame.registers)
    registers[STACK_POINTER[bits]] = cfa
    for register, (kind, value, length) in row.registers.items():
        found = _recover(read, kind, value, length, cfa, old, word)
        if found is None:
            registers.pop(register, None)
        else:
            registers[register] = found & mask
    pc = registers.pop(common.return_register, None)
    if pc is None or (registers.get(STACK_POINTER[bits]) == old.get(STACK_POINTER[bits]) and pc == frame.pc):
        return None
    return _Frame(registers, pc, common.signal)


def _recover(read: Read, kind: str, value: int, length: int, cfa: int, old: dict[int, int],
             word: int) -> int | None:
    """Return a register of the caller; None if it is not known."""
    if kind == "offset":
        return int.from_bytes(read((cfa + value) & (1 << 8 * word) - 1, word), "little")
    if kind == "value":
        return cfa + value
    if kind == "register":
        return old.get(value)
    if kind == "undefined":
        return None
    address = evaluate(read, (value, length), old, word, cfa)
    return address if kind == "value expression" else int.from_bytes(read(address, word), "little")


# -- without ---------------------------------------------------------------------------------------

def _by_code(text: _Text, frame: _Frame) -> _Frame | None:
    """Return the caller to which the code itself leads."""
    found = text.follower.caller(frame.pc, frame.registers)
    return _Frame(found[1], found[0], False) if found is not None else None


def _by_pointer(space: AddressSpace, frame: _Frame, bits: int) -> _Frame | None:
    """Return the caller by the frame pointer."""
    word = bits // 8
    sp, fp = STACK_POINTER[bits], FRAME_POINTER[bits]
    registers = dict(frame.registers)
    base = registers.get(fp, 0)
    if not base or base < registers.get(sp, 0):
        return None
    data = space.read(base, 2 * word)
    registers[fp] = int.from_bytes(data[:word], "little")
    registers[sp] = base + 2 * word
    return _Frame(registers, int.from_bytes(data[word:], "little"), False)
