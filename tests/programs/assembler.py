"""Assembly text → machine code, and small static programs of it: zig's clang for every machine.

It is LLVM's assembler, which pip installs with the `test` extra on each
processor.  Linked are programs for SPARC by our linker, which knows both of its
widths, and others by zig's.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

import linker
import zigcc

from dof.elf import ElfFile

TARGETS = {
    "amd64": ["--target=x86_64-linux"],
    "i386": ["--target=i386-linux"],
    "arm64": ["--target=aarch64-linux", "-march=armv8.5-a+rng"],
    "sparc": ["--target=sparc-linux", "-mcpu=v8"],
    "sparcv9": ["--target=sparcv9-linux", "-mcpu=v9"],
}
MISTAKEN = re.compile(r"\bset\s+-?\d|%(hi|lo)\(\d")  # on SPARC, by LLVM 22: they are right with a symbol
LABEL = re.compile(r"^\s*([A-Za-z_]\w*):", re.MULTILINE)


def assemble(machine: str, text: str) -> bytes:
    """Return the bytes of instructions that are separated by ; or lines, and name no place outside.

    An x86 text with % in it is in AT&T's syntax, any other in Intel's.
    """
    elf = ElfFile(_object(machine, text))
    assert not any(elf.relocations(each) for each in elf.sections if each.name == ".rela.text")
    return bytes(next(elf.contents(each) for each in elf.sections if each.name == ".text"))


def write_program(path: Path, machine: str, text: str) -> None:
    """Write a static program that begins with `text`; a label begins a function."""
    names = LABEL.findall(text := f"_start: {text}")
    functions = map(function, names, [*names[1:], ".Lend"])
    link(path, machine, "\n".join((text, ".Lend:", *functions)))


def function(name: str, end: str) -> str:
    """Return the directives that make a function of what lies between two labels."""
    return f".type {name}, @function; .size {name}, {end} - {name}"


def link(path: Path, machine: str, text: str) -> None:
    """Write a static program that begins at _start; its functions are declared."""
    made = _object(machine, f"{text}\n.globl _start")
    if machine.startswith("sparc"):
        linker.write(str(path), linker.link([made]))
        return
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "o").write_bytes(made)
        _zig("ld.lld", "-static", f"{folder}/o", "-o", str(path))


def _object(machine: str, text: str) -> bytes:
    """Return the relocatable object of a text."""
    assert not (machine.startswith("sparc") and MISTAKEN.search(text)), "LLVM does not shift a constant there"
    if machine in ("amd64", "i386") and "%" not in text:
        text = f".intel_syntax noprefix\n{text}"
    with tempfile.TemporaryDirectory() as folder:
        _zig("clang", *TARGETS[machine], "-c", "-x", "assembler", "-", "-o", f"{folder}/o", text=text + "\n")
        return Path(folder, "o").read_bytes()


def _zig(tool: str, *arguments: str, text: str = "") -> None:
    """Run a tool of LLVM that zig has in itself."""
    zig = zigcc.zig()
    assert zig is not None, "the package ziglang is not installed"
    done = subprocess.run([zig, tool, *arguments], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
