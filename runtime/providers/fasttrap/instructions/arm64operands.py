"""Arguments of stapsdt notes on AArch64, `-4@w1 8@[sp, 16] 8@5`, as the GNU assembler writes them."""

from __future__ import annotations

import re

from dif.arithmetic import MASK
from runtime.kernel.cpu.arm64.registers import SP, X30
from runtime.providers.fasttrap.instructions.operands import OperandError, Read, extension

_ARM64 = re.compile(r"([xw])(\d\d?)|(xzr|wzr)|#?(-?(?:0x[0-9a-f]+|\d+))"
                    r"|\[(?:x(\d\d?)|(sp))(?:, *#?(-?\d+))?\]", re.IGNORECASE)


def reader(size: int, operand: str) -> Read:
    """How to read one argument at a site of an AArch64 program.  Raises OperandError for an unknown form."""
    if size == 0:
        return lambda thread, regs: 0
    extend, width = extension(size), abs(size)
    found = _ARM64.fullmatch(operand)
    if found is None or max(int(found[2] or 0), int(found[5] or 0)) > X30:
        raise OperandError(f"operand {operand}")
    if found[1]:
        number = int(found[2])
        return lambda thread, regs: extend(regs[number])
    if found[5] or found[6]:
        base, offset = SP if found[6] else int(found[5]), int(found[7] or 0)
        return lambda thread, regs: extend(
            int.from_bytes(thread.read(regs[base] + offset & MASK, width), "little"))
    value = extend(0 if found[3] else int(found[4], 0))
    return lambda thread, regs: value
