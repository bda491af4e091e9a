"""The tables of system calls and of kernel functions name what there is, and all of it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from runtime.kernel import syscalls
from runtime.kernel.base.kernelfunctions import KFUNCTIONS
from runtime.kernel.base.systemcalls import ROWS
from runtime.kernel.cpu.sparc.numbers import from_status
from runtime.kernel.kernel import Kernel
from runtime.kernel.syscalls.loaders import LOADERS
from runtime.kernel.syscalls.table import ARM64_PREFIX, I386_PREFIX

PACKAGE = Path(syscalls.__path__[0])
WITHOUT = {"send", "recv"}  # which only socketcall(2) has
PLACES = {name: module for name, *_, module in (line.split("|") for line in ROWS.splitlines())}


@pytest.mark.parametrize("file", sorted(set(PACKAGE.rglob("*.py")) - set((PACKAGE / "sparc").glob("*.py"))),
                         ids=lambda file: file.stem)
def test_every_handler_is_in_its_row(file: Path) -> None:
    names = {node.name.removeprefix("sys_").removeprefix(I386_PREFIX).removeprefix(ARM64_PREFIX)
             for node in ast.parse(file.read_text()).body
             if isinstance(node, ast.FunctionDef) and node.name.startswith("sys_")}
    assert {name: PLACES.get(name) for name in names - WITHOUT} == dict.fromkeys(
        names - WITHOUT, ".".join(file.relative_to(PACKAGE).with_suffix("").parts))


def test_every_row_with_a_module_has_a_handler() -> None:
    kernel = Kernel()
    found = {entry.call.name for table in kernel.syscalls.values() for number in range(512)
             if (entry := table[number]) is not None and entry.handler is not None}
    assert found == {name for name, module in PLACES.items() if module}


def test_rows_name_the_modules_that_are_loaded() -> None:
    assert set(LOADERS) == set(PLACES.values()) - {""}
    assert {name: load().__name__ for name, load in LOADERS.items()} == {
        name: f"{syscalls.__name__}.{name}" for name in LOADERS}


def test_calls_on_sockets_are_of_illumos_module() -> None:
    assert {KFUNCTIONS[name].module for name in ("accept", "bind", "so_socket")} == {"sockfs"}


def test_functions_are_loaded_with_the_kernel() -> None:
    kernel = Kernel()
    for table in kernel.syscalls.values():
        for number in range(512):
            table[number]
    assert [name for name, function in KFUNCTIONS.items() if function.code is None] == []


def test_numbers_that_no_call_has() -> None:
    table = Kernel().syscalls[64]
    assert table[511] is None and table[1 << 31] is None and 1 << 31 not in table


@pytest.mark.parametrize(("ours", "theirs"), [
    (0, 0), (5 << 8, 5 << 8), (0xFFFF, 0xFFFF), (11, 11), (10, 30), (10 | 0x80, 30 | 0x80),
    (19 << 8 | 0x7F, 17 << 8 | 0x7F), (5 << 8 | 0x7F, 5 << 8 | 0x7F)])
def test_status_of_children_of_sparc(ours: int, theirs: int) -> None:
    """Who exited, goes on, was killed or stopped: with the number that the signal has there."""
    assert from_status(ours) == theirs
