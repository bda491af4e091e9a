"""Stands between a machine and the host, and notes what passes."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from dif.hostfiles import read_whole
from dof.globs import matches
from runtime.kernel.vfs.devices.host import wait_for_host
from runtime.kernel.vfs.disk.content import HostContent
from runtime.kernel.vfs.disk.source import Source
from runtime.kernel.vfs.vnode import Name
from runtime.recordings.recording import MOST_BYTES, MOST_OUTPUT, STATUS, FileEntry, Recording, RecordingError
from runtime.recordings.source import RecordedSource, fail, single, status_of


class KeptContent(HostContent):
    """The bytes of a file as they were when it was first opened."""

    def __init__(self, recorder: Recorder, path: bytes) -> None:
        super().__init__(path)
        self._recorder = recorder
        self._data: bytes | None = None

    def descriptor(self) -> int:
        if self._data is None:
            self._data = self._recorder.contents(self._path)
        return -1

    def read(self, offset: int, size: int) -> bytes:
        self.descriptor()
        assert self._data is not None
        return self._data[offset:offset + size]


class Recorder(RecordedSource):
    """The host, as one run sees it: what it has once said of a path stays so.

    What `excluded` names is not there, for the run neither: a glob with a slash names files (and all below a
    directory), others name variables of the environment.  Raises RecordingError where a recording would be
    too large.
    """

    def __init__(self, excluded: Sequence[str] = ()) -> None:
        host = Source()
        super().__init__(Recording(home=host.home, owner=host.owner))
        self.tape = self
        self._paths = [glob for glob in excluded if "/" in glob]
        self._variables = [glob for glob in excluded if "/" not in glob]
        self._size = 0

    # -- runtime.recordings.source.RecordedSource ----------------------------------------------------

    @cached_property
    def environment(self) -> Mapping[str, str]:
        kept = {name: value for name, value in os.environ.items()
                if not any(matches(glob, name) for glob in self._variables)}
        self.recording.environment = kept
        return kept

    def lstat(self, path: bytes) -> os.stat_result:
        entry = self._entry(path)
        if entry.status is None and not entry.error:
            try:
                if self._is_excluded(path):
                    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
                status = super().lstat(path)
                entry.status = tuple(getattr(status, f"st_{name}") for name in STATUS)
            except OSError as error:
                entry.error = error.errno or errno.EIO
        return status_of(entry)

    def readlink(self, path: bytes) -> bytes:
        entry = self._entry(path)
        if entry.link is None:
            entry.link = super().readlink(path)
        return entry.link

    def scan(self, path: bytes) -> list[Name]:
        entry = self._entry(path)
        if entry.names is None:
            entry.names = [name for name in super().scan(path)
                           if not self._is_excluded(os.path.join(path, name.name))]
        return entry.names

    def content(self, path: bytes) -> HostContent:
        return KeptContent(self, path)

    def real(self, path: str) -> bytes:
        return self.recording.real.setdefault(path, super().real(path))

    def whole(self, path: str) -> bytes:
        data = super().whole(path)
        self.recording.wholes[path] = self._keep(data)
        return data

    # -- runtime.kernel.vfs.disk.tape.Tape -----------------------------------------------------------

    def read(self, size: int, ending: Callable[[], bool]) -> bytes:
        if not wait_for_host([0], ending):
            fail(errno.EAGAIN)
        data = os.read(0, size)
        self._grow(len(data))
        self.recording.input.append(data)
        return data

    def wrote(self, descriptor: int, data: bytes) -> None:
        before = self.recording.output.get(descriptor, b"")
        if len(before) < MOST_OUTPUT:
            self.recording.output[descriptor] = before + data[:MOST_OUTPUT - len(before)]

    # -- what is kept --------------------------------------------------------------------------------

    def contents(self, path: bytes) -> bytes:
        """The bytes of a file, which are kept.  Raises OSError."""
        entry = self._entry(path)
        if entry.content is None:
            self.lstat(path)
            data = read_whole(os.fsdecode(path))
            entry.content = self._keep(data)
            if entry.status is not None:  # it may have grown meanwhile
                entry.status = tuple(len(data) if name == "size" else value
                                     for name, value in zip(STATUS, entry.status, strict=True))
        return self.recording.blobs[entry.content]

    def _entry(self, path: bytes) -> FileEntry:
        return self.recording.files.setdefault(single(path), FileEntry())

    def _keep(self, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        if digest not in self.recording.blobs:
            self._grow(len(data))
            self.recording.blobs[digest] = data
        return digest

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > MOST_BYTES:
            raise RecordingError(f"the run has read more than {MOST_BYTES >> 20} MB of files and input: "
                                 "leave some out with -x exclude=")

    def _is_excluded(self, path: bytes) -> bool:
        text = os.fsdecode(single(path))
        while self._paths and text != "/":
            if any(matches(glob, text) for glob in self._paths):
                return True
            text = os.path.dirname(text)
        return False
