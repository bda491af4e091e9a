"""The way to one child: frames out, frames back, and nothing that is not an answer.

A link has one request under way at a time, and takes only what bears its number.  A refused frame is an
offence; the third quarantines the child.  A child of which nothing is heard for three heartbeats, or which
does not answer within its deadline, is lost.  A request whose connection broke is sent again under the same
number: the other end has kept its answer (runtime.instances.wire.service), so nothing is done twice.

A lost child is looked for in the background, where a connection can be made anew.  If it is there again as it
was, the request that was under way is sent again; if it has booted since, everything begins anew.
"""

from __future__ import annotations

import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Protocol

from dif.limits import SECOND
from runtime.instances.wire import frames as f

OFFENCES = 3  # with so many, a child is quarantined
MISSED = 3  # heartbeats
PAUSE, LATE = 0.05, 1.0  # heartbeats
MOST_BYTES = 1 << 28  # of an answer
MOST_FRAMES = 1 << 17  # of one, each of which takes more memory than its bytes
READING = 1 << 16
STUCK = 30.0  # seconds for which a child may leave unread what it is sent


class Lost(Exception):
    """The child is gone; the message says why."""


class Quarantined(Lost):
    """The child has sent too much that had to be refused."""


class Rebooted(Lost):
    """The child is there, but has booted since: it knows nothing of what it was asked."""


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
    """A connected socket, with or without TLS.  A child that reads nothing for `stuck` seconds is gone."""

    def __init__(self, connection: socket.socket, stuck: float = STUCK) -> None:
        self._connection = connection
        connection.settimeout(stuck)

    def send(self, data: bytes) -> None:
        self._connection.sendall(data)

    def receive(self, seconds: float) -> bytes | None:
        pending = getattr(self._connection, "pending", None)  # of TLS: what is decrypted already
        if not (pending and pending()) and not select.select([self._connection], [], [], max(seconds, 0))[0]:
            return None
        return self._connection.recv(READING)

    def close(self) -> None:
        self._connection.close()


Again = Callable[[], tuple[Transport, bool]]
"""Makes a new connection: it, and whether the child is as it was.  Raises OSError."""


class Link:
    """The parent's end of a connection.

    `offended` is told of each refused frame.  `deadline` and `heartbeat` are nanoseconds of the host's time.
    `again` makes a new connection where that is possible.
    """

    def __init__(self, transport: Transport, *, trusted: bool = True, heartbeat: int = SECOND,
                 deadline: int = 0, rate: int = 0,
                 offended: Callable[[str], None] = lambda _reason: None,
                 again: Again | None = None) -> None:
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
        self._asked = self._heard = 0.0
        self._seeker: _Seeker | None = None
        self._booted = False  # there is a connection to another boot
        self.offences = 0
        self.received = 0  # bytes
        self.open = True

    def send(self, frame: f.Down) -> None:
        """Begin a request.  Raises Lost."""
        if not self.open:
            raise Lost("it was closed")
        self._number += 1
        self._sent = f.write(frame, self._number)
        self._asked = time.monotonic()
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
            if not self._trusted and len(got) > MOST_FRAMES:
                self._quarantine(f"an answer of more than {MOST_FRAMES} frames")
        return got

    def _more(self, began: float) -> bytes | None:
        """Return bytes that have come; None if the connection had to be made anew.  Raises Lost.

        The deadline counts from the request, for many children have one at the same time.  Other children may
        have been listened to until then: for some time more, what comes without a pause is taken in.
        """
        now, end = time.monotonic(), float("inf")
        if self._deadline:
            if now > max(self._asked + self._deadline, began + self._heartbeat * LATE):
                self._lose(f"no answer within {self._deadline:g} s")
            end = max(self._asked + self._deadline, now + self._heartbeat * PAUSE)
        try:
            data = self._transport.receive(min(self._heard + MISSED * self._heartbeat, end) - now)
        except OSError as error:
            self._reconnect(str(error.strerror or error))
            return None
        if data == b"":
            self._reconnect("the connection has ended")
            return None
        if data is None and self._deadline and time.monotonic() > self._asked + self._deadline:
            self._lose(f"no answer within {self._deadline:g} s")
        if data is None:
            self._lose(f"nothing was heard for {MISSED} heartbeats")
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
        self._again = None
        self.close()
        raise Quarantined(reason)

    def _lose(self, reason: str) -> None:
        self.close()
        if self._again is not None:
            self._seeker = _Seeker(self._again, self._heartbeat)
            self._seeker.start()
        raise Lost(reason)

    def returned(self) -> bool | None:
        """Whether a lost child is there again as it was (True), or has booted since (False); None if not.

        As it was, the request that was under way has been sent again.
        """
        seeker, booted = self._seeker, self._booted
        self._booted = False
        if booted:
            return False
        if seeker is None or seeker.found is None:
            return None
        transport, same = seeker.found
        self._seeker, self.open = None, True
        self._transport, self._parser = transport, f.Parser(f.UP)
        if same:
            self._asked = time.monotonic()
            try:
                transport.send(self._sent)
            except OSError:
                with suppress(Lost):
                    self._lose("it has gone again")
                return None
        return same

    def _reconnect(self, reason: str) -> None:
        """Connect anew, and send the request under way again.  Raises Lost where that is not possible."""
        self._transport.close()
        end = self._heard = time.monotonic()
        end += MISSED * self._heartbeat
        while self._again is not None and self.open:
            try:
                self._transport, same = self._again()
                self._parser = f.Parser(f.UP)
                if not same and self._number > 1:  # at the first request nothing was known
                    self._booted = True
                    raise Rebooted("it has booted anew")
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
        if self._seeker is not None:
            self._seeker.end()
        self._transport.close()


class _Seeker(threading.Thread):
    """Tries once a heartbeat to connect to a lost child; `found` is what has come of it."""

    def __init__(self, again: Again, seconds: float) -> None:
        super().__init__(daemon=True)
        self._again, self._seconds = again, seconds
        self._ended = threading.Event()
        self.found: tuple[Transport, bool] | None = None

    def run(self) -> None:
        while not self._ended.wait(self._seconds):
            with suppress(OSError):
                found = self._again()
                if self._ended.is_set():
                    found[0].close()
                else:
                    self.found = found
                return

    def end(self) -> None:
        self._ended.set()
        if self.found is not None:
            self.found[0].close()
