"""What debuggers and core files ask of a kind of processor: registers in sets, steps, system calls.

A processor has a `Debugging`, or None where its programs cannot be traced by others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dif.records import NamedTuple

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol

    from runtime.kernel.cpu.processor import UserThread
else:
    Protocol = object

NT_PRSTATUS, NT_PRFPREG = 1, 2  # <elf.h>: the general registers, and those of floating-point numbers


class RegisterSet(NamedTuple):
    """Some registers of a thread under the number of their note (NT_* of <elf.h>).

    `owner` names the note in a core file; it is empty where core files have none.  `unit` is the size
    of one register of it in bytes: a debugger's buffer holds a whole number of them.  `get` returns the
    registers; `set` takes as many bytes, and is None for what cannot be set.
    """

    note: int
    owner: bytes
    unit: int
    get: Callable[[UserThread], bytes]
    set: Callable[[UserThread, bytes], None] | None = None


class Debugging(Protocol):
    """`sets` begin with the general registers.  Each thread that is passed is loaded when it need be."""

    elf: int  # e_machine of a core file
    audit: int  # AUDIT_ARCH_* of <linux/audit.h>
    user_size: int  # bytes of struct user: from there on PTRACE_PEEKUSER fails
    debug_registers: range | None  # where struct user has them; None: there is no such structure
    sets: Sequence[RegisterSet]

    def set_stepping(self, thread: UserThread, on: bool) -> None:
        """Have the processor trap after each instruction of a thread, or no longer."""

    def begin_stop(self, thread: UserThread, entering: bool) -> int:
        """Change the registers to what a tracer finds at a system call; returns a value for `end_stop`."""

    def end_stop(self, thread: UserThread, saved: int) -> None:
        """Undo that, where a tracer's changes remain."""

    def arguments(self, thread: UserThread) -> list[int]:
        """Return the six registers with the arguments of the system call that a thread makes."""

    def result(self, thread: UserThread) -> int:
        """Return what a system call has returned: a value or -errno."""


def find(sets: Sequence[RegisterSet], note: int) -> RegisterSet | None:
    """Return the set of a note's number, None if there is none."""
    return next((each for each in sets if each.note == note), None)
