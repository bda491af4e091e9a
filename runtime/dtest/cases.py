"""Which files are D tests, and what is expected of them by their names.

    CATEGORY/tst.NAME.d         compiles, runs, exits 0
    CATEGORY/err.D_TAG.NAME.d   exits 1 and prints [D_TAG] under -xerrtags
    CATEGORY/drp.KIND.NAME.d    exits 0 and prints [KIND] under -xdroptags
    *.d.out, *.d.err            expected output, byte for byte
    NAME.exe, NAME.c            beside NAME.d, a companion program: it runs in the emulated machine before
                                tracing begins, and its pid is $1
    *.ksh, *.sh                 in place of *.d, a shell script; $1 is the dtrace command
    *.d with a header           of any name (runtime.dtest.header)

Tests in a category whose name contains preprocessor run under -C.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from dif.hostfiles import read_beginning
from dif.records import NamedTuple
from dof.globs import matches
from runtime.dtest.header import LARGEST, has_header

_NAME = re.compile(r"(tst|err|drp)\.(?:([A-Z][A-Z0-9_]+)\.)?.*\.(?:d|ksh|sh)$")


class Case(NamedTuple):
    """One test.  `kind` is tst, err or drp; `tag` is what its name says must be printed, "" for nothing."""

    path: Path
    name: str  # as reports have it: the path from the directory that was given
    kind: str
    tag: str = ""

    @property
    def is_script(self) -> bool:
        """Whether a shell runs it."""
        return self.path.suffix != ".d"

    @property
    def category(self) -> str:
        """The directory it stands in."""
        return os.path.dirname(self.name)

    def expected(self, suffix: str) -> Path:
        """The file with the output (".out") or the messages (".err") that are expected; it may be missing."""
        return Path(f"{self.path}{suffix}")


def case_of(path: Path, name: str) -> Case | None:
    """The test that a file is, None if it is none."""
    found = _NAME.match(path.name)
    if found is not None:
        return Case(path, name, found[1], found[2] or "")
    if path.suffix == ".d":
        try:
            if has_header(read_beginning(str(path), LARGEST)):
                return Case(path, name, "tst")
        except OSError:
            return None
    return None


def find_cases(paths: Iterable[Path], wanted: Iterable[str] = ()) -> Iterator[Case]:
    """Yield the tests at and below the paths, in the order of their names.

    With `wanted`, only those of which a glob matches the name, its last part, or a directory above.  Raises
    FileNotFoundError for a path that does not exist.
    """
    globs = list(wanted)
    seen: set[Path] = set()
    for path in paths:
        if not path.exists():
            raise FileNotFoundError(path)
        top = path if path.is_dir() else path.parent
        files = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
        for file in files:
            case = case_of(file, file.relative_to(top).as_posix())
            if case is None or file.resolve() in seen:
                continue
            seen.add(file.resolve())
            parts = case.name, file.name, *(str(above) for above in Path(case.name).parents)
            if not globs or any(matches(glob, part) for glob in globs for part in parts):
                yield case._replace(path=file.absolute())
