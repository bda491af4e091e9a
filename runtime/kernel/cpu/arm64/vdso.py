"""The object that the kernel maps into every AArch64 program: linux-vdso.so.1.

Its functions are those of Linux (vdso(7)): they ask the kernel for the machine's time, and one returns from
a signal's handler.  It is an ELF file of one page with what the C libraries look for: a symbol table with a
hash table, and the version LINUX_2.6.39 that they demand (gABI, chapter 5; LSB, "Symbol Versioning").
"""

from __future__ import annotations

import struct
from functools import cache

from dif.elfnumbers import EM_AARCH64, ET_DYN, PF_R, PF_X, PT_LOAD

BASE = 0xFFFFF7FFF000
HEADERS = 64 + 2 * 56
TEXT = HEADERS  # where the code begins
NOTHING = b"\x1f\x20\x03\xd5"  # arm64: nop
LOAD_NUMBER = 0xD2800008  # arm64: mov x8, #0
ENTER = b"\x01\x00\x00\xd4"  # arm64: svc #0
BACK = b"\xc0\x03\x5f\xd6"  # arm64: ret
SIGRETURN = 139
CALLS = {b"__kernel_clock_gettime": 113, b"__kernel_clock_getres": 114, b"__kernel_gettimeofday": 169}
# unwinders look for a call of sigreturn at the program counter, others one instruction before it
SIGNAL_RETURN = TEXT + 4
VERSION, OBJECT = b"LINUX_2.6.39", b"linux-vdso.so.1"
PT_DYNAMIC = 2
DT_HASH, DT_STRTAB, DT_SYMTAB, DT_STRSZ, DT_SYMENT, DT_SONAME = 4, 5, 6, 10, 11, 14
DT_VERSYM, DT_VERDEF, DT_VERDEFNUM = 0x6FFFFFF0, 0x6FFFFFFC, 0x6FFFFFFD
GLOBAL_FUNCTION = 1 << 4 | 2
VERDEF, VERDAUX = struct.Struct("<HHHHIII"), struct.Struct("<II")


def elf_hash(name: bytes) -> int:
    """The hash of a symbol's name, as the gABI has it."""
    value = 0
    for byte in name:
        value = (value << 4) + byte
        high = value & 0xF0000000
        value = (value ^ high >> 24) & ~high
    return value


@cache
def image() -> bytes:
    """Return the file, less than a page."""
    code, symbols, strings = bytearray(), bytearray(24), bytearray(b"\0")

    def name(text: bytes) -> int:
        at = len(strings)
        strings.extend(text + b"\0")
        return at

    def function(text: bytes, number: int, after: bytes = b"") -> None:
        words = (LOAD_NUMBER | number << 5).to_bytes(4, "little") + ENTER + after
        where = 0, 1, TEXT + len(code), len(words)
        symbols.extend(struct.pack("<IBBHQQ", name(text), GLOBAL_FUNCTION, *where))
        code.extend(words)

    code += NOTHING
    names = [b"__kernel_rt_sigreturn", *CALLS]
    function(names[0], SIGRETURN)
    for each, number in CALLS.items():
        function(each, number, BACK)
    object_name, version = name(OBJECT), name(VERSION)
    count = 1 + len(names)
    buckets = struct.pack(f"<{3 + count}I", 1, count, 1, 0, *range(2, count), 0)  # all in one chain
    versions = struct.pack(f"<{count}H", 0, *[2] * len(names))
    definitions = b"".join((
        VERDEF.pack(1, 1, 1, 1, elf_hash(OBJECT), VERDEF.size, VERDEF.size + VERDAUX.size),
        VERDAUX.pack(object_name, 0),
        VERDEF.pack(1, 0, 2, 1, elf_hash(VERSION), VERDEF.size, 0), VERDAUX.pack(version, 0)))
    body, places = bytearray(HEADERS), []
    for part in (code, symbols, strings, buckets, versions, definitions):
        body += bytes(-len(body) % 8)
        places.append(len(body))
        body += part
    body += bytes(-len(body) % 8)
    _code, symbols_at, strings_at, hash_at, versions_at, definitions_at = places
    rows = ((DT_HASH, hash_at), (DT_STRTAB, strings_at), (DT_SYMTAB, symbols_at), (DT_STRSZ, len(strings)),
            (DT_SYMENT, 24), (DT_SONAME, object_name), (DT_VERSYM, versions_at), (DT_VERDEF, definitions_at),
            (DT_VERDEFNUM, 2), (0, 0))
    dynamic, dynamic_at = b"".join(struct.pack("<QQ", *row) for row in rows), len(body)
    body += dynamic
    head = struct.pack("<4sBBB9xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, ET_DYN, EM_AARCH64, 1, 0, 64, 0, 0,
                       64, 56, 2, 64, 0, 0)
    for kind, at, size in ((PT_LOAD, 0, len(body)), (PT_DYNAMIC, dynamic_at, len(dynamic))):
        head += struct.pack("<IIQQQQQQ", kind, PF_R | PF_X, at, at, at, size, size, 4096)
    body[:HEADERS] = head
    return bytes(body)
