"""Kernels that merge large aggregation snapshots: LLVM code made for one layout of rows.

The table is open addressing over row numbers.  An index entry is 64 bits: the high half of a row's
hash (which is also where probing starts), and the row's number plus one; 0 is empty.  The hash of a
record is computed `AHEAD` records early, its index entry is prefetched at once and its row half way,
so that the two cache misses of a look-up overlap with other records' work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dof.model import ActionKind
from runtime.consumer.aggregations.entries import KEY_AT

if TYPE_CHECKING:
    from runtime.consumer.aggregations.entries import Layout

AHEAD = 24  # records between hashing and look-up
_RING = 32  # hashes in flight, a power of two above AHEAD
_MULTIPLIER = 0x9E3779B97F4A7C15

# scan(data, start, end, sizes by id, ids known, offsets, ids, &found) -> where it stopped
# rehash(old index, its entries, new index, mask)
COMMON = """
define i64 @scan(ptr %data, i64 %start, i64 %end, ptr %sizes, i64 %known, ptr %offsets, ptr %ids,
                 ptr %found) {
entry:
  %n0 = load i64, ptr %found
  br label %loop
loop:
  %at = phi i64 [%start, %entry], [%at4, %skip], [%atn, %take]
  %n = phi i64 [%n0, %entry], [%n, %skip], [%n1, %take]
  %next = add i64 %at, 4
  %more = icmp ule i64 %next, %end
  br i1 %more, label %read, label %done
read:
  %p = getelementptr i8, ptr %data, i64 %at
  %id = load i32, ptr %p, align 1
  %idl = zext i32 %id to i64
  %zero = icmp eq i32 %id, 0
  br i1 %zero, label %skip, label %look
skip:
  %at4 = add i64 %at, 4
  br label %loop
look:
  %inside = icmp ult i64 %idl, %known
  br i1 %inside, label %size, label %done
size:
  %sp = getelementptr i64, ptr %sizes, i64 %idl
  %s = load i64, ptr %sp
  %nosize = icmp eq i64 %s, 0
  br i1 %nosize, label %done, label %take
take:
  %op = getelementptr i64, ptr %offsets, i64 %n
  store i64 %at, ptr %op
  %ip = getelementptr i32, ptr %ids, i64 %n
  store i32 %id, ptr %ip
  %n1 = add i64 %n, 1
  %atn = add i64 %at, %s
  br label %loop
done:
  store i64 %n, ptr %found
  ret i64 %at
}

define void @rehash(ptr noalias %old, i64 %entries, ptr noalias %new, i64 %mask) {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%i1, %next]
  %more = icmp ult i64 %i, %entries
  br i1 %more, label %body, label %done
body:
  %p = getelementptr i64, ptr %old, i64 %i
  %e = load i64, ptr %p
  %used = icmp ne i64 %e, 0
  br i1 %used, label %place, label %next
place:
  %tag = lshr i64 %e, 32
  %pos0 = and i64 %tag, %mask
  br label %probe
probe:
  %pos = phi i64 [%pos0, %place], [%pos2, %step]
  %q = getelementptr i64, ptr %new, i64 %pos
  %f = load i64, ptr %q
  %free = icmp eq i64 %f, 0
  br i1 %free, label %put, label %step
step:
  %pos1 = add i64 %pos, 1
  %pos2 = and i64 %pos1, %mask
  br label %probe
put:
  store i64 %e, ptr %q
  br label %next
next:
  %i1 = add i64 %i, 1
  br label %loop
done:
  ret void
}
"""


def _hash(words: int) -> str:
    """Multiply and fold, a word at a time; ends well mixed in its high half."""
    return f"""
define internal i64 @hash(ptr %key) alwaysinline {{
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%i1, %loop]
  %h = phi i64 [{words}, %entry], [%h3, %loop]
  %p = getelementptr i64, ptr %key, i64 %i
  %w = load i64, ptr %p, align 4
  %h1 = xor i64 %h, %w
  %h2 = mul i64 %h1, {_MULTIPLIER - (1 << 64)}
  %h3 = call i64 @llvm.fshl.i64(i64 %h2, i64 %h2, i64 32)
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, {words}
  br i1 %more, label %loop, label %done
done:
  %m = mul i64 %h3, {_MULTIPLIER - (1 << 64)}
  ret i64 %m
}}
"""


def _equal(words: int) -> str:
    return f"""
define internal i1 @equal(ptr %a, ptr %b) alwaysinline {{
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%i1, %same]
  %p = getelementptr i64, ptr %a, i64 %i
  %q = getelementptr i64, ptr %b, i64 %i
  %x = load i64, ptr %p, align 4
  %y = load i64, ptr %q, align 4
  %eq = icmp eq i64 %x, %y
  br i1 %eq, label %same, label %no
same:
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, {words}
  br i1 %more, label %loop, label %yes
yes:
  ret i1 true
no:
  ret i1 false
}}
"""


def _combine(layout: Layout) -> str:
    """What an aggregating action does with two values."""
    head = "define internal void @combine(ptr noalias %row, ptr noalias %new) alwaysinline {\nentry:\n"
    action = layout.value.action
    if action in (ActionKind.AGG_MIN, ActionKind.AGG_MAX):
        better = "slt" if action == ActionKind.AGG_MIN else "sgt"
        return head + f"""
  %x = load i64, ptr %row, align 4
  %y = load i64, ptr %new, align 4
  %c = icmp {better} i64 %y, %x
  %z = select i1 %c, i64 %y, i64 %x
  store i64 %z, ptr %row, align 4
  ret void
}}
"""
    wide, words = "", layout.words
    if action == ActionKind.AGG_STDDEV:  # the sum of squares is 128 bits
        words = 2
        wide = """
  %rp = getelementptr i64, ptr %row, i64 2
  %np = getelementptr i64, ptr %new, i64 2
  %wx = load i128, ptr %rp, align 4
  %wy = load i128, ptr %np, align 4
  %wz = add i128 %wx, %wy
  store i128 %wz, ptr %rp, align 4
"""
    return head + wide + f"""
  br label %loop
loop:
  %i = phi i64 [{layout.constant}, %entry], [%i1, %loop]
  %p = getelementptr i64, ptr %row, i64 %i
  %q = getelementptr i64, ptr %new, i64 %i
  %x = load i64, ptr %p, align 4
  %y = load i64, ptr %q, align 4
  %z = add i64 %x, %y
  store i64 %z, ptr %p, align 4
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, {words}
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""


def _merge(layout: Layout, strided: bool) -> str:
    """The loop over a snapshot.  `strided` records follow one another; otherwise offsets are given."""
    size, value = layout.size, layout.value.offset
    where = f"%off = mul i64 %n, {size}" if strided else \
        "%opp = getelementptr i64, ptr %offsets, i64 %n\n  %off = load i64, ptr %opp"
    return f"""
define internal ptr @record(ptr %data, ptr %offsets, i64 %n) alwaysinline {{
  {where}
  %p = getelementptr i8, ptr %data, i64 %off
  ret ptr %p
}}

define internal void @hash_ahead(ptr %data, ptr %offsets, i64 %n, ptr %ring, ptr %index, i64 %mask)
    alwaysinline {{
  %rec = call ptr @record(ptr %data, ptr %offsets, i64 %n)
  %key = getelementptr i8, ptr %rec, i64 {KEY_AT}
  %h = call i64 @hash(ptr %key)
  %slot = and i64 %n, {_RING - 1}
  %rp = getelementptr i64, ptr %ring, i64 %slot
  store i64 %h, ptr %rp
  %tag = lshr i64 %h, 32
  %pos = and i64 %tag, %mask
  %ip = getelementptr i64, ptr %index, i64 %pos
  call void @llvm.prefetch.p0(ptr %ip, i32 0, i32 3, i32 1)
  ret void
}}

define i64 @merge(ptr noalias %data, ptr noalias %offsets, i64 %start, i64 %count, ptr noalias %rows,
                  ptr noalias %nrows, i64 %limit, ptr noalias %index, i64 %mask) {{
entry:
  %ring = alloca [{_RING} x i64], align 64
  %r0 = load i64, ptr %nrows
  %w0 = add i64 %start, {AHEAD}
  %wc = icmp ult i64 %w0, %count
  %warm_end = select i1 %wc, i64 %w0, i64 %count
  br label %warm
warm:
  %wi = phi i64 [%start, %entry], [%wi1, %warm_body]
  %wmore = icmp ult i64 %wi, %warm_end
  br i1 %wmore, label %warm_body, label %loop
warm_body:
  call void @hash_ahead(ptr %data, ptr %offsets, i64 %wi, ptr %ring, ptr %index, i64 %mask)
  %wi1 = add i64 %wi, 1
  br label %warm
loop:
  %i = phi i64 [%start, %warm], [%i1, %next]
  %r = phi i64 [%r0, %warm], [%rn, %next]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %body, label %done
body:
  %far = add i64 %i, {AHEAD}
  %near = add i64 %i, {AHEAD // 2}
  %hash_more = icmp ult i64 %far, %count
  %sl = and i64 %i, {_RING - 1}
  %hp = getelementptr i64, ptr %ring, i64 %sl
  %h = load i64, ptr %hp
  br i1 %hash_more, label %do_hash, label %fetch_test
do_hash:
  call void @hash_ahead(ptr %data, ptr %offsets, i64 %far, ptr %ring, ptr %index, i64 %mask)
  br label %fetch_test
fetch_test:
  %fetch_more = icmp ult i64 %near, %count
  br i1 %fetch_more, label %fetch, label %begin
fetch:
  %nsl = and i64 %near, {_RING - 1}
  %nhp = getelementptr i64, ptr %ring, i64 %nsl
  %nh = load i64, ptr %nhp
  %ntag = lshr i64 %nh, 32
  %npos = and i64 %ntag, %mask
  %nip = getelementptr i64, ptr %index, i64 %npos
  %ne = load i64, ptr %nip
  %nrow1 = and i64 %ne, 4294967295
  %nrow = sub i64 %nrow1, 1
  %noff = mul i64 %nrow, {size}
  %nrp = getelementptr i8, ptr %rows, i64 %noff
  call void @llvm.prefetch.p0(ptr %nrp, i32 1, i32 3, i32 1)
  br label %begin
begin:
  %rec = call ptr @record(ptr %data, ptr %offsets, i64 %i)
  %key = getelementptr i8, ptr %rec, i64 {KEY_AT}
  %tag = lshr i64 %h, 32
  %pos0 = and i64 %tag, %mask
  br label %probe
probe:
  %pos = phi i64 [%pos0, %begin], [%pos2, %step]
  %ip = getelementptr i64, ptr %index, i64 %pos
  %e = load i64, ptr %ip
  %free = icmp eq i64 %e, 0
  br i1 %free, label %insert, label %check
check:
  %et = lshr i64 %e, 32
  %maybe = icmp eq i64 %et, %tag
  br i1 %maybe, label %compare, label %step
compare:
  %row1 = and i64 %e, 4294967295
  %row = sub i64 %row1, 1
  %ro = mul i64 %row, {size}
  %rp = getelementptr i8, ptr %rows, i64 %ro
  %rk = getelementptr i8, ptr %rp, i64 {KEY_AT}
  %same = call i1 @equal(ptr %rk, ptr %key)
  br i1 %same, label %update, label %step
step:
  %pos1 = add i64 %pos, 1
  %pos2 = and i64 %pos1, %mask
  br label %probe
update:
  %rv = getelementptr i8, ptr %rp, i64 {value}
  %nv = getelementptr i8, ptr %rec, i64 {value}
  call void @combine(ptr %rv, ptr %nv)
  br label %next
insert:
  %full = icmp uge i64 %r, %limit
  br i1 %full, label %done, label %add
add:
  %ao = mul i64 %r, {size}
  %ap = getelementptr i8, ptr %rows, i64 %ao
  call void @llvm.memcpy.p0.p0.i64(ptr %ap, ptr %rec, i64 {size}, i1 false)
  %r1 = add i64 %r, 1
  %hi = shl i64 %tag, 32
  %entry_new = or i64 %hi, %r1
  store i64 %entry_new, ptr %ip
  br label %next
next:
  %rn = phi i64 [%r, %update], [%r1, %add]
  %i1 = add i64 %i, 1
  br label %loop
done:
  store i64 %r, ptr %nrows
  ret i64 %i
}}
"""


_INTRINSICS = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare i64 @llvm.fshl.i64(i64, i64, i64)
"""


def merging(layout: Layout, strided: bool) -> str:
    """The module of merge(data, offsets, start, count, rows, &nrows, limit, index, mask) -> records done."""
    words = (layout.value.offset - KEY_AT) // 8
    return _INTRINSICS + _hash(words) + _equal(words) + _combine(layout) + _merge(layout, strided)
