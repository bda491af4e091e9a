"""System calls that machine code answers, while the engine goes on: it need not stop, nor Python run.

Two kinds of calls are: those whose result is the same until something happens to the process (getpid), and
those that read a clock.  The kernel says before each slice whether they may be, with the time that is left;
it gives no such leave while a tracer or a debugger watches system calls.  Every other call goes on to the
engine's own callback, and so does one whose turn ends the slice, or whose result does not lie on one page
that the program may write to.

Time passes as it does when the kernel carries out the call: for the code that has run, and for the call.
Calls are found in `values`, by their numbers: a result, UNKNOWN, or one of CLOCKS.
"""

from __future__ import annotations

import ctypes
import mmap
from typing import Protocol

from runtime.kernel.memory.physical import PAGE

NUMBERS = 512  # system calls have lower ones
UNKNOWN = -1
CLOCKS = {"clock_gettime": -2, "gettimeofday": -3, "time": -4}  # calls that read clocks, by name
ENDLESS = 1 << 61  # ns: the room of a slice without a limit
MOST = 1_000_000  # calls, after which Python looks for signals of the host
# places of 64-bit words: address of the slice; its bytes of code when it was last given some; time then, and
# fifths of a nanosecond; ns until it ends; calls that may yet be answered here; whether they may; addresses
# of the registers, of the machine's memory and of the word with the page tables' root; what wall clocks are
# ahead; the address of the engine's own callback
SLICE, GIVEN, NOW, REST, ROOM, CALLS, LEAVE, REGISTERS, MEMORY, ROOT, WALL, OTHERWISE, VALUES = range(13)
# The callback: rsi has the address of the words.  First the number, the time, and the kind of call; then the
# clock, a walk through the page tables, the result, and what is left of the slice.
# amd64: mov r8, qword ptr [rsi + 0x38]; mov eax, dword ptr [r8]; cmp eax, 0x200; jae slow; \
#   cmp qword ptr [rsi + 0x30], 0; je slow; mov r10, qword ptr [rsi + rax*8 + 0x60]; cmp r10, -1; je slow; \
#   cmp qword ptr [rsi + 0x28], 0; je slow; mov rax, qword ptr [rsi]; mov rcx, qword ptr [rax]; \
#   test rcx, rcx; jle slow; mov rax, qword ptr [rsi + 8]; sub rax, rcx; add rax, rax; \
#   add rax, qword ptr [rsi + 0x18]; xor edx, edx; mov ecx, 5; div rcx; add rax, 0xc8; \
#   mov r11, qword ptr [rsi + 0x20]; sub r11, rax; jle slow; mov r9, qword ptr [rsi + 0x10]; add r9, rax; \
#   mov qword ptr [rsp - 8], rdx; test r10, r10; jns answer; mov rdi, qword ptr [r8 + 0x38]; \
#   mov rdx, qword ptr [r8 + 0x30]; mov rax, r9; cmp r10, -3; je timeofday; jl seconds; cmp edi, 0xb; \
#   ja slow; mov ecx, 0xd2; bt ecx, edi; jb split; mov ecx, 0x821; bt ecx, edi; jae slow; \
#   add rax, qword ptr [rsi + 0x50]; js slow; split: mov rdi, rdx; xor edx, edx; mov ecx, 0x3b9aca00; \
#   div rcx; jmp store; timeofday: test rdx, rdx; jne slow; add rax, qword ptr [rsi + 0x50]; js slow; \
#   mov ecx, 0x3b9aca00; div rcx; mov qword ptr [rsp - 0x10], rax; mov rax, rdx; xor edx, edx; \
#   mov ecx, 0x3e8; div rcx; mov rdx, rax; mov rax, qword ptr [rsp - 0x10]; jmp store; \
#   seconds: test rdi, rdi; jne slow; add rax, qword ptr [rsi + 0x50]; js slow; xor edx, edx; \
#   mov ecx, 0x3b9aca00; div rcx; mov r10, rax; jmp answer; \
#   store: mov rcx, rdi; shr rcx, 0x2f; jne slow; mov ecx, edi; and ecx, 0xfff; cmp ecx, 0xff0; ja slow; \
#   mov r10, qword ptr [rsi + 0x40]; mov rcx, qword ptr [rsi + 0x48]; mov rcx, qword ptr [rcx]; \
#   and rcx, 0xfffffffffffff000; mov r8, rdi; shr r8, 0x27; add rcx, r10; mov rcx, qword ptr [rcx + r8*8]; \
#   test cl, 1; je slow; and rcx, 0xfffffffffffff000; mov r8, rdi; shr r8, 0x1e; and r8d, 0x1ff; \
#   add rcx, r10; mov rcx, qword ptr [rcx + r8*8]; test cl, 1; je slow; and rcx, 0xfffffffffffff000; \
#   mov r8, rdi; shr r8, 0x15; and r8d, 0x1ff; add rcx, r10; mov rcx, qword ptr [rcx + r8*8]; test cl, 1; \
#   je slow; and rcx, 0xfffffffffffff000; mov r8, rdi; shr r8, 0xc; and r8d, 0x1ff; add rcx, r10; \
#   mov rcx, qword ptr [rcx + r8*8]; mov r8d, ecx; and r8d, 0x207; cmp r8d, 7; jne slow; btr rcx, 0x3f; \
#   jae slow; and rcx, 0xfffffffffffff000; add rcx, r10; mov r8d, edi; and r8d, 0xfff; \
#   mov qword ptr [rcx + r8], rax; mov qword ptr [rcx + r8 + 8], rdx; xor r10d, r10d; \
#   mov r8, qword ptr [rsi + 0x38]; answer: mov qword ptr [r8], r10; mov rax, qword ptr [r8 + 0x80]; \
#   add rax, 2; mov qword ptr [r8 + 8], rax; mov qword ptr [rsi + 0x10], r9; \
#   mov qword ptr [rsi + 0x20], r11; dec qword ptr [rsi + 0x28]; mov rdx, qword ptr [rsp - 8]; \
#   mov qword ptr [rsi + 0x18], rdx; \
#   movabs rax, 0x1000000000000000; cmp r11, rax; jge set; lea rax, [r11 + r11*4 + 1]; sub rax, rdx; \
#   sar rax, 1; cmp rax, 0x5f5e100; jle set; mov eax, 0x5f5e100; set: mov rdx, qword ptr [rsi]; \
#   mov qword ptr [rdx], rax; mov qword ptr [rsi + 8], rax; ret; slow: jmp qword ptr [rsi + 0x58]
ANSWER = (
    b"\x4c\x8b\x46\x38\x41\x8b\x00\x3d\x00\x02\x00\x00\x0f\x83\x65\x02\x00\x00\x48\x83\x7e\x30\x00\x0f"
    b"\x84\x5a\x02\x00\x00\x4c\x8b\x54\xc6\x60\x49\x83\xfa\xff\x0f\x84\x4b\x02\x00\x00\x48\x83\x7e\x28"
    b"\x00\x0f\x84\x40\x02\x00\x00\x48\x8b\x06\x48\x8b\x08\x48\x85\xc9\x0f\x8e\x31\x02\x00\x00\x48\x8b"
    b"\x46\x08\x48\x29\xc8\x48\x01\xc0\x48\x03\x46\x18\x31\xd2\xb9\x05\x00\x00\x00\x48\xf7\xf1\x48\x05"
    b"\xc8\x00\x00\x00\x4c\x8b\x5e\x20\x49\x29\xc3\x0f\x8e\x06\x02\x00\x00\x4c\x8b\x4e\x10\x49\x01\xc1"
    b"\x48\x89\x54\x24\xf8\x4d\x85\xd2\x0f\x89\x98\x01\x00\x00\x49\x8b\x78\x38\x49\x8b\x50\x30\x4c\x89"
    b"\xc8\x49\x83\xfa\xfd\x74\x3c\x7c\x71\x83\xff\x0b\x0f\x87\xd5\x01\x00\x00\xb9\xd2\x00\x00\x00\x0f"
    b"\xa3\xf9\x72\x18\xb9\x21\x08\x00\x00\x0f\xa3\xf9\x0f\x83\xbd\x01\x00\x00\x48\x03\x46\x50\x0f\x88"
    b"\xb3\x01\x00\x00\x48\x89\xd7\x31\xd2\xb9\x00\xca\x9a\x3b\x48\xf7\xf1\xeb\x5c\x48\x85\xd2\x0f\x85"
    b"\x9b\x01\x00\x00\x48\x03\x46\x50\x0f\x88\x91\x01\x00\x00\xb9\x00\xca\x9a\x3b\x48\xf7\xf1\x48\x89"
    b"\x44\x24\xf0\x48\x89\xd0\x31\xd2\xb9\xe8\x03\x00\x00\x48\xf7\xf1\x48\x89\xc2\x48\x8b\x44\x24\xf0"
    b"\xeb\x25\x48\x85\xff\x0f\x85\x64\x01\x00\x00\x48\x03\x46\x50\x0f\x88\x5a\x01\x00\x00\x31\xd2\xb9"
    b"\x00\xca\x9a\x3b\x48\xf7\xf1\x49\x89\xc2\xe9\xef\x00\x00\x00\x48\x89\xf9\x48\xc1\xe9\x2f\x0f\x85"
    b"\x3b\x01\x00\x00\x89\xf9\x81\xe1\xff\x0f\x00\x00\x81\xf9\xf0\x0f\x00\x00\x0f\x87\x27\x01\x00\x00"
    b"\x4c\x8b\x56\x40\x48\x8b\x4e\x48\x48\x8b\x09\x48\x81\xe1\x00\xf0\xff\xff\x49\x89\xf8\x49\xc1\xe8"
    b"\x27\x4c\x01\xd1\x4a\x8b\x0c\xc1\xf6\xc1\x01\x0f\x84\xfe\x00\x00\x00\x48\x81\xe1\x00\xf0\xff\xff"
    b"\x49\x89\xf8\x49\xc1\xe8\x1e\x41\x81\xe0\xff\x01\x00\x00\x4c\x01\xd1\x4a\x8b\x0c\xc1\xf6\xc1\x01"
    b"\x0f\x84\xd9\x00\x00\x00\x48\x81\xe1\x00\xf0\xff\xff\x49\x89\xf8\x49\xc1\xe8\x15\x41\x81\xe0\xff"
    b"\x01\x00\x00\x4c\x01\xd1\x4a\x8b\x0c\xc1\xf6\xc1\x01\x0f\x84\xb4\x00\x00\x00\x48\x81\xe1\x00\xf0"
    b"\xff\xff\x49\x89\xf8\x49\xc1\xe8\x0c\x41\x81\xe0\xff\x01\x00\x00\x4c\x01\xd1\x4a\x8b\x0c\xc1\x41"
    b"\x89\xc8\x41\x81\xe0\x07\x02\x00\x00\x41\x83\xf8\x07\x0f\x85\x84\x00\x00\x00\x48\x0f\xba\xf1\x3f"
    b"\x73\x7d\x48\x81\xe1\x00\xf0\xff\xff\x4c\x01\xd1\x41\x89\xf8\x41\x81\xe0\xff\x0f\x00\x00\x4a\x89"
    b"\x04\x01\x4a\x89\x54\x01\x08\x45\x31\xd2\x4c\x8b\x46\x38\x4d\x89\x10\x49\x8b\x80\x80\x00\x00\x00"
    b"\x48\x83\xc0\x02\x49\x89\x40\x08\x4c\x89\x4e\x10\x4c\x89\x5e\x20\x48\xff\x4e\x28\x48\x8b\x54\x24"
    b"\xf8\x48\x89\x56\x18\x48\xb8\x00\x00\x00\x00\x00\x00\x00\x10\x49\x39\xc3\x7d\x18\x4b\x8d\x44\x9b"
    b"\x01\x48\x29\xd0\x48\xd1\xf8\x48\x3d\x00\xe1\xf5\x05\x7e\x05\xb8\x00\xe1\xf5\x05\x48\x8b\x16\x48"
    b"\x89\x02\x48\x89\x46\x08\xc3\xff\x66\x58")


class Moment(Protocol):
    """A clock of nanoseconds, and of what is less than one (see runtime.kernel.process.scheduler.Cpu)."""

    now: int
    rest: int


class QuickCalls:
    """What an engine may answer by itself.

    `registers` and `root` are addresses of the engine's, `slice_` of what counts its work, `memory` that of
    the machine's memory, and `otherwise` that of the callback for all other calls.
    """

    def __init__(self, slice_: int, registers: int, memory: int, root: int, otherwise: int) -> None:
        self._array = (ctypes.c_int64 * (VALUES + NUMBERS))()
        self._unknown = (ctypes.c_int64 * NUMBERS)(*[UNKNOWN] * NUMBERS)
        self.address = ctypes.addressof(self._array)
        self._words = memoryview(self._array).cast("B").cast("q")
        self._page = mmap.mmap(-1, PAGE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        self._page.write(ANSWER)
        self.code = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(self._page)))
        for place, value in ((SLICE, slice_), (REGISTERS, registers), (MEMORY, memory), (ROOT, root),
                             (OTHERWISE, otherwise)):
            self._words[place] = value
        self._clocks: dict[int, int] = {}
        self._promised = 0  # the time of which the words know, unless calls have been answered since
        self.seen = 0  # the clock then; it is another when more time has passed than the words know of
        self.limit = 0  # when the slice ends
        self.wanted = False  # such calls have come to the kernel: leave is to be given
        self.given = False  # leave for this slice
        self._remembers = True
        self.forget()

    def go_on(self, otherwise: int) -> None:
        """Have another callback for all other calls."""
        self._words[OTHERWISE] = otherwise

    def clocks(self, numbers: dict[int, int]) -> None:
        """Say which calls read clocks, and how."""
        self._clocks, self._remembers = numbers, True
        self.forget()

    def forget(self) -> None:
        """Forget results: another thread runs, or something happens to the process."""
        if not self._remembers:
            return
        self._remembers = False
        ctypes.memmove(self.address + 8 * VALUES, self._unknown, ctypes.sizeof(self._unknown))
        for number, kind in self._clocks.items():
            self._words[VALUES + number] = kind

    def remember(self, number: int, result: int) -> None:
        """Give this result, which is not negative, until it is forgotten; clocks are read anew."""
        self.wanted = True
        if number < NUMBERS and number not in self._clocks:
            self._remembers = True
            self._words[VALUES + number] = result

    # -- slices ---------------------------------------------------------------------------------

    def begin(self, clock: Moment, limit: int, endless: bool, given: int, ahead: int) -> None:
        """Let calls be answered in a slice of `given` bytes of code until `limit`, unless it is `endless`.

        Wall clocks are `ahead` of the time since boot.
        """
        words = self._words
        words[GIVEN] = given
        words[NOW] = self._promised = self.seen = clock.now
        words[REST] = clock.rest
        words[ROOM] = ENDLESS if endless else limit - clock.now
        words[CALLS] = MOST
        words[WALL] = ahead
        words[LEAVE] = 1
        self.limit, self.given = limit, True

    def withdraw(self) -> None:
        """Let no call be answered in the rest of the slice: something has happened that counts."""
        self._words[LEAVE] = 0

    def end(self, clock: Moment, given: int) -> int:
        """End the slice; returns as `settle`.  Leave is given for the next one if this has made use of it."""
        given = self.settle(clock, given)
        self._words[LEAVE] = 0
        self.given, self.wanted = False, self._words[CALLS] < MOST
        return given

    def settle(self, clock: Moment, given: int) -> int:
        """Let the time pass that calls have taken; returns the bytes of code that were given last."""
        words = self._words
        now = words[NOW]
        if now == self._promised:
            return given
        clock.now += now - self._promised
        clock.rest = words[REST]
        self._promised, self.seen = now, clock.now
        return words[GIVEN]
