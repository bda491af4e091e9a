"""The kernel's objects as its memory shows them: proc_t, kthread_t, file_t and the rest.

Nothing is laid out until somebody loads from it.  Each kind of object has a range of kernel addresses,
divided into slots; an object gets its slot when its address is first asked for.  A load finds the
members it touches and asks the tables of `runtime.kernel.objects.members` for their values, so that what is
read is always what is true, and costs nothing while nobody reads.

How members lie in their structures is told by whoever knows the types (`Layout`).
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from dif.light import Enum, NamedTuple
from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.memory.kmem import Region

if TYPE_CHECKING:
    from runtime.kernel.kernel import Kernel

BASE = 0xFFFFFE8000000000  # ranges of the kinds, each RANGE bytes long
RANGE = 1 << 32
TEXT_BASE = 0xFFFFFEF000000000  # strings that members point to
SLOT = 4096
LIST_SLOT = 1 << 16  # of a list of descriptors
SLOTS = 1 << 16  # of each kind; the oldest is given out again when all are used

Value = int | bytes
Member = Callable[["Objects", Any], Value]


class Kind(Enum):
    """Kinds of objects: number of its range, structure it is laid out by, bytes of a slot."""

    THREAD = (0, "kthread_t", SLOT)
    LWP = (1, "klwp_t", SLOT)
    PROCESS = (2, "proc_t", SLOT)
    PID = (3, "struct pid", SLOT)
    CRED = (4, "cred_t", SLOT)
    SESSION = (5, "sess_t", SLOT)
    AS = (6, "as_t", SLOT)
    FILES = (7, "uf_entry_t", LIST_SLOT)
    FILE = (8, "file_t", SLOT)
    VNODE = (9, "vnode_t", SLOT)
    VFS = (10, "vfs_t", SLOT)
    VNODEOPS = (11, "vnodeops_t", SLOT)
    ZONE = (12, "zone_t", SLOT)
    TASK = (13, "task_t", SLOT)
    PROJECT = (14, "kproject_t", SLOT)
    POOL = (15, "pool_t", SLOT)
    CPU = (16, "cpu_t", SLOT)
    CPUPART = (17, "cpupart_t", SLOT)
    LGROUP = (18, "lpl_t", SLOT)
    DISP = (19, "disp_t", SLOT)
    PHYSID = (20, "cpu_physid_t", SLOT)
    BUFFER = (21, "buf_t", SLOT)
    DEVINFO = (22, "dev_info_t", SLOT)
    SOBJ = (23, "sobj_ops_t", SLOT)
    SIGINFO = (24, "k_siginfo_t", SLOT)
    UIO = (25, "uio_t", SLOT)
    IOVEC = (26, "iovec_t", SLOT)
    VATTR = (27, "vattr_t", SLOT)
    PATHNAME = (28, "struct pathname", SLOT)
    VNODE_CELL = (29, "struct cell", SLOT)
    DEVNAMES = (30, "struct devnames", SLOT)
    MBLK = (31, "mblk_t", SLOT)
    PACKET = (32, "", SLOT)  # its bytes
    CONN = (33, "conn_t", SLOT)
    TCP = (34, "tcp_t", SLOT)
    UDP = (35, "udp_t", SLOT)
    INTERFACE = (36, "ill_t", SLOT)

    @property
    def base(self) -> int:
        return BASE + self.value[0] * RANGE

    @property
    def structure(self) -> str:
        return str(self.value[1])

    @property
    def slot(self) -> int:
        return int(self.value[2])


class Placed(NamedTuple):
    """A member of a structure: offset and size in bytes, dotted path of names."""

    offset: int
    size: int
    path: str


class Layout(NamedTuple):
    """A structure: its size and its members without substructures, by ascending offset."""

    size: int
    members: tuple[Placed, ...]


class Variable(NamedTuple):
    """A kernel variable: `type` as C spells it; an object among others of its kind has no address."""

    name: str
    address: int | None
    size: int
    type: str


class Symbol(NamedTuple):
    """Where a kernel variable lies."""

    name: str
    address: int
    size: int
    type: str


def render(layout: Layout, start: int, size: int, value_of: Callable[[str], Value]) -> bytes:
    """Bytes [start, start + size) of a structure whose members have the values `value_of` answers."""
    out = bytearray(size)
    members = layout.members
    at = max(0, bisect.bisect_right(members, start, key=lambda member: member.offset) - 1)
    while at < len(members) and members[at].offset < start + size:
        offset, width, path = members[at]
        at += 1
        if offset + width <= start:
            continue
        value = value_of(path)
        data = value[:width].ljust(width, b"\0") if isinstance(value, bytes) else \
            (value & (1 << 8 * width) - 1).to_bytes(width, "little")
        low, high = max(offset, start), min(offset + width, start + size)
        out[low - start:high - start] = data[low - offset:high - offset]
    return bytes(out)


class _Table(Region):
    """The range of one kind.  What a slot has beyond its object is zero."""

    def __init__(self, objects: Objects, kind: Kind) -> None:
        super().__init__(kind.structure, kind.base, SLOTS * kind.slot, None)
        self._objects = objects
        self._kind = kind

    @property
    def device(self) -> bool:
        return False

    def read(self, start: int, size: int) -> bytes:
        slot, offset = divmod(start, self._kind.slot)
        held = self._objects.held(self._kind, slot)
        if held is None:
            raise MemoryFault(self.base + start)
        if self._kind is Kind.PACKET:
            data = held.image()[offset:offset + size]
            return data.ljust(size, b"\0") if data else _fault(self.base + start)
        if self._kind in ARRAYS:
            return self._objects.array(self._kind, held, offset, size)
        layout = self._objects.layout(self._kind.structure)
        return render(layout, offset, size, lambda path: self._objects.member(self._kind, held, path))


def _fault(address: int) -> bytes:
    raise MemoryFault(address)


class _Data(Region):
    """The kernel's variables."""

    def __init__(self, objects: Objects, variables: list[Variable],
                 aliases: Mapping[str, Callable[[Objects], int]]) -> None:
        self._objects = objects
        self.symbols: dict[str, Symbol] = {}
        placed = []
        base = end = variables[0].address or 0
        for name, address, size, type_ in variables:
            if address is None:
                self.symbols[name] = Symbol(name, aliases[name](objects), size, type_)
                continue
            self.symbols[name] = Symbol(name, address, size, type_)
            placed.append(Placed(address - base, size, name))
            end = address + size
        self._layout = Layout(end - base, tuple(placed))
        super().__init__("data", base, end - base, None)

    @property
    def device(self) -> bool:
        return False

    def read(self, start: int, size: int) -> bytes:
        if start + size > self.size:
            raise MemoryFault(self.base + self.size)
        return render(self._layout, start, size, self._objects.variable)


class Objects:
    """One per kernel.  `members` are the tables of runtime.kernel.objects.members, by structure."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self._held: dict[Kind, dict[int, Any]] = {kind: {} for kind in Kind}
        self._slots: dict[Kind, dict[int, int]] = {kind: {} for kind in Kind}  # id of object: slot
        self._next: dict[Kind, int] = dict.fromkeys(Kind, 0)
        self._layout_of: Callable[[str], Layout] | None = None
        self._layouts: dict[str, Layout] = {}
        self._members: Mapping[str, Mapping[str, Member]] = {}
        self._variables: Mapping[str, Member] = {}
        self._unique: dict[tuple[Any, ...], tuple[Any, ...]] = {}
        self._texts: dict[bytes, int] = {}
        self._text_region = Region("strings", TEXT_BASE, 1 << 20, bytearray(1 << 20))
        self._text_end = 1  # address TEXT_BASE itself is the empty string
        self._data: _Data | None = None

    def show(self, layout_of: Callable[[str], Layout], variables: list[Variable]) -> None:
        """Put the objects into kernel memory, laid out as `layout_of` says of a structure's name."""
        from runtime.kernel.objects.members import MEMBERS
        from runtime.kernel.objects.variables import ALIASES, VARIABLES

        self._layout_of = layout_of
        self._members, self._variables = MEMBERS, VARIABLES
        self._data = _Data(self, variables, ALIASES)
        kmem = self.kernel.kmem
        kmem.add(self._data)
        for kind in Kind:
            kmem.add(_Table(self, kind))
        kmem.add(self._text_region)

    # -- addresses ------------------------------------------------------------------------------

    def address(self, kind: Kind, held: Any) -> int:
        """Where an object lies; 0 for none.  The same object always has the same address."""
        if held is None:
            return 0
        slots = self._slots[kind]
        slot = slots.get(id(held))
        if slot is None:
            slot = self._next[kind] % SLOTS
            self._next[kind] += 1
            old = self._held[kind].get(slot)
            if old is not None:
                slots.pop(id(old), None)
            self._held[kind][slot] = held  # keeps it alive, so its id stays its own
            slots[id(held)] = slot
        return kind.base + slot * kind.slot

    def held(self, kind: Kind, slot: int) -> Any:
        return self._held[kind].get(slot)

    def unique(self, *key: Any) -> tuple[Any, ...]:
        """One object for each key: what stands for something that the kernel keeps as a mere value."""
        return self._unique.setdefault(key, key)

    def text(self, text: bytes) -> int:
        """Where a NUL-terminated string lies."""
        text = text.split(b"\0", 1)[0]
        if not text:
            return TEXT_BASE
        address = self._texts.get(text)
        if address is None:
            data = self._text_region.data
            assert data is not None
            if self._text_end + len(text) + 1 > len(data):
                self._texts.clear()
                self._text_end = 1
            address = TEXT_BASE + self._text_end
            data[self._text_end:self._text_end + len(text) + 1] = text + b"\0"
            self._text_end += len(text) + 1
            self._texts[text] = address
        return address

    # -- values ---------------------------------------------------------------------------------

    def layout(self, structure: str) -> Layout:
        layout = self._layouts.get(structure)
        if layout is None:
            assert self._layout_of is not None
            layout = self._layouts[structure] = self._layout_of(structure)
        return layout

    def offset(self, structure: str, member: str) -> int:
        """Where a member, a dotted path of names, begins.  Raises LookupError for one that is not there."""
        for offset, _size, path in self.layout(structure).members:
            if path == member:
                return offset
        raise LookupError(f"{structure} has no {member}")

    def member(self, kind: Kind, held: Any, path: str) -> Value:
        member = self._members.get(kind.structure, {}).get(path)
        return 0 if member is None else member(self, held)

    def variable(self, name: str) -> Value:
        value = self._variables.get(name)
        return 0 if value is None else value(self, self.kernel)

    def array(self, kind: Kind, held: Any, start: int, size: int) -> bytes:
        """Part of an array of structures."""
        length, element = ARRAYS[kind]
        layout = self.layout(kind.structure)
        out = b""
        while len(out) < size:
            number, offset = divmod(start + len(out), layout.size)
            if number >= length(held):
                raise MemoryFault(self.address(kind, held) + start + len(out))
            each = element(held, number)
            out += render(layout, offset, min(size - len(out), layout.size - offset),
                          lambda path, each=each: self.member(kind, each, path))  # type: ignore[misc]
        return out

    # -- names ----------------------------------------------------------------------------------

    def symbol(self, name: str) -> Symbol | None:
        return self._data.symbols.get(name) if self._data else None

    def symbol_at(self, address: int) -> Symbol | None:
        if self._data is None or self._data.base + self._data.size <= address or address < self._data.base:
            return None
        return next((symbol for symbol in self._data.symbols.values()
                     if symbol.address <= address < symbol.address + symbol.size), None)


def list_length(process: Any) -> int:
    """fi_nfiles: one past the highest descriptor, rounded up as the kernel grows its lists."""
    highest = max(process.files, default=-1) if process.files is not None else -1
    return max(32, 1 << (highest + 1).bit_length()) if highest >= 0 else 32


# Kinds whose slots hold arrays: how many elements there are, and what the nth of them shows.
ARRAYS: Mapping[Kind, tuple[Callable[[Any], int], Callable[[Any, int], Any]]] = {
    Kind.FILES: (lambda process: list_length(process) if process.files is not None else 0,
                 lambda process, number: (process, number)),
    Kind.IOVEC: (lambda uio: len(uio.segments), lambda uio, number: uio.segments[number]),
    Kind.DEVNAMES: (lambda drivers: max(drivers) + 1, lambda _drivers, major: major),
}
