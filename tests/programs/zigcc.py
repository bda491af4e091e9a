"""Zig in the place of a C compiler that is missing: zigcc.py MACHINE cc|c++ ARGUMENTS...

It takes the arguments of gcc.  Sources are compiled with all of them.  Programs
are linked only with those that linkers read: for each flag that makes other
code zig would build its C library anew, which takes a minute.  Programs are
static, with musl for their C library, but where the system's compiler links.
In C++ there are no exceptions, no type information and no standard library,
which zig would take minutes to build: operator new and delete are in new.h.
"""

from __future__ import annotations

import importlib.util
import itertools
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
TARGETS = {
    "x86-64": ["-target", "x86_64-linux-musl"],
    "i386": ["-target", "x86-linux-musl"],
    "i686": ["-target", "x86-linux-gnu"],
    "host": ["-target", f"{platform.machine()}-linux-gnu"],
    "aarch64": ["-target", "aarch64-linux-musl"],
    "sparc": ["-target", "sparc-linux-none", "-mcpu=v8"],
    "sparcv9": ["-target", "sparc64-linux-none", "-mcpu=v9"],
}
# Where the system's own compiler links, and zig builds no C library.
LINKERS = {"i686": ["gcc", "-m32"], "host": ["gcc"]}
# Zig would find undefined behaviour on purpose, where it is not asked to optimize.
COMPILING = ["-fno-sanitize=all", "-Wno-unused-command-line-argument", "-idirafter", str(HERE / "include")]
CXX = ["-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-include", str(HERE / "include" / "new.h")]
# What zig does not know, and what compiles other code, or the same, in its place; "" for nothing.
IN_PLACE = {"-mflat": "-Os", "-mtune=leon3": "-g0", "-march=x86-64-v3": "-mcpu=x86_64_v3",
            "-static-pie": "-static", "-m32": "", "-m64": "", "-pie": "", "-no-pie": "",
            "-gctf": "", "-rdynamic": ""}
SOURCES = (".c", ".cc", ".cpp", ".S", ".s", "-")
# Flags whose value may be the next word, and those of them whose value is a path; what linkers read; what
# ends before them.
WITH_VALUE = ("-o", "-I", "-D", "-U", "-include", "-idirafter", "-isystem", "-x", "-L", "-l", "-T", "-u",
              "-MF", "-MT", "-MQ", "-Xlinker", "-z")
PATHS = ("-o", "-L", "-T")
LINKING = ("-o", "-l", "-L", "-Wl,", "-T", "-u", "-Xlinker", "-z", "-shared", "-static", "-nostdlib",
           "-nostartfiles", "-pthread")
BEFORE_LINKING = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--version"}


def zig() -> str | None:
    """The path of zig, None where it is not installed."""
    found = importlib.util.find_spec("ziglang")
    if found is None or not found.submodule_search_locations:
        return None
    program = Path(found.submodule_search_locations[0]) / "zig"
    return str(program) if program.exists() else None


def apart(word: str) -> list[str]:
    """A path behind its flag in one word, as two words: both forms are told alike."""
    return [word[:2], word[2:]] if word[:2] in ("-L", "-o") and len(word) > 2 else [word]


def words_of(arguments: list[str]) -> list[list[str]]:
    """The arguments, each with its value, in zig's words."""
    left = itertools.chain.from_iterable(map(apart, arguments))
    found = [[word, next(left, "")] if word in WITH_VALUE else [IN_PLACE.get(word, word)] for word in left]
    return [word for word in found if word[0]]


def compile_and_link(compiler: list[str], linker: list[str], words: list[list[str]], folder: str) -> int:
    """Make a program; put objects of its sources into a folder.  Returns the status of what failed, or 0."""
    flags = [each for word in words for each in word
             if word[0].startswith("-") and not word[0].startswith(LINKING) and word[0] not in ("-", "-x")]
    language: list[str] = []
    line: list[str] = []  # what the linker is told, in its order
    for word in words:
        if word[0] == "-x":
            language = [] if word[1] == "none" else word
        elif word[0].startswith(LINKING):
            line += [word[0], *(os.path.abspath(each) if word[0] in PATHS else each for each in word[1:])]
        elif word == ["-"] or not word[0].startswith("-"):
            line.append(os.path.abspath(word[0]))
            if language or word[0].endswith(SOURCES):
                line[-1] = f"{folder}/{len(line)}.o"
                making = [*compiler, *flags, *language, "-c", *word, "-o", line[-1]]
                done = subprocess.run(making, check=False)
                if done.returncode:
                    return done.returncode
    # Zig keeps its library by the place from which it sees its sources: everywhere the same.
    return subprocess.run([*linker, *line], cwd="/", check=False).returncode


def main(machine: str, language: str, arguments: list[str]) -> int:
    program = zig()
    if program is None:
        sys.exit("zigcc: the package ziglang is not installed")
    compiler = [program, language, *TARGETS[machine], *COMPILING, *(CXX if language == "c++" else [])]
    words = words_of(arguments)
    if not BEFORE_LINKING.isdisjoint(arguments):
        given = [each for word in words for each in word if word != ["-static"]]
        return subprocess.run([*compiler, *given], check=False).returncode
    linker = LINKERS.get(machine) or [program, "cc", *TARGETS[machine]]
    if machine not in LINKERS and ["-shared"] not in words:
        linker = [*linker, "-static"]
    with tempfile.TemporaryDirectory() as folder:
        return compile_and_link(compiler, linker, words, folder)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
