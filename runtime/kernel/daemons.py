"""Threads of the kernel's own that do something from time to time, whatever else goes on.

They are not there until `start`: a machine with them always has something to do, so that waiting for
all to be idle would take for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from runtime.kernel.process import Process
from runtime.kernel.thread import Thread, ThreadExit
from runtime.kernel.wait import WaitQueue

if TYPE_CHECKING:
    from runtime.kernel.kernel import Kernel

FSFLUSH_PID = 3
FLUSH_INTERVAL = 10**9  # ns between two looks for what is to be written
DIRTY_LIMIT = 30 * 10**9  # ns that written bytes stay in memory only (illumos' autoup)


class KernelThread(Thread):
    """A thread that has no program: it runs `body` in the kernel."""

    def __init__(self, process: Process, tid: int, body: Callable[[Thread], None]) -> None:
        super().__init__(process, tid, None)
        self.urgent = True
        self._body = body

    def _main(self) -> None:
        self.started = True
        try:
            self._body(self)
        except ThreadExit:
            return


def start(kernel: Kernel) -> None:
    """Give the kernel its own processes' threads; a second call does nothing."""
    if FSFLUSH_PID in kernel.system:
        return
    process = Process(kernel, FSFLUSH_PID, kernel.system[0])
    process.execname, process.arguments = b"fsflush", [b"fsflush"]
    kernel.system[FSFLUSH_PID] = process
    thread = KernelThread(process, FSFLUSH_PID, fsflush)
    process.threads.append(thread)
    kernel.threads[thread.tid] = thread
    thread.begin()


def fsflush(thread: Thread) -> None:
    """Each second, begin to write what has been newer in memory than on the disk for long enough."""
    kernel, queue = thread.kernel, WaitQueue("fsflush")
    while True:
        thread.sleep(queue, FLUSH_INTERVAL, interruptible=False)
        latest = kernel.walltime() - DIRTY_LIMIT
        for vnode in kernel.vfs.dirty_nodes():
            if vnode.attributes.mtime <= latest:
                kernel.vfs.cache.transfer_later(thread, kernel.vfs.cache.dirty(vnode))
