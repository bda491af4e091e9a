"""What becomes of single instructions under a trap: `plans/NAME.txt`, one file for each kind of processor.

A line that is not indented is an instruction: the instruction set, its bytes and, in words, what they are.
The indented ones below it are what the instruction set says of it at 0x401000 and how it is executed: the
bytes of its slot near and out of reach with the places that stand for one in the program (offset, program
counter, change of the stack pointer), a loan of a register, where it leads, and what its emulation does to
registers.
`make golden` writes the lines below anew; read the diff, with a disassembler, before you commit it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.cpu.arm64.registers import PC as ARM_PC
from runtime.kernel.cpu.arm64.registers import C, N, V, Z
from runtime.kernel.cpu.arm64.registers import Registers as ArmRegisters
from runtime.kernel.cpu.sparc.registers import FCC_SHIFTS, Registers, State8, State9
from runtime.kernel.cpu.x86 import engine
from runtime.providers.fasttrap.instructions.arm64 import Arm64, is_exclusive
from runtime.providers.fasttrap.instructions.sparc import (
    Misaligned,
    Sparc,
    has_delay_slot,
    is_conditional,
    is_transfer,
)
from runtime.providers.fasttrap.instructions.treatment import Copy, Unreachable
from runtime.providers.fasttrap.instructions.x86 import X86

HERE = Path(__file__).parent / "plans"
HOME, NEAR, FAR = 0x401000, 0x500000, 0x7F0000000000
SETS: dict[str, Any] = {"amd64": X86(64), "i386": X86(32), "arm64": Arm64(), "sparc": Sparc(32),
                        "sparcv9": Sparc(64)}


def _copy(copy: Copy) -> str:
    restarts = " ".join(f"{at}={pc:x}{stack or '':+}" if stack else f"{at}={pc:x}"
                        for at, pc, stack in copy.restarts)
    return f"{copy.code.hex()}; {restarts}"


def _slot(build: Callable[[int, int], Copy], at: int, pc: int) -> str:
    try:
        return _copy(build(at, pc))
    except Unreachable:
        return "out of reach"


def _letters(found: Iterable[int], after: int) -> str:
    """Return one letter for each value: - for the next instruction, a for the first other value."""
    values = list(found)
    names = {after: "-"}
    for value in values:
        names.setdefault(value, chr(ord("a") + len(names) - 1))
    told = " ".join(f"{name}={value:x}" for value, name in names.items() if name != "-")
    return f"{''.join(names[value] for value in values)} {told}".strip()


def said(isa: Any, code: bytes, behind: bytes = b"") -> Iterator[str]:
    """Yield what the instruction set says of an instruction."""
    decoded = isa.decode(code + behind, HOME)
    if decoded is None:
        yield "no instruction"
        return
    words = [name for name in ("is_return", "is_jump", "never_continues") if getattr(isa, name)(decoded)]
    words += [f"{name}={value:x}" for name in ("direct_target", "data_reference")
              if (value := getattr(isa, name)(decoded)) is not None]
    yield f"{decoded.size} bytes {' '.join(words)}".rstrip()


def planned(plan: Any, far: int = FAR, pc: int = HOME) -> Iterator[str]:
    """Yield how it is executed."""
    assert plan.size == (len(plan.code) or 1)
    event = "" if plan.event is None else f" event={plan.event}"
    go = f" go={plan.go:x}" if plan.go else ""
    yield f"{plan.treatment}: {plan.why}{go}{event} {plan.code.hex()}".rstrip()
    if plan.build is not None:
        yield f"near {_slot(plan.build, NEAR, pc)}"
        if far != NEAR:
            yield f"far {_slot(plan.build, far, pc)}"
    if plan.loan is not None:
        loan = plan.loan()
        yield "no loan" if loan is None else (
            f"loan register={loan.register} value={loan.value:x} end={loan.end} go={loan.go or 0:x}"
            f" {_copy(loan.copy)}")


# -- x86 --------------------------------------------------------------------------------------------------

FLAGS = (0, engine.CARRY, engine.PARITY, engine.ZERO, engine.SIGN, engine.OVERFLOW,
         engine.SIGN | engine.OVERFLOW, engine.ZERO | engine.CARRY,
         engine.ZERO | engine.SIGN | engine.OVERFLOW)


def of_x86(name: str, code: bytes) -> Iterator[str]:
    isa = X86(SETS[name].bits)
    yield from said(isa, code)
    plan = isa.plan(code.ljust(16, b"\x90"), HOME)
    yield from planned(plan, far=FAR if isa.bits == 64 else 0xF7000000)
    again = isa.plan(code.ljust(16, b"\x90"), HOME + 0x100)
    if again.treatment in ("displaced", "emulated"):
        yield f"at 401100: {' | '.join(planned(again, NEAR, HOME + 0x100))}"
    if plan.destination is not None:
        def led(flags: int) -> int:
            processor = SimpleNamespace(read_register=lambda _number: flags)
            thread = SimpleNamespace(kernel=SimpleNamespace(engine=processor), read=lambda address, size: (
                (address ^ 0x5500000000000000) & (1 << 8 * size) - 1).to_bytes(size, "little"))
            assert plan.destination is not None
            return plan.destination([0x10000000 << number & 0xFFFFFFFFFFF | number for number in range(17)],
                                    thread)  # type: ignore[arg-type]
        yield f"leads {_letters(map(led, FLAGS), HOME + len(code))}"


# -- AArch64 ----------------------------------------------------------------------------------------------

def of_arm64(_name: str, code: bytes) -> Iterator[str]:
    isa = Arm64()
    yield from said(isa, code)
    word = int.from_bytes(code, "little")
    if is_exclusive(word, True) or is_exclusive(word, False):
        yield f"exclusive {'load' if is_exclusive(word, True) else 'store'}"
    plan: Any = isa.plan(code, HOME)
    yield from planned(plan, far=NEAR + (1 << 28))
    thread = SimpleNamespace(read=lambda address, size: (address ^ 0xFFFFFFFF80000000).to_bytes(
        8, "little").rjust(size, b"\x11")[:size])
    kept: dict[int, int] = {}
    thread.process = SimpleNamespace(processor=SimpleNamespace(engine=SimpleNamespace(
        write_register=lambda number, value, size: kept.update({number: value, -1: size}))))

    def state(flags: int, filled: int) -> ArmRegisters:
        regs = ArmRegisters()
        for number in range(31):
            regs[number] = (number << 40 | 0x8000000000000000 | number << 20) * filled
        regs[3] = 0x8000000200000001 * filled
        regs[1] = filled << 35
        regs[ARM_PC], regs.flags = HOME, flags
        return regs
    states = [(flags, filled) for filled in (1, 0) for flags in (
        0, N, Z, C, V, N | V, Z | C, N | Z, N | Z | V)]
    if plan.step is not None:
        places, told = [], ""
        for flags, filled in states:
            regs, before = state(flags, filled), list(state(flags, filled))
            plan.step(regs, thread)
            places.append(regs[ARM_PC])
            changed = [f"x{number}={regs[number]:x}" for number in range(32)
                       if regs[number] != before[number]]
            told = told or " ".join(changed)
        yield f"does {_letters(places, HOME + 4)} {told}".rstrip()
    if kept:
        yield f"vector register {max(kept)} = {kept[max(kept)]:x}, {kept[-1]} bytes"
    if plan.destination is not None:
        leads = (plan.destination(state(flags, filled), thread) for flags, filled in states)
        yield f"leads {_letters(leads, HOME + 4)}"


# -- SPARC ------------------------------------------------------------------------------------------------

class Stack:
    """The memory that windows are spilled to and filled from."""

    def read(self, address: int, size: int) -> bytes:
        raise MemoryFault(address)

    def write(self, address: int, data: bytes) -> None:
        raise MemoryFault(address)


def _sparc_state(bits: int, codes: int, extended: int, value: int) -> Registers:
    regs = Registers(State8() if bits == 32 else State9())
    for number in range(1, 32):
        regs.write(number, (number << 32 | number << 12) & regs.mask)
    regs.write(2, value & regs.mask)
    regs.pc, regs.npc = HOME, HOME + 4
    regs.set_codes(codes, extended)
    if isinstance(regs.state, State8):
        regs.state.wim = 1 << 4  # three windows of callers are in the processor
    else:
        regs.state.canrestore, regs.state.cansave = 3, 3
        regs.state.fsr = 0 << FCC_SHIFTS[0] | 1 << FCC_SHIFTS[1] | 2 << FCC_SHIFTS[2] | 3 << FCC_SHIFTS[3]
    return regs


def of_sparc(name: str, code: bytes) -> Iterator[str]:
    isa = SETS[name]
    behind = bytes.fromhex("81e80000")  # restore
    yield from said(isa, code)
    yield from (f"before restore: {each}" for each in said(isa, code, behind))
    annulled = isa.undefined_behind(isa.decode(bytes.fromhex("02800004"), HOME - 4), isa.decode(code, HOME))
    word = int.from_bytes(code, "big")
    told = [f"behind be: {annulled}"] * bool(annulled) + [
        each.__name__ for each in (has_delay_slot, is_transfer, is_conditional) if each(word)]
    yield ", ".join(told) or "nothing special"
    plan: Any = isa.plan(code, HOME)
    yield from planned(plan, far=NEAR)
    if plan.step is None:
        return
    states = [(codes, codes ^ 15, 0) for codes in range(16)]
    states += [(0, 0, value) for value in (1, 1 << 31, 1 << 63)]
    places, after, changes, why = [], [], "", ""
    for codes, extended, value in states:
        regs, before = (_sparc_state(isa.bits, codes, extended, value) for _ in range(2))
        try:
            plan.step(regs)
        except Misaligned as error:
            why = f"misaligned {error}"
            continue
        except MemoryFault as error:
            why = f"fault {error.address:x}"
            continue
        places.append(regs.pc)
        after.append(regs.npc)
        changed = [f"r{number}={regs.read(number):x}" for number in range(32)
                   if regs.read(number) != before.read(number)]
        changes = changes or " ".join(changed[:4])
    led = f"pc {_letters(places, HOME + 4)}; npc {_letters(after, HOME + 8)}"
    yield " ".join(word for word in (led, why, changes) if word)


# -- the files --------------------------------------------------------------------------------------------

TELLS = {"x86": of_x86, "arm64": of_arm64, "sparc": of_sparc}


def listing(kind: str) -> str:
    """Return what a file should hold, given its lines that are not indented."""
    lines = []
    for line in (HERE / f"{kind}.txt").read_text().splitlines():
        if line and not line.startswith(" "):
            name, code, _ = line.split(" ", 2)
            lines += [line, *(f"    {told}" for told in TELLS[kind](name, bytes.fromhex(code)))]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("kind", TELLS)
def test_plans(kind: str) -> None:
    expected = (HERE / f"{kind}.txt").read_text()
    assert listing(kind).splitlines() == expected.splitlines(), "if this is meant, say `make golden`"


def _kinds(version: int, operation: int) -> list[str]:
    """Return the treatments of all instructions with an op3, each with its op3s."""
    from runtime.providers.fasttrap.instructions import sparc

    found: dict[str, list[str]] = {}
    for op3 in range(64):
        plan = sparc.plan(operation << 30 | op3 << 19, version)
        found.setdefault(f"{plan.treatment}: {plan.why}", []).append(f"{op3:02x}")
    return [f"{why}: {' '.join(numbers)}" for why, numbers in found.items()]


@pytest.mark.parametrize("version", [8, 9])
def test_all_operations_of_sparc(version: int) -> None:
    told = [line for operation in (2, 3) for line in _kinds(version, operation)]
    assert told == (HERE / f"sparc-v{version}-operations.txt").read_text().splitlines()


@pytest.mark.parametrize(("name", "size"), [("arm64", 4), ("sparc", 4), ("sparcv9", 4)])
def test_words_that_are_not_where_words_are(name: str, size: int) -> None:
    nop = {"arm64": "1f2003d5"}.get(name, "01000000")
    for code, pc, why in ((nop, HOME, "emulated"), (nop + nop, HOME, "emulated"), (nop, HOME + 2, "refused"),
                          (nop, HOME + 1, "refused"), (nop[:6], HOME, "refused"), ("", HOME, "refused")):
        assert SETS[name].plan(bytes.fromhex(code), pc).treatment == why
    assert SETS[name].decode(bytes.fromhex(nop)[:size - 1], HOME) is None
    walked = SETS[name].walk(bytes.fromhex(nop * 3), HOME)
    assert [each.address for each in walked] == [HOME, HOME + size, HOME + 2 * size]


def regenerate() -> None:
    """Write every listing."""
    for kind in TELLS:
        (HERE / f"{kind}.txt").write_text(listing(kind))
    for version in (8, 9):
        told = [line for operation in (2, 3) for line in _kinds(version, operation)]
        (HERE / f"sparc-v{version}-operations.txt").write_text("\n".join(told) + "\n")


if __name__ == "__main__":
    regenerate()
