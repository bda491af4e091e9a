"""The versions of D: what -V prints, -x version takes, and __SUNW_D_VERSION says.

Source: the versions that libdtrace has been known under; names that a version brought are dc.names.builtins'.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dif.isa import Version

# How many micro versions each minor one of D 1 has had: 1.0, 1.1, 1.2, 1.2.1, 1.2.2, 1.3, ...
_MICROS = (1, 1, 3, 1, 2, 1, 4, 2, 2, 2, 1, 1, 2, 2)
VERSIONS: tuple[Version, ...] = tuple([(1, minor, micro) for minor, micros in enumerate(_MICROS)
                                       for micro in range(micros)])
LATEST = VERSIONS[-1]


def parse(text: str) -> Version | None:
    """"1", "1.2" or "1.2.3" as three numbers (at most 255.4095.4095); None if it is not a version."""
    parts = text.split(".")
    if len(parts) > 3 or len(text) > 20 or not text.isascii() or not all(map(str.isdigit, parts)):
        return None
    major, minor, micro = (*map(int, parts), 0, 0)[:3]
    return (major, minor, micro) if major <= 255 and minor <= 4095 and micro <= 4095 else None


def spell(version: Version) -> str:
    """The shortest form: "1.2" for 1.2.0."""
    major, minor, micro = version
    return f"{major}.{minor}.{micro}" if micro else f"{major}.{minor}"


def number(version: Version) -> int:
    """As __SUNW_D_VERSION has it: 8 bits, 12 bits and 12 bits."""
    major, minor, micro = version
    return major << 24 | minor << 12 | micro
