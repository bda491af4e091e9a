"""What handlers find and leave on the stacks of AArch64 and SPARC programs, and what debuggers are shown."""

from __future__ import annotations

import os
import random
import struct
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.base.signals import (
    SA_ONSTACK,
    SA_RESTORER,
    SA_SIGINFO,
    Action,
    AlternateStack,
    SignalInfo,
)
from runtime.kernel.cpu import signalinfo
from runtime.kernel.cpu.arm64 import sigframe as arm64
from runtime.kernel.cpu.arm64.ptraceregs import ArmDebugging
from runtime.kernel.cpu.arm64.registers import PC, SP, Registers
from runtime.kernel.cpu.sparc import contexts, numbers
from runtime.kernel.cpu.sparc import sigframe as sparc
from runtime.kernel.cpu.sparc.registers import BIAS, State8, State9
from runtime.kernel.cpu.sparc.registers import Registers as SparcRegisters

Q0, FPCR, FPSR, TLS = 104, 291, 292, 262  # as the engine numbers them


class Stack:
    """Memory from 0x10000 on; a part that has not been written cannot be read."""

    def __init__(self) -> None:
        self.bytes: dict[int, int] = {}

    def read(self, address: int, size: int) -> bytes:
        try:
            return bytes(self.bytes[at] for at in range(address, address + size))
        except KeyError as error:
            raise MemoryFault(error.args[0]) from None

    def write(self, address: int, data: bytes) -> None:
        if address < 0x10000:
            raise MemoryFault(address)
        self.bytes.update(enumerate(data, address))


class Engine:
    """Registers by number, of whatever width."""

    def __init__(self, draw: random.Random) -> None:
        self.held = {Q0 + number: draw.getrandbits(128) for number in range(32)}
        self.held |= {FPCR: draw.getrandbits(32), FPSR: draw.getrandbits(32), TLS: draw.getrandbits(64)}
        self.stepping = False
        self.regs: Any = None

    def read_register(self, number: int, size: int = 8) -> int:
        assert size == (16 if Q0 <= number < Q0 + 32 else 8 if number == TLS else 4)
        return self.held[number]

    def write_register(self, number: int, value: int, size: int = 8) -> None:
        self.held[number] = value


def thread(regs: Any, stack: AlternateStack, **more: Any) -> Any:
    memory, told = Stack(), list[Any]()
    made = SimpleNamespace(regs=regs, read=memory.read, write=memory.write, alternate_stack=stack, told=told,
                           set_mask=told.append, return_to_stack=lambda *words: told.append(words),
                           load=lambda: None, memory=memory, **more)
    return made


FAULT = SignalInfo(11, 2, "fault", address=0x1234, trap=14, error=0x92000047)
QUEUED = SignalInfo(10, -1, pid=5, uid=6, value=1 << 40 | 7)


@pytest.mark.parametrize(("info", "flags", "esr", "address"), [
    (FAULT, SA_SIGINFO | SA_RESTORER, 0x92000047, 0x1234), (QUEUED, 0, None, 0),
    (SignalInfo(5, 1, "fault", address=0x99), SA_SIGINFO, None, 0),
    (SignalInfo(7, 1, "fault", address=0x99, error=0x22 << 26), SA_SIGINFO, 0x22 << 26, 0)])
@pytest.mark.parametrize("alternate", [False, True])
def test_frames_of_aarch64(info: SignalInfo, flags: int, esr: int | None, address: int,
                           alternate: bool) -> None:
    """By <asm/sigcontext.h>: siginfo_t of 128 bytes, a ucontext with registers at 176, records at 464."""
    draw = random.Random(5)
    regs, engine = Registers(), Engine(draw)
    regs[0:31] = general = [draw.getrandbits(64) for _ in range(31)]
    regs[SP], regs[PC] = 0x800009, 0x400004
    regs.flags = 0xA0000000
    floats = dict(engine.held)
    stack = AlternateStack(0x300000, 0x8000, 0) if alternate else AlternateStack()
    one = thread(regs, stack)
    action = Action(0x7000, flags | SA_ONSTACK * alternate, 0x6000)
    arm64.push(engine, one, info, action, 0x123456789, 0x5000)  # type: ignore[arg-type]
    frame, record = int(regs[SP]), int(regs[29])
    assert record == ((0x308000 if alternate else 0x800000) - 16)
    assert frame % 16 == 0 and record - 16 < frame + 464 + 4096 + 128 <= record
    assert struct.unpack("<QQ", one.read(record, 16)) == (general[29], general[30])
    assert (regs[0], regs[PC], regs[30]) == (info.signal, 0x7000, 0x6000 if flags & SA_RESTORER else 0x5000)
    assert list(regs[1:3]) == ([frame, frame + 128] if flags & SA_SIGINFO else general[1:3])
    assert one.read(frame, 128) == signalinfo.pack_info(info, 64)
    assert struct.unpack("<QQQI4xQQ", one.read(frame + 128, 48)) == (
        0, 0, stack.address, stack.flags, stack.size, 0x123456789)
    assert struct.unpack("<35Q", one.read(frame + 304, 280)) == (
        address, *general, 0x800009, 0x400004, 0xA0000000)
    records = one.read(frame + 304 + 288, 528 + (16 if esr else 0) + 8)
    assert struct.unpack_from("<4I", records) == (0x46508001, 528, floats[FPSR], floats[FPCR])
    assert records[16:528] == b"".join(floats[Q0 + at].to_bytes(16, "little") for at in range(32))
    assert records[528:] == (struct.pack("<IIQ", 0x45535201, 16, esr) if esr else b"") + bytes(8)
    # and back
    one.write(frame + 304 + 288, records.ljust(4096, b"\0"))
    regs[0:34] = [7] * 34
    engine.held = dict.fromkeys(engine.held, 0)
    regs[SP] = frame
    assert arm64.pop(engine, one) == general[0]  # type: ignore[arg-type]
    floats.pop(TLS), engine.held.pop(TLS)
    assert list(regs[0:31]) == general and engine.held == floats
    assert (regs[SP], regs[PC], regs.flags) == (0x800009, 0x400004, 0xA0000000)
    assert one.told == [(stack.address, stack.flags, stack.size, 0x800009), 0x123456789]
    # records that are none end them; others are passed over
    for head, restored in (((0x46508001, 7), False), ((5, 8), False), ((0, 528), False),
                           ((0x46508001, 520), False), ((0x46508001, 528), True)):
        data = bytearray(records.ljust(4096, b"\0"))
        struct.pack_into("<II", data, 0, *head)
        one.write(frame + 304 + 288, bytes(data))
        engine.held = dict.fromkeys(floats, 0)
        regs[SP] = frame
        arm64.pop(engine, one)  # type: ignore[arg-type]
        assert (engine.held == floats) is restored and any(engine.held.values()) is restored
    passed = struct.pack("<II8x", 77, 16) + records[:528]
    one.write(frame + 304 + 288, passed.ljust(4096, b"\0"))
    regs[SP] = frame
    arm64.pop(engine, one)  # type: ignore[arg-type]
    assert engine.held == floats
    regs[SP] = frame + 8
    with pytest.raises(MemoryFault):
        arm64.pop(engine, one)  # type: ignore[arg-type]


def test_registers_of_aarch64_for_debuggers() -> None:
    """The sets of registers by their numbers in <elf.h>: struct user_pt_regs, struct user_fpsimd_state."""
    draw = random.Random(6)
    regs, engine = Registers(), Engine(draw)
    engine.regs = regs
    one = thread(regs, AlternateStack(), syscall=-1, pc=0x400008)
    debugging = ArmDebugging(lambda: engine)  # type: ignore[arg-type,return-value]
    sets = {each.note: each for each in debugging.sets}
    assert [(each.note, each.owner, each.unit) for each in debugging.sets] == [
        (1, b"CORE", 8), (2, b"CORE", 4), (0x401, b"LINUX", 8), (0x402, b"LINUX", 4), (0x403, b"LINUX", 4),
        (0x404, b"LINUX", 4), (0x406, b"LINUX", 8)]
    general = [draw.getrandbits(64) for _ in range(31)]
    set_general, set_floating, set_tls, set_call = (sets[note].set for note in (1, 2, 0x401, 0x404))
    assert set_general and set_floating and set_tls and set_call
    set_general(one, struct.pack("<34Q", *general, 0x9000, 0x400008, (1 << 64) - 1))
    assert list(regs[0:31]) == general and (regs[SP], regs[PC]) == (0x9000, 0x400008)
    assert regs.flags == 0xF0000000
    assert sets[1].get(one) == struct.pack("<34Q", *general, 0x9000, 0x400008, 0xF0000000)
    assert debugging.arguments(one) == general[:6]
    regs[0] = (1 << 64) - 22
    assert debugging.result(one) == -22
    for on, stepping in ((False, False), (True, True), (False, False)):
        debugging.set_stepping(one, on)
        assert (engine.stepping, regs.steps) == (stepping, stepping)
        assert struct.unpack("<34Q", sets[1].get(one))[-1] >> 21 & 1 == stepping
    data = sets[2].get(one)
    assert data[:512] == b"".join(engine.held[Q0 + at].to_bytes(16, "little") for at in range(32))
    assert data[512:] == struct.pack("<II8x", engine.held[FPSR], engine.held[FPCR])
    new = draw.randbytes(520)
    set_floating(one, new)
    assert sets[2].get(one) == new + bytes(8)
    assert sets[0x401].get(one) == engine.held[TLS].to_bytes(8, "little")
    set_tls(one, b"\1\2\3\4\5\6\7\x08")
    assert engine.held[TLS] == 0x0807060504030201
    assert sets[0x404].get(one) == b"\xff\xff\xff\xff"
    set_call(one, struct.pack("<i", -5))
    assert one.syscall == -5
    assert sets[0x402].get(one) == sets[0x403].get(one) == struct.pack("<II", 0x600, 0)
    assert sets[0x406].get(one) == struct.pack("<QQ", 0x7F << 48, 0x7F << 48)
    regs[7] = 99
    for entering, told in ((True, 0), (False, 1)):
        saved = debugging.begin_stop(one, entering)
        assert (saved, regs[7]) == (99, told)
        debugging.end_stop(one, saved)
        assert regs[7] == 99


@pytest.mark.parametrize(("bits", "info", "expected"), [
    (64, FAULT, "<iii4xQ"), (32, FAULT, "<iiiI"), (64, QUEUED, "<iii4xiIQ"), (32, QUEUED, "<iiiiII"),
    (64, SignalInfo(17, 1, "child", 5, 6, 7, 20_000_000, 30_999_999), "<iii4xiIi4xQQ"),
    (32, SignalInfo(17, 1, "child", 5, 6, 7, 20_000_000, 30_999_999), "<iiiiIiII"),
    (64, SignalInfo(14, -2, "timer", 5, 6, value=7), "<iii4xiIQ"),
    (32, SignalInfo(14, -2, "timer", 5, -1, value=7), "<iiiiII")])
def test_information_of_a_signal(bits: int, info: SignalInfo, expected: str) -> None:
    data = signalinfo.pack_info(info, bits)
    assert len(data) == 128 and not any(data[struct.calcsize(expected):])
    body = {"fault": (0x1234,), "child": (5, 6, 7, 2, 3)}.get(
        info.layout, (info.pid, info.uid & 0xFFFFFFFF, info.value & (1 << bits) - 1))
    assert struct.unpack_from(expected, data) == (info.signal, 0, info.code, *body)
    if info.layout == "kill":
        again = signalinfo.unpack_info(data, bits)
        assert (again.signal, again.code, again.pid, again.uid) == (10, -1, 5, 6)
        assert again.value == info.value & (1 << bits) - 1


# -- SPARC ---------------------------------------------------------------------------------------------

def registers(bits: int, draw: random.Random, memory: Stack) -> SparcRegisters:
    regs = SparcRegisters(State8() if bits == 32 else State9())
    regs.memory = memory
    regs.state.cwp = 7
    regs.point()
    if bits == 32:
        regs.state.wim = 1
    else:
        regs.state.cansave = 6
    for number in range(1, 32):
        regs.write(number, draw.getrandbits(bits))
    regs.state.y = 0x77665544
    regs.state.floats[:] = [draw.getrandbits(len(bytes(regs.state.floats)) * 8 // len(regs.state.floats))
                            for _ in regs.state.floats]
    regs.state.fsr = 0x1234
    regs.pc, regs.npc = 0x4000, 0x4008
    regs.set_codes(*(5, 10)[:1 if bits == 32 else 2])
    return regs


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("restorer", [0, 0x6000])
@pytest.mark.parametrize("alternate", [False, True])
def test_frames_of_sparc(bits: int, restorer: int, alternate: bool) -> None:
    """Room for a window, siginfo_t, pt_regs of <asm/ptrace.h>, and what returns."""
    draw = random.Random(bits)
    stack = AlternateStack(0x300000, 0x8000, 0) if alternate else AlternateStack()
    one = thread(None, stack)
    regs = one.regs = registers(bits, draw, one.memory)
    pointer = 0x800010
    regs.write(14, pointer - BIAS[bits])
    general = [regs.read(number) for number in range(16)]
    floats, held = list(regs.state.floats), [regs.read(number) for number in range(16, 32)]
    sparc.push(one, FAULT, Action(0x7000, SA_ONSTACK * alternate, restorer), 1 << 40 | 3)
    frame = regs.read(14) + BIAS[bits]
    window, size = (96, 80) if bits == 32 else (192, 160)
    top = 0x308000 if alternate else pointer
    assert frame == top - (window + 128 + size + 16 + 8 * len(floats) + 28) & -16
    assert one.read(frame, window) == bytes(window)
    info = one.read(frame + window, 128)
    assert info == sparc.pack_info(FAULT, bits)
    at = frame + window + 128
    data = one.read(at, size)
    if bits == 32:
        assert struct.unpack(">4I16I", data) == (5 << 20, 0x4000, 0x4008, 0x77665544, *general)
    else:
        assert struct.unpack(">16Q3QII", data) == (*general, 0xA5 << 32, 0x4000, 0x4008, 0x77665544, 0)
    assert one.read(at + size, 16) == struct.pack(">Q", 1 << 40 | 3) + bytes.fromhex(
        "8210206591d02010" if bits == 32 else "8210206591d0206d")
    assert [regs.read(number) for number in (8, 9, 10)] == [
        11, frame + window, frame + (window + 128 if bits == 32 else window)]
    assert regs.read(15) == (restorer or at + size + 8) - 8
    assert (regs.pc, regs.npc) == (0x7000, 0x7004)
    assert [regs.read(number) for number in range(16, 32)] == held
    for number in (*range(1, 14), 15):
        regs.write(number, 1)
    regs.state.floats[:] = [0] * len(floats)
    regs.state.y = regs.state.fsr = 0
    regs.set_codes(*(0, 0)[:1 if bits == 32 else 2])
    sparc.pop(one)
    assert [regs.read(number) for number in range(16)] == general and list(regs.state.floats) == floats
    assert (regs.state.y, regs.state.fsr, regs.pc, regs.npc) == (0x77665544, 0x1234, 0x4000, 0x4008)
    assert regs.icc() == 5 and (bits == 32 or regs.xcc() == 10)
    assert one.told == [1 << 40 | 3, (stack.address, stack.flags, stack.size, pointer)]
    one.alternate_stack = AlternateStack(pointer - 100, 200, 0)
    with pytest.raises(MemoryFault):  # on it already, and it has no room
        sparc.push(one, FAULT, Action(0x7000), 0)


@pytest.mark.parametrize(("bits", "info", "expected", "body"), [
    (64, FAULT, ">iii4xQi", (0x1234, 14)), (32, FAULT, ">iiiIi", (0x1234, 14)),
    (64, QUEUED, ">iii4xiIQ", (5, 6, 1 << 40 | 7)), (32, QUEUED, ">iiiiII", (5, 6, 7)),
    (64, SignalInfo(17, 1, "child", 5, 6, 17), ">iii4xiIi", (5, 6, 17)),
    (64, SignalInfo(17, 2, "child", 5, 6, 10), ">iii4xiIi", (5, 6, 30)),
    (32, SignalInfo(17, 5, "child", 5, 6, 19), ">iiiiIi", (5, 6, 17))])
def test_information_of_a_signal_on_sparc(bits: int, info: SignalInfo, expected: str,
                                          body: tuple[int, ...]) -> None:
    data = sparc.pack_info(info, bits)
    signal = {11: 11, 10: 30, 17: 20}[info.signal]
    assert len(data) == 128 and not any(data[struct.calcsize(expected):])
    assert struct.unpack_from(expected, data) == (signal, 0, info.code, *body)


def test_contexts_of_sparc() -> None:
    """setcontext() after getcontext() goes back to where that was, by the layout of ucontext_t."""
    draw = random.Random(9)
    for enabled, with_mask in ((1, 1), (0, 1), (1, 0)):
        one = thread(None, AlternateStack(), mask=1 << 9 | 1 << 40)
        regs = one.regs = registers(64, draw, one.memory)
        stack = 0x800000
        regs.write(14, stack - BIAS[64])
        regs.write(8, 0x500000)
        one.write(stack, bytes(128))
        held, floats = [regs.read(number) for number in range(32)], list(regs.state.floats)
        assert contexts.save(one)
        assert (regs.pc, regs.npc) == (0x4008, 0x400C)
        assert one.read(0x500010, 8) == struct.pack(">Q", 1 << 29 | 1 << 40)  # SIGUSR1 is 30
        assert struct.unpack(">21Q", one.read(0x500020, 168)) == (
            0xA5 << 32, 0x4008, 0x400C, 0x77665544, *held[1:16], held[30], held[31])
        assert struct.unpack(">33Q", one.read(0x5000D0, 264)) == (*floats, 0x1234)
        assert one.read(0x5001F2, 1) == b"\1"
        one.write(0x5001F2, bytes((enabled,)))
        for number in (*range(1, 8), *range(9, 14), 15, 30, 31):
            regs.write(number, 3)
        regs.state.floats[:] = [0] * len(floats)
        regs.state.fsr = 0
        regs.set_codes(0, 0)
        regs.state.y, regs.pc = 0, 0x100
        regs.write(9, with_mask)
        assert contexts.load(one)
        assert [regs.read(number) for number in range(16)] == held[:16]
        assert [regs.read(30), regs.read(31)] == held[30:]
        assert (regs.pc, regs.npc, regs.state.y) == (0x4008, 0x400C, 0x77665544)
        assert (regs.icc(), regs.xcc()) == (5, 10)
        assert list(regs.state.floats) == (floats if enabled else [0] * len(floats))
        assert regs.state.fsr == (0x1234 if enabled else 0)
        assert one.told == ([1 << 9 | 1 << 40] if with_mask else [])


def test_numbers_of_sparc() -> None:
    """By <asm/signal.h> and <asm/fcntl.h> of SPARC."""
    assert [numbers.FROM_SIGNAL[number] for number in (10, 12, 7, 17, 19, 29)] == [30, 31, 10, 20, 17, 23]
    for number in range(1, 65):
        theirs = numbers.from_mask(1 << number - 1)
        assert theirs == 1 << numbers.FROM_SIGNAL[number] - 1 and numbers.to_mask(theirs) == 1 << number - 1
    assert numbers.to_mask((1 << 64) - 1) == numbers.from_mask((1 << 64) - 1) == (1 << 64) - 1
    assert numbers.to_flags(0x200 | 0x400 | 2, numbers.OPEN_FLAGS) == os.O_CREAT | os.O_TRUNC
    assert numbers.from_flags(os.O_APPEND | os.O_NONBLOCK | os.O_RDWR, numbers.OPEN_FLAGS) == 0x4008
    assert numbers.from_flags(os.O_TMPFILE, numbers.OPEN_FLAGS) == 0x10000
    for ours, theirs in ((0xFFFF, 0xFFFF), (0x300, 0x300), (10, 30), (10 | 0x80, 30 | 0x80),
                         (0x137F, 0x117F)):
        assert numbers.from_status(ours) == theirs
