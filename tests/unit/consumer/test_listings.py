"""Everything that a session writes of a few buffers, under each option that changes it: `listings/*.txt`.

The buffers are made here, byte by byte; no machine is needed.  `make golden` writes the files anew; read the
diff before you commit it.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench import FUNC, FUNC_END, Bench
from fakes import FewSymbols, rec, record

from dc.compiler import compile as compile_d
from dof.model import ActionKind as A
from runtime.api import report
from runtime.api.report import Page
from runtime.border import AggDesc, ProbeDescription
from runtime.consumer.aggregations.entries import Entry
from runtime.consumer.events.notices import Drop, Fault
from runtime.consumer.events.records import Firing, Flow, Traced
from runtime.consumer.events.symbols import Symbol
from runtime.consumer.output import flamegraph, timeline
from runtime.consumer.output.bufferreport import BufferReport
from runtime.consumer.output.heatmap import HeatMap
from runtime.consumer.output.jsonlines import Json
from runtime.consumer.output.pictures import Drawn
from runtime.consumer.output.stream import Output
from runtime.consumer.output.text import Text

HERE = Path(__file__).parent / "listings"
LINEAR, LOGARITHMIC = 3 << 48 | 4 << 32 | 0xFFFFFFFA, 10 << 48 | 1 << 16 | 10
WORDS = {A.AGG_COUNT: [3], A.AGG_MIN: [-5], A.AGG_MAX: [7], A.AGG_SUM: [100], A.AGG_AVG: [4, 10],
         A.AGG_STDDEV: [3, 6, 14, 0], A.AGG_QUANTIZE: [0] * 127, A.AGG_LQUANTIZE: [LINEAR, 1, 2, 0, 0, 4, 1],
         A.AGG_LLQUANTIZE: [LOGARITHMIC, *range(20)]}
WORDS[A.AGG_QUANTIZE][60:68] = [1, 0, 2, 3, 40, 5, 0, 7]
OPTIONS: list[dict[str, int]] = [
    {}, {"quiet": 0}, {"flowindent": 0}, {"rawbytes": 0}, {"temporal": 0}, {"stackindent": 3}, {"aggpack": 0},
    {"agghist": 0}, {"aggzoom": 0}, {"agghist": 0, "aggzoom": 0}, {"aggpack": 0, "aggzoom": 0},
    {"aggsortkey": 0}, {"aggsortrev": 0}, {"aggsortkey": 0, "aggsortrev": 0},
    {"aggsortkey": 0, "aggsortkeypos": 1}]


def session(options: dict[str, int]) -> Bench:
    """Return a session with two CPUs: an entry and a return with every kind of record, and aggregations."""
    bench = Bench(2, **options)
    bench.consumer.settings.symbols = FewSymbols()
    stack = struct.pack("<3Q", 0x1004, 0x1900, 0)
    ustack = struct.pack("<4Q", 7, 0x404, 0x850, 0)
    formats = [b"%d|%5u|%-6x|%s|%c|%a|%Y\n"]
    bench.device.formats |= dict(enumerate(formats, 1))
    values = [(A.DIFEXPR, struct.pack("<b", -3), 0), (A.DIFEXPR, struct.pack("<h", -3), 0),
              (A.DIFEXPR, struct.pack("<i", -3), 0), (A.DIFEXPR, struct.pack("<q", -3), 0),
              (A.DIFEXPR, b"text".ljust(16, b"\0"), 0), (A.DIFEXPR, bytes(range(28)), 0),
              (A.TRACEMEM, b"\1\2\3", 0), (A.STACK, stack, 3), (A.USTACK, ustack, 3),
              (A.SYM, struct.pack("<Q", 0x1004), 0), (A.MOD, struct.pack("<Q", 0x1004), 0),
              (A.USYM, struct.pack("<QQ", 7, 0x404), 0), (A.UMOD, struct.pack("<QQ", 7, 0x404), 0),
              (A.UADDR, struct.pack("<QQ", 7, 0x404), 0)]
    records, body = [], b""

    def add(action: int, data: bytes, arg: int = 0, fmt: int = 0, uarg: int = 0) -> None:
        nonlocal body
        body += bytes(-(12 + len(body)) % min(8, len(data) & -len(data)))
        records.append(rec(action, len(data), 12 + len(body), arg, fmt, uarg))
        body += data
    for action, data, arg in values:
        add(action, data, arg, uarg=len(records))
    for data in (struct.pack("<i", -7), struct.pack("<Q", 1 << 20), struct.pack("<H", 0xABC), b"str\0xyz\0",
                 struct.pack("<i", 0x41), struct.pack("<Q", 0x1010), struct.pack("<q", 123_456_789 * 10**9)):
        add(A.PRINTF, data, fmt=1, uarg=99)
    bench.ecb(1, FUNC, 12 + len(body), *records)
    bench.ecb(2, FUNC_END, 16, rec(A.DIFEXPR, 4, 12))
    entry, left = record(1, body, 5)[:12 + len(body)], record(2, struct.pack("<i", 6), 9)
    bench.snapshot(0, entry + left)
    bench.snapshot(1, record(2, struct.pack("<i", 7), 7) + record(1, body, 8)[:12 + len(body)])
    data = b""
    for number, (action, words) in enumerate(WORDS.items(), 1):
        key, name, value = rec(A.DIFEXPR, 4, 16), rec(A.DIFEXPR, 12, 20), rec(action, 8 * len(words), 56)
        trace = rec(A.STACK, 24, 32, 3)
        bench.device.aggdescs[number] = AggDesc(number, 1, 56 + 8 * len(words), (
            rec(A.DIFEXPR, 8, 8), key, name, trace, value))
        for place, text in ((1, b"one"), (-2, b"two"), (1, b"also")):
            scaled = [words[0], *words[1:]] if len(words) > 4 else [each * (place + 3) for each in words]
            data += struct.pack("<IIqi12s3Q", number, 0, 10 + number, place, text, 0x1004, 0x1900, 0)
            data += struct.pack(f"<{len(words)}q", *scaled)
    bench.aggregate(data)
    return bench


def _printed(options: dict[str, int]) -> Iterator[str]:
    yield f"== {' '.join(options) or 'no options'}"
    bench = session(options)
    if any(name.startswith("agg") for name in options):
        bench.device.buffers.clear()
    elif options:
        bench.device.aggregations.clear()
    yield from bench.run().splitlines()
    yield from bench.notices


def _json() -> Iterator[str]:
    bench = session({})
    reporter = Json(Output(bench.stream), bench.consumer)
    bench.consumer.go()
    bench.consumer.stop()
    bench.consumer.work(reporter)
    reporter.finish()
    yield from bench.stream.getvalue().decode().splitlines()


def _names() -> dict[int, str]:
    return {10 + number: f"@{action:#x}" for number, action in enumerate(WORDS, 1)}


def _entries(bench: Bench) -> list[Entry]:
    bench.run()
    return list(bench.consumer.aggregations)


def _heat() -> Iterator[str]:
    bench = session({})
    entries, drawn = _entries(bench), HeatMap()
    drawn.sample([], _names(), 1_000_000_000)
    for moment in (2_000_000_000, 3_000_000_000, 5_500_000_000):
        drawn.sample(entries[:len(entries) - 5 + moment // 1_000_000_000], _names(), moment)
    yield drawn.text()
    yield drawn.svg()


def _flame() -> Iterator[str]:
    bench = session({})
    folded = flamegraph.fold(_entries(bench), bench.consumer.settings)
    yield flamegraph.folded_text(folded)
    more = {**folded, ("a<b>", "unix`very_long_name_of_a_function" * 3): 7, ("tiny",): 0, ("small",): 1}
    yield re.sub(r"<script>.*</script>", "", flamegraph.svg(more, "Title & more"), flags=re.DOTALL)
    yield re.sub(r"<script>.*</script>", "", flamegraph.svg({}), flags=re.DOTALL)


def _timeline() -> Iterator[str]:
    program = compile_d(timeline.PROGRAM).program
    own = {action.uarg for ecb in program.ecbs for action in ecb.actions}
    drawn = timeline.Timeline(program)
    happened = [(100, 0, 1, 5, "sh"), (150, 1, 1, 6, "echo"), (200, 0, 2, 5, "sh"), (220, 0, 4, 5, "sh"),
                (250, 0, 3, 7, "cat"), (300, 1, 1, 7, "cat<&>"), (400, 1, 5, 7, "cat<&>"),
                (450, 0, 1, 6, "echo")]
    for moment, cpu, *values in happened:
        probe = ProbeDescription(20, "sched", "", "", "on-cpu")
        firing = Firing(cpu, 1, probe, moment * 1_000_000, Flow())
        kind, pid = (int(str(each)) for each in values[:2])
        data = [struct.pack("<i", kind), struct.pack("<i", pid), struct.pack("<i", 40 + pid),
                str(values[2]).encode().ljust(16, b"\0")]
        firing._seen = [Traced(rec(A.DIFEXPR, len(each), 0, uarg=min(own)), each) for each in data]
        firing._rest = iter(())
        assert drawn.take(firing)
    other = Firing(0, 9, FUNC, 500_000_000, Flow())
    other._rest = iter(())
    assert not drawn.take(other)
    yield drawn.svg()


def _report() -> Iterator[str]:
    bench = session({})
    long = "-n " + "x" * 106  # and "dtrace " before it: 116 characters
    scripts = [("a<b>.d", "\nBEGIN { }\n"), ("", "END\n")]
    pages = [Page(bench.consumer, words, each) for words, each in (
        (["-s", "a<b>.d"], scripts), ([long, "xyz"], []), ([long, "wxyz"], []))]
    first = pages[0]
    first.printed(b"one <1>\n\n")
    first.printed(b"x" * report.MOST_OUTPUT)
    for probe, count in ((FUNC, 3), (FUNC_END, 1)):
        for _ in range(count):
            first.firing(Firing(0, 1, probe, 5, Flow()))
    first.fault(Fault(0, 1, FUNC, 1, 1, 4, 16))
    first.drop(Drop("DTRACEDROP_PRINCIPAL", 7, "drop", " on CPU 1", 1))
    bench.run()
    for page in pages:
        html = page.html(Drawn("<svg>t</svg>", "", "<svg>h</svg>"), 3)
        shown = re.sub(r"x{1000,}", lambda found: f"[{len(found[0])} x]", html)
        yield re.sub(r"<style>.*?</style>", "", shown, flags=re.DOTALL)


class ManySymbols(FewSymbols):
    """One more function behind main(), which never returns, and a signal handler's return."""

    def user(self, pid: int, address: int) -> Symbol | None:
        more = {0x500: "__restore_rt", 0x440: "after", 0x600: "handler"}
        found = next((at for at in more if at <= address < at + 0x40), None)
        return super().user(pid, address) if found is None or pid != 7 else \
            Symbol("prog", more[found], found, 0x40)


def _values() -> list[tuple[int, bytes, int]]:
    """Return records of every kind: action, bytes and argument."""
    numbers = [value.to_bytes(size, "little") for size in (1, 2, 4, 8)
               for value in (0, 1, (1 << 8 * size - 1) - 1, 1 << 8 * size - 1, (1 << 8 * size) - 1)]
    texts = [b"", b"a", b"text\n\t", b"two\0words", b"\x1b[0m", b"\xff\xfe", "\u00e9\u65e5".encode(),
             b"a\0\0\1",
             b"   ", b"\0", b"x" * 11]
    data = [bytes(range(32, 32 + size)) for size in (3, 5, 15, 16, 17, 33)] + [bytes(3), bytes(range(20))]
    kernel, user = (0x1004, 0x1100, 0x1900, 0x2000, 0), (0x404, 0x440, 0x500, 0x600, 0x850)
    found = [(A.DIFEXPR, each, 0) for each in numbers]
    found += [(A.DIFEXPR, each.ljust(12, b"\0"), 0) for each in texts] + [(A.DIFEXPR, each, 0)
                                                                          for each in data]
    found += [(A.TRACEMEM, each, 0) for each in (b"\1", *data)]
    found += [(A.STACK, struct.pack("<5Q", *kernel), 5), (A.STACK, struct.pack("<2I", 0x1004, 0x2000), 2),
              (A.STACK, struct.pack("<2Q", 0x1004, 0x1010), 2), (A.STACK, bytes(8), 1)]
    found += [(A.USTACK, struct.pack("<6Q", pid, *user), 5) for pid in (7, 8, 0)] + [(A.USTACK, bytes(8), 0)]
    notes = [b"", b"@in <it>", b"named", b"@", b"x\x01"]
    for names in (notes, notes[2:] + notes[:2]):
        strings = b"\0".join(names).ljust(32, b"\0")
        found.append((A.JSTACK, struct.pack("<6Q", 7, *user) + strings, 32 << 32 | 5))
    found += [(action, struct.pack("<Q", address), 0) for action in (A.SYM, A.MOD)
              for address in (0, 0x1000, 0x1004, 0x1100, 0x1FFF, 0x2000, 1 << 63)]
    found += [(action, struct.pack("<QQ", pid, address), 0) for action in (A.USYM, A.UMOD, A.UADDR)
              for pid,
              address in ((7, 0x400), (7, 0x404), (7, 0x8FF), (7, 0x900), (8, 0x404), (0, 0), (7, 0))]
    return found


def _every(options: dict[str, int], form: type[Text | Json | BufferReport]) -> Iterator[str]:
    """Yield what a reporter says of each of the values, a firing each."""
    bench = Bench(1, **options)
    bench.consumer.settings.symbols = ManySymbols()
    data = b""
    for number, (action, value, arg) in enumerate(_values(), 1):
        bench.ecb(number, FUNC, 16 + len(value) + -len(value) % 4, rec(action, len(value), 16, arg))
        data += record(number, bytes(4) + value, number)
    bench.snapshot(0, data)
    output = Output(bench.stream)
    reporter = bench.text() if form is Text else form(output,
                                                      bench.consumer)  # type: ignore[call-arg,arg-type]
    bench.consumer.handler = reporter
    bench.consumer.go()
    bench.consumer.stop()
    bench.consumer.work(reporter)
    reporter.finish()
    output.flush()
    yield from bench.stream.getvalue().decode("utf-8", "backslashreplace").split("\n")
    yield from bench.notices


def _said() -> Iterator[str]:
    for options in ({}, {"quiet": 0}, {"rawbytes": 0}, {"stackindent": 2, "quiet": 0}):
        yield f"== {options}"
        yield from _every(options, Text)
    yield "== JSON"
    yield from _every({}, Json)


def _buffered() -> Iterator[str]:
    """What -B says of a session: the first piece of each kind, by its flags and its record's action."""
    bench = session({})
    output = Output(bench.stream)
    bench.consumer.handler = reporter = BufferReport(output, bench.consumer)
    bench.consumer.go()
    bench.consumer.stop()
    bench.consumer.work(reporter)
    reporter.finish()
    pieces = bench.stream.getvalue().decode("utf-8", "backslashreplace").split("dtrace: >>> Called")
    kinds = {tuple(re.findall(r"(?:flags|action|nrecs) => .*", each)): each for each in reversed(pieces)}
    yield f"{len(pieces)} pieces"
    yield from reversed(kinds.values())


LISTINGS = {"said": _said, "buffered": _buffered,
            "printed": lambda: (line for options in OPTIONS for line in _printed(options)), "json": _json,
            "report": _report, "heat": _heat, "flame": _flame, "timeline": _timeline}


def made(name: str) -> list[str]:
    return "\n".join(LISTINGS[name]()).splitlines()


@pytest.mark.parametrize("name", LISTINGS)
def test_listing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    expected = (HERE / f"{name}.txt").read_text().splitlines()
    assert made(name) == expected, "if this is meant, say `make golden`"


@pytest.mark.parametrize("count", [499, 500, 501])
def test_a_page_has_500_errors_and_500_losses(count: int) -> None:
    page = Page(session({}).consumer, [], [])
    for number in range(count):
        page.fault(Fault(0, 1, FUNC, 1, 1, 4, number))
        page.drop(Drop("DTRACEDROP_PRINCIPAL", 2, "drop", f" on CPU {number}", 1))
    html = page.html(Drawn("", "", ""), 0)
    kept = min(count, 500)
    assert f"<dt>drops</dt><dd>{2 * count}</dd><dt>errors</dt><dd>{count}</dd>" in html
    assert html.count("error on enabled probe") == html.count("2 drops on CPU") == kept
    assert f"2 drops on CPU {kept - 1}" in html and f"2 drops on CPU {kept}" not in html


def regenerate() -> None:
    """Write every listing."""
    for name in LISTINGS:
        (HERE / f"{name}.txt").write_text("\n".join(made(name)) + "\n")


if __name__ == "__main__":
    regenerate()
