"""The child's end of a connection: requests in, one at a time, answers out.

The last answer is kept until the next request, for the case that it got lost on its way.  While a request
takes long, beats tell the parent that the child lives, and a Halt ends it early: both by signals, for the
main thread is busy then.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from dif.limits import SECOND
from runtime.instances.wire import frames as f
from runtime.instances.wire.answering import Handler
from runtime.instances.wire.links import READING


class Service:
    """Serves one parent.  `heartbeat` is nanoseconds between beats."""

    def __init__(self, handler: Handler, heartbeat: int = SECOND) -> None:
        self._handler = handler
        self._heartbeat = heartbeat / SECOND
        self._connection: socket.socket | None = None
        self._parser = f.Parser(f.DOWN)
        self._waiting: list[tuple[int, object]] = []
        self._kept: tuple[int, bytes] = (0, b"")
        self._busy = False
        self._under_way = 0
        self.closed = False
        self.asked = False  # it has answered something, and has what its parent may come back for

    def serve(self, connection: socket.socket) -> None:
        """Serve until the connection ends or a Close has been answered."""
        self._connection, self._parser, self._waiting = connection, f.Parser(f.DOWN), []
        with self._signals():
            while not self.closed:
                if self._waiting:
                    number, frame = self._waiting.pop(0)
                    if not self._answer(number, frame):
                        return
                elif not self._take(None):
                    return

    def end(self) -> None:
        """The parent does not come again: end what it has started."""
        if not self.closed:
            self.closed = True
            list(self._handler.handle(f.Close()))

    def _take(self, seconds: float | None) -> bool:
        """Take in what has come; returns False at the end of the stream."""
        assert self._connection is not None
        pending = getattr(self._connection, "pending", None)
        if not (pending and pending()) and not select.select([self._connection], [], [], seconds)[0]:
            return True
        try:
            data = self._connection.recv(READING)
            self._waiting += self._parser.feed(data)
        except (OSError, f.BrokenStream):
            return False
        return bool(data)

    def _answer(self, number: int, frame: object) -> bool:
        """Answer one request; returns False if the answer cannot be sent."""
        if isinstance(frame, f.FrameError):
            return self._send(f.write_all([f.Refused(0, 22, str(frame)), f.Done(0, 0)], number))
        if isinstance(frame, f.Halt):
            return True
        if number != self._kept[0]:
            self._busy, self._under_way = True, number
            try:
                answer = f.write_all(self._handler.handle(frame), number)  # type: ignore[arg-type]
            finally:
                self._busy = False
            self._kept, self.asked = (number, answer), True
        if isinstance(frame, f.Close):
            self.closed = True
        return self._send(self._kept[1])

    def _send(self, data: bytes) -> bool:
        assert self._connection is not None
        try:
            self._connection.sendall(data)
        except OSError:
            return False
        return True

    # -- signals -------------------------------------------------------------------------------------

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """Have the kernel signal what comes in while a request is under way."""
        assert self._connection is not None
        descriptor = self._connection.fileno()
        before = {number: signal.signal(number, handler)
                  for number, handler in ((signal.SIGIO, self._arrived), (signal.SIGALRM, self._beat))}
        fcntl.fcntl(descriptor, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_ASYNC)
        signal.setitimer(signal.ITIMER_REAL, self._heartbeat, self._heartbeat)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            with suppress(OSError):
                fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) & ~os.O_ASYNC)
            for number, handler in before.items():
                signal.signal(number, handler)

    def _arrived(self, _number: int, _frame: object) -> None:
        if not self._busy or self._connection is None:
            return
        if not self._take(0) or any(isinstance(each, f.Halt) for _, each in self._waiting):
            self._handler.interrupt()

    def _beat(self, _number: int, _frame: object) -> None:
        if self._busy:
            self._send(f.write(f.Beat(), self._under_way))
