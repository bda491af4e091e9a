"""Who receives what a session reports, and what a reporter may ask of that session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol

    from dc.types.types import Type
    from runtime.consumer.aggregations.aggregate import Aggregations
    from runtime.consumer.events.descriptions import Descriptions
    from runtime.consumer.events.notices import Drop, Fault, Repeats
    from runtime.consumer.events.records import Firing, Run
    from runtime.consumer.events.settings import Settings
else:
    Protocol = object


class Handler(Protocol):
    """Receives everything that happens, in order."""

    def firing(self, firing: Firing) -> None: ...

    def run(self, run: Run) -> bool:
        """Take several firings at once; False, and nothing done, if each is to come by itself."""

    def fault(self, fault: Fault) -> None: ...

    def drop(self, drop: Drop) -> None: ...


class Reporter(Handler, Protocol):
    """A Handler with an end.  `status` is the argument of the last exit()."""

    @property
    def status(self) -> int: ...

    def repeats(self, repeats: Repeats) -> None:
        """Errors were counted instead of being reported."""

    def interrupted(self) -> None:
        """The user ends tracing."""

    def worked(self) -> None:
        """The consumer has worked: what there was to report has been reported."""

    def finish(self) -> None:
        """Tracing is over."""


class Around:
    """A reporter around another one, which gets everything: what a kind of it does besides, it overrides."""

    def __init__(self, inner: Reporter) -> None:
        self._inner = inner

    @property
    def status(self) -> int:
        return self._inner.status

    def firing(self, firing: Firing) -> None:
        self._inner.firing(firing)

    def run(self, run: Run) -> bool:
        return False

    def fault(self, fault: Fault) -> None:
        self._inner.fault(fault)

    def repeats(self, repeats: Repeats) -> None:
        self._inner.repeats(repeats)

    def drop(self, drop: Drop) -> None:
        self._inner.drop(drop)

    def interrupted(self) -> None:
        self._inner.interrupted()

    def worked(self) -> None:
        self._inner.worked()

    def finish(self) -> None:
        self._inner.finish()


class Clock(Protocol):
    """The machine's time, in nanoseconds since it was booted."""

    def now(self) -> int: ...


class Session(Protocol):
    """As much of runtime.consumer.consumer.Consumer as reporters need."""

    @property
    def settings(self) -> Settings: ...

    @property
    def aggregations(self) -> Aggregations: ...

    @property
    def descriptions(self) -> Descriptions: ...

    @property
    def names(self) -> Mapping[int, str]:
        """Of aggregation variables."""

    @property
    def types(self) -> Mapping[str, Type]:
        """Of print() records, by name."""

    @property
    def system(self) -> Clock: ...

    def names_of(self, variables: Iterable[int]) -> list[str]: ...
