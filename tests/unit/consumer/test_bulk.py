"""Two ways to merge snapshots agree: dictionaries, and compiled kernels."""

from __future__ import annotations

import struct

import pytest
from fakes import FewSymbols, rec
from hypothesis import given, settings
from hypothesis import strategies as st

from dof.model import ActionKind as A
from runtime.border import AggDesc
from runtime.consumer.aggregations import aggregate
from runtime.consumer.aggregations.aggregate import Aggregations
from runtime.consumer.aggregations.bulk import Bulk
from runtime.consumer.events.settings import Settings

WORDS = {A.AGG_COUNT: 1, A.AGG_SUM: 1, A.AGG_MIN: 1, A.AGG_MAX: 1, A.AGG_AVG: 2, A.AGG_STDDEV: 4,
         A.AGG_QUANTIZE: 127, A.AGG_LQUANTIZE: 5, A.AGG_LLQUANTIZE: 5}


def describe(action: int, key: int, number: int = 1) -> AggDesc:
    """An aggregation with an integer key and a string key of `key` bytes."""
    value = 24 + key
    words = WORDS[action]
    return AggDesc(number, 1, value + 8 * words, (
        rec(A.DIFEXPR, 8, 8), rec(A.DIFEXPR, 8, 16), rec(A.DIFEXPR, key, 24), rec(action, 8 * words, value)))


def row(desc: AggDesc, variable: int, number: int, text: bytes, words: list[int]) -> bytes:
    key = desc.records[2].size
    return struct.pack(f"<IIqq{key}s{len(words)}q", desc.id, 0, variable, number, text, *words)


def signed(value: int) -> int:
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


VALUE = st.integers(-(1 << 63), (1 << 63) - 1)


@st.composite
def snapshots(draw: st.DrawFn) -> tuple[dict[int, AggDesc], list[bytes]]:
    descs = {n: describe(draw(st.sampled_from(list(WORDS))), draw(st.sampled_from((8, 16, 32))), n)
             for n in range(1, draw(st.integers(2, 4)))}
    parameter = draw(st.integers(1, 1 << 40))
    out = []
    for _cpu in range(draw(st.integers(1, 3))):
        data = b""
        for _record in range(draw(st.integers(0, 30))):
            desc = descs[draw(st.sampled_from(list(descs)))]
            count = WORDS[desc.records[-1].action]
            seed = draw(VALUE)
            words = [signed(seed * (n + 1) * 0x9E3779B97F4A7C15) for n in range(count)]
            if desc.records[-1].action in (A.AGG_LQUANTIZE, A.AGG_LLQUANTIZE):
                words[0] = parameter
            text = b"key%d" % draw(st.integers(0, 3))
            data += row(desc, desc.id + 10, draw(st.integers(0, 3)), text, words)
            if draw(st.booleans()):
                data += bytes(4)
        out.append(data)
    return descs, out


def merged(descs: dict[int, AggDesc], snaps: list[bytes], bulk: Bulk | None) -> dict[bytes, tuple[int, ...]]:
    aggregations = Aggregations(descs.__getitem__, Settings())
    for data in snaps:
        if bulk is None:
            aggregations.add(data)
        elif data:
            aggregations.bulk = bulk
            aggregations.add_bulk(data)
    return {entry.data[:entry.layout.value.offset]: entry.words for entry in aggregations}


@settings(max_examples=60, deadline=None)
@given(snapshots())
def test_two_ways_agree(case: tuple[dict[int, AggDesc], list[bytes]]) -> None:
    descs, snaps = case
    assert merged(descs, snaps, Bulk()) == merged(descs, snaps, None)


def test_growth_and_trunc() -> None:
    """More keys than the first index holds; then a dictionary takes the rows over, and gives them back."""
    desc = describe(A.AGG_SUM, 16)
    data = b"".join(row(desc, 5, n, b"x", [n % 7]) for n in range(20_000))
    aggregations = Aggregations({1: desc}.__getitem__, Settings())
    aggregations.add(data)
    aggregations.add(data[:desc.size * 3])
    entries = {entry.key(entry.layout.keys[0])[:3]: entry.value.scalar for entry in aggregations}
    assert len(list(aggregations)) == 20_000
    assert entries[(2).to_bytes(3, "little")] == 4
    aggregations.truncate(5, 10)
    best = aggregations.walk("valuerev")
    assert [entry.value.scalar for entry in best] == [6] * 10
    assert int.from_bytes(best[0].key(best[0].layout.keys[0]), "little") == 19998
    aggregations.add(data)
    assert len(list(aggregations)) == 20_000


@pytest.mark.parametrize(("count", "kept"), [(1, (2, 5)), (-1, (1, 9))])
def test_equal_values_are_cut_by_their_first_keys(count: int, kept: tuple[int, int]) -> None:
    desc = AggDesc(1, 1, 40, (rec(A.DIFEXPR, 8, 8), rec(A.DIFEXPR, 8, 16), rec(A.DIFEXPR, 8, 24),
                              rec(A.AGG_SUM, 8, 32)))
    aggregations = Aggregations({1: desc}.__getitem__, Settings())
    aggregations.add(b"".join(struct.pack("<IIqqqq", 1, 0, 5, *keys, 3) for keys in ((1, 9), (2, 5))))
    aggregations.truncate(5, count)
    (entry,) = aggregations
    assert tuple(int.from_bytes(entry.key(key), "little") for key in entry.layout.keys) == kept


def dropped(counts: dict[int, int], most: int, actions: dict[int, int]) -> dict[int, int]:
    """How many keys each variable loses of so many, when all of them may take `most` bytes."""
    descs = {n: describe(action, 8, n) for n, action in actions.items()}
    aggregations = Aggregations(descs.__getitem__, Settings())
    for n, count in counts.items():
        desc = descs[n]
        aggregations.add(b"".join(row(desc, n, each, b"x", [1] * WORDS[desc.records[-1].action])
                                  for each in range(count)))
    lost = aggregations.trim(most)
    kept = {n: [] for n in counts}
    for entry in aggregations:
        kept[entry.variable].append(int.from_bytes(entry.key(entry.layout.keys[0]), "little"))
    assert all(sorted(keys) == list(range(len(keys))) for keys in kept.values())  # the first that came
    assert lost == sum(counts.values()) - sum(map(len, kept.values()))
    return {n: count - len(kept[n]) for n, count in counts.items()}


def test_as_many_keys_are_kept_in_either_form() -> None:
    """By `aggregate.BULK` the table takes another form, in which a key takes less."""
    most, cost = 3 << 20, 40 + 256
    for count in (9_000, 14_000, 16_000, 40_000, most // cost, most // cost + 1):
        assert dropped({1: count}, most, {1: A.AGG_COUNT}) == {1: max(count - most // cost, 0)}


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.sampled_from((A.AGG_COUNT, A.AGG_STDDEV, A.AGG_QUANTIZE)),
                          st.integers(0, 40)), min_size=1, max_size=4),
       st.integers(0, 40_000), st.integers(0, 3), st.integers(1, 30))
def test_more_keys_never_drop_less(variables: list[tuple[int, int]], most: int, which: int,
                                   more: int) -> None:
    """Of no variable, whichever gets them."""
    actions = {n: action for n, (action, _count) in enumerate(variables, 1)}
    counts = {n: count for n, (_action, count) in enumerate(variables, 1)}
    before = dropped(counts, most, actions)
    grown = which % len(counts) + 1
    after = dropped(counts | {grown: counts[grown] + more}, most, actions)
    assert all(after[n] >= before[n] for n in counts)


def test_addresses_in_one_symbol_are_one_key() -> None:
    """Of a small snapshot and of one for the compiled kernels alike."""
    desc = AggDesc(1, 1, 32, (rec(A.DIFEXPR, 8, 8), rec(A.SYM, 8, 16), rec(A.AGG_SUM, 8, 24)))
    rows = b"".join(struct.pack("<IIqqq", 1, 0, 5, 0x1000 + n % 0x200, 1)
                    for n in range(aggregate.BULK + 0x200))
    for data in (rows[:32 * 0x300], rows):
        aggregations = Aggregations({1: desc}.__getitem__, Settings(symbols=FewSymbols()))
        aggregations.add(data)
        found = {int.from_bytes(entry.key(entry.layout.keys[0]), "little"): entry.value.scalar
                 for entry in aggregations}
        assert min(found) == 0x1000 and set(found) & set(range(0x1001, 0x1100)) == set()
        assert sum(found.values()) * 32 == len(data)


def test_threshold(monkeypatch: pytest.MonkeyPatch) -> None:
    """By records; one of a distribution counts as many."""
    used = []
    monkeypatch.setattr(Aggregations, "add_bulk", lambda self, data: used.append(len(data)) or True)
    for action, many in ((A.AGG_SUM, aggregate.BULK + 1), (A.AGG_QUANTIZE, aggregate.BULK // 10 + 1)):
        desc = describe(action, 16)
        words = [1] * WORDS[action]
        aggregations = Aggregations({1: desc}.__getitem__, Settings())
        aggregations.add(row(desc, 5, 1, b"a", words) * (many - 2))
        assert not used
        aggregations.add(row(desc, 5, 1, b"a", words) * many)
        assert used.pop()
