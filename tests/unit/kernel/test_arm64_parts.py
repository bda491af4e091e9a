"""Parts of AArch64 by themselves: identification registers, and the object in every program."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.cpu.arm64 import identification, vdso
from runtime.kernel.cpu.arm64.registers import PC, Registers

FEATURES = {  # register (op1, CRn, CRm, op2): what it says
    (0, 0, 4, 0): 0x110011, (0, 0, 6, 0): 0x0021111110212120, (0, 0, 6, 1): 0x1101201012,
    (0, 0, 0, 0): 0x410FD0F0, (0, 0, 0, 5): 0x80000000, (3, 14, 0, 0): 10**9, (3, 14, 0, 2): 777,
    (3, 14, 0, 6): 777}


def reading(word: int | None) -> tuple[bool, int | None, int]:
    """Whether the kernel reads a register for a program, what X7 is then, and how far it has come."""
    regs, charged = Registers(), list[int]()
    regs[PC] = 0x4000
    regs[7] = 5

    def read(address: int, size: int) -> bytes:
        if word is None:
            raise MemoryFault(address)
        return word.to_bytes(size, "little")
    thread: Any = SimpleNamespace(regs=regs, read_text=read, charge=charged.append,
                                  kernel=SimpleNamespace(hrtime=lambda: 777))
    known = identification.read(thread)
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
    assert reading(0xD5100000) == reading(None) == reading(0) == (False, 5, 0)


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
