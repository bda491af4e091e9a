"""Parts of the kernel by themselves: threads that are stepped, words of struct user, output that is held."""

from __future__ import annotations

import errno
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.kernel.base.errors import MemoryFault, SyscallError
from runtime.kernel.cpu.emulator import RESCHEDULE
from runtime.kernel.cpu.x86 import engine as machine
from runtime.kernel.cpu.x86.illumosregs import read_register
from runtime.kernel.cpu.x86.processor import X86
from runtime.kernel.syscalls.process import ptrace
from runtime.kernel.vfs.devices.discipline import LineDiscipline


@pytest.mark.parametrize(("flags", "count", "plain", "runs"), [
    (2, 3, 9, 3), (2, 0, 9, 0), (2 | machine.TRAP_FLAG, 3, 9, 0), (2 | machine.TRAP_FLAG, 0, 9, 0),
    (2, 3, 1, 1)])
def test_strays_execute_some_instructions_more(flags: int, count: int, plain: int, runs: int) -> None:
    """Unless a tracer, or the program itself, has set the trap flag: it would see these."""
    registers = {machine.REG_RFLAGS: flags}
    ran: list[int] = []
    engine: Any = SimpleNamespace(read_register=registers.__getitem__, write_register=registers.__setitem__,
                                  slice=SimpleNamespace(left=-5))

    def run() -> int:
        assert registers[machine.REG_RFLAGS] & machine.TRAP_FLAG and engine.slice.left > 0
        ran.append(0)
        return machine.DEBUG
    engine.run = run
    processor: Any = SimpleNamespace(engine=engine, _is_plain=lambda thread: len(ran) < plain)
    thread: Any = None
    assert X86.step(processor, thread, count) == RESCHEDULE
    assert (len(ran), registers[machine.REG_RFLAGS], engine.slice.left) == (runs, flags, -5)


@pytest.mark.parametrize(("bits", "there"), [(64, range(848, 912)), (32, range(252, 284)), (64, None)])
def test_words_of_struct_user(bits: int, there: range | None) -> None:
    """Debug registers take 0 only; what is behind the registers is 0."""
    kept = [bytes(range(1, 65))]
    first = SimpleNamespace(get=lambda thread: kept[0], set=lambda thread, data: kept.__setitem__(0, data))
    debugging = SimpleNamespace(sets=[first], debug_registers=there, user_size=920)
    process = SimpleNamespace(processor=SimpleNamespace(debugging=debugging))
    found: Any = SimpleNamespace(thread=SimpleNamespace(process=process))
    written: list[tuple[int, bytes]] = []
    thread: Any = SimpleNamespace(process=SimpleNamespace(bits=bits),
                                  write=lambda address, data: written.append((address, data)))
    size = bits // 8

    def told(address: int, data: int) -> int:
        try:
            return ptrace._poke_user(thread, found, address, data)
        except SyscallError as error:
            return error.errno
    for at in (-size, 3, 920, 920 + size):
        assert told(at, 0) == errno.EIO
    assert told(size, 0x1122334455667788) == 0
    assert kept[0] == bytes(range(1, size + 1)) + bytes.fromhex("8877665544332211")[:size] + bytes(
        range(2 * size + 1, 65))
    for number, at in enumerate((there or range(0))[::size]):
        none = number in (4, 5)  # of the eight
        assert (told(at, 0), told(at, 1)) == ((errno.EIO, errno.EIO) if none else (0, errno.ENOSPC))
    assert told(64, 1) == told(912, 1) == told(64, 0) == (
        errno.EIO if bits == 64 and there is not None else 0)
    for at, word in ((0, kept[0][:size]), (64 - size, kept[0][-size:]), (64, bytes(size)),
                     (912, bytes(size))):
        assert ptrace._peek_user(thread, found, at, 0x5000) == 0
        assert written.pop() == (0x5000, word)


@pytest.mark.parametrize(("modes", "typed", "held"), [
    (0o2000, b"\x13", True), (0o2000, b"\x13a", True), (0o2000, b"\x13\x11", False), (0o2000, b"\x11", False),
    (0o6000, b"\x13a", False), (0o6000, b"\x13", True), (0, b"\x13", False), (0o4000, b"\x13a", False),
    (0o2000, b"\x16\x13", False), (0o2000, b"\x13\x03", False)])
def test_output_that_is_held(modes: int, typed: bytes, held: bool) -> None:
    """By ^S, until ^Q; with IXANY until anything is typed."""
    signals: list[int] = []
    discipline = LineDiscipline(signals.append)
    settings = discipline.settings()
    discipline.set(modes.to_bytes(4, "little") + settings[4:])
    discipline.receive(typed)
    assert discipline.stopped is held


def x86(bits: int, **engine: Any) -> X86:
    made: X86 = object.__new__(X86)
    made.bits, made._mask = bits, (1 << bits) - 1
    made.engine = SimpleNamespace(**engine)  # type: ignore[assignment]
    return made


@pytest.mark.parametrize("bits", [64, 32])
def test_system_calls_of_x86(bits: int) -> None:
    """By the System V ABI: rdi, rsi, rdx, r10, r8, r9; or ebx, ecx, edx, esi, edi, ebp."""
    processor, regs = x86(bits), list(range(0x1_0000_0010, 0x1_0000_0030))
    thread: Any = SimpleNamespace(regs=regs, thread_areas=[5, 5, 5])
    called = processor.system_call(thread, machine.SYSCALL64)
    assert called is not None and (called.number, called.table) == (0x10, 64)
    numbers = machine.RDI, machine.RSI, machine.RDX, machine.R10, machine.R8, machine.R9
    assert list(called.arguments) == [0x1_0000_0010 + number for number in numbers]
    assert regs[machine.RCX] == regs[machine.RIP]
    called = processor.system_call(thread, machine.SYSCALL32)
    assert called is not None and (called.number, called.table) == (0x10, 32)
    assert list(called.arguments) == [regs[number] & 0xFFFFFFFF for number in (
        machine.RBX, machine.RCX, machine.RDX, machine.RSI, machine.RDI, machine.RBP)]
    assert processor.system_call(thread, machine.PAGE_FAULT) is None
    processor.finish(thread, -5)
    assert regs[machine.RAX] == -5 & (1 << bits) - 1
    regs[machine.RIP] = 0x4002
    processor.repeat(thread, 12)
    assert (regs[machine.RIP], regs[machine.RAX]) == (0x4000, 12)
    for stack, pointer in ((0, 0x9000), (0x8000, 0x8000)):
        regs[machine.RSP] = 0x9000
        processor.child(thread, 3, stack)
        assert (regs[machine.RAX], regs[machine.RSP]) == (0, pointer)
        assert processor.stack_pointer(thread) == pointer
    restored: list[object] = []
    processor.engine = SimpleNamespace(user64=64, user32=32, loaded_root=7,  # type: ignore[assignment]
                                       restore=lambda *words: restored.append(words))
    processor.start(thread, 0x5000, 0x7000)
    assert restored == [(bits, 7)] and (processor.pc(thread), regs[machine.RSP]) == (0x5000, 0x7000)
    assert thread.thread_areas == [0, 0, 0]


@pytest.mark.parametrize(("bits", "code", "expected"), [
    (64, b"\x01\xc0", True), (64, b"\x48\x01", True), (64, b"\x4f\x8b", True), (64, b"\x48\xff", False),
    (32, b"\x01\xc0", True), (32, b"\x48\x01", False), (64, b"\x0f\x05", False), (32, b"\xcd\x80", False),
    (64, b"\x3b\xc0", True), (64, b"\x3c\xc0", False), (64, b"", False)])
def test_plain_instructions(bits: int, code: bytes, expected: bool) -> None:
    asked: list[int] = []

    def read(address: int, size: int) -> bytes:
        asked.append(address)
        if not code:
            raise MemoryFault(address)
        return code[:size]
    regs = [0] * 20
    regs[machine.RIP] = 0x7_0000_4000
    thread: Any = SimpleNamespace(regs=regs, read=read)
    assert x86(bits)._is_plain(thread) is expected
    assert asked == [0x7_0000_4000 & (1 << bits) - 1]


def test_code_of_32_bits_in_a_program_of_64() -> None:
    """Its program counter and stack pointer have 32 bits, whatever a far return leaves."""
    for pc, event in ((0x4000, machine.PAGE_FAULT), (0x1_0000_4000, None)):
        regs = [0] * 20
        regs[machine.RIP], regs[machine.RSP] = pc, 0x5_0000_8000
        thread: Any = SimpleNamespace(regs=regs)
        processor = x86(64, read_register=lambda number, size: machine.CODE32, exact_decoding=True)
        assert processor.serve(thread, machine.PAGE_FAULT) == event
        assert (regs[machine.RIP], regs[machine.RSP]) == (0x4000, 0x8000)
        processor = x86(64, read_register=lambda number, size: machine.CODE64, exact_decoding=True)
        regs[machine.RIP] = pc
        assert processor.serve(thread, machine.PAGE_FAULT) == machine.PAGE_FAULT and regs[machine.RIP] == pc


def test_registers_by_illumos_numbers() -> None:
    """<sys/regset.h>: of i386 up to 18, of amd64 from 19 on."""
    asked: list[tuple[int, int]] = []

    def read(number: int, size: int) -> int:
        asked.append((number, size))
        return 0x1000 + number
    engine: Any = SimpleNamespace(read_register=read)
    loads: list[int] = []
    thread: Any = SimpleNamespace(regs=list(range(100, 117)), pc=5, context=object(),
                                  load=lambda: loads.append(1))
    found = {}
    for number in range(-1, 60):
        try:
            found[number] = read_register(engine, thread, number)
        except IndexError as error:
            assert error.args == (number,)
    order = (*range(machine.R15, machine.R8 - 1, -1), machine.RDI, machine.RSI, machine.RBP, machine.RBX,
             machine.RDX, machine.RCX, machine.RAX)
    assert sorted(found) == list(range(47))
    assert [found[19 + at] for at in range(15)] == [100 + number for number in order]
    assert (found[14], found[36], found[12], found[13], found[34], found[35]) == (5, 5, 0, 0, 0, 0)
    assert found[38] == 0x1000 + machine.REG_RFLAGS and found[45] == 0x1000 + machine.REG_FS_BASE
    wide = (machine.REG_RFLAGS, machine.REG_FS_BASE, machine.REG_GS_BASE)
    assert all(size == (8 if number in wide else 2) for number, size in asked)
    assert len(loads) == len(asked) == 16
    thread.context = None  # which has none yet
    assert read_register(engine, thread, 38) == 0 and len(asked) == 16
