"""Coverage-guided fuzzing: `python -m tests.fuzz --guided`, where atheris is installed (pip install atheris).

libFuzzer decides which inputs to keep, by the branches of our packages that they reach; the target's own
mutator makes them.  What it keeps goes to build/fuzz/TARGET/corpus, and a later run goes on from there.
"""

from __future__ import annotations

import json
import os
import random
import resource
import sys
from pathlib import Path

import atheris

from tests.fuzz import engine
from tests.fuzz.__main__ import arguments

PACKAGES = ["dif", "dof", "dc", "runtime"]
WITHOUT = ["dif.records"]  # it makes functions of its own ones' code, which must be as it was compiled
LONGEST = 1 << 16  # bytes of an input


class Guided:
    """One target under libFuzzer, in this process, which never comes back from there."""

    def __init__(self, name: str, seed: int) -> None:
        with atheris.instrument_imports(include=PACKAGES, exclude=WITHOUT):
            self._loop = engine.Loop(name, seed)
        self._name, self._seed = name, seed
        self._kept = engine.WORK / name / "corpus"

    def run(self, executions: int | None, seconds: float | None) -> None:
        """Feed the target, print the result, and end the process."""
        self._kept.mkdir(parents=True, exist_ok=True)
        seeds = engine.WORK / self._name / "seeds"
        seeds.mkdir(exist_ok=True)
        for number, data in enumerate(self._loop.seeds):
            (seeds / str(number)).write_bytes(data)
        options = [self._name, str(self._kept), str(seeds), f"-seed={self._seed}", "-runs=-1", "-verbosity=0",
                   f"-max_len={LONGEST}", "-rss_limit_mb=0", "-timeout=3600"]  # the loop has its own limits
        with self._loop.begun(executions, seconds):
            atheris.Setup(options, self._one, custom_mutator=self._mutated)
            atheris.Fuzz()

    def _one(self, data: bytes) -> None:
        self._loop.one(data)
        if self._loop.over:
            result = self._loop.finished()
            result.kept = len(list(self._kept.iterdir()))
            Path(self._loop.directory / engine.LAST).unlink(missing_ok=True)
            print(json.dumps(result.row()), flush=True)
            os._exit(0)  # as libFuzzer does

    def _mutated(self, data: bytes, longest: int, seed: int) -> bytes:
        return self._loop.target.mutate(random.Random(seed), data, self._loop.seeds)[:longest]


def main() -> None:
    chosen = arguments()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    Guided(chosen.targets[0], chosen.seed).run(chosen.executions, chosen.time)


if __name__ == "__main__":
    sys.exit(main())
