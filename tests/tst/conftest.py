"""Collects the D tests below this directory, and runs them as dtest does (runtime.dtest)."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime.dtest.cases import Case, case_of
from runtime.dtest.judging import FAIL, SKIP, Verdict
from runtime.dtest.runner import Runner, Settings

RUNNER = pytest.StashKey[Runner]()
TIMEOUT = 300  # seconds: some run the command twenty times, and a machine may be busy


def pytest_configure(config: pytest.Config) -> None:
    folder = tempfile.TemporaryDirectory(prefix="dtrace-")
    config.add_cleanup(folder.cleanup)
    config.stash[RUNNER] = Runner.at(Path(folder.name), Settings(limit=TIMEOUT), many=True)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    case = case_of(file_path, f"{file_path.parent.name}/{file_path.name}")
    return DFile.from_parent(parent, path=file_path, case=case) if case is not None else None


class DFile(pytest.File):
    def __init__(self, *, case: Case, **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]
        self.case = case

    def collect(self) -> Iterator[pytest.Item]:
        yield DTest.from_parent(self, name=self.path.name, case=self.case)


class Failure(Exception):
    """What a user would see to be wrong."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(f"{verdict.reason}\n{verdict.detail}")


class DTest(pytest.Item):
    """One D test."""

    def __init__(self, *, case: Case, **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]
        self.case = case

    def runtest(self) -> None:
        verdict = self.config.stash[RUNNER].run(self.case).verdict
        if verdict.verdict == SKIP:
            pytest.skip(verdict.reason)
        if verdict.verdict == FAIL:
            raise Failure(verdict)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> str:  # type: ignore[override]
        if isinstance(excinfo.value, Failure):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, self.case.name
