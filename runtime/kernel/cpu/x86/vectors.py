"""AVX, AVX2, FMA, F16C and BMI: instructions with a VEX prefix, which the host's processor executes.

The engine does not know them.  When its translator meets one it asks here (see `decoding`), and gets the
bytes of an instruction that computes the same address, and a piece of machine code that the engine then calls
instead.  The piece loads the registers that the instruction uses into those of the host, executes it, and
stores what it left.  What is in memory comes from the engine's functions, so that faults are the program's.
Upper halves of vector registers are where the engine's structure has room for them.

A piece is made once for an encoding.  Before that the host tries the instruction: what it does not know is
invalid for the program, too, and so are more than MOST_ENCODINGS.  Encodings are those of Intel's manual,
volume 2, chapters 2 and 5.
"""

from __future__ import annotations

import ctypes
import mmap
import struct
from typing import TYPE_CHECKING, NamedTuple

from runtime.kernel.base.signals import SA_SIGINFO, SIGILL
from runtime.kernel.cpu.x86.decoding import ask_about_vectors, asks_about_vectors
from runtime.kernel.cpu.x86.hostfloat import FIELD, PLACES, SSE_CHECK, SSE_KEEP, SSE_OTHER, sse_way
from runtime.kernel.cpu.x86.patches import RETURN, function

if TYPE_CHECKING:
    from capstone import CsInsn

ARENA = 64 << 20  # bytes of machine code in all
MOST_ENCODINGS = 1 << 16  # different instructions that programs may use; a compiler's use some hundreds
SCRATCH = 4096  # bytes at its start: an operand in memory, and where that is

# amd64: push rbx; push rbp; push r12; push r13; mov rbx, rdi; movabs rbp, 0x2000000000000001; test dword \
#   ptr [rbp + 0x40], edx; jne bad; mov dword ptr [rbp + 0x48], ecx; mov dword ptr [rbp + 0x50], r8d; mov \
#   qword ptr [rbp + 0x58], r9; mov r12d, ecx; imul r12d, r8d; cmp r12d, 0x10; jb parts; mov edx, dword ptr \
#   [rbp + 0x40]; and edx, 0xfff; add edx, r12d; cmp edx, 0x1000; ja parts; mov rsi, qword ptr [rbp + \
#   0x40]; mov edx, r12d; xor ecx, ecx; mov r8d, 1; mov r9, qword ptr [rsp + 0x28]; movabs rax, \
#   0x2000000000000008; call rax; test rax, rax; je parts; movups xmm0, xmmword ptr [rax]; movups xmmword \
#   ptr [rbp], xmm0; cmp r12d, 0x20; jne done; movups xmm0, xmmword ptr [rax + 0x10]; movups xmmword ptr \
#   [rbp + 0x10], xmm0; jmp done; parts: xor r12d, r12d; xor r13d, r13d; more: mov rdi, rbx; mov rsi, qword \
#   ptr [rbp + 0x40]; add rsi, r13; mov rdx, qword ptr [rsp + 0x28]; call qword ptr [rbp + 0x58]; mov qword \
#   ptr [rbp + r13], rax; add r13d, dword ptr [rbp + 0x50]; inc r12d; cmp r12d, dword ptr [rbp + 0x48]; jb \
#   more; done: mov rdi, rbx; pop r13; pop r12; pop rbp; pop rbx; ret; bad: mov esi, 0xd; xor edx, edx; mov \
#   rcx, qword ptr [rsp + 0x28]; movabs rax, 0x2000000000000005; call rax
LOAD_OPERAND = (
    b"\x53\x55\x41\x54\x41\x55\x48\x89\xfb\x48\xbd\x01\x00\x00\x00\x00\x00\x00\x20\x85\x55\x40\x0f\x85"
    b"\x9c\x00\x00\x00\x89\x4d\x48\x44\x89\x45\x50\x4c\x89\x4d\x58\x41\x89\xcc\x45\x0f\xaf\xe0\x41\x83"
    b"\xfc\x10\x72\x50\x8b\x55\x40\x81\xe2\xff\x0f\x00\x00\x44\x01\xe2\x81\xfa\x00\x10\x00\x00\x77\x3c"
    b"\x48\x8b\x75\x40\x44\x89\xe2\x31\xc9\x41\xb8\x01\x00\x00\x00\x4c\x8b\x4c\x24\x28\x48\xb8\x08\x00"
    b"\x00\x00\x00\x00\x00\x20\xff\xd0\x48\x85\xc0\x74\x17\x0f\x10\x00\x0f\x11\x45\x00\x41\x83\xfc\x20"
    b"\x75\x34\x0f\x10\x40\x10\x0f\x11\x45\x10\xeb\x2a\x45\x31\xe4\x45\x31\xed\x48\x89\xdf\x48\x8b\x75"
    b"\x40\x4c\x01\xee\x48\x8b\x54\x24\x28\xff\x55\x58\x4a\x89\x44\x2d\x00\x44\x03\x6d\x50\x41\xff\xc4"
    b"\x44\x3b\x65\x48\x72\xdc\x48\x89\xdf\x41\x5d\x41\x5c\x5d\x5b\xc3\xbe\x0d\x00\x00\x00\x31\xd2\x48"
    b"\x8b\x4c\x24\x28\x48\xb8\x05\x00\x00\x00\x00\x00\x00\x20\xff\xd0")
# amd64: push rbx; push rbp; push r12; push r13; sub rsp, 8; mov rbx, rdi; movabs rbp, 0x2000000000000001; \
#   test dword ptr [rbp + 0x40], edx; jne bad; mov dword ptr [rbp + 0x48], ecx; mov dword ptr [rbp + 0x50], \
#   r8d; mov qword ptr [rbp + 0x58], r9; imul r8d, ecx; mov eax, dword ptr [rbp + 0x40]; and eax, 0xfff; \
#   add eax, r8d; cmp eax, 0x1000; jbe within; mov rsi, qword ptr [rbp + 0x40]; mov r9, qword ptr [rsp + \
#   0x28]; mov edx, 1; mov ecx, 1; mov r8d, 1; movabs rax, 0x2000000000000008; call rax; mov rdi, rbx; mov \
#   rsi, qword ptr [rbp + 0x40]; or rsi, 0xfff; inc rsi; mov r9, qword ptr [rsp + 0x28]; mov edx, 1; mov \
#   ecx, 1; mov r8d, 1; movabs rax, 0x2000000000000008; call rax; jmp parts; within: cmp r8d, 0x10; jb \
#   parts; mov r12d, r8d; mov rsi, qword ptr [rbp + 0x40]; mov edx, r8d; mov ecx, 1; mov r8d, 1; mov r9, \
#   qword ptr [rsp + 0x28]; movabs rax, 0x2000000000000008; call rax; test rax, rax; je parts; movups xmm0, \
#   xmmword ptr [rbp]; movups xmmword ptr [rax], xmm0; cmp r12d, 0x20; jne done; movups xmm0, xmmword ptr \
#   [rbp + 0x10]; movups xmmword ptr [rax + 0x10], xmm0; jmp done; parts: mov rdi, rbx; xor r12d, r12d; xor \
#   r13d, r13d; more: mov rdi, rbx; mov rsi, qword ptr [rbp + 0x40]; add rsi, r13; mov rdx, qword ptr [rbp \
#   + r13]; mov rcx, qword ptr [rsp + 0x28]; call qword ptr [rbp + 0x58]; add r13d, dword ptr [rbp + 0x50]; \
#   inc r12d; cmp r12d, dword ptr [rbp + 0x48]; jb more; done: add rsp, 8; pop r13; pop r12; pop rbp; pop \
#   rbx; ret; bad: mov esi, 0xd; xor edx, edx; mov rcx, qword ptr [rsp + 0x28]; movabs rax, \
#   0x2000000000000005; call rax
STORE_OPERAND = (
    b"\x53\x55\x41\x54\x41\x55\x48\x83\xec\x08\x48\x89\xfb\x48\xbd\x01\x00\x00\x00\x00\x00\x00\x20\x85"
    b"\x55\x40\x0f\x85\xfa\x00\x00\x00\x89\x4d\x48\x44\x89\x45\x50\x4c\x89\x4d\x58\x44\x0f\xaf\xc1\x8b"
    b"\x45\x40\x25\xff\x0f\x00\x00\x44\x01\xc0\x3d\x00\x10\x00\x00\x76\x59\x48\x8b\x75\x40\x4c\x8b\x4c"
    b"\x24\x28\xba\x01\x00\x00\x00\xb9\x01\x00\x00\x00\x41\xb8\x01\x00\x00\x00\x48\xb8\x08\x00\x00\x00"
    b"\x00\x00\x00\x20\xff\xd0\x48\x89\xdf\x48\x8b\x75\x40\x48\x81\xce\xff\x0f\x00\x00\x48\xff\xc6\x4c"
    b"\x8b\x4c\x24\x28\xba\x01\x00\x00\x00\xb9\x01\x00\x00\x00\x41\xb8\x01\x00\x00\x00\x48\xb8\x08\x00"
    b"\x00\x00\x00\x00\x00\x20\xff\xd0\xeb\x48\x41\x83\xf8\x10\x72\x42\x45\x89\xc4\x48\x8b\x75\x40\x44"
    b"\x89\xc2\xb9\x01\x00\x00\x00\x41\xb8\x01\x00\x00\x00\x4c\x8b\x4c\x24\x28\x48\xb8\x08\x00\x00\x00"
    b"\x00\x00\x00\x20\xff\xd0\x48\x85\xc0\x74\x17\x0f\x10\x45\x00\x0f\x11\x00\x41\x83\xfc\x20\x75\x37"
    b"\x0f\x10\x45\x10\x0f\x11\x40\x10\xeb\x2d\x48\x89\xdf\x45\x31\xe4\x45\x31\xed\x48\x89\xdf\x48\x8b"
    b"\x75\x40\x4c\x01\xee\x4a\x8b\x54\x2d\x00\x48\x8b\x4c\x24\x28\xff\x55\x58\x44\x03\x6d\x50\x41\xff"
    b"\xc4\x44\x3b\x65\x48\x72\xdc\x48\x83\xc4\x08\x41\x5d\x41\x5c\x5d\x5b\xc3\xbe\x0d\x00\x00\x00\x31"
    b"\xd2\x48\x8b\x4c\x24\x28\x48\xb8\x05\x00\x00\x00\x00\x00\x00\x20\xff\xd0")
# amd64: push rbx; push rbp; push r12; push r13; push r14; push r15; sub rsp, 0x48; mov dword ptr [rsp], \
#   r8d; mov dword ptr [rsp + 8], r9d; mov dword ptr [rsp + 0x10], r10d; mov dword ptr [rsp + 0x18], r11d; \
#   mov rbx, rdi; mov r12, rdx; mov r13, rcx; mov r14, rax; mov r15, rsi; xor ebp, ebp; pxor xmm2, xmm2; \
#   movups xmm0, xmmword ptr [r13]; movups xmm1, xmmword ptr [r13 + 0x10]; cmp dword ptr [rsp + 0x10], 8; \
#   je quads; psrad xmm0, 0x1f; psrad xmm1, 0x1f; jmp masked; quads: movaps xmm3, xmm2; pcmpgtq xmm3, xmm0; \
#   movaps xmm0, xmm3; movaps xmm3, xmm2; pcmpgtq xmm3, xmm1; movaps xmm1, xmm3; masked: mov ecx, dword ptr \
#   [rsp + 8]; cmp ecx, dword ptr [rsp + 0x10]; cmovb ecx, dword ptr [rsp + 0x10]; imul ecx, r8d; cmp ecx, \
#   0x10; jne all; movaps xmm1, xmm2; all: mov dword ptr [rsp + 0x20], ecx; movups xmmword ptr [r13], xmm0; \
#   movups xmmword ptr [r13 + 0x10], xmm1; lane: cmp dword ptr [rsp + 0x10], 8; je wide; cmp dword ptr [r13 \
#   + rbp*4], 0; jge next; jmp chosen; wide: cmp qword ptr [r13 + rbp*8], 0; jge next; chosen: cmp dword \
#   ptr [rsp + 8], 8; je whole; movsxd rsi, dword ptr [r14 + rbp*4]; jmp scaled; whole: mov rsi, qword ptr \
#   [r14 + rbp*8]; scaled: mov ecx, dword ptr [rsp + 0x18]; shl rsi, cl; add rsi, r15; movabs rax, \
#   0x2000000000000001; and rsi, qword ptr [rax + 0x60]; mov rdi, rbx; mov rdx, qword ptr [rsp + 0x78]; cmp \
#   dword ptr [rsp + 0x10], 8; je load; movabs rax, 0x2000000000000009; call rax; mov dword ptr [r12 + \
#   rbp*4], eax; mov dword ptr [r13 + rbp*4], 0; jmp loaded; load: movabs rax, 0x2000000000000007; call \
#   rax; mov qword ptr [r12 + rbp*8], rax; mov qword ptr [r13 + rbp*8], 0; loaded: cmp dword ptr [rsp + \
#   0x20], 0x10; jne next; xorps xmm0, xmm0; movups xmmword ptr [r12 + 0x10], xmm0; next: inc ebp; cmp ebp, \
#   dword ptr [rsp]; jb lane; xorps xmm0, xmm0; movups xmmword ptr [r13], xmm0; movups xmmword ptr [r13 + \
#   0x10], xmm0; imul ebp, dword ptr [rsp + 0x10]; cmp ebp, 0x10; ja done; movups xmmword ptr [r12 + 0x10], \
#   xmm0; je done; mov qword ptr [r12 + 8], 0; done: add rsp, 0x48; pop r15; pop r14; pop r13; pop r12; pop \
#   rbp; pop rbx; ret
GATHER = (
    b"\x53\x55\x41\x54\x41\x55\x41\x56\x41\x57\x48\x83\xec\x48\x44\x89\x04\x24\x44\x89\x4c\x24\x08\x44"
    b"\x89\x54\x24\x10\x44\x89\x5c\x24\x18\x48\x89\xfb\x49\x89\xd4\x49\x89\xcd\x49\x89\xc6\x49\x89\xf7"
    b"\x31\xed\x66\x0f\xef\xd2\x41\x0f\x10\x45\x00\x41\x0f\x10\x4d\x10\x83\x7c\x24\x10\x08\x74\x0c\x66"
    b"\x0f\x72\xe0\x1f\x66\x0f\x72\xe1\x1f\xeb\x16\x0f\x28\xda\x66\x0f\x38\x37\xd8\x0f\x28\xc3\x0f\x28"
    b"\xda\x66\x0f\x38\x37\xd9\x0f\x28\xcb\x8b\x4c\x24\x08\x3b\x4c\x24\x10\x0f\x42\x4c\x24\x10\x41\x0f"
    b"\xaf\xc8\x83\xf9\x10\x75\x03\x0f\x28\xca\x89\x4c\x24\x20\x41\x0f\x11\x45\x00\x41\x0f\x11\x4d\x10"
    b"\x83\x7c\x24\x10\x08\x74\x0e\x41\x83\x7c\xad\x00\x00\x0f\x8d\x86\x00\x00\x00\xeb\x08\x49\x83\x7c"
    b"\xed\x00\x00\x7d\x7c\x83\x7c\x24\x08\x08\x74\x06\x49\x63\x34\xae\xeb\x04\x49\x8b\x34\xee\x8b\x4c"
    b"\x24\x18\x48\xd3\xe6\x4c\x01\xfe\x48\xb8\x01\x00\x00\x00\x00\x00\x00\x20\x48\x23\x70\x60\x48\x89"
    b"\xdf\x48\x8b\x54\x24\x78\x83\x7c\x24\x10\x08\x74\x1b\x48\xb8\x09\x00\x00\x00\x00\x00\x00\x20\xff"
    b"\xd0\x41\x89\x04\xac\x41\xc7\x44\xad\x00\x00\x00\x00\x00\xeb\x19\x48\xb8\x07\x00\x00\x00\x00\x00"
    b"\x00\x20\xff\xd0\x49\x89\x04\xec\x49\xc7\x44\xed\x00\x00\x00\x00\x00\x83\x7c\x24\x20\x10\x75\x09"
    b"\x0f\x57\xc0\x41\x0f\x11\x44\x24\x10\xff\xc5\x3b\x2c\x24\x0f\x82\x5c\xff\xff\xff\x0f\x57\xc0\x41"
    b"\x0f\x11\x45\x00\x41\x0f\x11\x45\x10\x0f\xaf\x6c\x24\x10\x83\xfd\x10\x77\x11\x41\x0f\x11\x44\x24"
    b"\x10\x74\x09\x49\xc7\x44\x24\x08\x00\x00\x00\x00\x48\x83\xc4\x48\x41\x5f\x41\x5e\x41\x5d\x41\x5c"
    b"\x5d\x5b\xc3")
# amd64: push rbx; push rbp; push r12; push r13; push r14; push r15; sub rsp, 0x48; mov dword ptr [rsp], \
#   r8d; mov dword ptr [rsp + 8], r10d; mov rbx, rdi; mov r12, rdx; mov r13, rcx; mov r15, rsi; xor ebp, \
#   ebp; xorps xmm0, xmm0; movups xmmword ptr [rsp + 0x10], xmm0; movups xmmword ptr [rsp + 0x20], xmm0; \
#   lane: mov eax, dword ptr [rsp + 8]; imul eax, ebp; mov r14d, eax; add eax, dword ptr [rsp + 8]; cmp \
#   byte ptr [r13 + rax - 1], 0; jge next; lea rsi, [r15 + r14]; mov rdi, rbx; mov rdx, qword ptr [rsp + \
#   0x78]; cmp dword ptr [rsp + 8], 8; je load; movabs rax, 0x2000000000000009; call rax; mov dword ptr \
#   [rsp + r14 + 0x10], eax; jmp next; load: movabs rax, 0x2000000000000007; call rax; mov qword ptr [rsp + \
#   r14 + 0x10], rax; next: inc ebp; cmp ebp, dword ptr [rsp]; jb lane; movups xmm0, xmmword ptr [rsp + \
#   0x10]; movups xmmword ptr [r12], xmm0; movups xmm0, xmmword ptr [rsp + 0x20]; movups xmmword ptr [r12 + \
#   0x10], xmm0; add rsp, 0x48; pop r15; pop r14; pop r13; pop r12; pop rbp; pop rbx; ret
LOAD_LANES = (
    b"\x53\x55\x41\x54\x41\x55\x41\x56\x41\x57\x48\x83\xec\x48\x44\x89\x04\x24\x44\x89\x54\x24\x08\x48"
    b"\x89\xfb\x49\x89\xd4\x49\x89\xcd\x49\x89\xf7\x31\xed\x0f\x57\xc0\x0f\x11\x44\x24\x10\x0f\x11\x44"
    b"\x24\x20\x8b\x44\x24\x08\x0f\xaf\xc5\x41\x89\xc6\x03\x44\x24\x08\x41\x80\x7c\x05\xff\x00\x7d\x37"
    b"\x4b\x8d\x34\x37\x48\x89\xdf\x48\x8b\x54\x24\x78\x83\x7c\x24\x08\x08\x74\x13\x48\xb8\x09\x00\x00"
    b"\x00\x00\x00\x00\x20\xff\xd0\x42\x89\x44\x34\x10\xeb\x11\x48\xb8\x07\x00\x00\x00\x00\x00\x00\x20"
    b"\xff\xd0\x4a\x89\x44\x34\x10\xff\xc5\x3b\x2c\x24\x72\xac\x0f\x10\x44\x24\x10\x41\x0f\x11\x04\x24"
    b"\x0f\x10\x44\x24\x20\x41\x0f\x11\x44\x24\x10\x48\x83\xc4\x48\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5d"
    b"\x5b\xc3")
# amd64: push rbx; push rbp; push r12; push r13; push r14; push r15; sub rsp, 0x18; mov dword ptr [rsp], \
#   r8d; mov dword ptr [rsp + 8], r10d; mov dword ptr [rsp + 0x10], 0; mov rbx, rdi; mov r12, rdx; mov r13, \
#   rcx; mov r15, rsi; again: xor ebp, ebp; lane: mov eax, dword ptr [rsp + 8]; imul eax, ebp; mov r14d, \
#   eax; add eax, dword ptr [rsp + 8]; cmp byte ptr [r13 + rax - 1], 0; jge next; lea rsi, [r15 + r14]; mov \
#   rdi, rbx; cmp dword ptr [rsp + 0x10], 0; jne store; mov r9, qword ptr [rsp + 0x48]; mov edx, 1; mov \
#   ecx, 1; mov r8d, 1; movabs rax, 0x2000000000000008; call rax; mov rdi, rbx; lea rsi, [r15 + r14 - 1]; \
#   mov eax, dword ptr [rsp + 8]; add rsi, rax; mov rax, rsi; lea rdx, [r15 + r14]; xor rax, rdx; cmp rax, \
#   0x1000; jb next; and rsi, 0xfffffffffffff000; mov r9, qword ptr [rsp + 0x48]; mov edx, 1; mov ecx, 1; \
#   mov r8d, 1; movabs rax, 0x2000000000000008; call rax; jmp next; store: mov rcx, qword ptr [rsp + 0x48]; \
#   cmp dword ptr [rsp + 8], 8; je whole; mov edx, dword ptr [r12 + r14]; movabs rax, 0x2000000000000009; \
#   call rax; jmp next; whole: mov rdx, qword ptr [r12 + r14]; movabs rax, 0x2000000000000007; call rax; \
#   next: inc ebp; cmp ebp, dword ptr [rsp]; jb lane; inc dword ptr [rsp + 0x10]; cmp dword ptr [rsp + \
#   0x10], 2; jb again; add rsp, 0x18; pop r15; pop r14; pop r13; pop r12; pop rbp; pop rbx; ret
STORE_LANES = (
    b"\x53\x55\x41\x54\x41\x55\x41\x56\x41\x57\x48\x83\xec\x18\x44\x89\x04\x24\x44\x89\x54\x24\x08\xc7"
    b"\x44\x24\x10\x00\x00\x00\x00\x48\x89\xfb\x49\x89\xd4\x49\x89\xcd\x49\x89\xf7\x31\xed\x8b\x44\x24"
    b"\x08\x0f\xaf\xc5\x41\x89\xc6\x03\x44\x24\x08\x41\x80\x7c\x05\xff\x00\x0f\x8d\xa8\x00\x00\x00\x4b"
    b"\x8d\x34\x37\x48\x89\xdf\x83\x7c\x24\x10\x00\x75\x6c\x4c\x8b\x4c\x24\x48\xba\x01\x00\x00\x00\xb9"
    b"\x01\x00\x00\x00\x41\xb8\x01\x00\x00\x00\x48\xb8\x08\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x48\x89"
    b"\xdf\x4b\x8d\x74\x37\xff\x8b\x44\x24\x08\x48\x01\xc6\x48\x89\xf0\x4b\x8d\x14\x37\x48\x31\xd0\x48"
    b"\x3d\x00\x10\x00\x00\x72\x58\x48\x81\xe6\x00\xf0\xff\xff\x4c\x8b\x4c\x24\x48\xba\x01\x00\x00\x00"
    b"\xb9\x01\x00\x00\x00\x41\xb8\x01\x00\x00\x00\x48\xb8\x08\x00\x00\x00\x00\x00\x00\x20\xff\xd0\xeb"
    b"\x2e\x48\x8b\x4c\x24\x48\x83\x7c\x24\x08\x08\x74\x12\x43\x8b\x14\x34\x48\xb8\x09\x00\x00\x00\x00"
    b"\x00\x00\x20\xff\xd0\xeb\x10\x4b\x8b\x14\x34\x48\xb8\x07\x00\x00\x00\x00\x00\x00\x20\xff\xd0\xff"
    b"\xc5\x3b\x2c\x24\x0f\x82\x33\xff\xff\xff\xff\x44\x24\x10\x83\x7c\x24\x10\x02\x0f\x82\x22\xff\xff"
    b"\xff\x48\x83\xc4\x18\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5d\x5b\xc3")
# amd64: sub rsp, 8; movabs rsi, 0x2000000000000001; call rdi; mov eax, 1; add rsp, 8; ret
TRY = (
    b"\x48\x83\xec\x08\x48\xbe\x01\x00\x00\x00\x00\x00\x00\x20\xff\xd7\xb8\x01\x00\x00\x00\x48\x83\xc4"
    b"\x08\xc3")
# amd64: xor eax, eax; add rsp, 0x10; ret
GIVE_UP = b"\x31\xc0\x48\x83\xc4\x10\xc3"
# amd64: movabs rax, 0x2000000000000002; cmp qword ptr [rdx + 0xa8], rax; jne other; movabs rax, \
#   0x2000000000000003; mov qword ptr [rdx + 0xa8], rax; other: ret
CAUGHT = (
    b"\x48\xb8\x02\x00\x00\x00\x00\x00\x00\x20\x48\x39\x82\xa8\x00\x00\x00\x75\x11\x48\xb8\x03\x00\x00"
    b"\x00\x00\x00\x00\x20\x48\x89\x82\xa8\x00\x00\x00\xc3")

# placeholders of addresses in the code above: the scratch page, or what the host's signal handler compares
SCRATCH_AT, FIRST, SECOND = (struct.pack("<Q", 0x2000000000000001 + at) for at in range(3))
RAISE_AT, WIDE_AT, PROBE_AT, NARROW_AT = (struct.pack("<Q", 0x2000000000000000 + at) for at in (5, 7, 8, 9))
ADDRESS_MASK = 0x60  # in the scratch page: of addresses that `gather` computes
STORE_FLAGS = b"\x81\xe2\xd5\x08\x00\x00\x48\x89\x97"  # and edx, 0x8d5; mov [rdi + ...], rdx
KEEP_FLAGS = b"\x9c\x5a"  # amd64: pushfq; pop rdx
LOAD_RDX = b"\x48\x8b\x57\x10"  # amd64: mov rdx, qword ptr [rdi + 0x10]
ZERO_UPPER = b"\xc5\xf8\x77"  # amd64: vzeroupper
CLEAR = b"\x0f\x57\xc0"  # amd64: xorps xmm0, xmm0
CALL_RAX = b"\xff\xd0"  # amd64: call rax
JUMP_RAX = b"\xff\xe0"  # amd64: jmp rax
REGISTER, OTHER, OPERAND = 0, 1, 6  # rax, rcx, rsi stand for general registers
POINTER, KEEP_ADDRESS = b"\x48\xbe", b"\x48\x89\x70\x40"  # movabs rsi; mov [rax + 0x40], rsi

MEMORY_SIZES = {1: (1, 1, "ub", "b"), 2: (1, 2, "uw", "w"), 4: (1, 4, "l", "l"), 8: (1, 8, "q", "q"),
                16: (2, 8, "q", "q"), 32: (4, 8, "q", "q")}  # accesses, bytes of each, names of functions
ALIGNED = frozenset(("vmovaps", "vmovapd", "vmovdqa", "vmovntps", "vmovntpd", "vmovntdq", "vmovntdqa"))
SETS_FLAGS = frozenset(("vptest", "vtestps", "vtestpd", "vcomiss", "vcomisd", "vucomiss", "vucomisd", "andn",
                        "bextr", "blsi", "blsr", "blsmsk", "bzhi", "vpcmpestri", "vpcmpestrm", "vpcmpistri",
                        "vpcmpistrm"))
LENGTHS, STRINGS = "vpcmpestr", ("vpcmpestr", "vpcmpistr")  # of mnemonics; rax and rdx are used, too
GENERAL = frozenset(("andn", "bextr", "blsi", "blsmsk", "blsr", "bzhi", "mulx", "pdep", "pext", "rorx",
                     "sarx", "shlx", "shrx"))  # BMI1 and BMI2
# beginnings of mnemonics that have nothing to do with MXCSR
UNROUNDED = (*GENERAL, "vp", "vmov", "vand", "vor", "vxor", "vshuf", "vunpck", "vblend", "vbroadcast",
             "vinsert", "vextract", "vtest", "vlddqu", "vaes", "vgather", "vmaskmov")
WIDE_ALONE = ("vaes", "vpclmul")  # of 32 bytes they are features of their own
# beginnings of mnemonics; the last one the kernel executes
NOT_OFFERED = ("vpdp", "vgf2p8", "vsha", "vsm", "vpmadd52", "vmaskmovdqu")
GATHERS = {0x90: 4, 0x91: 8, 0x92: 4, 0x93: 8}  # opcodes after 0F 38, and bytes of an index
# those that access elements by a mask, and bytes of an element; 0: VEX.W tells
LOADED_LANES, STORED_LANES = {0x2C: 4, 0x2D: 8, 0x8C: 0}, {0x2E: 4, 0x2F: 8, 0x8E: 0}
NO_MODRM, STATES = 0x77, 0xAE  # opcodes after 0F
# those that an immediate byte follows
WITH_NUMBER = frozenset((0x70, 0x71, 0x72, 0x73, 0xC2, 0xC4, 0xC5, 0xC6))
# tables and opcodes of moves and conversions of general numbers: of 32 bits in 32-bit code, whatever VEX.W is
NARROW = frozenset(((1, 0x2A), (1, 0x2C), (1, 0x2D), (1, 0x6E), (1, 0x7E), (3, 0x16), (3, 0x22)))
BY_NUMBER = frozenset((0x4A, 0x4B, 0x4C))  # after 0F 3A: bits of the immediate byte name a register
X86_OP_REG, X86_OP_MEM = 1, 3  # of capstone, which is loaded late
MODE_64, OTHER_SIZE = 0x80, 1
NOT_KNOWN = -1
INVALID = b"\x0f\x0b"  # amd64: ud2


class Encoding(NamedTuple):
    """The fields of an instruction; `memory`: its ModRM byte says that an operand is there."""

    table: int
    wide: int
    vvvv: int
    length: int
    prefix: int
    opcode: int
    reg: int
    rm: int
    memory: bool
    number: int | None
    shift: int = 0  # of an index in vector registers; that is `lanes`
    lanes: int = 0

    def encode(self) -> bytes:
        """Return the instruction with three bytes of VEX; memory is at rsi."""
        first = (self.reg < 8) << 7 | 0x40 | (self.memory or self.rm < 8) << 5 | self.table
        second = self.wide << 7 | (self.vvvv ^ 15) << 3 | self.length << 2 | self.prefix
        modrm = (self.reg & 7) << 3 | (OPERAND if self.memory else 0xC0 | self.rm & 7)
        tail = b"" if self.number is None else bytes((self.number,))
        return bytes((0xC4, first, second, self.opcode, modrm)) + tail


class _Roles(NamedTuple):
    """Which registers an instruction has in its fields: number of the operand, whether a general one."""

    reg: tuple[int, bool] | None
    vvvv: tuple[int, bool] | None
    rm: tuple[int, bool] | None
    number: tuple[int, bool] | None


class Vectors:
    """The pieces of machine code.  `xmm0` is where the engine's structure has the vector registers."""

    def __init__(self, library: ctypes.CDLL, xmm0: int) -> None:
        import capstone

        self._library, self._xmm0 = library, xmm0
        way = sse_way(library)
        self._mxcsr, self._flags, self._slow = way
        self._arena = mmap.mmap(-1, ARENA, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        self._base = ctypes.addressof(ctypes.c_char.from_buffer(self._arena))
        self._end = SCRATCH
        self._decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
        self._decoder.detail = True
        self._made: dict[tuple[Encoding, bool, bool], tuple[int, int]] = {}
        read, write = (function(library, f"cpu_{name}_data_ra") for name in ("ldq", "stq"))
        read4, write4 = (function(library, f"cpu_{name}_data_ra") for name in ("ldl", "stl"))
        self._load = self._put(LOAD_OPERAND)
        self._store = self._put(STORE_OPERAND)
        self._gather = self._put(GATHER, (WIDE_AT, read), (NARROW_AT, read4))
        self._load_lanes = self._put(LOAD_LANES, (WIDE_AT, read), (NARROW_AT, read4))
        self._store_lanes = self._put(STORE_LANES, (WIDE_AT, write), (NARROW_AT, write4))
        self._trial = self._end + 64 & -64
        self._end = self._trial + 64
        try_at, give_up = self._put(TRY), self._put(GIVE_UP)
        self._caught = self._put(CAUGHT, (FIRST, self._base + self._trial), (SECOND, give_up))
        self._try = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64)(try_at)
        self._system = ctypes.CDLL(None)
        kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64, ctypes.c_int, ctypes.c_int, ctypes.c_uint64)
        self.callback = kind(self._asked)

    # -- the translator's questions -------------------------------------------------------------

    def _asked(self, at: int, have: int, mode: int, result: int) -> int:
        """See `decoding.ask_about_vectors`."""
        code, wide = ctypes.string_at(at, have), bool(mode & MODE_64)
        needed = self._needed(code, wide)
        if needed > have or needed == NOT_KNOWN:
            return needed
        try:
            short = bool(mode & OTHER_SIZE)
            found = self._replaced(code, wide, short) if wide or not short else None
        except MemoryError:
            found = None
        instead, piece = found if found is not None else (INVALID.ljust(have), 0)
        ctypes.memmove(at, instead, have)
        ctypes.c_uint64.from_address(result).value = piece
        return 0

    @staticmethod
    def _needed(code: bytes, wide: bool) -> int:
        """Return how long the instruction is, as far as can be told; NOT_KNOWN if it has no VEX prefix."""
        if not wide and code[1] < 0xC0:
            return NOT_KNOWN
        at = 2 if code[0] == 0xC5 else 3
        if len(code) <= at:
            return at + 1
        table = 1 if code[0] == 0xC5 else code[1] & 31
        opcode = code[at]
        if table == 1 and opcode == NO_MODRM:
            return at + 1
        if table not in (1, 2, 3):
            return NOT_KNOWN
        at += 1
        if len(code) <= at:
            return at + 1
        mode, rm = code[at] >> 6, code[at] & 7
        at += 1
        if mode != 3 and rm == 4:
            if len(code) <= at:
                return at + 1
            rm = code[at] & 7
            at += 1
        at += {0: 4 if rm == 5 else 0, 1: 1, 2: 4, 3: 0}[mode]
        return at + (table == 3 or (table == 1 and opcode in WITH_NUMBER))

    def _replaced(self, code: bytes, wide: bool, short: bool) -> tuple[bytes, int] | None:
        """Return what is put in the place of a whole instruction, and the piece that is called, or 0."""
        long = code[0] == 0xC4
        first, last = (code[1], code[2]) if long else (code[1] & 0x80 | 0x61, code[1] & 0x7F)
        first |= 0 if wide else 0xE0
        at = 3 if long else 2
        opcode = code[at]
        fields = {"table": first & 31, "wide": last >> 7, "vvvv": (last >> 3 & 15 ^ 15) & (15 if wide else 7),
                  "length": last >> 2 & 1, "prefix": last & 3, "opcode": opcode}
        if not wide and (fields["table"], opcode) in NARROW:
            fields["wide"] = 0
        if fields["table"] == 1 and opcode == NO_MODRM:
            return self._without_operands(len(code), fields, wide)
        modrm, tail = code[at + 1], code[at + 2:]
        number = None
        if fields["table"] == 3 or (fields["table"] == 1 and opcode in WITH_NUMBER):
            number, tail = tail[-1] & (255 if wide or opcode not in BY_NUMBER else 127), tail[:-1]
        memory, bits = modrm < 0xC0, ~first
        reg, rm = modrm >> 3 & 7 | bits >> 4 & 8, modrm & 7 | bits >> 2 & 8
        index, shift = 0, 0
        rex = bits >> 5 & 3
        vector_index = fields["table"] == 2 and opcode in GATHERS
        if memory and vector_index:
            if modrm & 7 != 4:
                return None
            index, shift = tail[0] >> 3 & 7 | bits >> 3 & 8, tail[0] >> 6
            tail, rex = bytes((tail[0] & 7 | 0x20,)) + tail[1:], rex & 1
        if fields["table"] == 1 and opcode == STATES and memory and not fields["length"]:
            return self._instead(len(code), modrm, tail, wide, rex, 0xAE), 0  # as without VEX
        encoding = Encoding(**fields, reg=reg, rm=0 if memory else rm, memory=memory, number=number,
                            shift=shift, lanes=index)
        made = self._made.get((encoding, wide, short))
        if made is None and len(self._made) >= MOST_ENCODINGS:
            raise MemoryError("programs use too many different vector instructions")
        if made is None:
            made = self._made[encoding, wide, short] = self._make(encoding, wide, short)
        piece, kind = made
        if not piece:
            return None
        extension = 8 if kind else 0
        modrm = modrm & 0xC7 | extension if memory else extension
        return self._instead(len(code), modrm, tail if memory else b"", wide, rex if memory else 0,
                             0xC7 if kind else 0xAE), piece

    @staticmethod
    def _instead(size: int, modrm: int, tail: bytes, wide: bool, rex: int, opcode: int) -> bytes:
        """Return `size` bytes of an instruction that begins with prefixes as needed."""
        body = bytes((0x0F, opcode, modrm)) + tail
        prefixes = size - len(body)
        if not wide:
            return b"\x66" * prefixes + body
        return (b"\x40" * (prefixes - 1) + bytes((0x40 | rex,)) if prefixes else b"") + body

    # -- pieces ---------------------------------------------------------------------------------

    def _put(self, code: bytes, *more: tuple[bytes, int]) -> int:
        """Append code, with its placeholders filled in; returns its address."""
        places = ((RAISE_AT, function(self._library, "raise_exception_err_ra")),
                  (PROBE_AT, function(self._library, "probe_access")), *more)
        for placeholder, value in places:
            code = code.replace(placeholder, struct.pack("<Q", value))
        if not more or more[0][0] != FIRST:
            code = code.replace(SCRATCH_AT, struct.pack("<Q", self._base))
        at = self._end + 15 & ~15
        if at + len(code) > ARENA:
            raise MemoryError("vector instructions need too much machine code")
        self._arena[at:at + len(code)] = code
        self._end = at + len(code)
        return self._base + at

    def _without_operands(self, size: int, fields: dict[str, int], wide: bool) -> tuple[bytes, int] | None:
        """vzeroupper and vzeroall."""
        if fields["prefix"] or fields["vvvv"]:
            return None
        code = CLEAR
        for number in range(16 if wide else 8):
            for half in ((0, 16) if fields["length"] else (16,)):
                code += b"\x0f\x11\x87" + struct.pack("<i", self._place(number) + half)  # movups [rdi], xmm0
        return self._instead(size, 0, b"", wide, 0, 0xAE), self._put(code + RETURN)

    def _place(self, number: int) -> int:
        return self._xmm0 + 64 * number

    def _make(self, encoding: Encoding, wide: bool, short: bool) -> tuple[int, int]:
        """Return a piece that executes an instruction, 0 if there is none, and whether it sets flags."""
        if encoding.table == 2 and encoding.memory:
            lanes = self._by_lanes(encoding, wide, short)
            if lanes is not None:
                return lanes, 0
        found = self._decode(encoding)
        if found is None or not self._offered(found, encoding):
            return 0, 0
        roles = self._roles(encoding, found)
        rewritten = encoding._replace(
            wide=0 if not wide and self._general(roles, found) else encoding.wide,
            reg=REGISTER if roles.reg is not None and roles.reg[1] else encoding.reg,
            vvvv=OTHER if roles.vvvv is not None and roles.vvvv[1] else encoding.vvvv,
            rm=OPERAND if roles.rm is not None and roles.rm[1] else encoding.rm)
        if not self._works(rewritten.encode()):
            return 0, 0
        return self._compose(encoding, rewritten, roles, found), found.mnemonic in SETS_FLAGS

    @staticmethod
    def _general(roles: _Roles, found: CsInsn) -> bool:
        """Whether an instruction uses general registers, of which 32-bit programs have half."""
        return found.mnemonic.startswith(LENGTHS) or any(role is not None and role[1] for role in roles)

    def _decode(self, encoding: Encoding) -> CsInsn | None:
        return next(self._decoder.disasm(encoding.encode(), 0, 1), None)

    def _offered(self, found: CsInsn, encoding: Encoding) -> bool:
        name = found.mnemonic
        return (name in GENERAL or (name.startswith("v") and not name.startswith(NOT_OFFERED)
                and not (encoding.length and name.startswith(WIDE_ALONE))))

    def _roles(self, encoding: Encoding, found: CsInsn) -> _Roles:
        """Find which operand is in which field: the one that changes with it."""
        def role(name: str, number: int) -> tuple[int, bool] | None:
            other = Encoding(**encoding._asdict() | {name: number})
            changed = self._decode(other)
            if (changed is None or changed.mnemonic != found.mnemonic
                    or len(changed.operands) != len(found.operands)):
                return None
            for at, (before, after) in enumerate(zip(found.operands, changed.operands, strict=True)):
                if before.type == after.type == X86_OP_REG and before.reg != after.reg:
                    return at, (found.reg_name(before.reg) or "")[1:3] != "mm"
            return None
        by_number = encoding.table == 3 and encoding.opcode in BY_NUMBER
        return _Roles(role("reg", encoding.reg ^ 1), role("vvvv", encoding.vvvv ^ 1),
                      None if encoding.memory else role("rm", encoding.rm ^ 1),
                      role("number", (encoding.number or 0) ^ 16) if by_number else None)

    def _works(self, code: bytes) -> bool:
        """Whether the host's processor knows an instruction, whose operand in memory is at rsi."""
        self._arena[self._trial:self._trial + len(code) + 1] = code + RETURN
        action = struct.pack("<Q128xi4xQ", self._caught, SA_SIGINFO, 0)
        before = ctypes.create_string_buffer(len(action))
        self._system.sigaction(SIGILL, action, before)
        try:
            return bool(self._try(self._base + self._trial))
        finally:
            self._system.sigaction(SIGILL, before, None)

    def _compose(self, encoding: Encoding, rewritten: Encoding, roles: _Roles, found: CsInsn) -> int:
        fields = ((roles.reg, encoding.reg, REGISTER), (roles.vvvv, encoding.vvvv, OTHER),
                  (roles.rm, encoding.rm, OPERAND), (roles.number, (encoding.number or 0) >> 4, 0))
        used = [(role, number, stand_in) for role, number, stand_in in fields if role is not None]
        targets = (0, 1) if found.mnemonic == "mulx" else (0,)
        memory = next((each for each in found.operands if each.type == X86_OP_MEM), None)
        size = memory.size if memory is not None else 0
        stores = memory is not None and found.operands[0].type == X86_OP_MEM
        body, keep, before = b"", b"", b""
        for (_at, general), number, stand_in in used:
            body += self._load_general(stand_in, number) if general else self._move(0x10, number)
        if found.mnemonic.startswith(LENGTHS):
            body += self._load_general(0, 0)
        if found.mnemonic.startswith((LENGTHS, "mulx")):
            body += LOAD_RDX
        if memory is not None:
            body += POINTER + struct.pack("<Q", self._base)
            before = b"\x48\xb8" + struct.pack("<Q", self._base) + KEEP_ADDRESS  # movabs rax
            if not stores:
                before += self._access(self._load, size, found.mnemonic, CALL_RAX, False)
        body += rewritten.encode()
        for (at, general), number, stand_in in sorted(used, reverse=True):
            if at in targets:
                keep += self._store_general(stand_in, number) if general else self._move(0x11, number)
        if found.mnemonic.startswith(STRINGS):  # the result is in rcx or xmm0
            keep = self._store_general(1, 1) if found.mnemonic.endswith("i") else self._move(0x11, 0)
        if found.mnemonic in SETS_FLAGS:
            body += KEEP_FLAGS
            keep += STORE_FLAGS + struct.pack("<i", self._flags)
        keep += ZERO_UPPER
        keep += self._access(self._store, size, found.mnemonic, JUMP_RAX, True) if stores else RETURN
        if found.mnemonic.startswith(UNROUNDED):
            return self._put(before + body + keep)
        return self._with_status(before, body, keep)

    def _with_status(self, before: bytes, body: bytes, keep: bytes) -> int:
        """Put code that computes under the program's MXCSR; its exceptions are as `hostfloat` has them."""
        mxcsr = struct.pack("<i", self._mxcsr)
        kept, whole = self._put(keep), self._put(body + RETURN)
        again = self._put(body + SSE_KEEP.replace(FIELD, mxcsr) + keep)
        other = SSE_OTHER
        for name, address in (("COMMON", self._slow), ("BODY", whole), ("RETRY", again), ("KEEP", kept)):
            other = other.replace(PLACES[name], struct.pack("<Q", address))
        unless = b"\x0f\x85" + struct.pack("<i", len(keep))  # jne
        return self._put(before + body + SSE_CHECK.replace(FIELD, mxcsr) + unless + keep + other)

    def _access(self, routine: int, size: int, mnemonic: str, go: bytes, stores: bool) -> bytes:
        count, step, *names = MEMORY_SIZES[size]
        access = function(self._library, f"cpu_{'st' if stores else 'ld'}{names[stores]}_data_ra")
        mask = size - 1 if mnemonic in ALIGNED else 0
        return (struct.pack("<BI", 0xBA, mask) + struct.pack("<BI", 0xB9, count)  # mov edx; mov ecx
                + b"\x41\xb8" + struct.pack("<I", step) + b"\x49\xb9" + struct.pack("<Q", access)  # r8d; r9
                + b"\x48\xb8" + struct.pack("<Q", routine) + go)

    def _move(self, opcode: int, number: int) -> bytes:
        """vmovups between a vector register and its place."""
        return (bytes((0xC5, 0xFC if number < 8 else 0x7C, opcode, 0x87 | (number & 7) << 3))
                + struct.pack("<i", self._place(number)))

    @staticmethod
    def _load_general(into: int, number: int) -> bytes:
        return bytes((0x48, 0x8B, 0x87 | into << 3)) + struct.pack("<i", 8 * number)

    @staticmethod
    def _store_general(source: int, number: int) -> bytes:
        return bytes((0x48, 0x89, 0x87 | source << 3)) + struct.pack("<i", 8 * number)

    # -- element by element ---------------------------------------------------------------------

    def _by_lanes(self, encoding: Encoding, wide: bool, short: bool) -> int | None:
        """Return a piece for an instruction that accesses elements by themselves; 0 if it is invalid."""
        opcode = encoding.opcode
        element = 8 if encoding.wide else 4
        if encoding.prefix != 1:
            return None
        if opcode in GATHERS:
            index, reg, mask = encoding.lanes, encoding.reg, encoding.vvvv
            if len({index, reg, mask}) < 3:
                return 0
            lanes = (32 if encoding.length else 16) // max(element, GATHERS[opcode])
            limit = (1 << 64) - 1 if wide and not short else (1 << 32) - 1
            start = (b"\x48\xb8" + struct.pack("<Q", self._base) + b"\x49\xb8" + struct.pack("<Q", limit)
                     + b"\x4c\x89\x40" + bytes((ADDRESS_MASK,)))  # movabs rax; movabs r8; mov [rax + ...], r8
            return self._before(self._gather, start + self._lanes(reg, mask, lanes, element)
                                + b"\x48\x8d\x87" + struct.pack("<i", self._place(index))  # lea rax, [rdi]
                                + b"\x41\xb9" + struct.pack("<I", GATHERS[opcode])  # mov r9d
                                + b"\x41\xbb" + struct.pack("<I", encoding.shift))  # mov r11d
        if opcode in LOADED_LANES or opcode in STORED_LANES:
            table, routine = ((LOADED_LANES, self._load_lanes) if opcode in LOADED_LANES
                              else (STORED_LANES, self._store_lanes))
            if table[opcode] and encoding.wide:
                return 0
            element = table[opcode] or element
            lanes = (32 if encoding.length else 16) // element
            return self._before(routine, self._lanes(encoding.reg, encoding.vvvv, lanes, element))
        return None

    def _lanes(self, reg: int, mask: int, lanes: int, element: int) -> bytes:
        return (b"\x48\x8d\x97" + struct.pack("<i", self._place(reg))  # lea rdx, [rdi]
                + b"\x48\x8d\x8f" + struct.pack("<i", self._place(mask))  # lea rcx, [rdi]
                + b"\x41\xb8" + struct.pack("<I", lanes)  # mov r8d
                + b"\x41\xba" + struct.pack("<I", element))  # mov r10d

    def _before(self, routine: int, code: bytes) -> int:
        """Put code that goes on at a routine."""
        at = self._base + (self._end + 15 & ~15) + len(code) + 5
        return self._put(code + b"\xe9" + struct.pack("<i", routine - at))  # jmp


def install(library: ctypes.CDLL, xmm0: int) -> None:
    """Have engines execute these instructions for programs, where `decoding` has been told to ask."""
    if asks_about_vectors(library):
        return
    vectors = Vectors(library, xmm0)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(vectors))  # the library stays changed until the process ends
    ask_about_vectors(library, ctypes.cast(vectors.callback, ctypes.c_void_p).value or 0)
