"""The command line of dtest(1)."""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Generator
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path

import click

from dof.outputs import STANDARD_OUTPUT, write
from runtime.dtest.cases import Case, find_cases
from runtime.dtest.judging import FAIL, Verdict
from runtime.dtest.parallel import run_here
from runtime.dtest.reports import FORMS, Report
from runtime.dtest.runner import Done, Runner, Settings
from runtime.dtest.screen import Screen
from runtime.dtest.updating import update

_MANY = 8  # tests from which loading dtrace once pays: 1 s, and a quarter for each that need not
_SEEDS = 1 << 32


@click.command(context_settings={"help_option_names": ["-h", "--help"]}, epilog="More: man dtest")
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(path_type=Path))
@click.option("-j", "--jobs", type=click.IntRange(1, 1024), default=len(os.sched_getaffinity(0)),
              help="how many run at a time", show_default=True)
@click.option("-k", "wanted", multiple=True, metavar="GLOB", help="only tests of this name or directory")
@click.option("-x", "options", multiple=True, metavar="OPTION[=VALUE]", help="an option of dtrace, of all")
@click.option("--random", "shuffled", is_flag=True, help="in an order of chance, which a seed brings again")
@click.option("--seed", type=click.IntRange(0), help="the order that this number stands for")
@click.option("--time-limit", type=click.FloatRange(0, min_open=True), default=300.0, metavar="SECONDS",
              help="for each test", show_default=True)
@click.option("--env", "environment", type=click.Choice(["clean", "host"]), default="clean",
              help="the environment of programs", show_default=True)
@click.option("--root", default="", metavar="DIRECTORY|none",
              help="what programs see of the host, beside the test's directory")
@click.option("--dtrace", default="", metavar="COMMAND", help="the dtrace to test, if not this suite's")
@click.option("--scheduler", metavar="ADDRESS", help="run on the workers of this dask.distributed")
@click.option("--update", "updating", is_flag=True, help="write what tests print as what is expected")
@click.option("--junit", metavar="FILE", help="write JUnit's XML; - is standard output")
@click.option("--tap", metavar="FILE", help="write the Test Anything Protocol")
@click.option("--json", metavar="FILE", help="write JSON")
@click.option("--list", "listing", is_flag=True, help="only say which tests there are")
@click.option("--color", "--colour", "colour", type=click.Choice(["auto", "always", "never"]), default="auto")
@click.option("-v", "--verbose", is_flag=True, help="show tests that pass, too")
def dtest(paths: tuple[Path, ...], jobs: int, wanted: tuple[str, ...], options: tuple[str, ...],
          shuffled: bool, seed: int | None, time_limit: float, environment: str, root: str, dtrace: str,
          scheduler: str | None, updating: bool, junit: str | None, tap: str | None, json: str | None,
          listing: bool, colour: str, verbose: bool) -> int:
    """Run D tests: tst.*.d, err.D_TAG.*.d, drp.KIND.*.d, the same as .ksh or .sh, and *.d with a header.

    PATH is a directory or a test, by default the working directory.  The status is 1 if a test has failed.
    """
    try:
        cases = list(find_cases(paths or (Path("."),), wanted))
    except FileNotFoundError as error:
        raise click.ClickException(f"{error}: there is no such file or directory") from None
    if not cases:
        matching = f" that match {' or '.join(wanted)}" if wanted else ""
        raise click.ClickException(f"there are no tests{matching}")
    if seed is None and shuffled:
        seed = random.randrange(_SEEDS)
    if seed is not None:
        random.Random(seed).shuffle(cases)
    if listing:
        click.echo("".join(f"{case.name}\n" for case in cases), nl=False)
        return 0
    if root and root != "none":
        root = os.path.abspath(root)
    settings = Settings(dtrace, options, environment, root, time_limit, keep=updating)
    began, start = datetime.now(UTC), time.monotonic()
    targets = {"junit": junit, "tap": tap, "json": json}
    files = {form: path for form, path in targets.items() if path is not None}
    if len(set(files.values())) < len(files):
        raise click.UsageError("two reports go to one file")
    verdicts: list[Verdict] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dtest-")))
        screen = stack.enter_context(Screen(len(cases), colour=colour, verbose=verbose,
                                            to_stderr=STANDARD_OUTPUT in files.values()))
        running = _running(folder, settings, cases, jobs, scheduler)
        for case, done in stack.enter_context(closing(running)):
            if done.result is not None:
                for name in update(case, done.result):
                    screen.note(f"wrote {os.path.relpath(name)}")
            verdicts.append(done.verdict)
            screen.show(done.verdict)
    verdicts.sort(key=lambda verdict: verdict.name)
    report = Report(verdicts, began, time.monotonic() - start, seed)
    screen.total(report)
    write({path: FORMS[form](report) for form, path in files.items()})
    return 1 if report.count(FAIL) else 0


def _running(folder: Path, settings: Settings, cases: list[Case], jobs: int,
             scheduler: str | None) -> Generator[tuple[Case, Done]]:
    """Run the tests where they are to run.  Raises ClickException."""
    if scheduler is None:
        yield from run_here(Runner.at(folder, settings, many=len(cases) >= _MANY), cases, jobs)
        return
    from runtime.dtest.workers import WorkersError, run_there

    try:
        yield from run_there(scheduler, settings, cases)
    except WorkersError as error:
        raise click.ClickException(str(error)) from None
