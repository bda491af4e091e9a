"""The numbers and arguments of the device's ioctl(2) requests, of illumos' kernel and of FreeBSD's.

The structures are those of runtime.border, which are the kernels' own.  A request's number is DTRACEIOC and a
command in illumos; FreeBSD's also tells how many bytes its kernel copies in or out (<sys/ioccom.h>).  Where
FreeBSD's argument is the address of a pointer to the structure, `indirect` says so.
"""

from __future__ import annotations

import struct

from dif.records import NamedTuple
from runtime.border import ARGDESC, BUFDESC, CONF, PROBEDESC, PROVIDERDESC, RECDESC, STATUS, Command

_ILLUMOS = int.from_bytes(b"dtr\0", "big")  # DTRACEIOC
_GROUP = ord("x")  # of FreeBSD's requests
_OUT, _IN = 0x40000000, 0x80000000  # IOC_OUT, IOC_IN
_SIZE_BITS = 0x1FFF

POINTER = struct.Struct("<Q")
CPU = struct.Struct("<i")  # processorid_t
# the parts of descriptions before their records
EPROBE_HEAD = struct.Struct("<IIQIi")  # epid, probe, uarg, size, number of records
AGG_HEAD = struct.Struct("<QqiIIIiI")  # name, variable, flags, id, epid, size, number of records, pad
FORMAT = struct.Struct("<QiH2x")  # dtrace_fmtdesc_t: string, its length, its number
FREEBSD_ENABLE = struct.Struct("<Qi4x")  # dtrace_enable_io_t: DOF, and out of it how many probes matched


class Argument(NamedTuple):
    """What a request's argument points to: a structure of `size` bytes, copied `into` the kernel and `out`.

    `told` is the size that FreeBSD's number has, where that is another; what it points to is then copied by
    the request itself.
    """

    size: int
    into: bool
    out: bool
    told: int = 0
    indirect: bool = False


_SNAPSHOT = Argument(BUFDESC.size, True, False, POINTER.size, True)
ARGUMENTS = {
    Command.PROVIDER: Argument(PROVIDERDESC.size, True, True),
    Command.PROBES: Argument(PROBEDESC.size, True, True),
    Command.BUFSNAP: _SNAPSHOT,
    Command.PROBEMATCH: Argument(PROBEDESC.size, True, True),
    Command.ENABLE: Argument(FREEBSD_ENABLE.size, True, True),
    Command.AGGSNAP: _SNAPSHOT,
    Command.EPROBE: Argument(EPROBE_HEAD.size, True, False, EPROBE_HEAD.size + RECDESC.size, True),
    Command.PROBEARG: Argument(ARGDESC.size, True, True),
    Command.CONF: Argument(CONF.size, False, True),
    Command.STATUS: Argument(STATUS.size, False, True),
    Command.GO: Argument(CPU.size, False, True),
    Command.STOP: Argument(CPU.size, True, True),
    Command.AGGDESC: Argument(AGG_HEAD.size, True, False, POINTER.size, True),
    Command.FORMAT: Argument(FORMAT.size, True, True),
    Command.DOFGET: Argument(0, True, False, POINTER.size, True),
    Command.REPLICATE: Argument(2 * PROBEDESC.size, True, False),
}


def request_number(command: Command, target: str) -> int:
    """The number of a request in the kernel of `target`."""
    if target != "freebsd":
        return _ILLUMOS | command
    argument = ARGUMENTS[command]
    size = (argument.told or argument.size) & _SIZE_BITS
    return (_IN if argument.into else 0) | (_OUT if argument.out else 0) | size << 16 | _GROUP << 8 | command


def commands(target: str) -> dict[int, Command]:
    """The requests of the kernel of `target`, by number."""
    return {request_number(command, target): command for command in ARGUMENTS}
