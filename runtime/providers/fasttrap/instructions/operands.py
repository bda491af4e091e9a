"""Arguments of stapsdt notes: `-4@%edi 8@-80(%rbx) 8@$5 8@counter(%rip) 8f@%xmm0` (SystemTap's wiki).

Each is SIZE@OPERAND, the operand as the GNU assembler writes it; a negative
size means signed, a trailing `f` floating point.  Of such a number the value is its bits; a long double
becomes a double first.  arm64operands.py reads those of AArch64.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, MutableSequence
from typing import TYPE_CHECKING

from dif.arithmetic import MASK
from runtime.kernel.cpu.x86.engine import RAX, RBP, RBX, RCX, RDI, RDX, REG_XMM0, RSI, RSP, Engine

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread

Registers = MutableSequence[int]  # by the numbers of runtime.kernel.cpu.x86.engine, cpu.arm64.registers
Read = Callable[["Thread", Registers], int]

_ARGUMENT = re.compile(r"(-?\d+)(f?)@(\S+(?:,\s*\S+)*?)(?=\s+-?\d+f?@|\s*$)")
_VECTOR = re.compile(r"%[xy]mm(\d|1[0-5])")
_LONG_DOUBLES = frozenset((12, 16))  # bytes that x87's 10 take
_CONSTANT = re.compile(r"\$(-?(?:0x[0-9a-f]+|\d+))", re.IGNORECASE)
_MEMORY = re.compile(r"(?P<symbol>[A-Za-z_.$][\w.$@]*)?(?P<offset>[+-]?(?:0x[0-9a-f]+|\d+))*"
                     r"(?:\((?P<base>%\w+)?(?:,\s*(?P<index>%\w+))?(?:,\s*(?P<scale>[1248]))?\))?")
_NUMBERS = re.compile(r"[+-]?(?:0x[0-9a-f]+|\d+)", re.IGNORECASE)


def _registers() -> dict[str, tuple[int, int]]:
    """Name: number, and bits to shift right."""
    table: dict[str, tuple[int, int]] = {}
    for number, name in ((RAX, "a"), (RBX, "b"), (RCX, "c"), (RDX, "d")):
        table |= dict.fromkeys((f"r{name}x", f"e{name}x", f"{name}x", f"{name}l"), (number, 0))
        table[f"{name}h"] = number, 8
    for number, name in ((RSI, "si"), (RDI, "di"), (RBP, "bp"), (RSP, "sp")):
        table |= dict.fromkeys((f"r{name}", f"e{name}", name, f"{name}l"), (number, 0))
    for number in range(8, 16):
        table |= dict.fromkeys((f"r{number}{suffix}" for suffix in ("", "d", "w", "b")), (number, 0))
    return table


REGISTERS = _registers()


class OperandError(ValueError):
    """An argument that cannot be read."""


def split(arguments: str) -> list[tuple[int, str]]:
    """(size, operand) of each argument; the bits of floating-point numbers have no sign."""
    return [(abs(int(match[1])) if match[2] else int(match[1]), match[3].strip())
            for match in _ARGUMENT.finditer(arguments)]


def reader(size: int, operand: str, bias: int, bits: int, symbol: Callable[[str], int | None]) -> Read:
    """How to read one argument at the site.

    `bias` is what to add to the file's addresses; `symbol(name)` the address
    of a symbol in the file.  Raises OperandError for an unknown form.
    """
    extend, width = extension(size), abs(size)
    constant = _CONSTANT.fullmatch(operand)
    if constant:
        value = extend(int(constant[1], 0))
        return lambda thread, regs: value
    in_vector = _VECTOR.fullmatch(operand)
    if in_vector:
        register = int(in_vector[1])
        return lambda thread, regs: extend(vector(thread, register))
    if operand.startswith("%"):
        known = REGISTERS.get(operand[1:])
        if known is None:
            raise OperandError(f"register {operand} of {size} bytes")
        number, shift = known
        return lambda thread, regs: extend(regs[number] >> shift)
    effective = _address(operand, bias, bits, symbol)
    return lambda thread, regs: extend(int.from_bytes(thread.read(effective(regs), width), "little"))


def vector(thread: Thread, number: int) -> int:
    """Return a vector register of a thread, which is loaded."""
    engine = thread.process.processor.engine
    assert isinstance(engine, Engine)
    return engine.read_register(REG_XMM0 + number, 16)


def extension(size: int) -> Callable[[int], int]:
    """To 64 bits, as the argument's type asks.  Raises OperandError for a size that none has."""
    if size in _LONG_DOUBLES:
        return lambda value: double(value >> 79 & 1, value >> 64 & 0x7FFF, value & MASK, 63)
    if abs(size) not in (1, 2, 4, 8):
        raise OperandError(f"an argument of {size} bytes")
    width = abs(size) * 8
    mask = (1 << width) - 1
    if size > 0:
        return lambda value: value & mask
    top = 1 << (width - 1)
    return lambda value: ((value & mask ^ top) - top) & MASK


def double(sign: int, exponent: int, significand: int, point: int) -> int:
    """The bits of the double that is nearest to a wider number.

    Its exponent has 15 bits, as x87 and IEEE 754's binary128 have it; `point` bits of the significand lie
    behind the point.
    """
    if exponent == 0x7FFF:
        value = math.nan if significand & (1 << point) - 1 else math.inf
    else:
        try:
            value = math.ldexp(significand, max(exponent, 1) - 0x3FFF - point)
        except OverflowError:
            value = math.inf
    return int.from_bytes(struct.pack("<d", -value if sign else value), "little")


def _address(operand: str, bias: int, bits: int,
             symbol: Callable[[str], int | None]) -> Callable[[Registers], int]:
    match = _MEMORY.fullmatch(operand)
    if match is None or not operand:
        raise OperandError(f"operand {operand}")
    before = operand.split("(", 1)[0]
    constant = 0
    if match["symbol"]:
        address = symbol(match["symbol"])
        if address is None:
            raise OperandError(f"symbol {match['symbol']}")
        constant = address + bias
        before = before[len(match["symbol"]):]
    constant += sum(int(number, 0) for number in _NUMBERS.findall(before))
    base, index = _number(match["base"]), _number(match["index"])
    scale, mask = int(match["scale"] or 1), (1 << bits) - 1
    if match["base"] == "%rip" and not match["symbol"]:
        raise OperandError(f"operand {operand}")

    def effective(regs: Registers) -> int:
        value = constant
        if base is not None:
            value += regs[base]
        if index is not None:
            value += regs[index] * scale
        return int(value) & mask
    return effective


def _number(name: str | None) -> int | None:
    if not name or name in ("%rip", "%eip"):
        return None
    known = REGISTERS.get(name[1:])
    if known is None:
        raise OperandError(f"register {name}")
    return known[0]
