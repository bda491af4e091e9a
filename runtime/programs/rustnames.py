"""Rust's symbol names, version 0 (RFC 2603): "_RNvC5crate4main" is crate::main.

Written as the compiler's own demangler writes them when it is told to be brief: without the hashes
of crates and without the types of constants.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from dif.limits import PLAIN_NAME

DEEPEST = 200  # types within types
MOST = 1 << 16  # paths, types and constants that are read, those of back references each time

BASIC = {"a": "i8", "b": "bool", "c": "char", "d": "f64", "e": "str", "f": "f32", "h": "u8", "i": "isize",
         "j": "usize", "l": "i32", "m": "u32", "n": "i128", "o": "u128", "p": "_", "s": "i16", "t": "u16",
         "u": "()", "v": "...", "x": "i64", "y": "u64", "z": "!"}
SPECIAL = {"C": "closure", "S": "shim"}
ESCAPES = {"\0": "\\0", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\"}
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_HEXADECIMAL = re.compile("([0-9a-f]*)_")
_MANGLED = re.compile(r"_?_R(?P<name>[0-9A-Za-z_]+)(?P<suffix>[.$].*)?$", re.DOTALL)
_SUFFIX_OF_LLVM = re.compile(r"\.llvm\.[0-9A-Fa-f@]+")


def demangle(name: str, longest: int = PLAIN_NAME) -> str | None:
    """The path that a symbol stands for; None if it is no such symbol.

    Raises TooLong for one of more than `longest` characters: back references can make very long ones.
    """
    match = _MANGLED.match(name)
    if match is None or match["name"][0].isdigit():  # a number would be that of a later version
        return None
    reader = _Reader(match["name"], longest)
    try:
        reader.path(in_value=True)
        plain = "".join(reader.out)
        if reader.peek().isupper():
            reader.path(in_value=False)  # the crate that made this instance
        if reader.at < len(reader.text):
            return None
    except (_Bad, RecursionError):
        return None
    return plain + _SUFFIX_OF_LLVM.sub("", match["suffix"] or "")


class TooLong(ValueError):
    """A name that stands for more characters than there may be."""


class _Bad(Exception):
    """Not a name of this kind."""


class _Reader:
    """Reads a name from `at` on and writes what it says to `out`."""

    def __init__(self, text: str, longest: int) -> None:
        self.text = text
        self._longest = longest
        self.at = 0
        self.out: list[str] = []
        self._written = 0
        self._depth = 0
        self._read = 0
        self._lifetimes = 0  # that are bound where we are

    # -- characters --------------------------------------------------------------------------------

    def peek(self) -> str:
        return self.text[self.at:self.at + 1]

    def eat(self, letter: str) -> bool:
        if self.peek() != letter:
            return False
        self.at += 1
        return True

    def next(self) -> str:
        letter = self.peek()
        if not letter:
            raise _Bad
        self.at += 1
        return letter

    def write(self, text: str) -> None:
        self._written += len(text)
        if self._written > self._longest:
            raise TooLong
        self.out.append(text)

    def number(self) -> int:
        """A number to the base 62 that ends with "_": "_" is 0, "0_" is 1."""
        if self.eat("_"):
            return 0
        value = 0
        while not self.eat("_"):
            digit = _DIGITS.find(self.next())
            if digit < 0 or value >= 1 << 64:
                raise _Bad
            value = value * 62 + digit
        return value + 1

    def optional(self, tag: str) -> int:
        """1 more than the number after `tag`; 0 without it."""
        return self.number() + 1 if self.eat(tag) else 0

    def identifier(self) -> str:
        """Without its disambiguator."""
        encoded = self.eat("u")
        digits = re.compile("0|[1-9][0-9]{0,5}").match(self.text, self.at)
        if digits is None:
            raise _Bad
        self.at = digits.end()
        self.eat("_")
        name = self.text[self.at:self.at + int(digits[0])]
        if len(name) < int(digits[0]):
            raise _Bad
        self.at += len(name)
        if not encoded:
            return name
        basic, _, deltas = name.rpartition("_")
        if not deltas:
            raise _Bad
        try:
            return (f"{basic}-{deltas}" if basic else deltas).encode("ascii").decode("punycode")
        except UnicodeError:
            raise _Bad from None

    # -- structure ---------------------------------------------------------------------------------

    def nested(self, read: Callable[[], None]) -> None:
        self._depth += 1
        self._read += 1
        if self._depth > DEEPEST or self._read > MOST:
            raise _Bad
        read()
        self._depth -= 1

    def back(self, read: Callable[[], None]) -> None:
        """Read what stands at an earlier place."""
        start = self.at - 1
        place = self.number()
        if place >= start:
            raise _Bad
        here, self.at = self.at, place
        self.nested(read)
        self.at = here

    def silently(self, read: Callable[[], None]) -> None:
        """Read without writing."""
        before, self.out = self.out, []
        read()
        self.out = before

    def listed(self, read: Callable[[], None], separator: str = ", ") -> int:
        """Items up to "E"; how many."""
        count = 0
        while not self.eat("E"):
            if count:
                self.write(separator)
            read()
            count += 1
        return count

    # -- paths -------------------------------------------------------------------------------------

    def path(self, in_value: bool) -> None:
        self.nested(lambda: self._path(in_value))

    def _path(self, in_value: bool) -> None:
        tag = self.next()
        if tag == "C":
            self.optional("s")
            self.write(self.identifier())
        elif tag in "MX":
            self.optional("s")
            self.silently(lambda: self.path(False))  # where the implementation stands
            self._qualified(tag == "X")
        elif tag == "Y":
            self._qualified(True)
        elif tag == "N":
            self._nested_path(in_value)
        elif tag == "I":
            self.path(in_value)
            self.write("::<" if in_value else "<")
            self.listed(self.generic)
            self.write(">")
        elif tag == "B":
            self.back(lambda: self.path(in_value))
        else:
            raise _Bad

    def _qualified(self, of_trait: bool) -> None:
        self.write("<")
        self.type()
        if of_trait:
            self.write(" as ")
            self.path(False)
        self.write(">")

    def _nested_path(self, in_value: bool) -> None:
        space = self.next()
        if not space.isalpha():
            raise _Bad
        self.path(in_value)
        number, name = self.optional("s"), self.identifier()
        if space.isupper():
            self.write(f"::{{{SPECIAL.get(space, space)}{':' if name else ''}{name}#{number}}}")
        elif name:
            self.write(f"::{name}")

    def generic(self) -> None:
        if self.eat("L"):
            self.lifetime(self.number())
        elif self.eat("K"):
            self.constant(False)
        else:
            self.type()

    # -- lifetimes ---------------------------------------------------------------------------------

    def lifetime(self, index: int) -> None:
        """0 is one without a name; others count from the innermost binder out."""
        if index > self._lifetimes:
            raise _Bad
        depth = self._lifetimes - index
        self.write("'" + ("_" if not index else chr(ord("a") + depth) if depth < 26 else f"_{depth}"))

    def bound(self, read: Callable[[], None]) -> None:
        """Read what a binder (`for<'a>`) may stand before."""
        count = self.optional("G")
        if count > self._longest:
            raise _Bad
        if count:
            self.write("for<")
            for index in range(count):
                self._lifetimes += 1
                self.write(", " if index else "")
                self.lifetime(1)
            self.write("> ")
        read()
        self._lifetimes -= count

    # -- types -------------------------------------------------------------------------------------

    def type(self) -> None:
        self.nested(self._type)

    def _type(self) -> None:
        tag = self.next()
        if tag in BASIC:
            self.write(BASIC[tag])
        elif tag in "RQ":
            self.write("&")
            index = self.number() if self.eat("L") else 0
            if index:
                self.lifetime(index)
                self.write(" ")
            self.write("mut " if tag == "Q" else "")
            self.type()
        elif tag in "PO":
            self.write("*const " if tag == "P" else "*mut ")
            self.type()
        elif tag in "AS":
            self.write("[")
            self.type()
            if tag == "A":
                self.write("; ")
                self.constant(True)
            self.write("]")
        elif tag == "T":
            self.write("(")
            self.write(",)" if self.listed(self.type) == 1 else ")")
        elif tag == "F":
            self.bound(self._function)
        elif tag == "D":
            self._dynamic()
        elif tag == "B":
            self.back(self.type)
        else:
            self.at -= 1
            self.path(False)

    def _function(self) -> None:
        self.write("unsafe " if self.eat("U") else "")
        if self.eat("K"):
            abi = "C" if self.eat("C") else self.identifier().replace("_", "-")
            self.write(f'extern "{abi}" ')
        self.write("fn(")
        self.listed(self.type)
        self.write(")")
        if not self.eat("u"):
            self.write(" -> ")
            self.type()

    def _dynamic(self) -> None:
        self.write("dyn ")
        self.bound(lambda: (self.listed(self._trait, " + "), None)[1])
        if not self.eat("L"):
            raise _Bad
        index = self.number()
        if index:
            self.write(" + ")
            self.lifetime(index)

    def _trait(self) -> None:
        is_open = self._open_path()
        while self.eat("p"):
            self.write(", " if is_open else "<")
            is_open = True
            self.write(self.identifier() + " = ")
            self.type()
        self.write(">" if is_open else "")

    def _open_path(self) -> bool:
        """A trait's path, its generic arguments' bracket left open; whether there is one."""
        if self.eat("B"):
            found = []
            self.back(lambda: found.append(self._open_path()))
            return found[0]
        if not self.eat("I"):
            self.path(False)
            return False
        self.path(False)
        self.write("<")
        self.listed(self.generic)
        return True

    # -- constants ---------------------------------------------------------------------------------

    def constant(self, in_value: bool) -> None:
        self.nested(lambda: self._constant(in_value))

    def _constant(self, in_value: bool) -> None:
        tag = self.next()
        if tag == "p":
            self.write("_")
        elif tag == "B":
            self.back(lambda: self.constant(in_value))
        elif tag in "hmotyj" or tag in "aslxni":
            self.write("-" if tag in "aslxni" and self.eat("n") else "")
            digits = self._hexadecimal().lstrip("0") or "0"
            self.write(str(int(digits, 16)) if len(digits) <= 16 else f"0x{digits}")
        elif tag == "b":
            value = int(self._hexadecimal() or "0", 16)
            if value > 1:
                raise _Bad
            self.write("true" if value else "false")
        elif tag == "c":
            self._character()
        else:
            self._composed(tag, in_value)

    def _hexadecimal(self) -> str:
        """Digits up to "_"."""
        found = _HEXADECIMAL.match(self.text, self.at)
        if found is None:
            raise _Bad
        self.at = found.end()
        return found[1]

    def _character(self) -> None:
        code = int(self._hexadecimal() or "0", 16)
        if code > 0x10FFFF or 0xD800 <= code < 0xE000:
            raise _Bad
        self.write("'" + _escaped(chr(code), "'") + "'")

    def _composed(self, tag: str, in_value: bool) -> None:
        """Strings, references, arrays, tuples and structures: in a list of types they need braces."""
        bare = tag == "R" and self.eat("e")
        braces = not in_value and not bare
        self.write("{" if braces else "")
        if bare or tag == "e":
            self.write(("" if bare else "*") + self._string())
        elif tag in "RQ":
            self.write("&mut " if tag == "Q" else "&")
            self.constant(True)
        elif tag == "A":
            self.write("[")
            self.listed(lambda: self.constant(True))
            self.write("]")
        elif tag == "T":
            self.write("(")
            self.write(",)" if self.listed(lambda: self.constant(True)) == 1 else ")")
        elif tag == "V":
            self.path(True)
            self._fields()
        else:
            raise _Bad
        self.write("}" if braces else "")

    def _string(self) -> str:
        try:
            text = bytes.fromhex(self._hexadecimal()).decode()
        except ValueError:
            raise _Bad from None
        return '"' + _escaped(text, '"') + '"'

    def _fields(self) -> None:
        tag = self.next()
        if tag == "T":
            self.write("(")
            self.listed(lambda: self.constant(True))
            self.write(")")
        elif tag == "S":
            self.write(" { ")
            self.listed(self._field)
            self.write(" }")
        elif tag != "U":
            raise _Bad

    def _field(self) -> None:
        self.optional("s")
        self.write(self.identifier() + ": ")
        self.constant(True)


def _escaped(text: str, quote: str) -> str:
    return "".join(f"\\{letter}" if letter == quote else ESCAPES.get(letter) or (
        letter if letter.isprintable() else f"\\u{{{ord(letter):x}}}") for letter in text)
