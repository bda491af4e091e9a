"""What a load from the kernel's objects finds: the regions of kernel memory in which they lie.

Nothing is laid out before a load.  A load finds the members that it touches, and takes their values from the
rows in `members` and `variables`.  So a load always finds the present values, and objects that no tracer
reads cost nothing.  `structures` says where members lie in their structures.
"""

from __future__ import annotations

import bisect
from functools import partial

from dif.records import NamedTuple
from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.memory.kmem import Region
from runtime.kernel.memory.placement import Kind, Placement

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from runtime.kernel.process.system import System

    Value = int | bytes
    # A row: returns the value of a member, given the object that the structure shows.
    Member = Callable[["Objects", Any], Value]


class Placed(NamedTuple):
    """A member of a structure: its offset and size in bytes, and its path of names with dots."""

    offset: int
    size: int
    path: str


class Layout(NamedTuple):
    """A structure: its bytes, and its innermost members by ascending offset."""

    size: int
    members: tuple[Placed, ...]


class Variable(NamedTuple):
    """A kernel variable and its C type; one that is an object of a kind has no address of its own."""

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


class Rows(NamedTuple):
    """The tables of values.

    `members` has rows by structure and path.  `arrays` has the kinds whose slots hold arrays: functions that
    return the number of elements, and the object that the nth element shows.  `images` has the kinds that
    are no structures: functions that return the bytes.  `variables` has a row for each variable, and
    `aliases` a function for each variable that is an object: it returns the object's address.
    """

    members: Mapping[str, Mapping[str, Member]]
    arrays: Mapping[Kind, tuple[Callable[[Any], int], Callable[[Any, int], object]]]
    images: Mapping[Kind, Callable[[Any], bytes]]
    variables: Mapping[str, Callable[[Objects, System], Value]]
    aliases: Mapping[str, Callable[[Objects], int]]


def render(layout: Layout, start: int, size: int, value_of: Callable[[str], Value]) -> bytes:
    """Return bytes [start, start + size) of a structure; `value_of` returns the value of a member."""
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
    """The range of one kind of object.  Bytes of a slot behind its object are zero."""

    def __init__(self, objects: Objects, kind: Kind) -> None:
        super().__init__(kind.structure, kind.base, kind.slots * kind.slot, None)
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
        return self._objects.contents(self._kind, held, offset, size)


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


class Objects(Placement):
    """The objects and variables of one kernel.  `rows` loads the tables of their values."""

    def __init__(self, kernel: System, rows: Callable[[], Rows]) -> None:
        super().__init__()
        self.kernel = kernel
        self._load_rows = rows
        self._layout_of: Callable[[str], Layout] | None = None
        self._layouts: dict[str, Layout] = {}
        self._rows = Rows({}, {}, {}, {}, {})
        self._data: _Data | None = None

    def show(self, layout_of: Callable[[str], Layout], variables: list[Variable]) -> None:
        """Put the objects into kernel memory; `layout_of` returns the layout of a structure by its name."""
        self._layout_of, self._rows = layout_of, self._load_rows()
        self._data = _Data(self, variables, self._rows.aliases)
        kmem = self.kernel.kmem
        kmem.add(self._data)
        for kind in Kind:
            kmem.add(_Table(self, kind))
        kmem.add(self.text_region)

    def in_use(self, held: object) -> bool:
        """A process's structures lie where they are while it lives, its list of descriptors among them."""
        from runtime.kernel.process.process import Process  # with much that a compiler does not need

        return isinstance(held, Process) and not held.zombie

    # -- values ---------------------------------------------------------------------------------

    def layout(self, structure: str) -> Layout:
        layout = self._layouts.get(structure)
        if layout is None:
            assert self._layout_of is not None
            layout = self._layouts[structure] = self._layout_of(structure)
        return layout

    def offset(self, structure: str, member: str) -> int:
        """Return the offset of a member, given by its path.  Raises LookupError if there is none."""
        for offset, _size, path in self.layout(structure).members:
            if path == member:
                return offset
        raise LookupError(f"{structure} has no {member}")

    def _member(self, kind: Kind, held: object, path: str) -> Value:
        member = self._rows.members.get(kind.structure, {}).get(path)
        return 0 if member is None else member(self, held)

    def variable(self, name: str) -> Value:
        row = self._rows.variables.get(name)
        return 0 if row is None else row(self, self.kernel)

    def contents(self, kind: Kind, held: object, start: int, size: int) -> bytes:
        """Return `size` bytes from `start` of what shows an object.  Raises MemoryFault beyond its end."""
        image = self._rows.images.get(kind)
        if image is not None:
            data = image(held)[start:start + size]
            if not data:
                raise MemoryFault(self.address(kind, held) + start)
            return data.ljust(size, b"\0")
        if kind in self._rows.arrays:
            return self._array(kind, held, start, size)
        return render(self.layout(kind.structure), start, size, lambda path: self._member(kind, held, path))

    def _array(self, kind: Kind, held: object, start: int, size: int) -> bytes:
        length, element = self._rows.arrays[kind]
        layout = self.layout(kind.structure)
        out = b""
        while len(out) < size:
            number, offset = divmod(start + len(out), layout.size)
            if number >= length(held):
                raise MemoryFault(self.address(kind, held) + start + len(out))
            out += render(layout, offset, min(size - len(out), layout.size - offset),
                          partial(self._member, kind, element(held, number)))
        return out

    # -- names ----------------------------------------------------------------------------------

    def symbol(self, name: str) -> Symbol | None:
        return self._data.symbols.get(name) if self._data else None

    def symbol_at(self, address: int) -> Symbol | None:
        if self._data is None or self._data.base + self._data.size <= address or address < self._data.base:
            return None
        return next((symbol for symbol in self._data.symbols.values()
                     if symbol.address <= address < symbol.address + symbol.size), None)
