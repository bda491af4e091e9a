"""The conversions of D's printf() and printa(), one row each, and the parser of format strings."""

from __future__ import annotations

from dif.light import Enum, dataclass


class Kind(Enum):
    """How the bytes of an argument are read and shown."""

    SIGNED = "signed integer"
    UNSIGNED = "unsigned integer"
    FLOAT = "floating point"
    CHARACTER = "character"
    WIDE_CHARACTER = "wide character"
    ESCAPED_CHARACTER = "character as in a C literal"
    STRING = "string"
    ESCAPED_STRING = "string as in a C literal"
    WIDE_STRING = "wide string"
    KERNEL_ADDRESS = "kernel address"
    USER_ADDRESS = "user address"
    STACK = "stack"
    PORT = "port"
    HOST = "internet address"
    DATE = "date"
    RFC822 = "RFC 822 date"
    PERCENT = "%"


def _rows() -> dict[str, tuple[Kind, str]]:
    rows = {
        "a": (Kind.KERNEL_ADDRESS, "s"), "A": (Kind.USER_ADDRESS, "s"), "c": (Kind.CHARACTER, "c"),
        "C": (Kind.ESCAPED_CHARACTER, "s"), "I": (Kind.HOST, "s"), "k": (Kind.STACK, "s"),
        "lc": (Kind.WIDE_CHARACTER, "s"), "wc": (Kind.WIDE_CHARACTER, "s"),
        "ls": (Kind.WIDE_STRING, "s"), "ws": (Kind.WIDE_STRING, "s"), "p": (Kind.UNSIGNED, "x"),
        "P": (Kind.PORT, "s"), "s": (Kind.STRING, "s"), "S": (Kind.ESCAPED_STRING, "s"),
        "T": (Kind.RFC822, "s"), "Y": (Kind.DATE, "s"), "%": (Kind.PERCENT, "%"),
    }
    for size in ("", "h", "l", "ll"):
        rows |= {size + letter: (Kind.SIGNED, "d") for letter in "di"}
        rows |= {size + letter: (Kind.UNSIGNED, letter) for letter in "ouxX"}
    for size in ("", "L"):
        rows |= {size + letter: (Kind.FLOAT, letter) for letter in "eEfFgG"}
    return rows


CONVERSIONS = _rows()  # name -> kind, printf letter


class FormatError(ValueError):
    """A format string that cannot be used; the message names the conversion by its number."""


@dataclass(slots=True)
class Piece:
    """Literal text, then one conversion (`kind` None at the end of a format).

    `width` and `precision` are 0 when not given; the dynamic ones take an argument each.
    """

    prefix: bytes
    kind: Kind | None = None
    letter: str = ""
    flags: str = ""
    width: int = 0
    precision: int = 0
    dynamic_width: bool = False
    dynamic_precision: bool = False
    aggregation: bool = False

    @property
    def left(self) -> bool:
        return "-" in self.flags


def _number(text: str, at: int) -> tuple[int, int]:
    end = at
    while end < len(text) and text[end].isdigit():
        end += 1
    return min(int(text[at:end] or 0), 0xFFFF), end


def _conversion(text: str, at: int, number: int, pointer: int) -> tuple[Piece, int]:
    """Parse from just after '%'.  Flags, widths and precision may come in any order, as in the field."""
    piece = Piece(b"")
    dot = digits = False
    name = ""
    while at < len(text):
        char = text[at]
        if char.isdigit() and char.isascii():
            if char == "0" and not dot and not digits:
                piece.flags = piece.flags.replace("-", "") + "0"
                at += 1
                continue
            value, at = _number(text, at)
            digits = True
            if dot:
                piece.precision = value
            else:
                piece.width = value
            continue
        at += 1
        if char in "#+ ":
            piece.flags += char
        elif char == "-":
            piece.flags = piece.flags.replace("0", "") + "-"
        elif char == "'":
            pass  # no grouping in the C locale
        elif char == "*":
            if piece.dynamic_precision if dot else piece.dynamic_width:
                raise FormatError(f"format conversion #{number} has more than one '*' for its "
                                  f"{'precision' if dot else 'width'}")
            if dot:
                piece.dynamic_precision = True
            else:
                piece.dynamic_width = True
        elif char == ".":
            if dot:
                raise FormatError(f"format conversion #{number} has more than one '.'")
            dot, digits = True, False
        elif char == "?":
            piece.width = pointer * 2
        elif char == "@":
            piece.aggregation = True
        elif char == "$":
            raise FormatError(f"format conversion #{number} is positional (%n$), which D has not")
        elif char in "hlLw":
            name += char
        else:
            name += char
            if name not in CONVERSIONS:
                raise FormatError(f"format conversion #{number} is undefined: %{name}")
            piece.kind, piece.letter = CONVERSIONS[name]
            return piece, at
    raise FormatError(f"format conversion #{number} ends before its name")


def parse(text: bytes, pointer: int = 8) -> list[Piece]:
    """Take a format apart; %% becomes literal text.  `pointer` is a pointer's size in bytes (%?).

    Raises FormatError.
    """
    source = text.decode("latin-1")
    pieces: list[Piece] = []
    prefix, at, number = "", 0, 0
    while (percent := source.find("%", at)) >= 0:
        prefix += source[at:percent]
        number += 1
        if source.startswith("%", percent + 1):
            prefix += "%"
            at = percent + 2
            continue
        piece, at = _conversion(source, percent + 1, number, pointer)
        if piece.kind is Kind.PERCENT:
            raise FormatError(f"format conversion #{number}: %% takes no flags")
        piece.prefix = prefix.encode("latin-1")
        pieces.append(piece)
        prefix = ""
    prefix += source[at:]
    if prefix or not pieces:
        pieces.append(Piece(prefix.encode("latin-1")))
    return pieces
