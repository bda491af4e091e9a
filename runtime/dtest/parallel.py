"""Many tests at once, on this host."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Iterator, Sequence

from runtime.dtest.cases import Case
from runtime.dtest.runner import Done, Runner


def run_here(runner: Runner, cases: Sequence[Case], jobs: int) -> Iterator[tuple[Case, Done]]:
    """Run `jobs` tests at a time; yield each as it ends.  What runs is ended when the iterator is closed."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        try:  # from the first one on: an interruption may come before the last one has been handed in
            futures = {pool.submit(runner.run, case): case for case in cases}
            for future in concurrent.futures.as_completed(futures):
                yield futures[future], future.result()
        except BaseException:
            runner.processes.stop()
            pool.shutdown(cancel_futures=True)
            raise
