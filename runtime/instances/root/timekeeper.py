"""Time passes at all traced instances, in lockstep or freely; their clocks are compared with the host's."""

from __future__ import annotations

from runtime.consumer.events.errors import TraceError
from runtime.instances.hop.clocks import Estimate, estimate
from runtime.instances.root.instances import HOST_NUMBER
from runtime.instances.root.root import Root
from runtime.instances.roster.paths import HOST
from runtime.instances.wire import frames as f


class Timekeeper:
    """Lets time pass, a `quantum` of nanoseconds at a time; with 0, as much as is wanted."""

    def __init__(self, root: Root, quantum: int) -> None:
        self._root = root
        self._quantum = quantum
        self._halted = False

    def passed(self) -> int:
        """What time it is everywhere that is trusted: nothing older will come from there."""
        root = self._root
        times = [each.now for each in root.instances.ready()
                 if each.number in root.active and root.instances.trusts(each.path)]
        return min(times, default=root.now)

    def wait(self, until: int) -> bool:
        """Let time pass at all traced instances; returns whether one stopped early.

        With a quantum they go in lockstep: none begins a quantum before all have ended the one before.
        """
        root, quantum = self._root, self._quantum
        now = root.now
        while True:
            step = min(now + quantum, until) if quantum else until
            answer = root.handle(f.Run(step))
            self._check(answer)
            self._require_traced()
            passed = [each for each in answer if isinstance(each, f.Passed)]
            for each in passed:
                root.membership.ledger.produce(root.membership.path(each.instance), each.recorded)
            early = any(each.early for each in passed)
            now = step
            if HOST_NUMBER not in root.active:
                root.now = max([step if not early else 0, root.now + 1,
                                *(min(each.now, step) for each in passed)])
            halted, self._halted = self._halted, False
            if early or halted or now >= until:
                if not root.instances.single and not quantum:
                    self._stamp()
                return early or halted

    def interrupt(self) -> None:
        """Make `wait` return early; a signal handler may call this."""
        self._halted = True
        self._root.relay.interrupt()

    def _check(self, answer: list[f.Up]) -> None:
        """Give up instances whose tracing has failed.  Raises TraceError where that is the host."""
        for each in answer:
            if isinstance(each, f.Refused):
                if each.instance == HOST_NUMBER:
                    raise self._root.refusals.error(each)
                instance = self._root.instances[each.instance]
                if instance.state == "ready":
                    instance.state = "lost"
                    self._root.membership.retire(f.Retire(each.instance, instance.path,
                                                          f"lost: {each.reason}", instance.unacknowledged))

    def _require_traced(self) -> None:
        """Raise TraceError if the host, or everything that is traced, is gone."""
        root = self._root
        states = [root.instances[number].state for number in root.active]
        if root.instances[HOST_NUMBER].state != "ready":
            raise TraceError("the host's machine is gone" + root.membership.why_lost(HOST))
        if states and "ready" not in states:
            raise TraceError("no traced instance is left")

    def _stamp(self) -> None:
        """Exchange stamps with the instances whose clocks go by themselves, to know how far they are from the
        host's.  Where the host's does, too, its hop has compared them with that already."""
        root, clocks = self._root, self._root.membership.clocks
        sent = root.now
        found = [each for each in root.handle(f.Stamp(sent)) if isinstance(each, f.Clock)]
        compared = any(each.instance == HOST_NUMBER for each in found)
        for each in found:
            if each.instance in clocks:
                link = Estimate() if compared else estimate(sent, each.received, each.replied, root.now)
                clocks[each.instance].learn(root.now, Estimate(each.offset, each.error).over(link))
