"""The framework of one kernel: puts providers, probes and, once there is tracing, the rest together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from dof import model
from runtime.framework.probes.privileges import Credentials, Privilege
from runtime.framework.probes.registry import AttributeSet, Fire, Operations, Probe, Provider, Registry

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.framework.base.host import Host
    from runtime.framework.execution.helpers import Helpers
    from runtime.framework.firing.firing import Platform
    from runtime.framework.probes.registry import MetaProvider
    from runtime.framework.tracing.state import Ecb, State, Tracing

TRANSLATED_MAX = 4_000  # clauses of one probe, for which translating takes some 200 MB
ENGINES = ("translate", "interpret")


class Framework:
    """What dtrace.c is to a kernel.

    `boot` is called when the framework first needs a kernel, and returns it.  Without one it still has
    providers and their probes, which is all that a compiler or a list of probes asks for.
    `engine` is "translate" (each enabled probe becomes one generated Python
    function) or "interpret" (a plain loop over the instruction table).
    On an `aligned` machine, integers are loaded from multiples of their sizes only.
    `ending` is called when a program has called exit().
    `anonymous` is the state of anonymous tracing until a consumer grabs it.
    """

    def __init__(self, boot: Callable[[], Host], *, engine: str = "translate", target: str = "illumos",
                 aligned: bool = False, ending: Callable[[], None] = lambda: None) -> None:
        if engine not in ENGINES:
            raise ValueError(f"no DIF engine named {engine!r}")
        self._boot = boot
        self.engine = engine
        self.target = target
        self._aligned = aligned
        self._ending = ending
        self.registry = Registry()
        self.anonymous: State | None = None

    # -- providers and probes --------------------------------------------------------------------------

    @property
    def providers(self) -> dict[str, Provider]:
        """By name."""
        return self.registry.providers

    def register(self, name: str, attributes: AttributeSet, privileges: Privilege,
                 operations: Operations, *, uid: int = 0, zone: int = 0) -> Provider:
        """See Registry.register."""
        return self.registry.register(name, attributes, privileges, operations, uid=uid, zone=zone)

    def register_meta(self, meta: MetaProvider) -> None:
        """The one maker of providers for processes' helper DOF."""
        self.registry.meta = meta

    def match(self, desc: model.ProbeDesc, credentials: Credentials | None = None) -> list[Probe]:
        """See Registry.match."""
        return self.registry.match(desc, credentials)

    # -- tracing -----------------------------------------------------------------------------------------

    @cached_property
    def host(self) -> Host:
        """The kernel."""
        return self._boot()

    @cached_property
    def platform(self) -> Platform:
        """The kernel as DIF sees it."""
        from runtime.framework.firing.firing import Platform

        return Platform(self.host, self.target, aligned=self._aligned)

    @cached_property
    def helpers(self) -> Helpers:
        """The helper DOF that processes have loaded."""
        from runtime.framework.execution.helpers import Helpers

        return Helpers(self.platform, self.registry)

    @cached_property
    def tracing(self) -> Tracing:
        """What all tracing states share."""
        from runtime.framework.tracing.state import Tracing

        return Tracing(self.platform, self.registry, lambda: self.helpers, self._compile, self._ending)

    def _compile(self, probe: Probe, ecbs: Sequence[Ecb]) -> Fire:
        """One function that runs these clauses, in order; so many that it would be huge are interpreted."""
        if self.engine == "interpret" or len(ecbs) > TRANSLATED_MAX:
            from runtime.framework.engines.interpret import compile_probe
        else:
            from runtime.framework.engines.translate import compile_probe
        return compile_probe(probe, ecbs)

    def begin_anonymous(self, dofs: list[bytes]) -> None:
        """Anonymous tracing: enable this configuration and begin; a consumer grabs it later.

        Raises BorderError for DOF that the kernel refuses.
        """
        from runtime.border import BorderError
        from runtime.framework.tracing.enabling import enable_anonymous
        from runtime.framework.tracing.state import State

        state = State(self.tracing, Credentials())
        try:
            enable_anonymous(state, dofs)
        except BorderError:
            state.destroy()
            raise
        self.anonymous = state
