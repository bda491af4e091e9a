"""User stacks: the callers of any instruction, by call frame tables, by the code, or by frame pointers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.cpu.callframes import BadFrame, Common, Frame, Read, Row, recovered
from runtime.kernel.cpu.x86 import engine as machine
from runtime.kernel.cpu.x86.plannedframes import FRAME_POINTER, STACK_POINTER, PlannedFrames

if TYPE_CHECKING:
    from runtime.kernel.cpu.processor import UserThread
    from runtime.kernel.memory.addrspace import AddressSpace

# indices of a thread's `regs` by DWARF number of the register
AMD64 = (machine.RAX, machine.RDX, machine.RCX, machine.RBX, machine.RSI, machine.RDI, machine.RBP,
         machine.RSP, *range(machine.R8, machine.R15 + 1))
I386 = tuple(range(8))
RETURN = {64: 16, 32: 8}  # the column that the program counter has in the tables


def user_stack(thread: UserThread, limit: int) -> Sequence[int]:
    """Return program counters, innermost first, at most `limit`."""
    space = thread.process.space
    if space is None:
        return ()
    bits, regs = thread.process.bits, thread.regs
    mask = (1 << bits) - 1
    found = PlannedFrames.of(space, bits).stack(thread.pc & mask, regs[machine.RSP] & mask,
                                                regs[machine.RBP] & mask, limit)
    return [pc for pc, _pointer in user_frames(thread, limit)] if found is None else found


def user_frames(thread: UserThread, limit: int) -> list[tuple[int, int]]:
    """Return the same, each with the value that the frame pointer's register has there; 0 where that is not
    known.
    """
    space = thread.process.space
    if space is None:
        return []
    bits = thread.process.bits
    pointer = FRAME_POINTER[bits]
    return [(frame.pc, frame.registers.get(pointer, 0)) for frame in _frames(thread, space, bits, limit)]


def _frames(thread: UserThread, space: AddressSpace, bits: int, limit: int) -> Iterator[Frame]:
    names = AMD64 if bits == 64 else I386
    mask = (1 << bits) - 1
    registers = {number: int(thread.regs[name]) & mask for number, name in enumerate(names)}
    frame: Frame | None = Frame(registers, thread.pc & mask, True)
    for _ in range(limit):
        if frame is None or not frame.pc:
            return
        yield frame
        frame = _caller(space, frame, bits)


def _caller(space: AddressSpace, frame: Frame, bits: int) -> Frame | None:
    pc = frame.pc if frame.interrupted else frame.pc - 1
    text = PlannedFrames.of(space, bits)
    try:
        described = text.row(pc)
        if described is None:
            found = _by_code(text, frame) or _by_pointer(space, frame, bits)
        else:
            found = _by_rules(space.read, frame, *described, bits)
    except (MemoryFault, BadFrame):
        return None
    # what lies above the first function of a program need not be a return address
    return found if found is not None and text.has_code(found.pc) else None


# -- with call frame information ------------------------------------------------------------------

def _by_rules(read: Read, frame: Frame, row: Row, common: Common, bits: int) -> Frame | None:
    stack = STACK_POINTER[bits]
    registers = recovered(read, row, frame.registers, stack, bits // 8, {RETURN[bits]: frame.pc})
    pc = registers.pop(common.return_register, None)
    if pc is None or (registers.get(stack) == frame.registers.get(stack) and pc == frame.pc):
        return None
    return Frame(registers, pc, common.signal)


# -- without ---------------------------------------------------------------------------------------

def _by_code(text: PlannedFrames, frame: Frame) -> Frame | None:
    """Return the caller to which the code itself leads."""
    found = text.follower.caller(frame.pc, frame.registers)
    return Frame(found[1], found[0], False) if found is not None else None


def _by_pointer(space: AddressSpace, frame: Frame, bits: int) -> Frame | None:
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
    return Frame(registers, int.from_bytes(data[word:], "little"), False)
