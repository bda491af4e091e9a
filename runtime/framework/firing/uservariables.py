"""Globals and clause-locals of a tracing state.

By-value variables are integers in lists, indexed by id - 0x500; by-reference
ones lie in the STATICS arena, each behind 8 bytes of its own, and the list
holds the address of the data, or 0 while the variable is NULL.
"""

from __future__ import annotations

from bisect import bisect_right

from dif import isa
from dif.difo import DifVar
from runtime.framework.firing.memory import OFFSET_MASK, STATICS, base

_HEADER = 8


class UserVariables:
    """`known` is every definition so far by (scope, id); `globals[n]`, `locals[cpu][n]` values."""

    def __init__(self, ncpus: int) -> None:
        self.known: dict[tuple[int, int], DifVar] = {}
        self.globals: list[int] = []
        self.locals: list[list[int]] = [[] for _ in range(ncpus)]
        self.global_data: dict[int, int] = {}  # index → address of a by-reference global's data
        self.local_data: list[dict[int, int]] = [{} for _ in range(ncpus)]
        self.storage = bytearray()
        self._starts: list[int] = []
        self._ends: list[int] = []

    def define(self, variable: DifVar) -> None:
        """Enter a validated definition of a user variable; its first definition counts."""
        key = (variable.scope, variable.id)
        if variable.id < isa.VAR_OTHER_UBASE or key in self.known:
            return
        self.known[key] = variable
        index = variable.id - isa.VAR_OTHER_UBASE
        if variable.scope == isa.SCOPE_THREAD:
            return
        if variable.scope == isa.SCOPE_GLOBAL:
            self._place(variable, index, self.globals, self.global_data)
        else:
            for values, data in zip(self.locals, self.local_data, strict=True):
                self._place(variable, index, values, data)

    def _place(self, variable: DifVar, index: int, values: list[int], data: dict[int, int]) -> None:
        if len(values) <= index:
            values.extend([0] * (index + 1 - len(values)))
        if not variable.type.flags & isa.TF_BYREF or variable.kind == isa.KIND_ARRAY:
            return
        start = len(self.storage)
        size = (variable.type.size + _HEADER + 7) & ~7
        self.storage += bytes(size)
        self._starts.append(start)
        self._ends.append(start + _HEADER + variable.type.size)
        values[index] = data[index] = base(STATICS) + start + _HEADER

    def reference(self, scope: int, number: int) -> DifVar:
        """The definition of user variable `number` (id 0x500 and up).

        A number that no object has defined, though a higher one is, is a
        by-value variable: only the highest number is checked beforehand.
        """
        return self.known.get((scope, number)) or DifVar("", number, scope=scope)

    def writable(self, address: int, size: int) -> bool:
        """Whether the range lies within one by-reference variable."""
        at = address & OFFSET_MASK
        slot = bisect_right(self._starts, at) - 1
        return slot >= 0 and at + size <= self._ends[slot]
