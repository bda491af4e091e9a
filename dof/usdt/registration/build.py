"""Compile registration.c for every system and instruction set (a maintainer's tool).

The results are committed beside the source, so that `dtrace -G` needs no
compiler.  Run it after changing the source: `python -m dof.usdt.registration.build`.
Needs gcc with -m32, aarch64-linux-gnu-gcc and sparc64-linux-gnu-gcc.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
COMPILERS = {
    "x86-64": ["gcc", "-m64", "-fcf-protection=full", "-mno-sse", "-mno-red-zone"],
    "i386": ["gcc", "-m32", "-march=i686", "-fcf-protection=full", "-mno-sse"],
    "sparcv9": ["sparc64-linux-gnu-gcc", "-m64", "-mcpu=v9", "-mno-app-regs"],
    "sparc": ["sparc64-linux-gnu-gcc", "-m32", "-mcpu=v8", "-mno-app-regs"],
    "aarch64": ["aarch64-linux-gnu-gcc", "-mbranch-protection=standard", "-mgeneral-regs-only"],
}
SYSTEMS = {
    "linux": ("x86-64", "i386", "aarch64", "sparcv9", "sparc"),
    "illumos": ("x86-64", "i386", "sparcv9", "sparc"),
    "freebsd": ("x86-64", "i386", "aarch64"),
}
# No unwind tables, no stack protector, no identification: nothing that would
# draw a library or a difference between compilers into the program.
FLAGS = ["-Os", "-fPIC", "-std=gnu11", "-Wall", "-Wextra", "-ffreestanding", "-fvisibility=hidden",
         "-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-fno-ident",
         "-fno-tree-loop-distribute-patterns", "-ffunction-sections", "-fdata-sections"]


def versions() -> str:
    """Which compilers there are, one line for each."""
    commands = dict.fromkeys(each[0] for each in COMPILERS.values())
    return "".join(subprocess.run([each, "--version"], check=True, capture_output=True, text=True,
                                  ).stdout.splitlines()[0] + "\n" for each in commands)


def compile_all(directory: Path = HERE) -> None:
    """Write <system>-<machine>.bin, relocatable objects, into `directory`, and what compiled them."""
    (directory / "compilers").write_text(versions())
    for system, machines in SYSTEMS.items():
        for machine in machines:
            subprocess.run([*COMPILERS[machine], *FLAGS, f"-D{system.upper()}", "-c",
                            str(HERE / "registration.c"), "-o", str(directory / f"{system}-{machine}.bin")],
                           check=True)


if __name__ == "__main__":
    compile_all(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
