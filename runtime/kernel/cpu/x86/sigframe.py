"""Signal frames: a thread's registers on its user stack, on the way into a handler and back.

Layouts are those of <asm/sigcontext.h> and <asm/ucontext.h> for x86-64 and i386; the floating-point
image is that of the fxsave instruction.
"""

from __future__ import annotations

import struct

from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.base.signals import INFO_SIZE, SA_ONSTACK, SA_SIGINFO, Action, SignalInfo
from runtime.kernel.cpu.signalinfo import pack_info
from runtime.kernel.cpu.x86 import engine as cpu
from runtime.kernel.cpu.x86.engine import RAX, RBP, RBX, RCX, RDI, RDX, RIP, RSI, RSP
from runtime.kernel.cpu.x86.xstate import FXSAVE_SIZE, UPPER_SIZE, frame_size, legacy, load_frame, with_legacy
from runtime.kernel.cpu.x86.xstate import frame as xstate_frame

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.cpu.processor import UserThread
    from runtime.kernel.cpu.x86.engine import Engine

RED_ZONE = 128
SEGMENT_SAVED = 6  # of uc_flags: a frame has SS, which sigreturn restores
# what a frame of i386 has for debuggers, which know it by that: calls of sigreturn and of rt_sigreturn
RETURN_32 = b"\x58\xb8\x77\0\0\0\xcd\x80"  # i386: pop eax; mov eax, 0x77; int 0x80
RETURN_32_INFO = b"\xb8\xad\0\0\0\xcd\x80"  # i386: mov eax, 0xad; int 0x80
CLEARED_FLAGS = 0x10500  # RF, DF and TF are clear in a handler
RESTORED_FLAGS = 0x40DD5  # those that a program may set through sigreturn: AC OF DF TF SF ZF AF PF CF

CONTEXT64 = struct.Struct("<QQ QIiQ 18Q HHHH 4Q Q 64x Q")  # ucontext: flags link stack gregs ... mask
ORDER64 = (cpu.R8, cpu.R9, cpu.R10, cpu.R11, cpu.R12, cpu.R13, cpu.R14, cpu.R15, RDI, RSI, RBP, RBX, RDX, RAX,
           RCX, RSP, RIP)
FRAME64_SIZE = 8 + CONTEXT64.size + INFO_SIZE
CODES = {code & ~3 | level: code for code in (cpu.CODE32, cpu.CODE64) for level in range(4)}
CONTEXT32 = struct.Struct("<22I")  # struct sigcontext: segments, registers, trap, fpstate, mask, cr2
SEGMENTS32 = cpu.REG_GS, cpu.REG_FS, cpu.REG_ES, cpu.REG_DS
ORDER32 = (RDI, RSI, RBP, RSP, RBX, RDX, RCX, RAX)
UCONTEXT32 = struct.Struct("<II III")
FPSTATE32_LEGACY = 112
FRAME32_SIZE = 8 + CONTEXT32.size + FPSTATE32_LEGACY + FXSAVE_SIZE + 4 + 8
RT_FRAME32_SIZE = 16 + INFO_SIZE + UCONTEXT32.size + CONTEXT32.size + 8 + 8


def push(engine: Engine, thread: UserThread, info: SignalInfo, action: Action, mask: int) -> None:
    """Enter a handler.  `mask` is what sigreturn restores.  Raises MemoryFault when the stack is bad."""
    if thread.process.bits == 64:
        _push64(engine, thread, info, action, mask)
    elif action.flags & SA_SIGINFO:
        _push32_info(engine, thread, info, action, mask)
    else:
        _push32(engine, thread, info, action, mask)


def _stack_top(thread: UserThread, action: Action, red_zone: int) -> int:
    pointer = thread.regs[RSP]
    return thread.alternate_stack.top(pointer, action.flags) or pointer - red_zone


def _check(thread: UserThread, action: Action, frame: int) -> None:
    """Raise MemoryFault where a frame would leave memory, or the alternate stack, as Linux looks on x86."""
    stack = thread.alternate_stack
    on_it = stack.contains(thread.regs[RSP]) or (action.flags & SA_ONSTACK and stack.size)
    if frame < 0 or (on_it and not stack.reaches(frame)):
        raise MemoryFault(frame)


def _missed(info: SignalInfo) -> int:
    """Return what CR2 is: the address of a page fault."""
    return info.address if info.layout == "fault" and info.trap == cpu.PAGE_FAULT else 0


def _flags(engine: Engine) -> int:
    return engine.read_register(cpu.REG_RFLAGS)


def _enter(engine: Engine, thread: UserThread, handler: int, frame: int) -> None:
    thread.regs[RSP], thread.regs[RIP] = frame, handler
    _switch(engine, cpu.CODE64 if thread.process.bits == 64 else cpu.CODE32)
    engine.write_register(cpu.REG_RFLAGS, _flags(engine) & ~CLEARED_FLAGS)
    engine.set_upper_halves(bytes(UPPER_SIZE))
    engine.start_floating()  # a handler does not inherit modes and flags


def _code(engine: Engine) -> int:
    return engine.read_register(cpu.REG_CS, 2)


def _switch(engine: Engine, code: int) -> None:
    """Have 64-bit or 32-bit code run, by its selector, where that is another one."""
    if code != _code(engine):
        engine.load_code(code)


def _push64(engine: Engine, thread: UserThread, info: SignalInfo, action: Action, mask: int) -> None:
    regs, space, stack = thread.regs, thread.process.memory, thread.alternate_stack
    top = _stack_top(thread, action, RED_ZONE)
    floating = (top - frame_size(engine)) & ~63
    frame = ((floating - FRAME64_SIZE) & ~15) - 8
    _check(thread, action, frame)
    context = CONTEXT64.pack(
        SEGMENT_SAVED | int(engine.vectors), 0, stack.address, stack.flags, 0, stack.size,
        *(regs[number] for number in ORDER64), _flags(engine), _code(engine), 0, 0, cpu.DATA,
        info.error, info.trap, mask, _missed(info), floating, mask)
    space.write(floating, xstate_frame(engine))
    space.write(frame, struct.pack("<Q", action.restorer) + context + pack_info(info, 64))
    _enter(engine, thread, action.handler, frame)
    regs[RDI], regs[RSI], regs[RDX], regs[RAX] = info.signal, frame + 8 + CONTEXT64.size, frame + 8, 0


def pop64(engine: Engine, thread: UserThread) -> int:
    """Go back to where the signal came (rt_sigreturn(2)); returns the value of the result register."""
    space, regs = thread.process.memory, thread.regs
    fields = CONTEXT64.unpack(space.read(regs[RSP], CONTEXT64.size))
    thread.return_to_stack(fields[2], fields[3], fields[5], regs[RSP])
    for number, value in zip(ORDER64, fields[6:23], strict=True):
        regs[number] = value
    _switch(engine, CODES.get(fields[24] & 0xFFFF, cpu.CODE64))
    engine.write_register(cpu.REG_RFLAGS, (fields[23] & RESTORED_FLAGS) | cpu.INITIAL_FLAGS)
    floating, mask = fields[32], fields[33]
    if floating:
        load_frame(engine, space.read(floating, frame_size(engine)))
    thread.set_mask(mask)
    return regs[RAX]


def _context32(engine: Engine, thread: UserThread, info: SignalInfo, floating: int, mask: int) -> bytes:
    regs = thread.regs
    values = [regs[number] & 0xFFFFFFFF for number in ORDER32]
    segments = [engine.read_register(number, 2) for number in SEGMENTS32]
    return CONTEXT32.pack(*segments, *values, info.trap, info.error, regs[RIP] & 0xFFFFFFFF, _code(engine),
                          _flags(engine), regs[RSP] & 0xFFFFFFFF, cpu.DATA, floating, mask & 0xFFFFFFFF,
                          _missed(info) & 0xFFFFFFFF)


def _push_floating32(engine: Engine, thread: UserThread, address: int) -> None:
    image = xstate_frame(engine)
    status = image[2:4] + bytes(2)  # and the mark of what follows
    thread.process.memory.write(address, legacy(image) + status + image)


def _enter32(engine: Engine, thread: UserThread, handler: int, frame: int) -> None:
    """Enter a handler, which finds its data by the usual segment, whatever the interrupted code used."""
    _enter(engine, thread, handler, frame)
    engine.load_data()


def _push32(engine: Engine, thread: UserThread, info: SignalInfo, action: Action, mask: int) -> None:
    top = _stack_top(thread, action, 0) & 0xFFFFFFFF
    floating = (top - FPSTATE32_LEGACY - frame_size(engine)) & ~63 if engine.vectors else 0
    frame = (((floating or top) - FRAME32_SIZE + 4) & ~15) - 4
    _check(thread, action, frame)
    inside = frame + 8 + CONTEXT32.size  # where the frame has room for 512 bytes
    floating = floating or inside
    space = thread.process.memory
    context = _context32(engine, thread, info, floating, mask)
    _push_floating32(engine, thread, floating)
    space.write(frame, struct.pack("<II", action.restorer, info.signal) + context)
    space.write(inside + FPSTATE32_LEGACY + FXSAVE_SIZE, struct.pack("<I", mask >> 32) + RETURN_32)
    _enter32(engine, thread, action.handler, frame)
    thread.regs[RAX], thread.regs[RDX], thread.regs[RCX] = info.signal, 0, 0


def _push32_info(engine: Engine, thread: UserThread, info: SignalInfo, action: Action, mask: int) -> None:
    space, stack = thread.process.memory, thread.alternate_stack
    top = _stack_top(thread, action, 0) & 0xFFFFFFFF
    floating = (top - FPSTATE32_LEGACY - frame_size(engine)) & ~63
    frame = ((floating - RT_FRAME32_SIZE + 4) & ~15) - 4
    _check(thread, action, frame)
    info_at, user_at = frame + 16, frame + 16 + INFO_SIZE
    user = UCONTEXT32.pack(int(engine.vectors), 0, stack.address & 0xFFFFFFFF, stack.flags,
                           stack.size & 0xFFFFFFFF)
    context = _context32(engine, thread, info, floating, mask)
    _push_floating32(engine, thread, floating)
    space.write(frame, struct.pack("<IIII", action.restorer, info.signal, info_at, user_at)
                + pack_info(info, 32) + user + context + struct.pack("<Q", mask) + RETURN_32_INFO + b"\0")
    _enter32(engine, thread, action.handler, frame)
    thread.regs[RAX], thread.regs[RDX], thread.regs[RCX] = info.signal, info_at, user_at


def _selectors(thread: UserThread) -> set[int]:
    """Return the selectors of the segments that a 32-bit thread has."""
    own = (cpu.TLS_FIRST + index << 3 | 3 for index, area in enumerate(thread.thread_areas) if area)
    return {cpu.CODE32, cpu.DATA, cpu.CODE64, *own}


def pop32(engine: Engine, thread: UserThread, realtime: bool) -> int:
    """Go back to where the signal came, in a 32-bit program; returns the value of the result register."""
    space, regs = thread.process.memory, thread.regs
    if realtime:
        at = regs[RSP] - 4 + 16 + INFO_SIZE + UCONTEXT32.size
        (mask,) = struct.unpack("<Q", space.read(at + CONTEXT32.size, 8))
    else:
        at = regs[RSP]  # the restorer has popped the return address and the signal number
        high = at + CONTEXT32.size + FPSTATE32_LEGACY + FXSAVE_SIZE
        mask = struct.unpack("<I", space.read(high, 4))[0] << 32
    fields = CONTEXT32.unpack(space.read(at, CONTEXT32.size))
    for number, value in zip(ORDER32, fields[4:12], strict=True):
        regs[number] = value
    regs[RIP] = fields[14]
    _switch(engine, CODES.get(fields[15] & 0xFFFF, cpu.CODE32))
    known = _selectors(thread)
    for number, field in zip(SEGMENTS32, fields, strict=False):
        selector = field & 0xFFFF | 3
        if selector != engine.read_register(number, 2):
            engine.write_register(number, selector if selector in known else 0, 2)
    engine.write_register(cpu.REG_RFLAGS, (fields[16] & RESTORED_FLAGS) | cpu.INITIAL_FLAGS)
    if fields[19]:
        image = space.read(fields[19], FPSTATE32_LEGACY + frame_size(engine))
        load_frame(engine, with_legacy(image[FPSTATE32_LEGACY:], image))
    thread.set_mask(mask if realtime else mask | fields[20])
    if realtime:
        stack = space.read(at - UCONTEXT32.size, UCONTEXT32.size)
        _flags, _link, address, flags, size = UCONTEXT32.unpack(stack)
        thread.return_to_stack(address, flags, size, regs[RSP])
    return regs[RAX]
