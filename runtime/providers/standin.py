"""Providers whose modules are loaded when somebody asks for what they have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from dof.model import ProbeDesc
from runtime.framework.framework import Framework
from runtime.framework.probes.match import matcher
from runtime.framework.probes.privileges import Privilege
from runtime.framework.probes.registry import Operations, Provider, attributes

if TYPE_CHECKING:
    from runtime.kernel.kernel import Kernel

_UNKNOWN = attributes(*[(0, 0, 0)] * 5)


class Later(Operations):
    """A provider's operations until its module is loaded.

    What that has is `install(provider, boot)`, which gives the provider its own operations and
    attributes; `boot` answers the kernel, as of `Framework`.
    """

    def __init__(self, provider: Provider, module: str, boot: Callable[[], Kernel]) -> None:
        self._provider = provider
        self._module = module
        self._boot = boot

    def prepare(self) -> None:
        import_module(f"{__package__}.{self._module}").install(self._provider, self._boot)

    def provide(self, desc: ProbeDesc) -> None:
        test = matcher(desc.provider)
        if test is None or test(self._provider.name):
            self.prepare()
            self._provider.operations.provide(desc)


def install(framework: Framework, boot: Callable[[], Kernel], privileges: Privilege,
            modules: Mapping[str, str]) -> None:
    """Register providers, by the modules that have them."""
    for name, module in modules.items():
        provider = framework.register(name, _UNKNOWN, privileges, Operations())
        provider.operations = Later(provider, module, boot)
