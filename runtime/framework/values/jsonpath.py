"""json(): finds one element in JSON text by a path such as `a.b[2].c`.

The text is scanned once, from the left, and only as far as needed: so text that
is cut off behind the element will do.  A string is returned as it stands, without
its quotes and with its escapes; an object or array as its text.
"""

from __future__ import annotations

import re

from dif.arithmetic import MASK, signed

_SPACE = re.compile(rb"[ \t\n\v\f\r]*")
_STRING = re.compile(rb'"((?:[^"\\]|\\(?:[^u]|u[0-9a-fA-F]{4}))*)"', re.DOTALL)
_NUMBER = re.compile(rb"[-0-9][0-9]*(?P<fraction>\.[0-9]*)?(?P<exponent>[eE][0-9+-]*)?")
_WORD = re.compile(rb"[a-z]+")
_WORDS = (b"true", b"false", b"null")
_OPEN = b"{["


class _Malformed(Exception):
    """The text is not JSON, ends too soon, or does not have the element."""


def elements(path: bytes) -> list[bytes]:
    """The path's parts; an index stands as its digits."""
    if path[:1] == b"[":
        path = path[1:]
    return path.replace(b"]", b"").replace(b"[", b".").split(b".")


def number(text: bytes, base: int = 10) -> int:
    """strtoll(): leading spaces and tabs, sign, (0x for base 16), digits; what follows is ignored.

    The result wraps to 64 bits, signed.
    """
    text = text.lstrip(b" \t")
    negative = text[:1] == b"-"
    if text[:1] in (b"-", b"+"):
        text = text[1:]
    digits = b"0123456789abcdefghijklmnopqrstuvwxyz"[:base]
    if base == 16 and text[:2].lower() == b"0x" and text[2:3].lower() in digits and text[2:3]:
        text = text[2:]
    value = 0
    for char in text.lower():
        digit = digits.find(char)
        if digit < 0:
            break
        value = value * base + digit
    return signed((-value if negative else value) & MASK)


class _Scanner:
    def __init__(self, text: bytes) -> None:
        self.text = text
        self.at = 0

    def peek(self) -> int:
        """The next character that is not white space, not taken."""
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at
        if self.at >= len(self.text):
            raise _Malformed
        return self.text[self.at]

    def expect(self, wanted: bytes) -> None:
        if self.peek() != wanted[0]:
            raise _Malformed
        self.at += 1

    def string(self) -> bytes:
        match = _STRING.match(self.text, self.at)
        if match is None:
            raise _Malformed
        self.at = match.end()
        return match[1]

    def scalar(self) -> bytes:
        char = self.peek()
        if char == ord('"'):
            return self.string()
        match = _NUMBER.match(self.text, self.at)
        if match is not None:
            follows = self.text[match.end():match.end() + 1]
            wrong = b"" if match["exponent"] else b"+-" if match["fraction"] else b"+-xX"
            if not follows or (follows in wrong and wrong):
                raise _Malformed
        else:
            match = _WORD.match(self.text, self.at)
            if match is None or match[0] not in _WORDS or match.end() == len(self.text):
                raise _Malformed
        self.at = match.end()
        return match[0]

    def composite(self) -> bytes:
        """An object or array as text, up to the bracket that closes it."""
        start = self.at
        braces = brackets = 0
        while True:
            if self.at >= len(self.text):
                raise _Malformed
            char = self.text[self.at:self.at + 1]
            if char == b'"':
                self.string()
                continue
            self.at += 1
            braces += (char == b"{") - (char == b"}")
            brackets += (char == b"[") - (char == b"]")
            if braces < 0 or brackets < 0:
                raise _Malformed
            if not braces and not brackets:
                return self.text[start:self.at]

    def value(self) -> bytes:
        return self.composite() if self.peek() in _OPEN else self.scalar()

    def descend(self, element: bytes) -> None:
        """Go into the object or array that begins here, up to the value of `element`."""
        if self.peek() == ord("["):
            self.at += 1
            for _ in range(self._index(element)):
                self.value()
                self.expect(b",")
            return
        self.expect(b"{")
        while True:
            self.peek()
            key = self.string()
            self.expect(b":")
            if key == element:
                return
            self.value()
            self.expect(b",")

    def _index(self, element: bytes) -> int:
        index = number(element)
        return index if index >= 0 else len(self.text)


def lookup(text: bytes, path: bytes) -> bytes | None:
    """The element at `path`, None if there is none or the text is malformed before it."""
    scanner = _Scanner(text)
    try:
        for element in elements(path):
            if scanner.peek() not in _OPEN:
                return None
            scanner.descend(element)
        return scanner.value()
    except _Malformed:
        return None
