"""USDT: the probes that programs bring along.

A program registers helper DOF through /dev/dtrace/helper; each of its
providers becomes one named with the process's number.  While a probe is
enabled, traps stand on the no-operations at its sites, and its is-enabled
tests return 1.
"""

from __future__ import annotations

import contextlib
import errno
import os
import struct
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from dif.elfnumbers import EM_AARCH64
from dif.records import Record, field
from dof import model
from dof.container import load_size
from dof.format import ByteOrder, DofError, Header, size_of
from dof.usdt.definition import DEFAULT_ATTRIBUTES
from dof.usdt.reading import FoundProbe
from runtime.framework.probes.privileges import Privilege
from runtime.framework.probes.registry import ArgDesc, Operations, Probe, Provider
from runtime.kernel.base.errors import MemoryFault, SyscallError
from runtime.programs.objectfile import LoadObject
from runtime.providers.fasttrap.instructions.operands import (
    OperandError,
    Read,
    Registers,
    reader,
    split,
)
from runtime.providers.fasttrap.instructions.space import Act, Refused
from runtime.providers.fasttrap.loadobjects import process_of

if TYPE_CHECKING:
    from runtime.framework.execution.helpers import Helpers
    from runtime.kernel.process.process import Process
    from runtime.kernel.process.thread import Thread
    from runtime.providers.fasttrap.traced import TracedPrograms

# <sys/dtrace.h>: DTRACEHIOC_*, dof_helper_t and struct dof_hdr; FreeBSD's requests carry sizes
ADD_DOF, REMOVE_DOF = 0x64746803, 0x64746802
FREEBSD_ADD_DOF, FREEBSD_REMOVE_DOF = 0xC0587A03, 0x80047A02
HELPER = "64sQQ"
GENERATION_OFFSET = struct.calcsize(HELPER) + 4  # in FreeBSD's structure: after the process number


class HelperDevice:
    """/dev/dtrace/helper.  `remark` is told why DOF is refused, which few ask."""

    def __init__(self, helpers: Helpers, remark: Callable[[str], None]) -> None:
        self._helpers = helpers
        self._remark = remark
        self._early: dict[tuple[int, int], int] = {}  # process, address of its DOF: generation

    def load_early(self, process: Process, data: bytes, base: int, address: int, module: str) -> None:
        """Load DOF that the process has not registered yet, but is going to.  Raises DofError."""
        if not self._helpers.has(process.pid, address):
            self._early[process.pid, address] = self._helpers.load(
                process.pid, data, base, address, byte_order(process), module)

    def forget(self, pid: int) -> None:
        """Drop the helper DOF of a process that is gone or executes another program."""
        self._helpers.forget(pid)
        for key in [key for key in self._early if key[0] == pid]:
            del self._early[key]

    def ioctl(self, thread: Thread, request: int, argument: int) -> int:
        """Returns the generation number of DOF that is added, else 0.  Raises SyscallError."""
        request &= 0xFFFFFFFF
        try:
            if request in (ADD_DOF, FREEBSD_ADD_DOF):
                generation = self._add(thread, argument)
                if request == FREEBSD_ADD_DOF:
                    thread.write(argument + GENERATION_OFFSET, struct.pack("<i", generation))
                    return 0
                return generation
            if request == FREEBSD_REMOVE_DOF:
                argument = int.from_bytes(thread.read(argument, 4), "little")
            if request in (REMOVE_DOF, FREEBSD_REMOVE_DOF):
                self._helpers.unload(thread.pid, argument & 0xFFFFFFFF)
                return 0
        except MemoryFault:
            raise SyscallError(errno.EFAULT) from None
        except DofError as error:
            self._remark(f"process {thread.pid}: its DOF is refused: {ascii(str(error))[1:-1]}")
            raise SyscallError(error.errno) from None
        except ValueError:
            raise SyscallError(errno.EINVAL) from None
        raise SyscallError(errno.ENOTTY)

    def _add(self, thread: Thread, argument: int) -> int:
        shape, order = struct.Struct(thread.process.processor.order + HELPER), byte_order(thread.process)
        module, base, address = shape.unpack(thread.read(argument, shape.size))
        generation = self._early.pop((thread.pid, address), None)
        if generation is not None:
            return generation
        data = thread.read(address, load_size(thread.read(address, size_of(Header)), order))
        return self._helpers.load(thread.pid, data, base, address, order,
                                  os.fsdecode(module.partition(b"\0")[0]))


def byte_order(process: Process) -> ByteOrder:
    return "little" if process.processor.order == "<" else "big"


class UsdtProbe(Record):
    """The provider's own part of a probe; sites are addresses of the process."""

    native: list[str]
    xlated: list[str]
    mapping: list[int]
    sites: list[int] = field(default_factory=list)
    enabled_sites: list[int] = field(default_factory=list)
    readers: dict[int, list[Read]] = field(default_factory=dict)  # by site, for notes
    semaphores: list[int] = field(default_factory=list)


class UsdtProvider(Operations):
    """A provider of one process, of one or several helper DOFs that share its name."""

    def __init__(self, programs: TracedPrograms, process: Process) -> None:
        self._programs = programs
        self.process = process
        assert process.space is not None
        self.space = programs.tracepoints.of(process)
        self.provider: Provider
        self.sources = 0

    def add(self, module: str, described: model.Probe) -> None:
        """Make a probe, or give one that is there more sites."""
        mask = (1 << self.process.bits) - 1
        sites = [described.address + offset & mask for offset in described.offsets]
        enabled = [described.address + offset & mask for offset in described.enabled_offsets]
        probe = self.provider.lookup(module, described.function, described.name)
        if probe is None:
            self.provider.create(module, described.function, described.name, UsdtProbe(
                described.native, described.xlated, described.mapping, sites, enabled))
            return
        arg = _arg(probe)
        for each in sites:
            if each not in arg.sites:
                arg.sites.append(each)
                if probe.enabled:
                    self._arm(probe, each, self._act(probe, each))
        for each in enabled:
            if each not in arg.enabled_sites:
                arg.enabled_sites.append(each)
                if probe.enabled:
                    self._arm(probe, each, self.space.convention.say_enabled)

    def add_note(self, each: LoadObject, found: FoundProbe) -> None:
        """Make a probe of stapsdt notes; where an argument cannot be read it is 0."""
        if self.provider.lookup(each.name, found.function, found.name) is not None:
            return
        sites = [site + each.bias for site in found.sites]
        readers = {site: self._readers(operands, each)
                   for site, operands in zip(sites, found.operands, strict=True)}
        self.provider.create(each.name, found.function, found.name, UsdtProbe(
            found.native, found.xlated, found.mapping, sites, [], readers,
            [semaphore + each.bias for semaphore in found.semaphores]))

    def _readers(self, operands: str, each: LoadObject) -> list[Read]:
        read: Callable[[int, str], Read] = partial(
            reader, bias=each.bias, bits=each.file.bits, symbol=each.file.symbol_address)
        if each.file.elf.machine == EM_AARCH64:
            from runtime.providers.fasttrap.instructions.arm64operands import reader as read
        readers = []
        for size, operand in split(operands):
            try:
                readers.append(read(size, operand))
            except OperandError:
                readers.append(_nothing)
                self._programs.kernel.budgets.tell(
                    f"{each.name}: notes of probes name places that cannot be read: these arguments are 0")
        return readers

    def discard(self, module: str, described: model.Probe) -> None:
        """Undo `add`; a probe that has no sites left is removed."""
        probe = self.provider.lookup(module, described.function, described.name)
        if probe is None:
            return
        arg = _arg(probe)
        mask = (1 << self.process.bits) - 1
        gone = {described.address + offset & mask
                for offset in (*described.offsets, *described.enabled_offsets)}
        for address in gone:
            self.space.remove(address, probe)
        arg.sites = [each for each in arg.sites if each not in gone]
        arg.enabled_sites = [each for each in arg.enabled_sites if each not in gone]
        if not arg.sites and not arg.enabled_sites:
            probe.remove()

    # -- enabling ----------------------------------------------------------------------------------

    def enable(self, probe: Probe) -> None:
        arg = _arg(probe)
        for address in arg.sites:
            self._arm(probe, address, self._act(probe, address))
        for address in arg.enabled_sites:
            self._arm(probe, address, self.space.convention.say_enabled)
        self._count_listeners(arg.semaphores, 1)

    def _arm(self, probe: Probe, address: int, act: Act) -> None:
        with contextlib.suppress(Refused, MemoryFault):  # a site that is no instruction: broken DOF
            self.space.add(address, probe, act)

    def disable(self, probe: Probe) -> None:
        arg = _arg(probe)
        for address in (*arg.sites, *arg.enabled_sites):
            self.space.remove(address, probe)
        self._count_listeners(arg.semaphores, -1)

    def data_mapped(self, start: int, end: int) -> None:
        """Count again in semaphores that a file has brought: a library's code is mapped before its data."""
        for probe in self.provider.probes.values():
            if probe.enabled:
                self._count_listeners([each for each in _arg(probe).semaphores if start <= each < end], 1)

    def _count_listeners(self, semaphores: Sequence[int], change: int) -> None:
        """Add to the program's semaphores: 16-bit counters that tell it how many tracers listen."""
        space = self.space.space
        for address in semaphores if space.users else ():
            with contextlib.suppress(MemoryFault):
                count = int.from_bytes(space.read(address, 2), "little") + change
                space.write(address, (count & 0xFFFF).to_bytes(2, "little"))

    def _act(self, probe: Probe, site: int) -> Act:
        readers = _arg(probe).readers.get(site)
        if readers is not None:
            return _read_all(probe, readers)
        mapping = _arg(probe).mapping
        in_order = mapping[:5] == list(range(len(mapping[:5])))
        convention = self.space.convention
        if self.process.bits == 64 and in_order:  # they are in registers
            return convention.entry(probe)
        first: list[int | None] = [*mapping, None, None, None, None, None][:5]

        def mapped(thread: Thread, _regs: object) -> None:
            fire = probe.fire
            if fire is not None:
                fire(*(0 if index is None else convention.argument(thread, index, called=False)
                       for index in first))
        return mapped

    def places(self) -> Iterator[tuple[Probe, list[int]]]:
        """Each probe with the addresses of its traps."""
        for probe in self.provider.probes.values():
            yield probe, [*_arg(probe).sites, *_arg(probe).enabled_sites]

    # -- arguments ---------------------------------------------------------------------------------

    def getarg(self, probe: Probe, index: int) -> int:
        mapping = _arg(probe).mapping
        if index >= len(mapping):
            return 0
        readers = _arg(probe).readers
        if readers:
            return self._from_note(readers, index)
        return self.space.convention.argument(self._programs.kernel.current, mapping[index], called=False)

    def _from_note(self, readers: dict[int, list[Read]], index: int) -> int:
        thread = self._programs.kernel.current
        at_site = readers.get(thread.pc, [])
        try:
            return at_site[index](thread, thread.regs) if index < len(at_site) else 0
        except MemoryFault:
            return 0

    def argdesc(self, probe: Probe, index: int) -> ArgDesc | None:
        arg = _arg(probe)
        if index >= len(arg.xlated):
            return None
        native = arg.mapping[index] if index < len(arg.mapping) else index
        # A string that the program passes is the program's: what D sees as string is copied in.
        userland = "userland " if arg.xlated[index] == "string" != arg.native[native] else ""
        return ArgDesc(userland + arg.native[native], arg.xlated[index], index)


def _arg(probe: Probe) -> UsdtProbe:
    assert isinstance(probe.arg, UsdtProbe)
    return probe.arg


def _read_all(probe: Probe, readers: list[Read]) -> Act:
    """Read the first five arguments where the note says they are."""
    first = [*readers, *[_nothing] * 5][:5]

    def act(thread: Thread, regs: Registers) -> None:
        fire = probe.fire
        if fire is None:
            return
        values = []
        for read in first:
            try:
                values.append(read(thread, regs))
            except MemoryFault:
                values.append(0)
        fire(*values)
    return act


def _nothing(_thread: Thread, _regs: Registers) -> int:
    return 0


class UsdtProviders:
    """Makes and removes the providers of processes (the framework's MetaProvider)."""

    def __init__(self, programs: TracedPrograms) -> None:
        self._programs = programs
        self.providers: dict[tuple[int, str], UsdtProvider] = {}

    def provide_process(self, provider: model.Provider, pid: int, module: str) -> None:
        """Make the provider's probes for a process, of a module as the process calls it (see `_module`)."""
        process = process_of(self._programs.kernel, pid)
        if process is None:
            return
        operations = self.providers.get((pid, provider.name)) or self._register(provider, process)
        operations.sources += 1
        for probe in provider.probes:
            operations.add(self._module(process, probe, module), probe)

    def data_mapped(self, thread: Thread, start: int, end: int) -> None:
        """A thread has mapped data of a file."""
        for (pid, _name), operations in self.providers.items():
            if pid == thread.pid:
                operations.data_mapped(start, end)

    def provide_notes(self, process: Process, each: LoadObject, name: str, probes: list[FoundProbe]) -> None:
        """Make the probes of one provider in a file's notes; they stay until the process is gone."""
        operations = self.providers.get((process.pid, name)) or self._register(
            model.Provider(name, DEFAULT_ATTRIBUTES), process)
        operations.sources += 1
        for found in probes:
            operations.add_note(each, found)

    def _register(self, provider: model.Provider, process: Process) -> UsdtProvider:
        operations = UsdtProvider(self._programs, process)
        operations.provider = self._programs.registry.register(
            f"{provider.name}{process.pid}", provider.attributes, Privilege.PROCESS, operations,
            uid=process.identity.owner, zone=process.zone.id)
        self.providers[process.pid, provider.name] = operations
        return operations

    def forget(self, pid: int) -> None:
        """Unregister the providers of a process that is gone."""
        for key in [key for key in self.providers if key[0] == pid]:
            self.providers.pop(key).provider.unregister()

    def _module(self, process: Process, probe: model.Probe, module: str) -> str:
        """The module of a probe: what the process calls it, if that is no other name of the file it is in.

        Code that the process has made for itself is in no file.
        """
        offsets = probe.offsets or probe.enabled_offsets
        address = probe.address + offsets[0] & (1 << process.bits) - 1
        each = self._programs.objects.at(process, address)
        return each.name if each is not None and (not module or each.answers_to(module)) else module

    def remove_process(self, provider: model.Provider, pid: int, module: str) -> None:
        operations = self.providers.get((pid, provider.name))
        if operations is None:
            return
        operations.sources -= 1
        if not operations.sources:
            del self.providers[pid, provider.name]
            operations.provider.unregister()
            return
        for probe in provider.probes:
            operations.discard(self._module(operations.process, probe, module), probe)
