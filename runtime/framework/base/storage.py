"""Bytes that the framework keeps: buffers, variables, scratch space."""

from __future__ import annotations

import mmap

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object


class Storage(Protocol):
    """A bytearray or an anonymous mapping."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: slice) -> bytes | bytearray: ...
    def __setitem__(self, index: slice, value: bytes) -> None: ...
    def find(self, needle: bytes, start: int, end: int) -> int: ...


def anonymous(size: int) -> mmap.mmap:
    """`size` zero bytes that cost nothing until touched.  Raises MemoryError."""
    try:
        return mmap.mmap(-1, max(size, 8))
    except (OSError, OverflowError):  # more than the host gives, or than there are addresses
        raise MemoryError from None
