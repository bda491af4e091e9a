"""The fsinfo provider: operations on files, by the file they are on (the manual's chapter on fsinfo).

A probe fires when its operation has succeeded, in the file operation's function.  args[0] is the file,
args[1] how many bytes a read or write moved, and 0 for the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dc.names.stableproviders import ATTRIBUTES, arguments
from runtime.framework.probes.registry import ArgDesc, Probe, Provider
from runtime.kernel.base.kernelfunctions import KFUNCTIONS
from runtime.kernel.memory.placement import Kind
from runtime.providers.ondemand import OnDemand

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.kernel import Kernel

_PREFIX = "fop_"
_MOVING = ("read", "write")


def _moved(result: object) -> int:
    """How many bytes an operation has moved: read returns them, write their number, and others no number."""
    if isinstance(result, bytes | bytearray | memoryview):
        return len(result)
    return result if isinstance(result, int) else 0



class _Fsinfo(OnDemand):
    def __init__(self, boot: Callable[[], Kernel]) -> None:
        super().__init__()
        self._boot = boot
        self._watchers: dict[int, Callable[..., None]] = {}  # by probe

    def make(self) -> None:
        for function in KFUNCTIONS.values():
            if function.name.startswith(_PREFIX):
                self.provider.create(function.module, function.name, function.name.removeprefix(_PREFIX))

    def enable(self, probe: Probe) -> None:
        objects, moves = self._boot().objects, probe.name in _MOVING

        def returned(given: Sequence[object], result: object, error: int) -> None:
            if probe.fire is not None and not error:
                probe.fire(objects.address(Kind.VNODE, given[0]), _moved(result) if moves else 0, 0, 0, 0)

        self._watchers[probe.id] = returned
        self._boot().functions.watch(probe.function, returned=returned)

    def disable(self, probe: Probe) -> None:
        self._boot().functions.unwatch(probe.function, self._watchers.pop(probe.id))

    def argdesc(self, probe: Probe, index: int) -> ArgDesc | None:
        found = arguments("fsinfo", probe.name)
        if found is None or index >= len(found):
            return None
        return ArgDesc(str(found[index].native), found[index].xlate, found[index].mapping)


def install(provider: Provider, boot: Callable[[], Kernel]) -> None:
    """See runtime.providers.installation."""
    _Fsinfo(boot).serve(provider, ATTRIBUTES["fsinfo"])
