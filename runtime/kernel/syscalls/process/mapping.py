"""System calls on the memory of a process: mmap(2) and its relatives."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from runtime.kernel.base.errors import SyscallError
from runtime.kernel.base.kernelfunctions import kfunction
from runtime.kernel.memory.addrspace import LEFT_OUT, LOCKED, PROT_EXEC, PROT_READ, PROT_WRITE, WIPED, Area
from runtime.kernel.memory.physical import MAP_NORESERVE, PAGE, PAGE_MASK, FilePages, SharedPages
from runtime.kernel.process.process import RLIM_INFINITY, RLIMIT_AS, RLIMIT_DATA
from runtime.kernel.syscalls.files.space import punch_hole
from runtime.kernel.vfs.disk.overlay import OverlayFile
from runtime.kernel.vfs.vnode import O_PATH, Regular

if TYPE_CHECKING:
    from runtime.kernel.process.thread import Thread
    from runtime.kernel.vfs.vnode import File

MAP_SHARED, MAP_PRIVATE, MAP_SHARED_VALIDATE, MAP_FIXED, MAP_ANONYMOUS = 1, 2, 3, 0x10, 0x20
MAP_FIXED_NOREPLACE = 0x100000
MAP_KNOWN = 0x7C07F9F3 | MAP_FIXED_NOREPLACE  # what old kernels knew: others are refused on request only
MREMAP_MAYMOVE, MREMAP_FIXED, MREMAP_DONTUNMAP = 1, 2, 4
MINCORE_PIECE = 1 << 20  # bytes of a range that are looked at together
MADV_DONTNEED, MADV_FREE, MADV_REMOVE = 4, 8, 9
MADV_DONTFORK, MADV_DOFORK, MADV_WIPEONFORK, MADV_KEEPONFORK = 10, 11, 18, 19
ON_FORK = {MADV_DONTFORK: (LEFT_OUT, True), MADV_DOFORK: (LEFT_OUT, False), MADV_WIPEONFORK: (WIPED, True),
           MADV_KEEPONFORK: (WIPED, False)}
MADV_KNOWN = {0, 1, 2, 3, 4, *range(8, 26), 100, 101}  # <linux/mman.h>
MS_ASYNC, MS_SYNC, MS_KNOWN = 1, 4, 7
PROT_ALL = PROT_READ | PROT_WRITE | PROT_EXEC
PROT_KNOWN = PROT_ALL | 8 | 1 << 24 | 1 << 25  # PROT_SEM, PROT_GROWSDOWN, PROT_GROWSUP
LOWEST = 0x10000
FARTHEST = 1 << 51  # pages of a file
ABOVE = 1 << 64  # the first number that the kernel's addresses do not reach, for 32-bit programs too


def _pages(size: int) -> int:
    return (size + PAGE_MASK) & ~PAGE_MASK


def _place(thread: Thread, address: int, size: int, flags: int) -> int:
    """Return the address at which a mapping of `size` bytes goes.  Raises EINVAL, EPERM, EEXIST, ENOMEM."""
    space = thread.process.memory
    if flags & (MAP_FIXED | MAP_FIXED_NOREPLACE):
        if address & PAGE_MASK:
            raise SyscallError(errno.EINVAL)
        if address + size > space.limit:
            raise SyscallError(errno.ENOMEM)
        if address < LOWEST:
            raise SyscallError(errno.EPERM)
        if flags & MAP_FIXED_NOREPLACE and space.overlapping(address, address + size):
            raise SyscallError(errno.EEXIST)
        return address
    hint = address & ~PAGE_MASK
    if hint >= LOWEST and hint + size <= space.limit and not space.overlapping(hint, hint + size):
        return hint
    return space.free_range(size)


def _commit(thread: Thread, size: int) -> None:
    """Raise ENOMEM for more memory than the machine has at all (vm.overcommit_memory = 0)."""
    if size > thread.kernel.memory.size:
        thread.kernel.budgets.refuse("memory")
        raise SyscallError(errno.ENOMEM)


def _demand_limit(thread: Thread, size: int, start: int = 0, end: int = 0) -> None:
    """Raise ENOMEM if RLIMIT_AS has no room for `size` bytes more; what lies from `start` to `end` goes."""
    most = thread.process.limit(RLIMIT_AS)[0]
    if most != RLIM_INFINITY:
        space = thread.process.memory
        if space.size - space.mapped(start, end) + size > most:
            raise SyscallError(errno.ENOMEM)


def _in_space(thread: Thread, address: int, size: int, *_more: int) -> tuple[object, ...]:
    return thread.process.space, address, size


def _demand_mappable(file: File | None, kind: int, prot: int) -> None:
    """Raise EINVAL, EACCES or ENODEV unless a file, or memory without one, can be mapped in this way."""
    if kind not in (MAP_SHARED, MAP_PRIVATE, MAP_SHARED_VALIDATE if file is not None else MAP_SHARED):
        raise SyscallError(errno.EINVAL)
    if file is None:
        return
    if not file.readable or (kind != MAP_PRIVATE and prot & PROT_WRITE and not file.writable):
        raise SyscallError(errno.EACCES)
    if file.unchangeable and kind != MAP_PRIVATE and prot & PROT_WRITE:
        raise SyscallError(errno.EPERM)
    if not file.maps_zeros and not isinstance(file.vnode, Regular):
        raise SyscallError(errno.ENODEV)


@kfunction("as_map", tell=_in_space)
def as_map(thread: Thread, address: int, size: int, prot: int, flags: int, descriptor: int,
           offset: int) -> int:
    """Carry out mmap(2), with `offset` in bytes; returns the address.  Raises SyscallError."""
    file = None if flags & MAP_ANONYMOUS else thread.process.files.get(descriptor)
    if file is not None and file.flags & O_PATH:
        raise SyscallError(errno.EBADF)
    if not size or offset & PAGE_MASK:
        raise SyscallError(errno.EINVAL)
    size, kind, space = _pages(size), flags & 3, thread.process.memory
    if size > space.limit:
        raise SyscallError(errno.ENOMEM)
    at = _place(thread, address, size, flags)
    _demand_mappable(file, kind, prot)
    if kind == MAP_SHARED_VALIDATE and flags & ~MAP_KNOWN:
        raise SyscallError(errno.EOPNOTSUPP)
    shared = kind != MAP_PRIVATE
    prot &= PROT_ALL
    read_only = shared and file is not None and (not file.writable or file.unchangeable)
    if not flags & MAP_NORESERVE and (flags & MAP_ANONYMOUS if shared else prot & PROT_WRITE):
        _commit(thread, size)
    _demand_limit(thread, size, *((at, at + size) if flags & MAP_FIXED else (0, 0)))
    if flags & MAP_FIXED:
        _announce(thread, at, at + size)
    if file is None or file.maps_zeros:
        space.map(Area(at, at + size, prot, shared, SharedPages(space.memory) if shared else None,
                       path=b"" if file is None else file.path, read_only=read_only))
        return at
    vnode = file.vnode
    assert isinstance(vnode, Regular)
    pages, path = FilePages.of(space.memory, vnode), vnode.path.encode("utf-8", "surrogateescape")
    space.map(Area(at, at + size, prot, shared, pages, offset // PAGE, path, read_only=read_only))
    hooks = thread.kernel.hooks
    if hooks.object_loaded and prot & PROT_EXEC:
        hooks.object_loaded(thread, path, at)
    if hooks.data_mapped and prot & PROT_WRITE and not shared:
        hooks.data_mapped(thread, at, at + size)
    return at


def sys_mmap(thread: Thread, address: int, size: int, prot: int, flags: int, descriptor: int,
             offset: int) -> int:
    return as_map(thread, address, size, prot, flags, descriptor, offset)


def sys_i386_mmap(thread: Thread, block: int, *_rest: int) -> int:
    data = thread.read(block, 24)
    words = [int.from_bytes(data[at:at + 4], "little") for at in range(0, 24, 4)]
    words[4] -= (words[4] & 0x80000000) << 1
    return as_map(thread, words[0], words[1], words[2], words[3], words[4], words[5])


def sys_mmap2(thread: Thread, address: int, size: int, prot: int, flags: int, descriptor: int,
              page: int) -> int:
    return as_map(thread, address, size, prot, flags, descriptor, page * PAGE)


def sys_munmap(thread: Thread, address: int, size: int) -> int:
    size = _pages(size)
    if address & PAGE_MASK or not size or address + size > thread.process.memory.limit:
        raise SyscallError(errno.EINVAL)
    return as_unmap(thread, address, size)


@kfunction("as_unmap", tell=_in_space)
def as_unmap(thread: Thread, address: int, size: int) -> int:
    """Unmap whole pages; returns 0."""
    _announce(thread, address, address + size)
    thread.process.memory.unmap(address, address + size)
    return 0


def _announce(thread: Thread, start: int, end: int) -> None:
    """Tell the kernel's hooks that the mappings in [start, end) are about to go."""
    if thread.kernel.hooks.unmap and thread.process.memory.overlapping(start, end):
        thread.kernel.hooks.unmap(thread, start, end)


def sys_mprotect(thread: Thread, address: int, size: int, prot: int) -> int:
    if address & PAGE_MASK:
        raise SyscallError(errno.EINVAL)
    if prot & ~PROT_KNOWN:
        raise SyscallError(errno.EINVAL)
    size = _pages(size)
    if size:
        space = thread.process.memory
        if address + size > space.limit:
            raise SyscallError(errno.ENOMEM)
        space.protect(address, address + size, prot & PROT_ALL)
    return 0


def sys_pkey_mprotect(thread: Thread, address: int, size: int, prot: int, key: int) -> int:
    if key != -1:
        raise SyscallError(errno.EINVAL)
    return sys_mprotect(thread, address, size, prot)


def sys_brk(thread: Thread, address: int) -> int:
    space = thread.process.memory
    if address < space.brk_start:
        return space.brk
    old, new = _pages(space.brk), _pages(address)
    if new > old:
        limit = thread.process.limit(RLIMIT_DATA)[0]
        if new - space.brk_start > limit or new > space.limit or space.overlapping(old, new):
            return space.brk
        try:
            _demand_limit(thread, new - old)
            _commit(thread, new - old)
            space.map(Area(old, new, PROT_READ | PROT_WRITE, path=b"[heap]"))
        except SyscallError:
            return space.brk
    elif new < old:
        space.unmap(new, old)
    space.brk = address
    return address


def sys_mremap(thread: Thread, address: int, old_size: int, new_size: int, flags: int, target: int) -> int:
    space = thread.process.memory
    old_size, new_size = _pages(old_size), _pages(new_size)
    area, fixed = space.find(address), flags & MREMAP_FIXED
    if address & PAGE_MASK or not new_size or flags & ~7 or flags & MREMAP_DONTUNMAP:
        raise SyscallError(errno.EINVAL)
    if fixed:
        if not flags & MREMAP_MAYMOVE or target & PAGE_MASK:
            raise SyscallError(errno.EINVAL)
        if address < target + new_size and target < address + old_size:
            raise SyscallError(errno.EINVAL)  # the two places overlap
    shrinks = new_size <= old_size and not fixed
    if area is None or (address + old_size > area.end and not shrinks):
        raise SyscallError(errno.EFAULT)
    if fixed:
        return _move(thread, area, address, old_size, new_size, target)
    if shrinks:
        if new_size < old_size:
            _announce(thread, address + new_size, address + old_size)
            space.unmap(address + new_size, address + old_size)
        return address
    _demand_limit(thread, new_size - old_size)
    if area.writable and not area.shared:
        _commit(thread, new_size - old_size)
    end, wanted = address + old_size, address + new_size
    if area.end == end and wanted <= space.limit and not space.overlapping(end, wanted):
        space.map(Area(end, wanted, area.prot, area.shared, area.pages, area.index(end), area.path,
                       read_only=area.read_only))
        return address
    if not flags & MREMAP_MAYMOVE:
        raise SyscallError(errno.ENOMEM)
    return _move(thread, area, address, old_size, new_size, space.free_range(new_size))


def _move(thread: Thread, area: Area, address: int, old_size: int, new_size: int, target: int) -> int:
    space = thread.process.memory
    _announce(thread, address, address + old_size)
    _announce(thread, target, target + new_size)
    space.map(Area(target, target + new_size, area.prot, area.shared, area.pages, area.index(address),
                   area.path, read_only=area.read_only))
    space.move(address, min(old_size, new_size), target)
    space.unmap(address, address + old_size)
    return target


def range_end(address: int, size: int, error: int = errno.EINVAL) -> int:
    """Return where a range of pages ends; a size that is rounded up past the last number is 0.

    Raises `error` when it passes the end of all addresses.
    """
    end = address + _pages(size) % ABOVE
    if end >= ABOVE:
        raise SyscallError(error)
    return end


def mapped_up_to(thread: Thread, address: int, end: int) -> int:
    """Return where a range has its first hole, `end` if it has none."""
    for area in thread.process.memory.overlapping(address, end):
        if area.start > address:
            break
        address = area.end
    return min(address, end)


def _demand_mapped(thread: Thread, address: int, end: int) -> None:
    """Raise ENOMEM unless all of a range is mapped."""
    if mapped_up_to(thread, address, end) < end:
        raise SyscallError(errno.ENOMEM)


def sys_madvise(thread: Thread, address: int, size: int, advice: int) -> int:
    if address & PAGE_MASK or advice not in MADV_KNOWN:
        raise SyscallError(errno.EINVAL)
    space, end = thread.process.memory, range_end(address, size)
    if size and end == address:
        raise SyscallError(errno.EINVAL)
    if advice in (MADV_DONTNEED, MADV_FREE, MADV_REMOVE) and end > address:
        for area in space.overlapping(address, end):
            _give_up(thread, area, advice, max(area.start, address), min(area.end, end))
    if advice in ON_FORK and end > address:
        if advice == MADV_WIPEONFORK and any(area.pages for area in space.overlapping(address, end)):
            raise SyscallError(errno.EINVAL)
        space.mark(address, end, *ON_FORK[advice])
    _demand_mapped(thread, address, end)
    return 0


def _give_up(thread: Thread, area: Area, advice: int, start: int, end: int) -> None:
    """Give up the pages from `start` to `end` of an area, or what they show of a file.

    Raises EINVAL, EACCES, EOPNOTSUPP.
    """
    if area.marks & LOCKED:
        raise SyscallError(errno.EINVAL)
    if advice != MADV_REMOVE:
        if not area.shared:
            thread.process.memory.discard(start, end)
        return
    if area.pages is None:
        raise SyscallError(errno.EINVAL)
    if not area.shared or area.read_only:
        raise SyscallError(errno.EACCES)
    at = area.file_offset + start - area.start
    if not isinstance(area.pages, FilePages):
        area.pages.clear(at, at + end - start)
    elif isinstance(area.pages.vnode, OverlayFile):
        punch_hole(thread, area.pages.vnode, at, at + end - start)
    else:
        raise SyscallError(errno.EOPNOTSUPP)


def sys_remap_file_pages(thread: Thread, address: int, size: int, prot: int, page: int, flags: int) -> int:
    """Have a part of a shared mapping show other pages of what it maps; that has the protection it had."""
    space, start, size = thread.process.memory, address & ~PAGE_MASK, size & ~PAGE_MASK
    area = space.find(start)
    if prot or not size or start + size >= ABOVE or page + size // PAGE > FARTHEST:
        raise SyscallError(errno.EINVAL)
    if area is None or not area.shared or mapped_up_to(thread, start, start + size) < start + size or any(
            other.pages is not area.pages for other in space.overlapping(start, start + size)):
        raise SyscallError(errno.EINVAL)
    space.map(Area(start, start + size, area.prot, True, area.pages, page, area.path,
                   read_only=area.read_only))
    return 0


def sys_msync(thread: Thread, address: int, size: int, flags: int) -> int:
    if address & PAGE_MASK or flags & ~MS_KNOWN or (flags & MS_SYNC and flags & MS_ASYNC):
        raise SyscallError(errno.EINVAL)
    end = range_end(address, size, errno.ENOMEM)
    for area in thread.process.memory.overlapping(address, end):
        if area.shared and isinstance(area.pages, FilePages):
            area.pages.sync()
    _demand_mapped(thread, address, end)
    return 0


def sys_mincore(thread: Thread, address: int, size: int, vector: int) -> int:
    if address & PAGE_MASK:
        raise SyscallError(errno.EINVAL)
    space = thread.process.memory
    end = address + _pages(size)
    if thread.process.bits == 64 and end > space.limit:
        raise SyscallError(errno.ENOMEM)
    mapped = mapped_up_to(thread, address, end)
    for start in range(address, mapped, MINCORE_PIECE):
        pages = range(start, min(start + MINCORE_PIECE, mapped), PAGE)
        thread.write(vector + (start - address) // PAGE, bytes([space.resident(page) for page in pages]))
    if mapped < end:
        raise SyscallError(errno.ENOMEM)
    return 0


