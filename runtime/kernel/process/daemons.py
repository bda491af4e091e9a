"""The kernel's own threads, which work from time to time.

`start` makes them.  A machine with them always has something to do, so that `Kernel.run` without an end would
never return.
"""

from __future__ import annotations

from dif.records import Record
from runtime.kernel.base.clock import SECOND
from runtime.kernel.base.wait import WaitQueue
from runtime.kernel.memory.physical import PAGE
from runtime.kernel.process.process import Process
from runtime.kernel.process.thread import Thread, ThreadExit

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.process.system import System

FSFLUSH_PID = 3
FLUSH_INTERVAL = SECOND  # ns between two cycles of fsflush
DIRTY_LIMIT = 30 * SECOND  # ns that written bytes stay in memory only (illumos' autoup)


class KernelThread(Thread):
    """A thread that has no program: it executes `work` in the kernel."""

    def __init__(self, process: Process, tid: int) -> None:
        super().__init__(process, tid, None)
        self.urgent = True

    def _main(self) -> None:
        self.started = True
        try:
            self.work()
        except ThreadExit:
            return

    def work(self) -> None:
        """Do the thread's work; it need not return."""
        raise NotImplementedError


class Flush(Record, frozen=True):
    """What fsflush has done: pages it found newer in memory, pages it wrote, nanoseconds it ran."""

    examined: int = 0
    written: int = 0
    time: int = 0


class FsFlush(KernelThread):
    """Each second, writes the pages that have been newer in memory than on the disk for DIRTY_LIMIT.

    `total` counts since it was started, `recent` in the last of its `cycles`.
    """

    def __init__(self, process: Process, tid: int) -> None:
        super().__init__(process, tid)
        self.total = self.recent = Flush()
        self.cycles = 0

    def work(self) -> None:
        queue = WaitQueue("fsflush")
        while True:
            self.sleep(queue, FLUSH_INTERVAL, interruptible=False)
            examined, written = self._cycle()
            self.recent = Flush(examined, written, self.cpu_time - self.total.time)
            self.total = Flush(self.total.examined + examined, self.total.written + written, self.cpu_time)
            self.cycles += 1

    def _cycle(self) -> tuple[int, int]:
        """Write what is due; returns the pages examined and the pages written."""
        cache, latest = self.kernel.vfs.cache, self.kernel.walltime() - DIRTY_LIMIT
        examined = written = 0
        for vnode in self.kernel.vfs.dirty_nodes():
            size = sum(buffer.count for buffer in cache.pending(vnode)) // PAGE
            examined += size
            if vnode.attributes.mtime <= latest:
                written += size
                cache.transfer_later(self, cache.dirty(vnode))
        return examined, written


def start(kernel: System) -> None:
    """Start the kernel's own threads; a second call does nothing."""
    if FSFLUSH_PID in kernel.system:
        return
    process = Process(kernel, FSFLUSH_PID, kernel.system[0])
    process.execname, process.arguments = b"fsflush", [b"fsflush"]
    kernel.system[FSFLUSH_PID] = process
    thread = FsFlush(process, FSFLUSH_PID)
    process.threads.append(thread)
    kernel.threads[thread.tid] = thread
    thread.begin()
