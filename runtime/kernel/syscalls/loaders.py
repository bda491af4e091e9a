"""The modules that carry out system calls, each by the name that the rows of the calls have for it.

A module is imported when a call of it is first made: programs need few of them, and start sooner so.
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


def _files_events() -> ModuleType:
    from runtime.kernel.syscalls.files import events

    return events


def _files_inotify() -> ModuleType:
    from runtime.kernel.syscalls.files import inotify

    return inotify


def _files_pipes() -> ModuleType:
    from runtime.kernel.syscalls.files import pipes

    return pipes


def _files_poll() -> ModuleType:
    from runtime.kernel.syscalls.files import poll

    return poll


def _files_transfers() -> ModuleType:
    from runtime.kernel.syscalls.files import transfers

    return transfers


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


def _net_sockets() -> ModuleType:
    from runtime.kernel.syscalls.net import sockets

    return sockets


def _process_futex() -> ModuleType:
    from runtime.kernel.syscalls.process import futex

    return futex


def _process_identity() -> ModuleType:
    from runtime.kernel.syscalls.process import identity

    return identity


def _process_mapping() -> ModuleType:
    from runtime.kernel.syscalls.process import mapping

    return mapping


def _process_processes() -> ModuleType:
    from runtime.kernel.syscalls.process import processes

    return processes


def _process_ptrace() -> ModuleType:
    from runtime.kernel.syscalls.process import ptrace

    return ptrace


def _process_scheduling() -> ModuleType:
    from runtime.kernel.syscalls.process import scheduling

    return scheduling


def _process_signalling() -> ModuleType:
    from runtime.kernel.syscalls.process import signalling

    return signalling


def _process_threads() -> ModuleType:
    from runtime.kernel.syscalls.process import threads

    return threads


def _process_times() -> ModuleType:
    from runtime.kernel.syscalls.process import times

    return times


def _system() -> ModuleType:
    from runtime.kernel.syscalls import system

    return system


LOADERS: Mapping[str, Callable[[], ModuleType]] = {
    "files.attributes": _files_attributes,
    "files.descriptors": _files_descriptors,
    "files.directories": _files_directories,
    "files.epoll": _files_epoll,
    "files.events": _files_events,
    "files.inotify": _files_inotify,
    "files.pipes": _files_pipes,
    "files.poll": _files_poll,
    "files.transfers": _files_transfers,
    "ipc.msg": _ipc_msg,
    "ipc.multiplexer": _ipc_multiplexer,
    "ipc.sem": _ipc_sem,
    "ipc.shm": _ipc_shm,
    "net.sockets": _net_sockets,
    "process.futex": _process_futex,
    "process.identity": _process_identity,
    "process.mapping": _process_mapping,
    "process.processes": _process_processes,
    "process.ptrace": _process_ptrace,
    "process.scheduling": _process_scheduling,
    "process.signalling": _process_signalling,
    "process.threads": _process_threads,
    "process.times": _process_times,
    "system": _system,
}
