"""Where the kernel's objects lie: proc_t, kthread_t, file_t and the rest, at addresses of kernel memory.

Each kind of object has a range of addresses, divided into slots.  An object gets its slot when its address is
first asked for.  `runtime.kernel.objects` makes the bytes that a load from there finds.
"""

from __future__ import annotations

from enum import Enum

from dif.records import NamedTuple
from runtime.kernel.memory.kmem import Region

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Any, TypeVar

    T = TypeVar("T")


BASE = 0xFFFFFE8000000000  # where the ranges of the kinds begin, each of RANGE bytes
RANGE = 1 << 32
TEXT_BASE = 0xFFFFFEF000000000  # strings that members point to
TEXT_SIZE = 1 << 20
SLOT = 4096
SLOTS = 1 << 16  # of each kind but lists; the oldest is given out again when all are used
LIST_SLOT, LISTS = 1 << 24, 1 << 13  # of lists of descriptors: each has room for all that a process can have


class Kind(Enum):
    """Kinds of objects: the number of the range, the C structure, the bytes of a slot."""

    THREAD = (0, "kthread_t", SLOT)
    LWP = (1, "klwp_t", SLOT)
    PROCESS = (2, "proc_t", SLOT)
    PID = (3, "struct pid", SLOT)
    CRED = (4, "cred_t", SLOT)
    SESSION = (5, "sess_t", SLOT)
    AS = (6, "as_t", SLOT)
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
    PACKET = (32, "", SLOT)  # no structure: the packet's bytes
    CONN = (33, "conn_t", SLOT)
    TCP = (34, "tcp_t", SLOT)
    UDP = (35, "udp_t", SLOT)
    INTERFACE = (36, "ill_t", SLOT)
    PRIVILEGES = (37, "priv_set_t", SLOT)
    CACHE = (38, "kmem_cache_t", SLOT)
    FILES = (64, "uf_entry_t", LIST_SLOT)  # takes the ranges of 32 numbers

    @property
    def base(self) -> int:
        return BASE + self.value[0] * RANGE

    @property
    def structure(self) -> str:
        return str(self.value[1])

    @property
    def slot(self) -> int:
        return int(self.value[2])

    @property
    def slots(self) -> int:
        return SLOTS if self.slot == SLOT else LISTS


class Placed(NamedTuple):
    """An object of a kind, for tracers that show it by its address."""

    kind: Kind
    held: object


class Placement:
    """The addresses of a kernel's objects, and of the strings that they point to."""

    def __init__(self) -> None:
        self._held: dict[Kind, dict[int, object]] = {kind: {} for kind in Kind}
        self._slots: dict[Kind, dict[int, int]] = {kind: {} for kind in Kind}  # id of object: slot
        self._next: dict[Kind, int] = dict.fromkeys(Kind, 0)
        self._unique: dict[tuple[type, object], Any] = {}
        self._texts: dict[bytes, int] = {}
        self._text_bytes = bytearray(TEXT_SIZE)
        self._text_end = 1  # address TEXT_BASE itself is the empty string
        self.text_region = Region("strings", TEXT_BASE, TEXT_SIZE, self._text_bytes)

    def address(self, kind: Kind, held: object) -> int:
        """Return where an object lies; 0 for None.  The same object always has the same address."""
        if held is None:
            return 0
        slots = self._slots[kind]
        slot = slots.get(id(held))
        if slot is None:
            slot = self._free(kind)
            old = self._held[kind].get(slot)
            if old is not None:
                slots.pop(id(old), None)
            self._held[kind][slot] = held  # keeps it alive, so its id stays its own
            slots[id(held)] = slot
        return kind.base + slot * kind.slot

    def _free(self, kind: Kind) -> int:
        """Return the slot to give out next: the oldest, unless its object is still in use."""
        held, slots = self._held[kind], kind.slots
        for _ in range(slots):
            slot = self._next[kind] % slots
            self._next[kind] += 1
            if slot not in held or not self.in_use(held[slot]):
                break
        return slot

    def in_use(self, held: object) -> bool:
        """Whether an object has to keep its address."""
        return False

    def held(self, kind: Kind, slot: int) -> object:
        return self._held[kind].get(slot)

    def unique(self, value: T) -> T:
        """Return the first object that was equal to `value`, so that equal values have one address."""
        first: T = self._unique.setdefault((type(value), value), value)
        return first

    def text(self, text: bytes) -> int:
        """Return where a NUL-terminated string with these bytes lies."""
        text = text.split(b"\0", 1)[0]
        if not text:
            return TEXT_BASE
        address = self._texts.get(text)
        if address is None:
            if self._text_end + len(text) + 1 > TEXT_SIZE:
                self._texts.clear()
                self._text_end = 1
            address = TEXT_BASE + self._text_end
            self._text_bytes[self._text_end:self._text_end + len(text) + 1] = text + b"\0"
            self._text_end += len(text) + 1
            self._texts[text] = address
        return address
