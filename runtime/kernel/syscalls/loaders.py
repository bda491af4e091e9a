"""The modules that carry out system calls, by the names that the rows of the calls have for them.

The table imports a module when a program first makes one of its calls.  A program needs few of them, and
so the machine starts sooner.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType


def _files_attributes() -> ModuleType:
    from runtime.kernel.syscalls.files import attributes

    return attributes


def _files_descriptors() -> ModuleType:
    from runtime.kernel.syscalls.files import descriptors

    return descriptors


def _files_directories() -> ModuleType:
    from runtime.kernel.syscalls.files import directories

    return directories


def _files_epoll() -> ModuleType:
    from runtime.kernel.syscalls.files import epoll

    return epoll


def _files_eventfd() -> ModuleType:
    from runtime.kernel.syscalls.files import eventfd

    return eventfd


def _files_inotify() -> ModuleType:
    from runtime.kernel.syscalls.files import inotify

    return inotify


def _files_pipe() -> ModuleType:
    from runtime.kernel.syscalls.files import pipe

    return pipe


def _files_poll() -> ModuleType:
    from runtime.kernel.syscalls.files import poll

    return poll


def _files_space() -> ModuleType:
    from runtime.kernel.syscalls.files import space

    return space


def _files_transfers() -> ModuleType:
    from runtime.kernel.syscalls.files import transfers

    return transfers


def _ipc_mqueue() -> ModuleType:
    from runtime.kernel.syscalls.ipc import mqueue

    return mqueue


def _ipc_msg() -> ModuleType:
    from runtime.kernel.syscalls.ipc import msg

    return msg


def _ipc_multiplexer() -> ModuleType:
    from runtime.kernel.syscalls.ipc import multiplexer

    return multiplexer


def _ipc_sem() -> ModuleType:
    from runtime.kernel.syscalls.ipc import sem

    return sem


def _ipc_shm() -> ModuleType:
    from runtime.kernel.syscalls.ipc import shm

    return shm


def _net_socket() -> ModuleType:
    from runtime.kernel.syscalls.net import socket

    return socket


def _process_futex() -> ModuleType:
    from runtime.kernel.syscalls.process import futex

    return futex


def _process_identity() -> ModuleType:
    from runtime.kernel.syscalls.process import identity

    return identity


def _process_locking() -> ModuleType:
    from runtime.kernel.syscalls.process import locking

    return locking


def _process_mapping() -> ModuleType:
    from runtime.kernel.syscalls.process import mapping

    return mapping


def _process_lifecycle() -> ModuleType:
    from runtime.kernel.syscalls.process import lifecycle

    return lifecycle


def _process_ptrace() -> ModuleType:
    from runtime.kernel.syscalls.process import ptrace

    return ptrace


def _process_scheduler() -> ModuleType:
    from runtime.kernel.syscalls.process import scheduler

    return scheduler


def _process_signals() -> ModuleType:
    from runtime.kernel.syscalls.process import signals

    return signals


def _process_thread() -> ModuleType:
    from runtime.kernel.syscalls.process import thread

    return thread


def _process_timers() -> ModuleType:
    from runtime.kernel.syscalls.process import timers

    return timers


def _system() -> ModuleType:
    from runtime.kernel.syscalls import system

    return system


LOADERS: Mapping[str, Callable[[], ModuleType]] = {
    "files.attributes": _files_attributes,
    "files.descriptors": _files_descriptors,
    "files.directories": _files_directories,
    "files.epoll": _files_epoll,
    "files.eventfd": _files_eventfd,
    "files.inotify": _files_inotify,
    "files.pipe": _files_pipe,
    "files.poll": _files_poll,
    "files.space": _files_space,
    "files.transfers": _files_transfers,
    "ipc.mqueue": _ipc_mqueue,
    "ipc.msg": _ipc_msg,
    "ipc.multiplexer": _ipc_multiplexer,
    "ipc.sem": _ipc_sem,
    "ipc.shm": _ipc_shm,
    "net.socket": _net_socket,
    "process.futex": _process_futex,
    "process.identity": _process_identity,
    "process.locking": _process_locking,
    "process.mapping": _process_mapping,
    "process.lifecycle": _process_lifecycle,
    "process.ptrace": _process_ptrace,
    "process.scheduler": _process_scheduler,
    "process.signals": _process_signals,
    "process.thread": _process_thread,
    "process.timers": _process_timers,
    "system": _system,
}
