"""A DIF object ready to run: decoded once, its string table at an address."""

from __future__ import annotations

from dif import isa
from dif.difo import Difo
from dif.isa import Op

# By number: copyout and copyoutstr have the same on every target.
_DESTRUCTIVE = frozenset(number for row in isa.SUBROUTINES if row.destructive
                         for number in row.numbers.values())
_DYNAMIC_STORES = frozenset({Op.STTS, Op.STGAA, Op.STTAA})


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
