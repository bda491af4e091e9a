"""SPARC programs with the C library, linked statically and dynamically."""

from __future__ import annotations

import shutil
from pathlib import Path
from subprocess import run

import atonce
import pytest

HERE = Path(__file__).parent
COMPILER, LIBRARY = "sparc64-linux-gnu-gcc", Path("/usr/sparc64-linux-gnu/lib/libc.so.6")
OUTPUT = """\
longjmp 42 0.5
signal 7, blocked 0
sorted 13 31179 65517, copied 0
world -1 4 2.5 1.5
size 12345 mode 100644 links 1
names 8, open -1 No such file or directory
flags 1, read -1 Resource temporarily unavailable
child 7, read 2, files 1024
total 3000, poll 0 1 1
"""

pytestmark = pytest.mark.skipif(shutil.which(COMPILER) is None or not LIBRARY.exists(),
                                reason="no C library for SPARC: programs that are linked with it")


@pytest.mark.parametrize("linkage", ["-static", "-pie"])
def test_program(linkage: str, tmp_path: Path) -> None:
    """It runs as it should, with probes in it and in the library, which know their callers."""
    program = tmp_path / "program"
    run([COMPILER, "-O2", "-g", linkage, "-fPIE", "-o", program, HERE / "sparc_library.c", "-lm", "-pthread"],
        check=True)
    library = "libc" if linkage == "-pie" else "a.out"
    clauses = ["pid$target:a.out:compare:entry { @[probefunc] = count(); }",
               "pid$target:a.out:main:entry { @[probefunc] = count(); }",
               f"pid$target:{library}:longjmp:entry {{ @[probefunc] = count(); }}",
               f"pid$target:{library}:qsort:entry {{ ustack(2); printf(\"%d %d\", arg1, uregs[R_O2]); }}"]
    done = atonce.run(["dtrace", "-q", "-x", "evaltime=main", "-c", program,
                       *(flag for clause in clauses for flag in ("-n", clause))])
    printed, traced = done.stdout[:len(OUTPUT)], done.stdout[len(OUTPUT):].split()
    assert printed == OUTPUT, done.stderr
    module = "libc.so.6" if linkage == "-pie" else "program"
    assert traced[:3] == [f"{module}`qsort", f"program`{traced[1].partition('`')[2]}", "1000"]
    counts = dict(zip(traced[4::2], traced[5::2], strict=True))
    assert traced[3] == "4" and counts["main"] == "1" and int(counts["compare"]) > 5000
