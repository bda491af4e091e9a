"""Relays on workers of dask.distributed: a scheduler and two workers of this host, and one that is killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="no dask.distributed: relays on other hosts")
ROOT = Path(__file__).resolve().parents[3]
DTRACE = [sys.executable, "-m", "runtime.command", "--cluster", "lab.toml", "-qn"]
DASK = [sys.executable, "-m", "dask"]
ENVIRONMENT = dict(os.environ, PYTHONPATH=str(ROOT), TZ="UTC")
CLUSTER = '''[cluster]
scheduler = "{}"
quantum = "100ms"
heartbeat = "3s"
[[instance]]
path = "p1"
[[instance]]
path = "p1/vm1"
trust = "none"
[[instance]]
path = "p2"
'''


def dtrace(folder: Path, scheduler: str, program: str) -> subprocess.CompletedProcess[str]:
    (folder / "lab.toml").write_text(CLUSTER.format(scheduler))
    return subprocess.run([*DTRACE, program], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True,
                          timeout=300, check=False)


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The scheduler's address, and the workers."""
    folder = tmp_path_factory.mktemp("dask")
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    log = (folder / "log").open("wb")
    words = {"cwd": folder, "env": ENVIRONMENT, "stdout": log, "stderr": log}
    port = address.rpartition(":")[2]
    processes = [subprocess.Popen([*DASK, "scheduler", "--host", "127.0.0.1", "--port", port,
                                   "--no-dashboard"], **words)]  # type: ignore[call-overload]
    for number in (1, 2):
        processes.append(subprocess.Popen(
            [*DASK, "worker", address, "--no-nanny", "--nthreads", "2", "--no-dashboard",
             "--local-directory", str(folder / str(number))], **words))  # type: ignore[call-overload]
    from distributed import Client

    with Client(address, timeout=60, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
    yield address, processes[1:]
    for process in processes:
        process.kill()
        process.wait()
    log.close()


def traced(folder: Path, cluster: str, program: str, *words: str) -> subprocess.Popen[str]:
    """dtrace, once it has begun to trace."""
    (folder / "lab.toml").write_text(cluster)
    child = subprocess.Popen([*DTRACE, program, *words], cwd=folder, env=ENVIRONMENT, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None
    first = child.stdout.readline()
    assert first == "begun\n", child.communicate()
    return child


def test_relays_on_two_workers(tmp_path: Path, dask: tuple[str, list[subprocess.Popen[bytes]]]) -> None:
    program = "**:profile:::tick-100ms { @[instance] = count(); } tick-1s { exit(0); }"
    done = dtrace(tmp_path, dask[0], program)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["host", "10", "p1", "10", "p1/vm1", "10", "p2", "10"]


def test_a_worker_that_is_killed_is_named_and_the_rest_is_right(
        tmp_path: Path, dask: tuple[str, list[subprocess.Popen[bytes]]]) -> None:
    program = """
        BEGIN { printf("begun\\n"); }
        host:profile:::tick-1s { @["host"] = count(); } p*/**:profile:::tick-1s { @[instance] = count(); }
        tick-30s { exit(0); }"""
    child = traced(tmp_path, CLUSTER.format(dask[0]), program)
    dask[1][-1].send_signal(signal.SIGKILL)
    out, err = child.communicate(timeout=300)
    counted = dict(zip(out.split()[::2], map(int, out.split()[1::2]), strict=True))
    lost = [line for line in err.splitlines() if " lost: worker tcp://" in line]
    assert child.returncode == 0 and lost, err
    gone = {line.split()[2] for line in lost}
    assert gone in ({"p2"}, {"p1", "p1/vm1"})
    assert all(counted[path] == 30 for path in {"host", "p1", "p1/vm1", "p2"} - gone)
    assert all(counted.get(path, 0) < 30 for path in gone)


def test_a_scheduler_that_is_not_there(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    done = dtrace(tmp_path, f"tcp://127.0.0.1:{port}", "BEGIN { exit(0); }")
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    place = "dtrace: lab.toml:2: cluster.scheduler"
    assert done.stderr.startswith(f"{place}: nothing answers at tcp://127.0.0.1:{port}")



def test_an_interrupt_ends_a_run_at_the_workers(
        tmp_path: Path, dask: tuple[str, list[subprocess.Popen[bytes]]]) -> None:
    """All go by the real clock, and are asked for what they have every ten seconds only."""
    (tmp_path / "lab.toml").write_text(f"""[cluster]
        scheduler = "{dask[0]}"
        [[instance]]
        path = "p1"
        options = {{ clock = "real" }}
        """)
    options = [word for option in ("clock=real", "switchrate=10s", "aggrate=10s", "statusrate=10s")
               for word in ("-x", option)]
    child = subprocess.Popen([*DTRACE[:-1], *options, "-n", "p1:profile:::tick-10ms { @ = count(); }"],
                             cwd=tmp_path, env=ENVIRONMENT, text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
    assert child.stderr is not None
    assert "matched 1 probe" in child.stderr.readline()
    time.sleep(2)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=100)
    assert (child.returncode, err) == (0, "")
    assert 0 < int(out) < 900
