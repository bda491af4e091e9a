"""A function whose text holds a table: what can only be reached through it is told to have no probes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import assembler
import atonce
import pytest

from runtime.programs.objectfile import ObjectFile
from runtime.providers.fasttrap.functionbodies import analyse
from runtime.providers.fasttrap.instructions.x86 import X86

Build = Callable[..., str]
JUMP = "dtrace: cannot trace pid101: %s`pick+0xe: code that only this computed jump leads to, for data " \
    "lie there, too"


@pytest.mark.parametrize(("probes", "found", "told"), [
    ("pick:", ["entry", "0", "7", "b", "e"], [JUMP]), ("pick:return", [], [JUMP]),
    ("pick:entry", ["entry"], []),
    ("main:", ["entry", "0", "4", "9", "e", "12", "return", "14"], [])])
def test_told(probes: str, found: list[str], told: list[str], build_x86: Build) -> None:
    clause = f"pid$target:a.out:{probes} {{ printf(\"%s\\n\", probename); }}"
    program = build_x86("table.S")
    told = [line % Path(program).name for line in told]
    done = atonce.run(["dtrace", "-q", "-n", clause, "-c", program])
    assert (done.stdout.split(), done.stderr.splitlines()) == (found, told)


def test_stretches_without_probes_are_listed_with_the_reason(tmp_path: Path) -> None:
    """-v and -x tracepoints show them among the places of probes; what was not asked for is not there."""
    program = tmp_path / "stretches"
    assembler.write_program(program, "amd64", """
        lea rax, [rip + 2f]; jmp 1f; nop; nop; 1: xor edi, edi; mov eax, 60; syscall
        2: .quad 0x9090909090909090""")
    words = ["dtrace", "-qv", "-x", "tracepoints", "-c", str(program), "-n", "pid$target:a.out:_start:"]
    done = atonce.run([*words[:-1], f"{words[-1]} {{}}"])
    place, = (line for line in done.stdout.splitlines() if " refused " in line)
    assert "stretches`_start+0x9 " in place and "pid101:" not in place
    assert place.endswith(" (not reached by control flow, next to data)")
    told = "dtrace: cannot trace pid101: stretches`_start+0x9: not reached by control flow, next to data\n"
    assert done.stderr.count(told) == 1
    listed = ["dtrace", "-lv", "-c", str(program), "-n", "pid$target:a.out:_start:"]
    assert atonce.run(listed).stderr.count(told) == 1
    done = atonce.run([*words[:-1], f"{words[-1]}entry {{}}"])
    assert " refused " not in done.stdout and "stretches`_start+0x0 " in done.stdout


def test_what_is_no_instruction(tmp_path: Path) -> None:
    """Data, and each stretch beside data that nothing leads to; not the instructions around it."""
    assembler.write_program(tmp_path / "stretches", "amd64", """
        lea rax, [rip + 2f]; jmp 1f; nop; nop; 1: test eax, eax; jne 3f; ret; nop; 3: ret
        2: .quad 0x9090909090909090""")
    file = ObjectFile("stretches", (tmp_path / "stretches").read_bytes(), None)
    start, = file.by_name["_start"]
    body = analyse(file, start, X86(64))
    dead = "not reached by control flow, next to data"
    refused = {address - start.start: why for address, why in body.refused.items()}
    assert refused == {9: dead, 16: dead, 18: "data"}
    assert [address - start.start for address in body.instructions] == [0, 7, 11, 13, 15, 17]
    assert [address - start.start for address in body.returns] == [15, 17]
