"""Verdicts for people: a line for each test that failed, what differs, a progress bar, the sum."""

from __future__ import annotations

import sys
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from runtime.dtest.judging import FAIL, PASS, SKIP, Verdict
from runtime.dtest.reports import Report

_STYLES = {PASS: "green", FAIL: "bold red", SKIP: "yellow"}
_LINES = {"+": "green", "-": "red", "@": "cyan"}
_FORCED = {"always": True, "never": False, "auto": None}


class Screen:
    """What is shown of a run of `count` tests.  The bar is on standard error, if that is a terminal.

    `to_stderr` sends the rest there, too: standard output is a report's.
    """

    def __init__(self, count: int, *, colour: str = "auto", verbose: bool = False,
                 to_stderr: bool = False) -> None:
        forced = _FORCED[colour]
        self._console = Console(file=sys.stderr if to_stderr else sys.stdout, highlight=False, markup=False,
                                emoji=False, soft_wrap=True, force_terminal=forced, no_color=forced is False,
                                color_system="standard" if forced else "auto")
        self._verbose = verbose
        bar = Console(stderr=True)
        self._progress = Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
                                  TimeElapsedColumn(), console=bar, transient=True,
                                  disable=not bar.is_terminal)
        self._task: TaskID = self._progress.add_task("testing", total=count)
        self._failed = 0

    def __enter__(self) -> Screen:
        self._progress.start()
        return self

    def __exit__(self, _type: type[BaseException] | None, _error: BaseException | None,
                 _traceback: TracebackType | None) -> None:
        self._progress.stop()

    def show(self, verdict: Verdict) -> None:
        """Show one that has ended."""
        if verdict.verdict == FAIL:
            self._failed += 1
        if self._verbose or verdict.verdict == FAIL:
            line = Text(f"{verdict.verdict:<4} ", _STYLES[verdict.verdict])
            line.append(verdict.name, "bold" if verdict.verdict == FAIL else "")
            line.append(f": {verdict.reason}" if verdict.reason else "")
            if self._verbose:
                line.append(f" ({verdict.seconds:.2f} s)", "dim")
            self._print(line)
            for each in verdict.detail.splitlines():
                self._print(Text(f"    {each}", _LINES.get(each[:1], "")))
        words = f"testing, {self._failed} failed" if self._failed else "testing"
        self._progress.update(self._task, advance=1, description=words)

    def note(self, text: str) -> None:
        """Show a line about the run."""
        self._print(Text(text))

    def total(self, report: Report) -> None:
        """Show the sum."""
        line = Text()
        for verdict, word in ((PASS, "passed"), (FAIL, "failed"), (SKIP, "skipped")):
            count = report.count(verdict)
            if count or verdict == PASS:
                line.append(", " if line else "").append(f"{count} {word}", _STYLES[verdict])
        line.append(f" in {report.seconds:.1f} s")
        if report.seed is not None:
            line.append(f" (--seed {report.seed})")
        self._print(line)
        reasons = sorted({each.reason for each in report.verdicts if each.verdict == SKIP})
        for reason in reasons:
            self._print(Text(f"skipped: {reason}", _STYLES[SKIP]))

    def _print(self, text: Text) -> None:
        """Print above the bar."""
        if not self._progress.disable:
            self._progress.stop()
        self._console.print(text)
        if not self._progress.disable:
            self._progress.start()
