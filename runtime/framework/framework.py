"""The framework: every provider, probe and tracing state of one kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING

from dof import model
from runtime.framework.match import is_glob, matcher
from runtime.framework.privileges import Credentials, Privilege
from runtime.framework.provider import (
    AttributeSet,
    Fire,
    MetaProvider,
    Operations,
    Probe,
    Provider,
)

if TYPE_CHECKING:
    from runtime.framework.device import FrameworkDevice
    from runtime.framework.helpers import Helpers
    from runtime.framework.host import Host
    from runtime.framework.tracing.ecb import Ecb
    from runtime.framework.tracing.state import State
    from runtime.framework.values.builtinvalues import Getter
    from runtime.framework.values.difmemory import Strings
    from runtime.framework.values.subroutines import Bound

TRANSLATED_MAX = 4_000  # clauses of one probe, for which translating takes some 200 MB
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
        """Matches find `probe` no more; its id still does, until `drop`."""
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
            if all(test(getattr(probe, field)) for field, test in tests):
                yield probe


def _sees(credentials: Credentials, probe: Probe) -> bool:
    provider = probe.provider
    return credentials.sees_provider(provider.privileges, provider.uid, provider.zone)


class Framework:
    """What dtrace.c is to a kernel, which is what `boot` answers when the framework first needs it.

    Without one there are providers and their probes: what a compiler asks for, or a list of them.
    `engine` is "translate" (each enabled probe becomes one generated Python
    function) or "interpret" (a plain loop over the instruction table).
    On an `aligned` machine, integers are loaded from multiples of their sizes only.
    """

    def __init__(self, boot: Callable[[], Host], *, engine: str = "translate", target: str = "illumos",
                 aligned: bool = False) -> None:
        if engine not in ("translate", "interpret"):
            raise ValueError(f"no DIF engine named {engine!r}")
        self._boot = boot
        self.engine = engine
        self.target = target
        self.aligned = aligned
        self.table = ProbeTable()
        self.providers: dict[str, Provider] = {}
        self.meta: MetaProvider | None = None
        self.states: list[State] = []
        self.anonymous: State | None = None
        self.ending: Callable[[], None] | None = None  # told when a program has called exit()
        self.error_address = 0  # of the fault that ERROR is being fired for
        self.own_provider: Provider
        self.begin_probe: Probe
        self.end_probe: Probe
        self.error_probe: Probe

    @cached_property
    def host(self) -> Host:
        """The kernel."""
        return self._boot()

    @cached_property
    def strings(self) -> Strings:
        """Constant strings of programs, at addresses of the framework's."""
        from runtime.framework.values.difmemory import Strings

        return Strings()

    @cached_property
    def getters(self) -> dict[int, Getter]:
        """Built-in variables, by id."""
        from runtime.framework.values import builtinvalues as variables

        return variables.getters(self.target)

    @cached_property
    def subroutines(self) -> dict[int, Bound]:
        """Subroutines, by number."""
        from runtime.framework.values import subroutines

        return subroutines.bound(self.target)

    @cached_property
    def helpers(self) -> Helpers:
        """What processes have registered for ustack()."""
        from runtime.framework.helpers import Helpers

        return Helpers(self)

    def adopt(self, begin: Probe, end: Probe, error: Probe) -> None:
        """The dtrace provider's probes, which each state fires for itself."""
        self.own_provider = begin.provider
        self.begin_probe, self.end_probe, self.error_probe = begin, end, error

    def open(self, credentials: Credentials | None = None) -> FrameworkDevice:
        """Open the device.  Raises BorderError (EACCES) for one with no DTrace privilege."""
        from runtime.framework.device import FrameworkDevice
        return FrameworkDevice(self, credentials or Credentials())

    def begin_anonymous(self, dofs: list[bytes]) -> None:
        """Anonymous tracing: enable this configuration and begin; a consumer grabs it later.

        Raises BorderError for DOF that the kernel refuses.
        """
        from runtime.framework.tracing.enabling import enable_anonymous
        from runtime.framework.tracing.state import State
        state = State(self, Credentials())
        self.states.append(state)
        enable_anonymous(state, dofs)
        self.anonymous = state

    # -- providers ---------------------------------------------------------------------------------

    def register(self, name: str, attributes: AttributeSet, privileges: Privilege,
                 operations: Operations, *, uid: int = 0, zone: int = 0) -> Provider:
        """A new provider.  Raises ValueError if the name is taken."""
        if name in self.providers:
            raise ValueError(f"provider {name} is registered already")
        provider = Provider(self, name, attributes, privileges, operations, uid, zone)
        self.providers[name] = provider
        return provider

    def register_meta(self, meta: MetaProvider) -> None:
        """The one maker of providers for processes' helper DOF."""
        self.meta = meta

    def create_probe(self, provider: Provider, module: str, function: str, name: str,
                     arg: object, aframes: int) -> Probe:
        """Provider.create()."""
        key = (module, function, name)
        if key in provider.probes:
            raise ValueError(f"probe {provider.name}:{module}:{function}:{name} exists already")
        probe = Probe(self.table.next_id(), provider, module, function, name, arg, aframes)
        provider.probes[key] = probe
        self.table.add(probe)
        for state in self.states:
            state.probe_created(probe)
        return probe

    def retire(self, probe: Probe) -> None:
        """Probe.remove()."""
        if probe.retired:
            return
        probe.retired = True
        probe.fire = None
        if probe.ecbs:
            probe.provider.operations.disable(probe)
        probe.provider.probes.pop((probe.module, probe.function, probe.name), None)
        self.table.hide(probe)
        if not probe.ecbs:
            self.table.drop(probe)
        probe.provider.operations.destroy(probe)

    def unregister(self, provider: Provider) -> None:
        """Provider.unregister()."""
        for probe in list(provider.probes.values()):
            self.retire(probe)
        if self.providers.get(provider.name) is provider:
            del self.providers[provider.name]

    def match(self, desc: model.ProbeDesc, credentials: Credentials | None = None) -> list[Probe]:
        """Probes that `desc` means and `credentials` may see, in order of id.

        Providers are first asked to make what `desc` may mean.
        """
        desc = self.resolve(desc)
        for provider in list(self.providers.values()):
            provider.operations.provide(desc)
        return [probe for probe in self.table.matching(desc, self.providers)
                if credentials is None or _sees(credentials, probe)]

    def probe_from(self, number: int, credentials: Credentials) -> Probe | None:
        """The probe with the lowest id from `number` on that `credentials` may see, retired ones included."""
        exact = self.table.by_id.get(number)
        if exact is not None and _sees(credentials, exact):
            return exact
        return min((probe for probe in self.table.by_id.values()
                    if probe.id > number and _sees(credentials, probe)),
                   key=lambda probe: probe.id, default=None)

    def resolve(self, desc: model.ProbeDesc) -> model.ProbeDesc:
        """`desc` by the names that probes bear."""
        for provider in list(self.providers.values()):
            desc = provider.operations.resolve(desc)
        return desc

    def means(self, desc: model.ProbeDesc, probe: Probe, credentials: Credentials) -> bool:
        """Whether `desc` means this probe, for a tracer with these credentials."""
        provider = probe.provider
        if desc.id:
            return desc.id == probe.id
        tests = zip(desc[:4], (provider.name, probe.module, probe.function, probe.name), strict=True)
        return (all((test := matcher(field)) is None or test(text) for field, text in tests)
                and _sees(credentials, probe))

    # -- enabled probes --------------------------------------------------------------------------------

    def enable(self, probe: Probe, ecb: Ecb) -> None:
        """Add an ECB to a probe."""
        probe.ecbs.append(ecb)
        if len(probe.ecbs) == 1:
            probe.provider.operations.enable(probe)
        self.relink((probe,))

    def disable(self, probe: Probe, ecb: Ecb) -> None:
        """Take an ECB from a probe."""
        if ecb not in probe.ecbs:
            return
        probe.ecbs.remove(ecb)
        self.relink((probe,))
        if probe.ecbs:
            return
        if probe.retired:
            self.table.drop(probe)
        else:
            probe.provider.operations.disable(probe)

    def relink(self, probes: Iterable[Probe]) -> None:
        """Set each probe's `fire` to what its active ECBs want; it is compiled when it first fires."""
        from runtime.framework.tracing.state import Activity
        for probe in probes:
            if probe.retired or probe.provider is self.own_provider:
                continue
            ecbs = [ecb for ecb in probe.ecbs if ecb.state.activity is Activity.ACTIVE]
            probe.fire = partial(self._first_fire, probe, ecbs) if ecbs else None

    def _first_fire(self, probe: Probe, ecbs: list[Ecb], *args: int) -> None:
        fire = self.compile(probe, ecbs)
        if probe.fire is not None:
            probe.fire = fire
        fire(*args)

    def compile(self, probe: Probe, ecbs: list[Ecb]) -> Fire:
        """One function that runs these clauses, in order; so many that it would be huge are interpreted."""
        if self.engine == "interpret" or len(ecbs) > TRANSLATED_MAX:
            from runtime.framework.execution.clause import compile_probe
        else:
            from runtime.framework.execution.translate import compile_probe
        return compile_probe(probe, ecbs)

    def forget(self, state: State) -> None:
        """The state is closed."""
        if state in self.states:
            self.states.remove(state)
        if self.anonymous is state:
            self.anonymous = None
