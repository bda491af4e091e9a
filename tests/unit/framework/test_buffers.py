"""Buffers and aggregating functions by themselves, against what their definitions say."""

from __future__ import annotations

import random
import statistics
import struct

import pytest

from dof.model import ActionKind as A
from runtime.framework.buffers.aggregation import (
    FUNCTIONS,
    QUANTIZE_ZERO,
    AggregationBuffer,
    Form,
    initial,
    lquantize_arg,
    value_size,
)
from runtime.framework.buffers.principal import Buffer, FillBuffer, RingBuffer

MASK = (1 << 64) - 1
SIZES = {1: 16, 2: 24, 3: 40}  # of records, by EPID


def put(buffer: Buffer, epid: int, number: int, alignment: int = 8) -> int:
    """Write a record, as a clause does; returns where it lies, or -1."""
    size = SIZES[epid]
    at = buffer.reserve(size, alignment)
    if at >= 0:
        buffer.data[at:at + size] = struct.pack("<II", epid, number).ljust(size, b"\xee")
        buffer.offset = at + size
    return at


def found(data: bytes, oldest: int) -> list[tuple[int, int]]:
    """The records of a snapshot, in the order in which a consumer reads them."""
    records, at, wrapped = [], oldest, False
    while at < len(data) or (oldest and not wrapped):
        if at + 4 > len(data):
            at, wrapped = 0, True
            continue
        if wrapped and at >= oldest:
            break
        epid, number = struct.unpack_from("<II", data.ljust(at + 8, b"\0"), at)
        if not epid:
            at += 4
            continue
        records.append((epid, number))
        at += SIZES[epid]
    return records


@pytest.mark.parametrize("size", [40, 48, 56, 64, 72, 100, 104, 128, 256])
def test_a_ring_keeps_the_newest(size: int) -> None:
    """What it holds is what was written last, in order, and as much as there is room for."""
    draw = random.Random(size)
    for length in range(40):
        ring, written = RingBuffer(0, size, SIZES), list[tuple[int, int]]()
        for number in range(length):
            epid = draw.choice((1, 1, 2, 3))
            assert put(ring, epid, number, draw.choice((4, 8))) % 4 == 0
            written.append((epid, number))
        data, drops, errors, oldest = ring.snapshot()
        kept = found(bytes(data), oldest)
        assert kept == written[len(written) - len(kept):], (size, length)
        assert (drops, errors, ring.snapshot()[0]) == (0, 0, b"")
        if sum(SIZES[epid] + 4 for epid, _ in written) <= size:
            assert kept == written
        elif size >= 128:
            assert sum(SIZES[epid] for epid, _ in kept) >= size - 2 * 48


def test_a_ring_by_the_byte() -> None:
    """Where each record comes to lie, and which is the oldest, worked out by hand; 64 bytes."""
    ring = RingBuffer(0, 64, SIZES)
    told = []
    for number, (epid, alignment) in enumerate([(1, 8), (2, 8), (1, 8), (3, 8), (1, 4), (2, 8), (1, 8),
                                                (1, 8)]):
        at = put(ring, epid, number, alignment)
        told.append((at, ring.wrapped, ring.oldest))
    assert told == [(0, False, 0), (16, False, 0), (40, False, 0), (0, True, 40), (40, True, 56),
                    (0, True, 40), (24, True, 40), (40, True, 56)]
    small = RingBuffer(0, 24, SIZES)
    assert put(small, 2, 1) == 0
    assert put(small, 3, 2) == -1
    assert small.drops == 1 and found(bytes(small.snapshot()[0]), 0) == [(2, 1)]
    ring.active = False
    assert put(ring, 1, 1) == -1
    assert ring.end_of(8, 8) == 0


@pytest.mark.parametrize(("size", "written", "needed"), [(24, [2], 24), (64, [1, 2, 1], 56),
                                                         (64, [1, 2, 1], 60)])
def test_a_ring_is_empty_when_what_pushes_all_out_is_not_taken(size: int, written: list[int],
                                                               needed: int) -> None:
    ring = RingBuffer(0, size, SIZES)
    for epid in written:
        put(ring, epid, 1)
    assert ring.reserve(needed, 4) == 0
    assert bytes(ring.snapshot()[0][:ring.offset]) == b"" and ring.offset == 0


def test_a_buffer_is_filled_to_its_last_byte() -> None:
    buffer = Buffer(0, 64)
    assert [put(buffer, 2, 0), put(buffer, 3, 1), put(buffer, 1, 2)] == [0, 24, -1]
    assert (buffer.drops, buffer.full) == (1, False)
    data, drops, errors, oldest = buffer.snapshot()
    assert (len(data), drops, errors, oldest) == (64, 1, 0, 0)
    assert (buffer.offset, buffer.drops) == (0, 0)
    assert [put(buffer, 1, 0), put(buffer, 1, 1), put(buffer, 1, 1), put(buffer, 2, 2)] == [0, 16, 32, -1]
    buffer.offset = 12
    assert [buffer.end_of(8, 4), buffer.end_of(8, 8), buffer.end_of(48, 16), buffer.end_of(49, 16)] \
        == [20, 24, 64, 0]
    assert put(buffer, 1, 3, 8) == 16 and bytes(buffer.data[12:16]) == bytes(4)


def test_a_buffer_that_calls_its_reader() -> None:
    called: list[int] = []
    buffer = Buffer(0, 70, lambda: called.append(1))
    assert buffer.size == 32  # half, in multiples of 8
    assert [put(buffer, 1, 0), put(buffer, 1, 1)] == [0, 16] and not called and not buffer.full
    assert put(buffer, 1, 2) == 32 and called == [1] and buffer.full
    assert put(buffer, 3, 3) == 48 and called == [1]
    assert buffer.end_of(40, 8) == 40
    assert len(buffer.snapshot()[0]) == 88
    assert not buffer.full and buffer.size == 32
    for _ in range(1 + 70 * 16 // 40):
        put(buffer, 3, 4)
    assert buffer.drops == 1


def test_a_record_at_a_multiple_of_its_alignment_behind_the_half() -> None:
    """What lies before it is filled up to the half's last byte, and then the reader is called."""
    called: list[int] = []
    buffer = Buffer(0, 70, lambda: called.append(1))
    buffer.data[28:32] = b"old."
    buffer.offset = 28
    assert put(buffer, 1, 2) == 32 and called == [1]
    assert bytes(buffer.data[28:32]) == bytes(4)
    last = Buffer(0, 64, lambda: called.append(2))
    last.offset = last.capacity - 16
    assert put(last, 1, 3) == last.capacity - 16 and called == [1, 2] and put(last, 1, 4) == -1


def test_a_buffer_that_fills_once() -> None:
    buffer = FillBuffer(0, 64, 16)
    assert [put(buffer, 2, 0), put(buffer, 2, 1), put(buffer, 1, 2)] == [0, 24, -1]
    assert buffer.full and buffer.drops == 0 and put(buffer, 1, 3) == -1
    buffer.cooling = True
    assert put(buffer, 1, 4) == 48 and put(buffer, 1, 5) == -1
    assert found(bytes(buffer.snapshot()[0]), 0) == [(2, 0), (2, 1), (1, 4)]
    assert buffer.snapshot() == (b"", 0, 0, 0)
    assert buffer.end_of(8, 8) == 0
    exact = FillBuffer(0, 40, 16)
    assert put(exact, 2, 0) == 0 and not exact.full


# -- aggregating functions --------------------------------------------------------------------------------

VALUES = [0, 1, 2, 3, 4, 7, 8, 15, 16, 1000, (1 << 31) - 1, 1 << 31, (1 << 62) - 1, 1 << 62, (1 << 63) - 1]
VALUES += [-value for value in VALUES] + [-(1 << 63)]


def aggregated(kind: int, values: list[int], arg: int = 0, increment: int = 1) -> list[int]:
    """The words of a record, which lies behind another one's."""
    count = value_size(kind, arg) // 8
    words = [7, 7, *([initial(kind, arg)] if count else []), *[0] * (count - 1), 7]
    for value in values:
        FUNCTIONS[kind](words, 2, value & MASK, increment)
    assert words[:2] == [7, 7] and words[-1] == 7
    return words[2:-1]


def test_plain_functions() -> None:
    signed = [word - (1 << 64) if word >> 63 else word for kind in (A.AGG_MIN, A.AGG_MAX)
              for word in aggregated(kind, VALUES)]
    assert signed == [-(1 << 63), (1 << 63) - 1]
    assert aggregated(A.AGG_MIN, []) == [(1 << 63) - 1] and aggregated(A.AGG_MAX, []) == [1 << 63]
    assert aggregated(A.AGG_MIN, [5, 5, 6]) == [5] and aggregated(A.AGG_MAX, [-5, -6]) == [-5 & MASK]
    assert aggregated(A.AGG_COUNT, VALUES) == [len(VALUES)]
    assert aggregated(A.AGG_SUM, VALUES) == [sum(VALUES) & MASK]
    assert aggregated(A.AGG_AVG, VALUES) == [len(VALUES), sum(VALUES) & MASK]
    count, total, low, high = aggregated(A.AGG_STDDEV, VALUES)
    assert (count, total) == (len(VALUES), sum(VALUES) & MASK)
    assert low + (high << 64) == sum(value * value for value in VALUES) & (1 << 128) - 1
    sample = [3, 9, 27, -5]
    count, total, low, _ = aggregated(A.AGG_STDDEV, sample)
    assert low / count - (total / count) ** 2 == pytest.approx(statistics.pvariance(sample))


@pytest.mark.parametrize("value", VALUES)
def test_powers_of_two(value: int) -> None:
    """The bucket of a value is the largest power of two that is not above it; the other way below 0."""
    words = aggregated(A.AGG_QUANTIZE, [value], increment=3)
    place = 0 if not value else next(n for n in range(65) if abs(value) < 1 << n)
    place = min(place, QUANTIZE_ZERO) * (1 if value > 0 else -1)
    assert {at: word for at, word in enumerate(words) if word} == {QUANTIZE_ZERO + place: 3}
    assert aggregated(A.AGG_QUANTIZE, [value], increment=-2 & MASK)[QUANTIZE_ZERO + place] == -2 & MASK


def test_steps() -> None:
    for base, step, levels in ((-10, 5, 4), (0, 1, 1), (7, 100, 3), (-(1 << 31), 65535, 2)):
        arg = step << 48 | levels << 32 | base & 0xFFFFFFFF
        assert lquantize_arg(arg) == (base, step, levels)
        assert value_size(A.AGG_LQUANTIZE, arg) == 8 * (levels + 3)
        for value in (base - 1, base, base + 1, base + step - 1, base + step, base + step * levels - 1,
                      base + step * levels, base + step * levels + 1):
            if not -(1 << 31) <= value < 1 << 31:
                continue
            bucket = 0 if value < base else 1 + min((value - base) // step, levels)
            words = aggregated(A.AGG_LQUANTIZE, [value], arg, 2)
            assert words[0] == arg
            assert {at: word for at, word in enumerate(words[1:]) if word} == {bucket: 2}, (value, base)
    for arg in (0 << 48 | 1 << 32, 1 << 48 | 0 << 32):
        with pytest.raises(ValueError, match="no step or no levels"):
            value_size(A.AGG_LQUANTIZE, arg)
    with pytest.raises(ValueError, match="unknown aggregating function 0x1"):
        value_size(1, 0)
    assert [value_size(kind, 0) for kind in (A.AGG_COUNT, A.AGG_AVG, A.AGG_STDDEV, A.AGG_QUANTIZE)] \
        == [8, 16, 32, 8 * 127]


@pytest.mark.parametrize(("factor", "low", "high", "steps"), [(10, 0, 2, 10), (10, 0, 1, 20), (2, 0, 4, 4),
                                                            (2, 1, 3, 2), (5, 1, 3, 25), (3, 0, 3, 9)])
def test_steps_of_orders(factor: int, low: int, high: int, steps: int) -> None:
    """Each bucket begins where the definition says; they have no gaps."""
    arg = factor << 48 | low << 32 | high << 16 | steps
    starts, order = [factor ** low], low
    while order <= high:
        width = max(factor ** (order + 1) // steps, 1)
        starts += range(factor ** order + width, factor ** (order + 1) + 1, width)
        order += 1
    starts = sorted(set(starts))
    assert value_size(A.AGG_LLQUANTIZE, arg) == 8 * (len(starts) + 2)
    for value in {each + near for each in starts for near in (-1, 0, 1)} | {-5, 0, 1 << 40}:
        bucket = sum(each <= value for each in starts)
        words = aggregated(A.AGG_LLQUANTIZE, [value], arg)
        assert {at: word for at, word in enumerate(words[1:]) if word} == {bucket: 1}, value


def test_records_of_aggregations() -> None:
    """Their bytes: id, keys at their offsets, values; drops where there is no room; the reader is called."""
    form = Form(9, [(8, 8), (16, 4), (20, 3)], 24, [0, 5])
    assert form.records([(0, 77, -2 & 0xFFFFFFFF, b"abc")], [1, 2]) \
        == struct.pack("<I4xQI3sxQQ", 9, 77, 0xFFFFFFFE, b"abc", 1, 2)
    form = Form(1, [(8, 8), (16, 16), (32, 2), (34, 1)], 40, [0])  # strings of integers' sizes, long integers
    assert form.records([(0, b"12345678", 1 << 64 | 5, b"ab", 7)], [1]) \
        == struct.pack("<I4x8sQQ2sB5xQ", 1, b"12345678", 5, 1, b"ab", 7, 1)
    form = Form(9, [(8, 8), (16, 4), (20, 3)], 24, [0, 5])
    bare = Form(3, [(8, 8)], 16, [0])
    buffer = AggregationBuffer(0, 4096)
    first, again = buffer.insert(77, bare), buffer.insert((1, 5, 6, b"xyz"), form)
    buffer.words[first] = 4
    buffer.words[again + 1] = 6
    assert buffer.snapshot() == (struct.pack("<I4xQQ", 3, 77, 4)
                                 + struct.pack("<I4xQI3sxQQ", 9, 5, 6, b"xyz", 0, 6), 0)
    assert buffer.snapshot() == (b"", 0)
    taken = 0
    while buffer.insert(taken, bare):
        taken += 1
    assert buffer.drops == 1 and taken > 10
    called: list[int] = []
    relieved = AggregationBuffer(0, 4096, lambda: called.append(1))
    while not called:
        relieved.insert(len(relieved.index), bare)
    assert relieved.full and taken // 2 <= len(relieved.index) <= taken // 2 + 2
    while relieved.insert(len(relieved.index), bare):
        pass
    assert (len(relieved.index), called) == (taken, [1])
    data, drops = relieved.snapshot()
    assert (len(data), drops, relieved.full) == (24 * taken, 1, False)
