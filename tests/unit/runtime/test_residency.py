"""A probe brings nothing into memory: a program's pages that are not there stay away, and nothing counts."""

from __future__ import annotations

import subprocess

import atonce
import compilers
import pytest

SOURCE = """
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <fcntl.h>
__attribute__((noinline)) void look(const char *file, const char *zeros)
{
    __asm__("" :: "r"(file), "r"(zeros));
}
int main(int argc, char **argv)
{
    int fd = open(argv[1], O_RDONLY);
    const char *file = mmap(0, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    const char *zeros = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    look(file, zeros);
    return strlen(zeros) + (strlen(file) != 6);
}
"""
COUNTS = """vminfo:::as_fault, vminfo:::zfod, vminfo:::maj_fault
    /pid == $target && self->in/ { @[probename] = count(); }"""
LOOK = """pid$target::look:entry { self->in = 1; }
    pid$target::look:entry { printf("<%s>", copyinstr(arg0)); }
    pid$target::look:entry { printf("<%s>", copyinstr(arg1)); }"""


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("residency")
    (folder / "look.c").write_text(SOURCE)
    (folder / "text").write_text("hello\n")
    building = compilers.building(["-O1", "-o", str(folder / "look"), str(folder / "look.c")])
    if building is None:
        pytest.skip("no C compiler: pages that are not in memory")
    subprocess.run(building, check=True)
    return ["-c", f"{folder / 'look'} {folder / 'text'}"]


def run(command: list[str], *words: str) -> tuple[str, str]:
    done = atonce.run(["dtrace", "-q", *words, *command])
    assert done.returncode == 0
    return done.stdout, done.stderr


def test_pages_that_are_not_there_fault_and_nothing_changes(command: list[str]) -> None:
    with_loads, messages = run(command, "-n", LOOK, "-n", COUNTS)
    without, _ = run(command, "-n", LOOK.splitlines()[0], "-n", COUNTS)
    assert with_loads == without and "as_fault" in without  # the program's own faults, each once
    lines, places = messages.splitlines()[::2], messages.splitlines()[1::2]
    assert [line.partition(", a user address ")[2] for line in places] == [
        "that is not in memory yet: use the return probe"] * 2
    assert len(lines) == 2 and all("look:entry): invalid address (0x" in line
                                   and " in action #1" in line
                                   and line.endswith(" (not resident: use the return probe)")
                                   for line in lines)


def test_what_a_program_has_used_is_there_at_the_return(command: list[str]) -> None:
    out, messages = run(command, "-n", "pid$target::look:entry { self->a = arg0; self->b = arg1; }",
                        "-n", 'pid$target::main:return { printf("<%s>", copyinstr(self->a));'
                              ' printf("<%s>", copyinstr(self->b)); }')
    assert out.split() == ["<hello", "><>"] and not messages


def test_touching_is_there_for_who_asks(command: list[str]) -> None:
    out, messages = run(command, "-x", "copyin=touch", "-n", LOOK)
    assert out.split() == ["<hello", "><>"] and not messages


def test_an_address_without_memory_is_not_said_to_be_away(command: list[str]) -> None:
    _, messages = run(command, "-n", "pid$target::look:entry { trace(copyinstr(8)); }")
    assert "invalid address (0x8) in action #1" in messages and "resident" not in messages
