"""The pid provider and USDT: traps in user programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runtime.framework.framework import Framework
    from runtime.kernel.kernel import Kernel
    from runtime.providers.fasttrap.provider import Fasttrap


def install(framework: Framework, kernel: Kernel) -> Fasttrap:
    """Load fasttrap into a kernel."""
    from runtime.providers.fasttrap.provider import Fasttrap

    return Fasttrap(framework, kernel)
