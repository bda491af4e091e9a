"""Operands of stapsdt notes, and instructions that are refused."""

from __future__ import annotations

import math
import struct
import subprocess
from pathlib import Path
from types import SimpleNamespace

import atonce
import compilers
import pytest

from runtime.kernel.cpu.x86.engine import RAX, RBP, RBX, RCX, RDI, RDX, RSI, RSP
from runtime.providers.fasttrap.instructions import arm64operands, operands
from runtime.providers.fasttrap.instructions.operands import (
    REGISTERS,
    OperandError,
    reader,
    split,
)
from runtime.providers.fasttrap.instructions.treatment import Treatment
from runtime.providers.fasttrap.instructions.x86 import X86

ALL = (1 << 64) - 1
HERE = Path(__file__).parent


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
    (1, "counter(%rip)", 0xC0), (1, "counter+4(%rip)", 0xC4), (-1, "(%rbx)", ALL - 0x7F)])
def test_operand(size: int, operand: str, expected: int) -> None:
    assert value(size, operand) == expected


@pytest.mark.parametrize("operand", ["%xmm16", "%mm0", "%st", "", "unknown(%rip)", "8(%rip)", "(%nothing)"])
def test_unknown_operand(operand: str) -> None:
    with pytest.raises(OperandError):
        value(8, operand)


@pytest.mark.parametrize("size", [0, 3, 10, 32, -16])
def test_no_argument_has_such_a_size(size: int) -> None:
    for read in (lambda: value(size, "%rax"), lambda: arm64operands.reader(size, "x0")):
        with pytest.raises(OperandError, match=f"an argument of {size} bytes"):
            read()


def in_vectors(monkeypatch: pytest.MonkeyPatch, module: object) -> None:
    """A processor in whose vector register n every byte is n."""
    monkeypatch.setattr(module, "vector", lambda _thread, number: int.from_bytes(bytes([number] * 16)))


@pytest.mark.parametrize(("size", "operand", "expected"), [
    (8, "%xmm3", 0x0303030303030303), (4, "%xmm15", 0x0F0F0F0F), (8, "%ymm1", 0x0101010101010101)])
def test_operands_in_vector_registers(monkeypatch: pytest.MonkeyPatch, size: int, operand: str,
                                      expected: int) -> None:
    in_vectors(monkeypatch, operands)
    assert value(size, operand) == expected


@pytest.mark.parametrize(("size", "operand", "expected"), [
    (8, "d3", 0x0303030303030303), (4, "s31", 0x1F1F1F1F), (8, "v0", 0), (8, "Q10", 0x0A0A0A0A0A0A0A0A)])
def test_operands_in_vector_registers_on_aarch64(monkeypatch: pytest.MonkeyPatch, size: int, operand: str,
                                                 expected: int) -> None:
    in_vectors(monkeypatch, arm64operands)
    assert arm64operands.reader(size, operand)(None, []) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(("number", "extended", "quad"), [
    (0.0, "0" * 20, "0" * 32), (-0.0, "8000" + "0" * 16, "8" + "0" * 31),
    (1.0, "3fff8000000000000000", "3fff" + "0" * 28), (-2.5, "c000a000000000000000", "c0004" + "0" * 27),
    (0.1, "3ffbcccccccccccccccd", "3ffb999999999999999999999999999a"),
    (math.inf, "7fff8000000000000000", "7fff" + "0" * 28),
    (-math.inf, "ffff8000000000000000", "ffff" + "0" * 28),
    (math.inf, "5000ffffffffffffffff", "5000" + "f" * 28), (0.0, "1000ffffffffffffffff", "1000" + "f" * 28),
    (math.nan, "7fffc000000000000000", "7fff8" + "0" * 27), (0.0, "0000" + "f" * 16, "0000" + "f" * 28)])
def test_long_doubles_become_doubles(number: float, extended: str, quad: str) -> None:
    """x87's 80 bits and AArch64's 128 of the same number."""
    x87 = bytes.fromhex(extended)[::-1].ljust(16, b"\xee")
    memory = SimpleNamespace(read=lambda address, width: x87[:width])
    found = [reader(size, "(%rbx)", 0, 64, {}.get)(memory, [0] * 17) for size in (12, 16)]
    memory = SimpleNamespace(read=lambda address, width: bytes.fromhex(quad)[::-1][:width])
    found.append(arm64operands.reader(16, "[sp]")(memory, [0] * 32))
    for bits in found:
        (value,) = struct.unpack("<d", bits.to_bytes(8, "little"))
        assert (math.isnan(value) and math.isnan(number)) or (
            value == number and math.copysign(1, value) == math.copysign(1, number)), hex(bits)


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
    for unknown in ("%rip", "%r16", "%r7", "%ahl", "%sih", "%xmm16"):
        with pytest.raises(OperandError, match="register"):
            reader(8, unknown, 0, 64, {}.get)


@pytest.mark.parametrize(("size", "operand", "expected"), [
    (8, "x0", 0x8000000000000000), (8, "x30", 0x800000000000001E), (4, "w30", 30), (-4, "w1", 1),
    (-1, "x30", 30), (8, "xzr", 0), (4, "wzr", 0), (8, "5", 5), (8, "#-5", ALL - 4), (4, "-1", 0xFFFFFFFF),
    (8, "0x10", 16), (1, "[x2]", 0x82), (1, "[x2, 3]", 0x85), (1, "[x2,#-2]", 0x80), (1, "[x30, 1]", 0x9F),
    (1, "[sp]", 0xC0), (1, "[sp, 16]", 0xD0), (-1, "[sp, #15]", ALL - 0x30),
    (2, "[x2]", 0x82), (1, "[x0, -1]", 0xFF)])
def test_operand_on_aarch64(size: int, operand: str, expected: int) -> None:
    registers = [1 << 63 | number for number in range(31)] + [0x40]

    def read(address: int, width: int) -> bytes:
        assert 0 <= address < 1 << 64
        return (address & 0x7F | 0x80).to_bytes(width, "little")
    thread = SimpleNamespace(read=read)
    assert arm64operands.reader(size, operand)(thread, registers) == expected


@pytest.mark.parametrize("operand", ["x31", "w31", "[x31]", "x99", "", "[sp", "y1", "[w1]", "%rax", "x1, 2",
                                     "d32", "v00", "a0"])
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
    assert split("8@%rdi -4@-20(%rbp,%rax,4) 8f@%xmm0 1@$3 -4f@%eax 16f@8(%rsp) -16@(%rcx)") == [
        (8, "%rdi"), (-4, "-20(%rbp,%rax,4)"), (8, "%xmm0"), (1, "$3"), (4, "%eax"), (16, "8(%rsp)"),
        (-16, "(%rcx)")]


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


@pytest.mark.parametrize("engine", ["translate", "interpret"])
@pytest.mark.parametrize("machine", ["x86-64", "aarch64"])
def test_floating_point_numbers_are_the_programs(tmp_path: Path, machine: str, engine: str) -> None:
    """In general registers, memory, vector registers, constants; as args[] and, their bits, as arg0."""
    command = compilers.building(["-o", str(tmp_path / "floats"), str(HERE / "floats.c")], machine)
    if command is None:
        pytest.skip(f"no compiler for {machine}")
    subprocess.run(command, check=True)
    script = """floats$target:::here { printf("%f %f %f %f %f %.20f|%g|%f %d %x %x", args[0], args[1],
        args[2], args[3], args[4], args[5], args[6], args[7], args[8], arg0, arg1); }"""
    done = atonce.run(["dtrace", "-qx", f"engine={engine}", "-n", script, "-c",
                       f"{tmp_path / 'floats'} 1.25 -0.375 3e10"], check=True)
    other = "-1e+300" if machine == "x86-64" else "0.1"
    assert done.stdout.strip() == ("1.250000 -0.375000 30000000000.000000 1.250000 -0.375000 "
                                   f"0.10000000000000000555|{other}|1.500000 7 3ff4000000000000 bec00000")
    assert done.stderr == ""


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    """A label that only the compiler knew: the argument is 0, with a line that says so."""
    source = (HERE / "floats.c").read_text()
    for known, unknown in (("8f@third(%rip)", "8f@.LC1(%rip)"), ("16f@q3", "16f@z3")):
        source = source.replace(known, unknown)
    (tmp_path / "lost.c").write_text(source)
    subprocess.run(["cc", "-o", tmp_path / "lost", tmp_path / "lost.c"], check=True)
    done = atonce.run(["dtrace", "-qn", 'floats$target:::here { printf("%f %f", args[0], args[6]); }', "-c",
                        f"{tmp_path / 'lost'} 1.25 1 1"])
    assert done.stdout.strip() == "1.250000 0.000000"
    assert done.stderr == ("dtrace: lost: notes of probes name places that cannot be read: "
                           "these arguments are 0\n")
