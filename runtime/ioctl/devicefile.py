"""/dev/dtrace/dtrace for programs of the machine: a process's memory on one side, the border on the other.

A program opens the device with the privileges it has, and makes the ioctls of <sys/dtrace.h>.  Here the
structures that they point to are fetched and stored; what they ask is the border's business, as for a
consumer outside (runtime.border.Device).  The process of dtrace itself (runtime.driver) has its own way.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable

from dof.container import load_size
from dof.format import DofError, Header, size_of, unpack
from runtime.border import (
    BUFDESC,
    PROBEDESC,
    RECDESC,
    BorderError,
    BufDesc,
    Command,
    PackedProbes,
    ProbeDescription,
)
from runtime.ioctl.requests import AGG_HEAD, ARGUMENTS, EPROBE_HEAD, FORMAT, FREEBSD_ENABLE, POINTER, commands

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.border import Device
    from runtime.kernel.base.caller import Caller
    from runtime.kernel.process.process import Process
    from runtime.kernel.vfs.owner import Device as PlayedDevice

OPENS_MAX = 256  # opens of the device at a time, by programs of the machine
_AGG_ID, _AGG_KEPT = 20, 20  # offsets in dtrace_aggdesc_t: of the id, and of what the kernel fills in
_RECORDS_AT = {Command.EPROBE: EPROBE_HEAD.size - 4, Command.AGGDESC: AGG_HEAD.size - 8}  # their number


class OpenDevice:
    """The device as one open of it has it."""

    def __init__(self, device: Device, target: str, closed: Callable[[], None]) -> None:
        self._device = device
        self._freebsd = target == "freebsd"
        self._commands = commands(target)
        self._closed = closed
        self._matching: tuple[bytes, list[ProbeDescription]] = (b"", [])  # a pattern, and what it matches
        self._special: dict[Command, Callable[[Caller, Command, int], int]] = {
            Command.PROBEMATCH: self._match,
            Command.ENABLE: self._enable,
            Command.BUFSNAP: self._snapshot,
            Command.AGGSNAP: self._snapshot,
            Command.EPROBE: self._records,
            Command.AGGDESC: self._records,
            Command.FORMAT: self._format,
            Command.DOFGET: self._dofget,
        }

    def ioctl(self, thread: Caller, request: int, argument: int) -> int:
        """Carry out a request of a program, whose argument is an address of it.

        Returns what ioctl(2) returns.  Raises OSError with a kernel's errno, MemoryFault.
        """
        command = self._commands.get(request & 0xFFFFFFFF)
        if command is None:
            raise _refusal(errno.ENOTTY)
        if self._freebsd and ARGUMENTS[command].indirect:
            argument, = POINTER.unpack(thread.read(argument, POINTER.size))
        return self._special.get(command, self._plain)(thread, command, argument)

    def close(self) -> None:
        """The last descriptor of this open is closed: its tracing ends."""
        self._device.close()
        self._closed()

    def _plain(self, thread: Caller, command: Command, at: int) -> int:
        """A request whose structure goes in, or comes out, or both."""
        row = ARGUMENTS[command]
        answer = self._device.ioctl(command, thread.read(at, row.size) if row.into else b"")
        if row.out:
            thread.write(at, answer)
        return 0

    def _match(self, thread: Caller, command: Command, at: int) -> int:
        """The first probe with the given id or a higher one that the names match.

        A program walks through all of them so: they are found once, when it begins.
        """
        wanted = ProbeDescription.unpack(thread.read(at, PROBEDESC.size))
        pattern = wanted._replace(id=0).pack()
        known, matching = self._matching
        if known != pattern or wanted.id <= 1:
            matching = [*PackedProbes(self._device.ioctl(command, pattern), ProbeDescription)]
            self._matching = pattern, matching
        found = next((probe for probe in matching if probe.id >= wanted.id), None)
        if found is None:
            raise _refusal(errno.ESRCH)
        thread.write(at, found.pack())
        return 0

    def _enable(self, thread: Caller, command: Command, at: int) -> int:
        """illumos returns how many probes match; FreeBSD puts that into the structure."""
        dof, = POINTER.unpack(thread.read(at, POINTER.size)) if self._freebsd else (at,)
        if not dof:
            return 0  # match all enablings again; here each new probe has been, at once
        try:
            size = load_size(thread.read(dof, size_of(Header)))
        except DofError as error:
            raise _refusal(error.errno) from None
        answer = self._device.ioctl(command, thread.read(dof, size))
        matched = int.from_bytes(answer, "little")
        if not self._freebsd:
            return matched
        thread.write(at, FREEBSD_ENABLE.pack(dof, matched))
        return 0

    def _snapshot(self, thread: Caller, command: Command, at: int) -> int:
        """A buffer's bytes go where the structure points to."""
        where = BufDesc.unpack(thread.read(at, BUFDESC.size)).data
        answer = self._device.ioctl(command, thread.read(at, BUFDESC.size))
        desc = BufDesc.unpack(answer)
        if desc.size:
            thread.write(where, answer[BUFDESC.size:BUFDESC.size + desc.size])
        thread.write(at, desc._replace(data=where).pack())
        return 0

    def _records(self, thread: Caller, command: Command, at: int) -> int:
        """A description with as many of its records as there is room for, and the number there are."""
        count_at = _RECORDS_AT[command]
        head = thread.read(at, ARGUMENTS[command].size)
        room = max(int.from_bytes(head[count_at:count_at + 4], "little", signed=True), 0)
        if command is Command.EPROBE:
            answer = self._device.ioctl(command, head[:4])
        else:
            answer = head[:_AGG_KEPT] + self._device.ioctl(command, head[_AGG_ID:_AGG_ID + 4])[_AGG_KEPT:]
        thread.write(at, answer[:len(head) + room * RECDESC.size])
        return 0

    def _format(self, thread: Caller, command: Command, at: int) -> int:
        """The string with its NUL or, if there is too little room for it, its length."""
        where, room, number = FORMAT.unpack(thread.read(at, FORMAT.size))
        text = self._device.ioctl(command, number.to_bytes(2, "little")) + b"\0"
        if len(text) > room:
            thread.write(at, FORMAT.pack(where, len(text), number))
        else:
            thread.write(where, text)
        return 0

    def _dofget(self, thread: Caller, command: Command, at: int) -> int:
        """As many bytes of the DOF as the header that is there has room for."""
        room = unpack(Header, thread.read(at, size_of(Header))).load_size
        thread.write(at, self._device.ioctl(command)[:room])
        return 0


def _refusal(number: int) -> OSError:
    return BorderError(number, os.strerror(number))


class DtraceNode:
    """The device.  Each open of it is an OpenDevice, but for that of the process of dtrace itself.

    `opener` returns the process that runs; `opened` opens the border for it, or raises BorderError.  `own` is
    the process of dtrace, and what serves it.
    """

    def __init__(self, opener: Callable[[], Process], opened: Callable[[Process], Device], target: str,
                 own: tuple[Process, PlayedDevice]) -> None:
        self._opener = opener
        self._opened = opened
        self._target = target
        self._tracer, self._served = own
        self._opens = 0

    def open(self) -> PlayedDevice:
        """Open it for the process that runs.

        Raises BorderError: EACCES; EAGAIN for too many opens; ENOTSUP for a program of another byte order
        than the kernel's, to which every number would mean another.
        """
        process = self._opener()
        if process is self._tracer:
            return self._served
        if process.processor.order != "<":
            raise _refusal(errno.ENOTSUP)
        if self._opens >= OPENS_MAX:
            raise _refusal(errno.EAGAIN)
        device = self._opened(process)
        self._opens += 1
        return OpenDevice(device, self._target, self._closed)

    def _closed(self) -> None:
        self._opens -= 1

    def ioctl(self, thread: Caller, request: int, argument: int) -> int:
        """There is no request without an open."""
        raise _refusal(errno.EBADF)
