"""DOF that programs register by themselves: its modules, how much of it a process may have, and what is known
of a program that registers none."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import atonce
import pytest

from dif.assembler import assemble
from dif.difo import DifType
from dof import writer
from dof.format import RELO_SETX
from dof.model import Action, ActionKind, Attributes, Ecb, Probe, ProbeDesc, Program, Provider

CODE, STEP = 0x70000000, 16  # as in registered.c
STABLE = (Attributes(5, 5, 5),) * 5
Run = Callable[..., subprocess.CompletedProcess[str]]


def provider(name: str, *functions: int, probe: str = "go") -> Provider:
    """A provider whose probe fires in functions of the program, with its argument."""
    return Provider(name, STABLE, [Probe(f"f{n}", probe, CODE + STEP * n, ["int"], ["int"], [0], [0], [])
                                   for n in functions])


def naming(clauses: int, actions: int = 1) -> list[Ecb]:
    """Clauses that name stack frames, with so many statements each."""
    difo = assemble('sets "frame", %r1\nret %r1')
    difo.rtype = DifType(kind=1, flags=1, size=16)
    return [Ecb(ProbeDesc("dtrace", "helper", "ustack"), None,
                [Action(ActionKind.DIFEXPR, difo) for _ in range(actions)]) for _ in range(clauses)]


def dof_of(program: Program) -> bytes:
    """Its DOF, whose addresses count from where the program says that its object is loaded: from 0."""
    return writer.write(program, relocation=RELO_SETX)


@pytest.fixture
def run(build, tmp_path: Path) -> Run:
    """run(script, {name: program, ...}, word, ...): trace registered.c, which finds the programs as DOF."""
    program = build("registered.c")

    def run(script: str, dofs: dict[str, Program], *words: str,
            options: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
        for name, each in dofs.items():
            (tmp_path / name).write_bytes(dof_of(each))
        command = " ".join([program, *(word.replace("=", f"={tmp_path}/") for word in words)])
        return atonce.run(["dtrace", "-qZ", *options, "-n", script, "-c", command])
    return run


def generations(done: subprocess.CompletedProcess[str]) -> list[int]:
    """The numbers that the program has got from the device."""
    return [int(line) for line in done.stdout.split("\n") if line.removeprefix("-").isdigit()]


def fired(done: subprocess.CompletedProcess[str]) -> list[str]:
    """What the clauses have written, in the order of the alphabet."""
    return sorted(line for line in done.stdout.split("\n") if line and not line.removeprefix("-").isdigit())


def checked(path: Path) -> subprocess.CompletedProcess[str]:
    return atonce.run(["difdis", "--check", "helper", path])


def test_a_program_names_the_modules_of_its_probes(run: Run) -> None:
    """Two providers of one name, of two modules: descriptions tell them apart; each goes by itself."""
    dofs = {"one": Program(providers=[provider("reg", 0)]), "two": Program(providers=[provider("reg", 0, 1)])}
    script = """reg*:m1::go { printf("m1 %d %s\\n", arg0, probemod); }
        reg*:m2:f1:go { printf("m2 %d\\n", arg0); } reg*:m3:: { printf("never\\n"); }
        reg*:::go { printf("any %s`%s %d\\n", probemod, probefunc, arg0); }"""
    done = run(script, dofs, "+m1=one", "+m2=two", "!0,5", "!1,6", "-1", "!0,7", "-2", "!0,8")
    assert fired(done) == ["any m1`f0 5", "any m2`f0 5", "any m2`f0 7", "any m2`f1 6", "m1 5 m1", "m2 6"]
    assert generations(done) == [1, 2, 0, 0]


def test_code_that_a_program_has_made_is_in_no_other_module(run: Run) -> None:
    dofs = {"one": Program(providers=[provider("reg", 0)]), "two": Program(providers=[provider("reg", 1)])}
    done = run(r'reg*:::go { printf("<%s> %d\n", probemod, arg0); }', dofs, "+=one", f"+{'m' * 63}=two",
               "!0,5", "!1,6")
    assert fired(done) == ["<> 5", f"<{'m' * 63}> 6"]


def test_dof_is_registered_once(run: Run) -> None:
    """Whoever registers it again gets a generation that has no probes: they go with the first one."""
    done = run(r'reg*:::go { printf("fired %d\n", arg0); }', {"one": Program(providers=[provider("reg", 0)])},
               "+m=one", "=", "!0,1", "-2", "!0,2", "-1", "!0,3", "-1", "-9")
    assert fired(done) == ["fired 1", "fired 2"]
    assert generations(done) == [1, 2, 0, 0, 0, -1]


@pytest.mark.parametrize(("clauses", "actions", "taken"), [
    (1, 137, True), (128, 2, True), (129, 1, False), (0, 0, True)])
def test_as_many_clauses_as_kernels_take(run: Run, tmp_path: Path, clauses: int, actions: int,
                                         taken: bool) -> None:
    """However many statements they have; with clauses that are too many the probes are refused, too."""
    program = Program(ecbs=naming(clauses, actions), providers=[provider("reg", 0)])
    done = run(r'reg*:::go { printf("fired %d\n", arg0); }', {"one": program}, "+m=one", "!0,5")
    assert (fired(done), generations(done)) == ((["fired 5"], [1]) if taken else ([], [-22]))
    judged = checked(tmp_path / "one")
    assert judged.returncode == (0 if taken else 1)
    for text in (done.stderr, judged.stderr):
        assert ("over 128 clauses" in text) is not taken, text


def test_as_many_objects_as_kernels_take(run: Run, tmp_path: Path) -> None:
    """Objects with providers count, not the providers.  The 33rd is taken, and has no probes."""
    dofs = {"many": Program(providers=[provider(f"many{n}x", n) for n in range(40)]),
            **{f"d{n}": Program(providers=[provider(f"one{n}x", n)]) for n in range(1, 35)}}
    words = ["+m=many", *(f"+m=d{n}" for n in range(1, 35)), *(f"!{n},{n}" for n in range(40))]
    done = run(r"""many*:::go { @many = count(); } one*:::go { @ones = count(); @last = max(arg0); }
        END { printa("%@d many, %@d ones, the last %@d\n", @many, @ones, @last); }""", dofs, *words)
    assert generations(done) == list(range(1, 36))
    assert fired(done) == ["40 many, 31 ones, the last 31"]
    assert done.stderr.count("over 32 objects") == 1
    whole = tmp_path / "whole"  # as a linker puts the objects of a program together
    for count in (32, 33):
        whole.write_bytes(b"".join(map(dof_of, list(dofs.values())[:count])))
        judged = checked(whole)
        assert judged.returncode == (0 if count == 32 else 1)
        assert ("over 32 objects" in judged.stderr) is (count == 33)


@pytest.mark.parametrize(("name", "why"), [("pid", "system's own"), ("x" * 54, "53 bytes"), ("x" * 53, "")])
def test_names_that_a_process_cannot_have(run: Run, tmp_path: Path, name: str, why: str) -> None:
    """A provider of that name has no probes; the one beside it has them.  difdis tells the same."""
    program = Program(providers=[provider(name, 1), provider("other", 0)])
    done = run(r'*:m::go { printf("%s %d\n", probeprov, arg0); }', {"one": program}, "+m=one", "!0,5", "!1,6")
    assert fired(done) == ["other101 5", *([] if why else [f"{name}101 6"])]
    judged = checked(tmp_path / "one")
    assert judged.returncode == bool(why)
    for text in (done.stderr, judged.stderr):
        assert why in text and bool(why) == ("no probes" in text)
