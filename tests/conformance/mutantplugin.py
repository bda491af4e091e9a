"""The part of mutants.py that runs within pytest; MUTANTS in the environment says what it does.

measure: runs each test that has not been measured yet, or whose file has changed since, and keeps how it
ended, its seconds and the changes that it reached. run: runs the changes, each in a fork. one: runs the tests
of one that importing reaches.
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from mutation import ACTIVE, FOLDER, REACHED, SWITCHES

MEASURED = FOLDER / "measured.json"
RESULTS = FOLDER / "results.json"
WANTED = FOLDER / "wanted.json"
CHOSEN = FOLDER / "chosen.json"
MODE = os.environ["MUTANTS"]
ROUND = 10  # tests of one file before the next file has its turn
PATIENCE = 4  # a change may take so many times the measured seconds, and
GRACE = 30  # so many seconds more, and
START = 120  # so many for a process that imports everything
RESIDENT = 3 << 30  # bytes: what needs more is ended, and has been noticed

SWITCHES.tells = False  # pytest's own process keeps what it reaches


def _load(path: Path) -> Any:
    return json.loads(path.read_text()) if path.exists() else {}


def _reached() -> set[int]:
    """Return the changes that this test has reached so far, in this process and in others."""
    told = REACHED.read_text().split() if REACHED.exists() else ()
    return SWITCHES.seen | {int(word) for word in told}


class Measuring:
    """Runs each test with all switches off."""

    def __init__(self) -> None:
        self._measured: dict[str, Any] = _load(MEASURED)
        self._failed = False
        self._seconds = 0.0
        self._sums: dict[str, int] = {}
        self._new: set[str] = set()
        self._fixtures: dict[str, set[int]] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        sums = {path: zlib.crc32(path.read_bytes()) for path in {item.path for item in items}}
        self._sums = {item.nodeid: sums[item.path] for item in items}
        items[:] = [item for item in items
                    if self._measured.get(item.nodeid, [0])[-1] != self._sums[item.nodeid]]
        self._new = {item.nodeid for item in items}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        SWITCHES.seen.clear()
        REACHED.unlink(missing_ok=True)
        self._failed, self._seconds = False, 0.0
        yield
        used = getattr(item, "fixturenames", ())
        reached = _reached().union(*(self._fixtures.get(name, ()) for name in used))
        self._measured[item.nodeid] = [not self._failed, round(self._seconds, 3), sorted(reached),
                                       self._sums[item.nodeid]]
        if len(self._measured) % 100 == 0:
            self._keep()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> Iterator[None]:
        """What a fixture of several tests reaches, each of them does."""
        before = _reached()
        yield
        if fixturedef.scope != "function":
            self._fixtures[fixturedef.argname] = \
                self._fixtures.get(fixturedef.argname, set()) | _reached() - before

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._failed = self._failed or not report.passed
        self._seconds += report.duration

    def pytest_sessionfinish(self) -> None:
        self._keep()
        results = _load(RESULTS)
        for result in results.values():
            result["run"] = [name for name in result["run"] if name not in self._new]
        RESULTS.write_text(json.dumps(results))

    def _keep(self) -> None:
        MEASURED.write_text(json.dumps(self._measured))


class Running:
    """Runs the changes."""

    def __init__(self) -> None:
        wanted = _load(WANTED)
        self._budget: int = wanted["budget"]
        self._changes: dict[str, tuple[str, str]] = wanted["changes"]
        self._results: dict[str, Any] = _load(RESULTS)
        self._measured = {name: (seconds, set(reached)) for name, (passed, seconds, reached, _)
                          in _load(MEASURED).items() if passed}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items if item.nodeid in self._measured}
        imported = set(SWITCHES.seen)
        quick_ones_first = sorted(self._changes.items(), key=lambda item: int(item[0]) in imported)
        for number, (path, stem) in quick_ones_first:
            result = self._results.setdefault(number, {"noticed": "", "tests": 0, "run": []})
            if not result["noticed"]:
                self._run(int(number), path, stem, items, result, int(number) in imported)
                print(number, path, result["noticed"] or "survives", result["tests"], flush=True)
            RESULTS.write_text(json.dumps(self._results))
        return True

    def _run(self, number: int, path: str, stem: str, items: dict[str, pytest.Item],
             result: dict[str, Any], imported: bool) -> None:
        done = set(result["run"])
        left = {name: item for name, item in items.items() if name not in done}
        chosen = self._order(number, path, stem, left, imported)
        while chosen:
            seconds = sum(self._measured[name][0] for name in chosen)
            how = fresh if imported else forked
            failed = how(number, [items[name] for name in chosen], seconds * PATIENCE + GRACE)
            result["tests"] += len(chosen) if failed is None else 1
            if failed is None:
                result["run"] += chosen
                return
            if failed not in items:  # it took too long or too much
                result["noticed"] = failed
                return
            if how(0, [items[failed]], self._measured[failed][0] * PATIENCE + GRACE) is None:
                result["noticed"] = failed
                return
            place = chosen.index(failed) + 1  # fails without the change too: no witness
            result["run"] += chosen[:place]
            chosen = chosen[place:]

    def _order(self, number: int, path: str, stem: str, items: dict[str, pytest.Item],
               imported: bool) -> list[str]:
        """Return a change's tests, as many as its budget has room for: near files first, quick ones first."""
        files: dict[str, list[str]] = {}
        near: dict[str, bool] = {}
        module = path.removesuffix(".py").replace("/", ".")
        imports = re.compile(rf"from {re.escape(module.rpartition('.')[0])} import .*\b{stem}\b"
                             rf"|{re.escape(module)}\b")
        for name, item in items.items():
            file = name.partition("::")[0]
            if file not in near:
                near[file] = item.path.suffix == ".py" and (bool(imports.search(item.path.read_text()))
                                                            or stem in file)
            if number in self._measured[name][1] or (imported and near[file]):
                files.setdefault(file, []).append(name)
        placed = []
        for file, names in files.items():
            names.sort(key=lambda name: self._measured[name][0])
            mean = sum(self._measured[name][0] for name in names) / len(names)
            placed += [((place // ROUND, not near[file], mean, file, place), name)
                       for place, name in enumerate(names)]
        chosen, left = [], self._budget / (4 if imported else 1)
        for _, name in sorted(placed):
            if self._measured[name][0] <= left:
                left -= self._measured[name][0]
                chosen.append(name)
        return chosen or [name for _, name in placed[:1]]


def forked(number: int, items: list[pytest.Item], limit: float) -> str | None:
    """Run the tests in a fork with a change; return the one that fails or why the fork was ended, if so."""
    told = FOLDER / "failed"
    told.unlink(missing_ok=True)
    ACTIVE.write_text(str(number))
    child = os.fork()
    if not child:
        os.setsid()
        with suppress(BaseException):
            _in_child(number, items, told)
        os._exit(0)
    try:
        why = _await(child, limit)
    finally:
        ACTIVE.write_text("0")
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
    return why or (told.read_text() if told.exists() else None)


def _in_child(number: int, items: list[pytest.Item], told: Path) -> None:
    SWITCHES.active = number
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    session = items[0].session
    for item, following in zip(items, [*items[1:], None], strict=True):
        told.write_text(item.nodeid)  # a test that ends the process has failed, too
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return
    told.unlink()


def _await(child: int, limit: float) -> str | None:
    """Wait for a child; return why it had to be ended."""
    end = time.monotonic() + limit
    pause = 0.005
    while not os.waitpid(child, os.WNOHANG)[0]:
        pages = int(Path(f"/proc/{child}/statm").read_text().split()[1])
        why = "takes too long" if time.monotonic() > end else \
            "takes too much memory" if pages * resource.getpagesize() > RESIDENT else None
        if why is not None:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return why
        time.sleep(pause)
        pause = min(pause * 1.5, 0.2)
    return None


def fresh(number: int, items: list[pytest.Item], limit: float) -> str | None:
    """As forked, in a process that imports everything with the change."""
    CHOSEN.write_text(json.dumps([item.nodeid for item in items]))
    files = sorted({item.nodeid.partition("::")[0] for item in items})
    told = FOLDER / "failed"
    told.unlink(missing_ok=True)
    ACTIVE.write_text(str(number))
    try:
        done = subprocess.run([sys.executable, "-m", "pytest", "-x", "-p", "mutantplugin", "-p",
                               "no:cacheprovider", *files], env={**os.environ, "MUTANTS": "one"},
                              capture_output=True, timeout=limit + START, check=False)
    except subprocess.TimeoutExpired:
        return "takes too long"
    finally:
        ACTIVE.write_text("0")
    return (told.read_text() if told.exists() else items[0].nodeid) if done.returncode else None


class One:
    """Runs the chosen tests in their order, and tells which failed."""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        places = {name: place for place, name in enumerate(_load(CHOSEN))}
        items[:] = sorted((item for item in items if item.nodeid in places),
                          key=lambda item: places[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            (FOLDER / "failed").write_text(report.nodeid)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register({"measure": Measuring, "run": Running, "one": One}[MODE]())
