"""The emulated machine: a kernel, its processors, and the programs that run on it.

In come programs to run (`Kernel.spawn`) and how far (`Kernel.run`); out come what they do to files, their
exit status, and calls of the hooks on which tracers hang.  The kernel knows nothing of DTrace but these
hooks; its objects and functions bear illumos' names, its system calls are Linux'.

The rooms, from the lowest to the highest.  None imports a higher one:

base/      what every room needs: errors, signals as data, time, queues to sleep on, hooks, the protocol of
           the thread that calls, the names of kernel functions and of system calls
memory/    physical memory, address spaces, kernel memory, the addresses of the kernel's objects
cpu/       what is asked of a processor; x86/, sparc/ and arm64/ have it
vfs/ net/  files, devices and /proc; sockets
process/   processes and threads: how they begin, run, sleep, get signals and end
syscalls/  the table of system calls, and one function for each
objects/   what a load from the kernel's objects finds, by members of C structures
kernel     all of it put together

A way to read it: `kernel`, `process/system`, `process/thread` (a thread's life is `Thread._main`), then the
room in question from its own page.

image      a machine as a TOML file describes it
agent      a process whose system calls are the host's wishes: dtrace itself is one
"""
