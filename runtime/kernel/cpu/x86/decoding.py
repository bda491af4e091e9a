"""What the engine's translator decodes otherwise than a processor, put right while it reads the code.

The translator fetches an instruction byte by byte.  A few machine instructions of ours look at each byte.
They know where an instruction begins, its prefixes and its opcode, and

- demand that an operand of 16 bytes is aligned where the instruction does, else it raises #GP; and any
  smaller operand while EFLAGS.AC is set, else it raises #AC,
- add the size of the immediate byte to the distance of `shld $imm, mem(%rip)`, which the translator forgets,
- cut the number of a comparison to the three bits that count,
- hand out an invalid opcode for a prefix that the instruction does not take,
- take the second encoding of `test` for the first,
- put another instruction that faults for those whose fault the engine does not raise (`in`, `rdpmc`, `int1`),
- leave the x87 registers alone where a conversion from integers reads memory, not an MMX register,
- mark the register that an instruction which only moves data writes, as an MMX register,
- reset the x87 stack for an MMX instruction after it has accessed memory, so that one that faults does not,
- hide the prefix 66 from near jumps, calls and returns of 64-bit code, which do not know it,
- hand out an invalid opcode for `rdtscp`, `rdpkru`, `wrpkru`, `rdrand` and `rdseed`, which are not offered,
  and for 8F with an extended opcode other than that of `pop`, as those with an XOP prefix begin,
- put another instruction that faults for those with a VEX prefix while AVX is not offered: the engine takes
  them for SSE's,
- hide REX from `lahf` and `sahf`, and REX.R from `mov` of an immediate, which do not know it,
- give fcmovcc to a helper that looks for empty registers also when nothing moves,
- keep the upper half of what 32-bit `cmpxchg`, `bsf` and `bsr` leave alone,
- raise an exception for `enter`, and for `cmpxchg` of registers: the kernel executes them (see `emulated`),
- let a jump to an address without a meaning fault where it jumps, with the error code JUMPED; so does a far
  return to 64-bit code; a far jump to 32-bit code takes 32 bits of the address,
- demand valid bits of MXCSR in what `fxrstor` loads, let x87's status follow from its flags, and clear what
  `fxsave` leaves,
- take the number of `ret` and `retf` without a sign: the kernel executes a `ret` with the highest bit (see
  `emulated`),
- ignore the flag of virtual 8086 mode in what `iret` loads, as programs' privileges have it,
- note the flags before `cmps` and `scas` that repeat, which a fault in them restores.

Code that has been translated runs as fast as before: alignment is part of the check that each access has.
Instructions are those of the AMD64 manual, volume 4, by opcode map and prefix.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import struct

from runtime.kernel.cpu.x86.hostfloat import ENTERING, INVERTING, MOVING, STORING, x87_words
from runtime.kernel.cpu.x86.patches import Patches, function, jump_target

RAISE, STATE, ORIGINAL, ENTER_MMX, PEEK, EMIT, NEW_VALUE, CHOOSE, CONSTANT, FREE, LOAD, STORE = (
    struct.pack("<Q", 0x2000000000000001 + at) for at in range(12))
# in the code below: where the engine has the mode of the code, byte 1 (bit 7: 64 bits), EFLAGS, byte 2, and
# CR4, byte 1
MODE, FLAGS, CONTROL = (struct.pack("<I", number) for number in range(0x10000002, 0x10000005))
X87_CONTROL, X87_STATUS = (struct.pack("<I", number) for number in (0x10000005, 0x10000006))
# what the code below notes, with its tables; functions that it chooses from, and two more;
# whether `rep xchg r8, rax` is `pause`, as on some processors
NOTES_SIZE, TABLES, CHOICES, WAIT, PAUSES = 4096, 16, 0x730, 0x7C8, 0x7D8
# the last comparison of strings: rcx, rdi, and the flags before the instruction (and its address, elsewhere);
# two helpers that note them
COMPARED, NOTING = 0x808, 0x820
# instructions with a VEX prefix: the function that is asked about them, and VECTOR_HELPERS
ASKED, VECTORS = 0x8A8, 0x8B0
CHECKS = 0x900  # pairs of functions, and zero: what is called instead of a helper, to check its arguments
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
# the same of those that may stand anywhere even while EFLAGS.AC is set: a table has both bits of them
ANYWHERE: tuple[dict[int, str], ...] = (
    {NONE: "10-11", DATA: "10-11", REPEAT: "6f 7f", REPEAT_NOT: "f0"}, {}, {DATA: "60-63"})
INVALID = {DATA: "78-79 c3", REPEAT: "c3", REPEAT_NOT: "78-79 c3"}  # after 0F
# prefixes themselves: which of the four they select, or that they select none
SELECTS = {0x66: DATA, 0xF3: REPEAT, 0xF2: REPEAT_NOT}
REX, OTHER = 0x10, 0x20
OTHERS = (0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x67, 0xF0)
# after 0F: what the ModRM byte of an opcode is looked at for
COMPARES, SHIFTS, STATES, CONVERTS, TESTS, SYSTEM, NUMBERS = 5, 7, 8, 9, 10, 13, 14
LOOKED_AT = {0x01: SYSTEM, 0xC7: NUMBERS, 0xC2: COMPARES, 0xA4: SHIFTS, 0xAC: SHIFTS, 0xAE: STATES,
             0x2A: CONVERTS}
LOOKED_AT_ALONE = {0xF6: TESTS, 0xF7: TESTS}  # the same of opcodes of one byte
# the flags are noted at the first access of these, which compare strings
STRINGS = dict.fromkeys((0xA6, 0xA7, 0xAE, 0xAF), 12)

# amd64: movabs r11, 0x2000000000000002; mov qword ptr [r11], rdx; mov qword ptr [r11 + 0x800], rdi; movabs \
#   r11, 0x2000000000000003; jmp r11
NOTE_START = (
    b"\x49\xbb\x02\x00\x00\x00\x00\x00\x00\x20\x49\x89\x13\x49\x89\xbb\x00\x08\x00\x00\x49\xbb\x03\x00"
    b"\x00\x00\x00\x00\x00\x20\x41\xff\xe3")
# amd64: push rdi; push rsi; push rax; movabs rax, 0x2000000000000003; call rax; pop rcx; pop rsi; pop \
#   rdi; movzx eax, al; movabs r11, 0x2000000000000002; mov qword ptr [r11 + 0x710], rdi; mov qword ptr [r11 \
#   + 0x718], rsi; mov byte ptr [r11 + 0x721], al; cmp qword ptr [r11], rsi; jne inside; mov qword ptr \
#   [r11], 0; mov dword ptr [r11 + 8], 0x10001; mov byte ptr [r11 + 0xd], 0; mov dword ptr [r11 + 0x722], 0; \
#   mov byte ptr [r11 + 0x7b8], 0; mov byte ptr [r11 + 0x848], 0; mov qword ptr [r11 + 0x850], 0; test byte \
#   ptr [rdi + 0x10000003], 4; setne byte ptr [r11 + 0xe]; inside: cmp byte ptr [r11 + 0x848], 0; je \
#   ordinary; mov rcx, rsi; sub rcx, qword ptr [r11 + 0x840]; movzx eax, byte ptr [r11 + rcx + 0x860]; ret; \
#   ordinary: movzx ecx, byte ptr [r11 + 8]; dec ecx; js done; je opcode; dec ecx; je second; dec ecx; je \
#   third; dec ecx; je fourth; dec ecx; je compares; dec ecx; je number; dec ecx; je shifts; mov byte ptr \
#   [r11 + 8], 0; dec ecx; je states; dec ecx; je converts; dec ecx; je tests; cmp ecx, 4; je numbers; cmp \
#   ecx, 3; jne moved; mov edx, eax; and edx, 0xfe; cmp edx, 0xee; je absent; cmp eax, 0xf9; jne done; \
#   absent: mov eax, 0xc0; ret; numbers: cmp eax, 0xf0; jae absent; ret; tests: mov edx, eax; and edx, 0x38; \
#   cmp edx, 8; jne done; xor eax, 8; ret; moved: and eax, 7; or eax, 0xf0; ret; converts: cmp al, 0xc0; \
#   setb byte ptr [r11 + 0xd]; ret; states: cmp byte ptr [r11 + 0xa], 1; je done; mov edx, eax; shr edx, 5; \
#   cmp edx, 6; je done; and edx, 5; cmp edx, 1; je done; mov eax, 0xc0; ret; opcode: cmp al, 0xf; jne \
#   prefixes; mov byte ptr [r11 + 8], 2; ret; prefixes: movzx edx, byte ptr [r11 + rax + 0x310]; cmp dl, \
#   0x10; je rex; test dl, dl; je last; cmp dl, 0x20; je other; cmp dl, 2; jne class; test byte ptr [rdi + \
#   0x10000002], 0x80; je data; push rdi; push rax; push rsi; lea rcx, [rsi + 0xe]; push rcx; sub rsp, 8; \
#   ahead: mov rdi, qword ptr [rsp + 0x20]; inc qword ptr [rsp + 0x10]; mov rsi, qword ptr [rsp + 0x10]; cmp \
#   rsi, qword ptr [rsp + 8]; ja heeded; movabs rax, 0x2000000000000003; call rax; movzx eax, al; movabs \
#   r11, 0x2000000000000002; cmp byte ptr [r11 + rax + 0x310], 0; jne ahead; mov edx, eax; and edx, 0xf0; \
#   cmp edx, 0x70; je ignored; mov edx, eax; and edx, 0xfc; cmp edx, 0xe0; je ignored; mov edx, eax; and \
#   edx, 0xfe; cmp edx, 0xe8; je ignored; cmp edx, 0xc2; je ignored; cmp eax, 0xeb; je ignored; cmp eax, \
#   0xf; je following; cmp eax, 0xff; jne heeded; following: mov dword ptr [rsp], eax; mov rdi, qword ptr \
#   [rsp + 0x20]; mov rsi, qword ptr [rsp + 0x10]; inc rsi; movabs rax, 0x2000000000000003; call rax; movzx \
#   eax, al; movabs r11, 0x2000000000000002; cmp dword ptr [rsp], 0xf; je wider; and eax, 0x38; cmp eax, \
#   0x10; je ignored; cmp eax, 0x20; je ignored; jmp heeded; wider: and eax, 0xf0; cmp eax, 0x80; jne \
#   heeded; ignored: add rsp, 0x28; mov eax, 0x3e; ret; heeded: movabs r11, 0x2000000000000002; mov rax, \
#   qword ptr [rsp + 0x18]; add rsp, 0x20; pop rdi; mov edx, 2; data: cmp byte ptr [r11 + 0xa], 1; jne done; \
#   class: mov byte ptr [r11 + 0xa], dl; done: ret; other: cmp al, 0x67; jne lock; or byte ptr [r11 + \
#   0x723], 1; ret; lock: cmp al, 0xf0; jne done; or byte ptr [r11 + 0x723], 2; ret; rex: test byte ptr [rdi \
#   + 0x10000002], 0x80; je last; or byte ptr [r11 + 0x723], 4; push rax; inc rsi; movabs rax, \
#   0x2000000000000003; call rax; movzx edx, al; pop rax; cmp dl, 0x90; je pause; and edx, 0xfe; cmp edx, \
#   0xc6; je clear; cmp edx, 0x9e; jne done; hide: mov eax, 0x3e; ret; pause: movabs r11, \
#   0x2000000000000002; cmp byte ptr [r11 + 0xa], 4; jne done; cmp byte ptr [r11 + 0x7d8], 0; jne hide; ret; \
#   clear: and eax, 0xfb; ret; last: mov edx, eax; and edx, 0xfe; cmp edx, 0xda; je moves; cmp edx, 0xc4; je \
#   vector; cmp eax, 0x8f; je pops; cmp eax, 0xc2; jne usual; push rdi; push rsi; push rax; add rsi, 2; \
#   movabs rax, 0x2000000000000003; call rax; movzx edx, al; pop rax; pop rsi; pop rdi; test dl, 0x80; je \
#   usual; movabs r11, 0x2000000000000002; mov byte ptr [r11 + 8], 0; mov eax, 0xf4; ret; pops: push rdi; \
#   push rsi; push rax; inc rsi; movabs rax, 0x2000000000000003; call rax; movzx edx, al; pop rax; pop rsi; \
#   pop rdi; test dl, 0x38; je usual; movabs r11, 0x2000000000000002; mov byte ptr [r11 + 8], 0; mov eax, \
#   0xc6; ret; usual: movabs r11, 0x2000000000000002; movzx ecx, byte ptr [r11 + rax + 0x510]; mov byte ptr \
#   [r11 + 8], cl; movzx eax, byte ptr [r11 + rax + 0x610]; ret; moves: push rax; inc rsi; movabs rax, \
#   0x2000000000000003; call rax; movzx edx, al; pop rax; mov ecx, edx; shr ecx, 5; cmp ecx, 6; jne usual; \
#   shr edx, 3; and edx, 3; and eax, 1; lea edx, [rdx + rax*4 + 1]; movabs r11, 0x2000000000000002; mov byte \
#   ptr [r11 + 0x722], dl; mov byte ptr [r11 + 8], 0xb; mov eax, 0xdb; ret; second: cmp al, 0x38; je to38; \
#   cmp al, 0x3a; je to3a; cmp al, 0x33; jne known; mov al, 0x30; known: movzx eax, al; mov byte ptr [r11 + \
#   0x720], al; cmp al, 0xb1; je exchanges; mov edx, eax; and edx, 0xfe; cmp edx, 0xbc; je scans; cmp byte \
#   ptr [r11 + 0xa], 2; jne simple; mov edx, eax; and edx, 0xfb; cmp edx, 0x12; je peek; jmp simple; \
#   exchanges: test byte ptr [rdi + 0x10000002], 0x80; je simple; peek: push rax; inc rsi; movabs rax, \
#   0x2000000000000003; call rax; movzx edx, al; pop rax; movabs r11, 0x2000000000000002; cmp dl, 0xc0; jb \
#   stored; mov byte ptr [r11 + 8], 0; mov eax, 0xb; ret; scans: test byte ptr [rdi + 0x10000002], 0x80; je \
#   simple; mov ecx, 2; jmp narrow; stored: cmp al, 0xb1; jne simple; mov ecx, 0x82; test byte ptr [r11 + \
#   0x723], 2; jne narrow; inc ecx; narrow: cmp byte ptr [r11 + 0xa], 2; je simple; test byte ptr [r11 + \
#   0x723], 1; jne simple; mov byte ptr [r11 + 0x724], cl; simple: movzx ecx, byte ptr [r11 + rax + 0x410]; \
#   mov byte ptr [r11 + 8], cl; movzx edx, byte ptr [r11 + rax + 0x10]; jmp look; to38: mov byte ptr [r11 + \
#   8], 3; mov byte ptr [r11 + 0x720], al; ret; to3a: mov byte ptr [r11 + 8], 4; mov byte ptr [r11 + 0x720], \
#   al; ret; third: movzx edx, byte ptr [r11 + rax + 0x110]; jmp over; fourth: movzx edx, byte ptr [r11 + \
#   rax + 0x210]; over: mov byte ptr [r11 + 8], 0; look: movzx ecx, byte ptr [r11 + 0xa]; test dl, cl; setne \
#   byte ptr [r11 + 9]; shl ecx, 4; test dl, cl; je done; cmp byte ptr [r11 + 9], 0; je forbidden; mov byte \
#   ptr [r11 + 9], 0; mov byte ptr [r11 + 0xe], 0; ret; forbidden: mov byte ptr [r11 + 8], 0; mov eax, 0xb; \
#   ret; compares: mov byte ptr [r11 + 8], 6; xor ecx, ecx; cmp al, 0xc0; jae count; mov edx, eax; and edx, \
#   7; cmp edx, 4; sete cl; test al, 0x40; je count; inc ecx; count: mov byte ptr [r11 + 0xc], cl; ret; \
#   number: dec byte ptr [r11 + 0xc]; jns done; mov byte ptr [r11 + 8], 0; and eax, 7; ret; shifts: mov byte \
#   ptr [r11 + 8], 0; mov edx, eax; and edx, 0xc7; cmp edx, 5; jne done; test byte ptr [rdi + 0x10000002], \
#   0x80; je done; mov byte ptr [r11 + 0xb], 1; ret; vector: movabs r11, 0x2000000000000002; test byte ptr \
#   [rdi + 0x10000004], 0x20; jne offered; test byte ptr [rdi + 0x10000002], 0x80; jne lacking; push rdi; \
#   push rsi; push rax; inc rsi; movabs rax, 0x2000000000000003; call rax; movzx edx, al; pop rax; pop rsi; \
#   pop rdi; cmp dl, 0xc0; jb usual; lacking: movabs r11, 0x2000000000000002; mov byte ptr [r11 + 8], 0; mov \
#   eax, 0xf4; ret; offered: cmp byte ptr [r11 + 0xa], 1; jne usual; test byte ptr [r11 + 0x723], 6; jne \
#   usual; push rbx; push rbp; push r12; push r13; push r14; mov rbx, rdi; mov rbp, rsi; mov r12, r11; mov \
#   r14d, eax; mov qword ptr [r12 + 0x840], rsi; mov byte ptr [r12 + 0x860], al; mov r13d, 1; mov dword ptr \
#   [r12 + 0x858], 2; more: cmp r13d, dword ptr [r12 + 0x858]; jae ask; mov rdi, rbx; lea rsi, [rbp + r13]; \
#   movabs rax, 0x2000000000000003; call rax; mov byte ptr [r12 + r13 + 0x860], al; inc r13d; jmp more; ask: \
#   lea rdi, [r12 + 0x860]; mov esi, r13d; movzx edx, byte ptr [rbx + 0x10000002]; and edx, 0x80; movzx ecx, \
#   byte ptr [r12 + 0x723]; and ecx, 1; or edx, ecx; lea rcx, [r12 + 0x850]; call qword ptr [r12 + 0x8a8]; \
#   test eax, eax; js declined; je ready; mov dword ptr [r12 + 0x858], eax; jmp more; ready: mov byte ptr \
#   [r12 + 0x848], r13b; movzx eax, byte ptr [r12 + 0x860]; pop r14; pop r13; pop r12; pop rbp; pop rbx; \
#   ret; declined: mov eax, r14d; pop r14; pop r13; pop r12; pop rbp; pop rbx; jmp usual
FETCH = (
    b"\x57\x56\x50\x48\xb8\x03\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x59\x5e\x5f\x0f\xb6\xc0\x49\xbb\x02"
    b"\x00\x00\x00\x00\x00\x00\x20\x49\x89\xbb\x10\x07\x00\x00\x49\x89\xb3\x18\x07\x00\x00\x41\x88\x83"
    b"\x21\x07\x00\x00\x49\x39\x33\x75\x46\x49\xc7\x03\x00\x00\x00\x00\x41\xc7\x43\x08\x01\x00\x01\x00"
    b"\x41\xc6\x43\x0d\x00\x41\xc7\x83\x22\x07\x00\x00\x00\x00\x00\x00\x41\xc6\x83\xb8\x07\x00\x00\x00"
    b"\x41\xc6\x83\x48\x08\x00\x00\x00\x49\xc7\x83\x50\x08\x00\x00\x00\x00\x00\x00\xf6\x87\x03\x00\x00"
    b"\x10\x04\x41\x0f\x95\x43\x0e\x41\x80\xbb\x48\x08\x00\x00\x00\x74\x14\x48\x89\xf1\x49\x2b\x8b\x40"
    b"\x08\x00\x00\x41\x0f\xb6\x84\x0b\x60\x08\x00\x00\xc3\x41\x0f\xb6\x4b\x08\xff\xc9\x0f\x88\x19\x02"
    b"\x00\x00\x0f\x84\xc2\x00\x00\x00\xff\xc9\x0f\x84\x89\x03\x00\x00\xff\xc9\x0f\x84\x72\x04\x00\x00"
    b"\xff\xc9\x0f\x84\x75\x04\x00\x00\xff\xc9\x0f\x84\xaf\x04\x00\x00\xff\xc9\x0f\x84\xc8\x04\x00\x00"
    b"\xff\xc9\x0f\x84\xd3\x04\x00\x00\x41\xc6\x43\x08\x00\xff\xc9\x74\x5e\xff\xc9\x74\x52\xff\xc9\x74"
    b"\x33\x83\xf9\x04\x74\x26\x83\xf9\x03\x75\x3b\x89\xc2\x81\xe2\xfe\x00\x00\x00\x81\xfa\xee\x00\x00"
    b"\x00\x74\x0b\x3d\xf9\x00\x00\x00\x0f\x85\xad\x01\x00\x00\xb8\xc0\x00\x00\x00\xc3\x3d\xf0\x00\x00"
    b"\x00\x73\xf3\xc3\x89\xc2\x83\xe2\x38\x83\xfa\x08\x0f\x85\x91\x01\x00\x00\x83\xf0\x08\xc3\x83\xe0"
    b"\x07\x0d\xf0\x00\x00\x00\xc3\x3c\xc0\x41\x0f\x92\x43\x0d\xc3\x41\x80\x7b\x0a\x01\x0f\x84\x71\x01"
    b"\x00\x00\x89\xc2\xc1\xea\x05\x83\xfa\x06\x0f\x84\x63\x01\x00\x00\x83\xe2\x05\x83\xfa\x01\x0f\x84"
    b"\x57\x01\x00\x00\xb8\xc0\x00\x00\x00\xc3\x3c\x0f\x75\x06\x41\xc6\x43\x08\x02\xc3\x41\x0f\xb6\x94"
    b"\x03\x10\x03\x00\x00\x80\xfa\x10\x0f\x84\x50\x01\x00\x00\x84\xd2\x0f\x84\xb0\x01\x00\x00\x80\xfa"
    b"\x20\x0f\x84\x25\x01\x00\x00\x80\xfa\x02\x0f\x85\x17\x01\x00\x00\xf6\x87\x02\x00\x00\x10\x80\x0f"
    b"\x84\x03\x01\x00\x00\x57\x50\x56\x48\x8d\x4e\x0e\x51\x48\x83\xec\x08\x48\x8b\x7c\x24\x20\x48\xff"
    b"\x44\x24\x10\x48\x8b\x74\x24\x10\x48\x3b\x74\x24\x08\x0f\x87\xc4\x00\x00\x00\x48\xb8\x03\x00\x00"
    b"\x00\x00\x00\x00\x20\xff\xd0\x0f\xb6\xc0\x49\xbb\x02\x00\x00\x00\x00\x00\x00\x20\x41\x80\xbc\x03"
    b"\x10\x03\x00\x00\x00\x75\xc2\x89\xc2\x81\xe2\xf0\x00\x00\x00\x83\xfa\x70\x0f\x84\x85\x00\x00\x00"
    b"\x89\xc2\x81\xe2\xfc\x00\x00\x00\x81\xfa\xe0\x00\x00\x00\x74\x75\x89\xc2\x81\xe2\xfe\x00\x00\x00"
    b"\x81\xfa\xe8\x00\x00\x00\x74\x65\x81\xfa\xc2\x00\x00\x00\x74\x5d\x3d\xeb\x00\x00\x00\x74\x56\x83"
    b"\xf8\x0f\x74\x07\x3d\xff\x00\x00\x00\x75\x54\x89\x04\x24\x48\x8b\x7c\x24\x20\x48\x8b\x74\x24\x10"
    b"\x48\xff\xc6\x48\xb8\x03\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x0f\xb6\xc0\x49\xbb\x02\x00\x00\x00"
    b"\x00\x00\x00\x20\x83\x3c\x24\x0f\x74\x0f\x83\xe0\x38\x83\xf8\x10\x74\x13\x83\xf8\x20\x74\x0e\xeb"
    b"\x16\x25\xf0\x00\x00\x00\x3d\x80\x00\x00\x00\x75\x0a\x48\x83\xc4\x28\xb8\x3e\x00\x00\x00\xc3\x49"
    b"\xbb\x02\x00\x00\x00\x00\x00\x00\x20\x48\x8b\x44\x24\x18\x48\x83\xc4\x20\x5f\xba\x02\x00\x00\x00"
    b"\x41\x80\x7b\x0a\x01\x75\x04\x41\x88\x53\x0a\xc3\x3c\x67\x75\x09\x41\x80\x8b\x23\x07\x00\x00\x01"
    b"\xc3\x3c\xf0\x75\xee\x41\x80\x8b\x23\x07\x00\x00\x02\xc3\xf6\x87\x02\x00\x00\x10\x80\x74\x5f\x41"
    b"\x80\x8b\x23\x07\x00\x00\x04\x50\x48\xff\xc6\x48\xb8\x03\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x0f"
    b"\xb6\xd0\x58\x80\xfa\x90\x74\x1c\x81\xe2\xfe\x00\x00\x00\x81\xfa\xc6\x00\x00\x00\x74\x2a\x81\xfa"
    b"\x9e\x00\x00\x00\x75\xa5\xb8\x3e\x00\x00\x00\xc3\x49\xbb\x02\x00\x00\x00\x00\x00\x00\x20\x41\x80"
    b"\x7b\x0a\x04\x75\x8e\x41\x80\xbb\xd8\x07\x00\x00\x00\x75\xdf\xc3\x25\xfb\x00\x00\x00\xc3\x89\xc2"
    b"\x81\xe2\xfe\x00\x00\x00\x81\xfa\xda\x00\x00\x00\x0f\x84\xa0\x00\x00\x00\x81\xfa\xc4\x00\x00\x00"
    b"\x0f\x84\x76\x02\x00\x00\x3d\x8f\x00\x00\x00\x74\x3a\x3d\xc2\x00\x00\x00\x75\x65\x57\x56\x50\x48"
    b"\x83\xc6\x02\x48\xb8\x03\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x0f\xb6\xd0\x58\x5e\x5f\xf6\xc2\x80"
    b"\x74\x47\x49\xbb\x02\x00\x00\x00\x00\x00\x00\x20\x41\xc6\x43\x08\x00\xb8\xf4\x00\x00\x00\xc3\x57"
    b"\x56\x50\x48\xff\xc6\x48\xb8\x03\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x0f\xb6\xd0\x58\x5e\x5f\xf6"
    b"\xc2\x38\x74\x15\x49\xbb\x02\x00\x00\x00\x00\x00\x00\x20\x41\xc6\x43\x08\x00\xb8\xc6\x00\x00\x00"
    b"\xc3\x49\xbb\x02\x00\x00\x00\x00\x00\x00\x20\x41\x0f\xb6\x8c\x03\x10\x05\x00\x00\x41\x88\x4b\x08"
    b"\x41\x0f\xb6\x84\x03\x10\x06\x00\x00\xc3\x50\x48\xff\xc6\x48\xb8\x03\x00\x00\x00\x00\x00\x00\x20"
    b"\xff\xd0\x0f\xb6\xd0\x58\x89\xd1\xc1\xe9\x05\x83\xf9\x06\x75\xc1\xc1\xea\x03\x83\xe2\x03\x83\xe0"
    b"\x01\x8d\x54\x82\x01\x49\xbb\x02\x00\x00\x00\x00\x00\x00\x20\x41\x88\x93\x22\x07\x00\x00\x41\xc6"
    b"\x43\x08\x0b\xb8\xdb\x00\x00\x00\xc3\x3c\x38\x0f\x84\xcf\x00\x00\x00\x3c\x3a\x0f\x84\xd4\x00\x00"
    b"\x00\x3c\x33\x75\x02\xb0\x30\x0f\xb6\xc0\x41\x88\x83\x20\x07\x00\x00\x3c\xb1\x74\x2a\x89\xc2\x81"
    b"\xe2\xfe\x00\x00\x00\x81\xfa\xbc\x00\x00\x00\x74\x51\x41\x80\x7b\x0a\x02\x0f\x85\x83\x00\x00\x00"
    b"\x89\xc2\x81\xe2\xfb\x00\x00\x00\x83\xfa\x12\x74\x0b\xeb\x74\xf6\x87\x02\x00\x00\x10\x80\x74\x6b"
    b"\x50\x48\xff\xc6\x48\xb8\x03\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x0f\xb6\xd0\x58\x49\xbb\x02\x00"
    b"\x00\x00\x00\x00\x00\x20\x80\xfa\xc0\x72\x1b\x41\xc6\x43\x08\x00\xb8\x0b\x00\x00\x00\xc3\xf6\x87"
    b"\x02\x00\x00\x10\x80\x74\x34\xb9\x02\x00\x00\x00\xeb\x15\x3c\xb1\x75\x29\xb9\x82\x00\x00\x00\x41"
    b"\xf6\x83\x23\x07\x00\x00\x02\x75\x02\xff\xc1\x41\x80\x7b\x0a\x02\x74\x11\x41\xf6\x83\x23\x07\x00"
    b"\x00\x01\x75\x07\x41\x88\x8b\x24\x07\x00\x00\x41\x0f\xb6\x8c\x03\x10\x04\x00\x00\x41\x88\x4b\x08"
    b"\x41\x0f\xb6\x54\x03\x10\xeb\x33\x41\xc6\x43\x08\x03\x41\x88\x83\x20\x07\x00\x00\xc3\x41\xc6\x43"
    b"\x08\x04\x41\x88\x83\x20\x07\x00\x00\xc3\x41\x0f\xb6\x94\x03\x10\x01\x00\x00\xeb\x09\x41\x0f\xb6"
    b"\x94\x03\x10\x02\x00\x00\x41\xc6\x43\x08\x00\x41\x0f\xb6\x4b\x0a\x84\xca\x41\x0f\x95\x43\x09\xc1"
    b"\xe1\x04\x84\xca\x0f\x84\x61\xfd\xff\xff\x41\x80\x7b\x09\x00\x74\x0b\x41\xc6\x43\x09\x00\x41\xc6"
    b"\x43\x0e\x00\xc3\x41\xc6\x43\x08\x00\xb8\x0b\x00\x00\x00\xc3\x41\xc6\x43\x08\x06\x31\xc9\x3c\xc0"
    b"\x73\x11\x89\xc2\x83\xe2\x07\x83\xfa\x04\x0f\x94\xc1\xa8\x40\x74\x02\xff\xc1\x41\x88\x4b\x0c\xc3"
    b"\x41\xfe\x4b\x0c\x0f\x89\x19\xfd\xff\xff\x41\xc6\x43\x08\x00\x83\xe0\x07\xc3\x41\xc6\x43\x08\x00"
    b"\x89\xc2\x81\xe2\xc7\x00\x00\x00\x83\xfa\x05\x0f\x85\xfa\xfc\xff\xff\xf6\x87\x02\x00\x00\x10\x80"
    b"\x0f\x84\xed\xfc\xff\xff\x41\xc6\x43\x0b\x01\xc3\x49\xbb\x02\x00\x00\x00\x00\x00\x00\x20\xf6\x87"
    b"\x04\x00\x00\x10\x20\x75\x3f\xf6\x87\x02\x00\x00\x10\x80\x75\x21\x57\x56\x50\x48\xff\xc6\x48\xb8"
    b"\x03\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x0f\xb6\xd0\x58\x5e\x5f\x80\xfa\xc0\x0f\x82\xc0\xfd\xff"
    b"\xff\x49\xbb\x02\x00\x00\x00\x00\x00\x00\x20\x41\xc6\x43\x08\x00\xb8\xf4\x00\x00\x00\xc3\x41\x80"
    b"\x7b\x0a\x01\x0f\x85\xa0\xfd\xff\xff\x41\xf6\x83\x23\x07\x00\x00\x06\x0f\x85\x92\xfd\xff\xff\x53"
    b"\x55\x41\x54\x41\x55\x41\x56\x48\x89\xfb\x48\x89\xf5\x4d\x89\xdc\x41\x89\xc6\x49\x89\xb4\x24\x40"
    b"\x08\x00\x00\x41\x88\x84\x24\x60\x08\x00\x00\x41\xbd\x01\x00\x00\x00\x41\xc7\x84\x24\x58\x08\x00"
    b"\x00\x02\x00\x00\x00\x45\x3b\xac\x24\x58\x08\x00\x00\x73\x21\x48\x89\xdf\x4a\x8d\x74\x2d\x00\x48"
    b"\xb8\x03\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x43\x88\x84\x2c\x60\x08\x00\x00\x41\xff\xc5\xeb\xd5"
    b"\x49\x8d\xbc\x24\x60\x08\x00\x00\x44\x89\xee\x0f\xb6\x93\x02\x00\x00\x10\x81\xe2\x80\x00\x00\x00"
    b"\x41\x0f\xb6\x8c\x24\x23\x07\x00\x00\x83\xe1\x01\x09\xca\x49\x8d\x8c\x24\x50\x08\x00\x00\x41\xff"
    b"\x94\x24\xa8\x08\x00\x00\x85\xc0\x78\x26\x74\x0a\x41\x89\x84\x24\x58\x08\x00\x00\xeb\x8f\x45\x88"
    b"\xac\x24\x48\x08\x00\x00\x41\x0f\xb6\x84\x24\x60\x08\x00\x00\x41\x5e\x41\x5d\x41\x5c\x5d\x5b\xc3"
    b"\x44\x89\xf0\x41\x5e\x41\x5d\x41\x5c\x5d\x5b\xe9\xc1\xfc\xff\xff")
# amd64: movabs r11, 0x2000000000000002; cmp byte ptr [r11 + 0x848], 0; je plain; mov rcx, rsi; sub rcx, \
#   qword ptr [r11 + 0x840]; mov eax, dword ptr [r11 + rcx + 0x860]; ret; plain: push rax; movabs rax, \
#   0x2000000000000003; call rax; pop rcx; movabs r11, 0x2000000000000002; movzx ecx, byte ptr [r11 + 0xb]; \
#   mov byte ptr [r11 + 0xb], 0; add eax, ecx; ret
FETCH_LONG = (
    b"\x49\xbb\x02\x00\x00\x00\x00\x00\x00\x20\x41\x80\xbb\x48\x08\x00\x00\x00\x74\x13\x48\x89\xf1\x49"
    b"\x2b\x8b\x40\x08\x00\x00\x41\x8b\x84\x0b\x60\x08\x00\x00\xc3\x50\x48\xb8\x03\x00\x00\x00\x00\x00"
    b"\x00\x20\xff\xd0\x59\x49\xbb\x02\x00\x00\x00\x00\x00\x00\x20\x41\x0f\xb6\x4b\x0b\x41\xc6\x43\x0b"
    b"\x00\x01\xc8\xc3")
# amd64: movabs r11, 0x2000000000000002; cmp byte ptr [r11 + 8], 12; jne access; mov byte ptr [r11 + 8], 0; \
#   mov rax, qword ptr [r11 + 0x820]; cmp byte ptr [r11 + 0xa], 4; jb access; je note; mov rax, qword ptr \
#   [r11 + 0x828]; note: push rdi; push rsi; push rdx; push rcx; push r8; push rbx; push rbp; sub rsp, 16; \
#   mov rbx, rax; mov rbp, qword ptr [r11 + 0x800]; mov rdi, rbp; mov rsi, qword ptr [r11 + 0x718]; movabs \
#   rax, 0x2000000000000009; call rax; add rax, rbp; mov qword ptr [rsp], rax; mov rdi, rbp; mov rsi, rbx; \
#   xor edx, edx; mov ecx, 1; mov r8, rsp; movabs rax, 0x2000000000000006; call rax; mov rdi, rbp; mov rsi, \
#   qword ptr [rsp]; movabs rax, 0x200000000000000a; call rax; add rsp, 16; pop rbp; pop rbx; pop r8; pop \
#   rcx; pop rdx; pop rsi; pop rdi; movabs r11, 0x2000000000000002; access: cmp byte ptr [r11 + 9], 0; je \
#   plain; mov byte ptr [r11 + 9], 0; or r8d, 0x40; jmp go; plain: cmp byte ptr [r11 + 0xe], 0; je go; mov \
#   eax, r8d; and eax, 3; shl eax, 4; or r8d, eax; go: cmp byte ptr [r11 + 0x7b8], 0; jne entering; movabs \
#   r11, 0x2000000000000003; jmp r11; entering: mov byte ptr [r11 + 0x7b8], 0; push r11; movabs rax, \
#   0x2000000000000003; call rax; pop r11; mov rdi, qword ptr [r11 + 0x7c0]; mov rsi, qword ptr [r11 + \
#   0x7a8]; xor edx, edx; mov ecx, 1; lea r8, [r11 + 0x7b0]; movabs rax, 0x2000000000000006; jmp rax
ACCESS = (
    b"\x49\xbb\x02\x00\x00\x00\x00\x00\x00\x20\x41\x80\x7b\x08\x0c\x0f\x85\x98\x00\x00\x00\x41\xc6\x43"
    b"\x08\x00\x49\x8b\x83\x20\x08\x00\x00\x41\x80\x7b\x0a\x04\x0f\x82\x81\x00\x00\x00\x74\x07\x49\x8b"
    b"\x83\x28\x08\x00\x00\x57\x56\x52\x51\x41\x50\x53\x55\x48\x83\xec\x10\x48\x89\xc3\x49\x8b\xab\x00"
    b"\x08\x00\x00\x48\x89\xef\x49\x8b\xb3\x18\x07\x00\x00\x48\xb8\x09\x00\x00\x00\x00\x00\x00\x20\xff"
    b"\xd0\x48\x01\xe8\x48\x89\x04\x24\x48\x89\xef\x48\x89\xde\x31\xd2\xb9\x01\x00\x00\x00\x49\x89\xe0"
    b"\x48\xb8\x06\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x48\x89\xef\x48\x8b\x34\x24\x48\xb8\x0a\x00\x00"
    b"\x00\x00\x00\x00\x20\xff\xd0\x48\x83\xc4\x10\x5d\x5b\x41\x58\x59\x5a\x5e\x5f\x49\xbb\x02\x00\x00"
    b"\x00\x00\x00\x00\x20\x41\x80\x7b\x09\x00\x74\x0b\x41\xc6\x43\x09\x00\x41\x83\xc8\x40\xeb\x13\x41"
    b"\x80\x7b\x0e\x00\x74\x0c\x44\x89\xc0\x83\xe0\x03\xc1\xe0\x04\x41\x09\xc0\x41\x80\xbb\xb8\x07\x00"
    b"\x00\x00\x75\x0d\x49\xbb\x03\x00\x00\x00\x00\x00\x00\x20\x41\xff\xe3\x41\xc6\x83\xb8\x07\x00\x00"
    b"\x00\x41\x53\x48\xb8\x03\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x41\x5b\x49\x8b\xbb\xc0\x07\x00\x00"
    b"\x49\x8b\xb3\xa8\x07\x00\x00\x31\xd2\xb9\x01\x00\x00\x00\x4d\x8d\x83\xb0\x07\x00\x00\x48\xb8\x06"
    b"\x00\x00\x00\x00\x00\x00\x20\xff\xe0")
# amd64: movabs r11, 0x2000000000000002; push qword ptr [rbp + 8]; push qword ptr [rbp + 0x38]; push r11; \
#   push rdi; sub rsp, 8; mov rdi, rbp; movabs rax, 0x2000000000000003; call rax; add rsp, 8; pop rdi; pop \
#   r11; pop rcx; pop rdx; lea r8, [rdx + 1]; mov r9, rcx; sub r9, qword ptr [r11 + 0x810]; add r9, 8; mov \
#   r10, qword ptr [r11 + 0x808]; mov qword ptr [r11 + 0x808], rdx; mov qword ptr [r11 + 0x810], rcx; mov \
#   rsi, qword ptr [r11 + 0x830]; mov qword ptr [r11 + 0x830], rdi; cmp rsi, rdi; jne begins; cmp r8, r10; \
#   jne begins; cmp r9, 16; ja begins; mov ecx, eax; and ecx, 0x40; cmp ecx, 0x77; jne begins; ret; begins: \
#   mov qword ptr [r11 + 0x818], rax; ret
NOTE_REPEATED = (
    b"\x49\xbb\x02\x00\x00\x00\x00\x00\x00\x20\xff\x75\x08\xff\x75\x38\x41\x53\x57\x48\x83\xec\x08\x48"
    b"\x89\xef\x48\xb8\x03\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x48\x83\xc4\x08\x5f\x41\x5b\x59\x5a\x4c"
    b"\x8d\x42\x01\x49\x89\xc9\x4d\x2b\x8b\x10\x08\x00\x00\x49\x83\xc1\x08\x4d\x8b\x93\x08\x08\x00\x00"
    b"\x49\x89\x93\x08\x08\x00\x00\x49\x89\x8b\x10\x08\x00\x00\x49\x8b\xb3\x30\x08\x00\x00\x49\x89\xbb"
    b"\x30\x08\x00\x00\x48\x39\xfe\x75\x16\x4d\x39\xd0\x75\x11\x49\x83\xf9\x10\x77\x0b\x89\xc1\x83\xe1"
    b"\x40\x83\xf9\x77\x75\x01\xc3\x49\x89\x83\x18\x08\x00\x00\xc3")
# amd64: jmp rdx
GO_ON = b"\xff\xe2"
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
# amd64: movabs r11, 0x2000000000000002; cmp qword ptr [r11 + 0x850], 0; je other; cmp rsi, qword ptr [r11 \
#   + 0x8b0]; je vector; cmp rsi, qword ptr [r11 + 0x8b8]; je vector; other: lea r10, [r11 + 0x900]; next: \
#   mov rax, qword ptr [r10]; test rax, rax; je none; add r10, 0x10; cmp rax, rsi; jne next; mov rsi, qword \
#   ptr [r10 - 8]; jmp go; none: movzx eax, byte ptr [r11 + 0x722]; test eax, eax; jne moves; movabs r10, \
#   0x2000000000000004; cmp rsi, r10; jne go; cmp byte ptr [r11 + 0xd], 0; je enter; ret; moves: dec eax; \
#   cmp rsi, qword ptr [r11 + 0x798]; je done; cmp rsi, qword ptr [r11 + 0x7a0]; jne go; test al, 4; je go; \
#   mov rsi, qword ptr [r11 + 0x790]; jmp go; done: and eax, 3; mov rsi, qword ptr [r11 + rax*8 + 0x770]; \
#   jmp go; enter: movzx eax, byte ptr [r11 + 0x721]; mov r9b, byte ptr [r11 + 0x720]; cmp r9b, 0xd6; jne \
#   others; cmp byte ptr [r11 + 0xa], 8; je field; jmp go; others: mov r10d, r9d; and r10d, 0xf8; cmp r10d, \
#   0x28; je known; push rdi; push rdx; push rcx; push r8; push r9; mov rdi, qword ptr [r11 + 0x710]; mov \
#   rsi, qword ptr [r11 + 0x718]; inc rsi; cmp al, 0x38; je three; cmp al, 0x3a; jne two; three: inc rsi; \
#   two: movabs rax, 0x2000000000000005; call rax; pop r9; pop r8; pop rcx; pop rdx; pop rdi; movzx eax, \
#   al; movabs r11, 0x2000000000000002; movabs rsi, 0x2000000000000004; known: mov r10d, eax; cmp r9b, \
#   0x6e; je field; cmp r9b, 0x6f; je field; cmp r9b, 0xc4; je field; cmp r9b, 0x7f; jne chosen; cmp al, \
#   0xc0; jb chosen; and eax, 7; mov rsi, qword ptr [r11 + rax*8 + 0x730]; jmp go; field: mov r10d, eax; \
#   shr eax, 3; and eax, 7; mov rsi, qword ptr [r11 + rax*8 + 0x730]; chosen: cmp r10b, 0xc0; jae go; mov \
#   qword ptr [r11 + 0x7a8], rsi; mov rax, qword ptr [r8]; mov qword ptr [r11 + 0x7b0], rax; mov qword ptr \
#   [r11 + 0x7c0], rdi; mov byte ptr [r11 + 0x7b8], 1; mov rsi, qword ptr [r11 + 0x7d0]; cmp r9b, 0x7e; je \
#   go; cmp r9b, 0x7f; je go; cmp r9b, 0xe7; je go; mov rsi, qword ptr [r11 + 0x7c8]; go: movabs r11, \
#   0x2000000000000003; jmp r11; vector: push rbx; push rbp; sub rsp, 0x28; mov rbp, rdi; mov rax, qword \
#   ptr [r8]; mov qword ptr [rsp], rax; mov rax, qword ptr [r8 + 8]; mov qword ptr [rsp + 8], rax; mov rbx, \
#   qword ptr [r11 + 0x8c0]; mov rsi, qword ptr [r11 + 0x850]; mov qword ptr [r11 + 0x850], 0; movabs rax, \
#   0x2000000000000009; call rax; add rax, rbp; mov qword ptr [rsp + 0x10], rax; mov rdi, rbp; mov rsi, \
#   rbx; xor edx, edx; mov ecx, 3; mov r8, rsp; movabs rax, 0x2000000000000006; call rax; mov rdi, rbp; mov \
#   rsi, qword ptr [rsp + 0x10]; movabs rax, 0x200000000000000a; call rax; add rsp, 0x28; pop rbp; pop rbx; \
#   ret
CALL = (
    b"\x49\xbb\x02\x00\x00\x00\x00\x00\x00\x20\x49\x83\xbb\x50\x08\x00\x00\x00\x74\x1a\x49\x3b\xb3\xb0"
    b"\x08\x00\x00\x0f\x84\xa3\x01\x00\x00\x49\x3b\xb3\xb8\x08\x00\x00\x0f\x84\x96\x01\x00\x00\x4d\x8d"
    b"\x93\x00\x09\x00\x00\x49\x8b\x02\x48\x85\xc0\x74\x12\x49\x83\xc2\x10\x48\x39\xf0\x75\xef\x49\x8b"
    b"\x72\xf8\xe9\x68\x01\x00\x00\x41\x0f\xb6\x83\x22\x07\x00\x00\x85\xc0\x75\x1b\x49\xba\x04\x00\x00"
    b"\x00\x00\x00\x00\x20\x4c\x39\xd6\x0f\x85\x49\x01\x00\x00\x41\x80\x7b\x0d\x00\x74\x3d\xc3\xff\xc8"
    b"\x49\x3b\xb3\x98\x07\x00\x00\x74\x21\x49\x3b\xb3\xa0\x07\x00\x00\x0f\x85\x29\x01\x00\x00\xa8\x04"
    b"\x0f\x84\x21\x01\x00\x00\x49\x8b\xb3\x90\x07\x00\x00\xe9\x15\x01\x00\x00\x83\xe0\x03\x49\x8b\xb4"
    b"\xc3\x70\x07\x00\x00\xe9\x05\x01\x00\x00\x41\x0f\xb6\x83\x21\x07\x00\x00\x45\x8a\x8b\x20\x07\x00"
    b"\x00\x41\x80\xf9\xd6\x75\x10\x41\x80\x7b\x0a\x08\x0f\x84\x8e\x00\x00\x00\xe9\xe0\x00\x00\x00\x45"
    b"\x89\xca\x41\x81\xe2\xf8\x00\x00\x00\x41\x83\xfa\x28\x74\x4d\x57\x52\x51\x41\x50\x41\x51\x49\x8b"
    b"\xbb\x10\x07\x00\x00\x49\x8b\xb3\x18\x07\x00\x00\x48\xff\xc6\x3c\x38\x74\x04\x3c\x3a\x75\x03\x48"
    b"\xff\xc6\x48\xb8\x05\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x41\x59\x41\x58\x59\x5a\x5f\x0f\xb6\xc0"
    b"\x49\xbb\x02\x00\x00\x00\x00\x00\x00\x20\x48\xbe\x04\x00\x00\x00\x00\x00\x00\x20\x41\x89\xc2\x41"
    b"\x80\xf9\x6e\x74\x23\x41\x80\xf9\x6f\x74\x1d\x41\x80\xf9\xc4\x74\x17\x41\x80\xf9\x7f\x75\x22\x3c"
    b"\xc0\x72\x1e\x83\xe0\x07\x49\x8b\xb4\xc3\x30\x07\x00\x00\xeb\x57\x41\x89\xc2\xc1\xe8\x03\x83\xe0"
    b"\x07\x49\x8b\xb4\xc3\x30\x07\x00\x00\x41\x80\xfa\xc0\x73\x40\x49\x89\xb3\xa8\x07\x00\x00\x49\x8b"
    b"\x00\x49\x89\x83\xb0\x07\x00\x00\x49\x89\xbb\xc0\x07\x00\x00\x41\xc6\x83\xb8\x07\x00\x00\x01\x49"
    b"\x8b\xb3\xd0\x07\x00\x00\x41\x80\xf9\x7e\x74\x13\x41\x80\xf9\x7f\x74\x0d\x41\x80\xf9\xe7\x74\x07"
    b"\x49\x8b\xb3\xc8\x07\x00\x00\x49\xbb\x03\x00\x00\x00\x00\x00\x00\x20\x41\xff\xe3\x53\x55\x48\x83"
    b"\xec\x28\x48\x89\xfd\x49\x8b\x00\x48\x89\x04\x24\x49\x8b\x40\x08\x48\x89\x44\x24\x08\x49\x8b\x9b"
    b"\xc0\x08\x00\x00\x49\x8b\xb3\x50\x08\x00\x00\x49\xc7\x83\x50\x08\x00\x00\x00\x00\x00\x00\x48\xb8"
    b"\x09\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x48\x01\xe8\x48\x89\x44\x24\x10\x48\x89\xef\x48\x89\xde"
    b"\x31\xd2\xb9\x03\x00\x00\x00\x49\x89\xe0\x48\xb8\x06\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x48\x89"
    b"\xef\x48\x8b\x74\x24\x10\x48\xb8\x0a\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x48\x83\xc4\x28\x5d\x5b"
    b"\xc3")

# amd64: movabs r11, 0x2000000000000002; movzx ecx, byte ptr [r11 + 0x724]; test ecx, ecx; je go; \
#   mov eax, ecx; and eax, 0x7f; dec eax; je last; dec byte ptr [r11 + 0x724]; \
#   go: movabs r11, 0x2000000000000003; jmp r11; last: mov byte ptr [r11 + 0x724], 0; test cl, 0x80; \
#   jne exchange; push rdx; mov rcx, rdx; mov r8, rdx; mov r9, rdx; mov rdx, rsi; mov esi, 1; jmp emit; \
#   exchange: push rdi; push rsi; push rdx; mov esi, 1; xor edx, edx; movabs rax, 0x2000000000000007; \
#   call rax; pop rdx; pop rsi; pop rdi; sub rax, rdi; push rdi; push rsi; push rdx; push rax; sub rsp, 8; \
#   mov rdx, rsi; mov rsi, rax; movabs rax, 0x2000000000000003; call rax; add rsp, 8; pop rcx; pop r8; \
#   pop r9; pop rdi; push r8; mov rdx, r9; mov esi, 8; emit: movabs rax, 0x2000000000000008; call rax; \
#   pop rcx; ret
EXTEND = (
    b"\x49\xbb\x02\x00\x00\x00\x00\x00\x00\x20\x41\x0f\xb6\x8b\x24\x07\x00\x00\x85\xc9\x74\x10\x89\xc8"
    b"\x83\xe0\x7f\xff\xc8\x74\x14\x41\xfe\x8b\x24\x07\x00\x00\x49\xbb\x03\x00\x00\x00\x00\x00\x00\x20"
    b"\x41\xff\xe3\x41\xc6\x83\x24\x07\x00\x00\x00\xf6\xc1\x80\x75\x14\x52\x48\x89\xd1\x49\x89\xd0\x49"
    b"\x89\xd1\x48\x89\xf2\xbe\x01\x00\x00\x00\xeb\x4a\x57\x56\x52\xbe\x01\x00\x00\x00\x31\xd2\x48\xb8"
    b"\x07\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x5a\x5e\x5f\x48\x29\xf8\x57\x56\x52\x50\x48\x83\xec\x08"
    b"\x48\x89\xf2\x48\x89\xc6\x48\xb8\x03\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x48\x83\xc4\x08\x59\x41"
    b"\x58\x41\x59\x5f\x41\x50\x4c\x89\xca\xbe\x08\x00\x00\x00\x48\xb8\x08\x00\x00\x00\x00\x00\x00\x20"
    b"\xff\xd0\x59\xc3")

# amd64: mov rax, qword ptr [rdi + 0x80]; sar rax, 47; inc rax; cmp rax, 1; ja beyond; movabs rax, \
#   0x2000000000000003; jmp rax; beyond: mov esi, 0xd; mov edx, 0x10000; mov rcx, qword ptr [rsp]; movabs \
#   rax, 0x2000000000000001; jmp rax
CHECK_TARGET = (
    b"\x48\x8b\x87\x80\x00\x00\x00\x48\xc1\xf8\x2f\x48\xff\xc0\x48\x83\xf8\x01\x77\x0c\x48\xb8\x03\x00"
    b"\x00\x00\x00\x00\x00\x20\xff\xe0\xbe\x0d\x00\x00\x00\xba\x00\x00\x01\x00\x48\x8b\x0c\x24\x48\xb8"
    b"\x01\x00\x00\x00\x00\x00\x00\x20\xff\xe0")
# amd64: cmp esi, 1; jne go; push rdi; push rsi; push rdx; mov rsi, qword ptr [rdi + 0x20]; add rsi, 8; mov \
#   rdx, qword ptr [rsp + 0x18]; movabs rax, 0x200000000000000b; call rax; test eax, 0x20000; je back; mov \
#   rdi, qword ptr [rsp + 0x10]; mov rsi, qword ptr [rdi + 0x20]; add rsi, 4; mov rdx, qword ptr [rsp + \
#   0x18]; movabs rax, 0x200000000000000b; call rax; movzx edx, ax; cmp edx, 0x23; je clear; cmp edx, 0x33; \
#   je clear; and edx, 0xfffc; add rsp, 0x10; pop rdi; mov esi, 0xd; mov rcx, qword ptr [rsp]; movabs rax, \
#   0x2000000000000001; jmp rax; clear: mov rdi, qword ptr [rsp + 0x10]; mov rsi, qword ptr [rdi + 0x20]; \
#   add rsi, 8; mov rdx, qword ptr [rsp + 0x18]; movabs rax, 0x200000000000000b; call rax; and eax, \
#   0xfffdffff; mov edx, eax; mov rdi, qword ptr [rsp + 0x10]; mov rsi, qword ptr [rdi + 0x20]; add rsi, 8; \
#   mov rcx, qword ptr [rsp + 0x18]; movabs rax, 0x200000000000000c; call rax; back: pop rdx; pop rsi; pop \
#   rdi; go: movabs rax, 0x2000000000000003; jmp rax
CHECK_FRAME = (
    b"\x83\xfe\x01\x0f\x85\xb8\x00\x00\x00\x57\x56\x52\x48\x8b\x77\x20\x48\x83\xc6\x08\x48\x8b\x54\x24"
    b"\x18\x48\xb8\x0b\x00\x00\x00\x00\x00\x00\x20\xff\xd0\xa9\x00\x00\x02\x00\x0f\x84\x8e\x00\x00\x00"
    b"\x48\x8b\x7c\x24\x10\x48\x8b\x77\x20\x48\x83\xc6\x04\x48\x8b\x54\x24\x18\x48\xb8\x0b\x00\x00\x00"
    b"\x00\x00\x00\x20\xff\xd0\x0f\xb7\xd0\x83\xfa\x23\x74\x25\x83\xfa\x33\x74\x20\x81\xe2\xfc\xff\x00"
    b"\x00\x48\x83\xc4\x10\x5f\xbe\x0d\x00\x00\x00\x48\x8b\x0c\x24\x48\xb8\x01\x00\x00\x00\x00\x00\x00"
    b"\x20\xff\xe0\x48\x8b\x7c\x24\x10\x48\x8b\x77\x20\x48\x83\xc6\x08\x48\x8b\x54\x24\x18\x48\xb8\x0b"
    b"\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x25\xff\xff\xfd\xff\x89\xc2\x48\x8b\x7c\x24\x10\x48\x8b\x77"
    b"\x20\x48\x83\xc6\x08\x48\x8b\x4c\x24\x18\x48\xb8\x0c\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x5a\x5e"
    b"\x5f\x48\xb8\x03\x00\x00\x00\x00\x00\x00\x20\xff\xe0")
# amd64: cmp esi, 2; jne go; push rdi; push rsi; push rdx; mov rdi, qword ptr [rsp + 0x10]; mov rsi, \
#   qword ptr [rdi + 0x20]; mov rdx, qword ptr [rsp + 0x18]; movabs rax, 0x200000000000000b; call rax; \
#   mov rdi, qword ptr [rsp + 0x10]; mov rsi, qword ptr [rdi + 0x20]; add rsi, 4; mov rdx, qword ptr \
#   [rsp + 0x18]; movabs rax, 0x200000000000000b; call rax; sar eax, 15; inc eax; cmp eax, 1; jbe back; \
#   mov rdi, qword ptr [rsp + 0x10]; mov rsi, qword ptr [rdi + 0x20]; add rsi, 8; mov rdx, qword ptr \
#   [rsp + 0x18]; movabs rax, 0x200000000000000b; call rax; movzx eax, ax; cmp eax, 0x33; jne back; add \
#   rsp, 0x10; pop rdi; mov esi, 0xd; xor edx, edx; mov rcx, qword ptr [rsp]; movabs rax, \
#   0x2000000000000001; jmp rax; back: pop rdx; pop rsi; pop rdi; go: movabs rax, 0x2000000000000003; \
#   jmp rax
CHECK_RETURN = (
    b"\x83\xfe\x02\x0f\x85\x8a\x00\x00\x00\x57\x56\x52\x48\x8b\x7c\x24\x10\x48\x8b\x77\x20\x48\x8b\x54"
    b"\x24\x18\x48\xb8\x0b\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x48\x8b\x7c\x24\x10\x48\x8b\x77\x20\x48"
    b"\x83\xc6\x04\x48\x8b\x54\x24\x18\x48\xb8\x0b\x00\x00\x00\x00\x00\x00\x20\xff\xd0\xc1\xf8\x0f\xff"
    b"\xc0\x83\xf8\x01\x76\x42\x48\x8b\x7c\x24\x10\x48\x8b\x77\x20\x48\x83\xc6\x08\x48\x8b\x54\x24\x18"
    b"\x48\xb8\x0b\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x0f\xb7\xc0\x83\xf8\x33\x75\x1c\x48\x83\xc4\x10"
    b"\x5f\xbe\x0d\x00\x00\x00\x31\xd2\x48\x8b\x0c\x24\x48\xb8\x01\x00\x00\x00\x00\x00\x00\x20\xff\xe0"
    b"\x5a\x5e\x5f\x48\xb8\x03\x00\x00\x00\x00\x00\x00\x20\xff\xe0")
# amd64: movzx edx, dx; movabs rax, 0x2000000000000003; jmp rax
CUT_NUMBER = b"\x0f\xb7\xd2\x48\xb8\x03\x00\x00\x00\x00\x00\x00\x20\xff\xe0"
# amd64: mov eax, esi; or eax, 3; cmp eax, 0x23; jne go; mov edx, edx; go: movabs rax, \
#   0x2000000000000003; jmp rax
CUT_TARGET = (
    b"\x89\xf0\x83\xc8\x03\x83\xf8\x23\x75\x02\x89\xd2\x48\xb8\x03\x00\x00\x00\x00\x00\x00\x20\xff\xe0")
# amd64: test sil, 0xf; jne tail; push rdi; push rsi; sub rsp, 8; add rsi, 0x19c; mov rdx, qword ptr [rsp + \
#   0x18]; movabs rax, 0x200000000000000b; call rax; mov rdi, qword ptr [rsp + 0x10]; mov rsi, qword ptr \
#   [rsp + 8]; add rsi, 0x18; mov rdx, qword ptr [rsp + 0x18]; movabs rax, 0x200000000000000b; call rax; \
#   mov rdi, qword ptr [rsp + 0x10]; mov rsi, qword ptr [rsp + 8]; shr eax, 16; jne refused; movabs rax, \
#   0x2000000000000003; call rax; add rsp, 0x10; pop rdi; mov ax, word ptr [rdi + 0x10000005]; and eax, \
#   0x1f3f; or eax, 0x40; mov word ptr [rdi + 0x10000005], ax; not eax; and word ptr [rdi + 0x10000006], \
#   0x7f7f; and ax, word ptr [rdi + 0x10000006]; test al, 0x3f; je quiet; or word ptr [rdi + 0x10000006], \
#   0x8080; quiet: ret; refused: add rsp, 0x18; mov esi, 0xd; xor edx, edx; mov rcx, qword ptr [rsp]; \
#   movabs rax, 0x2000000000000001; jmp rax; tail: movabs rax, 0x2000000000000003; jmp rax
CHECK_STATE = (
    b"\x40\xf6\xc6\x0f\x0f\x85\xae\x00\x00\x00\x57\x56\x48\x83\xec\x08\x48\x81\xc6\x9c\x01\x00\x00\x48"
    b"\x8b\x54\x24\x18\x48\xb8\x0b\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x48\x8b\x7c\x24\x10\x48\x8b\x74"
    b"\x24\x08\x48\x83\xc6\x18\x48\x8b\x54\x24\x18\x48\xb8\x0b\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x48"
    b"\x8b\x7c\x24\x10\x48\x8b\x74\x24\x08\xc1\xe8\x10\x75\x47\x48\xb8\x03\x00\x00\x00\x00\x00\x00\x20"
    b"\xff\xd0\x48\x83\xc4\x10\x5f\x66\x8b\x87\x05\x00\x00\x10\x25\x3f\x1f\x00\x00\x83\xc8\x40\x66\x89"
    b"\x87\x05\x00\x00\x10\xf7\xd0\x66\x81\xa7\x06\x00\x00\x10\x7f\x7f\x66\x23\x87\x06\x00\x00\x10\xa8"
    b"\x3f\x74\x09\x66\x81\x8f\x06\x00\x00\x10\x80\x80\xc3\x48\x83\xc4\x18\xbe\x0d\x00\x00\x00\x31\xd2"
    b"\x48\x8b\x0c\x24\x48\xb8\x01\x00\x00\x00\x00\x00\x00\x20\xff\xe0\x48\xb8\x03\x00\x00\x00\x00\x00"
    b"\x00\x20\xff\xe0")
# amd64: test sil, 0xf; jne tail; push rdi; push rsi; push 0x19c; touch: mov rdi, qword ptr [rsp + 0x10]; \
#   mov rsi, qword ptr [rsp + 8]; add rsi, qword ptr [rsp]; mov rdx, qword ptr [rsp + 0x18]; movabs rax, \
#   0x200000000000000b; call rax; mov rdi, qword ptr [rsp + 0x10]; mov rsi, qword ptr [rsp + 8]; add rsi, \
#   qword ptr [rsp]; mov edx, eax; mov rcx, qword ptr [rsp + 0x18]; movabs rax, 0x200000000000000c; call \
#   rax; sub qword ptr [rsp], 0x19c; je touch; mov rdi, qword ptr [rsp + 0x10]; mov rsi, qword ptr [rsp + \
#   8]; movabs rax, 0x2000000000000003; call rax; mov rdi, qword ptr [rsp + 0x10]; mov rsi, qword ptr [rsp \
#   + 8]; add rsi, 4; mov rdx, qword ptr [rsp + 0x18]; movabs rax, 0x200000000000000b; call rax; mov rdi, \
#   qword ptr [rsp + 0x10]; mov rsi, qword ptr [rsp + 8]; add rsi, 4; movzx edx, al; mov rcx, qword ptr \
#   [rsp + 0x18]; movabs rax, 0x200000000000000c; call rax; mov qword ptr [rsp], 0x28; more: mov rdi, qword \
#   ptr [rsp + 0x10]; mov rsi, qword ptr [rsp + 8]; add rsi, qword ptr [rsp]; mov rdx, qword ptr [rsp + \
#   0x18]; movabs rax, 0x200000000000000b; call rax; mov rdi, qword ptr [rsp + 0x10]; mov rsi, qword ptr \
#   [rsp + 8]; add rsi, qword ptr [rsp]; movzx edx, ax; mov rcx, qword ptr [rsp + 0x18]; movabs rax, \
#   0x200000000000000c; call rax; mov rdi, qword ptr [rsp + 0x10]; mov rsi, qword ptr [rsp + 8]; add rsi, \
#   qword ptr [rsp]; add rsi, 4; xor edx, edx; mov rcx, qword ptr [rsp + 0x18]; movabs rax, \
#   0x200000000000000c; call rax; add qword ptr [rsp], 0x10; cmp qword ptr [rsp], 0xa8; jb more; add rsp, \
#   0x18; ret; tail: movabs rax, 0x2000000000000003; jmp rax
CLEAR_RESERVED = (
    b"\x40\xf6\xc6\x0f\x0f\x85\x2a\x01\x00\x00\x57\x56\x68\x9c\x01\x00\x00\x48\x8b\x7c\x24\x10\x48\x8b"
    b"\x74\x24\x08\x48\x03\x34\x24\x48\x8b\x54\x24\x18\x48\xb8\x0b\x00\x00\x00\x00\x00\x00\x20\xff\xd0"
    b"\x48\x8b\x7c\x24\x10\x48\x8b\x74\x24\x08\x48\x03\x34\x24\x89\xc2\x48\x8b\x4c\x24\x18\x48\xb8\x0c"
    b"\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x48\x81\x2c\x24\x9c\x01\x00\x00\x74\xb6\x48\x8b\x7c\x24\x10"
    b"\x48\x8b\x74\x24\x08\x48\xb8\x03\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x48\x8b\x7c\x24\x10\x48\x8b"
    b"\x74\x24\x08\x48\x83\xc6\x04\x48\x8b\x54\x24\x18\x48\xb8\x0b\x00\x00\x00\x00\x00\x00\x20\xff\xd0"
    b"\x48\x8b\x7c\x24\x10\x48\x8b\x74\x24\x08\x48\x83\xc6\x04\x0f\xb6\xd0\x48\x8b\x4c\x24\x18\x48\xb8"
    b"\x0c\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x48\xc7\x04\x24\x28\x00\x00\x00\x48\x8b\x7c\x24\x10\x48"
    b"\x8b\x74\x24\x08\x48\x03\x34\x24\x48\x8b\x54\x24\x18\x48\xb8\x0b\x00\x00\x00\x00\x00\x00\x20\xff"
    b"\xd0\x48\x8b\x7c\x24\x10\x48\x8b\x74\x24\x08\x48\x03\x34\x24\x0f\xb7\xd0\x48\x8b\x4c\x24\x18\x48"
    b"\xb8\x0c\x00\x00\x00\x00\x00\x00\x20\xff\xd0\x48\x8b\x7c\x24\x10\x48\x8b\x74\x24\x08\x48\x03\x34"
    b"\x24\x48\x83\xc6\x04\x31\xd2\x48\x8b\x4c\x24\x18\x48\xb8\x0c\x00\x00\x00\x00\x00\x00\x20\xff\xd0"
    b"\x48\x83\x04\x24\x10\x48\x81\x3c\x24\xa8\x00\x00\x00\x72\x8b\x48\x83\xc4\x18\xc3\x48\xb8\x03\x00"
    b"\x00\x00\x00\x00\x00\x20\xff\xe0")
# amd64: mov eax, 1; xor r8d, r8d; rep xchg r8, rax; ret
EXCHANGE = b"\xb8\x01\x00\x00\x00\x45\x31\xc0\xf3\x49\x90\xc3"

# Helpers of instructions that no program may execute stand for noting flags: under which prefix, and what the
# zero flag is in NOTE_REPEATED when the instruction goes on.
NOTERS = {"skinit": 0x40, "vmmcall": 0}
# An instruction with a VEX prefix is taken for one of the first two: the second changes the flags.  What is
# called instead is the third, which goes on at its last argument.
VECTOR_HELPERS = ("fxsave", "cmpxchg8b_unlocked", "invlpga")
JUMPED = 0x10000  # no selector: an error code that tells of jumps
GOES_ON = b"\x83\xf9"  # and a byte: in NOTE_REPEATED the comparison with that flag

# `hlt` raises #GP in a program, as reading or writing a port does; the kernel knows `int1` by its own byte
HALT, BREAKPOINT = 0xF4, 0xCC
PORTS = (*range(0x6C, 0x70), *range(0xE4, 0xE8), *range(0xEC, 0xF0))
ENTER = 0xC8  # the kernel executes it
INSTEAD = {0xF1: BREAKPOINT, ENTER: HALT, **dict.fromkeys(PORTS, HALT)}

# Helpers; those which are called instead, as no program can have them called; what these do then, one after
# the other, before the helper itself.
CHECKED = (("lookup_tb_ptr", "rdpkru", (CHECK_TARGET,)),
           ("lret_protected", "iret_real", (CUT_NUMBER, CHECK_RETURN)),
           ("iret_protected", "svm_check_io", (CHECK_FRAME, CHECK_RETURN)),
           ("ljmp_protected", "lldt", (CUT_TARGET,)), ("lcall_protected", "lcall_real", (CUT_TARGET,)),
           ("fxrstor", "monitor", (CHECK_STATE,)), ("fxsave", "invlpg", (CLEAR_RESERVED,)))
# functions, the code that stands before them, and whether the pointers to them stay writable
CHANGES = (
    ("tcg_gen_op2", NOTE_START, True), ("cpu_ldub_code", FETCH, True), ("cpu_ldl_code", FETCH_LONG, True),
    ("tcg_gen_qemu_ld_i32 tcg_gen_qemu_ld_i64 tcg_gen_qemu_st_i32 tcg_gen_qemu_st_i64", ACCESS, True),
    ("tcg_gen_callN", CALL, True), ("tcg_gen_ext32u_i64", EXTEND, True),
    ("helper_le_lduw_mmu helper_le_ldul_mmu helper_le_ldq_mmu helper_be_lduw_mmu helper_be_ldul_mmu "
     "helper_be_ldq_mmu", CHECK_LOAD, False),
    ("helper_le_stw_mmu helper_le_stl_mmu helper_le_stq_mmu helper_be_stw_mmu helper_be_stl_mmu "
     "helper_be_stq_mmu", CHECK_STORE, False))


def install(library: ctypes.CDLL, mode: int, flags: int, control: int) -> bool:
    """Have the translator decode as a processor does; returns whether it does.

    `mode` is where the engine's structure has the kind of code that it runs, `flags` where it has EFLAGS,
    `control` CR4.  An engine that is made later finds all done.
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
        emit, choose = function(library, "tcg_gen_callN"), function(library, "tcg_gen_movcond_i64")
        new, free = function(library, "tcg_temp_new_internal"), function(library, "tcg_temp_free_internal")
        constant = function(library, "tcg_const_i64")
        chosen = (*ENTERING, *MOVING, INVERTING, "fcomi_ST0_FT0", "fmov_FT0_STN")
        helpers = [function(library, "helper_" + name) for name in chosen]
        ctypes.memmove(state + CHOICES, struct.pack(f"<{len(helpers)}Q", *helpers), 8 * len(helpers))
        waiting = [function(library, "helper_" + name) for name in ("fwait", STORING)]
        ctypes.memmove(state + WAIT, struct.pack("<2Q", *waiting), 16)
        ctypes.memset(state + PAUSES, _pauses(), 1)
        noting = [function(library, "helper_" + name) for name in NOTERS]
        ctypes.memmove(state + NOTING, struct.pack("<2Q", *noting), 16)
        vectors = [function(library, "helper_" + name) for name in VECTOR_HELPERS]
        ctypes.memmove(state + VECTORS, struct.pack("<3Q", *vectors), 24)
        patches.overwrite("helper_" + VECTOR_HELPERS[-1], patches.place(GO_ON))
        _place_checks(patches, state)
        read_flags = struct.pack("<Q", function(library, "helper_read_eflags"))
        for name, flag in NOTERS.items():
            code = NOTE_REPEATED.replace(STATE, struct.pack("<Q", state)).replace(ORIGINAL, read_flags)
            code = code.replace(GOES_ON + b"\x77", GOES_ON + bytes((flag,)))
            patches.overwrite("helper_" + name, patches.place(code))
        for names, code, writable in CHANGES:
            for placeholder, value in ((RAISE, raising), (STATE, state), (ENTER_MMX, entering), (PEEK, peek),
                                       (EMIT, emit), (NEW_VALUE, new), (CHOOSE, choose), (CONSTANT, constant),
                                       (FREE, free)):
                code = code.replace(placeholder, struct.pack("<Q", value))
            for placeholder, offset in ((MODE, mode + 1), (FLAGS, flags + 2), (CONTROL, control + 1)):
                code = code.replace(placeholder, struct.pack("<i", offset))
            for name in names.split():
                original = struct.pack("<Q", function(library, name))
                patches.redirect(name, patches.place(code.replace(ORIGINAL, original)), writable)
        patches.finish()
    except (ValueError, LookupError, OSError):
        return False
    return True


def _place_checks(patches: Patches, state: int) -> None:
    """Have other helpers called instead of those that CHECKED names, and these do what it says."""
    library = patches.library
    control, status = x87_words(library)
    values = {RAISE: struct.pack("<Q", function(library, "raise_exception_err_ra")),
              LOAD: struct.pack("<Q", function(library, "cpu_ldl_data_ra")),
              STORE: struct.pack("<Q", function(library, "cpu_stl_data_ra")),
              X87_CONTROL: struct.pack("<i", control), X87_STATUS: struct.pack("<i", status)}
    pairs = b""
    for name, instead, codes in CHECKED:
        place = original = function(library, "helper_" + name)
        for code in reversed(codes):
            for placeholder, value in (values | {ORIGINAL: struct.pack("<Q", place)}).items():
                code = code.replace(placeholder, value)
            place = patches.place(code)
        patches.overwrite("helper_" + instead, place)
        pairs += struct.pack("<2Q", original, function(library, "helper_" + instead))
    ctypes.memmove(state + CHECKS, pairs, len(pairs))


def flags_before(library: ctypes.CDLL, rcx: int, rdi: int) -> int | None:
    """Return the flags before the repeated comparison of strings that has got so far; None if none has.

    The translator must decode by `install`.
    """
    noted = _state(library) + COMPARED
    count, place, flags = struct.unpack("<3Q", ctypes.string_at(noted, 24))
    return flags if (count, place) == (rcx, rdi) else None


def ask_about_vectors(library: ctypes.CDLL, asked: int) -> None:
    """Have the function at `asked` called for instructions with a VEX prefix, if CR4 has VECTORS_OFFERED.

    Its arguments are the address of the instruction's bytes, how many there are as yet; 0x80 in 64-bit code,
    and 1 if an address has the other size; an address for that of machine code.  It returns how many bytes it
    needs to see, -1 for what it does not know, or 0: then it has put other bytes in the place of these, which
    mean one of VECTOR_HELPERS, and filled in the address of the code that the engine calls for it.
    """
    ctypes.c_uint64.from_address(_state(library) + ASKED).value = asked


def asks_about_vectors(library: ctypes.CDLL) -> bool:
    """Whether there is such a function."""
    return bool(ctypes.c_uint64.from_address(_state(library) + ASKED).value)


def _state(library: ctypes.CDLL) -> int:
    return jump_target(jump_target(function(library, "helper_" + next(iter(NOTERS)))))


def _pauses() -> bool:
    """Whether the host's processor exchanges nothing for EXCHANGE."""
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(EXCHANGE)
    start = ctypes.c_char.from_buffer(page)
    return bool(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(start))())


def _tables() -> bytes:
    maps = [bytearray(256) for _ in ALIGNED]
    for table, rows in zip(maps, ALIGNED, strict=True):
        for prefix, ranges in rows.items():
            for opcode in _opcodes(ranges):
                table[opcode] |= prefix
    for table, rows in zip(maps, ANYWHERE, strict=True):
        for prefix, ranges in rows.items():
            for opcode in _opcodes(ranges):
                table[opcode] |= prefix | prefix << FORBID
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
    for number, phase in (LOOKED_AT_ALONE | STRINGS).items():
        alone[number] = phase
    instead = bytes(INSTEAD.get(number, number) for number in range(256))
    return b"".join((*maps, prefixes, looked_at, alone, instead))


def _opcodes(ranges: str) -> list[int]:
    found: list[int] = []
    for each in ranges.split():
        first, _, last = each.partition("-")
        found += range(int(first, 16), int(last or first, 16) + 1)
    return found
