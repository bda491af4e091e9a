"""The table of tracepoints: where each is, how its instruction is executed, and for which probes.

Places of probes that are not enabled are listed too, as they would be; so are
stretches of text that cannot be traced, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dif.records import NamedTuple
from runtime.providers.fasttrap.loadobjects import process_of

if TYPE_CHECKING:
    from runtime.framework.probes.registry import Probe
    from runtime.kernel.process.process import Process
    from runtime.kernel.process.thread import Thread
    from runtime.providers.fasttrap.fasttrap import Fasttrap
    from runtime.providers.fasttrap.instructions.space import TracedSpace

MOST_JUMPS = 5  # that are told one by one
HEADING = (f"{'PID':>5} {'ADDRESS':>16} {'LOCATION':36} {'BYTES':23} {'INSTRUCTION':36} "
           f"{'TREATMENT':10} {'HITS':>8} PROBES (WHY)")


class Row(NamedTuple):
    """One place; `original` are the instruction's bytes, `why` explains the treatment."""

    pid: int
    address: int
    location: str
    original: bytes
    instruction: str
    treatment: str
    why: str
    hits: int
    probes: list[str]

    def __str__(self) -> str:
        return (f"{self.pid:5} {self.address:16x} {self.location:36} {self.original.hex(' '):23} "
                f"{self.instruction:36} {self.treatment:10} {self.hits:8} "
                f"{' '.join(self.probes)} ({self.why})")


def listing(owner: Fasttrap, looker: Process | None = None) -> Iterator[Row]:
    """A row for each place, by process and address, in processes that the one that looks may control."""
    for pid in sorted({*owner.pids, *(pid for pid, _ in owner.usdt.providers)}):
        process = process_of(owner.kernel, pid)
        if process is not None and (looker is None or looker.may_control(process)):
            yield from rows(owner, process)


class Past:
    """The rows of programs that have ended since it was made, in the order in which they did."""

    def __init__(self, owner: Fasttrap) -> None:
        self._rows: list[tuple[Process, Row]] = []
        self._owner = owner
        self._leaving: dict[int, list[Row]] = {}  # of processes that are about to execute another program
        owner.leaving.append(self._exits)
        hooks = owner.kernel.hooks
        hooks.attach("exec", self._leaves)
        hooks.attach("exec_success", self._left)

    def _leaves(self, thread: Thread, _path: bytes) -> None:
        self._leaving[thread.pid] = list(rows(self._owner, thread.process))

    def _left(self, thread: Thread) -> None:
        self._rows += [(thread.process, row) for row in self._leaving.pop(thread.pid, ())]

    def _exits(self, process: Process) -> None:
        self._rows += [(process, row) for row in rows(self._owner, process)]

    def of(self, looker: Process | None) -> list[Row]:
        """The rows of programs that a process may control; None may control all."""
        return [row for process, row in self._rows if looker is None or looker.may_control(process)]


def rows(owner: Fasttrap, process: Process) -> Iterator[Row]:
    """Those of one process, by address."""
    wanted: dict[int, list[Probe]] = {}
    for probe, addresses in owner.places(process.pid):
        for address in addresses:
            wanted.setdefault(address, []).append(probe)
    refused = _refused(owner, process)
    if wanted or refused:
        traced = owner.tracepoints.of(process)
        for address in sorted(wanted.keys() | refused.keys()):
            yield _row(owner, process, traced, address, wanted.get(address, []), refused.get(address))


def refusals(owner: Fasttrap, looker: Process | None = None) -> Iterator[str]:
    """A line for each place that was asked for and is refused."""
    for pid, provider in sorted(owner.pids.items()):
        if looker is not None and not looker.may_control(provider.process):
            continue
        for address, why in sorted(provider.refused.items()):
            yield f"pid{pid}: {_location(owner, provider.process, address)}: {why}"


def hidden(owner: Fasttrap, looker: Process | None = None) -> Iterator[str]:
    """A line for each computed jump behind which a function has no probes, for a few of them."""
    jumps = [(provider, address) for pid, provider in sorted(owner.pids.items())
             if looker is None or looker.may_control(provider.process) for address in sorted(provider.jumps)]
    for provider, address in jumps[:MOST_JUMPS]:
        place = _location(owner, provider.process, address)
        yield (f"pid{provider.process.pid}: {place}: code that only this computed jump leads to, "
               "for data lie there, too")
    if len(jumps) > MOST_JUMPS:
        yield f"code that only {len(jumps) - MOST_JUMPS} more jumps lead to"


def _refused(owner: Fasttrap, process: Process) -> dict[int, str]:
    """Why places that probes were asked for have none, by address."""
    provider = owner.pids.get(process.pid)
    return dict(provider.refused) if provider is not None else {}


def _row(owner: Fasttrap, process: Process, traced: TracedSpace, address: int, probes: list[Probe],
         refusal: str | None) -> Row:
    plan, point = traced.plan(address), traced.points.get(address)
    original = traced.original(address, plan.size)
    instruction = traced.isa.decode(original, address)
    names = [str(probe.description) for probe in probes]
    return Row(process.pid, address, _location(owner, process, address), original,
               traced.isa.text(instruction) if instruction is not None else "",
               "refused" if refusal is not None else str(plan.treatment), refusal or plan.why,
               point.hits if point is not None else 0, names)


def _location(owner: Fasttrap, process: Process, address: int) -> str:
    """module`function+offset."""
    each = owner.objects.at(process, address)
    if each is None:
        return f"{address:#x}"
    function = each.file.function_at(address - each.bias)
    if function is None:
        return f"{each.name}`{address - each.bias:#x}"
    return f"{each.name}`{function.name}+{address - each.bias - function.start:#x}"
