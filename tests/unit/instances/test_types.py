"""Instances whose kernels have other types than ours: types as CTF, and programs for each group of them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from dc.names.kernelheader import MODULE, kernel_header, kernel_types
from dc.types.scopes import Scope
from dc.types.types import Model, Record
from runtime.instances.endpoint.doings import TracedMachine
from runtime.instances.wire.verbs import Verb
from runtime.machine import Machine
from runtime.programs.ctf import KernelTypes
from runtime.programs.ctfwriter import write_ctf

ROOT = Path(__file__).resolve().parents[3]
DTRACE = [sys.executable, "-m", "runtime.command", "--cluster", "lab.toml", "-qn"]
SERVE = [sys.executable, "-m", "runtime.command.dinstance", "serve", "--listen", "127.0.0.1:0"]


def members(scope: Scope, key: str) -> list[object] | None:
    found = scope.own(key)
    record = found.resolve() if found is not None else None
    if not isinstance(record, Record) or record.members is None:
        return None
    return [record.size, *((each.name, each.offset, str(each.type), each.type.size)
                           for each in record.members)]


def test_the_kernels_types_are_the_same_after_a_journey_as_ctf() -> None:
    ours = kernel_types(kernel_header())
    assert ours.loader is not None
    words = {word for word in ours.loader.words() if word.isidentifier()}
    theirs = KernelTypes(write_ctf(ours, words), MODULE, Model.LP64).scope
    structures = [key for word in words for key in (f"struct {word}", f"union {word}", word)
                  if members(ours, key) is not None]
    assert len(structures) > 60
    for key in structures:
        assert members(theirs, key) == members(ours, key), key
    for word in words:
        assert str(ours.variable(word)) == str(theirs.variable(word)), word
        value, found = ours.enumerator(word), theirs.enumerator(word)
        assert (value and value[0]) == (found and found[0]), word


def test_what_is_no_ctf_of_a_kernel_is_refused() -> None:
    data = write_ctf(kernel_types(kernel_header()), ["proc", "proc_t"])
    for damaged in (b"", data[:20], data[:60], b"\0" * 200, data[:52] + b"x" * 40):
        with pytest.raises(ValueError, match="no CTF of a kernel"):
            KernelTypes(damaged, MODULE, Model.LP64)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Path]:
    """A folder with a cluster: `far` and `wary` are served by a version of ours that has other structures."""
    pytest.importorskip("click", reason="no click: machines that are served")
    other = tmp_path / "other"
    other.mkdir()
    for package in ("dif", "dof", "runtime"):
        (other / package).symlink_to(ROOT / package)
    (other / "dc" / "lib").mkdir(parents=True)
    for each in [*(ROOT / "dc").iterdir(), *(ROOT / "dc" / "lib").iterdir()]:
        place = other / each.relative_to(ROOT)
        if not place.exists():
            place.symlink_to(each)
    header = other / "dc" / "lib" / "kernel.h"
    header.unlink()
    header.write_text(kernel_header().replace("struct pid *p_pidp;", "int p_more[16];\n\tstruct pid *p_pidp;")
                      .replace("struct proc *t_procp;", "long t_more;\n\tstruct proc *t_procp;"))
    server = subprocess.Popen(SERVE, cwd=other, env=dict(os.environ, PYTHONPATH=str(other)), text=True,
                              stdout=subprocess.PIPE)
    assert server.stdout is not None
    address = server.stdout.readline().split()[-1]
    (tmp_path / "lab.toml").write_text(
        f'[[instance]]\npath = "far"\naddress = "{address}"\n[[instance]]\npath = "p1"\n'
        f'[[instance]]\npath = "wary"\naddress = "{address}"\ntrust = "none"\n')
    yield tmp_path
    server.terminate()
    server.wait(20)


def dtrace(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*DTRACE, *words], cwd=folder, env=dict(os.environ, PYTHONPATH=str(ROOT)),
                          capture_output=True, text=True, timeout=120, check=False)


def test_programs_are_compiled_for_groups_of_equal_types(cluster: Path) -> None:
    done = dtrace(cluster, """**:syscall::exit_group:entry {
        @[instance, sizeof(proc_t), curthread->t_procp->p_pidp->pid_id == pid] = count(); }""",
                  "-c", "**:/bin/true")
    assert done.stderr == ""
    rows = sorted(tuple(line.split()) for line in done.stdout.splitlines() if line)
    size = kernel_types(kernel_header()).lookup("proc_t")
    assert size is not None
    ours, theirs = str(size.size), str(size.size + 64)
    assert rows == [("far", theirs, "1", "1"), ("host", ours, "1", "1"), ("p1", ours, "1", "1"),
                    ("wary", theirs, "1", "1")]
    done = dtrace(cluster, "far:syscall::exit_group:entry { trace(curthread->t_procp->p_more[0]); }",
                  "-c", "far:/bin/true")
    assert (done.returncode, done.stderr, done.stdout.split()) == (0, "", ["0"])
    done = dtrace(cluster, "p1:syscall::exit_group:entry { trace(curthread->t_procp->p_more[0]); }")
    assert done.returncode == 1
    assert "struct proc has no member p_more (as host has it)" in done.stderr


def test_names_of_a_kernels_variables_and_functions() -> None:
    with Machine() as machine:
        named = TracedMachine(machine).doings[Verb.NAMED]
        (name, module, address, size, is_function) = named([None, "hz"])
        assert (name, module, size, is_function) == ("hz", "genunix", 4, False)
        assert named(["genunix", "hz"]) == [name, module, address, size, is_function]
        assert named([None, "nosuch"]) is None
        assert named([None, "cv_wait"])[-1] is True


def test_what_a_machines_memory_says_of_its_processes() -> None:
    with Machine() as machine:
        memory = TracedMachine(machine).doings[Verb.MEMORY]
        assert memory([4711]) is None
        process = machine.spawn(["/bin/true"], {})
        leader = machine.kernel.processes[process.pid].leader
        name, areas = memory([process.pid])
        assert name == "true" and any(start <= leader.pc < end for start, end in areas)
        assert all(start < end for start, end in areas)


def test_the_file_of_a_programs_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []

    def object_of(*words: str) -> object:
        asked.append(words)
        return SimpleNamespace(path="/bin/x") if words[1] == "x" else None

    with Machine() as machine:
        monkeypatch.setattr(machine, "object_of", object_of)
        find = TracedMachine(machine).doings[Verb.OBJECT]
        assert find(["pid7", "x", "more"]) == "/bin/x" and find(["pid7", "y"]) is None
    assert asked == [("pid7", "x"), ("pid7", "y")]
