"""Stacks of x86 programs by plans: a frame goes by its stack pointer, its frame pointer, or keeps its own."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.cpu.callframes import Common, Row
from runtime.kernel.cpu.x86 import plannedframes
from runtime.kernel.cpu.x86.plannedframes import PlannedFrames
from runtime.kernel.memory.physical import PAGE

CODE, END, BASE, SIZE = 0x400000, 0x500000, 0x10000, 4 * PAGE
WIDTHS = pytest.mark.parametrize("bits", [64, 32])


class Space:
    """Code, and a stack whose pages lie in memory in another order; a read brings in those in `out`."""

    def __init__(self, bits: int) -> None:
        self.word = bits // 8
        self.bytes = bytearray(SIZE)
        self.memory = self
        self.out: set[int] = set()

    def find(self, address: int) -> Any:
        return SimpleNamespace(prot=5) if CODE <= address < END else SimpleNamespace(prot=6) \
            if BASE <= address < BASE + SIZE else None

    def place(self, address: int, size: int) -> int | None:
        assert address % PAGE == 0 and size == PAGE
        if not BASE <= address < BASE + SIZE or address in self.out:
            return None
        return SIZE - PAGE - (address - BASE)

    def at(self, address: int) -> int:
        if not BASE <= address < BASE + SIZE:
            raise MemoryFault(address)
        return SIZE - PAGE - (address - BASE & -PAGE) + address % PAGE

    def read(self, address: int, size: int) -> bytes:
        self.out.discard(address & -PAGE)
        return bytes(self.bytes[self.at(address + at)] for at in range(size))

    def store(self, address: int, value: int) -> None:
        for at, byte in enumerate(value.to_bytes(self.word, "little")):
            self.bytes[self.at(address + at)] = byte


class Frames(PlannedFrames):
    """Rows by the function, one in 256 bytes of code, instead of those of a file."""

    def __init__(self, space: Space, bits: int) -> None:
        super().__init__(space, bits)  # type: ignore[arg-type]
        self.by_function: dict[int, Row | None] = {}
        self.asked = 0

    def row(self, pc: int) -> tuple[Row, Common] | None:
        self.asked += 1
        found = self.by_function.get(pc & -256)
        back = 16 if self._bits == 64 else 8
        return None if found is None else (found, Common(1, -self._bits // 8, back, 0, False, False, (0, 0)))


def laid(bits: int, seed: int, depth: int) -> tuple[Space, Frames, int, int, list[int]]:
    """A stack with frames of all kinds; its stack pointer and its frame pointer, and its callers."""
    draw, space = random.Random(seed), Space(bits)
    frames, word = Frames(space, bits), bits // 8
    stack, pointer = (7, 6) if bits == 64 else (4, 5)
    back = 16 if bits == 64 else 8
    counters = [CODE + 256 * number + 16 for number in draw.sample(range(1, 4000), depth)]
    top = BASE + SIZE - 512
    own = 0  # the frame pointer that the outermost has
    # from the outermost to the innermost: where the caller's frame begins, and its frame pointer
    frames.by_function[counters[-1] & -256] = Row((stack, 8), None, {back: ("undefined", 0, b"")})
    for counter, caller in zip(reversed(counters[:-1]), reversed(counters[1:]), strict=True):
        kind = draw.choice("sssfffk")
        saves, room = draw.random() < .5 or kind != "s", word * draw.randrange(2, 70)
        cfa = top
        rules: dict[int, tuple[str, int, bytes]] = {back: ("offset", -word, b"")}
        if kind == "k":  # the stack has been aligned, and the return address copied
            cfa, base = top, (top - 8 * word) & -64
            space.store(top - word, caller)
            space.store(base, own)
            space.store(base - word, cfa)
            rules[pointer] = ("expression", 0, bytes((0x70 + pointer, 0)))
            row = Row(None, bytes((0x70 + pointer, -word & 0x7F, 6)), rules)
            own, top = base, base - word - room
        else:
            space.store(cfa - word, caller)
            if saves:
                space.store(cfa - 2 * word, own)
                rules[pointer] = ("offset", -2 * word, b"")
            row = Row((pointer, 2 * word) if kind == "f" else (stack, room), None, rules)
            own = cfa - 2 * word if kind == "f" else draw.getrandbits(bits) if saves else own
            top = cfa - room - (word * draw.randrange(9) if kind == "f" else 0)
        frames.by_function[counter & -256] = row
    return space, frames, top, own, counters


@WIDTHS
def test_every_caller_is_found(bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(60):
        space, frames, stack, pointer, counters = laid(bits, seed, 3 + seed % 15)
        space.out = {BASE + seed % 4 * PAGE}
        for limit in (100, 100, 100, 2, 1, len(counters), len(counters) - 1, 0):
            found = frames.stack(counters[0], stack, pointer, limit)
            if found is None and space.out == set():  # a page had to be brought in first
                found = frames.stack(counters[0], stack, pointer, limit)
            assert found is not None and list(found) == counters[:limit]
        asked = frames.asked
        assert list(frames.stack(counters[0], stack, pointer, 100) or ()) == counters
        assert frames.asked == asked  # all is remembered
        monkeypatch.setattr(plannedframes, "MOST_REMEMBERED", 5)
        for _ in range(4):
            for limit in (100, 7, 3):
                assert list(frames.stack(counters[0], stack, pointer, limit) or ()) == counters[:limit]
        monkeypatch.undo()


def one(bits: int, row: Row | None) -> tuple[Space, Frames, int]:
    """A function with this row, called by one that has no caller: by every word of the stack."""
    space = Space(bits)
    frames = Frames(space, bits)
    for address in range(BASE, BASE + SIZE, bits // 8):
        space.store(address, CODE + 0x1010)
    frames.by_function[CODE] = row
    back = 16 if bits == 64 else 8
    frames.by_function[CODE + 0x1000] = Row((7, 8), None, {back: ("undefined", 0, b"")})
    return space, frames, BASE + PAGE


@WIDTHS
def test_what_plans_do_not_tell(bits: int) -> None:
    word, stack, pointer, back = (8, 7, 6, 16) if bits == 64 else (4, 4, 5, 8)
    rule = {back: ("offset", -word, b"")}
    kept = ("expression", 0, bytes((0x70 + pointer, 0)))
    loads = bytes((0x70 + pointer, -word & 0x7F, 6))
    told = [Row((stack, 8), None, rule), Row((pointer, 8), None, rule),
            Row(None, loads, {**rule, pointer: kept})]
    others = [
        None, Row((stack, 8), None, {}), Row((3, 8), None, rule), Row(None, None, rule),
        Row((stack, 8), loads, rule), Row((stack, 8), None, {back: ("register", 1, b"")}),
        Row((stack, 8), None, {**rule, pointer: ("register", 1, b"")}),
        Row((stack, 8), None, {**rule, stack: ("offset", 0, b"")}), Row(None, loads, rule),
        Row(None, loads, {**rule, pointer: ("expression", 8, bytes((0x70 + pointer, 0)))}),
        Row(None, loads + b"\x06", {**rule, pointer: kept}),
        Row(None, bytes((0x70 + pointer, 8, 6)), {**rule, pointer: kept}),
        Row(None, loads, {pointer: kept}), Row(None, loads, {back: ("value", 0, b""), pointer: kept})]
    for row in told + others:
        space, frames, top = one(bits, row)
        for at in range(BASE, BASE + SIZE, 64):
            space.store(at + 64 - word, BASE + 2 * PAGE + 32)  # what a frame keeps
        found = frames.stack(CODE + 16, top, top, 10)
        assert (found == (CODE + 16, CODE + 0x1010)) is (row in told), row
        assert (found is None) is (row in others)


@WIDTHS
def test_where_a_stack_ends(bits: int) -> None:
    word, back = (8, 16) if bits == 64 else (4, 8)
    size = 16 * word
    stack = 7 if bits == 64 else 4
    row = Row((stack, size), None, {back: ("offset", -word, b"")})
    space, frames, top = one(bits, row)
    pc, caller = CODE + 16, CODE + 0x1010
    assert frames.stack(pc, top, 0, 10) == (pc, caller)
    assert frames.stack(0x1234, top, 0, 10) == (0x1234, caller)  # a function that is none has been called
    pointer = 6 if bits == 64 else 5
    frames.by_function[CODE + 0x5000] = Row((pointer, size), None, row.registers)
    space.store(top + PAGE, CODE + 0x5010)  # by one that goes by the frame pointer, which is still its own
    space.store(top + 2 * PAGE + size - word, caller)
    assert frames.stack(0x1234, top + PAGE, top + 2 * PAGE, 10) == (0x1234, CODE + 0x5010, caller)
    assert frames.stack(0, top, 0, 10) == frames.stack(pc, top, 0, 0) == ()
    last = BASE + SIZE - size
    assert frames.stack(pc, last, 0, 10) == (pc, caller)
    assert frames.stack(pc, last + word, 0, 10) == (pc,)  # the stack ends before the return address
    assert frames.stack(pc, BASE + PAGE - size, 0, 10) == (pc, caller)
    for at in range(1, word):  # a word in two pages
        assert frames.stack(pc, BASE + PAGE - size + at, 0, 10) is None
    space.out = {BASE}
    assert frames.stack(pc, BASE, 0, 10) is None and space.out == set()
    space.store(top + size - word, CODE + 0x2010)  # which is code of nothing
    assert frames.stack(pc, top, 0, 10) is None
    space.store(top + size - word, 0x1234)
    assert frames.stack(pc, top, 0, 10) == (pc,)
    space.store(top + size - word, 0)
    assert frames.stack(pc, top, 0, 10) == (pc,)
    for place, offset in ((0x3000, word), (0x4000, 0)):
        frames.by_function[CODE + place] = Row((stack, offset), None, row.registers)
    space.store(top, CODE + 0x4010)
    assert frames.stack(CODE + 0x3010, top, 0, 10) == (CODE + 0x3010, CODE + 0x4010)  # its own caller
