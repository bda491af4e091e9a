"""Kernel memory that a tracer without kernel privileges may load all the same (dtrace_canload's rules).

With some privilege for processes, a tracer may load what the kernel keeps about the current thread.  After
getf() it may load the file_t, its vnode's path, and the name of the vnode's operations.  These structures
stay where they are while a probe fires.  What they point to may not be loaded.
"""

from __future__ import annotations

from collections.abc import Iterator

from runtime.framework.base.host import Host, MemoryFault

Range = tuple[int, int]  # address, bytes
_POINTER = 8


def _word(host: Host, address: int) -> int:
    return int.from_bytes(host.load(address, _POINTER), "little")


def of_thread(host: Host) -> Iterator[Range]:
    """The current thread, its process, credentials and process id, and the CPU's first members."""
    thread = host.current.address
    yield thread, host.size("kthread_t")
    process = _word(host, thread + host.offset("kthread_t", "t_procp"))
    if process:
        yield process, host.size("proc_t")
        number = _word(host, process + host.offset("proc_t", "p_pidp"))
        if number:
            yield number + host.offset("struct pid", "pid_id"), 4
    credentials = _word(host, thread + host.offset("kthread_t", "t_cred"))
    if credentials:
        yield credentials, host.size("cred_t")
    cpu = _word(host, thread + host.offset("kthread_t", "t_cpu"))
    if cpu:
        yield cpu, host.offset("cpu_t", "cpu_idle_thread") + _POINTER


def of_file(host: Host, file: int) -> Iterator[Range]:
    """A file_t that getf() gave; of its vnode the path, and the name of its operations."""
    yield file, host.size("file_t")
    vnode = _word(host, file + host.offset("file_t", "f_vnode"))
    if not vnode:
        return
    yield from _name(host, vnode + host.offset("vnode_t", "v_path"))
    operations = vnode + host.offset("vnode_t", "v_op")
    yield operations, _POINTER
    if _word(host, operations):
        yield from _name(host, _word(host, operations) + host.offset("vnodeops_t", "vnop_name"))


def _name(host: Host, pointer: int) -> Iterator[Range]:
    """A pointer to a string, and the string with its NUL."""
    yield pointer, _POINTER
    text = _word(host, pointer)
    size = 0
    while text and host.load(text + size, 1) != b"\0":
        size += 1
    if text:
        yield text, size + 1


def readable_bytes(address: int, ranges: Iterator[Range]) -> int:
    """How many bytes from an address on lie in one of the ranges; 0 for none."""
    most = 0
    try:
        for start, length in ranges:
            if start <= address:
                most = max(most, start + length - address)
    except (MemoryFault, LookupError):
        pass
    return most
