"""Functions that Go's compiler made: their arguments are not where C's are."""

from __future__ import annotations

from collections.abc import Callable

import atonce
import pytest

Build = Callable[..., str]
SELL = r"pid$target:a.out:main.?\*Shop?.sell"
CLAUSES = (
    SELL + ":entry { printf(\"%d %s %d %d %d\\n\", (int)arg0, stringof(copyin(arg2, arg3)), arg4, arg8, "
    "arg9); }",
    SELL + ":entry { printf(\"%d %d %d %d %d\\n\", args[0], *args[1], args[5], args[9], args[10]); }",
    SELL + ":return { printf(\"%d %d\\n\", arg1, args[1]); }",
    "pid$target:a.out:main.old.abi0:entry { printf(\"%d %d\\n\", arg0, arg2); }")


def trace(program: str, *clauses: str) -> list[str]:
    flags = [flag for clause in clauses for flag in ("-n", clause)]
    done = atonce.run(["dtrace", "-x", "copyin=touch", "-q", *flags, "-c", program])
    assert not done.stderr, done.stderr
    return [line for line in done.stdout.splitlines() if line]


def made(build_x86: Build, version: str) -> str:
    return build_x86("golang.S", "-nostdlib", "-static", f'-DVERSION="{version}"')


def test_registers(build_x86: Build) -> None:
    """Words are in registers of Go's own, a string is two; arrays, and what is too much, on the stack."""
    assert trace(made(build_x86, "go1.21.3"), *CLAUSES) == [
        "-3 hello 99 4 20", "-3 7 99 4 12", "42 42", "20 12"]


def test_before_registers(build_x86: Build) -> None:
    """Go 1.16 had all arguments on the stack."""
    program = made(build_x86, "go1.16.9")
    assert trace(program, SELL + ":entry { printf(\"%d %d\\n\", arg0, arg2); }") == ["20 12"]


@pytest.mark.parametrize("version", ["hello", "go1.x"])
def test_no_version(version: str, build_x86: Build) -> None:
    """A file that only looks like one of Go's is as any other."""
    assert trace(made(build_x86, version), SELL + ":entry { printf(\"%d %d\\n\", arg1, arg4); }") == \
        ["99 1"]
