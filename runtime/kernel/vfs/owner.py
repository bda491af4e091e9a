"""The kernel that the file systems belong to, and its processes, as devices and /proc know them.

Only the type checker reads this file.
"""

from __future__ import annotations

from collections.abc import Mapping

from runtime.kernel.base.budgets import Allowance, Budgets
from runtime.kernel.base.caller import Caller
from runtime.kernel.vfs.devices.terminal import ControllingTerminal, Member, MemberCaller, SessionServices
from runtime.kernel.vfs.proc.subjects import ShownMachine, ShownProcess

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol

    from runtime.kernel.vfs.filetable import FileTable
else:
    Protocol = object


class Device(Protocol):
    """An object that plays a device.

    It may have `open()` and `close()`, which are called when a file of it is opened and closed.  If `open()`
    returns another such object, that one serves the file.
    """

    def ioctl(self, thread: Caller, request: int, argument: int) -> int:
        """Carry out a request and return the result of ioctl(2).  Raises OSError."""


class DeviceServices(SessionServices, Protocol):
    """The kernel, as far as devices need it."""

    @property
    def budgets(self) -> Budgets: ...

    @property
    def heap(self) -> Allowance:
        """The kernel's memory."""

    @property
    def devices(self) -> Mapping[str, Device]:
        """The devices that the machine was given, by absolute path."""


class MachineProcess(Member, ShownProcess, Protocol):
    """A process of such a kernel."""

    terminal: ControllingTerminal | None

    @property
    def parent(self) -> MachineProcess | None: ...

    @property
    def files(self) -> FileTable: ...


class Machine(DeviceServices, ShownMachine, Protocol):
    """The kernel that the file systems belong to."""

    @property
    def current(self) -> MemberCaller: ...

    @property
    def ending(self) -> bool: ...

    @property
    def processes(self) -> Mapping[int, MachineProcess]: ...

    @property
    def init(self) -> Member: ...
