"""Cluster files: what they say, and one line with its place for what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.instances.roster.clusterfile import ClusterError, ClusterFile, read_cluster


def read(folder: Path, text: str) -> ClusterFile:
    (folder / "lab.toml").write_text(text)
    (folder / "p.toml").write_text("[machine]\n")
    return read_cluster(str(folder / "lab.toml"))


def test_what_a_file_says(tmp_path: Path) -> None:
    found = read(tmp_path, '''
[cluster]
scheduler = "local:2"
quantum = "1ms"
[[instance]]
path = "p1"
image = "p.toml"
options = { ncpus = 2 }
[[instance]]
path = "p1/vm1"
count = 3
trust = "none"
[[instance]]
path = "far"
address = "tcp://127.0.0.1:7070"
[limits]
keys = 10
bytes_per_s = "4MB"
''')
    assert [each.path for each in found.instances] == ["host", "p1", "p1/vm1", "p1/vm2", "p1/vm3", "far"]
    assert (found.workers, found.scheduler, found.quantum) == (2, "", 1_000_000)
    assert found.instances[1].options == (("ncpus", "2"),)
    assert found.instances[1].image == str(tmp_path / "p.toml")
    assert [each.trusted for each in found.instances] == [True, True, False, False, False, True]
    assert [each.path for each in found.children("p1")] == ["p1/vm1", "p1/vm2", "p1/vm3"]
    assert (found.limits.keys, found.limits.bytes_per_s, found.limits.probes) == (10, 4 << 20, 100_000)


def test_what_a_file_need_not_say(tmp_path: Path) -> None:
    found = read(tmp_path, '[[instance]]\npath = "p1"\nimage = "p.toml"\n')
    assert (found.workers, found.scheduler, found.quantum, found.heartbeat) == (0, "", 0, 10**9)
    (each,) = found.instances[1:]
    assert (each.path, each.trusted, each.destructive) == ("p1", True, False)


@pytest.mark.parametrize("text,line,reason", [
    ("[cluster]\nshceduler = \"local\"", 2, "cluster.shceduler: there is no such key: it may be scheduler, "
     "quantum, heartbeat"),
    ("[clusters]", 1, "clusters: there is no such table"),
    ("[instance]\npath = \"p1\"", 1, "instance: is to be written [[instance]]"),
    ("[cluster]\nscheduler = \"dask\"", 2, 'cluster.scheduler: must be "local", "local:WORKERS", '
     '"tcp://HOST:PORT" or "tls://HOST:PORT"'),
    ("[cluster]\nquantum = \"soon\"", 2, 'cluster.quantum: must be a time, as in "1ms"'),
    ("\n[[instance]]\npath = \"p1\"\n[[instance]]\n\npath = \"p1\"", 6,
     "instance.path: p1 is in line 3 already: give this one a path of its own"),
    ("[[instance]]\npath = \"p1/vm1\"", 2, "instance.path: there is no instance p1 that it could be in: "
     "describe that one, too"),
    ("[[instance]]\npath = \"p:1\"", 2, "instance.path: must be of letters, digits and signs that are not "
     "special in D"),
    ("[[instance]]\ntrust = \"full\"", 1, "instance.path: must be a string"),
    ("[[instance]]\npath = \"p\"\ntrust = \"some\"", 3, 'instance.trust: must be "full" or "none"'),
    ("[[instance]]\npath = \"p\"\nimage = \"no.toml\"", 3,
     "instance.image: no.toml: No such file or directory"),
    ("[[instance]]\npath = \"p\"\noptions = { color = 1 }", 3, "instance.options: color is no option of the "
     "machine"),
    ("[[instance]]\npath = \"p\"\naddress = \"far:1\"", 3, "instance.address: must be tcp://HOST:PORT or "
     "tls://HOST:PORT"),
    ("[[instance]]\npath = \"p\"\naddress = \"tcp://far:1\"\ncert = \"p.toml\"", 4,
     "instance.cert: is for an address that begins with tls://"),
    ("[[instance]]\npath = \"p\"\naddress = \"tcp://far:1\"\nrecording = \"p.toml\"", 4,
     "instance.recording: cannot stand beside address"),
    ("[[instance]]\npath = \"p\"\nrecording = \"p.toml\"\n[[instance]]\npath = \"p/q\"", 5,
     "instance.path: p is not started here, and says itself what is in it"),
    ("[[instance]]\npath = \"host\"\ntrust = \"none\"", 2, "instance.path: the host is the machine in which "
     "dtrace runs"),
    ("[limits]\nkeys = 0", 2, "limits.keys: must be a number from 1 to 2147483648"),
    ("[limits]\nbytes_per_s = \"fast\"", 2, 'limits.bytes_per_s: must be a size, as in "4MB"'),
    ("[cluster\n", 1, "Expected ']' at the end of a table declaration"),
])
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, text: str, line: int, reason: str) -> None:
    with pytest.raises(ClusterError) as caught:
        read(tmp_path, text)
    assert str(caught.value) == f"{tmp_path}/lab.toml:{line}: {reason}"
