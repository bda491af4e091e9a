"""Names of C++ and Rust functions as their programmers wrote them.

C++ names, and Rust's older ones, are mangled by the Itanium C++ ABI; the
host's C++ library undoes that.  Where there is none, names stay as they are.
Rust's newer ones are another matter (runtime.programs.rustnames).
"""

from __future__ import annotations

import re

LONGEST = 4096  # characters of a name that is worth it
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
    if not name.startswith("_Z"):
        return name
    try:
        import cxxfilt

        plain = str(cxxfilt.demangle(name))
    except Exception:  # no C++ library, or no name: cxxfilt's own errors, OSError, UnicodeError
        return name
    hashed = _RUST_HASH.search(plain)
    return _rust(plain[:hashed.start()]) if hashed else plain


def _rust(path: str) -> str:
    """Rust's own escapes, for what may not be in a symbol's name."""
    def replace(match: re.Match[str]) -> str:
        if match[1]:
            code = int(match[1], 16)
            return chr(code) if 0x20 < code < 0xD800 else match[0]
        return _RUST_ESCAPES.get(match[0], match[0])
    path = _RUST_ESCAPE.sub(replace, path)
    return re.sub(r"(^|::)_(?=[<&*(\[])", r"\1", path)
