"""-x errors: errors like one that has been reported are counted."""

from __future__ import annotations

from dif.limits import SECOND
from dif.records import Record, field
from runtime.border import FaultKind
from runtime.consumer.events.notices import Fault, Repeats
from runtime.consumer.output.reporter import Around

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.consumer.output.reporter import Reporter, Session

_EVERY = 10 * SECOND  # of the machine's time: the shortest between two counts while tracing goes on
_KINDS = 10_000  # different errors that are told apart; further ones are reported each


class _Counted(Record):
    first: Fault
    more: int = 0
    others: set[int] = field(default_factory=set)  # enabled probes


class FirstErrors(Around):
    """A reporter that gets the first error of each kind, and then how many more there were.

    Of one kind are errors of one clause in one instance, in the same place of its code.  With -x errors=all
    it gets each.
    """

    def __init__(self, inner: Reporter, session: Session) -> None:
        super().__init__(inner)
        self.firing, self.run = inner.firing, inner.run  # type: ignore[method-assign]  # it costs firings nothing
        self._session = session
        self._counted: dict[tuple[object, ...], _Counted] = {}
        self._last = session.system.now()

    def fault(self, fault: Fault) -> None:
        if self._session.settings.options.choice("errors") == "all":
            super().fault(fault)
            return
        key = fault.source or fault.epid, fault.action, fault.offset, fault.fault, fault.instance
        known = self._counted.get(key)
        if known is not None:
            known.more += 1
            if fault.epid != known.first.epid:
                known.others.add(fault.epid)
            return
        if fault.fault != FaultKind.LIBRARY and len(self._counted) < _KINDS:
            self._counted[key] = _Counted(fault)
        super().fault(fault)

    def worked(self) -> None:
        now = self._session.system.now()
        if now - self._last >= _EVERY:
            self._last = now
            self._tell()
        super().worked()

    def finish(self) -> None:
        self._tell()
        super().finish()

    def _tell(self) -> None:
        for each in self._counted.values():
            if each.more:
                super().repeats(Repeats(each.first, each.more, len(each.others)))
                each.more = 0
                each.others.clear()
