"""The system call tables, and how a handler is found and called.

A handler is a function `sys_NAME(thread, ...)`; `sys_PREFIX_NAME` overrides it for the programs of one
processor (`sys_i386_NAME`).
It gets exactly the arguments that the row declares, converted as their C types say (an `int` comes
signed, an `unsigned int`, `size_t` or pointer unsigned; on i386 a `loff_t` by value is put together
from two registers), and returns the result, or raises SyscallError(errno).  A MemoryFault that
escapes becomes EFAULT.  A handler may block anywhere: see `runtime.kernel.wait`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any

from dif.light import dataclass
from runtime.kernel.kfunction import KernelFunction, describe
from runtime.kernel.syscalls.rows import ROWS

Handler = Callable[..., int]
Convert = Callable[[Sequence[int]], list[int]]

I386_PREFIX = "i386_"
UNSIGNED_32 = {"unsigned int", "uid_t", "gid_t", "umode_t", "dev_t"}
SIGNED_32 = {"int", "pid_t", "key_t", "clockid_t", "timer_t", "mqd_t"}
SIGNED_LONG = {"long", "off_t", "loff_t"}


@dataclass(frozen=True, slots=True)
class SystemCall:
    """One row.  `number` is that of the table it stands in; `arguments` are C types."""

    name: str
    number: int
    arguments: tuple[str, ...]


def _rows(column: int) -> dict[int, SystemCall]:
    table = {}
    for line in ROWS.splitlines():
        fields = line.split("|")
        if fields[column] != "-":
            types = tuple(kind.strip() for kind in fields[3].split(",")) if fields[3] else ()
            table[int(fields[column])] = SystemCall(fields[0], int(fields[column]), types)
    return table


def x86_64_table() -> dict[int, SystemCall]:
    return _rows(1)


def i386_table() -> dict[int, SystemCall]:
    return _rows(2)


def _converters(types: Iterable[str], long_bits: int) -> list[tuple[int, int, int]]:
    """(registers used, mask, sign bit or 0) of each argument."""
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
    """A function from the six raw registers to the handler's arguments."""
    plan = _converters(types, long_bits)

    def convert(registers: Sequence[int]) -> list[int]:
        at, values = 0, []
        for used, mask, sign in plan:
            value = registers[at] & mask if used == 1 else (registers[at] | registers[at + 1] << 32) & mask
            values.append((value ^ sign) - sign if sign else value)
            at += used
        return values

    return convert


# Kernel functions that illumos calls otherwise than Linux calls the system call that they do.
FUNCTIONS = {
    "accept4": "accept", "execve": "exece", "exit": "syslwp_exit", "exit_group": "rexit", "mmap": "smmap64",
    "newfstatat": "fstatat", "pread64": "pread", "pwrite64": "pwrite", "rt_sigaction": "sigaction",
    "rt_sigpending": "sigpending", "rt_sigsuspend": "sigsuspend", "rt_sigtimedwait": "sigtimedwait",
    "socket": "so_socket", "socketpair": "so_socketpair", "sync": "syssync", "time": "gtime",
    "utimensat": "utimesys",
}
MODULES = {"sockets": "sockfs"}  # of the handlers in our modules, where it is not genunix


@dataclass(frozen=True, slots=True)
class Entry:
    """A system call ready to be called; `function` is its handler as a kernel function."""

    call: SystemCall
    handler: Handler | None
    convert: Convert
    function: KernelFunction | None


def _described(handler: Any, call: SystemCall) -> KernelFunction:
    module = MODULES.get(handler.__module__.rpartition(".")[2], "genunix")
    return describe(handler.__code__, FUNCTIONS.get(call.name, call.name), call.arguments, "long", module)


def bind(table: Mapping[int, SystemCall], modules: Iterable[ModuleType], long_bits: int,
         prefix: str = "") -> dict[int, Entry]:
    """The table with each row's handler from `modules` (later ones win); those with `prefix` come first."""
    found: dict[str, Any] = {}
    for module in modules:
        found.update({name[4:]: value for name, value in vars(module).items() if name.startswith("sys_")})
    entries = {}
    for number, call in table.items():
        handler = found.get(prefix + call.name) or found.get(call.name)
        function = _described(handler, call) if handler else None
        entries[number] = Entry(call, handler, converter(call.arguments, long_bits), function)
    return entries
