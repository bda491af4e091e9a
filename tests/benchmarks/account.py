"""Records through principal buffers, every one accounted for, whatever the buffers' policy.

    python tests/benchmarks/account.py [--records 1000000] [--bufsize 1m] [--policy switch]

Ten clauses record the time at each firing of profile-200us on four CPUs.  A second tracer of the same
machine, with nothing but aggregations, tells how often that fired, and when first and last.

switch  what is recorded and what is dropped is all that fired
fill    records are the first ones of each CPU, without a gap
ring    records are the last ones of each CPU, without a gap

Prints the account; exits 1 if it does not balance.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, field

from runtime.consumer.consumer import Consumer, Work
from runtime.consumer.events.handler import Callbacks
from runtime.consumer.events.notices import FILLED, Drop
from runtime.consumer.events.records import Firing, Traced
from runtime.machine import Machine

CPUS, CLAUSES, INTERVAL = 4, 10, 200_000
END = "tick-200us /++ticks == $1/ { exit(0); }"
COUNTED = f"""
profile-200us {{
    @fired[cpu] = sum({CLAUSES});
    @first[cpu] = min(timestamp);
    @last[cpu] = max(timestamp);
}}
{END}"""
RECORDED = "profile-200us { trace(timestamp); } " * CLAUSES + END


@dataclass
class Account:
    """By CPU: the times in its records, in order, and what fired there; drops of all CPUs."""

    recorded: list[list[int]] = field(default_factory=lambda: [[] for _ in range(CPUS)])
    fired: dict[int, int] = field(default_factory=dict)
    first: dict[int, int] = field(default_factory=dict)
    last: dict[int, int] = field(default_factory=dict)
    dropped: int = 0

    def firing(self, event: Firing) -> None:
        self.recorded[event.cpu] += [record.value for record in event if isinstance(record, Traced)]

    def drop(self, event: Drop) -> None:
        if event.kind == FILLED:
            return
        if event.kind != "DTRACEDROP_PRINCIPAL":
            raise SystemExit(event.message(True))
        self.dropped += event.count

    def count(self, counter: Consumer) -> None:
        """What the other tracer has counted."""
        for variable, name in counter.names.items():
            entries = counter.aggregations.walk(variable=variable)
            setattr(self, name.lstrip("@"), {entry.values[0]: entry.value.scalar for entry in entries})

    @property
    def totals(self) -> tuple[int, int, int]:
        """Recorded, dropped, fired."""
        return sum(map(len, self.recorded)), self.dropped, sum(self.fired.values())

    def balances(self, policy: str) -> bool:
        recorded, dropped, fired = self.totals
        if policy == "switch":
            return recorded + dropped == fired
        return not dropped and all(
            times == self.expected(cpu, len(times), policy == "fill")
            for cpu, times in enumerate(self.recorded))

    def expected(self, cpu: int, count: int, early: bool) -> list[int]:
        """The times of the first or last `count` records of a CPU."""
        every = [self.first[cpu] + n // CLAUSES * INTERVAL for n in range(self.fired[cpu])]
        assert every[-1] == self.last[cpu]
        return every[:count] if early else every[-count:]


def trace(records: int, bufsize: str, policy: str) -> Account:
    """At least `records` fire."""
    account = Account()
    ticks = str(records // (CPUS * CLAUSES) + 1)
    machine = Machine({"ncpus": str(CPUS)})
    with Consumer.open(machine) as counter, Consumer.open(machine) as dtrace:
        for name, value in (("bufsize", bufsize), ("bufpolicy", policy)):
            dtrace.setopt(name, value)
        for consumer, program in ((counter, COUNTED), (dtrace, RECORDED)):
            consumer.enable(consumer.compile(program, arguments=["account", ticks]).program)
        counter.go()
        dtrace.run(Callbacks(firing=account.firing, drop=account.drop))
        counter.stop()
        while counter.work() is not Work.DONE:
            counter.sleep()
        account.count(counter)
    return account


def main() -> int:
    parser = argparse.ArgumentParser(description="Records through principal buffers, accounted for.")
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--bufsize", default="1m")
    parser.add_argument("--policy", choices=("switch", "fill", "ring"), default="switch")
    options = parser.parse_args()
    began = time.perf_counter()
    account = trace(options.records, options.bufsize, options.policy)
    seconds = time.perf_counter() - began
    recorded, dropped, fired = account.totals
    print(f"recorded {recorded} dropped {dropped} fired {fired}")
    print(f"{seconds:.1f} s, {seconds / fired * 1e6:.1f} us a record", file=sys.stderr)
    return 0 if account.balances(options.policy) else 1


if __name__ == "__main__":
    sys.exit(main())
