"""Contexts of 64-bit programs: two traps with which setjmp() and its like save and load all registers.

`ucontext_t` as <sys/ucontext.h> lays it out: a link, flags, the signal mask; then %tstate, %pc, %npc, %y,
%g1-7, %o0-7, %fp and %i7, and the floating-point registers with their state.  Both the save and a later load
of the context go on behind the trap that saved it.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from runtime.kernel.cpu.sparc.numbers import from_mask, to_mask
from runtime.kernel.cpu.sparc.registers import BIAS, FP, G1, I7, L0, O0, O1, SP, Registers

if TYPE_CHECKING:
    from runtime.kernel.cpu.processor import UserThread

GET_CONTEXT, SET_CONTEXT = 0x16E, 0x16F  # trap types: ta 0x6e, ta 0x6f
# offsets of __uc_sigmask, mc_gregs (with mc_fp and mc_i7), mc_fpregs, mcfpu_enab
MASK, REGISTERS, FLOATS, ENABLED = 16, 32, 208, 498
GENERAL = struct.Struct(">21Q")
FLOATING = struct.Struct(">32Q2Q")  # with fsr and fprs
CODES_SHIFT = 32  # of %tstate
FRAME = struct.Struct(">2Q")  # %fp and %i7 in a window that has been spilled
IN_FRAME = (FP - L0) * 8


def save(thread: UserThread) -> bool:
    """Write the registers to the context at %o0; returns True.  Raises MemoryFault."""
    regs: Registers = thread.regs
    state, where = regs.state, regs.read(O0)
    after = regs.npc, regs.npc + 4
    codes = regs.icc() | regs.xcc() << 4
    general = [regs.read(number) for number in range(G1, G1 + 15)]
    data = GENERAL.pack(codes << CODES_SHIFT, *after, int(state.y), *general, regs.read(FP),
                        regs.read(I7))
    thread.write(where + MASK, struct.pack(">Q", from_mask(thread.mask)))
    thread.write(where + REGISTERS, data)
    thread.write(where + FLOATS, FLOATING.pack(*state.floats, state.fsr, state.fprs))
    thread.write(where + ENABLED, b"\1")
    regs.pc, regs.npc = after
    return True


def load(thread: UserThread) -> bool:
    """Load the registers, and the mask if %o1 is set, from the context at %o0; returns True.

    Raises MemoryFault.
    """
    regs: Registers = thread.regs
    state, where = regs.state, regs.read(O0)
    regs.flush()
    regs.spill_own()
    if regs.read(O1):
        thread.set_mask(to_mask(int.from_bytes(thread.read(where + MASK, 8), "big")))
    if thread.read(where + ENABLED, 1) != b"\0":
        *floats, fsr, _fprs = FLOATING.unpack(thread.read(where + FLOATS, FLOATING.size))
        state.floats[:], state.fsr = floats, fsr
    tstate, pc, npc, y, *general, pointer, returns = GENERAL.unpack(
        thread.read(where + REGISTERS, GENERAL.size))
    regs.pc, regs.npc, state.y = pc, npc, y
    regs.set_codes(tstate >> CODES_SHIFT & 15, tstate >> CODES_SHIFT + 4 & 15)
    for number, value in enumerate(general, G1):
        regs.write(number, value)
    thread.write(regs.read(SP) + BIAS[64] + IN_FRAME, FRAME.pack(pointer, returns))
    regs.fill_own()
    return True
