"""The process that dtrace itself is in the machine, and its way into the kernel.

From the moment tracing begins, this process makes each request of a consumer as an ioctl(2) on
/dev/dtrace/dtrace, and sleeps when the consumer waits.  BEGIN, END and their errors fire in it, and probes
see its system calls as they see those of any process.  The structures of a request pass through its memory;
what they point to (buffers, DOF) is handed over as it is.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping, Sequence

from dif.records import Record
from runtime.border import BorderError, Command
from runtime.consumer.events.errors import TraceError
from runtime.ioctl.devicefile import DtraceNode
from runtime.ioctl.requests import request_number
from runtime.kernel.agent import Agent, AgentError
from runtime.kernel.base.signals import SIGHUP, SIGINT, SIGTERM
from runtime.kernel.kernel import Kernel
from runtime.kernel.process import daemons
from runtime.kernel.process.process import Process

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.border import Device
    from runtime.kernel.base.caller import Caller

PROGRAM, DEVICE, SHELL = "/usr/sbin/dtrace", "/dev/dtrace/dtrace", "/bin/sh"
ENDINGS = SIGHUP, SIGINT, SIGTERM  # signals to the process that end tracing
STRUCTURE = 512  # the most bytes of the structure of a request or an answer


class _Request(Record):
    """A request, and its answer or error once the driver has carried it out."""

    device: Device
    command: Command
    payload: bytes
    answer: bytes = b""
    error: BorderError | None = None
    done: bool = False

    def carry_out(self) -> None:
        try:
            self.answer = self.device.ioctl(self.command, self.payload)
        except BorderError as error:
            self.error = error
        self.done = True


class _Driver:
    """The device /dev/dtrace/dtrace as the tracer's process has it."""

    def __init__(self) -> None:
        self.request: _Request | None = None

    def ioctl(self, thread: Caller, _number: int, argument: int) -> int:
        request = self.request
        if request is None:
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        self.request = None
        request.carry_out()
        if request.error is not None:
            raise request.error
        thread.write(argument, request.answer[:STRUCTURE])
        return 0


class Tracer:
    """The process.  The machine does not run before the first request of it.

    `opened` opens the border for any other process that opens the device, with the numbers of `target`.
    """

    def __init__(self, kernel: Kernel, arguments: Sequence[str], environment: Mapping[str, str],
                 opened: Callable[[Process], Device], target: str) -> None:
        self._kernel = kernel
        self._environment = environment
        self._agent = Agent(kernel, PROGRAM, arguments, environment, ENDINGS)
        self._driver = _Driver()
        kernel.devices[DEVICE] = DtraceNode(lambda: kernel.current.process, opened, target,
                                            (self.process, self._driver))
        self._descriptor = -1
        self._interrupted = False

    @property
    def process(self) -> Process:
        return self._agent.process

    def ioctl(self, device: Device, command: Command, payload: bytes) -> bytes:
        """Have the process make a request; returns the answer.  Raises BorderError, TraceError."""
        request = _Request(device, command, payload)
        try:
            self._open()
            where = self._agent.put(payload[:STRUCTURE])
            self._driver.request = request
            self._agent.call("ioctl", self._descriptor, request_number(command, "illumos"), where)
        except AgentError as error:
            if not request.done:
                raise self._lost(error) from error
        if request.error is not None:
            raise request.error
        return request.answer

    def _open(self) -> None:
        """Open the device, unless the process has done that."""
        if self._descriptor < 0:
            self._agent.start()
            path = self._agent.put(os.fsencode(DEVICE) + b"\0")
            self._descriptor = self._agent.call("open", path, os.O_RDWR)
            daemons.start(self._kernel)

    def sleep(self, until: int) -> bool:
        """Let the machine run while the process sleeps; returns whether it has been woken before `until`.

        Raises TraceError.
        """
        try:
            self._open()
            woken = self._agent.sleep(until) is not None
            self._reap()
            return woken
        except AgentError as error:
            raise self._lost(error) from error

    def spawn(self, argv: Sequence[str], environment: Mapping[str, str]) -> Process:
        """Create a child, the same user's in the same zone, which stands still.  Raises OSError."""
        cwd = None if self.process.zone is self._kernel.zones.global_zone else "/"
        return self._kernel.spawn(argv, environment, cwd, self.process.identity.copy(), parent=self.process)

    def shell(self, command: bytes, output: int) -> None:
        """Have a child run a shell command (system(3)), whose output goes to a descriptor of the host.

        The process waits for it.  Raises OSError where there is no shell, TraceError.
        """
        try:
            self._open()
            child = self.spawn([SHELL, "-c", os.fsdecode(command)], self._environment)
            child.resume()
            child.files.put(1, self._kernel.vfs.adopt(output))
            self._agent.call("wait4", child.pid, 0, 0, 0)
        except AgentError as error:
            raise self._lost(error) from error

    @property
    def interrupted(self) -> bool:
        """Whether the process has got a signal that ends tracing."""
        self._interrupted = self._interrupted or self._agent.take_signal() != 0
        return self._interrupted

    def _reap(self) -> None:
        """Wait for children that have ended."""
        for child in [child for child in self.process.children if child.zombie]:
            self._agent.call("wait4", child.pid, 0, os.WNOHANG, 0)

    def _lost(self, error: AgentError) -> TraceError:
        """Return the error to raise when the process can make no more calls."""
        panicked = self._kernel.panicked
        return TraceError(f"the machine has panicked: {panicked}" if panicked
                          else f"dtrace in the machine: {error.strerror}")
