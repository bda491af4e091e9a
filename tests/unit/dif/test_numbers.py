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


@pytest.mark.parametrize(("name", "neutral", "absorbing"), [
    ("and", (1 << 64) - 1, 0), ("or", 0, None), ("xor", 0, None), ("add", 0, None), ("sub", 0, None),
    ("mul", 1, 0), ("sll", 0, None), ("udiv", 1, None), ("sdiv", 1, None)])
def test_operands_that_change_nothing_or_everything(name: str, neutral: int, absorbing: int | None) -> None:
    (row,) = (row for row in isa.OPCODES.values() if row.name == name)
    assert (row.neutral, row.absorbing) == (neutral, absorbing)
