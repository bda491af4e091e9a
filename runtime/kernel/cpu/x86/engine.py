"""The x86 processor on Unicorn's public interface alone: one engine per kernel.

Page tables (see `runtime.kernel.memory.addrspace`) give every process its address space, so one engine runs
them all: a context switch copies the register file, and translated code is shared by every process that maps
the same page.  Data pages carry the no-execute bit, which spares stores the self-modifying-code path.

The engine's MMU raises page faults without telling what they are: so it is not used.  The engine asks for
translations instead (its "virtual TLB"), and gets them from the page tables.  It asks for a page: which
address the instruction used is computed from the instruction.  General registers are copied out when a run
ends, and in when the next begins.  So all that callbacks of the kernel's see is what the program has at the
instruction that caused an event.

`direct` has the same engine, which reads Unicorn's own structures in memory and is quicker by that; it is
the one that is used where they are found.  Selectors, control registers and exception numbers are those of
the AMD64 manual, volume 2.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable

from runtime.kernel.cpu.emulator import (
    ERR_EXCEPTION,
    ERROR_FETCH,
    ERROR_PRESENT,
    ERROR_USER,
    ERROR_WRITE,
    EXECUTE,
    HOOK_INTR,
    MEM_FETCH,
    MEM_WRITE,
    READ,
    RESCHEDULE,
    WRITE,
    Context,
    Emulator,
    EngineError,
    Slice,
    Translation,
)
from runtime.kernel.memory.addrspace import FRAME_MASK, NO_EXEC, PRESENT, WRITABLE
from runtime.kernel.memory.physical import PAGE, PAGE_SHIFT, PhysicalMemory

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.cpu.x86.quickcalls import QuickCalls

SKIP = 0x200  # the exception that stands for: the rest of the instruction does not take place
# numbers of <unicorn/unicorn.h> and <unicorn/x86.h>
ARCH_X86, MODE_64 = 4, 8
# Westmere: x86-64-v2, without what the engine's default (Haswell) offers and does not do right: rorx and bzhi
# of BMI2, rdfsbase; and without rdrand, which would make runs differ.
MODEL = 16
MODEL_V3 = 19  # Haswell: what it offers beside, CPUID does not say (see `identification`)
HOOK_INSN = 2
INS_CPUID, INS_RDTSC, INS_SYSCALL = 113, 608, 699
ERR_INSN_INVALID = 10
REG_CR0, REG_CR3, REG_CR4, REG_GDTR, REG_MSR = 50, 53, 54, 243, 248
REG_GENERAL, REG_RIP = (35, 38, 40, 37, 44, 36, 43, 39, *range(106, 114)), 41  # in their machine encoding
REG_FS_BASE, REG_GS_BASE, REG_RFLAGS = 250, 251, 253
REG_CS, REG_DS, REG_ES, REG_FS, REG_GS, REG_SS = 11, 17, 28, 32, 33, 49
REG_MXCSR, REG_FPCW, REG_FPSW, REG_FPTAG, REG_FP0, REG_XMM0 = 249, 246, 31, 247, 82, 122

# general registers: their machine encoding, then the instruction pointer
RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15, RIP = range(17)
ARGUMENTS64 = (RDI, RSI, RDX, R10, R8, R9)  # of a system call
ARGUMENTS32 = (RBX, RCX, RDX, RSI, RDI, RBP)

KERNEL_BASE = 0xFFFFFF8000000000  # pages of the machine's own: descriptors, entry code, stack
CODE32, DATA, CODE64 = 0x23, 0x2B, 0x33  # user selectors, as Linux numbers them
TLS_FIRST, TLS_COUNT = 12, 3  # descriptor slots of i386 thread areas
DESCRIPTORS = {1: 0x00CF9B000000FFFF, 2: 0x00AF9B000000FFFF, 3: 0x00CF93000000FFFF,
               4: 0x00CFFB000000FFFF, 5: 0x00CFF3000000FFFF, 6: 0x00AFFB000000FFFF}
MSR_EFER, EFER_LONG_MODE = 0xC0000080, 0xD01  # SCE, LME, LMA, NXE
VECTORS_OFFERED = 1 << 13  # of CR4: VMXE, which means nothing to the engine
CR0_VALUE, CR4_VALUE = 0x80010033, 0x620  # paging, write protect; PAE, OSFXSR, OSXMMEXCPT
INITIAL_FLAGS, TRAP_FLAG, ALIGNMENT_CHECK = 0x202, 1 << 8, 1 << 18
CARRY, PARITY, ADJUST, ZERO, SIGN, OVERFLOW = 1, 4, 0x10, 0x40, 0x80, 0x800
ARITHMETIC = CARRY | PARITY | ADJUST | ZERO | SIGN | OVERFLOW
RETURN_TO_USER = b"\x48\xcf"  # amd64: iretq

DIVIDE, DEBUG, BREAKPOINT, INVALID, PROTECTION, PAGE_FAULT, SYSCALL32 = 0, 1, 3, 6, 13, 14, 0x80
SYSCALL64 = -1  # an event that is no exception, as RESCHEDULE is
SYSCALL_SIZE = 2  # bytes of `syscall` and of `int $0x80`
# exceptions that the engine takes for being delivered until it is told otherwise
REMEMBERED = frozenset((DIVIDE, 8, *range(10, PAGE_FAULT)))
# what a program can see of the registers, beside the general ones: Unicorn's number, and bytes
VISIBLE = ((REG_RFLAGS, 8), (REG_DS, 2), (REG_ES, 2), (REG_FS, 2), (REG_GS, 2), (REG_FS_BASE, 8),
           (REG_GS_BASE, 8), (REG_MXCSR, 4), (REG_FPCW, 2), (REG_FPSW, 2), (REG_FPTAG, 2),
           *((number, 10) for number in range(REG_FP0, REG_FP0 + 8)),
           *((number, 16) for number in range(REG_XMM0, REG_XMM0 + 16)))
LONGEST = 15  # bytes of an instruction
VECTOR_REGISTERS = 16

Registers = ctypes.Array[ctypes.c_uint64]


class _Msr(ctypes.Structure):
    _fields_ = [("number", ctypes.c_uint32), ("value", ctypes.c_uint64)]


class _Table(ctypes.Structure):
    _fields_ = [("selector", ctypes.c_uint16), ("base", ctypes.c_uint64), ("limit", ctypes.c_uint32),
                ("flags", ctypes.c_uint32)]


class Engine(Emulator):
    """The engine of all x86 programs: `run` executes code until an event, and leaves that in `event`.

    `regs` are the general registers (indexed by RAX ... RIP).  `on_trap` gets the address of the int3.
    `time_stamp()` returns what rdtsc reads.
    """

    model = MODEL
    control = CR4_VALUE
    vectors = False  # whether AVX and what belongs to it is offered
    exact_floats = exact_decoding = False
    chained = False  # whether blocks of code jump to each other also between pages
    protects = False  # whether pages with translated code are protected without a search
    quick: QuickCalls | None = None  # what answers system calls while the engine runs

    def __init__(self, memory: PhysicalMemory, slice_: Slice | None = None, native: bool = True) -> None:
        super().__init__(memory, ARCH_X86, MODE_64, slice_)
        self.native = native
        self.fault_address = 0
        self.fault_error = 0
        self.time_stamp: Callable[[], int] = lambda: 0
        self._missed: tuple[int, int] | None = None  # page and kind of the access that found no translation
        self._stopping = False
        self._booting = True
        self._machine_pages()
        self._start_paging()
        self._find()
        self._install()
        self._boot = Context(self)
        self.save(self._boot)
        self._learn()
        self.user64 = self._enter_user(CODE64)
        self.user32 = self._enter_user(CODE32)
        self._booting = False

    def prepare(self) -> None:
        """Floating point and decoding are the engine's own."""

    def flags_before(self) -> int | None:
        """Return the flags before a repeated comparison of strings that has got so far: not known here."""
        return None

    def single_steps(self) -> bool:
        """Whether the program has the trap flag set."""
        return bool(self.read_register(REG_RFLAGS) & TRAP_FLAG)

    def upper_halves(self) -> bytes:
        """Return the upper halves of the 16 vector registers, which programs have where AVX is offered."""
        return bytes(16 * VECTOR_REGISTERS)

    def set_upper_halves(self, data: bytes) -> None:
        """Set them."""

    def restore_x87(self) -> None:
        """Undo what an x87 instruction did that failed to store a number: not possible here."""

    def close(self) -> None:
        self._boot = self.user64 = self.user32 = None  # type: ignore[assignment]
        super().close()

    # -- registers ------------------------------------------------------------------------------

    def saved_registers(self, _handle: int) -> Registers:
        """Return room for the general registers of a context."""
        return (ctypes.c_uint64 * 17)()

    def save(self, context: Context) -> None:
        self.library.uc_context_save(self.handle, context.handle)
        ctypes.memmove(context.regs, self.regs, ctypes.sizeof(self.regs))

    def restore(self, context: Context, root: int) -> None:
        """Load a register file, and the page tables at `root` if others are in force."""
        self.library.uc_context_restore(self.handle, context.handle)
        ctypes.memmove(self.regs, context.regs, ctypes.sizeof(self.regs))
        self.load_root(root)

    def load_root(self, root: int) -> None:
        if root != self.loaded_root:
            self.loaded_root = root
            self.flush_tlb()

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
        while True:
            self.event, self._missed, self._stopping, self.fault_error = RESCHEDULE, None, False, 0
            self._put_general()
            error = self._emulate(self.regs[RIP], 0)
            self._get_general()
            self._check_run(error if self._missed is None or error != ERR_EXCEPTION else 0)
            if not self._serve():
                return self.event
            if self._stopping or (self.counting and self.slice.left <= 0):
                return RESCHEDULE

    def _serve(self) -> bool:
        """Deal with what ended a run, if programs are not to know of it; returns whether they are not."""
        if self._missed is not None:
            if senseless(self._missed[0]):
                self.event = PROTECTION
                return False
            self.event = PAGE_FAULT
            self.fault_address, self.fault_error = self._what_missed(*self._missed)
            return self.on_fault(self.fault_address, self.fault_error)
        if self.event in REMEMBERED:
            self._forget_exception()
        event = self.event
        if event == BREAKPOINT:
            self.event = RESCHEDULE
            if self.on_trap(self.regs[RIP] - 1):
                return self.event == RESCHEDULE  # or there is one for the program: a debugger's
            self.event = event
        return False

    def _check_run(self, error: int) -> None:
        """Raise what a callback has raised, and for an error of the engine EngineError."""
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure
        if error == ERR_INSN_INVALID:
            self.event = INVALID
        elif error:
            raise EngineError(f"the engine returned error {error} at {self.regs[RIP]:#x}")

    def stop(self) -> None:
        self._stopping = True
        super().stop()

    def _put_general(self) -> None:
        self.library.uc_reg_write_batch(self.handle, self._numbers, self._places, 16)

    def _get_general(self) -> None:
        self.library.uc_reg_read_batch(self.handle, self._numbers, self._places, 17)

    def _forget_exception(self) -> None:
        """Make the engine forget an exception, which it takes for one that is still being delivered.

        Another one would be a double fault.  Saved registers of a program that begins know of none: all that
        a program can see is moved over to them.
        """
        self.load_code(self.read_register(REG_CS, 2))

    def load_code(self, code: int) -> None:
        """Have 64-bit or 32-bit code run from now on, by its selector; what a program can see stays."""
        values = [(number, size, self.read_register(number, size)) for number, size in VISIBLE]
        general, upper = list(self.regs), self.upper_halves()
        context = self.user64 if code == CODE64 else self.user32
        self.library.uc_context_restore(self.handle, context.handle)
        self.load_root(self.loaded_root)
        self.regs[:] = general
        for number, size, value in values:
            self.write_register(number, value, size)
        self.set_upper_halves(upper)

    # -- translations ---------------------------------------------------------------------------

    def _translate(self, _engine: int, page: int, kind: int, result: ctypes._Pointer[Translation],
                   _data: int) -> bool:
        """Fill one entry of the TLB; returns False where the access is not allowed."""
        entry = 0 if senseless(page) else self.walk(page)
        allowed = entry & PRESENT and not (kind == MEM_WRITE and not entry & WRITABLE)
        if page >= KERNEL_BASE and not self._booting:  # only descriptors are read there, by the processor
            allowed = allowed and page == KERNEL_BASE and kind not in (MEM_WRITE, MEM_FETCH)
        if not allowed or (kind == MEM_FETCH and entry & NO_EXEC):
            self._missed = page, kind
            return False
        result.contents.physical = entry & FRAME_MASK
        result.contents.perms = (READ | (WRITE if entry & WRITABLE else 0)
                                 | (0 if entry & NO_EXEC else EXECUTE))
        return True

    def _what_missed(self, page: int, kind: int) -> tuple[int, int]:
        """Return address and error code of the page fault that an access to a page is."""
        error = ERROR_USER | (ERROR_PRESENT if self.walk(page) & PRESENT and page < KERNEL_BASE else 0)
        if kind == MEM_FETCH:
            return max(self.regs[RIP], page), error | ERROR_FETCH
        from runtime.kernel.cpu.x86.operands import accessed

        wide = self.read_register(REG_CS, 2) == CODE64
        bases = self.read_register(REG_FS_BASE), self.read_register(REG_GS_BASE)
        found = accessed(self._code(self.regs[RIP]), wide, list(self.regs), bases)
        address = next((max(address, page) for address, size in found
                        if address < page + PAGE and address + size > page), page)
        return address, error | (ERROR_WRITE if kind == MEM_WRITE else 0)

    def _code(self, address: int) -> bytes:
        """Return the instruction at an address, and perhaps more."""
        code = b""
        while len(code) < LONGEST:
            entry = self.walk(address)
            if not entry & PRESENT:
                break
            start = (entry & FRAME_MASK) + address % PAGE
            part = min(LONGEST - len(code), PAGE - address % PAGE)
            code += self.memory.bytes[start:start + part]
            address += part
        return bytes(code)

    # -- callbacks ------------------------------------------------------------------------------

    def _install(self) -> None:
        answer = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
        self._hook(HOOK_INTR, self._interrupts(), 0)
        self._hook(HOOK_INSN, *self._system_calls(), ctypes.c_int(INS_SYSCALL))
        self._hook(HOOK_INSN, answer(self._rdtsc), 0, ctypes.c_int(INS_RDTSC))

    def _interrupts(self) -> object:
        """Return the callback for exceptions."""
        return ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32)(self._interrupt)

    def _system_calls(self) -> tuple[object, int]:
        """Return the callback for system calls, and what it is given."""
        return ctypes.CFUNCTYPE(None)(self._syscall), 0  # which needs none of its arguments

    def serve_calls(self, serve: Callable[[], None]) -> None:
        """Have system calls served while the engine waits: only where it has `quick`.

        `serve()` carries one out.  Or it notes as `event` what is to end the run, or as `failure` what it
        would raise, and calls `stop`.
        """
        raise NotImplementedError

    def _syscall(self) -> None:
        self.event = SYSCALL64
        self._stop(self.handle)

    def _interrupt(self, _engine: int, number: int) -> None:
        self.event = number
        self.library.uc_emu_stop(self.handle)

    def _rdtsc(self, _engine: int, _data: int) -> int:
        value = self.time_stamp()
        self.write_register(REG_GENERAL[RAX], value & 0xFFFFFFFF)
        self.write_register(REG_GENERAL[RDX], value >> 32 & 0xFFFFFFFF)
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
        self.write_register(REG_CR4, self.control)
        self.write_register(REG_CR3, self.root)
        self.write_register(REG_CR0, CR0_VALUE)
        self.loaded_root = self.root
        table = _Table(0, KERNEL_BASE, PAGE - 1, 0)
        self._check(self.library.uc_reg_write(self.handle, REG_GDTR, ctypes.byref(table)))
        self.start_floating()

    def _find(self) -> None:
        """Find where the registers are: here they are copies."""
        self._translate_by(self._translate)
        self.regs: Registers = (ctypes.c_uint64 * 17)()
        start, size = ctypes.addressof(self.regs), ctypes.sizeof(ctypes.c_uint64)
        self._numbers = (ctypes.c_int * 17)(*REG_GENERAL, REG_RIP)
        self._places = (ctypes.c_void_p * 17)(*(start + size * number for number in range(17)))

    def _learn(self) -> None:
        """Find out more, once the engine can run."""

    def load_data(self) -> None:
        """Have 32-bit code find its data by the usual segment."""
        for register in (REG_DS, REG_ES):
            self.write_register(register, DATA, 2)

    def _enter_user(self, code: int, address: int = 0) -> Context:
        """Return the registers of a program that has just begun, with selector `code`; its pc must fault."""
        self.restore(self._boot, self.root)
        frame = struct.pack("<5Q", address, code, INITIAL_FLAGS, 0, DATA)
        self.memory.bytes[self._stack:self._stack + len(frame)] = frame
        self.regs[RSP], self.regs[RIP] = KERNEL_BASE + 2 * PAGE, self._stub
        if self.run() != PAGE_FAULT:
            raise EngineError("the engine does not enter user mode")
        if code == CODE32:
            self.load_data()
        context = Context(self)
        self.save(context)
        return context

    # -- i386 thread areas ----------------------------------------------------------------------

    def load_thread_areas(self, descriptors: list[int]) -> None:
        """Put a thread's own descriptors into the table."""
        for index, descriptor in enumerate(descriptors):
            self.memory.words[(self._gdt >> 3) + TLS_FIRST + index] = descriptor


def senseless(address: int) -> bool:
    """Whether the upper 17 bits of an address differ: no page can be there."""
    return address >> 47 not in (0, 0x1FFFF)
