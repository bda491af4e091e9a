"""A process whose program is outside the machine: the host decides which system calls it makes.

It has all that any process has: a thread that the scheduler runs, an address space with stack, arguments and
environment, open files.  Its code is one system call instruction in a loop, for which no engine is needed.
Before each call the host puts number and arguments into the registers (`Agent.call`), and the machine runs
until the call has returned.  Then the thread keeps its CPU, and no time passes, until the host asks for the
next call.  To other programs and to probes it is a program that makes system calls and sleeps between them.
"""

from __future__ import annotations

import errno
import os
import stat
import struct
from collections.abc import Mapping, Sequence

from dif.elfnumbers import EM_X86_64, ET_EXEC, PF_R, PF_W, PF_X, PT_LOAD
from runtime.kernel.base.clock import SECOND
from runtime.kernel.base.identity import Credentials
from runtime.kernel.base.signals import bit
from runtime.kernel.base.wait import WaitQueue
from runtime.kernel.base.words import signed
from runtime.kernel.cpu.emulator import Context
from runtime.kernel.cpu.x86.engine import ARGUMENTS64, RAX, RESCHEDULE, SYSCALL64
from runtime.kernel.cpu.x86.hosted import Hosted
from runtime.kernel.memory.physical import PAGE
from runtime.kernel.process.futex import ANY, FUTEX_PRIVATE_FLAG, FUTEX_WAIT_BITSET
from runtime.kernel.process.process import Process
from runtime.kernel.process.thread import Thread
from runtime.kernel.syscalls.table import x86_64_table
from runtime.kernel.vfs.vnode import Regular

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.kernel import Kernel

CODE = b"\x0f\x05\xeb\xfc"  # amd64: again: syscall; jmp again
TEXT, DATA = 0x400000, 0x600000  # addresses of its code and of its page of data
# addresses of: the end of its sleep; the futex it sleeps on; what calls point to
DEADLINE, WORD, BLOCK = DATA, DATA + 16, DATA + 64
BLOCK_SIZE = PAGE - (BLOCK - DATA)


class AgentError(OSError):
    """The process cannot make calls: it was killed (ESRCH), or it or the machine has stopped (EINTR)."""


class AgentThread(Thread):
    """The thread of an agent.  It is `resting` between two calls."""

    def __init__(self, process: Process, tid: int, context: Context | None) -> None:
        super().__init__(process, tid, context)
        self.calling = self.resting = False
        self.asked = WaitQueue("agent")

    def _run_user(self) -> int:
        if self.calling:
            return super()._run_user()
        self.resting = True
        self.kernel.scheduler.pause()
        while not self.calling:  # the machine is driven on for another reason
            self.sleep(self.asked, interruptible=False)
        return RESCHEDULE

    def _unwatched(self, _hurried: bool) -> bool:
        return False  # its calls come here one by one

    def _handle(self, event: int) -> None:
        super()._handle(event)
        if event == SYSCALL64:
            self.calling = False


class Agent:
    """One such process.  It exists at once; `start` gives it its program, and the other methods need that.

    The host takes the signals `awaited` by `take_signal`, and they end the process's sleep.  Other signals do
    what they do to a process without handlers.
    """

    def __init__(self, kernel: Kernel, path: str, arguments: Sequence[str],
                 environment: Mapping[str, str], awaited: Sequence[int] = ()) -> None:
        self._kernel = kernel
        self._awaited = sum(map(bit, awaited))
        self._path = path
        process = self.process = Process(kernel, kernel.lifecycle.new_pid(), kernel.init)
        process.name_from(os.fsencode(path))
        process.arguments = [os.fsencode(word) for word in arguments]
        process.environment = [os.fsencode(f"{name}={value}") for name, value in environment.items()]
        process.pgid = process.sid = process.pid
        kernel.system[process.pid] = process
        self.thread = AgentThread(process, process.pid, None)
        self.thread.urgent = True
        process.threads.append(self.thread)
        self._numbers = {call.name: number for number, call in x86_64_table().items()}
        self._told: str | None = None  # why the machine stopped during a call
        kernel.hooks.attach("signal_send", self._signalled)

    def start(self) -> None:
        """Load the program, and let the thread run until it rests.  Raises AgentError."""
        kernel, thread, process = self._kernel, self.thread, self.process
        process.file_table = kernel.vfs.file_table()
        process.enter(process.zone, kernel.vfs.home if process.zone is kernel.zones.global_zone else "/")
        vnode = kernel.vfs.unnamed(stat.S_IFREG | 0o755, Credentials(), os.fsencode(self._path))
        assert isinstance(vnode, Regular)
        vnode.pwrite(0, _executable())
        processor = process.processor = Hosted(kernel.memory, kernel.work)
        thread.context = processor.context()
        thread.regs = thread.context.regs
        kernel.threads[thread.tid] = thread
        program = kernel.lifecycle.load_file(process, vnode, os.fsencode(self._path), process.arguments,
                                             process.environment, processor)
        kernel.lifecycle.enter(thread, program, os.fsencode(self._path))
        thread.set_mask(self._awaited)
        thread.begin()
        self._finish()

    def _signalled(self, _sender: Thread | None, target: Thread, signal: int) -> None:
        if target.process is self.process and bit(signal) & self._awaited:
            self._kernel.end("signal")

    def take_signal(self) -> int:
        """Take one of the awaited signals; returns its number, or 0 if none has come."""
        info = self.thread.pending.take(self._awaited) or self.process.signals.pending.take(self._awaited)
        return info.signal if info is not None else 0

    # -- calls ----------------------------------------------------------------------------------

    def call(self, name: str, *arguments: int) -> int:
        """Have a system call made; returns its result (-errno when it fails).

        Raises AgentError.
        """
        self._ask(name, *arguments)
        self._finish()
        return signed(self.thread.regs[RAX], 64)

    def put(self, data: bytes) -> int:
        """Store the first `BLOCK_SIZE` bytes of `data` where a call can find them; returns the address.

        Raises AgentError.
        """
        self._write(BLOCK, data[:BLOCK_SIZE])
        return BLOCK

    def sleep(self, until: int) -> str | None:
        """Have it sleep until a time (ns since boot), or until the machine stops.

        Returns why the machine stopped; None if the time was reached.

        Raises AgentError.
        """
        if self._told is not None:
            told, self._told = self._told, None
            return told
        self._write(DEADLINE, struct.pack("<QQI", *divmod(until, SECOND), 0))
        self._ask("futex", WORD, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 0, DEADLINE, 0, ANY)
        reason = self._run()
        if reason is not None:
            self._wake()
            self._finish()
        return reason

    def _write(self, address: int, data: bytes) -> None:
        if self.process.exiting:
            raise AgentError(errno.ESRCH, f"process {self.process.pid} has been killed")
        self.thread.write(address, data)

    def _ask(self, name: str, *arguments: int) -> None:
        thread = self.thread
        for register, value in zip((RAX, *ARGUMENTS64), (self._numbers[name], *arguments), strict=False):
            thread.regs[register] = value
        thread.calling, thread.resting = True, False
        thread.asked.wake_all()

    def _run(self) -> str | None:
        """Let the machine run until the thread rests; returns why it stopped before that, else None."""
        thread, process = self.thread, self.process
        reason = self._kernel.run(lambda: thread.resting or process.exiting or process.stopped)
        if thread.resting:
            return None if reason == "until" else reason
        if process.exiting:
            raise AgentError(errno.ESRCH, f"process {process.pid} has been killed")
        if process.stopped or reason in ("idle", "done"):
            raise AgentError(errno.EINTR, f"process {process.pid} has been stopped")
        if reason == "panic":
            raise AgentError(errno.EINTR, "the machine has panicked")
        return reason

    def _finish(self) -> None:
        """Let the machine run until the call under way has returned."""
        while not self.thread.resting:
            reason = self._run()
            if reason is not None:
                self._told = reason

    def _wake(self) -> None:
        """End the process's sleep, as a wake-up of its futex does."""
        self._write(WORD, b"\1")
        for queue in list(self.thread.queues):
            queue.wake_all()


def _executable() -> bytes:
    """Return the process's program: an ELF file (gABI, chapters 4 and 5) with CODE and a page of data."""
    header, entry = 64, 56
    text_at = header + 2 * entry
    ident = b"\x7fELF\2\1\1".ljust(16, b"\0")
    head = struct.pack("<16sHHIQQQIHHHHHH", ident, ET_EXEC, EM_X86_64, 1, TEXT + text_at, header, 0, 0,
                       header, entry, 2, 0, 0, 0)
    end = text_at + len(CODE)
    text = struct.pack("<IIQQQQQQ", PT_LOAD, PF_R | PF_X, 0, TEXT, TEXT, end, end, PAGE)
    data = struct.pack("<IIQQQQQQ", PT_LOAD, PF_R | PF_W, 0, DATA, DATA, 0, PAGE, PAGE)
    return head + text + data + CODE
