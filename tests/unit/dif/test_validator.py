"""Every rule of the DIF validator, each with its reason and its place."""

from __future__ import annotations

import pytest

from dif import isa
from dif.assembler import assemble
from dif.difo import Difo, DifType, DifVar
from dif.isa import Op
from dif.validator import define, validate, with_string_size

RET = isa.fmt(Op.RET, 0, 0, 1)
INT = DifType(0, 1, 0, 8)


def reasons(difo: Difo, **options: object) -> list[str]:
    return [str(refusal) for refusal in validate(difo, **options)]  # type: ignore[arg-type]


def test_a_clean_object() -> None:
    assert reasons(assemble("""
        .returns ctf integer 8 -
        .variable "x" 0x500 scalar global read|written ctf integer 8 -
        ldgs x, %r1
        cmp %r1, %r0
        be out
        stgs %r1, x
    out: ret %r1""")) == []


@pytest.mark.parametrize(("text", "reason"), [
    (".word 0", "invalid opcode 0"),
    (".word 0x50000000", "invalid opcode 80"),
    ("xlate DT_XLREF[0], %r1", "xlate cannot be executed"),
    ("xlarg DT_XLREF[0], %r1", "xlarg cannot be executed"),
    ("add %r8, %r1, %r1", "invalid register %r8"),
    ("add %r1, %r255, %r1", "invalid register %r255"),
    ("add %r1, %r1, %r8", "invalid register %r8"),
    ("add %r1, %r1, %r0", "cannot write to %r0"),
    ("copys %r1, %r1, %r0", "cannot write to %r0"),
    ("mov %r1, %r0", "cannot write to %r0"),
    ("allocs %r1, %r0", "cannot write to %r0"),
    ("ldx [%r1], %r0", "cannot write to %r0"),
    ("uldx [%r1], %r0", "cannot write to %r0"),
    ("rldx [%r1], %r0", "cannot write to %r0"),
    ("ldx [%r9], %r1", "invalid register %r9"),
    ("stx %r1, [%r0]", "cannot store to the address in %r0"),
    ("stx %r1, [%r8]", "invalid register %r8"),
    (f".word {isa.fmt(Op.NOT, 1, 1, 1):#x}", "reserved bits are not zero"),
    (f".word {isa.fmt(Op.MOV, 1, 1, 1):#x}", "reserved bits are not zero"),
    (f".word {isa.fmt(Op.ALLOCS, 1, 1, 1):#x}", "reserved bits are not zero"),
    (f".word {isa.fmt(Op.LDUB, 1, 1, 1):#x}", "reserved bits are not zero"),
    (f".word {isa.fmt(Op.STB, 1, 1, 1):#x}", "reserved bits are not zero"),
    (f".word {isa.fmt(Op.CMP, 1, 1, 1):#x}", "reserved bits are not zero"),
    (f".word {isa.fmt(Op.SCMP, 1, 1, 1):#x}", "reserved bits are not zero"),
    (f".word {isa.fmt(Op.TST, 1, 1, 0):#x}", "reserved bits are not zero"),
    (f".word {isa.fmt(Op.TST, 1, 0, 1):#x}", "reserved bits are not zero"),
    (f".word {isa.fmt(Op.RET, 1, 0, 1):#x}", "reserved bits are not zero"),
    (f".word {isa.fmt(Op.RET, 0, 1, 1):#x}", "reserved bits are not zero"),
    (f".word {isa.fmt(Op.NOP, 0, 0, 1):#x}", "reserved bits are not zero"),
    (f".word {isa.fmt(Op.POPTS, 0, 1, 0):#x}", "reserved bits are not zero"),
    (f".word {isa.fmt(Op.FLUSHTS, 1, 0, 0):#x}", "reserved bits are not zero"),
    ("ba 3", "invalid branch target 3"),
    ("ba 1", "backward branch to 1"),
    ("be 0", "backward branch to 0"),
    ("setx DT_INTEGER[0], %r1", "invalid integer reference 0"),
    ("sets DT_STRING[0], %r1", "invalid string reference 0"),
    ("setx 1, %r0", "cannot write to %r0"),
    ("ldgs DT_VAR(255), %r1", "invalid variable 0xff"),
    ("ldtaa DT_VAR(0), %r1", "invalid variable 0x0"),
    ("ldga DT_VAR(0), %r1, %r0", "cannot write to %r0"),
    ("ldga DT_VAR(0), %r8, %r1", "invalid register %r8"),
    ("stgs %r1, pid", "invalid variable 0x116"),
    ("stls %r8, DT_VAR(1280)", "invalid register %r8"),
    ("call DIF_SUBR(49), %r1", "invalid subroutine 49"),
    ("call rand, %r0", "cannot write to %r0"),
    ("pushtr DT_TYPE(2), %r1, %r1", "invalid reference type 2"),
    ("pushtv string, %r1", "invalid value type 1"),
    ("pushtv ctf, %r8, %r1", "invalid register %r8"),
    ("ldgs DT_VAR(1280), %r1", "undeclared variable 0x500"),
    ("ldts DT_VAR(1280), %r1", "undeclared variable 0x500"),
    ("ldls DT_VAR(1280), %r1", "undeclared variable 0x500"),
    ("sttaa %r1, DT_VAR(1280)", "undeclared variable 0x500"),
])
def test_an_instruction_is_refused(text: str, reason: str) -> None:
    difo = assemble(f"nop\n{text}\nret %r1")
    refusals = validate(difo)
    assert [(r.part, r.index, r.offset, r.reason) for r in refusals] == [("text", 1, 4, reason)]


def test_a_word_is_judged_wherever_it_stands() -> None:
    """Of a good one all are good, but branches; a bad one is told each time."""
    branch, bad = isa.branch(Op.BA, 2), isa.fmt(Op.NOP, 0, 0, 1)
    refusals = validate(Difo([branch, bad, branch, bad, bad, RET], INT))
    assert [(each.index, each.reason) for each in refusals] == [
        (1, "reserved bits are not zero"), (2, "backward branch to 2"), (3, "reserved bits are not zero"),
        (4, "reserved bits are not zero")]


def test_a_word_may_be_bad_in_several_ways() -> None:
    refusals = validate(Difo([isa.fmt(Op.ADD, 8, 9, 0), isa.fmt(Op.LDX, 8, 1, 0), RET], INT))
    assert [(each.index, each.reason) for each in refusals] == [
        (0, "invalid register %r8"), (0, "invalid register %r9"), (0, "cannot write to %r0"),
        (1, "invalid register %r8"), (1, "cannot write to %r0"), (1, "reserved bits are not zero")]


def test_freebsd_has_subroutines_of_its_own() -> None:
    difo = Difo([isa.wide(Op.CALL, 53, 1), RET], INT)
    assert reasons(difo) == ["instruction 0 (offset 0): invalid subroutine 53"]
    assert reasons(difo, target="freebsd") == []


def test_text_must_exist_and_end_in_ret() -> None:
    assert reasons(Difo([])) == ["instruction 0 (offset 0): no instructions"]
    assert reasons(assemble("nop\nnop")) == ["instruction 1 (offset 4): expected ret as last instruction"]


@pytest.mark.parametrize("size", [3, 5, 16, 256])
def test_a_value_returned_has_a_registers_size(size: int) -> None:
    (refusal,) = validate(Difo([RET], DifType(0, 6, 0, size)))
    assert (refusal.part, refusal.index) == ("return", 0)
    assert str(refusal) == f"return type: bad size {size} for a value"
    assert reasons(Difo([RET], DifType(0, 6, isa.TF_BYREF, size))) == []


@pytest.mark.parametrize("size", [0, 1, 2, 4, 8])
def test_sizes_of_values(size: int) -> None:
    assert reasons(Difo([RET], DifType(0, 1, 0, size))) == []


def variable(**changes: object) -> DifVar:
    values = {"name": "v", "id": 0x500, "kind": 1, "scope": 0, "flags": 3, "type": INT, **changes}
    return DifVar(**values)  # type: ignore[arg-type]


BYREF = isa.TF_BYREF


@pytest.mark.parametrize(("changes", "reason"), [
    ({"scope": 3}, "unknown scope 3"),
    ({"kind": 2}, "unknown kind 2"),
    ({"id": 0x10000}, "id 0x10000 exceeds the limit"),
    ({"type": DifType(1, 0, BYREF, 0)}, "passed by reference with size 0"),
    ({"type": DifType(0, 6, BYREF, 16385)}, "size 16385 by reference exceeds 16384"),
    ({"scope": 2, "type": DifType(0, 6, BYREF, 16385)}, "size 16385 by reference exceeds 16384"),
])
def test_a_variable_is_refused(changes: dict[str, object], reason: str) -> None:
    difo = Difo([RET], INT, vartab=[variable(name="ok"), variable(**changes)])
    assert reasons(difo) == [f"variable 1: {reason}"]


@pytest.mark.parametrize("changes", [
    {"id": 0x4FF, "type": DifType(0, 6, BYREF, 0)}, {"scope": 1, "type": DifType(0, 6, BYREF, 16385)},
    {"type": DifType(0, 6, BYREF, 16384)}, {"id": 0xFFFF},
])
def test_a_variable_is_accepted(changes: dict[str, object]) -> None:
    assert reasons(Difo([RET], INT, vartab=[variable(**changes)])) == []


@pytest.mark.parametrize(("changes", "reason"), [
    ({"kind": 0}, "0x500 changed kind"),
    ({"type": DifType(0, 1, BYREF, 8)}, "0x500 changed type flags"),
    ({"type": DifType(0, 1, 0, 4)}, "0x500 changed size"),
])
def test_definitions_of_a_state_agree(changes: dict[str, object], reason: str) -> None:
    known: dict[tuple[int, int], DifVar] = {}
    define(Difo([RET], INT, vartab=[variable()]), known)
    assert reasons(Difo([RET], INT, vartab=[variable(**changes)]), known=known) == [f"variable 0: {reason}"]
    assert reasons(Difo([RET], INT, vartab=[variable(scope=1, **changes)]), known=known) == []
    assert reasons(Difo([RET], INT, vartab=[variable(type=DifType(0, 1, 0, 0))]), known=known) == []


def test_only_the_highest_variable_of_a_scope_counts() -> None:
    difo = Difo([isa.wide(Op.LDGS, 0x502, 1), RET], INT, vartab=[variable(id=0x503)])
    assert reasons(difo) == []


def test_strings_without_a_size_get_the_systems() -> None:
    text = DifType(isa.TYPE_STRING, 0, BYREF, 0)
    difo = Difo([RET], INT, vartab=[variable(type=text), variable(id=0x118, type=text)])
    sized = with_string_size(difo, 512)
    assert [v.type.size for v in sized.vartab] == [512, 0]
    assert difo.vartab[0].type.size == 0
    assert with_string_size(sized, 256) is sized


@pytest.mark.parametrize(("text", "reason"), [
    ("ldgs timestamp, %r1", "a helper cannot load timestamp"),
    ("ldgs DT_VAR(1024), %r1", "a helper cannot load 0x400"),
    ("ldta DT_VAR(0), %r1, %r1", "a helper cannot load a dynamic variable"),
    ("ldts x, %r1", "a helper cannot load a dynamic variable"),
    ("ldgaa y, %r1", "a helper cannot load a dynamic variable"),
    ("ldtaa x, %r1", "a helper cannot load a dynamic variable"),
    ("stts %r1, x", "a helper cannot store to a dynamic variable"),
    ("stgaa %r1, y", "a helper cannot store to a dynamic variable"),
    ("sttaa %r1, x", "a helper cannot store to a dynamic variable"),
    ("call rand, %r1", "a helper cannot call rand"),
    ("call getf, %r1", "a helper cannot call getf"),
    ("call copyout, %r1", "a helper cannot call copyout"),
])
def test_a_helper_may_less(text: str, reason: str) -> None:
    difo = assemble(f"""
        .variable "x" 0x500 scalar thread read ctf integer 8 -
        .variable "y" 0x500 scalar global read ctf integer 8 -
        {text}
        ret %r1""")
    assert reasons(difo) == []
    assert reasons(difo, helper=True) == [f"instruction 0 (offset 0): {reason}"]


HELPER_SUBROUTINES = {
    "alloca", "bcopy", "copyin", "copyinto", "copyinstr", "index", "inet_ntoa", "inet_ntoa6",
    "inet_ntop", "json", "lltostr", "strtoll", "rindex", "strchr", "strjoin", "strrchr", "strstr",
    "htons", "htonl", "htonll", "ntohs", "ntohl", "ntohll", "memref", "memstr",
}
HELPER_VARIABLES = {
    "curthread", "pid", "ppid", "tid", "execname", "zonename", "uid", "gid", "execargs",
}


def test_what_a_helper_may() -> None:
    assert {row.name for row in isa.SUBROUTINES if row.helper} == HELPER_SUBROUTINES
    assert {row.name for row in isa.VARIABLES if row.helper} == HELPER_VARIABLES | {
        f"arg{n}" for n in range(10)}
