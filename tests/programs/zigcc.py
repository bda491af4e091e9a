"""Zig in the place of a C compiler that is missing: zigcc.py MACHINE cc|c++ ARGUMENTS...

It takes the arguments of gcc.  Sources are compiled with all of them.  Programs are linked only with those that
linkers read: zig would build its C library anew for each flag that makes other code, which takes a minute.
Programs are static, with musl for their C library.  In C++ there are no exceptions, no type information and no
standard library, which zig would take minutes to build: operator new and delete are those of new.h.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
TARGETS = {
    "x86-64": ["-target", "x86_64-linux-musl"],
    "i386": ["-target", "x86-linux-musl"],
    "i686": ["-target", "x86-linux-gnu"],  # its objects are linked by the system's own compiler
    "aarch64": ["-target", "aarch64-linux-musl"],
    "sparc": ["-target", "sparc-linux-none", "-mcpu=v8"],
    "sparcv9": ["-target", "sparc64-linux-none", "-mcpu=v9"],
}
# Zig would find undefined behaviour on purpose, where it is not asked to optimize.
COMPILING = ("-fno-sanitize=all", "-Wno-unused-command-line-argument", "-idirafter", str(HERE / "include"))
CXX = ("-nostdlib++", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics",
       "-include", str(HERE / "include" / "new.h"))
# What zig does not know, and what compiles other code, or the same, in its place; "" for nothing.
UNKNOWN = {"-mflat": "-Os", "-mtune=leon3": "-g0", "-march=x86-64-v3": "-mcpu=x86_64_v3", "-m32": "", "-m64": "",
           "-static-pie": "-static", "-pie": "", "-no-pie": "", "-gctf": "", "-rdynamic": ""}
SOURCES = (".c", ".cc", ".cpp", ".S", ".s")
WITH_VALUE = ("-o", "-I", "-D", "-U", "-include", "-idirafter", "-isystem", "-x", "-L", "-l", "-T", "-u", "-MF",
              "-MT", "-MQ", "-Xlinker", "-z")  # the value may be the next word
LINKED = ("-l", "-L", "-Wl,", "-T", "-u", "-Xlinker", "-z", "-shared", "-static", "-nostdlib", "-nostartfiles",
          "-pthread", "-s")
ONLY = ("-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--version", "-dumpmachine", "-v", "-###")


def zig() -> str | None:
    """The path of zig, None where it is not installed."""
    found = importlib.util.find_spec("ziglang")
    if found is None or not found.submodule_search_locations:
        return None
    program = Path(found.submodule_search_locations[0]) / "zig"
    return str(program) if program.exists() else None


def words(arguments: list[str]) -> list[tuple[str, ...]]:
    """The arguments, each with its value."""
    found = []
    left = iter(arguments)
    for word in left:
        if word in WITH_VALUE:
            found.append((word, next(left, "")))
        elif (known := UNKNOWN.get(word, word)):
            found.append((known,))
    return found


def linker(machine: str) -> list[str]:
    """The command that links objects of a machine."""
    if machine == "i686":
        return ["gcc", "-m32"]
    program = zig()
    assert program is not None
    return [program, "cc", *TARGETS[machine]]


def main(machine: str, language: str, arguments: list[str]) -> int:
    program = zig()
    if program is None:
        sys.exit("zigcc: the package ziglang is not installed")
    compiler = [program, language, *TARGETS[machine], *COMPILING, *(CXX if language == "c++" else ())]
    if any(word.startswith(ONLY) and word in ONLY for word in arguments):
        given = [each for word in words(arguments) for each in word if each != "-static"]
        return subprocess.run([*compiler, *given], check=False).returncode
    with tempfile.TemporaryDirectory() as folder:
        inputs: list[str] = []
        form: tuple[str, ...] = ()  # -x and a language, for the sources that follow
        flags = [each for word in words(arguments) for each in word
                 if word[0].startswith("-") and word[0] not in ("-x", "-", "-o") and not word[0].startswith(LINKED)]
        ends = [each for word in words(arguments) for each in word
                if word[0] == "-o" or (word[0].startswith(LINKED) and word[0].startswith("-"))]
        for word in words(arguments):
            if word[0] == "-x":
                form = () if word[1] == "none" else word
            elif word[0] == "-" or not word[0].startswith("-"):
                if form or word[0].endswith(SOURCES):
                    made = f"{folder}/{len(inputs)}.o"
                    done = subprocess.run([*compiler, *flags, *form, "-c", word[0], "-o", made], check=False)
                    if done.returncode:
                        return done.returncode
                    inputs.append(made)
                else:
                    inputs.append(word[0])
        static = () if machine == "i686" or "-shared" in ends or "-static" in ends else ("-static",)
        return subprocess.run([*linker(machine), *static, *inputs, *ends], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
