"""Programs that read, change, move or unmap the text in which traps stand."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import compilers
import pytest
from harness import Machine

from runtime.kernel.memory.addrspace import Area
from runtime.providers.fasttrap import listing
from runtime.providers.fasttrap.instructions.scratch import Scratch

Build = Callable[..., str]
Make = Callable[..., Machine]
# Of member(): where they are, which of them is skipped, and what a program writes over the first.
INSTRUCTIONS, SKIPPED, SEVEN = {
    "x86-64": (("0", "1", "4", "7", "9", "b", "10", "11"), "b", bytes((0xb8, 7, 0, 0, 0, 0xc3))),
    "aarch64": (("0", "4", "8", "c", "10", "14", "18", "1c"), "10", bytes.fromhex("e0008052c0035fd6")),
}[compilers.HOST]
USUAL, SEVENS = "210\n", "126\n"  # what 6 calls add up to; 3 usual ones and 3 that give 7


class Traced:
    """A run of restless.c with every instruction of member() traced; `at_end` happens before it prints."""

    def __init__(self, machine: Machine, program: str, how: str) -> None:
        self.machine = machine
        self.process = machine.start(program, how)
        self.probes = machine.probes(f"pid{self.process.pid}:a.out:member:")
        machine.enable(self.probes)
        self.at_end: Callable[[], None] = lambda: None
        self.marks = 0
        machine.kernel.hooks.syscall_entry = self._mark

    def _mark(self, _thread: object, name: str, _arguments: object) -> None:
        if name == "getppid":
            self.marks += 1
            if self.marks == 2:
                self.at_end()

    def text(self) -> bytes:
        """What stands in member()'s page."""
        return bytes(self.process.space.read(self.page, 4096))

    @property
    def page(self) -> int:
        each = self.machine.fasttrap.objects.of(self.process)[0]
        return int(each.file.symbol_address("member") + each.bias)

    def run(self) -> int:
        return self.machine.run(self.process).status


@pytest.fixture
def program(build: Build) -> str:
    return build("restless.c", "-O1")


def native(program: str, how: str) -> str:
    return subprocess.run([program, how], capture_output=True, text=True, check=True).stdout


def hits(machine: Machine) -> dict[str, int]:
    return {name: machine.hits[f"member:{name}"] for name in INSTRUCTIONS}


@pytest.mark.parametrize("how", ["", "protect", "scratch"])
def test_still_traced(how: str, program: str, machine: Make, capfd: pytest.CaptureFixture[str]) -> None:
    traced = Traced(machine(), program, how)
    assert traced.run() == 0
    output = capfd.readouterr().out
    assert output == ("unmapped 0\n" if how == "scratch" else "") + native(program, how)
    assert output.endswith("210\n")
    assert hits(traced.machine) == {name: 2 if name == SKIPPED else 6 for name in INSTRUCTIONS}


def test_what_a_program_reads(program: str, machine: Make, capfd: pytest.CaptureFixture[str]) -> None:
    """It sees the traps, as with every tracer of this kind; a child's copy has none."""
    traced = Traced(machine(), program, "sum")
    assert traced.run() == 0
    own, copy, result = capfd.readouterr().out.splitlines()
    true, same, right = native(program, "sum").splitlines()
    assert own != true
    assert copy == true == same
    assert result == right
    assert hits(traced.machine)["0"] == 6  # not the child's


def test_overwritten(program: str, machine: Make, capfd: pytest.CaptureFixture[str]) -> None:
    """What the program has written stands, and is not undone when the probes go."""
    traced = Traced(machine(), program, "write")

    def detach() -> None:
        traced.machine.disable(traced.probes)
        assert traced.text().startswith(SEVEN)
    traced.at_end = detach
    assert traced.run() == 0
    assert capfd.readouterr().out == native(program, "write")
    assert hits(traced.machine)["0"] == 3


def test_moved(program: str, machine: Make, capfd: pytest.CaptureFixture[str]) -> None:
    """Text takes no trap along, and the probes go with the place that they were in."""
    traced = Traced(machine(), program, "move")

    def detach() -> None:
        assert not traced.machine.probes(f"pid{traced.process.pid}:a.out:member:")
        traced.machine.disable(traced.probes)
        assert traced.text() == bytes(4096)
    traced.at_end = detach
    assert traced.run() == 0
    assert capfd.readouterr().out == native(program, "move")
    assert hits(traced.machine)["0"] == 3


def test_a_breakpoint_where_a_trap_was(program: str, machine: Make,
                                       capfd: pytest.CaptureFixture[str]) -> None:
    """The text with the probe is gone: what stands there now is the program's own."""
    traced = Traced(machine(), program, "break")
    assert traced.run() == 0
    assert capfd.readouterr().out == native(program, "break")
    assert hits(traced.machine)["0"] == 3


def test_discarded(program: str, machine: Make, capfd: pytest.CaptureFixture[str]) -> None:
    """The page comes back from the file, without traps; enabling anew places them again."""
    traced = Traced(machine(), program, "discard")
    traced.at_end = lambda: traced.machine.disable(traced.probes)
    assert traced.run() == 0
    assert capfd.readouterr().out == native(program, "discard")
    assert hits(traced.machine)["0"] == 3


def test_a_program_without_room_goes_on(program: str, machine: Make, monkeypatch: pytest.MonkeyPatch,
                                        capfd: pytest.CaptureFixture[str]) -> None:
    """An instruction that waits for a slot until it is hit is traced no more when there is none."""
    monkeypatch.setattr(Scratch, "take", lambda *_words, **_named: None)
    traced = Traced(machine(), program, "")
    assert traced.run() == 0
    assert capfd.readouterr().out == native(program, "")
    assert all(count <= 1 for count in hits(traced.machine).values())


def test_shared_text_is_refused(program: str, machine: Make) -> None:
    """A trap in memory that other processes map would be theirs, too."""
    traced = machine()
    process = traced.start(program)
    probes = traced.probes(f"pid{process.pid}:a.out:member:entry")
    area: Area = process.space.find(probes[0].arg[0].address)
    area.shared = True
    traced.enable(probes)
    assert traced.module.refusals() == [
        f"pid{process.pid}: {process.executable.rsplit('/')[-1]}`member+0x0: "
        "text is shared with other processes' mappings"]
    row, = listing.rows(traced.fasttrap, process)
    assert (row.address, row.treatment, row.why) == (
        probes[0].arg[0].address, "refused", "text is shared with other processes' mappings")
