"""Instances that were: frames in a file, written while they come in, and read as if they came again.

A file is the up frames of one child, in the order in which they came.  Replayed, each request gets what the
request with the same number got.
"""

from __future__ import annotations

import errno

from runtime.instances.wire import frames as f
from runtime.instances.wire.links import Transport


class RecordingTransport:
    """Hands everything on, and keeps what comes up in a file."""

    def __init__(self, inner: Transport, path: str) -> None:
        self._inner = inner
        self._file = open(path, "wb")  # noqa: SIM115 - close() closes it

    def send(self, data: bytes) -> None:
        self._inner.send(data)

    def receive(self, seconds: float) -> bytes | None:
        data = self._inner.receive(seconds)
        self._file.write(data or b"")
        return data

    def close(self) -> None:
        self._file.close()
        self._inner.close()


class ReplayTransport:
    """Answers from a file; without one, refuses with a reason."""

    def __init__(self, path: str, reason: str = "") -> None:
        self._answers: dict[int, bytes] = {}
        self._reason = reason
        self._ready = b""
        if path:
            with open(path, "rb") as file:
                self._read(file.read())

    def _read(self, data: bytes) -> None:
        """Take the file apart by the numbers of requests."""
        at = 0
        while len(data) - at >= f.HEADER.size:
            size, _code, number = f.HEADER.unpack_from(data, at)
            end = at + f.HEADER.size + size
            self._answers[number] = self._answers.get(number, b"") + data[at:end]
            at = end

    def send(self, data: bytes) -> None:
        number = f.HEADER.unpack_from(data)[2]
        refused = f.Refused(0, errno.ENXIO, self._reason or "the recording ends here")
        self._ready += self._answers.get(number) or f.write(refused, number) + f.write(f.Done(0, 0), number)

    def receive(self, seconds: float) -> bytes | None:
        data, self._ready = self._ready, b""
        return data or None

    def close(self) -> None:
        self._answers.clear()
