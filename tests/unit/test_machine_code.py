r"""Machine code in the sources is what the assembly text beside it says.

Beside or above a constant of bytes, or of an instruction's word, stands a
comment "amd64: syscall; ret" (or i386, arm64, sparc, sparcv9); a text that ends
in \ goes on in the next comment.  LLVM's assembler assembles each.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import assembler
import capstone
import pytest

sys.path.insert(0, str(Path(__file__).parent))

import house

COMMENT = re.compile(r"# (amd64|i386|arm64|sparc|sparcv9): (.+)$")
CONSTANT = re.compile(r"([A-Z][A-Z0-9_]*)(: \w+)? = ")
READERS = {"amd64": capstone.CS_MODE_64, "i386": capstone.CS_MODE_32}


class Code(NamedTuple):
    """A constant of a module, and the assembly text beside it."""

    module: str
    name: str
    machine: str
    text: str


def codes() -> Iterator[Code]:
    """Every constant that has assembly text."""
    for module, path in house.modules().items():
        lines = path.read_text(encoding="utf-8").splitlines()
        for at, line in enumerate(lines):
            found = COMMENT.search(line)
            if found is None:
                continue
            text = found[2]
            while text.endswith("\\"):
                at += 1
                text = text[:-1] + lines[at].strip("# ")
            constant = CONSTANT.match(line) or CONSTANT.match(lines[at + 1])
            assert constant, f"{path}: no constant beside {line!r}"
            yield Code(module, constant[1], found[1], text)


CODES = list(codes())


def instructions(machine: str, code: bytes) -> list[str] | bytes:
    """What x86 code says: an instruction may have two encodings.  Other code is its bytes."""
    if machine not in READERS:
        return code
    reader = capstone.Cs(capstone.CS_ARCH_X86, READERS[machine])
    return [f"{each.size} {each.mnemonic} {each.op_str}" for each in reader.disasm(code, 0)]


@pytest.mark.parametrize("code", CODES, ids=lambda code: f"{code.module}.{code.name}")
def test_bytes_are_what_the_text_says(code: Code) -> None:
    value = getattr(importlib.import_module(code.module), code.name)
    if isinstance(value, int):
        value = value.to_bytes(4, "little" if code.machine == "arm64" else "big")
    assembled = assembler.assemble(code.machine, code.text)
    assert len(assembled) == len(value)
    assert instructions(code.machine, assembled) == instructions(code.machine, value)


def test_there_are_some() -> None:
    assert {code.machine for code in CODES} == {"amd64", "i386", "arm64", "sparc", "sparcv9"}
    assert len(CODES) > 25
