"""Collects the D tests below this directory, in the layout that DTrace's own suites use.

    CATEGORY/tst.NAME.d         compiles, runs, exits 0
    CATEGORY/err.D_TAG.NAME.d   exits 1 and prints [D_TAG] under -xerrtags
    CATEGORY/drp.KIND.NAME.d    exits 0 and prints [KIND] under -xdroptags
    *.d.out, *.d.err            expected output, byte for byte
    NAME.c beside NAME.d        a companion program, running in the emulated
                                machine before tracing begins; its pid is $1
    *.ksh in place of *.d       a shell script; $1 is the dtrace command

Tests in a category named preprocessor run under -C.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

DTRACE = [sys.executable, "-m", "runtime.command"]
FOLDER = pytest.StashKey[str]()  # of what is made for the tests, whose path has no space in it
TIMEOUT = 300  # seconds: some run the command twenty times, and a machine may be busy
COMPANION_PID = "101"  # the first process a machine starts beside dtrace itself
NAME = re.compile(r"(tst|err|drp)\.(?:([A-Z][A-Z0-9_]+)\.)?.*\.(d|ksh)$")


def pytest_configure(config: pytest.Config) -> None:
    """Make the folder, and in it a command that scripts can name in one word."""
    folder = tempfile.TemporaryDirectory(prefix="dtrace-")
    config.add_cleanup(folder.cleanup)
    config.stash[FOLDER] = folder.name
    command = Path(folder.name) / "dtrace"
    command.write_text(f'#!/bin/sh\nexec {shlex.join(DTRACE)} "$@"\n')
    command.chmod(0o755)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if NAME.match(file_path.name):
        return DFile.from_parent(parent, path=file_path)
    return None


class DFile(pytest.File):
    def collect(self) -> Iterator[pytest.Item]:
        yield DTest.from_parent(self, name=self.path.name)


class Failure(Exception):
    """What a user would see to be wrong."""


class DTest(pytest.Item):
    """One D test."""

    def runtest(self) -> None:
        match = NAME.match(self.path.name)
        assert match
        kind, tag, extension = match.groups()
        flags = {"err": ["-xerrtags"], "drp": ["-xdroptags"]}.get(kind, [])
        if "preprocessor" in self.path.parent.name:
            flags = [*flags, "-C"]
        if extension == "ksh":
            argv, stdin = ["sh", "-s", f"{self.config.stash[FOLDER]}/dtrace"], self.path.read_bytes()
        else:
            companion = self.companion()
            background = ["-x", f"spawn={companion}"] if companion else []
            pid = [COMPANION_PID] if companion else []
            argv, stdin = [*DTRACE, *flags, *background, "-s", self.path.name, *pid], b""
        env = dict(os.environ, TZ="Etc/UTC")
        result = subprocess.run(argv, input=stdin, cwd=self.path.parent, env=env,
                                capture_output=True, timeout=TIMEOUT, check=False)
        self.judge(kind, tag, result)

    def companion(self) -> str | None:
        source = self.path.with_suffix(".c")
        if not source.exists():
            return None
        build = Path(self.config.stash[FOLDER]) / self.path.parent.name
        build.mkdir(exist_ok=True)
        program = build / source.stem
        subprocess.run(["cc", "-g", "-O0", "-D_GNU_SOURCE", "-o", str(program), str(source), "-lpthread"],
                       check=True, capture_output=True)
        return str(program)

    def judge(self, kind: str, tag: str | None, result: subprocess.CompletedProcess[bytes]) -> None:
        err = result.stderr.decode("utf-8", "replace")
        wanted = 1 if kind == "err" else 0
        if result.returncode != wanted:
            raise Failure(f"exit status {result.returncode}, not {wanted}\n{err}")
        for suffix, got in ((".out", result.stdout), (".err", result.stderr)):
            expected = Path(f"{self.path}{suffix}")
            if expected.exists() and expected.read_bytes() != got:
                raise Failure(f"{expected.name} differs; got:\n{got.decode('utf-8', 'replace')}")
        if kind == "err" and not re.search(rf": \[{tag}\] line \d+:", err):
            raise Failure(f"no [{tag}] in:\n{err}")
        if kind == "drp" and f"[{tag}] " not in err:
            raise Failure(f"no [{tag}] in:\n{err}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> str:  # type: ignore[override]
        if isinstance(excinfo.value, Failure):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.path.parent.name}/{self.name}"
