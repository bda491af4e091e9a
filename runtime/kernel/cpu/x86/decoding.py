"""What the engine's translator decodes otherwise than a processor, put right while it reads the code.

The translator fetches an instruction byte by byte.  A few machine instructions of ours look at each byte.
They know where an instruction begins, its prefixes and its opcode, and

- demand that an operand of 16 bytes is aligned where the instruction does, else it raises #GP; and any
  operand while EFLAGS.AC is set, else it raises #AC,
- add the size of the immediate byte to the distance of `shld $imm, mem(%rip)`, which the translator forgets,
- cut the number of a comparison to the three bits that count,
- hand out an invalid opcode for a prefix that the instruction does not take,
- take the second encoding of `test` for the first,
- put another instruction that faults for those whose fault the engine does not raise (`in`, `rdpmc`, `int1`),
- leave the x87 registers alone where a conversion from integers reads memory, not an MMX register,
- mark the register that an instruction which only moves data writes, as an MMX register.

Code that has been translated runs as fast as before: alignment is part of the check that each access has.
Instructions are those of the AMD64 manual, volume 4, by opcode map and prefix.
"""

from __future__ import annotations

import ctypes
import os
import struct

from runtime.kernel.cpu.x86.hostfloat import ENTERING
from runtime.kernel.cpu.x86.patches import Patches, function

RAISE, STATE, ORIGINAL, ENTER_MMX, PEEK = (struct.pack("<Q", 0x2000000000000001 + at) for at in range(5))
# in the code below: where the engine has the mode of the code, byte 1 (bit 7: 64 bits), and EFLAGS, byte 2
MODE, FLAGS = struct.pack("<I", 0x10000002), struct.pack("<I", 0x10000003)
NOTES_SIZE, TABLES, CHOICES = 4096, 16, 0x730  # what the code below notes, with its tables
# Prefixes before an opcode: none, 66, F3, F2.  A table says which demand an aligned operand, and, four bits
# to the left, which make the instruction invalid.
NONE, DATA, REPEAT, REPEAT_NOT = 1, 2, 4, 8
FORBID = 4
# ranges of opcodes, ends included, whose operand of 16 bytes must be aligned: after 0F, 0F 38, 0F 3A
ALIGNED = (
    {NONE: "14-15 28-29 2b 51-59 5b-5f c2 c6",
     DATA: "14-15 28-29 2b-2d 51 54-6d 6f-70 74-76 7c-7d 7f c2 c6 d0-d5 d8-ef f1-f6 f8-fe",
     REPEAT: "12 16 5b 70", REPEAT_NOT: "70 7c-7d d0 e6"},
    {DATA: "00-0b 10 14-15 17 1c-1e 28-2b 37-41 cf db-df"},
    {DATA: "08-09 0c-0f 40-42 44 ce-cf df"})
INVALID = {DATA: "78-79 c3", REPEAT: "c3", REPEAT_NOT: "78-79 c3"}  # after 0F
# prefixes themselves: which of the four they select, or that they select none
SELECTS = {0x66: DATA, 0xF3: REPEAT, 0xF2: REPEAT_NOT}
REX, OTHER = 0x10, 0x20
OTHERS = (0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x67, 0xF0)
# after 0F: what the ModRM byte of an opcode is looked at for
COMPARES, SHIFTS, STATES, CONVERTS, TESTS = 5, 7, 8, 9, 10
LOOKED_AT = {0xC2: COMPARES, 0xA4: SHIFTS, 0xAC: SHIFTS, 0xAE: STATES, 0x2A: CONVERTS}
LOOKED_AT_ALONE = {0xF6: TESTS, 0xF7: TESTS}  # the same of opcodes of one byte

# amd64: movabs r11, 0x2000000000000002; mov qword ptr [r11], rdx; movabs r11, 0x2000000000000003; jmp r11
NOTE_START = (
    b"\x49\xbb\x02\x00\x00\x00\x00\x00\x00\x20\x49\x89\x13\x49\xbb\x03\x00\x00\x00\x00\x00\x00\x20\x41"
    b"\xff\xe3")
# amd64: push rdi; push rsi; push rax; movabs rax, 0x2000000000000003; call rax; pop rcx; pop rsi; \
#   pop rdi; movzx eax, al; movabs r11, 0x2000000000000002; mov qword ptr [r11 + 0x710], rdi; \
#   mov qword ptr [r11 + 0x718], rsi; mov byte ptr [r11 + 0x721], al; cmp qword ptr [r11], rsi; \
#   jne inside; mov qword ptr [r11], 0; mov dword ptr [r11 + 8], 0x10001; mov byte ptr [r11 + 0xd], 0; \
#   test byte ptr [rdi + 0x10000003], 4; setne byte ptr [r11 + 0xe]; \
#   inside: movzx ecx, byte ptr [r11 + 8]; dec ecx; js done; je opcode; dec ecx; je second; dec ecx; \
#   je third; dec ecx; je fourth; dec ecx; je compares; dec ecx; je number; dec ecx; je shifts; \
#   mov byte ptr [r11 + 8], 0; dec ecx; je states; dec ecx; je converts; mov edx, eax; and edx, 0x38; \
#   cmp edx, 8; jne done; xor eax, 8; ret; converts: cmp al, 0xc0; setb byte ptr [r11 + 0xd]; ret; \
#   states: cmp byte ptr [r11 + 0xa], 1; je done; mov edx, eax; shr edx, 5; cmp edx, 6; je done; \
#   and edx, 5; cmp edx, 1; je done; mov eax, 0xc0; ret; opcode: cmp al, 0xf; jne prefixes; \
#   mov byte ptr [r11 + 8], 2; ret; prefixes: movzx edx, byte ptr [r11 + rax + 0x310]; cmp dl, 0x10; \
#   je rex; test dl, dl; je last; cmp dl, 0x20; je done; cmp dl, 2; jne class; \
#   cmp byte ptr [r11 + 0xa], 1; jne done; class: mov byte ptr [r11 + 0xa], dl; done: ret; \
#   rex: test byte ptr [rdi + 0x10000002], 0x80; jne done; last: movzx ecx, byte ptr [r11 + rax + 0x510]; \
#   mov byte ptr [r11 + 8], cl; movzx eax, byte ptr [r11 + rax + 0x610]; ret; second: cmp al, 0x38; \
#   je to38; cmp al, 0x3a; je to3a; cmp al, 0x33; jne known; mov al, 0x30; known: movzx eax, al; \
#   mov byte ptr [r11 + 0x720], al; cmp byte ptr [r11 + 0xa], 2; jne usual; mov edx, eax; and edx, 0xfb; \
#   cmp edx, 0x12; jne usual; push rax; inc rsi; movabs rax, 0x2000000000000003; call rax; movzx edx, al; \
#   pop rax; movabs r11, 0x2000000000000002; cmp dl, 0xc0; jb usual; mov byte ptr [r11 + 8], 0; \
#   mov eax, 0xb; ret; usual: nop; movzx ecx, byte ptr [r11 + rax + 0x410]; mov byte ptr [r11 + 8], cl; \
#   movzx edx, byte ptr [r11 + rax + 0x10]; jmp look; to38: mov byte ptr [r11 + 8], 3; ret; \
#   to3a: mov byte ptr [r11 + 8], 4; ret; third: movzx edx, byte ptr [r11 + rax + 0x110]; jmp over; \
#   fourth: movzx edx, byte ptr [r11 + rax + 0x210]; over: mov byte ptr [r11 + 8], 0; \
#   look: movzx ecx, byte ptr [r11 + 0xa]; test dl, cl; setne byte ptr [r11 + 9]; shl ecx, 4; \
#   test dl, cl; je done; mov byte ptr [r11 + 8], 0; mov eax, 0xb; ret; \
#   compares: mov byte ptr [r11 + 8], 6; xor ecx, ecx; cmp al, 0xc0; jae count; mov edx, eax; and edx, 7; \
#   cmp edx, 4; sete cl; test al, 0x40; je count; inc ecx; count: mov byte ptr [r11 + 0xc], cl; ret; \
#   number: dec byte ptr [r11 + 0xc]; jns done; mov byte ptr [r11 + 8], 0; and eax, 7; ret; \
#   shifts: mov byte ptr [r11 + 8], 0; mov edx, eax; and edx, 0xc7; cmp edx, 5; jne done; \
#   test byte ptr [rdi + 0x10000002], 0x80; je done; mov byte ptr [r11 + 0xb], 1; ret
FETCH = (
    b"\x57\x56\x50\x48\xb8\x03\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x59\x5e\x5f\x0f\xb6\xc0\x49\xbb\x02"
    b"\x00\x00\x00\x00\x00\x00\x20\x49\x89\xbb\x10\x07\x00\x00\x49\x89\xb3\x18\x07\x00\x00\x41\x88\x83"
    b"\x21\x07\x00\x00\x49\x39\x33\x75\x20\x49\xc7\x03\x00\x00\x00\x00\x41\xc7\x43\x08\x01\x00\x01\x00"
    b"\x41\xc6\x43\x0d\x00\xf6\x87\x03\x00\x00\x10\x04\x41\x0f\x95\x43\x0e\x41\x0f\xb6\x4b\x08\xff\xc9"
    b"\x0f\x88\xa5\x00\x00\x00\x74\x72\xff\xc9\x0f\x84\xbc\x00\x00\x00\xff\xc9\x0f\x84\x30\x01\x00\x00"
    b"\xff\xc9\x0f\x84\x33\x01\x00\x00\xff\xc9\x0f\x84\x5b\x01\x00\x00\xff\xc9\x0f\x84\x74\x01\x00\x00"
    b"\xff\xc9\x0f\x84\x7f\x01\x00\x00\x41\xc6\x43\x08\x00\xff\xc9\x74\x1a\xff\xc9\x74\x0e\x89\xc2\x83"
    b"\xe2\x38\x83\xfa\x08\x75\x5c\x83\xf0\x08\xc3\x3c\xc0\x41\x0f\x92\x43\x0d\xc3\x41\x80\x7b\x0a\x01"
    b"\x74\x49\x89\xc2\xc1\xea\x05\x83\xfa\x06\x74\x3f\x83\xe2\x05\x83\xfa\x01\x74\x37\xb8\xc0\x00\x00"
    b"\x00\xc3\x3c\x0f\x75\x06\x41\xc6\x43\x08\x02\xc3\x41\x0f\xb6\x94\x03\x10\x03\x00\x00\x80\xfa\x10"
    b"\x74\x1a\x84\xd2\x74\x1f\x80\xfa\x20\x74\x10\x80\xfa\x02\x75\x07\x41\x80\x7b\x0a\x01\x75\x04\x41"
    b"\x88\x53\x0a\xc3\xf6\x87\x02\x00\x00\x10\x80\x75\xf6\x41\x0f\xb6\x8c\x03\x10\x05\x00\x00\x41\x88"
    b"\x4b\x08\x41\x0f\xb6\x84\x03\x10\x06\x00\x00\xc3\x3c\x38\x74\x6c\x3c\x3a\x74\x6e\x3c\x33\x75\x02"
    b"\xb0\x30\x0f\xb6\xc0\x41\x88\x83\x20\x07\x00\x00\x41\x80\x7b\x0a\x02\x75\x3b\x89\xc2\x81\xe2\xfb"
    b"\x00\x00\x00\x83\xfa\x12\x75\x2e\x50\x48\xff\xc6\x48\xb8\x03\x00\x00\x00\x00\x00\x00\x20\xff\xd0"
    b"\x0f\xb6\xd0\x58\x49\xbb\x02\x00\x00\x00\x00\x00\x00\x20\x80\xfa\xc0\x72\x0b\x41\xc6\x43\x08\x00"
    b"\xb8\x0b\x00\x00\x00\xc3\x90\x41\x0f\xb6\x8c\x03\x10\x04\x00\x00\x41\x88\x4b\x08\x41\x0f\xb6\x54"
    b"\x03\x10\xeb\x25\x41\xc6\x43\x08\x03\xc3\x41\xc6\x43\x08\x04\xc3\x41\x0f\xb6\x94\x03\x10\x01\x00"
    b"\x00\xeb\x09\x41\x0f\xb6\x94\x03\x10\x02\x00\x00\x41\xc6\x43\x08\x00\x41\x0f\xb6\x4b\x0a\x84\xca"
    b"\x41\x0f\x95\x43\x09\xc1\xe1\x04\x84\xca\x0f\x84\x33\xff\xff\xff\x41\xc6\x43\x08\x00\xb8\x0b\x00"
    b"\x00\x00\xc3\x41\xc6\x43\x08\x06\x31\xc9\x3c\xc0\x73\x11\x89\xc2\x83\xe2\x07\x83\xfa\x04\x0f\x94"
    b"\xc1\xa8\x40\x74\x02\xff\xc1\x41\x88\x4b\x0c\xc3\x41\xfe\x4b\x0c\x0f\x89\xfd\xfe\xff\xff\x41\xc6"
    b"\x43\x08\x00\x83\xe0\x07\xc3\x41\xc6\x43\x08\x00\x89\xc2\x81\xe2\xc7\x00\x00\x00\x83\xfa\x05\x0f"
    b"\x85\xde\xfe\xff\xff\xf6\x87\x02\x00\x00\x10\x80\x0f\x84\xd1\xfe\xff\xff\x41\xc6\x43\x0b\x01\xc3")
# amd64: push rax; movabs rax, 0x2000000000000003; call rax; pop rcx; movabs r11, 0x2000000000000002; \
#   movzx ecx, byte ptr [r11 + 0xb]; mov byte ptr [r11 + 0xb], 0; add eax, ecx; ret
FETCH_LONG = (
    b"\x50\x48\xb8\x03\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x59\x49\xbb\x02\x00\x00\x00\x00\x00\x00\x20"
    b"\x41\x0f\xb6\x4b\x0b\x41\xc6\x43\x0b\x00\x01\xc8\xc3")
# amd64: movabs r11, 0x2000000000000002; cmp byte ptr [r11 + 9], 0; je plain; mov byte ptr [r11 + 9], 0; \
#   or r8d, 0x40; jmp go; plain: cmp byte ptr [r11 + 0xe], 0; je go; mov eax, r8d; and eax, 3; \
#   shl eax, 4; or r8d, eax; go: movabs r11, 0x2000000000000003; jmp r11
ACCESS = (
    b"\x49\xbb\x02\x00\x00\x00\x00\x00\x00\x20\x41\x80\x7b\x09\x00\x74\x0b\x41\xc6\x43\x09\x00\x41\x83"
    b"\xc8\x40\xeb\x13\x41\x80\x7b\x0e\x00\x74\x0c\x44\x89\xc0\x83\xe0\x03\xc1\xe0\x04\x41\x09\xc0\x49"
    b"\xbb\x03\x00\x00\x00\x00\x00\x00\x20\x41\xff\xe3")
# amd64: mov r11, rcx; mov ecx, edx; shr ecx, 8; and ecx, 7; mov eax, 1; shl eax, cl; dec eax; \
#   test esi, eax; jne bad; mov rcx, r11; movabs rax, 0x2000000000000003; jmp rax; bad: mov esi, 0x11; \
#   mov eax, 0xd; cmp ecx, 4; cmove esi, eax; xor edx, edx; mov rcx, r11; movabs rax, 0x2000000000000001; \
#   jmp rax
CHECK_LOAD = (
    b"\x49\x89\xcb\x89\xd1\xc1\xe9\x08\x83\xe1\x07\xb8\x01\x00\x00\x00\xd3\xe0\xff\xc8\x85\xc6\x75\x0f"
    b"\x4c\x89\xd9\x48\xb8\x03\x00\x00\x00\x00\x00\x00\x20\xff\xe0\xbe\x11\x00\x00\x00\xb8\x0d\x00\x00"
    b"\x00\x83\xf9\x04\x0f\x44\xf0\x31\xd2\x4c\x89\xd9\x48\xb8\x01\x00\x00\x00\x00\x00\x00\x20\xff\xe0")
# amd64: mov r11, rcx; mov ecx, ecx; shr ecx, 8; and ecx, 7; mov eax, 1; shl eax, cl; dec eax; \
#   test esi, eax; jne bad; mov rcx, r11; movabs rax, 0x2000000000000003; jmp rax; bad: mov esi, 0x11; \
#   mov eax, 0xd; cmp ecx, 4; cmove esi, eax; xor edx, edx; mov rcx, r8; movabs rax, 0x2000000000000001; \
#   jmp rax
CHECK_STORE = (
    b"\x49\x89\xcb\x89\xc9\xc1\xe9\x08\x83\xe1\x07\xb8\x01\x00\x00\x00\xd3\xe0\xff\xc8\x85\xc6\x75\x0f"
    b"\x4c\x89\xd9\x48\xb8\x03\x00\x00\x00\x00\x00\x00\x20\xff\xe0\xbe\x11\x00\x00\x00\xb8\x0d\x00\x00"
    b"\x00\x83\xf9\x04\x0f\x44\xf0\x31\xd2\x4c\x89\xc1\x48\xb8\x01\x00\x00\x00\x00\x00\x00\x20\xff\xe0")
# amd64: movabs r11, 0x2000000000000004; cmp rsi, r11; jne go; movabs r11, 0x2000000000000002; \
#   cmp byte ptr [r11 + 0xd], 0; je enter; ret; enter: movzx eax, byte ptr [r11 + 0x721]; \
#   mov r9b, byte ptr [r11 + 0x720]; cmp r9b, 0xd6; jne others; cmp byte ptr [r11 + 0xa], 8; je field; \
#   jmp go; others: cmp r9b, 0x6e; je look; cmp r9b, 0x6f; je look; cmp r9b, 0xc4; je look; \
#   cmp r9b, 0x7f; jne go; look: push rdi; push rdx; push rcx; push r8; push r9; \
#   mov rdi, qword ptr [r11 + 0x710]; mov rsi, qword ptr [r11 + 0x718]; inc rsi; \
#   movabs rax, 0x2000000000000005; call rax; pop r9; pop r8; pop rcx; pop rdx; pop rdi; \
#   movabs rsi, 0x2000000000000004; movzx eax, al; cmp r9b, 0x7f; jne field; cmp al, 0xc0; jb go; \
#   jmp chosen; field: shr eax, 3; chosen: and eax, 7; movabs r11, 0x2000000000000002; \
#   mov rsi, qword ptr [r11 + rax*8 + 0x730]; go: movabs r11, 0x2000000000000003; jmp r11
CALL = (
    b"\x49\xbb\x04\x00\x00\x00\x00\x00\x00\x20\x4c\x39\xde\x0f\x85\xa4\x00\x00\x00\x49\xbb\x02\x00\x00"
    b"\x00\x00\x00\x00\x20\x41\x80\x7b\x0d\x00\x74\x01\xc3\x41\x0f\xb6\x83\x21\x07\x00\x00\x45\x8a\x8b"
    b"\x20\x07\x00\x00\x41\x80\xf9\xd6\x75\x09\x41\x80\x7b\x0a\x08\x74\x5e\xeb\x74\x41\x80\xf9\x6e\x74"
    b"\x12\x41\x80\xf9\x6f\x74\x0c\x41\x80\xf9\xc4\x74\x06\x41\x80\xf9\x7f\x75\x5c\x57\x52\x51\x41\x50"
    b"\x41\x51\x49\x8b\xbb\x10\x07\x00\x00\x49\x8b\xb3\x18\x07\x00\x00\x48\xff\xc6\x48\xb8\x05\x00\x00"
    b"\x00\x00\x00\x00\x20\xff\xd0\x41\x59\x41\x58\x59\x5a\x5f\x48\xbe\x04\x00\x00\x00\x00\x00\x00\x20"
    b"\x0f\xb6\xc0\x41\x80\xf9\x7f\x75\x06\x3c\xc0\x72\x1a\xeb\x03\xc1\xe8\x03\x83\xe0\x07\x49\xbb\x02"
    b"\x00\x00\x00\x00\x00\x00\x20\x49\x8b\xb4\xc3\x30\x07\x00\x00\x49\xbb\x03\x00\x00\x00\x00\x00\x00"
    b"\x20\x41\xff\xe3")

# `hlt` raises #GP in a program, as reading or writing a port does; the kernel knows `int1` by its own byte
HALT, BREAKPOINT = 0xF4, 0xCC
PORTS = (*range(0x6C, 0x70), *range(0xE4, 0xE8), *range(0xEC, 0xF0))
INSTEAD = {0xF1: BREAKPOINT, **dict.fromkeys(PORTS, HALT)}

# functions, the code that stands before them, and whether the pointers to them stay writable
CHANGES = (
    ("tcg_gen_op2", NOTE_START, True), ("cpu_ldub_code", FETCH, True), ("cpu_ldl_code", FETCH_LONG, True),
    ("tcg_gen_qemu_ld_i32 tcg_gen_qemu_ld_i64 tcg_gen_qemu_st_i32 tcg_gen_qemu_st_i64", ACCESS, True),
    ("tcg_gen_callN", CALL, True),
    ("helper_le_lduw_mmu helper_le_ldul_mmu helper_le_ldq_mmu", CHECK_LOAD, False),
    ("helper_le_stw_mmu helper_le_stl_mmu helper_le_stq_mmu", CHECK_STORE, False))


def install(library: ctypes.CDLL, mode: int, flags: int) -> bool:
    """Have the translator decode as a processor does; returns whether it does.

    `mode` is where the engine's structure has the kind of code that it runs, `flags` where it has EFLAGS.  An
    engine that is made later finds all done.
    """
    if os.uname().machine != "x86_64":
        return False
    try:
        patches = Patches(library)
        if not patches.pointers("tcg_gen_op2", True):
            return True  # they lead to our code already
        state = patches.pages(NOTES_SIZE)
        ctypes.memmove(state + TABLES, _tables(), len(_tables()))
        raising = function(library, "raise_exception_err_ra")
        entering, peek = function(library, "helper_enter_mmx"), function(library, "cpu_ldub_code")
        helpers = [function(library, "helper_" + name) for name in ENTERING]
        ctypes.memmove(state + CHOICES, struct.pack("<8Q", *helpers), 64)
        for names, code, writable in CHANGES:
            for placeholder, value in ((RAISE, raising), (STATE, state), (ENTER_MMX, entering), (PEEK, peek)):
                code = code.replace(placeholder, struct.pack("<Q", value))
            for placeholder, offset in ((MODE, mode + 1), (FLAGS, flags + 2)):
                code = code.replace(placeholder, struct.pack("<i", offset))
            for name in names.split():
                original = struct.pack("<Q", function(library, name))
                patches.redirect(name, patches.place(code.replace(ORIGINAL, original)), writable)
        patches.finish()
    except (AttributeError, LookupError, OSError):
        return False
    return True


def _tables() -> bytes:
    maps = [bytearray(256) for _ in ALIGNED]
    for table, rows in zip(maps, ALIGNED, strict=True):
        for prefix, ranges in rows.items():
            for opcode in _opcodes(ranges):
                table[opcode] |= prefix
    for prefix, ranges in INVALID.items():
        for opcode in _opcodes(ranges):
            maps[0][opcode] |= prefix << FORBID
    prefixes, looked_at, alone = bytearray(256), bytearray(256), bytearray(256)
    for number in OTHERS:
        prefixes[number] = OTHER
    for number in range(0x40, 0x50):
        prefixes[number] = REX
    for number, selected in SELECTS.items():
        prefixes[number] = selected
    for number, phase in LOOKED_AT.items():
        looked_at[number] = phase
    for number, phase in LOOKED_AT_ALONE.items():
        alone[number] = phase
    instead = bytes(INSTEAD.get(number, number) for number in range(256))
    return b"".join((*maps, prefixes, looked_at, alone, instead))


def _opcodes(ranges: str) -> list[int]:
    found: list[int] = []
    for each in ranges.split():
        first, _, last = each.partition("-")
        found += range(int(first, 16), int(last or first, 16) + 1)
    return found
