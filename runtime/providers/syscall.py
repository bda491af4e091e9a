"""The syscall provider: entry and return of every system call, by its Linux name.

A name stands for the call of either instruction set's table.  The entry
probe's arguments are the call's own, converted as their types say; the return
probe's arg0 and arg1 are the result, -1 with `errno` set for a failed call.
"""

from __future__ import annotations

from dc.names.stableproviders import ATTRIBUTES
from dif.arithmetic import MASK
from runtime.framework.probes.registry import ArgDesc, Probe, Provider
from runtime.kernel.syscalls.table import SystemCall, converter, i386_table, x86_64_table
from runtime.providers.ondemand import OnDemand

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    from runtime.kernel.base.hooks import Hooks
    from runtime.kernel.process.thread import Thread

    Convert = Callable[[Sequence[int]], list[int]]

    class SystemCalls(Protocol):
        """What the provider asks of a kernel."""

        hooks: Hooks

_RESULTS = 2  # arguments of a return probe


class _Syscall(OnDemand):
    def __init__(self, boot: Callable[[], SystemCalls]) -> None:
        super().__init__()
        self._boot = boot
        self._calls: dict[int, dict[str, SystemCall]] = {}  # by width of the instruction set
        self._converters: dict[tuple[int, str], Convert] = {}
        self._entries: dict[str, Probe] = {}  # enabled ones
        self._returns: dict[str, Probe] = {}
        self._arguments: list[int] = []  # of the entry under way
        self._attached: set[str] = set()  # hooks

    def make(self) -> None:
        for bits, table in ((64, x86_64_table()), (32, i386_table())):
            self._calls[bits] = {call.name: call for call in table.values()}
        for name in {**self._calls[64], **self._calls[32]}:
            self.provider.create("", name, "entry")
            self.provider.create("", name, "return")

    # -- enabling ------------------------------------------------------------------------------------

    def enable(self, probe: Probe) -> None:
        enabled = self._entries if probe.name == "entry" else self._returns
        enabled[probe.function] = probe
        self._hook()

    def disable(self, probe: Probe) -> None:
        enabled = self._entries if probe.name == "entry" else self._returns
        enabled.pop(probe.function, None)
        self._hook()

    def _hook(self) -> None:
        """Attach to the kernel's hooks while a probe is enabled, and detach afterwards."""
        for name, enabled, function in (("syscall_entry", self._entries, self._entry),
                                        ("syscall_return", self._returns, self._return)):
            if bool(enabled) != (name in self._attached):
                if enabled:
                    self._attached.add(name)
                    self._boot().hooks.attach(name, function)
                else:
                    self._attached.remove(name)
                    self._boot().hooks.detach(name, function)

    # -- firing ------------------------------------------------------------------------------------------

    def _entry(self, thread: Thread, name: str, registers: Sequence[int]) -> None:
        probe = self._entries.get(name)
        if probe is None or probe.fire is None:
            return
        if not probe.needs:  # to convert them takes a while
            probe.fire(0, 0, 0, 0, 0)
            return
        values = self._convert(thread.process.bits, name)(registers)
        self._arguments = values
        a0, a1, a2, a3, a4 = (*values, 0, 0, 0, 0, 0)[:5]
        probe.fire(a0, a1, a2, a3, a4)

    def _return(self, thread: Thread, name: str, result: int) -> None:
        probe = self._returns.get(name)
        if probe is None or probe.fire is None:
            return
        if thread.errno:
            result = -1
        probe.fire(result, result, 0, 0, 0)

    def _convert(self, bits: int, name: str) -> Convert:
        convert = self._converters.get((bits, name))
        if convert is None:
            call = self._calls[bits].get(name)
            convert = converter(call.arguments, bits) if call else list
            self._converters[bits, name] = convert
        return convert

    # -- arguments --------------------------------------------------------------------------------------

    def getarg(self, probe: Probe, index: int) -> int:
        """The sixth argument of an entry."""
        if probe.name != "entry" or index >= len(self._arguments):
            return 0
        return self._arguments[index] & MASK

    def argdesc(self, probe: Probe, index: int) -> ArgDesc | None:
        if probe.name == "return":
            return ArgDesc("long") if index < _RESULTS else None
        call = self._calls[64].get(probe.function) or self._calls[32][probe.function]
        return ArgDesc(call.arguments[index]) if index < len(call.arguments) else None

    def usermode(self, probe: Probe) -> bool:
        return True


def install(provider: Provider, boot: Callable[[], SystemCalls]) -> None:
    """See runtime.providers.installation."""
    _Syscall(boot).serve(provider, ATTRIBUTES["syscall"])
