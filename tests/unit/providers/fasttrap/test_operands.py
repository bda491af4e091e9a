"""Operands of stapsdt notes, and instructions that are refused."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from runtime.kernel.cpu.x86.engine import RAX, RBP, RBX, RCX, RSP
from runtime.providers.fasttrap.instructions.operands import OperandError, reader, split
from runtime.providers.fasttrap.instructions.treatment import Treatment
from runtime.providers.fasttrap.instructions.x86 import X86

ALL = (1 << 64) - 1


def value(size: int, operand: str) -> int:
    registers = [0] * 17
    registers[RAX], registers[RBX], registers[RCX] = 0x1122334455667788, 0x1000, 3
    registers[RBP], registers[RSP] = 0x2000, 0x3000
    memory = SimpleNamespace(read=lambda address, width: (address & 0xFF | 0x80).to_bytes(width, "little"))
    return reader(size, operand, 0x500, 64, {"counter": 0x40}.get)(memory, registers)


@pytest.mark.parametrize(("size", "operand", "expected"), [
    (8, "%rax", 0x1122334455667788), (4, "%eax", 0x55667788), (2, "%ax", 0x7788), (1, "%ah", 0x77),
    (-1, "%al", ALL - 0x77), (-4, "$-1", ALL), (4, "$-1", 0xFFFFFFFF), (8, "$0x10", 16),
    (1, "-8(%rbp)", 0xF8), (1, "(%rbx)", 0x80), (1, "16(%rbx,%rcx,8)", 0xA8), (1, "4+2(%rsp)", 0x86),
    (1, "counter(%rip)", 0xC0), (1, "counter+4(%rip)", 0xC4), (-1, "(%rbx)", ALL - 0x7F), (0, "%xmm0", 0)])
def test_operand(size: int, operand: str, expected: int) -> None:
    assert value(size, operand) == expected


@pytest.mark.parametrize("operand", ["%xmm1", "", "unknown(%rip)", "8(%rip)", "(%nothing)"])
def test_unknown_operand(operand: str) -> None:
    with pytest.raises(OperandError):
        value(8, operand)


def test_split() -> None:
    assert split("8@%rdi -4@-20(%rbp,%rax,4) 8f@%xmm0 1@$3") == [
        (8, "%rdi"), (-4, "-20(%rbp,%rax,4)"), (0, "%xmm0"), (1, "$3")]


@pytest.mark.parametrize(("code", "reason"), [
    ("cb", "far transfer"), ("48cf", "far transfer"), ("ff2d00000000", "far transfer"),
    ("ff1d00000000", "far transfer"), ("ffd4", "stack pointer"),
    ("2e2e2e2e2e2e6767488b0500000000", "%eip-relative"),
    ("cd03", "software interrupt"), ("c7f800000000", "transaction"),
    ("06", "no instruction"), ("66e90000", "16-bit"), ("0f34", "fast system call")])
def test_refused(code: str, reason: str) -> None:
    plan = X86(64).plan(bytes.fromhex(code).ljust(15, b"\x90"), 0x1000)
    assert plan.treatment is Treatment.REFUSED
    assert reason in plan.why
