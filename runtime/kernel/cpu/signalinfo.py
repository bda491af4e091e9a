"""siginfo_t, which is the same for x86 and AArch64 (<asm-generic/siginfo.h>)."""

from __future__ import annotations

import struct

from runtime.kernel.base.clock import TICK
from runtime.kernel.base.signals import INFO_SIZE, SignalInfo


def pack_info(info: SignalInfo, bits: int) -> bytes:
    """Return a siginfo_t, 128 bytes."""
    word = "Q" if bits == 64 else "I"
    head = struct.pack("<iii", info.signal, 0, info.code) + (b"\0" * 4 if bits == 64 else b"")
    value = info.value & ((1 << bits) - 1)
    if info.layout == "fault":
        body = struct.pack("<" + word, info.address & ((1 << bits) - 1))
    elif info.layout == "child":
        times = "4x" if bits == 64 else ""
        body = struct.pack(f"<iIi{times}{word}{word}", info.pid, info.uid, info.status, info.utime // TICK,
                           info.stime // TICK)
    elif info.layout == "poll":
        body = struct.pack(f"<{word}i", value, info.status)
    else:
        body = struct.pack("<iI" + word, info.pid, info.uid & 0xFFFFFFFF, value)
    return (head + body).ljust(INFO_SIZE, b"\0")


def unpack_info(data: bytes, bits: int) -> SignalInfo:
    """Return what a program's siginfo_t says (rt_sigqueueinfo(2))."""
    signal, _errno, code = struct.unpack_from("<iii", data)
    at = 16 if bits == 64 else 12
    pid, uid, value = struct.unpack_from("<iIQ" if bits == 64 else "<iII", data, at)
    return SignalInfo(signal, code, pid=pid, uid=uid, value=value)
