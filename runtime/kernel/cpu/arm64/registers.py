"""The registers of an AArch64 processor: copies of the engine's, its own ones, or as they were saved."""

from __future__ import annotations

import ctypes

from dif.limits import MASK

X0, X1, X2, X8, X29, X30, SP, PC, PSTATE = 0, 1, 2, 8, 29, 30, 31, 32, 33
SIGN, UPPER = 1 << 55, 0xFF << 56  # of an address: whose it is; what does not count in a program's
ZERO = 31  # where an instruction's register field means the zero register
N, Z, C, V = 1 << 31, 1 << 30, 1 << 29, 1 << 28  # of PSTATE
FLAGS = N | Z | C | V
BRANCH_TYPE = 3 << 10  # of PSTATE: how the last branch was made; processors that do not check that have none
STEP = 1 << 21  # of PSTATE: while instructions are executed one by one, the next one is to be executed
_ORIGINAL, _COUNT = 34, 35
# of the engine's own
_ENGINE_ORIGINAL, _CARRY_OVERFLOW, _NEGATIVE_ZERO, _ENGINE_COUNT = 36, 57, 58, 59


def untagged(address: int) -> int:
    """Return an address without the upper byte, which in a program's is the program's own."""
    return address | UPPER if address & SIGN else address & ~UPPER


class Registers(ctypes.c_uint64 * _COUNT):  # type: ignore[misc]  # mypy knows no bases that are computed
    """X0-X30, SP and PC by number; values are unsigned."""

    @property
    def flags(self) -> int:
        """The condition flags, as PSTATE has them: N | Z | C | V."""
        return int(self[PSTATE] & FLAGS)

    @flags.setter
    def flags(self, value: int) -> None:
        self[PSTATE] = self[PSTATE] & ~FLAGS | value & FLAGS

    @property
    def steps(self) -> bool:
        """Whether the next instruction is to be executed where an engine stops after each one."""
        return bool(self[PSTATE] & STEP)

    @steps.setter
    def steps(self, value: bool) -> None:
        self[PSTATE] = self[PSTATE] & ~STEP | (STEP if value else 0)

    @property
    def original(self) -> int:
        """X0 as the last system call found it."""
        return int(self[_ORIGINAL])

    @original.setter
    def original(self, value: int) -> None:
        self[_ORIGINAL] = value

    def x(self, number: int) -> int:
        """A general register by the number in an instruction, of which 31 is the zero register."""
        return 0 if number == ZERO else int(self[number])

    def set_x(self, number: int, value: int) -> None:
        if number != ZERO:
            self[number] = value & MASK


class EngineRegisters(Registers):
    """The same as the engine keeps them: the beginning of `struct CPUARMState` of QEMU's target/arm/cpu.h.

    That is in the host's byte order: X0-X30, the stack pointer and the program counter side by side, then
    PSTATE without the condition flags, each of which has its own word.  X0 as a system call found it has the
    place of a banked register of AArch32.
    """

    _length_ = _ENGINE_COUNT

    @property
    def flags(self) -> int:
        first, second = self[_CARRY_OVERFLOW], self[_NEGATIVE_ZERO]
        return (int(first & 1) << 29 | int(first >> 63) << 28 | int(second & N)
                | (0 if second >> 32 else Z))

    @flags.setter
    def flags(self, value: int) -> None:
        self[_CARRY_OVERFLOW] = value >> 29 & 1 | (value >> 28 & 1) << 63
        self[_NEGATIVE_ZERO] = value & N | (0 if value & Z else 1) << 32

    @property
    def original(self) -> int:
        return int(self[_ENGINE_ORIGINAL])

    @original.setter
    def original(self, value: int) -> None:
        self[_ENGINE_ORIGINAL] = value
