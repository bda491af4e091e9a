"""The engine of x86 that reads and writes Unicorn's own structures: registers are where it has them.

Its CPU structure is found by content when the engine starts, so nothing here depends on a version's layout.
The engine's MMU walks the page tables, and tells what a page fault was.  Faults and traps that programs are
not to know of do not end a run.  Where the structure is not found, as in another release or on another host,
programs run on `engine`.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Callable

from runtime.kernel.base.traps import OFTEN, Traps
from runtime.kernel.cpu.accelerators import (
    CALLED_COUNTER,
    CALLED_TRAPS,
    LOOKED_UP_JUMPS,
    PLAIN_DECODING,
    PUBLIC,
    SEARCHED_TLB,
    SLOW_CALLS,
    SOFT_FLOATS,
    left_out,
)
from runtime.kernel.cpu.emulator import (
    ERROR_FETCH,
    ERROR_PRESENT,
    ERROR_USER,
    RESCHEDULE,
    Context,
    EngineError,
    Slice,
)
from runtime.kernel.cpu.x86.engine import (
    ALIGNMENT_CHECK,
    BREAKPOINT,
    CODE64,
    CR0_VALUE,
    CR4_VALUE,
    HOOK_INSN,
    INITIAL_FLAGS,
    INS_CPUID,
    MODEL_V3,
    PAGE_FAULT,
    RAX,
    RBX,
    RCX,
    RDI,
    RDX,
    REG_CR3,
    REG_FPSW,
    REG_FPTAG,
    REG_GENERAL,
    REG_RFLAGS,
    REG_XMM0,
    RIP,
    SYSCALL32,
    TRAP_FLAG,
    VECTOR_REGISTERS,
    VECTORS_OFFERED,
    Engine,
    Registers,
)
from runtime.kernel.memory.physical import PAGE, PhysicalMemory

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.cpu.x86.directtraps import DirectTraps

TLB_SEARCH = 128  # bytes before the registers that are searched for the TLB's masks
# the mode as the engine has it: level 3 of privilege, long mode active, 64-bit code
MODE_MASK, MODE_64_CODE, MODE_32_CODE = 0xC003, 0xC003, 0x4003


class DirectEngine(Engine):
    """The same, on the engine's own registers.  Raises EngineError where they are not found."""

    hits = True
    _direct: DirectTraps | None = None

    def __init__(self, memory: PhysicalMemory, slice_: Slice | None = None, vectors: bool = False) -> None:
        self._prepared = False
        self._new_root = ctypes.c_uint64()
        self._new_root_place = ctypes.byref(self._new_root)
        self.vectors = vectors
        if vectors:
            self.model, self.control = MODEL_V3, CR4_VALUE | VECTORS_OFFERED
        try:
            super().__init__(memory, slice_)
        except OSError as error:
            raise EngineError(f"memory cannot be read: {error.strerror}") from None
        self._translating = self._find_mode(), self._find_flags()
        flags = self._translating[1]
        self._flags_word = None if flags is None else ctypes.c_uint64.from_address(self._cpu + flags)
        self._vectors = self._find_vectors() if vectors else 0

    def prepare(self) -> None:
        """Have instructions decoded and floating-point numbers computed as by a processor.

        Decoding hands some instructions to functions that compute with the host's numbers: without these it
        is the engine's own, too.
        """
        if self._prepared:
            return
        self._prepared = True
        from runtime.kernel.cpu.x86 import chaining, decoding, hostfloat, protecting

        self.chained = not left_out(LOOKED_UP_JUMPS) and chaining.install(self.library, self._cpu)
        self.protects = not left_out(SEARCHED_TLB) and protecting.install(self.library)
        mode, flags = self._translating
        self.exact_floats = not left_out(SOFT_FLOATS) and hostfloat.install(self.library)
        self.exact_decoding = (self.exact_floats and not left_out(PLAIN_DECODING)
                               and mode is not None and flags is not None
                               and decoding.install(self.library, mode, flags, self._control))
        if self.vectors and not (self.exact_floats and self.exact_decoding):
            raise OSError(errno.ENOTSUP, "x86-64-v3 needs functions of the engine that are not found, or "
                                         f"are left out ({SOFT_FLOATS}, {PLAIN_DECODING})")
        if self.vectors:
            from runtime.kernel.cpu.x86 import vectors

            vectors.install(self.library, self._vectors - self._cpu)

    def flags_before(self) -> int | None:
        """Return the flags before a repeated comparison of strings that has got so far; None if none has."""
        from runtime.kernel.cpu.x86.decoding import flags_before

        return flags_before(self.library, self.regs[RCX], self.regs[RDI]) if self.exact_decoding else None

    def restore_x87(self) -> None:
        """Undo what an x87 instruction did that failed to store a number: status and tags as they were."""
        if self.exact_floats:
            from runtime.kernel.cpu.x86.hostfloat import before_store

            status, tags = before_store(self.library)
            self.write_register(REG_FPSW, status, 2)
            self.write_register(REG_FPTAG, tags, 2)

    # -- registers ------------------------------------------------------------------------------

    def saved_registers(self, handle: int) -> Registers:
        """Return a view of a context's general registers."""
        return (ctypes.c_uint64 * 17).from_address(handle + self.context_offset)

    def save(self, context: Context) -> None:
        self.library.uc_context_save(self.handle, context.handle)

    def restore(self, context: Context, root: int) -> None:
        """Load a register file, and the page tables at `root` if others are in force."""
        self.library.uc_context_restore(self.handle, context.handle)
        self.load_root(root)

    def load_root(self, root: int) -> None:
        if root != self.loaded_root:
            self._new_root.value = self.loaded_root = root
            error = self.library.uc_reg_write(self.handle, REG_CR3, self._new_root_place)
            if error:
                self._check(error)
        else:
            self._root_word.value = root

    def single_steps(self) -> bool:
        word = self._flags_word
        return super().single_steps() if word is None else bool(word.value & TRAP_FLAG)

    def upper_halves(self) -> bytes:
        places = range(self._vectors + 16, self._vectors + 64 * VECTOR_REGISTERS, 64) if self._vectors else ()
        return b"".join(ctypes.string_at(at, 16) for at in places)

    def set_upper_halves(self, data: bytes) -> None:
        for number in range(VECTOR_REGISTERS if self._vectors else 0):
            ctypes.memmove(self._vectors + 64 * number + 16, data[16 * number:16 * number + 16], 16)

    # -- running --------------------------------------------------------------------------------

    def run(self) -> int:
        """See Engine."""
        self.event = RESCHEDULE
        error = self._emulate(self.regs[RIP], 0)
        if error or self.failure is not None:
            self._check_run(error)
        return self.event

    def stop(self) -> None:
        self.library.uc_emu_stop(self.handle)

    def _install(self) -> None:
        super()._install()
        if self.vectors:
            answer = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
            self._hook(HOOK_INSN, answer(self._cpuid), 0, ctypes.c_int(INS_CPUID))

    def _cpuid(self, _engine: int, _data: int) -> int:
        """Load what CPUID says; returns 0 where the engine's own is right."""
        from runtime.kernel.cpu.x86.identification import identify

        found = identify(self.regs[RAX] & 0xFFFFFFFF, self.regs[RCX] & 0xFFFFFFFF)
        if found is None:
            return 0
        for number, value in zip((RAX, RBX, RCX, RDX), found, strict=True):
            self.regs[number] = value
        return 1

    def _system_calls(self) -> tuple[object, int]:
        """The same; machine code comes before it, unless SLOW_CALLS is set in the environment."""
        callback, data = super()._system_calls()
        if os.uname().machine != "x86_64" or left_out(SLOW_CALLS):
            return callback, data
        from runtime.kernel.cpu.x86.quickcalls import QuickCalls

        self._hooks.append(callback)
        self.quick = QuickCalls(ctypes.addressof(self.slice), ctypes.addressof(self.regs),
                                self.memory.address, ctypes.addressof(self._root_word), address_of(callback))
        return self.quick.code, self.quick.address

    def serve_calls(self, serve: Callable[[], None]) -> None:
        """See Engine."""
        assert self.quick is not None
        callback = ctypes.CFUNCTYPE(None)(serve)
        self._hooks.append(callback)
        self.quick.go_on(address_of(callback))

    def _native_counter(self) -> ctypes.c_void_p | None:
        """The same; it replaces the calls of it, unless CALLED_COUNTER is set in the environment."""
        if self.native and os.uname().machine == "x86_64" and not left_out(CALLED_COUNTER):
            from runtime.kernel.cpu.x86.counting import FAR, counter

            assert self.handle.value is not None
            page = counter(self.library, self.handle.value, self._cpu, ctypes.addressof(self.slice))
            if page is not None:
                self._hooks.append(page)
                self.far = FAR
                return ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(page)))
        return super()._native_counter()

    def _interrupts(self) -> object:
        """The same; machine code comes before it, unless CALLED_TRAPS is set in the environment."""
        callback = super()._interrupts()
        if os.uname().machine != "x86_64" or left_out(CALLED_TRAPS):
            return callback
        from runtime.kernel.cpu.x86.directtraps import DirectTraps, Places

        trap = ctypes.CFUNCTYPE(None)(self._trap)
        self._hooks += [callback, trap]
        counter = ctypes.addressof(self.regs) + 8 * RIP
        self._direct = DirectTraps(Places(counter, address_of(trap), address_of(callback)))
        return ctypes.c_void_p(self._direct.address)

    def lead(self, traps: Traps) -> None:
        """See Emulator."""
        self.traps = traps
        if self._direct is not None:
            self._direct.lead(traps)

    def _trap(self) -> None:
        """Do what a tracer does at a trap; where it does nothing, the run ends."""
        try:
            pc = self.regs[RIP] - 1
            hit = self.traps.hits.get(pc)
            if hit is not None:
                self.regs[RIP] = hit.go
                hit.act()
                hit.calls += 1
                if hit.calls == OFTEN and self._direct is not None:
                    self._direct.often(self.traps, pc, hit)
                return
            if self.on_trap(pc):
                return
        except BaseException as failure:
            self.failure = failure
        self.event = BREAKPOINT
        self.library.uc_emu_stop(self.handle)

    def _interrupt(self, _engine: int, number: int) -> None:
        try:
            if number == BREAKPOINT:
                self._trap()
                return
            if number == PAGE_FAULT:
                self._exception.value = -1
                self.fault_address, self.fault_error = self._cr2.value, self._error.value
                if self.fault_error & ERROR_USER and self.on_fault(self.fault_address, self.fault_error):
                    return
            elif number != SYSCALL32:
                self._exception.value = -1
                self.fault_error = self._error.value
        except BaseException as failure:
            self.failure = failure
        self.event = number
        self.library.uc_emu_stop(self.handle)

    # -- starting -------------------------------------------------------------------------------

    def _find(self) -> None:
        """Find the CPU structure, and the same data in a saved context, by a mark in registers."""
        cpu = self.find_registers(REG_GENERAL[:8])
        self._cpu, self._cpu_size = cpu, self.context_size - self.context_offset
        self.regs = (ctypes.c_uint64 * 17).from_address(cpu)
        snapshot = ctypes.string_at(cpu, self._cpu_size)
        roots = [at for at in range(0, self._cpu_size - 32, 8)
                 if struct.unpack_from("<QQQQ", snapshot, at)[0] == CR0_VALUE
                 and struct.unpack_from("<QQQQ", snapshot, at)[3] == self.root]
        if len(roots) != 1:
            raise EngineError("the engine's control registers cannot be found")
        self._cr2 = ctypes.c_uint64.from_address(cpu + roots[0] + 16)
        self._control = roots[0] + 32
        self._root_word = ctypes.c_uint64.from_address(cpu + roots[0] + 24)
        self.find_tlb(cpu, TLB_SEARCH)
        self.drop_exit_checks(self._cpu_size)
        self._error = self._exception = ctypes.c_int32(0)
        for number in range(16):
            self.regs[number] = 0

    def _learn(self) -> None:
        """Find the error code and the exception in flight: two different faults tell which words."""
        errors, exceptions = set(range(self._cpu_size)), set(range(self._cpu_size))
        before = self._words(self._cpu, "i")
        for address, error in ((PAGE, ERROR_USER | ERROR_FETCH),
                               (self._stub, ERROR_USER | ERROR_FETCH | ERROR_PRESENT)):
            self._enter_user(CODE64, address)
            pairs = zip(before, self._words(self._cpu, "i"), strict=True)
            words = [(4 * at, old, new) for at, (old, new) in enumerate(pairs) if old != new]
            errors &= {at for at, _old, new in words if new == error}
            exceptions &= {at for at, old, new in words if old == -1 and new == PAGE_FAULT}
        if len(errors) != 1 or len(exceptions) != 1:
            raise EngineError(f"the engine's exception state cannot be found {errors} {exceptions}")
        self._error = ctypes.c_int32.from_address(self._cpu + errors.pop())
        self._exception = ctypes.c_int32.from_address(self._cpu + exceptions.pop())

    def _words(self, address: int, form: str) -> memoryview:
        """What the structure holds at an address, as words of a form of struct."""
        size = self._cpu_size - self._cpu_size % 8
        return memoryview(ctypes.string_at(address, size)).cast(form)  # type: ignore[call-overload]

    def _find_mode(self) -> int | None:
        """Find where the structure has the kind of code that it runs: 64-bit or 32-bit programs."""
        wide, narrow = (self._words(ctypes.addressof(each.regs), "I") for each in (self.user64, self.user32))
        found = [4 * at for at, (first, second) in enumerate(zip(wide, narrow, strict=True))
                 if first & MODE_MASK == MODE_64_CODE and second & MODE_MASK == MODE_32_CODE]
        return found[0] if len(found) == 1 else None

    def _find_flags(self) -> int | None:
        """Find where the structure has the flags that are not those of arithmetic."""
        found = set(range(0, self._cpu_size - 7, 8))
        for flags in (INITIAL_FLAGS, INITIAL_FLAGS | ALIGNMENT_CHECK):
            self.write_register(REG_RFLAGS, flags)
            words = self._words(self._cpu, "Q")
            found = {at for at in found if words[at // 8] & ~2 == flags & ~2}
        self.write_register(REG_RFLAGS, INITIAL_FLAGS)
        return found.pop() if len(found) == 1 else None

    def _find_vectors(self) -> int:
        """Find where the vector registers are, 64 bytes each."""
        before = self.read_register(REG_XMM0, 16)
        mark = os.urandom(16)
        self.write_register(REG_XMM0, int.from_bytes(mark, "little"), 16)
        at = ctypes.string_at(self._cpu, self._cpu_size).find(mark)
        self.write_register(REG_XMM0, before, 16)
        if at < 0:
            raise EngineError("the engine's vector registers cannot be found")
        return self._cpu + at


def address_of(callback: object) -> int:
    """Return the address of a callback, as machine code calls it."""
    return ctypes.cast(callback, ctypes.c_void_p).value or 0  # type: ignore[arg-type]


def make_engine(memory: PhysicalMemory, slice_: Slice, tell: Callable[[str], None],
                vectors: bool = False) -> Engine:
    """Return the engine of x86 that can be had: the quick one, where it works; `tell` is told why it is not.

    With DTRACE_PUBLIC_ENGINE set in the environment public interfaces are all that is used.  With `vectors`
    it offers AVX and what belongs to it.  Raises OSError where that cannot be.
    """
    asked = left_out(PUBLIC)
    reason = f"{PUBLIC} is set"
    if not asked:
        try:
            return DirectEngine(memory, slice_, vectors)
        except EngineError as error:
            reason = str(error)
    if vectors:
        raise OSError(errno.ENOTSUP, f"x86-64-v3 needs the engine's own structures: {reason}")
    tell(f"programs run on the public interface of the engine: {reason}")
    return Engine(memory, slice_, native=not asked)
