"""The way to one child: frames out, frames back, and nothing that is not an answer.

A link has one request under way at a time, and takes only what bears its number.  A refused frame is an
offence; the third quarantines the child.  A child of which nothing is heard for three heartbeats, or which
does not answer within its deadline, is lost.  A request whose connection broke is sent again under the same
number: the other end has kept its answer (runtime.instances.wire.service), so nothing is done twice.
"""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Protocol

from dif.limits import SECOND
from runtime.instances.wire import frames as f

OFFENCES = 3  # with so many, a child is quarantined
MISSED = 3  # heartbeats
MOST_BYTES = 1 << 28  # of an answer
READING = 1 << 16


class Lost(Exception):
    """The child is gone; the message says why."""


class Quarantined(Lost):
    """The child has sent too much that had to be refused."""


class Transport(Protocol):
    """Bytes to one child and back."""

    def send(self, data: bytes) -> None:
        """Raises OSError."""

    def receive(self, seconds: float) -> bytes | None:
        """Return what has come, b"" at the end of the stream, None if nothing came in time.

        Raises OSError.
        """

    def close(self) -> None: ...


class SocketTransport:
    """A connected socket, with or without TLS."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def send(self, data: bytes) -> None:
        self._connection.setblocking(True)
        self._connection.sendall(data)

    def receive(self, seconds: float) -> bytes | None:
        pending = getattr(self._connection, "pending", None)  # of TLS: what is decrypted already
        if not (pending and pending()) and not select.select([self._connection], [], [], max(seconds, 0))[0]:
            return None
        return self._connection.recv(READING)

    def close(self) -> None:
        self._connection.close()


class Link:
    """The parent's end of a connection.

    `offended` is told of each refused frame.  `deadline` and `heartbeat` are nanoseconds of the host's time.
    `again` makes a new connection where that is possible.
    """

    def __init__(self, transport: Transport, *, trusted: bool = True, heartbeat: int = SECOND,
                 deadline: int = 0, rate: int = 0,
                 offended: Callable[[str], None] = lambda _reason: None,
                 again: Callable[[], Transport] | None = None) -> None:
        self._transport = transport
        self._trusted = trusted
        self._heartbeat = heartbeat / SECOND
        self._deadline = deadline / SECOND if deadline else 0.0
        self._rate = rate
        self._offended = offended
        self._again = again
        self._parser = f.Parser(f.UP)
        self._number = 0
        self._sent = b""
        self._heard = 0.0
        self.offences = 0
        self.received = 0  # bytes
        self.open = True

    def send(self, frame: f.Down) -> None:
        """Begin a request.  Raises Lost."""
        self._number += 1
        self._sent = f.write(frame, self._number)
        try:
            self._transport.send(self._sent)
        except OSError as error:
            self._reconnect(str(error.strerror or error))

    def halt(self) -> None:
        """Ask the child to end a Run early; from a signal handler, perhaps."""
        if self.open:
            with suppress(OSError):  # it is noticed where answers are awaited
                self._transport.send(f.write(f.Halt()))

    def receive(self) -> list[f.Up]:
        """Return the frames of the answer, its Done at last.  Raises Lost."""
        began = self._heard = time.monotonic()
        taken, got = 0, list[f.Up]()
        while not (got and isinstance(got[-1], f.Done)):
            data = self._more(began)
            if data is None:  # connected anew: the answer comes from its start
                taken, got = 0, []
                continue
            taken += len(data)
            self.received += len(data)
            if not self._trusted and taken > MOST_BYTES:
                self._quarantine(f"an answer of more than {MOST_BYTES} bytes")
            if self._rate and taken > self._rate * (2 + time.monotonic() - began):
                self._quarantine(f"more than {self._rate} bytes a second")
            for frame in self._frames(data):
                self._heard = time.monotonic()
                if not isinstance(frame, f.Beat):
                    got.append(frame)
        return got

    def _more(self, began: float) -> bytes | None:
        """Return bytes that have come; None if the connection had to be made anew.  Raises Lost."""
        try:
            data = self._transport.receive(self._heard + MISSED * self._heartbeat - time.monotonic())
        except OSError as error:
            self._reconnect(str(error.strerror or error))
            return None
        if data == b"":
            self._reconnect("the connection has ended")
            return None
        if data is None:
            self._lose(f"nothing was heard for {MISSED} heartbeats")
        if self._deadline and time.monotonic() - began > self._deadline:
            self._lose(f"no answer within {self._deadline:g} s")
        return data

    def _frames(self, data: bytes) -> Iterator[f.Up]:
        """The frames that have come to their end and belong to this request."""
        try:
            for number, frame in self._parser.feed(data):
                if isinstance(frame, f.FrameError):
                    self.offend(str(frame))
                elif number == self._number or isinstance(frame, f.Beat):
                    yield frame  # type: ignore[misc]
                elif number > self._number or not self._trusted:
                    self.offend(f"an answer to request {number}, where {self._number} is under way")
        except f.BrokenStream as error:
            self._quarantine(str(error))

    def offend(self, reason: str) -> None:
        """Count what the child should not have sent.  Raises Quarantined with the third."""
        self.offences += 1
        self._offended(reason)
        if self.offences >= OFFENCES:
            self._quarantine(reason)

    def _quarantine(self, reason: str) -> None:
        self.close()
        raise Quarantined(reason)

    def _lose(self, reason: str) -> None:
        self.close()
        raise Lost(reason)

    def _reconnect(self, reason: str) -> None:
        """Connect anew, and send the request under way again.  Raises Lost where that is not possible."""
        self._transport.close()
        end = self._heard = time.monotonic()
        end += MISSED * self._heartbeat
        while self._again is not None and self.open:
            try:
                self._transport = self._again()
                self._parser = f.Parser(f.UP)
                self._transport.send(self._sent)
                self._heard = time.monotonic()
                return
            except OSError as error:
                reason = str(error.strerror or error)
                if time.monotonic() > end:
                    break
                time.sleep(self._heartbeat / 4)
        self._lose(reason)

    def close(self) -> None:
        self.open = False
        self._transport.close()
