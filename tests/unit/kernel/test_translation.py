"""What engines without page tables of their own are told of a page, and where AArch64's code is searched."""

from __future__ import annotations

import ctypes
from typing import Any

import assembler
import pytest

from runtime.kernel.cpu.arm64.engine import ArmEngine
from runtime.kernel.cpu.emulator import (
    ERROR_FETCH,
    ERROR_PRESENT,
    ERROR_USER,
    ERROR_WRITE,
    EXECUTE,
    MEM_FETCH,
    MEM_READ,
    MEM_WRITE,
    READ,
    WRITE,
    Translation,
)
from runtime.kernel.cpu.translation import PAGE_FAULT, TranslatedEmulator, allows, permitted
from runtime.kernel.memory.addrspace import NO_EXEC, PRESENT, WRITABLE
from runtime.kernel.memory.physical import PAGE, PhysicalMemory

ENTRIES = [0, PRESENT, PRESENT | WRITABLE, PRESENT | NO_EXEC, PRESENT | WRITABLE | NO_EXEC, WRITABLE]


@pytest.mark.parametrize("entry", ENTRIES)
def test_rights_of_a_page(entry: int) -> None:
    entry |= 0x5000
    there, writes, runs = bool(entry & PRESENT), bool(entry & WRITABLE), not entry & NO_EXEC
    assert allows(entry, MEM_READ) is there
    assert allows(entry, MEM_WRITE) is (there and writes)
    assert allows(entry, MEM_FETCH) is (there and runs)
    assert permitted(entry) == (0x5000, READ | WRITE * writes | EXECUTE * runs)


def emulator(before: int, after: int | None, failure: BaseException | None = None) -> Any:
    """An engine in whose page table is one entry, and another once the kernel has been asked."""
    made: Any = object.__new__(TranslatedEmulator)
    made.machine_page, made.machine_frame, made.failure = 0x9000, 0x7000, None
    made.asked, made.ended = [], []
    state = [before]

    def asked(address: int, error: int) -> bool:
        made.asked.append((address, error))
        if failure is not None:
            raise failure
        if after is not None:
            state[0] = after
        return after is not None
    made.walk, made.on_fault, made.end_run = lambda address: state[0], asked, made.ended.append
    return made


KINDS = [(MEM_READ, 0), (MEM_WRITE, ERROR_WRITE), (MEM_FETCH, ERROR_FETCH)]


@pytest.mark.parametrize(("kind", "error"), KINDS)
def test_an_entry_of_the_table_of_translations(kind: int, error: int) -> None:
    all_, error = 0x5000 | PRESENT | WRITABLE, error | ERROR_USER
    reads = kind == MEM_READ
    for before, after, found, asked in (
            (all_, None, True, False), (0, all_, True, True), (0, None, False, True), (0, 0, False, True),
            (0x5000 | PRESENT | NO_EXEC, 0, reads, not reads)):
        made, result = emulator(before, after), Translation()
        assert made._translate(0, 0x4000, kind, ctypes.pointer(result), 0) is found
        assert made.asked == [(0x4000, error)] * asked
        if found:
            entry = after if asked and after is not None else before
            assert made.ended == [] and (result.physical, result.perms) == permitted(entry)
        else:
            assert made.ended == [PAGE_FAULT] and (made.fault_address, made.fault_error) == (0x4000, error)
    made = emulator(0x5000 | PRESENT | NO_EXEC, None)
    if not reads:
        assert not made._translate(0, 0x4000, kind, ctypes.pointer(Translation()), 0)
        assert made.fault_error == error | ERROR_PRESENT
    failure = ValueError()
    made = emulator(0, all_, failure)
    assert not made._translate(0, 0x4000, kind, ctypes.pointer(Translation()), 0) and made.failure is failure
    made, result = emulator(0, None), Translation()
    assert made._translate(0, 0x9000, kind, ctypes.pointer(result), 0) is (kind == MEM_FETCH)
    assert kind != MEM_FETCH or (result.physical, result.perms) == (0x7000, EXECUTE | READ)


def arm(memory: PhysicalMemory) -> Any:
    made: Any = object.__new__(ArmEngine)
    made.memory, made._searched, made.flushed = memory, {}, []
    made.flush_tlb = lambda: made.flushed.append("tlb")
    made.flush_code = lambda: (made.flushed.append("code"), made._forget_copies())
    return made


def test_code_is_searched_before_it_runs() -> None:
    """A page with an instruction that is withheld is executed from a copy, until it may have been changed."""
    memory = PhysicalMemory(16 * PAGE)
    plain, other = (memory.allocate() << 12 for _ in range(2))
    nop, withheld = assembler.assemble("arm64", "nop; ldsminh w2, w3, [x1]")[:4], assembler.assemble(
        "arm64", "ldsminh w2, w3, [x1]")
    memory.bytes[plain:plain + PAGE] = nop * 1024
    memory.bytes[other:other + PAGE] = nop * 512 + withheld + nop * 511
    engine, free, everything = arm(memory), memory.free_frames, READ | WRITE | EXECUTE
    for page in (plain, other):  # until it is searched it cannot be executed
        assert engine._search(MEM_READ, page, everything) == (page, READ | WRITE)
        assert engine._search(MEM_WRITE, page, everything) == (page, READ | WRITE)
        assert engine._search(MEM_WRITE, page, READ | WRITE) == (page, READ | WRITE)
    assert engine._search(MEM_FETCH, plain, everything) == (plain, READ | EXECUTE)
    assert engine._search(MEM_READ, plain, everything) == (plain, READ | EXECUTE)
    assert memory.free_frames == free and engine.flushed == []
    copy, rights = engine._search(MEM_FETCH, other, everything)
    assert rights == EXECUTE and copy != other and memory.free_frames == free - 1
    assert bytes(memory.bytes[copy:copy + PAGE]) == nop * 512 + bytes(4) + nop * 511
    assert memory.executed(copy >> 12)
    assert engine._search(MEM_FETCH, other, everything) == (copy, EXECUTE)
    assert engine._search(MEM_READ, other, everything) == (other, READ | WRITE)
    assert engine._search(MEM_WRITE, plain, everything) == (plain, READ | WRITE) and engine.flushed == []
    assert engine._search(MEM_WRITE, other, everything) == (other, READ | WRITE)
    assert engine.flushed == ["code", "tlb"] and memory.free_frames == free and engine._searched == {}
    assert engine._search(MEM_FETCH, other, everything)[1] == EXECUTE
    while memory.free_frames:
        memory.allocate()
    another = plain
    memory.bytes[another:another + 4] = withheld
    assert engine._search(MEM_FETCH, another, everything) is None  # there is no memory for a copy
