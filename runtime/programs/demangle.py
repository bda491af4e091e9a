"""Names of C++ and Rust functions as their programmers wrote them.

C++ names, and Rust's older ones, are mangled by the Itanium C++ ABI; the
host's C++ library undoes that.  Where there is none, names stay as they are.
Rust's newer ones are another matter (runtime.programs.rustnames).

A name may refer to parts of itself, so that what it stands for doubles with every few characters.  The
library has no limit of its own.  A process of its own, which may take little memory and little time for each,
works on names that could become very long.
"""

from __future__ import annotations

import re
import unicodedata
import weakref
from collections.abc import Callable

from dif.limits import PLAIN_NAME

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from subprocess import Popen

MANGLED = 4  # a mangled name may have so many times fewer characters than what names stand for
HARMLESS = 1 << 22  # characters that the library may write here: that takes it a few milliseconds
WIDEST = 32  # characters that one letter stands for, in the mean at most
# What repeats an earlier part: a substitution and a template's parameter double a name at most.  An
# expansion repeats what it holds for every argument, of which there may be 4096.
_REPEATS = re.compile(r"[ST][0-9A-Z]*_|(Dp|sp)")
_DOUBLINGS = 12  # of an expansion
_NAME = re.compile(r"_Z[!-~]+")
MEMORY, SECONDS = 256 << 20, 1  # bytes of the process, and its processor time for one name
DEATHS = 16  # of such processes; long names stay as they are then
_RUST_HASH = re.compile(r"::h[0-9a-f]{16}$")
_RUST_ESCAPES = {"SP": "@", "BP": "*", "RF": "&", "LT": "<", "GT": ">", "LP": "(", "RP": ")", "C": ","}
_RUST_PIECE = re.compile(r"\$(?:u(?P<code>[0-9a-f]{1,6})|(?P<word>[A-Z]{1,2}))\$|(?P<colons>\.\.)|[^$.]+|\.")


class Demangler:
    """Demangles names.  The process for names that could become long starts with the first of them.

    Names that stand for more than `longest` characters stay as they are; `tell` is called with words for it.
    """

    def __init__(self, longest: int = PLAIN_NAME, tell: Callable[[str], None] = lambda _text: None) -> None:
        self._longest, self._tell = longest, tell
        self._process: Popen[bytes] | None = None
        self._deaths = 0

    def demangle(self, name: str) -> str:
        """The name as its programmer wrote it; the same name if it is not mangled, or wrongly."""
        if len(name) > self._longest // MANGLED:
            return self._too_long(name)
        if name.startswith(("_R", "__R")):
            from runtime.programs import rustnames

            try:
                return rustnames.demangle(name, self._longest) or name
            except rustnames.TooLong:
                return self._too_long(name)
        if not _NAME.fullmatch(name):
            return name
        plain = _undone(name) if _growth(name) <= HARMLESS else self._undone_apart(name)
        if plain is None:
            return name
        if len(plain) > self._longest:
            return self._too_long(name)
        hashed = _RUST_HASH.search(plain)
        return _rust(plain[:hashed.start()]) if hashed else plain

    def _too_long(self, name: str) -> str:
        self._tell(f"names stay mangled: more than {self._longest} characters (-x demangled={self._longest})")
        return name

    def _undone_apart(self, name: str) -> str | None:
        """As _undone(), by a process that ends when the name takes too much memory or time."""
        if self._deaths == DEATHS:
            return None
        try:
            self._process = process = self._process or self._start()
            assert process.stdin is not None and process.stdout is not None  # they are pipes
            process.stdin.write(name.encode() + b"\n")
            process.stdin.flush()
            size = process.stdout.read(_SIZE)
            plain = process.stdout.read(int.from_bytes(size, "little"))
        except (ImportError, OSError):
            size = b""
        if len(size) == _SIZE:
            return plain.decode("ascii", "replace") or None
        self._deaths += 1
        self._process = None
        self._too_long(name)
        return None

    def _start(self) -> Popen[bytes]:
        """Start the process; it ends with this object.  Raises ImportError and OSError."""
        import subprocess
        import sys

        import cxxfilt

        process = subprocess.Popen(
            [sys.executable, "-c", _APART, str(MEMORY), str(self._longest), str(_SIZE), str(SECONDS)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
            env={"PYTHONPATH": cxxfilt.__path__[0].rpartition("/")[0]}, cwd="/")
        weakref.finalize(self, _end, process)
        return process


def _end(process: Popen[bytes]) -> None:
    process.kill()
    process.communicate()


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


_SIZE = 4  # bytes of the size before each result, little-endian
# A name a line; for each the size and what it stands for, up to what is too long; nothing if it is no name.
_APART = """
import resource, signal, sys
from cxxfilt import demangleb
memory, longest, width = map(int, sys.argv[1:4])
seconds = float(sys.argv[4])
resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
for name in sys.stdin.buffer:
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        plain = demangleb(name[:-1])
    except Exception:
        plain = b""
    plain = plain[:longest + 1]
    sys.stdout.buffer.write(len(plain).to_bytes(width, "little") + plain)
    sys.stdout.buffer.flush()
"""


def _rust(path: str) -> str:
    return "::".join(map(_rust_part, path.split("::")))


def _rust_part(text: str) -> str:
    """A part of a path without Rust's own escapes, for what may not be in a symbol's name.

    What stands behind an unknown one stays as it is.
    """
    at, plain = int(text.startswith("_$")), ""  # an escape does not begin a symbol
    while match := _RUST_PIECE.match(text, at):
        piece = "::" if match["colons"] else _RUST_ESCAPES.get(match["word"]) if match["word"] else \
            _character(int(match["code"], 16)) if match["code"] else match[0]
        if piece is None:
            break
        plain, at = plain + piece, match.end()
    return plain + text[at:]


def _character(code: int) -> str | None:
    """The character of that number, if it is one to be shown."""
    known = code < 0xD800 or 0xE000 <= code < 0x110000
    return chr(code) if known and unicodedata.category(chr(code)) != "Cc" else None
