"""What the sites of all objects come to: which stay where they are, which need stubs, and the
instances of probes that the DOF will hold."""

from __future__ import annotations

from dif.records import NamedTuple, Record, field
from dof.usdt.definition import ProbeDefinition, ProviderDefinition
from dof.usdt.instructions import InstructionSet, Stub
from dof.usdt.sites import ALIAS_PREFIX, Call, Function, LinkError, ProbeObject, Reference


class Point(NamedTuple):
    """A tracepoint, in bytes from its instance's symbol; `tail` as in instructions.Site."""

    offset: int
    enabled: bool
    tail: bool


class Instance(Record):
    """A probe in one function: `symbol` is the function's alias, or a stub that stands in for it."""

    provider: ProviderDefinition
    probe: ProbeDefinition
    function: str
    symbol: bytes
    points: dict[Point, None] = field(default_factory=dict)  # each once, in order

    def add(self, point: Point) -> None:
        """Add a point; copies of one function in several objects give the same points."""
        self.points[point] = None


class Plan:
    """The outcome over all objects.

    `stubs` tells what each stub stands for, by its name.  With `semaphores`
    every is-enabled call goes to a stub, whose result other tracers can set as well.
    `key` tells this run's symbols from those of others.  `anchor` is a symbol
    that the generated object defines, and the others have as a common one: so
    a linker takes the generated object from an archive, if it is in one, and
    does without, if it is nowhere.  LLVM's needs --fortran-common for that; in
    the copy of an archive the others have the symbol undefined.
    """

    def __init__(self, semaphores: bool) -> None:
        self.semaphores = semaphores
        self.key = ""
        self.instances: list[Instance] = []
        self.stubs: dict[bytes, Reference] = {}
        self.names: set[bytes] = set()  # of aliases
        self._aliases: dict[str, dict[Function, bytes]] = {}

    @property
    def anchor(self) -> bytes:
        return ALIAS_PREFIX + self.key.encode()

    def stub(self, machine: InstructionSet, reference: Reference) -> Stub:
        """The code that stands for a probe or an is-enabled test."""
        if reference.enabled and self.semaphores:
            return machine.semaphore_stub()
        return machine.stub(reference.enabled)

    def aliases(self, target: ProbeObject) -> dict[Function, bytes]:
        """The alias of each function of `target` that has a site."""
        return self._aliases.setdefault(target.path, {})


def _key(calling: list[ProbeObject]) -> str:
    """The key of a run over objects that call probes.

    It is that of an earlier run over the same ones, if there is one: they may lie elsewhere by now.
    """
    if not calling:
        return ""
    provider = calling[0].calls[0].reference.provider.name
    for anchor in sorted(set.intersection(*(each.anchors for each in calling))):
        if anchor.count(b".") == 1 and anchor.endswith(b"." + provider.encode()):
            return anchor.removeprefix(ALIAS_PREFIX).decode()
    return f"{calling[0].key}.{provider}"


def make_plan(objects: list[ProbeObject], providers: list[ProviderDefinition], semaphores: bool) -> Plan:
    """Settle every call; calls that turn out to need a stub lose their site.  Raises LinkError."""
    if semaphores:
        for call in (call for target in objects for call in target.calls):
            if call.reference.enabled and not call.done:
                call.site = None
    _settle_copies(objects)
    plan = Plan(semaphores)
    plan.key = _key([each for each in objects if each.calls])
    found: dict[tuple[str, str], dict[tuple[str, bytes], Instance]] = {}
    for target in objects:
        for call in target.calls:
            reference = call.reference
            of_probe = found.setdefault((reference.provider.name, reference.probe.name), {})
            if call.site is None:
                name = stub_symbol(target, call)
                plan.stubs[name] = reference
                stub = plan.stub(target.machine, reference)
                point = Point(stub.point, reference.enabled, False)
            else:
                name = _alias(plan, target, call.function)
                point = Point(call.site.point - call.function.value, reference.enabled, call.site.tail)
            key = call.function.display, name
            if key not in of_probe:
                of_probe[key] = Instance(reference.provider, reference.probe, call.function.display, name)
            of_probe[key].add(point)
    for provider in providers:
        for probe in provider.probes:
            plan.instances += found.get((provider.name, probe.name), {}).values()
    return plan


def _alias(plan: Plan, target: ProbeObject, function: Function) -> bytes:
    aliases = plan.aliases(target)
    if function not in aliases:
        existing = target.aliases.get((function.section, function.value))
        name = existing or _prefix(target, function) + function.name
        if not existing and not function.weak and name in plan.names:  # static functions, after ld -r
            name += b".%d" % len(aliases)
        plan.names.add(name)
        aliases[function] = name
    return aliases[function]


def _prefix(target: ProbeObject, function: Function) -> bytes:
    """Copies of a weak function share their alias, as the linker keeps one of them."""
    return ALIAS_PREFIX + b"." if function.weak else b"%s%s." % (ALIAS_PREFIX, target.key.encode())


def stub_symbol(target: ProbeObject, call: Call) -> bytes:
    """The stub that stands for a probe in a function."""
    return call.stub or b"%s%s.%s" % (_prefix(target, call.function), call.function.name,
                                      call.reference.symbol.encode())


def _settle_copies(objects: list[ProbeObject]) -> None:
    """Lead the probes of a weak function to stubs unless all objects compiled it alike.

    The linker keeps one of the copies, and we do not know which.  So offsets
    name the sites only if they are the same in all copies.
    """
    copies: dict[bytes, list[tuple[ProbeObject, list[Call]]]] = {}
    for target in objects:
        here: dict[bytes, list[Call]] = {}
        for call in target.calls:
            if call.function.weak:
                here.setdefault(call.function.name, []).append(call)
        for name, calls in here.items():
            copies.setdefault(name, []).append((target, calls))
    for name, group in copies.items():
        if all(_shape(calls) == _shape(group[0][1]) for _, calls in group):
            continue
        for target, calls in group:
            for call in calls:
                if call.done and call.site is not None:
                    raise LinkError(f"{target.path}: another object holds a different copy of function"
                                    f" {name.decode('utf-8', 'replace')}: compile it anew")
                call.site = None


def _shape(calls: list[Call]) -> list[tuple[Reference, int, bool]]:
    return sorted(((call.reference, call.site.point - call.function.value, call.site.tail)
                   for call in calls if call.site is not None), key=lambda each: (each[0].symbol, each[1]))
