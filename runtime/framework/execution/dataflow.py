"""What the translator must know of a DIF object before it writes a line of Python.

DIF branches forwards only, so one pass from the last instruction to the first
settles everything.
"""

from __future__ import annotations

from collections.abc import Sequence

from dif import isa
from dif.isa import Fields, Format, Op

_READS: dict[str, tuple[str, ...]] = {
    Format.R1_R2_RD: ("r1", "r2"),
    Format.R1_RD: ("r1",),
    Format.R1_R2: ("r1", "r2"),
    Format.R1: ("r1",),
    Format.LOAD: ("r1",),
    Format.STORE: ("r1",),
    Format.RD: ("rd",),
    Format.VAR_ARRAY: ("r2",),
    Format.VAR_STORE: ("rd",),
    Format.PUSH: ("r2", "rd"),
    Format.CALL: ("rd",),  # a call may leave it as it is
}
_WRITES = frozenset({Format.R1_R2_RD, Format.R1_RD, Format.LOAD, Format.INTEGER, Format.STRING,
                     Format.VAR_ARRAY, Format.VAR_LOAD, Format.CALL})


def reads(fields: Fields) -> tuple[int, ...]:
    """Registers whose values the instruction uses."""
    row = isa.OPCODES[fields.op]
    used = tuple(getattr(fields, name) for name in _READS.get(row.format, ()))
    return (*used, fields.rd) if row.address_in_rd else used


def writes(fields: Fields) -> int | None:
    """The register that the instruction sets, if any."""
    row = isa.OPCODES[fields.op]
    return fields.rd if row.format in _WRITES and not row.address_in_rd else None


def is_branch(fields: Fields) -> bool:
    """Whether it goes to a label, always or sometimes."""
    return isa.OPCODES[fields.op].format == Format.LABEL


def successors(text: Sequence[Fields], pc: int) -> tuple[int, ...]:
    """Instructions that may follow; len(text) is the end."""
    fields = text[pc]
    if fields.op == Op.RET:
        return (len(text),)
    if fields.op == Op.BA:
        return (fields.label,)
    return (pc + 1, fields.label) if is_branch(fields) else (pc + 1,)


class Flow:
    """What is known at each instruction.

    `live[pc]` has a bit for each register that is read from `pc` on before it is written; `join[pc]` is the
    instruction at which all ways from `pc` meet again; `targets` are those to which branches lead.
    """

    def __init__(self, text: Sequence[Fields]) -> None:
        length = len(text)
        self.live = [0] * (length + 1)
        self.join = [length] * (length + 1)
        self.targets = {fields.label for fields in text if is_branch(fields)}
        depth = [0] * (length + 1)
        for pc in range(length - 1, -1, -1):
            after = successors(text, pc)
            live = 0
            for follower in after:
                live |= self.live[follower]
            written = writes(text[pc])
            if written is not None:
                live &= ~(1 << written)
            for register in reads(text[pc]):
                live |= 1 << register
            self.live[pc] = live
            self.join[pc] = self._meet(after, depth)
            depth[pc] = depth[self.join[pc]] + 1

    def _meet(self, after: tuple[int, ...], depth: list[int]) -> int:
        first = after[0]
        for other in after[1:]:
            while first != other:
                if depth[first] >= depth[other]:
                    first = self.join[first]
                else:
                    other = self.join[other]
        return first
