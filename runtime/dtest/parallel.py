"""Many tests at once, on this host."""

from __future__ import annotations

import queue
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

from runtime.dtest.cases import Case
from runtime.dtest.runner import Done, Runner

_GLANCE = 0.5  # seconds


def run_here(runner: Runner, cases: Sequence[Case], jobs: int) -> Iterator[tuple[Case, Done]]:
    """Run `jobs` tests at a time; yield each as it ends.  What runs is ended when the iterator is closed."""
    ended: queue.SimpleQueue[Future[Done]] = queue.SimpleQueue()
    futures: dict[Future[Done], Case] = {}
    with ThreadPoolExecutor(jobs) as pool:
        try:  # from the first one on: an interruption may come before the last one has been handed in
            for case in cases:
                future = pool.submit(runner.run, case)
                futures[future] = case
                future.add_done_callback(ended.put)
            for _case in cases:
                future = _next(ended)
                yield futures[future], future.result()
        except BaseException:
            runner.processes.stop()
            pool.shutdown(cancel_futures=True)
            raise


def _next(ended: queue.SimpleQueue[Future[Done]]) -> Future[Done]:
    """Wait for the next one that ends.

    A signal that comes just before the thread waits does not end that, so Python's handler, which is to
    raise an exception here, is given a chance from time to time.
    """
    while True:
        with suppress(queue.Empty):
            return ended.get(timeout=_GLANCE)
