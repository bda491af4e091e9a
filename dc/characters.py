"""Where names, numbers, quotations and blanks end in a text of D, and what escapes mean.

These functions use the methods of str, because at every start regular
expressions would take longer to compile than a short script takes to read.
Positions count from 0.
"""

from __future__ import annotations

MOST_DIGITS = 22  # of 64 bits in octal

SPACES = " \t\r\f\v"
OCTAL = "01234567"
DIGITS = OCTAL + "89"
HEXADECIMAL = DIGITS + "abcdefABCDEF"
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
WORD = LETTERS + DIGITS
IN_NAME = WORD + "`"  # which stands between a module and its symbol
IN_QUALIFIED = IN_NAME + "."  # module names have dots

BEGINS_WORD = frozenset(LETTERS)
BEGINS_NAME = BEGINS_WORD | {"`"}
_EXPONENT, _SIGN, _FLOATING = frozenset("eE"), frozenset("+-"), frozenset("fFlL")
_SUFFIX = (frozenset("uU"), frozenset("lL"), frozenset("lL"))
_WINDOW = 64  # characters looked at together
_ESCAPES = {"a": b"\a", "b": b"\b", "f": b"\f", "n": b"\n", "r": b"\r", "t": b"\t", "v": b"\v",
            '"': b'"', "\\": b"\\"}


# -- where things end ------------------------------------------------------------------------------------

def run_end(text: str, at: int, characters: str) -> int:
    """The end of the longest run of these characters from `at` on."""
    while True:
        window = text[at:at + _WINDOW]
        rest = len(window.lstrip(characters))
        at += len(window) - rest
        if rest or not window:
            return at


def blank_end(text: str, at: int) -> int:
    """The end of spaces, line ends and comments."""
    while True:
        at = run_end(text, at, SPACES + "\n")
        end = text.find("*/", at + 2) if text.startswith("/*", at) else -1
        if end < 0:
            return at
        at = end + 2


def qualified_end(text: str, at: int, stop: int) -> int:
    """The end of a name that is qualified by a module: libc.so.1`timezone_t; `at` if it is not.

    The module begins at `at`; only characters of names and dots stand from there up to `stop`.
    """
    quote = text.rfind("`", at, stop)
    while quote >= 0 and text[quote + 1:quote + 2] not in BEGINS_NAME:
        quote = text.rfind("`", at, quote)
    return at if quote < 0 else run_end(text, quote + 2, IN_NAME)


def integer_end(text: str, at: int) -> tuple[int, int]:
    """The ends of an integer constant's digits and of its suffix; both `at` where there is none."""
    end = run_end(text, at, DIGITS)
    if text[at:at + 2] in ("0x", "0X"):
        hexadecimal = run_end(text, at + 2, HEXADECIMAL)
        end = hexadecimal if hexadecimal > at + 2 else end
    last = end
    if end > at:
        for letters in _SUFFIX:
            last += text[last:last + 1] in letters
    return end, last


def float_end(text: str, at: int) -> int:
    """The end of a floating-point constant, `at` where there is none."""
    point = run_end(text, at, DIGITS)
    if text[point:point + 1] == ".":
        end = run_end(text, point + 1, DIGITS)
        if end == at + 1:
            return at  # a dot alone
    elif point > at and text[point:point + 1] in ("e", "E", "f", "F"):
        end = point
    else:
        return at
    if text[end:end + 1] in _EXPONENT:
        sign = end + 1 + (text[end + 1:end + 2] in _SIGN)
        exponent = run_end(text, sign, DIGITS)
        end = exponent if exponent > sign else end
    return end + (text[end:end + 1] in _FLOATING)


def quotation_end(text: str, at: int) -> tuple[int, bool]:
    """The end of the quotation that begins at `at`, and whether a quotation mark on its line closes it."""
    mark, end, close, stop = text[at], at + 1, at, at
    while True:
        if close < end:
            close = text.find(mark, end)
            close = len(text) if close < 0 else close
            newline = text.find("\n", end, close)
            stop = close if newline < 0 else newline
        escape, is_closed = text.find("\\", end, stop), text.startswith(mark, stop)
        if escape < 0 or (escape + 1 == stop and not is_closed):  # nothing is left to escape
            return stop + is_closed, is_closed
        end = escape + 2


# -- what escapes mean ------------------------------------------------------------------------------------

def unescape(text: str) -> bytes:
    """The bytes of a literal, without its quotation marks, with its escapes replaced.

    An unknown escape keeps its backslash.  So do, as with every libdtrace, \\' and \\?, which C knows.
    """
    if "\\" not in text:
        return text.encode("utf-8", "surrogateescape")
    result, at = [], 0
    while (escape := text.find("\\", at, len(text) - 1)) >= 0:
        result.append(text[at:escape].encode("utf-8", "surrogateescape"))
        byte, at = _escaped(text, escape + 1)
        result.append(byte)
    return b"".join([*result, text[at:].encode("utf-8", "surrogateescape")])


def _escaped(text: str, at: int) -> tuple[bytes, int]:
    """The byte for the escape whose backslash stands before `at`, and the end of the escape."""
    letter = text[at]
    if letter == "x":
        end = run_end(text, at + 1, HEXADECIMAL)
        return bytes([int(text[at + 1:end] or "0", 16) & 0xFF]), end
    end = min(run_end(text, at, OCTAL), at + 3)
    if end > at:
        return bytes([int(text[at:end], 8) & 0xFF]), end
    return _ESCAPES.get(letter) or f"\\{letter}".encode("utf-8", "surrogateescape"), at + 1
