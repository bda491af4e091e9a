"""What a recording holds."""

from __future__ import annotations

from dif.records import Record, field
from runtime.consumer.events.errors import TraceError
from runtime.kernel.vfs.vnode import Name

MOST_BYTES = 1 << 30  # of the contents of all files
MOST_OUTPUT = 16 << 20  # bytes that are kept of what programs wrote to a descriptor, to be compared
_TIME = -(1 << 62), 1 << 62
# Of stat(2), in the order in which an entry has them, and from where to where they may go.
STATUS = {"mode": (0, (1 << 16) - 1), "ino": (0, (1 << 63) - 1), "dev": (0, (1 << 32) - 1),
          "nlink": (0, (1 << 31) - 1), "uid": (0, (1 << 32) - 1), "gid": (0, (1 << 32) - 1),
          "rdev": (0, (1 << 32) - 1), "size": (0, (1 << 62) - 1), "blksize": (0, (1 << 30) - 1),
          "blocks": (0, (1 << 53) - 1), "atime_ns": _TIME, "mtime_ns": _TIME, "ctime_ns": _TIME}


class RecordingError(TraceError):
    """A recording that cannot be made, read or used; the message is one line."""


class FileEntry(Record):
    """What is known of a path: `status` as STATUS has it, or the `error` that asking for it gave.

    `link` is the text of a symbolic link, `names` are those of a directory, and `content` is the SHA-256 of a
    file's bytes, in hexadecimal; None for what the run did not ask for.
    """

    status: tuple[int, ...] | None = None
    error: int = 0
    link: bytes | None = None
    names: list[Name] | None = None
    content: str | None = None


class Recording(Record):
    """A run.  `blobs` has contents by their SHA-256; `wholes` the files that describe the machine.

    `options` are the machine's (-x); `commands`, `processes`, `settings`, `evaltime` and `words` are of the
    command line: -c, -p, -x setenv and unsetenv, -x evaltime, and all of it.  `input` is what programs read
    from standard input, a read each; an empty one is its end.  `output` is what they wrote, by descriptor.
    """

    suite: str = ""
    words: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    processes: list[str] = field(default_factory=list)
    settings: list[str] = field(default_factory=list)
    evaltime: str = ""
    options: dict[str, int | str | list[str]] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    home: str = "/"
    owner: tuple[int, int] = (0, 0)
    files: dict[bytes, FileEntry] = field(default_factory=dict)
    real: dict[str, bytes] = field(default_factory=dict)  # paths, and the same without links in them
    wholes: dict[str, str] = field(default_factory=dict)
    input: list[bytes] = field(default_factory=list)
    output: dict[int, bytes] = field(default_factory=dict)
    blobs: dict[str, bytes] = field(default_factory=dict)
