"""What an event of a processor's engine is: a system call, or an exception that becomes a signal."""

from __future__ import annotations

from collections.abc import Sequence

from dif.records import NamedTuple
from runtime.kernel.base.signals import SIGBUS, SIGSEGV, SignalInfo
from runtime.kernel.memory.addrspace import PROT_EXEC, PROT_READ, PROT_WRITE

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.memory.addrspace import AddressSpace

# codes of signals, and fault numbers of <sys/fault.h>
SEGV_MAPERR, SEGV_ACCERR = 1, 2
BUS_ADRALN, BUS_ADRERR = 1, 2
FPE_INTDIV, FPE_FLTINV = 1, 7
ILL_ILLOPC, ILL_ILLOPN, ILL_PRVOPC = 1, 2, 5
TRAP_BRKPT, TRAP_TRACE = 1, 2
FLTILL, FLTPRIV, FLTBPT, FLTTRACE, FLTACCESS, FLTBOUNDS, _FLTIOVF, FLTIZDIV, FLTFPE = range(1, 10)


class SystemCall(NamedTuple):
    """A system call of a program: its number, its six raw arguments, the key of the table it is in."""

    number: int
    arguments: Sequence[int]
    table: int


class Fault(NamedTuple):
    """The signal that an exception is to the program, and its fault number (FLT*)."""

    info: SignalInfo
    number: int


def bad_access(space: AddressSpace | None, address: int, writes: bool) -> tuple[int, int, int]:
    """Return signal, code and fault number of an access that is not possible.

    Where the area permits it, the page is one that the file does not have, or that the disk has no room for.
    """
    area = space.find(address) if space else None
    if area is None:
        return SIGSEGV, SEGV_MAPERR, FLTBOUNDS
    permitted = area.prot & (PROT_WRITE if writes else PROT_READ | PROT_WRITE | PROT_EXEC)
    if permitted and area.pages is not None and (writes or not area.pages.has(area.index(address))):
        return SIGBUS, BUS_ADRERR, FLTACCESS
    return SIGSEGV, SEGV_ACCERR, FLTACCESS
