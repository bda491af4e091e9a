"""The framework: every provider, probe and tracing state of one kernel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dof import model
from runtime.framework.host import Host
from runtime.framework.match import is_glob, matcher
from runtime.framework.privileges import Credentials, Privilege
from runtime.framework.provider import (
    AttributeSet,
    MetaProvider,
    Operations,
    Probe,
    Provider,
)

_FIELDS = ("module", "function", "name")


class ProbeTable:
    """All probes by id, and by each field for quick matching."""

    def __init__(self) -> None:
        self.by_id: dict[int, Probe] = {}
        self._last = 0
        self._index: dict[str, dict[str, dict[int, Probe]]] = {field: {} for field in _FIELDS}

    def next_id(self) -> int:
        self._last += 1
        return self._last

    def add(self, probe: Probe) -> None:
        self.by_id[probe.id] = probe
        for field in _FIELDS:
            self._index[field].setdefault(getattr(probe, field), {})[probe.id] = probe

    def hide(self, probe: Probe) -> None:
        """Matches find `probe` no more; its id still does, until `drop`."""
        for field in _FIELDS:
            bucket = self._index[field].get(getattr(probe, field), {})
            bucket.pop(probe.id, None)
            if not bucket:
                self._index[field].pop(getattr(probe, field), None)

    def drop(self, probe: Probe) -> None:
        self.by_id.pop(probe.id, None)

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
            bucket = self._index[field].get(wanted, {})
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


class Framework:
    """What dtrace.c is to a kernel.

    `engine` is "translate" (each enabled probe becomes one generated Python
    function) or "interpret" (a plain loop over the instruction table).
    """

    def __init__(self, host: Host, *, engine: str = "translate", target: str = "illumos") -> None:
        if engine not in ("translate", "interpret"):
            raise ValueError(f"no DIF engine named {engine!r}")
        self.host = host
        self.engine = engine
        self.target = target
        self.table = ProbeTable()
        self.providers: dict[str, Provider] = {}
        self.meta: MetaProvider | None = None

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
        return probe

    def retire(self, probe: Probe) -> None:
        """Probe.remove()."""
        if probe.retired:
            return
        probe.fire = None
        if probe.ecbs:
            probe.provider.operations.disable(probe)
        probe.retired = True
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

    def match(self, desc: model.ProbeDesc, credentials: Credentials | None = None,
              *, provide: bool = True) -> list[Probe]:
        """Probes that `desc` means and `credentials` may see, in order of id.

        With `provide`, providers are first asked to make what `desc` may mean.
        """
        if provide:
            for provider in list(self.providers.values()):
                provider.operations.provide(desc)
        return [probe for probe in self.table.matching(desc, self.providers)
                if credentials is None or credentials.sees_provider(
                    probe.provider.privileges, probe.provider.uid, probe.provider.zone)]
