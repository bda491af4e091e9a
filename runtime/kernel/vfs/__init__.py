"""Files: what programs open, read, write and look up by name.

In come the operations of a calling thread (`caller.FileCaller`): a path to resolve, a vnode or an open file
to work on.  Out come vnodes, open files, bytes and attributes, or an OSError with a Linux errno.  The room
imports nothing of processes and system calls, which stand above it.

Read in this order:

vnode         vnodes and open files, from which every kind of file derives; watchers; flags and events
filetable     the descriptors of a process
namespace     from a path to a vnode, with mounts, links and permissions
walks         paths that need not be walked again
disk/         the root file system: overlay (host files below, what the machine wrote above), content
              (its bytes), block (the disk's latency and the buffer cache)
uio, fops     one transfer; all operations under illumos' names, which wait, and which fbt can watch
pipe, eventfd, epoll, inotify, locks
              files without a name, and what depends on others
devices/      /dev: devfs (the directory and the plain devices), pty with discipline (pseudo-terminals),
              terminal (what controls a session), host (the host's own descriptors)
proc/         /proc: procfs (its files), proctext (their text), subjects (what they tell of)
filesystem    all of this put together as the name space of one machine
caller, owner, ioctls
              the thread that calls and the kernel, as protocols; the numbers of ioctl(2)
"""
