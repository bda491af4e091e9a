"""Core files (core(5)): the state of a program when a signal ended it.

Notes are those of <linux/elfcore.h>: struct elf_prstatus, struct elf_prpsinfo and the like.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dif.elfnumbers import ET_CORE, PT_LOAD, PT_NOTE
from runtime.kernel.base.clock import MICROSECOND, SECOND
from runtime.kernel.base.errors import SyscallError
from runtime.kernel.base.signals import SignalInfo
from runtime.kernel.base.words import MASK32, MASK64
from runtime.kernel.cpu.debugging import NT_PRSTATUS, Debugging, RegisterSet
from runtime.kernel.cpu.signalinfo import pack_info
from runtime.kernel.memory.addrspace import AddressSpace, Area
from runtime.kernel.memory.physical import PAGE, FilePages
from runtime.kernel.process.opening import AT_FDCWD, open_file, write_all
from runtime.kernel.process.process import RLIMIT_CORE, Process

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

NT_PRPSINFO, NT_AUXV, NT_SIGINFO, NT_FILE = 3, 6, 0x53494749, 0x46494C45
NAME, MODE = b"core", 0o600
PIECE = 1 << 20  # bytes written at a time


def write_core(thread: Thread, info: SignalInfo) -> None:
    """Write the core file of a thread's process.  Raises OSError where that is not allowed or possible."""
    process = thread.process
    limit = process.limit(RLIMIT_CORE)[0]
    if limit < PAGE:
        raise SyscallError(errno.EFBIG)
    if process.identity.protected:
        raise SyscallError(errno.EPERM)
    debugging = process.processor.debugging
    if debugging is None:
        raise SyscallError(errno.ENOTSUP)
    file = open_file(thread, AT_FDCWD, NAME, os.O_CREAT | os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW, MODE)
    file.hold()
    try:
        for piece in _contents(thread, info, debugging):
            write_all(thread, file, piece[:limit])
            limit -= len(piece)
            if limit <= 0:
                break
    finally:
        file.release()


def _contents(thread: Thread, info: SignalInfo, debugging: Debugging) -> Iterator[bytes]:
    """Yield the bytes of the file, piece by piece."""
    process = thread.process
    notes = _notes(thread, info, debugging.sets)
    areas = [(area, _saved(process.memory, area)) for area in process.memory.areas]
    wide = process.bits == 64
    header, entry = (64, 56) if wide else (52, 32)
    at = header + (1 + len(areas)) * entry
    entries = [_segment(wide, PT_NOTE, 0, at, 0, len(notes), 0, 0, 4)]
    start = at = -(-(at + len(notes)) // PAGE) * PAGE
    for area, size in areas:
        rights = area.prot >> 2 & 1 | area.prot & 2 | (area.prot & 1) << 2
        entries.append(_segment(wide, PT_LOAD, rights, at, area.start, size, area.end - area.start, 0, PAGE))
        at += size
    head = _header(wide, debugging.elf, len(entries)) + b"".join(entries) + notes
    yield head.ljust(start, b"\0")
    for area, size in areas:
        for address in range(area.start, area.start + size, PIECE):
            yield process.memory.peek(address, min(PIECE, area.start + size - address))


def _saved(space: AddressSpace, area: Area) -> int:
    """Return how many bytes of an area are saved: of what is as in its file, only the file's headers."""
    whole = not isinstance(area.pages, FilePages) if area.shared else space.has_own(area)
    if whole:
        return area.end - area.start
    return PAGE if area.pages is not None and not area.shared and not area.offset else 0


def _header(wide: bool, machine: int, count: int) -> bytes:
    """Return the ELF header of a file with `count` segments."""
    identity = b"\x7fELF" + bytes((2 if wide else 1, 1, 1)).ljust(12, b"\0")
    size, entry = (64, 56) if wide else (52, 32)
    return struct.pack("<16sHHI" + ("QQQ" if wide else "III") + "IHHHHHH", identity, ET_CORE,
                       machine, 1, 0, size, 0, 0, size, entry, count, 0, 0, 0)


def _segment(wide: bool, kind: int, rights: int, at: int, address: int, in_file: int, in_memory: int,
             physical: int, align: int) -> bytes:
    """Return a program header."""
    if wide:
        return struct.pack("<IIQQQQQQ", kind, rights, at, address, physical, in_file, in_memory, align)
    return struct.pack("<8I", kind, at, address, physical, in_file, in_memory, rights, align)


# -- notes --------------------------------------------------------------------------------------


def _note(kind: int, data: bytes, owner: bytes = b"CORE") -> bytes:
    return struct.pack("<III8s", len(owner) + 1, len(data), kind, owner) + data + bytes(-len(data) % 4)


def _notes(thread: Thread, info: SignalInfo, sets: Sequence[RegisterSet]) -> bytes:
    """Return the notes on the process and on each thread, beginning with the one that got the signal."""
    process = thread.process
    others = [other for other in process.threads if other is not thread]
    general = sets[0]
    found = [_note(NT_PRSTATUS, _status(thread, info.signal, general)),
             _note(NT_PRPSINFO, _description(process)),
             _note(NT_SIGINFO, pack_info(info, process.bits)), _note(NT_AUXV, process.auxv),
             _note(NT_FILE, _files(process)), *_registers(thread, sets)]
    for other in others:
        found += [_note(NT_PRSTATUS, _status(other, info.signal, general)), *_registers(other, sets)]
    return b"".join(found)


def _registers(thread: Thread, sets: Sequence[RegisterSet]) -> list[bytes]:
    """Return the notes on a thread's other registers."""
    return [_note(each.note, each.get(thread), each.owner) for each in sets[1:] if each.owner]


def _status(thread: Thread, signal: int, general: RegisterSet) -> bytes:
    """Return a struct elf_prstatus; it has the general registers in it."""
    process = thread.process
    word, mask = ("Q", MASK64) if process.bits == 64 else ("I", MASK32)
    ids = (thread.tid, process.ppid, process.pgid, process.sid)
    pending, blocked = (thread.pending.mask | process.signals.pending.mask) & mask, thread.mask & mask
    head = struct.pack(f"<iiiH2x{word}{word}4i", signal, 0, 0, signal, pending, blocked, *ids)
    seconds, rest = divmod(thread.cpu_time, SECOND)
    times = struct.pack(f"<8{word}", seconds, rest // MICROSECOND, 0, 0, 0, 0, 0, 0)
    tail = struct.pack("<i" + ("4x" if process.bits == 64 else ""), 1)
    return head + times + general.get(thread) + tail


def _description(process: Process) -> bytes:
    """Return a struct elf_prpsinfo, 136 or 124 bytes."""
    who = process.identity
    state = struct.pack("<bcbb", 0, b"R", 0, process.nice)
    ids = (process.pid, process.ppid, process.pgid, process.sid)
    middle = struct.pack("<4xQII4i", 0, who.ruid, who.rgid, *ids) if process.bits == 64 else struct.pack(
        "<IHH4i", 0, who.ruid & 0xFFFF, who.rgid & 0xFFFF, *ids)
    return state + middle + struct.pack("<16s80s", process.execname, process.psargs)


def _files(process: Process) -> bytes:
    """Return the table of mapped files: addresses, pages of the files, and their paths."""
    word = "Q" if process.bits == 64 else "I"
    mapped = [area for area in process.memory.areas if area.path.startswith(b"/")]
    places = [value for area in mapped for value in (area.start, area.end, area.offset)]
    return struct.pack(f"<{2 + len(places)}{word}", len(mapped), PAGE, *places) + b"".join(
        area.path + b"\0" for area in mapped)
