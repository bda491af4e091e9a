"""Where formats have their numbers: what `mutation.fields` changes.

Each function takes the bytes of a file and returns (offset, bytes, byte order) of its fields, as far as the
file makes sense.  Numbers that steer a reader (headers, tables) are named one by one; contents are words.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from tests.fuzz.mutation import Field

WORDS = 400  # of one section's contents


def _fixed(at: int, widths: str, order: str) -> Iterator[Field]:
    """Fields one after the other; each digit of `widths` is the bytes of one."""
    for width in widths:
        yield at, int(width), order
        at += int(width)


def dof(data: bytes) -> list[Field]:
    """DOF: header (dof_hdr), section headers (dof_sec), and what the sections hold."""
    found = list(_fixed(0, "1111111111", "little")) + list(_fixed(20, "4448888", "little"))
    if len(data) < 64:
        return found
    _flags, _header, _entry, count, table = struct.unpack_from("<4IQ", data, 16)
    bodies: list[Field] = []
    for at in range(table, min(table + min(count, 200) * 32, len(data) - 31), 32):
        found += _fixed(at, "444488", "little")
        _kind, align, _flags, _entry, offset, size = struct.unpack_from("<4I2Q", data, at)
        width = 4 if align >= 4 else 1
        bodies += [(place, width, "little")
                   for place in range(offset, min(offset + size, offset + 4 * WORDS, len(data)), width)]
    return found + bodies


def elf(data: bytes) -> list[Field]:
    """ELF: header, program and section headers, and what the sections hold; either class and byte order."""
    if len(data) < 64 or data[:4] != b"\x7fELF":
        return [(at, 1, "little") for at in range(min(len(data), 64))]
    wide, order = data[4] == 2, "little" if data[5] == 1 else "big"
    mark = "<" if order == "little" else ">"
    heads = list(_fixed(4, "111", order))
    heads += _fixed(16, "2248884222222" if wide else "2244444222222", order)
    if wide:
        phoff, shoff = struct.unpack_from(mark + "QQ", data, 32)
        phentsize, phnum, shentsize, shnum = struct.unpack_from(mark + "HHHH", data, 54)
    else:
        phoff, shoff = struct.unpack_from(mark + "II", data, 28)
        phentsize, phnum, shentsize, shnum = struct.unpack_from(mark + "HHHH", data, 42)
    for index in range(min(phnum, 20)):
        heads += _fixed(phoff + index * phentsize, "44888888" if wide else "44444444", order)
    bodies: list[Field] = []
    for index in range(min(shnum, 100)):
        at = shoff + index * shentsize
        if at + (64 if wide else 40) > len(data):
            break
        heads += _fixed(at, "4488884488" if wide else "4444444444", order)
        offset, size = struct.unpack_from(mark + ("QQ" if wide else "II"), data, at + (24 if wide else 16))
        entry, = struct.unpack_from(mark + ("Q" if wide else "I"), data, at + (56 if wide else 36))
        width = 4 if entry else 1
        bodies += [(place, width, order)
                   for place in range(offset, min(offset + size, offset + width * WORDS, len(data)), width)]
    return heads + bodies
