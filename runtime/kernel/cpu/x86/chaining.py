"""Jumps from one block of translated code to another, where the engine looks for the next one each time.

The engine has a block jump straight to the next only where both lie in one page of the program, and the
address of the next is known.  Otherwise (calls and jumps between pages, returns, jumps through tables) the
block calls a function that looks in a table by the program counter.  Here that function, where a place has
called it some times, writes PIECE, and has the place jump there.  A piece compares the program counter with
the one that it was written for, then the table's entry with the block that it had, and jumps to that block;
where the counter differs, it goes on to the next piece of the same place, and from the last one calls the
function as before.  A place with more than four next blocks gets TABLE instead, which looks in the table
itself.  The table's entry is cleared, as ever, when the block or what is mapped changes.

Which of a block's modes hold at its end follows from its code and from those it began with, as for blocks
that jump straight to each other.  So PIECE does not compare them.

Pieces lie in the engine's own buffer of code, between blocks, and go with them.  Addresses are found in the
function itself, which must consist of the expected instructions, and are compared with an engine's.
"""

from __future__ import annotations

import ctypes
import os
import struct

from runtime.kernel.cpu.x86.patches import Patches, distances, expected, function, overwritten

NAME = "helper_lookup_tb_ptr"  # the function
LOOKED_AT = 256  # its bytes
MOVED = 14  # bytes at its start that are whole instructions: a jump takes their place
# in the code below: the function itself; what counts how often places called it; distances from the
# registers: the base of the code's segment, the program counter, the table, Unicorn's structure; from that,
# the translator's; from that, the end of what is translated, and where its buffer counts as full
ORIGINAL, CALLED = (struct.pack("<Q", number) for number in (0x2000000000000001, 0x2000000000000004))
FIELDS = [struct.pack("<I", 0x10000001 + at) for at in range(7)]
CALLED_SIZE = 4096
# how the translator's structure goes on from the address of what the function returns where no block is:
# where blocks begin; the buffer, its size, that of blocks; the end of what is translated; data; where the
# buffer counts as full
BUFFER = struct.Struct("<8Q")
FILLED, FULL = 40, 56

# The function, as it is expected.
# amd64: start: push r12; push rbp; mov rbp, rdi; push rbx; mov rax, qword ptr [rdi + 0x22222222]; mov \
#   r8d, dword ptr [rdi + 0x22222222]; mov rdx, qword ptr [rax + 0x22222222]; mov rsi, qword ptr [rax + \
#   0x22222222]; mov ecx, dword ptr [rax + 0x22222222]; shl r8d, 0x18; add rsi, rdx; and ecx, 0x73100; or \
#   ecx, dword ptr [rax + 0x22222222]; mov rax, rsi; shr rax, 6; xor rax, rsi; mov rbx, rax; and eax, 0x3f; \
#   shr rbx, 6; and ebx, 0xfc0; or eax, ebx; mov ebx, eax; mov rax, qword ptr [rdi + rbx*8 + 0x22222222]; \
#   test rax, rax; je start + 0xa0; cmp rsi, qword ptr [rax]; jne start + 0xa0; cmp rdx, qword ptr [rax + \
#   8]; jne start + 0xa0; cmp ecx, dword ptr [rax + 0x10]; jne start + 0xa0; mov edi, dword ptr [rax + \
#   0x1c]; cmp rdi, qword ptr [rbp + 0x22222222]; jne start + 0xa0; mov edi, dword ptr [rax + 0x18]; and \
#   edi, 0xff0effff; cmp r8d, edi; jne start + 0xa0; pop rbx; mov rax, qword ptr [rax + 0x20]; pop rbp; pop \
#   r12; ret
LOOKS = (
    b"\x41\x54\x55\x48\x89\xfd\x53\x48\x8b\x87\x22\x22\x22\x22\x44\x8b\x87\x22\x22\x22\x22\x48\x8b\x90\x22"
    b"\x22\x22\x22\x48\x8b\xb0\x22\x22\x22\x22\x8b\x88\x22\x22\x22\x22\x41\xc1\xe0\x18\x48\x01\xd6\x81\xe1"
    b"\x00\x31\x07\x00\x0b\x88\x22\x22\x22\x22\x48\x89\xf0\x48\xc1\xe8\x06\x48\x31\xf0\x48\x89\xc3\x83\xe0"
    b"\x3f\x48\xc1\xeb\x06\x81\xe3\xc0\x0f\x00\x00\x09\xd8\x89\xc3\x48\x8b\x84\xdf\x22\x22\x22\x22\x48\x85"
    b"\xc0\x74\x39\x48\x3b\x30\x75\x34\x48\x3b\x50\x08\x75\x2e\x3b\x48\x10\x75\x29\x8b\x78\x1c\x48\x3b\xbd"
    b"\x22\x22\x22\x22\x75\x1d\x8b\x78\x18\x81\xe7\xff\xff\x0e\xff\x41\x39\xf8\x75\x0f\x5b\x48\x8b\x40\x20"
    b"\x5d\x41\x5c\xc3")
# amd64: lea rdi, [rbp + 0x22222222]; mov r12, qword ptr [rbp + 0x22222222]
MISSES = b"\x48\x8d\xbd\x22\x22\x22\x22\x4c\x8b\xa5\x22\x22\x22\x22"
# amd64: mov rax, qword ptr [r12 + 0x22222222]; pop rbx; pop rbp; pop r12; mov rax, qword ptr [rax + \
#   0x22222222]; ret
ENDS = b"\x49\x8b\x84\x24\x22\x22\x22\x22\x5b\x5d\x41\x5c\x48\x8b\x80\x22\x22\x22\x22\xc3"
# What comes first now.  r8: where it returns to; rsi: the program counter; rcx, rdx: entry and block; rax:
# the block's code; r9: what is to lead to a new piece; r11: a piece, or what the place called.
# amd64: sub rsp, 8; movabs rax, 0x2000000000000001; call rax; add rsp, 8; mov r8, qword ptr [rsp]; \
#   movabs r10, 0x2000000000000004; mov ecx, r8d; and ecx, 0xfff; inc byte ptr [r10 + rcx]; test byte ptr \
#   [r10 + rcx], 0xf; jne out; cmp qword ptr [rbp + 0x10000001], 0; jne out; cmp word ptr [r8], 0xe0ff; jne \
#   out; mov rsi, qword ptr [rbp + 0x10000002]; mov rcx, rsi; shr rcx, 6; xor rcx, rsi; mov edx, ecx; shr \
#   ecx, 6; and ecx, 0xfc0; and edx, 0x3f; or ecx, edx; lea rcx, [rcx*8 + 0x10000003]; mov rdx, qword ptr \
#   [rbp + rcx]; test rdx, rdx; je out; cmp qword ptr [rdx + 0x20], rax; jne out; mov r10d, 4; lea r9, [r8 \
#   - 4]; movsxd r11, dword ptr [r9]; add r11, r8; cmp byte ptr [r8 - 5], 0xe9; je walk; cmp byte ptr [r8 - \
#   5], 0xe8; je new; cmp word ptr [r8 - 6], 0x15ff; jne out; mov r11, qword ptr [r11]; jmp new; walk: cmp \
#   byte ptr [r11 + 1], 0xb8; jne out; cmp qword ptr [r11 + 2], rsi; je known; dec r10d; lea r9, [r11 + \
#   0x13]; movsxd rdi, dword ptr [r9]; cmp edi, -0x2b; je last; lea r11, [r9 + rdi + 4]; jmp walk; last: \
#   mov r11, qword ptr [r11 - 0xa]; new: push rbx; push rcx; push rsi; mov ecx, 0x40; lea rsi, [rip + \
#   pieces]; test r10d, r10d; jne single; add rsi, rcx; add ecx, ecx; lea r9, [r8 - 4]; single: mov r10, \
#   qword ptr [rbp + 0x10000004]; mov r10, qword ptr [r10 + 0x10000005]; mov rdi, qword ptr [r10 + \
#   0x10000006]; add rdi, 0x3f; and rdi, -0x40; lea rbx, [rdi + rcx]; cmp rbx, qword ptr [r10 + \
#   0x10000007]; ja full; mov qword ptr [r10 + 0x10000006], rbx; mov rbx, rdi; rep movsb; mov rdi, rbx; \
#   full: pop rsi; pop rcx; pop rbx; ja out; mov qword ptr [rdi + 0xa], r11; lea r11, [r8 - 7]; sub r11d, \
#   edi; mov dword ptr [rdi + 3], r11d; lea r11, [rdi + 0x10]; sub r11d, r9d; mov dword ptr [r9], r11d; cmp \
#   byte ptr [r8 - 5], 0x15; jne near; mov byte ptr [r8 - 6], 0x90; near: mov byte ptr [r8 - 5], 0xe9; cmp \
#   byte ptr [rdi + 0x15], 0xb8; je one; mov ecx, dword ptr [rdx + 0x10]; mov dword ptr [rdi + 0x4a], ecx; \
#   mov ecx, dword ptr [rdx + 0x18]; mov dword ptr [rdi + 0x53], ecx; ret; one: mov qword ptr [rdi + 0x16], \
#   rsi; mov dword ptr [rdi + 0x27], -0x2b; jmp set; known: lea rdi, [r11 - 0x14]; movsxd r11, dword ptr \
#   [rdi + 0x2e]; lea r11, [rdi + r11 + 0x32]; cmp r11, rdx; je out; set: lea r11, [rdi + 0x32]; sub edx, \
#   r11d; mov dword ptr [rdi + 0x2e], edx; mov dword ptr [rdi + 0x35], ecx; lea r11, [rdi + 0x40]; mov edx, \
#   eax; sub edx, r11d; mov dword ptr [rdi + 0x3c], edx; out: ret; pieces:
LOOK_UP = (
    b"\x48\x83\xec\x08\x48\xb8\x01\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x48\x83\xc4\x08\x4c\x8b\x04\x24\x49"
    b"\xba\x04\x00\x00\x00\x00\x00\x00\x20\x44\x89\xc1\x81\xe1\xff\x0f\x00\x00\x41\xfe\x04\x0a\x41\xf6\x04"
    b"\x0a\x0f\x0f\x85\x8a\x01\x00\x00\x48\x83\xbd\x01\x00\x00\x10\x00\x0f\x85\x7c\x01\x00\x00\x66\x41\x81"
    b"\x38\xff\xe0\x0f\x85\x70\x01\x00\x00\x48\x8b\xb5\x02\x00\x00\x10\x48\x89\xf1\x48\xc1\xe9\x06\x48\x31"
    b"\xf1\x89\xca\xc1\xe9\x06\x81\xe1\xc0\x0f\x00\x00\x83\xe2\x3f\x09\xd1\x48\x8d\x0c\xcd\x03\x00\x00\x10"
    b"\x48\x8b\x54\x0d\x00\x48\x85\xd2\x0f\x84\x39\x01\x00\x00\x48\x39\x42\x20\x0f\x85\x2f\x01\x00\x00\x41"
    b"\xba\x04\x00\x00\x00\x4d\x8d\x48\xfc\x4d\x63\x19\x4d\x01\xc3\x41\x80\x78\xfb\xe9\x74\x19\x41\x80\x78"
    b"\xfb\xe8\x74\x41\x66\x41\x81\x78\xfa\xff\x15\x0f\x85\x04\x01\x00\x00\x4d\x8b\x1b\xeb\x2f\x41\x80\x7b"
    b"\x01\xb8\x0f\x85\xf4\x00\x00\x00\x49\x39\x73\x02\x0f\x84\xbf\x00\x00\x00\x41\xff\xca\x4d\x8d\x4b\x13"
    b"\x49\x63\x39\x83\xff\xd5\x74\x07\x4d\x8d\x5c\x39\x04\xeb\xd5\x4d\x8b\x5b\xf6\x53\x51\x56\xb9\x40\x00"
    b"\x00\x00\x48\x8d\x35\xc2\x00\x00\x00\x45\x85\xd2\x75\x09\x48\x01\xce\x01\xc9\x4d\x8d\x48\xfc\x4c\x8b"
    b"\x95\x04\x00\x00\x10\x4d\x8b\x92\x05\x00\x00\x10\x49\x8b\xba\x06\x00\x00\x10\x48\x83\xc7\x3f\x48\x83"
    b"\xe7\xc0\x48\x8d\x1c\x0f\x49\x3b\x9a\x07\x00\x00\x10\x77\x0f\x49\x89\x9a\x06\x00\x00\x10\x48\x89\xfb"
    b"\xf3\xa4\x48\x89\xdf\x5e\x59\x5b\x77\x75\x4c\x89\x5f\x0a\x4d\x8d\x58\xf9\x41\x29\xfb\x44\x89\x5f\x03"
    b"\x4c\x8d\x5f\x10\x45\x29\xcb\x45\x89\x19\x41\x80\x78\xfb\x15\x75\x05\x41\xc6\x40\xfa\x90\x41\xc6\x40"
    b"\xfb\xe9\x80\x7f\x15\xb8\x74\x0d\x8b\x4a\x10\x89\x4f\x4a\x8b\x4a\x18\x89\x4f\x53\xc3\x48\x89\x77\x16"
    b"\xc7\x47\x27\xd5\xff\xff\xff\xeb\x12\x49\x8d\x7b\xec\x4c\x63\x5f\x2e\x4e\x8d\x5c\x1f\x32\x49\x39\xd3"
    b"\x74\x19\x4c\x8d\x5f\x32\x44\x29\xda\x89\x57\x2e\x89\x4f\x35\x4c\x8d\x5f\x40\x89\xc2\x44\x29\xda\x89"
    b"\x57\x3c\xc3")
# What it writes.  Each begins with the call as it was, as if from the same place, and is entered after that.
# amd64: start: lea rax, [rip + 0x11111111]; push rax; movabs rax, 0x2000000000000003; jmp rax; movabs \
#   rax, 0x2000000000000002; cmp qword ptr [rbp + 0x10000002], rax; jne start + 0x11111111; lea rax, [rip + \
#   0x11111111]; cmp qword ptr [rbp + 0x11111111], rax; jne start; jmp start + 0x11111111
PIECE = (
    b"\x48\x8d\x05\x11\x11\x11\x11\x50\x48\xb8\x03\x00\x00\x00\x00\x00\x00\x20\xff\xe0\x48\xb8\x02\x00\x00"
    b"\x00\x00\x00\x00\x20\x48\x39\x85\x02\x00\x00\x10\x0f\x85\xe6\x10\x11\x11\x48\x8d\x05\x11\x11\x11\x11"
    b"\x48\x39\x85\x11\x11\x11\x11\x75\xc5\xe9\xd1\x10\x11\x11")
# amd64: start: lea rax, [rip + 0x11111111]; push rax; movabs rax, 0x2000000000000003; jmp rax; mov rax, \
#   qword ptr [rbp + 0x10000002]; mov rcx, rax; shr rcx, 6; xor rcx, rax; mov edx, ecx; shr ecx, 6; and \
#   ecx, 0xfc0; and edx, 0x3f; or ecx, edx; mov rcx, qword ptr [rbp + rcx*8 + 0x10000003]; test rcx, rcx; \
#   je start; cmp rax, qword ptr [rcx]; jne start; cmp dword ptr [rcx + 0x10], 0x11111111; jne start; cmp \
#   dword ptr [rcx + 0x18], 0x11111111; jne start; cmp qword ptr [rcx + 8], 0; jne start; jmp qword ptr \
#   [rcx + 0x20]
TABLE = (
    b"\x48\x8d\x05\x11\x11\x11\x11\x50\x48\xb8\x03\x00\x00\x00\x00\x00\x00\x20\xff\xe0\x48\x8b\x85\x02\x00"
    b"\x00\x10\x48\x89\xc1\x48\xc1\xe9\x06\x48\x31\xc1\x89\xca\xc1\xe9\x06\x81\xe1\xc0\x0f\x00\x00\x83\xe2"
    b"\x3f\x09\xd1\x48\x8b\x8c\xcd\x03\x00\x00\x10\x48\x85\xc9\x74\xbe\x48\x3b\x01\x75\xb9\x81\x79\x10\x11"
    b"\x11\x11\x11\x75\xb0\x81\x79\x18\x11\x11\x11\x11\x75\xa7\x48\x83\x79\x08\x00\x75\xa0\xff\x61\x20")
# amd64: movabs r11, 0x2000000000000001; jmp r11
GO_ON = b"\x49\xbb\x01\x00\x00\x00\x00\x00\x00\x20\x41\xff\xe3"


def install(library: ctypes.CDLL, registers: int) -> bool:
    """Have blocks of translated code jump to each other; returns whether they do.

    `registers` is the address of an engine's first register.  An engine that is made later finds all done.
    """
    if os.uname().machine != "x86_64":
        return False
    try:
        if overwritten(library, NAME):
            return True
        start = function(library, NAME)
        code = ctypes.string_at(start, LOOKED_AT)
        fields = _fields(code, registers)
        if fields is None:
            return False
        patches = Patches(library)
        go_on = GO_ON.replace(ORIGINAL, struct.pack("<Q", start + MOVED))
        original = struct.pack("<Q", patches.place(code[:MOVED] + go_on))
        called = struct.pack("<Q", patches.pages(CALLED_SIZE))
        look_up = LOOK_UP.replace(ORIGINAL, original).replace(CALLED, called) + PIECE + TABLE
        for placeholder, field in zip(FIELDS, fields, strict=True):
            look_up = look_up.replace(placeholder, struct.pack("<i", field))
        patches.overwrite(NAME, patches.place(look_up))
        patches.finish()
    except (ValueError, OSError):
        return False
    return True


def _fields(code: bytes, registers: int) -> list[int] | None:
    """Return the distances that FIELDS stand for; None where the function's code is not as expected."""
    looks, misses, ends = (expected(part).search(code) for part in (LOOKS, MISSES, ENDS))
    if not (looks and misses and ends) or looks.start():
        return None
    _processor, _cluster, base, counter, _flags, _mode, table, _traced = distances(looks)
    _start, owner = distances(misses)
    translator, end = distances(ends)
    address = ctypes.c_uint64.from_address(registers + owner).value
    address = ctypes.c_uint64.from_address(address + translator).value
    returned, begun, buffer, size, _left, filled, _data, full = BUFFER.unpack(
        ctypes.string_at(address + end, BUFFER.size))
    if not buffer <= returned < begun <= filled <= full <= buffer + size:
        return None
    return [base, counter, table, owner, translator, end + FILLED, end + FULL]
