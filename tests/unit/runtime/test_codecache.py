"""The cache of modules' byte code: what is loaded is what the sources say, whatever the file holds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
from runtime.command.codecache import CodeCache
root = sys.argv[1]
sys.path.insert(0, root)
cache = CodeCache(root)
cache.install()
import dif.one
print(dif.one.VALUE, type(dif.one.__loader__).__name__, dif.one.__file__, dif.__path__, dif.one.__package__)
import inspect
assert "VALUE" in inspect.getsource(dif.one)
cache.add_loaded()
"""
NORMAL, CACHED = "SourceFileLoader", "_Loader"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    package = tmp_path / "dif"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "one.py").write_text("VALUE = 11\n")
    return tmp_path


def loaded(root: Path, **variables: str) -> tuple[int, str]:
    """Load a package in a new process; returns what a module of it holds, and what has loaded it."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run([sys.executable, "-c", PROGRAM, root], env={**environment, **variables},
                          capture_output=True, text=True, check=True)
    value, loader, rest = done.stdout.split(" ", 2)
    assert rest == f"{root}/dif/one.py ['{root}/dif'] dif\n"
    return int(value), loader


def cache(root: Path) -> Path:
    return root / "runtime" / "__pycache__" / f"commands.{sys.implementation.cache_tag}.code"


def test_the_second_run_reads_one_file(root: Path) -> None:
    assert loaded(root) == (11, NORMAL)
    written = cache(root).stat().st_mtime_ns
    assert loaded(root) == (11, CACHED)
    assert cache(root).stat().st_mtime_ns == written


def test_a_changed_source_counts(root: Path) -> None:
    loaded(root)
    (root / "dif" / "one.py").write_text("VALUE = 222\n")
    assert loaded(root) == (222, NORMAL)
    assert loaded(root) == (222, CACHED)
    source = root / "dif" / "one.py"
    source.write_text("VALUE = 333\n")  # of the same size, at another time
    os.utime(source, ns=(1, 1))
    assert loaded(root) == (333, NORMAL)


def test_a_module_that_is_gone_is_gone(root: Path) -> None:
    loaded(root)
    (root / "dif" / "one.py").unlink()
    with pytest.raises(subprocess.CalledProcessError) as failed:
        loaded(root)
    assert "No module named 'dif.one'" in failed.value.stderr


@pytest.mark.parametrize("spoiled", [b"", b"\0" * 40, slice(0, 30), slice(0, -9), slice(4, None)], ids=str)
def test_a_spoiled_file_is_written_anew(root: Path, spoiled: bytes | slice) -> None:
    loaded(root)
    good = cache(root).read_bytes()
    cache(root).write_bytes(spoiled if isinstance(spoiled, bytes) else good[spoiled])
    assert loaded(root) == (11, NORMAL)
    assert loaded(root) == (11, CACHED)


def test_nothing_is_written_where_python_writes_no_caches(root: Path) -> None:
    assert loaded(root, PYTHONDONTWRITEBYTECODE="1") == (11, NORMAL)
    assert not cache(root).exists()


def test_code_without_assertions_has_its_own(root: Path) -> None:
    text = "VALUE = 1\ntry:\n    assert False\nexcept AssertionError:\n    VALUE = 2\n"
    (root / "dif" / "one.py").write_text(text)
    for _run in range(2):
        assert [loaded(root, PYTHONOPTIMIZE=level)[0] for level in ("", "1")] == [2, 1]


def test_a_directory_that_cannot_be_made_is_no_error(root: Path) -> None:
    (root / "runtime").write_text("no directory")
    assert loaded(root) == (11, NORMAL)
    assert loaded(root) == (11, NORMAL)
