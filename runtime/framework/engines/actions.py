"""Actions: what each does or records when its clause fires.

Both engines call these.  An effect gets the action's value; a recorder
returns what goes into the action's record, an integer for by-value records
of 1, 2, 4 or 8 bytes and bytes (at most the record's size) for all others.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from dif import isa
from dif.arithmetic import MASK
from dof.model import ActionKind
from dof.options import SECOND
from runtime.framework.base.faults import DifFault, FaultKind
from runtime.framework.base.host import Host, MemoryFault
from runtime.framework.firing.firing import Firing
from runtime.framework.tracing.clauses import Action
from runtime.framework.tracing.state import Ecb
from runtime.framework.values.builtins import kernel_stack

Value = int | bytes
_SIGNALS = 65  # NSIG
CHILL_INTERVAL = SECOND
CHILL_MAX = 500_000_000  # nanoseconds in any such interval


class Drop(Exception):
    """The clause ends without a fault, and its record is dropped without being counted."""


# -- effects ------------------------------------------------------------------------------------------

def _stop(firing: Firing, ecb: Ecb, value: int) -> None:
    firing.require_destruction()
    firing.host.stop_process(firing.context)


def _raise(firing: Firing, ecb: Ecb, value: int) -> None:
    firing.require_destruction()
    if value >= _SIGNALS:
        raise DifFault(FaultKind.ILLOP)
    if value:  # 0 is no signal
        firing.host.raise_signal(firing.context, value)


def _breakpoint(firing: Firing, ecb: Ecb, value: int) -> None:
    firing.require_kernel_destruction()
    firing.host.breakpoint()


def _panic(firing: Firing, ecb: Ecb, value: int) -> None:
    firing.require_kernel_destruction()
    probe = ":".join(ecb.probe.description[:4])
    firing.host.panic(f"dtrace: panic action at probe {probe} (epid {ecb.epid})")


def _chill(firing: Firing, ecb: Ecb, value: int) -> None:
    firing.require_kernel_destruction()
    chilled = ecb.state.chilled
    now = firing.host.hrtime()
    mark, spent = chilled.get(firing.cpu, (now, 0))
    if now - mark > CHILL_INTERVAL:
        mark, spent = now, 0
    if spent + value > CHILL_MAX:
        raise DifFault(FaultKind.ILLOP)
    firing.host.chill(value)
    firing.timestamp = 0
    chilled[firing.cpu] = mark, spent + value


def _discard(firing: Firing, ecb: Ecb, value: int) -> None:
    firing.environment.speculations.discard(value, firing.cpu)


EFFECTS: dict[int, Callable[[Firing, Ecb, int], None]] = {
    ActionKind.STOP: _stop,
    ActionKind.RAISE: _raise,
    ActionKind.BREAKPOINT: _breakpoint,
    ActionKind.PANIC: _panic,
    ActionKind.CHILL: _chill,
    ActionKind.DISCARD: _discard,
}


# -- records --------------------------------------------------------------------------------------------

def _words(values: list[int], size: int) -> bytes:
    count = min(len(values), size // 8)
    return struct.pack(f"<{count}Q", *[value & MASK for value in values[:count]])


def _stack(firing: Firing, ecb: Ecb, action: Action, value: int) -> Value:
    firing.require_kernel()
    return _words(kernel_stack(firing, action.size // 8), action.size)


def user_stack(host: Host, limit: int) -> bytes:
    """What ustack() records without names: the process and at most `limit` program counters, 64 bits each.

    Raises DifFault(BADADDR).
    """
    context = host.current
    pid = context.pid
    if not pid:
        return b""
    host.probing = True
    try:
        pcs = context.user_stack(limit)
    except MemoryFault as fault:
        raise DifFault(FaultKind.BADADDR, fault.address) from None
    finally:
        host.probing = False
    return struct.pack(f"<{len(pcs) + 1}Q", pid, *pcs)


def _ustack(firing: Firing, ecb: Ecb, action: Action, value: int) -> Value:
    firing.require_process()
    frames, room = action.arg & 0xFFFFFFFF, action.arg >> 32
    pid, helpers = firing.context.pid, ecb.state.tracing.helpers()
    if not room or not pid or not helpers.has_actions(pid):
        return user_stack(firing.host, frames)
    found = firing.user_frames(frames)
    data = _words([pid, *(pc for pc, _ in found)], (frames + 1) * 8)
    names = helpers.frame_names(firing, found, room)
    if len(names) >= room:  # they leave no byte to spare
        ecb.state.stack_string_overflows += 1
    return data.ljust((frames + 1) * 8, b"\0") + names[:room].ljust(room, b"\0")


def _symbol(firing: Firing, ecb: Ecb, action: Action, value: int) -> Value:
    firing.require_kernel()
    return value


def _user_symbol(firing: Firing, ecb: Ecb, action: Action, value: int) -> Value:
    firing.require_process()
    return struct.pack("<QQ", firing.context.pid, value)


def _exit(firing: Firing, ecb: Ecb, action: Action, value: int) -> Value:
    if not ecb.state.exit_requested():
        raise Drop
    return value & 0xFFFFFFFF


def _printm(firing: Firing, ecb: Ecb, action: Action, value: int) -> Value:
    address, size = struct.unpack("<QQ", firing.load(value, 16))
    if size + 8 > action.size:
        raise Drop
    return struct.pack("<Q", size) + firing.load_to_end(address, size)


RECORDERS: dict[int, Callable[[Firing, Ecb, Action, int], Value]] = {
    ActionKind.STACK: _stack,
    ActionKind.USTACK: _ustack,
    ActionKind.JSTACK: _ustack,
    ActionKind.SYM: _symbol,
    ActionKind.MOD: _symbol,
    ActionKind.USYM: _user_symbol,
    ActionKind.UMOD: _user_symbol,
    ActionKind.UADDR: _user_symbol,
    ActionKind.EXIT: _exit,
    ActionKind.PRINTM: _printm,
}


def expression(firing: Firing, action: Action, value: int, limit: int) -> Value:
    """What an expression records: of memory at most `limit` bytes (tracemem's dynamic size)."""
    rtype = action.code.difo.rtype if action.code is not None else None
    if rtype is None or not rtype.by_reference:
        return value
    user = not rtype.flags & isa.TF_BYREF
    if rtype.kind == isa.TYPE_STRING:
        return firing.user_string(value, action.size) if user else firing.string(value, action.size)
    size = min(action.size, limit)
    return firing.user(value, size) if user else firing.load_to_end(value, size)
