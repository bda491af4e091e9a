"""What every room of the kernel needs and that needs none of them.

Read in this order:

errors            how a system call fails, and what a bad address raises
ids, identity     numbers of the first processes; user and group ids of a process
environment       what programs have for an environment when the host gives them none
budgets           how much of everything a machine may use
words, clock      widths of integers; virtual time and events
release           which Linux the machine says it is
signals           signal numbers, what a process does with each, and those that wait
tomlfile          descriptions in TOML, checked: machines (kernel/image.py), clusters
traps             what a tracer does at the traps of an address space
wait              queues on which threads sleep
hooks             the points at which tracers watch the kernel
caller            the thread that calls, its process and the kernel, as protocols for the lower rooms
systemcalls       every system call: name, numbers, C types, where its function is
kernelfunctions   every other function that has a name to tracers, and `@kfunction`, which gives it that
"""
