"""Merging rows of many instances: in any order and grouping the result is the same, and it is right."""

from __future__ import annotations

import struct
import sys
from functools import cache, reduce
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

import bare

from dof.model import ActionKind
from runtime.border import BUFDESC, AggDesc, Command, RecDesc
from runtime.consumer.aggregations.byinstance import OF_PROCESSES
from runtime.instances.hop.children import Child, Inner
from runtime.instances.hop.merging import Merger, rows_of
from runtime.instances.hop.relay import Relay
from runtime.instances.wire import frames as f

LQUANTIZE, LLQUANTIZE = 1 << 48 | 3 << 32, 10 << 48 | 0 << 32 | 2 << 16 | 10
# action -> words of its value, its parameter (the first word, where it has one)
ACTIONS = {ActionKind.AGG_COUNT: (1, 0), ActionKind.AGG_SUM: (1, 0), ActionKind.AGG_MIN: (1, 0),
           ActionKind.AGG_MAX: (1, 0), ActionKind.AGG_AVG: (2, 0), ActionKind.AGG_STDDEV: (4, 0),
           ActionKind.AGG_QUANTIZE: (127, 0), ActionKind.AGG_LQUANTIZE: (6, LQUANTIZE),
           ActionKind.AGG_LLQUANTIZE: (40, LLQUANTIZE)}
KEYS = {"integer": (ActionKind.DIFEXPR, 8, 0), "string": (ActionKind.DIFEXPR, 16, 0),
        "stack": (ActionKind.STACK, 16, 2), "ustack": (ActionKind.USTACK, 24, 2),
        "jstack": (ActionKind.JSTACK, 48, 24 << 32 | 2), "sym": (ActionKind.SYM, 8, 0),
        "mod": (ActionKind.MOD, 8, 0), "usym": (ActionKind.USYM, 16, 0), "umod": (ActionKind.UMOD, 16, 0),
        "uaddr": (ActionKind.UADDR, 16, 0)}


def description(number: int, action: int, key: str) -> AggDesc:
    kind, size, argument = KEYS[key]
    words, parameter = ACTIONS[action]
    records = (RecDesc(ActionKind.DIFEXPR, 8, 8, 8, 0, 0, 0), RecDesc(kind, size, 16, 8, 0, argument, 0),
               RecDesc(action, 8 * words, 16 + size, 8, 0, parameter, 0))
    return AggDesc(number, 1, 16 + size + 8 * words, records)


Row = tuple[bytes, tuple[int, ...]]


def snapshot(desc: AggDesc, rows: list[Row]) -> bytes:
    return b"".join(struct.pack("<IIQ", desc.id, 0, 1) + key + struct.pack(f"<{len(words)}Q", *words)
                    for key, words in rows)


def merged(desc: AggDesc, parts: list[bytes]) -> bytes:
    merger = Merger(1)
    for part in parts:
        merger.add(desc, part, rows_of(part, lambda number: desc.size).get(desc.id, []))
    return merger.take()


def table(desc: AggDesc, data: bytes) -> dict[bytes, bytes]:
    value = desc.records[-1].offset
    return {data[at + 8:at + value]: data[at + value:at + desc.size] for at in range(0, len(data), desc.size)}


@st.composite
def snapshots(draw: st.DrawFn, desc: AggDesc) -> list[bytes]:
    """Three snapshots with up to three rows each, of up to three keys."""
    _variable, by, value = desc.records
    count, parameter = value.size // 8, value.arg
    word = st.integers(0, (1 << 64) - 1)
    keys = st.sampled_from([bytes([n]) * by.size for n in (1, 2, 3)])

    def words() -> tuple[int, ...]:
        few = draw(st.lists(word, min_size=2, max_size=2))
        values = [few[n % 2] if n < 4 else n for n in range(count)]
        return (parameter, *values[1:]) if parameter else tuple(values)

    rows = [[(draw(keys), words()) for _ in range(draw(st.integers(0, 3)))] for _ in range(3)]
    return [snapshot(desc, each) for each in rows]


@pytest.mark.parametrize("key", sorted(KEYS))
@pytest.mark.parametrize("action", sorted(ACTIONS))
@settings(max_examples=15)
@given(st.data())
def test_merging_is_associative_and_commutative(action: int, key: str, data: st.DataObject) -> None:
    desc = description(1, action, key)
    a, b, c = data.draw(snapshots(desc))
    at_once = table(desc, merged(desc, [a, b, c]))
    assert table(desc, merged(desc, [c, a, b])) == at_once
    assert table(desc, merged(desc, [merged(desc, [a, b]), c])) == at_once
    assert table(desc, merged(desc, [a, merged(desc, [b, c])])) == at_once


@pytest.mark.parametrize("action,expected", [
    (ActionKind.AGG_SUM, 2), (ActionKind.AGG_MIN, -5), (ActionKind.AGG_MAX, 7)])
def test_numbers(action: int, expected: int) -> None:
    """-5 and 7, as the words that a kernel stores."""
    desc = description(1, action, "integer")
    parts = [snapshot(desc, [(bytes(8), (value % (1 << 64),))]) for value in (-5, 7)]
    (value,) = table(desc, merged(desc, parts)).values()
    assert struct.unpack("<q", value) == (expected,)


def test_squares_have_128_bits() -> None:
    desc = description(1, ActionKind.AGG_STDDEV, "integer")
    part = snapshot(desc, [(bytes(8), (1, 3, (1 << 64) - 1, 0))])
    (value,) = table(desc, merged(desc, [part, part])).values()
    assert struct.unpack("<4Q", value) == (2, 6, (1 << 64) - 2, 1)


def test_other_parameters_stay_apart() -> None:
    one, other = (AggDesc(1, 1, 72, (*description(1, ActionKind.AGG_LQUANTIZE, "integer").records[:2],
                                     RecDesc(ActionKind.AGG_LQUANTIZE, 48, 24, 8, 0, step, 0)))
                  for step in (LQUANTIZE, LQUANTIZE + 1))
    merger = Merger(1)
    for desc in (one, other):
        data = snapshot(desc, [(bytes(8), (desc.records[-1].arg, 0, 1, 1, 1, 0))])
        merger.add(desc, data, [0])
    assert merger.keys() == 2
    assert [merger.description(n).records[-1].arg for n in (1, 2)] == [LQUANTIZE, LQUANTIZE + 1]


def test_processes_of_two_instances_are_two() -> None:
    desc = description(1, ActionKind.AGG_COUNT, "ustack")
    stack = struct.pack("<QQQ", 101, 0x400000, 0)
    data = snapshot(desc, [(stack, (1,))])
    merger = Merger(1)
    merger.add(desc, data, [0], lambda pid: pid)
    merger.add(desc, data, [0], lambda pid: pid + 1000)
    assert sorted(struct.unpack("<8xQ2Q", key)[0] for key in table(desc, merger.take())) == [101, 1101]


def test_taken_rows_are_not_taken_again() -> None:
    desc = description(7, ActionKind.AGG_COUNT, "integer")
    merger = Merger(1)
    merger.add(desc, snapshot(desc, [(bytes(8), (1,))]), [0])
    assert merger.take()[:4] == b"\1\0\0\0"  # our number
    assert merger.take() == b""


def test_a_row_past_the_end_is_refused() -> None:
    desc = description(1, ActionKind.AGG_COUNT, "integer")
    with pytest.raises(ValueError, match="beyond the end"):
        rows_of(snapshot(desc, [(bytes(8), (1,))])[:-1], lambda number: desc.size)


def test_reduce_is_a_fold() -> None:
    """A thousand parts, one after another or in pairs, give what adding gives."""
    desc = description(1, ActionKind.AGG_COUNT, "integer")
    parts = [snapshot(desc, [(struct.pack("<Q", n % 7), (n,))]) for n in range(1000)]
    folded = reduce(lambda a, b: merged(desc, [a, b]), parts)
    assert table(desc, folded) == {struct.pack("<QQ", 1, key): struct.pack("<Q", sum(range(key, 1000, 7)))
                                   for key in range(7)}


# -- by relays --------------------------------------------------------------------------------------------

Shape = int | list["Shape"]  # an instance's seed, or a hop with what is below it
FUNCTIONS = ("count()", "sum(arg0)", "min(arg0)", "max(arg0)", "avg(arg0)", "stddev(arg0)", "quantize(arg0)",
             "lquantize(arg0, 0, 1000, 100)", "llquantize(arg0, 10, 0, 3, 10)")
BY = ("", "[arg0 % 3]", "[execname]", "[stack(2)]", "[ustack(2)]", "[sym(arg0 % 2)]", "[usym(arg0 % 2)]",
      "[mod(0), ustack(1)]")
SEEDS = range(5)


def program() -> str:
    actions = [f"@a{n}_{m}{by} = {function};" for n, by in enumerate(BY)
               for m, function in enumerate(FUNCTIONS)]
    return f"bare:mod:func:fire {{ {' '.join(actions)} }}"


def hop(shape: Shape) -> Inner:
    """The connection to an instance, or to a hop over several."""
    if isinstance(shape, int):
        return Inner(bare.endpoint(shape, 10))
    return Inner(Relay([Child(number, f"c{number}", hop(each)) for number, each in enumerate(shape)]))


def results(shape: Shape, rounds: int) -> list[tuple[int, bytes, bytes]]:
    """The variable, keys and value of each row that a tree has after two seconds and so many harvests.

    In place of the numbers of processes, which each tree gives anew, stands nothing.
    """
    root = hop([shape])._handler
    frames: list[f.Up] = []

    def ask(frame: f.Down) -> None:
        frames.extend(root.handle(frame))  # type: ignore[attr-defined]

    ask(f.Identify(f.VERSION, f.HOPS, "", ()))
    ask(f.Enable(tuple(SEEDS), bare.program(program(), aggsize=1 << 18, bufsize=1 << 12)))
    ask(f.Go(tuple(SEEDS), 1))
    merger, described = Merger(1), dict[int, AggDesc]()
    for step in range(1, rounds + 1):
        ask(f.Run(2 * bare.SECOND * step // rounds))
        ask(f.Harvest(f.AGGREGATIONS, f.EVERY, 1))
    for each in frames:
        if isinstance(each, f.Describe) and each.command == Command.AGGDESC:
            described[each.number] = AggDesc.unpack(each.data)
        elif isinstance(each, f.Snap):
            data = each.data[BUFDESC.size:]
            for number, offsets in rows_of(data, lambda number: described[number].size).items():
                merger.add(described[number], data, offsets)
    data, rows = merger.take(), []
    for number, offsets in rows_of(data, lambda number: merger.description(number).size).items():  # type: ignore
        variable, *keys, value = merger.description(number).records  # type: ignore[union-attr]
        for at in offsets:
            parts = [data[at + key.offset + 8 * (key.action in OF_PROCESSES):at + key.offset + key.size]
                     for key in keys]
            rows.append((int.from_bytes(data[at + variable.offset:at + variable.offset + 8], "little"),
                         b"".join(parts), data[at + value.offset:at + value.offset + value.size]))
    return sorted(rows)


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    """A tree over all instances, in any order."""
    nodes: list[Shape] = list(draw(st.permutations(SEEDS)))
    while len(nodes) > 1:
        count = draw(st.integers(2, len(nodes)))
        nodes = [*nodes[count:], nodes[:count]]
    return nodes[0]


@cache
def flat() -> list[tuple[int, bytes, bytes]]:
    """What one hop over all instances has, harvested at the end."""
    return results(list(SEEDS), 1)


@settings(max_examples=6, deadline=None)
@given(shapes(), st.integers(1, 4))
def test_any_tree_and_any_number_of_harvests_have_one_result(shape: Shape, rounds: int) -> None:
    assert len({variable for variable, _, _ in flat()}) == len(FUNCTIONS) * len(BY)
    assert results(shape, rounds) == flat()
