"""A wheel of the package has what an installation needs: man pages, completion, data beside the modules."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """Built from a copy, because building writes into the source."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("dif", "dof", "dc", "runtime"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "dtrace.py"):
        shutil.copy(ROOT / name, source)
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
                    "--disable-pip-version-check", "--wheel-dir", str(folder), str(source)], check=True,
                   capture_output=True)
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def test_man_pages_and_completion_are_installed(wheel: zipfile.ZipFile) -> None:
    data = {name.partition(".data/data/")[2] for name in wheel.namelist() if ".data/data/" in name}
    assert {f"share/man/man1/{name}.1" for name in ("dtrace", "dc", "difas", "difdis", "dtest")} <= data
    assert {"share/bash-completion/completions/dtrace.bash", "share/zsh/site-functions/_dtrace",
            "share/fish/vendor_completions.d/dtrace.fish"} <= data
    page, = (name for name in wheel.namelist() if name.endswith("share/man/man1/dtrace.1"))
    assert b".TH" in wheel.read(page)


def test_everything_that_is_read_is_there(wheel: zipfile.ZipFile) -> None:
    """Every file of the packages that is no module, but for caches and pages that only the site needs."""
    packed = set(wheel.namelist())
    needed = {path.relative_to(ROOT).as_posix() for package in ("dif", "dof", "dc", "runtime")
              for path in (ROOT / package).rglob("*")
              if path.is_file() and "__pycache__" not in path.parts and path.suffix not in (".pyc", ".1")
              and "shells" not in path.parts and path.name != "README.md"}
    assert sorted(needed - packed) == []
    assert "dtrace.py" in packed


def test_commands_and_plugins_are_named(wheel: zipfile.ZipFile) -> None:
    name, = (each for each in wheel.namelist() if each.endswith("entry_points.txt"))
    text = wheel.read(name).decode()
    for line in ("\ndc = ", "\ndtrace = ", "\ndtest = ", "\ndifdis = ", "[pytest11]",
                 "[dc.servers]\nlsp = runtime.languageserver.server:main",
                 "[dc.machines]\nemulated = runtime.command.knownprobes:catalog"):
        assert line in text
