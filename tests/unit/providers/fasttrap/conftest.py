"""Programs to trace, and machines to trace them in."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import run

import compilers
import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from harness import Machine  # noqa: E402

Build = Callable[..., str]


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """build(source, *flags): compile a file of this directory, or a path; the program's path."""
    return builder(tmp_path_factory.mktemp("programs"), compilers.HOST)


@pytest.fixture(scope="session")
def build_x86(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """The same for programs with code of x86-64: on a host of another processor they are static ones."""
    return build if compilers.runs("x86-64") else builder(tmp_path_factory.mktemp("x86"), "x86-64")


def builder(folder: Path, machine: str) -> Build:
    known: dict[tuple[str, ...], str] = {}

    def build(*arguments: str) -> str:
        if arguments not in known:
            program = str(folder / f"{Path(arguments[0]).stem}{len(known)}")
            sources = [str(HERE / each) if (HERE / each).exists() else each for each in arguments]
            command = compilers.building(["-o", program, *sources], machine)
            if command is None:
                pytest.skip("no C compiler: pid probes of compiled programs")
            run(command, check=True, capture_output=True)
            known[arguments] = program
        return known[arguments]
    return build


@pytest.fixture
def machine() -> Iterator[Callable[..., Machine]]:
    """machine(**options): a new machine, closed after the test."""
    made = []

    def make(**options: object) -> Machine:
        made.append(Machine(**options))
        return made[-1]
    yield make
    for each in made:
        each.close()
