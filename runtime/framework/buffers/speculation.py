"""Speculations: buffers whose records become real with commit() and vanish with discard()."""

from __future__ import annotations

from enum import Enum

from dif.arithmetic import MASK
from runtime.border import RECHDR
from runtime.framework.base.faults import DifFault, FaultKind
from runtime.framework.buffers.principal import Buffer

UNCOMMITTED = MASK  # timestamp of a speculative record


class Phase(Enum):
    """Where a speculation stands (dtrace_speculation_state_t)."""

    INACTIVE = 1
    ACTIVE = 2  # handed out, nothing recorded
    ACTIVE_ONE = 3  # recorded on one CPU
    ACTIVE_MANY = 4
    COMMITTING_MANY = 5  # other CPUs' parts wait for the cleaner
    DISCARDING = 6


class Speculation:
    """One speculation with its buffer per CPU."""

    def __init__(self, buffers: list[Buffer]) -> None:
        self.phase = Phase.INACTIVE
        self.buffers = buffers


class Speculations:
    """All speculations of a state; ids count from 1, and 0 is none."""

    def __init__(self, count: int, ncpus: int, size: int) -> None:
        self.all = [Speculation([Buffer(cpu, size) for cpu in range(ncpus)] if size else [])
                    for _ in range(count)]
        self.busy = 0
        self.unavailable = 0

    def open(self) -> int:
        """speculation(): a new speculation's id, or 0 if all are in use; then it counts why."""
        busy = False
        for number, speculation in enumerate(self.all, 1):
            if speculation.phase is Phase.INACTIVE:
                speculation.phase = Phase.ACTIVE
                return number
            busy |= speculation.phase in (Phase.COMMITTING_MANY, Phase.DISCARDING)
        if busy:
            self.busy += 1
        else:
            self.unavailable += 1
        return 0

    def _find(self, number: int) -> Speculation | None:
        if number == 0:
            return None
        if number > len(self.all):
            raise DifFault(FaultKind.ILLOP)
        return self.all[number - 1]

    def buffer(self, number: int, cpu: int) -> Buffer | None:
        """speculate(): the buffer into which the clause records now; None if it must not record.

        An id that does not exist is no fault here, unlike in commit and discard.
        """
        speculation = self._find(number) if number <= len(self.all) else None
        if speculation is None or not speculation.buffers:
            return None
        buffer = speculation.buffers[cpu]
        match speculation.phase:
            case Phase.ACTIVE:
                speculation.phase = Phase.ACTIVE_ONE
            case Phase.ACTIVE_ONE:
                if not buffer.offset:
                    speculation.phase = Phase.ACTIVE_MANY
            case Phase.ACTIVE_MANY:
                pass
            case _:
                return None
        return buffer

    def commit(self, number: int, cpu: int, into: Buffer, sizes: dict[int, int], now: int) -> None:
        """Move what `cpu` has recorded into its principal buffer, stamped with the time `now`.

        Other CPUs' parts follow at the cleaner's next run.
        """
        speculation = self._find(number)
        if speculation is None or not speculation.buffers:
            return
        source = speculation.buffers[cpu]
        match speculation.phase:
            case Phase.ACTIVE:
                last = Phase.INACTIVE
            case Phase.ACTIVE_ONE:
                last = Phase.INACTIVE if source.offset else Phase.COMMITTING_MANY
            case Phase.ACTIVE_MANY | Phase.COMMITTING_MANY:
                last = Phase.COMMITTING_MANY
            case _:
                return
        self._copy(source, into, sizes, now)
        speculation.phase = last

    @staticmethod
    def _copy(source: Buffer, into: Buffer, sizes: dict[int, int], now: int) -> None:
        records = bytearray(source.data[:source.offset])
        at = 0
        while at + RECHDR.size <= len(records):
            epid, _high, _low = RECHDR.unpack_from(records, at)
            if not epid:
                at += 4
                continue
            RECHDR.pack_into(records, at, epid, now >> 32 & 0xFFFFFFFF, now & 0xFFFFFFFF)
            at += sizes[epid]
        offset = into.reserve(len(records), 8)
        if offset >= 0:
            into.data[offset:offset + len(records)] = bytes(records)
            into.offset = offset + len(records)
        source.offset = 0
        source.dropped += source.drops
        source.drops = 0

    def discard(self, number: int, cpu: int) -> None:
        """Forget the speculation's records."""
        speculation = self._find(number)
        if speculation is None or not speculation.buffers:
            return
        buffer = speculation.buffers[cpu]
        match speculation.phase:
            case Phase.ACTIVE | Phase.ACTIVE_MANY:
                speculation.phase = Phase.DISCARDING
            case Phase.ACTIVE_ONE:
                speculation.phase = Phase.INACTIVE if buffer.offset else Phase.DISCARDING
            case _:
                return
        buffer.offset = buffer.drops = 0

    def clean(self, principal: list[Buffer], sizes: dict[int, int], now: int) -> None:
        """The cleaner: finish commits and discards on every CPU."""
        for speculation in self.all:
            if speculation.phase not in (Phase.COMMITTING_MANY, Phase.DISCARDING):
                continue
            for cpu, buffer in enumerate(speculation.buffers):
                if speculation.phase is Phase.COMMITTING_MANY and buffer.offset:
                    self._copy(buffer, principal[cpu], sizes, now)
                buffer.offset = 0
            speculation.phase = Phase.INACTIVE

    def drops(self) -> int:
        """Records that found no room in a speculation buffer and were committed without."""
        return sum(buffer.dropped for speculation in self.all for buffer in speculation.buffers)
