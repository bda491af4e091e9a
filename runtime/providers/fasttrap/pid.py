"""The pid provider: probes on a function's entry, its returns, and each of its instructions.

A provider pidN comes into being when a probe description names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dif.records import Record, replace
from dof.globs import is_glob, matcher
from runtime.framework.probes.privileges import Privilege
from runtime.framework.probes.registry import (
    Operations,
    Probe,
    Provider,
    attributes,
)
from runtime.kernel.base.errors import MemoryFault
from runtime.programs.abi import VECTOR_HALVES
from runtime.programs.objectfile import Function, LoadObject, ObjectFile
from runtime.providers.fasttrap.functionbodies import Body, analyse
from runtime.providers.fasttrap.indirect import implementation
from runtime.providers.fasttrap.instructions.space import Act, Refused
from runtime.providers.fasttrap.wanted import Wanted

if TYPE_CHECKING:
    from dof.model import ProbeDesc
    from runtime.framework.probes.privileges import Credentials
    from runtime.kernel.process.process import Process
    from runtime.providers.fasttrap.traced import TracedPrograms

ATTRIBUTES = attributes(
    "Evolving/Evolving/ISA", "Private/Private/Unknown", "Private/Private/Unknown",
    "Evolving/Evolving/ISA", "Private/Private/Unknown")
_NAME = re.compile(r"pid([1-9][0-9]*)")
_OFFSET = re.compile(r"[0-9a-f]+")
MAX_TEXT = 1 << 20  # bytes of code that one description may probe instruction by instruction
MOST_BODIES = 100_000  # functions whose instructions are remembered
NO_FUNCTION = "-"  # stands for the whole object: offsets are its addresses


class Site(Record):
    """Where a probe's trap goes; `offset` is from the function's start, and arg0 of `return`.

    `resolves` is for the end of an indirect function's resolver: the object, and the function's name.
    """

    address: int
    offset: int
    bias: int
    function: Function
    resolves: tuple[LoadObject, str] | None = None

    def contains(self, address: int) -> bool:
        """Whether the function's text is at `address` of the process."""
        return self.function.contains(address - self.bias)


class PidProvider(Operations):
    """The provider of one process."""

    def __init__(self, programs: TracedPrograms, process: Process) -> None:
        self._programs = programs
        self.process = process
        assert process.space is not None
        self.space = programs.tracepoints.of(process)
        self.wanted: Wanted[ProbeDesc] = Wanted()  # objects may still be loaded
        self._bodies: dict[tuple[str, int], Body] = {}
        # when it had run for how long, among how many objects; how many probes there were then
        self._searched: dict[ProbeDesc, tuple[int, int, int]] = {}
        self.refused: dict[int, str] = {}  # address of what cannot be traced: why
        self.jumps: set[int] = set()  # addresses of computed jumps behind which probes are missing
        self.provider: Provider

    # -- making probes ----------------------------------------------------------------------------

    def provide_for(self, desc: ProbeDesc, who: Credentials | None) -> None:
        """Make the probes that `desc`, of this tracer, means in the objects that are there."""
        self.wanted.add(desc, who)
        objects = self._programs.objects.of(self.process)
        state = sum(thread.cpu_time for thread in self.process.threads), len(objects)
        *before, found = self._searched.get(desc, (0, 0, 0))
        if state == tuple(before) and found <= len(self.provider.probes):
            return  # the compiler has asked for the same, and the program has not run since
        if not self.too_much(desc, objects):
            for each in objects:
                self.search(desc, each)
        if len(self._searched) >= MOST_BODIES:
            self._searched.clear()
        self._searched[desc] = *state, len(self.provider.probes)

    def too_much(self, desc: ProbeDesc, objects: Sequence[LoadObject]) -> bool:
        """Whether `desc` means more instructions than can reasonably be probed one by one.

        (A kernel has such a limit, too: fasttrap-max-probes.)
        """
        if desc.function == NO_FUNCTION or (desc.name and not is_glob(desc.name)):
            return False
        module = matcher(desc.module)
        return sum(function.size for each in objects if module is None or module(each.name)
                              for function, _name in self._functions(desc, each.file)) > MAX_TEXT

    def cares_for(self, name: str) -> bool:
        """Whether probes were asked for that may be in an object of this name."""
        return any((test := matcher(desc.module)) is None or test(name) for desc, _who in self.wanted)

    def loaded(self, each: LoadObject) -> None:
        """Make the probes that were asked for in a load object that has just been mapped."""
        for desc, _who in self.wanted:
            if not self.too_much(desc, [each]):
                self.search(desc, each)

    def unmapped(self, start: int, end: int) -> None:
        """Remove the probes that were only in text that has gone."""
        for probe in list(self.provider.probes.values()):
            sites = _sites(probe)
            if any(start <= site.address < end for site in sites):
                probe.arg = tuple(site for site in sites if not start <= site.address < end)
                if not probe.arg:
                    probe.remove()

    def search(self, desc: ProbeDesc, each: LoadObject) -> None:
        """Make the probes that `desc` means in one object."""
        module = matcher(desc.module)
        if module is not None and not module(each.name):
            return
        if desc.function == NO_FUNCTION and not each.is_program:
            return
        for function, name in self._functions(desc, each.file):
            self._probes(desc.name, each, function, name)
        if desc.function and not is_glob(desc.function):
            for resolver in each.file.resolvers(desc.function):
                self._indirect(desc.name, each, resolver, desc.function)
            return
        for resolver in each.file.indirect:
            for name in self._names(desc, resolver):
                self._indirect(desc.name, each, resolver, name)

    @staticmethod
    def _names(desc: ProbeDesc, resolver: Function) -> list[str]:
        """The names of an indirect function that `desc` means: of a pattern only the first counts."""
        test = matcher(desc.function)
        if test is not None and not is_glob(desc.function):
            return [desc.function] if desc.function in resolver.names else []
        return [resolver.name] if test is None or test(resolver.name) else []

    @staticmethod
    def _functions(desc: ProbeDesc, file: ObjectFile) -> list[tuple[Function, str]]:
        test = matcher(desc.function)
        if desc.function == NO_FUNCTION:
            low = min((each.address for each in file.segments), default=0)
            high = max((each.address + each.memory_size for each in file.segments), default=0)
            return [(Function(NO_FUNCTION, low, high - low), NO_FUNCTION)]
        if test is not None and not is_glob(desc.function):
            return [(function, desc.function) for function in file.named(desc.function)]
        return [(function, function.name) for function in file.functions
                if test is None or test(function.name)]

    def _probes(self, wanted: str, each: LoadObject, function: Function, name: str) -> None:
        if wanted and not is_glob(wanted):
            if wanted == "entry":
                self._create(each, function, name, wanted, [function.start])
            elif wanted == "return":
                self._create(each, function, name, wanted, self._body(each, function).returns)
            elif _OFFSET.fullmatch(wanted):
                self._at_offset(each, function, name, wanted)
            return
        if function.name == NO_FUNCTION:
            return
        test = matcher(wanted)
        body = self._body(each, function)
        if test is None or test("entry"):
            self._create(each, function, name, "entry", [function.start])
        if test is None or test("return"):
            self._create(each, function, name, "return", body.returns)
        for address in body.instructions:
            offset = f"{address - function.start:x}"
            if function.start <= address < function.start + function.size and (test is None or test(offset)):
                self._create(each, function, name, offset, [address])

    def _at_offset(self, each: LoadObject, function: Function, name: str, wanted: str) -> None:
        offset = int(wanted, 16)
        if function.name == NO_FUNCTION:
            inside = each.file.function_at(offset) or each.file.described(offset)
            if inside is not None and offset in self._body(each, inside).instructions:
                self._create(each, Function(NO_FUNCTION, 0, function.size), name, wanted, [offset])
            return
        if offset < function.size and function.start + offset in self._body(each, function).instructions:
            self._create(each, function, name, wanted, [function.start + offset])

    def _indirect(self, wanted: str, each: LoadObject, resolver: Function, name: str) -> None:
        """Make probes on the function that an indirect one stands for; until then, on its resolver."""
        objects = self._programs.objects.of(self.process)
        address = implementation(self.space.space, objects, each, resolver)
        if address is not None:
            self._probes(wanted, each, _named(each, address, name), name)
            return
        isa, body = self.space.isa, self._body(each, resolver)
        ends = [at for at in body.returns
                if isa.is_return(isa.decode(each.file.code(at, isa.longest), at))]
        test = matcher(wanted)
        exact = (wanted,) if _OFFSET.fullmatch(wanted) else ()
        for probe_name in ("entry", "return", *exact):
            if test is None or test(probe_name):
                self._add(each, name, probe_name, tuple(
                    Site(at + each.bias, 0, each.bias, resolver, (each, name)) for at in ends))

    def _resolved(self, site: Site, address: int) -> None:
        """A resolver has returned: make the probes that were asked for on the function that it has chosen."""
        assert site.resolves is not None
        each, name = site.resolves
        if each.file.code(address - each.bias, 1):
            function = _named(each, address, name)
            for desc, _who in self.wanted:
                module = matcher(desc.module)
                if (module is None or module(each.name)) and name in self._names(desc, site.function):
                    self._probes(desc.name, each, function, name)

    def _body(self, each: LoadObject, function: Function) -> Body:
        key = each.file.path, function.start
        body = self._bodies.get(key)
        if body is None:
            if len(self._bodies) >= MOST_BODIES:
                self._bodies.clear()  # those that are needed again are read again
            body = self._bodies[key] = analyse(each.file, function, self.space.isa)
            for address, why in body.refused.items():
                self.refused[address + each.bias] = why
            self.jumps.update(address + each.bias for address in body.jumps)
        return body

    def _create(self, each: LoadObject, function: Function, function_name: str, name: str,
                addresses: list[int]) -> None:
        sites: list[Site] = []
        for address in addresses:
            place = address + each.bias
            if name == "return":
                place = self.space.leaves_at(place)
            plan = self.space.plan(place)
            if plan.treatment is plan.treatment.REFUSED:
                self.refused[place] = plan.why
            else:
                sites.append(Site(place, address - function.start, each.bias, function))
        self._add(each, function_name, name, tuple(sites))

    def _add(self, each: LoadObject, function_name: str, name: str, sites: tuple[Site, ...]) -> None:
        """Give a probe these places, beside those in static functions of the same name."""
        if not sites:
            return
        probe = self.provider.lookup(each.name, function_name, name)
        if probe is None:
            self.provider.create(each.name, function_name, name, sites)
            return
        known = {site.address for site in _sites(probe)}
        for site in sites:
            if site.address not in known:
                probe.arg = (*_sites(probe), site)
                if probe.enabled:
                    self._arm(probe, site)

    # -- enabling ----------------------------------------------------------------------------------

    def enable(self, probe: Probe) -> None:
        for site in _sites(probe):
            self._arm(probe, site)

    def _arm(self, probe: Probe, site: Site) -> None:
        try:
            if probe.name == "return" and site.resolves is None:
                self.space.watch_return(site.address, probe, site.offset, site.contains)
            else:
                self.space.add(site.address, probe, self._act(probe, site))
        except (Refused, MemoryFault) as reason:
            self.refused[site.address] = str(reason)

    def disable(self, probe: Probe) -> None:
        for site in _sites(probe):
            self.space.remove(site.address, probe)

    def _act(self, probe: Probe, site: Site) -> Act:
        if site.resolves is not None:
            return lambda _thread, regs: self._resolved(site, self.space.convention.result(regs))
        return self.space.calls(site.function).entry(probe)

    def places(self) -> Iterator[tuple[Probe, list[int]]]:
        """Each probe with the addresses of its traps."""
        for probe in self.provider.probes.values():
            yield probe, [site.address for site in _sites(probe)]

    def getarg(self, probe: Probe, index: int) -> int:
        if probe.name == "return" and index < VECTOR_HALVES:
            return 0
        convention = self.space.calls(_sites(probe)[0].function)
        return convention.argument(self._programs.kernel.current, index, called=True)


def _named(each: LoadObject, address: int, name: str) -> Function:
    """The function at an address under another name; only its start if no more is known."""
    start = address - each.bias
    known = each.file.function_at(start) or each.file.described(start)
    if known is None or known.start != start:
        return Function(name, start, 0)
    return replace(known, name=name)


def _sites(probe: Probe) -> tuple[Site, ...]:
    assert isinstance(probe.arg, tuple)
    return probe.arg


def names_processes(provider: str) -> bool:
    """Whether a description's provider names pid probes: pidN, or several as pid* does."""
    return provider.startswith("pid") and (is_glob(provider) or _NAME.fullmatch(provider) is not None)


def process_number(provider: str) -> int | None:
    """The process number in a provider's name, pidN; None for another name."""
    match = _NAME.fullmatch(provider)
    return int(match[1]) if match else None


def may_trace(who: Credentials | None, process: Process) -> bool:
    """Whether a tracer with these credentials may have probes of a process; None may have all."""
    return who is None or who.sees_provider(Privilege.PROCESS, process.identity.owner, process.zone.id)


def register(programs: TracedPrograms, process: Process) -> PidProvider:
    """Return a new provider, of a process that has none."""
    operations = PidProvider(programs, process)
    operations.provider = programs.registry.register(
        f"pid{process.pid}", ATTRIBUTES, Privilege.PROCESS, operations,
        uid=process.identity.owner, zone=process.zone.id)
    return operations
