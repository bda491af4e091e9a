"""Names of C++ and Rust functions as their programmers wrote them.

C++ names, and Rust's older ones, are mangled by the Itanium C++ ABI; the
host's C++ library undoes that.  Where there is none, names stay as they are.
Rust's newer ones are another matter (runtime.programs.rustnames).

A name may refer to parts of itself, so that what it stands for doubles with every few characters.  The
library has no limit of its own.  It works on a name that could become very long in a process of its own,
which may take little memory and little time.
"""

from __future__ import annotations

import re

LONGEST = 4096  # characters of a name that is worth it
LONGEST_PLAIN = 1 << 14  # characters of what a name stands for, as rustnames.LONGEST
HARMLESS = 1 << 22  # characters that the library may write here: that takes it a few milliseconds
WIDEST = 32  # characters that one letter stands for, in the mean at most
# What repeats an earlier part: a substitution and a template's parameter double a name at most.  An
# expansion repeats what it holds for every argument, of which there may be 4096.
_REPEATS = re.compile(r"[ST][0-9A-Z]*_|(Dp|sp)")
_DOUBLINGS = 12  # of an expansion
_NAME = re.compile(r"_Z[!-~]+")
MEMORY, SECONDS = 256 << 20, 1  # bytes and processor time of the process that demangles one name
_RUST_HASH = re.compile(r"::h[0-9a-f]{16}$")
_RUST_ESCAPES = {"$SP$": "@", "$BP$": "*", "$RF$": "&", "$LT$": "<", "$GT$": ">", "$LP$": "(", "$RP$": ")",
                 "$C$": ",", "..": "::"}
_RUST_ESCAPE = re.compile(r"\$[A-Z]{1,2}\$|\.\.|\$u([0-9a-f]{1,6})\$")


def demangle(name: str) -> str:
    """The name as its programmer wrote it; the same name if it is not mangled, or wrongly."""
    if len(name) > LONGEST:
        return name
    if name.startswith(("_R", "__R")):
        from runtime.programs import rustnames

        return rustnames.demangle(name) or name
    if not _NAME.fullmatch(name):
        return name
    plain = _undone(name) if _growth(name) <= HARMLESS else _undone_apart(name)
    if plain is None or len(plain) > LONGEST_PLAIN:
        return name
    hashed = _RUST_HASH.search(plain)
    return _rust(plain[:hashed.start()]) if hashed else plain


def _growth(name: str) -> int:
    """Return how many characters a name can stand for at most."""
    doublings = sum(_DOUBLINGS if match[1] else 1 for match in _REPEATS.finditer(name))
    return WIDEST * len(name) << doublings


def _undone(name: str) -> str | None:
    """The C++ library's opinion; None if there is no library, or if it is no name."""
    try:
        import cxxfilt

        return str(cxxfilt.demangle(name))
    except Exception:  # cxxfilt's own errors, OSError, UnicodeError
        return None


def _undone_apart(name: str) -> str | None:
    """As _undone(), by a process that ends when the name takes too much memory or time."""
    import subprocess
    import sys

    try:
        import cxxfilt

        done = subprocess.run(
            [sys.executable, "-c", _APART, name, str(MEMORY), str(SECONDS), str(LONGEST_PLAIN)],
            capture_output=True, check=True, start_new_session=True,
            env={"PYTHONPATH": cxxfilt.__path__[0].rpartition("/")[0]}, cwd="/")
    except (ImportError, OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("ascii", "replace") or None


_APART = """
import resource, sys
from cxxfilt import demangleb
name, memory, seconds, longest = sys.argv[1].encode(), *map(int, sys.argv[2:])
resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
plain = demangleb(name)
sys.stdout.buffer.write(plain if len(plain) <= longest else b"")
"""


def _rust(path: str) -> str:
    """Rust's own escapes, for what may not be in a symbol's name."""
    def replace(match: re.Match[str]) -> str:
        if match[1]:
            code = int(match[1], 16)
            return chr(code) if 0x20 < code < 0xD800 else match[0]
        return _RUST_ESCAPES.get(match[0], match[0])
    path = _RUST_ESCAPE.sub(replace, path)
    return re.sub(r"(^|::)_(?=[<&*(\[])", r"\1", path)
