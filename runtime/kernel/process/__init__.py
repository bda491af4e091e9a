"""Processes and threads: how they begin, run, sleep, get signals and end.

In come programs (ELF files), system calls' wishes (clone, exec, exit, kill, wait) and the events of
processors; out come calls of system call handlers, of hooks, and the exit status.

`System`, `Process`, `Thread`, `Scheduler` and `Lifecycle` know one another: a thread reaches its process as
`thread.process` and the kernel as `thread.kernel`.  Read in this order:

system        the kernel as threads know it
process       what the threads of a process share
thread        what the scheduler runs; a thread's kernel side is a coroutine
prompt        system calls while the engine waits, which need no stop and no start
scheduler     virtual CPUs, their clocks, and which thread runs when
lifecycle     fork, exec, exit, wait and stops
loader        programs into memory: ELF files, scripts, the initial stack
posting       a signal is sent
delivery      a pending signal is acted upon: handler, stop or end
asynchronous  the signals of files that become ready (O_ASYNC)
coredump      the core file of a process that a signal ended
ptrace        stops of threads that another process traces
timers        timers of processes, by the clock or by the time spent on CPUs
futex         waiting on a word of user memory
sysvipc       System V's shared memory, semaphores and message queues
usermemory    numbers and structures in a program's memory
opening       files as a thread names them
daemons       the kernel's own threads
"""
