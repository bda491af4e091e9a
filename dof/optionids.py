"""Numbers of tracing options in OPTDESC sections: DTRACEOPT_* of <sys/dtrace.h>.

What the options are called and take is the compiler's table (dc.options); what a kernel makes of them
is the framework's.
"""

from __future__ import annotations

from enum import IntEnum


class OptionId(IntEnum):
    """DTRACEOPT_*."""

    BUFSIZE = 0
    BUFPOLICY = 1
    DYNVARSIZE = 2
    AGGSIZE = 3
    SPECSIZE = 4
    NSPEC = 5
    STRSIZE = 6
    CLEANRATE = 7
    CPU = 8
    BUFRESIZE = 9
    GRABANON = 10
    FLOWINDENT = 11
    QUIET = 12
    STACKFRAMES = 13
    USTACKFRAMES = 14
    AGGRATE = 15
    SWITCHRATE = 16
    STATUSRATE = 17
    DESTRUCTIVE = 18
    STACKINDENT = 19
    RAWBYTES = 20
    JSTACKFRAMES = 21
    JSTACKSTRSIZE = 22
    AGGSORTKEY = 23
    AGGSORTREV = 24
    AGGSORTPOS = 25
    AGGSORTKEYPOS = 26
    TEMPORAL = 27
    AGGHIST = 28
    AGGPACK = 29
    AGGZOOM = 30
    ZONE = 31


OPTION_MAX = 32  # DTRACEOPT_MAX
UNSET = -2  # DTRACEOPT_UNSET: no value given
