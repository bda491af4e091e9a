"""A device that answers from tables: what a consumer sees, without a kernel."""

from __future__ import annotations

import errno
import struct

from dof.model import Program
from dof.writer import write
from runtime.border import (
    BUFDESC,
    AggDesc,
    BorderError,
    BufDesc,
    Command,
    EprobeDesc,
    ProbeDescription,
    RecDesc,
    Status,
)
from runtime.consumer.events.symbols import Mapped, NoSymbols, Symbol

BEGIN = ProbeDescription(1, "dtrace", "", "", "BEGIN")
END = ProbeDescription(2, "dtrace", "", "", "END")
ERROR = ProbeDescription(3, "dtrace", "", "", "ERROR")


def rec(action: int, size: int, offset: int, arg: int = 0, fmt: int = 0, uarg: int = 0) -> RecDesc:
    return RecDesc(action, size, offset, min(size, 8) or 1, fmt, arg, uarg)


def record(epid: int, body: bytes, time: int = 0) -> bytes:
    """A record: header, then the body from offset 12, filled up to a multiple of 4."""
    raw = struct.pack("<III", epid, time >> 32, time & 0xFFFFFFFF) + body
    return raw + bytes(-len(raw) % 4)


class FakeDevice:
    """Tables to fill in, and `buffers`/`aggregations`: lists of snapshots by CPU, taken in turn."""

    def __init__(self) -> None:
        self.probes = {p.id: p for p in (BEGIN, END, ERROR)}
        self.ecbs: dict[int, EprobeDesc] = {}
        self.aggdescs: dict[int, AggDesc] = {}
        self.formats: dict[int, bytes] = {}
        self.buffers: dict[int, list[tuple[BufDesc, bytes]]] = {}
        self.aggregations: dict[int, list[tuple[BufDesc, bytes]]] = {}
        self.status = Status()
        self.began = self.ended = 0
        self.enabled: list[bytes] = []
        self.closed = False

    def ioctl(self, command: Command, payload: bytes = b"") -> bytes:
        if command is Command.EPROBE:
            return self.ecbs[int.from_bytes(payload, "little")].pack()
        if command is Command.AGGDESC:
            return self.aggdescs[int.from_bytes(payload, "little")].pack()
        if command is Command.FORMAT:
            return self.formats[int.from_bytes(payload, "little")]
        if command is Command.PROBES:
            first = ProbeDescription.unpack(payload).id
            return next((p.pack() for n, p in sorted(self.probes.items()) if n >= first), b"")
        if command in (Command.BUFSNAP, Command.AGGSNAP):
            source = self.buffers if command is Command.BUFSNAP else self.aggregations
            queue = source.get(BufDesc.unpack(payload).cpu, [])
            if not queue:
                raise BorderError(errno.ENOENT, "no such CPU")
            desc, data = queue.pop(0)
            return desc._replace(size=len(data)).pack()[:BUFDESC.size] + data
        if command is Command.STATUS:
            return self.status.pack()
        if command is Command.ENABLE:
            self.enabled.append(payload)
            return struct.pack("<i", 1)
        if command is Command.GO:
            return struct.pack("<i", self.began)
        if command is Command.STOP:
            return struct.pack("<i", self.ended)
        if command is Command.DOFGET:
            return write(Program())
        raise BorderError(errno.EINVAL, str(command))

    def close(self) -> None:
        self.closed = True


class FakeSystem:
    """A machine whose time is what `wait` is asked for."""

    patient = False
    names = None
    interrupted = False

    def __init__(self, ncpus: int = 1) -> None:
        self.ncpus = ncpus
        self.symbols = NoSymbols()
        self.time = 0

    def now(self) -> int:
        return self.time

    def absent(self, address: int) -> bool:
        return False

    def mistake(self, description: object) -> None:
        return None

    def relieve(self, wanted: bool) -> None:
        """It has no buffers that fill."""

    def wait(self, until: int) -> None:
        self.time = max(self.time, until)


class FewSymbols(NoSymbols):
    """One kernel function and one process."""

    def kernel(self, address: int) -> Symbol | None:
        return Symbol("unix", "swtch", 0x1000, 0x100) if 0x1000 <= address < 0x1100 else None

    def kernel_module(self, address: int) -> Mapped | None:
        return Mapped("unix", 0x1000) if 0x1000 <= address < 0x2000 else None

    def user(self, pid: int, address: int) -> Symbol | None:
        return Symbol("prog", "main", 0x400, 0x40) if pid == 7 and 0x400 <= address < 0x440 else None

    def user_mapping(self, pid: int, address: int) -> Mapped | None:
        return Mapped("prog", 0x400, address >= 0x800) if pid == 7 and 0x400 <= address < 0x900 else None
