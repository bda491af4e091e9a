"""From per-CPU buffers to firings, in the order in which they are reported.

Without the `temporal` option each CPU's buffer is reported in turn, but BEGIN comes before all
others and END after them, whichever CPU they fired on.  With it, records come in the order of their time.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence

from dif import records
from runtime.border import RECHDR, Command, ProbeDescription, RecDesc
from runtime.consumer.decoding import Planner, Step
from runtime.consumer.events.descriptions import Descriptions
from runtime.consumer.events.errors import AnswerError
from runtime.consumer.events.notices import Fault
from runtime.consumer.events.records import (
    BoundFormat,
    Clear,
    Firing,
    Flow,
    Library,
    Normalize,
    Record,
    Run,
    SetOption,
    Truncate,
)

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.consumer.events.answers import Answers

ERROR_ECB = 1  # uarg of the consumer's own dtrace:::ERROR enabling
_EPID = 4  # bytes of filler
_FILLER = bytes(_EPID)
_RUN, _LONGEST = 8, 4096  # firings that are worth being shown at once, and that are at most
_LIBRARY = (Clear, Normalize, Truncate, SetOption)

Sink = Callable[[Firing], None]
Place = tuple[str, int]  # an instance's path, and a CPU of it


class Buffer(records.Record):
    """A snapshot of one CPU's principal buffer; `at` is how far it has been read."""

    cpu: int
    data: bytes
    drops: int
    timestamp: int
    at: int = 0

    def next(self) -> int:
        """Skip filler.  Returns the offset of the next record, or of the end."""
        data, at = self.data, self.at
        while at + _EPID <= len(data) and data[at:at + _EPID] == b"\0\0\0\0":
            at += _EPID
        self.at = at if at + RECHDR.size <= len(data) else len(data)
        return self.at

    def oldest(self) -> int:
        """Return the time of the next record, or of the snapshot if there is none."""
        at = self.next()
        if at >= len(self.data):
            return self.timestamp
        _epid, high, low = RECHDR.unpack_from(self.data, at)
        return high << 32 | low


_STANDING = Flow()  # without the flowindent option


class _Enabling(records.Record):
    """All that is known of an epid."""

    probe: ProbeDescription
    uarg: int
    size: int
    steps: list[Step]
    acts: bool  # whether there are steps that return actions
    is_begin: bool
    is_plain: bool  # there is no more to a firing than its records
    shown: Sequence[RecDesc | BoundFormat] | None  # where firings can be shown by the run


def _alike(data: bytes, start: int, size: int) -> tuple[int, int]:
    """How many bytes there are from a firing at `start` to the next one of the same clause, and how many of
    them follow one another; it is one of them.

    Its records have `size` bytes, a multiple of four, and may need a word of filler after them.
    """
    filled = data[start + size:start + size + _EPID] == _FILLER
    size += _EPID * filled
    if data[start + size:start + size + _EPID] != data[start:start + _EPID]:
        return size, 1
    step, count = size // _EPID, 0
    for most in (_RUN, _LONGEST):
        most = min((len(data) - start) // size, most)
        words = memoryview(data)[start:start + most * size].cast("I")
        epids = words[::step].tolist()
        fillers = words[step - 1::step].tolist() if filled else [0] * most
        count = next((n for n in range(most) if epids[n] != epids[0] or fillers[n]), most)
        if count < most:
            break
    return size, count


def _flow_kind(name: str) -> str:
    for kind in ("entry", "return"):
        if name == kind or name.endswith("-" + kind):
            return kind
    return ""


_ARROWS = {("entry", False): " -> ", ("entry", True): " => ",
           ("return", False): " <- ", ("return", True): " <= "}


class Reader:
    """Reads buffers of one device.

    `firing` receives each firing, unless `run` has taken it with others, `fault` each error of a clause,
    `act` each library action when its turn comes, `drop` the records a CPU lost.  Where several instances
    are one device, `places` says what each of its CPUs is.  `written` is as the Planner has it.
    """

    def __init__(self, answers: Answers, descriptions: Descriptions, ncpus: int, *, firing: Sink,
                 run: Callable[[Run], bool], fault: Callable[[Fault], None],
                 act: Callable[[Library, Firing], None], drop: Callable[[int, int], None],
                 target: str = "illumos", places: Sequence[Place] = (),
                 written: Mapping[int, bytes] | None = None) -> None:
        self._answers = answers
        self._descriptions = descriptions
        self._planner = Planner(descriptions.format, target, written)
        self._cpus = range(ncpus)
        self._places = places
        self._run = run
        self._firing, self._fault, self._act, self._drop = firing, fault, act, drop
        self._enablings: dict[int, _Enabling] = {}
        self._last_epid = 0
        self._indent = 0
        self._queue: list[tuple[int, int, Buffer]] = []
        self._turn = 0
        self.flowing = False  # -F: work out entries and returns

    # -- snapshots -------------------------------------------------------------------------------

    def _snapshot(self, cpu: int) -> Buffer | None:
        """What CPU `cpu` recorded since the last time; None for a CPU that is not there."""
        found = self._answers.snapshot(Command.BUFSNAP, cpu)
        if found is None:
            return None
        desc, data = found
        if desc.oldest:
            data = data[desc.oldest:] + data[:desc.oldest]
        return Buffer(cpu, data, desc.drops, desc.timestamp)

    def read(self, began: int | None, ended: int | None) -> None:
        """Report every CPU's records.

        `began` is the CPU of BEGIN, when this is the first time; `ended` that of END, once tracing
        is stopped.
        """
        if began is not None:
            self._read_begin(began, ended)
        for cpu in self._cpus:
            if cpu != ended:
                self._read_cpu(cpu)
        if ended is not None:
            self._read_cpu(ended)

    def _read_cpu(self, cpu: int) -> None:
        buffer = self._snapshot(cpu)
        if buffer is not None:
            self._indent = 0
            self._consume(buffer)

    def _read_begin(self, cpu: int, ended: int | None) -> None:
        """Report BEGIN first.  If END fired on the same CPU, the rest of that buffer comes last of all."""
        buffer = self._snapshot(cpu)
        if buffer is None:
            return
        if cpu != ended:
            self._consume(buffer)
            return
        drops, buffer.drops = buffer.drops, 0
        self._consume(buffer, wanted=True)
        for other in self._cpus:
            if other != cpu:
                self._read_cpu(other)
        buffer.at, buffer.drops = 0, drops
        self._consume(buffer, wanted=False)

    def read_in_time(self, stopped: bool) -> None:
        """Report records of all CPUs in the order of their time.

        Records that are younger than the oldest snapshot wait for the next call, unless tracing is stopped.
        """
        drops: dict[int, int] = {}
        first: int | None = None
        for cpu in self._cpus:
            buffer = self._snapshot(cpu)
            if buffer is None:
                continue
            first = buffer.timestamp if first is None else first
            drops[cpu], buffer.drops = buffer.drops, 0
            self._push(buffer)
        while self._queue:
            time, _turn, buffer = heapq.heappop(self._queue)
            if buffer.next() >= len(buffer.data):
                if time == first and not stopped:
                    break
                continue
            self._one(buffer, None)
            self._push(buffer)
        for cpu, count in drops.items():
            if count:
                self._drop(cpu, count)

    def _push(self, buffer: Buffer) -> None:
        self._turn += 1
        heapq.heappush(self._queue, (buffer.oldest(), self._turn, buffer))

    # -- records ---------------------------------------------------------------------------------

    def _consume(self, buffer: Buffer, wanted: bool | None = None) -> None:
        """Report a buffer; with `wanted`, only what BEGIN did (True) or did not do (False)."""
        end = len(buffer.data)
        while buffer.next() < end:
            if self.flowing or not self._plain(buffer, wanted):
                self._one(buffer, wanted)
        if buffer.drops:
            self._drop(buffer.cpu, buffer.drops)
            buffer.drops = 0

    def _plain(self, buffer: Buffer, wanted: bool | None) -> bool:
        """Report a run of firings with nothing but records; returns whether there was one at least.

        It does what `_one` does for each of them, at less cost.
        """
        data, at, end = buffer.data, buffer.at, len(buffer.data) - RECHDR.size
        known, unpack, report = self._enablings, RECHDR.unpack_from, self._firing
        instance, cpu = self._places[buffer.cpu] if self._places else ("", buffer.cpu)
        first = alone = at  # up to `alone`, firings are reported one by one
        while at <= end:
            epid, high, low = unpack(data, at)
            if not epid:  # filler
                at += _EPID
                continue
            enabling = known.get(epid)
            if enabling is None or not enabling.is_plain or at + enabling.size > len(data):
                break
            start, at = at, at + enabling.size
            self._last_epid = epid
            buffer.at = at
            if wanted is None or enabling.is_begin == wanted:
                if start >= alone and enabling.shown is not None:
                    size, count = _alike(data, start, enabling.size)
                    alone = start + size * count
                    if count >= _RUN:
                        run = Run(epid, cpu, instance, enabling.probe, enabling.shown,
                                  memoryview(data)[start:alone], size)
                        if self._run(run):
                            buffer.at = at = alone
                            continue
                        alone = end
                firing = Firing(cpu, epid, enabling.probe, high << 32 | low, _STANDING, instance)
                firing.have([step(data, start) for step in enabling.steps])  # type: ignore[misc]
                report(firing)
        return at > first

    def _one(self, buffer: Buffer, wanted: bool | None) -> None:
        start = buffer.at
        epid, high, low = RECHDR.unpack_from(buffer.data, start)
        enabling = self._enablings.get(epid) or self._enabling(epid)
        buffer.at = start + enabling.size
        if enabling.size < RECHDR.size or buffer.at > len(buffer.data):
            raise AnswerError(f"a record of probe {enabling.probe} goes beyond the end of its buffer")
        if enabling.uarg == ERROR_ECB:
            fault = self._error(buffer, start)
            if wanted is None or self._enabling(fault.epid).is_begin == wanted:
                self._fault(fault)
            return
        flow = self._flow(buffer, epid, enabling) if self.flowing else _STANDING
        if wanted is None or enabling.is_begin == wanted:
            instance, cpu = self._places[buffer.cpu] if self._places else ("", buffer.cpu)
            firing = Firing(cpu, epid, enabling.probe, high << 32 | low, flow, instance)
            if enabling.acts:
                firing.feed(self._records(enabling, buffer.data, start, firing))
                self._firing(firing)
                firing.drain()
            else:
                data = buffer.data
                firing.have([step(data, start) for step in enabling.steps])  # type: ignore[misc]
                self._firing(firing)
        if flow.kind == "entry":
            self._indent += 2
        self._last_epid = epid

    def _records(self, enabling: _Enabling, data: bytes, base: int, firing: Firing) -> Iterator[Record]:
        for step in enabling.steps:
            record = step(data, base)
            if isinstance(record, _LIBRARY):
                self._act(record, firing)
            else:
                yield record

    def _enabling(self, epid: int) -> _Enabling:
        known = self._enablings.get(epid)
        if known is None:
            desc = self._descriptions.ecb(epid)
            steps = [] if desc.uarg == ERROR_ECB else self._planner.plan(desc)
            probe, acts = self._descriptions.probe(desc.probe_id), self._planner.acts(desc)
            known = self._enablings[epid] = _Enabling(
                probe, desc.uarg, desc.size, steps, acts,
                probe.provider == "dtrace" and probe.name == "BEGIN",
                not acts and desc.uarg != ERROR_ECB and desc.size >= RECHDR.size,
                None if acts or desc.uarg == ERROR_ECB else self._planner.shown(desc))
        return known

    def _error(self, buffer: Buffer, start: int) -> Fault:
        """A firing of the ERROR enabling: five traced words."""
        epid = int.from_bytes(buffer.data[start:start + 4], "little")
        record = buffer.data[start:]
        words = [int.from_bytes(record[r.offset:r.offset + r.size], "little", signed=True)
                 for r in self._descriptions.ecb(epid).records]
        if len(words) != 5:
            raise AnswerError("the ERROR enabling does not have five records")
        faulting = words[0] & 0xFFFFFFFF
        instance, cpu = self._places[buffer.cpu] if self._places else ("", buffer.cpu)
        return Fault(cpu, faulting, self._enabling(faulting).probe, words[3], words[1], words[2],
                     words[4] & (1 << 64) - 1, instance=instance)

    def _flow(self, buffer: Buffer, epid: int, enabling: _Enabling) -> Flow:
        """Return where a firing stands: entries indent and returns unindent.

        Further clauses of the same probe do neither.
        """
        kind = _flow_kind(enabling.probe.name)
        prefix = _ARROWS.get((kind, enabling.probe.provider == "syscall"), "| ")
        if kind == "entry" and self._last_epid not in (0, epid) and \
                self._enabling(self._last_epid).probe.id == enabling.probe.id:
            kind = ""
        if kind == "return" and buffer.next() < len(buffer.data):
            following = RECHDR.unpack_from(buffer.data, buffer.at)[0]
            if following != epid and self._enabling(following).probe.id == enabling.probe.id:
                kind = ""
        if kind == "return" and self._indent > 0:
            self._indent -= 2
        return Flow(kind, self._indent, prefix if kind else "| ")
