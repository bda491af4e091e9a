"""The kernel's objects as C structures: proc_t, kthread_t, file_t, vnode_t and the rest, and its variables.

In comes a load from a kernel address (`runtime.kernel.memory.placement` gave it out); out come the bytes of
the members that it touches, made at that moment from the objects that the kernel works with.

Read in this order:

structures   where each member lies, from kernel.h as the compiler reads it
contents     a load becomes members, and their values bytes
members      one row for each member of a structure: how its value is found
variables    one row for each variable of the kernel
"""
