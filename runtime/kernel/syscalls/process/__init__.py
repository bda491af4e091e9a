"""System calls on processes and threads.

In come process numbers, signals, addresses and times; out come numbers and structures.  The work is done by
`runtime.kernel.process` and `runtime.kernel.memory`.

lifecycle     fork, clone, exec, exit and wait
thread        what a thread says of itself; identity does so for a process: numbers, users, limits
signals       sending, handling, blocking and waiting for signals
mapping       memory: mmap and its relatives; locking has mlock and its own
futex         waiting on a word of memory
timers        clocks, timers, sleeping, what time was used
scheduler     processors and priorities
ptrace        one process that traces another
"""
