"""Parts of the kernel by themselves: threads that are stepped, words of struct user, output that is held."""

from __future__ import annotations

import errno
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.kernel.base.errors import SyscallError
from runtime.kernel.cpu.emulator import RESCHEDULE
from runtime.kernel.cpu.x86 import engine as machine
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
