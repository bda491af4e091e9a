"""The engine of AArch64 programs, on Unicorn's public interface alone.

It has no MMU but asks for translations, and gets them from the page tables that x86 walks.  Programs run at
exception level 0: what is privileged, or not enabled, is an undefined instruction to them, among that the
counter and the identification registers, which the kernel then reads in their place.

General registers are copied out when a run ends, and in when the next begins.  `direct` has the same engine
on Unicorn's own structures, which is quicker by that, and is used where they are found.

What Unicorn (2.1) does, as tried:

* SVC is interrupt 2, and the program counter is behind it; BRK is interrupt 7, an undefined instruction
  interrupt 1, an alignment fault of an exclusive access interrupt 4, and the program counter is theirs.
* A fault of the virtual TLB tells the page, not the address: that is computed from the instruction.
* Its TLB has pages of 1 KiB, unless told otherwise.
* The monitor for exclusive accesses stays through exceptions: `run` clears it first, as a return from the
  kernel does, by an instruction of the machine's own page.
* WFI ends a run, and the program counter is behind it; YIELD and WFE do nothing.
* With the step bit of MDSCR_EL1, an instruction is followed by interrupt 1, and the one of PSTATE is clear.
* A block at whose start the engine is told to stop is not executed.
* It executes some instructions that it should not, or not as it does (withheld): of pages with such it gets a
  copy with others in their places.
* It does not check that the stack pointer is aligned (stackpointer): while it is not, `run` executes
  instructions one by one.
"""

from __future__ import annotations

import ctypes
import struct

from runtime.kernel.base.errors import SyscallError
from runtime.kernel.cpu.arm64 import stackpointer
from runtime.kernel.cpu.arm64.forms import word_at
from runtime.kernel.cpu.arm64.registers import BRANCH_TYPE, PC, PSTATE, SP, X1, Registers, untagged
from runtime.kernel.cpu.arm64.withheld import replacements
from runtime.kernel.cpu.emulator import (
    CTL_USE_EXITS,
    CTL_WRITE,
    ERR_EXCEPTION,
    ERROR_FETCH,
    ERROR_PRESENT,
    ERROR_USER,
    EXECUTE,
    HOOK_INTR,
    MEM_FETCH,
    MEM_WRITE,
    RESCHEDULE,
    WRITE,
    Context,
    EngineError,
    Slice,
    Translation,
)
from runtime.kernel.cpu.translation import PAGE_FAULT, SYSCALL, TranslatedEmulator, allows, permitted
from runtime.kernel.memory.addrspace import FRAME_MASK
from runtime.kernel.memory.physical import PAGE, PAGE_SHIFT, PhysicalMemory

# numbers of <unicorn/unicorn.h> and <unicorn/arm64.h>
ARCH_ARM64, MODE, MODEL_MAX = 2, 0, 3
REG_GENERAL = (*range(199, 228), 1, 2)  # X0-X30
REG_SP, REG_PC, REG_PSTATE = 4, 260, 265
REG_TPIDR, REG_FPCR, REG_FPSR, REG_Q0, REG_CP = 262, 291, 292, 104, 290

# interrupts, by QEMU's numbers
UNDEFINED, SVC, PREFETCH_ABORT, DATA_ABORT, BREAKPOINT = 1, 2, 3, 4, 7
STEPPED = -4  # the event of an instruction that was to be executed alone
STACK_ALIGNMENT = -7  # the event of one that uses a stack pointer that is not aligned
SIZE = 4  # bytes of an instruction
BRK = 0xD4200000
TRAP_WORD = BRK | 0xD7AC << 5  # arm64: brk #0xd7ac
MACHINE_PAGE = 0xFFFF000000000000
# of SCTLR_EL1: keys A and B sign addresses, programs may maintain caches and read CTR_EL0, WFE and WFI do not
# trap, DC ZVA is allowed, the stack pointer is aligned
CONTROL = (1 << 31 | 1 << 30 | 1 << 27 | 1 << 13 | 1 << 26 | 1 << 18 | 1 << 16 | 1 << 15 | 1 << 14
           | 1 << 4 | 1 << 3)
# of TCR_EL1: addresses of 48 bits, whose upper byte is ignored in programs' addresses
TRANSLATION = 16 | 16 << 16 | 1 << 37
ADDRESS_BITS = 48
FLOATING = 3 << 20  # of CPACR_EL1; SVE stays off
# SCR_EL3 and HCR_EL2, as _SystemRegister has them: not secure, 64-bit, signing of addresses does not trap
SECURE_CONFIGURATION = 1, 1, 3, 6, 0, 1 | 1 << 10 | 1 << 16 | 1 << 17
HYPERVISOR_CONFIGURATION = 1, 1, 3, 4, 0, 1 << 31 | 1 << 40 | 1 << 41
# arm64: msr elr_el1, x1; msr spsr_el1, xzr; msr sctlr_el1, x2; msr tcr_el1, x3; \
#        msr cpacr_el1, x4; eret
ENTER = (b"\x21\x40\x18\xd5\x1f\x40\x18\xd5"
         b"\x02\x10\x18\xd5\x43\x20\x18\xd5\x44\x10\x18\xd5\xe0\x03\x9f\xd6")
CLEAR = b"\x5f\x3f\x03\xd5"  # arm64: clrex
CLEAR_AT = 128  # where that stands in the machine's page
CHECKED = 1000  # instructions at most that are executed one by one before the kernel looks again
APART_AT = 256  # where instructions stand that are executed apart, each with an illegal word behind it
DEBUG_CONTROL = 0, 2, 2, 0, 2  # MDSCR_EL1, as _SystemRegister has it: to be followed by its value
# The registers of each key that signs, low and high half, by its bit in prctl(PR_PAC_RESET_KEYS)
KEYS = {1 << number: tuple((2, 1 + number // 2, 3, 0, 2 * (number % 2) + half) for half in (0, 1))
        for number in range(5)}


class _SystemRegister(ctypes.Structure):
    """uc_arm64_cp_reg."""

    _fields_ = [(name, ctypes.c_uint32) for name in ("crn", "crm", "op0", "op1", "op2")] + [
        ("value", ctypes.c_uint64)]


class ArmEngine(TranslatedEmulator):
    """The engine of all AArch64 programs: `run` executes code until an event.

    `regs` are the registers.  An event is SYSCALL, PAGE_FAULT, RESCHEDULE or an interrupt's number.
    """

    model = MODEL_MAX
    page_size = PAGE
    machine_page = MACHINE_PAGE

    def __init__(self, memory: PhysicalMemory, slice_: Slice) -> None:
        super().__init__(memory, ARCH_ARM64, MODE, slice_)
        interrupt = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p)
        self._hook(HOOK_INTR, interrupt(self._interrupt), 0)
        self._check(self.library.uc_ctl(self.handle, CTL_USE_EXITS | CTL_WRITE | 1 << 26, 1))
        self._stopping = False
        self._searched: dict[int, int] = {}  # where a page with code has its copy; 0 where it needs none
        self._apart: dict[int, int] = {}  # addresses in the machine's page of words that are executed there
        self.regs = self._find()
        self._allow_signing()
        self._enter()
        self.pristine = Context(self)
        self.save(self.pristine)

    def close(self) -> None:
        self.pristine = None  # type: ignore[assignment]
        super().close()

    # -- starting ---------------------------------------------------------------------------------

    def _find(self) -> Registers:
        """Return where the registers are: here they are copies."""
        regs = Registers()
        places = dict(enumerate(REG_GENERAL)) | {SP: REG_SP, PC: REG_PC, PSTATE: REG_PSTATE}
        start, size = ctypes.addressof(regs), ctypes.sizeof(ctypes.c_uint64)
        self._count = len(places)
        self._numbers = (ctypes.c_int * self._count)(*places.values())
        self._places = (ctypes.c_void_p * self._count)(*(start + size * number for number in places))
        return regs

    def _allow_signing(self) -> None:
        """Have the levels above the program's let it sign addresses."""
        for row in (SECURE_CONFIGURATION, HYPERVISOR_CONFIGURATION):
            self._check(self.library.uc_reg_write(self.handle, REG_CP, ctypes.byref(_SystemRegister(*row))))

    def _enter(self) -> None:
        """Leave the engine in the state of a program that begins; its first instruction is a fault."""
        frame, regs = self.machine_frame, self.regs
        self.memory.bytes[frame:frame + len(ENTER)] = ENTER
        self.memory.bytes[frame + 64:frame + 72] = bytes(8)
        self.flush_code()
        regs[X1], regs[2], regs[3], regs[4], regs[PC] = 0, CONTROL, TRANSLATION, FLOATING, MACHINE_PAGE
        if self.run() != PAGE_FAULT or regs[PC]:
            raise EngineError("the engine does not enter user mode")
        self.memory.bytes[frame:frame + len(ENTER)] = bytes(len(ENTER))
        self.memory.bytes[frame + CLEAR_AT:frame + CLEAR_AT + len(CLEAR)] = CLEAR
        self.flush_code()
        for number in range(SP + 1):
            regs[number] = 0

    # -- registers --------------------------------------------------------------------------------

    def saved_registers(self, _handle: int) -> Registers:
        """Return room for the general registers of a context."""
        return Registers()

    def save(self, context: Context) -> None:
        self.library.uc_context_save(self.handle, context.handle)
        ctypes.memmove(context.regs, self.regs, ctypes.sizeof(self.regs))

    def restore(self, context: Context, root: int) -> None:
        """Load a register file, and the page tables at `root` if others are in force."""
        self.library.uc_context_restore(self.handle, context.handle)
        ctypes.memmove(self.regs, context.regs, ctypes.sizeof(self.regs))
        self.load_root(root)

    def set_keys(self, which: int, random: bytes) -> None:
        """Give the thread that is loaded new keys to sign addresses with: 80 random bytes, bits of KEYS."""
        for at, (bit, halves) in enumerate(KEYS.items()):
            for half, place in enumerate(halves if which & bit else ()):
                (value,) = struct.unpack_from("<Q", random, 16 * at + 8 * half)
                register = _SystemRegister(*place, value)
                self._check(self.library.uc_reg_write(self.handle, REG_CP, ctypes.byref(register)))

    @property
    def stepping(self) -> bool:
        """Whether `run` ends with STEPPED after one instruction, of the thread that is loaded."""
        control = _SystemRegister(*DEBUG_CONTROL)
        self._check(self.library.uc_reg_read(self.handle, REG_CP, ctypes.byref(control)))
        return bool(control.value & 1)

    @stepping.setter
    def stepping(self, value: bool) -> None:
        control = _SystemRegister(*DEBUG_CONTROL, int(value))
        self._check(self.library.uc_reg_write(self.handle, REG_CP, ctypes.byref(control)))

    # -- running ----------------------------------------------------------------------------------

    def run(self) -> int:
        """Run from the current registers until an event; returns the event.

        An exception of a callback is raised here.
        """
        return self._run_checked() if self.regs[SP] % stackpointer.ALIGNED else self._run()

    def _run(self) -> int:
        """The same, without a look at the stack pointer."""
        self._stopping = False
        self._clear_monitor()
        while True:
            self.event = RESCHEDULE
            self.library.uc_reg_write_batch(self.handle, self._numbers, self._places, self._count)
            error = self._emulate(self.regs[PC], 0)
            self.library.uc_reg_read_batch(self.handle, self._numbers, self._places, self._count)
            self.regs[PSTATE] &= ~BRANCH_TYPE
            self._check_run(error)
            if not self._serve():
                return self._ended()
            if self._stopping:
                return RESCHEDULE

    def _run_checked(self) -> int:
        """The same while the stack pointer is not aligned: an instruction that uses it so is an event."""
        stepping, event = self.stepping, RESCHEDULE
        self.stepping = True
        for _count in range(CHECKED):
            if event != RESCHEDULE or not self.regs[SP] % stackpointer.ALIGNED:
                break
            word, self.event = self._word(), RESCHEDULE
            if stackpointer.is_checked(word):
                event = STACK_ALIGNMENT
            elif word == TRAP_WORD and self.on_trap(self.regs[PC]):
                event = self.event
            else:
                self.regs.steps = True
                event = self._run()
                if event == RESCHEDULE or stepping:
                    break
                event = RESCHEDULE if event == STEPPED else event
        self.stepping = stepping
        self.regs.steps = self.regs.steps and stepping
        return event

    def _word(self) -> int:
        """Return the instruction at the program counter; 0 where it cannot be fetched."""
        pc = self.regs[PC]
        if pc % SIZE:
            return 0
        if not allows(self.walk(pc), MEM_FETCH):
            self.on_fault(pc, ERROR_FETCH | ERROR_USER)
        entry = self.walk(pc)
        at = (entry & FRAME_MASK) + pc % PAGE
        return word_at(self.memory.bytes, at) if allows(entry, MEM_FETCH) else 0

    def execute_apart(self, word: int) -> int:
        """Execute an instruction, which may stand anywhere, as if it was at the program counter.

        Returns the event that it has caused, RESCHEDULE if none.
        """
        regs, work = self.regs, self.slice
        place, pc, left = self._place_apart(word), regs[PC], work.left
        regs[PC], work.left = place, SIZE + 1
        event = self._run()
        work.left = left
        done = regs[PC] == place + SIZE
        regs[PC] = pc + SIZE if done else pc
        return RESCHEDULE if done else event

    def _place_apart(self, word: int) -> int:
        """Return the address of a word in the machine's page."""
        if word not in self._apart:
            at = APART_AT + 2 * SIZE * len(self._apart)
            if at >= PAGE:
                self._apart.clear()
                self.flush_code()
                at = APART_AT
            physical = self.machine_frame + at
            self.memory.bytes[physical:physical + SIZE] = word.to_bytes(SIZE, "little")
            self._apart[word] = MACHINE_PAGE + at
        return self._apart[word]

    def _clear_monitor(self) -> None:
        """Execute CLREX, and the illegal word behind it, which count for nothing."""
        left, self.slice.left = self.slice.left, SIZE + 1
        self._emulate(MACHINE_PAGE + CLEAR_AT, 0)
        self.slice.left = left

    def _serve(self) -> bool:
        """Deal with what ended a run, if programs are not to know of it; returns whether they are not."""
        event, self.event = self.event, RESCHEDULE
        if event == PAGE_FAULT and self.on_fault(self.fault_address, self.fault_error & ~ERROR_PRESENT):
            return True
        if event == BREAKPOINT and self.on_trap(self.regs[PC]):
            return self.event == RESCHEDULE
        self.event = event
        return False

    def _check_run(self, error: int) -> None:
        """Raise what a callback has raised, and for an error of the engine EngineError."""
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure
        if error and not (error == ERR_EXCEPTION and self.event == PAGE_FAULT):
            raise EngineError(f"the engine returned error {error} at {self.regs[PC]:#x}")

    def _ended(self) -> int:
        """Return the event that has ended a run, given whether instructions are executed one by one."""
        stepped = self.event == UNDEFINED and not self.regs.steps and self.stepping
        return STEPPED if stepped else self.event

    def stop(self) -> None:
        self._stopping = True
        super().stop()

    def forget_code(self, address: int, size: int) -> None:
        """The same; the copies of pages, which that may make, are forgotten, too."""
        if self._forget_copies():
            super().flush_code()
        else:
            super().forget_code(address, size)
            self._forget_copies()

    def _translate(self, engine: int, address: int, kind: int, result: ctypes._Pointer[Translation],
                   data: int) -> bool:
        """Fill one entry of the TLB: the upper byte of a program's address does not count."""
        return super()._translate(engine, untagged(address), kind, result, data)

    def walk(self, address: int) -> int:
        """Return the page table entry of an address; 0 if there is none, as above those of programs."""
        return 0 if address >> ADDRESS_BITS else super().walk(address)

    def _page(self, address: int, kind: int, error: int) -> tuple[int, int] | None:
        """Return where the page at `address` lies, and its permissions; the kernel is asked after the run."""
        entry = self.walk(address)
        return self._search(kind, *permitted(entry)) if allows(entry, kind) else None

    # -- instructions that the engine is not to execute ---------------------------------------------

    def flush_code(self) -> None:
        self._forget_copies()
        super().flush_code()

    def _forget_copies(self) -> bool:
        """Have every page of code searched before more of it is executed; returns whether one had a copy."""
        copies = [*filter(None, self._searched.values())]
        for copy in copies:
            self.memory.release(copy >> PAGE_SHIFT)
        if self._searched:
            self._searched.clear()
            self.flush_tlb()
        return bool(copies)

    def _search(self, kind: int, physical: int, permissions: int) -> tuple[int, int] | None:
        """Return where a page lies, and what may be done until the engine asks again; None without memory.

        Code is searched before it is executed, and again after it can have been written to.
        """
        if kind == MEM_WRITE:
            if self._searched.get(physical):
                self.flush_code()
            self._searched.pop(physical, None)
        if not permissions & EXECUTE:
            return physical, permissions
        if kind == MEM_FETCH and physical not in self._searched:
            try:
                self._searched[physical] = self._copy(physical)
            except SyscallError:
                return None
        copy = self._searched.get(physical)
        if copy and kind == MEM_FETCH:
            return copy, EXECUTE
        return physical, permissions & ~(EXECUTE if copy or copy is None else WRITE)

    def _copy(self, physical: int) -> int:
        """Return where the page has a copy with other instructions for those withheld; 0 without such."""
        found = replacements(self.memory.bytes[physical:physical + PAGE])
        if not found:
            return 0
        frame = self.memory.copy(physical >> PAGE_SHIFT)
        self.memory.mark_executed(frame)
        for place, word in found:
            at = (frame << PAGE_SHIFT) + place
            self.memory.bytes[at:at + SIZE] = word.to_bytes(SIZE, "little")
        return frame << PAGE_SHIFT

    def _interrupt(self, _engine: int, number: int, _data: int) -> None:
        self.end_run(SYSCALL if number == SVC else number)
