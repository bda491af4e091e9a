"""Principal and speculation buffers: one of each per CPU, raw records in order.

A record begins with its header (EPID, timestamp) at a multiple of the ECB's
alignment; gaps before it hold EPID 0 words.  All integers are little-endian.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from runtime.framework.base.storage import anonymous

_WORD = struct.Struct("<I")
_NONE = b"\0\0\0\0"  # EPIDNONE
Relief = Callable[[], None]
_ROOM = 16  # times a buffer's size, which costs nothing until used
BUFFERS_MAX = 1 << 30  # bytes; allocation fails if all buffers of one kind together are larger


class Buffer:
    """A switching buffer.  It fills until a snapshot empties it; a record that finds no room is dropped.

    With `relief`, only half of its size is used until that is full.  Then `relief` is called, which has the
    reader come, and there is room for a multiple of the size until then: a speculation may be committed.
    """

    __slots__ = ("_limit", "_relief", "active", "capacity", "cpu", "data", "dropped", "drops", "errors",
                 "offset", "size")

    def __init__(self, cpu: int, size: int, relief: Relief | None = None) -> None:
        self.cpu = cpu
        self.capacity = size if relief is None else size * _ROOM
        self._relief = relief
        self._limit = size if relief is None else size // 2 & ~7
        self.size = self._limit
        self.data = anonymous(self.capacity)
        self.offset = 0
        self.drops = 0
        self.errors = 0
        self.dropped = 0  # drops of contents that are gone (speculation buffers)
        self.active = True

    @property
    def full(self) -> bool:
        """Whether its reader has been called."""
        return self._limit < self.size

    def end_of(self, needed: int, alignment: int) -> int:
        """Where a new record of `needed` bytes ends: behind it is scratch space.  0 if it finds no room."""
        end = self.offset + -self.offset % alignment + needed
        if end <= self._limit:
            return end
        return 0 if self._relief is None else needed

    def reserve(self, needed: int, alignment: int) -> int:
        """The offset of a new record of `needed` bytes, or -1 if there is no room: it is dropped."""
        if not self.active:
            return -1
        offset = self.offset
        while offset % alignment:
            if offset + 4 > self.size:
                break
            self.data[offset:offset + 4] = _NONE
            offset += 4
        if offset + needed > self.size and not self._relieved(offset + needed):
            self.drops += 1
            return -1
        return offset

    def _relieved(self, end: int) -> bool:
        """Call the reader, unless that is done; returns whether there is room up to `end` now."""
        if self._relief is not None and self.size < self.capacity:
            self.size = self.capacity
            self._relief()
        return end <= self.size

    def snapshot(self) -> tuple[bytes, int, int, int]:
        """Empty the buffer; returns data, drops, errors, and the offset of the oldest record."""
        taken = (self.data[:self.offset], self.drops, self.errors, 0)
        self.offset = self.drops = self.errors = 0
        self.size = self._limit
        return taken


class FillBuffer(Buffer):
    """A buffer that takes records until it is full, and none afterwards.

    `reserved` bytes at its end are kept for END clauses; the state sets `cooling` before it runs those.
    One snapshot can be taken, when tracing has stopped.
    """

    __slots__ = ("_filled", "consumed", "cooling", "reserved")

    def __init__(self, cpu: int, size: int, reserved: int) -> None:
        super().__init__(cpu, size)
        self.reserved = reserved
        self._filled = False
        self.cooling = False
        self.consumed = False

    @property
    def full(self) -> bool:
        """Whether a record has found no room."""
        return self._filled

    def end_of(self, needed: int, alignment: int) -> int:
        return 0  # scratch space is a buffer of its own

    def reserve(self, needed: int, alignment: int) -> int:
        if not self.active or (self._filled and not self.cooling):
            return -1
        offset = self.offset
        limit = self.size - (0 if self.cooling else self.reserved)
        while offset % alignment and offset + 4 <= self.size:
            self.data[offset:offset + 4] = _NONE
            offset += 4
        if offset + needed > limit:
            self._filled = True
            return -1
        return offset

    def snapshot(self) -> tuple[bytes, int, int, int]:
        if self.consumed:
            return b"", 0, 0, 0
        self.consumed = True
        return self.data[:self.offset], self.drops, self.errors, 0


class RingBuffer(Buffer):
    """A buffer whose newest records push out the oldest.

    `sizes` tells the size of an EPID's record.  `oldest` is the offset of the
    oldest record once the buffer has wrapped.
    """

    __slots__ = ("consumed", "oldest", "sizes", "wrapped")

    def __init__(self, cpu: int, size: int, sizes: dict[int, int]) -> None:
        super().__init__(cpu, size)
        self.sizes = sizes
        self.oldest = 0
        self.wrapped = False
        self.consumed = False

    def end_of(self, needed: int, alignment: int) -> int:
        return 0

    def reserve(self, needed: int, alignment: int) -> int:
        if not self.active:
            return -1
        offset = self.offset
        pad = -offset % alignment
        if offset + pad + needed > self.size:
            if pad + needed > self.size:
                self.drops += 1
                return -1
            if not self.wrapped or self.oldest >= offset:
                self.oldest = 0
            self.data[offset:self.size] = bytes(self.size - offset)
            self.wrapped = True
            offset = pad = 0
            self._push_out(needed, 0)
        elif self.wrapped and self.oldest >= offset:
            self._push_out(offset + pad + needed, offset)
        if pad:
            self.data[offset:offset + pad] = bytes(pad)
        return offset + pad

    def _push_out(self, end: int, start: int) -> None:
        """Advance `oldest` past every record that a record ending at `end` would overwrite."""
        oldest = self.oldest
        while oldest < end:
            epid = _WORD.unpack_from(self.data, oldest)[0]
            oldest += self.sizes.get(epid, 4) if epid else 4
        if oldest >= self.size:
            if start == 0:  # nothing old is left: begin anew
                self.data[end:self.size] = bytes(self.size - end)
                self.wrapped = False
                self.offset = 0
            oldest = 0
        elif start == 0 and oldest >= self.offset:  # nothing old is left, even if the record is not taken
            self.offset = 0
        self.oldest = oldest

    def snapshot(self) -> tuple[bytes, int, int, int]:
        if self.consumed:
            return b"", 0, 0, 0
        self.consumed = True
        if not self.wrapped:
            return self.data[:self.offset], self.drops, self.errors, 0
        if self.oldest > self.offset:
            self.data[self.offset:self.oldest] = bytes(self.oldest - self.offset)
        elif self.oldest < self.offset:
            self.data[self.offset:self.size] = bytes(self.size - self.offset)
            self.data[:self.oldest] = bytes(self.oldest)
        return self.data[:self.size], self.drops, self.errors, self.oldest
