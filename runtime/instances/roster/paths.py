"""Where an instance is: `p1/vm1`, and which paths a pattern means.

A path is names from the host down, separated by slashes; the host's own is `host`.  In a pattern, a part may
be a glob, which stands for one level; the part `**` stands for any number of levels, also for none.
An empty pattern means the host.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from dof.globs import matcher

HOST = "host"
LONGEST = 1024
_FORBIDDEN = frozenset(":/*?[]\\{}\"'$ ")


def mistake_in(path: str) -> str | None:
    """Return what is wrong with the path of an instance; None if nothing is."""
    if not path:
        return "must not be empty"
    if len(path.encode("utf-8", "surrogateescape")) > LONGEST:
        return f"may have {LONGEST} bytes"
    for part in path.split("/"):
        if not part or part in (".", ".."):
            return "must be names with a slash between each two"
        if not part.isprintable() or not _FORBIDDEN.isdisjoint(part):
            return "must be of letters, digits and signs that are not special in D"
    return None


@lru_cache(maxsize=4096)
def matches(pattern: str, path: str) -> bool:
    """Return whether a pattern means the instance with this path."""
    return _match((pattern or HOST).split("/"), path.split("/"))


def _match(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    """Compare part by part, with the rest that each `**` may leave."""
    ends = {0}  # how many parts the pattern so far may have taken
    for each in pattern:
        if each == "**":
            ends = set(range(min(ends), len(parts) + 1)) if ends else ends
            continue
        test = matcher(each) if each else "".__eq__
        ends = {end + 1 for end in ends if end < len(parts) and (test is None or test(parts[end]))}
    return len(parts) in ends


def last(path: str) -> str:
    """The last name of a path, which is the built-in variable `vmname`."""
    return path.rpartition("/")[2]


def shown(text: str) -> str:
    """A name from elsewhere as it may be printed: control characters are escaped."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" if ord(c) < 256 else f"\\u{ord(c):04x}"
                   for c in text)
