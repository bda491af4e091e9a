"""The loop that feeds a target: seeds first, then mutations of them, until a number or a time is reached.

An input is bytes.  A target runs one; it may raise only its declared exceptions.  Anything else that comes
out is a finding: another exception, an input that takes too much processor time, or one that takes too much
memory.  Where a process dies of a signal, its last input is in `LAST` of its directory.

The loop learns without instrumenting the program: an input is kept as a new seed when it ended as no other
did.  The end of an input is what `run` returns, or the lines from which its exception came.
`guided.py` learns from coverage instead.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import mmap
import random
import resource
import signal
import time
import traceback
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import FrameType

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
CORPUS = HERE / "corpus"
WORK = ROOT / "build" / "fuzz"
LAST = "last"  # the input that is being run
LONGEST = 1 << 20  # bytes of an input
KEPT = 2000  # seeds that a run collects at most
ADDRESSES = 1 << 30  # bytes of memory that inputs may ask for, beyond what the target has
SHRINKING = 400  # attempts to make an input that found something smaller
INNERMOST = 4  # calls by which exceptions are told apart

Mutator = Callable[[random.Random, bytes, Sequence[bytes]], bytes]


@dataclass
class Target:
    """What is fuzzed.

    `run` takes an input; `declared` are the exceptions by which it may refuse one.  `mutate` makes an input
    of another one, with all seeds to take parts from.  `seeds` are made besides those in corpus/NAME.  An
    input `counts` as so many executions.  `seconds` of processor time and `megabytes` of growth are what one
    input may take.  (More than ADDRESSES beyond what the target begins with is a MemoryError.)  `finish` is
    called after the last input, and raises AssertionError where the run did not reach what it should.
    """

    run: Callable[[bytes], Hashable]
    declared: tuple[type[BaseException], ...]
    mutate: Mutator
    seeds: Callable[[], Sequence[bytes]] = tuple
    counts: int = 1
    seconds: int = 5
    megabytes: int = 200
    finish: Callable[[], None] | None = None

    def declares(self, error: BaseException) -> bool:
        """Whether an input may end so.  A declared ValueError does not stand for its subclasses."""
        return any(type(error) is each or (isinstance(error, each) and each.__module__ != "builtins")
                   for each in self.declared)


@dataclass
class Finding:
    """What escaped, by which input."""

    kind: str
    where: str
    trace: str
    data: bytes
    path: Path | None = None


@dataclass
class Result:
    """What a run did.  `refused` counts the inputs that ended with a declared exception."""

    target: str
    seed: int
    executions: int = 0
    refused: int = 0
    kept: int = 0
    seconds: float = 0.0
    megabytes: int = 0
    slowest: float = 0.0
    findings: list[Finding] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Executions per second of processor time."""
        return self.executions / self.seconds if self.seconds else 0.0

    def row(self) -> dict[str, object]:
        """The result as JSON has it."""
        findings = [{"kind": each.kind, "where": each.where, "trace": each.trace, "path": str(each.path)}
                    for each in self.findings]
        return {**{each.name: getattr(self, each.name) for each in fields(self)}, "rate": self.rate,
                "findings": findings}


class TooLong(BaseException):
    """An input took more processor time than its target allows."""


class TooLarge(BaseException):
    """While an input ran, the process grew by more than its target allows since it was last looked at."""


# Of a hundred executions of all targets, how many are of one: the quick ones have most.
SHARES = {"options": 14, "probe_descriptions": 12, "demanglers": 6, "sparc_code": 10, "x86_code": 4,
          "i386_code": 4, "dof_enabling": 5, "dof_helper": 6, "dof_anonymous": 3, "difas": 3, "engines": 10,
          "d_source": 1}
SHARE = 2  # of every other target


def shared(total: int, name: str) -> int:
    """How many of `total` executions are a target's."""
    return -(-total * SHARES.get(name, SHARE) // sum(SHARES.get(each, SHARE) for each in names()))


def names() -> list[str]:
    """Every target, by the name of its file."""
    return sorted(path.stem for path in (HERE / "targets").glob("[a-z]*.py"))


def load(name: str) -> Target:
    """The target of a name.  It may take a second to set up."""
    target: Target = importlib.import_module(f"tests.fuzz.targets.{name}").target()
    return target


def corpus(name: str) -> list[bytes]:
    """The committed seeds of a target: each line of a .txt is one, any other file is one as it is."""
    seeds: list[bytes] = []
    for path in sorted((CORPUS / name).glob("*")):
        data = path.read_bytes()
        seeds += filter(None, data.split(b"\n")) if path.suffix == ".txt" else [data]
    return seeds


class _Watch:
    """Raises TooLong in an input that is still running when its time is over, TooLarge where memory grows.

    A timer of the process ticks; an input that has seen `ticks` of them is too long.  So an input costs
    nothing but counting it.
    """

    TICK = 0.25  # seconds of processor time

    def __init__(self, seconds: int, megabytes: int) -> None:
        self.executions = 0
        self._ticks = int(seconds / self.TICK)
        self._seen, self._count = 0, 0
        self._megabytes = megabytes
        self._peak = 0

    def __enter__(self) -> _Watch:
        self._peak = peak()
        signal.signal(signal.SIGVTALRM, self._tick)
        signal.setitimer(signal.ITIMER_VIRTUAL, self.TICK, self.TICK)
        return self

    def __exit__(self, *_error: object) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    def _tick(self, _number: int, _frame: FrameType | None) -> None:
        if self.executions != self._seen:
            self._seen, self._count = self.executions, 0
        self._count += 1
        grown, self._peak = peak() - self._peak, peak()
        if grown > self._megabytes:
            raise TooLarge(f"{grown} MB")
        if self._count > self._ticks:
            self._count = 0
            raise TooLong


def _raised(error: BaseException) -> Hashable:
    """The class of an exception and the innermost lines that it came through."""
    lines: list[object] = []
    trace = error.__traceback__
    while trace is not None:
        lines.append((trace.tb_frame.f_code, trace.tb_lineno))
        trace = trace.tb_next
    return (type(error), *lines[-INNERMOST:])


def limit_memory() -> None:
    """Let the process have ADDRESSES bytes more than it has now."""
    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[0])
    most = pages * resource.getpagesize() + ADDRESSES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def peak() -> int:
    """The most memory that this process has had so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


class Loop:
    """A run of one target."""

    def __init__(self, name: str, seed: int) -> None:
        self.target = load(name)
        self.random = random.Random(f"{name} {seed}")
        self.result = Result(name, seed)
        self.seeds = [*corpus(name), *self.target.seeds()]
        self.directory = WORK / name
        self._ends: set[Hashable] = set()
        self._found: set[str] = set()
        self._limits: tuple[int | None, float | None] = (None, None)
        self._started = self._cpu = 0.0
        self._last: mmap.mmap
        self._watch = _Watch(self.target.seconds, self.target.megabytes)

    def run(self, executions: int | None, seconds: float | None) -> Result:
        """Feed the target until `executions` inputs have run, or `seconds` of time have passed."""
        with self.begun(executions, seconds):
            for data in self._inputs():
                if self.over:
                    break
                self.one(data)
        return self.finished()

    @contextlib.contextmanager
    def begun(self, executions: int | None, seconds: float | None) -> Iterator[None]:
        """What must be around the inputs, until the run is `over`."""
        self._limits = executions, seconds
        self._started, self._cpu = time.monotonic(), time.process_time()
        self.directory.mkdir(parents=True, exist_ok=True)
        path = self.directory / LAST
        with open(path, "w+b") as file:
            file.truncate(LONGEST + 8)
            with mmap.mmap(file.fileno(), LONGEST + 8) as self._last, self._watch:
                yield
        path.unlink(missing_ok=True)

    @property
    def over(self) -> bool:
        """Whether the number or the time is reached."""
        executions, seconds = self._limits
        return (executions is not None and self.result.executions >= executions) or \
            (seconds is not None and time.monotonic() - self._started >= seconds)

    def finished(self) -> Result:
        """The result of the run."""
        result = self.result
        if self.target.finish is not None:
            try:
                self.target.finish()
            except AssertionError as error:
                result.findings.append(Finding("AssertionError", "finish", str(error), b""))
        result.kept = len(self.seeds)
        result.seconds = time.process_time() - self._cpu
        result.megabytes = peak()
        return result

    def _inputs(self) -> Iterator[bytes]:
        if not self.seeds:
            self.seeds.append(b"")
        yield from list(self.seeds)
        while True:
            yield self.target.mutate(self.random, self.random.choice(self.seeds), self.seeds)[:LONGEST]

    def one(self, data: bytes) -> None:
        """Run an input: keep what is new about how it ends, and what escapes."""
        result = self.result
        self._last[:8] = len(data).to_bytes(8, "little")  # in the file even if the process dies
        self._last[8:8 + len(data)] = data
        started = time.perf_counter()
        self._watch.executions += 1
        result.executions += self.target.counts
        try:
            end: Hashable = self.target.run(data)
        except (Exception, TooLong, TooLarge) as error:
            if not self.target.declares(error):
                self._keep(self._finding(error, data))
                return
            result.refused += 1
            end = _raised(error)
        result.slowest = max(result.slowest, time.perf_counter() - started)
        if end not in self._ends and len(self.seeds) < KEPT:
            self._ends.add(end)
            self.seeds.append(data)

    # -- findings ------------------------------------------------------------------------------------

    def _finding(self, error: BaseException, data: bytes) -> Finding:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__)
                  if frame.filename.startswith(str(ROOT)) and "/.venv/" not in frame.filename]
        place = frames[-1] if frames else None
        where = f"{Path(place.filename).relative_to(ROOT)}:{place.lineno}" if place else "?"
        kind = type(error).__name__
        return Finding(kind, where if kind not in ("TooLong", "TooLarge") else "",
                       "".join(traceback.format_exception(error)[-12:]), data)

    def _keep(self, finding: Finding) -> None:
        """Shrink and save the first input that ends in a place."""
        key = f"{finding.kind} {finding.where}"
        if key in self._found:
            return
        self._found.add(key)
        if finding.kind not in ("TooLong", "TooLarge"):
            finding.data = self._shrunk(finding)
        folder = self.directory / "findings"
        folder.mkdir(parents=True, exist_ok=True)
        finding.path = folder / hashlib.sha256(finding.data).hexdigest()[:12]
        finding.path.write_bytes(finding.data)
        self.result.findings.append(finding)

    def _shrunk(self, finding: Finding) -> bytes:
        """The smallest part of an input by which the same exception comes from the same line."""
        best, size, left = finding.data, max(1, len(finding.data) // 2), SHRINKING
        while left and size:
            at, smaller = 0, False
            while at < len(best) and left:
                left -= 1
                part = best[:at] + best[at + size:]
                if self._ends_alike(part, finding):
                    best, smaller = part, True
                else:
                    at += size
            if not smaller or size > len(best):
                size //= 2
        return best

    def _ends_alike(self, data: bytes, finding: Finding) -> bool:
        self._watch.executions += 1  # of the watch only: it has its own time
        try:
            self.target.run(data)
        except (Exception, TooLong) as error:
            again = self._finding(error, data)
            alike = (again.kind, again.where) == (finding.kind, finding.where)
            return alike and not self.target.declares(error)
        return False
