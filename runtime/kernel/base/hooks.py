"""Hooks: the points at which tracers watch the kernel.

A hook is None or a callable.  The kernel tests a hook before it calls it, so that an unwatched point costs
one attribute load.  Several watchers of one point are called in the order in which they attached.  Times
are those of the kernel's clock; a thread is a `runtime.kernel.process.thread.Thread`.
"""

from __future__ import annotations

from collections.abc import Callable

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Any

Watcher = Callable[..., object]
Hook = Watcher | None


class Hooks:
    """The hooks of one kernel.  The comment after each says with which arguments it is called."""

    def __init__(self) -> None:
        # system calls: arguments are the six raw registers; result is -errno on failure
        self.syscall_entry: Hook = None  # thread, name, registers
        self.syscall_return: Hook = None  # thread, name, result
        # kernel functions (see kernelfunctions.Watchers): it has to call function(thread, *values, **named)
        # and to return its result
        self.function: Callable[..., Any] | None = None  # KernelFunction, function, thread, values, named
        # processes; the thread is the one that the kernel works for
        self.create: Hook = None  # thread, new process
        self.exec: Hook = None  # thread, path
        self.exec_success: Hook = None  # thread
        self.exec_failure: Hook = None  # thread, errno
        self.exit: Hook = None  # thread, reason (CLD_EXITED, CLD_KILLED, CLD_DUMPED)
        self.start: Hook = None  # thread: its new process is about to begin
        self.process_gone: Hook = None  # process: its address space has gone
        self.object_loaded: Hook = None  # thread, path, base address: it has mapped an executable file
        self.data_mapped: Hook = None  # thread, start, end: it has mapped a file there, for itself to write
        self.unmap: Hook = None  # thread, start, end: what is mapped there is about to go, or to move
        # threads
        self.lwp_create: Hook = None  # thread, new thread
        self.lwp_start: Hook = None  # thread
        self.lwp_exit: Hook = None  # thread
        # scheduler
        self.on_cpu: Hook = None  # thread
        self.off_cpu: Hook = None  # thread, next thread or None
        self.enqueue: Hook = None  # thread, cpu number
        self.dequeue: Hook = None  # thread, cpu number
        self.sleep: Hook = None  # thread
        self.wakeup: Hook = None  # thread woken
        self.preempt: Hook = None  # thread
        self.remain_cpu: Hook = None  # thread
        self.tick: Hook = None  # thread that the clock interrupted
        self.change_pri: Hook = None  # thread, priority
        # signals
        self.signal_send: Hook = None  # sending thread or None, target thread, signal number
        self.signal_discard: Hook = None  # thread, target thread, signal number
        self.signal_handle: Hook = None  # thread, signal number, siginfo, handler's address
        self.signal_clear: Hook = None  # thread, signal number (sigtimedwait took it)
        # faults and traps
        self.fault: Hook = None  # thread, fault number (FLT*), address
        self.trap: Callable[..., bool] | None = None  # thread, pc; returns whether it is a tracer's
        # a tracer may execute an instruction of the program in code of its own:
        self.signals_wait: Callable[..., bool] | None = None  # thread; returns whether it is in such code
        self.user_fault: Hook = None  # thread: it has faulted there; corrects its registers
        self.user_pc: Callable[..., int] | None = None  # thread, pc; returns the pc as the program knows it
        self.user_text: Callable[..., bytes] | None = None  # process, address, size; returns bytes
        self.user_patch: Hook = None  # process, address, bytes that a debugger writes
        # block input/output
        self.io_start: Hook = None  # thread, buffer
        self.io_done: Hook = None  # thread, buffer
        self.io_wait_start: Hook = None  # thread, buffer
        self.io_wait_done: Hook = None  # thread, buffer
        # interrupts of the disk, when a transfer is done
        self.interrupt_start: Hook = None  # interrupted thread, buffer
        self.interrupt_complete: Hook = None  # the same
        # packets over the loopback (see runtime.kernel.net.loopback)
        self.packet_send: Hook = None  # socket or None, packet
        self.packet_receive: Hook = None  # socket or None, packet
        self.connection: Hook = None  # socket, packet or None, name of the event
        self.tcp_state: Hook = None  # socket, state before
        # counters of kstat, as vminfo and sysinfo name them
        self.vminfo: Hook = None  # thread, name, increment
        self.sysinfo: Hook = None  # thread, name, increment
        self.mib: Hook = None  # thread, name, increment
        self.changed: Callable[[str, bool], None] | None = None  # name of a hook, whether it is watched now
        self._watchers: dict[str, list[Watcher]] = {}

    @property
    def calls_watched(self) -> bool:
        """Whether a tracer is told of entries or returns of system calls."""
        return self.syscall_entry is not None or self.syscall_return is not None

    def attach(self, name: str, function: Watcher) -> None:
        """Have `function` called at the hook `name`.  Raises AttributeError for an unknown hook."""
        known = getattr(self, name)
        watchers = self._watchers.setdefault(name, [] if known is None else [known])
        watchers.append(function)
        self._arm(name, watchers)

    def detach(self, name: str, function: Watcher) -> None:
        """Undo `attach`.  Raises ValueError when `function` is not attached."""
        watchers = self._watchers[name]
        watchers.remove(function)
        self._arm(name, watchers)

    def _arm(self, name: str, watchers: list[Watcher]) -> None:
        each = tuple(watchers)

        def all_of(*arguments: object) -> bool:
            results = [function(*arguments) for function in each]
            return any(results)

        setattr(self, name, all_of if len(each) > 1 else each[0] if each else None)
        if self.changed is not None:
            self.changed(name, bool(each))
