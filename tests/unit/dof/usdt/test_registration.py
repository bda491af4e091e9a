"""The committed registration objects are what their source says."""

from __future__ import annotations

import shutil
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


def test_they_are_up_to_date(tmp_path: Path) -> None:
    if any(shutil.which(each[0]) is None for each in build.COMPILERS.values()) or \
            build.versions() != (build.HERE / "compilers").read_text():
        pytest.skip("the objects were made by other compilers")
    build.compile_all(tmp_path)
    for path in OBJECTS:
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), f"{path.name}: run build.py"
