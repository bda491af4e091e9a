"""Why a tracing session failed."""

from __future__ import annotations

import errno
import os

from runtime.border import BorderError


class TraceError(Exception):
    """Tracing cannot start or go on; the message is one line for the user."""


class RecordError(Exception):
    """Buffer bytes that contradict their descriptions."""


_GO = {
    errno.EACCES: "Destructive actions not allowed",
    errno.EALREADY: "Can't claim anonymous state and enable probes",
    errno.ENOENT: "No anonymous tracing state",
    errno.E2BIG: "END enablings exceed size of principal buffer",
    errno.ENOSPC: "Enabling exceeds size of buffer",
    errno.ENOMEM: "Memory allocation failure",
}


def go_error(error: BorderError) -> TraceError:
    """What GO's errno means."""
    return TraceError(_GO.get(error.errno or 0) or os.strerror(error.errno or 0))
