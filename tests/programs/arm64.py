"""Runs a static AArch64 program of Linux: natively, under qemu-aarch64 where there is one, or by Unicorn.

The last way knows the few system calls that a C library makes in order to
print; any other fails as one that the kernel does not have.
"""

from __future__ import annotations

import errno
import struct
import subprocess
from pathlib import Path

import compilers
import qemu
from unicorn import UC_ARCH_ARM64, UC_HOOK_INTR, UC_MODE_ARM, Uc
from unicorn.arm64_const import UC_ARM64_REG_SP, UC_ARM64_REG_X0, UC_ARM64_REG_X8

from dif.elfnumbers import ET_DYN, PT_LOAD
from dof.elf import ElfFile

QEMU = qemu.user_mode("aarch64")
PAGE = 0x1000
BIAS = 0x400000  # where a position-independent program goes
STACK, STACK_SIZE = 0x7F0000000, 1 << 20
HEAP = 0x600000000
AT_PHDR, AT_PHENT, AT_PHNUM, AT_PAGESZ, AT_ENTRY, AT_RANDOM = 3, 4, 5, 6, 9, 25
# numbers of <asm-generic/unistd.h>
IOCTL, OPENAT, READLINKAT, WRITE, WRITEV, EXIT, EXIT_GROUP = 29, 56, 78, 64, 66, 93, 94
HARMLESS = {96, 98, 99, 134, 135, 215, 226}  # set_tid_address, futex, robust list, signals, munmap, mprotect
BRK, MMAP = 214, 222


def run(path: str) -> tuple[int, str]:
    """The exit status, and what the program writes."""
    command = [path] if compilers.runs("aarch64") else [QEMU, path] if QEMU is not None else None
    if command is not None:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout
    program = _Program(ElfFile(Path(path).read_bytes()))
    program.engine.emu_start(program.entry, 0)
    return program.status, program.written.decode()


class _Program:
    def __init__(self, elf: ElfFile) -> None:
        self.engine = Uc(UC_ARCH_ARM64, UC_MODE_ARM)
        self.status, self.written, self.heap = -1, bytearray(), HEAP
        bias = BIAS if elf.type == ET_DYN else 0
        self.entry = elf.entry + bias
        for each in elf.segments():
            if each.type == PT_LOAD:
                start = (each.address + bias) & -PAGE
                end = -(-(each.address + bias + each.memory_size) // PAGE) * PAGE
                self.engine.mem_map(start, end - start)
                self.engine.mem_write(each.address + bias, elf.data[each.offset:each.offset + each.size])
        self.engine.mem_map(STACK, STACK_SIZE)
        headers = min(each.address for each in elf.segments() if each.type == PT_LOAD) + bias + 64
        count = len(elf.segments())
        vector = [1, STACK + STACK_SIZE - 64, 0, 0,  # argc, argv, no environment
                  AT_PHDR, headers, AT_PHENT, 56, AT_PHNUM, count, AT_PAGESZ, PAGE, AT_ENTRY, self.entry,
                  AT_RANDOM, STACK + STACK_SIZE - 32, 0, 0]
        pointer = STACK + STACK_SIZE - 4096
        self.engine.mem_write(pointer, struct.pack(f"<{len(vector)}Q", *vector))
        self.engine.mem_write(STACK + STACK_SIZE - 64, b"program\0")
        self.engine.reg_write(UC_ARM64_REG_SP, pointer)
        self.engine.hook_add(UC_HOOK_INTR, self._trap)

    def _trap(self, engine: Uc, _number: int, _user: object) -> None:
        number = engine.reg_read(UC_ARM64_REG_X8)
        arguments = [engine.reg_read(UC_ARM64_REG_X0 + at) for at in range(6)]
        if number in (EXIT, EXIT_GROUP):
            self.status = arguments[0]
            engine.emu_stop()
            return
        engine.reg_write(UC_ARM64_REG_X0, self._call(number, arguments) & (1 << 64) - 1)

    def _call(self, number: int, arguments: list[int]) -> int:
        if number == WRITE:
            self.written += self.engine.mem_read(arguments[1], arguments[2])
            return arguments[2]
        if number == WRITEV:
            parts = struct.iter_unpack("<QQ", self.engine.mem_read(arguments[1], 16 * arguments[2]))
            data = b"".join(bytes(self.engine.mem_read(address, size)) for address, size in parts)
            self.written += data
            return len(data)
        if number == MMAP:
            size = -(-arguments[1] // PAGE) * PAGE
            self.engine.mem_map(self.heap, size)
            self.heap += size
            return self.heap - size
        if number in HARMLESS:
            return 0
        return -{IOCTL: errno.ENOTTY, OPENAT: errno.ENOENT, READLINKAT: errno.ENOENT, BRK: errno.ENOMEM}.get(
            number, errno.ENOSYS)
