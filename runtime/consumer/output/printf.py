"""printf(), printa(), system() and freopen() formats applied to record bytes.

A format is compiled once for the records it meets: when every conversion is a plain integer or
string, the whole line is one struct unpacking and one `%` of a bytes template.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Sequence

from dif.light import replace
from dof.model import ActionKind
from runtime.border import RecDesc
from runtime.consumer.aggregations.values import Aggregated, bucketed, number, scalar
from runtime.consumer.errors import RecordError
from runtime.consumer.output import stacks
from runtime.consumer.output.blobs import escape, until_nul
from runtime.consumer.output.conversions import Kind, Piece, parse
from runtime.consumer.output.symbols import kernel_address, user_address
from runtime.consumer.settings import Settings

_UNSIGNED = {1: "B", 2: "H", 4: "I", 8: "Q"}
_SIGNED = {1: "b", 2: "h", 4: "i", 8: "q"}
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

Values = Sequence[Aggregated]
Convert = Callable[[bytes, int, Settings], bytes]


def _date(data: bytes) -> bytes:
    """`1973 Dec  3 17:20:00`, local time."""
    t = time.localtime(number(data, signed=True) // 1_000_000_000)
    return (f"{t.tm_year} {_MONTHS[t.tm_mon - 1]} {t.tm_mday:2} "
            f"{t.tm_hour:02}:{t.tm_min:02}:{t.tm_sec:02}").encode()


def _rfc822(data: bytes) -> bytes:
    t = time.localtime(number(data, signed=True) // 1_000_000_000)
    return time.strftime("%a, %d %b %G %T %Z", t).encode()


def _port(data: bytes) -> bytes:
    import socket

    port = number(data)
    try:
        return socket.getservbyport(port).encode()
    except OSError:
        return b"%d" % port


def _host(data: bytes) -> bytes:
    """The name /etc/hosts has for an address; no name server is ever asked."""
    address = until_nul(data)
    try:
        with open("/etc/hosts", "rb") as hosts:
            for line in hosts:
                words = line.split(b"#", 1)[0].split()
                if len(words) > 1 and words[0] == address:
                    return words[1]
    except OSError:
        pass
    return address


def _wide(data: bytes) -> bytes:
    units = struct.unpack(f"<{len(data) // 4}I", data[:len(data) // 4 * 4])
    text = "".join(chr(u) if u < 0x110000 else "?" for u in units[:units.index(0) if 0 in units else None])
    return text.encode("utf-8", "surrogatepass")


def _float(data: bytes) -> float:
    if len(data) == 4:
        return float(struct.unpack("<f", data)[0])
    if len(data) == 8:
        return float(struct.unpack("<d", data)[0])
    if len(data) == 16:  # 80 bits, padded
        mantissa, top = struct.unpack_from("<QH", data)
        try:
            value = float(mantissa) * 2.0 ** ((top & 0x7FFF) - 16383 - 63)
        except OverflowError:
            value = float("inf")
        return -value if top >> 15 else value
    raise RecordError("a floating-point value of a strange size")


def _kernel(data: bytes, _normal: int, settings: Settings) -> bytes:
    return kernel_address(settings.symbols, number(data)).encode()


def _user(data: bytes, _normal: int, settings: Settings) -> bytes:
    if len(data) == 16:
        pid, address = struct.unpack("<QQ", data)
    else:
        pid, address = settings.target, number(data)
    return user_address(settings.symbols, pid, address).encode()


_TEXT: dict[Kind, Convert] = {
    Kind.STRING: lambda data, _n, _s: until_nul(data),
    Kind.ESCAPED_STRING: lambda data, _n, _s: escape(data),
    Kind.ESCAPED_CHARACTER: lambda data, _n, _s: escape(data[:1]),
    Kind.CHARACTER: lambda data, normal, _s: bytes((scalar(data, normal) & 0xFF,)),
    Kind.WIDE_STRING: lambda data, _n, _s: _wide(data),
    Kind.WIDE_CHARACTER: lambda data, _n, _s: _wide(number(data).to_bytes(8, "little")[:4]),
    Kind.KERNEL_ADDRESS: _kernel,
    Kind.USER_ADDRESS: _user,
    Kind.PORT: lambda data, _n, _s: _port(data),
    Kind.HOST: lambda data, _n, _s: _host(data),
    Kind.DATE: lambda data, _n, _s: _date(data),
    Kind.RFC822: lambda data, _n, _s: _rfc822(data),
}


def _specifier(piece: Piece, letter: str, width: int, precision: int) -> bytes:
    """The `%` specification for Python, with C's rules where the two differ."""
    flags = piece.flags
    if width < 0:
        flags, width = flags + "-", -width
    if letter in "ouxX":
        flags = flags.replace("+", "").replace(" ", "")
    if letter == "s":
        flags = "-" if "-" in flags else ""
    elif precision > 0 and letter in "douxX":
        flags = flags.replace("0", "")
    return f"%{flags}{width or ''}{f'.{precision}' if precision > 0 else ''}{letter}".encode()


def _integer(piece: Piece, value: int, width: int, precision: int) -> bytes:
    """An integer, by its letter; `#` as in C: none for a hexadecimal zero, a leading 0 for octal."""
    if "#" not in piece.flags or (value == 0 and piece.letter in "xX") or piece.letter in "du":
        plain = Piece(b"", flags=piece.flags.replace("#", ""))
        return _specifier(plain, piece.letter, width, precision) % value
    if piece.letter != "o":
        return _specifier(piece, piece.letter, width, precision) % value
    plain, digits = Piece(b"", flags=piece.flags.replace("#", "")), len(f"{value:o}")
    if "0" in piece.flags and not precision and width > digits:  # zeros for padding lead already
        return _specifier(plain, "o", width, 0) % value
    return _specifier(plain, "o", width, max(precision, digits + (value != 0))) % value


def _convert(piece: Piece, record: RecDesc, data: bytes, normal: int, width: int, precision: int,
             settings: Settings) -> bytes:
    """One conversion of one value."""
    kind = piece.kind
    assert kind is not None
    if kind is Kind.STACK:
        indent = abs(width) if piece.left or width < 0 else 0
        spec = Piece(b"")
        form = _specifier(spec, "s", 0 if piece.left else width, precision)
        return stacks.stack(record, data, settings, indent, form)
    if record.action in (ActionKind.MOD, ActionKind.UMOD):
        return _specifier(piece, "s", width, precision) % stacks.module(record, data, settings)
    if kind in (Kind.SIGNED, Kind.UNSIGNED):
        return _integer(piece, scalar(data, normal, kind is Kind.SIGNED), width, precision)
    if kind is Kind.FLOAT:
        return _specifier(piece, piece.letter, width, precision) % (_float(data) / normal)
    return _specifier(piece, "s", width, precision) % _TEXT[kind](data, normal, settings)


class Format:
    """A format string and its uses.  Raises FormatError on construction."""

    def __init__(self, text: bytes, pointer: int = 8) -> None:
        self.text = text
        self.pieces = parse(text, pointer)

    def bind(self, records: Sequence[RecDesc]) -> Bound:
        """Fit the format to the records that follow it.  Raises RecordError when there are too few."""
        return Bound(self.text, self.pieces, records)


class Bound:
    """A format with a record for each of its arguments.

    `consumed` is how many records it took (at least the one that a format without conversions
    leaves).  `render` takes the bytes of the whole firing or aggregation row.
    """

    def __init__(self, template: bytes, pieces: list[Piece], records: Sequence[RecDesc]) -> None:
        self.template = template
        self._steps: list[tuple[Piece, RecDesc | None, RecDesc | None, RecDesc | None]] = []
        remaining = iter(records)

        def take(kind: Kind = Kind.SIGNED) -> RecDesc:
            record = next(remaining, None)
            if record is None:
                raise RecordError("a format has more conversions than there are records")
            self.arguments.append((record, kind))
            return record

        self.arguments: list[tuple[RecDesc, Kind]] = []
        for piece in pieces:
            width = take() if piece.dynamic_width else None
            precision = take() if piece.dynamic_precision else None
            value = take(piece.kind) if piece.kind is not None and not piece.aggregation else None
            self._steps.append((piece, value, width, precision))
        self.consumed = len(self.arguments)
        if not self.consumed and records:
            self.consumed = 1
        self._fast = _fast(self._steps)

    def render(self, data: bytes, base: int, settings: Settings, values: Values = ()) -> bytes:
        """The text.  Records lie at `base` in `data`; `values` are what %@ conversions show, in turn."""
        if self._fast is not None:
            return self._fast(data, base)
        out: list[bytes] = []
        turn = 0
        for piece, record, width, precision in self._steps:
            out.append(piece.prefix)
            if piece.kind is None:
                continue
            columns = scalar(_slice(width, data, base), 1) if width else piece.width
            digits = scalar(_slice(precision, data, base), 1) if precision else piece.precision
            if record is not None:
                out.append(_convert(piece, record, _slice(record, data, base), 1, columns, digits, settings))
                continue
            value = values[min(turn, len(values) - 1)]
            turn += 1
            out.append(_aggregated(piece, value, len(values) > 1, columns, digits, settings))
        return b"".join(out)


def _aggregated(piece: Piece, value: Aggregated, several: bool, width: int, precision: int,
                settings: Settings) -> bytes:
    """A %@ conversion.  Where `several` aggregations share a format, each has its own signedness:
    the compiler chose one of %@i and %@u for all of them.
    """
    if bucketed(value.record.action):
        return value.distribution(settings)
    if several and piece.letter in "du" and value.record.action != ActionKind.AGG_COUNT:
        piece = replace(piece, kind=Kind.SIGNED, letter="d")
    return _convert(piece, value.record, value.scalar_bytes(), 1, width, precision, settings)


def _slice(record: RecDesc, data: bytes, base: int) -> bytes:
    start = base + record.offset
    if start + record.size > len(data):
        raise RecordError("a record goes beyond the end of its buffer")
    return data[start:start + record.size]


def _fast(steps: list[tuple[Piece, RecDesc | None, RecDesc | None, RecDesc | None]],
          ) -> Callable[[bytes, int], bytes] | None:
    """One unpacking and one template, when every conversion is a plain integer or string."""
    template, layout, strings, at = b"", "<", [], 0
    for index, (piece, record, width, precision) in enumerate(steps):
        template += piece.prefix.replace(b"%", b"%%")
        if piece.kind is None:
            continue
        if record is None or width or precision or "#" in piece.flags or record.offset < at or \
                record.action in (ActionKind.MOD, ActionKind.UMOD):
            return None
        layout += f"{record.offset - at}x"
        at = record.offset + record.size
        if piece.kind is Kind.STRING:
            layout += f"{record.size}s"
            strings.append(index)
        elif piece.kind in (Kind.SIGNED, Kind.UNSIGNED) and record.size in _SIGNED:
            layout += (_SIGNED if piece.kind is Kind.SIGNED else _UNSIGNED)[record.size]
        else:
            return None
        template += _specifier(piece, piece.letter, piece.width, piece.precision)
    unpack = struct.Struct(layout).unpack_from

    def plain(data: bytes, base: int) -> bytes:
        return template % unpack(data, base)

    def with_strings(data: bytes, base: int) -> bytes:
        values = list(unpack(data, base))
        for index in strings:
            values[index] = values[index].split(b"\0", 1)[0]
        return template % tuple(values)

    return with_strings if strings else plain
