"""Operands of stapsdt notes, and instructions that are refused."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from runtime.kernel.cpu.x86.engine import RAX, RBP, RBX, RCX, RDI, RDX, RSI, RSP
from runtime.providers.fasttrap.instructions import arm64operands
from runtime.providers.fasttrap.instructions.operands import (
    REGISTERS,
    OperandError,
    reader,
    split,
)
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


def test_every_register() -> None:
    """Each has a value of its own; what is read is as wide as the argument, from where the name says."""
    registers = [number << 56 | 0xF0_8070_6050_4000 | number << 8 | 0x80 | number
                 for number in range(17)]
    names = {"a": RAX, "b": RBX, "c": RCX, "d": RDX}
    wide = {f"r{name}x": number for name, number in names.items()}
    wide |= {"rsi": RSI, "rdi": RDI, "rbp": RBP, "rsp": RSP}
    wide |= {f"r{number}": number for number in range(8, 16)}
    for name, number in wide.items():
        whole, middle = registers[number], name[1:]
        lower = [f"{name}d", f"{name}w", f"{name}b"] if middle.isdigit() else [
            f"e{middle}", middle, f"{middle.removesuffix('x')}l"]
        for size, register in ((8, name), *zip((4, 2, 1), lower, strict=True)):
            read = reader(size, f"%{register}", 0, 64, {}.get)
            assert read(SimpleNamespace(), registers) == whole & (1 << 8 * size) - 1, register
        if name in ("rax", "rbx", "rcx", "rdx"):
            assert reader(1, f"%{name[1]}h", 0, 64, {}.get)(SimpleNamespace(), registers) == whole >> 8 & 0xFF
    assert len(REGISTERS) == 4 * 5 + 4 * 4 + 8 * 4
    for unknown in ("%rip", "%r16", "%r7", "%ahl", "%sih", "%xmm0"):
        with pytest.raises(OperandError, match="register"):
            reader(8, unknown, 0, 64, {}.get)


@pytest.mark.parametrize(("size", "operand", "expected"), [
    (8, "x0", 0x8000000000000000), (8, "x30", 0x800000000000001E), (4, "w30", 30), (-4, "w1", 1),
    (-1, "x30", 30), (8, "xzr", 0), (4, "wzr", 0), (8, "5", 5), (8, "#-5", ALL - 4), (4, "-1", 0xFFFFFFFF),
    (8, "0x10", 16), (1, "[x2]", 0x82), (1, "[x2, 3]", 0x85), (1, "[x2,#-2]", 0x80), (1, "[x30, 1]", 0x9F),
    (1, "[sp]", 0xC0), (1, "[sp, 16]", 0xD0), (-1, "[sp, #15]", ALL - 0x30), (0, "d0", 0),
    (2, "[x2]", 0x82), (1, "[x0, -1]", 0xFF)])
def test_operand_on_aarch64(size: int, operand: str, expected: int) -> None:
    registers = [1 << 63 | number for number in range(31)] + [0x40]

    def read(address: int, width: int) -> bytes:
        assert 0 <= address < 1 << 64
        return (address & 0x7F | 0x80).to_bytes(width, "little")
    thread = SimpleNamespace(read=read)
    assert arm64operands.reader(size, operand)(thread, registers) == expected


@pytest.mark.parametrize("operand", ["x31", "w31", "[x31]", "x99", "", "[sp", "y1", "[w1]", "%rax", "x1, 2",
                                     "d0"])
def test_unknown_operand_on_aarch64(operand: str) -> None:
    with pytest.raises(OperandError):
        arm64operands.reader(8, operand)


@pytest.mark.parametrize(("operand", "expected"), [
    ("8(%rbx)", 0x1008), ("-8(%rbx)", 0xFF8), ("(%rbx,%rcx)", 0x1003), ("(%rbx,%rcx,2)", 0x1006),
    ("(,%rcx,8)", 0x18), ("0x10(,%rcx,4)", 0x1C), ("1+2-4(%rbx)", 0xFFF), ("counter", 0x540),
    ("counter+8", 0x548), ("counter(%rip)", 0x540), ("counter(%rbx)", 0x1540), ("4096", 4096),
    ("counter(%rbx,%rcx,8)", 0x1558), ("-1(,%rcx)", 2)])
def test_where_an_operand_lies(operand: str, expected: int) -> None:
    registers = [0] * 17
    registers[RBX], registers[RCX] = 0x1000, 3
    seen = []
    thread = SimpleNamespace(read=lambda address, width: seen.append((address, width)) or bytes(width))
    reader(4, operand, 0x500, 64, {"counter": 0x40}.get)(thread, registers)
    reader(-2, operand, 0x500, 12, {"counter": 0x40}.get)(thread, registers)
    assert seen == [(expected, 4), (expected & 0xFFF, 2)]


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
