"""fasttrap proper: puts the parts of user-level tracing together, and watches processes for them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from dof.globs import is_glob, matcher
from dof.model import ProbeDesc
from runtime.programs.objectfile import library_glob
from runtime.providers.fasttrap import pid as pids
from runtime.providers.fasttrap.discovery import Discovery
from runtime.providers.fasttrap.instructions.space import TracedSpace
from runtime.providers.fasttrap.loadobjects import process_of
from runtime.providers.fasttrap.startup import advance, is_new
from runtime.providers.fasttrap.traced import TracedPrograms
from runtime.providers.fasttrap.usdt import HelperDevice, UsdtProviders
from runtime.providers.fasttrap.wanted import Wanted

if TYPE_CHECKING:
    from runtime.framework.framework import Framework
    from runtime.framework.probes.privileges import Credentials
    from runtime.framework.probes.registry import Probe
    from runtime.kernel.kernel import Kernel
    from runtime.kernel.process.process import Process
    from runtime.kernel.process.thread import Thread
    from runtime.programs.objectfile import Function, LoadObject, ObjectFile

_NUMBER = re.compile(r"[1-9][0-9]*$")


class Fasttrap:
    """User-level tracing on one kernel."""

    def __init__(self, framework: Framework, kernel: Kernel) -> None:
        self.framework = framework
        self.kernel = kernel
        self.programs = programs = TracedPrograms(framework.registry, kernel)
        self.objects = programs.objects
        self.tracepoints = programs.tracepoints
        self.usdt = UsdtProviders(programs)
        self.pids: dict[int, pids.PidProvider] = {}
        self.of_all: Wanted[ProbeDesc] = Wanted()  # of every process that matches, now and later
        self.leaving: list[Callable[[Process], None]] = []  # told of a process that ends, while it has probes
        self._settled: set[int] = set()  # processes that stand where they were told to
        framework.register_meta(self.usdt)
        framework.helpers.tell = kernel.budgets.tell
        self.helper = HelperDevice(framework.helpers, lambda message: kernel.remark(message))
        self.discovery = Discovery(programs, self.helper, self.usdt)
        hooks = kernel.hooks
        hooks.trap = self._trap
        hooks.attach("create", self._forked)
        hooks.attach("exec_success", self._executed)
        hooks.attach("exit", self._exited)
        hooks.attach("process_gone", self._gone)
        hooks.attach("object_loaded", self._loaded)
        hooks.attach("data_mapped", self.usdt.data_mapped)
        hooks.attach("unmap", self._unmapped)
        hooks.signals_wait = self._in_slot
        hooks.user_fault = self._faulted
        hooks.user_pc = self._user_pc
        hooks.user_text = self._user_text
        hooks.user_patch = self._user_patch

    def provide(self, desc: ProbeDesc, who: Credentials | None = None) -> None:
        """Make the probes that `desc` may mean, in processes that a tracer with these credentials may trace.

        If they may be in the libraries of a new process, or are nowhere else, that process first runs until
        its libraries are mapped.
        """
        if pids.names_processes(desc.provider) and (not desc.module or is_glob(desc.module)):
            for process in self._meant(desc.provider, who):
                if self._may_advance(process):
                    advance(self.programs, process)
        self._provide(desc, who)
        for process in self._meant(desc.provider, who):
            if self._may_advance(process) and not self._has_any(desc) and advance(self.programs, process):
                self._provide(desc, who)

    def forget(self, who: Credentials) -> None:
        """Make nothing more for tracers with these credentials, who have gone."""
        self.of_all.forget(who)
        self.discovery.wanted.forget(who)
        for provider in self.pids.values():
            provider.wanted.forget(who)

    def _has_any(self, desc: ProbeDesc) -> bool:
        return any(self.framework.registry.known(desc))

    def bring(self, pid: int, evaltime: str) -> None:
        """Have a new process stand at the moment that -x evaltime names.  Raises OSError."""
        self._settled.add(pid)
        advance(self.programs, self.kernel.processes[pid], evaltime)

    def _may_advance(self, process: Process) -> bool:
        """Whether a process may map its libraries because probes in them are asked for."""
        return process.pid not in self._settled and is_new(process)

    def _provide(self, desc: ProbeDesc, who: Credentials | None) -> None:
        if pids.process_number(desc.provider) is not None:
            for process in self._meant(desc.provider, who):
                self._provide_of(process, desc, who)
            return
        self.discovery.seek(desc, who)
        if pids.names_processes(desc.provider):
            self.of_all.add(desc, who)
            for process in self._meant(desc.provider, who):
                self._provide_of_all(process, [(desc, who)])

    def _provide_of(self, process: Process, desc: ProbeDesc, who: Credentials | None) -> None:
        """Make the probes of one process, which `desc` names."""
        provider = self.pids.get(process.pid)
        if provider is None:
            provider = self.pids[process.pid] = pids.register(self.programs, process)
        provider.provide_for(desc, who)

    def _provide_of_all(self, process: Process,
                        wanted: Iterable[tuple[ProbeDesc, Credentials | None]]) -> None:
        """Make for one process the probes of descriptions that name no one process."""
        name = f"pid{process.pid}"
        for desc, who in wanted:
            if pids.may_trace(who, process) and ((test := matcher(desc.provider)) is None or test(name)):
                self._provide_of(process, desc._replace(provider=name), who)

    def _meant(self, provider: str, who: Credentials | None = None) -> list[Process]:
        """The processes that the name of a provider may mean: by the number it ends with, or any.

        Only those are returned that a tracer with these credentials may trace.
        """
        if is_glob(provider):
            test = matcher(provider) if pids.names_processes(provider) else None
            found = [process for process in self.kernel.processes.values()
                     if process.space is not None and (test is None or test(f"pid{process.pid}"))]
        else:
            match = _NUMBER.search(provider)
            process = process_of(self.kernel, int(match[0])) if match else None
            found = [process] if process is not None else []
        return [process for process in found if pids.may_trace(who, process)]

    def resolve(self, desc: ProbeDesc, who: Credentials | None = None) -> ProbeDesc:
        """`desc` with the names that its pid probe has.

        A module has its file's name (`a.out` and `libc` are other names for some), a function the best of
        its symbols.
        """
        number = pids.process_number(desc.provider)
        process = next(iter(self._meant(desc.provider, who)), None) if number is not None else None
        if number is None and desc.module and not is_glob(desc.module):
            return desc._replace(module=library_glob(desc.module))  # it may be another file in each process
        if process is None:
            return desc
        if desc.module and not is_glob(desc.module):
            names = [each.name for each in self.answering(process, desc.module)]
            desc = desc._replace(module=names[0] if names else library_glob(desc.module))
        if desc.function and not is_glob(desc.function):
            desc = desc._replace(function=self._best_name(process, desc))
        return desc

    def answering(self, process: Process, module: str) -> list[LoadObject]:
        """The objects that `module` names; a new process maps its libraries if that is needed."""
        found = [each for each in self.objects.of(process) if each.answers_to(module)]
        if not found and self._may_advance(process) and advance(self.programs, process):
            found = [each for each in self.objects.of(process) if each.answers_to(module)]
        return found

    def _best_name(self, process: Process, desc: ProbeDesc) -> str:
        """The name of the function that `desc` names by any of its symbols; the same if no object has it."""
        module = matcher(desc.module)
        for each in self.objects.of(process):
            if module is None or module(each.name):
                for function in each.file.named(desc.function):
                    return function.name
        return desc.function

    def function_of(self, pid: int, module: str, name: str) -> tuple[ObjectFile, Function] | None:
        """The one function called `name` of a process's object `module`."""
        process = process_of(self.kernel, pid)
        for each in self.objects.of(process) if process is not None else ():
            found = each.file.named(name) if each.name == module else ()
            if len(found) == 1:
                return each.file, found[0]
        return None

    def object_of(self, provider: str, module: str) -> ObjectFile | None:
        """The file that a process's object `module` is mapped from."""
        return next((each.file for process in self._meant(provider)
                     for each in self.objects.of(process) if each.name == module), None)

    def places(self, pid: int) -> Iterator[tuple[Probe, list[int]]]:
        """The probes of a process, each with the addresses of its traps."""
        pid_provider = self.pids.get(pid)
        if pid_provider is not None:
            yield from pid_provider.places()
        for (owner, _), provider in self.usdt.providers.items():
            if owner == pid:
                yield from provider.places()

    # -- the trap ----------------------------------------------------------------------------------

    def _trap(self, thread: Thread, pc: int) -> bool:
        """Handle a trap at `pc`; returns whether it is one of ours."""
        traced = self.tracepoints.spaces.get(thread.process.space)  # type: ignore[arg-type]
        return traced is not None and traced.hit(thread, pc)

    def _in_slot(self, thread: Thread) -> bool:
        traced = self._traced(thread)
        return traced is not None and traced.state_at(traced.isa.pc(thread.regs)) is not None

    def _faulted(self, thread: Thread) -> None:
        traced = self._traced(thread)
        if traced is not None:
            traced.leave_slot(thread)

    def _user_pc(self, thread: Thread, pc: int) -> int:
        traced = self.tracepoints.spaces.get(thread.process.space)  # type: ignore[arg-type]
        if traced is None:
            return pc
        housed = traced.slots.get(pc)
        if housed is not None:  # where it is while most probes fire
            return housed.address
        state = traced.state_at(pc)
        return pc if state is None else state[0]

    def _user_text(self, process: Process, address: int, size: int) -> bytes:
        traced = self._traced_in(process)
        return process.memory.read(address, size) if traced is None else traced.original(address, size)

    def _user_patch(self, process: Process, address: int, data: bytes) -> None:
        traced = self._traced_in(process)
        if traced is None:
            process.memory.patch(address, data)
        else:
            traced.patch(address, data)

    def _traced(self, thread: Thread) -> TracedSpace | None:
        return self._traced_in(thread.process)

    def _traced_in(self, process: Process) -> TracedSpace | None:
        return self.tracepoints.spaces.get(process.space) if process.space is not None else None

    # -- processes ---------------------------------------------------------------------------------

    def _loaded(self, thread: Thread, path: bytes, address: int) -> None:
        """A thread has mapped a load object."""
        provider = self.pids.get(thread.pid)
        if provider is not None and not provider.cares_for(os.path.basename(os.fsdecode(path))):
            provider = None
        if provider is None and not self.discovery.wanted:
            return
        found = self.objects.at(thread.process, address)
        if found is not None:
            self.discovery.loaded(thread.process, found)
            if provider is not None:
                provider.loaded(found)

    def _unmapped(self, thread: Thread, start: int, end: int) -> None:
        traced = self._traced(thread)
        if traced is not None:
            traced.drop(start, end)
        provider = self.pids.get(thread.pid)
        if provider is not None:
            provider.unmapped(start, end)

    def _forked(self, thread: Thread, child: Process) -> None:
        """Take the copies of traps out of a child's memory, and give it the USDT probes of its parent."""
        traced = self._traced(thread)
        if child.space is not None and child.space is not thread.process.space:
            if traced is not None:
                traced.restore(child.space)
            self.framework.helpers.duplicate(thread.pid, child.pid)
            self._provide_of_all(child, self.of_all)

    def _executed(self, thread: Thread) -> None:
        """Remove the old program's probes, and seek in the new one what was asked of the process."""
        old = self.pids.get(thread.pid)
        self._retire(thread.process)
        for desc, who in old.wanted if old is not None else ():
            self.provide(desc, who)
        self._provide_of_all(thread.process, self.of_all)
        for each in self.objects.of(thread.process) if self.discovery.wanted else ():
            self.discovery.loaded(thread.process, each)

    def _exited(self, thread: Thread, _reason: int) -> None:
        for watcher in self.leaving:
            watcher(thread.process)
        traced = self._traced(thread)
        if traced is not None:
            traced.leaving = traced.space.users == 1
        self._retire(thread.process)

    def _retire(self, process: Process) -> None:
        self.helper.forget(process.pid)
        self.usdt.forget(process.pid)
        self.discovery.forget(process)
        provider = self.pids.pop(process.pid, None)
        if provider is not None:
            provider.provider.unregister()

    def _gone(self, _process: Process) -> None:
        """Forget the address spaces that have no users any more."""
        for space in [space for space in self.tracepoints.spaces if not space.users]:
            del self.tracepoints.spaces[space]
