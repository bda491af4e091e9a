"""A recording as a file.

    8 bytes     the magic number, "DTRACER1"
    the rest    one gzip member (RFC 1952) of:
        8 bytes     the length of the index, least significant byte first
        the index   an object of JSON, in UTF-8
        the blobs   for each: 32 bytes with the SHA-256 of its content, 8 bytes with its length, the content;
                    in ascending order of the SHA-256

The index has a key for each field of Recording but `blobs`.  Paths and texts are strings in which a byte
that is not UTF-8 stands as \\udc80 to \\udcff (PEP 383).  `files` leads from a path to an object with, as far
as the run asked: `status` (a list of numbers, as recording.STATUS names them) or `error` (a number of errno),
`link` (a text), `names` (a list of [name, inode number, type bits of the mode]), `content` (the SHA-256 of a
blob, in hexadecimal).  `input` is a list of blobs, `output` an object from descriptor to blob, `wholes` one
from path to blob.

Nothing in a file is believed before it is checked: no part is longer than what stands below, each blob has
the hash that it goes by, each that is referred to is there, and paths are absolute and without dots.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import struct
import zlib
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from dc.options import OptionError, parse_value
from dif.hostfiles import LARGEST_FILE
from dif.limits import MASK
from dof.options import TABLE, Phase
from runtime.kernel.vfs.vnode import Name
from runtime.recordings.recording import MOST_BYTES, STATUS, FileEntry, Recording, RecordingError

MAGIC = b"DTRACER1"
MOST_INDEX = 64 << 20  # bytes
MOST_ENTRIES = 1 << 20  # paths, names in all, blobs
_LENGTH = struct.Struct("<Q")
_SIZE = list(STATUS).index("size")
_PLAIN = ("suite", "words", "commands", "processes", "settings", "evaltime", "options",
          "environment", "home")


def pack(recording: Recording) -> bytes:
    """A recording as the bytes of a file."""
    blobs = dict(recording.blobs)

    def kept(data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        blobs[digest] = data
        return digest

    index = {name: getattr(recording, name) for name in _PLAIN} | {
        "owner": list(recording.owner),
        "files": {os.fsdecode(path): _entry_out(entry) for path, entry in sorted(recording.files.items())},
        "real": {path: os.fsdecode(real) for path, real in recording.real.items()},
        "wholes": recording.wholes, "input": [kept(data) for data in recording.input],
        "output": {str(descriptor): kept(data) for descriptor, data in recording.output.items()}}
    text = json.dumps(index, separators=(",", ":"), sort_keys=True).encode()
    data = io.BytesIO()
    data.write(MAGIC)
    with gzip.GzipFile(fileobj=data, mode="wb", mtime=0, filename="", compresslevel=6) as out:
        out.write(_LENGTH.pack(len(text)) + text)
        for digest, blob in sorted(blobs.items()):
            out.write(bytes.fromhex(digest) + _LENGTH.pack(len(blob)))
            out.write(blob)
    return data.getvalue()


def _entry_out(entry: FileEntry) -> dict[str, object]:
    found: dict[str, object] = {}
    if entry.status is not None:
        found["status"] = list(entry.status)
    if entry.error:
        found["error"] = entry.error
    if entry.link is not None:
        found["link"] = os.fsdecode(entry.link)
    if entry.names is not None:
        found["names"] = [[os.fsdecode(name), ino, kind] for name, ino, kind in entry.names]
    if entry.content is not None:
        found["content"] = entry.content
    return found


def unpack(data: bytes) -> Recording:
    """Read a file.  Raises RecordingError."""
    if not data.startswith(MAGIC):
        raise RecordingError("this is no recording")
    if len(data) > LARGEST_FILE:
        raise RecordingError(f"the file is longer than {LARGEST_FILE >> 20} MB")
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data[len(MAGIC):]), mode="rb") as source:
            size, = _LENGTH.unpack(_exactly(source, _LENGTH.size))
            if size > MOST_INDEX:
                raise RecordingError(f"its index is longer than {MOST_INDEX >> 20} MB")
            index = json.loads(_exactly(source, size).decode())
            return _Index(index, _blobs(source)).recording()
    except RecursionError:
        raise RecordingError("its index has lists or objects within too many others") from None
    except (OSError, EOFError, zlib.error, ValueError, struct.error) as error:
        if isinstance(error, _Wrong):
            raise RecordingError(f"its index: {error}") from None
        raise RecordingError(f"it is damaged: {str(error).partition(chr(10))[0][:200]}") from None


def _exactly(source: BinaryIO | gzip.GzipFile, size: int) -> bytes:
    data = source.read(size)
    if len(data) != size:
        raise EOFError("it ends too early")
    return data


def _blobs(source: gzip.GzipFile) -> dict[str, bytes]:
    blobs: dict[str, bytes] = {}
    total, last = 0, b""
    while digest := source.read(32):
        digest += _exactly(source, 32 - len(digest)) if len(digest) < 32 else b""
        size, = _LENGTH.unpack(_exactly(source, _LENGTH.size))
        total += size
        if total > MOST_BYTES or len(blobs) >= MOST_ENTRIES:
            raise RecordingError(f"it has contents of more than {MOST_BYTES >> 20} MB")
        if digest <= last:
            raise EOFError("its blobs are not in order")
        data = _exactly(source, size)
        if hashlib.sha256(data).digest() != digest:
            raise EOFError(f"blob {digest.hex()[:12]} has another content")
        blobs[digest.hex()] = data
        last = digest
    return blobs


class _Wrong(ValueError):
    """What is wrong with an index."""


class _Index:
    """The index of a file, which is checked while it is taken apart.  Methods raise _Wrong."""

    def __init__(self, index: Any, blobs: Mapping[str, bytes]) -> None:
        if not isinstance(index, dict):
            raise _Wrong("it is no object")
        self._index = index
        self._blobs = blobs
        self._names = 0

    def recording(self) -> Recording:
        owner = self._list("owner", lambda value: _number(value, "owner"))
        if len(owner) != 2:
            raise _Wrong("owner: must be two numbers")
        files = self._object("files")
        if len(files) > MOST_ENTRIES:
            raise _Wrong("files: too many")
        return Recording(
            suite=self._text("suite"), words=self._texts("words"), commands=self._texts("commands"),
            processes=self._texts("processes"), settings=self._texts("settings"),
            evaltime=self._text("evaltime"),
            options=self._options(),
            environment={_plain(name, "environment"): _plain(value, name)
                         for name, value in self._object("environment").items()},
            home=os.fsdecode(_path(self._text("home"))), owner=(owner[0], owner[1]),
            files={_path(path): self._entry(path, entry) for path, entry in files.items()},
            real={_plain(path, "real"): _path(real) for path, real in self._object("real").items()},
            wholes={_plain(path, "wholes"): self._digest(digest, path)
                    for path, digest in self._object("wholes").items()},
            input=self._list("input", lambda value: self._blobs[self._digest(value, "input")]),
            output={descriptor: self._blobs[self._digest(self._object("output")[str(descriptor)], "output")]
                    for descriptor in (1, 2) if str(descriptor) in self._object("output")},
            blobs=dict(self._blobs))

    def _options(self) -> dict[str, int | str | list[str]]:
        """The options of the machine, as if they stood on a command line."""
        found: dict[str, int | str | list[str]] = {}
        for name, value in self._object("options").items():
            row = TABLE.get(name)
            if row is None or row.phase != Phase.BOOT:
                raise _Wrong(f"options: {name} is no option of the machine")
            try:
                for each in value if isinstance(value, list) else [value]:
                    if type(each) not in (int, str):
                        raise _Wrong(f"options: {name} must be a number, a text, or a list of texts")
                    if type(each) is str:
                        parse_value(row, _plain(each, name))
            except OptionError as error:
                raise _Wrong(f"options: {name}: {error}") from None
            found[name] = value
        return found

    def _entry(self, path: str, entry: Any) -> FileEntry:
        if not isinstance(entry, dict):
            raise _Wrong(f"{path!r}: must be an object")
        status = entry.get("status")
        if status is not None:
            if not isinstance(status, list) or len(status) != len(STATUS):
                raise _Wrong(f"{path!r}: status must have {len(STATUS)} numbers")
            status = tuple(_number(each, path, least, most)
                           for each, (least, most) in zip(status, STATUS.values(), strict=True))
        error = entry.get("error", 0)
        if type(error) is not int or not 0 <= error < 4096:
            raise _Wrong(f"{path!r}: error must be a number of errno")
        content = None if entry.get("content") is None else self._digest(entry["content"], path)
        if content is not None and (status is None or status[_SIZE] != len(self._blobs[content])):
            raise _Wrong(f"{path!r}: its content has another size")
        link, names = entry.get("link"), entry.get("names")
        return FileEntry(
            status, error, None if link is None else os.fsencode(_plain(link, path)),
            None if names is None else [self._name(path, each) for each in self._listed(names, path)],
            content)

    def _listed(self, names: Any, path: str) -> list[Any]:
        if not isinstance(names, list):
            raise _Wrong(f"{path!r}: names must be a list")
        self._names += len(names)
        if self._names > MOST_ENTRIES:
            raise _Wrong("names: too many")
        return names

    def _name(self, path: str, name: Any) -> Name:
        if not isinstance(name, list) or len(name) != 3:
            raise _Wrong(f"{path!r}: a name must be a list of three")
        text = os.fsencode(_plain(name[0], path))
        if not text or b"/" in text or text in (b".", b".."):
            raise _Wrong(f"{path!r}: {name[0]!r} is no name")
        return Name(text, _number(name[1], path), _number(name[2], path))

    def _digest(self, value: Any, where: str) -> str:
        if not isinstance(value, str) or value not in self._blobs:
            raise _Wrong(f"{where!r}: its content is missing")
        return value

    def _object(self, key: str) -> dict[str, Any]:
        value = self._index.get(key)
        if not isinstance(value, dict):
            raise _Wrong(f"{key}: must be an object")
        return value

    def _list(self, key: str, taken: Callable[[Any], Any]) -> list[Any]:
        value = self._index.get(key)
        if not isinstance(value, list) or len(value) > MOST_ENTRIES:
            raise _Wrong(f"{key}: must be a list")
        return list(map(taken, value))

    def _texts(self, key: str) -> list[str]:
        return self._list(key, lambda value: _plain(value, key))

    def _text(self, key: str) -> str:
        return _plain(self._index.get(key), key)


def _plain(value: Any, where: str) -> str:
    """A text without NUL, which a host can encode."""
    if not isinstance(value, str) or "\0" in value:
        raise _Wrong(f"{where!r}: must be a text")
    try:
        os.fsencode(value)
    except UnicodeEncodeError:
        raise _Wrong(f"{where!r}: has characters that are none") from None
    return value


def _number(value: Any, where: str, least: int = 0, most: int = MASK) -> int:
    if type(value) is not int or not least <= value <= most:
        raise _Wrong(f"{where!r}: must have numbers from {least} to {most}")
    return value


def _path(value: str) -> bytes:
    path = os.fsencode(_plain(value, "a path"))
    if not path.startswith(b"/") or any(part in (b".", b"..") for part in path.split(b"/")):
        raise _Wrong(f"{value!r}: must be an absolute path without dots")
    return path
