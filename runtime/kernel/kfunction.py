"""Kernel functions that have a name: those that play the part of an illumos function.

`@kfunction("fop_read", "vnode_t *", "uio_t *", returns="int")` marks a function (or method) whose
entry and return can be observed, and which appears in kernel stacks.  Its first parameter is the
calling thread.  Nothing is recorded when nobody looks: a stack is read off the interpreter's own
frames, and entry and return are told only while `thread.kernel.hooks.function` is set.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

TEXT_BASE = 0xFFFFFFFFFB800000  # where illumos links unix`
SLOT = 0x1000  # bytes of address space for each function; an offset in it is the bytecode's


@dataclass(frozen=True, slots=True)
class KernelFunction:
    """`address` is its entry; `arguments` the C types after the calling thread's."""

    name: str
    module: str
    arguments: tuple[str, ...]
    returns: str
    address: int


KFUNCTIONS: dict[str, KernelFunction] = {}  # filled while modules load, constant afterwards
CODES: dict[CodeType, KernelFunction] = {}


def kfunction(name: str, *arguments: str, returns: str = "int", module: str = "genunix") -> Callable[[F], F]:
    """Give the decorated function a name, an address, and entry and return points.

    An integer argument is told as itself; of an object, its `address` attribute (0 without one).
    """

    def decorate(function: F) -> F:
        described = KFUNCTIONS.get(name)
        if described is None:
            described = KernelFunction(name, module, arguments, returns, TEXT_BASE + SLOT * len(KFUNCTIONS))
            KFUNCTIONS[name] = described
        CODES[function.__code__] = described

        @functools.wraps(function)
        def traced(thread: Any, *values: Any, **named: Any) -> Any:
            observe = thread.kernel.hooks.function
            if observe is None:
                return function(thread, *values, **named)
            return observe(described, function, thread, values, named)

        return traced  # type: ignore[return-value]

    return decorate
