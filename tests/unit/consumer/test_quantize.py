"""Distributions: shapes whose lines are worked out by hand."""

from __future__ import annotations

import pytest

from dc.options import Options
from dof.model import ActionKind
from runtime.consumer.aggregations import quantize
from runtime.consumer.aggregations.entries import weights_of
from runtime.consumer.aggregations.quantize import BadDistribution
from runtime.consumer.events.settings import Settings

PLAIN = Settings()


def buckets(**counts: int) -> tuple[int, ...]:
    values = [0] * quantize.NBUCKETS
    for name, count in counts.items():
        values[quantize.ZERO_BUCKET + (-int(name[1:]) if name[0] == "m" else int(name[1:]))] = count
    return tuple(values)


def lines(text: bytes) -> list[str]:
    return text.decode().split("\n")[2:-1]


def test_bars_are_forty_columns_of_the_total() -> None:
    out = lines(quantize.DISTRIBUTIONS["quantize"](buckets(p1=1, p2=3), 1, PLAIN))
    assert out == [
        f"{0:16} |{'':40} {0:<9}",
        f"{1:16} |{'@' * 10:40} {1:<9}",
        f"{2:16} |{'@' * 30:40} {3:<9}",
        f"{4:16} |{'':40} {0:<9}",
    ]


def test_negative_counts_grow_leftwards() -> None:
    out = lines(quantize.DISTRIBUTIONS["quantize"](buckets(p1=-1, p2=-3), 1, PLAIN))
    assert out[1] == f"{1:16} {'@' * 10:>40}| {-1:<9}"


def test_both_signs_share_a_middle() -> None:
    out = lines(quantize.DISTRIBUTIONS["quantize"](buckets(p1=-1, p2=1), 1, PLAIN))
    assert out[1] == f"{1:16} {'@' * 10:>20}|{'':20} {-1:<9}"
    assert out[2] == f"{2:16} {'':20}|{'@' * 10:20} {1:<9}"


def test_empty_distributions_show_the_middle() -> None:
    assert [line.split()[0] for line in lines(quantize.DISTRIBUTIONS["quantize"](buckets(), 1, PLAIN))] == \
        ["-1", "0", "1"]


def test_the_last_bucket_alone_is_shown() -> None:
    out = lines(quantize.DISTRIBUTIONS["quantize"]((*buckets()[:-1], 3), 1, PLAIN))
    assert [line.split()[0] for line in out] == [str(1 << 61), str(1 << 62)]


def test_normalization_divides_counts_not_bars() -> None:
    out = lines(quantize.DISTRIBUTIONS["quantize"](buckets(p1=4, p2=12), 4, PLAIN))
    assert out[1].endswith(f"{'@' * 10:40} {1:<9}")


def test_linear() -> None:
    word = 5 << 48 | 3 << 32 | (-5 & 0xFFFFFFFF)  # step 5, 3 levels from -5
    out = lines(quantize.DISTRIBUTIONS["lquantize"]((word, 1, 0, 0, 1, 2), 1, PLAIN))
    assert [line[:16].strip() for line in out] == ["< -5", "-5", "0", "5", ">= 10"]


@pytest.mark.parametrize(("base", "weights", "zero"), [
    (-2, [0, -3, -2, -1, 0, 1, 3], 4), (5, [0, 4, 5, 6, 7, 8, 10], -1), (1, [0, 0, 1, 2, 3, 4, 6], 1),
    (2, [0, 1, 2, 3, 4, 5, 7], -1)])
def test_what_buckets_of_linear_ones_weigh(base: int, weights: list[int], zero: int) -> None:
    """And which counts zeros: distributions of equal sums are sorted by it."""
    assert weights_of(ActionKind.AGG_LQUANTIZE, 1 << 48 | 4 << 32 | base & 0xFFFFFFFF) == (weights, zero)


def test_log_linear_has_steps_within_each_magnitude() -> None:
    word = 10 << 48 | 0 << 32 | 1 << 16 | 10  # factor 10, magnitudes 0 to 1, 10 steps
    bounds = list(quantize.LogLinear.decode(word).bounds())
    assert bounds == [*range(1, 10), *range(10, 100, 10), 100]
    data = (word, *([0] * 5), 7, *([0] * (len(bounds) - 5)))
    out = lines(quantize.DISTRIBUTIONS["llquantize"](data, 1, PLAIN))
    assert [line.split()[0] for line in out] == ["4", "5", "6"]


@pytest.mark.parametrize(("name", "words"), [
    ("quantize", (1, 2)), ("lquantize", (1 << 48 | 9 << 32, 1)), ("llquantize", (0, 1)),
])
def test_wrong_sizes_are_refused(name: str, words: tuple[int, ...]) -> None:
    with pytest.raises(BadDistribution):
        quantize.DISTRIBUTIONS[name](words, 1, PLAIN)


def test_zoom_makes_the_highest_bar_95_percent() -> None:
    zoomed = Settings(Options({"aggzoom": 0}))
    out = lines(quantize.DISTRIBUTIONS["quantize"](buckets(p1=1, p2=10, p3=10), 1, zoomed))
    assert out[2].count("@") == 38


def test_utf8_bars_have_eighths() -> None:
    utf8 = Settings(Options({"encoding": 1}))
    text = quantize.DISTRIBUTIONS["quantize"](buckets(p1=1, p2=319), 1, utf8).decode()
    assert "|▏" in text and "|" + "█" * 39 + "▉" in text


def test_packed() -> None:
    values = buckets(p1=1, p4=1)
    bins = quantize.packed_bins(values, False)
    text = quantize.packed_quantize(values, bins, Settings(Options({"encoding": 0})))
    assert text == b"    0 : x  x : 16   | 2\n"
    assert quantize.packed_header(0, bins, False) == b"\n  min .------. max  | count\n"
    wide = quantize.ZERO_BUCKET - 14, quantize.ZERO_BUCKET + 14  # shown: -16384 to 16384
    assert quantize.packed_header(0, wide, False) == b"\n    min ." + b"-" * 31 + b". max   | count\n"
