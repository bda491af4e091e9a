"""The bytes that programs have written to a regular file: only the pages that have some are held.

A file is a list of runs, each of pages that lie together; what lies between them is a hole.  A hole costs
nothing, however large it is, and no operation here takes longer because of one.
"""

from __future__ import annotations

import errno
from bisect import bisect_left, bisect_right
from operator import attrgetter

from runtime.kernel.vfs.vnode import BLOCK, failure

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from collections.abc import Iterator

    from runtime.kernel.base.budgets import Budget

LONGEST = 1 << 20  # bytes of data in a run, so that a piece is quickly cut out of it
_start = attrgetter("start")


class Run:
    """The pages from `start` up to `end`: bytes, and after them zeros that only have their place reserved."""

    __slots__ = ("data", "end", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end
        self.data = bytearray()

    @property
    def data_end(self) -> int:
        """The end of the pages that have bytes."""
        return self.start + _pages(len(self.data))


class MemoryContent:
    """Written bytes.  Their pages, and those that are reserved, count against a budget."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._runs: list[Run] = []  # by their places; no page is in two
        self.size = 0
        self.held = 0  # bytes of all pages of the runs

    def read(self, offset: int, size: int) -> bytes:
        if size > self.size - offset:
            size = self.size - offset
            if size <= 0:
                return b""
        if self._runs:
            run = self._runs[-1]  # as good as always the right one
            at = offset - run.start
            if 0 <= at <= len(run.data) - size:
                return bytes(run.data[at:at + size])
        number = max(bisect_right(self._runs, offset, key=_start) - 1, 0)
        return b"".join(self._pieces(number, offset, offset + size))

    def _pieces(self, number: int, at: int, end: int) -> Iterator[bytes | bytearray]:
        """Yield the bytes from `at` to `end`; no run before that with this number has any of them."""
        while at < end:
            run = self._runs[number] if number < len(self._runs) else None
            start = run.start if run is not None else end
            if start > at:
                yield bytes(min(start, end) - at)
                at = min(start, end)
            elif run is not None:
                piece = run.data[at - start:end - start]
                yield piece
                at += len(piece)
                gap = min(run.end, end) - at
                if gap > 0:
                    yield bytes(gap)
                    at += gap
                number += 1

    def write(self, offset: int, data: bytes) -> int:
        """Store bytes; returns how many there was room for.  Raises ENOSPC if that is none."""
        done, end = 0, offset + len(data)
        if self._runs:
            run = self._runs[-1]
            place = offset - run.start
            if 0 <= place <= len(run.data) and end <= run.end and end - run.start <= LONGEST:
                run.data[place:place + len(data)] = data
                if end > self.size:
                    self.size = end
                return len(data)
        while done < len(data):
            at = offset + done
            try:
                run = self._room(at, end)
            except OSError:
                if not done:
                    raise
                break
            size = min(end, run.end, run.start + LONGEST) - at
            place = at - run.start
            if place > len(run.data):
                run.data.extend(bytes(place - len(run.data)))
            run.data[place:place + size] = data[done:done + size] if size < len(data) else data
            done += size
        self.size = max(self.size, offset + done)
        return done

    def _room(self, at: int, end: int) -> Run:
        """Return a run with pages for the byte `at` and, as far as there is room, for those up to `end`.

        Its data end in the page of `at`, or before or after it.  Raises ENOSPC.
        """
        runs, page = self._runs, at & -BLOCK
        number = bisect_right(runs, at, key=_start)
        run = runs[number - 1] if number else None
        if run is not None and at < run.end and (page > run.data_end or page >= run.start + LONGEST):
            number = self._split(page) + 1
            run = runs[number - 1]
        if run is None or page > run.data_end or page >= run.start + LONGEST:
            run = Run(page, page)
        if run.end < end:
            most = min(_pages(end), run.start + LONGEST)
            if number < len(runs):
                most = min(most, runs[number].start)
            self._extend(run, max(most, run.end))
        if run.end <= at:
            raise failure(errno.ENOSPC)
        if not number or runs[number - 1] is not run:
            runs.insert(number, run)
        return run

    def _extend(self, run: Run, end: int) -> None:
        """Make a run longer, as far as there is room."""
        granted = self._budget.grant(end - run.end)
        self._budget.give(granted % BLOCK)
        granted -= granted % BLOCK
        run.end += granted
        self.held += granted

    def _split(self, place: int) -> int:
        """Let a run begin at `place`, the start of a page; returns the number of the first from there on."""
        number = bisect_left(self._runs, place, key=_start)
        if number:
            before = self._runs[number - 1]
            if before.end > place:
                after = Run(place, before.end)
                after.data = before.data[place - before.start:]
                del before.data[place - before.start:]
                before.end = place
                self._runs.insert(number, after)
        return number

    def _drop(self, first: int, last: int) -> None:
        """Give up the runs between two numbers."""
        freed = sum([run.end - run.start for run in self._runs[first:last]])
        del self._runs[first:last]
        self.held -= freed
        self._budget.give(freed)

    def truncate(self, size: int) -> None:
        """Give the file another size; what is reserved behind its end is given up."""
        first = self._split(_pages(size))
        self._drop(first, len(self._runs))
        if first:
            run = self._runs[first - 1]
            del run.data[size - run.start:]
        self.size = size

    def punch(self, offset: int, end: int) -> None:
        """Make a hole of the pages between two places, and zeros of what belongs to a part of a page."""
        first, last = _pages(offset), end & -BLOCK
        if first < last:
            self._drop(self._split(first), self._split(last))
        for start, stop in ((offset, min(first, end)), (max(last, first), end)):
            number = bisect_right(self._runs, start, key=_start)
            if start < stop and number:
                run = self._runs[number - 1]
                start, stop = start - run.start, min(stop - run.start, len(run.data))
                run.data[start:stop] = bytes(max(stop - start, 0))

    def reserve(self, offset: int, end: int) -> bool:
        """Let every page between two places have room; returns whether one had none before.

        Raises ENOSPC if there is not enough for all.
        """
        last, gaps = _pages(end), []
        at, number = offset & -BLOCK, max(bisect_right(self._runs, offset, key=_start) - 1, 0)
        while at < last:
            run = self._runs[number] if number < len(self._runs) else Run(last, last)
            if run.start > at:
                gaps.append(Run(at, min(run.start, last)))
            at = max(at, run.end)
            number += 1
        size = sum([gap.end - gap.start for gap in gaps])
        self._budget.take(size)
        self.held += size
        for gap in gaps:
            self._runs.insert(bisect_left(self._runs, gap.start, key=_start), gap)
        return bool(gaps)

    def shift(self, offset: int, distance: int) -> None:
        """Move what lies from `offset` on, a hole's end if it moves down, by a number of whole pages."""
        for run in self._runs[self._split(offset):]:
            run.start += distance
            run.end += distance
        self.size += distance

    def next_data(self, offset: int) -> int | None:
        """Return the first place from `offset` on that is in no hole; None if there is none."""
        for number in range(max(bisect_right(self._runs, offset, key=_start) - 1, 0), len(self._runs)):
            run = self._runs[number]
            if run.data and run.start < self.size and offset < run.data_end:
                return max(offset, run.start)
        return None

    def next_hole(self, offset: int) -> int:
        """Return the first place from `offset` on that is in a hole, such as the one behind the end."""
        number = bisect_right(self._runs, offset, key=_start) - 1
        while 0 <= number < len(self._runs):
            run = self._runs[number]
            if not run.start <= offset < run.data_end:
                break
            offset = run.data_end
            number += 1
        return min(offset, self.size)

    def __del__(self) -> None:
        if hasattr(self, "held"):
            self._budget.give(self.held)


def _pages(size: int) -> int:
    """Return the bytes of the pages that so many bytes need."""
    return -(-size // BLOCK) * BLOCK
