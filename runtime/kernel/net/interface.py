"""The one network interface, the loopback, as the ioctls of a socket tell of it (netdevice(7))."""

from __future__ import annotations

import errno
import struct

from runtime.kernel.net.address import AF_INET
from runtime.kernel.vfs.vnode import failure

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.base.caller import Caller

NAME, INDEX, MTU, QUEUE = b"lo", 1, 65536, 1000
FLAGS = 0x49  # it is up, a loopback, and runs
LOCALHOST, NETMASK = b"\x7f\0\0\1", b"\xff\0\0\0"
ARPHRD_LOOPBACK = 772
IFNAMSIZ = 16
SIOCGIFNAME, SIOCGIFCONF = 0x8910, 0x8912


def _sockaddr(host: bytes) -> bytes:
    return struct.pack("<HH", AF_INET, 0) + host


_ANSWERS = {
    0x8913: struct.pack("<H", FLAGS), 0x891D: bytes(4), 0x8921: struct.pack("<I", MTU),
    0x8927: struct.pack("<H", ARPHRD_LOOPBACK) + bytes(14), 0x8933: struct.pack("<I", INDEX),
    0x8942: struct.pack("<I", QUEUE), 0x8970: bytes(16),  # flags, metric, MTU, address, index, queue, map
}
_OF_IPV4 = {  # its address, the other end's, that of broadcasts, the mask
    0x8915: _sockaddr(LOCALHOST), 0x8917: _sockaddr(LOCALHOST), 0x8919: _sockaddr(bytes(4)),
    0x891B: _sockaddr(NETMASK),
}


def interface_ioctl(thread: Caller, family: int, request: int, argument: int) -> bool:
    """Answer a request about interfaces; returns False for another one.  Raises ENODEV, MemoryFault."""
    if request == SIOCGIFCONF:
        _list(thread, argument)
        return True
    if request == SIOCGIFNAME:
        if int.from_bytes(thread.read(argument + IFNAMSIZ, 4), "little") != INDEX:
            raise failure(errno.ENODEV)
        thread.write(argument, NAME.ljust(IFNAMSIZ, b"\0"))
        return True
    answer = _ANSWERS.get(request) or (_OF_IPV4.get(request) if family == AF_INET else None)
    if answer is None:
        return False
    if thread.read(argument, IFNAMSIZ).split(b"\0", 1)[0] != NAME:
        raise failure(errno.ENODEV)
    thread.write(argument + IFNAMSIZ, answer)
    return True


def _list(thread: Caller, argument: int) -> None:
    """Fill a struct ifconf: one struct ifreq, or only its size where there is no buffer."""
    wide = thread.process.bits == 64
    form, size = struct.Struct("<i4xQ" if wide else "<iI"), 40 if wide else 32
    room, buffer = form.unpack(thread.read(argument, form.size))
    if buffer:
        entry = NAME.ljust(IFNAMSIZ, b"\0") + _sockaddr(LOCALHOST)
        size = size if room >= size else 0
        thread.write(buffer, entry.ljust(size, b"\0")[:size])
    thread.write(argument, struct.pack("<i", size))
