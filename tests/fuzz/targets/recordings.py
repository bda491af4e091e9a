"""Recordings (dtrace --replay): the file as a whole, and an index around which a right file is made.

What is accepted is used as a machine uses it: every path is looked up, listed and read.
"""

from __future__ import annotations

import gzip
import hashlib
import itertools
import json

from runtime.kernel.vfs.disk.overlay import Overlay, OverlayDirectory, OverlayFile
from runtime.recordings.fileformat import MAGIC, pack, unpack
from runtime.recordings.player import Player
from runtime.recordings.recording import FileEntry, Name, Recording, RecordingError
from tests.fuzz.engine import Target
from tests.fuzz.mutation import blind, mixed, tokens

BLOB = b"content"
DIGEST = hashlib.sha256(BLOB).hexdigest()
WORDS = (b'"files":{', b'"/a/b":', b'"/"', b'"/a"', b'"//"', b'"/.."', b'"status":[', b'"names":[',
         b'["b",2,32768]', b'"link":"a"', b'"link":"/a"', b'"error":2', f'"content":"{DIGEST}"'.encode(),
         b'"content":"00"', b"16877", b"33188", b"41471", b"-1", b"18446744073709551615", b"1e9", b"null",
         b"true", b"[", b"]", b"{", b"}", b",", b'"options":{', b'"ncpus":2', b'"seed":"x"', b'"root":"none"',
         b'"file":["/a"]', b'"owner":[0,0]', b'"\\udcff"', b'"\\ud800"', b'"\\u0000"', b'"."', b'""',
         b'"input":[', b'"output":{', b'"wholes":{')
MOST_LOOKUPS = 200


def _run(data: bytes) -> object:
    if not data.startswith(MAGIC):
        blob = bytes.fromhex(DIGEST) + len(BLOB).to_bytes(8, "little") + BLOB
        data = MAGIC + gzip.compress(len(data).to_bytes(8, "little") + data + blob, 1)
    recording = unpack(data)
    player = Player(recording)
    try:
        overlay = Overlay(lambda: 0, b"/", sealed=bool(recording.owner[0]), source=player)
    except OSError:
        return len(player.departures())
    for path in itertools.islice(recording.files, MOST_LOOKUPS):
        _look(overlay.root, path)
    return len(player.departures())


def _look(node: OverlayDirectory, path: bytes) -> None:
    """Go to a path, and use what is there."""
    try:
        for name in path.split(b"/"):
            if name:
                below = node.lookup(name)
                if isinstance(below, OverlayFile):
                    below.open(0, None).read(10)  # type: ignore[arg-type]
                if not isinstance(below, OverlayDirectory):
                    return
                node = below
        list(node.names())
    except OSError:
        pass


def seeds() -> list[bytes]:
    folder = (0o40755, 2, 1, 2, 0, 0, 0, 4096, 4096, 8, 1, 1, 1)
    file = (0o100644, 3, 1, 1, 0, 0, 0, len(BLOB), 4096, 8, 1, 1, 1)
    recording = Recording(
        words=["-n", "BEGIN"], commands=["ls"], options={"ncpus": 2}, environment={"A": "b"}, files={
            b"/": FileEntry(folder, names=[Name(b"a", 2, 0o40000)]),
            b"/a": FileEntry(folder, names=[Name(b"b", 3, 0)]),
            b"/a/b": FileEntry(file, content=DIGEST), b"/a/c": FileEntry(error=2),
            b"/a/d": FileEntry((0o120777, *file[1:]), link=b"b")},
        input=[b"x", b""], output={1: b"y"}, blobs={DIGEST: BLOB})
    packed = pack(recording)
    text = gzip.decompress(packed[len(MAGIC):])
    size = int.from_bytes(text[:8], "little")
    index = json.loads(text[8:8 + size])
    index["input"], index["output"] = [DIGEST], {"1": DIGEST}
    return [packed, json.dumps(index).encode()]


def target() -> Target:
    return Target(_run, (RecordingError,), mixed((4, tokens(WORDS)), (1, blind)), seeds)
