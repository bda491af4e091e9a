"""Aggregations in bulk: compiled kernels beside C, numpy and plain Python, in one run.

    python tests/benchmarks/aggregation.py [--scale 0.1]

Workloads (issue sizes at scale 1): 5 million records of eight CPUs with a two-integer-and-string
key and a sum, over 625 thousand and over a thousand keys; 200 thousand quantize() records; then the
625 thousand rows sorted by value and by key, the other kind of rows by value, all normalized.  Every
figure is given as a multiple of a memcpy of the same bytes in the same run.  numpy and the
dictionary are measured on a part and scaled up.
"""

from __future__ import annotations

import argparse
import ctypes
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np

from dof.model import ActionKind as A
from runtime.border import AggDesc, RecDesc
from runtime.consumer.aggregations.aggregate import Aggregations
from runtime.consumer.aggregations.bulk import Bulk, Source
from runtime.consumer.aggregations.entries import Entry, Layout, Table
from runtime.consumer.aggregations.quantize import divide
from runtime.consumer.aggregations.ranking import normalized, ranking

C_SOURCE = r"""
#include <stdint.h>
#include <string.h>
/* The same algorithm: open addressing over row numbers, hashes a few records ahead, prefetching. */
#define AHEAD 24
#define RING 32
static inline uint64_t hash(const uint64_t *key)
{
    uint64_t h = WORDS;
    for (int i = 0; i < WORDS; i++) {
        h = (h ^ key[i]) * 0x9E3779B97F4A7C15ull;
        h = h << 32 | h >> 32;
    }
    return h * 0x9E3779B97F4A7C15ull;
}
int64_t merge(const char *data, int64_t start, int64_t count, char *rows, int64_t *nrows, int64_t limit,
              uint64_t *index, uint64_t mask)
{
    uint64_t ring[RING];
    int64_t r = *nrows, i, warm = start + AHEAD < count ? start + AHEAD : count;
    for (i = start; i < warm; i++) {
        ring[i % RING] = hash((const uint64_t *)(data + i * SIZE + 8));
        __builtin_prefetch(&index[(ring[i % RING] >> 32) & mask]);
    }
    for (i = start; i < count; i++) {
        uint64_t h = ring[i % RING];
        if (i + AHEAD < count) {
            uint64_t f = hash((const uint64_t *)(data + (i + AHEAD) * SIZE + 8));
            ring[(i + AHEAD) % RING] = f;
            __builtin_prefetch(&index[(f >> 32) & mask]);
        }
        if (i + AHEAD / 2 < count) {
            uint64_t e = index[(ring[(i + AHEAD / 2) % RING] >> 32) & mask];
            __builtin_prefetch(rows + ((e & 0xffffffffu) - 1) * SIZE, 1);
        }
        const char *rec = data + i * SIZE;
        uint64_t tag = h >> 32, pos = tag & mask;
        for (;; pos = (pos + 1) & mask) {
            uint64_t e = index[pos];
            if (!e) {
                if (r >= limit)
                    goto out;
                memcpy(rows + r * SIZE, rec, SIZE);
                index[pos] = tag << 32 | (uint64_t)++r;
                break;
            }
            if (e >> 32 != tag)
                continue;
            char *row = rows + ((e & 0xffffffffu) - 1) * SIZE;
            if (memcmp(row + 8, rec + 8, WORDS * 8))
                continue;
            int64_t *a = (int64_t *)(row + VALUE);
            const int64_t *b = (const int64_t *)(rec + VALUE);
            for (int w = 0; w < VALUES; w++)
                a[w] += b[w];
            break;
        }
    }
out:
    *nrows = r;
    return i;
}
"""


def describe(string: int, action: int, words: int) -> AggDesc:
    """A two-integer-and-string key (no string when 0) and a value."""
    def rec(kind: int, size: int, offset: int) -> RecDesc:
        return RecDesc(kind, size, offset, 8, 0, 0, 0)

    keys = [rec(A.DIFEXPR, 8, 8), rec(A.DIFEXPR, 8, 16), rec(A.DIFEXPR, 8, 24)]
    if string:
        keys.append(rec(A.DIFEXPR, string, 32))
    value = 32 + string
    return AggDesc(1, 1, value + 8 * words, (*keys, rec(action, 8 * words, value)))


def snapshot(desc: AggDesc, count: int, keys: int, seed: int = 7) -> bytes:
    """`count` records over `keys` keys in random order: eight CPUs' snapshots, one after another."""
    random = np.random.default_rng(seed)
    raw = np.zeros((count, desc.size // 8), np.int64)
    number = random.integers(0, keys, count)
    raw[:, 0], raw[:, 1], raw[:, 2], raw[:, 3] = 1, 4, number, number * 31 % 1009
    value = desc.records[-1].offset // 8
    for column in range(4, value):
        raw[:, column] = 0x6D616E2D6C6C6163
    if desc.records[-1].action == A.AGG_QUANTIZE:
        raw[np.arange(count), value + 63 + number % 30] = 1
    else:
        raw[:, value] = number % 100
    return raw.tobytes()


def timed(work: Callable[[], object], repeat: int = 3) -> float:
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def compile_c(layout: Layout, folder: Path) -> ctypes.CDLL | None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    source, library = folder / "merge.c", folder / f"merge{layout.size}.so"
    source.write_text(C_SOURCE)
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", f"-DSIZE={layout.size}",
                    f"-DWORDS={(layout.value.offset - 8) // 8}", f"-DVALUE={layout.value.offset}",
                    f"-DVALUES={layout.words}", "-o", library, source], check=True)
    loaded = ctypes.CDLL(str(library))
    loaded.merge.restype = ctypes.c_int64
    p, i = ctypes.c_void_p, ctypes.c_int64
    loaded.merge.argtypes = [p, i, i, p, p, i, p, i]
    return loaded


def run_c(library: ctypes.CDLL, layout: Layout, data: bytes) -> int:
    """As the kernels' driver does it: grow rows and index as they fill."""
    raw = np.frombuffer(data, np.uint8)
    count, done, found = len(data) // layout.size, 0, ctypes.c_int64(0)
    rows, index = np.empty(0, np.uint8), np.zeros(1 << 12, np.uint64)
    while True:
        room = len(rows) // layout.size
        done = library.merge(raw.ctypes.data, done, count, rows.ctypes.data, ctypes.addressof(found),
                             min(room, len(index) // 2), index.ctypes.data, len(index) - 1)
        if done >= count:
            return found.value
        if found.value >= room:
            grown = np.empty(max(2 * room, 1024) * layout.size, np.uint8)
            grown[:found.value * layout.size] = rows[:found.value * layout.size]
            rows = grown
        if found.value >= len(index) // 2:
            index = rehash(index)


def rehash(old: np.ndarray) -> np.ndarray:
    from runtime.consumer.aggregations.jit import Compiler

    new = np.zeros(4 * len(old), np.uint64)
    _COMPILER.append(Compiler()) if not _COMPILER else None
    _COMPILER[0].rehash(old.ctypes.data, len(old), new.ctypes.data, len(new) - 1)
    return new


_COMPILER: list = []


def measure(title: str, desc: AggDesc, count: int, keys: int, folder: Path) -> None:
    layout = Layout.of(desc.size, desc.records)
    data = snapshot(desc, count, keys)
    source = Source(count, desc.size)
    target = np.empty(len(data), np.uint8)
    raw = np.frombuffer(data, np.uint8)
    target[:] = raw
    copy = timed(lambda: np.copyto(target, raw), 5)
    bulk = Bulk()
    bulk.merge(Table(4, layout), data[:desc.size], Source(1, desc.size))  # compile
    figures = {"memcpy": copy, "compiled": timed(lambda: bulk.merge(Table(4, layout), data, source))}
    library = compile_c(layout, folder)
    if library is not None:
        figures["C -O2"] = timed(lambda: run_c(library, layout, data))
    part = max(count // 10, 1)
    few = Source(part, desc.size)
    piece = data[:part * desc.size]
    arrays = Bulk(compiled=False)
    figures["numpy"] = timed(lambda: arrays.merge(Table(4, layout), piece, few), 1) * count / part
    figures["dict"] = timed(lambda: Table(4, layout).merge(piece, few.tolist()), 1) * count / part
    show(f"{title}: {count} records of {desc.size} bytes, {keys} keys", figures)


def show(title: str, figures: dict[str, float]) -> None:
    print(f"\n{title}")
    for name, seconds in figures.items():
        print(f"  {name:10} {seconds * 1000:10.1f} ms   {seconds / figures['memcpy']:7.1f} x memcpy")
    if "C -O2" in figures:
        print(f"  compiled / C = {figures['compiled'] / figures['C -O2']:.2f}")


def order(title: str, desc: AggDesc, count: int, by_values: bool) -> None:
    """Sort a table of `count` rows."""
    table, compiler = table_of(desc, count), Bulk().compiler
    parts = "variable value key" if by_values else "variable key"

    def plainly() -> None:
        part = sorted(islice(table.entries(), count // 10), key=Aggregations.sort_key(parts))
        assert len(part) == count // 10

    figures = {"memcpy": timed(lambda: bytes(table.rows), 5)}
    ranking(table, by_values, 0, compiler)
    figures["compiled"] = timed(lambda: ranking(table, by_values, 0, compiler))
    figures["numpy"] = timed(lambda: ranking(table, by_values, 0, None), 1)
    figures["tuples"] = timed(plainly, 1) * 10
    show(f"{title}: {count} rows of {desc.size} bytes", figures)


def normalize(title: str, desc: AggDesc, count: int) -> None:
    """Normalize the values of a table of `count` rows."""
    table, compiler = table_of(desc, count), Bulk().compiler
    table.normalize(1000)
    figures = {"memcpy": timed(lambda: bytes(table.rows), 5)}
    normalized(table, compiler)
    figures["compiled"] = timed(lambda: normalized(table, compiler))
    figures["numpy"] = timed(lambda: normalized(table, None), 1)
    figures["entries"] = timed(lambda: [show_one(entry) for entry in islice(table.entries(), count // 10)],
                               1) * 10
    show(f"{title}: {count} rows of {desc.size} bytes", figures)


def show_one(entry: Entry) -> object:
    value = entry.value
    return [divide(word, value.normal) for word in value.words] if entry.layout.distribution else value.scalar


def table_of(desc: AggDesc, count: int) -> Table:
    """A table of rows with keys of their own, in random order."""
    data = np.frombuffer(snapshot(desc, count, count), np.int64).reshape(count, -1).copy()
    data[:, 2] = np.random.default_rng(3).permutation(count)
    table = Table(4, Layout.of(desc.size, desc.records))
    table.adopt(memoryview(data.view(np.uint8).ravel().data))
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full sizes")
    scale = parser.parse_args().scale
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        total = int(5_000_000 * scale)
        sums, counts = describe(24, A.AGG_SUM, 1), describe(0, A.AGG_QUANTIZE, 127)
        measure("sum, many keys", sums, total, max(total // 8, 1), folder)
        measure("sum, few keys", sums, total, 1000, folder)
        measure("quantize", counts, int(200_000 * scale), 1000, folder)
    order("sort by value", sums, total // 8, True)
    order("sort by key", sums, total // 8, False)
    order("sort quantize by value", counts, int(200_000 * scale), True)
    normalize("normalize sums", sums, total // 8)
    normalize("normalize quantize", counts, int(200_000 * scale))


if __name__ == "__main__":
    main()
