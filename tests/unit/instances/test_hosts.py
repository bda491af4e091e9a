"""Two hosts, played by two network namespaces with a cable between them, which is pulled: TCP and TLS."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

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


@pytest.fixture
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


@pytest.fixture
def far(hosts: tuple[str, str], tmp_path: Path) -> Iterator[Path]:
    """A folder with a cluster whose instance `far` is served in the second host, over TLS."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl: instances over TLS")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                    "-nodes", "-keyout", "key", "-out", "cert", "-days", "2", "-subj", "/CN=far", "-addext",
                    f"subjectAltName=IP:{THERE}"], cwd=tmp_path, check=True, capture_output=True)
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


def traced(hosts: tuple[str, str], folder: Path, seconds: str) -> subprocess.Popen[str]:
    child = subprocess.Popen(within(hosts[0], *DTRACE, PROGRAM % seconds), cwd=folder, env=ENVIRONMENT,
                             text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None
    first = child.stdout.readline()
    assert first == "begun\n", child.communicate()
    return child


def test_a_cable_that_is_pulled_for_a_while(hosts: tuple[str, str], far: Path) -> None:
    child = traced(hosts, far, "60s")

    def pull() -> None:
        ip("-n", hosts[1], "link", "set", "cable", "down")
        time.sleep(1)
        ip("-n", hosts[1], "link", "set", "cable", "up")

    thread = threading.Thread(target=pull)
    thread.start()
    out, err = child.communicate(timeout=120)
    thread.join()
    assert (child.returncode, out.split(), err) == (0, ["far", "600"], "")


def test_a_host_that_is_gone_is_named(hosts: tuple[str, str], far: Path) -> None:
    child = traced(hosts, far, "300s")
    ip("-n", hosts[1], "link", "set", "cable", "down")
    out, err = child.communicate(timeout=120)
    assert child.returncode == 0
    assert "instance far lost: " in err
    assert int((out.split() or ["far", "0"])[1]) < 3000
