"""Short ways through the helpers of SSE for plain numbers, which raise at most one exception: inexact.

A number is plain if it is zero, or neither denormal, infinite, no number, nor close to one of these.  Where
a program computes with such numbers, rounds to the nearest, masks all exceptions and has had the one for an
inexact result already, nothing of MXCSR changes.  So it need not be read, which takes longer than to compute:
the operands and the result tell.

Each function returns machine code that begins a helper (see hostfloat).  It stores the result and returns, or
goes on behind itself with nothing changed.  Encodings are those of the AMD64 manual, volumes 3 and 4.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from runtime.kernel.cpu.x86.patches import RETURN

# a comparison goes before each, and a distance of four bytes behind it
IF_EQUAL, UNLESS_EQUAL, UNLESS_BELOW = b"\x0f\x84", b"\x0f\x85", b"\x0f\x83"
# Equal: MXCSR has the usual control bits, and the flag of an inexact result.
# amd64: mov r8d, dword ptr [rdi + 0x10000001]; and r8d, 0xffffffe0; cmp r8d, 0x1fa0
STATE = b"\x44\x8b\x87\x01\x00\x00\x10\x41\x83\xe0\xe0\x41\x81\xf8\xa0\x1f\x00\x00"
# what is to be looked at: two numbers, or the second alone
# amd64: mov r9, qword ptr [rsi]; mov r10, qword ptr [rdx]
TAKE_DOUBLES = b"\x4c\x8b\x0e\x4c\x8b\x12"
# amd64: mov r9, qword ptr [rdx]; mov r10, r9
TAKE_DOUBLE = b"\x4c\x8b\x0a\x4d\x89\xca"
# amd64: mov r9d, dword ptr [rsi]; mov r10d, dword ptr [rdx]
TAKE_FLOATS = b"\x44\x8b\x0e\x44\x8b\x12"
# amd64: mov r9d, dword ptr [rdx]; mov r10d, r9d
TAKE_FLOAT = b"\x44\x8b\x0a\x45\x89\xca"
# equal: what has been taken is plain
# amd64: movabs rcx, 0x40000000000000; mov r11d, 1; add r9, r9; je second; sub r9, rcx; shr r9, 54; cmp \
#   r9d, 0x3fe; jae end; second: add r10, r10; je plain; sub r10, rcx; shr r10, 54; cmp r10d, 0x3fe; jae \
#   end; plain: xor r11d, r11d; end: test r11d, r11d
DOUBLES = (
    b"\x48\xb9\x00\x00\x00\x00\x00\x00\x40\x00\x41\xbb\x01\x00\x00\x00\x4d\x01\xc9\x74\x10\x49\x29\xc9"
    b"\x49\xc1\xe9\x36\x41\x81\xf9\xfe\x03\x00\x00\x73\x18\x4d\x01\xd2\x74\x10\x49\x29\xca\x49\xc1\xea"
    b"\x36\x41\x81\xfa\xfe\x03\x00\x00\x73\x03\x45\x31\xdb\x45\x85\xdb")
# amd64: mov r11d, 1; add r9d, r9d; je second; sub r9d, 0x2000000; shr r9d, 25; cmp r9d, 0x7e; jae end; \
#   second: add r10d, r10d; je plain; sub r10d, 0x2000000; shr r10d, 25; cmp r10d, 0x7e; jae end; plain: \
#   xor r11d, r11d; end: test r11d, r11d
FLOATS = (
    b"\x41\xbb\x01\x00\x00\x00\x45\x01\xc9\x74\x11\x41\x81\xe9\x00\x00\x00\x02\x41\xc1\xe9\x19\x41\x83"
    b"\xf9\x7e\x73\x19\x45\x01\xd2\x74\x11\x41\x81\xea\x00\x00\x00\x02\x41\xc1\xea\x19\x41\x83\xfa\x7e"
    b"\x73\x03\x45\x31\xdb\x45\x85\xdb")
# equal: it was, some instructions before
# amd64: test r11d, r11d
AGAIN = b"\x45\x85\xdb"
# below: the result is plain, and not zero
# amd64: movabs rcx, 0x40000000000000; movq rax, xmm0; add rax, rax; sub rax, rcx; shr rax, 54; cmp eax, \
#   0x3fe
DOUBLE_MADE = (
    b"\x48\xb9\x00\x00\x00\x00\x00\x00\x40\x00\x66\x48\x0f\x7e\xc0\x48\x01\xc0\x48\x29\xc8\x48\xc1\xe8"
    b"\x36\x3d\xfe\x03\x00\x00")
# amd64: movd eax, xmm0; add eax, eax; sub eax, 0x2000000; shr eax, 25; cmp eax, 0x7e
FLOAT_MADE = b"\x66\x0f\x7e\xc0\x01\xc0\x2d\x00\x00\x00\x02\xc1\xe8\x19\x83\xf8\x7e"
# equal: the result is that of a number which no integer can be
# amd64: cmp eax, 0x80000000
INT_MADE = b"\x3d\x00\x00\x00\x80"
# amd64: movabs r11, 0x8000000000000000; cmp rax, r11
LONG_MADE = b"\x49\xbb\x00\x00\x00\x00\x00\x00\x00\x80\x4c\x39\xd8"

# of operands of a type: what takes both, what takes the second, and what looks at those and at a result
TYPES = {"ss": (TAKE_FLOATS, TAKE_FLOAT, FLOATS, FLOAT_MADE),
         "sd": (TAKE_DOUBLES, TAKE_DOUBLE, DOUBLES, DOUBLE_MADE)}


def _way(checks: Sequence[tuple[bytes, bytes]], keep: bytes) -> bytes:
    """Return code with checks, each with the jump that leaves this way, and with what stores the result."""
    code = keep + RETURN
    for check, leave in reversed(checks):
        code = check + leave + struct.pack("<i", len(code)) + code
    return code


def computed(kind: str, body: bytes, keep: bytes, *, alone: bool = False, result: str = "") -> bytes:
    """A number made of two of a type, or of the second `alone`; of the type `result`, if that is another."""
    both, second, plain, _made = TYPES[kind]
    return _way([(body + STATE, UNLESS_EQUAL), ((second if alone else both) + plain, UNLESS_EQUAL),
                 (TYPES[result or kind][3], UNLESS_BELOW)], keep)


def exact(kind: str, body: bytes, keep: bytes, *, alone: bool = False) -> bytes:
    """What is never inexact of two numbers of a type, or of the second `alone`."""
    both, second, plain, _made = TYPES[kind]
    return _way([(body + (second if alone else both) + plain, UNLESS_EQUAL)], keep)


def ordered(kind: str, body: bytes, keep: bytes) -> bytes:
    """The same for what leaves flags in rax: looking would change these."""
    both, _second, plain, _made = TYPES[kind]
    return _way([(both + plain + body + AGAIN, UNLESS_EQUAL)], keep)


def from_integer(body: bytes, keep: bytes, *, fits: bool) -> bytes:
    """A number that an integer becomes; `fits`: every one is exact."""
    return _way([] if fits else [(body + STATE, UNLESS_EQUAL)], body + keep if fits else keep)


def to_integer(body: bytes, *, long: bool) -> bytes:
    """An integer, of 64 bits or 32, that a number becomes."""
    return _way([(body + STATE, UNLESS_EQUAL), (LONG_MADE if long else INT_MADE, IF_EQUAL)], b"")
