"""Calls whose answers are the machine's own, not the host's: names and times that are set, networks."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from pathlib import Path

import compilers
import pytest

from runtime.kernel.base.identity import Identity
from runtime.kernel.kernel import Kernel

SOURCE = Path(__file__).parent / "machine" / "machinecalls.c"
ROOT = Identity(0, 0, ())


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    target = str(tmp_path_factory.mktemp("calls") / "calls")
    command = compilers.building(["-O1", "-w", "-o", target, str(SOURCE)])
    if command is None:
        pytest.skip("no compiler: calls whose answers are the machine's own")
    subprocess.run(command, check=True, capture_output=True)
    return target


def answers(program: str, what: str, folder: Path, capfd: pytest.CaptureFixture[str],
            standard: tuple[int, int, int] = (0, 1, 2), **options: int) -> list[str]:
    kernel = Kernel(**options)  # type: ignore[arg-type]
    kernel.vfs.standard = standard
    try:
        process = kernel.spawn([program, what], {}, str(folder), ROOT, stopped=False)
        assert kernel.run(60 * 10**9) in ("done", "until") and process.zombie
    finally:
        kernel.close()
    return capfd.readouterr().out.splitlines()


def test_there_is_no_network_but_the_machines_own(program: str, tmp_path: Path,
                                                  capfd: pytest.CaptureFixture[str]) -> None:
    assert answers(program, "n", tmp_path, capfd) == [
        "far stream Network is unreachable", "far datagram Network is unreachable",
        "far message Network is unreachable", "far name Cannot assign requested address",
        "low port Permission denied", "port yes", "root's low port yes"]


def test_names_and_times_can_be_set(program: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    before = time.time()
    assert answers(program, "s", tmp_path, capfd) == [
        "0 0", "here there", "0 2000000000", "other clock Invalid argument", "no time Invalid argument",
        "ticks yes"]
    assert abs(time.time() - before) < 1000  # the host's is as it was


def test_a_thread_runs_where_it_is_to(program: str, tmp_path: Path,
                                      capfd: pytest.CaptureFixture[str]) -> None:
    assert answers(program, "p", tmp_path, capfd, ncpus=2) == ["on 0", "on 1", "Invalid argument 1"]


def test_what_a_child_has_used(program: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert answers(program, "u", tmp_path, capfd) == ["0 0 0 0 0"]


def test_who_may_type_into_a_terminal(program: str, tmp_path: Path,
                                      capfd: pytest.CaptureFixture[str]) -> None:
    assert answers(program, "t", tmp_path, capfd) == [
        "root yes", "nowhere Bad address", "another Operation not permitted", "its own yes", "typed yes",
        "ac"]


def test_input_from_the_host_is_waited_for(program: str, tmp_path: Path,
                                           capfd: pytest.CaptureFixture[str]) -> None:
    reader, writer = os.pipe()
    said, says = os.pipe()
    heard: list[bytes] = []

    def type_when_it_waits() -> None:
        heard.append(os.read(said, 100))
        time.sleep(0.1)
        os.write(writer, b"abc")
    typist = threading.Thread(target=type_when_it_waits, daemon=True)
    try:
        typist.start()
        answers(program, "i", tmp_path, capfd, (reader, says, 2))
        os.close(says)
        typist.join()
        assert b"".join(heard) + os.read(said, 100) == b"0 0\n1 1 1\n2 0\n"
    finally:
        for each in (reader, writer, said):
            os.close(each)
