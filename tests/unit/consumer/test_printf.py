"""Formats applied to record bytes: compared with what C's printf() writes."""

from __future__ import annotations

import ctypes
import itertools
import struct

import pytest
from fakes import FewSymbols, rec
from hypothesis import given, settings
from hypothesis import strategies as st

from dof.model import ActionKind as A
from dof.printf import FormatError
from runtime.consumer.events.errors import AnswerError
from runtime.consumer.events.settings import Settings
from runtime.consumer.output.printf import Format

LIBC = ctypes.CDLL(None)


def c_printf(form: bytes, *arguments: object) -> bytes:
    buffer = ctypes.create_string_buffer(1024)
    LIBC.snprintf(buffer, 1024, form, *arguments)
    return buffer.value


def render(form: bytes, *values: bytes, setting: Settings | None = None) -> bytes:
    records, data = [], b""
    for value in values:
        data += bytes(-len(data) % min(len(value), 8))
        records.append(rec(A.PRINTF, len(value), len(data)))
        data += value
    return Format(form).bind(records).render(data, 0, setting or Settings())


FLAGS = st.text("#0-+ ", max_size=3)


@settings(max_examples=400, deadline=None)
@given(FLAGS, st.integers(0, 12), st.integers(0, 12), st.sampled_from("dioux" "X"),
       st.integers(-(1 << 63), (1 << 63) - 1))
def test_integers_as_in_c(flags: str, width: int, precision: int, letter: str, value: int) -> None:
    spec = flags + (str(width) if width else "") + (f".{precision}" if precision else "")
    # In D's printf a `-` cancels an earlier 0 and the other way round; in C `-` always wins.
    if "-" in flags and "0" in flags:
        spec = spec.replace("0", "", flags.count("0"))
        flags = flags.replace("0", "")
        spec = flags + (str(width) if width else "") + (f".{precision}" if precision else "")
    mine = render(f"[%{spec}{letter}]".encode(), struct.pack("<q", value))
    assert mine == c_printf(f"[%{spec}ll{letter}]".encode(), ctypes.c_longlong(value))


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(("", "-")), st.integers(0, 20), st.integers(0, 8), st.binary(max_size=12))
def test_strings_as_in_c(flag: str, width: int, precision: int, text: bytes) -> None:
    spec = f"{flag}{width or ''}{f'.{precision}' if precision else ''}s"
    assert render(b"%" + spec.encode(), text.ljust(16, b"\0")) == c_printf(b"%" + spec.encode(), text)


@settings(max_examples=200, deadline=None)
@given(FLAGS.filter(lambda f: not ("-" in f and "0" in f)), st.integers(0, 12), st.integers(1, 9),
       st.sampled_from("eEfgG"), st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_floats_as_in_c(flags: str, width: int, precision: int, letter: str, value: float) -> None:
    form = f"%{flags}{width or ''}.{precision}{letter}".encode()
    assert render(form, struct.pack("<d", value)) == c_printf(form, ctypes.c_double(value))


def test_dynamic_width_and_precision() -> None:
    assert render(b"%*d|", struct.pack("<i", 5), struct.pack("<i", 42)) == b"   42|"
    assert render(b"%*d|", struct.pack("<i", -5), struct.pack("<i", 42)) == b"42   |"
    assert render(b"%.*s|", struct.pack("<i", 2), b"hello\0\0\0") == b"he|"
    assert render(b"%.*s|", struct.pack("<i", 0), b"hello\0\0\0") == b"hello|"  # 0 means none, as in D


@pytest.mark.parametrize(("form", "value", "expected"), [
    (b"%d", struct.pack("<h", -2), b"-2"),
    (b"%u", struct.pack("<h", -2), b"65534"),
    (b"%x", struct.pack("<b", -1), b"ff"),
    (b"%?x", struct.pack("<Q", 0x10), b"              10"),
    (b"%p", struct.pack("<Q", 0xFEED), b"feed"),
    (b"%c", struct.pack("<i", 65), b"A"),
    (b"%C", struct.pack("<i", 10), b"\\n"),
    (b"%S", b'a"\n\x01\0', b'a\\"\\n\\001\\0'),
    (b"%ws", "hé".encode("utf-32-le") + b"\0\0\0\0", "hé".encode()),
    (b"%wc", struct.pack("<i", 0x20AC), "€".encode()),
    (b"%f", struct.pack("<f", -2.5), b"-2.500000"),
    (b"%Lf", struct.pack("<QH6x", 0xC000000000000000, 0x4000), b"3.000000"),
    (b"100%%", b"", b"100%"),
    (b"%I", b"198.51.100.1\0\0\0\0", b"198.51.100.1"),
    (b"%a", struct.pack("<Q", 0x1010), b"unix`swtch+0x10"),
    (b"%a", struct.pack("<Q", 0x1900), b"unix`0x1900"),
    (b"%-18a|", struct.pack("<Q", 0x1000), b"unix`swtch        |"),
    (b"%A", struct.pack("<QQ", 7, 0x404), b"prog`main+0x4"),
    (b"%A", struct.pack("<Q", 0x400), b"prog`main"),
])
def test_conversions(form: bytes, value: bytes, expected: bytes) -> None:
    setting = Settings(symbols=FewSymbols(), target=7)
    assert render(form, *([value] if value else []), setting=setting) == expected


TABLES = {
    "/etc/services": b"# names\nhttp 80/tcp www # the web\nweb 80/udp\nalone\ndomain\t53/udp\n#ssh 22/tcp\n"
                     b" 8o 8/x\n",
    "/etc/hosts": b"127.0.0.1 localhost lo\n198.51.100.1 # nobody\n198.51.100.2\tfirst second\n::1 six\n"}


@pytest.mark.parametrize(("form", "value", "named", "plain"), [
    (b"%P", struct.pack("<H", 80), b"http", b"80"), (b"%P", struct.pack("<H", 53), b"domain", b"53"),
    (b"%P", struct.pack("<i", 22), b"22", b"22"), (b"%P", struct.pack("<H", 8), b"8o", b"8"),
    (b"%P", struct.pack("<H", 65535), b"65535", b"65535"),
    (b"[%8P]", struct.pack("<H", 80), b"[    http]", b"[      80]"),
    (b"%I", b"127.0.0.1\0\0\0", b"localhost", b"127.0.0.1"), (b"%I", b"::1\0", b"six", b"::1"),
    (b"%I", b"198.51.100.1\0\0\0\0", b"198.51.100.1", b"198.51.100.1"),
    (b"%I", b"198.51.100.2\0\0\0\0", b"first", b"198.51.100.2"),
    (b"%I", b"localhost\0\0\0", b"localhost", b"localhost"),
    (b"%-9I|", b"::1\0", b"six      |", b"::1      |")])
def test_names_of_ports_and_hosts(form: bytes, value: bytes, named: bytes, plain: bytes) -> None:
    """They are those of the traced system's tables, in which comments and short lines tell nothing."""
    assert render(form, value, setting=Settings(read=TABLES.get)) == named
    assert render(form, value, setting=Settings(read=lambda _path: None)) == plain


@pytest.mark.parametrize(("mantissa", "top", "expected"), [
    (1 << 63, 0x3FFF, b"1.000000"), (1 << 63, 0xBFFF, b"-1.000000"), (0, 0, b"0.000000"),
    (0xA000000000000000, 0x4001, b"5.000000"), (1 << 63, 0x7FFF, b"inf"), (1 << 63, 0xFFFF, b"-inf")])
def test_floats_of_80_bits(mantissa: int, top: int, expected: bytes) -> None:
    assert render(b"%Lf", struct.pack("<QH6x", mantissa, top)) == expected


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 10, 12, 15, 17, 32])
def test_floats_of_strange_sizes(size: int) -> None:
    with pytest.raises(AnswerError):
        render(b"%f", bytes(size))


@pytest.mark.parametrize(("units", "rest", "expected"), [
    ((65, 0x20AC, 0x1F600, 0, 66), b"", "A€😀"), ((65, 66), b"", "AB"), ((0, 65), b"", ""),
    ((65, 0x110000, 0xFFFFFFFF, 66), b"", "A??B"), ((65, 66), b"\x43\0\0", "AB"),
    ((0x10FFFF,), b"", "\U0010ffff")])
def test_wide_strings(units: tuple[int, ...], rest: bytes, expected: str) -> None:
    """Up to the first 0 or the end; what is no character is a question mark."""
    data = struct.pack(f"<{len(units)}I", *units) + rest
    assert render(b"%ws", data) == expected.encode()


SPACES = [f"{width or ''}{f'.{precision}' if precision else ''}" for width, precision in (
    (0, 0), (3, 0), (4, 0), (5, 0), (12, 0), (25, 0), (12, 3), (3, 12), (0, 4))]


@pytest.mark.parametrize("letter", "diouxX")
def test_every_flag_of_integers(letter: str) -> None:
    """All of them, each with widths around the number's own and with zero."""
    for value, flags, space in itertools.product((0, 1, 8, -1, 0o777, 1 << 62), (
            "", "#", "0", "#0", "-", "#-", "+", " ", "+0", "#+0"), SPACES):
        found = render(f"[%{flags}{space}{letter}]".encode(), struct.pack("<q", value))
        assert found == c_printf(f"[%{flags}{space}ll{letter}]".encode(), ctypes.c_longlong(value))


def test_dates(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    moment = struct.pack("<q", 123_456_789 * 10**9 + 5)
    assert render(b"%Y", moment) == b"1973 Nov 29 21:33:09"
    assert render(b"%T", moment) == b"Thu, 29 Nov 1973 21:33:09 UTC"


@pytest.mark.parametrize(("nanoseconds", "date"), [
    (-1, b"1970 Jan  1 00:00:00"), (-999_999_999, b"1970 Jan  1 00:00:00"),
    (-10**9, b"1969 Dec 31 23:59:59"), (-1_999_999_999, b"1969 Dec 31 23:59:59"),
    (-86400 * 10**9 - 1, b"1969 Dec 31 00:00:00"), (-1 << 63, b"1677 Sep 21 00:12:44")])
def test_dates_before_1970(nanoseconds: int, date: bytes) -> None:
    """Seconds are those that C's division leaves: parts of one count towards 1970."""
    assert Format(b"%Y").bind([rec(A.DIFEXPR, 8, 0)]).render(
        struct.pack("<q", nanoseconds), 0, Settings(utc=True)) == date


def test_stack_conversion_indents_by_width() -> None:
    stack = rec(A.STACK, 24, 0, arg=3)
    data = struct.pack("<3Q", 0x1004, 0x1000, 0)
    setting = Settings(symbols=FewSymbols())
    assert Format(b"%k").bind([stack]).render(data, 0, setting) == b"\nunix`swtch+0x4\nunix`swtch\n"
    assert Format(b"%-3k").bind([stack]).render(data, 0, setting) == b"\n   unix`swtch+0x4\n   unix`swtch\n"


@pytest.mark.parametrize(("form", "said"), [
    (b"%", "has no letter"), (b"%y", "is %y, which is unknown"), (b"%1$d", "argument with a $"),
    (b"%**d", "#1 of the format takes its width from two"),
    (b"%..d", "two points"), (b"%5%", "without flags"), (b"a%dq%llz", "#2"),
])
def test_bad_formats(form: bytes, said: str) -> None:
    with pytest.raises(FormatError, match=said.replace("$", r"\$").replace("*", r"\*").replace(".", r"\.")):
        Format(form)


def test_too_few_records() -> None:
    with pytest.raises(AnswerError):
        Format(b"%d %d").bind([rec(A.PRINTF, 4, 0)])
