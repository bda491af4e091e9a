"""The dtrace provider: BEGIN, END and ERROR, which each tracing state fires for itself."""

from __future__ import annotations

from runtime.framework.framework import Framework
from runtime.framework.privileges import Privilege
from runtime.framework.provider import (
    CLASS_COMMON,
    PRIVATE,
    STABLE,
    Operations,
    Probe,
    attributes,
)

_ATTRIBUTES = attributes((STABLE, STABLE, CLASS_COMMON), (PRIVATE, PRIVATE, 0), (PRIVATE, PRIVATE, 0),
                         (STABLE, STABLE, CLASS_COMMON), (STABLE, STABLE, CLASS_COMMON))
_ERROR_ADDRESS = 5  # the argument of ERROR that does not fit among the first five


class _Dtrace(Operations):
    def __init__(self, framework: Framework) -> None:
        self._framework = framework

    def getarg(self, probe: Probe, index: int) -> int:
        """The offending address of the fault that ERROR tells of."""
        if probe is not self._framework.error_probe or index != _ERROR_ADDRESS:
            return 0
        return self._framework.error_address


def install(framework: Framework) -> None:
    """Register the provider; its probes get the ids 1, 2 and 3 if this comes first."""
    provider = framework.register("dtrace", _ATTRIBUTES, Privilege.NONE, _Dtrace(framework))
    framework.adopt(*(provider.create("", "", name) for name in ("BEGIN", "END", "ERROR")))
