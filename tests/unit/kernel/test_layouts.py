"""What stat(2) and its kin write, member by member, and as the host's kernel writes it."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from pathlib import Path

import pytest

from runtime.kernel.base.clock import SECOND
from runtime.kernel.syscalls import layouts
from runtime.kernel.vfs.vnode import Attributes

LARGE = Attributes(0o107751, 70001, 70002, 70003, (1 << 31) - 1, (1 << 33) + 5, os.makedev(0x123, 0x45678),
                   os.makedev(8, 0x109), 4096, (1 << 33) + 6, 11 * SECOND + 12, 13 * SECOND + 14,
                   15 * SECOND + 16, 17 * SECOND + 18)


@pytest.mark.parametrize(("major", "minor", "encoded"), [
    (1, 3, 0x103), (8, 255, 0x8FF), (8, 256, 0x100800), (8, 0x1FF, 0x1008FF), (0xFFF, 0xFFFFF, 0xFFFFFFFF),
    (0, 5, 5), (0x123, 0x45678, 0x45612378)])
def test_numbers_of_devices(major: int, minor: int, encoded: int) -> None:
    assert layouts.encode_device(os.makedev(major, minor)) == encoded


def test_members_of_64_bits() -> None:
    rest = 0x100809, (1 << 31) - 1, 4096, (1 << 33) + 6, 11, 12, 13, 14, 15, 16
    assert struct.unpack("<QQQIII4xQqqq6q24x", layouts.stat_x86_64(LARGE)) == (
        0x45612378, (1 << 33) + 5, 70003, 0o107751, 70001, 70002, *rest)
    assert struct.unpack("<QQIIIIQ8xqi4xq6q8x", layouts.stat_arm64(LARGE)) == (
        0x45612378, (1 << 33) + 5, 0o107751, 70003, 70001, 70002, *rest)
    assert len(layouts.stat_x86_64(LARGE)) == 144 and len(layouts.stat_arm64(LARGE)) == 128


def test_members_of_32_bits() -> None:
    times = 11, 12, 13, 14, 15, 16
    old = layouts.stat_i386(LARGE)
    assert len(old) == 64 and struct.unpack("<II4HIIII6I8x", old) == (
        0x45612378, 5, 0o107751, 0xFFFF, 0xFFFE, 0xFFFE, 0x100809, (1 << 31) - 1, 4096, 6, *times)
    new = layouts.stat64_i386(LARGE)
    assert len(new) == 96 and struct.unpack("<Q4x5IQ4xqIQ6IQ", new) == (
        0x45612378, 5, 0o107751, 70003, 70001, 70002, 0x100809, (1 << 31) - 1, 4096, (1 << 33) + 6, *times,
        (1 << 33) + 5)
    larger = Attributes(0o100644, size=1 << 31)
    with pytest.raises(OSError) as caught:
        layouts.stat_i386(larger)
    assert caught.value.errno == errno.EOVERFLOW
    assert layouts.stat64_i386(larger)[44:52] == (1 << 31).to_bytes(8, "little")


def test_members_of_statx() -> None:
    told = layouts.statx(LARGE)
    assert len(told) == 256 and struct.unpack("<IIQIIIH2xQQQQ", told[:64]) == (
        0xFFF, 4096, 0, 70003, 70001, 70002, 0o107751, (1 << 33) + 5, (1 << 31) - 1, (1 << 33) + 6, 0)
    assert struct.unpack("<qI4xqI4xqI4xqI4x4I", told[64:144]) == (
        11, 12, 17, 18, 15, 16, 13, 14, 8, 0x109, 0x123, 0x45678)
    assert told[144:] == bytes(112)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the structure is that of x86-64")
def test_as_the_host_writes_it(tmp_path: Path) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "stat"):
        pytest.skip("a C library without stat: struct stat as the host's kernel writes it")
    (tmp_path / "f").write_bytes(b"x" * 5000)
    for path in ("/dev/null", str(tmp_path), str(tmp_path / "f"), "/"):
        buffer = ctypes.create_string_buffer(144)
        assert libc.stat(path.encode(), buffer) == 0
        assert layouts.stat_x86_64(Attributes.of_host(os.stat(path))) == buffer.raw


def test_flags_of_other_processors() -> None:
    """O_DIRECT, O_LARGEFILE, O_DIRECTORY and O_NOFOLLOW of x86, and where AArch64 has them."""
    moved = {0o40000: 0o200000, 0o100000: 0o400000, 0o200000: 0o40000, 0o400000: 0o100000}
    for flag in (1 << bit for bit in range(22)):
        assert layouts.swap_open_flags(flag) == moved.get(flag, flag)
    assert layouts.swap_open_flags(sum(moved) | os.O_CREAT) == sum(moved) | os.O_CREAT
