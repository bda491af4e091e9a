"""Kernel functions that have a name: those that play the part of an illumos function.

`@kfunction("fop_read", "vnode_t *", "uio_t *", returns="int")` marks a function (or method) whose
entry and return can be observed, and which appears in kernel stacks.  Its first parameter is the
calling thread.  Nothing is recorded when nobody looks: a stack is read off the interpreter's own
frames, and entry and return are told only while `thread.kernel.hooks.function` is set, by `Watchers`.

The C types are those of illumos' function as far as they are given, and in its order; functions of
ours that are called otherwise `tell` what those arguments would be.
"""

from __future__ import annotations

import errno
import functools
from collections.abc import Callable, Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any, TypeVar

from dif.light import dataclass
from runtime.kernel.memory import MemoryFault

if TYPE_CHECKING:
    from runtime.kernel.hooks import Hooks

F = TypeVar("F", bound=Callable[..., Any])
Tell = Callable[..., Sequence[Any]]
Entered = Callable[[Sequence[Any]], None]  # values of the arguments
Returned = Callable[[Sequence[Any], Any, int], None]  # the same, the result, and the error number or 0

TEXT_BASE = 0xFFFFFFFFFB800000  # where illumos links unix`
SLOT = 0x1000  # bytes of address space for each function; an offset in it is the bytecode's
_INSTRUCTION = 2  # bytes of one instruction of bytecode


@dataclass(slots=True, eq=False)
class KernelFunction:
    """`address` is its entry, `code` what it executes.

    `arguments` are the C types after the calling thread's.  `returns` is "int" for functions whose
    result is an error number: 0, or that of the OSError they raise.  `tell`, called as the function is,
    gives the values of the arguments; without it they are what the function is called with.
    """

    name: str
    module: str
    arguments: tuple[str, ...]
    returns: str
    address: int
    code: CodeType
    tell: Tell | None = None

    @property
    def end(self) -> int:
        """The offset of its last instruction."""
        return min(len(self.code.co_code), SLOT) - _INSTRUCTION

    def told(self, thread: Any, values: Sequence[Any], named: dict[str, Any]) -> Sequence[Any]:
        """The values of its arguments in a call."""
        return self.tell(thread, *values, **named) if self.tell else (*values, *named.values())


KFUNCTIONS: dict[str, KernelFunction] = {}  # filled while modules load, constant afterwards
CODES: dict[CodeType, KernelFunction] = {}


def describe(code: CodeType, name: str, arguments: tuple[str, ...], returns: str, module: str,
             tell: Tell | None = None) -> KernelFunction:
    """Give what `code` does a name and an address; a name that several have stands for the first of them."""
    described = KFUNCTIONS.get(name)
    if described is None:
        address = TEXT_BASE + SLOT * len(KFUNCTIONS)
        described = KernelFunction(name, module, arguments, returns, address, code, tell)
        KFUNCTIONS[name] = described
    CODES[code] = described
    return described


def kfunction(name: str, *arguments: str, returns: str = "int", module: str = "genunix",
              tell: Tell | None = None) -> Callable[[F], F]:
    """Give the decorated function a name, an address, and entry and return points.

    An integer argument is told as itself; of an object, the address at which kernel memory shows it.
    """

    def decorate(function: F) -> F:
        described = describe(function.__code__, name, arguments, returns, module, tell)

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
