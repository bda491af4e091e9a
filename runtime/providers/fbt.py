"""The fbt provider: entry to and return from the emulated kernel's own functions.

The arguments of an entry are the function's own: numbers as they are, objects as the addresses at
which kernel memory shows them.  A return's arg0 is the offset in the function of the instruction that
returned (the last: our functions are left at their ends), and arg1 the value returned.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from runtime.framework.probes.registry import (
    ArgDesc,
    Probe,
    Provider,
    attributes,
)
from runtime.kernel.base.kernelfunctions import KFUNCTIONS
from runtime.kernel.memory.placement import Kind, Placed
from runtime.kernel.objects.contents import Objects
from runtime.providers.ondemand import OnDemand

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.kernel import Kernel

_ATTRIBUTES = attributes(
    "Evolving/Evolving/ISA", "Private/Private/Unknown", "Private/Private/Unknown",
    "Evolving/Evolving/ISA", "Private/Private/ISA")
_NAMES = "entry", "return"
_KINDS = {
    "kthread_t *": Kind.THREAD, "proc_t *": Kind.PROCESS, "cred_t *": Kind.CRED, "struct as *": Kind.AS,
    "vnode_t *": Kind.VNODE, "vnode_t **": Kind.VNODE_CELL, "vattr_t *": Kind.VATTR,
    "struct pathname *": Kind.PATHNAME, "uio_t *": Kind.UIO, "file_t *": Kind.FILE, "buf_t *": Kind.BUFFER,
    "kmem_cache_t *": Kind.CACHE, "cpu_t *": Kind.CPU, "kcondvar_t *": Kind.SOBJ,
    "k_siginfo_t *": Kind.SIGINFO,
}


def value_of(objects: Objects, type_: str, value: object) -> int:
    """A function's argument or result as a probe's: `type_` is its C type."""
    if isinstance(value, int):
        return value
    if isinstance(value, Placed):
        return objects.address(value.kind, value.held)
    if isinstance(value, bytes | str) and type_ == "char *":
        return objects.text(os.fsencode(value))
    kind = _KINDS.get(type_)
    return 0 if kind is None else objects.address(kind, value)


class _Fbt(OnDemand):
    def __init__(self, boot: Callable[[], Kernel]) -> None:
        super().__init__()
        self._boot = boot
        self._watchers: dict[int, Callable[..., None]] = {}  # by probe
        self._more: Sequence[int] = ()

    def make(self) -> None:
        for function in KFUNCTIONS.values():
            for name in _NAMES:
                self.provider.create(function.module, function.name, name)

    def enable(self, probe: Probe) -> None:
        described, objects = KFUNCTIONS[probe.function], self._boot().objects
        types = described.arguments

        def entered(given: Sequence[object]) -> None:
            self._fire(probe, [value_of(objects, type_, value)
                               for type_, value in zip(types, given, strict=False)])

        def returned(_given: Sequence[object], result: object, error: int) -> None:
            if described.returns == "int":
                value = error
            elif error:
                value = 0 if "*" in described.returns else error
            else:
                value = value_of(objects, described.returns, result)
            self._fire(probe, [described.end, value])

        if probe.name == "entry":
            self._watchers[probe.id] = entered
            self._boot().functions.watch(probe.function, entered=entered)
        else:
            self._watchers[probe.id] = returned
            self._boot().functions.watch(probe.function, returned=returned)

    def disable(self, probe: Probe) -> None:
        self._boot().functions.unwatch(probe.function, self._watchers.pop(probe.id))

    def _fire(self, probe: Probe, values: Sequence[int]) -> None:
        if probe.fire is None:
            return
        self._more = values
        a0, a1, a2, a3, a4 = (*values, 0, 0, 0, 0, 0)[:5]
        probe.fire(a0, a1, a2, a3, a4)

    def getarg(self, probe: Probe, index: int) -> int:
        return self._more[index] if index < len(self._more) else 0

    def argdesc(self, probe: Probe, index: int) -> ArgDesc | None:
        function = KFUNCTIONS[probe.function]
        if probe.name == "entry":
            return ArgDesc(function.arguments[index]) if index < len(function.arguments) else None
        types = ("int",) if function.returns == "void" else ("int", function.returns)
        return ArgDesc(types[index]) if index < len(types) else None


HEADING = f"{'ADDRESS':>16} {'MODULE':12} {'FUNCTION':24} {'ENABLED':12} ARGUMENTS"


def report(provider: Provider, seen: bool) -> bytes:
    """/proc/dtrace/fbt: a line for each kernel function, with its enabled probes and its arguments.

    Who does not see the kernel has the heading alone.
    """
    rows = []
    for function in sorted(KFUNCTIONS.values(), key=lambda each: each.address) if seen else ():
        probes = (provider.lookup(function.module, function.name, name) for name in _NAMES)
        enabled = ",".join(probe.name for probe in probes if probe is not None and probe.enabled)
        rows.append(f"{function.address:16x} {function.module:12} {function.name:24} {enabled or '-':12} "
                    f"({function.types or 'void'})")
    return "".join(f"{line}\n" for line in (HEADING, *rows)).encode()


def install(provider: Provider, boot: Callable[[], Kernel]) -> None:
    """See runtime.providers.installation."""
    _Fbt(boot).serve(provider, _ATTRIBUTES)
