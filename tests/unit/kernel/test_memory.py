"""Address spaces and kernel memory, driven directly."""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime.kernel.base.errors import MemoryFault, SyscallError
from runtime.kernel.cpu.x86.direct import DirectEngine
from runtime.kernel.cpu.x86.engine import (
    RAX,
    RBP,
    RBX,
    RCX,
    RDI,
    RDX,
    REG_FS_BASE,
    REG_XMM0,
    RIP,
    RSI,
    RSP,
    Engine,
)
from runtime.kernel.memory.addrspace import AddressSpace, Area
from runtime.kernel.memory.kmem import KernelMemory, Region
from runtime.kernel.memory.physical import PAGE, FilePages, PhysicalMemory, SharedPages

RW, R, RX, RWX = 3, 1, 5, 7
BASE = 0x400000


class Bytes:
    """A vnode over a bytearray."""

    path = "/bytes"
    pages: FilePages | None = None

    def __init__(self, data: bytes) -> None:
        self.data = bytearray(data)

    @property
    def size(self) -> int:
        return len(self.data)

    def pread(self, offset: int, size: int) -> bytes:
        return bytes(self.data[offset:offset + size])

    def write_back(self, offset: int, data: bytes) -> None:
        self.data[offset:offset + len(data)] = data

    def reserve(self, offset: int, end: int) -> None:
        """There is room for everything."""

    def mapped(self) -> None:
        """Nothing is remembered of it."""


@pytest.fixture(scope="module", params=[DirectEngine, Engine])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    engine: Engine = request.param(PhysicalMemory(16 << 20))
    yield engine
    engine.close()


@pytest.fixture
def space(engine: Engine) -> Iterator[AddressSpace]:
    free = engine.memory.free_frames
    space = AddressSpace(engine, 1 << 47)
    space.mmap_top = 0x7FFF_0000_0000
    yield space
    if space.areas:
        space.release()
    assert engine.memory.free_frames == free  # nothing leaks


def test_memory_is_there_when_touched(space: AddressSpace) -> None:
    space.map(Area(BASE, BASE + 16 * PAGE, RW))
    assert space.resident_pages() == 0
    space.write(BASE + PAGE - 2, b"abcd")
    assert space.read(BASE + PAGE - 3, 6) == b"\0abcd\0"
    assert space.resident_pages() == 2
    assert space.read_string(BASE + PAGE - 2) == b"abcd"
    assert space.read_string(BASE + PAGE - 2, 3) == b"abc"


@pytest.mark.parametrize("address", [BASE - 1, BASE + PAGE, 0, 1 << 47, (1 << 64) - 1, -1])
def test_faults_name_the_first_bad_byte(space: AddressSpace, address: int) -> None:
    space.map(Area(BASE, BASE + PAGE, RW))
    with pytest.raises(MemoryFault) as caught:
        space.read(address, 1)
    assert caught.value.address == address
    with pytest.raises(MemoryFault):
        space.write(address, b"x")


def test_reading_across_the_end(space: AddressSpace) -> None:
    space.map(Area(BASE, BASE + PAGE, RW))
    with pytest.raises(MemoryFault) as caught:
        space.read(BASE + PAGE - 4, 8)
    assert caught.value.address == BASE + PAGE


def test_read_only_memory_cannot_be_written(space: AddressSpace) -> None:
    space.map(Area(BASE, BASE + PAGE, RW))
    space.write(BASE, b"x")
    space.protect(BASE, BASE + PAGE, R)
    with pytest.raises(MemoryFault):
        space.write(BASE, b"y")
    space.protect(BASE, BASE + PAGE, 0)
    with pytest.raises(MemoryFault):
        space.read(BASE, 1)
    space.protect(BASE, BASE + PAGE, RW)
    assert space.read(BASE, 1) == b"x"


def test_areas_split_and_join(space: AddressSpace) -> None:
    space.map(Area(BASE, BASE + 8 * PAGE, RW))
    space.protect(BASE + 2 * PAGE, BASE + 4 * PAGE, R)
    assert [(area.start, area.prot) for area in space.areas] == [
        (BASE, RW), (BASE + 2 * PAGE, R), (BASE + 4 * PAGE, RW)]
    space.protect(BASE + 2 * PAGE, BASE + 4 * PAGE, RW)
    assert [(area.start, area.end) for area in space.areas] == [(BASE, BASE + 8 * PAGE)]
    space.unmap(BASE + PAGE, BASE + 2 * PAGE)
    assert [(area.start, area.end) for area in space.areas] == [
        (BASE, BASE + PAGE), (BASE + 2 * PAGE, BASE + 8 * PAGE)]
    with pytest.raises(SyscallError):
        space.protect(BASE, BASE + 4 * PAGE, R)


def test_free_range_finds_holes_from_the_top(space: AddressSpace) -> None:
    top = space.mmap_top
    assert space.free_range(PAGE) == top - PAGE
    space.map(Area(top - 4 * PAGE, top - PAGE, RW))
    assert space.free_range(PAGE) == top - PAGE
    assert space.free_range(2 * PAGE) == top - 6 * PAGE


def test_fork_copies_when_either_writes(space: AddressSpace) -> None:
    space.map(Area(BASE, BASE + 4 * PAGE, RW))
    shared = SharedPages(space.memory)
    space.map(Area(BASE + 8 * PAGE, BASE + 9 * PAGE, RW, True, shared))
    space.write(BASE, b"before")
    free = space.memory.free_frames
    child = space.fork()
    child.write(BASE, b"child!")
    space.write(BASE + 8 * PAGE, b"common")
    assert space.read(BASE, 6) == b"before"
    assert child.read(BASE, 6) == b"child!"
    assert child.read(BASE + 8 * PAGE, 6) == b"common"
    space.write(BASE, b"parent")
    assert child.read(BASE, 6) == b"child!"
    assert child.release()
    del shared
    assert space.memory.free_frames >= free - 5
    assert space.read(BASE, 6) == b"parent"


def test_private_and_shared_mappings_of_a_file(space: AddressSpace) -> None:
    file = Bytes(b"A" * PAGE + b"B" * 100)
    pages = FilePages.of(space.memory, file)
    space.map(Area(BASE, BASE + 2 * PAGE, RW, False, pages))
    space.map(Area(BASE + 8 * PAGE, BASE + 11 * PAGE, RW, True, pages))
    space.write(BASE, b"private")
    space.write(BASE + 8 * PAGE + 10, b"shared")
    assert space.read(BASE, 8) == b"privateA"
    assert space.read(BASE + PAGE + 98, 4) == b"BB\0\0"
    with pytest.raises(MemoryFault):
        space.read(BASE + 10 * PAGE, 1)  # beyond the file's last page
    pages.sync()
    assert bytes(file.data[:18]) == b"A" * 10 + b"shared" + b"AA" and file.size == PAGE + 100
    file.write_back(PAGE, b"new")
    pages.update(PAGE, b"new")
    assert space.read(BASE + 9 * PAGE, 4) == b"newB"
    space.release()
    file.pages = None


def test_the_machine_says_when_memory_is_out(engine: Engine) -> None:
    space = AddressSpace(engine, 1 << 47)
    space.map(Area(BASE, BASE + (64 << 20), RW))
    with pytest.raises(SyscallError):
        for address in range(BASE, BASE + (64 << 20), PAGE):
            space.fault(address, 2)
    assert space.release()


def test_patching_text_is_seen_by_the_processor(engine: Engine, space: AddressSpace) -> None:
    file = Bytes(b"\x0f\x05" + b"\x90" * 64)  # syscall
    pages = FilePages.of(space.memory, file)
    space.map(Area(BASE, BASE + PAGE, RX, False, pages))
    engine.on_fault = lambda address, error: space.fault(address, 4 if error & 16 else 1)

    def run() -> int:
        engine.restore(engine.user64, space.root)
        engine.regs[RIP] = BASE
        return engine.run()

    assert run() == -1
    space.patch(BASE, b"\xcc")
    assert run() == 3
    space.patch(BASE, b"\x0f")
    assert run() == -1
    assert bytes(file.data[:2]) == b"\x0f\x05"
    engine.load_root(engine.root)
    space.release()
    file.pages = None


def test_the_processor_sees_what_changes_under_it(engine: Engine, space: AddressSpace) -> None:
    """What it remembers of a page is forgotten when a store copies it, with its rights, and with the page."""
    data = BASE + 16 * PAGE
    space.map(Area(BASE, BASE + PAGE, RW))
    space.write(BASE, b"\x8b\x03\x0f\x05\x89\x0b\x0f\x05")  # mov eax, [rbx]; syscall; mov [rbx], ecx; syscall
    space.protect(BASE, BASE + PAGE, RX)
    space.map(Area(data, data + PAGE, RW))
    space.write(data, b"old!")

    def fault(address: int, error: int) -> bool:
        return space.fault(address, 4 if error & 16 else 2 if error & 2 else 1)
    engine.on_fault = fault

    def run(offset: int, place: int = data) -> int:
        engine.regs[RIP], engine.regs[RBX] = BASE + offset, place
        engine.regs[RCX], engine.regs[RAX] = 0x31313131, 0
        return engine.run()
    engine.restore(engine.user64, space.root)

    def seen() -> bytes:
        assert run(0) == -1
        return engine.regs[RAX].to_bytes(4, "little")
    assert seen() == b"old!"
    child = space.fork()
    space.write(data, b"new!")  # by the kernel, into a page of its own from now on
    assert (seen(), child.read(data, 4)) == (b"new!", b"old!")
    assert run(4) == -1 and (seen(), child.read(data, 4)) == (b"1111", b"old!")
    grandchild = space.fork()
    assert run(4) == -1
    space.write(data, b"mine")
    assert run(4) == -1 and (seen(), grandchild.read(data, 4)) == (b"1111", b"1111")
    space.protect(data, data + PAGE, R)
    assert seen() == b"1111" and run(4) == 14
    space.protect(data, data + PAGE, 0)
    assert run(0) == 14
    space.protect(data, data + PAGE, RW)
    space.discard(data, data + PAGE)
    assert seen() == bytes(4) and run(4) == -1
    space.map(Area(data + PAGE, data + 2 * PAGE, RW))
    space.move(data, PAGE, data + PAGE)
    assert seen() == bytes(4)
    assert run(0, data + PAGE) == -1 and engine.regs[RAX] == 0x31313131
    space.unmap(data, data + 2 * PAGE)
    assert run(0) == 14
    assert child.release() and grandchild.release()
    engine.load_root(engine.root)


def test_data_cannot_be_executed(engine: Engine, space: AddressSpace) -> None:
    space.map(Area(BASE, BASE + PAGE, RW))
    space.write(BASE, b"\x0f\x05")
    engine.on_fault = lambda address, error: space.fault(address, 4 if error & 16 else 1)
    engine.restore(engine.user64, space.root)
    engine.regs[RIP] = BASE
    assert engine.run() == 14 and engine.fault_error & 16
    engine.load_root(engine.root)


FAR = 0x700000
NOWHERE = {RBX: FAR, RDI: FAR, RBP: FAR, RSP: FAR}
FAULTS = [
    ("mov [rbx+8], eax", "894308", FAR + 8, 6), ("mov eax, [rbx+rcx*4-2]", "8b448bfe", FAR + 12 - 2, 4),
    ("push rax", "50", FAR - 8, 6), ("push ax", "6650", FAR - 2, 6), ("pop rax", "58", FAR, 4),
    ("call rax", "ffd0", FAR - 8, 6), ("ret", "c3", FAR, 4), ("leave", "c9", FAR, 4),
    ("stosq", "48ab", FAR, 6), ("bts [rbx], rdx", "480fab13", FAR - 16, 4), ("xlatb", "d7", FAR + 5, 4),
    ("jmp rbx", "ffe3", FAR, 20),
    ("mov eax, fs:[rsi]", "648b06", FAR + 0x10, 4), ("mov [rip+0x2FFFFA], eax", "8905faff2f00", FAR, 6),
    ("movups [rbx-8], xmm0", "0f1143f8", FAR - 8, 6)]


@pytest.mark.parametrize(("text", "code", "address", "error"), FAULTS, ids=[row[0] for row in FAULTS])
def test_a_page_fault_tells_what_the_instruction_accessed(
        text: str, code: str, address: int, error: int, engine: Engine, space: AddressSpace) -> None:
    run_code(engine, space, bytes.fromhex(code), NOWHERE | {RAX: 5, RCX: 3, RDX: -100, RSI: 0}, fs=FAR + 0x10)
    assert engine.event == 14
    if text.startswith("bts"):  # the direct engine tells what is read first
        error = engine.fault_error
    assert (engine.fault_address, engine.fault_error) == (address, error)


@pytest.mark.parametrize(("code", "event"),
                         [("f6f1", 0), ("f4", 13), ("8a03", 13), ("8a02", 14), ("0f0b", 6)],
                         ids=["div cl", "hlt", "no address", "no page", "ud2"])
def test_an_exception_does_not_change_the_next(code: str, event: int, engine: Engine,
                                               space: AddressSpace) -> None:
    """As the processor has it, where exceptions are delivered before the program goes on."""
    registers = {RAX: 7, RCX: 0, RBX: 1 << 62, RDX: FAR}
    for _ in range(4):
        run_code(engine, space, bytes.fromhex(code), registers, fs=0x1234)
        assert engine.event == event
        assert [engine.regs[number] for number in (RAX, RCX, RBX, RIP)] == [7, 0, 1 << 62, BASE]
        assert engine.read_register(REG_FS_BASE) == 0x1234
        assert engine.read_register(REG_XMM0, 16) == MARK


MARK = 0x1234567 << 99


def run_code(engine: Engine, space: AddressSpace, code: bytes, registers: dict[int, int], fs: int) -> None:
    if not space.areas:
        space.map(Area(BASE, BASE + PAGE, RWX))
        space.write(BASE, code)
    engine.on_fault = lambda address, error: space.fault(address, 4 if error & 16 else 2 if error & 2 else 1)
    engine.restore(engine.user64, space.root)
    engine.write_register(REG_FS_BASE, fs)
    engine.write_register(REG_XMM0, MARK, 16)
    for number, value in (registers | {RIP: BASE}).items():
        engine.regs[number] = value & (1 << 64) - 1
    engine.run()
    engine.load_root(engine.root)


def test_slices_end_where_they_should(engine: Engine, space: AddressSpace) -> None:
    space.map(Area(BASE, BASE + PAGE, RWX))
    space.write(BASE, b"\x48\xff\xc1\xeb\xfb")  # 1: inc %rcx; jmp 1b
    engine.on_fault = lambda address, error: space.fault(address, 4 if error & 16 else 1)
    engine.restore(engine.user64, space.root)
    engine.regs[RIP] = BASE
    engine.count_work()
    for turn in (1, 2, 3):
        engine.slice.left = 5 * 1000
        assert engine.run() == -2
        assert engine.regs[RIP] == BASE
        assert engine.regs[1] == turn * 1000  # the stop is before the first block that has no byte left
    engine.load_root(engine.root)


def test_the_table_of_translations_grows(engine: Engine, space: AddressSpace) -> None:
    """A program with many pages needs a large one; that the engine's can be seen makes it grow in time."""
    sees = isinstance(engine, DirectEngine)
    data, pages = BASE + (1 << 20), 2000 if sees else 100
    space.map(Area(BASE, BASE + PAGE, RWX))
    space.map(Area(data, data + pages * PAGE, RW))
    # 1: movb $1, (%rdi); add $4096, %rdi; dec %rcx; jnz 1b; 2: jmp 2b
    space.write(BASE, b"\xc6\x07\x01\x48\x81\xc7\0\x10\0\0\x48\xff\xc9\x75\xf1\xeb\xfe")
    engine.on_fault = lambda address, error: space.fault(address, 4 if error & 16 else 2 if error & 2 else 1)
    engine.restore(engine.user64, space.root)
    before = engine.tlb_size
    engine.regs[RIP], engine.regs[RDI], engine.regs[RCX] = BASE, data, pages
    engine.count_work()
    engine.slice.left = 100 * pages
    assert engine.run() == -2
    assert engine.regs[RCX] == 0
    assert (before, engine.tlb_size) == (256, 512 if sees else 256)
    engine.load_root(engine.root)


def test_kernel_memory() -> None:
    memory = KernelMemory()
    first, second = memory.allocate("first", 100), memory.allocate("second", 64)
    memory.store(first.base, b"hello")
    assert memory.load(first.base, 5) == b"hello"
    with pytest.raises(MemoryFault):
        memory.load(first.base + 98, 4)
    device = memory.add(Region("device", 0xFFFF_FFFF_F000_0000, PAGE, None))
    for address in (device.base, 0, second.base + 64):
        with pytest.raises(MemoryFault):
            memory.load(address, 1)
    with pytest.raises(ValueError, match="overlaps"):
        memory.add(Region("other", first.base + 50, 100, bytearray(100)))
    memory.free(first)
    with pytest.raises(MemoryFault):
        memory.load(first.base, 1)
    assert memory.allocate("again", 120).base == first.base


@pytest.mark.parametrize("size", [1 << 14, 1 << 16])
def test_a_byte_takes_no_huge_page_where_pages_are_large(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hosts with pages of 64 KiB have huge ones of half a gigabyte."""
    monkeypatch.setattr(mmap, "PAGESIZE", size)
    memory = PhysicalMemory(1 << 30)
    mappings = re.findall(r"^([0-9a-f]+)-([0-9a-f]+) (?:.*\n)*?VmFlags: (.*)",
                          Path("/proc/self/smaps").read_text(), re.M)
    flags, = (flags for start, end, flags in mappings if int(start, 16) <= memory.address < int(end, 16))
    assert "hg" not in flags.split()
