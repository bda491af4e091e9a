"""Terminal requests on descriptors that belong to the host."""

from __future__ import annotations

import errno
import fcntl
import os
import struct
import termios
from typing import Any

from runtime.kernel.vfs.vnode import failure

TCGETS, TIOCGWINSZ, TIOCGPGRP, TIOCSPGRP, FIONREAD, TIOCGSID = 0x5401, 0x5413, 0x540F, 0x5410, 0x541B, 0x5429
_SETTERS = (0x5402, 0x5403, 0x5404)  # TCSETS, TCSETSW, TCSETSF
_SIZES = {TCGETS: 36, TIOCGWINSZ: 8, FIONREAD: 4}


def host_terminal_ioctl(descriptor: int, thread: Any, request: int, argument: int) -> int:
    """Ask the host's terminal; its settings are not changed.  Raises ENOTTY when it is none."""
    if request != FIONREAD and not os.isatty(descriptor):
        raise failure(errno.ENOTTY)
    if request in _SIZES:
        answer = fcntl.ioctl(descriptor, request, bytes(64))
        thread.write(argument, answer[:_SIZES[request]])
    elif request == TIOCGPGRP:
        thread.write(argument, struct.pack("<i", thread.process.pgid))
    elif request == TIOCGSID:
        thread.write(argument, struct.pack("<i", thread.process.sid))
    elif request not in _SETTERS and request not in (TIOCSPGRP, termios.TIOCSCTTY):
        raise failure(errno.ENOTTY)
    return 0
