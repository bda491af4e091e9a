"""Recordings without a machine: the file byte by byte and each bound of it, what recorder and player say."""

from __future__ import annotations

import errno
import gzip
import hashlib
import json
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runtime.kernel.vfs.vnode import Name
from runtime.recordings import fileformat, player, recorder
from runtime.recordings.fileformat import pack, unpack
from runtime.recordings.player import Player
from runtime.recordings.recorder import Recorder
from runtime.recordings.recording import FileEntry, Recording, RecordingError

STATUS = [0o100644, 7, 8, 1, 2, 3, 0, 4, 4096, 8, 1_500_000_000, 2_500_000_000, -500_000_000]
TEXT, INPUT = hashlib.sha256(b"text").hexdigest(), hashlib.sha256(b"in").hexdigest()
OUT = hashlib.sha256(b"out").hexdigest()
INDEX = {
    "suite": "1", "words": ["-n", "\udcff"], "commands": ["ls"], "processes": ["9"], "settings": ["A=b", "C"],
    "evaltime": "main", "options": {"ncpus": 2, "env": "clean", "file": ["/a"]}, "environment": {"A": "é"},
    "home": "/home/me", "owner": [5, 6], "real": {"/l": "/t"}, "wholes": {"m.toml": TEXT},
    "input": [INPUT], "output": {"1": OUT},
    "files": {"/a": {"status": STATUS, "content": TEXT}, "/l": {"link": "t\udc80"}, "/no": {"error": 2},
              "/d": {"names": [["x\udc80", 9, 4]]}}}
BLOBS = {TEXT: b"text", INPUT: b"in", OUT: b"out"}


def recording() -> Recording:
    return Recording(
        suite="1", words=["-n", "\udcff"], commands=["ls"], processes=["9"], settings=["A=b", "C"],
        evaltime="main", options={"ncpus": 2, "env": "clean", "file": ["/a"]}, environment={"A": "é"},
        home="/home/me", owner=(5, 6), real={"/l": b"/t"}, wholes={"m.toml": TEXT}, input=[b"in"],
        output={1: b"out"}, blobs={TEXT: b"text"},
        files={b"/a": FileEntry(tuple(STATUS), content=TEXT), b"/l": FileEntry(link=b"t\x80"),
               b"/no": FileEntry(error=2), b"/d": FileEntry(names=[Name(b"x\x80", 9, 4)])})


def written(index: object, blobs: dict[str, bytes] = BLOBS) -> bytes:
    """A file, by its description."""
    text = json.dumps(index).encode()
    parts = [bytes.fromhex(digest) + struct.pack("<Q", len(data)) + data
             for digest, data in sorted(blobs.items())]
    return b"DTRACER1" + gzip.compress(struct.pack("<Q", len(text)) + text + b"".join(parts))


def test_a_file_is_what_its_description_says() -> None:
    data = pack(recording())
    assert data[:8] == b"DTRACER1" and data == pack(recording())
    content = gzip.decompress(data[8:])
    size = int.from_bytes(content[:8], "little")
    assert json.loads(content[8:8 + size]) == INDEX
    assert content[8 + size:] == gzip.decompress(written(INDEX)[8:])[8 + len(json.dumps(INDEX).encode()):]
    assert data[8 + 4:8 + 8] == bytes(4)  # no time of the host
    found = unpack(written(INDEX))
    expected = recording()
    expected.blobs = dict(sorted(BLOBS.items()))
    assert repr(found) == repr(expected) and found.options == expected.options
    assert sorted(found.files) == sorted(unpack(data).files)


def changed(path: str, value: object) -> dict[str, Any]:
    """The index with another value at a path of keys, which dots separate; without it for ...."""
    index: dict[str, Any] = json.loads(json.dumps(INDEX))
    *way, last = path.split(".")
    place: Any = index
    for key in way:
        place = place[int(key) if isinstance(place, list) else key]
    if value is ...:
        del place[last]
    else:
        place[int(last) if isinstance(place, list) else last] = value
    return index


TEXTS = "must be a text"
REFUSED: list[tuple[str, object, str]] = [
    *((name, value, f"its index: {name}: must be a list")
      for name in ("words", "input", "owner", "commands") for value in (..., {}, None)),
    *((name, value, f"its index: {name}: must be an object")
      for name in ("files", "options", "real", "output") for value in (..., [], None)),
    *((name, value, f"its index: '{name}': {TEXTS}") for name in ("suite", "evaltime")
      for value in (..., 1, None, "\0")),
    ("words", ["a", 1], f"its index: 'words': {TEXTS}"), ("home", 1, f"its index: 'home': {TEXTS}"),
    ("owner", [1], "its index: owner: must be two numbers"),
    ("owner", [1, 2, 3], "its index: owner: must be two numbers"),
    ("owner", [1, True], "its index: 'owner': must have numbers from 0 to 18446744073709551615"),
    ("owner", [1, 1 << 64], "its index: 'owner': must have numbers from 0 to 18446744073709551615"),
    ("environment", {"A": 1}, f"its index: 'A': {TEXTS}"),
    ("input", ["00"], "its index: 'input': its content"),
    ("environment", {"\ud800": ""}, "its index: 'environment': has characters that are none"),
    ("home", "/a/../b", "its index: '/a/../b': must be an absolute path without dots"),
    ("home", "/.", "its index: '/.': must be an absolute path"),
    ("real", {"/l": "t"}, "its index: 't': must be"), ("real", {"/l": 1}, "'a path': must be a text"),
    ("files", {"": {}}, "its index: '': must be an abs"), ("output", {"2": "ab"}, "its index: 'output'"),
    ("wholes", {"m": 5}, "its index: 'm': its content is missing"),
    ("options", {"ncpus": 1.5}, "its index: options: ncpus must be a number, a text, or a list of texts"),
    ("options", {"file": [[1]]}, "its index: options: file must be a number"),
    ("options", {"ncpus": "65"}, "its index: options: ncpus: Invalid value for specified option (1 to 64)"),
    ("options", {"bufsize": 1}, "its index: options: bufsize is no option of the machine"),
    ("files./a", 5, "its index: '/a': must be an object"),
    ("files./a.status", STATUS[:-1], "its index: '/a': status must have 13 numbers"),
    ("files./a.status", {}, "its index: '/a': status must have 13 numbers"),
    ("files./a.status", ..., "its index: '/a': its content has another size"),
    ("files./a.status.7", 5, "its index: '/a': its content has another size"),
    ("files./a.content", 5, "its index: '/a': its content is missing"),
    ("files./l.link", 5, f"its index: '/l': {TEXTS}"),
    *(("files./no.error", value, "its index: '/no': error must be a number of errno")
      for value in (-1, 4096, "2")),
    ("files./d.names", {}, "its index: '/d': names must be a list"),
    *(("files./d.names.0", value, "its index: '/d': a name must be a list of three")
      for value in (5, ["x", 1], ["x", 1, 2, 3])),
    *(("files./d.names.0.0", value, "is no name") for value in ("", ".", "..", "a/b")),
    ("files./d.names.0.0", 5, f"its index: '/d': {TEXTS}"),
    *((f"files./d.names.0.{place}", value, "must have numbers from 0 to") for place in (1, 2)
      for value in (-1, 1 << 64, "1")),
]


@pytest.mark.parametrize(("path", "value", "said"), REFUSED)
def test_what_an_index_may_not_say(path: str, value: object, said: str) -> None:
    with pytest.raises(RecordingError) as caught:
        unpack(written(changed(path, value)))
    assert said in str(caught.value)


@pytest.mark.parametrize(("path", "value"), [
    ("files./no.error", 4095), ("files./no.error", 0), ("files./d.names.0.1", (1 << 64) - 1),
    ("files./d.names", []), ("output", {}), ("output", {"2": OUT}), ("owner", [0, (1 << 64) - 1]),
    ("files./a.content", ...), ("files", {}), ("options", {"ncpus": "64"}), ("home", "/"), ("wholes", {})])
def test_what_an_index_may_say(path: str, value: object) -> None:
    assert unpack(written(changed(path, value)))


# mode, ino, dev, nlink, uid, gid, rdev, blksize, blocks, and three times; the size is that of the content
MOST = [(1 << 16) - 1, (1 << 63) - 1, (1 << 32) - 1, (1 << 31) - 1, (1 << 32) - 1, (1 << 32) - 1,
        (1 << 32) - 1, None, (1 << 30) - 1, (1 << 53) - 1, 1 << 62, 1 << 62, 1 << 62]


@pytest.mark.parametrize("place", [place for place in range(13) if place != 7])
def test_numbers_of_a_status_have_bounds(place: int) -> None:
    most, least = MOST[place], -(1 << 62) if place >= 10 else 0
    assert most is not None
    for value in (least, most):
        entry = unpack(written(changed(f"files./a.status.{place}", value))).files[b"/a"]
        assert entry.status is not None and entry.status[place] == value
    for value in (least - 1, most + 1):
        with pytest.raises(RecordingError, match=f"'/a': must have numbers from {least} to {most}"):
            unpack(written(changed(f"files./a.status.{place}", value)))


def test_damage() -> None:
    data = gzip.decompress(written(INDEX)[8:])
    ends = "it is damaged: it ends too early"
    for wrong, said in ((b"DTRACER2" + written(INDEX)[8:], "this is no recording"),
                        (written([]), "its index: it is no object"),
                        (written(INDEX, {**BLOBS, TEXT: b"!"}), "it is damaged: blob 982d9e3eb996 has"),
                        (b"DTRACER1" + gzip.compress(data[:-1]), ends), (b"DTRACER1", "it is damaged: "),
                        (b"DTRACER1" + gzip.compress(data + b"x"), ends),
                        (b"DTRACER1" + gzip.compress(data[:5]), ends),
                        (b"DTRACER1" + gzip.compress(data + data[-44:]), "it is damaged: its blobs are not"),
                        (b"DTRACER1" + gzip.compress(data)[:-9], "it is damaged: ")):
        with pytest.raises(RecordingError) as caught:
            unpack(wrong)
        assert str(caught.value).startswith(said)


@pytest.mark.parametrize(("name", "least", "said"), [
    ("MOST_INDEX", len(json.dumps(INDEX).encode()), "its index is longer than 0 MB"),
    ("MOST_BYTES", 9, "it has contents of more than 0 MB"),
    ("LARGEST_FILE", len(written(INDEX)), "the file is longer"),
    ("MOST_ENTRIES", 4, "its index: files: too many")])
def test_files_have_bounds(name: str, least: int, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What there is just fits; a byte or an entry less, and it does not."""
    monkeypatch.setattr(fileformat, name, least)
    assert unpack(written(INDEX))
    monkeypatch.setattr(fileformat, name, least - 1)
    with pytest.raises(RecordingError, match=said):
        unpack(written(INDEX))


def test_lists_have_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    few = changed("files", {f"/{n}": {"names": [[f"{n}{m}", 1, 1] for m in range(3)]} for n in range(2)})
    for most, index, blobs, said in ((6, few, BLOBS, ""), (5, few, BLOBS, "its index: names: too many"),
                                     (7, changed("words", ["w"] * 7), BLOBS, ""),
                                     (6, changed("words", ["w"] * 7), BLOBS, "words: must be a list"),
                                     (4, INDEX, BLOBS | {hashlib.sha256(b"4").hexdigest(): b"4"}, ""),
                                     (4, INDEX, BLOBS | {hashlib.sha256(bytes([n])).hexdigest(): bytes([n])
                                                         for n in range(2)}, "it has contents of more")):
        monkeypatch.setattr(fileformat, "MOST_ENTRIES", most)
        if said:
            with pytest.raises(RecordingError, match=said):
                unpack(written(index, blobs))
        else:
            assert unpack(written(index, blobs))


# -- the recorder ------------------------------------------------------------------------------------------

@pytest.fixture
def folder(tmp_path: Path) -> bytes:
    (tmp_path / "file").write_bytes(b"0123456789")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "word").write_bytes(b"x")
    (tmp_path / "link").symlink_to("file")
    return os.fsencode(tmp_path)


def refused(call: Callable[[], object]) -> int | None:
    with pytest.raises(OSError) as caught:
        call()
    assert caught.value.strerror == os.strerror(caught.value.errno or 0)
    return caught.value.errno


def test_what_a_recorder_sees_is_the_host_and_stays(folder: bytes) -> None:
    host = Recorder()
    path = folder + b"/file"
    found, real = host.lstat(path), os.lstat(path)
    for name in ("mode", "ino", "dev", "nlink", "uid", "gid", "size", "rdev", "blksize", "blocks", "atime_ns",
                 "mtime_ns", "ctime_ns", "atime", "mtime", "ctime"):
        assert int(getattr(found, f"st_{name}")) == int(getattr(real, f"st_{name}")), name
    assert host.readlink(folder + b"/link") == b"file"
    assert {each.name for each in host.scan(folder)} == {b"file", b"secret", b"link"}
    assert host.exists(path) and not host.exists(folder + b"/none")
    assert host.stat(folder + b"/link").st_ino == real.st_ino
    content = host.content(path)
    assert (content.descriptor(), content.read(3, 4), content.read(9, 4)) == (-1, b"3456", b"9")
    (Path(os.fsdecode(folder)) / "file").write_bytes(b"another text")
    os.remove(folder + b"/link")
    Path(os.fsdecode(folder), "none").touch()
    assert host.lstat(b"/" + path) == found and host.readlink(folder + b"/link") == b"file"
    assert not host.exists(folder + b"/none") and len(host.scan(folder)) == 3
    assert host.content(path).read(0, 99) == b"0123456789"
    assert host.whole(os.fsdecode(path)) == b"another text"
    assert refused(lambda: host.readlink(path)) == errno.EINVAL
    kept = unpack(pack(host.recording))
    assert repr(kept.files) == repr(dict(sorted(host.recording.files.items()))) and kept.home == os.getcwd()
    assert kept.owner == (os.getuid(), os.getgid()) and kept.files[folder + b"/none"].error == errno.ENOENT
    again = Player(kept)
    assert again.lstat(path) == found and again.content(path).read(3, 4) == b"3456"


def test_a_file_that_grows_while_it_is_recorded_has_one_size(folder: bytes) -> None:
    host, path = Recorder(), folder + b"/file"
    host.lstat(path)
    Path(os.fsdecode(path)).write_bytes(b"x" * 99)
    assert host.content(path).read(0, 200) == b"x" * 99 and host.lstat(path).st_size == 99
    host = Recorder()
    assert host.content(path).read(0, 200) == b"x" * 99  # before anybody asks how long it is
    Path(os.fsdecode(path)).write_bytes(b"x" * 999)
    assert host.content(path).read(0, 200) == b"x" * 99 and host.lstat(path).st_size == 99


def test_what_is_excluded_is_not_there(folder: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PASSWORD", "x")
    monkeypatch.setenv("COLOUR", "green")
    host = Recorder(["PASS*", "*/secret"])
    assert "PASSWORD" not in host.environment and host.environment["COLOUR"] == "green"
    assert host.recording.environment == host.environment
    assert refused(lambda: host.lstat(folder + b"/secret/word")) == errno.ENOENT
    assert refused(lambda: host.lstat(folder + b"/secret")) == errno.ENOENT
    assert refused(lambda: host.content(folder + b"/secret/word").read(0, 1)) == errno.ENOENT
    assert not host.recording.blobs
    assert {each.name for each in host.scan(folder)} == {b"file", b"link"} and host.exists(folder + b"/file")
    assert host.exists(folder)


def test_what_a_recorder_keeps_has_a_most(folder: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "MOST_BYTES", 11)
    host = Recorder()
    assert host.content(folder + b"/file").read(0, 1) == host.content(folder + b"/file").read(0, 1) == b"0"
    assert host.content(folder + b"/secret/word").read(0, 1) == b"x"
    Path(os.fsdecode(folder), "other").write_bytes(b"y")
    with pytest.raises(RecordingError, match="than 0 MB of files and input: leave some out with -x exclude="):
        host.content(folder + b"/other").read(0, 1)
    monkeypatch.setattr(recorder, "MOST_OUTPUT", 5)
    for data in (b"abc", b"def", b"ghi"):
        host.wrote(1, data)
    host.wrote(2, b"e")
    assert host.recording.output == {1: b"abcde", 2: b"e"}


# -- the player --------------------------------------------------------------------------------------------

def played() -> Player:
    return Player(Recording(
        home="/h", owner=(5, 6), environment={"A": "b"}, real={"/l": b"/f"}, wholes={"m": TEXT}, blobs=BLOBS,
        input=[b"abc", b"", b"de"], output={1: b"one two", 2: b""},
        files={b"/f": FileEntry(tuple(STATUS), content=TEXT), b"/d": FileEntry(names=[Name(b"x", 1, 4)]),
               b"/no": FileEntry(error=errno.EACCES), b"/l": FileEntry(link=b"f")}))


def test_what_a_player_has() -> None:
    host = played()
    status = host.lstat(b"//f")
    assert (status.st_mode, status.st_ino, status.st_dev, status.st_nlink, status.st_uid, status.st_gid,
            status.st_size, status.st_rdev, status.st_blksize, status.st_blocks) == (
                0o100644, 7, 8, 1, 2, 3, 4, 0, 4096, 8)
    assert (status.st_atime_ns, status.st_mtime_ns, status.st_ctime_ns) == (
        1_500_000_000, 2_500_000_000, -500_000_000)
    assert (int(status[7]), int(status[8]), int(status[9])) == (1, 2, -1)
    assert host.stat(b"/l") == status and host.exists(b"/f") and not host.exists(b"/no")
    assert (host.home, host.owner, host.environment["A"]) == ("/h", (5, 6), "b")
    assert host.scan(b"/d") == [Name(b"x", 1, 4)] and host.readlink(b"/l") == b"f"
    assert host.whole("m") == b"text"
    assert refused(lambda: host.lstat(b"/no")) == errno.EACCES
    assert refused(lambda: host.lstat(b"/d/y")) == errno.ENOENT  # it is not in the list
    content = host.content(b"/f")
    assert (content.descriptor(), content.read(1, 2), host.real("/other")) == (-1, b"ex", b"/other")
    host.wrote(1, b"one two")
    host.finish()
    assert host.departures() == []


def test_departures() -> None:
    host = played()
    assert refused(lambda: host.lstat(b"/d/x")) == refused(lambda: host.lstat(b"/e/x")) == errno.ENOENT
    assert refused(lambda: host.readlink(b"//f")) == refused(lambda: host.scan(b"/f")) == errno.EIO
    assert refused(lambda: host.content(b"/l").read(0, 1)) == errno.EIO
    assert refused(lambda: host.content(b"/l").descriptor()) == errno.EIO
    assert refused(lambda: host.whole("n")) == errno.ENOENT
    assert host.departures() == [
        "/d/x was not looked at in the recorded run", "/e/x was not looked at in the recorded run",
        "/f was not read in the recorded run", "/f was not listed in the recorded run",
        "/l was not read in the recorded run", "/n was not read in the recorded run"]


def test_input_comes_as_it_came() -> None:
    host = played()
    assert [host.read(size, lambda: False) for size in (2, 9, 5, 9)] == [b"ab", b"c", b"", b"de"]
    assert host.departures() == []
    assert [host.read(size, lambda: False) for size in (2, 9)] == [b"", b""]
    assert host.departures() == ["programs read more of standard input than was recorded"]


@pytest.mark.parametrize(("writes", "at"), [
    ([b"one ", b"two"], None), ([b"one ", b"twx", b"y"], 6), ([b"one two", b"!"], 7), ([b"one"], 3), ([], 0),
    ([b"One two"], 0)])
def test_output_is_compared(writes: list[bytes], at: int | None) -> None:
    host = played()
    for data in writes:
        host.wrote(1, data)
    host.wrote(7, b"no stream")
    host.finish()
    assert host.departures() == ([] if at is None else
                                 [f"programs wrote other bytes to standard output, from byte {at} on"])


def test_output_is_compared_as_far_as_it_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player, "MOST_OUTPUT", 7)
    host = played()
    host.wrote(1, b"one two three")
    host.wrote(1, b"four")
    host.finish()
    assert host.departures() == []
    host.wrote(2, b"x")
    assert host.departures() == ["programs wrote other bytes to standard error, from byte 0 on"]
