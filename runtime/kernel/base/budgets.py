"""How much a machine may use: a limit for each thing that programs and scripts could use without end.

What programs exceed fails with an errno, and the machine says so once.  Programs that go on all the same, or
exceed the output or the time on CPUs, end the run: `Budgets.ended` says why, and what drives the machine
looks there.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable

from dif.limits import (
    MACHINE_DISK,
    MACHINE_FILES,
    MACHINE_MEMORY,
    MACHINE_OUTPUT,
    MACHINE_TASKS,
    NANOSECONDS,
    PLAIN_NAME,
    SYMBOLS,
)
from dif.records import Record

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object

MOST_REFUSALS = 20_000  # of one thing, after which programs are taken for a bomb that will never end
LAST_WORDS = 1 << 20  # bytes that END and the last report may write after the output is used up


class Limits(Record, frozen=True):
    """The limits of a machine: bytes, counts, and `cputime` in ns.  0 stands for none where it may be."""

    memory: int = MACHINE_MEMORY
    processes: int = MACHINE_TASKS
    openfiles: int = MACHINE_FILES
    disk: int = MACHINE_DISK
    output: int = MACHINE_OUTPUT
    cputime: int = 0
    symbols: int = SYMBOLS  # of a file; what dtrace reads, not what programs use
    demangled: int = PLAIN_NAME  # characters of a name


class Allowance(Protocol):
    """What a part of the kernel may use: a budget, or the kernel's memory."""

    def take(self, size: int) -> None:
        """Account for `size` more.  Raises OSError."""

    def give(self, size: int) -> None:
        """Account for `size` less."""


class Budget:
    """What is used of one thing.  Taking more than `limit` fails with `number`, and `refused` is told."""

    def __init__(self, limit: int, number: int = errno.ENOSPC,
                 refused: Callable[[], None] = lambda: None) -> None:
        self.limit = limit
        self.used = 0
        self._number = number
        self._refused = refused

    def take(self, size: int) -> None:
        """Account for `size` more.  Raises OSError."""
        if size > 0 and self.used + size > self.limit:
            self._refused()
            raise OSError(self._number, os.strerror(self._number))
        self.used += size

    def grant(self, size: int) -> int:
        """Account for as much of `size` as there is, and return how much that is."""
        used = self.used + size
        if used <= self.limit:
            self.used = used
            return size
        granted = max(self.limit - self.used, 0)
        self.used += granted
        self._refused()
        return granted

    def give(self, size: int) -> None:
        self.used -= size


# The option of each limit, and what there is no more of and what programs get then.
_REFUSALS = {
    "memory": ("memory", "memory is full: programs get ENOMEM, and the largest is killed"),
    "processes": ("processes", "there are {} processes and threads: programs get EAGAIN"),
    "openfiles": ("openfiles", "{} files are open: programs get ENFILE"),
    "passed": ("openfiles", "{} files are on their way through sockets: programs get ETOOMANYREFS"),
    "disk": ("disk", "the disk is full: programs get ENOSPC"),
}


class Budgets:
    """The budgets of one machine.  `stop` is called when one ends the run."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.stop: Callable[[str], None] = lambda reason: None
        self.ended: str | None = None  # which budget has ended the run, for people
        self.files = Budget(self.limits.openfiles, errno.ENFILE, lambda: self.refuse("openfiles"))
        self.passed = Budget(self.limits.openfiles, errno.ETOOMANYREFS, lambda: self.refuse("passed"))
        self.disk = Budget(self.limits.disk, errno.ENOSPC, lambda: self.refuse("disk"))
        self.output = Budget(self.limits.output, errno.ENOSPC, self._output_ended)
        self.cpu_left = self.limits.cputime or None  # ns that programs may yet be on CPUs
        self._refusals = dict.fromkeys(_REFUSALS, 0)
        self._told: set[str] = set()

    def tell(self, text: str) -> None:
        """Say, once, what dtrace leaves out of what it reads of programs."""
        if text not in self._told:
            self._told.add(text)
            console(text, "dtrace")

    def refuse(self, what: str) -> None:
        """Say, once, that programs have met a limit; end the run if they go on as if they had not."""
        self._refusals[what] += 1
        option, text = _REFUSALS[what]
        limit = getattr(self.limits, option)
        if self._refusals[what] == 1:
            console(f"{text.format(limit)} (-x {option}={written(option, limit)})")
        elif self._refusals[what] == MOST_REFUSALS:
            self.end(f"programs have met a limit {MOST_REFUSALS:,} times and went on "
                     f"(-x {option}={written(option, limit)})")

    def end(self, reason: str) -> None:
        """End the run."""
        if self.ended is None:
            self.ended = reason
            self.stop("a budget is used up")

    def ran(self, nanoseconds: int) -> None:
        """Account for time that a program has been on a CPU."""
        if self.cpu_left is not None:
            self.cpu_left -= nanoseconds
            if self.cpu_left <= 0:
                self.cpu_left = None
                self.end("programs have used their time on CPUs (-x cputime="
                         f"{written('cputime', self.limits.cputime)})")

    def _output_ended(self) -> None:
        self.end(f"the output is full (-x output={written('output', self.limits.output)})")

    def last_words(self) -> None:
        """Let what ends the run be reported, even if the output is full."""
        self.output.limit = max(self.output.limit, self.output.used + LAST_WORDS)


def written(option: str, value: int) -> str:
    """A limit as it would be set."""
    if option in ("cputime", "timeout"):
        unit = next(unit for unit in ("s", "ms", "us", "ns") if value % NANOSECONDS[unit] == 0)
        return f"{value // NANOSECONDS[unit]}{unit}"
    if option in ("processes", "openfiles"):
        return str(value)
    for unit, shift in (("g", 30), ("m", 20), ("k", 10)):
        if value and value % (1 << shift) == 0:
            return f"{value >> shift}{unit}"
    return str(value)


def console(text: str, speaker: str = "kernel") -> None:
    """Say something as the kernel, or as `speaker`, on the host's standard error."""
    try:
        os.write(2, f"{speaker}: {text}\n".encode())
    except OSError:
        return
