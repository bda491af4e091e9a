"""Parts of the SPARC processor by themselves: its registers and windows, condition codes, faults, loads."""

from __future__ import annotations

import ctypes
import os
import random
import struct
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.base.signals import SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP
from runtime.kernel.cpu.emulator import COUNTERS, ERROR_WRITE, RESCHEDULE, Slice
from runtime.kernel.cpu.sparc import nofault
from runtime.kernel.cpu.sparc.engine import SparcEngine
from runtime.kernel.cpu.sparc.processor import Sparc
from runtime.kernel.cpu.sparc.registers import FP, I7, O0, O7, SP, Registers, State8, State9
from runtime.kernel.cpu.sparc.unwind import frame_is_callers
from runtime.kernel.cpu.translation import PAGE_FAULT, SYSCALL
from runtime.kernel.memory.physical import PhysicalMemory

BITS = [32, 64]


class Memory:
    """A stack: whole words at addresses below `end`."""

    def __init__(self, end: int = 1 << 24) -> None:
        self.end = end
        self.bytes: dict[int, int] = {}

    def read(self, address: int, size: int) -> bytes:
        if not 0x1000 <= address <= address + size <= self.end:
            raise MemoryFault(address)
        return bytes(self.bytes.get(address + at, 0) for at in range(size))

    def write(self, address: int, data: bytes) -> None:
        if not 0x1000 <= address <= address + len(data) <= self.end:
            raise MemoryFault(address)
        self.bytes.update(enumerate(data, address))


def registers(bits: int, window: int = 7) -> Registers:
    """Of a processor that has started: one window in use."""
    regs = Registers(State8() if bits == 32 else State9())
    regs.memory = Memory()
    regs.state.cwp = window
    regs.point()
    if bits == 32:
        regs.state.wim = 1 << (window + 1) % 8
    else:
        regs.state.cansave = 6
    return regs


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("window", [0, 3, 7])
def test_windows_are_those_of_functions(bits: int, window: int) -> None:
    """However deep the calls are: what is not held by the processor is on the stack."""
    chance = random.Random(bits + window)
    regs, bias = registers(bits, window), 2047 if bits == 64 else 0
    frames: list[list[int]] = [[chance.getrandbits(bits) for _ in range(24)]]  # outs, locals, ins
    stack = 0x800000
    frames[0][6] = stack - bias & regs.mask
    for number, value in enumerate(frames[0]):
        regs.write(8 + number, value)
    for turn in range(400):
        deeper = len(frames) == 1 or (turn % 100 < 60 and chance.random() < .8) or chance.random() < .3
        if deeper:
            regs.rotate(-1)
            frames.append([*(chance.getrandbits(bits) for _ in range(16)), *frames[-1][:8]])
            stack -= 256
            frames[-1][6] = stack - bias & regs.mask
            for number, value in enumerate(frames[-1][:16]):
                regs.write(8 + number, value)
        else:
            regs.rotate(1)
            ins = frames.pop()[16:]
            frames[-1][:8] = ins
            stack += 256
        number, value = chance.randrange(24), chance.getrandbits(bits + 5)
        if number not in (6, 22, 23):
            regs.write(8 + number, value)
            frames[-1][number] = value & regs.mask
            if number >= 16 and len(frames) > 1:
                frames[-2][number - 16] = value & regs.mask
        assert [regs.read(number) for number in range(8, 32)] == frames[-1]
        assert regs.saved == min(regs.saved, len(frames) - 1, 6)
        word = bits // 8
        assert regs.state.window == ctypes.addressof(regs.state.windows) + regs.state.cwp * 16 * word
        if turn % 7 == 0:
            callers = regs.callers()
            told = [next(callers) for _frame in frames[:-1]]
            assert told == [(frame[23], behind[22]) for frame, behind in zip(frames[::-1], frames[-2::-1],
                                                                             strict=False)]
        if turn % 31 == 0:
            regs.spill_own()
            before = [regs.read(number) for number in range(16, 32)]
            for number in range(16, 30):
                regs.write(number, 0)
            regs.fill_own()
            assert [regs.read(number) for number in range(16, 32)] == before
        if turn % 43 == 0:
            regs.flush()
            assert regs.saved == 0


@pytest.mark.parametrize("bits", BITS)
def test_callers_end_where_the_stack_does(bits: int) -> None:
    regs, bias, word = registers(bits), 2047 if bits == 64 else 0, bits // 8
    memory: Any = regs.memory
    order = ">I" if bits == 32 else ">Q"
    for at, (pointer, returns) in {0x2000: (0x3000 - bias, 0x111), 0x3000: (0x4000 - bias, 0x222)}.items():
        memory.write(at + 14 * word, struct.pack(order, pointer & regs.mask) + struct.pack(order, returns))
    memory.end = 0x3800
    regs.write(FP, 0x2000 - bias)
    regs.write(I7, 0x99)
    assert list(regs.callers()) == [(0x99, 0x3000 - bias & regs.mask), (0x111, 0x4000 - bias & regs.mask),
                                    (0x222, 0)]
    regs.write(FP, 0)
    assert list(regs.callers()) == []


def added(first: int, second: int, carry: int, bits: int) -> tuple[int, int]:
    """The sum and its condition codes."""
    mask, top = (1 << bits) - 1, 1 << bits - 1
    total = first + second + carry
    signed = sum((value ^ top) - top for value in (first, second)) + carry
    result = total & mask
    overflow = not -top <= signed < top
    return result, (total > mask) | 2 * overflow | 4 * (not result) | 8 * bool(result & top)


def subtracted(first: int, second: int, carry: int, bits: int) -> tuple[int, int]:
    mask, top = (1 << bits) - 1, 1 << bits - 1
    total = first - second - carry
    signed = (first ^ top) - (second ^ top) - carry
    result = total & mask
    overflow = not -top <= signed < top
    return result, (total < 0) | 2 * overflow | 4 * (not result) | 8 * bool(result & top)


VALUES = [0, 1, 2, 3, 4, 8, 0x7FFFFFFC, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFC, 0xFFFFFFFF]


@pytest.mark.parametrize("bits", BITS)
def test_condition_codes_of_the_last_operation(bits: int) -> None:
    """Numbers of operations: 3 add, 4 with carry, 5 tagged, 6 trapping; 7 to 10 subtract."""
    regs = registers(bits)
    state = regs.state
    for first in VALUES:
        for second in VALUES:
            for operation in (3, 4, 5, 6, 7, 8, 9, 10):
                for carry in (0, 1) if operation in (4, 8) else (0,):
                    compute = added if operation < 7 else subtracted
                    result, codes = compute(first, second, carry, 32)
                    if operation in (5, 9) and (first | second) & 3:
                        codes |= 2
                    if operation in (6, 10):
                        codes &= ~2
                    state.source, state.source2, state.result = first, second, result
                    state.operation = operation
                    assert regs.icc() == codes, (first, second, operation)
    for result, zero, negative in ((0, 4, 0), (1, 0, 0), (0x80000000, 0, 8), (0x7FFFFFFF, 0, 0)):
        state.result, state.operation = result, 11
        state.source = state.source2 = 0xFFFFFFFF
        assert regs.icc() == zero | negative
        for overflow in (0, 1, 4):
            state.operation, state.source2 = 2, overflow
            assert regs.icc() == zero | negative | 2 * bool(overflow)
    for operation in (0, 1):
        state.operation, state.psr = operation, 0x00A00085
        assert regs.icc() == 10
    if bits == 64:
        state.result, state.operation, state.source, state.source2 = 1 << 63, 3, 1 << 62, 1 << 62
        assert (regs.xcc(), regs.icc()) == (10, 4)
        state.result, state.operation, state.source, state.source2 = (1 << 64) - 1, 7, 0, 1
        assert (regs.xcc(), regs.icc()) == (9, 9)
    regs.set_codes(9, 6)
    assert regs.icc() == 9 and (bits == 32 or regs.xcc() == 6)
    regs.set_carry(False)
    assert regs.icc() == 8 and (bits == 32 or regs.xcc() == 6)
    regs.set_carry(True)
    assert regs.icc() == 9 and (bits == 32 or regs.xcc() == 7)
    state.fsr = 2 << 10 | (0 if bits == 32 else 1 << 32 | 3 << 34 | 2 << 36)
    assert [regs.fcc(number) for number in range(1 if bits == 32 else 4)] == (
        [2] if bits == 32 else [2, 1, 3, 2])


@pytest.mark.parametrize("bits", BITS)
def test_registers_by_number(bits: int) -> None:
    regs = registers(bits)
    for number in range(32):
        regs.write(number, 0x100 + number)
    assert [regs.read(number) for number in range(32)] == [0, *range(0x101, 0x120)]
    regs.state.y = 0x77
    regs.pc, regs.npc = 0x4000, 0x4004
    regs.set_codes(5, 10)
    processor = object.__new__(Sparc)
    processor.bits = bits
    thread: Any = SimpleNamespace(regs=regs, pc=0x3FF0)
    found = {}
    for number in range(-2, 50):
        try:
            found[number] = processor.register(thread, number)
        except IndexError as error:
            assert error.args == (number,)
    codes = 5 if bits == 32 else 0xA5
    assert found == {0: 0, **{number: 0x100 + number for number in range(1, 32)}, 32: codes, 38: codes,
                     34: 0x4004, 35: 0x77, 36: 0x3FF0, 39: 0x100 + SP, 33: 0x100 + O0}
    assert processor.pc(thread) == 0x4000
    assert processor.stack_pointer(thread) == 0x100 + SP + (0 if bits == 32 else 2047)
    copy = regs.copy()
    regs.write(O0, 5)
    regs.put_back(copy)
    assert regs.read(O0) == 0x100 + O0 and regs.memory is not None


@pytest.mark.parametrize("version", [8, 9])
def test_a_processor_that_starts(version: int) -> None:
    """Its registers are 0, but for the program counter and the stack pointer."""
    processor = Sparc(PhysicalMemory(1 << 20), Slice(), version)
    regs = processor.engine.regs
    thread: Any = SimpleNamespace(regs=regs, syscall=1)
    bits = 32 if version == 8 else 64
    assert (processor.bits, processor.calls, processor.order) == (bits, -bits, ">")
    assert processor.name == (b"sparc" if version == 8 else b"sparc64")
    assert [regs.read(number) for number in range(8)] == [0] * 8
    processor.start(thread, 0x10000, 0x800000)
    assert (regs.pc, regs.npc, regs.saved) == (0x10000, 0x10004, 0)
    assert regs.read(SP) == 0x800000 - (64 if bits == 32 else 128 + 2047)
    if version == 8:
        assert (regs.state.fpu, regs.state.traps) == (1, 1)
    else:
        assert (regs.state.pstate, regs.state.fprs, regs.state.cansave, regs.state.cleanwin) == (16, 4, 6, 8)
    processor.set_tls(thread, 0x123)
    assert regs.read(7) == 0x123
    for result, value, carry in ((5, 5, 0), (0, 0, 0), (-2, 2, 1), (-1, 1, 1), (-4095, 4095, 1), (-11, 11, 1),
                                 (-4096, -4096, 0), (-38, 90, 1), (-110, 60, 1)):
        processor.finish(thread, result)
        assert (regs.read(O0), regs.icc() & 1) == (value & regs.mask, carry), result
        assert version == 8 or regs.xcc() == regs.icc()
    regs.write(O0, 77)
    for thread.syscall in (101, 216):
        processor.finish(thread, -5)
        assert regs.read(O0) == 77
    for number in range(8):
        regs.write(O0 + number, 0x10 + number)
    regs.write(1, 0x1_0000_0005)
    call = processor.system_call(thread, SYSCALL)
    assert call is not None
    assert (call.number, list(call.arguments)) == (5, [0x10, 0x11, 0x12, 0x13, 0x14, 0x15])
    assert processor.system_call(thread, PAGE_FAULT) is None
    regs.call = 0x2000, 0x2004, 9
    processor.repeat(thread, 12)
    assert (regs.pc, regs.npc, regs.read(1), regs.read(O0)) == (0x2000, 0x2004, 12, 9)
    assert processor.step(thread, 5) == RESCHEDULE


def fault(version: int, event: int) -> tuple[int, int, int]:
    processor = object.__new__(Sparc)
    processor.version = version
    regs = SimpleNamespace(pc=0x4004)
    thread: Any = SimpleNamespace(regs=regs)
    found = processor.fault(thread, event)
    assert (found.info.address, found.info.trap) == (0x4004, event)
    return found.info.signal, found.info.code, found.number


def test_traps_are_signals() -> None:
    """Signal, code and number of the fault provider, as Linux and the illumos headers have them."""
    eight = {2: (SIGILL, 1, 1), 3: (SIGILL, 5, 2), 7: (SIGBUS, 1, 6), 8: (SIGFPE, 7, 9), 0x0A: (SIGFPE, 1, 9),
             0x2A: (SIGFPE, 1, 8), 0x81: (SIGTRAP, 1, 3), 0x82: (SIGFPE, 1, 8)}
    nine = {0x10: (SIGILL, 1, 1), 0x11: (SIGILL, 5, 2), 0x34: (SIGBUS, 1, 6), 0x35: (SIGBUS, 1, 6),
            0x36: (SIGBUS, 1, 6), 0x21: (SIGFPE, 7, 9), 0x22: (SIGFPE, 7, 9), 0x28: (SIGFPE, 1, 8),
            0x101: (SIGTRAP, 1, 3), 0x102: (SIGFPE, 1, 8)}
    assert {event: fault(8, event) for event in eight} == eight
    assert {event: fault(9, event) for event in nine} == nine
    assert fault(8, 0x90) == fault(9, 0x7F) == (SIGILL, 0x80, 1)


def word(kind: int, destination: int, base: int, offset: int, space: int | None = None) -> int:
    """A load or store, of an immediate offset, or of a register and an address space."""
    operands = 1 << 13 | offset & 0x1FFF if space is None else space << 5 | offset
    return 3 << 30 | destination << 25 | kind << 19 | base << 14 | operands


@pytest.mark.parametrize(("code", "page", "address"), [
    (word(0, 8, 9, 5), 0x8000, 0x8005), (word(0, 8, 9, -8), 0x7000, 0x7FF8),
    (word(0, 8, 9, -4096), 0x7000, 0x7000),
    (word(0, 8, 9, 4095), 0x8000, 0x8FFF), (word(0, 8, 9, 10, 0), 0x8000, 0x8010),
    (word(0, 8, 0, 10, 0), 0, 0x10),
    (word(0, 8, 9, 5), 0x9000, 0x9000), (word(0, 8, 9, 5) & ~(1 << 30), 0x8000, 0x8000),
    (word(0, 8, 9, 5), 0x4000, 0x4008), (None, 0x8000, 0x8000)])
@pytest.mark.parametrize("writes", [False, True])
def test_where_an_access_has_failed(code: int | None, page: int, address: int, writes: bool) -> None:
    """The engine tells the page only."""
    processor = object.__new__(Sparc)
    processor.version, processor.bits, processor.page = 8, 32, 0x1000
    engine: Any = SimpleNamespace(fault_address=page, fault_error=ERROR_WRITE * writes | 4)
    processor.engine = engine
    regs = registers(32)
    regs.pc = 0x4008
    regs.write(9, 0x8000)
    regs.write(10, 0x10)

    def text(_address: int, _size: int) -> bytes:
        if code is None:
            raise MemoryFault(0)
        return code.to_bytes(4, "big")
    pages = SimpleNamespace(has=lambda index: False)
    area = SimpleNamespace(prot=1, pages=pages, index=lambda address: 0)
    sought: list[int] = []

    def find(address: int) -> object:
        sought.append(address)
        return area
    space = SimpleNamespace(find=find)
    thread: Any = SimpleNamespace(regs=regs, read_text=text, process=SimpleNamespace(space=space))
    found = processor.fault(thread, PAGE_FAULT)
    assert (found.info.address, sought) == (address, [address])
    assert (found.info.signal, found.info.code) == ((SIGSEGV, 2) if writes else (SIGBUS, 2))


BYTES = bytes(range(0x81, 0x91))


@pytest.mark.parametrize(("kind", "size", "signed"), [
    (0x10, 4, False), (0x11, 1, False), (0x12, 2, False), (0x1B, 8, False), (0x18, 4, True), (0x19, 1, True),
    (0x1A, 2, True)])
@pytest.mark.parametrize(("space", "order"), [(0x82, "big"), (0x83, "big"), (0x8A, "little"),
                                              (0x8B, "little")])
def test_loads_that_never_fault(kind: int, size: int, signed: bool, space: int, order: Any) -> None:
    regs = registers(64)
    regs.state.asi = space
    regs.write(9, 0x8008)
    regs.write(10, 4)
    kernel = SimpleNamespace(probing=False, touching=False)
    there = {0x8000 + at: value for at, value in enumerate(BYTES)}
    code = [0]

    def read(address: int, size: int) -> bytes:
        if address == 0x4000:
            assert not kernel.probing
            return code[0].to_bytes(4, "big")
        assert kernel.probing and kernel.touching
        if address + size - 1 not in there or address not in there:
            raise MemoryFault(address)
        return bytes(there[address + at] for at in range(size))
    thread: Any = SimpleNamespace(regs=regs, read=read, kernel=kernel)
    for code[0], at in ((word(kind, 11, 9, -8), 0), (word(kind, 11, 9, 0), 8),
                        (word(kind, 11, 9, 4096 - 8), None),
                        (word(kind, 11, 9, -4096), None), (word(kind, 11, 9, 0, space), 8)):
        regs.pc, regs.npc = 0x4000, (1 << 64) - 4
        regs.write(11, 1)
        assert nofault.load(thread)
        value = 0 if at is None else int.from_bytes(BYTES[at:at + size], order, signed=signed)
        assert regs.read(11) == value & regs.mask
        assert (regs.pc, regs.npc) == ((1 << 64) - 4, 0)
        assert not kernel.probing and not kernel.touching
    regs.pc = 0x4000
    for code[0] in (word(kind, 11, 9, 10, 0x80), word(0x14, 11, 9, 0), word(kind, 11, 9, 0) & ~(1 << 30),
                    word(kind & 15, 11, 9, 0), word(0x13, 11, 9, 0)):
        assert not nofault.load(thread)
    regs.state.asi = 0x80
    code[0] = word(kind, 11, 9, 0)
    assert not nofault.load(thread)
    regs.state.asi = space
    for register, place in ((0, 0), (2, 1), (30, 15), (1, 16), (31, 31)):
        code[0] = word(0x33, register, 9, 0)
        regs.pc = 0x4000
        assert nofault.load(thread)
        assert regs.state.floats[place] == int.from_bytes(BYTES[8:], order)
        regs.state.floats[place] = 0


SAVE, RET, RETL, NOP, LONG = 0x9DE3BFA0, 0x81C7E008, 0x81C3E008, 0x01000000, 0x81C7E00C
RETURN, ELSEWHERE, CALL, WITH = 0x81CFE008, 0x81C42008, 0x9FC3E008, 0x81C7C008


@pytest.mark.parametrize(("code", "at", "expected"), [
    ([SAVE, NOP, RET, NOP], 0, True), ([SAVE, NOP, RET, NOP], 1, False), ([SAVE, NOP, RET, NOP], 2, False),
    ([SAVE, NOP, RET, NOP], 3, False), ([NOP, NOP, RETL, NOP], 1, True), ([NOP, RETL, NOP], 2, True),
    ([SAVE, RET, NOP, NOP, NOP, RETL], 3, True), ([SAVE, RET, NOP, NOP, NOP, RET], 3, False),
    ([SAVE, RET, NOP, NOP, SAVE, RET], 3, True), ([SAVE, RET, NOP, NOP], 3, True),
    ([RETL, NOP, NOP, RET], 2, True), ([SAVE, LONG, NOP, NOP, RET], 3, False), ([NOP], 0, True),
    ([SAVE, RETURN, NOP, NOP, RET], 3, False), ([SAVE, ELSEWHERE, NOP, NOP, RETL], 3, False),
    ([RETL, CALL, NOP, NOP, RET], 3, True), ([SAVE, WITH, NOP, NOP, RETL], 3, False),
    ([SAVE, RETL, NOP, NOP, RET], 3, True)])
def test_whose_window_a_function_is_in(code: list[int], at: int, expected: bool) -> None:
    text = b"".join(word.to_bytes(4, "big") for word in code)

    def read(address: int, size: int) -> bytes:
        if not 0x1000 <= address < 0x1000 + len(text):
            raise MemoryFault(address)
        return text[address - 0x1000:][:size]
    assert frame_is_callers(read, 0x1000 + 4 * at, 0x1000) is expected
    if at:
        assert frame_is_callers(read, 0x1000 + 4 * at, 0x1000 + 4 * at) is True


@pytest.mark.skipif(os.uname().machine not in COUNTERS, reason="another host: code that counts blocks")
def test_blocks_are_counted_by_the_hosts_own_code() -> None:
    """Python would be called at each block, else."""
    engine = SparcEngine(PhysicalMemory(1 << 20), 8, Slice())
    assert engine._native_counter() is not None
    engine.native = False
    assert engine._native_counter() is None


def test_engines_start_with_registers_of_0() -> None:
    for version in (8, 9):
        engine = SparcEngine(PhysicalMemory(1 << 20), version, Slice())
        context = engine.context().regs
        assert [context.read(number) for number in range(32)] == [0] * 32
        assert context.icc() == 0 and context.read(O7) == 0
        state = context.state
        if version == 8:
            assert (state.wim, state.fpu, state.traps, state.cwp) == (2, 1, 1, 0)
        else:
            assert (state.pstate, state.fprs, state.trap_level, state.cwp) == (16, 4, 0, 0)
            assert (state.cansave, state.canrestore, state.cleanwin, state.otherwin) == (6, 0, 8, 0)


@pytest.mark.parametrize("bits", BITS)
def test_children_and_threads(bits: int) -> None:
    """A child finds its parent's number in %o0 and 1 in %o1; its stack pointer is its own if it has one."""
    processor, regs = object.__new__(Sparc), registers(bits)
    processor.version, processor.bits = (8, 32) if bits == 32 else (9, 64)
    space = SimpleNamespace(read=regs.memory.read, write=regs.memory.write)
    thread: Any = SimpleNamespace(regs=regs, mask=0, set_mask=id, process=SimpleNamespace(space=space))
    for stack in (0, 0x700000):
        regs.write(SP, 0x800000)
        regs.set_carry(True)
        processor.child(thread, 55, stack)
        assert (regs.read(O0), regs.read(O0 + 1), regs.read(SP)) == (55, 1, stack or 0x800000)
        assert regs.memory is space and not regs.icc() & 1
    engine = processor.engine = SparcEngine(PhysicalMemory(1 << 20), processor.version, Slice())
    assert processor.serve(thread, SYSCALL) == SYSCALL
    if bits == 64:
        def fail(*_words: object) -> None:
            raise MemoryFault(0x123)
        thread.write = thread.read = fail
        for event in (0x16E, 0x16F):
            engine.fault_address = engine.fault_error = 0
            assert processor.serve(thread, event) == PAGE_FAULT
            assert (engine.fault_address, engine.fault_error) == (0x123, 6), "a user's, and a store"
    else:
        assert processor.serve(thread, 0x16E) == 0x16E
        assert (engine.fault_address, engine.fault_error) == (0, 0)
    assert f"ncpus active\t: {3}\n" in processor.description(3)
    assert ("sun4u" in processor.description(1)) is (bits == 64)


@pytest.mark.parametrize("bits", BITS)
def test_stacks_of_threads(bits: int) -> None:
    """Each caller where it goes on, 8 bytes after its call, with its frame; as many as are asked for."""
    processor, regs = object.__new__(Sparc), registers(bits)
    processor.version, processor.bits = (8, 32) if bits == 32 else (9, 64)
    bias = 2047 if bits == 64 else 0
    regs.write(FP, 0x2000 - bias)
    regs.write(I7, 0x1111_1100)
    regs.write(O7, 0x2222_2200)
    order = ">I" if bits == 32 else ">Q"
    for at, value in ((14, 0x3000 - bias), (15, 0x3333_3300)):
        regs.memory.write(0x2000 + at * bits // 8, struct.pack(order, value))
    code = {0x5000: RETL}
    space = SimpleNamespace(read=regs.memory.read, find=lambda address: None)
    thread: Any = SimpleNamespace(regs=regs, pc=0x5000, process=SimpleNamespace(space=space),
                                  read_text=lambda at, size: code.get(at, NOP).to_bytes(size, "big"))
    frames = processor.user_frames(thread, 9)
    assert frames[0] == (0x5000, 0x2000 - bias)
    assert processor.user_stack(thread, 9) == [pc for pc, _ in frames]
    assert [pc for pc, _ in frames[1:3]] == [0x2222_2208, 0x1111_1108]
    for limit in range(5):
        assert processor.user_frames(thread, limit) == frames[:limit]
    thread.process.space = None
    assert processor.user_frames(thread, 9) == []
