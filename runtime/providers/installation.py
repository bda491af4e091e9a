"""Every provider of a machine, in the order in which they make their probes.

The modules of most are loaded when something asks for what they have: until then a
provider is only a name.  A new provider of the kernel is a module with a function
`install(provider, boot)`, which gives the provider its own operations and attributes,
and a row of `_KERNEL`.  `boot` returns the kernel, as of `Framework`.
"""

from __future__ import annotations

from dof.globs import matcher
from dof.model import ProbeDesc
from runtime.framework.framework import Framework
from runtime.framework.probes.privileges import Privilege
from runtime.framework.probes.registry import Operations, Provider, Registry, attributes
from runtime.kernel.base.privileges import DTRACE_KERNEL
from runtime.providers import dtrace, profile
from runtime.providers.fasttrap import module as fasttrap

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from collections.abc import Callable

    from runtime.framework.probes.privileges import Credentials
    from runtime.kernel.kernel import Kernel

    Boot = Callable[[], Kernel]
    Install = Callable[[Provider, Boot], None]

_UNKNOWN = attributes(*["Internal/Internal/Unknown"] * 5)


def _syscall(provider: Provider, boot: Boot) -> None:
    from runtime.providers import syscall
    syscall.install(provider, boot)


def _fbt(provider: Provider, boot: Boot) -> None:
    from runtime.providers import fbt
    fbt.install(provider, boot)


def _sdt(provider: Provider, boot: Boot) -> None:
    from runtime.providers import sdt
    sdt.install(provider, boot)


def _proc(provider: Provider, boot: Boot) -> None:
    from runtime.providers import proc
    proc.install(provider, boot)


def _sched(provider: Provider, boot: Boot) -> None:
    from runtime.providers import sched
    sched.install(provider, boot)


def _io(provider: Provider, boot: Boot) -> None:
    from runtime.providers import io
    io.install(provider, boot)


def _fsinfo(provider: Provider, boot: Boot) -> None:
    from runtime.providers import fsinfo
    fsinfo.install(provider, boot)


def _inet(provider: Provider, boot: Boot) -> None:
    from runtime.providers import inet
    inet.install(provider, boot)


def _counters(provider: Provider, boot: Boot) -> None:
    from runtime.providers import counters
    counters.install(provider, boot)


_KERNEL: tuple[tuple[str, Privilege, Install], ...] = (
    ("fbt", Privilege.KERNEL, _fbt), ("sdt", Privilege.KERNEL, _sdt), ("proc", Privilege.USER, _proc),
    ("sched", Privilege.USER, _sched), ("io", Privilege.KERNEL, _io), ("fsinfo", Privilege.KERNEL, _fsinfo),
    ("ip", Privilege.KERNEL, _inet), ("tcp", Privilege.KERNEL, _inet), ("udp", Privilege.KERNEL, _inet),
    ("sysinfo", Privilege.USER, _counters), ("vminfo", Privilege.USER, _counters),
    ("mib", Privilege.KERNEL, _counters),
)


class Unloaded(Operations):
    """A provider's operations until its module is loaded."""

    def __init__(self, provider: Provider, install: Install, boot: Boot) -> None:
        self._provider = provider
        self._install = install
        self._boot = boot

    def prepare(self) -> None:
        self._install(self._provider, self._boot)

    def provide(self, desc: ProbeDesc, who: Credentials | None = None) -> None:
        test = matcher(desc.provider)
        if test is None or test(self._provider.name):
            self.prepare()
            self._provider.operations.provide(desc, who)


def _register(registry: Registry, name: str, privileges: Privilege, install: Install, boot: Boot) -> None:
    provider = registry.register(name, _UNKNOWN, privileges, Operations())
    provider.operations = Unloaded(provider, install, boot)


def attach(framework: Framework, kernel: Kernel) -> None:
    """Let programs of a kernel that has booted read about kernel functions and their probes."""
    def functions() -> bytes:
        from runtime.providers import fbt
        seen = kernel.current.process.identity.has(DTRACE_KERNEL)
        return fbt.report(framework.registry.providers["fbt"], seen)
    kernel.reports.setdefault("dtrace", {})["fbt"] = functions


def install(framework: Framework, boot: Boot) -> fasttrap.FasttrapModule:
    """Register them all; returns the one for user programs, with which the machine talks."""
    registry = framework.registry
    dtrace.install(registry)
    profile.install(framework)
    _register(registry, "syscall", Privilege.USER, _syscall, boot)
    module = fasttrap.install(framework, boot)
    for name, needs, each in _KERNEL:
        _register(registry, name, needs, each, boot)
    return module
