"""Programs whose probes are found in one way only: by notes, by an address, beside data in their text."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from subprocess import run

import assembler
import pytest
from harness import Machine

from runtime.command.command import main as dtrace

Build = Callable[..., str]
Make = Callable[..., Machine]

NOTES_ONLY = """
#define TEXT(x) #x
__attribute__((noinline)) void point(long a, long b)
{
    asm volatile("990: nop\\n"
        ".pushsection .note.stapsdt,\\"?\\",\\"note\\"\\n.balign 4\\n.4byte 992f-991f, 994f-993f, 3\\n"
        "991: .asciz \\"stapsdt\\"\\n992: .balign 4\\n993: .8byte 990b\\n.8byte _.stapsdt.base\\n.8byte 0\\n"
        ".asciz \\"lonely\\"\\n.asciz \\"point\\"\\n.asciz \\"8@%0 -8@%1\\"\\n994: .balign 4\\n.popsection\\n"
        ".pushsection .stapsdt.base,\\"aG\\",\\"progbits\\",.stapsdt.base,comdat\\n.weak _.stapsdt.base\\n"
        ".hidden _.stapsdt.base\\n_.stapsdt.base: .space 1\\n.size _.stapsdt.base, 1\\n.popsection\\n"
        : : "r"(a), "r"(b));
}
int main(void) { point(3, -4); point(5, 6); return 0; }
"""

DATA_BEHIND_A_JUMP = """
asm(".text\\n.globl mixed\\n.type mixed, @function\\n"
    "mixed: mov (table)(%rip), %eax\\n jmp 1f\\n"
    "table: .4byte 0x0000002a\\n .byte 0xff, 0xff, 0xff\\n"
    "1: add $1, %eax\\n ret\\n.size mixed, .-mixed\\n");
int mixed(void);
int main(void) { return mixed(); }
"""


def compiled(build: Build, tmp_path: Path, name: str, text: str, *flags: str) -> str:
    source = tmp_path / f"{name}.c"
    source.write_text(text)
    return build(str(source), *flags)


@pytest.mark.parametrize("flags", [("-O1", "-static"), ("-O2",), ("-O2", "-s")])
def test_a_program_with_notes_and_nothing_else(build: Build, tmp_path: Path, flags: tuple[str, ...],
                                               capfd: pytest.CaptureFixture[str]) -> None:
    program = compiled(build, tmp_path, "lonely", NOTES_ONLY, *flags)
    script = 'lonely$target:::point { printf("%d %d;", arg0, (long)arg1); }'
    assert dtrace(["-q", "-n", script, "-c", program]) == 0
    assert capfd.readouterr().out.strip() == "3 -4;5 6;"


def test_an_address_of_the_program(build: Build, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """pid$target:a.out:-:ADDR, with the address that the symbol table has."""
    program = compiled(build, tmp_path, "address", NOTES_ONLY, "-O1", "-static", "-no-pie")
    symbols = run(["nm", program], check=True, capture_output=True, text=True).stdout
    address = re.search(r"^0*([0-9a-f]+) T point$", symbols, re.MULTILINE)
    assert address is not None
    for module in ("a.out", ""):
        clause = '{ printf("%s %x %d;", probefunc, uregs[R_PC], arg0); }'
        script = f"pid$target:{module}:-:{address[1]} {clause}"
        assert dtrace(["-q", "-n", script, "-c", program]) == 0
        at = int(address[1], 16)
        assert capfd.readouterr().out.strip() == f"- {at:x} 3;- {at:x} 5;"


def test_data_behind_a_jump_is_no_instruction(build_x86: Build, machine: Make, tmp_path: Path) -> None:
    """The sweep would read it as code: only what control flow reaches has probes, and the data stays."""
    program = compiled(build_x86, tmp_path, "mixed", DATA_BEHIND_A_JUMP, "-O1", "-static")
    traced = machine()
    process = traced.start(program)
    probes = traced.probes(f"pid{process.pid}:a.out:mixed:")
    names = {probe.name for probe in probes}
    assert {"0", "6", "f", "12"} <= names
    assert not names & {"8", "9", "a", "b", "c", "d", "e"}
    traced.enable(probes)
    assert traced.run(process).status == 43


def test_an_instruction_at_the_end_of_all_text(machine: Make, tmp_path: Path) -> None:
    """Its one byte is the page's last, and no page follows."""
    assembler.write_program(tmp_path / "edge", "amd64", """
        mov edi, 5; call last; mov eax, 60; syscall; .balign 4096, 0x90; .skip 4093, 0x90
        last: inc edi; ret""")
    made = machine()
    process = made.start(str(tmp_path / "edge"))
    made.enable(made.probes(f"pid{process.pid}:a.out:last:"))
    assert made.run(process).status == 6
    assert made.hits == dict.fromkeys(("last:entry", "last:0", "last:2", "last:return"), 1)
