"""What a linker says of objects that `dtrace -G` has not seen."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from subprocess import CompletedProcess, run

import pytest
import zigcc

PROVIDER = "provider shop { probe price__change(int); };\n"
SOURCE = """
#include "shop.h"
int main(int argc, char **argv) { (void)argv; SHOP_PRICE_CHANGE(argc); return 0; }
"""
HINT = "__dtrace_shop___price__change.give_this_object_to_dtrace_G"


def dtrace(folder: Path, *words: str) -> None:
    run([sys.executable, "-m", "runtime.command", *words, "-s", "shop.d"], cwd=folder, check=True)


def with_linker(folder: Path, name: str) -> list[str]:
    """Options with which gcc links by the linker of that name.  lld is zig's, where the system has none."""
    if shutil.which(name) is not None:
        return [f"-fuse-ld={name.removeprefix('ld.')}"]
    zig = zigcc.zig()
    if name != "ld.lld" or zig is None:
        pytest.skip(f"no {name}: what it says of objects that -G has not seen")
    (folder / name).write_text(f'#!/bin/sh\nexec {zig} ld.lld "$@"\n')
    (folder / name).chmod(0o755)
    return [f"-B{folder}", "-fuse-ld=lld"]


def gcc(folder: Path, *words: str) -> CompletedProcess[str]:
    return run(["gcc", "-Wall", "-Wextra", "-Werror", "-pedantic", *words], cwd=folder, capture_output=True,
               text=True, check=False)


@pytest.mark.parametrize("name", ["ld.bfd", "ld.gold", "ld.lld"])
def test_forgotten_object(tmp_path: Path, name: str) -> None:
    """The linker says what to do; once that is done nothing of it is left."""
    linker = with_linker(tmp_path, name)
    (tmp_path / "shop.d").write_text(PROVIDER)
    (tmp_path / "main.c").write_text(SOURCE)
    dtrace(tmp_path, "-h")
    assert gcc(tmp_path, "-c", "main.c").returncode == 0
    refused = gcc(tmp_path, *linker, "main.o", "-o", "main")
    assert refused.returncode and HINT in refused.stderr
    dtrace(tmp_path, "-G", "-o", "p.o", "main.o")
    linked = gcc(tmp_path, *linker, "main.o", "p.o", "-o", "main")
    assert linked.returncode == 0 and not linked.stderr
    assert HINT[1:].encode() not in (tmp_path / "main").read_bytes()
    gcc(tmp_path, "-c", "main.c")
    assert HINT in gcc(tmp_path, *linker, "main.o", "p.o", "-o", "main").stderr  # compiled anew


def test_an_object_without_calls(tmp_path: Path) -> None:
    """What calls no probe need not be given: the linker says nothing of the others."""
    (tmp_path / "shop.d").write_text(PROVIDER)
    (tmp_path / "main.c").write_text(SOURCE)
    (tmp_path / "other.c").write_text('#include "shop.h"\nextern int other;\nint other = 1;\n')
    dtrace(tmp_path, "-h")
    gcc(tmp_path, "-c", "main.c", "other.c")
    for _ in range(2):
        dtrace(tmp_path, "-G", "-o", "p.o", "main.o")
        linked = gcc(tmp_path, "main.o", "other.o", "p.o", "-o", "main")
        assert linked.returncode == 0 and not linked.stderr
