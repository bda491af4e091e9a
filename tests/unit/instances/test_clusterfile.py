"""Cluster files: what they say, and one line with its place for what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.instances.roster import clusterfile
from runtime.instances.roster.clusterfile import ClusterError, ClusterFile, read_cluster
from runtime.instances.roster.paths import last, matches, shown


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
    ('[cluster]\nscheduler = "local:257"', 2, "cluster.scheduler: has more than 256 workers"),
    ('[cluster]\nscheduler = "local:99999"', 2, 'cluster.scheduler: must be "local", "local:WORKERS", '
     '"tcp://HOST:PORT" or "tls://HOST:PORT"'),
    ('[cluster]\nscheduler = "tcp://a/b:1"', 2, 'cluster.scheduler: must be "local", "local:WORKERS", '
     '"tcp://HOST:PORT" or "tls://HOST:PORT"'),
    ('[cluster]\nheartbeat = "0s"', 2, 'cluster.heartbeat: must be a time, as in "1ms"'),
    ('[[instance]]\npath = "a"\ncolour = 1', 3, "instance.colour: there is no such key: it may be path, "
     "count, image, options, trust, destructive, address, ca, cert, key, recording, record"),
    ('[[instance]]\npath = "a//b"', 2, "instance.path: must be names with a slash between each two"),
    ('[[instance]]\npath = "a/.."', 2, "instance.path: must be names with a slash between each two"),
    (f'[[instance]]\npath = "{"a" * 1025}"', 2, "instance.path: may have 1024 bytes"),
    ('[[instance]]\npath = "a\\u0001"', 2, "instance.path: must be of letters, digits and signs that are not "
     "special in D"),
    ('[[instance]]\npath = "a"\ndestructive = 1', 3, "instance.destructive: must be true or false"),
    ('[[instance]]\npath = "a"\ncount = 0', 3, "instance.count: must be a number from 1 to 100000"),
    ('[[instance]]\npath = "a"\ncount = 100001', 3, "instance.count: must be a number from 1 to 100000"),
    ('[[instance]]\npath = "a"\naddress = "tcp://a:1"\ncount = 2', 4, "instance.count: cannot stand beside "
     "address"),
    ('[[instance]]\npath = "a"\naddress = "tcp://a:1"\nimage = "p.toml"', 4, "instance.image: cannot stand "
     "beside address"),
    ('[[instance]]\npath = "a"\nrecording = "p.toml"\noptions = {}', 4, "instance.options: cannot stand "
     "beside recording"),
    ('[[instance]]\npath = "a"\naddress = "tls://a:1"\nkey = "p.toml"', 4, "instance.key: needs a cert "
     "beside it"),
    ('[[instance]]\npath = "a"\nca = "p.toml"', 3, "instance.ca: is for an address that begins with tls://"),
    ('[[instance]]\npath = "a"\naddress = "tls://a:1"\nca = "none.pem"', 4, "instance.ca: none.pem: No such "
     "file or directory"),
    ('[[instance]]\npath = "a"\naddress = "udp://a:1"', 3, "instance.address: must be tcp://HOST:PORT or "
     "tls://HOST:PORT"),
    ('[[instance]]\npath = "a"\naddress = "tcp://a:123456"', 3,
     "instance.address: must be tcp://HOST:PORT or "
     "tls://HOST:PORT"),
    ('[[instance]]\npath = "a"\noptions = 1', 3,
     "instance.options: must be a table of options of the machine"),
    ('[[instance]]\npath = "a"\noptions = { image = "p.toml" }', 3, "instance.options: image is no option of "
     "the machine"),
    ('[[instance]]\npath = "a"\noptions = { strsize = 1 }', 3,
     "instance.options: strsize is no option of the "
     "machine"),
    ('[[instance]]\npath = "a"\noptions = { ncpus = true }', 3,
     "instance.options: ncpus must be a number or a "
     "string"),
    ('[[instance]]\npath = "a"\noptions = { ncpus = 1.5 }', 3,
     "instance.options: ncpus must be a number or a "
     "string"),
    ('[limits]\nprobes = 2147483649', 2, "limits.probes: must be a number from 1 to 2147483648"),
    ('[limits]\nproviders = "1"', 2, "limits.providers: must be a number from 1 to 2147483648"),
    ('[limits]\nbytes_per_s = 0', 2, 'limits.bytes_per_s: must be a size, as in "4MB"'),
    ('[limits]\ndeadline = "x"', 2, 'limits.deadline: must be a time, as in "1ms"'),
    ('[limits]\ndestructive = 1', 2, "limits.destructive: must be true or false"),
    ('[limits]\nrows = 1', 2, "limits.rows: there is no such key: it may be providers, probes, keys, "
     "bytes_per_s, deadline, destructive"),
    ('[[instance]]\npath = "host"\naddress = "tcp://a:1"', 2,
     "instance.path: the host is the machine in which "
     "dtrace runs"),
    ('[[instance]]\npath = "host"\nrecording = "p.toml"', 2,
     "instance.path: the host is the machine in which "
     "dtrace runs"),
    ('[[instance]]\npath = "a"\naddress = "tcp://a:1"\n[[instance]]\npath = "a/b"', 5, "instance.path: a is "
     "not started here, and says itself what is in it"),
])
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, text: str, line: int, reason: str) -> None:
    with pytest.raises(ClusterError) as caught:
        read(tmp_path, text)
    assert str(caught.value) == f"{tmp_path}/lab.toml:{line}: {reason}"


def test_everything_that_a_file_may_say(tmp_path: Path) -> None:
    found = read(tmp_path, """
[cluster]
scheduler = "tls://host.example:8786"
quantum = "5ms"
heartbeat = "2s"
[[instance]]
path = "host"
options = { ncpus = 3, seed = "9" }
[[instance]]
path = "host/inner"
[[instance]]
path = "p"
count = 2
record = "p.frames"
destructive = true
[[instance]]
path = "q09"
count = 3
[[instance]]
path = "q10/x"
[[instance]]
path = "tls"
address = "tls://[::1]:65535"
ca = "p.toml"
cert = "p.toml"
key = "p.toml"
[[instance]]
path = "old"
recording = "p.toml"
[limits]
providers = 1
probes = 2
keys = 2147483648
bytes_per_s = "1kB"
deadline = "3s"
""")
    assert (found.workers, found.scheduler, found.scheduler_line) == (0, "tls://host.example:8786", 3)
    assert (found.quantum, found.heartbeat) == (5_000_000, 2 * 10**9)
    assert [each.path for each in found.instances] == [
        "host", "host/inner", "p1", "p2", "q9", "q10", "q11", "q10/x", "tls", "old"]
    host, inner, one, _two, *_more, tls, old = found.instances
    assert host.options == (("ncpus", "3"), ("seed", "9")) and inner.parent == "host" and one.parent == ""
    assert (one.record, one.destructive, one.line, inner.destructive) == (
        str(tmp_path / "p.frames"), True, 12, False)
    path = str(tmp_path / "p.toml")
    assert (tls.address, tls.ca, tls.cert, tls.key) == ("tls://[::1]:65535", path, path, path)
    assert (old.recording, old.address, old.image, old.record) == (path, "", "", "")
    limits = found.limits
    assert (limits.providers, limits.probes, limits.keys, limits.bytes_per_s, limits.deadline,
            limits.destructive) == (1, 2, 1 << 31, 1024, 3 * 10**9, False)
    assert [each.path for each in found.below("host")] == ["host/inner"] and not found.children("q9")
    assert read(tmp_path, '[cluster]\nscheduler = "local:256"').workers == 256
    everywhere = read(tmp_path, '[[instance]]\npath = "a"\n[limits]\ndestructive = true')
    assert everywhere.instances[1].destructive and everywhere.limits.destructive
    assert read(tmp_path, f'[[instance]]\npath = "{"a" * 1024}"').instances[1].path == "a" * 1024


@pytest.mark.parametrize("pattern,meant", [
    ("", "host"), ("p", "p"), ("p*", "p p1"), ("*", "host p p1 q"), ("p/*", "p/x p/y"), ("**", "all"),
    ("p/**", "p p/x p/y p/x/z"), ("**/x", "p/x q/x"), ("p/**/z", "p/x/z"), ("*/x/**", "p/x p/x/z q/x"),
    ("**/**", "all"), ("p/", ""), ("none/**", ""),
])
def test_which_paths_a_pattern_means(pattern: str, meant: str) -> None:
    paths = ["host", "p", "p1", "q", "p/x", "p/y", "q/x", "p/x/z"]
    assert [path for path in paths if matches(pattern, path)] == (
        paths if meant == "all" else sorted(meant.split(), key=paths.index))


def test_names_from_elsewhere_are_shown() -> None:
    assert shown("a\x07\xa0\u200b\x1b[1m") == "a\\x07\\xa0\\u200b\\x1b[1m" and last("a/b/c") == "c"
    assert shown("\xff\u0100") == "\xff\u0100" and shown("\u0378") == "\\u0378"


def test_there_is_a_most_of_instances(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusterfile, "MOST_INSTANCES", 3)
    text = '[[instance]]\npath = "a"\ncount = {}\n[[instance]]\npath = "b"\n'
    assert len(read(tmp_path, text.format(2)).instances) == 4
    with pytest.raises(ClusterError, match="instance: 4 are more than 3 instances"):
        read(tmp_path, text.format(3))
