"""Two hosts, played by two network namespaces with a cable between them, which is pulled: TCP and TLS.

First dinstance(1) serves a machine on the other host; then dask.distributed's scheduler, one worker and the
client are on this host, and another worker is on the other.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import pytest

pytest.importorskip("click", reason="no click: two hosts")
ROOT = Path(__file__).resolve().parents[3]
ENVIRONMENT = dict(os.environ, PYTHONPATH=str(ROOT), TZ="UTC")
HERE, THERE = "10.97.31.1", "10.97.31.2"
PROGRAM = """BEGIN { printf("begun\\n"); }
    far:profile:::tick-100ms { @[instance] = count(); } tick-%s { exit(0); }"""
DTRACE = [sys.executable, "-m", "runtime.command", "--cluster", "lab.toml", "-qn"]


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.fixture(scope="module")
def hosts() -> Iterator[tuple[str, str]]:
    """The names of two namespaces, joined by veth interfaces called `cable` in each."""
    if shutil.which("ip") is None or os.geteuid() != 0:
        pytest.skip("no network namespaces: two hosts")
    names = f"dti{os.getpid()}a", f"dti{os.getpid()}b"
    try:
        for name in names:
            ip("netns", "add", name)
        ip("link", "add", "cable", "netns", names[0], "type", "veth",
           "peer", "name", "cable", "netns", names[1])
        for name, address in zip(names, (HERE, THERE), strict=True):
            ip("-n", name, "addr", "add", f"{address}/24", "dev", "cable")
            for device in ("cable", "lo"):
                ip("-n", name, "link", "set", device, "up")
    except subprocess.CalledProcessError:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)
        pytest.skip("no network namespaces: two hosts")
    yield names
    for name in names:
        ip("netns", "del", name)


def within(name: str, *words: str) -> list[str]:
    return ["ip", "netns", "exec", name, *words]


def certify(folder: Path) -> None:
    """Make `cert` and `key` for the second host."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl: instances over TLS")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                    "-nodes", "-keyout", "key", "-out", "cert", "-days", "2", "-subj", "/CN=far", "-addext",
                    f"subjectAltName=IP:{THERE}"], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def far(hosts: tuple[str, str], tmp_path: Path) -> Iterator[Path]:
    """A folder with a cluster whose instance `far` is served in the second host, over TLS."""
    certify(tmp_path)
    (tmp_path / "lab.toml").write_text(f'[cluster]\nquantum = "100ms"\nheartbeat = "1s"\n[[instance]]\n'
                                       f'path = "far"\naddress = "tls://{THERE}:7171"\nca = "cert"\n')
    command = [sys.executable, "-m", "runtime.command.dinstance", "serve", "--listen", f"{THERE}:7171",
               "--cert", "cert", "--key", "key"]
    server = subprocess.Popen(within(hosts[1], *command), cwd=tmp_path, env=ENVIRONMENT, text=True,
                              stdout=subprocess.PIPE)
    assert server.stdout is not None
    assert server.stdout.readline() == f"serving at tls://{THERE}:7171\n"
    yield tmp_path
    server.terminate()
    server.wait(30)


def traced(hosts: tuple[str, str], folder: Path, program: str, environment: dict[str, str] = ENVIRONMENT
           ) -> subprocess.Popen[str]:
    """dtrace on the first host, once it has begun to trace."""
    child = subprocess.Popen(within(hosts[0], *DTRACE, program), cwd=folder, env=environment,
                             text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None
    first = child.stdout.readline()
    assert first == "begun\n", child.communicate()
    return child


@contextmanager
def pulled(host: str, seconds: float | None = None) -> Iterator[None]:
    """The host's cable is pulled, and after some seconds, or at the end, it is there again."""
    ip("-n", host, "link", "set", "cable", "down")
    again = threading.Timer(seconds or 0, ip, ("-n", host, "link", "set", "cable", "up"))
    if seconds is not None:
        again.start()
    yield
    if seconds is None:
        again.start()
    again.join()


def test_a_cable_that_is_pulled_for_a_while(hosts: tuple[str, str], far: Path) -> None:
    child = traced(hosts, far, PROGRAM % "60s")
    with pulled(hosts[1], 1):
        out, err = child.communicate(timeout=120)
    assert (child.returncode, out.split(), err) == (0, ["far", "600"], "")


def test_a_host_that_is_gone_is_named(hosts: tuple[str, str], far: Path) -> None:
    child = traced(hosts, far, PROGRAM % "300s")
    with pulled(hosts[1]):
        out, err = child.communicate(timeout=120)
    assert child.returncode == 0
    assert "instance far lost: " in err
    assert int((out.split() or ["far", "0"])[1]) < 3000


# -- dask.distributed -------------------------------------------------------------------------------------

DASK = [sys.executable, "-m", "dask"]
SECURE = {f"DASK_DISTRIBUTED__COMM__TLS__{name}": value
          for name, value in (("CA_FILE", "cert"), *((f"{who}__{part}", part.lower()) for part in
                              ("CERT", "KEY") for who in ("SCHEDULER", "WORKER", "CLIENT")))}
DISTRIBUTED = ENVIRONMENT | SECURE | {"DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION": "true"}
ADDRESS = f"tls://{HERE}:8786"
WAIT = f"import distributed; distributed.Client({ADDRESS!r}, timeout=60).wait_for_workers(3, timeout=60)"
LAB = f"""[cluster]
scheduler = "{ADDRESS}"
quantum = "100ms"
heartbeat = "3s"
[[instance]]
path = "p1"
[[instance]]
path = "p2"
[[instance]]
path = "p2/vm1"
trust = "none"
[[instance]]
path = "p3"
"""
COUNTED = """BEGIN { printf("begun\\n"); } host:profile:::tick-1s { @["host"] = count(); }
    p*/**:profile:::tick-1s { @[instance] = count(); } tick-%s { exit(0); }"""


class Workers(NamedTuple):
    """What runs of dask: the first host's worker has p1, for relays get instances by their addresses."""

    folder: Path
    scheduler: subprocess.Popen[bytes]
    near: subprocess.Popen[bytes]
    far: subprocess.Popen[bytes]
    second: subprocess.Popen[bytes]


@pytest.fixture(scope="module")
def workers(hosts: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    """A scheduler and a worker on the first host, two workers on the second."""
    pytest.importorskip("distributed", reason="no dask.distributed: relays on other hosts")
    folder = tmp_path_factory.mktemp("dask")
    certify(folder)
    (folder / "lab.toml").write_text(LAB)
    started: list[subprocess.Popen[bytes]] = []
    with (folder / "log").open("wb") as log:
        for host, address, words in (
                (hosts[0], HERE, ["scheduler", "--port", "8786"]), (hosts[0], HERE, ["worker", ADDRESS]),
                (hosts[1], THERE, ["worker", ADDRESS]), (hosts[1], THERE, ["worker", ADDRESS])):
            if words[0] == "worker":
                words += ["--no-nanny", "--nthreads", "2", "--local-directory", f"worker{len(started)}"]
            command = within(host, *DASK, *words, "--host", f"tls://{address}", "--no-dashboard")
            started.append(subprocess.Popen(command, cwd=folder, env=DISTRIBUTED, stdout=log, stderr=log))
    try:
        subprocess.run(within(hosts[0], sys.executable, "-c", WAIT), cwd=folder, env=DISTRIBUTED, check=True,
                       capture_output=True)
        yield Workers(folder, *started)
    finally:
        for process in started:
            process.kill()
            process.wait()


def relays(*hosts: str) -> list[str]:
    """The processes of relays, and of the machines below them, on some hosts."""
    found = []
    for host in hosts:
        for pid in subprocess.run(["ip", "netns", "pids", host], check=True, capture_output=True,
                                  text=True).stdout.split():
            with suppress(OSError):
                if b"workerprocess" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.append(pid)
    return found


def everything_ends(*hosts: str) -> bool:
    """Whether nothing that a dtrace started runs any longer; it has some seconds to end."""
    until = time.monotonic() + 20
    while relays(*hosts) and time.monotonic() < until:
        time.sleep(0.1)
    return not relays(*hosts)


def counted(text: str) -> dict[str, int]:
    words = text.split()
    return dict(zip(words[::2], map(int, words[1::2]), strict=True))


def test_dask_over_tls_and_a_cable_that_is_pulled_for_a_while(hosts: tuple[str, str], workers: Workers
                                                              ) -> None:
    child = traced(hosts, workers.folder, COUNTED % "10s", DISTRIBUTED)
    assert relays(hosts[0]) and len(relays(hosts[1])) > len(relays(hosts[0]))
    with pulled(hosts[1], 1):
        out, err = child.communicate(timeout=120)
    assert (child.returncode, err) == (0, "")
    assert counted(out) == {"host": 10, "p1": 10, "p2": 10, "p2/vm1": 10, "p3": 10}
    assert everything_ends(*hosts)


def test_a_worker_that_is_killed_and_a_host_that_is_gone_are_named_and_the_rest_is_right(
        hosts: tuple[str, str], workers: Workers) -> None:
    child = traced(hosts, workers.folder, COUNTED % "30s", DISTRIBUTED)
    workers.far.send_signal(signal.SIGKILL)
    assert child.stderr is not None
    first = os.read(child.stderr.fileno(), 1 << 16).decode()
    assert f" lost: worker tls://{THERE}:" in first
    with pulled(hosts[1]):
        out, err = child.communicate(timeout=120)
    err = first + err
    assert child.returncode == 0, err
    lost = {line.split()[2] for line in err.splitlines() if f" lost: worker tls://{THERE}:" in line}
    assert lost == {"p2", "p2/vm1", "p3"}, err
    found = counted(out)
    assert (found["host"], found["p1"]) == (30, 30), err
    assert all(found.get(path, 0) < 30 for path in lost)
    assert everything_ends(*hosts)
