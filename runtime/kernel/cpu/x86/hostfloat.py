"""Floating-point instructions, which the host's own processor executes.

The engine's helper functions for SSE and x87 compute in software: they lose exception flags, raise no
exception of SSE, compute the transcendental functions with 53 bits, and know nothing of an empty or full
register stack, nor of what MMX instructions make of it.  Those that add or subtract neighbours in vectors are
wrong where both operands are one register; those that compare strings set other flags.  On an x86-64 host
the entry of each is overwritten with a jump to a few machine instructions, which load the program's
registers, execute the very instruction, and store registers and status back.  Results, MXCSR and the x87
status are then those of the host.

An unmasked SSE exception raises #XM and leaves its destination alone.  One of x87 is pending, as the
processor has it: the next instruction that waits raises #MF.

Where the registers lie in the engine's structure is found by calling helpers on an empty one.  Where this
fails, or on another host, nothing is changed.  Encodings are those of the AMD64 manual, volumes 4 and 5.
"""

from __future__ import annotations

import ctypes
import os
import struct

from runtime.kernel.cpu.x86 import plainfloat
from runtime.kernel.cpu.x86.patches import RETURN, SUFFIX, Patches, function, jump_target, overwritten

STRUCTURE = 1 << 16  # bytes; the engine's structure of a processor has fewer
ENTRY = 8  # bytes of each piece in a table
# The machine code below has these for displacements into the engine's structure, and for addresses.
_FIELDS = ("mxcsr", "cc_src", "top", "status", "control", "tags", "registers", "operand", "kind", "pushed",
           "tags4", "xmm0")
FIRST_FIELD, FIRST_ADDRESS = 0x10000001, 0x2000000000000001
# addresses: the common part; a piece to be called; where to go on; where to store; the function that raises
# an exception; a table; functions that read or write the program's memory, 8 bytes and 2; another common
# part; what X87_NOTE notes
FIELD = struct.pack("<I", FIRST_FIELD)  # of MXCSR
FIELD_END = b"\0\0\x10"  # of each placeholder of a displacement
PLACES = {name: struct.pack("<Q", FIRST_ADDRESS + index) for index, name in enumerate(
    ("COMMON", "BODY", "RETRY", "KEEP", "RAISE", "TABLE", "MEMORY8", "MEMORY2", "FAST", "NOTE"))}
NUMBER = b"\x77\x77"  # in the machine code: which kind of operand, or which bits of the status change
# Bits of the x87 status that an instruction sets: exceptions and C1; also C2; all condition bits.
EXCEPTIONS, REDUCES, COMPARES = 0x23F, 0x63F, 0x473F
NOTE_SIZE = 4096
SPARE_KINDS = 3  # operands of x87 before st(0): in memory a float, a double, an int; and after st(7): zero

JUMP_UNLESS_EQUAL, JUMP_IF_EQUAL = b"\x75", b"\x74"  # and a distance
# amd64: stmxcsr dword ptr [rsp - 8]; mov r8d, dword ptr [rdi + 0x10000001]; cmp r8d, dword ptr [rsp - 8]
SSE_CHECK = b"\x0f\xae\x5c\x24\xf8\x44\x8b\x87\x01\x00\x00\x10\x44\x3b\x44\x24\xf8"
# amd64: stmxcsr dword ptr [rdi + 0x10000001]
SSE_KEEP = b"\x0f\xae\x9f\x01\x00\x00\x10"
# amd64: movabs r11, 0x2000000000000001; movabs rax, 0x2000000000000002; movabs r9, 0x2000000000000003; \
#   movabs r10, 0x2000000000000004; jmp r11
SSE_OTHER = (
    b"\x49\xbb\x01\x00\x00\x00\x00\x00\x00\x20\x48\xb8\x02\x00\x00\x00\x00\x00\x00\x20\x49\xb9\x03\x00"
    b"\x00\x00\x00\x00\x00\x20\x49\xba\x04\x00\x00\x00\x00\x00\x00\x20\x41\xff\xe3")
# amd64: mov r11d, r8d; and r11d, 0xffffffc0; cmp r11d, 0x1f80; jne special; \
#   ldmxcsr dword ptr [rdi + 0x10000001]; jmp r9; special: mov r11d, r8d; or r11d, 0x1f80; \
#   and r11d, 0xffc0; mov dword ptr [rsp - 8], r11d; ldmxcsr dword ptr [rsp - 8]; call rax; \
#   stmxcsr dword ptr [rsp - 8]; mov r11d, dword ptr [rsp - 8]; and r11d, 0x3f; \
#   mov dword ptr [rsp - 8], 0x1f80; ldmxcsr dword ptr [rsp - 8]; mov r9d, r8d; shr r9d, 7; not r9d; \
#   and r9d, r11d; jne fault; or dword ptr [rdi + 0x10000001], r11d; jmp r10; fault: test r9d, 7; \
#   je later; and r11d, 7; later: or dword ptr [rdi + 0x10000001], r11d; mov esi, 0x13; xor edx, edx; \
#   mov rcx, qword ptr [rsp]; movabs rax, 0x2000000000000005; jmp rax
SSE_SLOW = (
    b"\x45\x89\xc3\x41\x83\xe3\xc0\x41\x81\xfb\x80\x1f\x00\x00\x75\x0a\x0f\xae\x97\x01\x00\x00\x10\x41"
    b"\xff\xe1\x45\x89\xc3\x41\x81\xcb\x80\x1f\x00\x00\x41\x81\xe3\xc0\xff\x00\x00\x44\x89\x5c\x24\xf8"
    b"\x0f\xae\x54\x24\xf8\xff\xd0\x0f\xae\x5c\x24\xf8\x44\x8b\x5c\x24\xf8\x41\x83\xe3\x3f\xc7\x44\x24"
    b"\xf8\x80\x1f\x00\x00\x0f\xae\x54\x24\xf8\x45\x89\xc1\x41\xc1\xe9\x07\x41\xf7\xd1\x45\x21\xd9\x75"
    b"\x0a\x44\x09\x9f\x01\x00\x00\x10\x41\xff\xe2\x41\xf7\xc1\x07\x00\x00\x00\x74\x04\x41\x83\xe3\x07"
    b"\x44\x09\x9f\x01\x00\x00\x10\xbe\x13\x00\x00\x00\x31\xd2\x48\x8b\x0c\x24\x48\xb8\x05\x00\x00\x00"
    b"\x00\x00\x00\x20\xff\xe0")
# Registers are loaded by halves, as translated code stores them: the processor hands on what it has just
# stored to a load only of as many bytes or fewer.
# amd64: movq xmm0, qword ptr [rsi]; movhps xmm0, qword ptr [rsi + 8]; movq xmm1, qword ptr [rdx]; \
#   movhps xmm1, qword ptr [rdx + 8]
LOAD_BOTH = b"\xf3\x0f\x7e\x06\x0f\x16\x46\x08\xf3\x0f\x7e\x0a\x0f\x16\x4a\x08"
# amd64: movq xmm0, qword ptr [rsi]; movq xmm1, qword ptr [rdx]
LOAD_DOUBLES = b"\xf3\x0f\x7e\x06\xf3\x0f\x7e\x0a"
# amd64: movd xmm0, dword ptr [rsi]; movd xmm1, dword ptr [rdx]
LOAD_FLOATS = b"\x66\x0f\x6e\x06\x66\x0f\x6e\x0a"
# amd64: movq xmm0, qword ptr [rsi]; movhps xmm0, qword ptr [rsi + 8]; movq xmm1, qword ptr [rdx]
LOAD_HALF = b"\xf3\x0f\x7e\x06\x0f\x16\x46\x08\xf3\x0f\x7e\x0a"
# amd64: movq xmm0, qword ptr [rsi]
LOAD_DOUBLE = b"\xf3\x0f\x7e\x06"
# amd64: movd xmm0, dword ptr [rsi]
LOAD_FLOAT = b"\x66\x0f\x6e\x06"
# amd64: movups xmmword ptr [rsi], xmm0
STORE = b"\x0f\x11\x06"
# amd64: movq qword ptr [rsi], xmm0
STORE_HALF = b"\x66\x0f\xd6\x06"
# amd64: movd dword ptr [rsi], xmm0
STORE_FLOAT = b"\x66\x0f\x7e\x06"
# amd64: xorps xmm0, xmm0
CLEAR = b"\x0f\x57\xc0"
# amd64: pushfq; pop rax
FLAGS = b"\x9c\x58"
# amd64: and eax, 0x8d5; mov qword ptr [rdi + 0x10000002], rax
STORE_FLAGS = b"\x25\xd5\x08\x00\x00\x48\x89\x87\x02\x00\x00\x10"
# amd64: movsd xmm0, xmm1
MERGE_LOW = b"\xf2\x0f\x10\xc1"
# amd64: movzx ecx, cl; movabs rax, 0x2000000000000006; lea rax, [rax + rcx*8]; call rax
CHOOSE = b"\x0f\xb6\xc9\x48\xb8\x06\x00\x00\x00\x00\x00\x00\x20\x48\x8d\x04\xc8\xff\xd0"
# amd64: test esi, 0xffff0000; jne bad; mov dword ptr [rdi + 0x10000001], esi; ret; bad: mov esi, 0xd; \
#   xor edx, edx; mov rcx, qword ptr [rsp]; movabs rax, 0x2000000000000005; jmp rax
LDMXCSR = (
    b"\xf7\xc6\x00\x00\xff\xff\x75\x07\x89\xb7\x01\x00\x00\x10\xc3\xbe\x0d\x00\x00\x00\x31\xd2\x48\x8b"
    b"\x0c\x24\x48\xb8\x05\x00\x00\x00\x00\x00\x00\x20\xff\xe0")
# amd64: test byte ptr [rdi + 0x10000004], 0x80; jne pending; mov r10, rsp; sub rsp, 0x220; and rsp, \
#   0xfffffffffffffff0; mov r11, rsp; mov qword ptr [r11 + 0x208], r8; mov ecx, dword ptr [rdi + \
#   0x10000003]; mov edx, ecx; shl edx, 0xb; movzx r8d, word ptr [rdi + 0x10000004]; and r8d, 0xc7ff; or \
#   edx, r8d; mov word ptr [r11 + 2], dx; movzx edx, word ptr [rdi + 0x10000005]; mov word ptr [r11], dx; \
#   movq xmm0, qword ptr [rdi + 0x10000006]; psllw xmm0, 7; pmovmskb edx, xmm0; not edx; mov byte ptr [r11 \
#   + 4], dl; stmxcsr dword ptr [r11 + 0x18]; xor r8d, r8d; mov word ptr [r11 + 6], r8w; mov qword ptr [r11 \
#   + 8], r8; mov qword ptr [r11 + 0x10], r8; fill: mov edx, ecx; and edx, 7; shl edx, 4; movups xmm0, \
#   xmmword ptr [rdi + rdx + 0x10000007]; movaps xmmword ptr [r11 + r8 + 0x20], xmm0; inc ecx; add r8d, \
#   0x10; cmp r8d, 0x80; jne fill; fxrstor64 [r11]; call rax; fxsave64 [r11]; fninit; movzx edx, word ptr \
#   [r11 + 2]; mov ecx, edx; shr ecx, 0xb; and ecx, 7; mov dword ptr [rdi + 0x10000003], ecx; and edx, \
#   0xc7ff; mov word ptr [rdi + 0x10000004], dx; movzx edx, word ptr [r11]; mov word ptr [rdi + \
#   0x10000005], dx; movzx r9d, byte ptr [r11 + 4]; xor r8d, r8d; drain: and ecx, 7; bt r9d, ecx; setae \
#   byte ptr [rdi + rcx + 0x10000006]; mov edx, ecx; shl edx, 4; movaps xmm0, xmmword ptr [r11 + r8 + \
#   0x20]; movups xmmword ptr [rdi + rdx + 0x10000007], xmm0; inc ecx; add r8d, 0x10; cmp r8d, 0x80; jne \
#   drain; mov r8, qword ptr [r11 + 0x208]; mov rsp, r10; mov dl, byte ptr [rdi + 0x10000005]; not dl; and \
#   dl, byte ptr [rdi + 0x10000004]; test dl, 7; jne skip; ret; pending: mov esi, 0x10; jmp leave; skip: \
#   mov esi, 0x200; leave: add rsp, 8; xor edx, edx; mov rcx, qword ptr [rsp]; movabs rax, \
#   0x2000000000000005; jmp rax
X87 = (
    b"\xf6\x87\x04\x00\x00\x10\x80\x0f\x85\x24\x01\x00\x00\x49\x89\xe2\x48\x81\xec\x20\x02\x00\x00\x48"
    b"\x83\xe4\xf0\x49\x89\xe3\x4d\x89\x83\x08\x02\x00\x00\x8b\x8f\x03\x00\x00\x10\x89\xca\xc1\xe2\x0b"
    b"\x44\x0f\xb7\x87\x04\x00\x00\x10\x41\x81\xe0\xff\xc7\x00\x00\x44\x09\xc2\x66\x41\x89\x53\x02\x0f"
    b"\xb7\x97\x05\x00\x00\x10\x66\x41\x89\x13\xf3\x0f\x7e\x87\x06\x00\x00\x10\x66\x0f\x71\xf0\x07\x66"
    b"\x0f\xd7\xd0\xf7\xd2\x41\x88\x53\x04\x41\x0f\xae\x5b\x18\x45\x31\xc0\x66\x45\x89\x43\x06\x4d\x89"
    b"\x43\x08\x4d\x89\x43\x10\x89\xca\x83\xe2\x07\xc1\xe2\x04\x0f\x10\x84\x17\x07\x00\x00\x10\x43\x0f"
    b"\x29\x44\x03\x20\xff\xc1\x41\x83\xc0\x10\x41\x81\xf8\x80\x00\x00\x00\x75\xdb\x49\x0f\xae\x0b\xff"
    b"\xd0\x49\x0f\xae\x03\xdb\xe3\x41\x0f\xb7\x53\x02\x89\xd1\xc1\xe9\x0b\x83\xe1\x07\x89\x8f\x03\x00"
    b"\x00\x10\x81\xe2\xff\xc7\x00\x00\x66\x89\x97\x04\x00\x00\x10\x41\x0f\xb7\x13\x66\x89\x97\x05\x00"
    b"\x00\x10\x45\x0f\xb6\x4b\x04\x45\x31\xc0\x83\xe1\x07\x41\x0f\xa3\xc9\x0f\x93\x84\x0f\x06\x00\x00"
    b"\x10\x89\xca\xc1\xe2\x04\x43\x0f\x28\x44\x03\x20\x0f\x11\x84\x17\x07\x00\x00\x10\xff\xc1\x41\x83"
    b"\xc0\x10\x41\x81\xf8\x80\x00\x00\x00\x75\xcf\x4d\x8b\x83\x08\x02\x00\x00\x4c\x89\xd4\x8a\x97\x05"
    b"\x00\x00\x10\xf6\xd2\x22\x97\x04\x00\x00\x10\xf6\xc2\x07\x75\x08\xc3\xbe\x10\x00\x00\x00\xeb\x05"
    b"\xbe\x00\x02\x00\x00\x48\x83\xc4\x08\x31\xd2\x48\x8b\x0c\x24\x48\xb8\x05\x00\x00\x00\x00\x00\x00"
    b"\x20\xff\xe0")
# amd64: mov r10b, byte ptr [rdi + 0x10000005]; not r10b; test r10b, 0x3f; jne slow; \
#   test byte ptr [rdi + 0x10000004], 0x80; jne slow; mov r11d, dword ptr [rdi + 0x10000003]; \
#   cmp byte ptr [rdi + r11 + 0x10000006], 0; jne slow; shl r11d, 4; lea r11, [rdi + r11 + 0x10000007]; \
#   fnstsw ax; mov r10b, byte ptr [rdi + 0x10000004]; not r10b; and al, r10b; mov r10, rdx; \
#   test al, 0x3f; jne clear; ready: cmp word ptr [rdi + 0x10000005], 0x37f; jne control; \
#   fld xword ptr [r11]; call r10; fnstsw word ptr [rsp - 8]; fstp xword ptr [r11]; jmp finish; \
#   control: fldcw word ptr [rdi + 0x10000005]; fld xword ptr [r11]; call r10; fnstsw word ptr [rsp - 8]; \
#   mov word ptr [rsp - 0x10], 0x37f; fldcw word ptr [rsp - 0x10]; fstp xword ptr [r11]; \
#   finish: movzx edx, word ptr [rsp - 8]; and edx, r9d; mov ecx, r9d; and ecx, 0x4700; not ecx; \
#   and cx, word ptr [rdi + 0x10000004]; or ecx, edx; mov word ptr [rdi + 0x10000004], cx; \
#   xor r10d, r10d; ret; clear: fnclex; jmp ready; slow: movabs r11, 0x2000000000000001; jmp r11
X87_TOP = (
    b"\x44\x8a\x97\x05\x00\x00\x10\x41\xf6\xd2\x41\xf6\xc2\x3f\x0f\x85\xa8\x00\x00\x00\xf6\x87\x04\x00"
    b"\x00\x10\x80\x0f\x85\x9b\x00\x00\x00\x44\x8b\x9f\x03\x00\x00\x10\x42\x80\xbc\x1f\x06\x00\x00\x10"
    b"\x00\x0f\x85\x85\x00\x00\x00\x41\xc1\xe3\x04\x4e\x8d\x9c\x1f\x07\x00\x00\x10\xdf\xe0\x44\x8a\x97"
    b"\x04\x00\x00\x10\x41\xf6\xd2\x44\x20\xd0\x49\x89\xd2\xa8\x3f\x75\x5f\x66\x81\xbf\x05\x00\x00\x10"
    b"\x7f\x03\x75\x0f\x41\xdb\x2b\x41\xff\xd2\xdd\x7c\x24\xf8\x41\xdb\x3b\xeb\x1e\xd9\xaf\x05\x00\x00"
    b"\x10\x41\xdb\x2b\x41\xff\xd2\xdd\x7c\x24\xf8\x66\xc7\x44\x24\xf0\x7f\x03\xd9\x6c\x24\xf0\x41\xdb"
    b"\x3b\x0f\xb7\x54\x24\xf8\x44\x21\xca\x44\x89\xc9\x81\xe1\x00\x47\x00\x00\xf7\xd1\x66\x23\x8f\x04"
    b"\x00\x00\x10\x09\xd1\x66\x89\x8f\x04\x00\x00\x10\x45\x31\xd2\xc3\xdb\xe2\xeb\x9d\x49\xbb\x01\x00"
    b"\x00\x00\x00\x00\x00\x20\x41\xff\xe3")
# amd64: mov r10b, byte ptr [rdi + 0x10000005]; not r10b; test r10b, 0x3f; jne slow; \
#   test byte ptr [rdi + 0x10000004], 0x80; jne slow; mov r11d, dword ptr [rdi + 0x10000003]; \
#   add ecx, r11d; and ecx, 7; cmp ecx, r11d; je slow; cmp byte ptr [rdi + r11 + 0x10000006], 0; \
#   jne slow; cmp byte ptr [rdi + rcx + 0x10000006], 0; jne slow; shl r11d, 4; \
#   lea r11, [rdi + r11 + 0x10000007]; shl ecx, 4; lea rcx, [rdi + rcx + 0x10000007]; fnstsw ax; \
#   mov r10b, byte ptr [rdi + 0x10000004]; not r10b; and al, r10b; mov r10, rdx; test al, 0x3f; \
#   jne clear; ready: cmp word ptr [rdi + 0x10000005], 0x37f; jne control; fld xword ptr [rcx]; \
#   fld xword ptr [r11]; call r10; fnstsw word ptr [rsp - 8]; fstp xword ptr [r11]; fstp xword ptr [rcx]; \
#   jmp finish; control: fldcw word ptr [rdi + 0x10000005]; fld xword ptr [rcx]; fld xword ptr [r11]; \
#   call r10; fnstsw word ptr [rsp - 8]; mov word ptr [rsp - 0x10], 0x37f; fldcw word ptr [rsp - 0x10]; \
#   fstp xword ptr [r11]; fstp xword ptr [rcx]; finish: movzx edx, word ptr [rsp - 8]; and edx, r9d; \
#   mov ecx, r9d; and ecx, 0x4700; not ecx; and cx, word ptr [rdi + 0x10000004]; or ecx, edx; \
#   mov word ptr [rdi + 0x10000004], cx; xor r10d, r10d; ret; clear: fnclex; jmp ready; \
#   slow: movabs r11, 0x2000000000000001; jmp r11
X87_PAIR = (
    b"\x44\x8a\x97\x05\x00\x00\x10\x41\xf6\xd2\x41\xf6\xc2\x3f\x0f\x85\xd8\x00\x00\x00\xf6\x87\x04\x00"
    b"\x00\x10\x80\x0f\x85\xcb\x00\x00\x00\x44\x8b\x9f\x03\x00\x00\x10\x44\x01\xd9\x83\xe1\x07\x44\x39"
    b"\xd9\x0f\x84\xb5\x00\x00\x00\x42\x80\xbc\x1f\x06\x00\x00\x10\x00\x0f\x85\xa6\x00\x00\x00\x80\xbc"
    b"\x0f\x06\x00\x00\x10\x00\x0f\x85\x98\x00\x00\x00\x41\xc1\xe3\x04\x4e\x8d\x9c\x1f\x07\x00\x00\x10"
    b"\xc1\xe1\x04\x48\x8d\x8c\x0f\x07\x00\x00\x10\xdf\xe0\x44\x8a\x97\x04\x00\x00\x10\x41\xf6\xd2\x44"
    b"\x20\xd0\x49\x89\xd2\xa8\x3f\x75\x67\x66\x81\xbf\x05\x00\x00\x10\x7f\x03\x75\x13\xdb\x29\x41\xdb"
    b"\x2b\x41\xff\xd2\xdd\x7c\x24\xf8\x41\xdb\x3b\xdb\x39\xeb\x22\xd9\xaf\x05\x00\x00\x10\xdb\x29\x41"
    b"\xdb\x2b\x41\xff\xd2\xdd\x7c\x24\xf8\x66\xc7\x44\x24\xf0\x7f\x03\xd9\x6c\x24\xf0\x41\xdb\x3b\xdb"
    b"\x39\x0f\xb7\x54\x24\xf8\x44\x21\xca\x44\x89\xc9\x81\xe1\x00\x47\x00\x00\xf7\xd1\x66\x23\x8f\x04"
    b"\x00\x00\x10\x09\xd1\x66\x89\x8f\x04\x00\x00\x10\x45\x31\xd2\xc3\xdb\xe2\xeb\x95\x49\xbb\x01\x00"
    b"\x00\x00\x00\x00\x00\x20\x41\xff\xe3")
# amd64: mov r10b, byte ptr [rdi + 0x10000005]; not r10b; test r10b, 0x3f; jne slow; \
#   test byte ptr [rdi + 0x10000004], 0x80; jne slow; mov r11d, dword ptr [rdi + 0x10000003]; dec r11d; \
#   and r11d, 7; cmp byte ptr [rdi + r11 + 0x10000006], 0; je slow; mov ecx, r11d; shl r11d, 4; \
#   lea r11, [rdi + r11 + 0x10000007]; fnstsw ax; mov r10b, byte ptr [rdi + 0x10000004]; not r10b; \
#   and al, r10b; mov r10, rdx; test al, 0x3f; jne clear; ready: cmp word ptr [rdi + 0x10000005], 0x37f; \
#   jne control; call r10; fnstsw word ptr [rsp - 8]; pushed: fstp xword ptr [r11]; \
#   mov dword ptr [rdi + 0x10000003], ecx; mov byte ptr [rdi + rcx + 0x10000006], 0; jmp finish; \
#   control: fldcw word ptr [rdi + 0x10000005]; call r10; fnstsw word ptr [rsp - 8]; \
#   mov word ptr [rsp - 0x10], 0x37f; fldcw word ptr [rsp - 0x10]; jmp pushed; \
#   finish: movzx edx, word ptr [rsp - 8]; and edx, r9d; mov ecx, r9d; and ecx, 0x4700; not ecx; \
#   and cx, word ptr [rdi + 0x10000004]; or ecx, edx; mov word ptr [rdi + 0x10000004], cx; \
#   xor r10d, r10d; ret; clear: fnclex; jmp ready; slow: movabs r11, 0x2000000000000001; jmp r11
X87_LOAD = (
    b"\x44\x8a\x97\x05\x00\x00\x10\x41\xf6\xd2\x41\xf6\xc2\x3f\x0f\x85\xb9\x00\x00\x00\xf6\x87\x04\x00"
    b"\x00\x10\x80\x0f\x85\xac\x00\x00\x00\x44\x8b\x9f\x03\x00\x00\x10\x41\xff\xcb\x41\x83\xe3\x07\x42"
    b"\x80\xbc\x1f\x06\x00\x00\x10\x00\x0f\x84\x8f\x00\x00\x00\x44\x89\xd9\x41\xc1\xe3\x04\x4e\x8d\x9c"
    b"\x1f\x07\x00\x00\x10\xdf\xe0\x44\x8a\x97\x04\x00\x00\x10\x41\xf6\xd2\x44\x20\xd0\x49\x89\xd2\xa8"
    b"\x3f\x75\x66\x66\x81\xbf\x05\x00\x00\x10\x7f\x03\x75\x1a\x41\xff\xd2\xdd\x7c\x24\xf8\x41\xdb\x3b"
    b"\x89\x8f\x03\x00\x00\x10\xc6\x84\x0f\x06\x00\x00\x10\x00\xeb\x1a\xd9\xaf\x05\x00\x00\x10\x41\xff"
    b"\xd2\xdd\x7c\x24\xf8\x66\xc7\x44\x24\xf0\x7f\x03\xd9\x6c\x24\xf0\xeb\xd3\x0f\xb7\x54\x24\xf8\x44"
    b"\x21\xca\x44\x89\xc9\x81\xe1\x00\x47\x00\x00\xf7\xd1\x66\x23\x8f\x04\x00\x00\x10\x09\xd1\x66\x89"
    b"\x8f\x04\x00\x00\x10\x45\x31\xd2\xc3\xdb\xe2\xeb\x96\x49\xbb\x01\x00\x00\x00\x00\x00\x00\x20\x41"
    b"\xff\xe3")
# amd64: mov r10b, byte ptr [rdi + 0x10000005]; not r10b; test r10b, 0x3f; jne slow; \
#   test byte ptr [rdi + 0x10000004], 0x80; jne slow; mov r11d, dword ptr [rdi + 0x10000003]; \
#   lea ecx, [r11 - 1]; and ecx, 7; cmp byte ptr [rdi + rcx + 0x10000006], 0; je slow; add edx, r11d; \
#   and edx, 7; cmp byte ptr [rdi + rdx + 0x10000006], 0; jne slow; shl edx, 4; \
#   movups xmm0, xmmword ptr [rdi + rdx + 0x10000007]; mov dword ptr [rdi + 0x10000003], ecx; \
#   mov byte ptr [rdi + rcx + 0x10000006], 0; shl ecx, 4; \
#   movups xmmword ptr [rdi + rcx + 0x10000007], xmm0; and word ptr [rdi + 0x10000004], 0xfdff; ret; \
#   slow: movabs r11, 0x2000000000000001; jmp r11
X87_COPY = (
    b"\x44\x8a\x97\x05\x00\x00\x10\x41\xf6\xd2\x41\xf6\xc2\x3f\x75\x5f\xf6\x87\x04\x00\x00\x10\x80\x75"
    b"\x56\x44\x8b\x9f\x03\x00\x00\x10\x41\x8d\x4b\xff\x83\xe1\x07\x80\xbc\x0f\x06\x00\x00\x10\x00\x74"
    b"\x3e\x44\x01\xda\x83\xe2\x07\x80\xbc\x17\x06\x00\x00\x10\x00\x75\x2e\xc1\xe2\x04\x0f\x10\x84\x17"
    b"\x07\x00\x00\x10\x89\x8f\x03\x00\x00\x10\xc6\x84\x0f\x06\x00\x00\x10\x00\xc1\xe1\x04\x0f\x11\x84"
    b"\x0f\x07\x00\x00\x10\x66\x81\xa7\x04\x00\x00\x10\xff\xfd\xc3\x49\xbb\x01\x00\x00\x00\x00\x00\x00"
    b"\x20\x41\xff\xe3")
# amd64: lea rsi, [rdi + 0x10000008]; mov r9d, 0x7777; movabs r11, 0x2000000000000001; call r11
X87_RUN = (
    b"\x48\x8d\xb7\x08\x00\x00\x10\x41\xb9\x77\x77\x00\x00\x49\xbb\x01\x00\x00\x00\x00\x00\x00\x20\x41"
    b"\xff\xd3")
# amd64: mov ecx, 1
X87_SECOND = b"\xb9\x01\x00\x00\x00"
# amd64: movabs rax, 0x2000000000000006; movabs rdx, 0x2000000000000009
X87_PLAIN = b"\x48\xb8\x06\x00\x00\x00\x00\x00\x00\x20\x48\xba\x09\x00\x00\x00\x00\x00\x00\x20"
# amd64: mov ecx, esi; movabs rdx, 0x2000000000000006; lea rax, [rdx + rcx*8]; add rdx, 8
X87_BY_ARGUMENT = b"\x89\xf1\x48\xba\x06\x00\x00\x00\x00\x00\x00\x20\x48\x8d\x04\xca\x48\x83\xc2\x08"
# amd64: movzx ecx, word ptr [rdi + 0x10000009]; movabs rdx, 0x2000000000000006; lea rax, [rdx + rcx*8]; \
#   mov rdx, rax; lea r11d, [rcx - 3]; cmp r11d, 8; jb register; lea rsi, [rdi + 0x10000008]; \
#   mov r9d, 0x7777; movabs r11, 0x2000000000000009; call r11; jmp done; register: mov ecx, r11d; \
#   movabs rdx, 0x2000000000000006; add rdx, 0x20; lea rsi, [rdi + 0x10000008]; mov r9d, 0x7777; \
#   movabs r11, 0x2000000000000001; call r11; done: nop
X87_BY_OPERAND = (
    b"\x0f\xb7\x8f\x09\x00\x00\x10\x48\xba\x06\x00\x00\x00\x00\x00\x00\x20\x48\x8d\x04\xca\x48\x89\xc2"
    b"\x44\x8d\x59\xfd\x41\x83\xfb\x08\x72\x1c\x48\x8d\xb7\x08\x00\x00\x10\x41\xb9\x77\x77\x00\x00\x49"
    b"\xbb\x09\x00\x00\x00\x00\x00\x00\x20\x41\xff\xd3\xeb\x2b\x44\x89\xd9\x48\xba\x06\x00\x00\x00\x00"
    b"\x00\x00\x20\x48\x83\xc2\x20\x48\x8d\xb7\x08\x00\x00\x10\x41\xb9\x77\x77\x00\x00\x49\xbb\x01\x00"
    b"\x00\x00\x00\x00\x00\x20\x41\xff\xd3\x90")
# amd64: mov qword ptr [rdi + 0x10000008], rsi
X87_KEEP_ARGUMENT = b"\x48\x89\xb7\x08\x00\x00\x10"
# amd64: mov word ptr [rdi + 0x10000009], 0x7777
X87_KEEP_KIND = b"\x66\xc7\x87\x09\x00\x00\x10\x77\x77"
# amd64: add esi, 3; mov word ptr [rdi + 0x10000009], si
X87_KEEP_REGISTER = b"\x83\xc6\x03\x66\x89\xb7\x09\x00\x00\x10"
# amd64: mov rax, qword ptr [rdi + 0x10000008]
X87_RESULT = b"\x48\x8b\x87\x08\x00\x00\x10"
# amd64: mov byte ptr [rdi + 0x1000000a], 1
X87_PUSH = b"\xc6\x87\x0a\x00\x00\x10\x01"
# amd64: mov byte ptr [rdi + 0x1000000a], 0
X87_PUSHED = b"\xc6\x87\x0a\x00\x00\x10\x00"
# amd64: cmp byte ptr [rdi + 0x1000000a], 0; jne push; mov ecx, esi; movabs rdx, 0x2000000000000006; \
#   lea rax, [rdx + rcx*8 + 0x40]; add rdx, 0x48; mov r9d, 0x200; movabs r11, 0x2000000000000001; \
#   call r11; ret; push: mov byte ptr [rdi + 0x1000000a], 0; lea edx, [rsi - 1]; and edx, 7; \
#   movabs rax, 0x2000000000000006; lea rax, [rax + rdx*8]; movabs r11, 0x2000000000000009; call r11
X87_MOVE = (
    b"\x80\xbf\x0a\x00\x00\x10\x00\x75\x29\x89\xf1\x48\xba\x06\x00\x00\x00\x00\x00\x00\x20\x48\x8d\x44"
    b"\xca\x40\x48\x83\xc2\x48\x41\xb9\x00\x02\x00\x00\x49\xbb\x01\x00\x00\x00\x00\x00\x00\x20\x41\xff"
    b"\xd3\xc3\xc6\x87\x0a\x00\x00\x10\x00\x8d\x56\xff\x83\xe2\x07\x48\xb8\x06\x00\x00\x00\x00\x00\x00"
    b"\x20\x48\x8d\x04\xd0\x49\xbb\x09\x00\x00\x00\x00\x00\x00\x20\x41\xff\xd3")
# amd64: push rdi; movabs rax, 0x2000000000000007; call rax; pop rdi; and eax, 0x8d5; \
#   mov qword ptr [rdi + 0x10000008], rax; movzx ecx, word ptr [rdi + 0x10000009]; sub ecx, 3; xor edx, edx; \
#   test eax, 0x7777; sete dl; mov eax, ecx; shr eax, 6; xor edx, eax; and ecx, 7; shl edx, 6; \
#   movabs rax, 0x2000000000000006; add rdx, rax; lea rax, [rdx + rcx*8]; add rdx, 8; mov r9d, 0x200; \
#   movabs r11, 0x2000000000000001; call r11; mov rax, qword ptr [rdi + 0x10000008]; \
#   mov qword ptr [rdi + 0x10000002], rax
X87_MOVE_IF = (
    b"\x57\x48\xb8\x07\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x5f\x25\xd5\x08\x00\x00\x48\x89\x87\x08\x00"
    b"\x00\x10\x0f\xb7\x8f\x09\x00\x00\x10\x83\xe9\x03\x31\xd2\xa9\x77\x77\x00\x00\x0f\x94\xc2\x89\xc8"
    b"\xc1\xe8\x06\x31\xc2\x83\xe1\x07\xc1\xe2\x06\x48\xb8\x06\x00\x00\x00\x00\x00\x00\x20\x48\x01\xc2"
    b"\x48\x8d\x04\xca\x48\x83\xc2\x08\x41\xb9\x00\x02\x00\x00\x49\xbb\x01\x00\x00\x00\x00\x00\x00\x20"
    b"\x41\xff\xd3\x48\x8b\x87\x08\x00\x00\x10\x48\x89\x87\x02\x00\x00\x10")
# amd64: add esi, 0x43; mov word ptr [rdi + 0x10000009], si
X87_KEEP_INVERSE = b"\x83\xc6\x43\x66\x89\xb7\x09\x00\x00\x10"
# amd64: mov eax, esi; not eax; test al, 0x3f; jne slow; test byte ptr [rdi + 0x10000004], 0x80; \
#   jne slow; and esi, 0x1f3f; or esi, 0x40; mov word ptr [rdi + 0x10000005], si; ret; \
#   slow: mov qword ptr [rdi + 0x10000008], rsi; movabs rax, 0x2000000000000006; \
#   lea rsi, [rdi + 0x10000008]; movabs r11, 0x2000000000000001; call r11
X87_CONTROL = (
    b"\x89\xf0\xf7\xd0\xa8\x3f\x75\x1a\xf6\x87\x04\x00\x00\x10\x80\x75\x11\x81\xe6\x3f\x1f\x00\x00\x83"
    b"\xce\x40\x66\x89\xb7\x05\x00\x00\x10\xc3\x48\x89\xb7\x08\x00\x00\x10\x48\xb8\x06\x00\x00\x00\x00"
    b"\x00\x00\x20\x48\x8d\xb7\x08\x00\x00\x10\x49\xbb\x01\x00\x00\x00\x00\x00\x00\x20\x41\xff\xd3")
# amd64: test r10, r10; je done; mov eax, dword ptr [rdi + 0x10000003]; dec eax; and eax, 7; \
#   mov dword ptr [rdi + 0x10000003], eax; mov byte ptr [rdi + rax + 0x10000006], 0; done: nop
X87_UNPOP = (
    b"\x4d\x85\xd2\x74\x19\x8b\x87\x03\x00\x00\x10\xff\xc8\x83\xe0\x07\x89\x87\x03\x00\x00\x10\xc6\x84"
    b"\x07\x06\x00\x00\x10\x00\x90")
# amd64: push rdi; push rsi; push rax; mov rdx, qword ptr [rsp + 0x18]; movabs rax, 0x2000000000000007; \
#   call rax; mov rdi, qword ptr [rsp + 0x10]; mov rsi, qword ptr [rsp + 8]; \
#   mov qword ptr [rdi + 0x10000008], rax; add rsi, 8; mov rdx, qword ptr [rsp + 0x18]; \
#   movabs rax, 0x2000000000000008; call rax; pop rcx; pop rsi; pop rdi; \
#   mov word ptr [rdi + 0x10000009], ax
X87_FETCH = (
    b"\x57\x56\x50\x48\x8b\x54\x24\x18\x48\xb8\x07\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x48\x8b\x7c\x24"
    b"\x10\x48\x8b\x74\x24\x08\x48\x89\x87\x08\x00\x00\x10\x48\x83\xc6\x08\x48\x8b\x54\x24\x18\x48\xb8"
    b"\x08\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x59\x5e\x5f\x66\x89\x87\x09\x00\x00\x10")
# amd64: movabs rax, 0x200000000000000a; movzx ecx, word ptr [rdi + 0x10000004]; mov dword ptr [rax], ecx; \
#   mov ecx, dword ptr [rdi + 0x10000003]; mov dword ptr [rax + 4], ecx; mov rcx, qword ptr [rdi + \
#   0x10000006]; mov qword ptr [rax + 8], rcx
X87_NOTE = (
    b"\x48\xb8\x0a\x00\x00\x00\x00\x00\x00\x20\x0f\xb7\x8f\x04\x00\x00\x10\x89\x08\x8b\x8f\x03\x00\x00"
    b"\x10\x89\x48\x04\x48\x8b\x8f\x06\x00\x00\x10\x48\x89\x48\x08")
# amd64: mov r8, rsi; mov eax, dword ptr [rdi + 0x10000003]; mov al, byte ptr [rdi + rax + 0x10000006]; \
#   mov byte ptr [rdi + 0x1000000a], al
X87_STORE80 = b"\x49\x89\xf0\x8b\x87\x03\x00\x00\x10\x8a\x84\x07\x06\x00\x00\x10\x88\x87\x0a\x00\x00\x10"
# amd64: test r10, r10; je stay; mov eax, dword ptr [rdi + 0x10000003]; dec eax; and eax, 7; \
#   mov dword ptr [rdi + 0x10000003], eax; mov cl, byte ptr [rdi + 0x1000000a]; \
#   mov byte ptr [rdi + rax + 0x10000006], cl; stay: mov byte ptr [rdi + 0x1000000a], 0; \
#   mov rcx, qword ptr [rsp]; mov rsi, r8; push rdi; push rsi; push rcx; \
#   mov rdx, qword ptr [rdi + 0x10000008]; movabs rax, 0x2000000000000007; call rax; pop rcx; pop rsi; \
#   pop rdi; add rsi, 8; movzx edx, word ptr [rdi + 0x10000009]; movabs rax, 0x2000000000000008; jmp rax
X87_STORED80 = (
    b"\x4d\x85\xd2\x74\x1e\x8b\x87\x03\x00\x00\x10\xff\xc8\x83\xe0\x07\x89\x87\x03\x00\x00\x10\x8a\x8f"
    b"\x0a\x00\x00\x10\x88\x8c\x07\x06\x00\x00\x10\xc6\x87\x0a\x00\x00\x10\x00\x48\x8b\x0c\x24\x4c\x89"
    b"\xc6\x57\x56\x51\x48\x8b\x97\x08\x00\x00\x10\x48\xb8\x07\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x59"
    b"\x5e\x5f\x48\x83\xc6\x08\x0f\xb7\x97\x09\x00\x00\x10\x48\xb8\x08\x00\x00\x00\x00\x00\x00\x20\xff"
    b"\xe0")
# amd64: push rdi; push rsi; push rdx; mov r8d, edx; movabs rax, 0x2000000000000002; movabs r11, \
#   0x2000000000000001; add r11, 0xd; call r11; mov ecx, 0x7777; cmp dword ptr [rsp], 0; jne wide; sub ecx, \
#   0xe; wide: push rcx; push 0; more: mov rdi, qword ptr [rsp + 0x20]; mov rax, qword ptr [rsp]; mov rsi, \
#   qword ptr [rsp + 0x18]; add rsi, rax; movabs rdx, 0x200000000000000a; movzx edx, word ptr [rdx + rax + \
#   0x100]; mov rcx, qword ptr [rsp + 0x28]; movabs rax, 0x2000000000000008; call rax; add qword ptr [rsp], \
#   2; mov rax, qword ptr [rsp]; cmp rax, qword ptr [rsp + 8]; jb more; add rsp, 0x18; pop rsi; pop rdi
STORE_STATE = (
    b"\x57\x56\x52\x41\x89\xd0\x48\xb8\x02\x00\x00\x00\x00\x00\x00\x20\x49\xbb\x01\x00\x00\x00\x00\x00"
    b"\x00\x20\x49\x83\xc3\x0d\x41\xff\xd3\xb9\x77\x77\x00\x00\x83\x3c\x24\x00\x75\x03\x83\xe9\x0e\x51"
    b"\x6a\x00\x48\x8b\x7c\x24\x20\x48\x8b\x04\x24\x48\x8b\x74\x24\x18\x48\x01\xc6\x48\xba\x0a\x00\x00"
    b"\x00\x00\x00\x00\x20\x0f\xb7\x94\x02\x00\x01\x00\x00\x48\x8b\x4c\x24\x28\x48\xb8\x08\x00\x00\x00"
    b"\x00\x00\x00\x20\xff\xd0\x48\x83\x04\x24\x02\x48\x8b\x04\x24\x48\x3b\x44\x24\x08\x72\xbc\x48\x83"
    b"\xc4\x18\x5e\x5f")
# amd64: push rdi; push rsi; push rdx; mov ecx, 0x7777; test edx, edx; jne wide; sub ecx, 0xe; wide: push \
#   rcx; push 0; more: mov rdi, qword ptr [rsp + 0x20]; mov rsi, qword ptr [rsp + 0x18]; add rsi, qword ptr \
#   [rsp]; mov rdx, qword ptr [rsp + 0x28]; movabs rax, 0x2000000000000008; call rax; movabs rdx, \
#   0x200000000000000a; mov rcx, qword ptr [rsp]; mov word ptr [rdx + rcx + 0x100], ax; add rcx, 2; mov \
#   qword ptr [rsp], rcx; cmp rcx, qword ptr [rsp + 8]; jb more; add rsp, 0x10; pop r8; pop rsi; pop rdi; \
#   movabs rax, 0x2000000000000002; movabs r11, 0x2000000000000001; call r11
LOAD_STATE = (
    b"\x57\x56\x52\xb9\x77\x77\x00\x00\x85\xd2\x75\x03\x83\xe9\x0e\x51\x6a\x00\x48\x8b\x7c\x24\x20\x48"
    b"\x8b\x74\x24\x18\x48\x03\x34\x24\x48\x8b\x54\x24\x28\x48\xb8\x08\x00\x00\x00\x00\x00\x00\x20\xff"
    b"\xd0\x48\xba\x0a\x00\x00\x00\x00\x00\x00\x20\x48\x8b\x0c\x24\x66\x89\x84\x0a\x00\x01\x00\x00\x48"
    b"\x83\xc1\x02\x48\x89\x0c\x24\x48\x3b\x4c\x24\x08\x72\xbc\x48\x83\xc4\x10\x41\x58\x5e\x5f\x48\xb8"
    b"\x02\x00\x00\x00\x00\x00\x00\x20\x49\xbb\x01\x00\x00\x00\x00\x00\x00\x20\x41\xff\xd3")
# amd64: movabs rdx, 0x200000000000000a; add rdx, 0x100; cmp dword ptr [r11 + 0x208], 0
STATE_FORM = (
    b"\x48\xba\x0a\x00\x00\x00\x00\x00\x00\x20\x48\x81\xc2\x00\x01\x00\x00\x41\x83\xbb\x08\x02\x00\x00"
    b"\x00")
# amd64: fninit; add rsp, 8; mov r8, qword ptr [r11 + 0x208]; mov rsp, r10
STATE_STORED = b"\xdb\xe3\x48\x83\xc4\x08\x4d\x8b\x83\x08\x02\x00\x00\x4c\x89\xd4"
# amd64: or byte ptr [rdi + 0x10000005], 0x3f; and word ptr [rdi + 0x10000004], 0x7f7f
MASK_ALL = b"\x80\x8f\x05\x00\x00\x10\x3f\x66\x81\xa7\x04\x00\x00\x10\x7f\x7f"
# amd64: mov word ptr [rdi + 0x10000005], 0x37f; mov word ptr [rdi + 0x10000004], 0; mov dword ptr [rdi + \
#   0x10000003], 0
START_X87 = (
    b"\x66\xc7\x87\x05\x00\x00\x10\x7f\x03\x66\xc7\x87\x04\x00\x00\x10\x00\x00\xc7\x87\x03\x00\x00\x10"
    b"\x00\x00\x00\x00")
# amd64: test byte ptr [rdi + 0x10000004], 0x80; je none; mov esi, 0x10; xor edx, edx; \
#   mov rcx, qword ptr [rsp]; movabs rax, 0x2000000000000005; jmp rax; none: nop
RAISE_PENDING = (
    b"\xf6\x87\x04\x00\x00\x10\x80\x74\x17\xbe\x10\x00\x00\x00\x31\xd2\x48\x8b\x0c\x24\x48\xb8\x05\x00"
    b"\x00\x00\x00\x00\x00\x20\xff\xe0\x90")
# amd64: mov al, byte ptr [rdi + 0x10000005]; not al; and al, byte ptr [rdi + 0x10000004]; test al, 0x18; \
#   je done; mov esi, 0x200; xor edx, edx; mov rcx, qword ptr [rsp]; movabs rax, 0x2000000000000005; \
#   jmp rax; done: nop
X87_STORED = (
    b"\x8a\x87\x05\x00\x00\x10\xf6\xd0\x22\x87\x04\x00\x00\x10\xa8\x18\x74\x17\xbe\x00\x02\x00\x00\x31"
    b"\xd2\x48\x8b\x0c\x24\x48\xb8\x05\x00\x00\x00\x00\x00\x00\x20\xff\xe0\x90")
# amd64: mov dword ptr [rdi + 0x10000003], 0; mov qword ptr [rdi + 0x10000006], 0
ENTER_MMX = b"\xc7\x87\x03\x00\x00\x10\x00\x00\x00\x00\x48\xc7\x87\x06\x00\x00\x10\x00\x00\x00\x00"
# amd64: mov dword ptr [rdi + 0x10000003], 0
RESET_TOP = b"\xc7\x87\x03\x00\x00\x10\x00\x00\x00\x00"
# amd64: mov dword ptr [rdi + 0x10000006], 0x1010101; mov dword ptr [rdi + 0x1000000b], 0x1010101
LEAVE_MMX = b"\xc7\x87\x06\x00\x00\x10\x01\x01\x01\x01\xc7\x87\x0b\x00\x00\x10\x01\x01\x01\x01"
# amd64: lea rax, [rdi + 0x10000007]; sub rsi, rax; and esi, 0x7f; add rsi, rax; \
#   movq mm0, qword ptr [rsi]; movq mm1, qword ptr [rdx]
LOAD_MMX = b"\x48\x8d\x87\x07\x00\x00\x10\x48\x29\xc6\x83\xe6\x7f\x48\x01\xc6\x0f\x6f\x06\x0f\x6f\x0a"
# amd64: movq qword ptr [rsi], mm0; mov word ptr [rsi + 8], 0xffff; emms
STORE_MMX = b"\x0f\x7f\x06\x66\xc7\x46\x08\xff\xff\x0f\x77"
# amd64: mov word ptr [rsi + 8], 0xffff
ALL_ONES = b"\x66\xc7\x46\x08\xff\xff"
# amd64: mov word ptr [rdi + 0x11000000], 0xffff
MARK_REGISTER = b"\x66\xc7\x87\x00\x00\x00\x11\xff\xff"
# amd64: movzx edx, dl; movq mm1, qword ptr [rsi]; movabs rax, 0x2000000000000006; \
#   lea rax, [rax + rdx*8]; call rax; movq qword ptr [rdi], mm0; mov word ptr [rdi + 8], 0xffff; emms
SHUFFLE = (
    b"\x0f\xb6\xd2\x0f\x6f\x0e\x48\xb8\x06\x00\x00\x00\x00\x00\x00\x20\x48\x8d\x04\xd0\xff\xd0\x0f\x7f"
    b"\x07\x66\xc7\x47\x08\xff\xff\x0f\x77")
# amd64: movups xmm0, xmmword ptr [rsi]; movups xmm1, xmmword ptr [rdx]; mov r10d, ecx; and r10d, 0x1ff; \
#   mov rax, qword ptr [rdi]; mov rdx, qword ptr [rdi + 0x10]; movabs r11, 0x2000000000000006; \
#   lea r11, [r11 + r10*8]; call r11; pushfq; pop rax; and eax, 0x8d5; \
#   mov qword ptr [rdi + 0x10000002], rax
COMPARE_STRINGS = (
    b"\x0f\x10\x06\x0f\x10\x0a\x41\x89\xca\x41\x81\xe2\xff\x01\x00\x00\x48\x8b\x07\x48\x8b\x57\x10\x49"
    b"\xbb\x06\x00\x00\x00\x00\x00\x00\x20\x4f\x8d\x1c\xd3\x41\xff\xd3\x9c\x58\x25\xd5\x08\x00\x00\x48"
    b"\x89\x87\x02\x00\x00\x10")
# amd64: mov ecx, ecx; mov qword ptr [rdi + 8], rcx
KEEP_INDEX = b"\x89\xc9\x48\x89\x4f\x08"
# amd64: movups xmmword ptr [rdi + 0x1000000c], xmm0
KEEP_MASK = b"\x0f\x11\x87\x0c\x00\x00\x10"

# opcodes after 0F, by the name of what they do; the prefix says the type
ARITHMETIC = {"sqrt": 0x51, "add": 0x58, "mul": 0x59, "sub": 0x5C, "min": 0x5D, "div": 0x5E, "max": 0x5F}
ESTIMATES = {"rsqrt": 0x52, "rcp": 0x53}
SIDEWAYS = {"addsub": 0xD0, "hadd": 0x7C, "hsub": 0x7D}
COMPARISONS = ("eq", "lt", "le", "unord", "neq", "nlt", "nle", "ord")
PREFIXES = {"ps": b"", "pd": b"\x66", "ss": b"\xf3", "sd": b"\xf2"}
# of operands of a type: what loads both, what loads the first alone, and what stores a result
TYPES = {"ss": (LOAD_FLOATS, LOAD_FLOAT, STORE_FLOAT), "sd": (LOAD_DOUBLES, LOAD_DOUBLE, STORE_HALF)}
WHOLE = LOAD_BOTH, b"", STORE
BOTH = b"\xc1"  # ModRM: xmm0 and xmm1
# whole instructions on xmm0 and xmm1
CONVERSIONS = {
    "cvtps2pd": b"\x0f\x5a\xc1", "cvtpd2ps": b"\x66\x0f\x5a\xc1", "cvtss2sd": b"\xf3\x0f\x5a\xc1",
    "cvtsd2ss": b"\xf2\x0f\x5a\xc1", "cvtdq2ps": b"\x0f\x5b\xc1", "cvtps2dq": b"\x66\x0f\x5b\xc1",
    "cvttps2dq": b"\xf3\x0f\x5b\xc1", "cvtdq2pd": b"\xf3\x0f\xe6\xc1", "cvtpd2dq": b"\xf2\x0f\xe6\xc1",
    "cvttpd2dq": b"\x66\x0f\xe6\xc1"}
# xmm0 and edx or rdx; eax or rax and xmm0
FROM_INTEGER = {
    "cvtsi2ss": b"\xf3\x0f\x2a\xc2", "cvtsi2sd": b"\xf2\x0f\x2a\xc2", "cvtsq2ss": b"\xf3\x48\x0f\x2a\xc2",
    "cvtsq2sd": b"\xf2\x48\x0f\x2a\xc2"}
TO_INTEGER = {
    "cvtss2si": b"\xf3\x0f\x2d\xc0", "cvtsd2si": b"\xf2\x0f\x2d\xc0", "cvttss2si": b"\xf3\x0f\x2c\xc0",
    "cvttsd2si": b"\xf2\x0f\x2c\xc0", "cvtss2sq": b"\xf3\x48\x0f\x2d\xc0",
    "cvtsd2sq": b"\xf2\x48\x0f\x2d\xc0",
    "cvttss2sq": b"\xf3\x48\x0f\x2c\xc0", "cvttsd2sq": b"\xf2\x48\x0f\x2c\xc0"}
# to and from MMX registers: by the same on the lower half of an SSE register
CVTPI2PS, CVTPI2PD = b"\x0f\x5b\xc9", b"\xf3\x0f\xe6\xc1"  # cvtdq2ps xmm1, xmm1; cvtdq2pd xmm0, xmm1
TO_MMX = {"cvtps2pi": (False, b"\x66\x0f\x5b\xc1"), "cvttps2pi": (False, b"\xf3\x0f\x5b\xc1"),
          "cvtpd2pi": (True, b"\xf2\x0f\xe6\xc1"), "cvttpd2pi": (True, b"\x66\x0f\xe6\xc1")}
ORDERED = {"comiss": b"\x0f\x2f\xc1", "comisd": b"\x66\x0f\x2f\xc1", "ucomiss": b"\x0f\x2e\xc1",
           "ucomisd": b"\x66\x0f\x2e\xc1"}
# what has a short way for plain numbers, by how its name begins: what is never inexact, what may be, and what
# of these has one operand
EXACT, INEXACT = ("min", "max", "cmp", "cvtss2sd"), ("add", "mul", "sub", "div", "sqrt", "cvtsd2ss")
ALONE_SSE = ("sqrt", "cvt")
# 66 0F 3A: the opcode, and how many bits of the immediate byte count
BY_NUMBER = {"roundps": (0x08, 4), "roundpd": (0x09, 4), "roundss": (0x0A, 4), "roundsd": (0x0B, 4),
             "dpps": (0x40, 8), "dppd": (0x41, 8)}

# Integers in SSE and MMX registers, by the name of the helper: opcodes after 0F, and after 0F 38.  The
# engine's own are wrong where both operands are one register, or know nothing of the state of x87.
_BOTH_KINDS = """
    60 punpcklbw 61 punpcklwd 62 punpckldq 63 packsswb 64 pcmpgtb 65 pcmpgtw 66 pcmpgtl 67 packuswb
    68 punpckhbw 69 punpckhwd 6a punpckhdq 6b packssdw 74 pcmpeqb 75 pcmpeqw 76 pcmpeql d1 psrlw d2 psrld
    d3 psrlq d4 paddq d5 pmullw d8 psubusb d9 psubusw da pminub db pand dc paddusb dd paddusw de pmaxub
    df pandn e0 pavgb e1 psraw e2 psrad e3 pavgw e4 pmulhuw e5 pmulhw e8 psubsb e9 psubsw ea pminsw eb por
    ec paddsb ed paddsw ee pmaxsw ef pxor f1 psllw f2 pslld f3 psllq f4 pmuludq f5 pmaddwd f6 psadbw
    f8 psubb f9 psubw fa psubl fb psubq fc paddb fd paddw fe paddl
    3800 pshufb 3801 phaddw 3802 phaddd 3803 phaddsw 3804 pmaddubsw 3805 phsubw 3806 phsubd 3807 phsubsw
    3808 psignb 3809 psignw 380a psignd 380b pmulhrsw 381c pabsb 381d pabsw 381e pabsd
"""
_SSE_ALONE = """
    6c punpcklqdq 6d punpckhqdq 3828 pmuldq 3829 pcmpeqq 382b packusdw 3837 pcmpgtq 3838 pminsb 3839 pminsd
    383a pminuw 383b pminud 383c pmaxsb 383d pmaxsd 383e pmaxuw 383f pmaxud 3840 pmulld 3841 phminposuw
    38db aesimc 38dc aesenc 38dd aesenclast 38de aesdec 38df aesdeclast
"""
# Helpers of instructions that no program may execute: each stands for entering the state of MMX and marking
# the register of its place here as written.  The translator takes them for those instructions that have no
# helper of their own.
ENTERING = ("rsm", "clgi", "stgi", "clac", "stac", "cli", "sti", "clts")
MARK = struct.pack("<I", 0x11000000)  # in the code above: where the exponent of a register is
# The same for fcmov: with each of four conditions; and what keeps the register of one with the opposite.
MOVING, INVERTING = {"ltr": 1, "hlt": 0x40, "vmsave": 0x41, "vmrun": 4}, "vmload"
STORING = "mwait"  # what MMX instructions that store do before they do
EQUAL_EACH, BYTE_MASK = 0x08, 0x40  # how pcmpestrm compares, and what it makes of that
STRINGS = {"pcmpestrm_xmm": (0x60, KEEP_MASK), "pcmpestri_xmm": (0x61, KEEP_INDEX),
           "pcmpistrm_xmm": (0x62, KEEP_MASK), "pcmpistri_xmm": (0x63, KEEP_INDEX)}
# x87: what needs no operand, and has no quick way; the engine has popped and pushed where it does
PLAIN = {
    "fprem1": b"\xd9\xf5", "fprem": b"\xd9\xf8",  # of a bad operand condition bits stay
    "fyl2x": b"\xd9\xf1", "fptan": b"\xd9\xf2", "fpatan": b"\xd9\xf3", "fxtract": b"\xd9\xf4",
    "fdecstp": b"\xd9\xf6", "fincstp": b"\xd9\xf7", "fyl2xp1": b"\xd9\xf9", "fsincos": b"\xd9\xfb"}
# what concerns st(0) alone, or st(0) and st(1), and the status bits that it sets
ALONE = {"fchs_ST0": (b"\xd9\xe0", EXCEPTIONS), "fabs_ST0": (b"\xd9\xe1", EXCEPTIONS),
         "fxam_ST0": (b"\xd9\xe5", COMPARES), "f2xm1": (b"\xd9\xf0", EXCEPTIONS),
         "fsqrt": (b"\xd9\xfa", EXCEPTIONS), "frndint": (b"\xd9\xfc", EXCEPTIONS),
         "fsin": (b"\xd9\xfe", REDUCES), "fcos": (b"\xd9\xff", REDUCES)}
TOGETHER = {"fscale": (b"\xd9\xfd", EXCEPTIONS)}
CONSTANTS = {"fld1_ST0": b"\xd9\xe8", "fldl2t_ST0": b"\xd9\xe9", "fldl2e_ST0": b"\xd9\xea",
             "fldpi_ST0": b"\xd9\xeb", "fldlg2_ST0": b"\xd9\xec", "fldln2_ST0": b"\xd9\xed",
             "fldz_ST0": b"\xd9\xee"}
# memory operands are at rsi
LOADS = {"flds_ST0": b"\xd9\x06", "fldl_ST0": b"\xdd\x06", "fildl_ST0": b"\xdb\x06",
         "fildll_ST0": b"\xdf\x2e"}
# what moves the whole state between registers and memory: the bytes it moves, and the instruction at rdx
STATE_STORES = {"fstenv": (28, b"\xd9\x32"), "fsave": (108, b"\xdd\x32")}
STATE_LOADS = {"fldenv": (28, b"\xd9\x22"), "frstor": (108, b"\xdd\x22")}
DATA16 = b"\x66"  # the prefix of the short form
FLDCW = b"\xd9\x2e"
DUPLICATE = b"\xd9\xc0"  # fld st(0)
STORES = {"fsts_ST0": b"\xd9\x16", "fstl_ST0": b"\xdd\x16", "fist_ST0": b"\xdf\x16", "fistl_ST0": b"\xdb\x16"}
# There is no such instruction that does not pop; the engine pops later.
POPPING_STORES = {"fistll_ST0": b"\xdf\x3e", "fistt_ST0": b"\xdf\x0e", "fisttl_ST0": b"\xdb\x0e",
                  "fisttll_ST0": b"\xdd\x0e"}
FETCHES = {"fldt_ST0": b"\xdb\x2e", "fbld_ST0": b"\xdf\x26"}
LONG_STORES = {"fstt_ST0": b"\xdb\x3e", "fbst_ST0": b"\xdf\x36"}
OPERANDS = {"flds_FT0": 0, "fldl_FT0": 1, "fildl_FT0": 2, "fldz_FT0": SPARE_KINDS + 8}
# with an operand: the opcode extension of D8, DC and DA for memory, and the two bytes for st(0)
BINARY = {"fadd": (0, 0xD8C0), "fmul": (1, 0xD8C8), "fcom": (2, 0xD8D0), "fsub": (4, 0xD8E0),
          "fsubr": (5, 0xD8E8), "fdiv": (6, 0xD8F0), "fdivr": (7, 0xD8F8), "fucom": (-1, 0xDDE0),
          "fcomi": (-1, 0xDBF0), "fucomi": (-1, 0xDBE8)}
FTST = b"\xd9\xe4"
# with a register, which is the destination
REGISTER = {"fadd_STN_ST0": 0xDCC0, "fmul_STN_ST0": 0xDCC8, "fsubr_STN_ST0": 0xDCE0, "fsub_STN_ST0": 0xDCE8,
            "fdivr_STN_ST0": 0xDCF0, "fdiv_STN_ST0": 0xDCF8, "fxchg_ST0_STN": 0xD9C8, "ffree_STN": 0xDDC0,
            "fmov_STN_ST0": 0xDDD0}
FLD, FCMOVE, FCMOVNE = 0xD9C0, 0xDAC8, 0xDBC8
SET_ZERO = b"\x39\xc0"  # amd64: cmp eax, eax


def install(library: ctypes.CDLL) -> bool:
    """Have the host execute floating-point instructions; returns whether it does.

    The library is loaded once in a process, so that a second call finds all done.
    """
    if os.uname().machine != "x86_64":
        return False
    try:
        if overwritten(library, "helper_addsd"):
            return True
        fields = _layout(library)
        if fields is None:
            return False
        pieces = _Pieces(library, fields)
        pieces.write_all()
        pieces.finish()
    except (AttributeError, ValueError, OSError):
        return False
    return True


def before_store(library: ctypes.CDLL) -> tuple[int, int]:
    """Return x87's status and tags from before the last instruction that was to store a number in memory.

    Tags are two bits for each register: 3 if it is empty, otherwise 0.  `install` must have been called.
    """
    noted = jump_target(jump_target(function(library, "helper_fist_ST0")))
    status, top, tags = struct.unpack("<II8s", ctypes.string_at(noted, 16))
    return status | top << 11, sum(3 << 2 * number for number in range(8) if tags[number])


def sse_way(library: ctypes.CDLL) -> tuple[int, int, int]:
    """Return where the engine's structure has MXCSR and flags, and the address of SSE_SLOW.

    `install` must have been called: its code for `comisd` has these.
    """
    at = jump_target(function(library, "helper_comisd"))
    at += len(_compares_plain("comisd") + _compares("comisd"))
    (mxcsr,) = struct.unpack("<i", ctypes.string_at(at + SSE_CHECK.index(FIELD), 4))
    at += len(SSE_CHECK) + len(JUMP_UNLESS_EQUAL) + 1
    (flags,) = struct.unpack("<i", ctypes.string_at(at + len(STORE_FLAGS) - 4, 4))
    return mxcsr, flags, jump_target(at + len(STORE_FLAGS + RETURN))


def x87_words(library: ctypes.CDLL) -> tuple[int, int]:
    """Return where the engine's structure has the control word and the status of x87.

    `install` must have been called: its code for `fldcw` has these.
    """
    code = jump_target(function(library, "helper_fldcw"))

    def word(name: str) -> int:
        placeholder = struct.pack("<I", FIRST_FIELD + _FIELDS.index(name))
        return ctypes.c_int32.from_address(code + X87_CONTROL.index(placeholder)).value

    return word("control"), word("status")


def _layout(library: ctypes.CDLL) -> dict[str, int] | None:
    """Return where the engine's structure has what the code below uses; None if that cannot be known."""
    room = ctypes.create_string_buffer(STRUCTURE + 64)
    start = ctypes.addressof(room) + 15 & ~15
    nan = ctypes.create_string_buffer(b"\xff" * 64)

    def find(name: str, mark: bytes, *arguments: int, before: tuple[int, bytes] | None = None) -> int:
        """Call a helper on an empty structure; returns where it leaves `mark`, or a negative number."""
        ctypes.memset(start, 0, STRUCTURE)
        if before is not None:
            ctypes.memmove(start + before[0], before[1], len(before[1]))
        helper = getattr(library, f"helper_{name}{SUFFIX}")
        helper.argtypes, helper.restype = [ctypes.c_void_p, *[ctypes.c_uint64] * len(arguments)], None
        helper(start, *arguments)
        data = ctypes.string_at(start, STRUCTURE)
        at = data.find(mark)
        return at if data.find(mark, at + 1) < 0 else -1

    pi = struct.pack("<Q", 0xC90FDAA22168C235)
    number = ctypes.addressof(nan)
    tags = find("ffree_STN", b"\x01", 0)
    found = {"mxcsr": find("ldmxcsr", b"\xbf\x1f", 0x1FBF), "cc_src": find("comisd", b"\x45", number, number),
             "top": find("fdecstp", b"\x07"), "control": find("fldcw", b"\x7f\x13", 0x137F), "tags": tags,
             "registers": find("fldpi_ST0", pi),
             "operand": find("fldl_FT0", struct.pack("<Q", 0xC90FDAA22168C000), 0x400921FB54442D18)}
    if min(found.values()) < 0:
        return None
    found["xmm0"] = find("pcmpestrm_xmm", b"\xff" * 16, number, number, EQUAL_EACH | BYTE_MASK)
    found["status"] = find("fxam_ST0", b"\x41", before=(tags, b"\x01")) - 1
    found |= {"kind": found["operand"] + 8, "pushed": found["operand"] + 12, "tags4": tags + 4}
    return found if found["status"] >= 0 and found["xmm0"] >= 0 else None


def _compares(name: str) -> bytes:
    """Return what loads and compares two numbers, with the flags in rax."""
    return TYPES[name[-2:]][0] + ORDERED[name] + FLAGS


def _compares_plain(name: str) -> bytes:
    return plainfloat.ordered(name[-2:], _compares(name), STORE_FLAGS)


def _entry(piece: bytes) -> bytes:
    """Return an entry of a table: a piece that returns."""
    return (piece + RETURN).ljust(ENTRY, RETURN)


def _numbered(piece: bytes, bits: int = 8) -> bytes:
    """Return a table of 256 entries: the piece, and after it the lower `bits` of the entry's number."""
    table = bytearray(_entry(piece + b"\0") * 256)
    table[len(piece)::ENTRY] = bytes(range(1 << bits)) * (256 >> bits)
    return bytes(table)


class _Pieces(Patches):
    """The machine code of all helpers that are replaced."""

    def __init__(self, library: ctypes.CDLL, fields: dict[str, int]) -> None:
        super().__init__(library)
        self._fields = [(struct.pack("<I", FIRST_FIELD + index), struct.pack("<i", fields[name]))
                        for index, name in enumerate(_FIELDS)]
        self._registers = fields["registers"]
        self._raise, self._note = function(library, "raise_exception_err_ra"), self.pages(NOTE_SIZE)
        self._sse = self._put(SSE_SLOW)
        self._x87 = self._put(X87)
        self._top, self._pair, self._load, self._copy = (
            self._put(code, COMMON=self._x87) for code in (X87_TOP, X87_PAIR, X87_LOAD, X87_COPY))

    def _put(self, code: bytes, **addresses: int) -> int:
        """Append code, its placeholders filled in; returns its address."""
        if FIELD_END in code:
            for placeholder, field in self._fields:
                code = code.replace(placeholder, field)
        for name, address in (("RAISE", self._raise), ("NOTE", self._note), *addresses.items()):
            code = code.replace(PLACES[name], struct.pack("<Q", address))
        return self.place(code)

    def _table(self, pieces: list[bytes]) -> int:
        return self.place(b"".join([_entry(piece) for piece in pieces]))

    def _replace(self, name: str, code: bytes, **addresses: int) -> None:
        """Have a helper begin with a jump to this code, which ends with a return."""
        self.overwrite("helper_" + name, self._put(code + RETURN, **addresses))

    def write_all(self) -> None:
        self._write_sse()
        self._write_conversions()
        self._write_integers()
        self._write_x87()
        self._write_x87_operands()
        self._replace("ldmxcsr", LDMXCSR)
        self._replace("enter_mmx", RAISE_PENDING + ENTER_MMX)
        self._replace(STORING, RAISE_PENDING + RESET_TOP)
        self._replace("emms", RAISE_PENDING + RESET_TOP + LEAVE_MMX)

    # -- SSE ------------------------------------------------------------------------------------

    def _sse_helper(self, name: str, body: bytes, keep: bytes = STORE, quick: bytes = b"") -> None:
        """A helper that loads and computes by `body`, and stores by `keep` unless an exception prevents it.

        `quick` is tried first (see plainfloat).

        When the host's MXCSR is the program's afterwards, that had all flags before.  Otherwise the common
        part loads it and tries again, or, when it has unusual control bits, makes a detour.
        """
        kept = self._put(keep + RETURN)
        whole = self._put(body + RETURN)
        again = self._put(body + SSE_KEEP + keep + RETURN)
        keep += RETURN
        code = quick + body + SSE_CHECK + JUMP_UNLESS_EQUAL + bytes((len(keep),)) + keep + SSE_OTHER
        self._replace(name, code, COMMON=self._sse, BODY=whole, RETRY=again, KEEP=kept)

    def _computes(self, name: str, kind: str, code: bytes, result: str = "") -> None:
        """A helper that computes with two operands of a type; of `result`, if that is another."""
        body, keep = TYPES.get(kind, WHOLE)[0] + code, TYPES.get(result or kind, WHOLE)[2]
        quick = b""
        if name.startswith(EXACT) and kind in TYPES:
            quick = plainfloat.exact(kind, body, keep, alone=name in CONVERSIONS)
        elif name.startswith(INEXACT) and kind in TYPES:
            quick = plainfloat.computed(kind, body, keep, alone=name.startswith(ALONE_SSE), result=result)
        self._sse_helper(name, body, keep, quick)

    def _write_sse(self) -> None:
        for kind, prefix in PREFIXES.items():
            for name, opcode in ARITHMETIC.items():
                self._computes(name + kind, kind, prefix + bytes((0x0F, opcode)) + BOTH)
            for number, name in enumerate(COMPARISONS):
                self._computes(f"cmp{name}{kind}", kind, prefix + b"\x0f\xc2" + BOTH + bytes((number,)))
        for kind in ("ps", "ss"):
            for name, opcode in ESTIMATES.items():
                self._computes(name + kind, kind, PREFIXES[kind] + bytes((0x0F, opcode)) + BOTH)
        for name, opcode in SIDEWAYS.items():
            for kind, prefix in (("pd", b"\x66"), ("ps", b"\xf2")):
                self._computes(name + kind, kind, prefix + bytes((0x0F, opcode)) + BOTH)
        for name, (opcode, bits) in BY_NUMBER.items():
            table = self.place(_numbered(bytes((0x66, 0x0F, 0x3A, opcode)) + BOTH, bits))
            choose = CHOOSE.replace(PLACES["TABLE"], struct.pack("<Q", table))
            self._computes(name + "_xmm", "", choose)

    def _write_conversions(self) -> None:
        for name, code in CONVERSIONS.items():
            self._computes(name, name[-5:-3], code, name[-2:])
        for name, code in FROM_INTEGER.items():
            body, keep = CLEAR + code, TYPES[name[-2:]][2]
            self._sse_helper(name, body, keep, plainfloat.from_integer(body, keep, fits=name == "cvtsi2sd"))
        for name, code in TO_INTEGER.items():
            body = TYPES[name[-5:-3]][1] + code
            self._sse_helper(name, body, b"", plainfloat.to_integer(body, long=name[-1] == "q"))
        for name in ORDERED:
            self._sse_helper(name, _compares(name), STORE_FLAGS, _compares_plain(name))
        for name, (whole, code) in TO_MMX.items():
            self._sse_helper(name, (LOAD_BOTH if whole else LOAD_HALF) + code, STORE_HALF + ALL_ONES)
        self._sse_helper("cvtpi2ps", LOAD_HALF + CVTPI2PS + MERGE_LOW)
        self._sse_helper("cvtpi2pd", LOAD_HALF + CVTPI2PD)

    def _write_integers(self) -> None:
        begin = RAISE_PENDING + ENTER_MMX + LOAD_MMX
        for text, mmx in ((_BOTH_KINDS, True), (_SSE_ALONE, False)):
            words = text.split()
            for number, name in zip(words[::2], words[1::2], strict=True):
                code = b"\x0f" + bytes.fromhex(number)
                self._replace(name + "_xmm", LOAD_BOTH + b"\x66" + code + BOTH + STORE)
                if mmx:
                    self._replace(name + "_mmx", begin + code + BOTH + STORE_MMX)
        shifts = self.place(_numbered(b"\x0f\x3a\x0f" + BOTH))
        self._replace("palignr_mmx", begin + CHOOSE + STORE_MMX, TABLE=shifts)
        orders = self.place(_numbered(b"\x0f\x70" + BOTH))
        self._replace("pshufw_mmx", SHUFFLE, TABLE=orders)
        for name, (opcode, keep) in STRINGS.items():
            table = self.place(b"".join([_numbered(b"\x66" + wide + bytes((0x0F, 0x3A, opcode)) + BOTH)
                                         for wide in (b"", b"\x48")]))
            self._replace(name, COMPARE_STRINGS + keep, TABLE=table)
        for register, name in enumerate(ENTERING):
            exponent = struct.pack("<i", self._registers + 16 * register + 8)
            self._replace(name, RAISE_PENDING + ENTER_MMX + MARK_REGISTER.replace(MARK, exponent))

    # -- x87 ------------------------------------------------------------------------------------

    def _run(self, name: str, way: int, piece: bytes, quick: bytes = b"", *, before: bytes = b"",
             after: bytes = b"", sets: int = EXCEPTIONS, memory: tuple[int, int] = (0, 0)) -> None:
        """A helper that runs a piece, on all registers, or the `quick` one on those that `way` loads."""
        table = self._table([piece, quick or piece])
        code = before + X87_PLAIN + X87_RUN.replace(NUMBER, struct.pack("<H", sets)) + after
        self._replace(name, code, COMMON=way, TABLE=table, FAST=table + ENTRY, MEMORY8=memory[0],
                      MEMORY2=memory[1])

    def _write_x87(self) -> None:
        for name, code in PLAIN.items():
            self._run(name, self._x87, code)
        for name, (code, sets) in ALONE.items():
            self._run(name, self._top, code, sets=sets)
        for name, (code, sets) in TOGETHER.items():
            self._run(name, self._pair, code, before=X87_SECOND, sets=sets)
        for name, code in CONSTANTS.items():
            self._run(name, self._load, code, before=X87_PUSHED)
        for name, code in LOADS.items():
            self._run(name, self._load, code, before=X87_KEEP_ARGUMENT)
        for name, code in STORES.items():
            self._run(name, self._top, code, before=X87_NOTE, after=X87_STORED + X87_RESULT)
        for name, code in POPPING_STORES.items():
            self._run(name, self._top, code, DUPLICATE + code, before=X87_NOTE, after=X87_UNPOP + X87_RESULT)
        read = [function(self.library, f"cpu_ld{size}_data_ra") for size in ("q", "uw")]
        for name, code in FETCHES.items():
            self._run(name, self._load, code, before=RAISE_PENDING + X87_FETCH, memory=(read[0], read[1]))
        write = [function(self.library, f"cpu_st{size}_data_ra") for size in ("q", "w")]
        for name, code in LONG_STORES.items():
            self._run(name, self._top, code, DUPLICATE + code, before=X87_NOTE + X87_STORE80,
                      after=X87_STORED80, memory=(write[0], write[1]))
        for name, (size, code) in STATE_STORES.items():
            after = MASK_ALL if name == "fstenv" else START_X87 + LEAVE_MMX
            self._replace(name, STORE_STATE.replace(NUMBER, struct.pack("<H", size)) + after,
                          COMMON=self._x87, BODY=self._state_body(code + STATE_STORED), MEMORY2=write[1])
        for name, (size, code) in STATE_LOADS.items():
            self._replace(name, RAISE_PENDING + LOAD_STATE.replace(NUMBER, struct.pack("<H", size)),
                          COMMON=self._x87, BODY=self._state_body(code), MEMORY2=read[1])
        self._replace("fldcw", X87_CONTROL, COMMON=self._x87, TABLE=self._table([FLDCW]))

    def _state_body(self, code: bytes) -> int:
        """Return the address of code that executes an instruction in the long form, or in the short one."""
        whole = code + RETURN
        return self._put(STATE_FORM + JUMP_IF_EQUAL + bytes((len(whole),)) + whole + DATA16 + whole)

    def _write_x87_operands(self) -> None:
        for name, kind in OPERANDS.items():
            self._replace(name, X87_KEEP_ARGUMENT + X87_KEEP_KIND.replace(NUMBER, struct.pack("<H", kind)))
        self._replace("fmov_FT0_STN", X87_KEEP_REGISTER)
        for name, (extension, code) in BINARY.items():
            flags = code >> 8 == 0xDB
            after = FLAGS if flags else b""
            memory = [bytes((opcode, 6 | (extension & 7) << 3)) for opcode in (0xD8, 0xDC, 0xDA)]
            pieces = [*(memory if extension >= 0 else [b""] * SPARE_KINDS),
                      *((code + number).to_bytes(2, "big") + after for number in range(8)), FTST]
            sets = COMPARES if name in ("fcom", "fucom") else EXCEPTIONS
            self._replace(name + "_ST0_FT0", X87_BY_OPERAND.replace(NUMBER, struct.pack("<H", sets))
                          + (STORE_FLAGS if flags else b""),
                          COMMON=self._pair, TABLE=self._table(pieces), FAST=self._top)
        for name, code in REGISTER.items():
            pieces = [(code + number).to_bytes(2, "big") for number in range(8)]
            way = self._x87 if name == "ffree_STN" else self._pair
            self._replace(name, X87_BY_ARGUMENT + X87_RUN.replace(NUMBER, struct.pack("<H", EXCEPTIONS)),
                          COMMON=way, TABLE=self._table(pieces))
        self._replace("fpush", X87_PUSH)
        loads, moves, stays = ([before + (code + number).to_bytes(2, "big") for number in range(8)]
                               for before, code in ((b"", FLD), (SET_ZERO, FCMOVE), (SET_ZERO, FCMOVNE)))
        self._replace("fmov_ST0_STN", X87_MOVE, COMMON=self._pair, FAST=self._copy,
                      TABLE=self._table(loads + moves))
        table, read_flags = self._table(moves + stays), function(self.library, "helper_read_eflags")
        for name, mask in MOVING.items():
            self._replace(name, X87_MOVE_IF.replace(NUMBER, struct.pack("<H", mask)), COMMON=self._pair,
                          TABLE=table, MEMORY8=read_flags)
        self._replace(INVERTING, X87_KEEP_INVERSE)
