"""The fbt provider: entry to and return from the emulated kernel's own functions.

The arguments of an entry are the function's own: numbers as they are, objects as the addresses at
which kernel memory shows them.  A return's arg0 is the offset in the function of the instruction that
returned (the last: our functions are left at their ends), and arg1 the value returned.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence
from typing import Any

from dc import stability
from dof.model import ProbeDesc
from runtime.framework.framework import Framework
from runtime.framework.match import matcher
from runtime.framework.privileges import Privilege
from runtime.framework.provider import ArgDesc, AttributeSet, Operations, Probe, Provider
from runtime.kernel.kernel import Kernel
from runtime.kernel.kfunction import KFUNCTIONS, KernelFunction
from runtime.kernel.memory import MemoryFault
from runtime.kernel.objects import Kind, Objects

_LEVELS = ("Evolving/Evolving/ISA", "Private/Private/Unknown", "Private/Private/Unknown",
           "Evolving/Evolving/ISA", "Private/Private/ISA")
_KINDS = {
    "kthread_t *": Kind.THREAD, "proc_t *": Kind.PROCESS, "cred_t *": Kind.CRED, "struct as *": Kind.AS,
    "vnode_t *": Kind.VNODE, "vnode_t **": Kind.VNODE_CELL, "vattr_t *": Kind.VATTR,
    "struct pathname *": Kind.PATHNAME, "uio_t *": Kind.UIO, "file_t *": Kind.FILE, "buf_t *": Kind.BUFFER,
    "cpu_t *": Kind.CPU, "kcondvar_t *": Kind.SOBJ, "k_siginfo_t *": Kind.SIGINFO,
}


def value_of(objects: Objects, type_: str, value: Any) -> int:
    """A function's argument or result as a probe's: `type_` is its C type."""
    if isinstance(value, int):
        return value
    if isinstance(value, bytes | str) and type_ == "char *":
        return objects.text(os.fsencode(value))
    kind = _KINDS.get(type_)
    return 0 if kind is None else objects.address(kind, value)


class _Fbt(Operations):
    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._enabled: dict[tuple[str, str], Probe] = {}
        self._more: Sequence[int] = ()
        self._made = False
        self.provider: Provider

    def provide(self, desc: ProbeDesc) -> None:
        test = matcher(desc.provider)
        if self._made or (test is not None and not test("fbt")):
            return
        self._made = True
        for function in KFUNCTIONS.values():
            for name in ("entry", "return"):
                self.provider.create(function.module, function.name, name)

    def enable(self, probe: Probe) -> None:
        self._enabled[probe.function, probe.name] = probe
        self._kernel.hooks.function = self._called

    def disable(self, probe: Probe) -> None:
        self._enabled.pop((probe.function, probe.name), None)
        if not self._enabled:
            self._kernel.hooks.function = None

    def _called(self, described: KernelFunction, function: Callable[..., Any], thread: Any,
                values: Sequence[Any], named: dict[str, Any]) -> Any:
        objects = self._kernel.objects
        probe = self._enabled.get((described.name, "entry"))
        if probe is not None and probe.fire is not None:
            given = [value_of(objects, type_, value)
                     for type_, value in zip(described.arguments, described.told(thread, values, named),
                                             strict=False)]
            self._fire(probe, given)
        try:
            result = function(thread, *values, **named)
        except OSError as error:
            self._returned(described, 0 if "*" in described.returns else error.errno or errno.EIO)
            raise
        except MemoryFault:
            self._returned(described, errno.EFAULT)
            raise
        self._returned(described, 0 if described.returns == "int" else
                       value_of(objects, described.returns, result))
        return result

    def _returned(self, described: KernelFunction, value: int) -> None:
        probe = self._enabled.get((described.name, "return"))
        if probe is not None and probe.fire is not None:
            self._fire(probe, [described.end, value])

    def _fire(self, probe: Probe, values: Sequence[int]) -> None:
        self._more = values
        a0, a1, a2, a3, a4 = (*values, 0, 0, 0, 0, 0)[:5]
        assert probe.fire is not None
        probe.fire(a0, a1, a2, a3, a4)

    def getarg(self, probe: Probe, index: int) -> int:
        return self._more[index] if index < len(self._more) else 0

    def argdesc(self, probe: Probe, index: int) -> ArgDesc | None:
        function = KFUNCTIONS[probe.function]
        if probe.name == "entry":
            return ArgDesc(function.arguments[index]) if index < len(function.arguments) else None
        types = ("int",) if function.returns == "void" else ("int", function.returns)
        return ArgDesc(types[index]) if index < len(types) else None


def install(framework: Framework, kernel: Kernel) -> None:
    """Register the provider; its probes are made when somebody asks."""
    operations = _Fbt(kernel)
    attributes: AttributeSet = tuple(stability.parse(text) for text in _LEVELS)  # type: ignore[assignment]
    operations.provider = framework.register("fbt", attributes, Privilege.KERNEL, operations)
