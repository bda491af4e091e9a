"""Which modules' handlers serve the tables."""

from __future__ import annotations

from runtime.kernel.syscalls import (
    attributes,
    descriptors,
    directories,
    epoll,
    events,
    files,
    futex,
    identity,
    inotify,
    ipc,
    mapping,
    msg,
    pipes,
    poll,
    processes,
    scheduling,
    sem,
    shm,
    signalling,
    sockets,
    system,
    threads,
    times,
)
from runtime.kernel.syscalls.table import I386_PREFIX, Entry, bind, i386_table, x86_64_table

MODULES = (attributes, descriptors, directories, epoll, events, files, futex, identity, inotify, ipc,
           mapping, msg, pipes, poll, processes, scheduling, sem, shm, signalling, sockets, system, threads,
           times)


def bind_all() -> dict[int, dict[int, Entry]]:
    """For programs of 64 and of 32 bits: number to entry."""
    return {64: bind(x86_64_table(), MODULES, 64), 32: bind(i386_table(), MODULES, 32, I386_PREFIX)}
