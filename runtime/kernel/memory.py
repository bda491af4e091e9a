"""Placeholder until the next commit: the exception every memory of the machine raises."""

from __future__ import annotations


class MemoryFault(Exception):
    """An address that cannot be loaded from or stored to; `address` is the first bad byte."""

    def __init__(self, address: int) -> None:
        super().__init__(f"bad address {address:#x}")
        self.address = address


class FilePages:
    """The physical pages of one mapped file."""

    def sync(self) -> None:
        """Write what shared mappings changed back to the file; call before reading it."""

    def update(self, offset: int, data: bytes) -> None:
        """The file has been written: let the mappings see it."""

    def truncate(self, size: int) -> None:
        """The file has been cut to `size` bytes."""
