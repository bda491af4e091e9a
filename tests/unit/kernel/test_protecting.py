"""Code that protects pages without searching the TLB marks the entries that the engine's function marks."""

from __future__ import annotations

import ctypes
import mmap
import os
import random
import shutil
import struct
from pathlib import Path

import pytest

from runtime.kernel.cpu.emulator import load_library
from runtime.kernel.cpu.x86 import protecting
from runtime.kernel.cpu.x86.patches import function

PAGE, ENTRY, MODES, PUSHED = 4096, 64, 3, 8
AWAY = 0x2B8  # from entries that one table pushed out to the next table's
FLAGS = 0, 0, 0, 0x40, 0x200, 0x400, 0x800, 0x10  # of an entry's address for writes
ROOM = 1 << 16
Tlb = tuple[list[bytes], list[bytes]]

pytestmark = pytest.mark.skipif(os.uname().machine != "x86_64", reason="machine code of x86-64")


def entry(page: int, flags: int) -> bytes:
    return struct.pack("<QQ", page, page | flags).ljust(ENTRY, b"\x5a")


def made(chance: random.Random, page: int) -> Tlb:
    """Tables of several sizes, with entries of the page and its neighbours, and entries pushed out."""
    tables, pushed = [], []
    for _mode in range(MODES):
        size = 1 << chance.randint(4, 9)
        table = [entry(chance.getrandbits(30) // size * size * PAGE + at * PAGE, chance.choice(FLAGS))
                 for at in range(size)]
        for near in range(-2, 4):
            if chance.random() < 0.6:
                table[page // PAGE + near & size - 1] = entry(page + near * PAGE, chance.choice(FLAGS))
        tables.append(b"".join(table))
        pushed.append(b"".join(entry(page + chance.randint(-3, 3) * PAGE, chance.choice(FLAGS))
                               for _at in range(PUSHED)))
    return tables, pushed


def after(address: int, distances: list[int], tlb: Tlb, page: int, length: int) -> Tlb:
    """What a function leaves of tables and entries that were pushed out."""
    owner, away = distances
    room = ctypes.create_string_buffer(ROOM)
    processor, registers = ctypes.addressof(room), ctypes.addressof(room) + ROOM // 2
    ctypes.c_uint64.from_address(processor + owner).value = registers
    tables = [ctypes.create_string_buffer(table, len(table)) for table in tlb[0]]
    places = [registers + away - 8 + AWAY * at for at in range(MODES)]  # what is marked is the second word
    for at, (table, place, entries) in enumerate(zip(tables, places, tlb[1], strict=True)):
        mask = struct.pack("<QQ", len(table) - ENTRY, ctypes.addressof(table))
        ctypes.memmove(registers - 0x40 + 16 * at, mask, 16)
        ctypes.memmove(place, entries, len(entries))
    protect = ctypes.CFUNCTYPE(None, *[ctypes.c_uint64] * 3)(address)
    protect(processor, page, length)
    return [table.raw for table in tables], [ctypes.string_at(place, PUSHED * ENTRY) for place in places]


def test_the_same_entries_are_marked(tmp_path: Path) -> None:
    shutil.copy(load_library()._name, tmp_path / "engine.so")
    original = function(ctypes.CDLL(str(tmp_path / "engine.so")), protecting.NAME)  # not overwritten yet
    found = protecting.replacement(ctypes.string_at(original, protecting.LOOKED_AT))
    assert found is not None
    code, distances = found
    place = mmap.mmap(-1, PAGE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    place.write(code)
    ours = ctypes.addressof(ctypes.c_char.from_buffer(place))
    chance, changed = random.Random(4), 0
    for _round in range(60):
        page = (1 << 34 | chance.getrandbits(20)) * PAGE
        tlb, length = made(chance, page), chance.choice((1, 100, PAGE, PAGE + 1, PAGE + 700))
        expected = after(original, distances, tlb, page, length)
        assert after(ours, distances, tlb, page, length) == expected
        changed += expected[0] != tlb[0]
    assert changed > 30
