"""Arguments of stapsdt notes on AArch64, `-4@w1 8@[sp, 16] 8@5 8f@d0`, as the GNU assembler writes them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dif.arithmetic import MASK
from runtime.kernel.cpu.arm64.engine import REG_Q0, ArmEngine
from runtime.kernel.cpu.arm64.registers import SP, X30
from runtime.providers.fasttrap.instructions.operands import OperandError, Read, double, extension

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

_QUAD = 16  # bytes of a long double, IEEE 754's binary128
_VECTOR = re.compile(r"[bhsdqv]([12]?\d|3[01])", re.IGNORECASE)
_ARM64 = re.compile(r"([xw])(\d\d?)|(xzr|wzr)|#?(-?(?:0x[0-9a-f]+|\d+))"
                    r"|\[(?:x(\d\d?)|(sp))(?:, *#?(-?\d+))?\]", re.IGNORECASE)


def reader(size: int, operand: str) -> Read:
    """How to read one argument at a site of an AArch64 program.  Raises OperandError for an unknown form."""
    extend, width = _quad if size == _QUAD else extension(size), abs(size)
    in_vector = _VECTOR.fullmatch(operand)
    if in_vector:
        register = int(in_vector[1])
        return lambda thread, regs: extend(vector(thread, register))
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


def vector(thread: Thread, number: int) -> int:
    """Return a vector register of a thread, which is loaded."""
    engine = thread.process.processor.engine
    assert isinstance(engine, ArmEngine)
    return engine.read_register(REG_Q0 + number, 16)


def _quad(value: int) -> int:
    exponent, fraction = value >> 112 & 0x7FFF, value & (1 << 112) - 1
    return double(value >> 127, exponent, fraction | bool(exponent) << 112, 112)
