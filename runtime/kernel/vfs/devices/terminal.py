"""Terminals that control sessions, and the processes that they control (credentials(7))."""

from __future__ import annotations

from collections.abc import Mapping

from runtime.kernel.base.caller import Caller, CallerProcess, Services

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol

    from runtime.kernel.vfs.filetable import FileTable
    from runtime.kernel.vfs.vnode import File, Vnode
else:
    Protocol = object


class ControllingTerminal(Protocol):
    """What controls a session of processes."""

    foreground: int  # the process group that may read from it

    @property
    def node(self) -> Vnode | None:
        """Its node in the machine; None for a terminal of the host."""

    def open(self, flags: int) -> File:
        """What opening /dev/tty gives.  Raises OSError."""

    def leader_gone(self) -> None:
        """The leader of the session has ended."""

    def orphaned(self, group: int) -> bool:
        """Whether no process is left that could continue a stopped one of this group."""


class Member(CallerProcess, Protocol):
    """A process of a session."""

    terminal: ControllingTerminal | None

    @property
    def parent(self) -> Member | None: ...

    @property
    def files(self) -> FileTable: ...


class MemberCaller(Caller, Protocol):
    """A thread of such a process."""

    @property
    def process(self) -> Member: ...


class SessionServices(Services, Protocol):
    """The kernel, as far as terminals need it."""

    @property
    def current(self) -> MemberCaller: ...

    @property
    def processes(self) -> Mapping[int, Member]:
        """By number."""
