"""Providers, their probes, and the registry of all: what providers and the framework ask of each other.

The maker of a provider subclasses `Operations`, registers it with
`Registry.register()`, creates probes on the `Provider` it gets back, and fires them:

    fire = probe.fire
    if fire is not None:
        fire(arg0, arg1, arg2, arg3, arg4)

`probe.fire` is None while no tracer has the probe enabled, so a disabled probe
costs one attribute test.  Arguments are integers from -2**63 to 2**64 - 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from dc.stability import parse
from dif.records import NamedTuple
from dof import model
from dof.globs import is_glob, matcher
from runtime.framework.probes.privileges import Credentials, Privilege

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol

Fire = Callable[[int, int, int, int, int], None]
AttributeSet = tuple[model.Attributes, model.Attributes, model.Attributes, model.Attributes,
                     model.Attributes]


def attributes(provider: str, module: str, function: str, name: str, args: str) -> AttributeSet:
    """The stability of a provider, and of its probes' modules, functions, names and arguments.

    Each is "name/data/class", as the manual writes it.  Raises ValueError for another text.
    """
    return (_stability(provider), _stability(module), _stability(function), _stability(name),
            _stability(args))


def _stability(text: str) -> model.Attributes:
    found = parse(text)
    if found is None:
        raise ValueError(f"no stability: {text}")
    return found


class ArgDesc(NamedTuple):
    """One argument of a probe as `args[]` knows it.

    `native` is the C type the probe passes, `xlated` the type a translator
    turns it into (empty: none), `mapping` the native argument that it is.
    """

    native: str
    xlated: str = ""
    mapping: int | None = None


class Operations:
    """What the framework asks of a provider (dtrace_pops_t); every method has a default."""

    def provide(self, desc: model.ProbeDesc, who: Credentials | None = None) -> None:
        """Create the probes that `desc` (with globs) may mean, if they are made on demand.

        Nothing is done to, or for, what a tracer with the credentials `who` may not see; None may see all.
        """

    def forget(self, who: Credentials) -> None:
        """Make no more probes for tracers with these credentials, who have gone."""

    def resolve(self, desc: model.ProbeDesc, who: Credentials | None = None) -> model.ProbeDesc:
        """`desc` with names that are other names for something (module a.out, say) replaced.

        `who` is as for `provide`.
        """
        return desc

    def prepare(self) -> None:
        """Make sure that the provider is whole, its attributes among the rest."""

    def enable(self, probe: Probe) -> None:
        """Called when the first enabling of `probe` arrives; `probe.fire` is set afterwards."""

    def disable(self, probe: Probe) -> None:
        """Called when the last enabling of `probe` has gone; `probe.fire` is None by then."""

    def argdesc(self, probe: Probe, index: int) -> ArgDesc | None:
        """Type of `args[index]`, None past the last argument."""
        return None

    def getarg(self, probe: Probe, index: int) -> int:
        """Value of argument `index` (5 or more) of the firing under way."""
        return 0

    def usermode(self, probe: Probe) -> bool:
        """Whether the probe fires in a user context (its caller is user code)."""
        return False

    def restricts(self, probe: Probe) -> bool:
        """Whether a firing is shown without what it interrupts to a tracer who may not see that.

        If not (DTRACE_MODE_NOPRIV_DROP), that tracer does not get the firing at all.
        """
        return False

    def limits(self, probe: Probe) -> bool:
        """Whether arguments are hidden from every tracer who does not see all firings.

        This is DTRACE_MODE_LIMITEDPRIV_RESTRICT.
        """
        return False

    def destroy(self, probe: Probe) -> None:
        """The probe is no longer known to the framework."""


if TYPE_CHECKING:
    class MetaProvider(Protocol):
        """Makes providers on behalf of processes that load helper DOF (dtrace_mops_t)."""

        def provide_process(self, provider: model.Provider, pid: int, module: str) -> None:
            """Process `pid` has loaded `provider` of `module`; addresses of its probes are final.

            The module is empty if the process does not say which one.
            """

        def remove_process(self, provider: model.Provider, pid: int, module: str) -> None:
            """Process `pid` unloads `provider` or is gone."""


ARGUMENTS = 5  # that `fire` takes


class Probe:
    """One probe.  `id` counts from 1; `arg` is the provider's own; `aframes` artificial frames
    that a kernel stack at this probe begins with.  `enabled` tells whether a tracer has a clause on it;
    `ecbs` are such clauses, of all tracers, as runtime.framework.tracing has them.
    `needs` is how many of the first arguments `fire` looks at: for the others a provider may pass 0."""

    __slots__ = ("aframes", "arg", "ecbs", "enabled", "fire", "function", "id", "module", "name", "needs",
                 "provider", "retired")

    def __init__(self, number: int, provider: Provider, module: str, function: str, name: str,
                 arg: object, aframes: int) -> None:
        self.id = number
        self.provider = provider
        self.module = module
        self.function = function
        self.name = name
        self.arg = arg
        self.aframes = aframes
        self.enabled = False
        self.ecbs: tuple[object, ...] = ()
        self.fire: Fire | None = None
        self.needs = ARGUMENTS
        self.retired = False

    @property
    def description(self) -> model.ProbeDesc:
        return model.ProbeDesc(self.provider.name, self.module, self.function, self.name, self.id)

    def seen_by(self, credentials: Credentials) -> bool:
        """Whether descriptions of a tracer with these credentials match the probe."""
        provider = self.provider
        return credentials.sees_provider(provider.privileges, provider.uid, provider.zone)

    def remove(self) -> None:
        """Forget the probe: it fires no more and matches nothing (its ECBs keep their records)."""
        self.provider.registry.retire(self)

    def __repr__(self) -> str:
        return f"<Probe {self.id} {self.provider.name}:{self.module}:{self.function}:{self.name}>"


class Provider:
    """A registered provider.  `uid` and `zone` matter with Privilege.OWNER and ZONEOWNER."""

    def __init__(self, registry: Registry, name: str, attributes: AttributeSet,
                 privileges: Privilege, operations: Operations, uid: int, zone: int) -> None:
        self.registry = registry
        self.name = name
        self.attributes = attributes
        self.privileges = privileges
        self.operations = operations
        self.uid = uid
        self.zone = zone
        self.probes: dict[tuple[str, str, str], Probe] = {}

    def hidden_from(self, credentials: Credentials) -> bool:
        """Whether not even its name is for a tracer with these credentials: it is a process of others."""
        process = self.privileges & (Privilege.OWNER | Privilege.ZONEOWNER)
        return not credentials.sees_provider(process, self.uid, self.zone)

    def create(self, module: str, function: str, name: str, arg: object = None,
               aframes: int = 0) -> Probe:
        """A new probe, at once matched against the retained enablings.

        Raises ValueError if the provider has it already.
        """
        return self.registry.create_probe(self, module, function, name, arg, aframes)

    def lookup(self, module: str, function: str, name: str) -> Probe | None:
        """The provider's probe of exactly this name."""
        return self.probes.get((module, function, name))

    def unregister(self) -> None:
        """Remove every probe, then the provider."""
        self.registry.unregister(self)


_FIELDS = ("module", "function", "name")


class ProbeTable:
    """All probes by id, and by each field for quick matching."""

    def __init__(self) -> None:
        self.by_id: dict[int, Probe] = {}
        self._last = 0
        self._index: dict[str, dict[str, dict[int, Probe]]] = {}  # of fields that have been asked for

    def next_id(self) -> int:
        """The id of a new probe, from 1; none is used twice."""
        self._last += 1
        return self._last

    def add(self, probe: Probe) -> None:
        """Enter a new probe."""
        self.by_id[probe.id] = probe
        for field, index in self._index.items():
            index.setdefault(getattr(probe, field), {})[probe.id] = probe

    def hide(self, probe: Probe) -> None:
        """Let no description match `probe` any more; its id still finds it, until `drop`."""
        for field, index in self._index.items():
            bucket = index.get(getattr(probe, field), {})
            bucket.pop(probe.id, None)
            if not bucket:
                index.pop(getattr(probe, field), None)

    def drop(self, probe: Probe) -> None:
        """Forget a probe that `hide` has hidden: its last record is gone."""
        self.by_id.pop(probe.id, None)

    def _indexed(self, field: str) -> dict[str, dict[int, Probe]]:
        """The probes that matches find, by what they have in a field and by id."""
        index = self._index.get(field)
        if index is None:
            index = self._index[field] = {}
            for probe in self.by_id.values():
                if not probe.retired:
                    index.setdefault(getattr(probe, field), {})[probe.id] = probe
        return index

    def _candidates(self, desc: model.ProbeDesc,
                    providers: dict[str, Provider]) -> Iterable[Probe]:
        """The smallest set of probes known to contain all matches, in order of id."""
        best: Iterable[Probe] | None = None
        size = len(self.by_id)
        provider = providers.get(desc.provider)
        if desc.provider and not is_glob(desc.provider):
            if provider is None:
                return ()
            if len(provider.probes) < size:
                best, size = provider.probes.values(), len(provider.probes)
        for field in _FIELDS:
            wanted = getattr(desc, field)
            if not wanted or is_glob(wanted):
                continue
            bucket = self._indexed(field).get(wanted, {})
            if len(bucket) < size:
                best, size = bucket.values(), len(bucket)
        return list(self.by_id.values()) if best is None else list(best)

    def matching(self, desc: model.ProbeDesc, providers: dict[str, Provider]) -> Iterator[Probe]:
        """Every probe that `desc` means, in order of id."""
        if desc.id:
            probe = self.by_id.get(desc.id)
            if probe is not None:
                yield probe
            return
        tests = [(field, test) for field in _FIELDS
                 if (test := matcher(getattr(desc, field))) is not None]
        provider = matcher(desc.provider)
        for probe in self._candidates(desc, providers):
            if probe.retired or (provider is not None and not provider(probe.provider.name)):
                continue
            for field, test in tests:
                if not test(getattr(probe, field)):
                    break
            else:
                yield probe


class OwnProbes:
    """The dtrace provider's probes, which each tracing state fires for itself.

    `error_address` is the offending address of the fault for which ERROR is being fired.
    """

    def __init__(self, begin: Probe, end: Probe, error: Probe) -> None:
        self.begin = begin
        self.end = end
        self.error = error
        self.provider = begin.provider
        self.error_address = 0


class Registry:
    """All providers and probes of one kernel, which is one instance.

    To register a provider is to register it at this instance, "host" unless it is traced with others
    (runtime.instances): then `instance` is its path there.  `own` are the dtrace provider's; functions in
    `created` are called with each new probe.
    """

    own: OwnProbes

    def __init__(self) -> None:
        self.instance = "host"
        self.table = ProbeTable()
        self.providers: dict[str, Provider] = {}
        self.meta: MetaProvider | None = None  # the one maker of providers for processes' helper DOF
        self.created: list[Callable[[Probe], None]] = []
        self._tracers: Counter[Credentials] = Counter()  # how many have the device open

    def register(self, name: str, attributes: AttributeSet, privileges: Privilege,
                 operations: Operations, *, uid: int = 0, zone: int = 0) -> Provider:
        """A new provider.  Raises ValueError if the name is taken."""
        if name in self.providers:
            raise ValueError(f"provider {name} is registered already")
        provider = Provider(self, name, attributes, privileges, operations, uid, zone)
        self.providers[name] = provider
        return provider

    def unregister(self, provider: Provider) -> None:
        """Provider.unregister()."""
        for probe in list(provider.probes.values()):
            self.retire(probe)
        if self.providers.get(provider.name) is provider:
            del self.providers[provider.name]

    def create_probe(self, provider: Provider, module: str, function: str, name: str,
                     arg: object, aframes: int) -> Probe:
        """Provider.create()."""
        key = (module, function, name)
        if key in provider.probes:
            raise ValueError(f"probe {provider.name}:{module}:{function}:{name} exists already")
        probe = Probe(self.table.next_id(), provider, module, function, name, arg, aframes)
        provider.probes[key] = probe
        self.table.add(probe)
        for watcher in self.created:
            watcher(probe)
        return probe

    def retire(self, probe: Probe) -> None:
        """Probe.remove()."""
        if probe.retired:
            return
        probe.retired = True
        probe.fire = None
        if probe.enabled:
            probe.provider.operations.disable(probe)
        probe.provider.probes.pop((probe.module, probe.function, probe.name), None)
        self.table.hide(probe)
        if not probe.enabled:
            self.table.drop(probe)
        probe.provider.operations.destroy(probe)

    # -- which probes a description means --------------------------------------------------------------

    def resolve(self, desc: model.ProbeDesc, credentials: Credentials | None = None) -> model.ProbeDesc:
        """`desc` by the names that probes bear, as far as `credentials` may see what these are names of."""
        for provider in list(self.providers.values()):
            desc = provider.operations.resolve(desc, credentials)
        return desc

    def known(self, desc: model.ProbeDesc) -> Iterator[Probe]:
        """The probes that `desc` means and that exist already, in order of id."""
        return self.table.matching(desc, self.providers)

    def match(self, desc: model.ProbeDesc, credentials: Credentials | None = None) -> list[Probe]:
        """The probes that `desc` means and `credentials` may see, in order of id.

        Providers are first asked to make what `desc` may mean.
        """
        desc = self.resolve(desc, credentials)
        for provider in list(self.providers.values()):
            provider.operations.provide(desc, credentials)
        if credentials is None:
            return list(self.known(desc))
        seen: dict[Provider, bool] = {}  # of a provider all probes are seen, or none
        found = []
        for probe in self.known(desc):
            if probe.provider not in seen:
                seen[probe.provider] = probe.seen_by(credentials)
            if seen[probe.provider]:
                found.append(probe)
        return found

    def join(self, credentials: Credentials) -> None:
        """Note that there is one more tracer with these credentials."""
        self._tracers[credentials] += 1

    def leave(self, credentials: Credentials) -> None:
        """Note that a tracer has gone; tell the providers if it was the last one with these credentials."""
        self._tracers[credentials] -= 1
        if not self._tracers[credentials]:
            del self._tracers[credentials]
            for provider in list(self.providers.values()):
                provider.operations.forget(credentials)

    def means(self, desc: model.ProbeDesc, probe: Probe, credentials: Credentials) -> bool:
        """Whether `desc` means this probe, for a tracer with these credentials."""
        provider = probe.provider
        if desc.id:
            return desc.id == probe.id
        tests = zip(desc[:4], (provider.name, probe.module, probe.function, probe.name), strict=True)
        return (all((test := matcher(field)) is None or test(text) for field, text in tests)
                and probe.seen_by(credentials))

    def probe_from(self, number: int, credentials: Credentials) -> Probe | None:
        """The probe with the lowest id from `number` on that `credentials` may see, retired ones included."""
        exact = self.table.by_id.get(number)
        if exact is not None and exact.seen_by(credentials):
            return exact
        return min((probe for probe in self.table.by_id.values()
                    if probe.id > number and probe.seen_by(credentials)),
                   key=lambda probe: probe.id, default=None)
