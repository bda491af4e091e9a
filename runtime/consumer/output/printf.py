"""printf(), printa(), system() and freopen() formats applied to record bytes.

A format is compiled once for the records it meets: when every conversion is a plain integer or
string, the whole line is one struct unpacking and one `%` of a bytes template.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterator, Sequence

from dif.limits import SECOND
from dif.records import NamedTuple
from dof.model import ActionKind
from dof.printf import WIDEST, Conversion, Directive, Shown, parse
from runtime.border import RecDesc
from runtime.consumer.aggregations.quantize import divide
from runtime.consumer.aggregations.results import Aggregated, bucketed
from runtime.consumer.events import stacks
from runtime.consumer.events.errors import AnswerError
from runtime.consumer.events.recordbytes import escape, number, until_nul
from runtime.consumer.events.settings import Settings
from runtime.consumer.events.symbols import kernel_address, user_address
from runtime.consumer.output.linetemplates import Field, Template

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.consumer.aggregations.lines import Piece
    from runtime.consumer.aggregations.ranking import Ranked

_UNSIGNED = {1: "B", 2: "H", 4: "I", 8: "Q"}
_SIGNED = {1: "b", 2: "h", 4: "i", 8: "q"}
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

Values = Sequence[Aggregated]
Convert = Callable[[bytes, Settings], bytes]


def _time(data: bytes, settings: Settings) -> time.struct_time:
    """A time in nanoseconds since 1970, of which whole seconds count: towards 1970, as C divides."""
    seconds = divide(number(data, signed=True), SECOND)
    return time.gmtime(seconds) if settings.utc else time.localtime(seconds)


def _date(data: bytes, settings: Settings) -> bytes:
    """`1973 Dec  3 17:20:00`, local time."""
    t = _time(data, settings)
    return (f"{t.tm_year} {_MONTHS[t.tm_mon - 1]} {t.tm_mday:2} "
            f"{t.tm_hour:02}:{t.tm_min:02}:{t.tm_sec:02}").encode()


def _rfc822(data: bytes, settings: Settings) -> bytes:
    t = _time(data, settings)
    return time.strftime("%a, %d %b %G %T %Z", t).encode()


def _lines(path: str, settings: Settings) -> Iterator[list[bytes]]:
    """Yield the words of each line of a table such as /etc/hosts of the traced system."""
    for line in (settings.read(path) or b"").splitlines():
        words = line.split(b"#", 1)[0].split()
        if len(words) > 1:
            yield words


def _port(data: bytes, settings: Settings) -> bytes:
    """The name of a port in /etc/services, or its number."""
    port = b"%d" % number(data)
    return next((words[0] for words in _lines("/etc/services", settings)
                 if words[1].partition(b"/")[0] == port), port)


def _host(data: bytes, settings: Settings) -> bytes:
    """The name of an address in /etc/hosts, or the address; no name server is asked."""
    address = until_nul(data)
    return next((words[1] for words in _lines("/etc/hosts", settings) if words[0] == address), address)


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
    raise AnswerError("a floating-point value of a strange size")


def _kernel(data: bytes, settings: Settings) -> bytes:
    return kernel_address(settings.symbols, number(data)).encode("utf-8", "surrogateescape")


def _user(data: bytes, settings: Settings) -> bytes:
    if len(data) == 16:
        pid, address = struct.unpack("<QQ", data)
    else:
        pid, address = settings.target, number(data)
    return user_address(settings.symbols, pid, address).encode("utf-8", "surrogateescape")


_TEXT: dict[str, Convert] = {
    Shown.STRING: lambda data, _s: until_nul(data),
    Shown.ESCAPED_STRING: lambda data, _s: escape(data),
    Shown.ESCAPED_CHARACTER: lambda data, _s: escape(data[:1]),
    Shown.CHARACTER: lambda data, _s: bytes((number(data) & 0xFF,)),
    Shown.WIDE_STRING: lambda data, _s: _wide(data),
    Shown.WIDE_CHARACTER: lambda data, _s: _wide(number(data).to_bytes(8, "little")[:4]),
    Shown.KERNEL_ADDRESS: _kernel,
    Shown.USER_ADDRESS: _user,
    Shown.PORT: _port,
    Shown.HOST: _host,
    Shown.DATE: _date,
    Shown.RFC822: _rfc822,
}


def _specifier(flags: str, letter: str, width: int, precision: int) -> bytes:
    """The `%` specification for Python, with C's rules where the two differ."""
    if width < 0:
        flags, width = flags + "-", -width
    if letter in "ouxX":
        flags = flags.replace("+", "").replace(" ", "")
    if letter == "s":
        flags = "-" if "-" in flags else ""
    elif precision > 0 and letter in "douxX":
        flags = flags.replace("0", "")
    return f"%{flags}{width or ''}{f'.{precision}' if precision > 0 else ''}{letter}".encode()


def _integer(flags: str, letter: str, value: int, width: int, precision: int) -> bytes:
    """An integer, by its letter; `#` as in C: none for a hexadecimal zero, a leading 0 for octal."""
    if "#" not in flags:
        return _specifier(flags, letter, width, precision) % value
    plain = flags.replace("#", "")
    if (value == 0 and letter in "xX") or letter in "du":
        return _specifier(plain, letter, width, precision) % value
    if letter != "o":
        return _specifier(flags, letter, width, precision) % value
    digits = len(f"{value:o}")
    if "0" in flags and not precision and width > digits:  # zeros for padding lead already
        return _specifier(plain, "o", width, 0) % value
    return _specifier(plain, "o", width, max(precision, digits + (value != 0))) % value


def _convert(conversion: Conversion, flags: str, record: RecDesc, data: bytes, width: int, precision: int,
             settings: Settings) -> bytes:
    """One conversion of one value."""
    shown, letter = conversion.shown, conversion.letter
    if shown == Shown.STACK:
        left = "-" in flags
        indent = abs(width) if left or width < 0 else 0
        form = _specifier("", "s", 0 if left else width, precision)
        return stacks.stack(record, data, settings, indent, form)
    if record.action in (ActionKind.MOD, ActionKind.UMOD):
        return _specifier(flags, "s", width, precision) % stacks.module(record, data, settings)
    if shown in (Shown.SIGNED, Shown.UNSIGNED):
        return _integer(flags, letter, number(data, shown == Shown.SIGNED), width, precision)
    if shown == Shown.FLOAT:
        return _specifier(flags, letter, width, precision) % _float(data)
    return _specifier(flags, "s", width, precision) % _TEXT[shown](data, settings)


class Format:
    """A format string and its uses.  Raises FormatError on construction."""

    def __init__(self, text: bytes, pointer: int = 8) -> None:
        self.text = text
        self.directives = parse(text.decode("latin-1"), pointer)

    def bind(self, records: Sequence[RecDesc]) -> Bound:
        """Fit the format to the records that follow it.  Raises AnswerError when there are too few."""
        return Bound(self.text, self.directives, records)


class _Step(NamedTuple):
    """A directive, its text as bytes, and the records of its arguments (None where it has none)."""

    prefix: bytes
    directive: Directive
    value: RecDesc | None
    width: RecDesc | None
    precision: RecDesc | None


class Bound:
    """A format with a record for each of its arguments.

    `consumed` is how many records it took.  A format without conversions takes one, if there is any:
    the compiler records a zero for it.  `plain` is the format as a template, if it is that simple.  `render`
    takes the bytes of the whole firing or aggregation row.
    """

    def __init__(self, template: bytes, directives: Sequence[Directive], records: Sequence[RecDesc]) -> None:
        self.template = template
        self.arguments: list[tuple[RecDesc, str]] = []
        remaining = iter(records)

        def take(shown: str = Shown.SIGNED) -> RecDesc:
            record = next(remaining, None)
            if record is None:
                raise AnswerError("a format has more conversions than there are records")
            self.arguments.append((record, shown))
            return record

        self._steps: list[_Step] = []
        for each in directives:
            width = take() if each.dynamic_width else None
            precision = take() if each.dynamic_precision else None
            value = take(each.conversion.shown) if each.conversion and not each.aggregation else None
            self._steps.append(_Step(each.prefix.encode("latin-1"), each, value, width, precision))
        self.consumed = len(self.arguments)
        if not self.consumed and records:
            self.consumed = 1
        self.plain = _template(self._steps)
        self._fast = None if self.plain is None else self.plain.one()

    def render(self, data: bytes, base: int, settings: Settings, values: Values = ()) -> bytes:
        """The text.  Records lie at `base` in `data`; `values` are what %@ conversions show, in turn."""
        if self._fast is not None:
            return self._fast(data, base)
        out: list[bytes] = []
        turn = 0
        for prefix, directive, record, width, precision in self._steps:
            out.append(prefix)
            conversion, flags = directive.conversion, directive.flags
            if conversion is None:
                continue
            columns = _columns(width, data, base) if width else directive.width
            digits = _columns(precision, data, base) if precision else directive.precision
            if record is not None:
                out.append(_convert(conversion, flags, record, _slice(record, data, base), columns, digits,
                                    settings))
                continue
            value = values[min(turn, len(values) - 1)]
            turn += 1
            out.append(_aggregated(conversion, flags, value, columns, digits, settings))
        return b"".join(out)


    def pieces(self, rows: Ranked) -> list[Piece] | None:
        """What the lines of a large table are made of; None unless they are plain numbers and strings."""
        from runtime.consumer.aggregations import lines
        from runtime.consumer.aggregations.ranking import numeric

        if not all(map(numeric, rows.shown)):
            return None
        pieces: list[Piece] = []
        turn = 0
        for prefix, directive, record, width, precision in self._steps:
            pieces.append(lines.text(prefix))
            conversion, flags = directive.conversion, directive.flags
            if conversion is None:
                continue
            shown, letter = conversion.shown, conversion.letter
            string = shown == Shown.STRING and record is not None
            if width or precision or directive.precision or flags.strip("-0") or \
                    not (string or (shown in (Shown.SIGNED, Shown.UNSIGNED) and letter in "dux")):
                return None
            column = lines.column(directive.width, flags.replace("0", "") if string else flags, letter == "x")
            signed = shown == Shown.SIGNED
            if record is None:
                pieces.append(lines.value(min(turn, rows.width - 1), signed, column))
                turn += 1
            elif record.action in (ActionKind.MOD, ActionKind.UMOD):
                return None
            elif string:
                pieces.append(lines.string(record, False, column))
            elif record.size in _SIGNED:
                pieces.append(lines.number(record, signed, column))
            else:
                return None
        return pieces


def _aggregated(conversion: Conversion, flags: str, value: Aggregated, width: int, precision: int,
                settings: Settings) -> bytes:
    """A %@ conversion."""
    if bucketed(value.record.action):
        return value.distribution(settings)
    return _convert(conversion, flags, value.record, value.scalar_bytes(), width, precision, settings)


def _columns(record: RecDesc, data: bytes, base: int) -> int:
    """A width or precision from a record, an int as in C.  Raises AnswerError above what a format may say."""
    value = (number(_slice(record, data, base), True) + (1 << 31) & 0xFFFFFFFF) - (1 << 31)
    if abs(value) > WIDEST:
        raise AnswerError(f"a conversion is to be {value} columns wide: {WIDEST} are the most")
    return value


def _slice(record: RecDesc, data: bytes, base: int) -> bytes:
    start = base + record.offset
    if start + record.size > len(data):
        raise AnswerError("a record goes beyond the end of its buffer")
    return data[start:start + record.size]


def _template(steps: Sequence[_Step]) -> Template | None:
    """The format as a template, when every conversion is a plain integer or string."""
    text, fields, at = b"", [], 0
    for prefix, directive, record, width, precision in steps:
        text += prefix.replace(b"%", b"%%")
        conversion, flags = directive.conversion, directive.flags
        if conversion is None:
            continue
        if record is None or width or precision or "#" in flags or record.offset < at or \
                record.action in (ActionKind.MOD, ActionKind.UMOD):
            return None
        at = record.offset + record.size
        shown = conversion.shown
        if shown == Shown.STRING:
            fields.append(Field(record.offset, record.size, f"{record.size}s", until_nul))
        elif shown in (Shown.SIGNED, Shown.UNSIGNED) and record.size in _SIGNED:
            code = (_SIGNED if shown == Shown.SIGNED else _UNSIGNED)[record.size]
            fields.append(Field(record.offset, record.size, code))
        else:
            return None
        text += _specifier(flags, conversion.letter, directive.width, directive.precision)
    return Template(text, fields)
