"""The dtrace provider: BEGIN, END and ERROR, which each tracing state fires for itself."""

from __future__ import annotations

from runtime.framework.probes.privileges import Privilege
from runtime.framework.probes.registry import (
    Operations,
    OwnProbes,
    Probe,
    Registry,
    attributes,
)

_ATTRIBUTES = attributes(
    "Stable/Stable/Common", "Private/Private/Unknown", "Private/Private/Unknown",
    "Stable/Stable/Common", "Stable/Stable/Common")
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
    provider = registry.register("dtrace", _ATTRIBUTES, Privilege.NONE, _Dtrace(registry))
    registry.own = OwnProbes(*(provider.create("", "", name) for name in ("BEGIN", "END", "ERROR")))
