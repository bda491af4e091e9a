"""Aggregations against their definition: a small model in plain Python is given the same snapshots.

What is compared: which entries there are, their numbers, each order of a walk, the rows of printa(), and
every line that is printed.  The model knows nothing of tables, rows of bytes, indexes and kernels.
"""

from __future__ import annotations

import random
import struct
from fractions import Fraction
from math import floor, isqrt

import pytest
from bench import Bench
from fakes import rec

from dof.model import ActionKind as A
from runtime.border import AggDesc, RecDesc
from runtime.consumer.aggregations.aggregate import ORDERS, Aggregations, Zero
from runtime.consumer.aggregations.entries import Entry
from runtime.consumer.events.settings import Settings
from runtime.consumer.output.aggregationtext import Printer

Keys = tuple[bytes, ...]
WORD = 1 << 64
LINEAR, LOGLINEAR = (-6, 3, 4), (10, 0, 1, 20)  # base, step, levels; factor, low, high, steps
PARAMETERS = {A.AGG_LQUANTIZE: 3 << 48 | 4 << 32 | -6 & 0xFFFFFFFF, A.AGG_LLQUANTIZE: 10 << 48 | 1 << 16 | 20}
WORDS = {A.AGG_COUNT: 1, A.AGG_SUM: 1, A.AGG_MIN: 1, A.AGG_MAX: 1, A.AGG_AVG: 2, A.AGG_STDDEV: 4,
         A.AGG_QUANTIZE: 127, A.AGG_LQUANTIZE: 7, A.AGG_LLQUANTIZE: 30}
DISTRIBUTIONS = (A.AGG_QUANTIZE, A.AGG_LQUANTIZE, A.AGG_LLQUANTIZE)
TUPLES = [[], [(A.DIFEXPR, 8)], [(A.DIFEXPR, 4), (A.DIFEXPR, 2)], [(A.DIFEXPR, 1), (A.DIFEXPR, 13)],
          [(A.UADDR, 16), (A.DIFEXPR, 4)], [(A.DIFEXPR, 16), (A.UADDR, 16)]]


def signed(number: int) -> int:
    number %= WORD
    return number - WORD if number >> 63 else number


def toward_zero(number: int, divisor: int) -> int:
    """What C's `/` gives."""
    found = Fraction(number, divisor)
    return floor(found) if found >= 0 else -floor(-found)


def bounds(action: int) -> list[int]:
    """The lower bound of each bucket but the first."""
    if action == A.AGG_LQUANTIZE:
        base, step, levels = LINEAR
        return [base + step * level for level in range(levels + 1)]
    if action == A.AGG_LLQUANTIZE:
        return [*range(1, 10), *[bound for half in range(10, 100, 5) for bound in [half]], 100]
    return [-(1 << each) for each in range(61, -1, -1)] + [0] + [1 << each for each in range(63)]


class Value:
    """One entry of the model."""

    def __init__(self, variable: int, keys: Keys, desc: AggDesc, words: list[int]) -> None:
        self.variable, self.keys, self.desc, self.words = variable, keys, desc, words
        self.action = desc.records[-1].action
        self.normal = 1

    def merge(self, words: list[int]) -> None:
        if self.action in (A.AGG_MIN, A.AGG_MAX):
            self.words = [(min if self.action == A.AGG_MIN else max)(self.words[0], words[0])]
        elif self.action == A.AGG_STDDEV:
            squares = sum((each[2] % WORD) + (each[3] % WORD << 64)
                          for each in (self.words, words)) % (1 << 128)
            self.words = [signed(self.words[0] + words[0]), signed(self.words[1] + words[1]),
                          signed(squares), signed(squares >> 64)]
        else:
            kept = int(self.action in PARAMETERS)
            self.words[kept:] = [signed(a + b) for a, b in zip(self.words[kept:], words[kept:], strict=True)]

    def clear(self) -> None:
        kept = int(self.action in PARAMETERS)
        self.words[kept:] = [0] * (len(self.words) - kept)

    def number(self, normal: int) -> int:
        if self.action == A.AGG_AVG:
            count, total = self.words
            return toward_zero(toward_zero(total, normal), count) if count else 0
        if self.action == A.AGG_STDDEV:
            count, total, low, high = self.words
            if not count:
                return 0
            squares = ((high % WORD << 64) + low % WORD) // normal // normal // count
            return isqrt(max(squares - toward_zero(toward_zero(total, normal), count) ** 2, 0))
        return toward_zero(self.words[0], normal)

    def rank(self) -> tuple[int, ...]:
        """By what it is compared: a number, or the sum of a distribution's values and its count at 0."""
        if self.action not in DISTRIBUTIONS:
            return (self.number(1),)
        counts, lower = self.words[int(self.action in PARAMETERS):], bounds(self.action)
        if self.action == A.AGG_QUANTIZE:
            weights = [lower[0] * 2, *lower]
        elif self.action == A.AGG_LQUANTIZE:
            weights = [lower[0] - 1, *lower[:-1], lower[-1] + 1]
        else:
            weights = [lower[0] - 1, *lower]
        total = sum(weight * count for weight, count in zip(weights, counts, strict=True))
        return total, counts[weights.index(0)] if 0 in weights else 0

    def key(self, position: int) -> tuple[object, ...]:
        """How its keys are compared: from one on, the numbers among them without a sign."""
        records = list(zip(self.desc.records[1:-1], self.keys, strict=True))
        first = position if position < len(records) else 0
        parts: list[object] = [len(records)]
        for record, data in records[first:] + records[:first]:
            if len(data) in (1, 2, 4, 8):
                parts += [len(data), int.from_bytes(data, "little")]
            elif record.action == A.UADDR:
                parts += [len(data), *struct.unpack("<QQ", data)]
            else:
                parts += [len(data), data]
        return tuple(parts)


class Model:
    """Everything that has been aggregated."""

    def __init__(self) -> None:
        self.values: dict[tuple[int, Keys], Value] = {}

    def of(self, variable: int) -> list[Value]:
        return [each for each in self.values.values() if each.variable == variable]

    def add(self, variable: int, keys: Keys, desc: AggDesc, words: list[int]) -> None:
        known = self.values.get((variable, keys))
        if known is None:
            self.values[variable, keys] = Value(variable, keys, desc, list(words))
        else:
            known.merge(words)

    def truncate(self, variable: int, count: int) -> None:
        ordered = sorted(self.of(variable), key=lambda each: (each.rank(), each.key(0)), reverse=count >= 0)
        for each in ordered[abs(count):]:
            del self.values[variable, each.keys]

    def ordered(self, order: str, position: int = 0, backwards: bool = False) -> list[Value]:
        parts = {"key": lambda each: (each.variable, each.key(position)),
                 "value": lambda each: (each.variable, each.rank(), each.key(position)),
                 "keyvar": lambda each: (each.key(position), each.variable),
                 "valvar": lambda each: (each.rank(), each.key(position), each.variable)}
        return sorted(self.values.values(), key=parts[order], reverse=backwards)


def described(number: int, action: int, keys: list[tuple[int, int]]) -> AggDesc:
    at, records = 16, [rec(A.DIFEXPR, 8, 8)]
    for kind, size in keys:
        step = min(size & -size, 8)
        at += -at % step
        records.append(rec(kind, size, at))
        at += size
    at += -at % 8
    return AggDesc(number, 1, at + 8 * WORDS[action], (*records, rec(action, 8 * WORDS[action], at)))


def row(desc: AggDesc, variable: int, keys: Keys, words: list[int]) -> bytes:
    out = bytearray(desc.size)
    struct.pack_into("<IIq", out, 0, desc.id, 0, variable)
    for record, data in zip(desc.records[1:-1], keys, strict=True):
        out[record.offset:record.offset + record.size] = data
    struct.pack_into(f"<{len(words)}q", out, desc.records[-1].offset, *words)
    return bytes(out)


def some_key(draw: random.Random, kind: int, size: int) -> bytes:
    if size == 13 or (size == 16 and kind == A.DIFEXPR):
        return draw.choice([b"c", b"a", b"ab", b"b", b"~ ~"]).ljust(size, b"\0")
    return b"".join(draw.choice([b"\0", b"\1", b"\x80", b"\xff"]) if place in (0, size - 1, 7, 8) else b"\0"
                    for place in range(size))


def some_words(draw: random.Random, action: int) -> list[int]:
    number = draw.choice([0, 1, -1, 5, draw.randrange(-9, 9), draw.randrange(-1 << 40, 1 << 40)])
    if action == A.AGG_AVG:
        return [draw.randrange(0, 4), number]
    if action == A.AGG_STDDEV:
        values = [draw.randrange(-50, 50) for _ in range(draw.randrange(0, 4))]
        squares = sum(value * value for value in values)
        return [len(values), sum(values), squares, 0]
    if WORDS[action] == 1:
        return [number]
    words = [0] * WORDS[action]
    for _ in range(draw.randrange(0, 4)):
        words[draw.randrange(len(words))] = draw.choice([1, 2, 3, 100, -1])
    if action in PARAMETERS:
        words[0] = PARAMETERS[action]
    return words


def told(entries: list[Entry]) -> list[tuple[object, ...]]:
    return [(entry.variable, tuple(entry.key(key) for key in entry.layout.keys), entry.words, entry.normal)
            for entry in entries]


def modelled(values: list[Value]) -> list[tuple[object, ...]]:
    return [(each.variable, each.keys, tuple(each.words), each.normal) for each in values]


# -- what is printed, by definition -----------------------------------------------------------------------

def bar(value: int, shown: list[int], normal: int, zoom: bool) -> str:
    """A line's bar and count: so many of 40 columns as it is of the sum, or of the largest by 0.95."""
    whole = max(map(abs, shown)) * Fraction(1 / 0.95) if zoom else Fraction(sum(map(abs, shown)))
    count = f" {toward_zero(value, normal):<9}"
    columns = 20 if min(shown) < 0 < max(shown) else 40
    marks = "@" * floor(abs(value) * columns / whole + Fraction(1, 2)) if value else ""
    if min(shown) >= 0:
        return f"|{marks:40}{count}"
    if max(shown) <= 0:
        return f"{marks:>40}|{count}"
    return f"{marks if value < 0 else '':>20}|{marks if value > 0 else '':20}{count}"


def distribution(value: Value, zoom: bool) -> list[str]:
    counts, lower = value.words[int(value.action in PARAMETERS):], bounds(value.action)
    if value.action == A.AGG_QUANTIZE:
        labels = [str(lower[0] * 2), *map(str, lower)]
    else:
        labels = [f"< {lower[0]}", *map(str, lower[:-1]), f">= {lower[-1]}"]
    used = [place for place, count in enumerate(counts) if count]
    empty = {A.AGG_QUANTIZE: (62, 64), A.AGG_LQUANTIZE: (0, 2), A.AGG_LLQUANTIZE: (0, 1)}
    first, last = (max(used[0] - 1, 0), min(used[-1] + 1, len(counts) - 1)) if used else empty[value.action]
    shown = counts[first:last + 1]
    return ["", f"{'value':>16} {'------------- Distribution -------------':>41} {'count':9}",
            *(f"{labels[place]:>16} {bar(counts[place], shown, value.normal, zoom)}"
              for place in range(first, last + 1)), ""]


def line(value: Value, zoom: bool) -> list[str]:
    text = ""
    for record, data in zip(value.desc.records[1:-1], value.keys, strict=True):
        if len(data) in (1, 2, 4, 8):
            number = int.from_bytes(data, "little", signed=len(data) > 2)
            text += f" {number:{ {1: 3, 2: 5, 4: 8, 8: 16}[len(data)]}}"
        elif record.action == A.UADDR:
            text += "  " + f"{struct.unpack('<QQ', data)[1]:#x}".ljust(50)
        else:
            text += "  " + data.partition(b"\0")[0].decode().ljust(50)
    if value.action in DISTRIBUTIONS:
        first, *rest = distribution(value, zoom)
        return [text + first, *rest]
    return [f"{text} {value.number(value.normal):16}"]


# -- the tests --------------------------------------------------------------------------------------------

def rounds(seed: int) -> tuple[Aggregations, Model, Settings, list[AggDesc]]:
    """Snapshots, and what programs do with aggregations between them."""
    draw = random.Random(seed)
    shapes = [draw.choice(TUPLES) for _ in range(draw.randrange(1, 4))]
    actions = [list(WORDS)[(seed + place) % len(WORDS)] for place in range(len(shapes))]
    descs = [described(number, action, keys)
             for number, (action, keys) in enumerate(zip(actions, shapes, strict=True), 1)]
    settings, model = Settings(), Model()
    settings.options.values.update(
        aggsortkey=draw.randrange(2) - 2 * draw.randrange(2), aggsortrev=-2 * draw.randrange(2),
        aggsortpos=draw.randrange(3), aggsortkeypos=draw.randrange(3), aggzoom=-2 * draw.randrange(2))
    found = Aggregations(lambda number: descs[number - 1], settings)
    for _ in range(draw.randrange(2, 6)):
        data = b""
        for _ in range(draw.randrange(0, 20)):
            desc = draw.choice(descs)
            keys = tuple(some_key(draw, key.action, key.size) for key in desc.records[1:-1])
            words = some_words(draw, desc.records[-1].action)
            data += row(desc, desc.id + 10, keys, words) + bytes(4 * draw.randrange(3))
            model.add(desc.id + 10, keys, desc, words)
        found.add(data)
        variable = draw.choice(descs).id + 10
        operation = draw.randrange(5)
        if operation == 0:
            count = draw.randrange(-4, 5)
            found.truncate(variable, count)
            model.truncate(variable, count)
        elif operation == 1:
            normal = draw.choice([0, 1, 2, 3, 1000])
            found.normalize(variable, normal)
            for each in model.of(variable):
                each.normal = normal or 1
        elif operation == 2:
            found.clear(variable)
            for each in model.of(variable):
                each.clear()
    return found, model, settings, descs


@pytest.mark.parametrize("seed", range(60))
def test_what_is_aggregated_and_in_which_order(seed: int) -> None:
    found, model, settings, descs = rounds(seed)
    for order in ORDERS:
        expected = model.ordered(order.removesuffix("rev"), backwards=order.endswith("rev"))
        assert told(found.walk(order)) == modelled(expected), order
        for desc in descs:
            variable = desc.id + 10
            assert told(found.walk(order, variable)) == modelled(
                [each for each in expected if each.variable == variable])
    by_key, backwards = settings.is_set("aggsortkey"), settings.is_set("aggsortrev")
    position = settings.get("aggsortkeypos")
    chosen = model.ordered("key" if by_key else "value", position, backwards)
    assert told(found.walk()) == modelled(chosen)
    for entry, value in zip(found.walk(), chosen, strict=True):
        if len(entry.words) <= 4:
            assert entry.value.scalar == value.number(value.normal)
    printer, zoom = Printer(found, settings), settings.is_set("aggzoom")
    text = b"".join(printer.rows(found.unprinted())).decode("utf-8", "replace")
    assert text.split("\n")[:-1] == [each for value in chosen for each in line(value, zoom)]
    assert [row.keys.variable for row in found.rows(11)] == [11] * len(model.of(11))
    assert [row.keys.variable for row in found.unprinted()] == \
        [each.variable for each in chosen if each.variable != 11]


@pytest.mark.parametrize("seed", range(30))
def test_several_side_by_side(seed: int) -> None:
    """printa() of several: a row for each key of any, sorted by the values of one of them first."""
    draw = random.Random(seed)
    keys = draw.choice(TUPLES)
    actions = [draw.choice(list(WORDS)) for _ in range(3)]
    descs = [described(number, action, keys) for number, action in enumerate(actions, 1)]
    settings, model = Settings(), Model()
    first, by_key, backwards = draw.randrange(4), draw.randrange(2), draw.randrange(2)
    settings.options.values.update(aggsortpos=first, aggsortkey=by_key - 2 * (not by_key),
                                   aggsortrev=backwards - 2 * (not backwards),
                                   aggsortkeypos=draw.randrange(3))
    found = Aggregations(lambda number: descs[number - 1], settings)
    data = b""
    for desc in descs:
        for _ in range(draw.randrange(1, 8)):
            key = tuple(some_key(draw, record.action, record.size) for record in desc.records[1:-1])
            words = some_words(draw, desc.records[-1].action)
            data += row(desc, desc.id + 10, key, words)
            model.add(desc.id + 10, key, desc, words)
    found.add(data)
    variables = [11, 12, 13]
    turned = variables[first % 4:] + variables[:first] if first < 3 else variables
    every = {each.keys: each for each in model.values.values()}
    position = settings.get("aggsortkeypos")

    def rank(key: Keys) -> object:
        values = [model.values.get((variable, key)) for variable in turned]
        ranks = [(0,) * (1 + (actions[variable - 11] in DISTRIBUTIONS)) if value is None else value.rank()
                 for variable, value in zip(turned, values, strict=True)]
        return (every[key].key(position),) if by_key else (*ranks, every[key].key(position))

    expected = sorted(every, key=rank, reverse=bool(backwards))  # type: ignore[arg-type]
    rows = list(found.printed(variables))
    assert [tuple(row.keys.key(record) for record in row.keys.layout.keys) for row in rows] == expected
    for shown, key in zip(rows, expected, strict=True):
        for variable, value in zip(variables, shown.values, strict=True):
            known = model.values.get((variable, key))
            zeros = [PARAMETERS.get(actions[variable - 11], 0)] + [0] * (WORDS[actions[variable - 11]] - 1)
            assert list(value.words) == (known.words if known is not None else zeros)
    assert not list(found.unprinted())


@pytest.mark.parametrize("action", WORDS)
def test_what_is_shown_where_there_is_no_value(action: int) -> None:
    """A zero has the form that the program's aggregation has, by its action and argument alone."""
    zero = Zero.of(action, PARAMETERS.get(action, 0))
    assert zero.record == RecDesc(action, 8 * WORDS[action], 0, 8, 0, PARAMETERS.get(action, 0), 0)
    assert zero.words == (PARAMETERS.get(action, 0), *[0] * (WORDS[action] - 1))


def test_what_is_kept_has_a_most() -> None:
    """Of variables that lose rows each keeps as much memory, and loses its newest."""
    bench = Bench()
    descs = {number: described(number, A.AGG_SUM, [(A.DIFEXPR, 8)]) for number in (1, 2)}
    found = Aggregations(descs.__getitem__, bench.consumer.settings)
    for number, count in ((1, 10), (2, 4)):
        found.add(b"".join(row(descs[number], number, (struct.pack("<q", key),), [key])
                           for key in range(count)))
    each = descs[1].size + 256
    for most, lost, left in ((14 * each, 0, (10, 4)), (14 * each - 1, 1, (9, 4)), (9 * each, 4, (5, 4)),
                             (3 * each, 7, (1, 1)), (0, 2, (0, 0))):
        assert found.trim(most) == lost
        assert tuple(len(found.walk("key", number)) for number in (1, 2)) == left
    found.add(row(descs[2], 2, (struct.pack("<q", 0),), [7]))
    assert [entry.words for entry in found.walk()] == [(7,)]
