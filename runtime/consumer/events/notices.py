"""Errors and drops as the lines a dtrace user knows."""

from __future__ import annotations

from dif.records import Record
from runtime.border import CPUALL, FaultKind, ProbeDescription, Status
from runtime.consumer.events.names import printable

FAULTS: dict[int, str] = {
    FaultKind.BADADDR: "invalid address", FaultKind.BADALIGN: "invalid alignment",
    FaultKind.ILLOP: "illegal operation", FaultKind.DIVZERO: "divide-by-zero",
    FaultKind.NOSCRATCH: "out of scratch space", FaultKind.KPRIV: "invalid kernel access",
    FaultKind.UPRIV: "invalid user access", FaultKind.TUPOFLOW: "tuple stack overflow",
    FaultKind.BADSTACK: "bad stack", FaultKind.LIBRARY: "library-level fault",
}
_WITH_ADDRESS = (FaultKind.BADADDR, FaultKind.BADALIGN, FaultKind.BADSTACK)


class Place(Record, frozen=True):
    """A piece of a line of a program's source: `line` and `column` count from 1, `end` is the column after
    it; `file` is "" for a program of the command line.
    """

    file: str
    line: int
    column: int
    end: int

    def __str__(self) -> str:
        place = f"line {self.line}, column {self.column}"
        return f'"{printable(self.file)}", {place}' if self.file else place


class Fault(Record, frozen=True):
    """An error in an enabled clause.  `action` 0 is the predicate, -1 none; `offset` -1 is unknown.

    Where the program was compiled here, `source` is the place of what failed, and `why` says what was wrong
    with the value, or is "".
    """

    cpu: int
    epid: int
    probe: ProbeDescription
    fault: int
    action: int = -1
    offset: int = -1
    address: int = 0
    reason: str = ""  # of a library-level fault, or what else is known of one
    source: Place | None = None
    why: str = ""
    instance: str = ""  # where several are traced as one

    @property
    def message(self) -> str:
        """One line without its newline."""
        if self.fault == FaultKind.LIBRARY:
            return f"error on {self.enabled}: {self.reason}"
        what = f"{self.what} ({self.address:#x})" if self.fault in _WITH_ADDRESS else self.what
        reason = f" ({self.reason})" if self.reason else ""
        return f"error on {self.enabled}: {what} in {self.where}{reason}"

    @property
    def enabled(self) -> str:
        """The enabled probe."""
        probe = f"{self.instance}:{self.probe}" if self.instance else str(self.probe)
        return f"enabled probe ID {self.epid} (ID {self.probe.id}: {printable(probe)})"

    @property
    def what(self) -> str:
        """The kind of error."""
        return FAULTS.get(self.fault, "unknown fault")

    @property
    def where(self) -> str:
        """The part of the clause."""
        place = f"action #{self.action}" if self.action else "predicate"
        return place if self.offset == -1 else f"{place} at DIF offset {self.offset}"


class Repeats(Record, frozen=True):
    """So many more errors like one that has been reported, on so many other enabled probes of the clause."""

    first: Fault
    count: int
    others: int = 0

    @property
    def message(self) -> str:
        """One line without its newline."""
        others = f" and {self.others} other{'s' if self.others > 1 else ''}" if self.others else ""
        return f"… {self.count} more on {self.first.enabled}{others}: {self.first.what} in {self.first.where}"


class Drop(Record, frozen=True):
    """Records that were lost.  `cpu` is CPUALL where losses are not counted by CPU."""

    kind: str  # DTRACEDROP_*
    count: int
    text: str
    suffix: str = ""
    cpu: int = CPUALL
    instance: str = ""  # where several are traced as one

    def message(self, tags: bool) -> str:
        """One line without its newline, with its tag in front on request (droptags)."""
        line = f"{self.count} {self.text}{'s' if self.count > 1 else ''}{self.suffix}"
        if self.cpu != CPUALL:
            line += f" on CPU {self.cpu}"
        if self.instance:
            line += f" of {self.instance}"
        return f"[{self.kind}] {line}" if tags else line


def principal_drop(instance: str, cpu: int, count: int) -> Drop:
    return Drop("DTRACEDROP_PRINCIPAL", count, "drop", cpu=cpu, instance=instance)


def aggregation_drop(instance: str, cpu: int, count: int, suffix: str = "") -> Drop:
    return Drop("DTRACEDROP_AGGREGATION", count, "aggregation drop", suffix, cpu, instance)


FILLED = "DTRACEDROP_FILLED"


def filled(buffers: int, size: int) -> Drop:
    """Of the policy `fill`: what did not find room in so many buffers ended tracing.  (The tag is ours.)"""
    return Drop(FILLED, buffers, "buffer",
                f" became full, and tracing has ended (bufpolicy=fill, bufsize={size})")


# field of Status, kind, words before and after the plural
_COUNTERS = (
    ("dyndrops", "DTRACEDROP_DYNAMIC", "dynamic variable drop", ""),
    ("dyndrops_rinsing", "DTRACEDROP_DYNRINSE", "dynamic variable drop", " with non-empty rinsing list"),
    ("dyndrops_dirty", "DTRACEDROP_DYNDIRTY", "dynamic variable drop", " with non-empty dirty list"),
    ("specdrops", "DTRACEDROP_SPEC", "speculative drop", ""),
    ("specdrops_busy", "DTRACEDROP_SPECBUSY", "failed speculation", " (available buffer(s) still busy)"),
    ("specdrops_unavail", "DTRACEDROP_SPECUNAVAIL", "failed speculation",
     " (no speculative buffer available)"),
    ("stkstroverflows", "DTRACEDROP_STKSTROVERFLOW", "jstack()/ustack() string table overflow", ""),
    ("dblerrors", "DTRACEDROP_DBLERROR", "error", " in ERROR probe enabling"),
)


def status_drops(old: Status, new: Status) -> list[Drop]:
    """Return what was lost between two STATUS requests."""
    return [Drop(kind, getattr(new, field) - getattr(old, field), text, suffix)
            for field, kind, text, suffix in _COUNTERS if getattr(new, field) != getattr(old, field)]
