"""The proc provider: processes and threads come and go, programs are executed, signals sent.

Probes and arguments are those of the manual's chapter on proc; functions are the ones that illumos
has them in.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from dc.names.stableproviders import ARGUMENTS, ATTRIBUTES
from runtime.framework.probes.registry import Provider
from runtime.kernel.base.signals import SignalInfo
from runtime.kernel.memory.placement import Kind
from runtime.providers import hooked
from runtime.providers.hooked import Point, nothing

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.kernel import Kernel
    from runtime.kernel.process.thread import Thread


def _path(kernel: Kernel, _thread: Thread, path: bytes | str) -> tuple[int, ...]:
    return (kernel.objects.text(os.fsencode(path)),)


def _signal(kernel: Kernel, number: int, info: SignalInfo) -> tuple[int, ...]:
    return number, kernel.objects.address(Kind.SIGINFO, info)


def _target(kernel: Kernel, _sender: Thread | None, target: Thread, number: int) -> tuple[int, ...]:
    return target.address, number


POINTS = (
    Point("create", "create", "cfork", lambda kernel, thread, new: (new.address,)),
    Point("exec", "exec", "exec_common", _path),
    Point("exec-success", "exec_success", "exec_common", nothing),
    Point("exec-failure", "exec_failure", "exec_common", lambda kernel, thread, error: (error,)),
    Point("exit", "exit", "proc_exit", lambda kernel, thread, reason: (reason,)),
    Point("fault", "fault", "trap", lambda kernel, thread, fault, address: _signal(
        kernel, fault, SignalInfo(0, layout="fault", address=address)), "unix"),
    Point("lwp-create", "lwp_create", "lwp_create", lambda kernel, thread, new: (new.address,)),
    Point("lwp-exit", "lwp_exit", "lwp_exit", nothing),
    Point("lwp-start", "lwp_start", "lwp_rtt", nothing, "unix"),
    Point("signal-clear", "signal_clear", "sigtimedwait", lambda kernel, thread, number: _signal(
        kernel, number, SignalInfo(number))),
    Point("signal-discard", "signal_discard", "sigtoproc", _target),
    Point("signal-handle", "signal_handle", "psig", lambda kernel, thread, number, info, handler: (
        *_signal(kernel, number, info), handler)),
    Point("signal-send", "signal_send", "sigtoproc", _target),
    Point("start", "start", "lwp_rtt_initial", nothing, "unix"),
)


def install(provider: Provider, boot: Callable[[], Kernel]) -> None:
    """See runtime.providers.installation."""
    hooked.install(provider, boot, POINTS, ARGUMENTS["proc"], ATTRIBUTES["proc"])
