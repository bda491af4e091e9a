"""The dtrace provider: BEGIN, END and ERROR, which each tracing state fires for itself."""

from __future__ import annotations

from dc.names.stableproviders import ATTRIBUTES
from runtime.framework.probes.privileges import Privilege
from runtime.framework.probes.registry import Operations, OwnProbes, Probe, Registry

_ERROR_ADDRESS = 5  # the argument of ERROR that does not fit among the first five


class _Dtrace(Operations):
    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def getarg(self, probe: Probe, index: int) -> int:
        """The offending address of the fault that ERROR tells of."""
        own = self._registry.own
        return own.error_address if probe is own.error and index == _ERROR_ADDRESS else 0


def install(registry: Registry) -> None:
    """Register the provider; its probes get the ids 1, 2 and 3 if this comes first."""
    provider = registry.register("dtrace", ATTRIBUTES["dtrace"], Privilege.NONE, _Dtrace(registry))
    registry.own = OwnProbes(*(provider.create("", "", name) for name in ("BEGIN", "END", "ERROR")))
