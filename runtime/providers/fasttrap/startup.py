"""Bringing a new process to the moment at which probe descriptions are evaluated (`-x evaltime`).

`exec` is its first instruction, the dynamic loader's own if it has one.  At `preinit`, where DTrace
stops it unless told otherwise, its libraries are mapped and none of their code has run.  The loader
announces that to debuggers by calling _dl_debug_state with _r_debug.r_state RT_CONSISTENT (<link.h>);
before that it calls resolvers of indirect functions: `preinit` is where the first of these begins.
At `postinit` the libraries' constructors have run, and the loader is about to enter the program; `main`
is main()'s first instruction, after the program's own constructors.  A program without a loader comes
to `preinit` and `postinit` at once.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from runtime.kernel.base.errors import MemoryFault
from runtime.providers.fasttrap.instructions.space import Refused

if TYPE_CHECKING:
    from runtime.kernel.process.process import Process
    from runtime.kernel.process.thread import Thread
    from runtime.programs.objectfile import LoadObject
    from runtime.providers.fasttrap.instructions.space import Tracepoint
    from runtime.providers.fasttrap.traced import TracedPrograms

    Moment = tuple[int, Callable[[Thread], bool]]  # an address, and whether a thread there has come to it

ANNOUNCE, STATE = "_dl_debug_state", "_r_debug"
RT_CONSISTENT = 0
STATE_OFFSETS = {32: 12, 64: 24}  # of r_state in struct r_debug


def is_new(process: Process) -> bool:
    """Whether the process has not executed its first instruction."""
    return len(process.threads) == 1 and not process.leader.started


def advance(programs: TracedPrograms, process: Process, evaltime: str = "preinit") -> bool:
    """Let a new process run until a moment; if it stood still before, it then does so again.

    Other processes of the machine run meanwhile.  Returns False if the process is there already, or if
    nothing tells when it would be.  Raises OSError (ENOENT) for `main` of a program without that symbol.
    """
    moment = _MOMENTS[evaltime](programs, process)
    if moment is None:
        return False
    return _Advance(programs, process).to(*moment, resolvers=evaltime == "preinit")


class _Advance:
    """Runs a process until one of its threads comes to a place."""

    def __init__(self, programs: TracedPrograms, process: Process) -> None:
        self.programs, self.process = programs, process
        self.space = programs.tracepoints.of(process)
        self._points: dict[int, Tracepoint] = {}
        self._there: tuple[Tracepoint, bytes] | None = None  # where it has come to, and the registers there

    def to(self, address: int, has_come: Callable[[Thread], bool], resolvers: bool) -> bool:
        """Run to an address, or to the first of the `resolvers`; returns whether it can be found out."""
        programs, process = self.programs, self.process
        if not self._watch(address, has_come):
            return False
        waiting, hooks = process.stopped, programs.kernel.hooks
        if resolvers:
            for each in programs.objects.of(process):
                self._watch_resolvers(each)
            hooks.attach("object_loaded", self._loaded)
        process.resume()
        space = self.space.space
        programs.kernel.run(lambda: process.stopped or process.zombie or process.space is not space)
        if resolvers:
            hooks.detach("object_loaded", self._loaded)
        if process.space is space:
            if self._there is not None:
                self.space.retry(process.leader, *self._there)
            for place in self._points:
                self.space.remove(place, self)
        if not waiting:
            process.resume()
        return True

    def _watch(self, address: int, has_come: Callable[[Thread], bool]) -> bool:
        def act(thread: Thread, _regs: object) -> None:
            if self._there is None and has_come(thread):
                self._there = self._points[address], self.space.registers(thread)
                self.programs.kernel.stop_process(thread)
        if address not in self._points:
            try:
                self._points[address] = self.space.add(address, self, act)
            except (Refused, MemoryFault):
                return False
        return True

    def _watch_resolvers(self, each: LoadObject) -> None:
        for address in each.file.bindings.resolvers:
            self._watch(address + each.bias, _any)

    def _loaded(self, thread: Thread, _path: bytes, address: int) -> None:
        found = self.programs.objects.at(thread.process, address) if thread.process is self.process else None
        if found is not None:
            self._watch_resolvers(found)


def _exec(_programs: TracedPrograms, _process: Process) -> None:
    """The first instruction: every new process is there."""


def _preinit(programs: TracedPrograms, process: Process) -> Moment | None:
    for each in _loaders(programs, process):
        announce, state = each.file.symbol_address(ANNOUNCE), each.file.symbol_address(STATE)
        if announce is not None and state is not None:
            return announce + each.bias, _consistent(state + each.bias + STATE_OFFSETS[process.bits])
    return None


def _consistent(state: int) -> Callable[[Thread], bool]:
    def test(thread: Thread) -> bool:
        try:
            return int.from_bytes(thread.read(state, 4), "little") == RT_CONSISTENT
        except MemoryFault:
            return False
    return test


def _postinit(programs: TracedPrograms, process: Process) -> Moment | None:
    program = _program(programs, process)
    if program is None or not _loaders(programs, process):
        return None
    return program.file.elf.entry + program.bias, _any


def _main(programs: TracedPrograms, process: Process) -> Moment:
    program = _program(programs, process)
    found = program.file.named("main") if program is not None else None
    if program is None or not found:
        raise OSError(errno.ENOENT, "it has no symbol main to stop at")
    return found[0].start + program.bias, _any


def _any(_thread: Thread) -> bool:
    return True


_MOMENTS: dict[str, Callable[[TracedPrograms, Process], Moment | None]] = {
    "exec": _exec, "preinit": _preinit, "postinit": _postinit, "main": _main,
}


def _program(programs: TracedPrograms, process: Process) -> LoadObject | None:
    return next((each for each in programs.objects.of(process) if each.is_program), None)


def _loaders(programs: TracedPrograms, process: Process) -> list[LoadObject]:
    """The objects that load the others."""
    return [each for each in programs.objects.of(process)
            if not each.is_program and os.path.basename(each.file.path).startswith("ld")]
