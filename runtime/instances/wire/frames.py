"""The messages between an instance and what it hangs on: length-prefixed binary frames.

There are two kinds, and each end parses only its own: *down* frames are instructions, *up* frames are data.
No down frame carries data of a host to an instance, and no up frame asks for anything; so neither can circle.

A frame is a header (u32 bytes of the body, u8 code, u64 number of the request; little-endian) and a body,
the fields of its form one after another.  Every length in it is bounded before anything is allocated.
A request is answered by any number of up frames and a Done, all with the request's number.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from uuid import UUID

from dif.records import NamedTuple

HEADER = struct.Struct("<IBQ")
VERSION = 2
LARGEST = 1 << 26  # bytes of a body: the largest buffer that a kernel gives
LONGEST_TEXT = 4096
MOST_NUMBERS = 1 << 16
EVERY = 0xFFFFFFFF  # an instance number that means all of them, merged
HOPS = 16  # levels that a down frame may go


class FrameError(ValueError):
    """A frame that is refused.  The stream behind it can still be read."""


class BrokenStream(FrameError):
    """A header that makes no sense: nothing behind it can be read."""


# -- down: instructions ----------------------------------------------------------------------------------

class Identify(NamedTuple):
    """Say who you are.  `path` is the receiver's own, which its parent gives it; `ancestors` are the boot
    ids of those above, in which the receiver must not find itself.

    `resume` is the boot id to go on with, or zero: it has stood still, and from now on shows `now`.
    `types` is the hash of the types of the root's kernel."""

    version: int
    hops: int
    path: str
    ancestors: tuple[UUID, ...]
    resume: UUID = UUID(int=0)
    now: int = 0
    types: bytes = b""


class Enable(NamedTuple):
    """Enable DOF at these instances."""

    instances: tuple[int, ...]
    dof: bytes


class Go(NamedTuple):
    """Begin tracing.  From then on the instance tells times by the clock of the root, which shows `now`."""

    instances: tuple[int, ...]
    now: int


class Stop(NamedTuple):
    instances: tuple[int, ...]


class Run(NamedTuple):
    """Let time pass until `until`, in nanoseconds of the root's clock."""

    until: int


class Harvest(NamedTuple):
    """Hand over what all instances have recorded.  `kind` is one of those below; `cpu` says of which CPU.

    With `eager`, descriptions that the receiver has not had come along.
    """

    kind: int
    cpu: int
    eager: int


class Ask(NamedTuple):
    """A request about descriptions: `command` is one of runtime.border.Command."""

    instance: int
    command: int
    payload: bytes


class Do(NamedTuple):
    """Do something with processes, or look something up: `verb` is one of Verb."""

    instance: int
    verb: int
    payload: bytes


class Ack(NamedTuple):
    """The answers up to this request of this boot have been taken in."""

    boot: UUID
    sequence: int


class Stamp(NamedTuple):
    """The first of four stamps: when it was sent, by the sender's clock."""

    sent: int


class Halt(NamedTuple):
    """End a Run early.  It has no answer."""


class Close(NamedTuple):
    """End tracing and everything that was started for it."""


# -- up: data --------------------------------------------------------------------------------------------

class Hello(NamedTuple):
    """The answer to Identify; `path` are the boot ids of all instances below, its own first."""

    version: int
    boot: UUID
    path: tuple[UUID, ...]


class Advertise(NamedTuple):
    """An instance with its providers.  `path` is "" for the sender itself, or leads down from it.

    Each provider comes with the UUID that it has at the sender.  `types` is the hash of the kernel's types.
    """

    instance: int
    path: str
    boot: UUID
    cpus: int
    now: int
    system: str
    types: bytes
    providers: tuple[tuple[str, UUID], ...]


class Retire(NamedTuple):
    """An instance is gone: why, and how many of its records were never acknowledged.

    `hop` is the path of the hop that has lost it.  An Advertise of it with another boot id may follow; with
    the same one, it is there again with all that it recorded.
    """

    instance: int
    hop: str
    reason: str
    records: int


class Passed(NamedTuple):
    """Time has passed at an instance, up to `now`; `early` if it stopped before it was to.

    `recorded` is how many principal records it has made so far, also those not fetched yet.
    """

    instance: int
    now: int
    early: int
    recorded: int


class Snap(NamedTuple):
    """What an instance recorded: a bufdesc and its data (runtime.border).  `boot` and `sequence` tell a
    replay."""

    instance: int
    boot: UUID
    sequence: int
    kind: int
    cpu: int
    data: bytes


class Describe(NamedTuple):
    """A description that comes without being asked for: the answer to `command` about `number`."""

    command: int
    number: int
    data: bytes


class Status(NamedTuple):
    """A status (runtime.border), and how many principal records the instance has made so far, its drops
    among them."""

    instance: int
    data: bytes
    produced: int


class Answer(NamedTuple):
    instance: int
    data: bytes


class Refused(NamedTuple):
    instance: int
    errno: int
    reason: str


class Clock(NamedTuple):
    """Three of the four stamps: `sent` as the Stamp had it, the others by the answerer's clock.

    `offset` is by how much the instance's clock is ahead of the answerer's, and `error` by how much that may
    be wrong: nothing where they are one.
    """

    instance: int
    sent: int
    received: int
    replied: int
    offset: int
    error: int


class Dropped(NamedTuple):
    """Records of an instance are lost.  `hop` is the path of where, `kind` one of a ledger's classes."""

    instance: int
    hop: str
    kind: str
    records: int


class Notice(NamedTuple):
    """What users are told while tracing: `kind` is refused, failed, renamed, pocketed or lies."""

    instance: int
    kind: str
    text: str
    records: int


class Beat(NamedTuple):
    """The sender is busy, and alive."""


class Done(NamedTuple):
    """The end of the answer.  `now` is the answerer's time; `flags` a set of the ones below."""

    now: int
    flags: int


BUFFERS, AGGREGATIONS, STATUSES = 1, 2, 3  # kinds of a Harvest
FAILED = 0xFFFF  # errno of a Refused: tracing itself has failed there, and cannot go on
INTERRUPTED = 1  # flag of Done: a signal in the machine asks to end tracing

Down = (Identify | Enable | Go | Stop | Run | Harvest | Ask | Do | Ack | Stamp | Halt | Close)
Up = (Hello | Advertise | Retire | Passed | Snap | Describe | Status | Answer | Refused | Clock | Dropped
      | Notice | Beat | Done)


# -- fields ----------------------------------------------------------------------------------------------

class _Field(NamedTuple):
    """How a value is written and read.  Reading raises FrameError or struct.error."""

    write: Callable[[object], bytes]
    read: Callable[[bytes, int], tuple[object, int]]


def _number(code: str) -> _Field:
    form = struct.Struct(f"<{code}")
    return _Field(form.pack, lambda data, at: (form.unpack_from(data, at)[0], at + form.size))


_U16, _U32 = struct.Struct("<H"), struct.Struct("<I")


def _piece(data: bytes, at: int, size: int) -> tuple[bytes, int]:
    if size > len(data) - at:
        raise FrameError(f"a field of {size} bytes where {len(data) - at} are left")
    return data[at:at + size], at + size


def _read_bytes(data: bytes, at: int) -> tuple[bytes, int]:
    return _piece(data, at + _U32.size, _U32.unpack_from(data, at)[0])


def _write_bytes(value: object) -> bytes:
    assert isinstance(value, bytes)
    return _U32.pack(len(value)) + value


def _read_text(data: bytes, at: int) -> tuple[str, int]:
    size = _U16.unpack_from(data, at)[0]
    if size > LONGEST_TEXT:
        raise FrameError(f"a text of {size} bytes")
    raw, at = _piece(data, at + _U16.size, size)
    return raw.decode("utf-8", "surrogateescape"), at


def _write_text(value: object) -> bytes:
    raw = str(value).encode("utf-8", "surrogateescape")[:LONGEST_TEXT]
    return _U16.pack(len(raw)) + raw


def _read_uuid(data: bytes, at: int) -> tuple[UUID, int]:
    raw, at = _piece(data, at, 16)
    return UUID(bytes=raw), at


def _write_uuid(value: object) -> bytes:
    assert isinstance(value, UUID)
    return value.bytes


def _list(write: Callable[[object], bytes], read: Callable[[bytes, int], tuple[object, int]],
          smallest: int) -> _Field:
    """A list of items that take at least so many bytes."""
    def write_all(values: object) -> bytes:
        assert isinstance(values, tuple)
        items: tuple[object, ...] = values
        return _U32.pack(len(items)) + b"".join(map(write, items))

    def read_all(data: bytes, at: int) -> tuple[object, int]:
        count = _U32.unpack_from(data, at)[0]
        at += _U32.size
        if count > MOST_NUMBERS or count * smallest > len(data) - at:
            raise FrameError(f"a list of {count} items where {len(data) - at} bytes are left")
        found = []
        for _ in range(count):
            item, at = read(data, at)
            found.append(item)
        return tuple(found), at

    return _Field(write_all, read_all)


def _write_named(value: object) -> bytes:
    assert isinstance(value, tuple)
    return _write_text(value[0]) + _write_uuid(value[1])


def _read_named(data: bytes, at: int) -> tuple[object, int]:
    name, at = _read_text(data, at)
    uuid, at = _read_uuid(data, at)
    return (name, uuid), at


_WORD = _number("I")
_FIELDS: dict[str, _Field] = {
    "B": _number("B"), "H": _number("H"), "I": _WORD, "Q": _number("Q"), "q": _number("q"),
    "s": _Field(_write_text, _read_text), "b": _Field(_write_bytes, _read_bytes),
    "U": _Field(_write_uuid, _read_uuid), "V": _list(_write_uuid, _read_uuid, 16),
    "L": _list(_WORD.write, _WORD.read, 4), "P": _list(_write_named, _read_named, 18),
}


class Form(NamedTuple):
    """A kind of frame: its class, a letter for each field, and the most bytes of its body."""

    type: Callable[..., object]
    fields: str
    limit: int


_SMALL, _MEDIUM = 1 << 12, 1 << 20
DOWN: Mapping[int, Form] = {
    1: Form(Identify, "HBsVUQb", _MEDIUM), 2: Form(Enable, "Lb", LARGEST), 3: Form(Go, "LQ", _MEDIUM),
    4: Form(Stop, "L", _MEDIUM), 5: Form(Run, "Q", _SMALL), 6: Form(Harvest, "BIB", _SMALL),
    7: Form(Ask, "IHb", _MEDIUM), 8: Form(Do, "IBb", _MEDIUM), 9: Form(Ack, "UQ", _SMALL),
    10: Form(Stamp, "Q", _SMALL), 11: Form(Halt, "", 0), 12: Form(Close, "", 0),
}
UP: Mapping[int, Form] = {
    0x81: Form(Hello, "HUV", _MEDIUM), 0x82: Form(Advertise, "IsUHQsbP", _MEDIUM),
    0x83: Form(Retire, "IssQ", 4 * _SMALL), 0x84: Form(Passed, "IQBQ", _SMALL),
    0x85: Form(Snap, "IUQBIb", LARGEST), 0x86: Form(Describe, "HIb", _MEDIUM),
    0x87: Form(Status, "IbQ", _SMALL), 0x88: Form(Answer, "Ib", LARGEST),
    0x89: Form(Refused, "IHs", 2 * _SMALL),
    0x8A: Form(Clock, "IQQQqQ", _SMALL), 0x8B: Form(Notice, "IssQ", 4 * _SMALL), 0x8C: Form(Beat, "", 0),
    0x8D: Form(Done, "QB", _SMALL), 0x8E: Form(Dropped, "IssQ", 4 * _SMALL),
}
_CODES = {form.type: (code, [_FIELDS[letter] for letter in form.fields])
          for forms in (DOWN, UP) for code, form in forms.items()}


def write(frame: Down | Up, number: int = 0) -> bytes:
    """Return a frame's bytes, as part of request `number`."""
    code, fields = _CODES[type(frame)]
    body = b"".join([each.write(value) for each, value in zip(fields, frame, strict=True)])
    return HEADER.pack(len(body), code, number) + body


def write_all(frames: Iterable[Down | Up], number: int = 0) -> bytes:
    return b"".join([write(frame, number) for frame in frames])


def _read(form: Form, body: bytes) -> object:
    """Return the frame that a body holds.  Raises FrameError."""
    values, at = [], 0
    try:
        for letter in form.fields:
            value, at = _FIELDS[letter].read(body, at)
            values.append(value)
    except struct.error:
        raise FrameError("a frame that ends too early") from None
    if at != len(body):
        raise FrameError(f"{len(body) - at} bytes behind the end of a frame")
    return form.type(*values)


class Parser:
    """Takes a stream apart that may hold the frames of `forms` (UP or DOWN), and nothing else.

    It never holds more than one frame: `room` bounds a body beneath what its form allows.
    """

    def __init__(self, forms: Mapping[int, Form], room: int = LARGEST) -> None:
        self._forms = forms
        self._room = room
        self._data = bytearray()

    @property
    def pending(self) -> int:
        """Bytes of a frame that has not come to its end."""
        return len(self._data)

    def feed(self, data: bytes) -> Iterator[tuple[int, object]]:
        """Yield (number of the request, frame), or a FrameError in place of a frame that is refused.

        Raises BrokenStream.
        """
        self._data += data
        at = 0
        try:
            while len(self._data) - at >= HEADER.size:
                size, code, number = HEADER.unpack_from(self._data, at)
                form = self._forms.get(code)
                limit = min(form.limit if form is not None else _MEDIUM, self._room)
                if size > limit:
                    raise BrokenStream(f"a frame {code:#x} of {size} bytes, where {limit} are allowed")
                if len(self._data) - at - HEADER.size < size:
                    break
                at += HEADER.size + size
                if form is None:
                    yield number, FrameError(f"there is no frame {code:#x} in this direction")
                    continue
                try:
                    yield number, _read(form, bytes(self._data[at - size:at]))
                except FrameError as error:
                    yield number, error
        finally:
            del self._data[:at]
