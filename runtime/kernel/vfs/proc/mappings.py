"""/proc/PID/maps, and smaps and smaps_rollup: what of each mapping is in memory, and who shares it.

Pages are counted by their frames.  One that no other mapping shows is private; what a process has written to
a private mapping is anonymous, and dirty as there is no file behind it.  Sizes are told in kB (proc(5)).
Mappings of processes that the process does not know of do not count, so that no other zone's are told.
"""

from __future__ import annotations

import os
from collections import Counter
from itertools import chain

from runtime.kernel.memory.addrspace import LOCKED, Area
from runtime.kernel.memory.physical import PAGE, FilePages

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.kernel.memory.addrspace import AddressSpace
    from runtime.kernel.vfs.proc.subjects import ShownProcess

_NEVER = ("LazyFree", "AnonHugePages", "ShmemPmdMapped", "FilePmdMapped", "Shared_Hugetlb", "Private_Hugetlb",
          "Swap", "SwapPss")
_COUNTED = ("Rss", "Pss", "Pss_Dirty", "Shared_Clean", "Shared_Dirty", "Private_Clean", "Private_Dirty",
            "Referenced", "Anonymous", *_NEVER, "Locked")
_ROLLED = (*_COUNTED[:3], "Pss_Anon", "Pss_File", "Pss_Shmem", *_COUNTED[3:])
# bits of protection and their names in VmFlags; with m before it, that they may be given
_RIGHTS = ((1, "rd"), (2, "wr"), (4, "ex"))


def _mapping(process: ShownProcess, area: Area) -> bytes:
    """The line of one of a process's mappings."""
    rights = "".join(letter if area.prot & bit else "-" for letter, bit in (("r", 1), ("w", 2), ("x", 4)))
    node = getattr(area.pages, "vnode", None)
    device, inode = (node.attributes.dev, node.attributes.ino) if node is not None else (0, 0)
    offset = area.offset * PAGE if area.path.startswith(b"/") else 0
    path = process.zone.shown(area.path)
    head = (f"{area.start:08x}-{area.end:08x} {rights}{'s' if area.shared else 'p'} {offset:08x} "
            f"{os.major(device):02x}:{os.minor(device):02x} {inode} ")
    return head.encode().ljust(73 if path else 0) + path + b"\n"


def maps(process: ShownProcess) -> bytes:
    return b"".join(_mapping(process, area) for area in process.space.areas) if process.space else b""


def _shown(process: ShownProcess) -> Counter[int]:
    """How many mappings show each frame."""
    spaces = {each.space for each in (*process.known(), process)}
    return Counter(frame for space in spaces if space is not None
                   for _address, frame in space.frames(0, space.limit))


def _counted(space: AddressSpace, area: Area, shown: Counter[int]) -> Counter[str]:
    """The bytes of an area's pages, by what they are."""
    found, pages = Counter[str](), area.pages
    for address, frame in space.frames(area.start, area.end):
        index, mappings = area.index(address), shown[frame]
        anonymous = pages is None or pages.frames.get(index) != frame
        dirty = anonymous or not isinstance(pages, FilePages) or pages.changed(index)
        found["Rss"] += PAGE
        found["Pss"] += PAGE // mappings
        found["Pss_Anon" if anonymous else "Pss_File" if isinstance(pages, FilePages) else "Pss_Shmem"] += \
            PAGE // mappings
        found["Pss_Dirty"] += PAGE // mappings * dirty
        found[f"{'Shared' if mappings > 1 else 'Private'}_{'Dirty' if dirty else 'Clean'}"] += PAGE
        found["Referenced"] += PAGE
        found["Anonymous"] += PAGE * anonymous
        found["Locked"] += PAGE // mappings * bool(area.marks & LOCKED)
    return found


def _lines(found: Counter[str], names: tuple[str, ...]) -> str:
    return "".join(f"{name + ':':<16}{found[name] >> 10:8} kB\n" for name in names)


def _flags(area: Area) -> str:
    """What VmFlags has of an area."""
    may = [f"m{name[0]}" for bit, name in _RIGHTS if not (bit == 2 and area.read_only)]
    return " ".join(chain((name for bit, name in _RIGHTS if area.prot & bit), ("sh",) * area.shared, may,
                          ("ms",) * area.shared, ("gd",) * area.growsdown,
                          ("lo",) * bool(area.marks & LOCKED)))


def smaps(process: ShownProcess) -> bytes:
    space, texts = process.space, []
    if space is None:
        return b""
    shown = _shown(process)
    for area in space.areas:
        size = Counter(Size=area.end - area.start, KernelPageSize=PAGE, MMUPageSize=PAGE)
        texts += [_mapping(process, area),
                  (_lines(size, tuple(size)) + _lines(_counted(space, area, shown), _COUNTED)
                   + f"THPeligible:{0:12}\nVmFlags: {_flags(area)} \n").encode()]
    return b"".join(texts)


def rollup(process: ShownProcess) -> bytes:
    """The sums of all mappings."""
    space = process.space
    if space is None or not space.areas:
        return b""
    shown = _shown(process)
    total = sum((_counted(space, area, shown) for area in space.areas), Counter[str]())
    head = f"{space.areas[0].start:08x}-{space.areas[-1].end:08x} ---p 00000000 00:00 0 "
    return (head.ljust(73) + "[rollup]\n" + _lines(total, _ROLLED)).encode()
