"""Parts of memory by themselves: frames, the kernel's heap and its pieces, pages of files, addresses."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.kernel.base.errors import MemoryFault, SyscallError
from runtime.kernel.memory.allocator import ARENA_BASE, KernelHeap, _Pieces
from runtime.kernel.memory.kmem import HEAP_BASE, KernelMemory, Region
from runtime.kernel.memory.physical import PAGE, FilePages, PhysicalMemory, SharedPages
from runtime.kernel.memory.placement import TEXT_BASE, TEXT_SIZE, Kind, Placement
from runtime.kernel.objects.contents import Layout, Objects, Placed, Rows, Variable, render

# -- frames ---------------------------------------------------------------------------------------------

def test_frames_are_used_again() -> None:
    """Those that held code only when there are no others, after that code has been forgotten."""
    memory, forgotten = PhysicalMemory(8 * PAGE), list[int]()
    memory.forget_code = lambda: forgotten.append(memory.free_frames)
    assert memory.free_frames == 7
    frames = [memory.allocate() for _ in range(7)]
    assert sorted(frames) == list(range(1, 8)) and memory.free_frames == 0
    with pytest.raises(SyscallError, match="memory"):
        memory.allocate()
    code, data = frames[3], frames[5]
    memory.mark_executed(code)
    memory.refs[data] += 1
    memory.bytes[data * PAGE:data * PAGE + 4] = memory.bytes[code * PAGE:code * PAGE + 4] = b"data"
    memory.release(code)
    memory.release(data)
    assert memory.free_frames == 1  # the other has a user still
    memory.release(data)
    assert memory.free_frames == 2
    assert memory.allocate(zero=False) == data and forgotten == []
    assert bytes(memory.bytes[data * PAGE:data * PAGE + 4]) == b"data"
    assert memory.executed(code) and not memory.executed(data)
    assert memory.allocate() == code and forgotten == [1]
    assert bytes(memory.bytes[code * PAGE:code * PAGE + 4]) == bytes(4)
    assert not memory.executed(code) and memory.refs[code] == 1
    memory.release(data)
    memory.bytes[code * PAGE:code * PAGE + PAGE] = bytes(range(256)) * 16
    assert memory.copy(code) == data
    assert memory.bytes[data * PAGE:data * PAGE + PAGE] == memory.bytes[code * PAGE:code * PAGE + PAGE]


@pytest.mark.parametrize(("taken", "first", "free"), [
    (0, 2, 5), (1, 2, 4), (2, 4, 3), (3, 4, 2), (4, 6, 1), (5, None, 2)])
def test_two_frames_side_by_side(taken: int, first: int | None, free: int) -> None:
    memory = PhysicalMemory(8 * PAGE)
    for _ in range(taken):
        memory.allocate()
    if first is None:
        memory.allocate()
        with pytest.raises(SyscallError):
            memory.allocate_pair()
        return
    assert memory.allocate_pair() == first and memory.free_frames == free
    assert [memory.refs[first], memory.refs[first + 1]] == [1, 1]
    others = [memory.allocate() for _ in range(free)]
    assert len({*others, first, first + 1}) == free + 2 and memory.free_frames == 0


def test_shared_memory_goes_with_its_last_user() -> None:
    memory = PhysicalMemory(8 * PAGE)
    pages = SharedPages(memory)
    frame = pages.frame(5)
    assert pages.frame(5) == frame != pages.frame(2) and pages.has(77) and memory.free_frames == 5
    del pages
    assert memory.free_frames == 7


# -- the kernel's heap ------------------------------------------------------------------------------------

def test_the_heap_is_paid_for_with_frames() -> None:
    """A frame for each whole page in use; some are kept when less is in use."""
    memory, refused = PhysicalMemory(40 * PAGE), list[int]()
    heap = memory.heap
    heap.refused = lambda: refused.append(1)
    heap.take(PAGE - 1)
    assert memory.free_frames == 39
    heap.take(1)
    assert memory.free_frames == 38 and heap.paid == 2 * PAGE
    heap.take(20 * PAGE)
    assert memory.free_frames == 18 and heap.used == 21 * PAGE
    with pytest.raises(SyscallError):
        heap.take(19 * PAGE)
    assert refused == [1] and heap.used == 21 * PAGE and memory.free_frames == 18
    heap.take(18 * PAGE)
    assert memory.free_frames == 0


def test_some_frames_of_the_heap_are_kept() -> None:
    """Up to 64 that nothing needs, so that a little more or less costs nothing."""
    memory = PhysicalMemory(200 * PAGE)
    heap = memory.heap
    heap.take(100 * PAGE)
    assert memory.free_frames == 99
    heap.give(64 * PAGE)
    assert memory.free_frames == 99 and heap.paid == 101 * PAGE
    heap.give(1)
    assert memory.free_frames == 99 + 65 and heap.paid == 36 * PAGE
    draw = random.Random(3)
    for _ in range(300):
        heap.give(draw.randrange(heap.used + 1))
        held = 199 - memory.free_frames
        assert 0 <= held - heap.used // PAGE <= 64 and heap.paid == (held + 1) * PAGE > heap.used
        heap.take(draw.randrange(199 * PAGE - heap.used))
        held = 199 - memory.free_frames
        assert heap.paid == (held + 1) * PAGE > heap.used and held >= heap.used // PAGE


def test_pieces_go_back_as_they_were_taken() -> None:
    pieces = _Pieces()
    assert [pieces.take(size) - ARENA_BASE for size in (1, 16, 17, 100, 100)] == [0, 16, 32, 64, 176]
    assert pieces.give(100) == [(ARENA_BASE + 64, 100)]  # the one that was taken first
    assert pieces.give(40) == [(ARENA_BASE + 32, 17), (ARENA_BASE + 16, 16), (ARENA_BASE, 1),
                               (ARENA_BASE + 176, 6)]  # the largest first; then a part of what is larger
    assert pieces.give(94) == [(ARENA_BASE + 182, 94)]
    assert pieces.give(7) == [(ARENA_BASE + 288, 7)]  # taken before anybody watched
    assert pieces.take(0) == ARENA_BASE + 304 and pieces.take(5) == ARENA_BASE + 320
    assert pieces.give(0) == []


def test_older_pieces_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.kernel.memory.allocator._MOST_PIECES", 3)
    pieces = _Pieces()
    for _ in range(4):
        pieces.take(16)
    assert pieces.give(16) == [(ARENA_BASE + 48, 16)] and pieces.give(16) == [(ARENA_BASE + 64, 16)]


@pytest.mark.parametrize("watched", [False, True])
def test_who_watches_the_heap_sees_each_piece(watched: bool) -> None:
    told: list[tuple[Any, ...]] = []
    thread: Any = SimpleNamespace(functions=[])
    hooks: Any = SimpleNamespace(function=None)
    inner = PhysicalMemory(8 * PAGE).heap
    heap = KernelHeap(inner, lambda: thread, hooks)
    heap.take(100)
    assert inner.used == 100
    heap.take(PAGE)
    assert inner.used == PAGE + 100 and inner.paid == 2 * PAGE
    heap.give(PAGE)
    assert inner.used == 100 and told == []


# -- pages of files ---------------------------------------------------------------------------------------

class File:
    """A file in memory."""

    path = "/file"

    def __init__(self, data: bytes) -> None:
        self.data = bytearray(data)
        self.pages: FilePages | None = None
        self.noted = 0

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
        self.noted += 1


def shown(pages: FilePages, index: int) -> bytes:
    frame = pages.frame(index)
    assert frame is not None
    return bytes(pages.memory.bytes[frame * PAGE:(frame + 1) * PAGE])


def test_pages_show_a_file() -> None:
    memory, forgotten = PhysicalMemory(16 * PAGE), list[int]()
    memory.forget_code = lambda: forgotten.append(1)
    file = File(bytes([1]) * PAGE + bytes([2]) * PAGE + b"end")
    pages = FilePages.of(memory, file)
    assert FilePages.of(memory, file) is pages and file.noted == 1
    assert [pages.has(index) for index in range(4)] == [True, True, True, False]
    assert pages.frame(3) is None and pages.look(3) == b""
    assert pages.look(2) == b"end".ljust(PAGE, b"\0") and memory.free_frames == 15
    assert shown(pages, 2) == b"end".ljust(PAGE, b"\0") and shown(pages, 0) == bytes([1]) * PAGE
    assert pages.look(0) == bytes([1]) * PAGE and memory.free_frames == 13
    pages.update(PAGE - 2, b"abcdef")  # page 1 is not in memory: its bytes come from the file later
    assert shown(pages, 0) == bytes([1]) * (PAGE - 2) + b"ab"
    pages.update(2 * PAGE + 1, b"NDS")
    assert shown(pages, 2)[:5] == b"eNDS\0" and forgotten == []
    frame = pages.frames[0]
    memory.mark_executed(frame)
    pages.update(PAGE, b"x")
    assert forgotten == []
    pages.update(0, b"x" * 3)
    assert forgotten == [1] and shown(pages, 0)[:4] == b"xxx\1"


def test_what_mappings_have_changed_goes_back() -> None:
    memory, file = PhysicalMemory(16 * PAGE), File(b"a" * (2 * PAGE) + b"tail")
    pages = FilePages.of(memory, file)
    for index in range(3):
        frame = pages.frame(index)
        assert frame is not None
        memory.bytes[frame * PAGE:frame * PAGE + 6] = b"change"
    pages.written(2)
    pages.written(1)
    pages.sync()
    assert file.data == b"a" * PAGE + b"change" + b"a" * (PAGE - 6) + b"chan"
    pages.truncate(PAGE + 2)
    del file.data[PAGE + 2:]
    assert memory.free_frames == 13 and sorted(pages.frames) == [0, 1]
    assert shown(pages, 1) == b"ch" + bytes(PAGE - 2)
    pages.sync()
    assert file.data[PAGE:] == b"ch"
    pages.truncate(PAGE)
    del file.data[PAGE:]
    assert sorted(pages.frames) == [0] and shown(pages, 0)[-1:] == b"a"
    pages.sync()
    assert len(file.data) == PAGE
    pages.truncate(0)
    assert pages.frames == {} and memory.free_frames == 15


# -- addresses --------------------------------------------------------------------------------------------

def test_regions_side_by_side() -> None:
    memory = KernelMemory()
    first, second, third = (memory.allocate(name, size) for name, size in (("a", 64), ("b", 65), ("c", 1)))
    assert [each.base - HEAP_BASE for each in (first, second, third)] == [0, 64, 192]
    memory.store(first.base + 60, b"12345678")
    assert memory.load(first.base + 60, 8) == b"12345678" and second.read(0, 4) == b"5678"
    with pytest.raises(MemoryFault) as fault:
        memory.store(second.base + 64, b"12")
    assert fault.value.address == second.base + 65 and second.read(64, 1) == b"1"
    with pytest.raises(MemoryFault) as fault:
        memory.load(second.base + 60, 9)
    assert fault.value.address == second.base + 65
    for base, size in ((first.base - 1, 2), (second.base + 64, 4), (third.base, 1), (HEAP_BASE - 4, 500)):
        with pytest.raises(ValueError, match="overlaps"):
            memory.add(Region("other", base, size, bytearray(size)))
    memory.free(second)
    assert memory.allocate("d", 64).base == HEAP_BASE + 256  # of another size when it is rounded up
    assert memory.allocate("e", 120).base == second.base
    populated: list[int] = []

    def populate() -> None:
        populated.append(1)
        memory.add(Region("late", 0x1000, 4, bytearray(b"late")))
    memory.populate = populate
    assert memory.load(0x1000, 4) == b"late" and populated == [1]
    with pytest.raises(MemoryFault):
        memory.load(0x2000, 1)
    assert populated == [1] and not memory.complete()
    for address in (0xFFFFFF00FEC00000, 0xFFFFFF00FED003FF, 0xFFFFFF00FEE00FFF):
        device = memory.find(address)
        assert device is not None and device.device
        with pytest.raises(MemoryFault):
            memory.store(address, b"x")
    assert memory.find(0xFFFFFF00FED00400) is None


class InUse(Placement):
    """With objects that have to keep their addresses."""

    def in_use(self, held: object) -> bool:
        return isinstance(held, list)


def test_the_oldest_object_gives_up_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.kernel.memory.placement.SLOTS", 4)
    monkeypatch.setattr("runtime.kernel.memory.placement.LISTS", 2)
    placement, kept = InUse(), ["kept"]
    others = [{number: number} for number in range(7)]
    assert placement.address(Kind.THREAD, None) == 0
    base = Kind.PROCESS.base
    assert base == 0xFFFFFE8200000000 and Kind.FILES.base == 0xFFFFFE8000000000 + (64 << 32)
    assert placement.address(Kind.PROCESS, kept) == base
    assert [placement.address(Kind.PROCESS, other) for other in others] == [
        base + 4096 * slot for slot in (1, 2, 3, 1, 2, 3, 1)]
    assert placement.address(Kind.PROCESS, kept) == base and placement.held(Kind.PROCESS, 0) is kept
    assert placement.held(Kind.PROCESS, 1) is others[6] and placement.held(Kind.PROCESS, 2) is others[4]
    assert placement.address(Kind.PROCESS, others[4]) == base + 8192
    assert placement.address(Kind.PROCESS, others[0]) == base + 8192  # which has lost it, and is the next
    lists = [[number] for number in range(3)]
    assert [placement.address(Kind.FILES, each) - Kind.FILES.base for each in lists] == [
        0, 1 << 24, 1 << 24]  # all are in use: the last one that was looked at
    assert placement.held(Kind.LWP, 0) is None
    assert placement.unique((1, 2)) is placement.unique((1, 2))
    assert placement.unique(1) is not placement.unique(True)


def test_texts_have_one_address_each() -> None:
    placement = Placement()
    region = placement.text_region

    def text(address: int) -> bytes:
        start = address - TEXT_BASE
        return region.read(start, TEXT_SIZE - start).split(b"\0")[0]
    assert placement.text(b"") == placement.text(b"\0x") == TEXT_BASE and text(TEXT_BASE) == b""
    one, two = placement.text(b"one"), placement.text(b"two\0three")
    assert (one, two) == (TEXT_BASE + 1, TEXT_BASE + 5) and (text(one), text(two)) == (b"one", b"two")
    assert placement.text(b"one") == one and placement.text(b"two") == two
    rest = TEXT_SIZE - 9
    assert placement.text(b"x" * (rest - 1)) == TEXT_BASE + 9
    assert placement.text(b"y") == TEXT_BASE + 1 and text(TEXT_BASE + 1) == b"y"  # all begins anew
    assert placement.text(b"one") == TEXT_BASE + 3
    assert Placement().text(b"x" * (TEXT_SIZE - 1)) == TEXT_BASE + 1


def test_bytes_of_a_structure() -> None:
    """Any part of it: numbers in their widths, texts cut or filled, zeroes between members."""
    layout = Layout(24, (Placed(0, 4, "int"), Placed(6, 2, "short"), Placed(8, 8, "long"),
                         Placed(18, 5, "text")))
    members: dict[str, int | bytes] = {"int": -2, "short": 0x12345, "long": 1 << 63, "text": b"texts are cut"}
    whole = b"\xfe\xff\xff\xff\0\0\x45\x23" + bytes(7) + b"\x80\0\0texts\0"
    for start in range(24):
        for size in range(25 - start):
            assert render(layout, start, size, members.__getitem__) == whole[start:start + size]
    members["text"] = b"a"
    assert render(layout, 16, 8, members.__getitem__) == b"\0\0a\0\0\0\0\0"


# -- the kernel's objects as scripts see them ----------------------------------------------------------

def test_objects_and_variables_in_kernel_memory() -> None:
    kmem = KernelMemory()
    kernel: Any = SimpleNamespace(kmem=kmem, value=7)
    layouts = {"proc_t": Layout(16, (Placed(0, 4, "number"), Placed(8, 8, "other"))),
               "uf_entry_t": Layout(12, (Placed(4, 8, "file"),))}
    members = {"proc_t": {"number": lambda objects, held: held[0]},
               "uf_entry_t": {"file": lambda objects, held: held}}
    rows = Rows(members, {Kind.FILES: (len, lambda held, at: held[at])}, {Kind.PACKET: bytes},
                {"two": lambda objects, system: system.value, "text": lambda objects, system: b"words"},
                {"object": lambda objects: objects.address(Kind.PROCESS, first)})
    objects, first, files, packet = Objects(kernel, lambda: rows), (5,), [17, 18, 19], b"bytes"
    assert objects.symbol("two") is objects.symbol_at(0x9000) is None
    objects.show(layouts.__getitem__, [
        Variable("one", 0x9000, 8, "long"), Variable("two", 0x9008, 4, "int"),
        Variable("text", 0x9010, 6, "char [6]"), Variable("object", None, 16, "proc_t")])
    place = objects.address(Kind.PROCESS, first)
    assert kmem.load(place, 20) == b"\5" + bytes(19)  # behind it there is nothing but zeroes
    with pytest.raises(MemoryFault) as fault:
        kmem.load(place + 4096, 4)  # where no object is
    assert fault.value.address == place + 4096
    place = objects.address(Kind.FILES, files)
    whole = b"".join(bytes(4) + bytes((value,)) + bytes(7) for value in files)
    for start in range(36):
        for size in range(1, 37 - start):
            assert kmem.load(place + start, size) == whole[start:start + size]
    for start, size, bad in ((36, 1, 36), (30, 7, 36), (12 * 50, 4, 12 * 50)):
        with pytest.raises(MemoryFault) as fault:
            kmem.load(place + start, size)
        assert fault.value.address == place + bad
    place = objects.address(Kind.PACKET, packet)
    assert (kmem.load(place + 1, 3), kmem.load(place, 8)) == (b"yte", b"bytes\0\0\0")
    with pytest.raises(MemoryFault) as fault:
        kmem.load(place + 5, 1)
    assert fault.value.address == place + 5
    assert kmem.load(0x9000, 22) == bytes(8) + b"\7\0\0\0" + bytes(4) + b"words\0"
    with pytest.raises(MemoryFault) as fault:
        kmem.load(0x9010, 8)
    assert fault.value.address == 0x9016
    for address in (0x9000, place):
        region = kmem.find(address)
        assert region is not None and not region.device
        with pytest.raises(MemoryFault):
            kmem.store(address, b"x")
    names = {address: found.name for address in range(0x8FFF, 0x9018)
             if (found := objects.symbol_at(address)) is not None}
    assert names == {**dict.fromkeys(range(0x9000, 0x9008), "one"),
                     **dict.fromkeys(range(0x9008, 0x900C), "two"),
                     **dict.fromkeys(range(0x9010, 0x9016), "text")}
    symbol = objects.symbol("object")
    assert symbol is not None and symbol.address == objects.address(Kind.PROCESS, first) and symbol.size == 16
    assert (objects.offset("proc_t", "other"), objects.offset("uf_entry_t", "file")) == (8, 4)
    with pytest.raises(LookupError):
        objects.offset("proc_t", "none")
    text = objects.text(b"some")
    assert kmem.load(text, 5) == b"some\0"
