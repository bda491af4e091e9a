"""Callers of code without call frame information: linkage stubs, start-up code, generated code.

Such code is followed forward from the program counter, as the processor would execute it, until it returns.
Where the stack pointer is then, the return address lies.  A value that depends on unknown data is unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from enum import Enum

import capstone
from capstone import CsInsn, x86
from capstone.x86 import X86Op

from dif.records import NamedTuple
from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.cpu.callframes import Read
from runtime.kernel.cpu.x86.sigframe import RETURN_32, RETURN_32_INFO
from runtime.kernel.memory.physical import PAGE

LONGEST = 15  # bytes of an instruction
MOST = 400  # instructions that are followed
PUSHED = 2  # words that a stub leaves on the stack for the code to which it jumps
LONGEST_CALL = 7  # bytes of a call through memory
CALL = 0xE8
# where signal handlers return to: a call of rt_sigreturn (amd64), and calls of i386
RETURN = b"\x48\xc7\xc0\x0f\0\0\0\x0f\x05"  # amd64: mov rax, 0xf; syscall
TRAMPOLINES = (RETURN, RETURN_32, RETURN_32_INFO)
# registers by DWARF number (AMD64 ABI 3.6.2, i386 ABI 2.4.2), and which of them calls may change
NAMES = {64: ("rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", *(f"r{n}" for n in range(8, 16))),
         32: ("eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi")}
CHANGED = {64: (0, 1, 2, 4, 5, 8, 9, 10, 11), 32: (0, 1, 2)}
STACK_POINTER, FRAME_POINTER = {64: 7, 32: 4}, {64: 6, 32: 5}
ENDS = {x86.X86_INS_UD2, x86.X86_INS_HLT, x86.X86_INS_INT3}
MARK = b"\xf3\x0f\x1e\xfa"  # amd64: endbr64
MARK_32 = b"\xf3\x0f\x1e\xfb"  # i386: endbr32
MARKS = (MARK, MARK_32)
PUSH_FRAME = b"\x55"  # amd64: push rbp
SET_FRAME = b"\x48\x89\xe5"  # amd64: mov rbp, rsp
SET_FRAME_32 = b"\x89\xe5"  # i386: mov ebp, esp
PROLOGUE = {PUSH_FRAME: 0, SET_FRAME: 1, SET_FRAME_32: 1}  # words already pushed
ARITHMETIC: dict[int, Callable[[int, int], int]] = {
    x86.X86_INS_ADD: int.__add__, x86.X86_INS_SUB: int.__sub__, x86.X86_INS_AND: int.__and__}


class Flow(Enum):
    """How control leaves an instruction."""

    ON = "to the next"
    JUMP = "elsewhere"
    BRANCH = "elsewhere or to the next"
    RETURN = "to the caller"
    LEAP = "to an unknown place"
    END = "nowhere"


class _State:
    """Registers by DWARF number, those that are known, and words that have been stored."""

    def __init__(self, registers: dict[int, int], stored: dict[int, int | None]) -> None:
        self.registers = registers
        self.stored = stored

    def copy(self) -> _State:
        return _State(dict(self.registers), dict(self.stored))


Value = Callable[[_State], int | None]


class _Step(NamedTuple):
    """An instruction as far as it matters: its bytes, what it does to a state, and where it leads."""

    code: bytes
    run: Callable[[_State], None] | None
    flow: Flow
    target: int = 0


class Follower:
    """Follows the code of one program; `read` reads its memory and raises MemoryFault."""

    def __init__(self, read: Read, bits: int) -> None:
        self._read = read
        self._word = bits // 8
        self._mask = (1 << bits) - 1
        self._sp, self._fp = STACK_POINTER[bits], FRAME_POINTER[bits]
        self._changed = CHANGED[bits]
        self._decoder = capstone.Cs(capstone.CS_ARCH_X86,
                                    capstone.CS_MODE_64 if bits == 64 else capstone.CS_MODE_32)
        self._decoder.detail = True
        self._numbers = {name: number for number, name in enumerate(NAMES[bits])}
        self._steps: dict[int, _Step] = {}

    def caller(self, pc: int, registers: dict[int, int]) -> tuple[int, dict[int, int]] | None:
        """Return address and registers of the caller of the code at `pc`; None if it cannot be found."""
        todo = [(pc, _State(dict(registers), {}))]
        seen: set[int] = set()
        while todo and len(seen) < MOST:
            at, state = todo.pop()
            step = self._step(at) if at not in seen else None
            if step is None:
                continue
            seen.add(at)
            if step.flow in (Flow.RETURN, Flow.LEAP):
                found = self._return(state, 0 if step.flow is Flow.RETURN else PUSHED)
                if found is not None:
                    return found
                continue
            if step.run is not None:
                step.run(state)
            if step.flow in (Flow.JUMP, Flow.BRANCH):
                todo.append((step.target, state))
            if step.flow in (Flow.ON, Flow.BRANCH):
                todo.append((at + len(step.code), state.copy() if step.flow is Flow.BRANCH else state))
        return self._at_entry(pc, registers)

    def _at_entry(self, pc: int, registers: dict[int, int]) -> tuple[int, dict[int, int]] | None:
        """A function that never returns has its return address on top while it is being entered."""
        step = self._step(pc)
        if step is not None and step.code in MARKS:
            step = self._step(pc + len(step.code))
        pushed = PROLOGUE.get(step.code) if step is not None else None
        if pushed is None:
            return None
        state = _State(dict(registers), {})
        self._set(self._sp, registers.get(self._sp, 0) + pushed * self._word, state)
        return self._return(state, 0)

    def _return(self, state: _State, beyond: int) -> tuple[int, dict[int, int]] | None:
        """Take the return address from the stack's top, or from up to `beyond` words under it."""
        top = state.registers.get(self._sp)
        for slot in range(top, top + (beyond + 1) * self._word, self._word) if top is not None else ():
            address = self._load(slot, {})
            if address is not None and self._may_be_returned_to(address):
                state.registers[self._sp] = slot + self._word
                return address, state.registers
        return None

    def _may_be_returned_to(self, address: int) -> bool:
        """Whether the instruction before `address` may be a call, or a signal handler returns there."""
        try:
            code = self._read(address - LONGEST_CALL, LONGEST_CALL)
            if code[-5] == CALL or any(code[-size] == 0xFF and code[1 - size] & 0x38 == 0x10
                                       for size in (2, 3, 4, 6, 7)):
                return True
            return self._read(address, LONGEST).startswith(TRAMPOLINES)
        except MemoryFault:
            return False

    def _load(self, address: int, stored: dict[int, int | None]) -> int | None:
        if address in stored:
            return stored[address]
        try:
            return int.from_bytes(self._read(address, self._word), "little")
        except MemoryFault:
            return None

    # -- instructions ------------------------------------------------------------------------------

    def _step(self, address: int) -> _Step | None:
        """Return the instruction at `address`; None if there is none."""
        code = b""
        with suppress(MemoryFault):
            code = self._read(address, min(LONGEST, PAGE - address % PAGE))
            if len(code) < LONGEST:
                code += self._read(address + len(code), LONGEST - len(code))
        known = self._steps.get(address)
        if known is None or not code.startswith(known.code):
            instruction = next(self._decoder.disasm(code, address, 1), None)
            if instruction is None:
                return None
            known = self._steps[address] = self._understand(instruction)
        return known

    def _understand(self, instruction: CsInsn) -> _Step:
        flow, code = self._flow(instruction), bytes(instruction.bytes)
        if flow is Flow.ON:
            return _Step(code, self._effect(instruction) or self._forgets(instruction), flow)
        target = instruction.operands[0].imm & self._mask if flow in (Flow.JUMP, Flow.BRANCH) else 0
        return _Step(code, None, flow, target)

    @staticmethod
    def _flow(instruction: CsInsn) -> Flow:
        if instruction.id == x86.X86_INS_RET:
            return Flow.RETURN
        if instruction.id in ENDS:
            return Flow.END
        if not instruction.group(capstone.CS_GRP_JUMP):
            return Flow.ON
        if instruction.operands[0].type != x86.X86_OP_IMM:
            return Flow.LEAP
        return Flow.JUMP if instruction.id == x86.X86_INS_JMP else Flow.BRANCH

    def _forgets(self, instruction: CsInsn) -> Callable[[_State], None]:
        """Return a step after which all that an instruction writes is unknown."""
        if instruction.group(capstone.CS_GRP_CALL):
            numbers = set(self._changed)
        else:
            numbers = {number for register in instruction.regs_access()[1]
                       if (number := self._containing(register)) is not None}

        def run(state: _State) -> None:
            for number in numbers:
                state.registers.pop(number, None)
        return run

    def _effect(self, instruction: CsInsn) -> Callable[[_State], None] | None:
        """Return what an instruction does that may move the stack pointer; None for any other."""
        kind, operands = instruction.id, instruction.operands
        if kind == x86.X86_INS_PUSH:
            return self._push(self._value(operands[0], instruction))
        if kind == x86.X86_INS_LEAVE:
            return self._leave
        to = self._register(operands[0]) if operands else None
        if to is None:
            return self._store(instruction) if kind == x86.X86_INS_MOV else None
        if kind == x86.X86_INS_POP:
            return self._pop(to)
        if kind == x86.X86_INS_MOV:
            return self._assign(to, self._value(operands[1], instruction))
        if kind == x86.X86_INS_LEA:
            return self._assign(to, self._address(operands[1], instruction))
        if kind in ARITHMETIC:
            return self._calculate(to, ARITHMETIC[kind], self._value(operands[1], instruction))
        return None

    # -- operands ----------------------------------------------------------------------------------

    def _register(self, operand: X86Op) -> int | None:
        """Return the number of a register that is used in its full width."""
        if operand.type != x86.X86_OP_REG:
            return None
        return self._numbers.get(self._decoder.reg_name(operand.reg))

    def _containing(self, register: int) -> int | None:
        """Return the number of the register that a name means all or a part of: eax, r8d, bpl."""
        name = self._decoder.reg_name(register) or ""
        prefix = "r" if self._word == 8 else "e"
        candidates = (name, name.rstrip("dwb"), prefix + name, prefix + name[1:], prefix + name[:-1],
                      f"{prefix}{name[:1]}x")
        return next((self._numbers[each] for each in candidates if each in self._numbers), None)

    def _address(self, operand: X86Op, instruction: CsInsn) -> Value:
        """Return the address that a memory operand means."""
        memory, mask = operand.mem, self._mask
        offset = int(memory.disp)
        base = self._decoder.reg_name(memory.base) if memory.base else None
        if memory.segment or memory.index:
            return lambda state: None
        if base in (None, "rip"):
            fixed = (offset + (instruction.address + instruction.size if base else 0)) & mask
            return lambda state: fixed
        number = self._numbers.get(base or "", -1)

        def address(state: _State) -> int | None:
            value = state.registers.get(number)
            return None if value is None else (value + offset) & mask
        return address

    def _value(self, operand: X86Op, instruction: CsInsn) -> Value:
        """Return an operand's value; unknown unless it is of full width."""
        if operand.type == x86.X86_OP_IMM:
            constant = int(operand.imm) & self._mask
            return lambda state: constant
        if operand.type == x86.X86_OP_REG:
            number = self._numbers.get(self._decoder.reg_name(operand.reg), -1)
            return lambda state: state.registers.get(number)
        if operand.size != self._word:
            return lambda state: None
        address = self._address(operand, instruction)

        def value(state: _State) -> int | None:
            at = address(state)
            return None if at is None else self._load(at, state.stored)
        return value

    # -- effects -----------------------------------------------------------------------------------

    def _set(self, number: int, value: int | None, state: _State) -> None:
        if value is None:
            state.registers.pop(number, None)
        else:
            state.registers[number] = value & self._mask

    def _assign(self, number: int, value: Value) -> Callable[[_State], None]:
        return lambda state: self._set(number, value(state), state)

    def _calculate(self, number: int, operation: Callable[[int, int], int],
                   value: Value) -> Callable[[_State], None]:
        def run(state: _State) -> None:
            left, right = state.registers.get(number), value(state)
            self._set(number, None if left is None or right is None else operation(left, right), state)
        return run

    def _store(self, instruction: CsInsn) -> Callable[[_State], None] | None:
        to, source = instruction.operands
        if to.type != x86.X86_OP_MEM or to.size != self._word:
            return None
        address, value = self._address(to, instruction), self._value(source, instruction)

        def run(state: _State) -> None:
            at = address(state)
            if at is not None:
                state.stored[at] = value(state)
        return run

    def _push(self, value: Value) -> Callable[[_State], None]:
        def run(state: _State) -> None:
            top = state.registers.get(self._sp)
            if top is not None:
                state.stored[top - self._word] = value(state)
                state.registers[self._sp] = top - self._word
        return run

    def _pop(self, number: int) -> Callable[[_State], None]:
        def run(state: _State) -> None:
            top = state.registers.get(self._sp)
            self._set(self._sp, None if top is None else top + self._word, state)
            self._set(number, None if top is None else self._load(top, state.stored), state)
        return run

    def _leave(self, state: _State) -> None:
        frame = state.registers.get(self._fp)
        self._set(self._sp, None if frame is None else frame + self._word, state)
        self._set(self._fp, None if frame is None else self._load(frame, state.stored), state)
