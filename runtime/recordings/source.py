"""What recorder and player have in common: a host of which a recording knows what it has said."""

from __future__ import annotations

import errno
import os
from typing import NoReturn

from runtime.kernel.vfs.disk.source import Source
from runtime.recordings.recording import STATUS, FileEntry, Recording


class RecordedSource(Source):
    """A host whose owner, working directory and paths are those of a recording."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.mark = single  # what a recording says of a path stays as it is

    @property
    def home(self) -> str:
        return self.recording.home

    @property
    def owner(self) -> tuple[int, int]:
        return self.recording.owner

    def stat(self, path: bytes) -> os.stat_result:
        return self.lstat(self.real(os.fsdecode(path)))

    def exists(self, path: bytes) -> bool:
        try:
            self.lstat(path)
        except OSError:
            return False
        return True


def status_of(entry: FileEntry) -> os.stat_result:
    """What lstat(2) gave.  Raises OSError."""
    if entry.status is None:
        fail(entry.error or errno.ENOENT)
    values = dict(zip(STATUS, entry.status, strict=True))
    times = [values[f"{name}time_ns"] for name in "amc"]
    return os.stat_result(
        [*(values[name] for name in ("mode", "ino", "dev", "nlink", "uid", "gid", "size")),
         *(time // 10**9 for time in times)],
        {"st_rdev": values["rdev"], "st_blksize": values["blksize"], "st_blocks": values["blocks"],
         "st_atime_ns": times[0], "st_mtime_ns": times[1], "st_ctime_ns": times[2]})


def single(path: bytes) -> bytes:
    """An absolute path with one slash before its first name: below "/" the host's paths begin with two."""
    return b"/" + path.lstrip(b"/")


def fail(number: int) -> NoReturn:
    raise OSError(number, os.strerror(number))
