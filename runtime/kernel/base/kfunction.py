"""Kernel functions that have a name: those that play the part of an illumos function.

`@kfunction("fop_read")` marks a function (or method) whose entry and return can be observed, and which
appears in kernel stacks.  Its first parameter is the calling thread.  Nothing is recorded when nobody
looks: a stack is read off the interpreter's own frames, and entry and return are told only while
`thread.kernel.hooks.function` is set, by `Watchers`.

Names and C types are in tables (runtime.kernel.base.functiontable and syscalls.rows), so that they can be had
without the functions; functions of ours that are called otherwise than illumos' `tell` what the
arguments of that would be.
"""

from __future__ import annotations

import errno
import functools
from collections.abc import Callable, Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any, TypeVar

from dif.light import dataclass
from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.base.functiontable import CALLED, FUNCTIONS, MODULES
from runtime.kernel.syscalls.rows import ROWS

if TYPE_CHECKING:
    from runtime.kernel.base.hooks import Hooks

F = TypeVar("F", bound=Callable[..., Any])
Tell = Callable[..., Sequence[Any]]
Entered = Callable[[Sequence[Any]], None]  # values of the arguments
Returned = Callable[[Sequence[Any], Any, int], None]  # the same, the result, and the error number or 0

TEXT_BASE = 0xFFFFFFFFFB800000  # where illumos links unix`
SLOT = 0x1000  # bytes of address space for each function; an offset in it is the bytecode's
_INSTRUCTION = 2  # bytes of one instruction of bytecode


@dataclass(slots=True, eq=False)
class KernelFunction:
    """`address` is its entry, `code` what it executes; None until that has been loaded.

    `types` are the C types of its arguments.  `returns` is "int" for functions whose result is an error
    number.  `tell`, called as the function is, gives the values of the arguments; without it they are
    what the function is called with.
    """

    name: str
    module: str
    returns: str
    types: str
    address: int
    code: CodeType | None = None
    tell: Tell | None = None

    @property
    def arguments(self) -> tuple[str, ...]:
        """The type of each argument."""
        return tuple(self.types.split(", ")) if self.types else ()

    @property
    def end(self) -> int:
        """The offset of its last instruction, once it has run."""
        assert self.code is not None
        return min(len(self.code.co_code), SLOT) - _INSTRUCTION

    def told(self, thread: Any, values: Sequence[Any], named: dict[str, Any]) -> Sequence[Any]:
        """The values of its arguments in a call."""
        return self.tell(thread, *values, **named) if self.tell else (*values, *named.values())


def _described() -> dict[str, KernelFunction]:
    """Every function in the order of their addresses; the system calls among them come last."""
    rows = [line.split("|") for line in FUNCTIONS.splitlines()]
    calls = [line.split("|") for line in ROWS.splitlines()]
    for which in (0, 1):  # those of amd64, then those that only i386 has
        rows += [[MODULES.get(handler, "genunix"), CALLED.get(name, name), "long", types]
                 for name, *numbers, types, handler in calls if handler and numbers[which] != "-"]
    functions: dict[str, KernelFunction] = {}
    for module, name, returns, types in rows:
        if name not in functions:
            functions[name] = KernelFunction(name, module, returns, types, TEXT_BASE + SLOT * len(functions))
    return functions


KFUNCTIONS = _described()
CODES: dict[CodeType, KernelFunction] = {}  # filled while modules load


def loaded(name: str, code: CodeType, tell: Tell | None = None) -> KernelFunction:
    """What the function `name` is, now that its code is there; of several names or codes the first stands.

    Raises KeyError for one that is in no table.
    """
    described = KFUNCTIONS[name]
    CODES.setdefault(code, described)
    if described.code is None:
        described.code, described.tell = code, tell
    return described


def kfunction(name: str, *, tell: Tell | None = None) -> Callable[[F], F]:
    """Give the decorated function a name, an address, and entry and return points.

    An integer argument is told as itself; of an object, the address at which kernel memory shows it.
    """

    def decorate(function: F) -> F:
        described = loaded(name, function.__code__, tell)

        @functools.wraps(function)
        def traced(thread: Any, *values: Any, **named: Any) -> Any:
            observe = thread.kernel.hooks.function
            if observe is None:
                return function(thread, *values, **named)
            return observe(described, function, thread, values, named)

        return traced  # type: ignore[return-value]

    return decorate


class Watchers:
    """Who is told of which functions' entries and returns.  One per kernel."""

    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks
        self._entered: dict[str, list[Entered]] = {}
        self._returned: dict[str, list[Returned]] = {}

    def watch(self, name: str, *, entered: Entered | None = None, returned: Returned | None = None) -> None:
        """Call `entered` before, or `returned` after each call of a function that does not end the thread."""
        if entered is not None:
            self._entered.setdefault(name, []).append(entered)
        if returned is not None:
            self._returned.setdefault(name, []).append(returned)
        self._hooks.function = self._observe

    def unwatch(self, name: str, watcher: Entered | Returned) -> None:
        """Undo `watch`."""
        for table in (self._entered, self._returned):
            kept = [each for each in table.pop(name, ()) if each is not watcher]
            if kept:
                table[name] = kept  # type: ignore[assignment]
        if not self._entered and not self._returned:
            self._hooks.function = None

    def _observe(self, described: KernelFunction, function: Callable[..., Any], thread: Any,
                 values: Sequence[Any], named: dict[str, Any]) -> Any:
        entered, returned = self._entered.get(described.name, ()), self._returned.get(described.name, ())
        if not entered and not returned:
            return function(thread, *values, **named)
        given = described.told(thread, values, named)
        for enter in entered:
            enter(given)
        result, number = None, 0
        try:
            result = function(thread, *values, **named)
        except OSError as error:
            number = error.errno or errno.EIO
            raise
        except MemoryFault:
            number = errno.EFAULT
            raise
        except BaseException:  # the thread ends: there is no return
            returned = ()
            raise
        finally:
            for leave in returned:
                leave(given, result, number)
        return result
