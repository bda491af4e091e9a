"""Why a tracing session failed."""

from __future__ import annotations

import errno
import os

from runtime.border import BorderError


class TraceError(Exception):
    """Tracing cannot start or go on; the message is one line for the user."""


class OutputFull(TraceError):
    """As much has been written as may be (-x output)."""


class AnswerError(Exception):
    """What the kernel says does not hold together, or is not about the programs that were enabled.

    The message is one line for the user.
    """


_GO = {
    errno.EACCES: "Destructive actions not allowed",
    errno.EALREADY: "-a claims what is traced already: no probes can be enabled with it",
    errno.ENOENT: "No anonymous tracing state",
    errno.E2BIG: "the principal buffer has no room for what END records (-x bufsize makes it larger)",
    errno.ENOSPC: "a probe records more than a buffer holds (-x bufsize makes it larger)",
    errno.ENOMEM: "Memory allocation failure",
}


def go_error(error: BorderError) -> TraceError:
    """Return what the errno of a GO request means, as an exception."""
    return TraceError(_GO.get(error.errno or 0) or os.strerror(error.errno or 0))
