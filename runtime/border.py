"""The border between a DTrace consumer and the kernel, as bytes.

A consumer opens a `Device` (its /dev/dtrace) and exchanges only the
structures below, laid out as in illumos' <sys/dtrace.h> for an LP64
little-endian kernel.  No Python object of one side is ever seen by the other:
an instance on another machine is this border with a wire in it.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from enum import IntEnum
from io import BytesIO

from dif.records import NamedTuple, Record

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Protocol, Self, TypeVar

    _T = TypeVar("_T", covariant=True)
    _U = TypeVar("_U")

PROVNAMELEN, MODNAMELEN, FUNCNAMELEN, NAMELEN = 64, 64, 192, 64
ARGTYPELEN = 128
CPUALL = 0xFFFFFFFF
RECHDR = struct.Struct("<III")  # dtrace_rechdr_t: epid, timestamp high, timestamp low


class Command(IntEnum):
    """The requests of a Device (DTRACEIOC_* by name): what is sent, and -> what comes back."""

    PROVIDER = 1  # providerdesc (name filled in) -> providerdesc; ESRCH if unknown
    PROBES = 2  # probedesc (id) -> the first probedesc with id >= given; ESRCH if there is none
    BUFSNAP = 4  # bufdesc -> bufdesc + data
    PROBEMATCH = 5  # probedesc with globs -> every matching probedesc, packed; ESRCH if none
    ENABLE = 6  # DOF -> int32 number of probes matched
    AGGSNAP = 7  # bufdesc -> bufdesc + data
    EPROBE = 8  # uint32 epid -> eprobedesc
    PROBEARG = 9  # argdesc (id, ndx) -> argdesc; ndx -1 when there is no such argument
    CONF = 10  # -> conf
    STATUS = 11  # -> status
    GO = 12  # -> int32 cpu on which BEGIN fired
    STOP = 13  # -> int32 cpu on which END fired
    AGGDESC = 15  # uint32 aggregation id -> aggdesc
    FORMAT = 16  # uint16 format number -> the string's bytes, no NUL
    DOFGET = 17  # -> DOF with the options as the kernel set them
    REPLICATE = 18  # two probedescs: match, create


class FaultKind(IntEnum):
    """DTRACEFLT_*: what ended a clause early, arg4 of dtrace:::ERROR."""

    UNKNOWN = 0
    BADADDR = 1
    BADALIGN = 2
    ILLOP = 3
    DIVZERO = 4
    NOSCRATCH = 5
    KPRIV = 6
    UPRIV = 7
    TUPOFLOW = 8
    BADSTACK = 9
    LIBRARY = 1000  # never the kernel's: the consumer found it


class BorderError(OSError):
    """A request the kernel refused: `errno` as the real ioctl sets it, `strerror` its reason.

    For ENABLE the reason is the kernel's own sentence on the first fault found in the DOF.
    """


def _text(raw: bytes) -> str:
    return raw.split(b"\0", 1)[0].decode("utf-8", "surrogateescape")


def _field(text: str, width: int) -> bytes:
    return text.encode("utf-8", "surrogateescape")[: width - 1]


class ProbeDescription(NamedTuple):
    """dtrace_probedesc_t, 388 bytes: u32 id, provider[64], module[64], function[192], name[64]."""

    id: int
    provider: str
    module: str
    function: str
    name: str

    def pack(self) -> bytes:
        return PROBEDESC.pack(self.id, _field(self.provider, PROVNAMELEN),
                              _field(self.module, MODNAMELEN), _field(self.function, FUNCNAMELEN),
                              _field(self.name, NAMELEN))

    @classmethod
    def unpack(cls, data: bytes, offset: int = 0) -> ProbeDescription:
        number, *names = PROBEDESC.unpack_from(data, offset)
        return cls(number, *map(_text, names))

    @staticmethod
    def pack_all(probes: Iterable[tuple[int, str, str, str, str]]) -> bytes:
        """Pack many: their fields in order."""
        known: dict[str, bytes] = {}  # few are different but for the functions
        packed = BytesIO()  # to join so many parts would take their room twice
        for number, provider, module, function, name in probes:
            for text in (provider, module, name):
                if text not in known:
                    known[text] = _field(text, NAMELEN)
            packed.write(PROBEDESC.pack(number, known[provider], known[module],
                                        _field(function, FUNCNAMELEN), known[name]))
        return packed.getvalue()

    def __str__(self) -> str:
        return f"{self.provider}:{self.module}:{self.function}:{self.name}"


PROBEDESC = struct.Struct("<I64s64s192s64s")


class PackedProbes(Sequence["_T"]):
    """Many probe descriptions as they came: `make` makes each of its five fields when it is asked for.

    Most who ask for all that match want to know how many there are, and the first.
    """

    def __init__(self, data: bytes, make: Callable[[int, str, str, str, str], _T]) -> None:
        self._data = data
        self._make = make

    def __len__(self) -> int:
        return len(self._data) // PROBEDESC.size

    def __getitem__(self, index: int) -> _T:  # type: ignore[override]  # there are no slices
        return self._make(*ProbeDescription.unpack(self._data, range(len(self))[index] * PROBEDESC.size))

    def __iter__(self) -> Iterator[_T]:
        known: dict[bytes, str] = {}
        for number, provider, module, function, name in PROBEDESC.iter_unpack(self._data):
            for raw in (provider, module, name):
                if raw not in known:
                    known[raw] = _text(raw)
            yield self._make(number, known[provider], known[module], _text(function), known[name])

    def of(self, make: Callable[[int, str, str, str, str], _U]) -> PackedProbes[_U]:
        """The same, made into something else."""
        return PackedProbes(self._data, make)


class RecDesc(NamedTuple):
    """dtrace_recdesc_t, 32 bytes: what one record of an ECB or aggregation is and where it lies.

    `action` is a DTRACEACT_* kind; `offset` counts from the start of the
    record, header included; `format` is 0 or a number for Command.FORMAT.
    """

    action: int
    size: int
    offset: int
    alignment: int
    format: int
    arg: int
    uarg: int


RECDESC = struct.Struct("<H2xIIHHQQ")
_EPROBE = struct.Struct("<IIQIi")  # epid, probe id, uarg, size, nrecs; then the records
_AGG = struct.Struct("<QqiIIIiI")  # name pointer, varid, flags, id, epid, size, nrecs, pad


class EprobeDesc(Record, frozen=True):
    """dtrace_eprobedesc_t without trailing alignment: 24 bytes, then 32 a record."""

    epid: int
    probe_id: int
    uarg: int
    size: int
    records: tuple[RecDesc, ...]

    def pack(self) -> bytes:
        head = _EPROBE.pack(self.epid, self.probe_id, self.uarg, self.size, len(self.records))
        return head + b"".join(RECDESC.pack(*record) for record in self.records)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        epid, probe_id, uarg, size, _count = _EPROBE.unpack_from(data)
        return cls(epid, probe_id, uarg, size, _records(data, _EPROBE.size))


class AggDesc(Record, frozen=True):
    """dtrace_aggdesc_t: 40 bytes, then 32 a record; the last record is the aggregating action.

    The first record is the aggregation variable's id (8 bytes), then the keys.
    """

    id: int
    epid: int
    size: int
    records: tuple[RecDesc, ...]

    def pack(self) -> bytes:
        head = _AGG.pack(0, 0, 0, self.id, self.epid, self.size, len(self.records), 0)
        return head + b"".join(RECDESC.pack(*record) for record in self.records)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        _name, _varid, _flags, number, epid, size, _count, _pad = _AGG.unpack_from(data)
        return cls(number, epid, size, _records(data, _AGG.size))


def _records(data: bytes, start: int) -> tuple[RecDesc, ...]:
    return tuple(RecDesc(*RECDESC.unpack_from(data, at))
                 for at in range(start, len(data) - RECDESC.size + 1, RECDESC.size))


class ArgDesc(NamedTuple):
    """dtrace_argdesc_t, 268 bytes.  A request sets id and ndx; ndx -1 in a result: no such argument."""

    id: int
    ndx: int
    mapping: int = 0
    native: str = ""
    xlate: str = ""

    def pack(self) -> bytes:
        return ARGDESC.pack(self.id, self.ndx, self.mapping, _field(self.native, ARGTYPELEN),
                            _field(self.xlate, ARGTYPELEN))

    @classmethod
    def unpack(cls, data: bytes) -> ArgDesc:
        number, ndx, mapping, native, xlate = ARGDESC.unpack(data)
        return cls(number, ndx, mapping, _text(native), _text(xlate))


ARGDESC = struct.Struct("<Iii128s128s")


class BufDesc(NamedTuple):
    """dtrace_bufdesc_t, 48 bytes; the data pointer is 0 and the data follow the structure.

    `size` is the number of data bytes; `oldest` the offset at which a ring
    buffer's oldest record begins; `timestamp` nanoseconds since boot.
    """

    size: int = 0
    cpu: int = 0
    errors: int = 0
    drops: int = 0
    data: int = 0
    oldest: int = 0
    timestamp: int = 0

    def pack(self) -> bytes:
        return BUFDESC.pack(*self)

    @classmethod
    def unpack(cls, data: bytes) -> BufDesc:
        return cls(*BUFDESC.unpack_from(data))


BUFDESC = struct.Struct("<QIIQQQQ")


class Status(NamedTuple):
    """dtrace_status_t, 88 bytes: counters since the previous STATUS are the consumer's business."""

    dyndrops: int = 0
    dyndrops_rinsing: int = 0
    dyndrops_dirty: int = 0
    specdrops: int = 0
    specdrops_busy: int = 0
    specdrops_unavail: int = 0
    errors: int = 0
    filled: int = 0
    stkstroverflows: int = 0
    dblerrors: int = 0
    killed: int = 0
    exiting: int = 0

    def pack(self) -> bytes:
        return STATUS.pack(*self)

    @classmethod
    def unpack(cls, data: bytes) -> Status:
        return cls(*STATUS.unpack(data))


STATUS = struct.Struct("<10QBB6x")
CONF = struct.Struct("<12I")  # DIF version, integer registers, tuple registers, CTF model, pad[8]
PROVIDERDESC = struct.Struct("<64s15sxIIi")  # name, five attribute triples, privileges


class ProviderDesc(NamedTuple):
    """dtrace_providerdesc_t: 64 bytes name, five (name, data, class) byte triples, privileges.

    `attributes` are provider, module, function, name, args.
    """

    name: str
    attributes: tuple[tuple[int, int, int], ...] = ((0, 0, 0),) * 5
    flags: int = 0
    uid: int = 0
    zone: int = 0

    def pack(self) -> bytes:
        raw = bytes(value for triple in self.attributes for value in triple)
        return PROVIDERDESC.pack(_field(self.name, PROVNAMELEN), raw, self.flags, self.uid, self.zone)

    @classmethod
    def unpack(cls, data: bytes) -> ProviderDesc:
        name, raw, flags, uid, zone = PROVIDERDESC.unpack(data)
        triples = tuple((raw[n], raw[n + 1], raw[n + 2]) for n in range(0, 15, 3))
        return cls(_text(name), triples, flags, uid, zone)


if TYPE_CHECKING:
    class Device(Protocol):
        """One open of /dev/dtrace: one tracing state, with the privileges of its opener."""

        def ioctl(self, command: Command, payload: bytes = b"") -> bytes:
            """Carry out a request, and return its result.  Raises BorderError with a kernel's errno."""

        def close(self) -> None:
            """End the tracing state: every enabling, buffer and variable of it goes."""
