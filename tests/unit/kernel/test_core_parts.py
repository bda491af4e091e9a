"""What a core file is made of, by <elf.h> and <linux/elfcore.h>, of 64-bit and of 32-bit programs."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.kernel.memory.physical import FilePages
from runtime.kernel.process import coredump

WIDTHS = pytest.mark.parametrize("bits", [64, 32])


@WIDTHS
def test_headers(bits: int) -> None:
    wide = bits == 64
    head = struct.unpack("<16sHHIQQQIHHHHHH" if wide else "<16sHHIIIIIHHHHHH", coredump._header(wide, 62, 3))
    assert head[0] == (b"\x7fELF\2\1\1" if wide else b"\x7fELF\1\1\1").ljust(16, b"\0")
    size, entry = (64, 56) if wide else (52, 32)
    assert head[1:] == (4, 62, 1, 0, size, 0, 0, size, entry, 3, 0, 0, 0)
    segment = coredump._segment(wide, 1, 5, 0x1000, 0x400000, 0x2000, 0x3000, 7, 4096)
    assert len(segment) == entry
    if wide:
        assert struct.unpack("<IIQQQQQQ", segment) == (1, 5, 0x1000, 0x400000, 7, 0x2000, 0x3000, 4096)
    else:
        assert struct.unpack("<8I", segment) == (1, 0x1000, 0x400000, 7, 0x2000, 0x3000, 5, 4096)


@pytest.mark.parametrize(("data", "owner", "note"), [
    (b"", b"CORE", "05000000000000000700000043 4f524500000000"),
    (b"abc", b"CORE", "05000000030000000700000043 4f5245000000006162 6300"),
    (b"abcd", b"LINUX", "06000000040000000700000 04c494e555800000061626364")])
def test_notes(data: bytes, owner: bytes, note: str) -> None:
    assert coredump._note(7, data, owner) == bytes.fromhex(note.replace(" ", ""))


def process(bits: int, **more: Any) -> Any:
    signals = SimpleNamespace(pending=SimpleNamespace(mask=1 << 40 | 2))
    identity = SimpleNamespace(ruid=0x12345, rgid=0x23456)
    return SimpleNamespace(bits=bits, pid=7, ppid=5, pgid=6, sid=4, signals=signals, identity=identity,
                           nice=-3, execname=b"program", psargs=b"program -x " + b"y" * 90, **more)


def thread(bits: int, **more: Any) -> Any:
    return SimpleNamespace(tid=9, process=process(bits), pending=SimpleNamespace(mask=4), mask=1 << 33 | 8,
                           cpu_time=3 * 10**9 + 250_000_999, **more)


@WIDTHS
def test_a_threads_state(bits: int) -> None:
    general: Any = SimpleNamespace(get=lambda each: b"REGISTER" * 2)
    found = coredump._status(thread(bits), 11, general)
    word, mask = ("Q", (1 << 64) - 1) if bits == 64 else ("I", (1 << 32) - 1)
    shape = struct.Struct(f"<3ih2x2{word}4i8{word}16si" + ("4x" if bits == 64 else ""))
    assert shape.unpack(found) == (11, 0, 0, 11, (1 << 40 | 6) & mask, (1 << 33 | 8) & mask, 9, 5, 6, 4,
                                   3, 250_000, 0, 0, 0, 0, 0, 0, b"REGISTER" * 2, 1)


@WIDTHS
def test_a_processs_description(bits: int) -> None:
    found = coredump._description(process(bits))
    shape = struct.Struct("<bcbb4xQII4i16s80s" if bits == 64 else "<bcbbIHH4i16s80s")
    assert shape.size == len(found) == (136 if bits == 64 else 124)
    mask = 0xFFFFFFFF if bits == 64 else 0xFFFF
    assert shape.unpack(found) == (
        0, b"R", 0, -3, 0, 0x12345 & mask, 0x23456 & mask, 7, 5, 6, 4, b"program".ljust(16, b"\0"),
        (b"program -x " + b"y" * 90)[:80])


@WIDTHS
def test_mapped_files(bits: int) -> None:
    areas = [SimpleNamespace(start=at << 12, end=at + 2 << 12, offset=at, path=path) for at, path in (
        (1, b"/bin/program"), (5, b"[heap]"), (9, b"/lib/libc.so"), (20, b""))]
    found = coredump._files(SimpleNamespace(bits=bits, memory=SimpleNamespace(areas=areas)))  # type: ignore[arg-type]
    word = 8 if bits == 64 else 4
    numbers = [int.from_bytes(found[at:at + word], "little") for at in range(0, 8 * word, word)]
    assert numbers == [2, 4096, 0x1000, 0x3000, 1, 0x9000, 0xB000, 9]
    assert found[8 * word:] == b"/bin/program\0/lib/libc.so\0"


def test_whose_notes_come_first() -> None:
    """The thread that got the signal; of registers those whose set has an owner."""
    sets: Any = [SimpleNamespace(note=1, owner=b"CORE", get=lambda each: b"general "),
                 SimpleNamespace(note=2, owner=b"CORE", get=lambda each: b"floating"),
                 SimpleNamespace(note=3, owner=b"", get=lambda each: b"none")]
    one, two = thread(64), thread(64)
    two.tid, two.process = 10, one.process
    one.process.threads, one.process.auxv = [two, one], b"auxv"
    one.process.memory = SimpleNamespace(areas=[])
    info = SimpleNamespace(signal=11, code=1, layout="fault", address=0, value=0)
    data, at, kinds = coredump._notes(one, info, sets), 0, []  # type: ignore[arg-type]
    while at < len(data):
        name, size, kind = struct.unpack_from("<III", data, at)
        body = at + 12 + (name + 3 & -4)
        kinds.append((kind, struct.unpack_from("<i", data, body + 32)[0] if kind == 1 else size))
        at = body + (size + 3 & -4)
    assert kinds == [(1, 9), (3, 136), (0x53494749, 128), (6, 4), (0x46494C45, 16), (2, 8), (1, 10), (2, 8)]


def test_what_is_saved_of_memory() -> None:
    """What differs from its file; of the rest a page where a file begins."""
    pages = object.__new__(FilePages)
    pages.frames = {}
    space: Any = SimpleNamespace(has_own=lambda area: area.own)

    def saved(own: bool, shared: bool, held: object, offset: int) -> int:
        area: Any = SimpleNamespace(start=0x1000, end=0x5000, own=own, shared=shared, pages=held,
                                    offset=offset)
        return coredump._saved(space, area)
    assert saved(True, False, pages, 0) == saved(True, False, None, 0) == 0x4000
    assert saved(False, False, pages, 0) == 4096
    assert saved(False, False, pages, 1) == saved(False, False, None, 0) == 0
    assert saved(False, True, pages, 0) == saved(True, True, pages, 3) == 0
    assert saved(False, True, None, 0) == saved(False, True, object(), 5) == 0x4000
