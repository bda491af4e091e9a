"""-x evaltime: where a new process stands while probe descriptions are evaluated."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from harness import Machine

Build = Callable[..., str]
Make = Callable[..., Machine]
FUNCTIONS = ("prepare", "early", "main", "work")  # in the order in which they run


@pytest.fixture(scope="module")
def program(build: Build) -> str:
    library = build("moments.c", "-O1", "-DLIBRARY", "-shared", "-fPIC")
    return build("moments.c", "-O1", library)


@pytest.mark.parametrize(("evaltime", "matched", "fired"), [
    ("exec", ("early", "main"), ("early", "main")),
    ("preinit", FUNCTIONS, FUNCTIONS),
    ("postinit", FUNCTIONS, FUNCTIONS[1:]),
    ("main", FUNCTIONS, FUNCTIONS[2:]),
])
def test_what_is_there(evaltime: str, matched: tuple[str, ...], fired: tuple[str, ...], program: str,
                       machine: Make) -> None:
    traced = machine()
    process = traced.spawn(program)
    traced.fasttrap.bring(process.pid, evaltime)
    probes = [probe for name in FUNCTIONS for probe in traced.probes(f"pid{process.pid}::{name}:entry")]
    assert tuple(probe.function for probe in probes) == matched
    traced.enable(probes)
    assert traced.run(process).status == 0
    assert traced.hits == {f"{name}:entry": 1 for name in fired}


@pytest.mark.parametrize("evaltime", ["exec", "preinit", "postinit"])
def test_static(evaltime: str, build: Build, machine: Make) -> None:
    """A program that nobody loads is at all these moments at once."""
    traced = machine()
    process = traced.spawn(build("family.c", "-O1", "-static"), "leaf")
    traced.fasttrap.bring(process.pid, evaltime)
    assert not process.leader.started
    traced.enable(traced.probes(f"pid{process.pid}::_start:entry"))
    assert traced.run(process).status == 0
    assert traced.hits == {"_start:entry": 1}


def test_default(program: str, machine: Make) -> None:
    """A process that has not been told stays at its first instruction for its own probes only."""
    traced = machine()
    process = traced.spawn(program)
    assert len(traced.probes(f"pid{process.pid}:a.out:main:entry")) == 1
    assert not process.leader.started
    assert len(traced.probes(f"pid{process.pid}::_*init:entry")) > 2
    assert process.leader.started and process.stopped


def test_no_symbol(build: Build, machine: Make) -> None:
    traced = machine()
    process = traced.spawn(build("family.c", "-s"))
    with pytest.raises(OSError, match="no symbol main"):
        traced.fasttrap.bring(process.pid, "main")
