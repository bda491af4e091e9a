"""Stands in the host's place, and notes what it is asked for and does not have."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping

from runtime.kernel.vfs.disk.content import HostContent
from runtime.kernel.vfs.vnode import Name
from runtime.recordings.recording import MOST_OUTPUT, FileEntry, Recording
from runtime.recordings.source import RecordedSource, fail, single, status_of

_STREAMS = {1: "standard output", 2: "standard error"}


class PlayedContent(HostContent):
    """The bytes of a recorded file."""

    def __init__(self, player: Player, path: bytes) -> None:
        super().__init__(path)
        self._player = player

    def descriptor(self) -> int:
        self._player.contents(self._path)
        return -1

    def read(self, offset: int, size: int) -> bytes:
        return self._player.contents(self._path)[offset:offset + size]


class Player(RecordedSource):
    """The host that a recording was made on.  No file of this host is touched."""

    def __init__(self, recording: Recording) -> None:
        super().__init__(recording)
        self.tape = self
        self._missing: dict[str, None] = {}  # what was asked for and is not recorded, in words
        self._reads = 0
        self._rest = b""  # of the read that was answered last
        self._written: dict[int, int] = {}  # bytes, by descriptor
        self._differs: dict[int, int] = {}  # from which byte on

    def departures(self) -> list[str]:
        """Where the run has departed from what was recorded, a line each."""
        return [*self._missing, *(f"programs wrote other bytes to {_STREAMS[descriptor]}, from byte {at} on"
                                  for descriptor, at in self._differs.items())]

    def finish(self) -> None:
        """The run is over: what programs have not written is missing."""
        for descriptor, data in self.recording.output.items():
            written = self._written.get(descriptor, 0)
            if written < len(data):
                self._differs.setdefault(descriptor, written)

    # -- runtime.recordings.source.RecordedSource ----------------------------------------------------

    @property
    def environment(self) -> Mapping[str, str]:
        return self.recording.environment

    def lstat(self, path: bytes) -> os.stat_result:
        path = single(path)
        entry = self._entry(path)
        if entry.status is None and not entry.error:
            folder, name = os.path.split(path)
            listed = self._entry(folder).names
            if listed is None or any(each.name == name for each in listed):
                self._miss(path, "was not looked at")
            fail(errno.ENOENT)
        return status_of(entry)

    def readlink(self, path: bytes) -> bytes:
        link = self._entry(path).link
        if link is None:
            self._miss(path, "was not read")
            fail(errno.EIO)
        return link

    def scan(self, path: bytes) -> list[Name]:
        names = self._entry(path).names
        if names is None:
            self._miss(path, "was not listed")
            fail(errno.EIO)
        return names

    def content(self, path: bytes) -> HostContent:
        return PlayedContent(self, path)

    def real(self, path: str) -> bytes:
        return self.recording.real.get(path, os.fsencode(path))

    def whole(self, path: str) -> bytes:
        digest = self.recording.wholes.get(path)
        if digest is None:
            self._miss(os.fsencode(path), "was not read")
            fail(errno.ENOENT)
        return self.recording.blobs[digest]

    # -- runtime.kernel.vfs.disk.tape.Tape -----------------------------------------------------------

    def read(self, size: int, ending: Callable[[], bool]) -> bytes:
        if not self._rest:
            if self._reads == len(self.recording.input):
                self._missing["programs read more of standard input than was recorded"] = None
                return b""
            self._rest = self.recording.input[self._reads]
            self._reads += 1
        data, self._rest = self._rest[:size], self._rest[size:]
        return data

    def wrote(self, descriptor: int, data: bytes) -> None:
        at = self._written.get(descriptor, 0)
        self._written[descriptor] = at + len(data)
        if descriptor not in _STREAMS or descriptor in self._differs or at >= MOST_OUTPUT:
            return
        data = data[:MOST_OUTPUT - at]
        before = self.recording.output.get(descriptor, b"")[at:at + len(data)]
        if data != before:
            same = next((n for n, (old, new) in enumerate(zip(before, data, strict=False)) if old != new),
                        min(len(before), len(data)))
            self._differs[descriptor] = at + same

    # -- what was kept -------------------------------------------------------------------------------

    def contents(self, path: bytes) -> bytes:
        """The bytes of a file.  Raises OSError."""
        digest = self._entry(path).content
        if digest is None:
            self._miss(path, "was not read")
            fail(errno.EIO)
        return self.recording.blobs[digest]

    def _entry(self, path: bytes) -> FileEntry:
        return self.recording.files.get(single(path)) or FileEntry()

    def _miss(self, path: bytes, what: str) -> None:
        self._missing[f"{os.fsdecode(single(path))} {what} in the recorded run"] = None
