"""The border by way of ioctl(2): the device of the operating system that this program runs under.

It makes the requests of illumos' or FreeBSD's <sys/dtrace.h> on a descriptor of /dev/dtrace/dtrace, and hands
out what they return in the form that runtime.border has for it.  It has been tried in the emulated machine
only, where it is one program among others.
"""

from __future__ import annotations

import errno
import fcntl
import os
from array import array
from collections.abc import Callable

from dof.format import Header, pack, size_of, unpack
from dof.options import OptionId
from dof.reader import read
from runtime.border import BUFDESC, RECDESC, BorderError, BufDesc, Command, ProbeDescription
from runtime.ioctl.requests import (
    AGG_HEAD,
    ARGUMENTS,
    CPU,
    EPROBE_HEAD,
    FORMAT,
    FREEBSD_ENABLE,
    POINTER,
    request_number,
)

ROOM_MAX = 1 << 30  # bytes of a buffer that a kernel may tell of


def _bytes(data: bytes, size: int = 0) -> array[int]:
    """Memory that begins with `data`, and has at least `size` bytes; `_address` tells where it is."""
    return array("B", data.ljust(size, b"\0"))


def _address(memory: array[int]) -> int:
    return memory.buffer_info()[0]


class HostDevice:
    """One open of the device (runtime.border.Device).  Raises BorderError if it cannot be opened."""

    def __init__(self, path: str, target: str) -> None:
        try:
            self._descriptor = os.open(path, os.O_RDWR)
        except OSError as error:
            raise BorderError(error.errno, _reason(path, error)) from None
        self._target = target
        self._freebsd = target == "freebsd"
        self._room: dict[Command, int] = {}  # bytes of a principal buffer, and of an aggregation buffer
        self._special: dict[Command, Callable[[Command, bytes], bytes]] = {
            Command.PROBEMATCH: self._match,
            Command.ENABLE: self._enable,
            Command.GO: self._go,
            Command.BUFSNAP: self._snapshot,
            Command.AGGSNAP: self._snapshot,
            Command.EPROBE: self._eprobe,
            Command.AGGDESC: self._aggdesc,
            Command.FORMAT: self._format,
            Command.DOFGET: self._dofget,
        }

    def ioctl(self, command: Command, payload: bytes = b"") -> bytes:
        """See runtime.border.Device."""
        return self._special.get(command, self._plain)(command, payload)

    def close(self) -> None:
        """Close it: the kernel ends the tracing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _request(self, command: Command, memory: array[int]) -> int:
        """Make a request whose argument is the address of `memory`; returns its result."""
        if self._freebsd and ARGUMENTS[command].indirect:
            row = ARGUMENTS[command]
            argument = _bytes(POINTER.pack(_address(memory)), row.told)
        else:
            argument = memory
        try:
            return fcntl.ioctl(self._descriptor, request_number(command, self._target), argument, True)
        except OSError as error:
            raise BorderError(error.errno, error.strerror) from None

    def _plain(self, command: Command, payload: bytes) -> bytes:
        memory = _bytes(payload, ARGUMENTS[command].size)
        self._request(command, memory)
        return memory.tobytes() if ARGUMENTS[command].out else b""

    def _match(self, command: Command, payload: bytes) -> bytes:
        """Every match: the kernel tells the first from a number on."""
        wanted = ProbeDescription.unpack(payload)
        found: list[bytes] = []
        while True:
            try:
                answer = self._plain(command, wanted.pack())
            except BorderError as error:
                if error.errno == errno.ESRCH and found:
                    return b"".join(found)
                raise
            found.append(answer)
            wanted = wanted._replace(id=ProbeDescription.unpack(answer).id + 1)

    def _enable(self, command: Command, payload: bytes) -> bytes:
        if not self._freebsd:
            return CPU.pack(self._request(command, _bytes(payload, size_of(Header))))
        dof = _bytes(payload, size_of(Header))
        memory = _bytes(FREEBSD_ENABLE.pack(_address(dof), 0))
        self._request(command, memory)
        _dof, matched = FREEBSD_ENABLE.unpack(memory.tobytes())
        return CPU.pack(matched)

    def _go(self, command: Command, payload: bytes) -> bytes:
        answer = self._plain(command, payload)
        options = dict(read(self._dofget(Command.DOFGET, b"")).options)
        for snapshot, option in ((Command.BUFSNAP, OptionId.BUFSIZE), (Command.AGGSNAP, OptionId.AGGSIZE)):
            room = options.get(option, 0)
            self._room[snapshot] = room if 0 <= room <= ROOM_MAX else 0
        return answer

    def _snapshot(self, command: Command, payload: bytes) -> bytes:
        data = _bytes(b"", self._room.get(command) or 1)
        asked = BufDesc.unpack(payload)._replace(data=_address(data))
        memory = _bytes(asked.pack())
        self._request(command, memory)
        desc = BufDesc.unpack(memory.tobytes()[:BUFDESC.size])
        return desc._replace(data=0).pack() + memoryview(data)[:desc.size].tobytes()

    def _described(self, command: Command, head: bytes, count_at: int) -> bytes:
        """A head with its records: asked once for their number, and then for them."""
        for _ in range(2):
            count = int.from_bytes(head[count_at:count_at + 4], "little")
            memory = _bytes(head, len(head) + max(count, 1) * RECDESC.size)
            self._request(command, memory)
            head = memory.tobytes()[:len(head)]
        return memory.tobytes()[:len(head) + count * RECDESC.size]

    def _eprobe(self, command: Command, payload: bytes) -> bytes:
        return self._described(command, payload[:4].ljust(EPROBE_HEAD.size, b"\0"), EPROBE_HEAD.size - 4)

    def _aggdesc(self, command: Command, payload: bytes) -> bytes:
        head = AGG_HEAD.pack(0, 0, 0, int.from_bytes(payload[:4], "little"), 0, 0, 0, 0)
        return self._described(command, head, AGG_HEAD.size - 8)

    def _format(self, command: Command, payload: bytes) -> bytes:
        number = int.from_bytes(payload[:2], "little")
        memory = _bytes(FORMAT.pack(0, 0, number))
        self._request(command, memory)
        _nowhere, length, _number = FORMAT.unpack(memory.tobytes())
        text = _bytes(b"", max(length, 1))
        self._request(command, _bytes(FORMAT.pack(_address(text), length, number)))
        return text.tobytes().partition(b"\0")[0]

    def _dofget(self, command: Command, payload: bytes) -> bytes:
        memory = _bytes(pack(_EMPTY._replace(load_size=size_of(Header))))
        self._request(command, memory)
        size = min(unpack(Header, memory.tobytes()).load_size, ROOM_MAX)
        memory = _bytes(pack(_EMPTY._replace(load_size=size)), size)
        self._request(command, memory)
        return memory.tobytes()


_EMPTY = unpack(Header, bytes(size_of(Header)))


def _reason(path: str, error: OSError) -> str:
    if error.errno == errno.EACCES:
        return "DTrace requires additional privileges"
    return f"{path}: {error.strerror}"
