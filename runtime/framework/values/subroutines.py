"""DIF subroutines: one function a row of the ISA table (dif.isa.SUBROUTINES), shared by both engines.

A function takes the firing and the tuple's values (unsigned 64-bit; strings by address) and returns a
64-bit value; one whose prototype is void returns None, and the destination register stays as it is.
Faults are DifFault.  A function has its subroutine's name, and stands here or, if it works on strings, in
runtime.framework.values.strings: so a new subroutine is a row there and a function here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from dif import isa
from dif.arithmetic import MASK
from runtime.framework.base.faults import DifFault, FaultKind
from runtime.framework.firing.firing import Firing
from runtime.framework.values import addresstext, strings

Function = Callable[..., int | None]

_MESSAGES_MAX = 128  # blocks of one message
_DEVICES_MAX = 32  # depth of the device tree

# -- memory ------------------------------------------------------------------------------------

def alloca(firing: Firing, size: int) -> int:
    """alloca(): scratch space, not cleared, at a multiple of 8."""
    return firing.allocate(size, 8)


def bcopy(firing: Firing, source: int, destination: int, size: int, *, old: int) -> None:
    """bcopy(): into scratch space already allocated.

    BADADDR elsewhere; as in a kernel, its address is then `old`, what the destination register holds.
    """
    if not firing.in_scratch(destination, size):
        raise DifFault(FaultKind.BADADDR, old)
    firing.put(destination, firing.load(source, size))


def _copy_in(firing: Firing, source: int, destination: int, size: int) -> None:
    if size:
        firing.put(destination, firing.user(source, size))


def copyin(firing: Firing, source: int, size: int) -> int:
    """copyin(): the address of a copy in scratch space, at a multiple of 8."""
    destination = firing.allocate(size, 8)
    _copy_in(firing, source, destination, size)
    return destination


def copyinto(firing: Firing, source: int, size: int, destination: int, *, old: int) -> None:
    """copyinto(): into scratch space already allocated.  BADADDR elsewhere, as of bcopy()."""
    if not firing.in_scratch(destination, size):
        raise DifFault(FaultKind.BADADDR, old)
    _copy_in(firing, source, destination, size)


def copyinstr(firing: Firing, source: int, size: int | None = None) -> int:
    """copyinstr(): a user string of at most `size` bytes, or strsize with its NUL."""
    room = firing.strsize
    if size is not None and size < room:
        room = size + 1
    firing.require_scratch(room)
    return firing.new_string(firing.user_string(source, room), room)


def copyout(firing: Firing, source: int, destination: int, size: int) -> None:
    """copyout(): to user memory.  UPRIV for a tracer that may not control the process."""
    firing.require_control()
    firing.store_user(destination, firing.load(source, size))


def copyoutstr(firing: Firing, source: int, destination: int, size: int) -> None:
    """copyoutstr(): at most `size` bytes, the NUL included if there is room."""
    firing.require_control()
    limit = min(size, firing.strsize)
    text = firing.string(source, limit)
    firing.store_user(destination, (text + b"\0")[:limit])


def memref(firing: Firing, address: int, size: int) -> int:
    """memref() (FreeBSD): the address of a pair of 64-bit words, address and size, for printm()."""
    pair = firing.allocate(16, 8)
    firing.put(pair, address.to_bytes(8, "little") + size.to_bytes(8, "little"))
    return pair


# -- kernel synchronization objects (<sys/mutex_impl.h>, <sys/rwlock_impl.h>) -----------------------

def _word(firing: Firing, address: int) -> int:
    return int.from_bytes(firing.load(address, 8), "little")


_MUTEX_DEAD, _MUTEX_FLAGS = 6, 7


def _is_adaptive(word: int) -> bool:
    return not word & _MUTEX_DEAD


def mutex_owned(firing: Firing, mutex: int) -> int:
    """mutex_owned(): whether a thread holds it."""
    word = _word(firing, mutex)
    return int(bool(word & ~_MUTEX_FLAGS if _is_adaptive(word) else word >> 8 & 0xFF))  # m_spinlock


def mutex_owner(firing: Firing, mutex: int) -> int:
    """mutex_owner(): the kthread_t of an adaptive mutex's holder, or 0."""
    word = _word(firing, mutex)
    return word & ~_MUTEX_FLAGS if _is_adaptive(word) else 0


def mutex_type_adaptive(firing: Firing, mutex: int) -> int:
    """mutex_type_adaptive()."""
    return int(_is_adaptive(_word(firing, mutex)))


def mutex_type_spin(firing: Firing, mutex: int) -> int:
    """mutex_type_spin()."""
    return int(_word(firing, mutex) & 0xFF == 0xFF)  # m_dummylock of a spin mutex is always held


_RW_WRITE_LOCKED, _RW_FLAGS = 4, 7


def rw_read_held(firing: Firing, lock: int) -> int:
    """rw_read_held(): whether readers hold it."""
    word = _word(firing, lock)
    return int(not word & _RW_WRITE_LOCKED and word & ~_RW_FLAGS != 0)


def rw_write_held(firing: Firing, lock: int) -> int:
    """rw_write_held(): whether a writer holds it."""
    return int(_word(firing, lock) & _RW_WRITE_LOCKED != 0)


def rw_iswriter(firing: Firing, lock: int) -> int:
    """rw_iswriter(): whether the current thread is the writer."""
    word = _word(firing, lock)
    return int(word & _RW_WRITE_LOCKED != 0 and word & ~_RW_FLAGS == firing.context.address)


sx_shared_held, sx_exclusive_held, sx_isexclusive = rw_read_held, rw_write_held, rw_iswriter  # FreeBSD


# -- STREAMS messages and devices -----------------------------------------------------------------

def _member(firing: Firing, structure: str, address: int, member: str) -> int:
    """The address of a member.  Raises DifFault(ILLOP) if this kernel's structure has no such member."""
    try:
        return address + firing.host.offset(structure, member)
    except LookupError:
        raise DifFault(FaultKind.ILLOP) from None


def _pointer(firing: Firing, structure: str, address: int, member: str) -> int:
    return _word(firing, _member(firing, structure, address, member))


def _message_size(firing: Firing, message: int, data_only: bool) -> int:
    total = 0
    for _ in range(_MESSAGES_MAX + 1):
        if not message:
            return total & MASK
        read, write, data, following = (_pointer(firing, "mblk_t", message, member)
                                        for member in ("b_rptr", "b_wptr", "b_datap", "b_cont"))
        if write < read:
            raise DifFault(FaultKind.BADADDR, message)
        if not data_only or firing.load(_member(firing, "dblk_t", data, "db_type"), 1) == b"\0":
            total += write - read
        message = following
    raise DifFault(FaultKind.ILLOP)


def msgsize(firing: Firing, message: int) -> int:
    """msgsize(): bytes in all blocks of an mblk_t."""
    return _message_size(firing, message, False)


def msgdsize(firing: Firing, message: int) -> int:
    """msgdsize(): bytes in its data blocks."""
    return _message_size(firing, message, True)


def getmajor(firing: Firing, device: int) -> int:
    """getmajor(): the upper half of a dev_t."""
    return device >> 32 & 0xFFFFFFFF


def getminor(firing: Firing, device: int) -> int:
    """getminor(): the lower half of a dev_t."""
    return device & 0xFFFFFFFF


def _device_string(firing: Firing, device: int, member: str) -> bytes:
    address = _pointer(firing, "dev_info_t", device, member)
    return firing.string(address) if address else b""


def ddi_pathname(firing: Firing, device: int, minor: int) -> int:
    """Devices of this kernel have no named minor nodes: `minor` never adds a name."""
    firing.require_kernel()
    path = b""
    for _ in range(_DEVICES_MAX + 1):
        if not device:
            break
        name, address = (_device_string(firing, device, member) for member in ("devi_node_name", "devi_addr"))
        device = _pointer(firing, "dev_info_t", device, "devi_parent")
        if not device:
            name = b"devices"
        path = b"/" + name + (b"@" + address if address else b"") + path
    else:
        raise DifFault(FaultKind.ILLOP)
    if len(path) >= firing.strsize:
        raise DifFault(FaultKind.NOSCRATCH)
    return firing.new_string(path, firing.strsize)


# -- processes, speculation, chance -----------------------------------------------------------------

def progenyof(firing: Firing, pid: int) -> int:
    """progenyof(): whether the current process is `pid` or descends from it."""
    firing.require_process()
    return int(firing.context.is_progeny_of(pid & 0xFFFFFFFF))


def speculation(firing: Firing) -> int:
    """speculation(): the number of a new speculation, 0 if there is none to be had."""
    return firing.environment.speculations.open()


def rand(firing: Firing) -> int:
    """rand(): the next of the tracing state's fixed sequence of 64-bit numbers."""
    return firing.environment.random()


def getf(firing: Firing, descriptor: int) -> int:
    """getf(): the kernel address of the descriptor's file_t, 0 if it is not open."""
    firing.require_process()
    firing.file = firing.context.file(descriptor & 0xFFFFFFFF)
    return firing.file


# -- network ------------------------------------------------------------------------------------

def htons(firing: Firing, value: int) -> int:
    """htons(), ntohs(): the machine is little-endian."""
    return int.from_bytes((value & 0xFFFF).to_bytes(2, "little"), "big")


def htonl(firing: Firing, value: int) -> int:
    """htonl(), ntohl()."""
    return int.from_bytes((value & 0xFFFFFFFF).to_bytes(4, "little"), "big")


def htonll(firing: Firing, value: int) -> int:
    """htonll(), ntohll()."""
    return int.from_bytes(value.to_bytes(8, "little"), "big")


ntohs, ntohl, ntohll = htons, htonl, htonll


def inet_ntoa(firing: Firing, address: int) -> int:
    """inet_ntoa(): four bytes in network order, at a kernel address."""
    return firing.new_string_at_end(addresstext.ipv4(firing.load(address, 4)), addresstext.IPV4_ROOM)


def inet_ntoa6(firing: Firing, address: int) -> int:
    """inet_ntoa6(): sixteen bytes; an embedded IPv4 address appears alone."""
    raw = firing.load(address, 16)
    text = addresstext.ipv4(raw[12:]) if addresstext.embeds_ipv4(raw) else addresstext.ipv6(raw)
    return firing.new_string_at_end(text, addresstext.IPV6_ROOM)


# AF_INET6 of a target's kernel, and of the programs here.
_WIDE_FAMILIES = {"illumos": (26, 10), "freebsd": (28, 10)}


def inet_ntop(firing: Firing, family: int, address: int) -> int:
    """inet_ntop(): of AF_INET, or of AF_INET6 by the target's number or the programs'.  ILLOP for another."""
    family &= 0xFFFFFFFF
    if family == 2:  # AF_INET
        return inet_ntoa(firing, address)
    if family not in _WIDE_FAMILIES[firing.environment.platform.target]:
        raise DifFault(FaultKind.ILLOP)
    return firing.new_string_at_end(addresstext.ipv6(firing.load(address, 16)), addresstext.IPV6_ROOM)


def function(name: str) -> Function:
    """The function that is the subroutine of that name.  Raises KeyError."""
    found: Function = vars(strings).get(name) or globals()[name]
    return found


# Subroutines that a target's D has and its kernel does not: a call leaves the destination register as it is.
_ABSENT = {"freebsd": frozenset({"msgsize", "msgdsize", "getmajor", "getminor", "ddi_pathname"})}
_WANTING_OLD = frozenset({"bcopy", "copyinto", "strjoin"})


def _nothing(firing: Firing, *values: int) -> None:
    pass


class Subroutine:
    """A subroutine of one target: its function, and how many tuple values it takes.

    One that is `void` returns nothing.  One with `wants_old` is given what the destination register holds.
    """

    __slots__ = ("function", "max_args", "min_args", "name", "void", "wants_old")

    def __init__(self, row: isa.Subroutine, target: str) -> None:
        absent = row.name in _ABSENT.get(target, ())
        self.name = row.name
        self.function: Function = _nothing if absent else function(row.name)
        self.min_args = row.min_args
        self.max_args = row.max_args
        self.void = absent or row.prototype.startswith("void(")
        self.wants_old = row.name in _WANTING_OLD

    def values(self, values: list[int]) -> list[int]:
        """Tuple values as arguments: what is too many is left out, what is missing is 0."""
        return [*values[:self.max_args], *[0] * (self.min_args - len(values))]


@cache
def subroutines(target: str) -> dict[int, Subroutine]:
    """Subroutines of `target` by number."""
    return {number: Subroutine(row, target) for number, row in isa.subroutines(target).items()}
