"""A DIF object ready to run: decoded once, its string table at an address."""

from __future__ import annotations

from dif import isa
from dif.arithmetic import SIGN
from dif.difo import Difo
from dif.isa import Fields, Op
from dof.options import STRSIZE_DEFAULT
from runtime.framework.firing.dynamicvariables import chunk_size

# By number: copyout and copyoutstr have the same on every target.
_DESTRUCTIVE = frozenset(number for row in isa.SUBROUTINES if row.destructive
                         for number in row.numbers.values())
_SUBROUTINES = {row.name: row.numbers for row in isa.SUBROUTINES}
_DYNAMIC_STORES = frozenset(row.code for row in isa.OPCODES.values()
                            if row.dynamic and row.format == isa.Format.VAR_STORE)


class Code:
    """`text` is the decoded instructions, `strings` the address of the string table.

    `may_drop` tells whether it stores dynamic variables, `destructive` whether
    it writes to user memory, `constant` the value of an object that only sets
    and returns an integer.
    """

    __slots__ = ("constant", "destructive", "difo", "integers", "may_drop", "strings", "text")

    def __init__(self, difo: Difo, strings: int) -> None:
        self.difo = difo
        self.text = [isa.decode(word) for word in difo.text]
        self.integers = difo.inttab
        self.strings = strings
        self.may_drop = any(fields.op in _DYNAMIC_STORES for fields in self.text)
        self.destructive = any(fields.op == Op.CALL and fields.imm in _DESTRUCTIVE for fields in self.text)
        self.constant: int | None = None
        if len(self.text) == 2:
            first, last = self.text
            if first.op == Op.SETX and last.op == Op.RET and first.rd == last.rd:
                self.constant = difo.inttab[first.imm]

    def calls(self, name: str, target: str) -> bool:
        """Whether it calls a subroutine, by the numbers of a target."""
        number = _SUBROUTINES[name].get(target)
        return any(fields.op == Op.CALL and fields.imm == number for fields in self.text)

    def chunk(self) -> int:
        """The chunk size that its largest dynamic variable needs, as far as the text tells; 0: it has none.

        A setx before its push tells the size of a by-reference tuple member.  As in a kernel
        (dtrace_difo_chunksize), nothing counts from the first member on whose size is not told, or is more
        than any memory.
        """
        largest = 0
        stack: list[int] = []
        constant: int | None = None
        for fields in self.text:
            op, previous, constant = fields.op, constant, None
            if op == Op.SETX:
                constant = self.integers[fields.imm]
            elif op in (Op.PUSHTR, Op.PUSHTV):
                size = 0 if op == Op.PUSHTV else _pushed(fields, previous)
                if size is None or len(stack) == isa.NTUPLE:
                    return largest
                stack.append(size)
            elif op == Op.POPTS and stack:
                stack.pop()
            elif op == Op.FLUSHTS:
                stack = []
            elif op in _DYNAMIC_STORES:
                size = self._chunk_of(fields, [] if op == Op.STTS else stack)
                if size is None:
                    return largest
                largest = max(largest, size)
        return largest

    def _chunk_of(self, store: Fields, members: list[int]) -> int | None:
        """The chunk size of the variable that an instruction stores to; `members` are its tuple's sizes.

        None for one that is not declared, and for one that no memory could hold.
        """
        scope = isa.SCOPE_GLOBAL if store.op == Op.STGAA else isa.SCOPE_THREAD
        nkeys = len(members) + (1 if store.op == Op.STGAA else 2)
        for variable in self.difo.vartab:
            if variable.id == store.imm and variable.scope == scope:
                size = chunk_size(nkeys, sum((size + 7) & ~7 for size in members), variable.type.size)
                return size if size < SIGN else None
        return None


def _pushed(push: Fields, size: int | None) -> int | None:
    """The bytes of a by-reference tuple member whose size register has been set to `size`, or to none."""
    if push.r1 == isa.TYPE_STRING and not size:
        return STRSIZE_DEFAULT
    return size if size is not None and size < SIGN else None
