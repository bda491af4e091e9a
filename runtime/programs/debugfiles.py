"""Where the symbols and debug information of a stripped file are.

The file's build id leads to its debug file, or the name and checksum in .gnu_debuglink do (GDB manual,
"Debugging Information in Separate Files").  What several debug files share is in another one, which
.gnu_debugaltlink names (DWARF 5, 7.3.6, as dwz writes it).
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator

from dof.elf import ElfError, ElfFile, string_at

FOLDER = "/usr/lib/debug"
LONGEST_ID = 64  # bytes; ordinary build ids have 20
NOTE_HEAD = 16  # bytes before a build id: the note's header and its name, "GNU"
ReadFile = Callable[[str], bytes | None]


def separate(elf: ElfFile, path: str, read: ReadFile) -> bytes | None:
    """The debug file of the file at `path`, if it lacks symbols or debug information and there is one."""
    if elf.section(".symtab") is not None and elf.section(".debug_info") is not None:
        return None
    try:
        for candidate, checksum in _candidates(elf, path):
            data = read(candidate)
            if data is not None and (checksum is None or zlib.crc32(data) == checksum):
                return data
    except ElfError:
        pass
    return None


def shared(elf: ElfFile, path: str, read: ReadFile) -> bytes | None:
    """The file that has what the debug information of the file at `path` refers to elsewhere."""
    section = elf.section(".gnu_debugaltlink")
    if section is None:
        return None
    try:
        contents = bytes(elf.contents(section))
        name = string_at(contents, 0)
        found = read(os.path.join(os.path.dirname(path), os.fsdecode(name)))
        return found if found is not None else read(_by_id(contents[len(name) + 1:]))
    except ElfError:
        return None


def _candidates(elf: ElfFile, path: str) -> Iterator[tuple[str, int | None]]:
    """Paths, each with the checksum that the file there must have."""
    note = elf.section(".note.gnu.build-id")
    if note is not None:
        yield _by_id(bytes(elf.contents(note))[NOTE_HEAD:]), None
    link = elf.section(".gnu_debuglink")
    if link is not None:
        contents = bytes(elf.contents(link))
        name = os.fsdecode(string_at(contents, 0))
        checksum = int.from_bytes(contents[-4:], "little" if elf.order == "<" else "big")
        folder = os.path.dirname(path)
        for place in (folder, os.path.join(folder, ".debug"), FOLDER + folder):
            yield os.path.join(place, name), checksum


def _by_id(identity: bytes) -> str:
    digits = identity[:LONGEST_ID].hex()
    return f"{FOLDER}/.build-id/{digits[:2]}/{digits[2:]}.debug"
