"""DIF subroutines: one function a row of the ISA table, shared by both engines.

A function takes the firing and the tuple's values (unsigned 64-bit) and
returns a 64-bit value; one whose prototype is void returns None, and the
destination register stays as it is.  Faults are DifFault.
"""

from __future__ import annotations

from collections.abc import Callable

from dif import isa
from runtime.framework import inet, strings
from runtime.framework.faults import DifFault, Fault
from runtime.framework.firing import Firing

Function = Callable[..., int | None]

_M = 0xFFFFFFFFFFFFFFFF
_AF_INET, _AF_INET6 = 2, 26  # <sys/socket.h> of illumos
_MESSAGES_MAX = 128  # blocks of one message
_DEVICES_MAX = 32  # depth of the device tree


# -- memory ------------------------------------------------------------------------------------

def alloca(firing: Firing, size: int) -> int:
    return firing.allocate(size, 8)


def bcopy(firing: Firing, source: int, destination: int, size: int) -> None:
    if not firing.in_scratch(destination, size):
        raise DifFault(Fault.BADADDR, destination)
    firing.put(destination, firing.load(source, size))


def _copy_in(firing: Firing, source: int, destination: int, size: int) -> None:
    if size:
        firing.put(destination, firing.user(source, size))


def copyin(firing: Firing, source: int, size: int) -> int:
    destination = firing.allocate(size, 8)
    _copy_in(firing, source, destination, size)
    return destination


def copyinto(firing: Firing, source: int, size: int, destination: int) -> None:
    if not firing.in_scratch(destination, size):
        raise DifFault(Fault.BADADDR, destination)
    _copy_in(firing, source, destination, size)


def copyinstr(firing: Firing, source: int, size: int | None = None) -> int:
    room = firing.strsize
    if size is not None and size < room:
        room = size + 1
    if firing.scratch_next + room > firing.scratch_end:
        raise DifFault(Fault.NOSCRATCH)
    return firing.new_string(firing.user_string(source, room), room)


def _may_control(firing: Firing) -> None:
    firing.require_process()


def copyout(firing: Firing, source: int, destination: int, size: int) -> None:
    _may_control(firing)
    firing.store_user(destination, firing.load(source, size))


def copyoutstr(firing: Firing, source: int, destination: int, size: int) -> None:
    _may_control(firing)
    limit = min(size, firing.strsize)
    text = firing.string(source, limit)
    firing.store_user(destination, (text + b"\0")[:limit])


def memref(firing: Firing, address: int, size: int) -> int:
    pair = firing.allocate(16, 8)
    firing.put(pair, address.to_bytes(8, "little") + size.to_bytes(8, "little"))
    return pair


# -- kernel synchronization objects (<sys/mutex_impl.h>, <sys/rwlock_impl.h>) -----------------------

def _word(firing: Firing, address: int) -> int:
    return int.from_bytes(firing.load(address, 8), "little")


def _is_spin(word: int) -> bool:
    return word & 0xFF == 0xFF  # m_dummylock of a spin mutex is always held


def mutex_owned(firing: Firing, mutex: int) -> int:
    word = _word(firing, mutex)
    return int(bool(word >> 8 & 0xFF if _is_spin(word) else word & ~7))


def mutex_owner(firing: Firing, mutex: int) -> int:
    word = _word(firing, mutex)
    return 0 if _is_spin(word) else word & ~7


def mutex_type_adaptive(firing: Firing, mutex: int) -> int:
    return int(not _is_spin(_word(firing, mutex)))


def mutex_type_spin(firing: Firing, mutex: int) -> int:
    return int(_is_spin(_word(firing, mutex)))


_RW_WRITE_LOCKED, _RW_FLAGS = 4, 7


def rw_read_held(firing: Firing, lock: int) -> int:
    word = _word(firing, lock)
    return int(not word & _RW_WRITE_LOCKED and word & ~_RW_FLAGS != 0)


def rw_write_held(firing: Firing, lock: int) -> int:
    return int(_word(firing, lock) & _RW_WRITE_LOCKED != 0)


def rw_iswriter(firing: Firing, lock: int) -> int:
    word = _word(firing, lock)
    return int(word & _RW_WRITE_LOCKED != 0 and word & ~_RW_FLAGS == firing.context.address)


# -- STREAMS messages and devices -----------------------------------------------------------------

_B_CONT, _B_RPTR, _B_WPTR, _B_DATAP, _DB_TYPE = 16, 24, 32, 40, 25  # <sys/stream.h>, LP64


def _message_size(firing: Firing, message: int, data_only: bool) -> int:
    total = 0
    for _ in range(_MESSAGES_MAX + 1):
        if not message:
            return total & _M
        read, write = _word(firing, message + _B_RPTR), _word(firing, message + _B_WPTR)
        if write < read:
            raise DifFault(Fault.BADADDR, message)
        data = _word(firing, message + _B_DATAP)
        if not data_only or firing.load(data + _DB_TYPE, 1) == b"\0":
            total += write - read
        message = _word(firing, message + _B_CONT)
    raise DifFault(Fault.ILLOP)


def msgsize(firing: Firing, message: int) -> int:
    return _message_size(firing, message, False)


def msgdsize(firing: Firing, message: int) -> int:
    return _message_size(firing, message, True)


def getmajor(firing: Firing, device: int) -> int:
    return device >> 32 & 0xFFFFFFFF


def getminor(firing: Firing, device: int) -> int:
    return device & 0xFFFFFFFF


# struct dev_info and ddi_minor_data (<sys/ddi_impldefs.h>), LP64
_DEVI_PARENT, _DEVI_NODE_NAME, _DEVI_ADDR, _DEVI_MINOR, _DEVI_STATE = 0, 48, 32, 136, 160
_DS_INITIALIZED = 4
_MINOR_NEXT, _MINOR_NAME, _MINOR_DEV = 8, 16, 24


def _minor_name(firing: Firing, device: int, minor: int) -> bytes:
    node = _word(firing, device + _DEVI_MINOR)
    for _ in range(1024):
        if not node:
            return b""
        if _word(firing, node + _MINOR_DEV) & 0xFFFFFFFF == minor:
            return firing.string(_word(firing, node + _MINOR_NAME))
        node = _word(firing, node + _MINOR_NEXT)
    raise DifFault(Fault.ILLOP)


def ddi_pathname(firing: Firing, device: int, minor: int) -> int:
    firing.require_kernel()
    path = b""
    if minor != _M:
        name = _minor_name(firing, device, minor)
        path = b":" + name if name else b""
    for _ in range(_DEVICES_MAX + 1):
        if not device:
            break
        state = int.from_bytes(firing.load(device + _DEVI_STATE, 4), "little")
        address = firing.string(_word(firing, device + _DEVI_ADDR)) if state >= _DS_INITIALIZED else b""
        name = firing.string(_word(firing, device + _DEVI_NODE_NAME))
        device = _word(firing, device + _DEVI_PARENT)
        if not device:
            name = b"devices"
        path = b"/" + name + (b"@" + address if address else b"") + path
    else:
        raise DifFault(Fault.ILLOP)
    if len(path) >= firing.strsize:
        raise DifFault(Fault.NOSCRATCH)
    return firing.new_string(path, firing.strsize)


# -- processes, speculation, chance -----------------------------------------------------------------

def progenyof(firing: Firing, pid: int) -> int:
    return int(firing.context.is_progeny_of(pid & 0xFFFFFFFF))


def speculation(firing: Firing) -> int:
    return firing.state.speculations.open()


def rand(firing: Firing) -> int:
    return firing.state.random()


def getf(firing: Firing, descriptor: int) -> int:
    firing.require_process()
    firing.file = firing.context.file(descriptor & 0xFFFFFFFF)
    return firing.file


# -- network ------------------------------------------------------------------------------------

def swap16(firing: Firing, value: int) -> int:
    return int.from_bytes((value & 0xFFFF).to_bytes(2, "little"), "big")


def swap32(firing: Firing, value: int) -> int:
    return int.from_bytes((value & 0xFFFFFFFF).to_bytes(4, "little"), "big")


def swap64(firing: Firing, value: int) -> int:
    return int.from_bytes(value.to_bytes(8, "little"), "big")


def _right_aligned(firing: Firing, text: bytes, room: int) -> int:
    """A string at the end of `room` bytes of scratch space."""
    address = firing.allocate(room) + room - 1 - len(text)
    firing.put(address, text + b"\0")
    return address


def inet_ntoa(firing: Firing, address: int) -> int:
    return _right_aligned(firing, inet.ipv4(firing.load(address, 4)), inet.IPV4_ROOM)


def inet_ntoa6(firing: Firing, address: int) -> int:
    raw = firing.load(address, 16)
    text = inet.ipv4(raw[12:]) if inet.embeds_ipv4(raw) else inet.ipv6(raw)
    return _right_aligned(firing, text, inet.IPV6_ROOM)


def inet_ntop(firing: Firing, family: int, address: int) -> int:
    match family & 0xFFFFFFFF:
        case 2:
            return inet_ntoa(firing, address)
        case 26 | 28 | 10:  # AF_INET6 of illumos, FreeBSD and the emulated Linux programs
            return _right_aligned(firing, inet.ipv6(firing.load(address, 16)), inet.IPV6_ROOM)
    raise DifFault(Fault.ILLOP)


_FUNCTIONS: dict[str, Function] = {
    "rand": rand,
    "mutex_owned": mutex_owned,
    "mutex_owner": mutex_owner,
    "mutex_type_adaptive": mutex_type_adaptive,
    "mutex_type_spin": mutex_type_spin,
    "rw_read_held": rw_read_held,
    "rw_write_held": rw_write_held,
    "rw_iswriter": rw_iswriter,
    "sx_shared_held": rw_read_held,
    "sx_exclusive_held": rw_write_held,
    "sx_isexclusive": rw_iswriter,
    "copyin": copyin,
    "copyinstr": copyinstr,
    "copyinto": copyinto,
    "copyout": copyout,
    "copyoutstr": copyoutstr,
    "alloca": alloca,
    "bcopy": bcopy,
    "memref": memref,
    "msgsize": msgsize,
    "msgdsize": msgdsize,
    "getmajor": getmajor,
    "getminor": getminor,
    "ddi_pathname": ddi_pathname,
    "progenyof": progenyof,
    "speculation": speculation,
    "getf": getf,
    "htons": swap16, "htonl": swap32, "htonll": swap64,
    "ntohs": swap16, "ntohl": swap32, "ntohll": swap64,
    "inet_ntop": inet_ntop,
    "inet_ntoa": inet_ntoa,
    "inet_ntoa6": inet_ntoa6,
    "strlen": strings.strlen,
    "strchr": strings.strchr,
    "strrchr": strings.strrchr,
    "strstr": strings.strstr,
    "strtok": strings.strtok,
    "substr": strings.substr,
    "index": strings.index,
    "rindex": strings.rindex,
    "strjoin": strings.strjoin,
    "toupper": strings.toupper,
    "tolower": strings.tolower,
    "strtoll": strings.strtoll,
    "lltostr": strings.lltostr,
    "dirname": strings.dirname,
    "basename": strings.basename,
    "cleanpath": strings.cleanpath,
    "json": strings.json,
    "memstr": strings.memstr,
}


class Bound:
    """A subroutine of one target: its function, and how many tuple values it takes."""

    __slots__ = ("function", "max_args", "min_args", "name", "void")

    def __init__(self, row: isa.Subroutine) -> None:
        self.name = row.name
        self.function = _FUNCTIONS[row.name]
        self.min_args = row.min_args
        self.max_args = row.max_args
        self.void = row.prototype.startswith("void(")

    def values(self, values: list[int]) -> list[int]:
        """Tuple values as arguments: what is too many is left out, what is missing is 0."""
        missing = self.min_args - len(values)
        return values[:self.max_args] if missing <= 0 else values + [0] * missing


def bound(target: str) -> dict[int, Bound]:
    """Subroutines of `target` by number."""
    return {number: Bound(row) for number, row in isa.subroutines(target).items()}
