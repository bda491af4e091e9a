"""Firings that lie one after another are shown at once, with the text that each of them has by itself."""

from __future__ import annotations

import io
import struct
from unittest import mock

import pytest

from runtime.consumer import reader
from runtime.consumer.consumer import Consumer
from runtime.consumer.output.stream import Output
from runtime.consumer.output.text import Text
from runtime.machine import Machine

# each fires some 50 times in a row, between firings of other clauses
CLAUSES = [
    "trace(n); trace(-n);",
    "trace((char)n); trace((short)-n); trace((int)-n);",
    "trace((int)n);",
    "trace(execname); trace(n);",
    'trace(n % 3 ? "%d" : "");',
    "trace(*curthread);",
    'printf("%d%%: %-9s|%5x|%05d\\n", n, probename, n, -n);',
    'printf("a"); trace(n);',
    'printf("%*d\\n", n % 7, n);',
    "stack(3); sym((uintptr_t)&`utsname);",
    "tracemem(curthread, 4);",
    "print(n);",
    "trace(n % 20 ? 0 : *(int *)0);",
]
SOURCE = "BEGIN { phase = n = 0; } tick-20hz { trace(++phase); } tick-1s { exit(0); }" + "".join(
    f"profile-997 /phase == {phase}/ {{ n++; {clause} }}\n" for phase, clause in enumerate(CLAUSES))


def shown(options: dict[str, object]) -> bytes:
    stream = io.BytesIO()
    with Machine() as machine, Consumer.open(machine) as dtrace:
        dtrace.options.values.update(options)
        text = Text(Output(stream), dtrace.settings, dtrace.aggregations, notice=lambda line: stream.write(
            line.encode() + b"\n"), type_named=dtrace.types.get)
        dtrace.trace(SOURCE, text, seconds=2)
    return stream.getvalue()


@pytest.mark.parametrize("options", [{}, {"quiet": True, "rawbytes": True}, {"flowindent": True}])
def test_by_the_run_as_one_by_one(options: dict[str, object]) -> None:
    with mock.patch.object(reader, "_RUN", 1 << 30):
        expected = shown(options)
    with mock.patch.object(Text, "run", autospec=True, side_effect=Text.run) as taken:
        assert shown(options) == expected
    assert expected.count(b"\n") > 300
    assert len(taken.mock_calls) > 8 or "flowindent" in options


def _records(words: list[tuple[int, int]], filler: bool) -> bytes:
    """Records of 20 bytes of clauses: EPID, time, and a value; filler between them."""
    return b"".join(struct.pack("<IIIIi", epid, 0, 0, 0, value) + bytes(4 * filler) for epid, value in words)


@pytest.mark.parametrize("filler", [False, True])
def test_how_long_a_run_is(filler: bool) -> None:
    size = 24 if filler else 20
    alike = [(1, 7)] * 30
    assert reader._alike(_records(alike, filler), 0, 20) == (size, 30)
    assert reader._alike(_records([*alike, (2, 7), *alike], filler), 0, 20) == (size, 30)
    assert reader._alike(_records(alike, filler)[:-size - 8], 0, 20) == (size, 28)
    assert reader._alike(_records([(1, 7), (2, 1), (1, 7)], filler), 0, 20) == (size, 1)


def test_what_stands_where_filler_was_ends_a_run() -> None:
    """A record that needs no filler may have a value where another one of the same clause would begin."""
    data = _records([(1, 7)] * 3, True) + _records([(1, 7)], False) + struct.pack("<IIIIi", 2, 1, 0, 0, 1)
    assert reader._alike(data, 0, 20) == (24, 3)
