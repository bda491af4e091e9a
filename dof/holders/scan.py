"""DOF in bytes of any kind: every place with the magic number at which a whole object follows.

The four bytes of the magic number also stand in programs that read or write DOF.  So what follows must be
DOF in every respect: a header of the right size, a section table that holds together, and contents that make
a program.  Other places are passed over without a word.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from dof import format as dof
from dof import reader
from dof.container import parse
from dof.format import DofError

_MOST_PLACES = 1 << 16  # with the magic number
_MOST_BYTES = 64 << 20  # that what follows false places says it takes


def objects(data: bytes, start: int) -> Iterator[tuple[int, bytes]]:
    """Each DOF object from `start` on: its offset, its bytes.

    Raises DofError when more places look like DOF than files have that are not made for it.
    """
    places, room = 0, _MOST_BYTES
    while (at := data.find(dof.MAGIC, start)) >= 0:
        places += 1
        size = _size(data, at)
        found = data[at:at + size]
        if size and _is_dof(found):
            yield at, found
            start = at + size
            continue
        room -= size
        start = at + 1
        if places > _MOST_PLACES or room < 0:
            raise DofError(f"offset {at:#x}", "too many places begin as DOF does, and are none")


def _size(data: bytes, at: int) -> int:
    """Return how many bytes the object there takes; 0 if its header is none.

    A core file may have no more than what a kernel loads.
    """
    least = dof.size_of(dof.Header)
    if len(data) - at < least or data[at + 5] not in dof.ENCODINGS:
        return 0
    header = dof.unpack(dof.Header, data, at, dof.ENCODINGS[data[at + 5]])
    size = max(header.load_size, header.file_size)
    makes_sense = header.header_size == least < header.load_size < dof.MAX_LOAD_SIZE \
        and header.section_count and not header.pad and at + size <= len(data)
    return size if makes_sense else 0


def _is_dof(data: bytes) -> bool:
    try:
        parse(data)
        program = reader.read(data)
    except (DofError, struct.error):
        return False
    return bool(program.ecbs or program.providers or program.options or program.translators or program.difos)
