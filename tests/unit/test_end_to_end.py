"""The demo program all the way, as a user runs it, judged by the program itself and by gdb."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).resolve().parents[1] / "demo"
ORDERS = 37


def dtrace(folder: Path, *arguments: str) -> str:
    result = subprocess.run([sys.executable, "-m", "runtime.command", *arguments], cwd=folder, text=True,
                            capture_output=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the demo program has been built."""
    folder = tmp_path_factory.mktemp("shop")
    dtrace(folder, "-h", "-s", str(DEMO / "shop.d"), "-o", "provider.h")
    for name in ("stock", "orders"):
        subprocess.run(["cc", "-O1", "-g", "-ffunction-sections", "-I.", f"-I{DEMO}", "-c",
                        str(DEMO / f"{name}.c")], cwd=folder, check=True)
    dtrace(folder, "-G", "-s", str(DEMO / "shop.d"), "stock.o", "orders.o", "-o", "shop.o")
    subprocess.run(["cc", "-Wl,--gc-sections", "stock.o", "orders.o", "shop.o", "-o", "shop"], cwd=folder,
                   check=True)
    return folder


def own_counts(output: str) -> dict[str, int]:
    """What the program says of itself: passages by probe."""
    line = next(line for line in output.splitlines() if line.startswith("passed: "))
    return {name: int(count) for name, count in re.findall(r"([\w-]+) (\d+)", line)}


def test_counts_equal_the_programs_own(shop: Path) -> None:
    script = 'shop$target::: { @[probename] = count(); } END { printa("=%s %@d\\n", @); }'
    output = dtrace(shop, "-qn", script, "-c", f"./shop {ORDERS}")
    traced = {name: int(count) for name, count in re.findall(r"^=(\S+) (\d+)$", output, re.MULTILINE)}
    assert traced == own_counts(output)
    assert traced["stock-audit"] > 0, "the is-enabled probe was enabled"


def test_nobody_looking_means_not_enabled(shop: Path) -> None:
    native = subprocess.run(["./shop", str(ORDERS)], cwd=shop, stdout=subprocess.PIPE, text=True,
                            check=True).stdout
    assert own_counts(native)["stock-audit"] == 0
    emulated = dtrace(shop, "-qn", "BEGIN { }", "-c", f"./shop {ORDERS}")
    assert own_counts(emulated) == own_counts(native)


def test_stripped_program_keeps_its_probes(shop: Path, tmp_path: Path) -> None:
    stripped = tmp_path / "shop"
    subprocess.run(["strip", "-o", str(stripped), str(shop / "shop")], check=True)
    script = 'shop$target:::order-done { @ = count(); } END { printa("=%@d\\n", @); }'
    output = dtrace(tmp_path, "-qn", script, "-c", f"./shop {ORDERS}")
    assert f"={ORDERS}\n" in output


def test_same_command_gives_same_bytes(shop: Path) -> None:
    command = ("-s", str(DEMO / "trace.d"), "-c", f"./shop {ORDERS}")
    assert dtrace(shop, *command) == dtrace(shop, *command)


def test_same_script_gives_same_dof(shop: Path) -> None:
    for name in ("one.dof", "two.dof"):
        code = "import sys; from dc.command import main; sys.exit(main(sys.argv[1:]))"
        subprocess.run([sys.executable, "-c", code, str(DEMO / "trace.d"), "-o", name], cwd=shop, check=True)
    assert (shop / "one.dof").read_bytes() == (shop / "two.dof").read_bytes()


@pytest.mark.skipif(shutil.which("gdb") is None, reason="no gdb: pid counts compared with its own")
def test_pid_counts_equal_those_of_gdb(shop: Path) -> None:
    functions = ("serve", "price_of", "audit_stock")
    breaks = [word for function in functions for word in ("-ex", f"break {function}")]
    ignores = [word for number in range(1, 4) for word in ("-ex", f"ignore {number} 1000000")]
    gdb = subprocess.run(["gdb", "-nx", "-batch", *breaks, *ignores, "-ex", "run", "-ex", "info breakpoints",
                          "--args", "./shop", str(ORDERS)], cwd=shop, capture_output=True, text=True,
                         timeout=120, check=False)
    hits = re.findall(r"in (\w+) at .*\n\s+breakpoint already hit (\d+) time", gdb.stdout)
    clauses = ", ".join(f"pid$target::{function}:entry" for function in functions)
    script = clauses + ' { @[probefunc] = count(); } END { printa("=%s %@d\\n", @); }'
    output = dtrace(shop, "-qn", script, "-c", f"./shop {ORDERS}")
    traced = re.findall(r"^=(\S+) (\d+)$", output, re.MULTILINE)
    assert len(hits) == 3, gdb.stdout + gdb.stderr
    assert sorted(traced) == sorted(hits)
