"""The kernel that writes rows as text: LLVM code for any layout of rows.

A line is made of pieces, five 64-bit words each: what it is, and four numbers.

    TEXT    offset in the texts, length
    NUMBER  offset in the row, bytes, signed, column
    VALUE   number of the column of values, 0, signed, column
    STRING  offset in the row, bytes, strict, column

A column is its width times eight, plus LEFT, ZEROS and HEX where they hold.  A string ends before its first
NUL.  A strict one has a NUL, is followed by nothing else, and is printable text: a row with another one is
left to the caller.
"""

from __future__ import annotations

TEXT, NUMBER, VALUE, STRING = range(4)
WORDS = 5
LEFT, ZEROS, HEX = 1, 2, 4

_PADDING = """
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i64 @llvm.usub.sat.i64(i64, i64)

define internal ptr @fill(ptr %out, i8 %byte, i64 %count) alwaysinline {
  call void @llvm.memset.p0.i64(ptr %out, i8 %byte, i64 %count, i1 false)
  %end = getelementptr i8, ptr %out, i64 %count
  ret ptr %end
}

define internal ptr @copy(ptr %out, ptr %from, i64 %count) alwaysinline {
  call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr %from, i64 %count, i1 false)
  %end = getelementptr i8, ptr %out, i64 %count
  ret ptr %end
}

define internal ptr @put(ptr %out, ptr %from, i64 %length, i64 %minus, i64 %column) {
  %width = lshr i64 %column, 3
  %left.bit = and i64 %column, 1
  %left = icmp ne i64 %left.bit, 0
  %zero.bit = and i64 %column, 2
  %zero = icmp ne i64 %zero.bit, 0
  %all = add i64 %length, %minus
  %room = call i64 @llvm.usub.sat.i64(i64 %width, i64 %all)
  %right = select i1 %left, i64 0, i64 %room
  %spaces = select i1 %zero, i64 0, i64 %right
  %zeros = select i1 %zero, i64 %right, i64 0
  %after = select i1 %left, i64 %room, i64 0
  %o1 = call ptr @fill(ptr %out, i8 32, i64 %spaces)
  %o2 = call ptr @fill(ptr %o1, i8 45, i64 %minus)
  %o3 = call ptr @fill(ptr %o2, i8 48, i64 %zeros)
  %o4 = call ptr @copy(ptr %o3, ptr %from, i64 %length)
  %o5 = call ptr @fill(ptr %o4, i8 32, i64 %after)
  ret ptr %o5
}
"""


def _digits(name: str, base: int) -> str:
    """name(end, value) -> where its digits begin, which end at `end`."""
    return f"""
define internal ptr @{name}(ptr %end, i64 %value) alwaysinline {{
entry:
  br label %digit
digit:
  %p = phi ptr [%end, %entry], [%p1, %digit]
  %v = phi i64 [%value, %entry], [%q, %digit]
  %q = udiv i64 %v, {base}
  %r = urem i64 %v, {base}
  %letter = icmp ugt i64 %r, 9
  %first = select i1 %letter, i64 {ord("a") - 10}, i64 {ord("0")}
  %c = add i64 %r, %first
  %b = trunc i64 %c to i8
  %p1 = getelementptr i8, ptr %p, i64 -1
  store i8 %b, ptr %p1
  %more = icmp ne i64 %q, 0
  br i1 %more, label %digit, label %done
done:
  ret ptr %p1
}}
"""


_NUMBER = """
define internal ptr @number(ptr %out, i64 %value, i64 %signed, i64 %column) {
entry:
  %digits = alloca [24 x i8]
  %end = getelementptr i8, ptr %digits, i64 24
  %below = icmp slt i64 %value, 0
  %asked = icmp ne i64 %signed, 0
  %negative = and i1 %below, %asked
  %opposite = sub i64 0, %value
  %size = select i1 %negative, i64 %opposite, i64 %value
  %minus = zext i1 %negative to i64
  %hex.bit = and i64 %column, 4
  %hex = icmp ne i64 %hex.bit, 0
  br i1 %hex, label %sixteen, label %ten
ten:
  %d10 = call ptr @decimal(ptr %end, i64 %size)
  br label %write
sixteen:
  %d16 = call ptr @hexadecimal(ptr %end, i64 %size)
  br label %write
write:
  %from = phi ptr [%d10, %ten], [%d16, %sixteen]
  %a = ptrtoint ptr %from to i64
  %b = ptrtoint ptr %end to i64
  %length = sub i64 %b, %a
  %next = call ptr @put(ptr %out, ptr %from, i64 %length, i64 %minus, i64 %column)
  ret ptr %next
}
"""
# string(out, from, bytes, strict, column) -> the end of what it wrote, or null
_STRING = """
define internal ptr @string(ptr %out, ptr %from, i64 %bytes, i64 %strict, i64 %column) {
entry:
  %lax = icmp eq i64 %strict, 0
  br label %look
look:
  %n = phi i64 [0, %entry], [%n1, %good]
  %inside = icmp ult i64 %n, %bytes
  br i1 %inside, label %byte, label %whole
byte:
  %p = getelementptr i8, ptr %from, i64 %n
  %c = load i8, ptr %p
  %nul = icmp eq i8 %c, 0
  br i1 %nul, label %ended, label %test
test:
  %above = sub i8 %c, 32
  %graphic = icmp ult i8 %above, 95
  %beyond = sub i8 %c, 7
  %blank = icmp ult i8 %beyond, 7
  %shown = or i1 %graphic, %blank
  %fine = or i1 %shown, %lax
  br i1 %fine, label %good, label %odd
good:
  %n1 = add i64 %n, 1
  br label %look
whole:
  br i1 %lax, label %write, label %odd
ended:
  %empty = icmp eq i64 %n, 0
  %nothing = xor i1 %lax, true
  %bad = and i1 %empty, %nothing
  br i1 %bad, label %odd, label %rest
rest:
  %r = phi i64 [%n, %ended], [%r1, %zero]
  %over = icmp uge i64 %r, %bytes
  %stop = or i1 %over, %lax
  br i1 %stop, label %write, label %next
next:
  %rp = getelementptr i8, ptr %from, i64 %r
  %rc = load i8, ptr %rp
  %r1 = add i64 %r, 1
  %null = icmp eq i8 %rc, 0
  br i1 %null, label %zero, label %odd
zero:
  br label %rest
write:
  %length = phi i64 [%n, %whole], [%n, %rest]
  %end = call ptr @put(ptr %out, ptr %from, i64 %length, i64 0, i64 %column)
  ret ptr %end
odd:
  ret ptr null
}
"""
_LINES = """
define i64 @lines(ptr %rows, i64 %size, ptr %numbers, i64 %start, i64 %count, ptr %values, i64 %stride,
                  ptr %pieces, i64 %each, ptr %texts, ptr %out, i64 %room, ptr %written) {
entry:
  %limit = getelementptr i8, ptr %out, i64 %room
  br label %row
row:
  %i = phi i64 [%start, %entry], [%i1, %line]
  %begin = phi ptr [%out, %entry], [%at, %line]
  %more = icmp ult i64 %i, %count
  %fits = icmp ule ptr %begin, %limit
  %go = and i1 %more, %fits
  br i1 %go, label %first, label %done
first:
  %np = getelementptr i64, ptr %numbers, i64 %i
  %number = load i64, ptr %np
  %offset = mul i64 %number, %size
  %here = getelementptr i8, ptr %rows, i64 %offset
  br label %piece
piece:
  %k = phi i64 [0, %first], [%k1, %wrote]
  %at = phi ptr [%begin, %first], [%next, %wrote]
  %left = icmp ult i64 %k, %each
  br i1 %left, label %kind, label %line
line:
  %i1 = add i64 %i, 1
  br label %row
kind:
  %w = mul i64 %k, 5
  %pp = getelementptr i64, ptr %pieces, i64 %w
  %what = load i64, ptr %pp
  %ap = getelementptr i64, ptr %pp, i64 1
  %a = load i64, ptr %ap
  %bp = getelementptr i64, ptr %pp, i64 2
  %b = load i64, ptr %bp
  %cp = getelementptr i64, ptr %pp, i64 3
  %c = load i64, ptr %cp
  %dp = getelementptr i64, ptr %pp, i64 4
  %d = load i64, ptr %dp
  %field = getelementptr i8, ptr %here, i64 %a
  switch i64 %what, label %text [i64 1, label %number.piece
                                 i64 2, label %value
                                 i64 3, label %string]
text:
  %tp = getelementptr i8, ptr %texts, i64 %a
  %t = call ptr @copy(ptr %at, ptr %tp, i64 %b)
  br label %wrote
number.piece:
  %raw = load i64, ptr %field, align 1
  %bits = mul i64 %b, 8
  %shift = sub i64 64, %bits
  %high = shl i64 %raw, %shift
  %sign = ashr i64 %high, %shift
  %zero = lshr i64 %high, %shift
  %signed = icmp ne i64 %c, 0
  %x = select i1 %signed, i64 %sign, i64 %zero
  %n = call ptr @number(ptr %at, i64 %x, i64 %c, i64 %d)
  br label %wrote
value:
  %vc = mul i64 %a, %stride
  %vi = add i64 %vc, %number
  %vp = getelementptr i64, ptr %values, i64 %vi
  %v = load i64, ptr %vp
  %m = call ptr @number(ptr %at, i64 %v, i64 %c, i64 %d)
  br label %wrote
string:
  %s = call ptr @string(ptr %at, ptr %field, i64 %b, i64 %c, i64 %d)
  %odd = icmp eq ptr %s, null
  br i1 %odd, label %done, label %wrote
wrote:
  %next = phi ptr [%t, %text], [%n, %number.piece], [%m, %value], [%s, %string]
  %k1 = add i64 %k, 1
  br label %piece
done:
  %end.at = ptrtoint ptr %begin to i64
  %out.at = ptrtoint ptr %out to i64
  %bytes = sub i64 %end.at, %out.at
  store i64 %bytes, ptr %written
  ret i64 %i
}
"""
# lines(rows, bytes of one, numbers of rows in order, start, count, values, words of a column of them, pieces,
#       pieces of a line, texts, out, last place where a line may begin, &bytes written) -> where it stopped
LINES = _PADDING + _digits("decimal", 10) + _digits("hexadecimal", 16) + _NUMBER + _STRING + _LINES
