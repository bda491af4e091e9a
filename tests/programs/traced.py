"""Tests of what Linux lets a process do to another by ptrace: they are skipped where it is refused.

A container may refuse it, and QEMU's user mode has none.
"""

from __future__ import annotations

import ctypes
import errno
import sys

from x86only import rows

DETACH, NOBODY = 17, 0
# (the end of a test's file, a part of its name): what is not covered
TESTS = {
    ("kernel/test_arm64.py", "native_run_of_x86[tracing]"): "ptrace in the machine, beside Linux's",
    ("kernel/test_programs.py", "native_run[tracing"): "ptrace in the machine, beside Linux's",
    ("runtime/test_host_system.py", "stands_still"): "the host's processes that wait for dtrace",
    ("runtime/test_host_system.py", "cannot_be_started"): "the host's processes that wait for dtrace",
    ("fasttrap/test_counts.py", "gdb_agrees"): "counts of pid probes compared with gdb's",
    ("unit/test_end_to_end.py", "those_of_gdb"): "pid counts compared with gdb's",
    **{("usdt/test_link.py", name): "gdb's view of the probes of -G"
       for name in ("every_hit_and_its_arguments", "gdb_answer_is_enabled", "told_the_object_and_its_dof")},
}


def is_refused() -> bool:
    """Whether the host lets nobody trace a process: where it lets, there is none of this number."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace(DETACH, NOBODY, None, None)
    return sys.platform == "linux" and ctypes.get_errno() != errno.ESRCH


def left_out(file: str, name: str) -> str | None:
    """Return why a test is skipped, and what that leaves out; None for a test that runs on this host."""
    return next((f"no ptrace: {lost}" for lost in rows(TESTS, file, name) if is_refused()), None)
