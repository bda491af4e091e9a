"""An address space against a model of it, page by page: mappings, rights, contents, copies."""

from __future__ import annotations

import errno
import random
from dataclasses import dataclass, replace
from typing import Any

import pytest

from runtime.kernel.base.errors import MemoryFault, SyscallError
from runtime.kernel.memory.addrspace import LOCKED, AddressSpace, Area
from runtime.kernel.memory.physical import PAGE, FilePages, PhysicalMemory, SharedPages

WINDOW, BASE = 40, (1 << 30) - 20 * PAGE  # pages, which lie in two page tables
TOP = BASE + WINDOW * PAGE
READ, WRITE, EXEC = 1, 2, 4
ACTIONS = ("map", "map", "unmap", "protect", "protect", "write", "write", "write", "discard", "fork")


class Engine:
    """What an address space needs of an engine."""

    def __init__(self, memory: PhysicalMemory) -> None:
        self.memory = memory
        self.root = self.loaded_root = memory.allocate() << 12
        self.kernel_entry = 0
        self.tlb_size = 1 << 30
        self.flushes = 0

    def load_root(self, root: int) -> None:
        self.loaded_root = root

    def flush_tlb(self) -> None:
        self.flushes += 1

    def flush_code(self) -> None:
        """It runs none."""

    def forget_code(self, address: int, size: int) -> None:
        """It runs none."""


class File:
    """A file in memory; each page of it has its number in its bytes."""

    pages: FilePages | None = None

    def __init__(self, letter: bytes, count: int) -> None:
        self.path = letter.decode()
        self.data = bytearray(b"".join((letter + b"%04d" % at).ljust(PAGE, b".") for at in range(count)))
        self.size = len(self.data)

    def pread(self, offset: int, size: int) -> bytes:
        return bytes(self.data[offset:offset + size])

    def write_back(self, offset: int, data: bytes) -> None:
        self.data[offset:offset + len(data)] = data

    def reserve(self, offset: int, end: int) -> None:
        """There is room for everything."""

    def mapped(self) -> None:
        """Nothing is remembered of it."""


@dataclass
class Page:
    """A page of the model: `own` are the bytes of a private one, once it has been written to."""

    prot: int
    shared: bool
    pages: SharedPages | None
    index: int
    path: bytes
    flags: tuple[bool, bool]
    own: bytes | None = None


class Model:
    """Pages by number, and what shared pages and files have in them."""

    def __init__(self, contents: dict[tuple[int, int], bytes]) -> None:
        self.pages: dict[int, Page] = {}
        self.contents = contents

    def areas(self) -> list[tuple[Any, ...]]:
        found: list[list[Any]] = []
        for number, page in sorted(self.pages.items()):
            kind = (page.prot, page.shared, id(page.pages) if page.pages else None, page.path, page.flags)
            start = BASE + number * PAGE
            if found and found[-1][1] == start and found[-1][2] == kind and (
                    page.pages is None or found[-1][3] + (start - found[-1][0]) // PAGE == page.index):
                found[-1][1] += PAGE
            else:
                found.append([start, start + PAGE, kind, page.index if page.pages else 0])
        return [tuple(each) for each in found]

    def content(self, page: Page) -> bytes | None:
        """The first bytes of a page; None beyond the end of a file."""
        if page.own is not None:
            return page.own
        if page.pages is None:
            return bytes(6)
        if (id(page.pages), page.index) in self.contents:
            return self.contents[id(page.pages), page.index]
        return None if isinstance(page.pages, FilePages) else bytes(6)

    def copy(self) -> Model:
        made = Model(self.contents)
        made.pages = {number: replace(page) for number, page in self.pages.items()}
        return made


def shown(area: Area) -> tuple[Any, ...]:
    kind = (area.prot, area.shared, id(area.pages) if area.pages else None, area.path,
            (area.growsdown, area.read_only))
    return area.start, area.end, kind, area.offset if area.pages else 0


def compare(space: AddressSpace, model: Model, draw: random.Random) -> None:
    assert [shown(area) for area in space.areas] == model.areas()
    assert space.size == len(model.pages) * PAGE
    first, last = sorted((draw.randrange(WINDOW + 1), draw.randrange(WINDOW + 1)))
    start, end = BASE + first * PAGE + draw.choice((0, 5)) * (first < last), BASE + last * PAGE
    assert space.mapped(start, end) == sum(
        max(min(end, BASE + (at + 1) * PAGE) - max(start, BASE + at * PAGE), 0) for at in model.pages)
    for number in draw.sample(range(WINDOW), 12):
        page, address = model.pages.get(number), BASE + number * PAGE
        found = space.find(address + draw.randrange(PAGE))
        assert (found is None) is (page is None)
        content = model.content(page) if page is not None and page.prot else None
        if content is None:
            with pytest.raises(MemoryFault) as fault:
                space.read(address, 6)
            assert fault.value.address == address
            assert space.place(address, 6) is None
        else:
            assert space.read(address, 6) == content
            place = space.place(address, 6)
            assert place is not None and space.memory.bytes[place:place + 6] == content
    size = draw.randrange(1, 6)
    free = max(at for at in range(-size, WINDOW - size + 1)
               if not any(number in model.pages for number in range(at, at + size)))
    assert space.free_range(size * PAGE) == BASE + free * PAGE


def test_any_mappings() -> None:
    draw = random.Random(11)
    memory = PhysicalMemory(8 << 20)
    engine = Engine(memory)
    files = [FilePages.of(memory, File(letter, 12)) for letter in (b"a", b"b")]
    anonymous = [SharedPages(memory) for _ in range(2)]
    contents = {(id(pages), at): letter + b"%04d." % at
                for pages, letter in zip(files, (b"a", b"b"), strict=True) for at in range(12)}
    free = memory.free_frames
    space, model = AddressSpace(engine, 1 << 47), Model(contents)
    space.mmap_top = TOP
    for turn in range(700):
        first = draw.randrange(WINDOW)
        count = min(draw.randrange(1, 9), WINDOW - first)
        start, end = BASE + first * PAGE, BASE + (first + count) * PAGE
        action = draw.choice(ACTIONS)
        if action == "map":
            shared = draw.random() < .4
            pages = draw.choice([*files, *anonymous] if shared else [None, None, *files])
            index = draw.randrange(14) if pages else 0
            prot = draw.choice((READ, READ | WRITE, READ | WRITE, 0) if shared
                               else (READ, READ | WRITE, READ | EXEC, 0))
            path, flags = draw.choice((b"", b"", b"x")), (draw.random() < .1, draw.random() < .1)
            space.map(Area(start, end, prot, shared, pages, index, path, flags[0], False, flags[1]))
            for at in range(count):
                model.pages[first + at] = Page(prot, shared, pages, index + at, path, flags)
        elif action == "unmap":
            space.unmap(start, end)
            for at in range(first, first + count):
                model.pages.pop(at, None)
        elif action == "protect":
            prot, error = draw.choice((READ, READ | WRITE, 0)), 0
            for at in range(first, first + count):
                page = model.pages.get(at)
                if page is None or (page.flags[1] and prot & WRITE):
                    error = errno.EACCES if page else errno.ENOMEM
                    break
                page.prot = prot
            try:
                space.protect(start, end, prot)
            except SyscallError as refused:
                assert refused.errno == error
            else:
                assert not error
        elif action == "write":
            page, data = model.pages.get(first), b"%06d" % turn
            if page is None or not page.prot & WRITE or model.content(page) is None:
                with pytest.raises(MemoryFault):
                    space.write(start, data)
            else:
                space.write(start, data)
                if page.shared:
                    contents[id(page.pages), page.index] = data
                else:
                    page.own = data
        elif action == "discard":
            space.discard(start, end)
            for at in range(first, first + count):
                if at in model.pages:
                    model.pages[at].own = None
        else:
            child, childs = space.fork(), model.copy()
            compare(child, childs, draw)
            if draw.random() < .5:
                space, child, model, childs = child, space, childs, model
            for at, page in childs.pages.items():  # what the one writes the other does not see
                if page.prot & WRITE and not page.shared and childs.content(page) is not None:
                    child.write(BASE + at * PAGE, b"other!")
            assert child.release()
        compare(space, model, draw)
    assert space.release()
    kept = sum(len(pages.frames) for pages in (*files, *anonymous))
    assert memory.free_frames + kept + memory.heap.paid // PAGE - 1 == free  # nothing leaks


def test_locked_bytes_are_those_of_whole_pages_from_the_first_to_the_last() -> None:
    space = AddressSpace(Engine(PhysicalMemory(1 << 20)), 8 * PAGE)
    for start, end in ((0, 3), (5, 8)):
        space.map(Area(start * PAGE, end * PAGE, READ))
    for start, end, value, wanted in ((0, 1, True, [0]), (2, 6, True, [0, 2, 5]), (7, 8, True, [0, 2, 5, 7]),
                                      (0, 2, False, [2, 5, 7]), (3, 7, False, [2, 7])):
        space.mark(start * PAGE, end * PAGE, LOCKED, value)
        assert space.locked == len(wanted) * PAGE and space.size == 6 * PAGE
        assert [at for at in range(8) if space.locked_in(at * PAGE, (at + 1) * PAGE)] == wanted
    assert space.locked_in(2 * PAGE + 7, 8 * PAGE - 9) == 2 * PAGE - 16
    assert space.locked_in(0, 8 * PAGE) == 2 * PAGE
