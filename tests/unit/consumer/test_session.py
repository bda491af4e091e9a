"""Buffers of a table-driven device become firings, text and JSON."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path
from typing import Any

import pytest
from bench import FUNC, FUNC_END, Bench
from fakes import BEGIN, END, FewSymbols, rec, record

from dof.model import LIBACT_BASE, LibAct
from dof.model import ActionKind as A
from runtime.border import AggDesc, Command, FaultKind, ProbeDescription, Status
from runtime.consumer.consumer import Consumer
from runtime.consumer.events.errors import AnswerError
from runtime.consumer.events.handler import Callbacks
from runtime.consumer.events.notices import Drop, Fault, Place, Repeats
from runtime.consumer.events.records import Firing, Traced
from runtime.consumer.output import flamegraph
from runtime.consumer.output.jsonlines import Json
from runtime.consumer.output.stream import Output
from runtime.machine import Machine


def test_classic_lines() -> None:
    bench = Bench()
    bench.ecb(1, BEGIN, 24, rec(A.DIFEXPR, 4, 12), rec(A.DIFEXPR, 8, 16))
    bench.snapshot(0, record(1, struct.pack("<iq", -5, 1 << 40)))
    assert bench.run() == (
        "CPU     ID                    FUNCTION:NAME\n"
        "  0      1                           :BEGIN        -5    1099511627776\n\n")


@pytest.mark.parametrize(("size", "raw", "loud", "quiet"), [
    (1, b"\xff", " 255", "255"), (2, b"\xff\xff", " 65535", "65535"), (4, b"\xff" * 4, "       -1", "-1"),
    (8, b"\xff" * 8, "               -1", "-1"),
    (16, b"hello".ljust(16, b"\0"), "  hello".ljust(35), "hello"),
])
def test_trace_sizes(size: int, raw: bytes, loud: str, quiet: str) -> None:
    for options, expected in (({}, loud), ({"quiet": 0}, quiet)):
        bench = Bench(**options)
        bench.ecb(1, BEGIN, 12 + size, rec(A.DIFEXPR, size, 12))
        bench.snapshot(0, record(1, raw)[:12 + size])
        shown = bench.run().split(":BEGIN ")[-1].rstrip("\n")
        assert shown == expected


def test_unprintable_bytes_are_dumped() -> None:
    bench = Bench(quiet=0)
    bench.ecb(1, BEGIN, 32, rec(A.DIFEXPR, 20, 12))
    bench.snapshot(0, record(1, bytes(range(1, 21))))
    lines = bench.run().split("\n")
    assert lines[1].endswith("e  f  0123456789abcdef")
    assert lines[2] == "         0: 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10  ................"
    assert lines[3] == "        10: 11 12 13 14" + " " * 36 + "  ...."


def test_tracemem_with_a_dynamic_size() -> None:
    bench = Bench(quiet=0)
    bench.ecb(1, BEGIN, 32, rec(A.TRACEMEM_DYNSIZE, 8, 16), rec(A.TRACEMEM, 8, 24))
    bench.snapshot(0, record(1, struct.pack("<4xQ8s", 3, b"abcdefgh")))
    assert bench.run().split("\n")[2] == "         0: 61 62 63" + " " * 39 + "  abc"


def test_filler_ring_wrap_and_order_of_cpus() -> None:
    bench = Bench(ncpus=2, quiet=0)
    bench.ecb(1, FUNC, 16, rec(A.DIFEXPR, 4, 12))
    one, two = (record(1, struct.pack("<i", n)) for n in (1, 2))
    bench.snapshot(0, two + bytes(8) + one, oldest=24)
    bench.snapshot(1, record(1, struct.pack("<i", 3)))
    bench.device.ended = 0
    assert bench.run() == "312\n"


def test_begin_first_end_last_on_one_cpu() -> None:
    bench = Bench(ncpus=2, quiet=0)
    for epid, probe in ((1, BEGIN), (2, FUNC), (3, END)):
        bench.ecb(epid, probe, 16, rec(A.DIFEXPR, 4, 12))
    bench.snapshot(0, b"".join(record(e, struct.pack("<i", e)) for e in (1, 2, 3)))
    bench.snapshot(1, record(2, struct.pack("<i", 7)))
    assert bench.run() == "1723\n"


def test_temporal_order() -> None:
    bench = Bench(ncpus=2, quiet=0, temporal=1)
    bench.ecb(1, FUNC, 16, rec(A.DIFEXPR, 4, 12))
    bench.snapshot(0, b"".join(record(1, struct.pack("<i", t), t) for t in (1, 4, 5)), timestamp=9)
    bench.snapshot(1, b"".join(record(1, struct.pack("<i", t), t) for t in (2, 3, 6)), timestamp=9)
    assert bench.run() == "123456\n"


def test_flow_indent() -> None:
    bench = Bench(flowindent=0)
    bench.ecb(1, FUNC, 12)
    bench.ecb(2, FUNC_END, 12)
    bench.ecb(3, END, 12)
    bench.snapshot(0, b"".join(record(e, b"") for e in (1, 1, 3, 2, 2)))
    assert bench.run() == (
        "CPU FUNCTION                                 \n"
        "  0  -> read                                  \n"
        "  0    -> read                                \n"
        "  0     | :END                                \n"
        "  0    <- read                                \n"
        "  0  <- read                                  \n\n")


def test_library_actions_take_effect_between_records() -> None:
    """printa(); clear(); printa() in one clause show two states."""
    bench = Bench(quiet=0)
    base = LIBACT_BASE["illumos"]
    bench.device.aggdescs[1] = AggDesc(1, 1, 24, (rec(A.DIFEXPR, 8, 8), rec(A.AGG_SUM, 8, 16)))
    bench.device.formats[1] = b"%@d;"
    records = [rec(A.PRINTA, 8, 16, fmt=1, uarg=1), rec(A.LIBACT, 8, 24, base + LibAct.NORMALIZE, uarg=2),
               rec(A.LIBACT, 4, 32, base + LibAct.NORMALIZE, uarg=2), rec(A.PRINTA, 8, 40, fmt=1, uarg=3),
               rec(A.LIBACT, 8, 48, base + LibAct.CLEAR, uarg=4), rec(A.PRINTA, 8, 56, fmt=1, uarg=5)]
    bench.ecb(1, BEGIN, 64, *records)
    bench.aggregate(struct.pack("<IIqq", 1, 0, 4, 100))
    bench.snapshot(0, record(1, struct.pack("<4xqqi4xqqq", 4, 4, 10, 4, 4, 4)))
    assert bench.run() == "100;10;0;\n"


def test_a_library_action_that_nobody_knows_does_nothing() -> None:
    bench = Bench(quiet=0)
    bench.ecb(1, BEGIN, 24, rec(A.LIBACT, 4, 16, LIBACT_BASE["illumos"] + 77), rec(A.DIFEXPR, 4, 20))
    bench.snapshot(0, record(1, struct.pack("<4xii", 5, 6)))
    assert bench.run().split()[-1] == "6"


def test_truncation_keeps_the_largest_or_the_smallest() -> None:
    for count, expected in ((2, "3 4"), (-2, "1 2")):
        bench = Bench(quiet=0)
        base = LIBACT_BASE["illumos"]
        bench.device.aggdescs[1] = AggDesc(1, 1, 32, (rec(A.DIFEXPR, 8, 8), rec(A.DIFEXPR, 4, 16),
                                                      rec(A.AGG_SUM, 8, 24)))
        bench.ecb(1, BEGIN, 32, rec(A.LIBACT, 8, 16, base + LibAct.TRUNC), rec(A.LIBACT, 4, 24,
                                                                               base + LibAct.TRUNC))
        bench.aggregate(b"".join(struct.pack("<IIqi4xq", 1, 0, 4, n, n) for n in (2, 4, 1, 3)))
        bench.snapshot(0, record(1, struct.pack("<4xqi4x", 4, count)))
        assert " ".join(line.split()[0] for line in bench.run().split("\n") if line) == expected


def test_joined_printa_fills_holes_with_zeros() -> None:
    bench = Bench(quiet=0)
    for number in (1, 2):
        bench.device.aggdescs[number] = AggDesc(number, 1, 32, (
            rec(A.DIFEXPR, 8, 8), rec(A.DIFEXPR, 4, 16), rec(A.AGG_SUM, 8, 24)))
    bench.ecb(1, BEGIN, 32, rec(A.PRINTA, 8, 16, uarg=1), rec(A.PRINTA, 8, 24, uarg=1))
    bench.aggregate(b"".join(struct.pack("<IIqi4xq", *row) for row in (
        (1, 0, 11, 1, 5), (1, 0, 11, 2, 6), (2, 0, 12, 2, 7), (2, 0, 12, 3, 8))))
    bench.snapshot(0, record(1, struct.pack("<4xqq", 11, 12)))
    rows = [line.split() for line in bench.run().split("\n") if line]
    assert rows == [["3", "0", "8"], ["1", "5", "0"], ["2", "6", "7"]]


def test_faults_and_drops_as_lines() -> None:
    bench = Bench(ncpus=1)
    bench.ecb(1, BEGIN, 12)
    words = [rec(A.DIFEXPR, 8, 16 + 8 * n) for n in range(5)]
    bench.ecb(2, ProbeDescription(3, "dtrace", "", "", "ERROR"), 56, *words, uarg=1)
    bench.snapshot(0, record(2, struct.pack("<4xQQqQQ", 1, 1, 12, 1, 0)) +
                   record(2, struct.pack("<4xQQqQQ", 1, 0, -1, 4, 0)), drops=2)
    bench.aggregate(b"", drops=1)
    bench.device.status = Status(dyndrops=3, specdrops_busy=1)
    bench.run()
    assert bench.notices == [
        "3 dynamic variable drops",
        "1 failed speculation (available buffer(s) still busy)",
        "1 aggregation drop on CPU 0",
        "error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): invalid address (0x0) in action #1 "
        "at DIF offset 12",
        "error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): divide-by-zero in predicate",
        "2 drops on CPU 0",
    ]
    assert Drop("DTRACEDROP_DYNAMIC", 1, "dynamic variable drop").message(True) == \
        "[DTRACEDROP_DYNAMIC] 1 dynamic variable drop"


def test_setopt_while_tracing() -> None:
    bench = Bench()
    base = LIBACT_BASE["illumos"]
    act = base + LibAct.SETOPT
    bench.ecb(1, BEGIN, 56, rec(A.LIBACT, 12, 12, act), rec(A.LIBACT, 8, 24, act),
              rec(A.LIBACT, 12, 32, act), rec(A.LIBACT, 12, 44, act))
    bench.snapshot(0, record(1, struct.pack("<12s8x12s12s", b"quiet", b"bufsize", b"4k")))
    bench.run()
    assert bench.consumer.settings.is_set("quiet")
    assert bench.notices == ['error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): setopt("bufsize", '
                             '"4k") failed: Option has to be set before tracing begins']


def test_setopt_with_an_empty_value_switches_off() -> None:
    bench = Bench(quiet=1)
    act = LIBACT_BASE["illumos"] + LibAct.SETOPT
    bench.ecb(1, BEGIN, 36, rec(A.LIBACT, 12, 12, act), rec(A.LIBACT, 12, 24, act))
    bench.snapshot(0, record(1, struct.pack("<12s12s", b"quiet", b"")))
    bench.run()
    assert not bench.consumer.settings.is_set("quiet")


def test_freopen_and_restore(tmp_path: Path) -> None:
    bench = Bench(quiet=0)
    bench.device.formats |= {1: str(tmp_path / "x%d").encode(), 2: b".", 3: b"in file", 4: b"back",
                             5: b"/nonexistent/dir/f"}
    bench.ecb(1, BEGIN, 64, rec(A.FREOPEN, 4, 12, fmt=1), rec(A.PRINTF, 8, 16, fmt=3),
              rec(A.FREOPEN, 8, 24, fmt=2), rec(A.PRINTF, 8, 32, fmt=4), rec(A.FREOPEN, 8, 40, fmt=5))
    bench.snapshot(0, record(1, struct.pack("<i", 7) + bytes(48)))
    assert bench.run() == "back\n"
    assert (tmp_path / "x7").read_bytes() == b"in file"
    assert "couldn't freopen() \"/nonexistent/dir/f\"" in bench.notices[0]


def test_exit_status_and_callbacks() -> None:
    bench = Bench()
    bench.ecb(1, BEGIN, 24, rec(A.EXIT, 4, 12), rec(A.DIFEXPR, 8, 16))
    data = record(1, struct.pack("<iq", 3, 9))
    bench.snapshot(0, data)
    seen: list[Firing] = []
    bench.consumer.go()
    bench.consumer.stop()
    bench.consumer.work(Callbacks(seen.append))
    assert seen[0].values == (9,) and seen[0].probe == BEGIN
    bench = Bench()
    bench.ecb(1, BEGIN, 24, rec(A.EXIT, 4, 12), rec(A.DIFEXPR, 8, 16))
    bench.snapshot(0, data)
    text = bench.text()
    bench.consumer.go()
    bench.consumer.stop()
    bench.consumer.work(text)
    assert text.status == 3


@pytest.mark.parametrize("data", [b"\1\0\0\0" + bytes(9), record(1, b"")])
def test_truncated_buffers_are_told(data: bytes) -> None:
    bench = Bench()
    bench.ecb(1, BEGIN, 64, rec(A.DIFEXPR, 8, 16))
    bench.snapshot(0, data)
    with pytest.raises(AnswerError):
        bench.run()


def test_symbols_and_stacks() -> None:
    bench = Bench(quiet=0)
    bench.consumer.settings.symbols = FewSymbols()
    bench.ecb(1, BEGIN, 112, rec(A.STACK, 16, 16, arg=2), rec(A.USTACK, 40, 32, arg=16 << 32 | 2),
              rec(A.USYM, 16, 72), rec(A.UADDR, 16, 88), rec(A.SYM, 8, 104))
    strings = b"\0note".ljust(16, b"\0")
    bench.snapshot(0, record(1, struct.pack("<4x2QQ2Q16sQQQQQ", 0x1004, 0, 7, 0x404, 0x880, strings,
                                            7, 0x404, 7, 0x404, 0x1004)))
    assert bench.run() == (
        "\n              unix`swtch+0x4\n"
        "\n              prog`main+0x4\n              note\n"
        + "  prog`main".ljust(52) + "  prog`main+0x4".ljust(52) + "  unix`swtch".ljust(52) + "\n")


# -- structured output -------------------------------------------------------------------------------

SCHEMA = json.loads((Path(flamegraph.__file__).parent / "schema.json").read_text())


def valid(item: object, schema: dict[str, Any]) -> bool:
    """The part of JSON Schema that schema.json uses."""
    if "$ref" in schema:
        return valid(item, SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]])
    if "oneOf" in schema:
        return sum(valid(item, each) for each in schema["oneOf"]) == 1
    if "enum" in schema and item not in schema["enum"]:
        return False
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool,
             "null": type(None)}
    kind = schema.get("type")
    if kind and (not isinstance(item, kinds[kind]) or (kind == "integer" and isinstance(item, bool))):
        return False
    if isinstance(item, dict):
        known = schema.get("properties", {})
        if set(schema.get("required", ())) - set(item):
            return False
        if schema.get("additionalProperties") is False and set(item) - set(known):
            return False
        return all(valid(value, known[name]) for name, value in item.items() if name in known)
    if isinstance(item, list) and "items" in schema:
        return all(valid(each, schema["items"]) for each in item)
    return True


def json_bench() -> list[dict[str, Any]]:
    bench = Bench()
    consumer, device = bench.consumer, bench.device
    consumer.settings.symbols = FewSymbols()
    consumer.names.update({4: "sizes", 5: ""})
    device.formats[1] = b"%d %s\n"
    device.aggdescs[1] = AggDesc(1, 1, 1064, (rec(A.DIFEXPR, 8, 8), rec(A.STACK, 16, 16, arg=2),
                                              rec(A.SYM, 8, 32), rec(A.DIFEXPR, 8, 40),
                                              rec(A.AGG_QUANTIZE, 1016, 48)))
    device.aggdescs[2] = AggDesc(2, 1, 40, (rec(A.DIFEXPR, 8, 8), rec(A.DIFEXPR, 16, 16),
                                            rec(A.AGG_SUM, 8, 32)))
    bench.ecb(1, BEGIN, 96, rec(A.DIFEXPR, 4, 12), rec(A.PRINTF, 8, 16, fmt=1), rec(A.PRINTF, 8, 24, fmt=1),
              rec(A.STACK, 16, 32, arg=2), rec(A.UADDR, 16, 48), rec(A.TRACEMEM, 4, 64),
              rec(A.DIFEXPR, 12, 68), rec(A.PRINTA, 8, 80, uarg=3), rec(A.EXIT, 4, 88))
    bench.snapshot(0, record(1, struct.pack("<iq8sQQQQ4s12sqi", 1, 2, b"s", 0x1004, 0x1900, 7, 0x404,
                                            b"abcd", b"\xff\0\1", 5, 0)) + bytes(4), drops=1)
    buckets = [0] * 127
    buckets[64], buckets[62], buckets[63] = 5, 1, 2
    bench.aggregate(struct.pack("<IIqQQQq127q", 1, 0, 4, 0x1004, 0, 0x1000, -1, *buckets) +
                    struct.pack("<IIq16sq", 2, 0, 5, b"\xfe\0\2", -7))
    reporter = Json(Output(bench.stream), consumer)
    consumer.go()
    consumer.stop()
    consumer.work(reporter)
    reporter.fault(Fault(0, 1, BEGIN, 1, 1, 4, 16))
    placed = Fault(0, 1, BEGIN, 1, 1, 4, 16, source=Place("", 3, 5, 9), why="p is 0x10, a user address")
    reporter.fault(placed)
    reporter.repeats(Repeats(placed, 49, 2))
    reporter.finish()
    return [json.loads(line) for line in bench.stream.getvalue().splitlines()]


def test_json_obeys_its_schema() -> None:
    items = json_bench()
    assert [item["type"] for item in items] == ["firing", "drop", "error", "error", "repeats", "aggregation",
                                                "end"]
    for item in items:
        assert valid(item, SCHEMA), item
    assert not valid({"type": "firing"}, SCHEMA)
    assert not valid(items[0] | {"surprise": 1}, SCHEMA)


def test_json_contents() -> None:
    firing, _drop, error, placed, repeats, aggregation, _end = json_bench()
    source = {"file": None, "line": 3, "column": 5, "end_column": 9}
    assert placed == error | {"source": source, "explanation": "p is 0x10, a user address"}
    assert repeats["count"] == 49 and repeats["source"] == source and "49 more" in repeats["message"]
    kinds = [each["kind"] for each in firing["records"]]
    assert kinds == ["trace", "printf", "stack", "address", "memory", "trace", "printa", "exit"]
    assert firing["records"][1] == {"kind": "printf", "text": "2 s\n", "arguments": [2, "s"]}
    assert firing["records"][2]["frames"][0] == {"address": 0x1004, "object": "unix", "symbol": "swtch",
                                                 "offset": 4}
    assert firing["records"][6]["entries"][0]["value"] == -7
    assert aggregation["name"] == "sizes"
    assert aggregation["value"] == [{"low": -1, "high": -1, "count": 1}, {"low": 0, "high": 0, "count": 2},
                                    {"low": 1, "high": 1, "count": 5}]


# -- pictures ----------------------------------------------------------------------------------------

def test_flame_graph() -> None:
    bench = Bench()
    bench.consumer.settings.symbols = FewSymbols()
    bench.device.aggdescs[1] = AggDesc(1, 1, 56, (rec(A.DIFEXPR, 8, 8), rec(A.DIFEXPR, 16, 16),
                                                  rec(A.STACK, 16, 32, arg=2), rec(A.AGG_COUNT, 8, 48)))
    bench.consumer.aggregations.add(
        struct.pack("<IIq16s2Qq", 1, 0, 4, b"prog<1>", 0x1004, 0x1900, 30) +
        struct.pack("<IIq16s2Qq", 1, 0, 4, b"prog<1>", 0x1900, 0, 10))
    folded = flamegraph.fold(bench.consumer.aggregations, bench.consumer.settings)
    assert flamegraph.folded_text(folded) == "prog<1>;unix`0x1900 10\nprog<1>;unix`0x1900;unix`swtch 30\n"
    picture = flamegraph.svg(folded)
    import xml.etree.ElementTree as xml

    root = xml.fromstring(picture)
    titles = [each.text for each in root.iter("{http://www.w3.org/2000/svg}title")]
    assert "unix`swtch (30, 75.00%)" in titles and "prog<1> (40, 100.00%)" in titles
    assert picture == flamegraph.svg(folded)


def test_heat_map() -> None:
    from runtime.consumer.output.heatmap import HeatMap

    bench = Bench()
    bench.device.aggdescs[1] = AggDesc(1, 1, 1032, (rec(A.DIFEXPR, 8, 8), rec(A.AGG_QUANTIZE, 1016, 16)))
    heat = HeatMap()
    for second, bucket in enumerate((64, 64, 66)):
        counts = [0] * 127
        counts[bucket] = 4
        bench.consumer.aggregations.add(struct.pack("<IIq127q", 1, 0, 4, *counts))
        heat.sample(bench.consumer.aggregations, {4: "lat"}, second * 10**9)
    lines = heat.text().split("\n")
    assert lines[1].startswith("lat: 0.000 s to 2.000 s")
    assert [line.split("|")[:2] for line in lines[2:5]] == \
        [[f"{4:>20} ", "  █"], [f"{2:>20} ", "   "], [f"{1:>20} ", "██ "]]
    assert heat.svg().count(" s, ") == 3  # titles of cells
    assert re.findall(r'class="dim">([\d.]+ s)<', heat.svg()) == ["0.000 s"]  # below the first column


def test_columns_of_a_heat_map_are_equally_long() -> None:
    from runtime.consumer.output.heatmap import HeatMap

    bench = Bench()
    word = 10 << 48 | 2 << 32  # lquantize(): step 10, 2 levels from 0
    bench.device.aggdescs[1] = AggDesc(1, 1, 56, (rec(A.DIFEXPR, 8, 8), rec(A.AGG_LQUANTIZE, 40, 16)))
    heat = HeatMap()
    for tenth in (0, 1, 2, 8, 9):  # nobody looked in between
        bench.consumer.aggregations.add(struct.pack("<IIq5q", 1, 0, 4, word, 1, 0, 1, 0))
        heat.sample(bench.consumer.aggregations, {4: "lat"}, tenth * 10**8)
    lines = [line for line in heat.text().split("\n") if "|" in line]
    assert lines == [f"{name:>20} |{'███     ██' if name != '0' else '':10}|" for name in ("10", "0", "< 0")]


def test_live_rows() -> None:
    from runtime.consumer.output import pictures

    bench = Bench()
    bench.consumer.names |= {1: "_", 2: "sizes"}
    bench.device.aggdescs[1] = AggDesc(1, 1, 32, (rec(A.DIFEXPR, 8, 8), rec(A.DIFEXPR, 8, 16),
                                                  rec(A.AGG_COUNT, 8, 24)))
    word = 10 << 48 | 2 << 32
    bench.device.aggdescs[2] = AggDesc(2, 2, 56, (rec(A.DIFEXPR, 8, 8), rec(A.AGG_LQUANTIZE, 40, 16)))
    bench.consumer.aggregations.add(struct.pack("<IIqqq", 1, 0, 1, 7, 5) +
                                    struct.pack("<IIq5q", 2, 0, 2, word, 1, 0, 8, 0))
    assert pictures.rows(bench.consumer) == [("@sizes", "", "< 0 ▁ █ 10"), ("@", "7", "5")]


def test_faults_of_a_clause_that_only_aggregates() -> None:
    """It records nothing in the principal buffer: its description has no bytes."""
    found: list[int] = []
    with Consumer.open(Machine({"ncpus": "1"})) as dtrace:
        dtrace.trace("BEGIN { @[copyinstr(0)] = count(); } BEGIN { exit(0); }",
                     Callbacks(fault=lambda fault: found.append(fault.fault)))
    assert found == [FaultKind.BADADDR]


@pytest.mark.parametrize(("data", "value"), [
    (b"\xfe", 254), (b"\xfe\xff", 65534), (b"\xfe\xff\xff\xff", -2), (b"\xfe" + b"\xff" * 7, -2),
    (b"ab\0", "ab"), (bytes(3), ""), (b"\x01\x02\x03", b"\x01\x02\x03")])
def test_a_value_goes_by_its_size(data: bytes, value: object) -> None:
    assert Traced(rec(A.DIFEXPR, len(data), 0), data).value == value


def test_a_value_with_a_type_is_no_format() -> None:
    bench = Bench()
    bench.device.formats[1] = b"int"
    bench.ecb(1, BEGIN, 16, rec(A.DIFEXPR, 4, 12, fmt=1))
    bench.snapshot(0, record(1, struct.pack("<i", 7)))
    assert "7" in bench.run().splitlines()[1]


@pytest.mark.parametrize(("text", "shown"), [
    (b"ab\0\0", '"ab"'), (b"a\x7f\0\0", "177'"), (b"a\x1f\0\0", "037'"), (b"a ~\0", '"a ~"'),
    (b"abcd", "'b'")])
def test_an_array_of_characters_is_text_if_it_can_be_shown(text: bytes, shown: str) -> None:
    from dc.types.headers import header_types
    from runtime.consumer.output.printedtypes import TypePrinter

    type_ = header_types("struct named { char name[4]; };").own("struct named")
    assert type_ is not None
    assert shown in TypePrinter(FewSymbols()).render(type_, text).decode()


@pytest.mark.parametrize(("options", "wanted"), [
    ({}, True), ({"lossless": 0}, False), ({"bufpolicy": 0}, False), ({"bufpolicy": 1}, False),
    ({"bufpolicy": 2}, True), ({"lossless": 1, "bufsize": 9}, True)])
def test_what_begin_records_is_read_before_it_is_too_much(options: dict[str, int], wanted: bool) -> None:
    """Only while BEGIN fires, and only where buffers are switched and nothing may be lost."""
    asked: list[bool] = []
    bench = Bench(**options)
    bench.system.relieve = asked.append  # type: ignore[method-assign]
    began = bench.device.ioctl

    def ioctl(command: Command, payload: bytes = b"") -> bytes:
        if command is Command.GO:
            assert asked == [wanted]
        return began(command, payload)

    bench.device.ioctl = ioctl  # type: ignore[method-assign]
    bench.consumer.go()
    assert asked == [wanted, False]
