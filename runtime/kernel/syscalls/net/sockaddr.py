"""Socket addresses and control messages as they lie in user memory."""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterable
from typing import TYPE_CHECKING

from dif.records import NamedTuple
from runtime.kernel.base.privileges import PROC_SETID, SYS_ADMIN
from runtime.kernel.net.address import AF_INET, AF_INET6, AF_NETLINK, AF_UNIX, Address
from runtime.kernel.net.socket import SOL_SOCKET, Peer
from runtime.kernel.process.opening import files
from runtime.kernel.process.usermemory import read_int, word, write_int
from runtime.kernel.syscalls.net.packetinfo import Note
from runtime.kernel.syscalls.process.identity import find_process
from runtime.kernel.vfs.vnode import File, failure

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

SCM_RIGHTS, SCM_CREDENTIALS = 1, 2
SCM_MAX_FILES = 253
MOST_PARTS = 1024  # of a message
CREDENTIALS = struct.Struct("<iII")  # struct ucred
MSG_CTRUNC = 8
UNIX_PATH, SOCKADDR_LIMIT = 108, 128  # bytes of sun_path, and of any address


def unpack_address(data: bytes) -> Address:
    """Return the address in a struct sockaddr_*.  Raises EINVAL, EAFNOSUPPORT."""
    if len(data) < 2:
        raise failure(errno.EINVAL)
    family = int.from_bytes(data[:2], "little")
    if family == AF_UNIX:
        path = data[2:]
        if len(path) > UNIX_PATH:
            raise failure(errno.EINVAL)
        return Address(AF_UNIX, path if path[:1] == b"\0" else path.split(b"\0", 1)[0])
    if family == AF_INET and len(data) >= 16:
        return Address(AF_INET, data[4:8], int.from_bytes(data[2:4], "big"))
    if family == AF_INET6 and len(data) >= 24:
        return Address(AF_INET6, data[8:24], int.from_bytes(data[2:4], "big"))
    if family == AF_NETLINK and len(data) >= 12:
        return Address(AF_NETLINK, b"", int.from_bytes(data[4:8], "little"))
    raise failure(errno.EINVAL if family in (AF_NETLINK, AF_INET, AF_INET6) else errno.EAFNOSUPPORT)


def pack_address(address: Address) -> bytes:
    """Return the struct sockaddr_* of an address."""
    if address.family == AF_UNIX:
        ending = b"\0" if address.host and address.host[:1] != b"\0" else b""
        return struct.pack("<H", AF_UNIX) + address.host + ending
    if address.family == AF_NETLINK:
        return struct.pack("<HxxII", AF_NETLINK, address.port, 0)
    head = struct.pack("<H", address.family) + address.port.to_bytes(2, "big")
    if address.family == AF_INET:
        return head + address.host + bytes(8)
    return head + bytes(4) + address.host + bytes(4)


def read_sockaddr(thread: Thread, pointer: int, size: int) -> bytes:
    """Return the bytes of an address.  Raises EINVAL for an impossible size, MemoryFault."""
    if not 0 <= size <= SOCKADDR_LIMIT:
        raise failure(errno.EINVAL)
    return thread.read(pointer, size)


def read_address(thread: Thread, pointer: int, size: int) -> Address:
    return unpack_address(read_sockaddr(thread, pointer, size))


def write_address(thread: Thread, pointer: int, size_pointer: int, address: Address | None,
                  family: int = AF_UNIX) -> None:
    """Write as much of an address as there is room for, and its whole length."""
    room = read_int(thread, size_pointer)
    if room < 0:
        raise failure(errno.EINVAL)
    data = pack_address(address if address is not None else unnamed(family))
    thread.write(pointer, data[:room])
    write_int(thread, size_pointer, len(data))


def unnamed(family: int) -> Address:
    return Address(family, {AF_UNIX: b"", AF_INET: bytes(4)}.get(family, bytes(16)))


class MessageHeader(NamedTuple):
    """struct msghdr."""

    name: int
    name_size: int
    vector: int
    segments: int
    control: int
    control_size: int


def read_header(thread: Thread, pointer: int) -> MessageHeader:
    if word(thread) == 8:
        form = struct.Struct("<QI4xQQQQ8x")
    else:
        form = struct.Struct("<IIIIII4x")
    header = MessageHeader(*form.unpack(thread.read(pointer, form.size)))
    if header.segments > MOST_PARTS:
        raise failure(errno.EMSGSIZE)
    return header


def write_results(thread: Thread, pointer: int, name_size: int | None, control_size: int, flags: int) -> None:
    """Write what recvmsg(2) returns in the header: the lengths that were used, and flags."""
    wide = word(thread) == 8
    if name_size is not None:
        thread.write(pointer + (8 if wide else 4), name_size.to_bytes(4, "little"))
    thread.write(pointer + (40 if wide else 20), control_size.to_bytes(8 if wide else 4, "little"))
    thread.write(pointer + (48 if wide else 24), (flags & 0xFFFFFFFF).to_bytes(4, "little"))


def _header_size(thread: Thread) -> int:
    return word(thread) + 8


class Control(NamedTuple):
    """What a message carries beside its bytes; `marks` are for protocols, by level and kind."""

    passed: list[File]
    sender: Peer | None
    marks: dict[tuple[int, int], bytes]


def read_control(thread: Thread, header: MessageHeader) -> Control:
    """Return what a message carries.  Raises EINVAL, EBADF, EPERM, ESRCH."""
    passed: list[File] = []
    marks: dict[tuple[int, int], bytes] = {}
    sender = None
    if not header.control_size:
        return Control(passed, sender, marks)
    width, head, at = word(thread), _header_size(thread), 0
    if width == 4 and (not header.control or header.control_size < head):
        raise failure(errno.EINVAL)
    data = thread.read(header.control, min(header.control_size, 1 << 16))
    while at + head <= len(data):
        length = int.from_bytes(data[at:at + width], "little")
        level, kind = struct.unpack_from("<ii", data, at + width)
        if length < head or at + length > len(data):
            raise failure(errno.EINVAL)
        body = data[at + head:at + length]
        if level != SOL_SOCKET:
            marks[level, kind] = body
        elif kind == SCM_RIGHTS:
            numbers = struct.unpack(f"<{len(body) // 4}i", body[:len(body) // 4 * 4])
            if len(numbers) > SCM_MAX_FILES:
                raise failure(errno.EINVAL)
            passed += [files(thread).get(number) for number in numbers]
        elif kind == SCM_CREDENTIALS and len(body) == CREDENTIALS.size:
            sender = Peer(*CREDENTIALS.unpack(body))
            _check_sender(thread, sender)
        else:
            raise failure(errno.EINVAL)
        at += -(-length // width) * width
    if width == 4 and at < len(data):  # what is too short for another one
        raise failure(errno.EINVAL)
    for file in passed:
        file.hold()
    return Control(passed, sender, marks)


def _check_sender(thread: Thread, sender: Peer) -> None:
    """Raise EPERM unless a process may say that these are its credentials, ESRCH if they are nobody's."""
    who = thread.process.identity
    allowed = ((sender.pid == thread.process.pid or who.has(SYS_ADMIN))
               and (sender.uid in (who.ruid, who.euid, who.suid) or who.has(PROC_SETID))
               and (sender.gid in (who.rgid, who.egid, who.sgid) or who.has(PROC_SETID)))
    if not allowed:
        raise failure(errno.EPERM)
    find_process(thread, sender.pid)


class _Records:
    """Control messages, as many as there is room for; `flags` has MSG_CTRUNC if some had none."""

    def __init__(self, width: int, room: int) -> None:
        self._width = width
        self._head = width + 8
        self._room = room
        self.data = b""
        self.flags = 0

    def fits(self, size: int) -> bool:
        """Whether there is room for a message with a body of so many bytes."""
        return len(self.data) + self._head + size <= self._room

    def put(self, note: Note) -> None:
        """Append a message, or as much of it as there is room for."""
        room = self._room - len(self.data) - self._head
        if room < len(note.body):
            self.flags |= MSG_CTRUNC
        if room < 0:
            return
        body = note.body[:room]
        length = self._head + len(body)
        record = length.to_bytes(self._width, "little") + struct.pack("<ii", note.level, note.kind) + body
        padded = record.ljust(-(-length // self._width) * self._width, b"\0")
        self.data = (self.data + padded)[:self._room]


def write_control(thread: Thread, header: MessageHeader, notes: Iterable[Note], passed: list[File],
                  sender: Peer | None, close_on_exec: bool) -> tuple[int, int]:
    """Give descriptors to files that came with a message, and write the control messages.

    Returns the length used, and MSG_CTRUNC if some did not fit, else 0.
    """
    records = _Records(word(thread), header.control_size if header.control else 0)
    for note in notes:
        records.put(note)
    if sender is not None:
        records.put(Note(SOL_SOCKET, SCM_CREDENTIALS, CREDENTIALS.pack(*sender)))
    if passed:
        numbers: list[int] = []
        for file in passed:
            if not records.fits(4 * len(numbers) + 4):
                break
            try:
                numbers.append(files(thread).add(file, close_on_exec=close_on_exec))
            except OSError:  # no descriptor is left
                break
        for file in passed:
            file.release()
        if numbers:
            records.put(Note(SOL_SOCKET, SCM_RIGHTS, struct.pack(f"<{len(numbers)}i", *numbers)))
        if len(numbers) < len(passed):
            records.flags |= MSG_CTRUNC
    if records.data:
        thread.write(header.control, records.data)
    return len(records.data), records.flags
