"""Types that the compiler has kept in other files: -gsplit-dwarf, and what dwp(1) makes of it."""

from __future__ import annotations

import shutil
import struct
import sys
from fractions import Fraction
from pathlib import Path
from subprocess import run

import pytest

from dc.types.types import Model, Record
from dif.limits import DEBUG_INFORMATION
from dof.elf import ElfFile
from runtime.programs import splitdwarf
from runtime.programs.dwarf import DwarfTypes
from runtime.programs.objectfile import ObjectFile

POINT = """
struct inner { char c; long l; };
typedef struct point { int x; unsigned b:3; struct inner in; struct point *next; } point_t;
"""
PROGRAM = POINT + """
#include <stdlib.h>
__attribute__((noinline)) int reads(point_t *p, int n) { n += p->x + p->b; return n; }
int main(int argc, char **argv) { point_t p = { argc, 5 }; return reads(&p, atoi("3")) - 9; }
"""
OTHER = POINT + "__attribute__((noinline)) int writes(point_t *p) { return p->x++; }\n"
COLUMNS = {"info": 1, "abbrev": 3, "str_offsets": 6, "loclists": 5}  # of a package's index
FLAGS = ["-gdwarf-4", "-gdwarf-5", "-gdwarf-4 -fdebug-types-section", "-gdwarf-5 -fdebug-types-section"]


def build(folder: Path, flags: str) -> str:
    """A program of two units."""
    (folder / "one.c").write_text(PROGRAM)
    (folder / "two.c").write_text(OTHER)
    for name in ("one", "two"):
        run(["gcc", "-O1", "-g", "-gsplit-dwarf", *flags.split(), "-c", f"{name}.c"], cwd=folder, check=True)
    run(["gcc", "-o", "program", "one.o", "two.o"], cwd=folder, check=True)
    return str(folder / "program")


def contents(path: str) -> bytes | None:
    file = Path(path)
    return file.read_bytes() if file.exists() else None


def types_of(program: str) -> tuple[DwarfTypes, ObjectFile]:
    data = Path(program).read_bytes()
    return DwarfTypes(data, program, Model.LP64, None, contents), ObjectFile(program, data, None)


def check(program: str) -> None:
    types, file = types_of(program)
    for function, names in (("reads", ("p", "n")), ("writes", ("p",))):
        signature = types.signature(file.by_name[function][0].start)
        assert signature is not None and signature.names == names
        assert [str(each) for each in signature.parameters] == ["point_t *", "int"][:len(names)]
    point = types.scope.lookup("point_t")
    assert point is not None
    record = point.resolve()
    assert isinstance(record, Record)
    assert [(each.name, str(each.type), each.offset) for each in record.members] == [
        ("x", "int", 0), ("b", "unsigned int", 32), ("in", "struct inner", 64),
        ("next", "struct point *", 192)]


@pytest.mark.parametrize("flags", FLAGS)
def test_files_beside_objects(flags: str, tmp_path: Path) -> None:
    check(build(tmp_path, flags))


def pack(folder: Path) -> None:
    """program.dwp of version 5 as the standard has it (7.3.5): GNU's dwp knows version 4 only."""
    parts: dict[str, list[bytes]] = {name: [] for name in (*COLUMNS, "str")}
    for name in ("one", "two"):
        for section, found in parts.items():
            where = folder / f"{name}.{section}"
            run(["objcopy", "-O", "binary", f"--only-section=.debug_{section}.dwo",
                 f"--set-section-flags=.debug_{section}.dwo=alloc", f"{name}.dwo", where],
                cwd=folder, check=True)
            found.append(where.read_bytes() if where.exists() else b"")
    theirs = parts["str_offsets"][1]
    head, *offsets = struct.unpack(f"<Q{len(theirs) // 4 - 2}I", theirs)
    moved = [offset + len(parts["str"][0]) for offset in offsets]
    parts["str_offsets"][1] = struct.pack(f"<Q{len(moved)}I", head, *moved)
    identities = [struct.unpack_from("<Q", data, 12)[0] for data in parts["info"]]
    slots, rows = [0] * 4, [0] * 4
    for row, identity in enumerate(identities, 1):
        slot = next(slot % 4 for slot in range(identity % 4, 8) if not rows[slot % 4])
        slots[slot], rows[slot] = identity, row
    columns = [parts[name] for name in COLUMNS]
    index = struct.pack("<4I4Q4I4I", 5, len(COLUMNS), 2, 4, *slots, *rows, *COLUMNS.values())
    first, second = zip(*([len(data) for data in column] for column in columns), strict=True)
    index += struct.pack("<16I", 0, 0, 0, 0, *first, *first, *second)
    (folder / "index").write_bytes(index)
    changes = ["--add-section", ".debug_cu_index=index"]
    for section, found in parts.items():
        (folder / section).write_bytes(b"".join(found))
        changes += ["--update-section", f".debug_{section}.dwo={section}"]
    run(["objcopy", *changes, "one.dwo", "program.dwp"], cwd=folder, check=True)


@pytest.mark.parametrize("flags", [FLAGS[0], FLAGS[1], FLAGS[2]])
def test_package(flags: str, tmp_path: Path) -> None:
    program = build(tmp_path, flags)
    if "5" in flags:
        pack(tmp_path)
    else:
        run(["dwp", "-o", "program.dwp", "one.dwo", "two.dwo"], cwd=tmp_path, check=True)
    for name in ("one", "two"):
        (tmp_path / f"{name}.dwo").unlink()
    check(program)


def test_a_package_that_lacks_a_unit(tmp_path: Path) -> None:
    """What is in it is known nevertheless."""
    program = build(tmp_path, FLAGS[0])
    run(["dwp", "-o", "program.dwp", "one.dwo"], cwd=tmp_path, check=True)
    for name in ("one", "two"):
        (tmp_path / f"{name}.dwo").unlink()
    types, file = types_of(program)
    signatures = [types.signature(file.by_name[name][0].start) for name in ("writes", "reads")]
    assert [each is not None for each in signatures] == [False, True]
    assert types.scope.lookup("struct point") is not None


@pytest.mark.parametrize("flags", FLAGS[:2])
def test_files_that_do_not_belong(flags: str, tmp_path: Path) -> None:
    """Of another build, broken, gone: nothing is known, and nothing wrong."""
    program = build(tmp_path, flags)
    (tmp_path / "two.dwo").write_bytes(b"\x7fELF and no more")
    shutil.copy(tmp_path / "one.dwo", tmp_path / "old.dwo")
    (tmp_path / "one.c").write_text(PROGRAM.replace("point_t *p, int n", "point_t *p, long n"))
    run(["gcc", "-O1", "-g", "-gsplit-dwarf", *flags.split(), "-c", "one.c"], cwd=tmp_path, check=True)
    for damage in (None, "old.dwo", ""):
        if damage == "":
            (tmp_path / "one.dwo").unlink()
        elif damage:
            shutil.copy(tmp_path / damage, tmp_path / "one.dwo")
        types, file = types_of(program)
        signatures = [types.signature(file.by_name[name][0].start) for name in ("reads", "writes")]
        assert [each is not None for each in signatures] == [damage == "old.dwo", False]


def test_abbreviations_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each table once, by its bytes: of the program and of both files beside it."""
    program = build(tmp_path, "-gdwarf-5")
    size = sum(section.size for name in ("program", "one.dwo", "two.dwo")
               for section in ElfFile((tmp_path / name).read_bytes()).sections
               if section.name.startswith(".debug_abbrev"))
    monkeypatch.setattr(splitdwarf, "TABLES", Fraction(2 * DEBUG_INFORMATION, size))
    check(program)
    monkeypatch.setattr(splitdwarf, "TABLES", Fraction(2 * DEBUG_INFORMATION, size - 1))
    types, file = types_of(program)
    signatures = [types.signature(file.by_name[name][0].start) for name in ("reads", "writes")]
    assert [each is not None for each in signatures] == [True, False]


def test_arguments(tmp_path: Path) -> None:
    program = build(tmp_path, "-gdwarf-5")
    command = [sys.executable, "-m", "runtime.command", "-q", "-c", program,
               "-n", 'pid$target:a.out:reads:entry { printf("%d %d %d", args[0]->x, args[0]->b, args[1]); }']
    done = run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "1 5 3", done.stderr
