"""DOF that programs load for themselves: probes of their own, and clauses that name stack frames."""

from __future__ import annotations

from dof import writer
from dof.format import DofError
from dof.model import Attributes, Probe, Program, Provider
from runtime.framework.execution.helpers import Helpers
from tests.fuzz import layouts, programs
from tests.fuzz.engine import Target
from tests.fuzz.mutation import blind, fields, mixed
from tests.fuzz.worlds import world

PID = 100
USTACK = ('dtrace:helper:ustack: /arg0 > 5/ { this->a = strjoin("f", lltostr(arg0)); this->a; }',
          'dtrace:helper:ustack: { this->x = (char *)alloca(20); copyinto(arg1, 5, this->x); '
          'stringof(this->x); }')


class _Loading:
    """Loads helper DOF for a process, has it name frames, and forgets the process."""

    def __init__(self) -> None:
        self._world = world("translate")
        tracer = self._world.tracer()
        tracer.enable(self._world.ecb("test:::a", self._world.trace("ldgs arg0, %r1\nret %r1")))
        tracer.go()
        state = tracer.device.tracing.state
        self._firing = state.environment.firing()
        self._firing.begin(self._world.a, 1, (1, 2, 3, 4, 5))

    def __call__(self, data: bytes) -> object:
        helpers = Helpers(self._world.framework.platform, self._world.framework.registry)
        try:
            number = helpers.load(PID, data, 0x400000, 0x401000)
            names = helpers.frame_names(self._firing, [(4, 1), (0x400100, 0)], 200) \
                if helpers.has_actions(PID) else b""
            helpers.duplicate(PID, PID + 1)
            helpers.unload(PID, number)
            return len(names)
        finally:
            helpers.forget(PID)


def seeds() -> list[bytes]:
    stability = Attributes(5, 5, 5)
    probes = [
        Probe("main", "go", 0x10, ["int", "char *"], ["int"], [0], [4, 8], [12]),
        Probe("f", "stop-it", 0x20, offsets=[0])]
    provider = Program(providers=[Provider("prov", (stability,) * 5, probes)])
    return [writer.write(provider), *(writer.write(programs.compiled(source).program) for source in USTACK)]


def target() -> Target:
    return Target(_Loading(), (DofError, ValueError), mixed((6, fields(layouts.dof)), (1, blind)), seeds)
