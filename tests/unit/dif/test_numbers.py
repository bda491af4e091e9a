"""The numbers by which kernels know subroutines and variables (<sys/dtrace.h>), and counts of arguments."""

from __future__ import annotations

import re

import pytest

from dif import isa

COMMON = """
    rand mutex_owned mutex_owner mutex_type_adaptive mutex_type_spin rw_read_held rw_write_held
    rw_iswriter copyin copyinstr speculation progenyof strlen copyout copyoutstr alloca bcopy
    copyinto msgdsize msgsize getmajor getminor ddi_pathname strjoin lltostr basename dirname
    cleanpath strchr strrchr strstr strtok substr index rindex htons htonl htonll ntohs ntohl ntohll
    inet_ntop inet_ntoa inet_ntoa6 toupper tolower"""
OWN = {"illumos": "getf json strtoll",
       "freebsd": "memref sx_shared_held sx_exclusive_held sx_isexclusive memstr getf json strtoll"}
SCALARS = """
    curthread timestamp vtimestamp ipl epid id arg0 arg1 arg2 arg3 arg4 arg5 arg6 arg7 arg8 arg9
    stackdepth caller probeprov probemod probefunc probename pid tid execname zonename walltimestamp
    ustackdepth ucaller ppid uid gid errno"""


@pytest.mark.parametrize("target", isa.TARGETS)
def test_subroutines(target: str) -> None:
    found = isa.subroutines(target)
    assert [found[number].name for number in range(len(found))] == [*COMMON.split(), *OWN[target].split()]


@pytest.mark.parametrize("target", isa.TARGETS)
def test_variables(target: str) -> None:
    found = isa.variables(target)
    assert [found[number].name for number in range(3)] == ["args", "regs", "uregs"]
    assert [found[number].name for number in range(0x100, 0x121)] == SCALARS.split()
    assert {number: row.name for number, row in found.items() if number > 0x120} == {
        "illumos": {0x121: "threadname", 0x1F0: "instance", 0x1F1: "vmname"},
        "freebsd": {0x121: "execargs", 0x122: "jid", 0x123: "jailname", 0x1F0: "instance", 0x1F1: "vmname",
                    0x200: "cpu"}}[target]


@pytest.mark.parametrize("target", isa.TARGETS)
def test_prototypes_count_their_arguments(target: str) -> None:
    for row in isa.subroutines(target).values():
        words = re.findall(r"[^,]+", row.prototype.partition("(")[2].removesuffix(")"))
        least = sum("[" not in word for word in words)
        assert (row.min_args, row.max_args) == (least, len(words)), row.name


SINCE = {(1, 1, 0): "strchr strrchr strstr strtok substr index rindex",
         (1, 3, 0): "htons htonl htonll ntohs ntohl ntohll", (1, 5, 0): "inet_ntop inet_ntoa inet_ntoa6",
         (1, 8, 0): "toupper tolower", (1, 10, 0): "getf", (1, 11, 0): "json strtoll"}


def test_versions_that_subroutines_came_with() -> None:
    came = {name: version for version, names in SINCE.items() for name in names.split()}
    for row in isa.subroutines("illumos").values():
        assert row.since == came.get(row.name, (1, 0, 0)), row.name
    found = {row.name: row.since for row in isa.variables("illumos").values() if row.since != (1, 0, 0)}
    assert found == {"vmregs": (1, 7, 0), "ustackdepth": (1, 2, 0), "ucaller": (1, 2, 0),
                     "threadname": (1, 13, 0)}


def test_operands_that_change_nothing_or_everything() -> None:
    neutral = {row.name: row.neutral for row in isa.OPCODES.values() if row.neutral is not None}
    assert neutral == {"and": (1 << 64) - 1, **dict.fromkeys(("mul", "udiv", "sdiv"), 1),
                       **dict.fromkeys(("or", "xor", "add", "sub", "sll", "srl", "sra"), 0)}
    absorbing = {row.name: row.absorbing for row in isa.OPCODES.values() if row.absorbing is not None}
    assert absorbing == {"and": 0, "mul": 0}


EVOLVING = """
    mutex_owned mutex_owner mutex_type_adaptive mutex_type_spin rw_read_held rw_write_held rw_iswriter
    getmajor getminor ddi_pathname htons htonl htonll ntohs ntohl ntohll
    sx_shared_held sx_exclusive_held sx_isexclusive instance vmname"""


@pytest.mark.parametrize("target", isa.TARGETS)
def test_how_stable_a_name_is(target: str) -> None:
    known = dict.fromkeys(EVOLVING.split(), "Evolving/Evolving/Common")
    known["curthread"] = "Stable/Private/Common"
    for row in (*isa.subroutines(target).values(), *isa.variables(target).values()):
        assert row.stability == known.get(row.name, "Stable/Stable/Common"), row.name


def test_what_writes_to_a_process_is_destructive() -> None:
    assert {row.name for row in isa.SUBROUTINES if row.destructive} == {"copyout", "copyoutstr"}


def test_what_only_freebsd_has_came_with_a_version_too() -> None:
    found = (*isa.subroutines("freebsd").values(), *isa.variables("freebsd").values())
    ours = {row.name: row.since for row in found if row.since != (1, 0, 0) and row.name not in
            " ".join((*SINCE.values(), "ustackdepth ucaller")).split()}
    assert ours == {"memref": (1, 1, 0), "jid": (1, 13, 0), "jailname": (1, 13, 0), "cpu": (1, 6, 3)}


BY_PROPERTY = {
    "pure": "or xor and sll srl sub add mul sdiv udiv srem urem not mov sra setx sets",
    "commutes": "or xor and add mul",
    "faults": "sdiv udiv srem urem",
    "signed": "sra sdiv srem bg bge bl ble ldsb ldsh ldsw uldsb uldsh uldsw rldsb rldsh rldsw",
    "dynamic": "ldta ldts stts ldgaa ldtaa stgaa sttaa",
    "keyed": "ldgaa ldtaa stgaa sttaa",
    "address_in_rd": "copys stb sth stw stx",
}


@pytest.mark.parametrize("name", BY_PROPERTY)
def test_instructions_that_have_a_property(name: str) -> None:
    assert {row.name for row in isa.OPCODES.values() if getattr(row, name)} == set(BY_PROPERTY[name].split())


BY_VALUE = {
    ("size", 1): "ldsb ldub uldsb uldub rldsb rldub stb",
    ("size", 2): "ldsh lduh uldsh ulduh rldsh rlduh sth",
    ("size", 4): "ldsw lduw uldsw ulduw rldsw rlduw stw",
    ("size", 8): "ldx uldx rldx stx",
    ("space", "user"): "uldsb uldsh uldsw uldub ulduh ulduw uldx",
    ("space", "kernel"): "rldsb rldsh rldsw rldub rlduh rlduw rldx",
    ("flags", isa.Flags.SET): "cmp scmp tst",
    ("flags", isa.Flags.USE): "be bne bg bgu bge bgeu bl blu ble bleu",
    ("scope", isa.SCOPE_GLOBAL): "ldga ldgs stgs ldgaa stgaa", ("scope", isa.SCOPE_LOCAL): "ldls stls",
    ("scope", isa.SCOPE_THREAD): "ldta ldts stts ldtaa sttaa",
}


@pytest.mark.parametrize("name", ["size", "space", "flags", "scope"])
def test_what_instructions_are_about(name: str) -> None:
    known = {each: value for (about, value), names in BY_VALUE.items() if about == name
             for each in names.split()}
    default = {"size": 0, "space": "", "flags": isa.Flags.NONE, "scope": None}[name]
    for row in isa.OPCODES.values():
        assert getattr(row, name) == known.get(row.name, default), row.name


@pytest.mark.parametrize(("word", "fields"), [
    (0x01020304, (1, 2, 3, 4, 0x0203, 0x020304)), (0xFFFEFDFC, (255, 254, 253, 252, 0xFEFD, 0xFEFDFC))])
def test_fields_of_a_word(word: int, fields: tuple[int, ...]) -> None:
    assert tuple(isa.decode(word)) == fields
    op, r1, r2, rd, imm, label = fields
    assert isa.fmt(op, r1, r2, rd) == isa.wide(op, imm, rd) == isa.branch(op, label) == word
    assert isa.fmt(op) == isa.wide(op, 0) == op << 24
