"""The kernel's view of tracing options: numbers, defaults and bounds.

Numbers are DTRACEOPT_* of <sys/dtrace.h>; sizes are bytes, rates nanoseconds.
"""

from __future__ import annotations

from enum import IntEnum


class Opt(IntEnum):
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
UNSET = -2  # DTRACEOPT_UNSET
CPU_ALL = 0xFFFFFFFF  # DTRACE_CPUALL
VALUE_MAX = (1 << 63) - 1


class Policy(IntEnum):
    """DTRACEOPT_BUFPOLICY_*."""

    RING = 0
    FILL = 1
    SWITCH = 2


class Resize(IntEnum):
    """DTRACEOPT_BUFRESIZE_*."""

    AUTO = 0
    MANUAL = 1


SECOND = 1_000_000_000
CLEANRATE_MIN = SECOND // 5000
CLEANRATE_MAX = 60 * SECOND
STATUSRATE_MAX = 10 * SECOND
DYNVARSIZE_DEFAULT = 1 << 20
DYNVARSIZE_MAX = 1 << 30
STRSIZE_MAX = 1 << 24
SPECULATIONS_MAX = 1 << 30  # bytes of all speculation buffers together
NSPEC_MAX = 0x7FFFFFFF

_DEFAULTS = {
    Opt.BUFPOLICY: Policy.SWITCH,
    Opt.BUFRESIZE: Resize.AUTO,
    Opt.NSPEC: 1,
    Opt.SPECSIZE: 32 * 1024,
    Opt.CPU: CPU_ALL,
    Opt.STRSIZE: 256,
    Opt.STACKFRAMES: 20,
    Opt.USTACKFRAMES: 20,
    Opt.CLEANRATE: 9_900_990,  # 101 Hz
    Opt.AGGRATE: SECOND,
    Opt.SWITCHRATE: SECOND,
    Opt.STATUSRATE: SECOND,
    Opt.JSTACKFRAMES: 50,
    Opt.JSTACKSTRSIZE: 512,
}


def defaults() -> list[int]:
    """A fresh table of every option's value, by number; UNSET where there is no default."""
    return [int(_DEFAULTS.get(Opt(number), UNSET)) for number in range(OPTION_MAX)]
