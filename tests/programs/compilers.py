"""Compilers of C for each machine that the tests build programs for.

Where the system has a compiler that can link, that one is taken.  Otherwise
zig stands in (zigcc.py), a cross compiler that pip installs with the `test`
extra: it brings musl, which it links statically, for x86 and AArch64, and no C
library for SPARC.  What a test then does not cover is told at the end of the run.
"""

from __future__ import annotations

import functools
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import linker
import zigcc

HERE = Path(__file__).parent
HOST = "aarch64" if platform.machine() == "aarch64" else "x86-64"  # whose programs run natively
SYSTEM = {
    "x86-64": ["gcc" if HOST == "x86-64" else "x86_64-linux-gnu-gcc"],
    "i386": ["gcc" if HOST == "x86-64" else "x86_64-linux-gnu-gcc", "-m32", "-idirafter",
             "/usr/include/x86_64-linux-gnu"],
    "i686": ["i686-linux-gnu-gcc"],
    "aarch64": ["gcc" if HOST == "aarch64" else "aarch64-linux-gnu-gcc"],
    "sparc": ["sparc64-linux-gnu-gcc", "-m32", "-mcpu=v8"],
    "sparcv9": ["sparc64-linux-gnu-gcc", "-m64", "-mcpu=v9"],
}
# What the stand-in leaves out, where the system's compiler is missing.
LEFT_OUT = {
    "x86-64": "64-bit programs of x86 that are linked dynamically",
    "i386": "32-bit programs that are linked dynamically",
    "i686": "objects of another compiler for 32-bit programs",
    "aarch64": "position-independent AArch64 programs",
    "sparc": "code without register windows (-mflat)",
    "sparcv9": "code without register windows (-mflat)",
}
DESCRIPTORS = 2048  # that zig may have open while it builds its C library, all files of it at once
STAND_INS: set[str] = set()  # machines for which `compiler` gave one
FREESTANDING = ("-ffreestanding", "-nostdlib", "-static", "-fno-pic", "-no-pie")
EMPTY = "int main(void) { return 0; }\n"
HEADERS = ("-idirafter", str(HERE / "include"))  # ours, where the system has no other of the name


class Compiler(NamedTuple):
    """A command that compiles and links; `own` where it is the system's, with the system's C library."""

    machine: str
    command: list[str]
    own: bool

    @property
    def bits(self) -> int:
        return 32 if self.machine in ("i386", "i686", "sparc") else 64


def library_module(flags: Sequence[str]) -> str:
    """What pid probes call the C library of a program that `building` builds with these flags."""
    found = compiler("i386" if "-m32" in flags else HOST)
    return "a.out" if "-static" in flags or (found is not None and not found.own) else "libc"


def runs(machine: str) -> bool:
    """Whether the host's processor executes programs of a machine."""
    return machine == HOST or (HOST == "x86-64" and machine in ("i386", "i686"))


def building(arguments: Sequence[str], machine: str = HOST) -> list[str] | None:
    """A compiler's command with these arguments, for programs that run natively, too; -m32 asks for i386.

    None where there is no such compiler.  Those of another `machine` run natively where `runs` says so.
    """
    if "-m32" in arguments and HOST != "x86-64":
        return None
    found = compiler("i386" if "-m32" in arguments else machine)
    if found is None:
        return None
    return [*found.command, *HEADERS, *(each for each in arguments if each not in ("-m32", "-m64"))]


def stand_in(machine: str, language: str = "cc") -> list[str] | None:
    """The command of zig in the place of gcc ("cc") or g++ ("c++"), None where it is not installed."""
    return None if zigcc.zig() is None else [sys.executable, zigcc.__file__, machine, language]


def stands_in(command: Sequence[str]) -> bool:
    """Whether a command is that of `stand_in`."""
    return zigcc.__file__ in command


def links(command: list[str], *flags: str) -> bool:
    """Whether a compiler can make a program."""
    if shutil.which(command[0]) is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([*command, *flags, "-x", "c", "-", "-o", f"{folder}/program"], input=EMPTY,
                              text=True, capture_output=True, check=False)
    return done.returncode == 0


@functools.cache
def cxx() -> list[str]:
    """The command of a compiler of C++ for the host: g++, or zig, which has no exceptions and no library."""
    other = stand_in("host", "c++")
    return ["g++"] if shutil.which("g++") is not None or other is None else other


@functools.cache
def compiler(machine: str) -> Compiler | None:
    """The compiler of a machine of SYSTEM; None where there is none.

    The first call may take a minute or two: zig builds its C library then, and keeps it.
    """
    freestanding = FREESTANDING if machine.startswith("sparc") else ()
    if links(SYSTEM[machine], *freestanding):
        return Compiler(machine, SYSTEM[machine], True)
    if machine == "i686" and (command := stand_in(machine)) is not None and links(SYSTEM["i386"], "-static"):
        return Compiler(machine, command, False)  # zig's objects, which the system's compiler links
    command = stand_in("i386" if machine == "i686" else machine)
    if command is None or (not freestanding and not links(command)):
        return None
    STAND_INS.add(machine)
    return Compiler(machine, command, False)


def compile_freestanding(machine: str, output: str, source: str, *flags: str) -> None:
    """Compile one source file to an object that needs no C library."""
    found = compiler(machine)
    assert found is not None, f"no compiler for {machine}"
    _run([*found.command, *FREESTANDING, *flags, "-c", "-o", output, source])


def freestanding(machine: str, output: str, *arguments: str) -> None:
    """Make a static program without a C library of source files, objects and flags.

    Zig's linker knows no 32-bit SPARC, and not what linkers define of themselves: ours takes its place.
    """
    found = compiler(machine)
    assert found is not None, f"no compiler for {machine}"
    if found.own:
        _run([*found.command, *FREESTANDING, "-o", output, *arguments])
        return
    flags = [each for each in arguments if each.startswith("-")]
    with tempfile.TemporaryDirectory() as folder:
        objects = []
        for source in (each for each in arguments if not each.startswith("-")):
            objects.append(source)
            if not source.endswith(".o"):
                objects[-1] = f"{folder}/{len(objects)}.o"
                compile_freestanding(machine, objects[-1], source, *flags)
        linker.write(output, linker.link([Path(each).read_bytes() for each in objects]))


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"


def keep_zigs_cache() -> None:
    """Let zig keep what it builds beside the tests, and not in a home directory that may not be there."""
    for name in ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"):
        os.environ.setdefault(name, str(HERE.parent.parent / "build" / "zig"))


if __name__ == "__main__":  # what the tests would wait for, one after the other
    keep_zigs_cache()
    with ThreadPoolExecutor(2) as pool:
        found = [each.machine for each in pool.map(compiler, SYSTEM) if each is not None]
    print("compilers for", ", ".join(found))
