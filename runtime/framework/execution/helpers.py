"""Helpers: DOF that processes load, for USDT providers and for naming frames in ustack()."""

from __future__ import annotations

from collections.abc import Sequence

from dof import model
from dof.format import ByteOrder
from dof.reader import read_helper
from runtime.framework.base.faults import DifFault
from runtime.framework.execution.machine import evaluate
from runtime.framework.firing.firing import Environment, Firing, Platform
from runtime.framework.probes.privileges import Credentials
from runtime.framework.probes.registry import Registry

ACTIONS_MAX = 128
PROVIDERS_MAX = 32
SCRATCH = 16 * 1024  # bytes for a helper to make its string in


class _Generation:
    """One helper DOF that a process has loaded."""

    def __init__(self, program: model.Program) -> None:
        self.providers = program.providers
        self.clauses = [ecb for ecb in program.ecbs if ecb.probe[:3] == model.USTACK_HELPER]


class _Process:
    """A process's helpers, with the variables and scratch space that their DIF has."""

    def __init__(self, platform: Platform) -> None:
        self.generations: dict[int, _Generation] = {}
        self.environment = Environment(platform, Credentials(kernel=False, user=False))
        self.environment.make_firings(SCRATCH)

    @property
    def actions(self) -> int:
        return sum(len(ecb.actions) for g in self.generations.values() for ecb in g.clauses)

    @property
    def providers(self) -> int:
        return sum(len(g.providers) for g in self.generations.values())


class Helpers:
    """Every process's helpers, by process id; a generation number names one loaded DOF."""

    def __init__(self, platform: Platform, registry: Registry) -> None:
        self._platform = platform
        self._registry = registry
        self._processes: dict[int, _Process] = {}
        self._generation = 0

    def load(self, pid: int, dof: bytes, base: int, address: int, order: ByteOrder = "little") -> int:
        """DTRACEHIOC_ADDDOF: `dof`, at `address` in process `pid`, of the object loaded at `base`.

        Its byte order is that of the process.  Returns its generation number.  Raises ValueError with the
        kernel's reason, DofError for bad DOF.
        """
        process = self._processes.get(pid) or _Process(self._platform)
        known = dict(process.environment.variables.known)
        program = read_helper(dof, base=base, address=address, target=self._platform.target, known=known,
                              order=order)
        generation = _Generation(program)
        if process.actions + sum(len(ecb.actions) for ecb in generation.clauses) > ACTIONS_MAX:
            raise ValueError("too many helper actions")
        if process.providers + len(generation.providers) > PROVIDERS_MAX:
            raise ValueError("too many helper providers")
        self._generation += 1
        process.generations[self._generation] = generation
        self._processes[pid] = process
        self._provide(pid, generation)
        return self._generation

    def _provide(self, pid: int, generation: _Generation) -> None:
        if self._registry.meta is not None:
            for provider in generation.providers:
                self._registry.meta.provide_process(provider, pid)

    def unload(self, pid: int, generation: int) -> None:
        """DTRACEHIOC_REMOVE.  Raises ValueError if there is no such generation."""
        process = self._processes.get(pid)
        gone = process.generations.pop(generation, None) if process else None
        if gone is None:
            raise ValueError(f"process {pid} has no helper generation {generation}")
        self._remove(pid, gone)

    def _remove(self, pid: int, generation: _Generation) -> None:
        if self._registry.meta is not None:
            for provider in generation.providers:
                self._registry.meta.remove_process(provider, pid)

    def forget(self, pid: int) -> None:
        """The process has exited or executed another program."""
        process = self._processes.pop(pid, None)
        for generation in process.generations.values() if process else ():
            self._remove(pid, generation)

    def duplicate(self, parent: int, child: int) -> None:
        """The process has forked: its child has the same helpers."""
        source = self._processes.get(parent)
        if source is None:
            return
        process = self._processes[child] = _Process(self._platform)
        for number, generation in source.generations.items():
            process.generations[number] = generation
            self._provide(child, generation)

    # -- naming frames -------------------------------------------------------------------------------------

    def has_actions(self, pid: int) -> bool:
        """Whether the process can name its own frames."""
        process = self._processes.get(pid)
        return process is not None and process.actions > 0

    def frame_names(self, firing: Firing, frames: Sequence[tuple[int, int]], room: int) -> bytes:
        """A NUL-terminated string for each frame (program counter, frame pointer), one after another.

        An empty string is no name.  No frame is named any more once `room` bytes are full: then the result
        has at least that many, and the caller cuts it.
        """
        process = self._processes[firing.context.pid]
        names = bytearray()
        for pc, pointer in frames:
            if len(names) >= room:
                break
            names += self._name(firing, process, pc, pointer) + b"\0"
        return bytes(names)

    @staticmethod
    def _name(firing: Firing, process: _Process, pc: int, pointer: int) -> bytes:
        """What the process calls the frame at `pc`; empty if it does not say, or its DIF fails."""
        helper = process.environment.firing()
        helper.begin(firing.probe, firing.epid, (pc, pointer, 0, 0, 0))
        try:
            for generation in process.generations.values():
                for ecb in generation.clauses:
                    value = _run(process.environment, helper, ecb)
                    if value:
                        return helper.string(value)
        except DifFault:
            return b""
        return b""


def _run(environment: Environment, firing: Firing, ecb: model.Ecb) -> int:
    """The value of the helper's last action, 0 if its predicate is false."""
    if ecb.predicate is not None and not evaluate(environment.load(ecb.predicate), firing):
        return 0
    result = 0
    for action in ecb.actions:
        if action.difo is not None:
            result = evaluate(environment.load(action.difo), firing)
    return result
