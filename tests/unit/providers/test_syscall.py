"""The syscall provider: arguments and results as programs give and get them, and their types."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from runtime.command.command import main

Trace = Callable[..., str]
SCRIPT = """
    syscall::write:entry /execname == "echo"/
        { printf("%d %d %s", arg0, args[2], stringof(copyin(arg1, arg2))); self->writes = 1; }
    syscall::write:return /self->writes/ { printf("%d %d %d\\n", arg0, args[1], errno); self->writes = 0; }
    syscall::chdir:return /errno/ { printf("chdir %d %d %d\\n", arg0, arg1, errno); }
    syscall::mmap:entry /arg5/
        { @[arg5 == args[5] && arg5 % 4096 == 0, arg6, (uintptr_t)args[0] == arg0] = count(); }
    syscall::mmap:return /arg1 > 4096 && arg0 == arg1/ { @mapped = count(); }
    END { printa("offset %d %d %d\\n", @); }
"""


def test_arguments_and_results(trace: Trace) -> None:
    lines = trace(SCRIPT, "sh -c 'env echo hello; cd /no/such 2>&-; true'").splitlines()
    assert lines.count("1 6 hello") == lines.count("6 6 0") == 1
    assert "chdir -1 -1 2" in lines
    assert "offset 1 0 1" in lines


def test_a_program_sets_its_segment(trace: Trace) -> None:
    found = trace('syscall::arch_prctl:entry { printf("%x\\n", arg0); }', "true").split()
    assert "1002" in found  # ARCH_SET_FS


def test_types(capfd: pytest.CaptureFixture[str]) -> None:
    """A result has two arguments of the same type; a call has as many as its prototype."""
    assert main(["-lvn", "syscall::mmap:entry,syscall::mmap:return,syscall::pipe:entry"]) == 0
    types = [line.strip() for line in capfd.readouterr().out.splitlines() if "args[" in line]
    mapping = ["void *", "size_t", "int", "int", "int", "off_t"]
    assert types == [f"args[{at}]: {each}" for call in (mapping, ["long", "long"], ["int *"])
                     for at, each in enumerate(call)]
