"""The system call tables, and how a handler is found and called.

A handler is a function `sys_NAME(thread, ...)` in the module that the row names.  A function
`sys_PREFIX_NAME` there takes its place for the programs of one processor (`sys_i386_NAME`).

A handler gets the arguments that the row declares, converted as their C types say: an `int` is signed, an
`unsigned int`, `size_t` or pointer is unsigned; on i386 two registers make a `loff_t`.  It returns the result
or raises SyscallError(errno).  A MemoryFault that it raises becomes EFAULT.  A handler may sleep anywhere:
see `runtime.kernel.base.wait`.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType

from dif.records import Record
from runtime.kernel.base.kernelfunctions import CALLED, KernelFunction, loaded
from runtime.kernel.base.systemcalls import ROWS
from runtime.kernel.syscalls.loaders import LOADERS

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Concatenate

    from runtime.kernel.process.thread import Thread

    Handler = Callable[Concatenate[Thread, ...], int]  # the calling thread, and the arguments of the call
    Handlers = Mapping[str, Handler]
    Convert = Callable[[Sequence[int]], list[int]]

I386_PREFIX, ARM64_PREFIX = "i386_", "arm64_"
UNSIGNED_32 = {"unsigned int", "uid_t", "gid_t", "umode_t", "dev_t"}
SIGNED_32 = {"int", "pid_t", "key_t", "clockid_t", "timer_t", "mqd_t"}
QUICK = frozenset(("getpid", "getppid", "gettid", "getpgrp", "getuid", "geteuid", "getgid", "getegid",
                   "clock_gettime", "gettimeofday", "time"))
IDENTITY = frozenset(("process.identity", "process.lifecycle", "process.ptrace"))  # modules
SIGNED_LONG = {"long", "off_t", "loff_t"}


class SystemCall(Record, frozen=True):
    """One system call.  `number` is that of one processor; `types` are the C types of the arguments.

    `module` has its handler; "" if there is none.
    """

    name: str
    number: int
    types: str
    module: str

    @property
    def arguments(self) -> tuple[str, ...]:
        """The type of each argument."""
        return tuple(self.types.split(", ")) if self.types else ()


def _rows(column: int) -> dict[int, SystemCall]:
    table = {}
    for line in ROWS.splitlines():
        fields = line.split("|")
        if fields[column] != "-":
            number = int(fields[column])
            table[number] = SystemCall(fields[0], number, *fields[-2:])
    return table


@cache
def x86_64_table() -> Mapping[int, SystemCall]:
    return _rows(1)


@cache
def i386_table() -> Mapping[int, SystemCall]:
    return _rows(2)


@cache
def arm64_table() -> Mapping[int, SystemCall]:
    return _rows(3)


def _converters(types: Iterable[str], long_bits: int) -> list[tuple[int, int, int]]:
    """Return (registers used, mask, sign bit or 0) for each argument."""
    plan = []
    for kind in types:
        registers, bits, signed = 1, long_bits, kind in SIGNED_LONG
        if kind in UNSIGNED_32 or kind in SIGNED_32:
            bits, signed = 32, kind in SIGNED_32
        elif kind == "loff_t" and long_bits == 32:
            registers, bits = 2, 64
        plan.append((registers, (1 << bits) - 1, 1 << (bits - 1) if signed else 0))
    return plan


def converter(types: Iterable[str], long_bits: int) -> Convert:
    """Return a function that makes a handler's arguments of the six raw registers."""
    at, values = 0, []
    for used, mask, sign in _converters(types, long_bits):
        value = f"r[{at}] & {mask}" if used == 1 else f"(r[{at}] | r[{at + 1}] << 32) & {mask}"
        values.append(f"({value} ^ {sign}) - {sign}" if sign else value)
        at += used
    return _expression(f"lambda r: [{', '.join(values)}]")


@cache
def _expression(text: str) -> Convert:
    """Return a function as Python's expression has it: calls with arguments of the same types share it."""
    made: Convert = eval(text, {})
    return made


class Entry(Record, frozen=True):
    """A system call with its handler; `function` is the handler as a kernel function.

    A `quick` one reads a clock, or its result is the same until an `altering` one may have changed what it
    tells of.
    """

    call: SystemCall
    handler: Handler | None
    convert: Convert
    function: KernelFunction | None
    quick: bool
    altering: bool


def handlers(module: ModuleType) -> Handlers:
    """Return the handlers in a module, by their names without `sys_`."""
    return {name.removeprefix("sys_"): function for name, function in vars(module).items()
            if name.startswith("sys_")}


class Table(dict[int, "Entry | None"]):
    """The system calls of one kind of program, by number; None where there is none.

    The table loads a module with handlers when one of its calls is first made.  Handlers in `own` come before
    those of the modules, and in these, handlers with `prefix` in their names before the others.
    """

    def __init__(self, calls: Mapping[int, SystemCall], long_bits: int, prefix: str = "",
                 own: Handlers | None = None) -> None:
        super().__init__()
        self._calls = calls
        self._long_bits = long_bits
        self._prefix = prefix
        self._own = own or {}
        self._known: dict[str, Handlers] = {}  # by module, of those that have been loaded

    def __missing__(self, number: int) -> Entry | None:
        wanted = self._calls.get(number)
        if wanted is None:
            return None
        if wanted.module not in self._known:
            self._known[wanted.module] = handlers(LOADERS[wanted.module]()) if wanted.module else {}
            for call in self._calls.values():
                if call.module == wanted.module:
                    self._function(call)
        function, quick = self._function(wanted), wanted.name in QUICK
        entry = self[number] = Entry(wanted, self._handler(wanted),
                                     converter(wanted.arguments, self._long_bits), function, quick,
                                     wanted.module in IDENTITY and not quick)
        return entry

    def _handler(self, call: SystemCall) -> Handler | None:
        special, known = self._prefix + call.name, self._known[call.module]
        return self._own.get(special) or known.get(special) or known.get(call.name)

    def _function(self, call: SystemCall) -> KernelFunction | None:
        handler = self._handler(call)
        return loaded(CALLED.get(call.name, call.name), handler.__code__) if handler else None
