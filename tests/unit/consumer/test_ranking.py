"""Two ways to sort, join, truncate, normalize and print agree: objects, and compiled kernels."""

from __future__ import annotations

import io
import os
import struct
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from fakes import rec
from hypothesis import given, settings
from hypothesis import strategies as st

from dif.records import replace
from dof.model import ActionKind as A
from runtime.border import AggDesc, RecDesc
from runtime.consumer.aggregations import aggregate
from runtime.consumer.aggregations.aggregate import ORDERS, Aggregations, Row
from runtime.consumer.aggregations.bulk import Bulk
from runtime.consumer.aggregations.entries import INSTANCE_KEY, Entry
from runtime.consumer.aggregations.jit import Compiler, ObjectCache
from runtime.consumer.events.records import PrintAggregations
from runtime.consumer.events.settings import Settings
from runtime.consumer.output.stream import Output
from runtime.consumer.output.text import Text

LQUANTIZE = 3 << 48 | 4 << 32 | 0xFFFFFFFA  # base -6, step 3, four levels
LLQUANTIZE = 10 << 48 | 0 << 32 | 1 << 16 | 10
WORDS = {A.AGG_COUNT: 1, A.AGG_SUM: 1, A.AGG_MIN: 1, A.AGG_MAX: 1, A.AGG_AVG: 2, A.AGG_STDDEV: 4,
         A.AGG_QUANTIZE: 127, A.AGG_LQUANTIZE: 7, A.AGG_LLQUANTIZE: 21}
PARAMETERS = {A.AGG_LQUANTIZE: LQUANTIZE, A.AGG_LLQUANTIZE: LLQUANTIZE}
TUPLES = [[(A.DIFEXPR, 8)], [(A.DIFEXPR, 1), (A.DIFEXPR, 13)], [(A.UADDR, 16), (A.DIFEXPR, 4)],
          [(A.STACK, 32), (A.DIFEXPR, 2), (A.DIFEXPR, 40)], [(A.USTACK, 24), (A.DIFEXPR, 8)]]
HUGE = 1 << 30


def describe(number: int, action: int, keys: list[tuple[int, int]]) -> AggDesc:
    at, records = 16, [rec(A.DIFEXPR, 8, 8)]
    for kind, size in keys:
        at = -(-at // min(size & -size, 8)) * min(size & -size, 8)
        records.append(rec(kind, size, at))
        at += size
    at = -(-at // 8) * 8
    value = 8 * WORDS[action]
    return AggDesc(number, 1, at + value, (*records, rec(action, value, at)))


def record(desc: AggDesc, keys: list[bytes], words: list[int]) -> bytes:
    out = bytearray(desc.size)
    struct.pack_into("<IIq", out, 0, desc.id, 0, desc.id + 10)
    for key, data in zip(desc.records[1:-1], keys, strict=True):
        out[key.offset:key.offset + key.size] = data
    struct.pack_into(f"<{len(words)}q", out, desc.records[-1].offset, *words)
    return bytes(out)


NUMBER = st.one_of(st.integers(-5, 5), st.sampled_from([-(1 << 63), (1 << 63) - 1]),
                   st.integers(-(1 << 63), (1 << 63) - 1))


@st.composite
def values(draw: st.DrawFn, action: int) -> list[int]:
    count = WORDS[action]
    if count <= 4:
        return [draw(NUMBER) for _ in range(count)]
    words = [0] * count
    for place in draw(st.lists(st.integers(0, count - 1), max_size=4)):
        words[place] = draw(NUMBER)
    if action in PARAMETERS:
        words[0] = PARAMETERS[action]
    return words


def key(size: int) -> st.SearchStrategy[bytes]:
    """Few different ones, whose bytes differ early, late, and in the sign."""
    if size == 1:
        return st.sampled_from((b"\0", b"\1", b"\x80"))
    return st.builds(lambda first, last: bytes((first, *bytes(size - 2), last)),
                     st.sampled_from((0, 1, 0x80)), st.sampled_from((0, 1, 0xFF)))


@st.composite
def snapshots(draw: st.DrawFn) -> tuple[dict[int, AggDesc], bytes]:
    keys = draw(st.sampled_from(TUPLES))
    actions = draw(st.lists(st.sampled_from(list(WORDS)), min_size=1, max_size=2))
    descs = {n: describe(n, action, keys) for n, action in enumerate(actions, 1)}
    data = b""
    for desc in descs.values():
        for _ in range(draw(st.integers(0, 12))):
            data += record(desc, [draw(key(k.size)) for k in desc.records[1:-1]],
                           draw(values(desc.records[-1].action)))
    return descs, data


COMPILING = Bulk()
WAYS = {"objects": HUGE, "kernels": 0}


@contextmanager
def way(name: str) -> Iterator[None]:
    """Merge, sort and print with objects or with kernels, however few rows there are."""
    with mock.patch.object(aggregate, "BULK", WAYS[name]):
        yield


def made(descs: dict[int, AggDesc], data: bytes, options: Settings) -> Aggregations:
    aggregations = Aggregations(descs.__getitem__, options)
    aggregations.bulk = COMPILING
    aggregations.add(data)
    return aggregations


def flat(entries: list[Entry]) -> list[tuple[bytes, int]]:
    return [(entry.data, entry.normal) for entry in entries]


def shown(rows: Iterable[Row]) -> list[tuple[bytes, list[tuple[int, ...]]]]:
    return [(row.keys.data, [value.words for value in row.values]) for row in rows]


@settings(max_examples=30, deadline=None)
@given(snapshots(), st.sampled_from(sorted(ORDERS)), st.booleans(), st.booleans(), st.integers(0, 2),
       st.integers(0, 2), st.integers(-5, 5), st.sampled_from((1, 2, 7, 1 << 63, (1 << 64) - 1)))
def test_ways_agree(case: tuple[dict[int, AggDesc], bytes], order: str, by_key: bool, backwards: bool,
                    position: int, keyposition: int, count: int, normal: int) -> None:
    descs, data = case
    options = Settings()
    options.options.values.update(aggsortkey=by_key, aggsortrev=backwards, aggsortpos=position,
                                  aggsortkeypos=keyposition)
    found = []
    for name in WAYS:
        with way(name):
            aggregations = made(descs, data, options)
            for number in descs:
                aggregations.normalize(number + 10, normal)
            aggregations.add(data)
            result: list[object] = [flat(aggregations.walk(order)), flat(aggregations.walk())]
            result += [flat(aggregations.walk(order, number + 10)) for number in descs]
            result.append(shown(aggregations.joined([number + 10 for number in descs])))
            result.append(shown(aggregations.joined([number + 10 for number in reversed(descs)])))
            for number in descs:
                aggregations.truncate(number + 10, count)
            result.append(sorted(flat(list(aggregations))))
            found.append(result)
    assert found[0] == found[1]


@settings(max_examples=20, deadline=None)
@given(snapshots(), st.sampled_from(sorted(ORDERS)), st.sampled_from((1, 2, 7, 1 << 63, (1 << 64) - 1)))
def test_columns(case: tuple[dict[int, AggDesc], bytes], order: str, normal: int) -> None:
    """Columns are what walk() tells of each entry."""
    descs, data = case
    for name in WAYS:
        with way(name):
            aggregations = made(descs, data, Settings())
            for number in descs:
                aggregations.normalize(number + 10, normal)
            for number, desc in descs.items():
                entries = aggregations.walk(order, number + 10)
                columns = aggregations.columns(number + 10, order)
                if not entries:
                    assert columns is None
                    continue
                assert columns is not None
                for record, column in zip(desc.records[1:-1], columns.keys, strict=True):
                    assert [as_bytes(record, item) for item in column] == \
                        [as_key(record, entry) for entry in entries]
                assert np.array_equal(columns.values, np.array(
                    [expected(entry) for entry in entries], np.uint64).view(np.int64))


def as_bytes(record: RecDesc, item: object) -> bytes:
    return item if isinstance(item, bytes) else np.asarray(item).tobytes()


def as_key(record: RecDesc, entry: Entry) -> bytes:
    data = entry.key(record)
    return data if record.size in (1, 2, 4, 8, 16) or record.action in (A.STACK, A.USTACK) else \
        data.split(b"\0", 1)[0]


def expected(entry: Entry) -> list[int] | int:
    """What an entry shows, modulo 2**64."""
    mask = (1 << 64) - 1
    value = entry.value
    if not entry.layout.distribution:
        return value.scalar & mask
    counts = value.words[entry.layout.constant:]
    return [(abs(n) // value.normal * (1 if n >= 0 else -1)) & mask for n in counts]


def test_parameters_that_differ() -> None:
    """Rows of one lquantize() with different parameters are sorted all the same, each by its own."""
    desc = describe(1, A.AGG_LQUANTIZE, [(A.DIFEXPR, 8)])
    rows = [(1, LQUANTIZE, 5), (2, 100 << 48 | 4 << 32 | 50, 1), (3, LQUANTIZE, 90)]
    data = b"".join(record(desc, [struct.pack("<q", n)], [word, 0, 0, 0, 0, count, 0])
                    for n, word, count in rows)
    orders = []
    aggregations = made({1: desc}, data, Settings())
    for name in WAYS:
        with way(name):
            orders.append(flat(aggregations.walk("value")))
    assert orders[0] == orders[1]


TEXTS = [b"", b"a", b"key\tb", b"odd\x01", b"caf\xc3\xa9", b"~\x7f", b"~\x07", b"in\0side", b"x" * 13,
         b"y" * 40]
FORMATS = [b"%d %s|%@d %%\n", b"%-5u<%20s>%@-8u.", b"%012x %-3s%@#x\n", b"%s %@05d,%@d\n", b"%x%s",
           b"%5.2d %s %@d\n"]


@st.composite
def printable(draw: st.DrawFn) -> tuple[dict[int, AggDesc], bytes]:
    """Aggregations with a number and a string as keys, which may be of several instances."""
    keys = [(A.DIFEXPR, draw(st.sampled_from((1, 2, 4, 8)))), (A.DIFEXPR, draw(st.sampled_from((13, 40))))]
    actions = draw(st.lists(st.sampled_from(list(WORDS)), min_size=1, max_size=2))
    descs = {n: describe(n, action, keys) for n, action in enumerate(actions, 1)}
    if draw(st.booleans()):
        descs = {n: replace(desc, records=(*desc.records[:-2], desc.records[-2]._replace(uarg=INSTANCE_KEY),
                                           desc.records[-1])) for n, desc in descs.items()}
    data = b""
    for desc in descs.values():
        for _ in range(draw(st.integers(0, 8))):
            size, room = (record.size for record in desc.records[1:-1])
            data += record(desc, [draw(key(size)), draw(st.sampled_from(TEXTS))[:room].ljust(room, b"\0")],
                           draw(values(desc.records[-1].action)))
    return descs, data


@settings(max_examples=30, deadline=None)
@given(printable(), st.sampled_from(FORMATS), st.sampled_from((1, 3, 1 << 63)), st.sampled_from(
    ((), ("rawbytes",), ("aggsortkey",), ("aggpack",), ("agghist",))))
def test_lines_agree(case: tuple[dict[int, AggDesc], bytes], template: bytes, normal: int,
                     chosen: tuple[str, ...]) -> None:
    """printa() of one and of several aggregations, with a format or none, and what is printed at the end."""
    descs, data = case
    lines_agree(descs, data, template, normal, chosen)


def lines_agree(descs: dict[int, AggDesc], data: bytes, template: bytes, normal: int,
                chosen: Iterable[str]) -> None:
    options, found = Settings(), []
    options.options.values.update(dict.fromkeys(chosen, True))
    variables = tuple(number + 10 for number in descs)
    for name in WAYS:
        with way(name):
            aggregations, stream = made(descs, data, options), io.BytesIO()
            aggregations.normalize(11, normal)
            text = Text(Output(stream), options, aggregations)
            for each in ((variables[0],), variables):
                for form in (None, template):
                    stream.write(text.render(PrintAggregations(each, form)))
                text.finish()
            found.append(stream.getvalue())
    assert found[0] == found[1]


@pytest.mark.parametrize("template", FORMATS)
@pytest.mark.parametrize("action", [A.AGG_SUM, A.AGG_MIN, A.AGG_AVG, A.AGG_STDDEV])
def test_lines_of_keys_that_one_has_and_not_the_other(action: int, template: bytes) -> None:
    keys = [(A.DIFEXPR, 4), (A.DIFEXPR, 13)]
    descs = {1: describe(1, A.AGG_SUM, keys), 2: describe(2, action, keys)}
    data = b"".join(record(desc, [struct.pack("<i", number), b"a".ljust(13, b"\0")],
                           [number, 7, 90, 0][:WORDS[desc.records[-1].action]])
                    for desc, numbers in ((descs[1], (1, 2, 3)), (descs[2], (2, 3, 4))) for number in numbers)
    lines_agree(descs, data, template, 1, ())


def test_without_numpy() -> None:
    """Everything works where there is neither numpy nor llvmlite, if slowly."""
    done = _python("""
        sys.modules["numpy"] = sys.modules["llvmlite"] = None
        aggregations = fill(20_000)
        aggregations.truncate(11, 5)
        assert aggregations.walk("valuerev")[0].value.scalar == 19_999
        assert len(aggregations.joined([11])) == 5
        assert aggregations.columns(11) is None""")
    assert done == ""


@pytest.mark.parametrize(("records", "modules"), [(14_000, ""), (16_000, "llvmlite")])
def test_llvm_is_loaded_for_many_records(records: int, modules: str) -> None:
    """Objects are quicker below some 15,000 rows."""
    assert _python(f"fill({records}); print(*{{'llvmlite'}} & set(sys.modules), end='')") == modules


def _python(text: str) -> str:
    """Standard output of a Python program; fill(n) answers aggregations of n sums."""
    program = f"""
import struct, sys
sys.path.insert(0, {str(Path(__file__).parents[3])!r})
from dof.model import ActionKind as A
from runtime.border import AggDesc, RecDesc
from runtime.consumer.aggregations.aggregate import Aggregations
from runtime.consumer.events.settings import Settings
def fill(count):
    rec = lambda action, offset: RecDesc(action, 8, offset, 8, 0, 0, 0)
    desc = AggDesc(1, 1, 32, (rec(A.DIFEXPR, 8), rec(A.DIFEXPR, 16), rec(A.AGG_SUM, 24)))
    aggregations = Aggregations(lambda number: desc, Settings())
    aggregations.add(b"".join(struct.pack("<IIqqq", 1, 0, 11, n, n) for n in range(count)))
    return aggregations
"""
    done = subprocess.run([sys.executable, "-c", program + textwrap.dedent(text)],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


# -- the cache on disk -------------------------------------------------------------------------------

ENTRY = 5 << 32 | 1


def compiled(folder: Path) -> int:
    """What a compiled function does with an index of two entries."""
    old, new = np.array([0, ENTRY], np.int64), np.zeros(8, np.int64)
    Compiler(ObjectCache(folder)).rehash(old.ctypes.data, 2, new.ctypes.data, 7)
    return int(new[5])


def test_code_is_kept_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiled(tmp_path / "a") == ENTRY
    (file,) = (tmp_path / "a").iterdir()
    monkeypatch.setattr(Compiler, "_compile", lambda *_: pytest.fail("compiled again"))
    assert compiled(tmp_path / "a") == ENTRY
    assert file.exists()


def test_what_was_used_last_is_kept(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path, 3000)
    for age, key in enumerate(("old", "used", "new")):
        cache.put(key, bytes(900))
        os.utime(tmp_path / key, (age, age))
    assert cache.get("used") == bytes(900)
    cache.put("another", bytes(900))
    assert cache.get("old") is None
    assert {path.name for path in tmp_path.iterdir()} == {"used", "new", "another"}


@pytest.mark.parametrize("damage", [b"", b"x" * 100])
def test_damaged_code_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    compiled(tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_bytes(damage)
    assert compiled(tmp_path) == ENTRY
    assert file.stat().st_size > 100


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    assert compiled(tmp_path / "file") == ENTRY
