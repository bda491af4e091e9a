"""The programs that D tests bring along: found, or built in a folder of their own, never beside the test."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from dif.records import Record
from runtime.dtest.cases import Case
from runtime.dtest.header import Header
from runtime.dtest.processes import Processes

_COMPILED = "-g", "-O0", "-D_GNU_SOURCE"
_LIBRARIES = ("-lpthread",)


class Skip(Exception):
    """The test cannot be run here; the message says what is missing."""


class BuildError(Exception):
    """A program does not build: the first line says which, the others are the compiler's."""


class Workshop(Record):
    """Where programs are built.  `folder` has no space in its name, `dtrace` is a command of one word."""

    folder: Path
    dtrace: str
    environment: Mapping[str, str]
    processes: Processes
    limit: float

    def companion(self, case: Case) -> str:
        """The path of a test's companion program, "" if it has none.  Raises Skip, BuildError."""
        ready, source = case.path.with_suffix(".exe"), case.path.with_suffix(".c")
        if os.access(ready, os.X_OK):
            return str(ready)
        if case.is_script or not source.exists():
            return ""
        return self._compile(self._place(case), source, ())

    def program(self, case: Case, header: Header) -> str:
        """The program that a header names, built if it is C.  Raises Skip, BuildError."""
        folder, name = case.path.parent, header.program
        if not name.endswith(".c"):
            return str(folder / name) if "/" in name else name
        place = self._place(case)
        if not header.provider:
            return self._compile(place, folder / name, header.cflags)
        provider, stem = folder / header.provider, Path(header.provider).stem
        self._run(case.path.parent, [self.dtrace, "-h", "-s", str(provider), "-o", str(place / f"{stem}.h")])
        compiled, linked = place / "program.o", place / "provider.o"
        self._cc(folder, [*_COMPILED, *header.cflags, f"-I{place}", "-c", str(folder / name),
                          "-o", str(compiled)])
        self._run(folder, [self.dtrace, "-G", "-s", str(provider), str(compiled), "-o", str(linked)])
        program = place / Path(name).stem
        self._cc(folder, [str(compiled), str(linked), *header.cflags, "-o", str(program), *_LIBRARIES])
        return str(program)

    def _place(self, case: Case) -> Path:
        """A directory for what is made for a test."""
        place = self.folder / "built" / case.name
        place.mkdir(parents=True, exist_ok=True)
        return place

    def _compile(self, place: Path, source: Path, flags: Sequence[str]) -> str:
        program = place / source.stem
        self._cc(source.parent, [*_COMPILED, *flags, "-o", str(program), str(source), *_LIBRARIES])
        return str(program)

    def _cc(self, cwd: Path, words: Sequence[str]) -> None:
        compiler = shlex.split(self.environment.get("CC", "cc")) or ["cc"]
        if shutil.which(compiler[0], path=self.environment.get("PATH")) is None:
            raise Skip(f"there is no C compiler ({compiler[0]})")
        self._run(cwd, [*compiler, *words])

    def _run(self, cwd: Path, argv: Sequence[str]) -> None:
        result = self.processes.run(argv, str(cwd), self.environment, self.limit)
        if result.status:
            raise BuildError(f"{shlex.join(argv)} failed\n{result.err.decode('utf-8', 'replace')}")
        if result.status is None:
            raise BuildError(f"{shlex.join(argv)} took longer than {self.limit:g} s")
