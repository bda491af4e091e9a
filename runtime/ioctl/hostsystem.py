"""The operating system that this program runs under, in place of an emulated machine: -x device=PATH.

Processes are those of the system, and time passes by itself.  What the session asks of it beside the device
is here; types are those of the emulated machine's kernel.
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

from dc.script import own_ids
from dif.hostfiles import read_if_any
from dof.options import VALUE_MAX
from runtime.ioctl.hostdevice import HostDevice
from runtime.ioctl.hostsymbols import HostSymbols
from runtime.kernel.base.budgets import Budgets, Limits

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import NoReturn

    from dc.names.catalog import Argument, ProbeInfo
    from dc.types.scopes import Scope
    from dc.types.types import Type
    from dof.model import ProbeDesc
    from runtime.border import Device
    from runtime.consumer.system import KernelNames

# of ptrace(2): PT_TRACE_ME and PT_DETACH on FreeBSD
PTRACE_TRACEME, PTRACE_DETACH = 0, 11 if sys.platform.startswith("freebsd") else 17
_GLANCE = 100_000_000  # nanoseconds after which a sleeping session looks whether a process has ended


class HostProcess:
    """A process that the session controls: a child of its own, or one that was there."""

    def __init__(self, pid: int, child: bool) -> None:
        self.pid = pid
        self._child = child
        self._status: int | None = None

    @property
    def exit_status(self) -> int | None:
        """The status that wait(2) reports; None while the process lives."""
        if self._status is None and self._child:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self._status = status if pid else None
        elif self._status is None and not _lives(self.pid):
            self._status = 0
        return self._status

    def resume(self) -> None:
        """Let a child begin, which has stood still since it was created."""
        if self._child:
            os.kill(self.pid, signal.SIGCONT)


class HostSystem:
    """The system as a session sees it (runtime.consumer.system), and as the command does."""

    patient = False

    def __init__(self, path: str, target: str) -> None:
        self._path = path
        self.target = target
        self.ids = own_ids()
        self.environment = dict(os.environ)
        self.budgets = Budgets(Limits(output=VALUE_MAX))  # the system itself has limits
        self.ncpus = os.cpu_count() or 1
        self.symbols = HostSymbols(self.budgets)
        self.names: KernelNames | None = None
        self.interrupted = self.clean = False
        self._processes: list[HostProcess] = []
        self._types: Scope | None = None

    # -- for the session -------------------------------------------------------------------------------

    def device(self, credentials: object = None) -> Device:
        """Open the device, with the privileges that this process has.  Raises BorderError."""
        return HostDevice(self._path, self.target)

    @staticmethod
    def read(path: str) -> bytes | None:
        """A whole file; None if there is none that this process may read."""
        return read_if_any(path)

    def system(self) -> HostSystem:
        return self

    @property
    def types(self) -> Scope:
        """The types of a kernel like the emulated machine's."""
        if self._types is None:
            from dc.names.kernelheader import kernel_header, kernel_types

            self._types = kernel_types(kernel_header())
        return self._types

    @staticmethod
    def now() -> int:
        return time.monotonic_ns()

    def wait(self, until: int) -> bool:
        """See runtime.consumer.system.System."""
        for process in self._processes:
            self.symbols.remember(process.pid)
        while (left := until - self.now()) > 0:
            if self.interrupted or any(process.exit_status is not None for process in self._processes):
                return True
            time.sleep(min(left, _GLANCE) / 1e9)
        return False

    @staticmethod
    def relieve(wanted: bool) -> None:
        """A system's own time does not wait for a reader: what it has no room for is lost."""

    @staticmethod
    def absent(address: int) -> bool:
        """No kernel tells."""
        return False

    @staticmethod
    def mistake(description: ProbeDesc) -> tuple[str, str] | None:
        """The kernel judges descriptions of processes' probes."""
        return None

    @staticmethod
    def user_arguments(probe: ProbeInfo) -> Sequence[Argument] | None:
        return None

    @staticmethod
    def user_type(probe: ProbeInfo, name: str) -> Type | None:
        return None

    # -- for the command -------------------------------------------------------------------------------

    def spawn(self, argv: Sequence[str], environment: Mapping[str, str] | None = None,
              evaltime: str = "") -> HostProcess:
        """Start a child, which stands still at the first instruction of its program.  Raises OSError."""
        told, telling = os.pipe()
        child = os.fork()
        if not child:
            _execute(argv, dict(environment or self.environment), telling)
        os.close(telling)
        with open(told, "rb") as report:
            number = int.from_bytes(report.read(), "little")
        if number:
            os.waitpid(child, 0)
            raise OSError(number, os.strerror(number), argv[0])
        os.waitpid(child, 0)  # the kernel has stopped it at the end of execve(2)
        _ptrace(PTRACE_DETACH, child, signal.SIGSTOP)
        os.waitpid(child, os.WUNTRACED)
        return self._controlled(HostProcess(child, True))

    def grab(self, pid: int) -> HostProcess:
        """Take control of a process that is there.  Raises OSError (ESRCH)."""
        if not _lives(pid):
            raise OSError(errno.ESRCH, os.strerror(errno.ESRCH))
        return self._controlled(HostProcess(pid, False))

    def _controlled(self, process: HostProcess) -> HostProcess:
        self._processes.append(process)
        self.symbols.remember(process.pid)
        return process

    @staticmethod
    def shell(command: bytes, output: int) -> None:
        """Run a shell command, and wait for its end.  Raises OSError."""
        subprocess.run(["/bin/sh", "-c", command], stdout=output, check=False)

    def interrupt(self) -> None:
        """Make a waiting consumer return."""
        self.interrupted = True

    def close(self) -> None:
        """Nothing is to be done: processes live on."""

    @staticmethod
    def tracepoints() -> str:
        """Where traps are is known to the kernel alone."""
        return ""

    @staticmethod
    def keep_tracepoints() -> None:
        """See `tracepoints`."""

    @staticmethod
    def unread_types() -> Sequence[str]:
        """As `tracepoints`."""
        return ()

    @staticmethod
    def refusals(every: bool) -> Sequence[str]:
        """As `tracepoints`."""
        return ()

    @staticmethod
    def unknown_calls() -> Sequence[str]:
        """The system has all calls that it has."""
        return ()


def _ptrace(request: int, pid: int, data: int) -> None:
    """Make a request of ptrace(2).  Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    address = ctypes.c_void_p(1)  # on FreeBSD: go on where the process stands; Linux takes no notice
    if libc.ptrace(request, pid, address, ctypes.c_void_p(data)) < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _execute(argv: Sequence[str], environment: Mapping[str, str], telling: int) -> NoReturn:
    """Be a child that executes a program and is stopped then, or tells the number of an error, and ends."""
    try:
        _ptrace(PTRACE_TRACEME, 0, 0)
        os.execvpe(argv[0], list(argv), dict(environment))
    except OSError as error:
        os.write(telling, (error.errno or errno.EIO).to_bytes(4, "little"))
    finally:
        os._exit(127)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError as error:
        return error.errno != errno.ESRCH  # another user's process lives, too
    return True
