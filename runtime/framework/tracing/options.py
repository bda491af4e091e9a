"""The kernel's view of tracing options: numbers, defaults and bounds.

Numbers are DTRACEOPT_* of <sys/dtrace.h>; sizes are bytes, rates nanoseconds.
"""

from __future__ import annotations

from enum import IntEnum

from dof.format import STRSIZE_DEFAULT
from dof.optionids import OPTION_MAX, UNSET, OptionId

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
    OptionId.BUFPOLICY: Policy.SWITCH,
    OptionId.BUFRESIZE: Resize.AUTO,
    OptionId.NSPEC: 1,
    OptionId.SPECSIZE: 32 * 1024,
    OptionId.CPU: CPU_ALL,
    OptionId.STRSIZE: STRSIZE_DEFAULT,
    OptionId.STACKFRAMES: 20,
    OptionId.USTACKFRAMES: 20,
    OptionId.CLEANRATE: 9_900_990,  # 101 Hz
    OptionId.AGGRATE: SECOND,
    OptionId.SWITCHRATE: SECOND,
    OptionId.STATUSRATE: SECOND,
    OptionId.JSTACKFRAMES: 50,
    OptionId.JSTACKSTRSIZE: 512,
}


def defaults() -> list[int]:
    """A fresh table of every option's value, by number; UNSET where there is no default."""
    return [int(_DEFAULTS.get(OptionId(number), UNSET)) for number in range(OPTION_MAX)]
