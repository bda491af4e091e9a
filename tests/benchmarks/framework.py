"""Cost of a probe firing in the framework, for five typical clauses, both engines.

Run: python tests/benchmarks/framework.py [NCPUS].  Prints microseconds a firing, the
cost of an empty Python function call in the same run, and the ratios; the ratio to
the same with the conditions for tracers of few privileges compiled out ("to none");
then the cost for a tracer of a zone, who sees the firings in its zone only.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dif.records import Record

ROUNDS = 40
_CONFTEST = Path(__file__).parents[1] / "unit" / "framework" / "conftest.py"


def _load_conftest() -> Any:
    spec = importlib.util.spec_from_file_location("framework_conftest", _CONFTEST)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["framework_conftest"] = module
    spec.loader.exec_module(module)
    return module


PREDICATE = """ldgs arg0, %r1
setx 5, %r2
cmp %r1, %r2
bgu yes
setx 0, %r1
ba out
yes:
setx 1, %r1
out:
ret %r1"""
NAMED = """ldgs execname, %r1
sets "prog", %r2
scmp %r1, %r2
be yes
setx 0, %r1
ba out
yes:
setx 1, %r1
out:
ret %r1"""


def clauses(c: Any) -> dict[str, list[Any]]:
    """Name → ECBs on test:::a."""
    from dif import isa
    from dif.difo import DifType, DifVar
    from dof.model import Action, ActionKind

    kind = DifType(size=8)
    start = DifVar("start", 0x500, isa.KIND_SCALAR, isa.SCOPE_THREAD, 3, kind)

    def ecb(*actions: Any, predicate: str | None = None) -> Any:
        return c.World.ecb(None, "test:::a", *actions, predicate=c.dif(predicate) if predicate else None)

    save, spent = c.dif("ldgs timestamp, %r1\nstts %r1, DT_VAR(1280)\nret %r0", "none"), c.dif(
        "ldgs timestamp, %r1\nldts DT_VAR(1280), %r2\nsub %r1, %r2, %r1\nret %r1")
    has = c.dif("ldts DT_VAR(1280), %r1\nret %r1")
    clear = c.dif("stts %r0, DT_VAR(1280)\nret %r0", "none")
    for difo in (save, spent, has, clear):
        difo.vartab = [start]
    quantize = c.World.ecb(None, "test:::a", c.aggregate(ActionKind.AGG_QUANTIZE, 5, (), spent),
                           Action(ActionKind.DIFEXPR, clear))
    quantize.predicate = has
    return {
        "/arg0 > 5/ { @ = count(); }": [ecb(c.aggregate(ActionKind.AGG_COUNT, 1), predicate=PREDICATE)],
        "{ @[execname, probefunc] = count(); }": [ecb(c.aggregate(
            ActionKind.AGG_COUNT, 2, [c.trace("ldgs execname, %r1\nret %r1", "string"),
                                      c.trace("ldgs probefunc, %r1\nret %r1", "string")]))],
        '/execname == "prog"/ { @[arg0] = sum(arg1); }': [ecb(c.aggregate(
            ActionKind.AGG_SUM, 3, [c.trace("ldgs arg0, %r1\nret %r1")], c.dif("ldgs arg1, %r1\nret %r1")),
            predicate=NAMED)],
        '{ printf("%d %d", pid, arg0); }': [ecb(
            Action(ActionKind.PRINTF, c.dif("ldgs pid, %r1\nret %r1", "int"), string="%d %d"),
            Action(ActionKind.PRINTF, c.dif("ldgs arg0, %r1\nret %r1"), string="%d %d"))],
        "{ self->s = timestamp } /self->s/ { @ = quantize(timestamp - self->s); self->s = 0 }": [
            ecb(Action(ActionKind.DIFEXPR, save)), quantize],
    }


class Subject(Record):
    """What is measured: a function, how many calls of it make a round, and what follows a round."""

    function: Callable[..., None]
    calls: int
    after: Callable[[], None] = lambda: None
    best: float = float("inf")  # microseconds a call

    def measure(self) -> None:
        function, number = self.function, self.calls
        begin = time.thread_time()
        for _ in range(number):
            function(9, 3, 0, 0, 0)
        self.best = min(self.best, (time.thread_time() - begin) / number * 1e6)
        self.after()


def measure(*subjects: Subject) -> list[float]:
    """Measure in turns, so that a busy machine slows all of them; returns the best round of each."""
    for _ in range(ROUNDS):
        for subject in subjects:
            subject.measure()
    return [subject.best for subject in subjects]


def firing(conftest: Any, name: str, engine: str, ncpus: int, zone: bool = False,
           conditions: bool = True) -> Subject:
    """A firing with these clauses, for a tracer with all privileges or for one of a zone.

    Without `conditions` clauses are compiled as if there were none that hide firings of others.
    """
    from runtime.framework.probes.privileges import Credentials, Privilege
    from runtime.framework.tracing import state

    world = conftest.World(engine, ncpus)
    world.provider.privileges = Privilege.USER
    tracer = world.tracer(Credentials(kernel=False, proc_zone=False) if zone else None)
    known = state.condition
    state.condition = known if conditions else lambda credentials, probe: None
    try:
        tracer.enable(*clauses(conftest)[name], bufsize=1 << 22, aggsize=1 << 16)
        tracer.go()
    finally:
        state.condition = known
    world.fire(world.a, 9)

    def after() -> None:
        tracer.snap()
        for _ in range(2):  # what was freed is dirty, then rinsing, then clean
            world.host.timers[0].function()

    return Subject(world.a.fire, 1000 if engine == "interpret" else 4000, after)


def main(ncpus: int) -> None:
    """Print the table for a machine of `ncpus` CPUs."""
    conftest = _load_conftest()

    def empty(a0: int, a1: int, a2: int, a3: int, a4: int) -> None:
        pass

    call, = measure(Subject(empty, 100000))
    print(f"a Python function call of five arguments: {call:.3f} us; {ncpus} CPUs\n")
    print(f"{'clause':<90}{'interpret':>10}{'translate':>10}{'ratio':>8}{'calls':>8}"
          f"{'to none':>9}{'in a zone':>11}{'ratio':>8}")
    for name in clauses(conftest):
        plain, = measure(firing(conftest, name, "interpret", ncpus))
        fast, none, zone = measure(
            firing(conftest, name, "translate", ncpus),
            firing(conftest, name, "translate", ncpus, conditions=False),
            firing(conftest, name, "translate", ncpus, zone=True))
        print(f"{name:<90}{plain:>10.2f}{fast:>10.3f}{plain / fast:>8.1f}{fast / call:>8.1f}"
              f"{fast / none:>9.3f}{zone:>11.3f}{zone / fast:>8.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
