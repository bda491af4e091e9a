"""String subroutines of DIF.

Each takes the firing and its arguments (unsigned 64-bit; strings by address)
and returns a 64-bit value, here mostly the address of a new string in scratch
space.  No string is longer than strsize.
"""

from __future__ import annotations

from dif.arithmetic import MASK, signed
from runtime.framework.base.faults import DifFault, FaultKind
from runtime.framework.firing.firing import Firing

_BASE_MAX = 36
_LLTOSTR_ROOM = 65
_MEMSTR_MAX = 4096
_DIGITS = b"0123456789abcdefghijklmnopqrstuvwxyz"


def strlen(firing: Firing, text: int) -> int:
    """strlen()."""
    return len(firing.string(text))


def strchr(firing: Firing, text: int, char: int) -> int:
    """strchr(): the address of the first such character, its NUL included, or 0.

    What is behind it is not looked at.
    """
    begun, bad = firing.beginning(text)
    if bad is None:
        begun = (begun + b"\0")[:firing.strsize]  # the NUL is missing if the text fills strsize bytes
    found = begun.find(char & 0xFF)
    if found < 0 and bad is not None:
        raise bad
    return text + found if found >= 0 else 0


def strrchr(firing: Firing, text: int, char: int) -> int:
    """strrchr(): the last one."""
    found = (firing.string(text) + b"\0")[:firing.strsize].rfind(char & 0xFF)
    return text + found if found >= 0 else 0


def _search(firing: Firing, text_at: int, part_at: int, position: int | None, *, last: bool = False) -> int:
    """The offset of the first occurrence at or after `position`, or of the last one at or before it; else -1.

    A text that is cut off at strsize goes on in memory, and an occurrence that begins in it may end there.
    """
    text, part = firing.string(text_at), firing.string(part_at)
    if not text and not part:
        return 0
    start = (len(text) if last else 0) if position is None else signed(position)
    if last and start < 0:
        return -1 if part else 0
    if not last and start >= len(text):
        return -1 if part else len(text)
    start = min(start, len(text)) if last else max(start, 0)
    if len(text) < firing.strsize:
        return text.rfind(part, 0, start + len(part)) if last else text.find(part, start)
    for at in range(start, -1, -1) if last else range(start, len(text)):
        known = text[at:at + len(part)]
        if part.startswith(known) and firing.order(text_at + at, part_at, part, len(part)) == 0:
            return at
    return -1


def strstr(firing: Firing, text: int, part: int) -> int:
    """strstr(): the address of the first occurrence, or 0."""
    found = _search(firing, text, part, None)
    return text + found if found >= 0 else 0


def index(firing: Firing, text: int, part: int, position: int | None = None) -> int:
    """index(): offset of the first occurrence at or after `position`, or -1."""
    return _search(firing, text, part, position) & MASK


def rindex(firing: Firing, text: int, part: int, position: int | None = None) -> int:
    """rindex(): offset of the last occurrence at or before `position`, or -1."""
    return _search(firing, text, part, position, last=True) & MASK


def strtok(firing: Firing, text: int, separators: int) -> int:
    """strtok(): the next token; with a NULL string, of the text of the call before.

    At the end of a text that is cut off at strsize an empty token comes before NULL.  What is behind the
    token is not looked at.
    """
    room = firing.strsize
    apart = firing.string(separators)
    firing.require_scratch(room)
    if text:
        rest, bad = firing.beginning(text)
        left = room
    else:
        text = firing.strtok
        left = firing.strtok_left if text else 0
        rest, bad = firing.memory.beginning(text, left)
    token_start = len(rest) - len(rest.lstrip(apart)) if apart else 0
    # A kernel finds the end by the NUL that it read last: of the text, or, if nothing is left of that, of the
    # separators.  Where strsize cut that one off, there is one more token, an empty one.
    cut = len(rest) == left if left else len(apart) == room
    if token_start == len(rest) and not (cut and text) and bad is None:
        firing.strtok = firing.strtok_left = 0
        return 0
    end = token_start
    while end < len(rest) and rest[end] not in apart and end - token_start < room - 1:
        end += 1
    if end == len(rest) and end - token_start < room - 1 and bad is not None:
        raise bad
    firing.strtok, firing.strtok_left = text + end, left - end
    return firing.new_string(rest[token_start:end], room)


def substr(firing: Firing, text_at: int, start_at: int, length: int | None = None) -> int:
    """substr(): from an offset, negative from the end; a negative length leaves out the end.

    What lies before the text counts for a length, as if the text began there: substr("abc", -5, 3) is "a".
    It may fill strsize bytes, without a NUL.
    """
    text, room = firing.string(text_at), firing.strsize
    begin = signed(start_at)
    if begin < 0:
        begin += len(text)
    count = room if length is None else signed(length)
    if count >= 0:
        end = begin + count
    else:
        end = len(text) + count if begin >= 0 else 0
    return firing.new_full_string(text[max(begin, 0):max(end, 0)], room)


def strjoin(firing: Firing, first: int, second: int, *, old: int) -> int:
    """strjoin(): concatenation; a result of strsize bytes or more does not fit.

    One that would fill strsize bytes with its NUL is no fault: as in a kernel, the result is then `old`,
    what the destination register holds.
    """
    text = firing.string(first) + firing.string(second)
    firing.require_scratch(firing.strsize)
    if len(text) >= firing.strsize:
        raise DifFault(FaultKind.NOSCRATCH)
    return old if len(text) == firing.strsize - 1 else firing.new_string(text, len(text) + 1)


def toupper(firing: Firing, text: int) -> int:
    """toupper(): ASCII letters."""
    return firing.new_string(firing.string(text).upper(), firing.strsize)


def tolower(firing: Firing, text: int) -> int:
    """tolower(): ASCII letters."""
    return firing.new_string(firing.string(text).lower(), firing.strsize)


def _base(value: int) -> int:
    base = value & 0xFFFFFFFF
    if not 2 <= base <= _BASE_MAX:
        raise DifFault(FaultKind.ILLOP)
    return base


def strtoll(firing: Firing, text: int, base: int = 10) -> int:
    """strtoll() in bases 2 to 36.  Another base is an illegal operation."""
    radix = _base(base)
    from runtime.framework.values import jsonpath

    begun, bad = firing.beginning(text)
    if bad is not None and jsonpath.number(begun + b"0", radix) != jsonpath.number(begun + b"1", radix):
        raise bad  # of the next byte, which matters
    return jsonpath.number(begun, radix) & MASK


def lltostr(firing: Firing, value: int, base: int = 10) -> int:
    """lltostr(): decimal is signed, other bases unsigned; octal gets a 0, hexadecimal a 0x."""
    radix = _base(base)
    magnitude = abs(signed(value)) if radix == 10 else value
    digits = bytearray()
    while magnitude:
        magnitude, digit = divmod(magnitude, radix)
        digits.append(_DIGITS[digit])
    if radix == 16:
        digits += b"x0" if digits else b"0x0"
    elif radix == 8 or not value:
        digits += b"0"
    elif radix == 10 and value >> 63:
        digits += b"-"
    digits.reverse()
    return firing.new_string_at_end(bytes(digits), _LLTOSTR_ROOM)


def _split(path: bytes) -> tuple[bytes, bytes]:
    """Directory and last component, as dirname(1) and basename(1) have them."""
    if not path:
        return b".", b"."
    trimmed = path.rstrip(b"/")
    if not trimmed:
        return b"/", b"/"
    head, slash, tail = trimmed.rpartition(b"/")
    if not slash:
        return b".", tail
    return head.rstrip(b"/") or b"/", tail


def dirname(firing: Firing, path: int) -> int:
    """dirname()."""
    return firing.new_string(_split(firing.string(path))[0], firing.strsize)


def basename(firing: Firing, path: int) -> int:
    """basename()."""
    return firing.new_string(_split(firing.string(path))[1], firing.strsize)


def _clean(path: bytes, room: int) -> bytes:
    """`path` without repeated slashes, `.` and `name/..`; links are not known here."""
    out = bytearray()
    at = 0
    while at < len(path) and len(out) + 5 < room:
        if path[at:at + 1] != b"/":
            out += path[at:at + 1]
            at += 1
        elif path.startswith(b"/", at + 1):
            at += 1
        elif path.startswith(b"./", at + 1):
            at += 2
        elif path[at + 1:] == b".." or path.startswith(b"../", at + 1):
            parent = max(out.rfind(b"/"), 0)
            at += 3
            if at >= len(path):
                return bytes(out[:parent + 1]) or b"/"
            del out[parent:]
        else:  # the slash, dots behind it, and one more character go together
            step = 2 + (path[at + 1:at + 2] == b".") + (path[at + 1:at + 3] == b"..")
            out += path[at:at + step]
            at += step
    return bytes(out)


def cleanpath(firing: Firing, path: int) -> int:
    """cleanpath(): without . and .., and without the root of the tracer's zone."""
    clean = _clean(firing.string(path), firing.strsize)
    root = firing.environment.credentials.root
    if root and (clean + b"/").startswith(root + b"/"):
        clean = clean[len(root):] or b"/"
    return firing.new_string(clean, firing.strsize)


def json(firing: Firing, text_at: int, path_at: int) -> int:
    """json(): the element as a string, or NULL."""
    text, path = firing.string(text_at), firing.string(path_at)
    firing.require_scratch(len(text) + len(path) + 2)
    from runtime.framework.values import jsonpath

    found = jsonpath.lookup(text, path)
    return 0 if found is None else firing.new_string(found, len(text) + 1)


def memstr(firing: Firing, memory: int, char: int, size: int) -> int:
    """memstr() (FreeBSD): memory as one string, its NUL bytes replaced."""
    if not size:
        return 0
    firing.check(memory, size - 1)
    firing.require_scratch(size)
    if size > _MEMSTR_MAX:
        raise DifFault(FaultKind.ILLOP)
    return firing.new_string(firing.load_to_end(memory, size - 1).replace(b"\0", bytes([char & 0xFF])), size)
