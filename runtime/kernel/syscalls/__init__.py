"""System calls, as Linux has them on x86-64, i386 and SPARC.

In come a thread and the arguments of a call, as numbers of their C types; out comes the result, or an OSError
that the program sees as a negative errno.  Structures in user memory are read and written here, so that
the rooms below know neither their layout nor the width of a program's words.

Read in this order:

table         which call a number means, how registers become arguments, how a handler is found
swift         the plainest cases of a few calls, and which calls sleep first if they sleep
swiftfiles    those of calls on files
loaders       the modules with handlers, each imported when first needed
lookup        arguments that name files; layouts has the structures of stat(2) and its like
files/        files and descriptors
process/      processes, threads, signals, memory, time
ipc/          System V's shared memory, semaphores and messages
net/          sockets
sparc/        the calls that SPARC programs make in their own way
system        calls about the machine

A system call is a row in runtime.kernel.base.systemcalls and a function here: `sys_NAME(thread, ...)` in
the module that the row names.  A new module needs a line in `loaders`, too.
"""
