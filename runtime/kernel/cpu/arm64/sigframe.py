"""Signal frames of AArch64 programs, on the way into a handler and back.

A frame is, from the stack pointer upward: siginfo_t; struct ucontext of <asm/ucontext.h> with struct
sigcontext of <asm/sigcontext.h>, whose reserved space begins with records: floating-point registers
(fpsimd_context), the syndrome of a fault (esr_context), and an empty one.  Above it lies a frame record, so
that callers are found through the handler.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.base.signals import INFO_SIZE, SA_RESTORER, SA_SIGINFO, Action, SignalInfo
from runtime.kernel.cpu.arm64.engine import REG_FPCR, REG_FPSR, REG_Q0
from runtime.kernel.cpu.arm64.faults import ABORTS, CLASS_SHIFT
from runtime.kernel.cpu.arm64.registers import FLAGS, PC, SP, X0, X1, X2, X29, X30
from runtime.kernel.cpu.signalinfo import pack_info

if TYPE_CHECKING:
    from runtime.kernel.cpu.arm64.engine import ArmEngine
    from runtime.kernel.cpu.processor import UserThread

HEAD = struct.Struct("<QQ QIiQ Q 120x 8x")  # flags, link, stack, mask
CONTEXT = struct.Struct("<Q31QQQQ8x")  # fault address, X0-X30, SP, PC, PSTATE; records follow
RESERVED = 4096
RECORD = struct.Struct("<II")
FLOATING, FLOATING_SIZE = 0x46508001, 528
SYNDROME, SYNDROME_SIZE = 0x45535201, 16
CONTEXT_AT = INFO_SIZE + HEAD.size
RECORDS_AT = CONTEXT_AT + CONTEXT.size
FRAME_SIZE = RECORDS_AT + RESERVED
FRAME_RECORD = 16
VECTORS = 32


def floating(engine: ArmEngine) -> bytes:
    """Return FPSR, FPCR and the 32 vector registers: the body of an fpsimd_context."""
    read = engine.read_register
    vectors = b"".join(read(REG_Q0 + number, 16).to_bytes(16, "little") for number in range(VECTORS))
    return struct.pack("<II", read(REG_FPSR, 4), read(REG_FPCR, 4)) + vectors


def set_floating(engine: ArmEngine, data: bytes) -> None:
    status, control = struct.unpack_from("<II", data)
    engine.write_register(REG_FPSR, status)
    engine.write_register(REG_FPCR, control)
    for number in range(VECTORS):
        at = 8 + 16 * number
        engine.write_register(REG_Q0 + number, int.from_bytes(data[at:at + 16], "little"), 16)


def _records(engine: ArmEngine, info: SignalInfo) -> bytes:
    data = RECORD.pack(FLOATING, FLOATING_SIZE) + floating(engine)
    if info.layout == "fault" and info.error:
        data += RECORD.pack(SYNDROME, SYNDROME_SIZE) + struct.pack("<Q", info.error)
    return data + RECORD.pack(0, 0)


def push(engine: ArmEngine, thread: UserThread, info: SignalInfo, action: Action, mask: int,
         returns: int) -> None:
    """Enter a handler.  `mask` is what `pop` restores; `returns` is where handlers return by default.

    Raises MemoryFault when the stack is bad.
    """
    regs, stack = thread.regs, thread.alternate_stack
    pointer = int(regs[SP])
    top = stack.top(pointer, action.flags) or pointer
    record = (top & -16) - FRAME_RECORD
    frame = record - FRAME_SIZE & -16
    head = HEAD.pack(0, 0, stack.address, stack.flags, 0, stack.size, mask)
    address = info.address if info.layout == "fault" and info.error >> CLASS_SHIFT in ABORTS else 0
    context = CONTEXT.pack(address, *regs[X0:X30 + 1], pointer, regs[PC], regs.flags)
    thread.write(frame, pack_info(info, 64) + head + context + _records(engine, info))
    thread.write(record, struct.pack("<QQ", regs[X29], regs[X30]))
    regs[X0] = info.signal
    if action.flags & SA_SIGINFO:
        regs[X1], regs[X2] = frame, frame + INFO_SIZE
    regs[X29], regs[SP], regs[PC] = record, frame, action.handler
    regs[X30] = action.restorer if action.flags & SA_RESTORER else returns


def pop(engine: ArmEngine, thread: UserThread) -> int:
    """Go back to where the signal came (rt_sigreturn(2)); returns what X0 is then.  Raises MemoryFault."""
    regs = thread.regs
    frame = int(regs[SP])
    if frame % 16:
        raise MemoryFault(frame)
    _flags, _link, address, flags, _, size, mask = HEAD.unpack(thread.read(frame + INFO_SIZE, HEAD.size))
    _fault, *values, pointer, pc, state = CONTEXT.unpack(thread.read(frame + CONTEXT_AT, CONTEXT.size))
    thread.return_to_stack(address, flags, size, pointer)
    records = thread.read(frame + RECORDS_AT, RESERVED)
    regs[X0:X30 + 1] = values
    regs[SP], regs[PC], regs.flags = pointer, pc, state & FLAGS
    at = 0
    while at + RECORD.size <= RESERVED:
        kind, size = RECORD.unpack_from(records, at)
        if not kind or size < RECORD.size:
            break
        if kind == FLOATING and size == FLOATING_SIZE and at + size <= RESERVED:
            set_floating(engine, records[at + RECORD.size:at + size])
        at += size
    thread.set_mask(mask)
    return int(regs[X0])
