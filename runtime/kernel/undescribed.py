"""Callers of code that no call frame information describes: linkage stubs, start-up code, what a
program has generated.

Such code is followed forward from where it is, as the processor would execute it but for what only
data could tell, until it returns; where the stack pointer is then, the return address lies.  Every
value that is not certain counts as unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import capstone
from capstone import x86

from runtime.kernel.cfi import Read
from runtime.kernel.memory import MemoryFault

LONGEST = 15  # bytes of an instruction
MOST = 400  # instructions that are followed
PUSHED = 2  # words that a stub leaves on the stack for whom it jumps to
LONGEST_CALL = 7  # bytes of a call through memory
CALL = 0xE8
# registers by DWARF number (AMD64 ABI 3.6.2, i386 ABI 2.4.2), and which of them calls may change
NAMES = {64: ("rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", *(f"r{n}" for n in range(8, 16))),
         32: ("eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi")}
CHANGED = {64: (0, 1, 2, 4, 5, 8, 9, 10, 11), 32: (0, 1, 2)}
STACK_POINTER, FRAME_POINTER = {64: 7, 32: 4}, {64: 6, 32: 5}
JUMPS = {x86.X86_INS_JMP, x86.X86_INS_LJMP}
ENDS = {x86.X86_INS_UD2, x86.X86_INS_HLT, x86.X86_INS_INT3}


class _State:
    """Registers by DWARF number, those that are known, and what has been pushed."""

    def __init__(self, registers: dict[int, int], memory: dict[int, int | None]) -> None:
        self.registers = registers
        self.memory = memory

    def copy(self) -> _State:
        return _State(dict(self.registers), dict(self.memory))


class Follower:
    """Follows the code of one program; `read` reads its memory and raises MemoryFault."""

    def __init__(self, read: Read, bits: int) -> None:
        self.read = read
        self.word = bits // 8
        self.mask = (1 << bits) - 1
        self.sp, self.fp = STACK_POINTER[bits], FRAME_POINTER[bits]
        self._changed = CHANGED[bits]
        self._decoder = capstone.Cs(capstone.CS_ARCH_X86,
                                    capstone.CS_MODE_64 if bits == 64 else capstone.CS_MODE_32)
        self._decoder.detail = True
        self._numbers = {name: number for number, name in enumerate(NAMES[bits])}

    def caller(self, pc: int, registers: dict[int, int]) -> tuple[int, dict[int, int]] | None:
        """Return address and registers of the caller of the code at `pc`; None if it is not to be found."""
        todo, seen = [(pc, _State(dict(registers), {}))], set()
        for _ in range(MOST):
            if not todo:
                return None
            at, state = todo.pop()
            if at in seen:
                continue
            seen.add(at)
            instruction = self._decode(at)
            if instruction is None or instruction.id in ENDS:
                continue
            slot = self._leaves(instruction, state)
            if slot is not None:
                found = self._returned(slot, state)
                if found is not None:
                    return found
                continue
            todo += [(where, state.copy()) for where in self._next(instruction, state)]
        return None

    def _decode(self, address: int) -> Any:
        try:
            code = self.read(address, LONGEST)
        except MemoryFault:
            try:
                code = self.read(address, -address % 4096)  # up to the end of the page
            except MemoryFault:
                return None
        return next(self._decoder.disasm(code, address, 1), None)

    # -- where it ends -----------------------------------------------------------------------------

    def _leaves(self, instruction: Any, state: _State) -> list[int] | None:
        """Where the return address may lie, if the instruction leaves the function; None if it stays."""
        sp = state.registers.get(self.sp)
        if instruction.id == x86.X86_INS_RET:
            return [] if sp is None else [sp]
        if instruction.id in JUMPS and instruction.operands[0].type != x86.X86_OP_IMM:
            return [] if sp is None else [sp + self.word * index for index in range(PUSHED + 1)]
        return None

    def _returned(self, slots: list[int], state: _State) -> tuple[int, dict[int, int]] | None:
        for slot in slots:
            try:
                address = int.from_bytes(self.read(slot, self.word), "little")
            except MemoryFault:
                return None
            if self.follows_call(address):
                state.registers[self.sp] = slot + self.word
                return address, state.registers
        return None

    def follows_call(self, address: int) -> bool:
        """Whether the instruction before `address` may be a call."""
        try:
            code = self.read(address - LONGEST_CALL, LONGEST_CALL)
        except MemoryFault:
            return False
        if code[-5] == CALL:
            return True
        return any(code[-size] == 0xFF and code[1 - size] & 0x38 == 0x10 for size in (2, 3, 4, 6, 7))

    # -- from instruction to instruction -----------------------------------------------------------

    def _next(self, instruction: Any, state: _State) -> Iterable[int]:
        """Executes it; where control goes, the last to be followed first."""
        following = instruction.address + instruction.size
        if instruction.group(capstone.CS_GRP_CALL):
            for number in self._changed:
                state.registers.pop(number, None)
            return [following]
        if instruction.group(capstone.CS_GRP_JUMP):
            target = instruction.operands[0].imm & self.mask
            return [target] if instruction.id in JUMPS else [target, following]
        handler = _HANDLERS.get(instruction.id)
        if handler is None or not handler(self, instruction, state):
            for register in instruction.regs_access()[1]:
                number = self._number(register)
                if number is not None:
                    state.registers.pop(number, None)
        return [following]

    def _number(self, register: int) -> int | None:
        """The number of a register, also of a part of it."""
        name = self._decoder.reg_name(register) or ""
        if name in self._numbers:
            return self._numbers[name]
        short = name.rstrip("dwb")
        if short in self._numbers:
            return self._numbers[short]
        prefix = "r" if self.word == 8 else "e"
        for whole in (prefix + name[1:] if name[:1] == "e" else prefix + name, f"{prefix}{name[:1]}x"):
            if whole in self._numbers:
                return self._numbers[whole]
        return None

    def _whole(self, operand: Any) -> int | None:
        """The number of a register that is used in its full width."""
        if operand.type != x86.X86_OP_REG:
            return None
        return self._numbers.get(self._decoder.reg_name(operand.reg))

    def address(self, operand: Any, state: _State, instruction: Any) -> int | None:
        """The address that a memory operand means, if it is known."""
        memory = operand.mem
        if memory.segment or memory.index:
            return None
        base = self._decoder.reg_name(memory.base) if memory.base else None
        if base is None:
            return int(memory.disp) & self.mask
        if base == "rip":
            return (instruction.address + instruction.size + memory.disp) & self.mask
        number = self._numbers.get(base)
        value = state.registers.get(number) if number is not None else None
        return None if value is None else (value + memory.disp) & self.mask

    def value(self, operand: Any, state: _State, instruction: Any) -> int | None:
        """An operand's value, if it is known and of full width."""
        if operand.type == x86.X86_OP_IMM:
            return int(operand.imm) & self.mask
        if operand.type == x86.X86_OP_REG:
            number = self._whole(operand)
            return state.registers.get(number) if number is not None else None
        at = self.address(operand, state, instruction)
        return None if at is None or operand.size != self.word else self.load(at, state)

    def load(self, address: int, state: _State) -> int | None:
        if address in state.memory:
            return state.memory[address]
        try:
            return int.from_bytes(self.read(address, self.word), "little")
        except MemoryFault:
            return None

    def assign(self, number: int, value: int | None, state: _State) -> None:
        if value is None:
            state.registers.pop(number, None)
        else:
            state.registers[number] = value & self.mask

    # -- instructions that move the stack pointer; each says whether it has done all ---------------

    def push(self, instruction: Any, state: _State) -> bool:
        top = state.registers.get(self.sp)
        if top is not None:
            top -= self.word
            state.memory[top] = self.value(instruction.operands[0], state, instruction)
            state.registers[self.sp] = top
        return True

    def pop(self, instruction: Any, state: _State) -> bool:
        top = state.registers.get(self.sp)
        if top is None:
            return False
        number = self._whole(instruction.operands[0])
        state.registers[self.sp] = top + self.word
        if number is not None:
            self.assign(number, self.load(top, state), state)
        return True

    def leave(self, _instruction: Any, state: _State) -> bool:
        frame = state.registers.get(self.fp)
        self.assign(self.sp, None if frame is None else frame + self.word, state)
        self.assign(self.fp, None if frame is None else self.load(frame, state), state)
        return True

    def move(self, instruction: Any, state: _State) -> bool:
        to, source = instruction.operands
        number = self._whole(to)
        if number is None:
            if to.type == x86.X86_OP_MEM:
                at = self.address(to, state, instruction)
                if at is not None:
                    state.memory[at] = self.value(source, state, instruction)
            return to.type == x86.X86_OP_MEM
        self.assign(number, self.value(source, state, instruction), state)
        return True

    def load_address(self, instruction: Any, state: _State) -> bool:
        number = self._whole(instruction.operands[0])
        if number is None:
            return False
        self.assign(number, self.address(instruction.operands[1], state, instruction), state)
        return True

    def calculate(self, instruction: Any, state: _State) -> bool:
        number = self._whole(instruction.operands[0])
        if number is None:
            return False
        left, right = (self.value(each, state, instruction) for each in instruction.operands)
        known = left is not None and right is not None
        self.assign(number, _ARITHMETIC[instruction.id](left, right) if known else None, state)
        return True


_ARITHMETIC: dict[int, Callable[[Any, Any], int]] = {
    x86.X86_INS_ADD: lambda left, right: left + right,
    x86.X86_INS_SUB: lambda left, right: left - right,
    x86.X86_INS_AND: lambda left, right: left & right,
}
_HANDLERS: dict[int, Callable[[Follower, Any, _State], bool]] = {
    x86.X86_INS_PUSH: Follower.push,
    x86.X86_INS_POP: Follower.pop,
    x86.X86_INS_LEAVE: Follower.leave,
    x86.X86_INS_MOV: Follower.move,
    x86.X86_INS_LEA: Follower.load_address,
    **dict.fromkeys(_ARITHMETIC, Follower.calculate),
}
