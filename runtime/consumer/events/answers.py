"""The kernel's answers, each checked where it enters: its form, its figures, what program it is about.

Nothing behind this file looks at an answer's bytes before it has been here.  What an enabling or an
aggregation records is checked once, when it is described; a record is then taken apart without more checks
than that it ends within its buffer.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Callable

from dof.model import ACTION_NAMES, ActionClass, ActionKind
from runtime.border import (
    ARGTYPELEN,
    BUFDESC,
    PROBEDESC,
    RECHDR,
    AggDesc,
    ArgDesc,
    BorderError,
    BufDesc,
    Command,
    EprobeDesc,
    PackedProbes,
    ProbeDescription,
    ProviderDesc,
    RecDesc,
    Status,
)
from runtime.consumer.events.errors import AnswerError

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import TypeVar

    from dof.model import Action, Ecb, Program
    from runtime.border import Device

    _T = TypeVar("_T")
    _Layout = tuple[int, tuple[tuple[int, bytes, int, int], ...]]  # of a clause: uarg, and its records

# where the last byte of each name of a description stands: a NUL
_PROBE_ENDS = (67, 131, 323, 387)
_ARGUMENT_ENDS = (12 + ARGTYPELEN - 1, 12 + 2 * ARGTYPELEN - 1)
_STABILITY, _CLASS = 7, 5  # the highest of each
_NUMBERS = (1, 2, 4, 8)  # bytes of what is an integer
_EPROBE_HEAD, _AGG_HEAD, _RECORD = 24, 40, 32  # bytes of descriptions
_VARIABLE_AT = 8  # of an aggregation's record: where the variable's id begins
_FORMATTED = frozenset({ActionKind.PRINTF, ActionKind.PRINTA, ActionKind.SYSTEM, ActionKind.FREOPEN,
                        ActionKind.DIFEXPR})
_EXPRESSIONS = _FORMATTED | {ActionKind.LIBACT, ActionKind.TRACEMEM, ActionKind.TRACEMEM_DYNSIZE,
                             ActionKind.PRINTM}
_VALUES = {ActionKind.AGG_COUNT: 8, ActionKind.AGG_MIN: 8, ActionKind.AGG_MAX: 8, ActionKind.AGG_SUM: 8,
           ActionKind.AGG_AVG: 16, ActionKind.AGG_STDDEV: 32, ActionKind.AGG_QUANTIZE: 127 * 8}
_SYMBOLS = {ActionKind.SYM: 8, ActionKind.MOD: 8, ActionKind.USYM: 16, ActionKind.UMOD: 16,
            ActionKind.UADDR: 16}  # bytes
_PARAMETERS = (ActionKind.AGG_LQUANTIZE, ActionKind.AGG_LLQUANTIZE)
_LEAST = 16  # bytes of such a value: the parameters and one bucket
# Where several instances are one device, an enabling's uarg is CLAUSE, the number of the clause among those
# that were enabled, and APART if its aggregations have the instance as a key
CLAUSE, APART = 1 << 32, 1 << 33


class Answers:
    """The requests of one device.

    Every method may raise BorderError, where the kernel refuses, and AnswerError.
    """

    def __init__(self, device: Device, ncpus: int) -> None:
        self._device = device
        self._ncpus = ncpus
        self._enabled: list[Program] = []  # whose clauses are not among the layouts yet
        self._layouts: dict[_Layout, set[tuple[int, ...]]] = {}
        self._aggregates: set[tuple[int, int]] = set()
        self._status = Status()
        self.programs = 0  # how many were enabled here
        self.any_program = False  # what is traced was enabled elsewhere
        self.only_own = True  # clauses of programs are for dtrace's own probes

    def _ask(self, command: Command, payload: bytes, unpack: Callable[[bytes], _T]) -> _T:
        answer = self._device.ioctl(command, payload)
        try:
            return unpack(answer)
        except (struct.error, ValueError) as error:  # a DofError is one, whose file loads slowly
            raise AnswerError(f"{command.name}: an answer of {len(answer)} bytes makes no sense: "
                              f"{error}") from None

    # -- probes and providers ----------------------------------------------------------------------

    def probes(self, command: Command, wanted: ProbeDescription,
               instance: str = "") -> PackedProbes[ProbeDescription]:
        """PROBES or PROBEMATCH; of several instances that are traced as one, of which."""
        answer = self._device.ioctl(command, wanted.pack() + instance.encode())
        if len(answer) % PROBEDESC.size:
            raise AnswerError(f"{command.name}: the description of a probe is cut off")
        for end in _PROBE_ENDS:
            _demand(not any(answer[end::PROBEDESC.size]), command, "a name does not end")
        return PackedProbes(answer, ProbeDescription)

    def argument(self, probe: int, index: int) -> ArgDesc | None:
        """PROBEARG; None if there is no such argument."""
        def unpack(answer: bytes) -> ArgDesc:
            found = ArgDesc.unpack(answer)
            _demand(not any(answer[end] for end in _ARGUMENT_ENDS), Command.PROBEARG, "a type does not end")
            return found

        found = self._ask(Command.PROBEARG, ArgDesc(probe, index).pack(), unpack)
        if found.ndx < 0:
            return None
        _demand(found.id == probe and found.ndx == index and found.mapping >= 0, Command.PROBEARG,
                f"argument {found.ndx} of probe {found.id} instead of argument {index} of probe {probe}")
        return found

    def provider(self, name: str) -> ProviderDesc:
        """PROVIDER."""
        found = self._ask(Command.PROVIDER, ProviderDesc(name).pack(), ProviderDesc.unpack)
        for names, data, klass in found.attributes:
            _demand(names <= _STABILITY and data <= _STABILITY and klass <= _CLASS, Command.PROVIDER,
                    "a stability that there is not")
        return found

    # -- programs ----------------------------------------------------------------------------------

    def enable(self, dof: bytes, program: Program) -> int:
        """ENABLE: how many probes the program matched."""
        self.know(program)
        matched, = self._ask(Command.ENABLE, dof, struct.Struct("<i").unpack)
        _demand(matched >= 0, Command.ENABLE, f"{matched} probes")
        return int(matched)

    def know(self, program: Program) -> None:
        """Check what is traced against a program that the kernel has enabled already, too."""
        self._enabled.append(program)
        self.programs += 1
        self.only_own &= all(ecb.probe.own for ecb in program.ecbs)

    def begin(self) -> int:
        """GO: the CPU on which BEGIN fired."""
        return self._cpu(Command.GO)

    def end(self) -> int:
        """STOP: the CPU on which END fired."""
        return self._cpu(Command.STOP)

    def _cpu(self, command: Command) -> int:
        cpu, = self._ask(command, b"", struct.Struct("<i").unpack)
        _demand(0 <= cpu < self._ncpus, command, f"there is no CPU {cpu}")
        return int(cpu)

    def options(self) -> list[tuple[int, int]]:
        """DOFGET: numbers and values."""
        from dof.reader import read

        return self._ask(Command.DOFGET, b"", lambda answer: read(answer).options)

    def status(self) -> Status:
        """STATUS."""
        new = self._ask(Command.STATUS, b"", Status.unpack)
        counted, before = (each[:6] + each[8:10] for each in (new, self._status))  # what is lost
        _demand(all(map(int.__ge__, counted, before)), Command.STATUS, "counts that go backwards")
        self._status = new
        return new

    # -- buffers -----------------------------------------------------------------------------------

    def snapshot(self, command: Command, cpu: int) -> tuple[BufDesc, bytes] | None:
        """BUFSNAP or AGGSNAP; None for a CPU that is not there or not traced."""
        try:
            answer = self._device.ioctl(command, BufDesc(cpu=cpu).pack())
        except BorderError as error:
            if error.errno == errno.ENOENT:
                return None
            raise
        _demand(len(answer) >= BUFDESC.size, command, "a snapshot that is cut off")
        desc, data = BufDesc.unpack(answer), answer[BUFDESC.size:]
        _demand(desc.size == len(data), command, f"a snapshot of {desc.size} bytes that has {len(data)}")
        _demand(desc.oldest <= desc.size, command, "a snapshot that begins beyond its end")
        return desc, data

    # -- what buffers hold -------------------------------------------------------------------------

    def format(self, number: int) -> bytes:
        """FORMAT."""
        return self._device.ioctl(Command.FORMAT, number.to_bytes(2, "little")).rstrip(b"\0")

    def ecb(self, epid: int, format_of: Callable[[int], bytes]) -> EprobeDesc:
        """EPROBE: an enabling, with records that lie within it and are those of one of our clauses.

        `format_of` returns a format, as format() does.
        """
        command = Command.EPROBE
        found = EprobeDesc.unpack(self._described(command, epid, _EPROBE_HEAD, 20)[0])
        _demand(found.epid == epid, command, f"enabling {found.epid} instead of {epid}")
        # A clause that records nothing has none, yet ERROR may tell of a fault in it.
        _demand(found.size == 0 or found.size >= RECHDR.size, command, f"a record of {found.size} bytes")
        for record in found.records:
            _check(record, command, RECHDR.size, found.size)
        if self._knows_programs():
            _demand(self._is_ours(found, format_of), command,
                    f"enabling {epid} records what no clause of the program does")
        return found

    def aggregation(self, number: int) -> AggDesc:
        """AGGDESC: an aggregation, with keys and value that lie within its records."""
        command = Command.AGGDESC
        answer, count = self._described(command, number, _AGG_HEAD, 32)
        found = AggDesc.unpack(answer)
        _demand(found.id == number, command, f"aggregation {found.id} instead of {number}")
        _demand(count >= 2, command, "an aggregation without a variable or without a value")
        *keys, value = found.records
        for record in keys:
            _check(record, command, _VARIABLE_AT, value.offset)
        _demand(keys[0].size in _NUMBERS, command, f"an aggregation variable of {keys[0].size} bytes")
        _check(value, command, _VARIABLE_AT, found.size)
        _check_value(value, command)
        if self._knows_programs():
            _demand((value.action, value.arg) in self._aggregates, command,
                    f"aggregation {number} does what no clause of the program does")
        return found

    def _described(self, command: Command, number: int, head: int, count_at: int) -> tuple[bytes, int]:
        """A description: `head` bytes, and as many records as its integer at `count_at` says; that number."""
        answer = self._device.ioctl(command, number.to_bytes(4, "little"))
        _demand(len(answer) >= head, command, "a description that is cut off")
        count, = struct.unpack_from("<i", answer, count_at)
        _demand(len(answer) == head + _RECORD * count, command,
                f"a description of {count} records in {len(answer)} bytes")
        return answer, count

    # -- our programs ------------------------------------------------------------------------------

    def _knows_programs(self) -> bool:
        """Whether all that is traced are programs of this session, which are then noted."""
        for program in self._enabled:
            for ecb in program.ecbs:
                self._note(ecb)
        self._enabled.clear()
        return self.programs > 0 and not self.any_program

    def _note(self, ecb: Ecb) -> None:
        """Keep what a clause records: what its actions are, and how long their records if that is fixed."""
        kept = recorded(ecb)
        self._aggregates.update((each.kind, each.arg) for each in ecb.actions if _aggregates(each))
        layout = ecb.uarg, tuple([
            (each.kind, (each.string or "").encode("utf-8", "surrogateescape") if each.kind in _FORMATTED
             else b"", each.arg if each.kind == ActionKind.LIBACT else 0, each.uarg) for each in kept])
        self._layouts.setdefault(layout, set()).add(tuple([_size(each) for each in kept]))

    def _is_ours(self, found: EprobeDesc, format_of: Callable[[int], bytes]) -> bool:
        """Whether an enabling's records are those of a clause that was enabled."""
        layout = found.uarg if found.uarg < CLAUSE else 0, tuple([
            (each.action, format_of(each.format) if each.format else b"",
             each.arg if each.action == ActionKind.LIBACT else 0, each.uarg) for each in found.records])
        return any(all(size in (_ANY, each.size) for size, each in zip(sizes, found.records, strict=True))
                   for sizes in self._layouts.get(layout, ()))


def _aggregates(action: Action) -> bool:
    return action.kind & 0xFF00 == ActionClass.AGGREGATION


def recorded(ecb: Ecb) -> list[Action]:
    """Return the actions of a clause whose records EPROBE describes: not those of aggregations."""
    found: list[Action] = []
    for action in ecb.actions:
        if _aggregates(action):
            del found[len(found) - action.ntuple:]
        else:
            found.append(action)
    return found


_ANY = -1  # size


def _size(action: Action) -> int:
    """Return the bytes of an action's record, _ANY where options or the kernel decide."""
    if action.kind not in _EXPRESSIONS or action.difo is None:
        return _ANY
    return action.difo.rtype.size or _ANY


def _demand(holds: bool, command: Command, problem: str) -> None:
    if not holds:
        raise AnswerError(f"{command.name}: {problem}")


def _check(record: RecDesc, command: Command, low: int, high: int) -> None:
    """Raise AnswerError if a record does not lie from `low` to `high`, or has not the size of its kind."""
    action, size, depth = record.action, record.size, record.arg & 0xFFFFFFFF
    _demand(not size or (low <= record.offset and record.offset + size <= high), command,
            f"{size} bytes at {record.offset} do not lie in a record from {low} to {high}")
    fits = True
    if action == ActionKind.EXIT:
        fits = size in _NUMBERS
    elif action == ActionKind.PRINTM:
        fits = size >= 8
    elif action == ActionKind.STACK:
        fits = not size or not depth or size // depth in (4, 8)
    elif action in (ActionKind.USTACK, ActionKind.JSTACK):
        fits = not size or not depth or size >= 8 * (depth + 1)
    elif action in _SYMBOLS:
        fits = size == _SYMBOLS[action]
    _demand(fits, command, f"{size} bytes for a record of {ACTION_NAMES[action] if not fits else action}")


def _check_value(record: RecDesc, command: Command) -> None:
    """Raise AnswerError if an aggregation's value is not as long as its function makes it."""
    if record.action in _PARAMETERS:
        fits = record.size >= _LEAST and record.size % 8 == 0
    else:
        fits = record.size == _VALUES.get(record.action)
    _demand(fits, command, f"a value of {record.size} bytes for action {record.action:#x}")
