"""Executed code is counted where it runs: the call at the start of each translated block is replaced.

Before each block the engine calls the counter, and then a function that looks whether it is to stop.  When
the counter is called for the first time from a block, it writes PIECE over what prepares the two calls: that
counts the block by itself, and makes either call only where there is something to do, as before.  What it
writes over is compared byte by byte first; where a block begins in another way, or is longer than 127
bytes, it stays as it is.

Addresses are found by probing: where the engine notes that it is to stop, and where it keeps its own address,
both beside the registers.  The counter and what it counts lie below 4 GiB, so that they take few bytes.
"""

from __future__ import annotations

import ctypes
import mmap
import struct

from runtime.kernel.cpu.emulator import LOW, MAP_LOW
from runtime.kernel.cpu.x86.patches import function
from runtime.kernel.memory.physical import PAGE

FAR = 1 << 62  # what the engine hands to the counter, which needs it not: a number that takes eight bytes
REACH = 1 << 17  # bytes before the registers that are searched
# how the function begins that looks whether the engine is to stop: it goes by two distances
# amd64: mov r8, qword ptr [rdi + 0x22222222]; mov eax, dword ptr [r8 + 0x22222222]; test eax, eax
LOOKS = b"\x4c\x8b\x87\x22\x22\x22\x22\x41\x8b\x80\x22\x22\x22\x22\x85\xc0"
FIXED, DISTANCES = (slice(3), slice(7, 10), slice(14, 16)), struct.Struct("<3xi3xi2x")
SLICE, NOTED, OWNER = b"\x11\x11\x11\x11", b"\x7d\x22", b"\x33\x33\x33\x33"  # filled in below
STOP = struct.pack("<Q", 0x2000000000000001)
# The counter: counts, compares, and writes what follows it, with the size of the block.
# amd64: test rcx, rcx; je slow; mov ecx, 0x11111111; mov edx, edx; cmp qword ptr [rcx], 0; jle stop; sub \
#   qword ptr [rcx], rdx; cmp edx, 0x7f; ja out; mov rax, qword ptr [rsp]; cmp word ptr [rax - 0x6], \
#   0x15ff; jne out; cmp word ptr [rax - 0x10], 0xb948; jne out; cmp byte ptr [rax - 0x15], 0xba; jne out; \
#   cmp dword ptr [rax - 0x14], edx; jne out; cmp word ptr [rax], 0xbf48; jne out; cmp word ptr [rax + \
#   0xa], 0xf633; jne out; cmp byte ptr [rax + 0xc], 0xe8; je known; cmp word ptr [rax + 0xc], 0x15ff; jne \
#   out; known: cmp word ptr [rax - 0x1f], 0xbe48; jne small; cmp word ptr [rax - 0x29], 0xbf48; jne small; \
#   mov ecx, 0x441f0f; mov qword ptr [rax - 0x29], rcx; jmp write; small: cmp byte ptr [rax - 0x1a], 0xbe; \
#   jne out; cmp word ptr [rax - 0x24], 0xbf48; jne out; write: movups xmm0, xmmword ptr [rip + piece]; \
#   movups xmm1, xmmword ptr [rip + piece + 0xe]; movups xmmword ptr [rsp - 0x28], xmm0; movups xmmword ptr \
#   [rsp - 0x1a], xmm1; mov byte ptr [rsp - 0x20], dl; mov byte ptr [rsp - 0x14], dl; cmp byte ptr [rax + \
#   0xc], 0xe8; je near; inc byte ptr [rsp - 0x18]; near: movups xmm0, xmmword ptr [rsp - 0x28]; movups \
#   xmm1, xmmword ptr [rsp - 0x1a]; movups xmmword ptr [rax - 0x24], xmm0; movups xmmword ptr [rax - 0x16], \
#   xmm1; out: ret; slow: mov ecx, 0x11111111; movzx edx, dl; add rdx, qword ptr [rcx]; jg out; mov qword \
#   ptr [rcx], rdx; stop: movabs rax, 0x2000000000000001; jmp rax; piece:
COUNTER = (
    b"\x48\x85\xc9\x0f\x84\xcf\x00\x00\x00\xb9\x11\x11\x11\x11\x89\xd2\x48\x83\x39\x00\x0f\x8e\xce\x00"
    b"\x00\x00\x48\x29\x11\x83\xfa\x7f\x0f\x87\xb1\x00\x00\x00\x48\x8b\x04\x24\x66\x81\x78\xfa\xff\x15"
    b"\x0f\x85\xa1\x00\x00\x00\x66\x81\x78\xf0\x48\xb9\x0f\x85\x95\x00\x00\x00\x80\x78\xeb\xba\x0f\x85"
    b"\x8b\x00\x00\x00\x39\x50\xec\x0f\x85\x82\x00\x00\x00\x66\x81\x38\x48\xbf\x75\x7b\x66\x81\x78\x0a"
    b"\x33\xf6\x75\x73\x80\x78\x0c\xe8\x74\x08\x66\x81\x78\x0c\xff\x15\x75\x65\x66\x81\x78\xe1\x48\xbe"
    b"\x75\x13\x66\x81\x78\xd7\x48\xbf\x75\x0b\xb9\x0f\x1f\x44\x00\x48\x89\x48\xd7\xeb\x0e\x80\x78\xe6"
    b"\xbe\x75\x44\x66\x81\x78\xdc\x48\xbf\x75\x3c\x0f\x10\x05\x52\x00\x00\x00\x0f\x10\x0d\x59\x00\x00"
    b"\x00\x0f\x11\x44\x24\xd8\x0f\x11\x4c\x24\xe6\x88\x54\x24\xe0\x88\x54\x24\xec\x80\x78\x0c\xe8\x74"
    b"\x04\xfe\x44\x24\xe8\x0f\x10\x44\x24\xd8\x0f\x10\x4c\x24\xe6\x0f\x11\x40\xdc\x0f\x11\x48\xea\xc3"
    b"\xb9\x11\x11\x11\x11\x0f\xb6\xd2\x48\x03\x11\x7f\xf2\x48\x89\x11\x48\xb8\x01\x00\x00\x00\x00\x00"
    b"\x00\x20\xff\xe0")
# What it writes: rbp has the address of the registers.  The last instruction prepares the call that is there.
# amd64: start: sub qword ptr [0x11111111], 0x7f; jle slow; cmp dword ptr [rbp + 0x22], 0; jns start + \
#   0x35; jmp start + 0x24; slow: mov dl, 0x7f; xor ecx, ecx; mov rdi, qword ptr [rbp + 0x33333333]
PIECE = (
    b"\x48\x83\x2c\x25\x11\x11\x11\x11\x7f\x7e\x08\x83\x7d\x22\x00\x79\x24\xeb\x11\xb2\x7f\x31\xc9\x48\x8b"
    b"\xbd\x33\x33\x33\x33")


def counter(library: ctypes.CDLL, engine: int, registers: int, counted: int) -> mmap.mmap | None:
    """Return a page with the counter for an engine; None where blocks cannot be counted in place.

    `engine` is the address of Unicorn's structure, `registers` that of the first register, and `counted` that
    of the word with the bytes of code that are left.
    """
    try:
        looks = ctypes.string_at(function(library, "helper_check_exit_request"), len(LOOKS))
    except ValueError:
        return None
    if any(looks[part] != LOOKS[part] for part in FIXED) or counted >= LOW:
        return None
    to_processor, to_note = DISTANCES.unpack(looks)
    processor = ctypes.c_uint64.from_address(engine + to_processor).value
    noted = processor + to_note - registers
    if not 0 < registers - processor < REACH or not -128 <= noted < 128:
        return None
    owner = ctypes.string_at(processor, registers - processor).find(struct.pack("<Q", engine))
    stop = ctypes.cast(library.uc_emu_stop, ctypes.c_void_p).value
    page = mmap.mmap(-1, PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_LOW,
                     prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    if owner < 0 or stop is None or ctypes.addressof(ctypes.c_char.from_buffer(page)) >= LOW:
        return None
    where = struct.pack("<I", counted)
    page.write(COUNTER.replace(SLICE, where).replace(STOP, struct.pack("<Q", stop))
               + PIECE.replace(SLICE, where).replace(NOTED, NOTED[:1] + struct.pack("<b", noted))
               .replace(OWNER, struct.pack("<i", processor + owner - registers)))
    return page
