"""Non-interference by random D: another zone's secrets change nothing that a zone's tracer gets.

Two machines differ only in what another zone has in memory and in files, in names and in users.  A tracer
of the first zone runs random scripts in both, in all that the language lets it try: whatever is recorded,
counted and refused must be the same, to the nanosecond.  DTRACE_SCRIPTS tells how many scripts are tried.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import pytest

from dc.diagnostics import CompileError
from runtime.consumer.consumer import Consumer
from runtime.consumer.events.handler import Callbacks
from runtime.framework.probes.privileges import Credentials
from runtime.kernel.process import daemons
from runtime.machine import Machine
from tests.unit.runtime.neighbours import BUSY, OTHERS, build, part, write_machine

SCRIPTS = int(os.environ.get("DTRACE_SCRIPTS", "15"))
ADDRESSES = """syscall::read:entry /zonename == "db"/ {
    trace((uint64_t)curthread); trace((uint64_t)curthread->t_procp); trace((uint64_t)curthread->t_cred);
    trace((uint64_t)curthread->t_procp->p_zone); trace((uint64_t)&curthread->t_procp->p_user);
    trace((uint64_t)getf(arg0)); trace((uint64_t)getf(arg0)->f_vnode);
    trace((uint64_t)getf(arg0)->f_vnode->v_path); trace((uint64_t)curthread->t_procp->p_zone->zone_name);
    trace((uint64_t)curthread->t_cpu); exit(0); }"""
PROBES = (
    "BEGIN", "END", "ERROR", "tick-1ms", "tick-7ms", "profile-997", "profile-1999", "syscall:::entry",
    "syscall:::return", "syscall::read:entry", "syscall::openat:return", "sched:::on-cpu", "sched:::off-cpu",
    "sched:::wakeup", "sched:::sleep", "sched:::enqueue", "proc:::exec-success", "proc:::create",
    "proc:::exit", "proc:::signal-send", "vminfo:::", "sysinfo:::", "vminfo:::as_fault",
    "pid$target::use_files:entry", "pid$target::use_files:return")
NUMBERS = (
    "pid", "tid", "ppid", "uid", "gid", "errno", "cpu", "timestamp", "vtimestamp", "walltimestamp", "arg0",
    "arg1", "arg2", "arg4", "arg7", "epid", "id", "ucaller", "ustackdepth", "caller", "stackdepth",
    "(uint64_t)curthread", "uregs[R_PC]", "curpsinfo->pr_pid", "curpsinfo->pr_euid", "curlwpsinfo->pr_lwpid",
    "curpsinfo->pr_zoneid", "curcpu->cpu_id", "progenyof(103)", "progenyof(1)", "{address}", "rand()",
    "*(uint64_t *){address}", "*(int *)({address} + {small})", "*(uint64_t *)copyin({user}, 8)",
    "(uint64_t)getf({small})", "(uint64_t)getf({small})->f_vnode", "getf({small})->f_offset",
    "strlen({string})", "index({string}, {string})", "self->x", "v", "a[{number}]", "this->t",
    "fds[{small}].fi_offset", "{number} + {number}", "{number} == {number}",
    "({number} ? {number} : {number})",
    "curthread->t_procp->p_pidp->pid_id", "curthread->t_procp->p_parent->p_pidp->pid_id",
    "`zone0.zone_next->zone_id", "curthread->t_cred->cr_uid", "mutex_owned((kmutex_t *){address})",
    "((struct proc *){address})->p_pidp->pid_id", "`ncpus", "strtoll({string})", "{small}")
STRINGS = (
    "execname", "zonename", "probefunc", "probename", "curpsinfo->pr_psargs", "curpsinfo->pr_fname",
    "copyinstr({user})", "copyinstr({user}, {small})", "copyinstr({number})", "fds[{small}].fi_pathname",
    "fds[{small}].fi_name", "fds[{small}].fi_mount", "stringof((char *){address})", "cleanpath({string})",
    "basename({string})", "strjoin({string}, {string})", "substr({string}, {small})", "cwd", "root",
    "stringof(curthread->t_procp->p_user.u_psargs)", "stringof(`zone0.zone_next->zone_next->zone_name)",
    "stringof(curthread->t_procp->p_parent->p_user.u_comm)", "stringof(getf({small})->f_vnode->v_path)",
    "lltostr({number})", "inet_ntoa((ipaddr_t *){address})", "toupper({string})", '"text"',
    "strtok({string}, \"/\")", "stringof(((zone_t *){address})->zone_nodename)")
ACTIONS = (
    "trace({number});", "trace({string});", 'printf("%d %s", {number}, {string});', "@ = count();",
    "@n[{string}] = count();", "@q[{string}] = quantize({number});", "@s[{number}] = sum({number});",
    "@m = max({number});", "@t[tid, {string}] = avg({number});", "ustack();", "stack(3);",
    "@u[ustack(3)] = count();", "usym({number});", "sym({number});", "umod(ucaller);", "self->x = {number};",
    "v = {number};", "a[{number}] = {number};", "this->t = {number};", "tracemem(copyin({user}, 16), 16);",
    "tracemem({address}, 16);", "this->s = speculation();")
DECLARED = "uint64_t v; uint64_t a[uint64_t]; self uint64_t x; this uint64_t t;"


class Writer:
    """Writes scripts.  `address` are places of the kernel, `user` of programs."""

    def __init__(self, seed: int, address: list[int], user: list[int]) -> None:
        self._chance = random.Random(seed)
        self._leaves = {"address": address, "user": user, "small": range(8)}
        self._grammar = {"number": NUMBERS, "string": STRINGS}

    def fill(self, text: str, depth: int = 0) -> str:
        """Replace what stands in braces by texts of that kind, at last by simple ones."""
        done, rest = "", text
        while "{" in rest:
            before, _, rest = rest.partition("{")
            name, _, rest = rest.partition("}")
            if name in self._leaves:
                made = f"{self._chance.choice(self._leaves[name]):#x}"
            else:
                choices = [each for each in self._grammar[name] if depth < 3 or "{" not in each]
                made = self.fill(self._chance.choice(choices), depth + 1)
            done += before + made
        return done + rest

    def script(self) -> str:
        chance, clauses = self._chance, [DECLARED]
        for _ in range(chance.randrange(1, 6)):
            probes = ", ".join(chance.sample(PROBES, chance.randrange(1, 3)))
            predicate = f" / {self.fill('{number}')} /" if chance.random() < .3 else ""
            actions = " ".join(self.fill(chance.choice(ACTIONS)) for _ in range(chance.randrange(1, 4)))
            clauses.append(f"{probes}{predicate} {{ {actions} }}")
        return "\n".join(clauses)


def got(machine: Machine, script: str, who: Credentials | None = None) -> list[object]:
    """All that a tracer gets by a script in 12 ms of the machine's time."""
    found: list[object] = []
    with Consumer.open(machine, who) as dtrace:
        dtrace.settings.target = 102
        dtrace.trace(script, Callbacks(
            firing=lambda firing: found.append((firing.cpu, str(firing.probe), *map(str, firing.values))),
            fault=found.append, drop=found.append), seconds=0.012)
        found += [(str(entry.values), str(entry.value)) for entry in dtrace.aggregations.walk()]
    return [*found, machine.system().now()]


@pytest.fixture(scope="module", params=[OTHERS, BUSY], ids=["others", "busy"])
def machines(request: pytest.FixtureRequest,
             tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Machine, Machine, list[int]]]:
    """Two machines, and what `addresses` finds in two like them: its tracer ends by the other zone's work."""
    folder = tmp_path_factory.mktemp("apart")
    build(folder)
    four = [Machine({"image": str(write_machine(folder, other)), "zone": "web", "ncpus": "2"})
            for other in (*request.param, *request.param)]
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(daemons, "FLUSH_INTERVAL", 20_000_000)  # so that the kernel works meanwhile
        if request.param is BUSY:
            for machine in four:
                part(machine)
        places, others = map(addresses, four[2:])
        assert places == others
        yield four[0], four[1], places
    for machine in four:
        machine.close()


def addresses(machine: Machine) -> list[int]:
    """Where the kernel keeps things of a process of the other zone: only who sees the kernel can tell."""
    found: list[int] = []
    with Consumer.open(machine, Credentials()) as dtrace:
        dtrace.trace(ADDRESSES, Callbacks(firing=lambda firing: found.extend(map(int, firing.values))))
    return found[:10]


def variables(machine: Machine) -> list[int]:
    """Where the program of the secrets has them, which both zones run."""
    program, = machine.objects_of(101, "a.out")
    return [program.file.symbol_address(name) or 0 for name in ("message", "contents")]


def test_random_scripts_find_no_difference(machines: tuple[Machine, Machine, list[int]]) -> None:
    first, second, places = machines
    assert len(places) == 10
    kernel = [*places, *(place + offset for place in places for offset in (8, 24, 64)), 0, 0x1000]
    writer = Writer(15, kernel, [*variables(first), 0x400000, 0, 1 << 47])
    refused = silent = 0
    for _ in range(SCRIPTS):
        script = writer.script()
        try:
            results = [got(machine, script) for machine in (first, second)]
        except CompileError:
            refused += 1
            continue
        assert results[0] == results[1], script
        silent += len(results[0]) == 1
    assert refused + silent < SCRIPTS // 2


def test_who_sees_the_kernel_finds_it(machines: tuple[Machine, Machine, list[int]]) -> None:
    """The machines do differ, in what the scripts try to get at."""
    for value in ("fds[arg0].fi_pathname", "execname", "stringof(copyin(%#x, 10))", "curpsinfo->pr_psargs"):
        text = value.replace("%#x", f"{variables(machines[0])[0]:#x}")
        script = f'syscall::read:entry /zonename == "db" && execname != "worker"/ {{ trace({text}); }}'
        first, second = (got(machine, script, Credentials()) for machine in machines[:2])
        assert len(first) > 1 and first != second
