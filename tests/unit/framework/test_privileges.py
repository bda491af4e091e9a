"""The two tables of privileges, cell by cell, in both engines: which firings come, what clauses touch.

They are tables/firings.tsv and tables/accesses.tsv.  What a family of probes asks of tracers, and what
becomes of its firings, the test asks the providers of a machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dif import isa
from dif.difo import DifType
from dof.model import Action, ActionKind, ProbeDesc
from runtime.framework.base.faults import FaultKind
from runtime.framework.probes.privileges import Credentials, Privilege
from runtime.framework.probes.registry import Operations, Probe
from runtime.machine import Machine
from tests.unit.framework.conftest import Tracer, World, const, dif, trace

TABLES = Path(__file__).parent / "tables"
PLACES = ("own", "kernel", "user", "zone", "changed")
NONE = dict.fromkeys(("kernel", "user", "proc", "proc_owner", "proc_zone", "whole"), False)
TRACERS: dict[str, dict[str, int]] = {
    "all": {}, "kernel": {"kernel": True}, "kernel+proc": {"kernel": True, "proc": True},
    "kernel+proc+owner": {"kernel": True, "proc": True, "proc_owner": True},
    "kernel+proc+zone": {"kernel": True, "proc": True, "proc_zone": True},
    "zoneroot": {"zone": 3, "user": True, "proc": True, "proc_owner": True, "whole": True},
    "user+proc": {"user": True, "proc": True}, "user": {"user": True}, "proc": {"proc": True},
    "user+owner": {"user": True, "proc_owner": True}, "user+zone": {"user": True, "proc_zone": True},
}
PROBES = {"dtrace": "dtrace:::BEGIN", "syscall": "syscall::read:entry", "sched": "sched:::on-cpu",
          "proc": "proc:::create", "vminfo": "vminfo:::zfod", "sysinfo": "sysinfo:::pswitch",
          "profile": "profile:::profile-97", "tick": "profile:::tick-100", "fbt": "fbt::getf:entry",
          "sdt": "sdt:::", "io": "io:::start", "ip": "ip:::send", "mib": "mib:::", "fsinfo": "fsinfo:::"}
USERLAND, KERNEL, THREAD, STRING = 0x10000, 0xFFFFFE0000200000, 0xFFFFFE0000001000, 0x10100


def credentials(tracer: str) -> Credentials:
    held = TRACERS[tracer] if tracer == "all" else {**NONE, **TRACERS[tracer]}
    return Credentials(**{"uid": 7, "gid": 7, **held})


class Family(NamedTuple):
    """What the providers say of a family: what it asks of tracers, and what becomes of firings."""

    needs: Privilege
    in_user_mode: bool | None  # None: where it happens to be
    restricts: bool
    limits: bool


@pytest.fixture(scope="module")
def families() -> Iterator[dict[str, Family]]:
    machine = Machine({"ncpus": "1"})
    found = {"pid": Family(Privilege.PROC | Privilege.OWNER | Privilege.ZONEOWNER, True, False, False)}
    for name, text in PROBES.items():
        probe, *_ = machine.framework.match(ProbeDesc(*text.split(":")))
        operations = probe.provider.operations
        mode = None if name in ("profile", "tick") else operations.usermode(probe)
        found[name] = Family(probe.provider.privileges, mode, operations.restricts(probe),
                             operations.limits(probe))
    yield found
    machine.close()


class Played(Operations):
    """A provider's operations, where probes fire in user mode or not as a test says."""

    def __init__(self, family: Family) -> None:
        self.family = family
        self.user = True

    def usermode(self, probe: Probe) -> bool:
        return self.user if self.family.in_user_mode is None else self.family.in_user_mode

    def restricts(self, probe: Probe) -> bool:
        return self.family.restricts

    def limits(self, probe: Probe) -> bool:
        return self.family.limits

    def getarg(self, probe: Probe, index: int) -> int:
        return index


class Stage:
    """A probe of a family, and a tracer of it."""

    def __init__(self, engine: str, family: Family, tracer: str) -> None:
        self.world = World(engine)
        self.operations = Played(family)
        self.who = credentials(tracer)
        provider = self.world.framework.register("played", self.world.provider.attributes, family.needs,
                                                 self.operations, uid=self.who.uid, zone=self.who.zone)
        self.probe = provider.create("m", "f", "p")
        self.tracer: Tracer = self.world.tracer(self.who)
        host = self.world.host
        host.layouts = {"kthread_t": {"t_procp": 16, "t_cred": 24, "t_cpu": 32}}
        host.memory.add(THREAD, bytes(64))
        host.memory.add(KERNEL, bytes(64))
        host.current.memory.add(USERLAND, b"\1" * 0x100 + b"text\0" + bytes(60))

    def enable(self, *clauses: list[Action]) -> int:
        ecbs = [self.world.ecb("played:::p", clause) for clause in clauses]
        matched = self.tracer.enable(*ecbs, destructive=1)
        self.tracer.enable(self.world.ecb("dtrace:::ERROR", trace("ldgs arg4, %r1\nret %r1")))
        self.tracer.go()
        return matched

    def fire(self, place: str) -> dict[int, int]:
        """Fire it in a place; returns the first record of each clause that left one, by EPID."""
        context = self.world.host.current
        context.uid = context.gid = self.who.uid + (place == "user")
        context.zone = self.who.zone + (place == "zone")
        context.changed_credentials = place == "changed"
        self.operations.user = place != "kernel"
        self.world.fire(self.probe, 5)
        return {epid: int.from_bytes(values[-1], "little") for epid, values in self.tracer.records()}


def table(name: str) -> list[tuple[str, str, list[str]]]:
    """The rows: what is touched or which family, by which tracer, and the cells."""
    lines = (TABLES / name).read_text().splitlines()
    return [(what, tracer, cells) for line in lines if not line.startswith("#")
            for what, tracer, *cells in [line.split("\t")]]


def cells(name: str) -> list[object]:
    return [pytest.param(*row, id=f"{row[0]}-{row[1]}") for row in table(name)]


ARGUMENT, PROCESS = "ldgs arg0, %r1\nret %r1", "ldgs pid, %r1\nret %r1"


@pytest.mark.parametrize("engine", ["interpret", "translate"])
@pytest.mark.parametrize(("family", "tracer", "wanted"), cells("firings.tsv"))
def test_firings(families: dict[str, Family], engine: str, family: str, tracer: str,
                 wanted: list[str]) -> None:
    stage = Stage(engine, families[family], tracer)
    matched = stage.enable([trace(ARGUMENT)], [trace(PROCESS)], [trace("setx 1, %r1\nret %r1")])
    found = []
    for place in PLACES:
        records = stage.fire(place)
        shown = {"all": {1, 2, 3}, "process": {2, 3, 4}, "arguments": {1, 3, 4}, "fact": {3, 4}, "-": set()}
        found.append(next((name for name, epids in shown.items() if epids == set(records)), str(records)))
    assert [cell if matched else "none" for cell in found] == wanted


def _call(name: str, *values: int) -> str:
    pushes = "".join(f"setx {value}, %r1\npushtv ctf, %r1\n" for value in values)
    return f"{pushes}call {name}, %r1\nret %r1"


ACCESSES: dict[str, list[Action]] = {
    **{name: [trace(f"ldgs {name}, %r1\nret %r1")] for name in (
        "arg0", "arg7", "pid", "tid", "ppid", "uid", "gid", "errno", "execname", "zonename", "curthread",
        "ucaller", "ustackdepth", "caller", "stackdepth")},
    "args": [trace("setx 1, %r1\nldga args, %r1, %r1\nret %r1")],
    "uregs": [trace("setx 1, %r1\nldga uregs, %r1, %r1\nret %r1")],
    "progenyof": [trace(_call("progenyof", 1))],
    "getf": [trace(_call("getf", 3))],
    "copyin": [trace(_call("copyin", USERLAND, 8))],
    "copyinto": [trace(f"setx 8, %r1\nallocs %r1, %r2\nsetx {USERLAND}, %r1\npushtv ctf, %r1\nsetx 8, %r1\n"
                       "pushtv ctf, %r1\npushtv ctf, %r2\ncall copyinto, %r1\nret %r1")],
    "copyinstr": [trace(_call("copyinstr", STRING))],
    "uldx": [trace(f"setx {USERLAND}, %r1\nuldx [%r1], %r1\nret %r1")],
    "userstring": [trace(f"setx {STRING}, %r1\nret %r1",
                         DifType(kind=isa.TYPE_STRING, flags=isa.TF_BYUREF, size=16))],
    "load": [trace(f"setx {KERNEL}, %r1\nldx [%r1], %r1\nret %r1")],
    "thread": [trace(f"setx {THREAD + 8}, %r1\nldx [%r1], %r1\nret %r1")],
    "scratch": [trace("setx 8, %r1\nallocs %r1, %r1\nldx [%r1], %r1\nret %r1")],
    "constant": [trace('sets "a text", %r1\nldub [%r1], %r1\nret %r1')],
    "stack": [Action(ActionKind.STACK, arg=2)],
    "ustack": [Action(ActionKind.USTACK, arg=2)],
    "sym": [Action(ActionKind.SYM, const(1))],
    "mod": [Action(ActionKind.MOD, const(1))],
    "usym": [Action(ActionKind.USYM, const(1))],
    "copyout": [trace("setx 8, %r1\nallocs %r1, %r2\npushtv ctf, %r2\n"
                      f"setx {USERLAND}, %r1\npushtv ctf, %r1\n"
                      "setx 8, %r1\npushtv ctf, %r1\ncall copyout, %r1\nret %r1")],
    "copyoutstr": [trace(f'sets "a", %r2\npushtr string, %r0, %r2\nsetx {USERLAND}, %r1\npushtv ctf, %r1\n'
                         "setx 8, %r1\npushtv ctf, %r1\ncall copyoutstr, %r1\nret %r1")],
    "stop": [Action(ActionKind.STOP)],
    "raise": [Action(ActionKind.RAISE, const(9))],
    "panic": [Action(ActionKind.PANIC)],
    "breakpoint": [Action(ActionKind.BREAKPOINT)],
    "chill": [Action(ActionKind.CHILL, const(1000))],
}


@pytest.mark.parametrize("engine", ["interpret", "translate"])
@pytest.mark.parametrize(("access", "tracer", "wanted"), cells("accesses.tsv"))
def test_accesses(families: dict[str, Family], engine: str, access: str, tracer: str,
                  wanted: list[str]) -> None:
    stage = Stage(engine, families["tick"], tracer)
    assert stage.enable([*ACCESSES[access], Action(ActionKind.DIFEXPR, dif("setx 1, %r1\nret %r1", "int"))])
    found = []
    for place in PLACES:
        records = stage.fire(place)
        found.append("ok" if records == {1: 1} else
                     FaultKind(records[2]).name if set(records) == {2} else str(records))
    assert found == wanted


@pytest.mark.parametrize("engine", ["interpret", "translate"])
@pytest.mark.parametrize(("tracer", "cells"), [row[1:] for row in table("accesses.tsv") if row[0] == "pid"])
def test_error_shows_no_more_than_the_firing_in_which_a_clause_fails(
        families: dict[str, Family], engine: str, tracer: str, cells: list[str]) -> None:
    """One clause on ERROR always leaves a record, the other where the failing one may see the process."""
    stage = Stage(engine, families["tick"], tracer)
    stage.tracer.enable(stage.world.ecb("dtrace:::ERROR", ACCESSES["pid"]))
    assert stage.enable([trace("setx 1, %r1\nldx [%r1], %r1\nret %r1")])
    assert [1 + (cell == "ok") for cell in cells] == [len(stage.fire(place)) for place in PLACES]


def test_tracers_are_alike_in_every_part() -> None:
    others: list[dict[str, Any]] = [
        {"uid": 1}, {"gid": 1}, {"zone": 1}, {"root": b"/z"}, {"kernel": False}, {"whole": False},
        {"proc_owner": False}, {"proc_zone": False}]
    assert Credentials() == Credentials() and hash(Credentials()) == hash(Credentials())
    assert Credentials() != ()
    for parts in others:
        assert Credentials() != Credentials(**parts)
