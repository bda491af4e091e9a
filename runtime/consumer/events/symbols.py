"""Addresses to names, for kernel and processes: what the text renderers ask, and how they write it."""

from __future__ import annotations

from dif.records import NamedTuple
from runtime.consumer.events.names import printable

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol


class Symbol(NamedTuple):
    """A symbol that covers an address: `object` is a module's name or a file's base name."""

    object: str
    name: str
    value: int
    size: int = 0


class Mapped(NamedTuple):
    """The module or mapping that holds an address.  `start` is its lowest address."""

    object: str
    start: int
    writable: bool = False


if TYPE_CHECKING:
    class Symbols(Protocol):
        """Symbol look-up.  Every method returns None for an address that it does not know."""

        def kernel(self, address: int) -> Symbol | None: ...

        def kernel_module(self, address: int) -> Mapped | None: ...

        def user(self, pid: int, address: int) -> Symbol | None: ...

        def user_mapping(self, pid: int, address: int) -> Mapped | None: ...


class NoSymbols:
    """Symbols of a machine that has none: every address is written in hexadecimal."""

    def kernel(self, address: int) -> Symbol | None:
        return None

    def kernel_module(self, address: int) -> Mapped | None:
        return None

    def user(self, pid: int, address: int) -> Symbol | None:
        return None

    def user_mapping(self, pid: int, address: int) -> Mapped | None:
        return None


def spell(symbol: Symbol | None, mapped: Mapped | None, address: int, offset: bool) -> str:
    """An address by its symbol, or else by its mapping, or else as a number."""
    if symbol is not None:
        name = printable(f"{symbol.object}`{symbol.name}")
        return f"{name}+{address - symbol.value:#x}" if offset and address > symbol.value else name
    return f"{printable(mapped.object)}`{address:#x}" if mapped is not None else f"{address:#x}"


def kernel_address(symbols: Symbols, address: int, offset: bool = True) -> str:
    """``module`function+0x1c``, ``module`0xaddress``, or ``0xaddress``."""
    symbol = symbols.kernel(address)
    return spell(symbol, None if symbol else symbols.kernel_module(address), address, offset)


def user_address(symbols: Symbols, pid: int, address: int, offset: bool = True) -> str:
    """As `kernel_address`, in process `pid`; pid 0 means that no process is known."""
    if not pid:
        return f"{address:#x}"
    symbol = symbols.user(pid, address)
    return spell(symbol, None if symbol else symbols.user_mapping(pid, address), address, offset)


def kernel_module_name(symbols: Symbols, address: int) -> str:
    mapped = symbols.kernel_module(address)
    return printable(mapped.object) if mapped else f"{address:#x}"


def user_module_name(symbols: Symbols, pid: int, address: int) -> str:
    mapped = symbols.user_mapping(pid, address) if pid else None
    return printable(mapped.object) if mapped else f"{address:#x}"
