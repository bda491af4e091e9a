"""What a consumer needs of a machine beside its device, and an endpoint does for it: one row a verb."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from dc.names.kernelheader import kernel_header, kernel_types
from dof.model import ProbeDesc
from runtime.instances.endpoint.vmprocess import VmProcess
from runtime.instances.endpoint.waiting import Waiting
from runtime.instances.wire.addresses import unmarked
from runtime.instances.wire.verbs import Verb
from runtime.kernel.agent import AgentError
from runtime.kernel.base.kernelfunctions import KFUNCTIONS
from runtime.machine import Machine, Process

if TYPE_CHECKING:
    from runtime.border import Device
    from runtime.consumer.events.symbols import Mapped, Symbol
    from runtime.framework.probes.registry import Registry
    from runtime.instances.endpoint.endpoint import Doings, Json
    from runtime.machine import MachineSystem

LARGEST_FILE = 1 << 26


def types_hash() -> bytes:
    """The hash of the kernel types that this version has."""
    return hashlib.sha256(kernel_header().encode()).digest()


class TracedMachine:
    """An emulated machine as an endpoint stands before it (runtime.instances.endpoint.endpoint.Traced).

    `inner` are the names of the machines in it, each of which a process of it runs.
    """

    def __init__(self, machine: Machine, inner: Sequence[str] = ()) -> None:
        self._machine = machine
        self._inner = inner
        self._vms: list[VmProcess] | None = None
        self._system: MachineSystem = machine.system()
        self._processes: dict[int, Process] = {}
        self.registry: Registry = machine.framework.registry
        self.real_clock = machine.real_clock
        self._device = machine.device()
        self.waiting = Waiting(self._device.inner)
        self.ncpus = machine.ncpus
        self.doings: Doings = {
            Verb.SPAWN: self._spawn, Verb.GRAB: self._grab, Verb.RESUME: self._resume,
            Verb.STATUS: self._status, Verb.SHELL: self._shell,
            Verb.KERNEL_SYMBOL: lambda a: _listed(machine.symbols.kernel(_int(a[0]))),
            Verb.KERNEL_MODULE: lambda a: _listed(machine.symbols.kernel_module(_int(a[0]))),
            Verb.USER_SYMBOL: lambda a: _listed(machine.symbols.user(_int(a[0]), _int(a[1]))),
            Verb.USER_MAPPING: lambda a: _listed(machine.symbols.user_mapping(_int(a[0]), _int(a[1]))),
            Verb.MISTAKE: lambda a: machine.mistake(ProbeDesc(str(a[0]), str(a[1]), str(a[2]), str(a[3]))),
            Verb.NAMED: self._named,
            Verb.REFUSALS: lambda a: machine.refusals(every=True),
            Verb.UNKNOWN_CALLS: lambda a: machine.unknown_calls(),
            Verb.TRACEPOINTS: lambda a: machine.tracepoints(),
            Verb.KEEP_TRACEPOINTS: lambda a: machine.keep_tracepoints(),
            Verb.IDS: lambda a: machine.ids,
            Verb.SURROUNDINGS: lambda a: [machine.clean, machine.environment],
            Verb.FUNCTION: self._function, Verb.OBJECT: self._object, Verb.OBJECTS: self._objects,
            Verb.ADDRESS: self._address, Verb.TYPES: self._types,
            Verb.FILE: self._file, Verb.MEMORY: self._memory,
        }

    @cached_property
    def types_hash(self) -> bytes:
        return types_hash()

    @property
    def interrupted(self) -> bool:
        return self._system.interrupted

    def open(self) -> Device:
        return self._device

    def now(self) -> int:
        return self._system.now()

    def wait(self, until: int) -> bool:
        if self._vms is None:
            self._vms = [VmProcess(self._machine.kernel, name) for name in self._inner]
        for process in self._vms:
            with suppress(AgentError):  # without its process it is as it is
                process.enter()
        return self._system.wait(until)

    def interrupt(self) -> None:
        self._machine.interrupt()

    def close(self) -> None:
        self._machine.close()

    # -- processes --------------------------------------------------------------------------------------

    def _spawn(self, arguments: list[Json]) -> Json:
        words, environment, where = arguments
        assert isinstance(words, list)
        process = self._machine.spawn([str(word) for word in words], _strings(environment), str(where))
        self._processes[process.pid] = process
        return process.pid

    def _grab(self, arguments: list[Json]) -> Json:
        process = self._machine.grab(_int(arguments[0]))
        self._processes.setdefault(process.pid, process)
        return process.pid

    def _resume(self, arguments: list[Json]) -> Json:
        self._processes[_int(arguments[0])].resume()
        return None

    def _status(self, arguments: list[Json]) -> Json:
        return self._processes[_int(arguments[0])].exit_status

    def _shell(self, arguments: list[Json]) -> Json:
        with tempfile.TemporaryFile() as file:
            self._machine.shell(bytes.fromhex(str(arguments[0])), file.fileno())
            file.seek(0)
            return file.read()

    def _memory(self, arguments: list[Json]) -> Json:
        process = self._machine.kernel.processes.get(_int(arguments[0]))
        if process is None:
            return None
        areas = process.space.areas if process.space is not None else []
        return [os.fsdecode(process.execname), [[area.start, area.end] for area in areas]]

    def _address(self, arguments: list[Json]) -> Json:
        address, symbols = unmarked(_int(arguments[0])), self._machine.symbols
        return [self.registry.instance, address, _listed(symbols.kernel(address)),
                _listed(symbols.kernel_module(address))]

    # -- symbols and types ------------------------------------------------------------------------------

    def _types(self, _arguments: list[Json]) -> Json:
        from runtime.programs.ctfwriter import write_ctf

        types = kernel_types(kernel_header())
        return write_ctf(types, types.loader.words() if types.loader is not None else ())

    def _named(self, arguments: list[Json]) -> Json:
        module, name = arguments
        found = self._machine.named(None if module is None else str(module), str(name))
        return None if found is None else [found.name, found.module, found.address, found.size,
                                           found.name in KFUNCTIONS]

    def _function(self, arguments: list[Json]) -> Json:
        found = self._machine.function_of(*map(str, arguments[:3]))
        if found is None:
            return None
        file, function = found
        return [file.path, function.name, function.start, function.size]

    def _object(self, arguments: list[Json]) -> Json:
        found = self._machine.object_of(*map(str, arguments[:2]))
        return None if found is None else found.path

    def _objects(self, arguments: list[Json]) -> Json:
        return [[each.file.path, each.name, each.bias, each.is_program]
                for each in self._machine.objects_of(_int(arguments[0]), str(arguments[1]))]

    def _file(self, arguments: list[Json]) -> Json:
        data = self._machine.read(str(arguments[0]))
        return b"" if data is None or len(data) > LARGEST_FILE else data


def _int(value: Json) -> int:
    """A number of JSON.  Raises ValueError for anything else."""
    if type(value) is not int:
        raise ValueError(f"{value!r} is no number")
    return value


def _strings(value: Json) -> dict[str, str] | None:
    """A table of strings, or nothing."""
    return {str(name): str(each) for name, each in value.items()} if isinstance(value, dict) else None


def _listed(found: Symbol | Mapped | None) -> Json:
    return None if found is None else list(found)
