"""Providers and their probes: the interface between whoever makes probes and the framework.

A provider subclasses `Operations`, registers with `Framework.register()`,
creates probes on the `Provider` it gets back, and fires them:

    fire = probe.fire
    if fire is not None:
        fire(arg0, arg1, arg2, arg3, arg4)

`probe.fire` is None while nobody has enabled the probe, so a disabled probe
costs one attribute test.  Arguments are integers from -2**63 to 2**64 - 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from dif.light import NamedTuple, Protocol
from dof import model
from runtime.framework.privileges import Privilege

if TYPE_CHECKING:
    from runtime.framework.framework import Framework
    from runtime.framework.tracing.ecb import Ecb

Fire = Callable[[int, int, int, int, int], None]
AttributeSet = tuple[model.Attributes, model.Attributes, model.Attributes, model.Attributes,
                     model.Attributes]

# DTRACE_STABILITY_* and DTRACE_CLASS_* (<sys/dtrace.h>)
INTERNAL, PRIVATE, OBSOLETE, EXTERNAL, UNSTABLE, EVOLVING, STABLE, STANDARD = range(8)
CLASS_UNKNOWN, CLASS_CPU, CLASS_PLATFORM, CLASS_GROUP, CLASS_ISA, CLASS_COMMON = range(6)


def attributes(*triples: tuple[int, int, int]) -> AttributeSet:
    """Five (name, data, class) triples: provider, module, function, name, arguments."""
    provider, module, function, name, args = (model.Attributes(*triple) for triple in triples)
    return provider, module, function, name, args


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

    def provide(self, desc: model.ProbeDesc) -> None:
        """Create the probes that `desc` (with globs) may mean, if they are made on demand."""

    def resolve(self, desc: model.ProbeDesc) -> model.ProbeDesc:
        """`desc` with names that are other names for something (module a.out, say) replaced."""
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
        """Whether tracers who may not see what a firing interrupts have the firing without that.

        If not (DTRACE_MODE_NOPRIV_DROP), they do not have it at all.
        """
        return False

    def destroy(self, probe: Probe) -> None:
        """The probe is no longer known to the framework."""


class MetaProvider(Protocol):
    """Makes providers on behalf of processes that load helper DOF (dtrace_mops_t)."""

    def provide_process(self, provider: model.Provider, pid: int) -> None:
        """Process `pid` has loaded `provider`; addresses of its probes are final.

        Raises ValueError if the provider cannot be made.
        """

    def remove_process(self, provider: model.Provider, pid: int) -> None:
        """Process `pid` unloads `provider` or is gone."""


class Probe:
    """One probe.  `id` counts from 1; `arg` is the provider's own; `aframes` artificial frames
    that a kernel stack at this probe begins with."""

    __slots__ = ("aframes", "arg", "ecbs", "fire", "function", "id", "module", "name", "provider",
                 "retired")

    def __init__(self, number: int, provider: Provider, module: str, function: str, name: str,
                 arg: object, aframes: int) -> None:
        self.id = number
        self.provider = provider
        self.module = module
        self.function = function
        self.name = name
        self.arg = arg
        self.aframes = aframes
        self.ecbs: list[Ecb] = []
        self.fire: Fire | None = None
        self.retired = False

    @property
    def enabled(self) -> bool:
        return bool(self.ecbs)

    @property
    def description(self) -> model.ProbeDesc:
        return model.ProbeDesc(self.provider.name, self.module, self.function, self.name, self.id)

    def remove(self) -> None:
        """Forget the probe: it fires no more and matches nothing (its ECBs keep their records)."""
        self.provider.framework.retire(self)

    def __repr__(self) -> str:
        return f"<Probe {self.id} {self.provider.name}:{self.module}:{self.function}:{self.name}>"


class Provider:
    """A registered provider.  `uid` and `zone` matter with Privilege.OWNER and ZONEOWNER."""

    def __init__(self, framework: Framework, name: str, attributes: AttributeSet,
                 privileges: Privilege, operations: Operations, uid: int, zone: int) -> None:
        self.framework = framework
        self.name = name
        self.attributes = attributes
        self.privileges = privileges
        self.operations = operations
        self.uid = uid
        self.zone = zone
        self.probes: dict[tuple[str, str, str], Probe] = {}

    def create(self, module: str, function: str, name: str, arg: object = None,
               aframes: int = 0) -> Probe:
        """A new probe, at once matched against the retained enablings.

        Raises ValueError if the provider has it already.
        """
        return self.framework.create_probe(self, module, function, name, arg, aframes)

    def lookup(self, module: str, function: str, name: str) -> Probe | None:
        """The provider's probe of exactly this name."""
        return self.probes.get((module, function, name))

    def unregister(self) -> None:
        """Remove every probe, then the provider."""
        self.framework.unregister(self)
