"""The arrows of the house: who may import whom, and what start-up may not load."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAY_IMPORT = {
    "dif": {"dif"},
    "dof": {"dof", "dif"},
    "dc": {"dc", "dof", "dif"},
    "runtime": {"runtime", "dc", "dof", "dif"},
}


def imports(path: Path) -> list[tuple[str, str]]:
    """(module, name) pairs that a file imports; name is empty for a plain import."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found += [(node.module or "", alias.name) for alias in node.names]
    return found


def sources(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_imports_go_one_way(package: str) -> None:
    ours = set(MAY_IMPORT)
    for path in sources(package):
        for module, _name in imports(path):
            top = module.partition(".")[0]
            assert top not in ours or top in MAY_IMPORT[package], f"{path} imports {module}"


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_nobody_imports_a_private_name(package: str) -> None:
    for path in sources(package):
        for module, name in imports(path):
            if module.partition(".")[0] in MAY_IMPORT:
                private = name.startswith("_") and not name.startswith("__")
                assert not private, f"{path} imports {name} of {module}"


def test_the_kernel_knows_nothing_of_dtrace() -> None:
    for path in sorted((ROOT / "runtime" / "kernel").rglob("*.py")):
        for module, _name in imports(path):
            assert not module.startswith(("runtime.framework", "runtime.providers", "runtime.consumer",
                                          "runtime.border", "dof")), f"{path} imports {module}"


def test_compiling_loads_no_engine() -> None:
    script = ROOT / "tests" / "demo" / "trace.d"
    code = ("import sys; from dc.command import main\n"
            f"try: main(['-o', '/dev/null', {str(script)!r}])\n"
            "except SystemExit as stop: assert not stop.code, stop.code\n"
            "print(sorted({'unicorn', 'llvmlite', 'capstone', 'keystone', 'numpy'} & set(sys.modules)))")
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT,
                            check=False)
    assert (result.returncode, result.stdout.strip()) == (0, "[]"), result.stderr
