"""Loading programs: ELF executables, their interpreters, `#!` scripts, and the initial stack.

Structures are those of the System V ABI (gABI chapters 4 and 5; AMD64 and i386 supplements, process
initialisation) and <linux/auxvec.h>.  Addresses are fixed, so every run is alike.
"""

from __future__ import annotations

import errno
import re
import struct
from collections.abc import Callable

from dif.elfnumbers import (
    EM_386,
    EM_AARCH64,
    EM_ARM,
    EM_SPARC,
    EM_SPARCV9,
    EM_X86_64,
    ET_DYN,
    ET_EXEC,
    PF_R,
    PF_W,
    PF_X,
    PT_GNU_STACK,
    PT_INTERP,
    PT_LOAD,
)
from dif.records import Record
from runtime.kernel.base.clock import HZ
from runtime.kernel.base.errors import MemoryFault, SyscallError
from runtime.kernel.base.identity import Identity
from runtime.kernel.memory.addrspace import PROT_EXEC, PROT_READ, PROT_WRITE, AddressSpace, Area
from runtime.kernel.memory.physical import PAGE, PAGE_MASK, FilePages, Mappable

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.cpu.processor import Processor

AT_NULL, AT_PHDR, AT_PHENT, AT_PHNUM, AT_PAGESZ, AT_BASE, AT_FLAGS, AT_ENTRY = 0, 3, 4, 5, 6, 7, 8, 9
AT_UID, AT_EUID, AT_GID, AT_EGID, AT_PLATFORM, AT_HWCAP, AT_CLKTCK = range(11, 18)
AT_SECURE, AT_RANDOM, AT_HWCAP2, AT_EXECFN, AT_SYSINFO_EHDR, AT_MINSIGSTKSZ = 23, 25, 26, 31, 33, 51
HWCAP = 0x078BFBFD  # CPUID.1:EDX of the emulated processor
HWCAP_SPARC = 7  # flush, store barrier, swap: <asm/elf.h>
SCRIPT_HEAD = 256  # bytes that tell a script's interpreter: the kernel's BINPRM_BUF_SIZE
SCRIPT_DEPTH = 5  # scripts that stand for one another
NAME_LIMIT = 4096  # bytes of an interpreter's name: PATH_MAX
ARGUMENT_LIMIT = 2 << 20  # bytes of arguments and environment
MAX_HEADERS = 128
STACK_ROOM = 64 << 10  # bytes that the initial stack takes at least, so that its size is that of most


class Layout(Record, frozen=True):
    """Where stack, mappings and programs lie in the address spaces of one machine type.

    `more` returns further rows of the auxiliary vector, and maps what they tell of.
    """

    bits: int
    limit: int
    stack_top: int
    mmap_top: int
    pie_base: int
    platform: bytes
    hwcap: int = HWCAP
    order: str = "<"
    page: int = PAGE
    more: Callable[[AddressSpace], dict[int, int]] = lambda space: {}


def _more_arm64(space: AddressSpace) -> dict[int, int]:
    from runtime.kernel.cpu.arm64 import identification, sigframe, vdso

    space.map(Area(vdso.BASE, vdso.BASE + PAGE, PROT_READ | PROT_EXEC, path=b"[vdso]"))
    space.patch(vdso.BASE, vdso.image())
    return {AT_SYSINFO_EHDR: vdso.BASE, AT_MINSIGSTKSZ: sigframe.FRAME_SIZE + sigframe.FRAME_RECORD,
            AT_HWCAP: identification.HWCAP, AT_HWCAP2: identification.HWCAP2}


LAYOUTS = {  # by e_machine
    EM_X86_64: Layout(64, 0x7FFFFFFFF000, 0x7FFFFFFFF000, 0x7FFFF7FFF000, 0x555555554000, b"x86_64\0"),
    EM_386: Layout(32, 0xFFFFE000, 0xFFFFE000, 0xF7FFE000, 0x56555000, b"i686\0"),
    EM_SPARC: Layout(32, 0xF0000000, 0xF0000000, 0xE8000000, 0x70000000, b"sparc\0", HWCAP_SPARC, ">"),
    EM_SPARCV9: Layout(64, 0x80000000000, 0x80000000000, 0x7FFF8000000, 0x10000000000, b"sparc64\0",
                       HWCAP_SPARC, ">", 2 * PAGE),
    EM_AARCH64: Layout(64, 1 << 48, 0xFFFFFFFFF000, 0xFFFFF7FFF000, 0xAAAAAAAAA000, b"aarch64\0",
                       more=_more_arm64)}


UNKNOWN = {EM_ARM: "AArch32 code, which the AArch64 processor here does not run"}


class Unmappable(SyscallError):
    """A program whose headers make no address space.  A process that executes it is ended by SIGSEGV.

    Its old program has gone by then (load_elf_binary() after begin_new_exec()).
    """

    def __init__(self) -> None:
        super().__init__(errno.ENOEXEC)


class Segment(Record, frozen=True):
    type: int
    flags: int
    offset: int
    address: int
    file_size: int
    memory_size: int


class Image(Record, frozen=True):
    """The headers of an ELF file."""

    vnode: Mappable
    machine: int
    bits: int
    type: int
    entry: int
    header_offset: int
    header_size: int
    segments: tuple[Segment, ...]

    @property
    def runs(self) -> bool:
        """Whether it is a program, or a library that may be one."""
        return self.type in (ET_EXEC, ET_DYN)

    @property
    def interpreter(self) -> str | None:
        """The program that starts this one.  Raises SyscallError if its name is no string in the file."""
        for segment in self.segments:
            if segment.type == PT_INTERP:
                if not 2 <= segment.file_size <= NAME_LIMIT:
                    raise SyscallError(errno.ENOEXEC)
                if segment.offset >> 63:
                    raise SyscallError(errno.EINVAL)
                name = self.vnode.pread(segment.offset, segment.file_size)
                if len(name) < segment.file_size:
                    raise SyscallError(errno.EIO)
                if name[-1]:
                    raise SyscallError(errno.ENOEXEC)
                return name.split(b"\0", 1)[0].decode("utf-8", "surrogateescape")
        return None


class Program(Record):
    """A program ready to start."""

    space: AddressSpace
    processor: Processor
    entry: int
    stack: int
    auxv: bytes
    identity: Identity  # who its process is then
    secure: bool  # it may not trust its environment, because that is another user's


def read_image(vnode: Mappable) -> Image:
    """Read the headers of an ELF file.  Raises SyscallError(ENOEXEC) if the machine cannot execute it."""
    head = vnode.pread(0, 64)
    if len(head) < 52 or head[:4] != b"\x7fELF" or head[4] not in (1, 2) or head[5] not in (1, 2):
        raise SyscallError(errno.ENOEXEC)
    order = "<" if head[5] == 1 else ">"
    bits = 64 if head[4] == 2 else 32
    if bits == 64 and len(head) < 64:
        raise SyscallError(errno.ENOEXEC)
    shape = order + ("HHIQQQIHHH" if bits == 64 else "HHIIIIIHHH")
    kind, cpu, _version, entry, offset, *_rest, width, count = struct.unpack_from(shape, head, 16)
    layout = LAYOUTS.get(cpu)
    if layout is None:
        raise SyscallError(errno.ENOEXEC, UNKNOWN.get(cpu, f"code of machine {cpu}, which there is none of"))
    if (layout.bits, layout.order) != (bits, order):
        platform = layout.platform.rstrip(b"\0").decode()
        raise SyscallError(errno.ENOEXEC, f"{platform} code of another byte order or width")
    if width != (56 if bits == 64 else 32) or not 0 < count <= MAX_HEADERS or offset > vnode.size:
        raise SyscallError(errno.ENOEXEC)
    table = vnode.pread(offset, width * count)
    if len(table) != width * count:
        raise SyscallError(errno.ENOEXEC)
    segments = []
    for at in range(0, len(table), width):
        if bits == 64:
            p_type, flags, p_offset, address, in_file, in_memory = struct.unpack_from(
                order + "IIQQ8xQQ", table, at)
        else:
            p_type, p_offset, address, in_file, in_memory, flags = struct.unpack_from(
                order + "III4xIII", table, at)
        segments.append(Segment(p_type, flags, p_offset, address, in_file, in_memory))
    return Image(vnode, cpu, bits, kind, entry, offset, width, tuple(segments))


def read_interpreter(vnode: Mappable, machine: int) -> Image:
    """Read the headers of an interpreter for programs of a machine.

    Raises SyscallError: EIO if the file is too short for headers, ELIBBAD if the machine cannot execute it.
    """
    if vnode.size < (52 if LAYOUTS[machine].bits == 32 else 64):
        raise SyscallError(errno.EIO)
    try:
        image = read_image(vnode)
    except SyscallError:
        raise SyscallError(errno.ELIBBAD) from None
    if image.machine != machine:
        raise SyscallError(errno.ELIBBAD)
    return image


def map_image(space: AddressSpace, image: Image, base: int) -> int:
    """Map the loadable segments; returns the distance from their addresses to where they lie.

    `base` is where a position-independent file goes (0: the address space chooses).
    """
    loads = [segment for segment in image.segments if segment.type == PT_LOAD]
    if not loads or not image.runs:
        raise Unmappable
    low = min(segment.address for segment in loads) & ~PAGE_MASK
    high = max(segment.address + segment.memory_size for segment in loads)
    if high > space.limit or any(segment.file_size > segment.memory_size for segment in loads):
        raise Unmappable
    bias = 0
    if image.type == ET_DYN:
        bias = (base or space.free_range((high - low + PAGE_MASK) & ~PAGE_MASK)) - low
    for segment in loads:
        _map_segment(space, image, segment, bias)
    if not space.brk_start:
        space.brk_start = space.brk = (high + bias + PAGE_MASK) & ~PAGE_MASK
    return bias


def _map_segment(space: AddressSpace, image: Image, segment: Segment, bias: int) -> None:
    prot = ((PROT_READ if segment.flags & PF_R else 0) | (PROT_WRITE if segment.flags & PF_W else 0)
            | (PROT_EXEC if segment.flags & PF_X else 0))
    start = segment.address + bias
    first, file_end = start & ~PAGE_MASK, start + segment.file_size
    end = (start + segment.memory_size + PAGE_MASK) & ~PAGE_MASK
    mapped = (file_end + PAGE_MASK) & ~PAGE_MASK if segment.file_size else first
    if segment.file_size:
        if (start - segment.offset) & PAGE_MASK or segment.offset >> 63:
            raise Unmappable
        pages = FilePages.of(space.memory, image.vnode)
        path = image.vnode.path.encode("utf-8", "surrogateescape")
        space.map(Area(first, mapped, prot, False, pages, segment.offset // PAGE, path))
    if end > mapped:
        space.map(Area(mapped, end, prot))
    if segment.memory_size > segment.file_size > 0 and file_end & PAGE_MASK and prot & PROT_WRITE:
        try:
            space.write(file_end, bytes(mapped - file_end))
        except MemoryFault:
            raise Unmappable from None


def script_interpreter(file: Mappable) -> list[bytes] | None:
    """Return the words of a `#!` line: interpreter, at most one argument; None if there is no such line.

    Raises SyscallError(ENOEXEC) if the line is blank, or too long for the interpreter's name.
    """
    head = file.pread(0, SCRIPT_HEAD)
    if not head.startswith(b"#!"):
        return None
    line, ended, _ = head[2:].ljust(SCRIPT_HEAD - 2, b"\0").partition(b"\n")
    found = re.match(rb"[ \t]*([^ \t\0]*)([ \t]*)([^\0]*)", line)
    assert found is not None  # it matches anything
    name, _, argument = found.groups()
    if found.end(1) == len(line) and not (ended and name):
        raise SyscallError(errno.ENOEXEC)
    argument = argument.rstrip(b" \t")
    return [name, argument] if argument else [name]


class Start(Record):
    """What the kernel lays on the initial stack."""

    arguments: list[bytes]
    environment: list[bytes]
    path: bytes
    random: bytes  # 16 bytes
    identity: Identity
    secure: bool
    stack_size: int


def load_program(space: AddressSpace, image: Image, interpreter: Image | None, start: Start,
                 processor: Processor) -> Program:
    """Map a program, its interpreter and its stack.  Raises SyscallError (ENOEXEC, ENOMEM, E2BIG)."""
    layout, who = LAYOUTS[image.machine], start.identity
    space.mmap_top = layout.mmap_top
    bias = map_image(space, image, layout.pie_base)
    entry, base = image.entry + bias, 0
    if interpreter is not None:
        base = map_image(space, interpreter, 0)
        entry = interpreter.entry + base
    if not 0 <= entry < layout.limit:
        raise Unmappable
    executable = any(s.type == PT_GNU_STACK and s.flags & PF_X for s in image.segments)
    prot = PROT_READ | PROT_WRITE | (PROT_EXEC if executable else 0)
    size = min(max(start.stack_size, 32 * PAGE), layout.stack_top // 4)
    space.map(Area(layout.stack_top - size, layout.stack_top, prot, path=b"[stack]", growsdown=True))
    vector = {
        AT_HWCAP: layout.hwcap, AT_PAGESZ: layout.page, AT_CLKTCK: HZ,
        AT_PHDR: _headers_address(image) + bias, AT_PHENT: image.header_size, AT_PHNUM: len(image.segments),
        AT_BASE: base, AT_FLAGS: 0, AT_ENTRY: image.entry + bias,
        AT_UID: who.ruid, AT_EUID: who.euid, AT_GID: who.rgid, AT_EGID: who.egid,
        AT_SECURE: int(start.secure)} | layout.more(space)
    stack, auxv = _build_stack(space, layout, start, vector)
    return Program(space, processor, entry, stack, auxv, who, start.secure)


def _headers_address(image: Image) -> int:
    for segment in image.segments:
        if (segment.type == PT_LOAD and segment.offset <= image.header_offset
                < segment.offset + segment.file_size):
            return segment.address + image.header_offset - segment.offset
    return image.header_offset


def _build_stack(space: AddressSpace, layout: Layout, start: Start,
                 vector: dict[int, int]) -> tuple[int, bytes]:
    """Fill the initial stack, from the top: strings, auxiliary vector, environment, arguments, their count.

    The strings begin in the middle of a room of fixed size, and the stack pointer is at its beginning: so
    both stay where they are if the environment grows, and the program's stack lies on the same pages.

    Returns the stack pointer and the bytes of the auxiliary vector.
    """
    strings = start.arguments + start.environment
    if sum(map(len, strings)) + len(strings) * 9 > min(ARGUMENT_LIMIT, start.stack_size // 4):
        raise SyscallError(errno.E2BIG)
    word = layout.bits // 8
    top = layout.stack_top - word
    block = b"".join(text + b"\0" for text in strings) + start.path + b"\0"
    count = len(start.arguments)
    vectors = 32 + len(layout.platform) + (len(strings) + 3 + 2 * (len(vector) + 4)) * word
    room = STACK_ROOM
    while room // 2 < max(len(block), vectors + 16):
        room *= 2
    roomy = room <= start.stack_size // 4
    at = top - room // 2 if roomy else top - len(block)
    space.write(at, block)
    pointers = []
    position = at
    for text in strings:
        pointers.append(position)
        position += len(text) + 1
    vector[AT_EXECFN] = position
    below = (at - len(layout.platform)) & ~15
    space.write(below, layout.platform)
    random = below - 16
    space.write(random, start.random)
    vector[AT_PLATFORM], vector[AT_RANDOM] = below, random
    pairs = [value % (1 << layout.bits) for pair in vector.items() for value in pair] + [AT_NULL, 0]
    words = [count, *pointers[:count], 0, *pointers[count:], 0, *pairs]
    stack = (top - room if roomy else random - len(words) * word) & ~15
    code = layout.order + "%d" + ("Q" if word == 8 else "I")
    space.write(stack, struct.pack(code % len(words), *words))
    return stack, struct.pack(code % len(pairs), *pairs)
