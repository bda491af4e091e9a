"""The surroundings in which every test runs, whatever those are that it was started in.

Locale, time zone, mode mask and signals are set here, for this process and for
the programs that it starts.  Property tests take the same examples every time,
unless HYPOTHESIS_SEARCH asks for new ones.  At the end of the run stands what
skipped tests would have covered.
"""

from __future__ import annotations

import gc
import os
import re
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from hypothesis import HealthCheck, settings

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "programs"))

import accelerated  # noqa: E402
import compilers  # noqa: E402
import pytest  # noqa: E402
import traced  # noqa: E402
import x86only  # noqa: E402

LOCALE = ("LANG", "LANGUAGE", "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME")


def settle() -> None:
    """Set the surroundings."""
    for name in list(os.environ):
        if name in LOCALE or name.startswith("DTRACE_DOF"):
            del os.environ[name]
    os.environ.update(LC_ALL="C.UTF-8", TZ="UTC", DTRACE_TRACEBACK="1")  # a bug shows its traceback
    found = re.search(r"^vendor_id\s*: (\w+)", Path("/proc/cpuinfo").read_text(), re.M)
    os.environ["HOST_VENDOR"] = found[1] if found else ""  # read by programs/include/vendor.h
    time.tzset()
    os.umask(0o022)
    # A shell starts what runs in the background with these two ignored, nohup with the third.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM, signal.SIGCHLD):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    compilers.keep_zigs_cache()
    gc.set_threshold(20_000)  # most of what tests make goes without; looking seldom saves a tenth


settle()
# On a busy machine examples take long; that is no failure.
settings.register_profile("repeatable", derandomize=True, deadline=None,
                          suppress_health_check=[HealthCheck.too_slow])
if not os.environ.get("HYPOTHESIS_SEARCH"):
    settings.load_profile("repeatable")


# Files that take longest begin first, so that no process is left alone with one of them at the end.
LONGEST = ("manual/test_pages.py", "transcripts/test_transcripts.py", "instances/test_hosts.py",
           "runtime/test_budgets.py", "fuzz/test_fuzz.py", "instances/test_dask.py",
           "instances/test_cluster.py", "runtime/test_random_scripts.py", "runtime/test_device.py",
           "kernel/test_programs.py", "kernel/test_sequences.py", "kernel/test_refused_calls.py",
           "dtest/test_dtest.py", "runtime/test_zone_scripts.py", "dc/test_generative.py",
           "instances/test_tour.py")


def _place(item: pytest.Item) -> int:
    """Where an item's file stands among the longest, or behind them."""
    return next((place for place, end in enumerate(LONGEST) if str(item.path).endswith(end)), len(LONGEST))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first; leave out what needs a processor, accelerator or call that is missing."""
    items.sort(key=_place)
    for item in items:
        found = (table.left_out(str(item.path), item.name) for table in (x86only, accelerated, traced))
        lost = next(filter(None, found), None)
        if lost is not None:
            item.add_marker(pytest.mark.skip(reason=lost))


def pytest_collection_finish() -> None:
    """What has been loaded lives until the end: the search for garbage need not look at it."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Note in a report which compilers have stood in for others by then."""
    outcome = yield
    outcome.get_result().user_properties += [("stand-in", machine) for machine in compilers.STAND_INS]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell what was not covered: a reason for skipping reads "what is missing: what that leaves out"."""
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ")
                      for report in terminalreporter.stats.get("skipped", ()))
    stand_ins = {value for report in terminalreporter.stats.get("passed", ())
                 for name, value in report.user_properties if name == "stand-in"}
    if not reasons and not stand_ins:
        return
    terminalreporter.section("not covered")
    for reason, count in sorted(reasons.items()):
        missing, _, lost = reason.partition(": ")
        terminalreporter.line(f"{lost or reason} ({missing}; {count} skipped)")
    if any(reason.startswith("no compiler") for reason in reasons) and \
            resource.getrlimit(resource.RLIMIT_NOFILE)[1] < compilers.DESCRIPTORS:
        terminalreporter.line(f"zig opens {compilers.DESCRIPTORS} files to build a library: raise ulimit -n")
    for machine in sorted(stand_ins):
        lost, missing = compilers.LEFT_OUT[machine], compilers.SYSTEM[machine][0]
        terminalreporter.line(f"{lost} ({missing} cannot build for {machine}; zig stands in)")
