"""Pages with translated code are protected from writes: their entries of the TLB are found by their place.

When the engine has translated a block, it makes sure that it is told of writes to the page: it goes through
all entries of its TLB, thousands, for those that let a program write to that page without a word.  An entry
can be in one place of each table, and among the few that were pushed out of theirs, so that the function here
looks only there.

Distances come from the function itself, which must consist of the expected instructions.
"""

from __future__ import annotations

import ctypes
import os
import struct

from runtime.kernel.cpu.x86.patches import Patches, distances, expected, function, overwritten

NAME = "tlb_reset_dirty_by_vaddr"  # the function
LOOKED_AT = 459  # its bytes
# in the code below: from the processor, where the address of its registers is; from the registers, the first
# of the entries that were pushed out
FIELDS = [struct.pack("<I", 0x10000001 + at) for at in range(2)]

# The function, as it is expected: how it begins, a look at each entry of a table, and how it ends, with the
# last entry that was pushed out.
# amd64: start: mov r9, rdi; mov r8, rsi; mov rdi, rdx; mov r11, qword ptr [r9 + 0x22222222]; lea r10, [r11 \
#   - 0x40]; lea rsi, [r11 + 0x22222222]; sub r11, 0x10; mov rax, qword ptr [r10]; shr rax, 6; lea rdx, \
#   [rax + 1]; cmp eax, -1; je start + 0x74; mov rcx, qword ptr [r10 + 8]; sub edx, 1; shl rdx, 6; lea rax, \
#   [rcx + 8]; lea r9, [rcx + rdx + 0x48]
BEGINS = (
    b"\x49\x89\xf9\x49\x89\xf0\x48\x89\xd7\x4d\x8b\x99\x22\x22\x22\x22\x4d\x8d\x53\xc0\x49\x8d\xb3\x22"
    b"\x22\x22\x22\x49\x83\xeb\x10\x49\x8b\x02\x48\xc1\xe8\x06\x48\x8d\x50\x01\x83\xf8\xff\x74\x45\x49"
    b"\x8b\x4a\x08\x83\xea\x01\x48\xc1\xe2\x06\x48\x8d\x41\x08\x4c\x8d\x4c\x11\x48")
# amd64: look: mov rdx, qword ptr [rax]; test edx, 0xe40; jne next; mov rcx, rdx; and rcx, \
#   0xfffffffffffff000; sub rcx, r8; cmp rdi, rcx; jbe next; or dh, 4; mov qword ptr [rax], rdx; next: add \
#   rax, 0x40; cmp r9, rax; jne look
LOOKS = (
    b"\x48\x8b\x10\xf7\xc2\x40\x0e\x00\x00\x75\x18\x48\x89\xd1\x48\x81\xe1\x00\xf0\xff\xff\x4c\x29\xc1"
    b"\x48\x39\xcf\x76\x06\x80\xce\x04\x48\x89\x10\x48\x83\xc0\x40\x49\x39\xc1\x75\xd4")
# amd64: mov rax, qword ptr [rsi + 0x1c0]; test eax, 0xe40; jne after; mov rdx, rax; and rdx, \
#   0xfffffffffffff000; sub rdx, r8; cmp rdi, rdx; jbe after; or ah, 4; mov qword ptr [rsi + 0x1c0], rax; \
#   after: add rsi, 0x2b8; add r10, 0x10; cmp rsi, r11
ENDS = (
    b"\x48\x8b\x86\xc0\x01\x00\x00\xa9\x40\x0e\x00\x00\x75\x1c\x48\x89\xc2\x48\x81\xe2\x00\xf0\xff\xff"
    b"\x4c\x29\xc2\x48\x39\xd7\x76\x0a\x80\xcc\x04\x48\x89\x86\xc0\x01\x00\x00\x48\x81\xc6\xb8\x02\x00"
    b"\x00\x49\x83\xc2\x10\x4c\x39\xde")
# rsi: the page; rdx: how many bytes of it, and perhaps of the next, are to be protected; r9: where a table's
# mask and address are; r10: entries that were pushed out, and r11 where those of the last table end; r8: a
# page.
# amd64: mov rax, qword ptr [rdi + 0x10000001]; lea r9, [rax - 0x40]; lea r10, [rax + 0x10000002]; lea r11, \
#   [rax - 0x10]; table: mov r8, rsi; page: mov rax, r8; shr rax, 6; and rax, qword ptr [r9]; add rax, \
#   qword ptr [r9 + 8]; mov rcx, qword ptr [rax + 8]; test ecx, 0xe40; jne next; and rcx, \
#   0xfffffffffffff000; sub rcx, rsi; cmp rcx, rdx; jae next; or byte ptr [rax + 9], 4; next: add r8, \
#   0x1000; mov rcx, r8; sub rcx, rsi; cmp rcx, rdx; jb page; lea rax, [r10 + 0x200]; pushed: sub rax, \
#   0x40; mov rcx, qword ptr [rax]; test ecx, 0xe40; jne other; and rcx, 0xfffffffffffff000; sub rcx, rsi; \
#   cmp rcx, rdx; jae other; or byte ptr [rax + 1], 4; other: cmp rax, r10; jne pushed; add r9, 0x10; add \
#   r10, 0x2b8; cmp r10, r11; jne table; ret
PROTECT = (
    b"\x48\x8b\x87\x01\x00\x00\x10\x4c\x8d\x48\xc0\x4c\x8d\x90\x02\x00\x00\x10\x4c\x8d\x58\xf0\x49\x89"
    b"\xf0\x4c\x89\xc0\x48\xc1\xe8\x06\x49\x23\x01\x49\x03\x41\x08\x48\x8b\x48\x08\xf7\xc1\x40\x0e\x00"
    b"\x00\x75\x13\x48\x81\xe1\x00\xf0\xff\xff\x48\x29\xf1\x48\x39\xd1\x73\x04\x80\x48\x09\x04\x49\x81"
    b"\xc0\x00\x10\x00\x00\x4c\x89\xc1\x48\x29\xf1\x48\x39\xd1\x72\xc1\x49\x8d\x82\x00\x02\x00\x00\x48"
    b"\x83\xe8\x40\x48\x8b\x08\xf7\xc1\x40\x0e\x00\x00\x75\x13\x48\x81\xe1\x00\xf0\xff\xff\x48\x29\xf1"
    b"\x48\x39\xd1\x73\x04\x80\x48\x01\x04\x4c\x39\xd0\x75\xd9\x49\x83\xc1\x10\x49\x81\xc2\xb8\x02\x00"
    b"\x00\x4d\x39\xda\x75\x80\xc3")


def install(library: ctypes.CDLL) -> bool:
    """Have pages protected in this way; returns whether they are.  A later engine finds it done."""
    if os.uname().machine != "x86_64":
        return False
    try:
        if overwritten(library, NAME):
            return True
        found = replacement(ctypes.string_at(function(library, NAME), LOOKED_AT))
        if found is None:
            return False
        patches = Patches(library)
        patches.overwrite(NAME, patches.place(found[0]))
        patches.finish()
    except (ValueError, OSError):
        return False
    return True


def replacement(code: bytes) -> tuple[bytes, list[int]] | None:
    """Return what replaces the function of this code, and FIELDS; None where it is not as expected."""
    begins = expected(BEGINS).match(code)
    if begins is None or LOOKS not in code or ENDS not in code:
        return None
    fields, protect = distances(begins), PROTECT
    for placeholder, field in zip(FIELDS, fields, strict=True):
        protect = protect.replace(placeholder, struct.pack("<i", field))
    return protect, fields
