"""System calls on files.

In come descriptors, paths and buffers in user memory; out come counts, descriptors and structures.  The work
is done by `runtime.kernel.vfs`, mostly through the functions of `vfs.fops`.

transfers     open, close, read, write and what moves bytes
space         fallocate
descriptors   dup, fcntl, locks, ioctl
signaldriven  whom a file tells by a signal that it is ready
directories   making, removing, renaming and listing names
attributes    stat, modes, owners, times
poll, epoll   waiting for several files
pipe, eventfd, inotify
              files without a name
"""
