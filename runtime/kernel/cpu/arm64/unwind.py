"""User stacks of AArch64 programs: callers by call frame information, or by frame records.

A frame record is what X29 points to: the caller's X29 and where it goes on (Procedure Call Standard for the
Arm 64-bit Architecture, 6.4.6).  Return addresses may be signed: their upper bits are dropped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.cpu.arm64 import vdso
from runtime.kernel.cpu.arm64.registers import PC, SP, X29, X30
from runtime.kernel.cpu.arm64.sigframe import CONTEXT, CONTEXT_AT
from runtime.kernel.cpu.callframes import BadFrame, Common, Frame, Row, recovered
from runtime.kernel.cpu.textframes import TextFrames

if TYPE_CHECKING:
    from runtime.kernel.cpu.processor import UserThread
    from runtime.kernel.memory.addrspace import AddressSpace

WIDTH, SIZE = 8, 4  # bytes of an address, and of an instruction
SIGNED = (1 << 48) - 1  # the bits of an address that its signature leaves alone
LONGEST = 4096  # bytes of code looked at
# stp x29, x30, [sp, ...]: with and without a new stack pointer; str x30, [sp, ...] likewise
STORES = ((0xFFC07FFF, 0xA9807BFD), (0xFFC07FFF, 0xA9007BFD),
          (0xFFE00FFF, 0xF8000FFE), (0xFFC003FF, 0xF90003FE))
LOADS = ((0xFFC07FFF, 0xA8C07BFD), (0xFFC07FFF, 0xA9407BFD),
         (0xFFE00FFF, 0xF84007FE), (0xFFC003FF, 0xF94003FE))
# stp x16, x30, [sp, #-16]!, of the first linkage stub, which calls the run-time linker; bytes after it there
STUB_STORE, STUB_ROOM, STUB_REST = 0xA9BF7BF0, 16, 16
JUMP = 0xD61F0220  # br x17, by which a linkage stub goes on
RETURNS = frozenset((0xD65F03C0, 0xD65F0BFF, 0xD65F0FFF))  # ret, retaa, retab


def user_frames(thread: UserThread, limit: int) -> list[tuple[int, int]]:
    """Return program counters, innermost first, at most `limit`, each with X29 there; 0: not known."""
    space = thread.process.space
    if space is None:
        return []
    return [(frame.pc, frame.registers.get(X29, 0)) for frame in _frames(thread, space, limit)]


def _frames(thread: UserThread, space: AddressSpace, limit: int) -> Iterator[Frame]:
    registers = {number: int(thread.regs[number]) for number in range(PC)}
    frame: Frame | None = Frame(registers, thread.pc & SIGNED, True)
    for _ in range(limit):
        if frame is None or not frame.pc:
            return
        yield frame
        frame = _caller(thread, space, frame)


def _caller(thread: UserThread, space: AddressSpace, frame: Frame) -> Frame | None:
    pc = frame.pc if frame.interrupted else frame.pc - SIZE
    text = TextFrames.of(space, 8 * WIDTH)
    try:
        if 0 <= frame.pc - vdso.BASE - vdso.SIGNAL_RETURN <= 2 * SIZE:  # there, at the call, or in it
            found: Frame | None = _interrupted(space, frame)
        else:
            described = text.row(pc)
            found = (_by_code(thread, space, frame) if described is None
                     else _by_rules(space, frame, *described, _room_above(text, frame, pc)))
    except (MemoryFault, BadFrame):
        return None
    return found if found is not None and text.has_code(found.pc) else None


def _interrupted(space: AddressSpace, frame: Frame) -> Frame | None:
    """Return the frame that a signal has interrupted: its registers are on the stack."""
    stack = frame.registers.get(SP)
    if stack is None:
        return None
    _address, *values, pc, _state = CONTEXT.unpack(space.read(stack + CONTEXT_AT, CONTEXT.size))
    return Frame(dict(enumerate(values)), pc & SIGNED, True)


def _room_above(text: TextFrames, frame: Frame, pc: int) -> int:
    """Return how many bytes above its canonical frame address a function has for its return address.

    It has none, but for the C library's code that binds a function when it is first called: the linkage stub
    has stored the address before that code begins, and its call frame information leaves out the stub's room.
    """
    for address in (pc, pc + SIZE) if frame.interrupted else (pc,):  # its first instruction has no rule yet
        described = text.row(address)
        if described is not None and described[0].cfa is not None and described[0].cfa[0] == SP:
            kind, offset, _expression = described[0].registers.get(described[1].return_register, ("", 0, b""))
            if kind == "offset":
                return max(offset + WIDTH, 0)
    return 0


def _by_rules(space: AddressSpace, frame: Frame, row: Row, common: Common, room: int) -> Frame | None:
    registers = recovered(space.read, row, frame.registers, SP, WIDTH)
    if room and SP in registers:  # a row may leave it undefined
        registers[SP] += room
    pc = registers.get(common.return_register)
    if pc is None or (registers.get(SP) == frame.registers.get(SP) and pc & SIGNED == frame.pc):
        return None
    return Frame(registers, pc & SIGNED, common.signal)


def _by_code(thread: UserThread, space: AddressSpace, frame: Frame) -> Frame | None:
    """Return the caller by X30, where the function has not stored it, else by the frame record."""
    registers = dict(frame.registers)
    if frame.interrupted and not _has_stored(thread, frame.pc):
        pc = registers.pop(X30, 0)
        if _is_in_first_stub(thread, frame.pc):
            registers[SP] += STUB_ROOM
        return Frame(registers, pc & SIGNED, False)
    record = registers.get(X29, 0)
    if not record or record < registers.get(SP, 0):
        return None
    data = space.read(record, 2 * WIDTH)
    registers[X29] = int.from_bytes(data[:WIDTH], "little")
    registers[SP] = record + 2 * WIDTH
    return Frame(registers, int.from_bytes(data[WIDTH:], "little") & SIGNED, False)


def _is_in_first_stub(thread: UserThread, pc: int) -> bool:
    """Whether the linkage stub at `pc` has stored X30; it keeps its value until another function runs."""
    for address in range(pc - SIZE, pc - SIZE - STUB_REST, -SIZE):
        try:
            word = int.from_bytes(thread.read_text(address, SIZE), "little")
        except MemoryFault:
            return False
        if word == STUB_STORE:
            return True
        if word == JUMP:
            return False
    return False


def _has_stored(thread: UserThread, pc: int) -> bool:
    """Whether the code before `pc`, of the same function, has put X30 on the stack and not taken it back."""
    for address in range(pc - SIZE, max(pc - LONGEST, 0), -SIZE):
        try:
            word = int.from_bytes(thread.read_text(address, SIZE), "little")
        except MemoryFault:
            return False
        if word in RETURNS:
            return False
        if any(word & mask == value for mask, value in LOADS):
            return False
        if any(word & mask == value for mask, value in STORES):
            return True
    return False
