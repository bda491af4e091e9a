"""The table of SPARC programs' system calls.

Calls whose arguments are numbers, bytes and strings are the kernel's own.  `filecalls` and `processcalls`
have those that pass structures, signals or flags, which SPARC numbers and lays out in its own way.  A call
that is not in the table fails with ENOSYS.
"""

from __future__ import annotations

from runtime.kernel.cpu.sparc.numbers import CALLS
from runtime.kernel.syscalls.sparc import filecalls, processcalls
from runtime.kernel.syscalls.table import SystemCall, Table, handlers, i386_table, x86_64_table

PREFIX = "sparc_"
FIVE_ARGUMENTS = "int, const struct sigaction *, struct sigaction *, void *, size_t"


def table(bits: int) -> Table:
    """The system calls of programs whose addresses have `bits`: 32 or 64."""
    return Table(_calls(), bits, PREFIX, {**handlers(filecalls), **handlers(processcalls)})


def _calls() -> dict[int, SystemCall]:
    known = {call.name: call for each in (i386_table(), x86_64_table()) for call in each.values()}
    calls = {}
    for line in CALLS.splitlines():
        name, number = line.split()
        types = FIVE_ARGUMENTS if name == "rt_sigaction" else known[name].types
        calls[int(number)] = SystemCall(name, int(number), types, known[name].module)
    return calls
