"""Signal frames of SPARC programs, on the way into a handler and back.

A frame is, from the stack pointer upward: room for a register window (so the windows of the interrupted
function spill there), siginfo_t, pt_regs as Linux's <asm/ptrace.h> lays it out, the signal mask,
instructions that return when the program gave no function for that, the floating-point registers, and the
stack for handlers.
A handler is called with the signal, and the addresses of siginfo_t and pt_regs (in 64-bit programs of
siginfo_t again, behind which pt_regs lies); it runs in the interrupted function's window until it saves.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.base.signals import INFO_SIZE, Action, SignalInfo
from runtime.kernel.cpu.sparc.numbers import FROM_SIGNAL
from runtime.kernel.cpu.sparc.registers import BIAS, ICC_SHIFT, O0, O7, SP, Registers

if TYPE_CHECKING:
    from runtime.kernel.cpu.processor import UserThread

WINDOW_SIZE = {32: 96, 64: 192}  # struct sparc_stackf
RETURN = b"\x82\x10\x20\x65\x91\xd0\x20\x10"  # sparc: mov 101, %g1; ta 0x10
RETURN64 = b"\x82\x10\x20\x65\x91\xd0\x20\x6d"  # sparcv9: mov 101, %g1; ta 0x6d
GENERAL = 16  # %g0-7, %o0-7: the window's own registers are spilled
CCR_SHIFT = 32  # of tstate
WORD = {32: "I", 64: "Q"}


def pack_info(info: SignalInfo, bits: int) -> bytes:
    """Return a siginfo_t, 128 bytes."""
    head = struct.pack(">iii", FROM_SIGNAL.get(info.signal, info.signal), 0, info.code)
    if bits == 64:
        head += bytes(4)
    word = WORD[bits]
    if info.layout == "fault":
        body = struct.pack(f">{word}i", info.address, info.trap)
    elif info.layout == "child":
        status = FROM_SIGNAL.get(info.status, info.status) if info.code != 1 else info.status
        body = struct.pack(">iIi", info.pid, info.uid, status)
    elif info.layout == "poll":
        body = struct.pack(f">{word}i", info.value, info.status)
    else:
        body = struct.pack(f">iI{word}", info.pid, info.uid, info.value & (1 << bits) - 1)
    return (head + body).ljust(INFO_SIZE, b"\0")


def _pack_registers(regs: Registers) -> bytes:
    general = [regs.read(number) for number in range(GENERAL)]
    y = int(regs.state.y) & 0xFFFFFFFF
    if regs.bits == 32:
        return struct.pack(">4I16I", regs.icc() << ICC_SHIFT, regs.pc, regs.npc, y, *general)
    codes = regs.icc() | regs.xcc() << 4
    return struct.pack(">16Q3QII", *general, codes << CCR_SHIFT, regs.pc, regs.npc, y, 0)


def _unpack_registers(regs: Registers, data: bytes) -> None:
    if regs.bits == 32:
        psr, regs.pc, regs.npc, y, *general = struct.unpack(">4I16I", data)
        regs.set_codes(psr >> ICC_SHIFT & 15)
    else:
        *general, state, pc, npc, y, _magic = struct.unpack(">16Q3QII", data)
        regs.pc, regs.npc = pc, npc
        regs.set_codes(state >> CCR_SHIFT & 15, state >> CCR_SHIFT + 4 & 15)
    regs.state.y = y
    for number, value in enumerate(general):
        regs.write(number, value)


def _shape(bits: int) -> tuple[int, int, int]:
    """Return the offsets of siginfo_t, pt_regs and the mask, with which the last part begins."""
    info = WINDOW_SIZE[bits]
    registers = info + INFO_SIZE
    return info, registers, registers + (80 if bits == 32 else 160)


def _last_part(regs: Registers) -> struct.Struct:
    """Return the layout of what begins with the mask."""
    return struct.Struct(f">Q{len(RETURN)}s{len(regs.state.floats)}QQ QIQ")


def push(thread: UserThread, info: SignalInfo, action: Action, mask: int) -> None:
    """Enter a handler.  `mask` is what `pop` restores.  Raises MemoryFault when the stack is bad."""
    regs: Registers = thread.regs
    bits = regs.bits
    regs.flush()
    info_at, registers_at, mask_at = _shape(bits)
    pointer, stack = regs.read(SP) + BIAS[bits], thread.alternate_stack
    last = _last_part(regs)
    frame = (stack.top(pointer, action.flags) or pointer) - mask_at - last.size & ~15
    if stack.contains(pointer) and not stack.contains(frame):
        raise MemoryFault(frame)
    state = regs.state
    thread.write(frame, bytes(info_at) + pack_info(info, bits) + _pack_registers(regs)
                 + last.pack(mask, RETURN if bits == 32 else RETURN64, *state.floats, state.fsr,
                             stack.address, stack.flags, stack.size))
    leads_back = action.restorer or frame + mask_at + 8  # `ret` goes 8 bytes beyond %o7
    regs.write(SP, frame - BIAS[bits])
    regs.write(O0, FROM_SIGNAL.get(info.signal, info.signal))
    regs.write(O0 + 1, frame + info_at)
    regs.write(O0 + 2, frame + (registers_at if bits == 32 else info_at))
    regs.write(O7, leads_back - 8)
    regs.pc, regs.npc = action.handler, action.handler + 4


def pop(thread: UserThread) -> None:
    """Go back to where the signal came."""
    regs: Registers = thread.regs
    bits = regs.bits
    _info, registers_at, mask_at = _shape(bits)
    frame = regs.read(SP) + BIAS[bits]
    _unpack_registers(regs, thread.read(frame + registers_at, mask_at - registers_at))
    last = _last_part(regs)
    mask, _code, *floats, fsr, address, flags, size = last.unpack(thread.read(frame + mask_at, last.size))
    regs.state.floats[:] = floats
    regs.state.fsr = fsr & regs.mask
    thread.set_mask(mask)
    thread.return_to_stack(address, flags, size, regs.read(SP) + BIAS[bits])
