"""Formats applied to record bytes: compared with what C's printf() writes."""

from __future__ import annotations

import ctypes
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


def test_dates(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    moment = struct.pack("<q", 123_456_789 * 10**9 + 5)
    assert render(b"%Y", moment) == b"1973 Nov 29 21:33:09"
    assert render(b"%T", moment) == b"Thu, 29 Nov 1973 21:33:09 UTC"


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
