"""Kernels that order rows and normalize values: LLVM code made for one layout of rows.

Rows are ordered by entries of four 64-bit words: three that compare as unsigned numbers, and the
row's number.  The three are the beginning of the keys, or the value; where they are the same, the
keys in the rows decide.  Numbers of up to 128 bits stand for a value: no sum overflows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dif.records import NamedTuple
from dof.model import ActionKind
from runtime.consumer.aggregations.entries import PAIRS

if TYPE_CHECKING:
    from runtime.consumer.aggregations.entries import Layout

ENTRY = 4  # words
COMPARED = 3  # of them
_SIGN = -(1 << 63)


class Run(NamedTuple):
    """`length` unsigned integers of `width` bytes in a row that compare one after another."""

    offset: int
    length: int
    width: int
    big: bool  # big-endian: bytes compare one by one, eight at a time


def runs(layout: Layout, position: int) -> list[Run]:
    """How the keys compare, from the one at `position` (0 the first) and wrapping around."""
    first = position if position < len(layout.keys) else 0
    found = []
    for key in layout.keys[first:] + layout.keys[:first]:
        if key.size in (1, 2, 4, 8):
            found.append(Run(key.offset, 1, key.size, False))
        elif key.action in PAIRS:
            found.append(Run(key.offset, 2, 8, False))
        else:
            whole = key.size // 8
            found.append(Run(key.offset, whole, 8, True))
            found.append(Run(key.offset + 8 * whole, key.size % 8, 1, False))
    return [run for run in found if run.length]


def _word(name: str, base: str, run: Run, index: str) -> str:
    """Loads of %name, word `index` of a run in the row at %base."""
    bits = 8 * run.width
    raw = f"%{name}.raw" if run.big or bits < 64 else f"%{name}"
    lines = [f"%{name}.at = mul i64 {index}, {run.width}",
             f"%{name}.off = add i64 %{name}.at, {run.offset}",
             f"%{name}.p = getelementptr i8, ptr %{base}, i64 %{name}.off",
             f"{raw} = load i{bits}, ptr %{name}.p, align 1"]
    if run.big:
        lines.append(f"%{name} = call i64 @llvm.bswap.i64(i64 {raw})")
    elif bits < 64:
        lines.append(f"%{name} = zext i{bits} {raw} to i64")
    return "  " + "\n  ".join(lines) + "\n"


def _key_less(found: list[Run]) -> str:
    text = "define internal i1 @key_less(ptr %a, ptr %b) {\nentry:\n  br label %r0\n"
    for n, run in enumerate(found):
        before = f"n{n - 1}" if n else "entry"
        text += f"r{n}:\n  %i{n} = phi i64 [0, %{before}], [%j{n}, %s{n}]\n"
        text += _word(f"x{n}", "a", run, f"%i{n}") + _word(f"y{n}", "b", run, f"%i{n}")
        text += f"""
  %e{n} = icmp eq i64 %x{n}, %y{n}
  br i1 %e{n}, label %s{n}, label %d{n}
d{n}:
  %l{n} = icmp ult i64 %x{n}, %y{n}
  ret i1 %l{n}
s{n}:
  %j{n} = add i64 %i{n}, 1
  %m{n} = icmp ult i64 %j{n}, {run.length}
  br i1 %m{n}, label %r{n}, label %n{n}
n{n}:
  br label %r{n + 1}
"""
    return text + f"r{len(found)}:\n  ret i1 false\n}}\n"


def _keys(layout: Layout, found: list[Run]) -> str:
    """keys(rows, count, entries): every row's entry, beginning with the first words of its keys."""
    places = [(run, n) for run in found for n in range(min(run.length, COMPARED))][:COMPARED]
    body = ""
    for n in range(COMPARED):
        if n < len(places):
            run, index = places[n]
            body += _word(f"w{n}", "row", run, str(index))
        value = f"%w{n}" if n < len(places) else "0"
        body += f"  %e{n} = getelementptr i64, ptr %entry.p, i64 {n}\n  store i64 {value}, ptr %e{n}\n"
    return f"""
define void @keys(ptr noalias %rows, i64 %count, ptr noalias %entries) {{
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%i1, %body]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %body, label %done
body:
  %o = mul i64 %i, {layout.size}
  %row = getelementptr i8, ptr %rows, i64 %o
  %w = mul i64 %i, {ENTRY}
  %entry.p = getelementptr i64, ptr %entries, i64 %w
{body}
  %en = getelementptr i64, ptr %entry.p, i64 {COMPARED}
  store i64 %i, ptr %en
  %i1 = add i64 %i, 1
  br label %loop
done:
  ret void
}}
"""


def _sort(layout: Layout) -> str:
    """sort(entries, scratch, count, rows, ties) -> where the result is: 0 entries, 1 scratch.

    A stable merge sort.  Unless `ties` is 0, the keys of rows decide between equal entries.
    """
    return f"""
declare i64 @llvm.bswap.i64(i64)
declare i64 @llvm.umin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal i1 @less(ptr %a, ptr %b, ptr %rows, i1 %ties) alwaysinline {{
entry:
  %a0 = load i64, ptr %a
  %b0 = load i64, ptr %b
  %ap1 = getelementptr i64, ptr %a, i64 1
  %bp1 = getelementptr i64, ptr %b, i64 1
  %a1 = load i64, ptr %ap1
  %b1 = load i64, ptr %bp1
  %ap2 = getelementptr i64, ptr %a, i64 2
  %bp2 = getelementptr i64, ptr %b, i64 2
  %a2 = load i64, ptr %ap2
  %b2 = load i64, ptr %bp2
  %l0 = icmp ult i64 %a0, %b0
  %l1 = icmp ult i64 %a1, %b1
  %l2 = icmp ult i64 %a2, %b2
  %e0 = icmp eq i64 %a0, %b0
  %e1 = icmp eq i64 %a1, %b1
  %e2 = icmp eq i64 %a2, %b2
  %c1 = and i1 %e1, %l2
  %c2 = or i1 %l1, %c1
  %c3 = and i1 %e0, %c2
  %words = or i1 %l0, %c3
  %s1 = and i1 %e0, %e1
  %s2 = and i1 %s1, %e2
  %ask = and i1 %s2, %ties
  br i1 %ask, label %keys, label %out
keys:
  %ap3 = getelementptr i64, ptr %a, i64 {COMPARED}
  %bp3 = getelementptr i64, ptr %b, i64 {COMPARED}
  %an = load i64, ptr %ap3
  %bn = load i64, ptr %bp3
  %ao = mul i64 %an, {layout.size}
  %bo = mul i64 %bn, {layout.size}
  %ar = getelementptr i8, ptr %rows, i64 %ao
  %br = getelementptr i8, ptr %rows, i64 %bo
  %decided = call i1 @key_less(ptr %ar, ptr %br)
  br label %out
out:
  %result = phi i1 [%words, %entry], [%decided, %keys]
  ret i1 %result
}}

define i64 @sort(ptr noalias %entries, ptr noalias %scratch, i64 %n, ptr %rows, i64 %ties) {{
entry:
  %tied = icmp ne i64 %ties, 0
  br label %pass
pass:
  %width = phi i64 [1, %entry], [%width2, %swap]
  %src = phi ptr [%entries, %entry], [%dst, %swap]
  %dst = phi ptr [%scratch, %entry], [%src, %swap]
  %side = phi i64 [0, %entry], [%side2, %swap]
  %more = icmp ult i64 %width, %n
  br i1 %more, label %pair, label %done
pair:
  %left = phi i64 [0, %pass], [%end, %rest]
  %inside = icmp ult i64 %left, %n
  br i1 %inside, label %bounds, label %swap
bounds:
  %mid0 = add i64 %left, %width
  %mid = call i64 @llvm.umin.i64(i64 %mid0, i64 %n)
  %end0 = add i64 %mid, %width
  %end = call i64 @llvm.umin.i64(i64 %end0, i64 %n)
  br label %merge
merge:
  %i = phi i64 [%left, %bounds], [%i1, %choose]
  %j = phi i64 [%mid, %bounds], [%j1, %choose]
  %k = phi i64 [%left, %bounds], [%k1, %choose]
  %imore = icmp ult i64 %i, %mid
  %jmore = icmp ult i64 %j, %end
  %both = and i1 %imore, %jmore
  br i1 %both, label %choose, label %rest
choose:
  %p = getelementptr <4 x i64>, ptr %src, i64 %i
  %q = getelementptr <4 x i64>, ptr %src, i64 %j
  %right = call i1 @less(ptr %q, ptr %p, ptr %rows, i1 %tied)
  %from = select i1 %right, ptr %q, ptr %p
  %e = load <4 x i64>, ptr %from, align 8
  %to = getelementptr <4 x i64>, ptr %dst, i64 %k
  store <4 x i64> %e, ptr %to, align 8
  %r = zext i1 %right to i64
  %l = sub i64 1, %r
  %i1 = add i64 %i, %l
  %j1 = add i64 %j, %r
  %k1 = add i64 %k, 1
  br label %merge
rest:
  %ileft = sub i64 %mid, %i
  %isize = shl i64 %ileft, 5
  %ip = getelementptr <4 x i64>, ptr %src, i64 %i
  %kp = getelementptr <4 x i64>, ptr %dst, i64 %k
  call void @llvm.memcpy.p0.p0.i64(ptr %kp, ptr %ip, i64 %isize, i1 false)
  %k2 = add i64 %k, %ileft
  %jleft = sub i64 %end, %j
  %jsize = shl i64 %jleft, 5
  %jp = getelementptr <4 x i64>, ptr %src, i64 %j
  %kp2 = getelementptr <4 x i64>, ptr %dst, i64 %k2
  call void @llvm.memcpy.p0.p0.i64(ptr %kp2, ptr %jp, i64 %jsize, i1 false)
  br label %pair
swap:
  %width2 = shl i64 %width, 1
  %side2 = xor i64 %side, 1
  br label %pass
done:
  ret i64 %side
}}
"""


def ordering(layout: Layout, position: int) -> str:
    """The module of keys() and sort()."""
    found = runs(layout, position)
    return _sort(layout) + _key_less(found) + _keys(layout, found)


# -- values ----------------------------------------------------------------------------------------

_DIVIDE = """
define internal i64 @magnitude(i64 %x) alwaysinline {
  %neg = sub i64 0, %x
  %c = icmp slt i64 %x, 0
  %m = select i1 %c, i64 %neg, i64 %x
  ret i64 %m
}

define internal i128 @signed(i64 %m, i1 %negative) alwaysinline {
  %w = zext i64 %m to i128
  %n = sub i128 0, %w
  %r = select i1 %negative, i128 %n, i128 %w
  ret i128 %r
}

define internal i128 @divide(i64 %x, i64 %normal) alwaysinline {
  %m = call i64 @magnitude(i64 %x)
  %q = udiv i64 %m, %normal
  %c = icmp slt i64 %x, 0
  %r = call i128 @signed(i64 %q, i1 %c)
  ret i128 %r
}
"""
_PLAIN = """
define internal i128 @scalar(ptr %v, i64 %normal) alwaysinline {
  %x = load i64, ptr %v, align 8
  %r = call i128 @divide(i64 %x, i64 %normal)
  ret i128 %r
}
"""
# mean(count, sum, normal): C's divisions of the sum by the normal and then by the count
_MEAN = """
define internal i128 @mean(i64 %count, i64 %sum, i64 %normal) alwaysinline {
  %none = icmp eq i64 %count, 0
  %m = call i64 @magnitude(i64 %sum)
  %q = udiv i64 %m, %normal
  %d0 = call i64 @magnitude(i64 %count)
  %d = select i1 %none, i64 1, i64 %d0
  %q2 = udiv i64 %q, %d
  %s1 = icmp slt i64 %sum, 0
  %s2 = icmp slt i64 %count, 0
  %s = xor i1 %s1, %s2
  %w = call i128 @signed(i64 %q2, i1 %s)
  %r = select i1 %none, i128 0, i128 %w
  ret i128 %r
}
"""
_AVERAGE = """
define internal i128 @scalar(ptr %v, i64 %normal) alwaysinline {
  %count = load i64, ptr %v, align 8
  %sp = getelementptr i64, ptr %v, i64 1
  %sum = load i64, ptr %sp, align 8
  %r = call i128 @mean(i64 %count, i64 %sum, i64 %normal)
  ret i128 %r
}
"""
# Division of 128 by 64 bits and square roots bit by bit: no library need be at hand.
_DEVIATION = """
define internal i128 @long_divide(i128 %a, i64 %d) {
entry:
  %w = zext i64 %d to i128
  br label %loop
loop:
  %n = phi i128 [0, %entry], [%n1, %loop]
  %rest = phi i128 [0, %entry], [%rest3, %loop]
  %q = phi i128 [0, %entry], [%q1, %loop]
  %left = phi i128 [%a, %entry], [%left1, %loop]
  %top = lshr i128 %left, 127
  %left1 = shl i128 %left, 1
  %rest1 = shl i128 %rest, 1
  %rest2 = or i128 %rest1, %top
  %fits = icmp uge i128 %rest2, %w
  %less = sub i128 %rest2, %w
  %rest3 = select i1 %fits, i128 %less, i128 %rest2
  %bit = zext i1 %fits to i128
  %q0 = shl i128 %q, 1
  %q1 = or i128 %q0, %bit
  %n1 = add i128 %n, 1
  %more = icmp ult i128 %n1, 128
  br i1 %more, label %loop, label %done
done:
  ret i128 %q1
}

define internal i128 @root(i128 %x) {
entry:
  br label %loop
loop:
  %v = phi i128 [%x, %entry], [%v1, %loop]
  %r = phi i128 [0, %entry], [%r1, %loop]
  %bit = phi i128 [85070591730234615865843651857942052864, %entry], [%bit1, %loop]
  %t = add i128 %r, %bit
  %fits = icmp uge i128 %v, %t
  %less = sub i128 %v, %t
  %v1 = select i1 %fits, i128 %less, i128 %v
  %half = lshr i128 %r, 1
  %up = add i128 %half, %bit
  %r1 = select i1 %fits, i128 %up, i128 %half
  %bit1 = lshr i128 %bit, 2
  %more = icmp ne i128 %bit1, 0
  br i1 %more, label %loop, label %done
done:
  ret i128 %r1
}

define internal i128 @scalar(ptr %v, i64 %normal) {
entry:
  %count = load i64, ptr %v, align 8
  %sp = getelementptr i64, ptr %v, i64 1
  %sum = load i64, ptr %sp, align 8
  %qp = getelementptr i64, ptr %v, i64 2
  %squares = load i128, ptr %qp, align 8
  %none = icmp eq i64 %count, 0
  br i1 %none, label %nothing, label %some
nothing:
  ret i128 0
some:
  %q1 = call i128 @long_divide(i128 %squares, i64 %normal)
  %q2 = call i128 @long_divide(i128 %q1, i64 %normal)
  %q3 = call i128 @long_divide(i128 %q2, i64 %count)
  %mean = call i128 @mean(i64 %count, i64 %sum, i64 %normal)
  %square = mul i128 %mean, %mean
  %above = icmp ugt i128 %q3, %square
  %difference = sub i128 %q3, %square
  %spread = select i1 %above, i128 %difference, i128 0
  %r = call i128 @root(i128 %spread)
  ret i128 %r
}
"""
_SCALARS = {ActionKind.AGG_AVG: _MEAN + _AVERAGE, ActionKind.AGG_STDDEV: _MEAN + _DEVIATION}
_SCALAR_WEIGHT = """
  %total = call i128 @scalar(ptr %v, i64 1)
  br label %put
put:
  %at_zero = phi i64 [0, %body]
"""


def _distribution_weight(layout: Layout) -> str:
    first = layout.constant
    return f"""
  br label %add
add:
  %n = phi i64 [{first}, %body], [%n1, %add]
  %sum = phi i128 [0, %body], [%total, %add]
  %cp = getelementptr i64, ptr %v, i64 %n
  %c = load i64, ptr %cp, align 8
  %wp = getelementptr i64, ptr %weights, i64 %n
  %w = load i64, ptr %wp
  %c128 = sext i64 %c to i128
  %w128 = sext i64 %w to i128
  %product = mul i128 %c128, %w128
  %total = add i128 %sum, %product
  %n1 = add i64 %n, 1
  %again = icmp ult i64 %n1, {layout.words}
  br i1 %again, label %add, label %zero
zero:
  %known = icmp sge i64 %zero_at, 0
  br i1 %known, label %look, label %put
look:
  %zp = getelementptr i64, ptr %v, i64 %zero_at
  %z = load i64, ptr %zp, align 8
  br label %put
put:
  %at_zero = phi i64 [0, %zero], [%z, %look]
"""


def _each_row(layout: Layout, body: str, latch: str) -> str:
    """The head of a loop over rows: %i is a row's number, and in the block `body` %v its value's place.

    The block `latch` makes %i1, the next number; after the last row comes %done.
    """
    return f"""entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%i1, %{latch}]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %{body}, label %done
{body}:
  %o = mul i64 %i, {layout.size}
  %vo = add i64 %o, {layout.value.offset}
  %v = getelementptr i8, ptr %rows, i64 %vo"""


def _weigh(layout: Layout, weight: str) -> str:
    """weigh(rows, count, weights, word at zero or -1, out, words from one to the next in out).

    Three words a row that order rows by value: the total's halves, and the weight at zero.  `weights`
    has one for each word of a distribution's value; other values do without.
    """
    return f"""
define void @weigh(ptr noalias %rows, i64 %count, ptr noalias %weights, i64 %zero_at, ptr noalias %out,
                   i64 %stride) {{
{_each_row(layout, "body", "put")}
{weight}
  %low = trunc i128 %total to i64
  %upper = lshr i128 %total, 64
  %high = trunc i128 %upper to i64
  %biased = xor i64 %high, {_SIGN}
  %zero_biased = xor i64 %at_zero, {_SIGN}
  %t = mul i64 %i, %stride
  %p0 = getelementptr i64, ptr %out, i64 %t
  store i64 %biased, ptr %p0
  %p1 = getelementptr i64, ptr %p0, i64 1
  store i64 %low, ptr %p1
  %p2 = getelementptr i64, ptr %p0, i64 2
  store i64 %zero_biased, ptr %p2
  %i1 = add i64 %i, 1
  br label %loop
done:
  ret void
}}
"""


def _normalize(layout: Layout, distribution: bool) -> str:
    """normalize(rows, count, normal, out): the numbers that rows show, or the counts of a distribution.

    Rows follow one another; out has a word for each number.
    """
    if distribution:
        words, first = layout.words, layout.constant
        one = "%x = load i64, ptr %at, align 8\n  %r = call i128 @divide(i64 %x, i64 %normal)"
    else:
        words, first = 1, 0
        one = "%r = call i128 @scalar(ptr %at, i64 %normal)"
    return f"""
define void @normalize(ptr noalias %rows, i64 %count, i64 %normal, ptr noalias %out) {{
{_each_row(layout, "row", "next")}
  %t = mul i64 %i, {words - first}
  br label %word
word:
  %n = phi i64 [{first}, %row], [%n1, %word]
  %at = getelementptr i64, ptr %v, i64 %n
  {one}
  %s = trunc i128 %r to i64
  %k0 = add i64 %t, %n
  %k = sub i64 %k0, {first}
  %op = getelementptr i64, ptr %out, i64 %k
  store i64 %s, ptr %op
  %n1 = add i64 %n, 1
  %again = icmp ult i64 %n1, {words}
  br i1 %again, label %word, label %next
next:
  %i1 = add i64 %i, 1
  br label %loop
done:
  ret void
}}
"""


def values(layout: Layout) -> str:
    """The module of weigh() and normalize()."""
    if layout.distribution:
        return _DIVIDE + _weigh(layout, _distribution_weight(layout)) + _normalize(layout, True)
    scalar = _SCALARS.get(layout.value.action, _PLAIN)
    return _DIVIDE + scalar + _weigh(layout, _SCALAR_WEIGHT) + _normalize(layout, False)
