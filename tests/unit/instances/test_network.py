"""Machines served to a dtrace on another host: TCP, TLS, connections that break, recordings."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SERVE = [sys.executable, "-m", "runtime.command.dinstance", "serve", "--listen"]
DTRACE = [sys.executable, "-m", "runtime.command", "--cluster", "lab.toml"]
ENVIRONMENT = dict(os.environ, PYTHONPATH=str(ROOT), TZ="UTC")
PROGRAM = "far:profile:::tick-100ms { @[instance] = count(); } tick-1s { exit(0); }"


@contextmanager
def served(folder: Path, *words: str) -> Iterator[str]:
    """A server; its address."""
    server = subprocess.Popen([*SERVE, "127.0.0.1:0", *words], cwd=folder, env=ENVIRONMENT,
                              stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        assert line.startswith("serving at "), line
        yield line.split()[-1]
    finally:
        server.terminate()
        assert server.wait(20) == 0


def dtrace(folder: Path, cluster: str, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "lab.toml").write_text(cluster)
    return subprocess.run([*DTRACE, *words], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True,
                          timeout=120, check=False)


def far(address: str, more: str = "") -> str:
    return f'[cluster]\nquantum = "10ms"\n[[instance]]\npath = "far"\naddress = "{address}"\n{more}'


class Cutter(threading.Thread):
    """A connection in between that breaks whenever so many bytes have gone up."""

    def __init__(self, address: str, every: int) -> None:
        super().__init__(daemon=True)
        host, _, port = address.partition("://")[2].rpartition(":")
        self._target, self._every = (host, int(port)), every
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self._listener.getsockname()[1]}"
        self.cuts = 0

    def run(self) -> None:
        with suppress(OSError):
            while True:
                one, _ = self._listener.accept()
                other = socket.create_connection(self._target)
                threading.Thread(target=self._pump, args=(one, other, None), daemon=True).start()
                self._pump(other, one, self._every)
                self.cuts += 1
                self._every = max(self._every * 2, 2000)

    def _pump(self, source: socket.socket, sink: socket.socket, limit: int | None) -> None:
        count = 0
        with suppress(OSError):
            while (data := source.recv(100)) and (limit is None or count < limit):
                sink.sendall(data if limit is None else self.changed(data, count))
                count += len(data)
        for each in (source, sink):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def changed(self, data: bytes, at: int) -> bytes:
        """What goes up in place of bytes that come after so many others."""
        return data

    def close(self) -> None:
        self._listener.close()


class Mutator(Cutter):
    """The same with a changed byte in every third piece, once the instance has said who it is."""

    def changed(self, data: bytes, at: int) -> bytes:
        place = at * 7 % len(data)
        changed = data[place] ^ (at % 255 + 1)
        return data if at < 5000 or at // 100 % 3 else data[:place] + bytes([changed]) + data[place + 1:]


def test_a_served_machine_and_what_was_recorded_of_it(tmp_path: Path) -> None:
    with served(tmp_path) as address:
        done = dtrace(tmp_path, far(address, 'record = "far.frames"'), "-qn", PROGRAM)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["far", "10"]
    recorded = far(address).replace(f'address = "{address}"', 'recording = "far.frames"')
    again = dtrace(tmp_path, recorded, "-qn", PROGRAM)
    assert (again.stdout, again.stderr) == (done.stdout, "")
    gone = dtrace(tmp_path, far(address), "-n", PROGRAM)
    assert gone.returncode == 1
    assert gone.stderr == (f"dtrace: lab.toml:4: instance far: far does not answer at {address}: "
                           "Connection refused: is `dinstance serve` running there?\n")


def test_a_link_that_is_cut_loses_nothing(tmp_path: Path) -> None:
    with served(tmp_path) as address:
        cutter = Cutter(address, 3000)
        cutter.start()
        done = dtrace(tmp_path, far(cutter.address, 'trust = "none"'), "-qn", PROGRAM)
        cutter.close()
    assert cutter.cuts > 1
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["far", "10"], "")


def test_a_mutating_proxy_harms_nobody_else(tmp_path: Path) -> None:
    with served(tmp_path) as address:
        proxy = Mutator(address, 1 << 40)
        proxy.start()
        cluster = far(proxy.address, 'trust = "none"\n[[instance]]\npath = "near"')
        done = dtrace(tmp_path, cluster, "-qn", """
            far:profile:::tick-10ms, near:profile:::tick-10ms, host:profile:::tick-10ms {
                printf("%s\\n", instance); @[instance] = count(); }
            tick-1s { exit(0); }""")
        proxy.close()
    assert done.returncode == 0, done.stderr
    assert re.search("dtrace: instance far (quarantined|lost): ", done.stderr)  # a changed length: it waits
    lines = done.stdout.split("\n")
    assert (lines.count("near"), lines.count("host")) == (100, 100)
    assert {tuple(line.split()) for line in lines} >= {("near", "100"), ("host", "100")}


def test_machines_in_a_served_machine(tmp_path: Path) -> None:
    (tmp_path / "inner.toml").write_text('[[instance]]\npath = "vm1"\n[[instance]]\npath = "vm1/n1"\n')
    with served(tmp_path, "--cluster", "inner.toml") as address:
        tree = dtrace(tmp_path, far(address), "--instances").stdout.split("\n")
        assert [line.split()[0] for line in tree[1:5]] == ["host", "far", "vm1", "n1"]
        done = dtrace(tmp_path, far(address, 'trust = "none"'), "-qn",
                      "far/**:dtrace:::BEGIN { @[instance] = count(); } tick-20ms { exit(0); }")
    assert (done.stdout.split(), done.stderr) == (["far", "1", "far/vm1", "1", "far/vm1/n1", "1"], "")


def test_a_cycle_is_refused(tmp_path: Path) -> None:
    """Two servers, each of which has the other in it."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (tmp_path / "a.toml").write_text(f'[[instance]]\npath = "b"\naddress = "tcp://127.0.0.1:{port}"\n')
    with served(tmp_path, "--cluster", "a.toml") as first:
        (tmp_path / "b.toml").write_text(f'[[instance]]\npath = "a"\naddress = "{first}"\n')
        second = subprocess.Popen([*SERVE, f"127.0.0.1:{port}", "--cluster", "b.toml"], cwd=tmp_path,
                                  env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
        assert second.stdout is not None
        second.stdout.readline()
        try:
            done = dtrace(tmp_path, far(first), "-n", "BEGIN { exit(0); }")
        finally:
            second.terminate()
            second.wait(20)
    assert done.returncode == 1
    assert "levels deep" in done.stderr or "instance of itself" in done.stderr


@pytest.fixture
def certificates(tmp_path: Path) -> Path:
    """Two authorities; the first has certified a server and a client."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl: instances over TLS")

    def openssl(*words: str) -> None:
        subprocess.run(["openssl", *words], cwd=tmp_path, check=True, capture_output=True)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    for name in ("ca", "other"):
        openssl("req", "-x509", *key, "-keyout", f"{name}.key", "-out", f"{name}.pem", "-days", "2", "-subj",
                f"/CN={name}")
    for name in ("server", "client"):
        openssl("req", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        (tmp_path / "names").write_text("subjectAltName=IP:127.0.0.1\n")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                "-out", f"{name}.pem", "-days", "2", "-extfile", "names")
    return tmp_path


def test_tls_and_certificates_that_do_not_match(certificates: Path) -> None:
    with served(certificates, "--cert", "server.pem", "--key", "server.key", "--ca", "ca.pem") as address:
        assert address.startswith("tls://")
        mine = 'cert = "client.pem"\nkey = "client.key"\n'
        done = dtrace(certificates, far(address, 'ca = "ca.pem"\n' + mine), "-qn", PROGRAM)
        assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["far", "10"], "")
        wrong = dtrace(certificates, far(address, 'ca = "other.pem"\n' + mine), "-n", PROGRAM)
        assert wrong.returncode == 1
        assert wrong.stderr.startswith("dtrace: lab.toml:4: instance far: far does not answer at tls://127.0.0.1")
        assert "its certificate does not match" in wrong.stderr and wrong.stderr.count("\n") == 1
        unknown = dtrace(certificates, far(address, 'ca = "ca.pem"'), "-n", PROGRAM)
        assert unknown.returncode == 1 and unknown.stderr.count("\n") == 1
        assert "Traceback" not in unknown.stderr
