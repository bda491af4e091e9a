"""What the instances have recorded: their statuses, buffers with times by the host's clock, aggregations."""

from __future__ import annotations

import errno
from collections.abc import Iterator

from runtime.border import BUFDESC, RECHDR, BorderError, BufDesc, Command, EprobeDesc, Status
from runtime.instances.root.membership import Told
from runtime.instances.root.root import Root
from runtime.instances.root.timekeeper import Timekeeper
from runtime.instances.roster.paths import HOST
from runtime.instances.wire import frames as f


class Snapshots:
    """Fetches what was recorded.  `described` are the descriptions that came along, by command and number."""

    def __init__(self, root: Root, time: Timekeeper) -> None:
        self._root = root
        self._time = time
        self.described: dict[tuple[int, int], bytes] = {}
        self._buffers: dict[int, bytes | None] = {}
        self._sizes: dict[int, int] = {}
        self._reported = 0  # all that is older has been handed on
        self._passed = 0  # what time it was everywhere when buffers were fetched last
        self.ordered = False  # the consumer wants the order of time

    def status(self, _payload: bytes) -> bytes:
        """The counts of all instances.  Raises BorderError where none can tell its own."""
        root, refused, found = self._root, None, False
        for each in root.handle(f.Harvest(f.STATUSES, 0, 0)):
            if isinstance(each, f.Status):
                found = True
                root.membership.statuses.take(each.instance, Status.unpack(each.data))
                root.membership.ledger.produce(root.instances[each.instance].path, each.produced)
            elif isinstance(each, f.Refused):
                refused = each
        if not found and refused is not None:
            raise root.refusals.error(refused)
        return root.membership.statuses.total().pack()

    def buffer(self, payload: bytes) -> bytes:
        """The buffer of a CPU; all are fetched when the first is wanted.  Raises BorderError."""
        cpu = BufDesc.unpack(payload).cpu
        if self._root.instances.single:
            return self._snapped(f.Harvest(f.BUFFERS, cpu, 0))
        if cpu not in self._buffers and not self._buffers:
            self._fetch()
        data = self._buffers.pop(cpu, None)
        if data is None:
            raise BorderError(errno.ENOENT, f"no buffer of CPU {cpu}")
        return data

    def aggregations(self, payload: bytes) -> bytes:
        """The merged aggregations of all, which are the first CPU's.  Raises BorderError."""
        cpu = BufDesc.unpack(payload).cpu
        if self._root.instances.single:
            return self._snapped(f.Harvest(f.AGGREGATIONS, cpu, 0))
        if cpu:
            raise BorderError(errno.ENOENT, "merged with those of the first CPU")
        found = b""
        for each in self._root.handle(f.Harvest(f.AGGREGATIONS, f.EVERY, 1)):
            if isinstance(each, f.Describe):
                self._keep(each)
            elif isinstance(each, f.Snap):
                found = each.data
        if not found:
            raise BorderError(errno.ENOENT, "no rows")
        return found

    def _snapped(self, frame: f.Harvest) -> bytes:
        """The host's snapshot, just as its device returns it."""
        for each in self._root.handle(frame):
            if isinstance(each, f.Snap):
                return each.data
            if isinstance(each, f.Refused):
                raise self._root.refusals.error(each)
        raise BorderError(errno.ENOENT, "no buffer")

    def _fetch(self) -> None:
        """Have every CPU of every instance hand over its buffer."""
        root = self._root
        numbers = {place: cpu for cpu, place in enumerate(root.instances.cpus())}
        self._buffers = dict.fromkeys(numbers.values())
        times: list[int] = []
        for each in root.handle(f.Harvest(f.BUFFERS, f.EVERY, 1)):
            if isinstance(each, f.Describe):
                self._keep(each)
            elif isinstance(each, f.Snap):
                clock = root.membership.clocks[each.instance].at(root.now)
                description = BufDesc.unpack(each.data)
                times.append(description.timestamp - clock.offset - clock.error)
                cpu = numbers[each.instance, each.cpu]
                before = self._buffers[cpu] or BufDesc(cpu=cpu).pack()
                self._buffers[cpu] = joined(before, self._in_host_time(each, description, clock.offset))
        self._reported = max(min(times, default=0), self._passed)  # one that lags does not hold up the rest
        self._passed = self._time.passed()
        for cpu, data in self._buffers.items():
            if data is not None:
                stamped = BufDesc.unpack(data)._replace(timestamp=self._reported)
                self._buffers[cpu] = stamped.pack() + data[BUFDESC.size:]

    def _keep(self, told: f.Describe) -> None:
        self.described[told.command, told.number] = told.data
        if told.command == Command.EPROBE:
            self._sizes[told.number] = EprobeDesc.unpack(told.data).size

    def _in_host_time(self, snap: f.Snap, description: BufDesc, offset: int) -> bytes:
        """Return a snapshot with times by the host's clock, without the records that come too late for the
        order of time; what comes and what does not is entered in the ledger."""
        data, records, late = bytearray(snap.data), 0, 0
        for at, size, epid, time in self._records(snap.data):
            records += 1
            if self.ordered and time - offset < self._reported:
                late += 1
                data[at:at + size] = bytes(size)  # filler
            elif offset:
                time = max(time - offset, 0)
                RECHDR.pack_into(data, at, epid, time >> 32, time & 0xFFFFFFFF)
        path, ledger = self._root.instances[snap.instance].path, self._root.membership.ledger
        ledger.deliver(path, records - late)
        ledger.drop(path, path, "principal", description.drops)
        ledger.drop(path, HOST, "late", late)
        if late:
            self._root.membership.told.append(Told("dropped", path, f"late at {HOST}", late))
        return bytes(data)

    def _records(self, data: bytes) -> Iterator[tuple[int, int, int, int]]:
        """The records of a snapshot: where, how many bytes, of which EPID, and when."""
        at = BUFDESC.size
        while at + RECHDR.size <= len(data):
            epid, high, low = RECHDR.unpack_from(data, at)
            size = self._sizes.get(epid, 0) if epid else 4
            if not size:
                return
            if epid:
                yield at, size, epid, high << 32 | low
            at += size


def joined(first: bytes, second: bytes) -> bytes:
    """Two snapshots of one buffer as one."""
    one, other = BufDesc.unpack(first), BufDesc.unpack(second)
    body = first[BUFDESC.size:] + second[BUFDESC.size:]
    return other._replace(size=len(body), drops=one.drops + other.drops,
                          errors=one.errors + other.errors).pack() + body
