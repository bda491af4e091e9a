"""System calls of System V's interprocess communication, and of POSIX message queues.

In come keys, numbers and structures in user memory; out come numbers and messages.  What there is stands in
`runtime.kernel.process.sysvipc`.

control       what the three kinds have in common
shm, sem, msg shared memory, semaphores, message queues
mqueue        POSIX message queues, which are files (`runtime.kernel.vfs.mqueue`)
multiplexer   i386's one call for all of them
"""
