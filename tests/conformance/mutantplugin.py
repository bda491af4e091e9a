"""The part of mutants.py that runs within pytest; MUTANTS in the environment says what it does.

measure: runs each test that has not been measured yet, or whose file has changed since, and keeps how it
ended, its seconds and the changes that it reached. run: runs the changes, each in a fork. one: runs the tests
of one that importing reaches. All seconds are of a processor, children included: a busy machine buys as many
tests as an idle one.
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings
from mutation import ACTIVE, FOLDER, REACHED, SWITCHES

MEASURED = FOLDER / "measured.json"
RESULTS = FOLDER / "results.json"
WANTED = FOLDER / "wanted.json"
CHOSEN = FOLDER / "chosen.json"
TOLD = FOLDER / "failed"
MODE = os.environ["MUTANTS"]
ROUND = 10  # tests of one file before the next file has its turn, and
NEAR = 5  # so many times as many of one that is near
PATIENCE = 4  # a test may take so many times its measured seconds, and
GRACE = 30  # so many seconds more, and
START = 60  # a process so many before its first test
STILL = 60  # seconds by the clock: what uses less than a tick of processor in them waits for ever
RESIDENT = 3 << 30  # bytes: what needs more is ended, and has been noticed

SWITCHES.tells = False  # pytest's own process keeps what it reaches


def _load(path: Path) -> Any:
    return json.loads(path.read_text()) if path.exists() else {}


def _store(path: Path, content: object) -> None:
    """Write a file at once: the run may be ended at any time, and goes on from what is there."""
    written = path.with_suffix(".new")
    written.write_text(json.dumps(content))
    written.replace(path)


def _reached() -> set[int]:
    """Return the changes that this test has reached so far, in this process and in others."""
    told = REACHED.read_text().split() if REACHED.exists() else ()
    return SWITCHES.seen | {int(word) for word in told}


def _processor() -> float:
    """Return the seconds of processor that this process and the children it has waited for have used."""
    return sum(os.times()[:4])


class Measuring:
    """Runs each test with all switches off."""

    def __init__(self) -> None:
        self._measured: dict[str, Any] = _load(MEASURED)
        self._failed = False
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
        SWITCHES.forget()
        SWITCHES.seen.clear()
        REACHED.unlink(missing_ok=True)
        self._failed, before = False, _processor()
        yield
        used = getattr(item, "fixturenames", ())
        reached = _reached().union(*(self._fixtures.get(name, ()) for name in used))
        self._measured[item.nodeid] = [not self._failed, round(_processor() - before, 3), sorted(reached),
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

    def pytest_sessionfinish(self) -> None:
        self._keep()
        results = _load(RESULTS)
        for result in results.values():
            result["run"] = [name for name in result["run"] if name not in self._new]
        _store(RESULTS, results)

    def _keep(self) -> None:
        _store(MEASURED, self._measured)


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
            _store(RESULTS, self._results)
        return True

    def _run(self, number: int, path: str, stem: str, items: dict[str, pytest.Item],
             result: dict[str, Any], imported: bool) -> None:
        done = set(result["run"])
        left = {name: item for name, item in items.items() if name not in done}
        chosen = self._order(number, path, stem, left, imported)
        while chosen:
            how = fresh if imported else forked
            limits = {name: self._measured[name][0] * PATIENCE + GRACE for name in chosen}
            failed = how(number, [items[name] for name in chosen], limits)
            result["tests"] += len(chosen) if failed is None else 1
            if failed is None:
                result["run"] += chosen
                return
            if failed not in items:  # it took too long or too much
                result["noticed"] = failed
                return
            if how(0, [items[failed]], {failed: limits[failed]}) is None:
                result["noticed"] = failed
                return
            place = chosen.index(failed) + 1  # fails without the change too: no witness
            result["run"] += chosen[:place]
            chosen = chosen[place:]

    def _order(self, number: int, path: str, stem: str, items: dict[str, pytest.Item],
               imported: bool) -> list[str]:
        """Return a change's tests, as many as its budget has room for: near files first, quick ones first.

        Nearest are the files that import the changed one or have its name, then those of its package.
        """
        folder = path.removeprefix("runtime/").partition("/")[0]
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
            size = ROUND * (NEAR if near[file] or f"/{folder}/" in file else 1)
            for turn, start in enumerate(range(0, len(names), size)):
                together = names[start:start + size]
                mean = sum(self._measured[name][0] for name in together) / len(together)
                placed += [((turn, not near[file], size == ROUND, mean, file, place), name)
                           for place, name in enumerate(together)]
        chosen, left = [], self._budget / (4 if imported else 1)
        for _, name in sorted(placed):
            if self._measured[name][0] <= left:
                left -= self._measured[name][0]
                chosen.append(name)
        return chosen or [name for _, name in placed[:1]]


def forked(number: int, items: list[pytest.Item], limits: dict[str, float]) -> str | None:
    """Run the tests in a fork with a change; return the one that fails or why the fork was ended, if so.

    `limits` are the seconds that each test may take.
    """
    return _child(number, lambda: _in_child(number, items), limits)


def fresh(number: int, items: list[pytest.Item], limits: dict[str, float]) -> str | None:
    """As forked, in a process that imports everything with the change: it has the time of all together."""
    _store(CHOSEN, [item.nodeid for item in items])
    words = [sys.executable, "-m", "pytest", "-x", "-p", "mutantplugin", "-p", "no:cacheprovider",
             *sorted({item.nodeid.partition("::")[0] for item in items})]
    environment = {**os.environ, "MUTANTS": "one"}
    return _child(number, lambda: os.execve(sys.executable, words, environment),
                  {"": sum(limits.values()) - (len(limits) - 1) * GRACE + START}, items[0].nodeid)


def _child(number: int, run: Callable[[], None], limits: dict[str, float],
           unsaid: str | None = None) -> str | None:
    """Call `run` in a fork with a change; return the test that fails or why the fork was ended, if so.

    `unsaid` is the test for a fork that ends with an error before any test has.
    """
    TOLD.unlink(missing_ok=True)
    ACTIVE.write_text(str(number))
    child = os.fork()
    if not child:
        os.setsid()
        with suppress(BaseException):
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            run()
        os._exit(0)
    try:
        status, why = _await(child, limits)
    finally:
        ACTIVE.write_text("0")
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
    return why or _told() or (unsaid if status else None)


def _told() -> str:
    """The test that a child has begun, "" when it has ended all."""
    try:
        return TOLD.read_text()
    except FileNotFoundError:
        return ""


def _in_child(number: int, items: list[pytest.Item]) -> None:
    SWITCHES.active = number
    SWITCHES.forget()
    session = items[0].session
    for item, following in zip(items, [*items[1:], None], strict=True):
        TOLD.write_text(item.nodeid)  # a test that ends the process has failed, too
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return
    TOLD.unlink()


def _await(child: int, limits: dict[str, float]) -> tuple[int, str | None]:
    """Wait for a child; return its status and why it had to be ended.

    It tells which test it runs; `limits` has the seconds of each, or of all under "".
    """
    used, since = 0.0, time.monotonic()
    test, began = "", 0.0
    pause = 0.005
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status, None
        pages = int(Path(f"/proc/{child}/statm").read_text().split()[1])
        now = _session(child)
        if now != used:
            used, since = now, time.monotonic()
        told = _told()
        if told != test and told in limits:
            test, began = told, used
        late = used - began > limits.get(test, START) or time.monotonic() > since + STILL
        why = "takes too long" if late else \
            "takes too much memory" if pages * resource.getpagesize() > RESIDENT else None
        if why is not None:
            os.killpg(child, signal.SIGKILL)
            return os.waitpid(child, 0)[1], why
        time.sleep(pause)
        pause = min(pause * 1.5, 0.5)


def _session(leader: int) -> float:
    """Return the seconds of processor of a session's processes, and of those that they have waited for."""
    ticks = 0
    for process in Path("/proc").glob("[0-9]*"):  # glob would look itself for a file in it
        with suppress(OSError):
            text = (process / "stat").read_bytes()
            fields = text.rpartition(b")")[2].split()  # proc_pid_stat(5), from the third field
            if int(fields[3]) == leader:
                ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


class One:
    """Runs the chosen tests in their order, and tells which failed."""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        places = {name: place for place, name in enumerate(_load(CHOSEN))}
        items[:] = sorted((item for item in items if item.nodeid in places),
                          key=lambda item: places[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            TOLD.write_text(report.nodeid)


def pytest_configure(config: pytest.Config) -> None:
    # that a property fails is enough: the smallest example of it would take minutes
    settings.register_profile("unshrunk", parent=settings.default, phases=[Phase.explicit, Phase.generate])
    settings.load_profile("unshrunk")
    config.pluginmanager.register({"measure": Measuring, "run": Running, "one": One}[MODE]())
