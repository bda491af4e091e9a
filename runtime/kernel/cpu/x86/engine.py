"""The x86 processor: one engine per kernel.

Real page tables (see `runtime.kernel.memory.addrspace`) give every process its address space, so one engine
runs them all: a context switch copies the register file and loads CR3, and translated code is shared
by every process that maps the same page.  Data pages carry the no-execute bit, which spares stores
the self-modifying-code path.

The general registers are read and written where the engine keeps them: its CPU structure is found by
content when the engine starts, so nothing here depends on a version's layout.  Selectors, control
registers and exception numbers are those of the AMD64 manual, volume 2.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable

from runtime.kernel.cpu.emulator import (
    CTL_WRITE,
    ENGINE_SEARCH,
    ERROR_FETCH,
    ERROR_PRESENT,
    ERROR_USER,
    HOOK_INTR,
    RESCHEDULE,
    Emulator,
    EngineError,
    Slice,
    read_at,
    search_pointers,
)
from runtime.kernel.memory.physical import PAGE, PAGE_SHIFT, PhysicalMemory

SKIP = 0x200  # the exception that stands for: the rest of the instruction does not take place
# numbers of <unicorn/unicorn.h> and <unicorn/x86.h>
ARCH_X86, MODE_64 = 4, 8
# Westmere: x86-64-v2, without what the engine's default (Haswell) offers and does not do right: rorx and bzhi
# of BMI2, rdfsbase; and without rdrand, which would make runs differ.
MODEL = 16
HOOK_INSN = 2
INS_RDTSC, INS_SYSCALL = 608, 699
CTL_TB_REMOVE = 9
ERR_INSN_INVALID = 10
REG_CR0, REG_CR3, REG_CR4, REG_GDTR, REG_MSR = 50, 53, 54, 243, 248
REG_GENERAL = (35, 38, 40, 37, 44, 36, 43, 39)  # rax rcx rdx rbx rsp rbp rsi rdi
REG_FS_BASE, REG_GS_BASE, REG_RFLAGS = 250, 251, 253
REG_CS, REG_DS, REG_ES, REG_FS, REG_GS, REG_SS = 11, 17, 28, 32, 33, 49
REG_MXCSR, REG_FPCW, REG_FPSW, REG_FPTAG, REG_FP0, REG_XMM0 = 249, 246, 31, 247, 82, 122

# general registers in the CPU structure: their machine encoding, then the instruction pointer
RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15, RIP = range(17)
ARGUMENTS64 = (RDI, RSI, RDX, R10, R8, R9)  # of a system call
ARGUMENTS32 = (RBX, RCX, RDX, RSI, RDI, RBP)

KERNEL_BASE = 0xFFFFFF8000000000  # pages of the machine's own: descriptors, entry code, stack
CODE32, DATA, CODE64 = 0x23, 0x2B, 0x33  # user selectors, as Linux numbers them
TLS_FIRST, TLS_COUNT = 12, 3  # descriptor slots of i386 thread areas
DESCRIPTORS = {1: 0x00CF9B000000FFFF, 2: 0x00AF9B000000FFFF, 3: 0x00CF93000000FFFF,
               4: 0x00CFFB000000FFFF, 5: 0x00CFF3000000FFFF, 6: 0x00AFFB000000FFFF}
MSR_EFER, EFER_LONG_MODE = 0xC0000080, 0xD01  # SCE, LME, LMA, NXE
CR0_VALUE, CR4_VALUE = 0x80010033, 0x620  # paging, write protect; PAE, OSFXSR, OSXMMEXCPT
INITIAL_FLAGS, TRAP_FLAG, ALIGNMENT_CHECK = 0x202, 1 << 8, 1 << 18
RETURN_TO_USER = b"\x48\xcf"  # amd64: iretq

DIVIDE, DEBUG, BREAKPOINT, INVALID, PROTECTION, PAGE_FAULT, SYSCALL32 = 0, 1, 3, 6, 13, 14, 0x80
SYSCALL64 = -1  # an event that is no exception, as RESCHEDULE is
CONTEXT_CPU = 1  # what a saved context holds, as the engine's structure says it
TLB_SEARCH, TLB_ENTRY_BITS = 128, 6  # bytes searched for the TLB's masks; log2 of an entry's size
TLB_INITIAL_MASK = 255 << TLB_ENTRY_BITS

# the mode as the engine has it: level 3 of privilege, long mode active, 64-bit code
MODE_MASK, MODE_64_CODE, MODE_32_CODE = 0xC003, 0xC003, 0x4003

Registers = ctypes.Array[ctypes.c_uint64]


class _Msr(ctypes.Structure):
    _fields_ = [("number", ctypes.c_uint32), ("value", ctypes.c_uint64)]


class _Table(ctypes.Structure):
    _fields_ = [("selector", ctypes.c_uint16), ("base", ctypes.c_uint64), ("limit", ctypes.c_uint32),
                ("flags", ctypes.c_uint32)]


class Context:
    """A saved register file; `regs` views its general registers."""

    def __init__(self, engine: Engine) -> None:
        self._library = engine.library
        self.handle = ctypes.c_void_p()
        engine.library.uc_context_alloc(engine.handle, ctypes.byref(self.handle))
        assert self.handle.value is not None
        self.regs: Registers = (ctypes.c_uint64 * 17).from_address(self.handle.value + engine.context_offset)

    def __del__(self) -> None:
        if self.handle:
            self._library.uc_context_free(self.handle)


class Engine(Emulator):
    """The engine of all x86 programs: `run` executes code until an event, and leaves that in `event`.

    `regs` views the live general registers (indexed by RAX ... RIP).  `on_trap` gets the address of the int3.
    `time_stamp()` returns what rdtsc reads.
    """

    model = MODEL

    def __init__(self, memory: PhysicalMemory, slice_: Slice | None = None) -> None:
        super().__init__(memory, ARCH_X86, MODE_64, slice_)
        self.exact_floats = self.exact_decoding = self._prepared = False
        self.fault_address = 0
        self.fault_error = 0
        self.time_stamp: Callable[[], int] = lambda: 0
        self.loaded_root = 0
        self._machine_pages()
        self._start_paging()
        self._find_cpu()
        self._install()
        self._boot = Context(self)
        self.save(self._boot)
        self._find_exception_state()
        self.user64 = self._enter_user(CODE64)
        self.user32 = self._enter_user(CODE32)
        self._translating = self._find_mode(), self._find_flags()

    def prepare(self) -> None:
        """Have instructions decoded and floating-point numbers computed as by a processor.

        To be called before a program is loaded: the kernel's own few instructions need none of it.
        """
        if self._prepared:
            return
        self._prepared = True
        from runtime.kernel.cpu.x86 import decoding, hostfloat

        mode, flags = self._translating
        self.exact_floats = hostfloat.install(self.library)
        self.exact_decoding = (mode is not None and flags is not None
                               and decoding.install(self.library, mode, flags))

    def close(self) -> None:
        self._boot = self.user64 = self.user32 = None  # type: ignore[assignment]
        super().close()

    # -- registers ------------------------------------------------------------------------------

    def read_register(self, number: int, size: int = 8) -> int:
        buffer = ctypes.create_string_buffer(max(size, 16))
        self.library.uc_reg_read(self.handle, number, buffer)
        return int.from_bytes(buffer.raw[:size], "little")

    def write_register(self, number: int, value: int, size: int = 8) -> None:
        buffer = ctypes.create_string_buffer(value.to_bytes(size, "little"), 16)
        self._check(self.library.uc_reg_write(self.handle, number, buffer))

    def save(self, context: Context) -> None:
        self.library.uc_context_save(self.handle, context.handle)

    def restore(self, context: Context, root: int) -> None:
        """Load a register file, and the page tables at `root` if others are in force."""
        self.library.uc_context_restore(self.handle, context.handle)
        self.load_root(root)

    def load_root(self, root: int) -> None:
        if root != self.loaded_root:
            self.write_register(REG_CR3, root)
            self.loaded_root = root
        else:
            self._root_word.value = root

    def start_floating(self) -> None:
        """Give the floating-point units modes and flags as a program has them that begins."""
        self.write_register(REG_MXCSR, 0x1F80, 4)
        self.write_register(REG_FPCW, 0x37F, 2)
        self.write_register(REG_FPSW, 0, 2)
        self.write_register(REG_FPTAG, 0xFFFF, 2)

    # -- running --------------------------------------------------------------------------------

    def run(self) -> int:
        """Run from the current registers until an event; returns the event.

        An event that is not negative is an exception's number.  An exception of a callback is raised here.
        """
        self.event = RESCHEDULE
        error = self._emulate(self.regs[RIP], 0)
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure
        if error == ERR_INSN_INVALID:
            self.event = INVALID
        elif error:
            raise EngineError(f"the engine returned error {error} at {self.regs[RIP]:#x}")
        return self.event

    def forget_code(self, address: int, size: int) -> None:
        """Forget what was translated from user `address` of the loaded address space.

        The pages must be executable: the engine looks them up as a fetch does.  It would keep a fault of that
        as an exception in flight, and make a double fault of the program's next exception.
        """
        self.library.uc_ctl(self.handle, CTL_TB_REMOVE | CTL_WRITE | 2 << 26, ctypes.c_uint64(address),
                            ctypes.c_uint64(address + size))

    # -- callbacks ------------------------------------------------------------------------------

    def _install(self) -> None:
        interrupt = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p)
        plain = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
        answer = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
        self._hook(HOOK_INTR, interrupt(self._interrupt), 0)
        self._hook(HOOK_INSN, plain(self._syscall), 0, ctypes.c_int(INS_SYSCALL))
        self._hook(HOOK_INSN, answer(self._rdtsc), 0, ctypes.c_int(INS_RDTSC))

    def _syscall(self, _engine: int, _data: int) -> None:
        self.event = SYSCALL64
        self.library.uc_emu_stop(self.handle)

    def _interrupt(self, _engine: int, number: int, _data: int) -> None:
        try:
            if number == BREAKPOINT:
                if self.on_trap(self.regs[RIP] - 1):
                    return
            elif number == PAGE_FAULT:
                self._exception.value = -1
                self.fault_address, self.fault_error = self._cr2.value, self._error.value
                if self.on_fault(self.fault_address, self.fault_error):
                    return
            elif number != SYSCALL32:
                self._exception.value = -1
        except BaseException as failure:
            self.failure = failure
        self.event = number
        self.library.uc_emu_stop(self.handle)

    def _rdtsc(self, _engine: int, _data: int) -> int:
        value = self.time_stamp()
        self.regs[RAX], self.regs[RDX] = value & 0xFFFFFFFF, value >> 32 & 0xFFFFFFFF
        return 1

    # -- starting -------------------------------------------------------------------------------

    def _machine_pages(self) -> None:
        """Map descriptor table, `iretq` and a stack at KERNEL_BASE, for the kernel alone."""
        memory = self.memory
        self.root, table, self._gdt, stub, stack = (memory.allocate() << PAGE_SHIFT for _ in range(5))
        levels = [table, memory.allocate() << PAGE_SHIFT, memory.allocate() << PAGE_SHIFT]
        self.kernel_entry = table | 7  # goes into the top page table of every address space
        memory.words[(self.root >> 3) + 511] = self.kernel_entry
        memory.words[levels[0] >> 3] = levels[1] | 7
        memory.words[levels[1] >> 3] = levels[2] | 7
        for index, page in enumerate((self._gdt, stub, stack)):
            memory.words[(levels[2] >> 3) + index] = page | 3
        for slot, descriptor in DESCRIPTORS.items():
            memory.words[(self._gdt >> 3) + slot] = descriptor
        memory.bytes[stub:stub + len(RETURN_TO_USER)] = RETURN_TO_USER
        self._stub, self._stack = KERNEL_BASE + PAGE, stack

    def _start_paging(self) -> None:
        msr = _Msr(MSR_EFER, EFER_LONG_MODE)
        self._check(self.library.uc_reg_write(self.handle, REG_MSR, ctypes.byref(msr)))
        self.write_register(REG_CR4, CR4_VALUE)
        self.write_register(REG_CR3, self.root)
        self.write_register(REG_CR0, CR0_VALUE)
        self.loaded_root = self.root
        table = _Table(0, KERNEL_BASE, PAGE - 1, 0)
        self._check(self.library.uc_reg_write(self.handle, REG_GDTR, ctypes.byref(table)))
        self.start_floating()

    def _find_cpu(self) -> None:
        """Find the CPU structure, and the same data in a saved context, by a mark in registers."""
        # random, as memory that an earlier engine gave back may still hold its marks
        marks = [int.from_bytes(os.urandom(8), "little") for _number in range(8)]
        for number, mark in zip(REG_GENERAL, marks, strict=True):
            self.write_register(number, mark)
        pattern = struct.pack("<8Q", *marks)
        assert self.handle.value is not None
        with open("/proc/self/mem", "rb", 0) as memory:
            cpu = search_pointers(memory.fileno(), self.handle.value, pattern)
            context = ctypes.c_void_p()
            self.library.uc_context_alloc(self.handle, ctypes.byref(context))
            self.library.uc_context_save(self.handle, context)
            assert context.value is not None
            size = self.library.uc_context_size(self.handle)
            self.context_offset = ctypes.string_at(context.value, size).find(pattern)
            self.library.uc_context_free(context)
        if cpu is None or self.context_offset < 0:
            raise EngineError("the engine's registers cannot be found")
        self._cpu, self._cpu_size = cpu, size - self.context_offset
        self.regs: Registers = (ctypes.c_uint64 * 17).from_address(cpu)
        snapshot = ctypes.string_at(cpu, self._cpu_size)
        roots = [at for at in range(0, self._cpu_size - 32, 8)
                 if struct.unpack_from("<QQQQ", snapshot, at)[0] == CR0_VALUE
                 and struct.unpack_from("<QQQQ", snapshot, at)[3] == self.root]
        if len(roots) != 1:
            raise EngineError("the engine's control registers cannot be found")
        self._cr2 = ctypes.c_uint64.from_address(cpu + roots[0] + 16)
        self._root_word = ctypes.c_uint64.from_address(cpu + roots[0] + 24)
        self._find_tlb(cpu)
        self._drop_exit_checks()
        self._error = self._exception = ctypes.c_int32(0)
        for number in range(16):
            self.regs[number] = 0

    def _find_tlb(self, cpu: int) -> None:
        """Find the size masks of the TLB tables, which lie just before the registers."""
        first = cpu - TLB_SEARCH
        words = struct.unpack(f"<{TLB_SEARCH // 8}Q", ctypes.string_at(first, TLB_SEARCH))
        self._tlb_masks = [ctypes.c_uint64.from_address(first + 8 * at) for at, word in enumerate(words)
                           if word == TLB_INITIAL_MASK]

    def _drop_exit_checks(self) -> None:
        """Have code translated without a check for `stop` after every access to memory.

        The engine has a switch for that, which it uses for blocks that must not be left half-way.  The check
        at the start of every block remains, and is enough here.  The switch is found by what is before it in
        the engine's structure; where it is not found, all works, but slower.
        """
        assert self.handle.value is not None
        with open("/proc/self/mem", "rb", 0) as memory:
            owner = read_at(memory.fileno(), self.handle.value, ENGINE_SEARCH)
        mark = struct.pack("<ii", CONTEXT_CPU, self._cpu_size)
        at = owner.find(mark)
        flags = (at + len(mark) + 7 & -8) + 8
        if at < 0 or owner.find(mark, at + 1) >= 0 or len(owner) < flags + 4:
            return
        insert_first, _first_block, no_exit, initialised = owner[flags:flags + 4]
        if (insert_first, no_exit, initialised) == (0, 0, 1):
            ctypes.c_uint8.from_address(self.handle.value + flags + 2).value = 1

    @property
    def tlb_size(self) -> int:
        """The entries of the largest TLB table; those it starts with when it cannot be known."""
        largest = max((mask.value for mask in self._tlb_masks), default=TLB_INITIAL_MASK)
        return (largest >> TLB_ENTRY_BITS) + 1

    def _find_exception_state(self) -> None:
        """Find the error code and the exception in flight: two different faults tell which words."""
        errors, exceptions = set(range(self._cpu_size)), set(range(self._cpu_size))
        before = ctypes.string_at(self._cpu, self._cpu_size)
        for address, error in ((PAGE, ERROR_USER | ERROR_FETCH),
                               (self._stub, ERROR_USER | ERROR_FETCH | ERROR_PRESENT)):
            self._enter_user(CODE64, address)
            after = ctypes.string_at(self._cpu, self._cpu_size)
            words = [(at, *struct.unpack_from("<i", before, at), *struct.unpack_from("<i", after, at))
                     for at in range(0, self._cpu_size - 3, 4)]
            errors &= {at for at, _old, new in words if new == error}
            exceptions &= {at for at, old, new in words if old == -1 and new == PAGE_FAULT}
        if len(errors) != 1 or len(exceptions) != 1:
            raise EngineError(f"the engine's exception state cannot be found {errors} {exceptions}")
        self._error = ctypes.c_int32.from_address(self._cpu + errors.pop())
        self._exception = ctypes.c_int32.from_address(self._cpu + exceptions.pop())

    def _find_mode(self) -> int | None:
        """Find where the structure has the kind of code that it runs: 64-bit or 32-bit programs."""
        wide, narrow = (ctypes.string_at(ctypes.addressof(each.regs), self._cpu_size)
                        for each in (self.user64, self.user32))
        found = [at for at in range(0, self._cpu_size - 3, 4)
                 if struct.unpack_from("<I", wide, at)[0] & MODE_MASK == MODE_64_CODE
                 and struct.unpack_from("<I", narrow, at)[0] & MODE_MASK == MODE_32_CODE]
        return found[0] if len(found) == 1 else None

    def _find_flags(self) -> int | None:
        """Find where the structure has the flags that are not those of arithmetic."""
        found = set(range(0, self._cpu_size - 7, 8))
        for flags in (INITIAL_FLAGS, INITIAL_FLAGS | ALIGNMENT_CHECK):
            self.write_register(REG_RFLAGS, flags)
            data = ctypes.string_at(self._cpu, self._cpu_size)
            found = {at for at in found if struct.unpack_from("<Q", data, at)[0] & ~2 == flags & ~2}
        self.write_register(REG_RFLAGS, INITIAL_FLAGS)
        return found.pop() if len(found) == 1 else None

    def _enter_user(self, code: int, address: int = 0) -> Context:
        """Return the registers of a program that has just begun, with selector `code`; its pc must fault."""
        self.restore(self._boot, self.root)
        for register in (REG_DS, REG_ES):
            self.write_register(register, DATA, 2)
        frame = struct.pack("<5Q", address, code, INITIAL_FLAGS, 0, DATA)
        self.memory.bytes[self._stack:self._stack + len(frame)] = frame
        self.regs[RSP], self.regs[RIP] = KERNEL_BASE + 2 * PAGE, self._stub
        if self.run() != PAGE_FAULT:
            raise EngineError("the engine does not enter user mode")
        context = Context(self)
        self.save(context)
        return context

    # -- i386 thread areas ----------------------------------------------------------------------

    def load_thread_areas(self, descriptors: list[int]) -> None:
        """Put a thread's own descriptors into the table."""
        for index, descriptor in enumerate(descriptors):
            self.memory.words[(self._gdt >> 3) + TLS_FIRST + index] = descriptor
