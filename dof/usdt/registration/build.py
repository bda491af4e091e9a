"""Compile registration.c for every system and instruction set (a maintainer's tool: `make registration`).

The objects are committed beside their source, so that `dtrace -G` needs no
compiler.  Each is made by the system's compiler for its machine.  Where that
is missing, zig takes its place, a cross compiler that pip installs (see the
`test` extra of pyproject.toml), though only if the source has changed.  Zig
0.17 cannot compile it for SPARC V9: that needs sparc64-linux-gnu-gcc.

The file `compilers` tells for each machine what made its objects, and of which source.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

from dif.records import NamedTuple

HERE = Path(__file__).parent
MANIFEST = "compilers"


class Machine(NamedTuple):
    """The system's cross compiler with its flags; zig's name of the machine ("" where it will not do), flags.

    On a host whose processor has one of the names `hosts`, as uname(2) says them, it is plain gcc.
    """

    compiler: str
    flags: tuple[str, ...]
    zig: str
    zig_flags: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


MACHINES = {
    "x86-64": Machine("x86_64-linux-gnu-gcc", ("-m64", "-fcf-protection=full", "-mno-sse", "-mno-red-zone"),
                      "x86_64-linux-musl", ("-fcf-protection=full", "-mno-sse", "-mno-red-zone"),
                      ("x86_64",)),
    "i386": Machine("x86_64-linux-gnu-gcc", ("-m32", "-march=i686", "-fcf-protection=full", "-mno-sse"),
                    "x86-linux-musl", ("-march=i686", "-fcf-protection=full", "-mno-sse"), ("x86_64",)),
    "aarch64": Machine("aarch64-linux-gnu-gcc", ("-mbranch-protection=standard", "-mgeneral-regs-only"),
                       "aarch64-linux-musl", ("-mbranch-protection=standard", "-mgeneral-regs-only"),
                       ("aarch64",)),
    "sparcv9": Machine("sparc64-linux-gnu-gcc", ("-m64", "-mcpu=v9", "-mno-app-regs"), ""),
    "sparc": Machine("sparc64-linux-gnu-gcc", ("-m32", "-mcpu=v8", "-mno-app-regs"),
                     "sparc-linux-none", ("-mcpu=v8",)),
}
SYSTEMS = {
    "linux": ("x86-64", "i386", "aarch64", "sparcv9", "sparc"),
    "illumos": ("x86-64", "i386", "sparcv9", "sparc"),
    "freebsd": ("x86-64", "i386", "aarch64"),
}
# No unwind tables, no stack protector, no identification: nothing that would
# draw a library or a difference between compilers into the program.
FLAGS = ("-Os", "-fPIC", "-std=gnu11", "-Wall", "-Wextra", "-ffreestanding", "-fvisibility=hidden",
         "-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-fno-ident",
         "-ffunction-sections", "-fdata-sections")
GCC_FLAGS = ("-fno-tree-loop-distribute-patterns",)
ZIG_FLAGS = ("-fno-builtin", "-fno-sanitize=all", "-g0")


class Made(NamedTuple):
    """What made the objects of a machine: the compiler, and the digest of the source."""

    compiler: str
    source: str


class CompilerMissing(Exception):
    """No compiler is installed that can make the objects of a machine."""


def system_compiler(machine: str) -> str:
    """The name of the system's compiler for a machine."""
    row = MACHINES[machine]
    return "gcc" if os.uname().machine in row.hosts else row.compiler


def is_native(machine: str) -> bool:
    """Whether the system's compiler for a machine is installed."""
    return shutil.which(system_compiler(machine)) is not None


def command(machine: str) -> tuple[list[str], list[str]]:
    """The compiler of a machine, and its flags.  Raises CompilerMissing."""
    row = MACHINES[machine]
    if is_native(machine):
        return [system_compiler(machine)], [*row.flags, *FLAGS, *GCC_FLAGS]
    if not row.zig or importlib.util.find_spec("ziglang") is None:
        raise CompilerMissing(f"{machine}: {system_compiler(machine)} is not installed")
    return [sys.executable, "-m", "ziglang", "cc"], ["-target", row.zig, *row.zig_flags, *FLAGS, *ZIG_FLAGS]


def version(machine: str) -> str:
    """Which compiler that is, on one line.  Raises CompilerMissing."""
    program, _ = command(machine)
    done = subprocess.run([*program, "--version"], check=True, capture_output=True, text=True)
    return done.stdout.splitlines()[0]


def digest(machine: str) -> str:
    """What tells one source from another: the text, and the flags of a machine."""
    row = MACHINES[machine]
    parts = [(HERE / name).read_bytes() for name in ("registration.c", "linux.h")]
    parts += [" ".join(each).encode() for each in (row.flags, row.zig_flags, FLAGS, GCC_FLAGS, ZIG_FLAGS)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def manifest() -> dict[str, Made]:
    """What made the committed objects, by machine."""
    rows = (line.split(" | ") for line in (HERE / MANIFEST).read_text().splitlines())
    return {machine: Made(compiler, source) for machine, compiler, source in rows}


def compile_one(system: str, machine: str, output: Path) -> None:
    """Write one relocatable object.  Raises CompilerMissing."""
    program, flags = command(machine)
    subprocess.run([*program, *flags, f"-D{system.upper()}", "-c", str(HERE / "registration.c"),
                    "-o", str(output)], check=True)


def compile_all() -> None:
    """Write <system>-<machine>.bin of each pair for which that makes sense, and what made them.

    Raises CompilerMissing where an object's source has changed and it cannot be compiled here.
    """
    made = manifest()
    for machine in MACHINES:
        if not is_native(machine) and made[machine].source == digest(machine):
            print(f"{machine}: up to date")
            continue
        made[machine] = Made(version(machine), digest(machine))
        print(f"{machine}: {made[machine].compiler}")
        for system, machines in SYSTEMS.items():
            if machine in machines:
                compile_one(system, machine, HERE / f"{system}-{machine}.bin")
    (HERE / MANIFEST).write_text("".join(f"{machine} | {row.compiler} | {row.source}\n"
                                         for machine, row in made.items()))


if __name__ == "__main__":
    try:
        compile_all()
    except CompilerMissing as problem:
        sys.exit(str(problem))
