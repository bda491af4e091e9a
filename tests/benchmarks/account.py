"""Records through principal buffers, every one accounted for: recorded + dropped = fired.

    python tests/benchmarks/account.py [--records 1000000] [--bufsize 1m]

Ten clauses record at each firing of profile-200us on four CPUs; an aggregation,
which needs no room in the principal buffers, counts them.  Prints the account;
exits 1 if it does not balance.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from runtime.consumer.consumer import Consumer
from runtime.consumer.handler import Callbacks
from runtime.consumer.notices import Drop
from runtime.consumer.records import Firing, Traced
from runtime.machine import Machine

CPUS, CLAUSES = 4, 10
PROGRAM = f"""
profile-200us {{ @fired = sum({CLAUSES}); }}
{"profile-200us { trace(timestamp); }" * CLAUSES}
tick-200us /++ticks == $1/ {{ exit(0); }}
"""


def account(records: int, bufsize: str) -> tuple[int, int, int]:
    """Recorded, dropped and fired; at least `records` fire."""
    count: Counter[str] = Counter()

    def firing(event: Firing) -> None:
        count["recorded"] += sum(isinstance(record, Traced) for record in event)

    def drop(event: Drop) -> None:
        if event.kind != "DTRACEDROP_PRINCIPAL":
            raise SystemExit(event.message(True))
        count["dropped"] += event.count

    with Consumer.open(Machine({"ncpus": str(CPUS)})) as dtrace:
        dtrace.setopt("bufsize", bufsize)
        ticks = records // (CPUS * CLAUSES) + 1
        dtrace.trace(PROGRAM, Callbacks(firing=firing, drop=drop), arguments=["account", str(ticks)])
        (row,) = dtrace.aggregations.unprinted()
    return count["recorded"], count["dropped"], row.values[0].scalar


def main() -> int:
    parser = argparse.ArgumentParser(description="Records through principal buffers, accounted for.")
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--bufsize", default="1m")
    options = parser.parse_args()
    began = time.perf_counter()
    recorded, dropped, fired = account(options.records, options.bufsize)
    seconds = time.perf_counter() - began
    print(f"recorded {recorded} dropped {dropped} fired {fired}")
    print(f"{seconds:.1f} s, {seconds / fired * 1e6:.1f} us a record", file=sys.stderr)
    return 0 if recorded + dropped == fired >= options.records else 1


if __name__ == "__main__":
    sys.exit(main())
