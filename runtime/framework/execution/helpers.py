"""Helpers: DOF that processes load, for USDT providers and for naming frames in ustack()."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dof import model
from dof.format import ByteOrder, DofError
from dof.helpers import Taken, admit, naming
from dof.reader import read_helper
from runtime.framework.base.faults import DifFault
from runtime.framework.execution.machine import evaluate
from runtime.framework.firing.firing import Environment, Firing, Platform
from runtime.framework.probes.privileges import Credentials
from runtime.framework.probes.registry import Registry

SCRATCH = 16 * 1024  # bytes for a helper to make its string in


class _Generation:
    """One helper DOF that a process has loaded: where it lies, and what the process says its module is.

    `counts` tells whether it is one of the objects with providers of which a process has a limited number.
    """

    def __init__(self, program: model.Program, providers: list[model.Provider], counts: bool, address: int,
                 module: str) -> None:
        self.clauses = naming(program)
        self.providers = providers
        self.counts = counts
        self.address = address
        self.module = module


class _Process:
    """A process's helpers, with the variables and scratch space that their DIF has."""

    def __init__(self, platform: Platform) -> None:
        self.generations: dict[int, _Generation] = {}
        self.environment = Environment(platform, Credentials(kernel=False, user=False))
        self.environment.make_firings(SCRATCH)

    @property
    def clauses(self) -> int:
        return sum(len(each.clauses) for each in self.generations.values())

    @property
    def provided(self) -> list[int]:
        """The addresses of the DOF whose providers count."""
        return [each.address for each in self.generations.values() if each.counts]


class Helpers:
    """Every process's helpers, by process id; a generation number names one loaded DOF.

    `tell` is told what is not taken of DOF that is good by itself.
    """

    def __init__(self, platform: Platform, registry: Registry) -> None:
        self.tell: Callable[[str], None] = lambda message: None
        self._platform = platform
        self._registry = registry
        self._processes: dict[int, _Process] = {}
        self._generation = 0

    def load(self, pid: int, dof: bytes, base: int, address: int, order: ByteOrder = "little",
             module: str = "") -> int:
        """DTRACEHIOC_ADDDOF: `dof`, at `address` in process `pid`, of the object `module` loaded at `base`.

        Its byte order is that of the process.  DOF whose providers are there already has none again.  Returns
        its generation number.  Raises DofError with the kernel's reason.
        """
        process = self._processes.get(pid) or _Process(self._platform)
        known = dict(process.environment.variables.known)
        program = read_helper(dof, base=base, address=address, target=self._platform.target, known=known,
                              order=order)
        before = Taken(process.clauses, len(process.provided))
        try:
            providers, refused, after = admit(program, before)
        except DofError as error:
            self.tell(f"DOF of a program is refused: {error.what}")
            raise
        again = address in process.provided
        counts = after.objects > before.objects and not again
        generation = _Generation(program, providers if counts else [], counts, address, module)
        for each in () if again else refused:
            self.tell(f"DOF of a program: {each.what}")
        self._generation += 1
        if generation.clauses or counts:
            process.generations[self._generation] = generation
        self._processes[pid] = process
        self._provide(pid, generation)
        return self._generation

    def has(self, pid: int, address: int) -> bool:
        """Whether the process has loaded the DOF at that address."""
        process = self._processes.get(pid)
        return process is not None and any(each.address == address for each in process.generations.values())

    def _provide(self, pid: int, generation: _Generation) -> None:
        if self._registry.meta is not None:
            for provider in generation.providers:
                self._registry.meta.provide_process(provider, pid, generation.module)

    def unload(self, pid: int, generation: int) -> None:
        """DTRACEHIOC_REMOVE; what is gone already may go again.

        Raises ValueError for a process without helpers, and for a generation that no DOF has been given.
        """
        process = self._processes.get(pid)
        if process is None or generation > self._generation:
            raise ValueError(f"process {pid} has no helper generation {generation}")
        gone = process.generations.pop(generation, None)
        if gone is not None:
            self._remove(pid, gone)

    def _remove(self, pid: int, generation: _Generation) -> None:
        if self._registry.meta is not None:
            for provider in generation.providers:
                self._registry.meta.remove_process(provider, pid, generation.module)

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
        return process is not None and process.clauses > 0

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
