"""Kernels that weigh and normalize values: LLVM code made for one layout of rows.

A value weighs three words, which compare as unsigned numbers: numbers of up to 128 bits stand for it, so that
no sum overflows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dof.model import ActionKind

if TYPE_CHECKING:
    from runtime.consumer.aggregations.entries import Layout

COMPARED = 3  # words
_SIGN = -(1 << 63)

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
