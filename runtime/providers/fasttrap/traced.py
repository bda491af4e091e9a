"""What every part of fasttrap works on: the traced programs of a machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.providers.fasttrap.loadobjects import ObjectCache
from runtime.providers.fasttrap.tracepoints import Tracepoints

if TYPE_CHECKING:
    from runtime.framework.probes.registry import Registry
    from runtime.kernel.kernel import Kernel


class TracedPrograms:
    """The kernel that the programs run on, their load objects, and their tracepoints.

    Providers for them are registered with `registry`.
    """

    def __init__(self, registry: Registry, kernel: Kernel) -> None:
        self.registry = registry
        self.kernel = kernel
        self.objects = ObjectCache(kernel)
        self.tracepoints = Tracepoints(kernel)
