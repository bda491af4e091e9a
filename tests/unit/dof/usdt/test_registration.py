"""The committed registration objects are what their source says."""

from __future__ import annotations

from pathlib import Path

import pytest

from dof.elf import SHN_UNDEF, ElfFile
from dof.usdt.registration import build

OBJECTS = sorted(build.HERE.glob("*.bin"))
LIBC = {"open", "close", "ioctl", "write", "getenv", "dladdr"}


def test_there_is_one_for_every_system_and_machine() -> None:
    wanted = {f"{system}-{machine}.bin" for system, machines in build.SYSTEMS.items() for machine in machines}
    assert {each.name for each in OBJECTS} == wanted


@pytest.mark.parametrize("path", OBJECTS, ids=lambda each: each.stem)
def test_object(path: Path) -> None:
    elf = ElfFile(path.read_bytes())
    names = {each.name for each in elf.sections}
    assert {".SUNW_dof", ".init_array", ".fini_array", ".note.GNU-stack"} <= names
    assert not any(each.startswith((".eh_frame", ".comment", ".debug")) for each in names)
    table = elf.symbol_table()
    assert table is not None
    undefined = {each.name.decode() for each in elf.symbols(table)[1:] if each.section == SHN_UNDEF}
    undefined.discard("_GLOBAL_OFFSET_TABLE_")
    system = path.stem.split("-", 1)[0]
    wanted = {"linux": {"getenv", "dladdr"}, "illumos": LIBC, "freebsd": LIBC | {"getpid"}}[system]
    assert undefined == wanted
    assert b"/dev/dtrace/helper\0" in path.read_bytes()


def test_they_are_made_of_this_source() -> None:
    made = build.manifest()
    assert made.keys() == build.MACHINES.keys()
    for machine, row in made.items():
        assert row.source == build.digest(machine), f"{machine}: say `make registration`"


@pytest.mark.parametrize("path", OBJECTS, ids=lambda each: each.stem)
def test_compiling_the_source_gives_them(path: Path, tmp_path: Path) -> None:
    """The compiler that made an object makes it again; another one makes an object that does as well."""
    system, machine = path.stem.split("-", 1)
    again = tmp_path / path.name
    try:
        build.compile_one(system, machine, again)
    except build.CompilerMissing:
        pytest.skip(f"no compiler for {machine}: that its registration objects can be made again")
    if build.version(machine) == build.manifest()[machine].compiler:
        assert again.read_bytes() == path.read_bytes(), "say `make registration`"
    test_object(again)
