"""What answers frames: a method for each kind of instruction, by one table for endpoints and hops."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Protocol

from runtime.border import BorderError
from runtime.instances.wire import frames as f


class Handler(Protocol):
    """What a connection leads to."""

    def handle(self, frame: f.Down) -> Iterator[f.Up]:
        """Yield the answer to a frame, a Done at its end."""
        ...

    def interrupt(self) -> None:
        """End a Run that is under way; a signal handler may call this."""
        ...

    def close(self) -> None: ...


class Answering(ABC):
    """A handler with a method for each kind of frame.  A method that raises BorderError refuses."""

    def handle(self, frame: f.Down) -> Iterator[f.Up]:
        """Yield the answer to a frame, a Done at its end."""
        answer = getattr(self, _METHODS[type(frame)])
        try:
            yield from answer(frame)
        except BorderError as error:
            yield f.Refused(0, error.errno or 0, error.strerror or "")
        yield from self.ended()

    @abstractmethod
    def ended(self) -> Iterator[f.Up]:
        """Yield what stands at the end of every answer, a Done last."""

    @abstractmethod
    def identify(self, frame: f.Identify) -> Iterator[f.Up]: ...

    @abstractmethod
    def enable(self, frame: f.Enable) -> Iterator[f.Up]: ...

    @abstractmethod
    def begin(self, frame: f.Go) -> Iterator[f.Up]: ...

    @abstractmethod
    def stop(self, frame: f.Stop) -> Iterator[f.Up]: ...

    @abstractmethod
    def run(self, frame: f.Run) -> Iterator[f.Up]: ...

    @abstractmethod
    def harvest(self, frame: f.Harvest) -> Iterator[f.Up]: ...

    @abstractmethod
    def ask(self, frame: f.Ask) -> Iterator[f.Up]: ...

    @abstractmethod
    def do(self, frame: f.Do) -> Iterator[f.Up]: ...

    @abstractmethod
    def stamp(self, frame: f.Stamp) -> Iterator[f.Up]: ...

    @abstractmethod
    def end(self, frame: f.Close) -> Iterator[f.Up]: ...

    def nothing(self, _frame: f.Down) -> Iterator[f.Up]:
        return iter(())


_METHODS = {f.Identify: "identify", f.Enable: "enable", f.Go: "begin", f.Stop: "stop", f.Run: "run",
            f.Harvest: "harvest", f.Ask: "ask", f.Do: "do", f.Stamp: "stamp", f.Ack: "nothing",
            f.Halt: "nothing", f.Close: "end"}
