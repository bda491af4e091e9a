"""Runs programs in an emulated machine, untraced or with traps, and keeps what they leave behind."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import compilers

from dof.model import ProbeDesc
from runtime.framework.framework import Framework
from runtime.framework.probes.registry import Probe
from runtime.kernel.cpu.sparc.registers import Registers
from runtime.kernel.kernel import Kernel
from runtime.kernel.memory.addrspace import PROT_WRITE
from runtime.providers.fasttrap import module as fasttrap
from runtime.providers.fasttrap.fasttrap import Fasttrap
from runtime.providers.fasttrap.instructions.scratch import NAME
from runtime.providers.fasttrap.startup import advance

# How tracepoints of code of a processor are executed.
TREATMENTS = {"x86-64": ("displaced", "rewritten", "emulated"), "aarch64": ("displaced", "emulated")}


@dataclass
class Outcome:
    """What a run left: the general registers and the memory of the first process as it exits."""

    status: int = -1
    registers: tuple[int, ...] = ()
    memory: dict[tuple[int, int], str] = field(default_factory=dict)


def all_registers(regs: Any) -> tuple[int, ...]:
    """What a program leaves in the processor: of x86 the general registers, of SPARC all there are."""
    if not isinstance(regs, Registers):
        return tuple(regs)
    state = regs.state
    codes = regs.icc(), regs.xcc() if regs.bits == 64 else 0
    return (*state.globals, *state.windows, *state.floats, state.y, state.fsr, state.cwp, regs.saved,
            *codes, regs.pc, regs.npc)


def natively(*command: str) -> str:
    """What a program of x86-64 writes; where the host cannot run it, in a machine that traces nothing."""
    native = compilers.runs("x86-64")
    if not native:
        command = (sys.executable, "-m", "runtime.command", "-qn", "BEGIN{}", "-c", " ".join(command))
    written = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return written if native else written.removesuffix("\n")  # dtrace ends with an empty line


class Machine:
    """A kernel with fasttrap; `fire` is called for every enabled probe with it and its arguments."""

    def __init__(self, **options: Any) -> None:
        self.kernel = Kernel(**options)
        self.framework = Framework(lambda: self.kernel)
        self.module = fasttrap.install(self.framework, lambda: self.kernel)
        self.module.attach(self.kernel)
        self.hits: Counter[str] = Counter()
        self.kernel.hooks.attach("exit", self._exit)
        self._outcomes: dict[int, Outcome] = {}
        self.treatments: Counter[str] = Counter()
        self.loans = 0  # tracepoints whose instruction uses a lent register
        self.refusals: dict[int, str] = {}

    @property
    def fasttrap(self) -> Fasttrap:
        return self.module.load()

    def spawn(self, *argv: str, **options: Any) -> Any:
        process = self.kernel.spawn(argv, {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}, **options)
        self._outcomes[process.pid] = Outcome()
        return process

    def start(self, *argv: str) -> Any:
        """A process that has mapped its libraries and stands still."""
        process = self.spawn(*argv)
        advance(self.fasttrap.programs, process)
        return process

    def probes(self, desc: str) -> list[Probe]:
        provider, module, function, name = desc.split(":")
        return self.framework.match(ProbeDesc(provider, module, function, name))

    def enable(self, probes: Sequence[Probe], fire: Callable[..., None] | None = None) -> None:
        """Arm probes as the framework does, with a function of ours in place of clauses."""
        for probe in probes:
            probe.enabled = True
            probe.provider.operations.enable(probe)
            probe.fire = self._counting(probe) if fire is None else fire

    def disable(self, probes: Sequence[Probe]) -> None:
        for probe in probes:
            probe.enabled = False
            probe.fire = None
            probe.provider.operations.disable(probe)

    def _counting(self, probe: Probe) -> Callable[..., None]:
        name, hits = f"{probe.function}:{probe.name}", self.hits

        def fire(*_args: int) -> None:
            hits[name] += 1
        return fire

    def run(self, process: Any) -> Outcome:
        process.resume()
        self.kernel.run()
        outcome = self._outcomes[process.pid]
        outcome.status = process.exit_status
        return outcome

    def _exit(self, thread: Any, _reason: int) -> None:
        outcome = self._outcomes.get(thread.pid)
        if outcome is None:
            return
        outcome.registers = all_registers(thread.regs)
        self._count()
        space = thread.process.space
        for area in space.areas:
            if area.prot & PROT_WRITE and area.path != NAME and b"ld-linux" not in area.path:
                # what lies below the stack pointer is nobody's; the dynamic loader keeps time stamps
                pointer = thread.process.processor.stack_pointer(thread)
                start = max(area.start, pointer) if area.path == b"[stack]" else area.start
                data = space.read(start, area.end - start)
                outcome.memory[area.start, area.end] = hashlib.sha256(data).hexdigest()

    def _count(self) -> None:
        """How many tracepoints are executed in which way, and what cannot be traced."""
        for traced in self.fasttrap.tracepoints.spaces.values():
            self.treatments.update(str(point.plan.treatment) for point in traced.points.values())
            self.loans += sum(point.loan is not None for point in traced.points.values())
        for provider in self.fasttrap.pids.values():
            self.refusals |= provider.refused

    def close(self) -> None:
        self.kernel.close()
