"""The section headers of a program's file, as unwinders need them (<elf.h>)."""

from __future__ import annotations

import struct
from collections.abc import Callable

from dif.records import NamedTuple

ReadFile = Callable[[int, int], bytes]  # offset in the file, size
# by the file's bits: the offset of the headers, their number, and that of the one with the names; and of one
# header name, flags, address, offset and size
FILES = {32: "32xI12xHH", 64: "40xQ12xHH"}
HEADERS = {32: "I4xIIII16x", 64: "I4xQQQQ24x"}


class Header(NamedTuple):
    """One section: `name` is an offset in the section of names, `offset` one in the file; sizes in bytes."""

    name: int
    flags: int
    address: int
    offset: int
    size: int


def section_headers(read: ReadFile, bits: int, order: str) -> tuple[list[Header], int]:
    """Return the headers, and the number of the one whose section has their names.

    `order` is the file's byte order, as struct has it.  Raises struct.error where the file is cut off.
    """
    file, header = (struct.Struct(order + layout[bits]) for layout in (FILES, HEADERS))
    offset, count, names = file.unpack(read(0, file.size))
    if not offset:
        return [], names
    data = read(offset, count * header.size)
    if len(data) < count * header.size:
        raise struct.error("the section headers are cut off")
    return [Header(*fields) for fields in header.iter_unpack(data)], names
