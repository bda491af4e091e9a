"""Parts of AArch64 by themselves: identification registers, and the object in every program."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.base.signals import SIGBUS, SIGILL, SIGSEGV, SIGTRAP
from runtime.kernel.cpu.arm64 import faults, identification, vdso, withheld
from runtime.kernel.cpu.arm64.engine import (
    BREAKPOINT,
    DATA_ABORT,
    MACHINE_PAGE,
    STACK_ALIGNMENT,
    STEPPED,
    UNDEFINED,
)
from runtime.kernel.cpu.arm64.processor import Arm
from runtime.kernel.cpu.arm64.registers import PC, PSTATE, SP, EngineRegisters, Registers
from runtime.kernel.cpu.emulator import ERROR_FETCH, ERROR_PRESENT, ERROR_USER, ERROR_WRITE, RESCHEDULE
from runtime.kernel.cpu.translation import PAGE_FAULT, SYSCALL

FEATURES = {  # register (op1, CRn, CRm, op2): what it says
    (0, 0, 4, 0): 0x110011, (0, 0, 6, 0): 0x0021111110212120, (0, 0, 6, 1): 0x1101201012,
    (0, 0, 0, 0): 0x410FD0F0, (0, 0, 0, 5): 0x80000000, (3, 14, 0, 0): 10**9, (3, 14, 0, 2): 777,
    (3, 14, 0, 6): 777}


def reading(word: int) -> tuple[bool, int | None, int]:
    """Whether the kernel reads a register for a program, what X7 is then, and how far it has come."""
    regs, charged = Registers(), list[int]()
    regs[PC] = 0x4000
    regs[7] = 5
    thread: Any = SimpleNamespace(regs=regs, charge=charged.append,
                                  kernel=SimpleNamespace(hrtime=lambda: 777))
    known = identification.read(thread, word)
    assert len(charged) <= 1
    return known, int(regs[7]), int(regs[PC]) - 0x4000


def mrs(op1: int, crn: int, crm: int, op2: int, register: int = 7) -> int:
    return 0xD5300000 | 1 << 19 | op1 << 16 | crn << 12 | crm << 8 | op2 << 5 | register


@pytest.mark.parametrize("key", FEATURES)
def test_what_a_register_says(key: tuple[int, int, int, int]) -> None:
    assert reading(mrs(*key)) == (True, FEATURES[key], 4)


def test_which_registers_are_read() -> None:
    """Those that are not known yet are 0; others are no instruction at all."""
    told: dict[str, int] = {}
    for op1 in range(8):
        for crn in range(16):
            for crm in range(16):
                for op2 in range(8):
                    known, value, gone = reading(mrs(op1, crn, crm, op2))
                    if (op1, crn, crm, op2) in FEATURES:
                        continue
                    zero = op1 == crn == 0 and 1 <= crm <= 7
                    assert (known, value, gone) == ((True, 0, 4) if zero else (False, 5, 0))
                    told[str(known)] = told.get(str(known), 0) + 1
    assert told["True"] == 7 * 8 - 3
    assert reading(mrs(0, 0, 6, 0, 31)) == (True, 5, 4)  # into XZR
    assert reading(0xD5100000) == reading(0) == (False, 5, 0)


def test_what_is_offered() -> None:
    """HWCAP and HWCAP2 as <asm/hwcap.h> numbers them, and the names in /proc/cpuinfo."""
    assert (identification.HWCAP, identification.HWCAP2) == (0xECBFBFFB, 0x181)
    text = identification.description(2)
    assert text.count("processor\t: ") == 2 and "processor\t: 1\nBogoMIPS\t: 2000.00\n" in text
    assert text.endswith("CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x0\n"
                         "CPU part\t: 0xd0f\nCPU revision\t: 0\n\n")
    assert "Features\t: fp asimd aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm jscvt lrcpc " \
        "dcpop sha3 sm3 sm4 asimddp sha512 asimdfhm ilrcpc flagm sb paca pacg dcpodp flagm2 frint\n" in text


# -- linux-vdso.so.1 ------------------------------------------------------------------------------------

def test_the_object_in_every_program() -> None:
    """A shared object by the gABI: what loads it finds functions by their names, versions and hashes."""
    data = vdso.image()
    assert len(data) <= 4096
    head = struct.unpack_from("<16sHHIQQQIHHHHHH", data)
    assert head[0] == b"\x7fELF\2\1\1".ljust(16, b"\0")
    assert head[1:] == (3, 183, 1, 0, 64, 0, 0, 64, 56, 2, 64, 0, 0)
    load, dynamic = (struct.unpack_from("<IIQQQQQQ", data, 64 + 56 * at) for at in range(2))
    assert load == (1, 5, 0, 0, 0, len(data), len(data), 4096)
    assert dynamic[:2] == (2, 5) and dynamic[2] == dynamic[3] == dynamic[4] and dynamic[5] == dynamic[6]
    assert dynamic[2] + dynamic[5] == len(data) and dynamic[2] % 8 == 0
    rows = list(struct.iter_unpack("<QQ", data[dynamic[2]:]))
    tags = dict(rows)
    assert rows[-1] == (0, 0) and sorted(tags) == sorted(
        (0, 4, 5, 6, 10, 11, 14, 0x6FFFFFF0, 0x6FFFFFFC, 0x6FFFFFFD))
    assert tags[11] == 24 and tags[0x6FFFFFFD] == 2

    def text(at: int) -> bytes:
        assert at < tags[10]
        return data[tags[5] + at:].partition(b"\0")[0]
    assert text(tags[14]) == b"linux-vdso.so.1" and data[tags[5]] == 0
    buckets, count, first, *chain = struct.unpack_from("<8I", data, tags[4])
    assert (buckets, count, first) == (1, 5, 1) and chain == [0, 2, 3, 4, 0]
    assert data[tags[6]:tags[6] + 24] == bytes(24)
    versions = struct.unpack_from("<5H", data, tags[0x6FFFFFF0])
    assert versions == (0, 2, 2, 2, 2)
    found = {}
    for number in range(1, 5):
        name, info, other, section, value, size = struct.unpack_from("<IBBHQQ", data, tags[6] + 24 * number)
        assert (info, other, section) == (18, 0, 1)
        words = struct.unpack_from(f"<{size // 4}I", data, value)
        assert words[1] == 0xD4000001 and words[2:] == ((0xD65F03C0,) if number > 1 else ())
        assert words[0] & 0xFFE0001F == 0xD2800008
        found[text(name)] = words[0] >> 5 & 0xFFFF
        if number == 1:
            assert value == vdso.SIGNAL_RETURN and data[value - 4:value] == b"\x1f\x20\x03\xd5"
    assert found == {b"__kernel_rt_sigreturn": 139, b"__kernel_clock_gettime": 113,
                     b"__kernel_clock_getres": 114, b"__kernel_gettimeofday": 169}


def test_versions_of_the_object_in_every_program() -> None:
    data = vdso.image()
    dynamic = struct.unpack_from("<Q", data, 64 + 56 + 8)[0]
    tags = dict(struct.iter_unpack("<QQ", data[dynamic:]))
    at, told = tags[0x6FFFFFFC], []
    while True:
        version, flags, index, names, hashed, name_at, following = struct.unpack_from("<HHHHIII", data, at)
        name, after = struct.unpack_from("<II", data, at + name_at)
        told.append((version, flags, index, names, hashed, after,
                     data[tags[5] + name:].partition(b"\0")[0]))
        if not following:
            break
        at += following
    assert told == [(1, 1, 1, 1, vdso.elf_hash(b"linux-vdso.so.1"), 0, b"linux-vdso.so.1"),
                    (1, 0, 2, 1, vdso.elf_hash(b"LINUX_2.6.39"), 0, b"LINUX_2.6.39")]


@pytest.mark.parametrize(("name", "value"), [
    (b"", 0), (b"a", 0x61), (b"printf", 0x077905A6), (b"exit", 0x0006CF04), (b"GLIBC_2.2.5", 0x09691A75),
    (b"LINUX_2.6.39", 0x075FCB89)])
def test_hashes_of_names(name: bytes, value: int) -> None:
    assert vdso.elf_hash(name) == value


# -- registers and the processor --------------------------------------------------------------------------

@pytest.mark.parametrize("kind", [Registers, EngineRegisters])
def test_flags_and_the_zero_register(kind: type[Registers]) -> None:
    regs = kind()
    regs[PSTATE] = 0xC00
    for flags in range(16):
        regs.flags = flags << 28 | 0xFFF
        assert regs.flags == flags << 28 and regs[PSTATE] & 0xFFFFFFF == 0xC00
    for on in (True, False):
        regs.steps = on
        assert regs.steps is on and regs[PSTATE] >> 21 & 1 == on and regs[PSTATE] & 0xC00 == 0xC00
    regs[:32] = range(100, 132)
    regs.original = 77
    assert regs.original == 77 and list(regs[:32]) == [*range(100, 132)]
    regs.set_x(31, 5)
    regs.set_x(30, -1)
    assert [regs[SP], regs[30], regs.x(31), regs.x(30), regs.x(0)] == [
        131, (1 << 64) - 1, 0, (1 << 64) - 1, 100]


def processor(**engine: Any) -> Arm:
    made: Arm = object.__new__(Arm)
    made.engine = SimpleNamespace(stepping=False, **engine)  # type: ignore[assignment]
    made._numbers = {200: 36}
    return made


def test_registers_by_number() -> None:
    arm, regs = processor(), Registers()
    regs[:34] = range(1000, 1034)
    regs.flags = 0x60000000
    thread: Any = SimpleNamespace(regs=regs, pc=5)
    found = {}
    for number in range(-1, 201):
        try:
            found[number] = arm.register(thread, number)
        except IndexError as error:
            assert error.args == (36 if number == 200 else number,)
    assert found == {**{number: 1000 + number for number in range(31)}, 38: 0x60000000, 33: 1000, 39: 1031,
                     36: 5, 200: 5}
    assert (arm.pc(thread), arm.stack_pointer(thread)) == (1032, 1031)


def test_calls_and_children() -> None:
    arm, regs = processor(), Registers()
    thread: Any = SimpleNamespace(regs=regs)
    regs[:9] = range(10, 19)
    regs[8] = 1 << 40 | 93
    assert arm.system_call(thread, PAGE_FAULT) is None
    call = arm.system_call(thread, SYSCALL)
    assert call is not None and (call.number, list(call.arguments), call.table) == (93, [*range(10, 16)], 65)
    arm.finish(thread, -5)
    assert (regs[0], regs.original) == ((1 << 64) - 5, 10)
    regs[PC] = 0x4004
    arm.repeat(thread, 7)
    assert (regs[PC], regs[0], regs[8]) == (0x4000, 10, 7)
    for stack, pointer in ((0, 0x9000), (0x8000, 0x8000)):
        regs[0], regs[SP] = 5, 0x9000
        arm.child(thread, 3, stack)
        assert (regs[0], regs[SP]) == (0, pointer)


@pytest.mark.parametrize(("event", "error", "expected"), [
    (STEPPED, 0, (SIGTRAP, 2, 0x4000, 0)), (BREAKPOINT, 0, (SIGTRAP, 1, 0x4000, 0)),
    (UNDEFINED, 0, (SIGILL, 1, 0x4000, 0)), (PAGE_FAULT, ERROR_USER, (SIGSEGV, 1, 0x7010, 0x92000004 + 3)),
    (PAGE_FAULT, ERROR_USER | ERROR_WRITE, (SIGSEGV, 1, 0x7010, 0x92000044 + 3)),
    (PAGE_FAULT, ERROR_USER | ERROR_WRITE | ERROR_PRESENT, (SIGSEGV, 1, 0x7010, 0x9200004F)),
    (PAGE_FAULT, ERROR_USER | ERROR_FETCH, (SIGSEGV, 1, 0x4000, 0x82000004 + 3)),
    (PAGE_FAULT, ERROR_USER | ERROR_FETCH | ERROR_PRESENT, (SIGSEGV, 1, 0x4000, 0x8200000F)),
    (DATA_ABORT, 0, (SIGBUS, 1, 0x7010, 0x92000061))])
def test_exceptions(event: int, error: int, expected: tuple[int, ...]) -> None:
    """Signal, code, address, and the syndrome (ESR_EL1), of `str x0, [x1, #16]`."""
    regs = Registers()
    regs[PC], regs[1], regs[SP] = 0x4000, 0x7000, 0x8000
    engine: Any = SimpleNamespace(fault_error=error, fault_address=0x7000, missing=lambda address: 3)
    process = SimpleNamespace(space=None)
    code = [0xF9000820]
    thread: Any = SimpleNamespace(regs=regs, pc=0x4000, process=process,
                                  read_text=lambda address, size: code[0].to_bytes(4, "little"))
    found = faults.fault(engine, thread, event).info
    assert (found.signal, found.code, found.address, found.error) == expected
    if event != PAGE_FAULT:
        return
    for place, address in ((0xAB << 56 | 0x7000, 0x7010), (0x6FF8, 0x7008), (0x6FE8, 0x7000),
                           (0x8000, 0x7000)):
        regs[1] = place
        if not error & ERROR_FETCH:
            assert faults.fault(engine, thread, event).info.address == address
    code[0], regs[0] = 0xD50B7A20, 0x7020  # dc cvac, x0: it reads, and is told as a write
    if not error & (ERROR_FETCH | ERROR_PRESENT | ERROR_WRITE):
        assert faults.fault(engine, thread, event).info.error == 0x92000147


def test_places_that_are_not_aligned() -> None:
    regs, engine = Registers(), SimpleNamespace(fault_error=0, fault_address=0, missing=lambda address: 0)
    code: list[int | None] = [0xF9400020]  # ldr x0, [x1]

    def text(address: int, _size: int) -> bytes:
        if code[0] is None:
            raise MemoryFault(address)
        return code[0].to_bytes(4, "little")
    thread: Any = SimpleNamespace(regs=regs, pc=0x4000, process=SimpleNamespace(space=None), read_text=text)

    def told(event: int) -> tuple[int, int, int]:
        info = faults.fault(engine, thread, event).info  # type: ignore[arg-type]
        return info.signal, info.address, info.error
    regs[PC], regs[1], regs[SP] = 0x4000, 0x7001, 0x8008
    assert told(DATA_ABORT) == (SIGBUS, 0x7001, 0x92000021)
    for code[0] in (0xF94003E0, 0xD503201F, None):  # ldr x0, [sp]; nop
        assert told(STACK_ALIGNMENT) == (SIGBUS, 0x8008, 0x9A000000)
    regs[SP] = 0x8000
    assert told(DATA_ABORT) == (SIGBUS, 0, 0x92000021)
    regs[PC] = 0x4002
    assert told(UNDEFINED) == (SIGBUS, 0x4002, 0x8A000000)
    regs[PC] = MACHINE_PAGE + 8
    assert told(UNDEFINED)[:2] == (SIGSEGV, MACHINE_PAGE + 8) and engine.fault_error == ERROR_FETCH


def lesser(size: int, least: bool, source: int = 2, result: int = 3) -> int:
    """LDSMIN or LDSMAX of 2**size bytes at X1."""
    return size << 30 | 0x38204000 | least << 12 | source << 16 | 1 << 5 | result


@pytest.mark.parametrize("size", [0, 1, 2])
@pytest.mark.parametrize("least", [False, True])
def test_the_lesser_of_two_numbers(size: int, least: bool) -> None:
    bits = 8 << size
    for old, given in ((5, 7), (7, 5), (-1, 1), (1, -1), (-5, -7), (3, 1 << 40 | 9), (-(1 << bits - 1), 0)):
        regs, stored = Registers(), dict[int, bytes]()
        regs[PC], regs[1], regs[2] = 0x4000, 0xAB << 56 | 0x7000, given & (1 << 64) - 1
        held = old.to_bytes(bits // 8, "little", signed=True)
        thread: Any = SimpleNamespace(regs=regs, read=lambda _address, _size, held=held: held,
                                      write=stored.__setitem__)
        assert withheld.carry_out(thread, lesser(size, least))
        short = (given & (1 << bits) - 1 ^ 1 << bits - 1) - (1 << bits - 1)
        new = min(old, short) if least else max(old, short)
        assert stored == {0x7000: new.to_bytes(bits // 8, "little", signed=True)}
        assert (regs[3], regs[PC]) == (old & (1 << bits) - 1, 0x4004)


def test_numbers_that_cannot_be_had() -> None:
    regs = Registers()
    regs[PC], regs[1] = 0x4000, 0x7001
    fails: list[str] = []
    word = [lesser(1, True)]

    def access(name: str) -> Any:
        def run(address: int, _value: object) -> bytes:
            if name in fails:
                raise MemoryFault(address)
            return word[0].to_bytes(4, "little") if name == "text" else bytes(2)
        return run
    thread: Any = SimpleNamespace(regs=regs, read_text=access("text"), read=access("read"),
                                  write=access("write"))
    arm, noted = processor(note_fault=lambda *words: noted.append(words)), list[Any]()
    assert arm.serve(thread, BREAKPOINT) == BREAKPOINT
    fails[:] = ["text"]
    assert arm.serve(thread, UNDEFINED) == UNDEFINED
    fails.clear()
    assert arm.serve(thread, UNDEFINED) == DATA_ABORT
    regs[1] = 0x7002
    for name, error in (("read", 0), ("write", ERROR_WRITE)):
        fails[:] = [name]
        assert arm.serve(thread, UNDEFINED) == PAGE_FAULT and noted.pop() == (0x7002, error)
    assert regs[PC] == 0x4000
    fails[:] = ["text"]
    assert arm.serve(thread, UNDEFINED) == UNDEFINED
    fails.clear()
    for word[0] in (lesser(3, True), 0xD503201F):
        assert arm.serve(thread, UNDEFINED) == UNDEFINED
    word[0] = lesser(1, False, 31, 31)
    for arm.engine.stepping, event in ((False, None), (True, STEPPED)):
        assert arm.serve(thread, UNDEFINED) == event
    assert regs[PC] == 0x4008 and regs[SP] == 0


@pytest.mark.parametrize(("count", "events", "ran", "told"), [
    (3, [STEPPED] * 9, 3, RESCHEDULE), (2, [RESCHEDULE, RESCHEDULE], 2, RESCHEDULE),
    (5, [STEPPED, SYSCALL], 2, SYSCALL), (0, [], 0, RESCHEDULE)])
def test_some_instructions_more(count: int, events: list[int], ran: int, told: int) -> None:
    regs, left = SimpleNamespace(steps=False), SimpleNamespace(left=-7)
    states: list[tuple[bool, bool, bool]] = []

    def run() -> int:
        states.append((arm.engine.stepping, regs.steps, left.left > 0))
        regs.steps = False
        return events[len(states) - 1]
    arm = processor(regs=regs, slice=left, run=run)
    thread: Any = None
    assert arm.step(thread, count) == told
    assert states == [(True, True, True)] * ran
    assert (arm.engine.stepping, regs.steps, left.left) == (False, False, -7)
    arm.engine.stepping = True
    assert arm.step(thread, 3) == RESCHEDULE and len(states) == ran
