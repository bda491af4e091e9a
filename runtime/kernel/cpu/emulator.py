"""The part that all emulated processors have: an engine of Unicorn, driven through its C interface.

`cpu.x86.engine` derives from it, and `cpu.translation`, from which those of SPARC and AArch64 derive.  All
engines of a machine share its physical memory, and one counter of the code that is still to be run, as one of
them runs at a time.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
import sys
import weakref
from _thread import _count as other_threads
from collections.abc import Callable, Sequence
from importlib.machinery import PathFinder

from runtime.kernel.base.traps import Traps
from runtime.kernel.memory.addrspace import FRAME_MASK, PRESENT
from runtime.kernel.memory.physical import PAGE, PhysicalMemory

# numbers of <unicorn/unicorn.h>
PROT_ALL = 7
HOOK_INTR, HOOK_BLOCK, HOOK_TLB_FILL = 1, 8, 1 << 17
MOST_FORGOTTEN = 16  # pieces of code between two runs; then all is forgotten
CTL_PAGE_SIZE, CTL_USE_EXITS, CTL_CPU_MODEL, CTL_TB_REMOVE, CTL_TB_FLUSH = 1, 4, 7, 9, 10
CTL_TLB_FLUSH, CTL_TLB_TYPE, CTL_WRITE = 11, 12, 1 << 30
TLB_VIRTUAL = 1
MEM_READ, MEM_WRITE, MEM_FETCH = 16, 17, 18  # kinds of accesses for which a translation is asked
READ, WRITE, EXECUTE = 1, 2, 4
ERR_EXCEPTION = 21
TABLE_SHIFTS = (39, 30, 21, 12)  # of an address, for its index in each level of page tables
# Events that are no exceptions' numbers; engines have more: SYSCALL (-1), PAGE_FAULT (-3), STEPPED (-4).
OVERTIME = 1 << 16  # bytes of code that a thread may be let run after its slice, at most
RESCHEDULE = -2  # the event of a run that ended without one
SERVED = -5  # the event of a run that ended after a system call, which has been carried out
SLEEPS = -6  # the event of a run that ended at a swift system call, which has to wait
BEGUN = -8  # the event of a run that ended in a system call whose entry has been told, and which has to wait
# bits of a page fault's error code, as x86 has them
ERROR_PRESENT, ERROR_WRITE, ERROR_USER, ERROR_FETCH = 1, 2, 4, 16
TLB_ENTRY_BITS = 6  # log2 of an entry's size
TLB_INITIAL_MASK = 255 << TLB_ENTRY_BITS  # of a table with 256 entries
CONTEXT_CPU = 1  # what a saved context holds, as the engine's structure says it
ENGINE_SEARCH, CPU_SEARCH = 8192, 1 << 17  # bytes searched for the CPU structure
HOST_ADDRESS_BITS = 48  # of a process of the host: on AArch64 the heap and libraries are in the upper half
# The native counter, what it may note first, and its end: a jump to a function whose address is filled in.
# amd64: mov edx, edx; cmp qword ptr [rcx], 0; jle stop; sub [rcx], rdx; ret; stop:
COUNT = b"\x89\xd2\x48\x83\x39\x00\x7e\x04\x48\x29\x11\xc3"
# amd64: mov edx, edx; mov [rcx + 0x8], rsi; mov [rcx + 0x10], rdx
NOTE = b"\x89\xd2\x48\x89\x71\x08\x48\x89\x51\x10"
LOW, MAP_LOW = 1 << 32, 0x40  # addresses of 32 bits end there; the flag of mmap(2) that asks for one
STOP = b"\x48\xb8\0\0\0\0\0\0\0\0\xff\xe0"  # amd64: movabs rax, 0; jmp rax
# arm64: ldr x4, [x3]; cmp x4, #0; b.le .+16; sub x4, x4, w2, uxtw; str x4, [x3]; ret
ARM_COUNT = (b"\x64\x00\x40\xf9\x9f\x00\x00\xf1\x8d\x00\x00\x54"
             b"\x84\x40\x22\xcb\x64\x00\x00\xf9\xc0\x03\x5f\xd6")
ARM_NOTE = b"\xe2\x03\x02\x2a\x61\x88\x00\xa9"  # arm64: mov w2, w2; stp x1, x2, [x3, #8]
ARM_STOP = b"\x50\x00\x00\x58\x00\x02\x1f\xd6"  # arm64: ldr x16, .+8; br x16
# Note, counter and end by the host's processor, as uname(2) says it; 8 zero bytes are the address.
COUNTERS = {"x86_64": (NOTE, COUNT, STOP), "aarch64": (ARM_NOTE, ARM_COUNT, ARM_STOP + bytes(8))}


class EngineError(Exception):
    """Unicorn is missing, or does not behave as these files expect."""


class Slice(ctypes.Structure):
    """What is left of a slice: bytes of code to run; the last block, if blocks are noted."""

    _fields_ = [("left", ctypes.c_int64), ("block", ctypes.c_uint64), ("size", ctypes.c_uint64)]


def make_slice() -> Slice:
    """Return a slice below LOW, if the host has room there: code that counts it is shorter then."""
    if os.uname().machine != "x86_64":
        return Slice()
    try:
        return Slice.from_buffer(mmap.mmap(-1, PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_LOW))
    except OSError:
        return Slice()


class Translation(ctypes.Structure):
    """An entry of the TLB: where a page lies, and what may be done with it."""

    _fields_ = [("physical", ctypes.c_uint64), ("perms", ctypes.c_uint32)]


TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Any

    Translate = Callable[[int, int, int, "ctypes._Pointer[Translation]", int], bool]


class Context:
    """A saved register file; `regs` are its general registers.

    A new one holds what the engine does: what makes no sense must not be loaded even for a moment, as the
    engine keeps its TLB when it gets other page tables while paging seems to be off.
    """

    def __init__(self, engine: Emulator) -> None:
        self._library = engine.library
        self.handle = ctypes.c_void_p()
        engine.library.uc_context_alloc(engine.handle, ctypes.byref(self.handle))
        engine.library.uc_context_save(engine.handle, self.handle)
        assert self.handle.value is not None
        self.regs: ctypes.Array[ctypes.c_uint64] = engine.saved_registers(self.handle.value)

    def __del__(self) -> None:
        if self.handle:
            self._library.uc_context_free(self.handle)


class Emulator:
    """An engine, its callbacks, and what it has translated.

    The engine calls `on_fault(address, error)` for a page fault: it returns whether the instruction may be
    tried again.  It calls `on_trap(pc)` for a trap at `pc`: that returns whether it was a tracer's.  A quick
    engine `hits`: it looks first in `traps` for what a tracer does with `thread`, which runs.  That calls
    `on_act` if the engine has answered system calls by itself in the slice.
    """

    notes_blocks = False  # whether `slice` is told the last block
    model: int | None = None  # the processor, by Unicorn's number; None for its default
    page_size: int | None = None  # of the TLB, where it is not the smallest that the processor can have
    far = 0  # bits that the counter of blocks is not to find in what it is handed
    hits = False  # whether `traps` are looked at
    native = True  # callbacks may be machine code of the host's
    loaded_root = 0  # the page tables in force

    def __init__(self, memory: PhysicalMemory, arch: int, mode: int, slice_: Slice | None) -> None:
        self.memory = memory
        self.slice = slice_ or make_slice()
        self.library = load_library()
        self._start, self._stop = self.library.uc_emu_start, self.library.uc_emu_stop
        self._start_aside = ctypes.CDLL(self.library._name).uc_emu_start  # the same, without Python's lock
        self._start_aside.argtypes = self._start.argtypes
        self.handle = ctypes.c_void_p()
        if self.library.uc_open(arch, mode, ctypes.byref(self.handle)):
            raise EngineError("the engine does not start")
        self._end = weakref.finalize(self, self.library.uc_close, self.handle)
        self._end.atexit = False
        if self.model is not None:
            self._check(self.library.uc_ctl(self.handle, CTL_CPU_MODEL | CTL_WRITE | 1 << 26, self.model))
        if self.page_size is not None:
            self._check(self.library.uc_ctl(self.handle, CTL_PAGE_SIZE | CTL_WRITE | 1 << 26, self.page_size))
        self._check(self.library.uc_mem_map_ptr(self.handle, 0, memory.size, PROT_ALL, memory.address))
        self.event = RESCHEDULE
        self.failure: BaseException | None = None
        self.on_fault: Callable[[int, int], bool] = lambda address, error: False
        self.on_trap: Callable[[int], bool] = lambda pc: False
        self.traps = Traps()
        self.thread: Any = None
        self.on_act: Callable[[], None] = lambda: None
        self.counting = False
        self.running = False
        self._clean = False  # nothing has been translated since the last flush
        self._forgotten = 0  # pieces of code since the last run
        self._hook_before = sys.unraisablehook  # what is told of exceptions while the engine does not run
        self.context_size = self.context_offset = 0  # bytes of a saved context, and where its registers are
        self._tlb_masks: list[ctypes.c_uint64] = []
        self._hooks: list[object] = []  # callbacks, which must live as long as the engine

    def close(self) -> None:
        self._end()

    def _check(self, error: int) -> None:
        if error:
            raise EngineError(f"the engine returned error {error}")

    # -- registers ------------------------------------------------------------------------------

    def read_register(self, number: int, size: int = 8) -> int:
        buffer = ctypes.create_string_buffer(max(size, 16))
        self.library.uc_reg_read(self.handle, number, buffer)
        return int.from_bytes(buffer.raw[:size], "little")

    def write_register(self, number: int, value: int, size: int = 8) -> None:
        buffer = ctypes.create_string_buffer(value.to_bytes(size, "little"), 16)
        self._check(self.library.uc_reg_write(self.handle, number, buffer))

    def saved_registers(self, handle: int) -> ctypes.Array[ctypes.c_uint64]:
        """Return the general registers of a context, or room for them."""
        raise NotImplementedError

    def find_registers(self, numbers: Sequence[int]) -> int:
        """Find by content where the engine and a saved context keep these registers of 64 bits, side by side.

        Returns the address of the first one in the engine.  Raises EngineError, OSError.
        """
        # random, as memory that an earlier engine gave back may still hold its marks
        marks = [int.from_bytes(os.urandom(8), "little") for _number in numbers]
        for number, mark in zip(numbers, marks, strict=True):
            self.write_register(number, mark)
        pattern = struct.pack(f"<{len(marks)}Q", *marks)
        assert self.handle.value is not None
        with open("/proc/self/mem", "rb", 0) as memory:
            address = search_pointers(memory.fileno(), self.handle.value, pattern)
        context = ctypes.c_void_p()
        self.library.uc_context_alloc(self.handle, ctypes.byref(context))
        self.library.uc_context_save(self.handle, context)
        assert context.value is not None
        self.context_size = self.library.uc_context_size(self.handle)
        self.context_offset = ctypes.string_at(context.value, self.context_size).find(pattern)
        self.library.uc_context_free(context)
        if address is None or self.context_offset < 0:
            raise EngineError("the engine's registers cannot be found")
        return address

    def find_tlb(self, registers: int, size: int) -> None:
        """Find the size masks of the TLB tables, in `size` bytes before the registers."""
        first = registers - size
        words = struct.unpack(f"<{size // 8}Q", ctypes.string_at(first, size))
        self._tlb_masks = [ctypes.c_uint64.from_address(first + 8 * at) for at, word in enumerate(words)
                           if word == TLB_INITIAL_MASK]

    @property
    def tlb_size(self) -> int:
        """The entries of the largest TLB table; those it starts with when it cannot be known."""
        largest = max((mask.value for mask in self._tlb_masks), default=TLB_INITIAL_MASK)
        return (largest >> TLB_ENTRY_BITS) + 1

    def drop_exit_checks(self, size: int) -> None:
        """Have code translated without a check for `stop` after every access to memory.

        The engine has a switch for that, which it uses for blocks that must not be left half-way.  The check
        at the start of every block remains, and is enough here.  The switch is found by what is before it in
        the engine's structure, the `size` of the CPU structure among that.  Where it is not found, all works,
        but slower.
        """
        assert self.handle.value is not None
        with open("/proc/self/mem", "rb", 0) as memory:
            owner = read_at(memory.fileno(), self.handle.value, ENGINE_SEARCH)
        mark = struct.pack("<ii", CONTEXT_CPU, size)
        at = owner.find(mark)
        flags = (at + len(mark) + 7 & -8) + 8
        if at < 0 or owner.find(mark, at + 1) >= 0 or len(owner) < flags + 4:
            return
        insert_first, _first_block, no_exit, initialised = owner[flags:flags + 4]
        if (insert_first, no_exit, initialised) == (0, 0, 1):
            ctypes.c_uint8.from_address(self.handle.value + flags + 2).value = 1

    # -- running --------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Do what must be done before the first program is loaded."""

    def lead(self, traps: Traps) -> None:
        """The program that runs next has these."""
        self.traps = traps

    def stop(self) -> None:
        """Make `run` return after the current instruction."""
        self.library.uc_emu_stop(self.handle)

    def fail(self, failure: BaseException | None) -> None:
        """End a run with an exception that a callback has met."""
        self.failure = failure
        self._stop(self.handle)

    def count_work(self) -> None:
        """From now on stop with RESCHEDULE when `slice.left` bytes of code have been run."""
        if self.counting:
            return
        self.counting = True
        code, address = self._native_counter(), ctypes.addressof(self.slice)
        if code is None:
            def count(_engine: int, address: int, size: int, _data: int) -> None:
                work = self.slice
                work.block, work.size = address, size
                if work.left <= 0:
                    self.stop()
                else:
                    work.left -= size
            kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32, ctypes.c_void_p)
            self._hook(HOOK_BLOCK, kind(count), address)
        else:
            self._hook(HOOK_BLOCK, code, address | self.far)
        self.flush_code()

    def _native_counter(self) -> ctypes.c_void_p | None:
        """Return a callback in machine code that counts blocks and stops the engine; None on other hosts.

        The engine does not execute the block at whose start it is told to stop, so that one does not count,
        and the smallest slice executes one block.
        """
        code = COUNTERS.get(os.uname().machine)
        if not self.native or code is None:
            return None
        note, count, end = code
        stop = ctypes.cast(self.library.uc_emu_stop, ctypes.c_void_p).value
        assert stop is not None
        page = mmap.mmap(-1, PAGE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
        end = end.replace(bytes(8), struct.pack("<Q", stop))
        page.write((note if self.notes_blocks else b"") + count + end)
        address = ctypes.addressof(ctypes.c_char.from_buffer(page))
        # It becomes executable after it was written: so the kernel has the processor forget older text.
        allowed = ctypes.CDLL(None).mprotect(ctypes.c_void_p(address), ctypes.c_size_t(PAGE),
                                             mmap.PROT_READ | mmap.PROT_EXEC) == 0
        self._hooks.append(page)
        return ctypes.c_void_p(address) if allowed else None

    def flush_tlb(self) -> None:
        self.library.uc_ctl(self.handle, CTL_TLB_FLUSH | CTL_WRITE)

    def flush_code(self) -> None:
        """Forget every translation."""
        if not self._clean:
            self.library.uc_ctl(self.handle, CTL_TB_FLUSH | CTL_WRITE)
            self._clean = not self.running

    def forget_code(self, address: int, size: int) -> None:
        """Forget what was translated from user `address` of the loaded address space.

        The pages must be executable: the engine looks them up as a fetch does.  With its own MMU it would
        keep a fault of that as an exception in flight, and make a double fault of the program's next one.
        As that takes a while, many pieces between two runs, as of probes, are forgotten with all others.
        """
        if self._clean:
            return
        self._forgotten += 1
        if self._forgotten > MOST_FORGOTTEN and not self.running:
            self.flush_code()
            return
        self.library.uc_ctl(self.handle, CTL_TB_REMOVE | CTL_WRITE | 2 << 26, ctypes.c_uint64(address),
                            ctypes.c_uint64(address + size))

    def _translate_by(self, translate: Translate) -> None:
        """Have the engine ask `translate(engine, page, kind, result, data)` for entries of its TLB.

        That fills in `result`, a pointer to a Translation; it returns False where there is none.
        """
        self._check(self.library.uc_ctl(self.handle, CTL_TLB_TYPE | CTL_WRITE | 1 << 26, TLB_VIRTUAL))
        fill = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_int,
                                ctypes.POINTER(Translation), ctypes.c_void_p)
        self._hook(HOOK_TLB_FILL, fill(translate), 0)

    def walk(self, address: int) -> int:
        """Return the page table entry of an address; 0 if there is none."""
        words, table, entry = self.memory.words, self.loaded_root, 0
        for shift in TABLE_SHIFTS:
            entry = words[(table >> 3) + (address >> shift & 511)]
            if not entry & PRESENT:
                return 0
            table = entry & FRAME_MASK
        return entry

    def missing(self, address: int) -> int:
        """Return the level, from 0, of the page table in which an address that is not there has no entry."""
        words, table = self.memory.words, self.loaded_root
        for level, shift in enumerate(TABLE_SHIFTS):
            entry = words[(table >> 3) + (address >> shift & 511)]
            if not entry & PRESENT:
                return level
            table = entry & FRAME_MASK
        return len(TABLE_SHIFTS) - 1

    def _emulate(self, start: int, until: int) -> int:
        """Run code by uc_emu_start; returns its error."""
        self.running, self._clean, self._forgotten = True, False, 0
        # a run may last; but to take Python's lock back takes a while, and is done at each callback
        aside = other_threads()
        run = self._start_aside if aside else self._start
        if aside and not _is_main_thread():  # handlers of signals are called in that one only
            error: int = run(self.handle, start, until, 0, 0)
            self.running = False
            return error
        self._hook_before, sys.unraisablehook = sys.unraisablehook, self._unraisable
        try:
            error = run(self.handle, start, until, 0, 0)
        finally:
            self.running, sys.unraisablehook = False, self._hook_before
        return error

    def _unraisable(self, lost: sys.UnraisableHookArgs) -> None:
        """End a run at an exception of a signal's handler.

        Python calls that in its main thread as a callback begins, which cannot catch it yet.
        """
        if "ctypes callback" not in (lost.err_msg or ""):
            self._hook_before(lost)
            return
        self.fail(lost.exc_value)

    def _hook(self, kind: int, callback: object, data: int, *extra: ctypes.c_int) -> None:
        handle = ctypes.c_size_t()
        self._hooks += [callback, handle]
        self._check(self.library.uc_hook_add(self.handle, ctypes.byref(handle), kind, callback,
                                             ctypes.c_void_p(data), ctypes.c_uint64(1), ctypes.c_uint64(0),
                                             *extra))


def _is_main_thread() -> bool:
    from threading import current_thread, main_thread

    return current_thread() is main_thread()


def load_library() -> ctypes.CDLL:
    """Load the shared library of the installed unicorn package, without its Python classes."""
    spec = PathFinder.find_spec("unicorn")
    if spec is None or not spec.submodule_search_locations:
        raise EngineError("the unicorn package is not installed")
    folder = os.path.join(spec.submodule_search_locations[0], "lib")
    names = [name for name in sorted(os.listdir(folder)) if name.startswith("libunicorn.so")]
    if not names:
        raise EngineError(f"no shared library in {folder}")
    library = ctypes.PyDLL(os.path.join(folder, names[0]))  # no call but uc_emu_start takes long
    library.uc_emu_start.argtypes = [ctypes.c_void_p, *[ctypes.c_uint64] * 3, ctypes.c_size_t]
    library.uc_mem_map_ptr.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_uint32,
                                       ctypes.c_void_p]
    for name in ("uc_emu_stop", "uc_close", "uc_context_free", "uc_context_size"):
        getattr(library, name).argtypes = [ctypes.c_void_p]
    library.uc_context_size.restype = ctypes.c_size_t
    for name in ("uc_context_save", "uc_context_restore", "uc_context_alloc"):
        getattr(library, name).argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    for name in ("uc_reg_read", "uc_reg_write"):
        getattr(library, name).argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p]
    return library


def read_at(descriptor: int, address: int, size: int) -> bytes:
    """Return `size` bytes of this process's memory, or as many as can be read."""
    data = b""
    while len(data) < size:
        at = address + len(data)
        try:
            part = os.pread(descriptor, size - len(data), at)
        except OSError:
            break
        if not part:
            break
        data += part
    return data


def search_pointers(descriptor: int, address: int, pattern: bytes) -> int | None:
    """Return the address of `pattern` in what a pointer of the structure at `address` leads to."""
    owner = read_at(descriptor, address, ENGINE_SEARCH)
    seen = set()
    for (pointer,) in struct.iter_unpack("<Q", owner[:len(owner) & ~7]):
        if pointer < 1 << 16 or pointer >> HOST_ADDRESS_BITS or pointer % 8 or pointer in seen:
            continue
        seen.add(pointer)
        at = read_at(descriptor, pointer, CPU_SEARCH).find(pattern)
        if at >= 0:
            return pointer + at
    return None
