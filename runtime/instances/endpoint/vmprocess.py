"""A machine in a machine, as the outer one has it: a process that runs it.

The process opens /dev/vmm/NAME, and each time that its machine is to go on it asks the device for that with
an ioctl(2).  So scripts about the outer machine see who runs the inner one, and when.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dif.records import Record
from runtime.kernel.agent import Agent

if TYPE_CHECKING:
    from runtime.kernel.base.caller import Caller
    from runtime.kernel.kernel import Kernel

PROGRAM = "/usr/sbin/vmm"
VM_RUN = int.from_bytes(b"vm\0\1", "big")


class _Device:
    """/dev/vmm/NAME."""

    def ioctl(self, _thread: Caller, _number: int, _argument: int) -> int:
        return 0


class VmProcess(Record):
    """One such process.  It comes into being with the first `enter`."""

    kernel: Kernel
    name: str
    agent: Agent | None = None
    descriptor: int = -1

    def enter(self) -> None:
        """Have the process ask for its machine to go on.  Raises AgentError if it was killed."""
        if self.agent is None:
            path = f"/dev/vmm/{self.name}"
            self.kernel.devices[path] = _Device()
            self.agent = Agent(self.kernel, PROGRAM, ["vmm", self.name], {})
            self.agent.start()
            self.descriptor = self.agent.call("open", self.agent.put(os.fsencode(path) + b"\0"), os.O_RDWR)
        self.agent.call("ioctl", self.descriptor, VM_RUN, 0)
