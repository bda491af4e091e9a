"""How processes and threads begin, change their program, stop, and end."""

from __future__ import annotations

import errno
import os
import random
import stat
import struct
from contextlib import suppress

from runtime.kernel.base.budgets import console
from runtime.kernel.base.errors import MemoryFault, SyscallError
from runtime.kernel.base.ids import FIRST_PID
from runtime.kernel.base.kernelfunctions import kfunction
from runtime.kernel.base.privileges import PROC_EXEC, PROC_FORK, PROC_OWNER
from runtime.kernel.base.signals import (
    SA_NOCLDSTOP,
    SA_NOCLDWAIT,
    SIG_IGN,
    SIGCHLD,
    SIGCONT,
    SIGHUP,
    SIGKILL,
    SIGSEGV,
    AlternateStack,
    SignalInfo,
)
from runtime.kernel.base.wait import WaitQueue
from runtime.kernel.base.words import MASK64
from runtime.kernel.memory.addrspace import AddressSpace
from runtime.kernel.memory.allocator import (
    LWPS,
    PROCESSES,
    SPACES,
    THREADS,
    kmem_cache_alloc,
    kmem_cache_free,
)
from runtime.kernel.process.loader import (
    LAYOUTS,
    SCRIPT_DEPTH,
    Image,
    Program,
    Start,
    Unmappable,
    load_program,
    read_image,
    read_interpreter,
    script_interpreter,
)
from runtime.kernel.process.process import (
    CLD_CONTINUED,
    CLD_STOPPED,
    RLIMIT_CPU,
    RLIMIT_STACK,
    STACK_SIZE,
    Process,
)
from runtime.kernel.process.ptrace import EVENT_CLONE, EVENT_FORK, EVENT_VFORK, EVENT_VFORK_DONE, tracer_gone
from runtime.kernel.process.thread import Thread, ThreadExit
from runtime.kernel.process.timers import limit_cpu_time
from runtime.kernel.vfs.vnode import READ

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import NoReturn

    from runtime.kernel.base.identity import Identity
    from runtime.kernel.cpu.processor import Processor
    from runtime.kernel.process.system import System
    from runtime.kernel.process.zones import Zone
    from runtime.kernel.vfs.vnode import Regular

CLONE_VM, CLONE_FS, CLONE_FILES, CLONE_SIGHAND = 0x100, 0x200, 0x400, 0x800
CLONE_PIDFD = 0x1000
CLONE_VFORK, CLONE_PARENT, CLONE_THREAD, CLONE_SETTLS = 0x4000, 0x8000, 0x10000, 0x80000
CLONE_PARENT_SETTID, CLONE_CHILD_CLEARTID, CLONE_CHILD_SETTID = 0x100000, 0x200000, 0x1000000
CLONE_NEWNS, CLONE_NEWUSER, CLONE_DETACHED = 0x20000, 0x10000000, 0x400000
NAMESPACES = 0x7E020080
CLONE_RULES = (  # a flag; others; whether they must stand with it, or must not
    (CLONE_THREAD, CLONE_SIGHAND, True), (CLONE_SIGHAND, CLONE_VM, True),
    (CLONE_PIDFD, CLONE_THREAD, False), (CLONE_NEWNS, CLONE_FS, False), (CLONE_NEWUSER, CLONE_FS, False))
RECENT_EXECUTABLES = 64


class Lifecycle:
    """The kernel's side of fork, exec, exit and wait; one per kernel."""

    def __init__(self, kernel: System, seed: int) -> None:
        self.kernel = kernel
        self._next_pid = FIRST_PID
        self._random = random.Random(seed)
        self._recent: dict[str, Regular] = {}  # executables kept in memory, by path, oldest first

    def new_pid(self) -> int:
        pid = self._next_pid
        self._next_pid += 1
        return pid

    # -- programs -------------------------------------------------------------------------------

    def load(self, process: Process, path: bytes, arguments: list[bytes],
             environment: list[bytes]) -> Program:
        """Load the program at `path` into a new address space.  Raises OSError."""
        script, depth = path, 0
        vnode = self._open_program(process, os.fsdecode(path))
        while (words := script_interpreter(vnode)) is not None:
            depth += 1
            if depth > SCRIPT_DEPTH:
                raise SyscallError(errno.ELOOP)
            arguments = [*words, script, *arguments[1:]]
            script = words[0]
            vnode = self._open_program(process, os.fsdecode(script) or ".")  # no name is the directory's
        program: Program = gexec(self.kernel.current, self, process, vnode, path, arguments, environment)
        self._remember(vnode)
        return program

    def _open_program(self, process: Process, name: str) -> Regular:
        """Return the node of a program or interpreter, which nobody may be writing.  Raises OSError."""
        vnode = self.kernel.vfs.open_exec(process.fs, name, process.credentials)
        tables = [each.file_table for each in self.kernel.processes.values()] if vnode.opens else []
        if any(file.vnode is vnode and file.writable
               for table in tables if table is not None for _, file in table.items()):
            raise SyscallError(errno.ETXTBSY)
        return vnode

    def load_file(self, process: Process, vnode: Regular, path: bytes, arguments: list[bytes],
                  environment: list[bytes], processor: Processor | None = None) -> Program:
        """Load an ELF program into a new address space; `path` is what it was called by.  Raises OSError.

        The machine's own processor of its kind runs it, or `processor`.
        """
        image = read_image(vnode)
        if not image.runs:
            raise SyscallError(errno.ENOEXEC)
        processor = processor or self.kernel.processor(image.machine)
        interpreter: Image | None = None
        if image.interpreter is not None:
            loader = self._open_program(process, image.interpreter or ".")
            interpreter = read_interpreter(loader, image.machine)
        size = min(process.limit(RLIMIT_STACK)[0], 8 * STACK_SIZE)
        start = Start(arguments, environment, path, self._random.randbytes(16),
                      *_executing(process, vnode), size)
        space = AddressSpace(processor.engine, LAYOUTS[image.machine].limit)
        kmem_cache_alloc(self.kernel.current, SPACES, space)
        space.statistics = self.kernel
        try:
            program = load_program(space, image, interpreter, start, processor)
        except (SyscallError, MemoryFault):
            space.release()
            kmem_cache_free(self.kernel.current, SPACES, space)
            raise
        process.arguments, process.environment = arguments, environment
        process.exec_vnode, process.executable = vnode, vnode.path
        return program

    def _remember(self, vnode: Regular) -> None:
        """Keep the pages of an executable: when it is executed again, its code is translated already."""
        self._recent.pop(vnode.path, None)
        self._recent[vnode.path] = vnode
        if len(self._recent) > RECENT_EXECUTABLES:
            del self._recent[next(iter(self._recent))]

    def enter(self, thread: Thread, program: Program, path: bytes) -> None:
        """Give a process its new program; `thread` is the only one it has."""
        process, kernel = thread.process, self.kernel
        processor, old = program.processor, process.space
        kernel.detach(thread)
        if processor is not process.processor:
            process.processor, thread.context = processor, processor.context()
        process.space, process.auxv = program.space, program.auxv
        if program.secure:
            process.death_signal = 0
        process.identity = program.identity
        process.name_from(path)
        thread.name = process.execname
        kernel.attach(thread)
        processor.start(thread, program.entry, program.stack)
        process.initial_stack = program.stack
        if old is not None:
            self._drop_space(process, old)

    def _drop_space(self, process: Process, space: AddressSpace) -> None:
        if process.vfork_done is not None:
            process.vfork_done.wake_all()
            process.vfork_done = None
        if space.users == 1:
            self.kernel.ipc.space_dropped(space, process.pid, self.kernel.walltime())
        if space.release():
            kmem_cache_free(self.kernel.current, SPACES, space)

    def spawn(self, path: bytes, arguments: list[bytes], environment: list[bytes], cwd: str,
              identity: Identity, zone: Zone, stopped: bool, parent: Process) -> Process:
        """Create a process with a program and return it.  Raises OSError when that cannot be executed."""
        kernel = self.kernel
        self._demand_task()
        process = Process(kernel, self.new_pid(), parent)
        process.pgid = process.sid = process.pid
        process.identity = identity
        process.file_table = kernel.vfs.file_table()
        thread = Thread(process, process.pid, process.processor.context())
        self._allocated(process, thread)
        try:
            process.enter(zone, cwd)
            program = self.load(process, path, arguments, environment)
        except OSError:
            parent.children.remove(process)
            self._next_pid = process.pid
            self._freed(thread)
            kmem_cache_free(kernel.current, PROCESSES, process)
            raise
        process.threads.append(thread)
        kernel.processes[process.pid] = process
        kernel.threads[thread.tid] = thread
        self.enter(thread, program, path)
        process.stopped = stopped
        thread.begin()
        return process

    def exec(self, thread: Thread, path: bytes, arguments: list[bytes], environment: list[bytes]) -> None:
        """Replace a process's program (execve(2)), or raise OSError and leave all as it was.

        Where only its mapping fails, the process is ended.
        """
        hooks, process = self.kernel.hooks, thread.process
        if hooks.exec:
            hooks.exec(thread, path)
        old_name = process.arguments, process.environment, process.exec_vnode, process.executable
        try:
            process.identity.demand(PROC_EXEC)
            program = self.load(process, path, arguments, environment)
        except (OSError, MemoryFault) as error:
            if hooks.exec_failure:
                hooks.exec_failure(thread, getattr(error, "errno", errno.EFAULT))
            if isinstance(error, Unmappable):
                self.kill_group(process, SIGSEGV)
                raise ThreadExit from None
            raise
        process.has_executed = True
        try:
            self.leave_alone(thread)
        except ThreadExit:
            program.space.release()
            process.arguments, process.environment, process.exec_vnode, process.executable = old_name
            raise
        old_tid = thread.tid
        if thread.tid != process.pid:
            self.kernel.threads.pop(thread.tid, None)
            thread.tid = process.pid
            self.kernel.threads[thread.tid] = thread
        files = process.files
        if files.users > 1:
            files.users -= 1
            files = process.file_table = files.fork()
        files.close_on_exec()
        process.signals.exec()
        thread.alternate_stack = AlternateStack()
        thread.clear_child_tid = thread.robust_list = 0
        for timer in process.posix_timers.values():
            timer.cancel()
        process.posix_timers.clear()
        self.enter(thread, program, path)
        if hooks.exec_success:
            hooks.exec_success(thread)
        if thread.trace is not None:
            thread.trace.executed(old_tid)

    def leave_alone(self, thread: Thread) -> None:
        """End every other thread of the process, and wait until they have gone."""
        process = thread.process
        for other in list(process.threads):
            if other is not thread:
                other.kill()
        while len(process.threads) > 1:
            thread.sleep(process.threads_gone, interruptible=False)

    def make_room(self, space: AddressSpace) -> bool:
        """Kill the process that has most pages, for a page of `space`; returns whether that may be had now.

        Its pages are free at once, as nothing of it will run again.
        """
        self._recent.clear()
        living = [each for each in self.kernel.processes.values() if each.space is not None]
        if self.kernel.memory.free_frames or not living:
            return bool(self.kernel.memory.free_frames)
        sizes = {each: each.memory.resident_pages() for each in living if not each.exiting}
        if sizes:
            victim = max(sizes, key=lambda each: sizes[each])
            console(f"Out of memory: Killed process {victim.pid} ({os.fsdecode(victim.execname)}) "
                    f"total-vm:{victim.memory.size >> 10}kB, rss:{sizes[victim] << 2}kB, "
                    f"UID:{victim.identity.ruid}")
            self.kill_group(victim, SIGKILL)
        for each in living:
            if each.exiting and each.memory is not space and each.memory.users == 1:
                each.memory.give_up()
        alive = any(each.space is space and not each.exiting for each in living)
        return alive and bool(self.kernel.memory.free_frames)

    # -- fork and clone -------------------------------------------------------------------------

    def _demand_task(self) -> None:
        """Raise EAGAIN if there are as many processes and threads as there may be; zombies count."""
        kernel = self.kernel
        if len(kernel.threads) + kernel.zombies >= kernel.budgets.limits.processes:
            kernel.budgets.refuse("processes")
            raise SyscallError(errno.EAGAIN)

    def clone(self, thread: Thread, flags: int, stack: int, tls: int, parent_tid: int, child_tid: int,
              exit_signal: int, pidfd: int = 0) -> int:
        """Make a thread or a process (clone(2) in all its forms); returns its number.

        With CLONE_PIDFD a descriptor that means it is stored at the address `pidfd`.
        """
        if any(flags & this and bool(flags & other) != together for this, other, together in CLONE_RULES):
            raise SyscallError(errno.EINVAL)
        if flags & NAMESPACES:
            raise SyscallError(errno.EPERM)
        kernel, process = self.kernel, thread.process
        if not flags & CLONE_THREAD:
            process.identity.demand(PROC_FORK)
        self._demand_task()
        if flags & CLONE_PIDFD:
            thread.write(pidfd, struct.pack(f"{process.processor.order}I", *process.files.free(1)))
        tid = self.new_pid()
        if kernel.loaded is not thread:
            kernel.attach(thread)
        if thread.trace is not None:
            thread.trace.step_call()  # the child is not to trap
        context = process.processor.context()
        process.processor.engine.save(context)
        owner = process if flags & CLONE_THREAD else self._new_process(thread, tid, flags, exit_signal)
        if flags & CLONE_PIDFD:
            from runtime.kernel.vfs.eventfd import ProcessFile  # few programs need one

            process.files.add(ProcessFile(0, owner), close_on_exec=True)
        new = Thread(owner, tid, context)
        self._allocated(None if owner is process else owner, new)
        new.mask, new.affinity, new.name = thread.mask, thread.affinity, thread.name
        if not thread.reset_on_fork or not thread.priority:
            new.policy, new.priority = thread.policy, thread.priority
        if thread.reset_on_fork and owner is not process:
            owner.nice = 0 if thread.priority else max(owner.nice, 0)
        new.timer_slack = new.usual_timer_slack = thread.timer_slack
        new.cpu = thread.cpu
        new.thread_areas = list(thread.thread_areas)
        new.syscall_name = thread.syscall_name
        if not flags & CLONE_VM or flags & CLONE_VFORK:
            new.alternate_stack = thread.alternate_stack
        owner.processor.child(new, process.pid, stack)
        owner.threads.append(new)
        kernel.threads[tid] = new
        if flags & CLONE_SETTLS:
            kernel.attach(new)
            owner.processor.set_tls(new, tls)
            kernel.attach(thread)
        for flag, each, address in ((CLONE_PARENT_SETTID, thread, parent_tid),
                                    (CLONE_CHILD_SETTID, new, child_tid)):
            if flags & flag:
                with suppress(MemoryFault):  # as in Linux: the thread is there all the same
                    each.write(address, struct.pack(f"{owner.processor.order}I", tid))
        if flags & CLONE_CHILD_CLEARTID:
            new.clear_child_tid = child_tid
        self._announce(thread, new)
        self._begin(thread, new, flags, exit_signal)
        return tid

    def _begin(self, thread: Thread, new: Thread, flags: int, exit_signal: int) -> None:
        """Let a new thread run, and tell the tracer of the old one."""
        event = EVENT_FORK if exit_signal == SIGCHLD else EVENT_CLONE
        if flags & CLONE_VFORK:
            event = EVENT_VFORK
        if thread.trace is not None:
            thread.trace.made(new, event)
        new.begin()
        done = new.process.vfork_done = WaitQueue("vfork") if flags & CLONE_VFORK else None
        if thread.trace is not None and thread.trace.wants(event):
            thread.trace.event_stop(event, new.tid)
        if done is None:
            return
        while new.process.vfork_done is done:
            thread.sleep(done, interruptible=False)
        if thread.trace is not None and thread.trace.wants(EVENT_VFORK_DONE):
            thread.trace.event_stop(EVENT_VFORK_DONE, new.tid)

    def _new_process(self, thread: Thread, pid: int, flags: int, exit_signal: int) -> Process:
        kernel, process = self.kernel, thread.process
        table, space = process.files, process.memory if flags & CLONE_VM else process.memory.fork()
        if space is not process.memory:
            kmem_cache_alloc(thread, SPACES, space)
        if flags & CLONE_FILES:
            table.users += 1
        else:
            try:
                table = table.fork()
            except SyscallError:
                if not flags & CLONE_VM:
                    space.release()
                    kmem_cache_free(thread, SPACES, space)
                raise
        if flags & CLONE_VM:
            space.users += 1
        else:
            kernel.ipc.space_copied(space, process.pid, kernel.walltime())
        new = Process(kernel, pid, process.parent if flags & CLONE_PARENT else process)
        new.identity = process.identity.copy()
        new.space, new.file_table = space, table
        new.initial_stack = process.initial_stack
        new.view = process.fs if flags & CLONE_FS else process.fs.fork()
        new.signals = process.signals.fork()
        new.exit_signal = exit_signal
        kernel.processes[pid] = new
        if RLIMIT_CPU in new.limits:
            limit_cpu_time(new)
        return new

    def _allocated(self, process: Process | None, thread: Thread) -> None:
        """Tell tracers of the allocator of a thread, and of its process if that is new."""
        current = self.kernel.current
        if process is not None:
            kmem_cache_alloc(current, PROCESSES, process)
        for cache in (LWPS, THREADS):
            kmem_cache_alloc(current, cache, thread)

    def _freed(self, thread: Thread) -> None:
        for cache in (THREADS, LWPS):
            kmem_cache_free(self.kernel.current, cache, thread)

    def _announce(self, thread: Thread, new: Thread) -> None:
        hooks = self.kernel.hooks
        if hooks.lwp_create:
            hooks.lwp_create(thread, new)
        if new.process is not thread.process and hooks.create:
            hooks.create(thread, new.process)

    # -- endings --------------------------------------------------------------------------------

    def kill_group(self, process: Process, signal: int = 0, status: int = 0) -> None:
        """End a process: by `signal` (perhaps with DUMPED), or with exit status `status`."""
        if process.exiting:
            return
        process.exiting = True
        process.status = signal if signal else (status & 0xFF) << 8
        process.stopped = False
        process.continued.wake_all()
        for thread in list(process.threads):
            thread.kill()

    def exit_thread(self, thread: Thread, status: int) -> NoReturn:
        """End one thread (exit(2)); its process ends with its last thread."""
        if len(thread.process.threads) == 1 and not thread.process.exiting:
            thread.process.exiting = True
            thread.process.status = (status & 0xFF) << 8
        thread.exit_code = (status & 0xFF) << 8
        raise ThreadExit

    def thread_gone(self, thread: Thread) -> None:
        """Remove a thread that has ended; its process ends with its last thread."""
        kernel, process = self.kernel, thread.process
        if kernel.hooks.lwp_exit:
            kernel.hooks.lwp_exit(thread)
        if thread.clear_child_tid and process.space is not None:
            self._clear_tid(thread)
        thread.pending.discard(MASK64)
        last = len(process.threads) == 1
        if last:
            process.signals.pending.discard(MASK64)
            proc_exit(thread, process.end)
        self._freed(thread)
        process.dead_cpu_time += thread.cpu_time
        process.threads.remove(thread)
        kernel.threads.pop(thread.tid, None)
        thread.dead, thread.running = True, False
        if kernel.loaded is thread:
            kernel.loaded = None
            thread.regs = thread.context.regs if thread.context else thread.regs
        process.threads_gone.wake_all()
        if thread.trace is not None:
            thread.trace.gone(process.status if process.exiting else thread.exit_code)
        if last:
            self._tell_parent(process)

    def _clear_tid(self, thread: Thread) -> None:
        from runtime.kernel.process.futex import exit_robust, wake_address

        exit_robust(thread)
        try:
            thread.write(thread.clear_child_tid, bytes(4))
        except MemoryFault:
            return
        wake_address(thread, thread.clear_child_tid, 1)

    def process_gone(self, thread: Thread, why: int) -> None:
        """Give back all that a process holds, and leave its children to another parent."""
        kernel, process = self.kernel, thread.process
        process.exiting = True
        if kernel.hooks.exit:
            kernel.hooks.exit(thread, why)
        tracer_gone(process)
        for timer in (*process.itimers.values(), *process.posix_timers.values()):
            timer.cancel()
        process.files.users -= 1
        if not process.files.users:
            process.files.close_all()
        space, process.space = process.space, None
        if space is not None:
            kernel.forget_futexes(space)
            kernel.detach(thread)
            self._drop_space(process, space)
        if kernel.hooks.process_gone:
            kernel.hooks.process_gone(process)
        left = {member.pgid for member, parent in ((process, process.parent),
                                                   *((child, process) for child in process.children))
                if _can_continue(parent, member)}
        heir = self._heir(process)
        kernel.forget_answers()
        for child in list(process.children):
            child.parent = heir
            heir.children.append(child)
            if child.death_signal:
                child.post(SignalInfo(child.death_signal, pid=process.pid))
            if child.zombie:
                self._tell_parent(child)
        process.children = []
        if process.sid == process.pid and process.terminal is not None:
            process.terminal.leader_gone()
        for group in left:
            self._wake_orphans([each for each in kernel.processes.values()
                                if each.pgid == group and each is not process and not each.zombie])

    @staticmethod
    def _wake_orphans(group: list[Process]) -> None:
        """Have a group go on in which some have stopped, if nobody is left to continue them."""
        if any(_can_continue(each.parent, each) for each in group):
            return
        if any(each.stopped for each in group):
            for each in group:
                each.post(SignalInfo(SIGHUP))
                each.post(SignalInfo(SIGCONT))

    def _heir(self, process: Process) -> Process:
        ancestor = process.parent
        while ancestor is not None:
            if ancestor.subreaper and not ancestor.zombie:
                return ancestor
            ancestor = ancestor.parent
        return self.kernel.init

    def _tell_parent(self, process: Process) -> None:
        if not process.zombie:
            process.zombie = True
            self.kernel.zombies += 1
        parent = process.parent
        self.kernel.ipc.process_ended(process)
        process.ended.wake_all()
        for function in self.kernel.ended:
            function(process)
        if parent is None or parent is self.kernel.init:
            process.reap()
            return
        action = parent.signals.action(SIGCHLD)
        if process.exit_signal == SIGCHLD and (action.handler == SIG_IGN or action.flags & SA_NOCLDWAIT):
            process.reap()
        status = process.status & 0x7F or process.status >> 8 & 0xFF
        if process.exit_signal:
            parent.post(SignalInfo(process.exit_signal, process.end, "child", process.pid,
                                   process.identity.ruid, status, process.dead_cpu_time))
        parent.child_event.wake_all()

    # -- stopping -------------------------------------------------------------------------------

    def stop(self, process: Process, signal: int) -> None:
        """Stop a process for job control: each thread stops when it is next about to run the program."""
        process.stopped, process.stop_signal = True, signal
        process.report_stop, process.report_continue = True, False
        for thread in process.threads:
            thread.interrupt()
        self.tell_parent_stopped(process, continued=False)

    def tell_parent_stopped(self, process: Process, continued: bool) -> None:
        parent = process.parent
        if parent is None:
            return
        if not parent.signals.action(SIGCHLD).flags & SA_NOCLDSTOP:
            code, status = (CLD_CONTINUED, SIGCONT) if continued else (CLD_STOPPED, process.stop_signal)
            parent.post(SignalInfo(SIGCHLD, code, "child", process.pid, process.identity.ruid, status))
        parent.child_event.wake_all()


def _executing(process: Process, vnode: Regular) -> tuple[Identity, bool]:
    """Return who a process will be that executes a file, and whether it has to distrust its environment then.

    Its set-id bits do not count while another process traces this one that could not trace what it becomes.
    """
    mode, old = vnode.attributes.mode, process.identity
    if old.no_new_privileges:
        mode &= ~(stat.S_ISUID | stat.S_ISGID)
    new = old.executing(mode, vnode.attributes.uid, vnode.attributes.gid)
    secure = not new.unmixed
    tracers = [thread.trace.tracer.identity for thread in process.threads if thread.trace is not None]
    if not all(tracer.has(PROC_OWNER | new.permitted) for tracer in tracers):
        new = old.executing(mode & ~(stat.S_ISUID | stat.S_ISGID), 0, 0)
    if not vnode.permits(process.credentials, READ):
        new.protected = True  # who may only execute a file shall not read it in memory
    return new, secure


@kfunction("exit")
def exit_process(thread: Thread, code: int, status: int) -> NoReturn:
    """End the calling process (exit_group(2)); does not return."""
    thread.kernel.lifecycle.kill_group(thread.process, status=status)
    raise ThreadExit


@kfunction("proc_exit", tell=lambda thread, why: (
    why, thread.process.status & 0x7F or thread.process.status >> 8))
def proc_exit(thread: Thread, why: int) -> None:
    """End a process whose last thread has ended: `why` is CLD_EXITED, CLD_KILLED or CLD_DUMPED."""
    thread.kernel.lifecycle.process_gone(thread, why)


def _can_continue(parent: Process | None, member: Process) -> bool:
    """Whether a parent is one as shells are: of another group of the same session."""
    return parent is not None and parent.sid == member.sid and parent.pgid != member.pgid


@kfunction("exec_common", tell=lambda _thread, path, *_more: (path, 0, 0))
def exec_common(thread: Thread, path: bytes, arguments: list[bytes], environment: list[bytes]) -> None:
    """Replace the calling process's program.  Raises OSError."""
    thread.kernel.lifecycle.exec(thread, path, arguments, environment)


@kfunction("gexec", tell=lambda _thread, _lifecycle, _process, vnode, *_more: (vnode,))
def gexec(_thread: Thread, lifecycle: Lifecycle, process: Process, vnode: Regular, path: bytes,
          arguments: list[bytes], environment: list[bytes]) -> Program:
    """Load an ELF program into a new address space.  Raises OSError."""
    program = lifecycle.load_file(process, vnode, path, arguments, environment)
    program.processor.engine.prepare()
    return program


@kfunction("cfork", tell=lambda _thread, flags, *_more: (int(flags & CLONE_VFORK != 0), 1, 0))
def cfork(thread: Thread, flags: int, stack: int, tls: int, parent_tid: int, child_tid: int,
          signal: int, pidfd: int = 0) -> int:
    """Make a process like the calling thread's own; returns its number."""
    return thread.kernel.lifecycle.clone(thread, flags, stack, tls, parent_tid, child_tid, signal, pidfd)


@kfunction("lwp_create")
def lwp_create(thread: Thread, flags: int, stack: int, tls: int, parent_tid: int, child_tid: int,
               signal: int) -> int:
    """Make a thread in the calling process; returns its number."""
    return thread.kernel.lifecycle.clone(thread, flags, stack, tls, parent_tid, child_tid, signal)


def clone(thread: Thread, flags: int, stack: int, tls: int, parent_tid: int, child_tid: int,
          signal: int, pidfd: int = 0) -> int:
    """Make a thread or a process, as `flags` say; returns its number."""
    if flags & CLONE_PIDFD and flags & CLONE_PARENT_SETTID and pidfd == parent_tid:
        raise SyscallError(errno.EINVAL)
    if flags & CLONE_THREAD:
        number: int = lwp_create(thread, flags, stack, tls, parent_tid, child_tid, signal)
    else:
        number = cfork(thread, flags, stack, tls, parent_tid, child_tid, signal, pidfd)
    return number
