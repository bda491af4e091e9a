"""Providers whose probes are points at which the kernel calls a hook: proc, sched, io, ip, sysinfo, sdt, ...

Each is a table of `Point`s.  A point's hook is attached while its probe is enabled and at no other
time, so a disabled probe costs nothing.  `boot` returns the kernel, as of `Framework`.
"""

from __future__ import annotations

from dc.names.catalog import Argument
from dc.names.stableproviders import EVERY
from dif.records import Record
from runtime.framework.probes.registry import ArgDesc, AttributeSet, Probe, Provider
from runtime.providers.ondemand import OnDemand

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from runtime.kernel.kernel import Kernel

    Values = Callable[..., tuple[int, ...] | None]


class Point(Record, frozen=True):
    """One probe.

    `hook` is a name of runtime.kernel.base.hooks.Hooks; `values` takes the kernel and what the hook passes,
    and returns the probe's arguments, or None when this is no firing of this probe.
    """

    name: str
    hook: str
    function: str
    values: Values
    module: str = "genunix"


def nothing(_kernel: Kernel, *_what: object) -> tuple[int, ...]:
    """The values of a point without arguments."""
    return ()


class HookedProvider(OnDemand):
    """The operations of one such provider.  `arguments` are its `args[]`, by probe name."""

    def __init__(self, boot: Callable[[], Kernel], points: Iterable[Point],
                 arguments: Mapping[str, tuple[Argument, ...]]) -> None:
        super().__init__()
        self._boot = boot
        self._points = {point.name: point for point in points}
        self._arguments = arguments
        self._attached: dict[int, Callable[..., None]] = {}
        self._more: tuple[int, ...] = ()  # arguments of the firing under way

    def make(self) -> None:
        for point in self._points.values():
            self.provider.create(point.module, point.function, point.name)

    def enable(self, probe: Probe) -> None:
        point, kernel = self._points[probe.name], self._boot()
        values = point.values

        def told(*what: object) -> None:
            fire = probe.fire
            given = values(kernel, *what) if fire is not None else None
            if given is None or fire is None:
                return
            self._more = given
            a0, a1, a2, a3, a4 = (*given, 0, 0, 0, 0, 0)[:5]
            fire(a0, a1, a2, a3, a4)

        self._attached[probe.id] = told
        kernel.hooks.attach(point.hook, told)

    def disable(self, probe: Probe) -> None:
        self._boot().hooks.detach(self._points[probe.name].hook, self._attached.pop(probe.id))

    def limits(self, probe: Probe) -> bool:
        return True  # the arguments are addresses in the kernel

    def getarg(self, probe: Probe, index: int) -> int:
        return self._more[index] if index < len(self._more) else 0

    def argdesc(self, probe: Probe, index: int) -> ArgDesc | None:
        arguments = self._arguments.get(probe.name) or self._arguments.get(EVERY, ())
        if index >= len(arguments):
            return None
        found = arguments[index]
        return ArgDesc(str(found.native), found.xlate, found.mapping)


def install(provider: Provider, boot: Callable[[], Kernel], points: Iterable[Point],
            arguments: Mapping[str, tuple[Argument, ...]], attributes: AttributeSet) -> None:
    """Make it a provider of `points`."""
    HookedProvider(boot, points, arguments).serve(provider, attributes)
