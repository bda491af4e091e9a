"""ptrace(2), by which one program watches and steers another, and process_vm_readv(2) and its twin."""

from __future__ import annotations

import errno
import struct
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from runtime.kernel.base.errors import MemoryFault, SyscallError
from runtime.kernel.base.signals import INFO_SIZE, SIGKILL, SIGNAL_COUNT, SIGSTOP, SignalInfo
from runtime.kernel.cpu.debugging import NT_PRFPREG, NT_PRSTATUS, Debugging, RegisterSet, find
from runtime.kernel.cpu.signalinfo import pack_info, unpack_info
from runtime.kernel.memory.addrspace import PROT_READ, PROT_WRITE, AddressSpace
from runtime.kernel.memory.physical import PAGE
from runtime.kernel.process.ptrace import ENTRY, EVENT_STOP, OPTIONS, Trace, trace
from runtime.kernel.process.usermemory import gather_some, read_iovec, scatter_some

if TYPE_CHECKING:
    from runtime.kernel.process.process import Process
    from runtime.kernel.process.thread import Thread

# <sys/ptrace.h>
(TRACEME, PEEKTEXT, PEEKDATA, PEEKUSER, POKETEXT, POKEDATA, POKEUSER, CONT, KILL, SINGLESTEP) = range(10)
GETREGS, SETREGS, GETFPREGS, SETFPREGS, ATTACH, DETACH, SYSCALL = 12, 13, 14, 15, 16, 17, 24
(SETOPTIONS, GETEVENTMSG, GETSIGINFO, SETSIGINFO, GETREGSET, SETREGSET, SEIZE, INTERRUPT,
 LISTEN) = range(0x4200, 0x4209)
SYSGOOD_MARK = 0x80  # in the code of a stop at a system call, with PTRACE_O_TRACESYSGOOD
NO_DEBUG_REGISTERS = 4, 5  # of eight that have places
GETSIGMASK, SETSIGMASK, GET_SYSCALL_INFO = 0x420A, 0x420B, 0x420E

Request = Callable[["Thread", Trace, int, int], int]
Vector = list[tuple[int, int]]  # addresses and lengths


def sys_ptrace(thread: Thread, request: int, pid: int, address: int, data: int) -> int:
    if request == TRACEME:
        if thread.process.parent is None:
            raise SyscallError(errno.EPERM)
        trace(thread, thread.process.parent, 0, seized=False)
        return 0
    target = thread.process.find_thread(pid)
    if target is None:
        raise SyscallError(errno.ESRCH)
    if request in (ATTACH, SEIZE):
        return _attach(thread, target, request == SEIZE, address, data)
    found = target.trace
    if found is None or found.tracer is not thread.process:
        raise SyscallError(errno.ESRCH)
    if request == INTERRUPT:
        return _interrupt(found)
    if request == KILL:
        target.process.post(SignalInfo(SIGKILL))
        return 0
    if not found.stopped or found.listening:
        raise SyscallError(errno.ESRCH)
    handler = _REQUESTS.get(request)
    if handler is None:
        raise SyscallError(errno.EIO)
    return handler(thread, found, address, data)


def _may_trace(thread: Thread, target: Process) -> None:
    """Raise EPERM unless the thread may trace a process."""
    if not thread.process.may_trace(target):
        raise SyscallError(errno.EPERM)


def _attach(thread: Thread, target: Thread, seize: bool, address: int, options: int) -> int:
    if seize and (address or options & ~OPTIONS):
        raise SyscallError(errno.EIO)
    _may_trace(thread, target.process)
    trace(target, thread.process, options if seize else 0, seize)
    if not seize:
        target.post(SignalInfo(SIGSTOP, pid=thread.pid))
    target.process.continued.wake_all()  # a stopped process stops anew, now for the tracer
    return 0


def _interrupt(found: Trace) -> int:
    if not found.seized:
        raise SyscallError(errno.EIO)
    found.notify()
    return 0


# -- going on -----------------------------------------------------------------------------------


def _resume(found: Trace, signal: int, *, calls: bool = False, steps: bool = False) -> int:
    if not 0 <= signal <= SIGNAL_COUNT:
        raise SyscallError(errno.EIO)
    found.resume(calls=calls, steps=steps, signal=signal)
    return 0


def _continue(_thread: Thread, found: Trace, _address: int, data: int) -> int:
    return _resume(found, data)


def _to_call(_thread: Thread, found: Trace, _address: int, data: int) -> int:
    return _resume(found, data, calls=True)


def _step(_thread: Thread, found: Trace, _address: int, data: int) -> int:
    return _resume(found, data, steps=True)


def _detach(_thread: Thread, found: Trace, _address: int, data: int) -> int:
    _resume(found, data)
    found.leave(data)
    return 0


def _listen(_thread: Thread, found: Trace, _address: int, _data: int) -> int:
    if not found.seized or found.event != EVENT_STOP:
        raise SyscallError(errno.EIO)
    found.listening = True
    found.resume()
    return 0


# -- memory and registers -----------------------------------------------------------------------


def _word(thread: Thread) -> int:
    return thread.process.bits // 8


def _peek(thread: Thread, found: Trace, address: int, data: int) -> int:
    try:
        text = found.thread.read_text(address, _word(thread))
    except MemoryFault:
        raise SyscallError(errno.EIO) from None
    thread.write(data, text)
    return 0


def _poke(thread: Thread, found: Trace, address: int, data: int) -> int:
    try:
        found.thread.process.patch_text(address, data.to_bytes(8, "little")[:_word(thread)])
    except MemoryFault:
        raise SyscallError(errno.EIO) from None
    return 0


def _debugging(found: Trace) -> Debugging:
    """Return what the thread's processor tells debuggers.  Raises EIO where it tells nothing."""
    debugging = found.thread.process.processor.debugging
    if debugging is None:
        raise SyscallError(errno.EIO)
    return debugging


def _demand_user(thread: Thread, found: Trace, address: int) -> None:
    """Raise EIO unless struct user has a word at an address."""
    if address % _word(thread) or not 0 <= address < _debugging(found).user_size:
        raise SyscallError(errno.EIO)


def _peek_user(thread: Thread, found: Trace, address: int, data: int) -> int:
    registers, size = _debugging(found).sets[0].get(found.thread), _word(thread)
    _demand_user(thread, found, address)
    thread.write(data, registers[address:address + size].ljust(size, b"\0"))
    return 0


def _poke_user(thread: Thread, found: Trace, address: int, data: int) -> int:
    general, size = _debugging(found).sets[0], _word(thread)
    registers = bytearray(general.get(found.thread))
    _demand_user(thread, found, address)
    if address >= len(registers):
        _poke_beyond(_debugging(found).debug_registers, address, data, size)
        return 0
    registers[address:address + size] = data.to_bytes(8, "little")[:size]
    assert general.set is not None
    general.set(found.thread, bytes(registers))
    return 0


def _poke_beyond(places: range | None, address: int, data: int, size: int) -> None:
    """Raise what changing a word of struct user behind the registers does; `places`: of debug registers."""
    if places is None:
        return
    if address in places:
        if (address - places.start) // size in NO_DEBUG_REGISTERS:
            raise SyscallError(errno.EIO)
        if data:  # there are none that work
            raise SyscallError(errno.ENOSPC)
    elif size == 8:
        raise SyscallError(errno.EIO)


def _old_request(note: int, sets: bool) -> Request:
    """Return what gets or sets a register set at a place in memory, which x86 alone has requests for."""
    def handler(thread: Thread, found: Trace, _address: int, data: int) -> int:
        if _debugging(found).debug_registers is None:
            raise SyscallError(errno.EIO)
        each = _register_set(found, note)
        if sets:
            return _change(found, each, thread.read(data, len(each.get(found.thread))))
        thread.write(data, each.get(found.thread))
        return 0
    return handler


def _register_set(found: Trace, note: int) -> RegisterSet:
    """Return a set by the number of its note.  Raises EINVAL where the processor has none."""
    each = find(_debugging(found).sets, note)
    if each is None:
        raise SyscallError(errno.EINVAL)
    return each


def _change(found: Trace, each: RegisterSet, data: bytes) -> int:
    """Set registers; what `data` does not reach remains.  Raises EINVAL for those that cannot be set."""
    if each.set is None:
        raise SyscallError(errno.EINVAL)
    old = each.get(found.thread)
    each.set(found.thread, data[:len(old)] + old[len(data):])
    return 0


def _named(thread: Thread, found: Trace, note: int, vector: int) -> tuple[RegisterSet, int, int]:
    """Return a set by its note, and the place and size that an iovec names for it.  Raises EINVAL."""
    each = _register_set(found, note)
    ((place, size),) = read_iovec(thread, vector, 1)
    if size % each.unit:
        raise SyscallError(errno.EINVAL)
    return each, place, size


def _get_set(thread: Thread, found: Trace, address: int, data: int) -> int:
    """Write a set of registers to the place that an iovec names, and the number of bytes into that."""
    each, target, room = _named(thread, found, address, data)
    registers = each.get(found.thread)[:room]
    thread.write(target, registers)
    return _tell_size(thread, data, len(registers))


def _tell_size(thread: Thread, vector: int, size: int) -> int:
    thread.write(vector + _word(thread), size.to_bytes(_word(thread), "little"))
    return 0


def _set_set(thread: Thread, found: Trace, address: int, data: int) -> int:
    each, source, size = _named(thread, found, address, data)
    size = min(size, len(each.get(found.thread)))
    _change(found, each, thread.read(source, size))
    return _tell_size(thread, data, size)


# -- what a stop is about -----------------------------------------------------------------------


def _set_options(_thread: Thread, found: Trace, _address: int, data: int) -> int:
    if data & ~OPTIONS:
        raise SyscallError(errno.EINVAL)
    found.options = data
    return 0


def _event_message(thread: Thread, found: Trace, _address: int, data: int) -> int:
    thread.write(data, found.message.to_bytes(_word(thread), "little"))
    return 0


def _get_info(thread: Thread, found: Trace, _address: int, data: int) -> int:
    if found.info is None:
        raise SyscallError(errno.EINVAL)
    thread.write(data, pack_info(found.info, thread.process.bits))
    return 0


def _set_info(thread: Thread, found: Trace, _address: int, data: int) -> int:
    if found.info is None:
        raise SyscallError(errno.EINVAL)
    found.info = unpack_info(thread.read(data, INFO_SIZE), thread.process.bits)
    return 0


def _get_mask(thread: Thread, found: Trace, address: int, data: int) -> int:
    if address != 8:
        raise SyscallError(errno.EINVAL)
    thread.write(data, found.thread.mask.to_bytes(8, "little"))
    return 0


def _set_mask(thread: Thread, found: Trace, address: int, data: int) -> int:
    if address != 8:
        raise SyscallError(errno.EINVAL)
    found.thread.set_mask(int.from_bytes(thread.read(data, 8), "little"))
    return 0


def _call_info(thread: Thread, found: Trace, address: int, data: int) -> int:
    """Write up to `address` bytes of a struct ptrace_syscall_info; returns how many there are."""
    target, debugging = found.thread, _debugging(found)
    processor = target.process.processor
    where = processor.pc(target), processor.stack_pointer(target)
    call = found.call if found.info is not None and found.info.code & SYSGOOD_MARK else 0
    told = struct.pack("<BxxxIQQ", call, debugging.audit, *where)
    if call == ENTRY:
        told += struct.pack("<7Q", target.syscall & 0xFFFFFFFFFFFFFFFF, *debugging.arguments(target))
    elif call:
        value = debugging.result(target)
        told += struct.pack("<qB", value, -4096 < value < 0)
    thread.write(data, told[:address])
    return len(told)


_REQUESTS: dict[int, Request] = {
    PEEKTEXT: _peek, PEEKDATA: _peek, PEEKUSER: _peek_user, POKETEXT: _poke, POKEDATA: _poke,
    POKEUSER: _poke_user, CONT: _continue, SINGLESTEP: _step, SYSCALL: _to_call, DETACH: _detach,
    LISTEN: _listen, GETREGS: _old_request(NT_PRSTATUS, False),
    SETREGS: _old_request(NT_PRSTATUS, True), GETFPREGS: _old_request(NT_PRFPREG, False),
    SETFPREGS: _old_request(NT_PRFPREG, True), GETREGSET: _get_set, SETREGSET: _set_set,
    SETOPTIONS: _set_options, GETEVENTMSG: _event_message, GETSIGINFO: _get_info, SETSIGINFO: _set_info,
    GETSIGMASK: _get_mask, SETSIGMASK: _set_mask, GET_SYSCALL_INFO: _call_info,
}


# -- another process's memory -------------------------------------------------------------------


def _other(thread: Thread, pid: int) -> Process:
    found = thread.process.find_thread(pid)
    if found is None:
        raise SyscallError(errno.ESRCH)
    _may_trace(thread, found.process)
    return found.process


def _both_sides(thread: Thread, pid: int, local: int, local_count: int, remote: int, remote_count: int,
                flags: int) -> tuple[Vector, Vector, Process] | None:
    """Return the ranges of the caller and of the other process, and that; None if nothing is to be moved."""
    if flags:
        raise SyscallError(errno.EINVAL)
    mine = read_iovec(thread, local, local_count)
    if not _size(mine):
        return None
    others = read_iovec(thread, remote, remote_count)
    return (mine, others, _other(thread, pid)) if _size(others) else None


def _size(vector: Vector) -> int:
    return sum(length for _address, length in vector)


def _pieces(space: AddressSpace, others: Vector, left: int, access: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the other process by pages, up to `left` bytes.

    Raises MemoryFault at the first page of a mapping that the process itself may not access so.
    """
    for start, length in others:
        at, end = start, start + min(length, left)
        left -= end - start
        while at < end:
            area = space.find(at)
            if area is None or not area.prot & access:
                raise MemoryFault(at)
            size = min(end - at, PAGE - at % PAGE)
            yield at, size
            at += size


def sys_process_vm_readv(thread: Thread, pid: int, local: int, local_count: int, remote: int,
                         remote_count: int, flags: int) -> int:
    sides = _both_sides(thread, pid, local, local_count, remote, remote_count, flags)
    if sides is None:
        return 0
    mine, others, target = sides
    data = b""
    try:
        for address, size in _pieces(target.memory, others, _size(mine), PROT_READ):
            data += target.memory.read(address, size)
    except MemoryFault:
        if not data:
            raise
    stored = scatter_some(thread, mine, data)
    if data and not stored:
        raise SyscallError(errno.EFAULT)
    return stored


def sys_process_vm_writev(thread: Thread, pid: int, local: int, local_count: int, remote: int,
                          remote_count: int, flags: int) -> int:
    sides = _both_sides(thread, pid, local, local_count, remote, remote_count, flags)
    if sides is None:
        return 0
    mine, others, target = sides
    data = gather_some(thread, mine)
    done = 0
    try:
        for address, size in _pieces(target.memory, others, len(data), PROT_WRITE):
            target.memory.write(address, data[done:done + size])
            done += size
    except MemoryFault:
        if not done:
            raise
    return done
