"""Catalogs: what the compiler asks of the traced system: probes, their arguments, symbols, types.

There are three.  The runtime's consumer has one that asks the kernel (over /dev/dtrace);
staticcatalog.py has one for where no kernel runs; the one of sessioncatalog.py stands in front of
either, and has what programs declare of providers.
"""

from __future__ import annotations

from collections.abc import Sequence

from dc.types.scopes import Scope
from dc.types.types import Type
from dif.records import NamedTuple
from dof.model import Attributes, ProbeDesc

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object

ProviderAttributes = tuple[Attributes, Attributes, Attributes, Attributes, Attributes]
PROVIDER_PARTS = ("provider", "module", "function", "name", "args")  # which they are, in this order

UNREACHABLE = -1
UNPLACED = -1  # the address of a symbol whose place is unknown here


def changed(attributes: ProviderAttributes, part: str, new: Attributes) -> ProviderAttributes:
    """The stability of a provider, with `new` for one of PROVIDER_PARTS."""
    a, b, c, d, e = (new if each == part else old
                     for each, old in zip(PROVIDER_PARTS, attributes, strict=True))
    return a, b, c, d, e


class ProbeInfo(NamedTuple):
    """A probe that exists; `id` is the kernel's number for it (0 when there is no kernel)."""

    id: int
    provider: str
    module: str
    function: str
    name: str


class Part(NamedTuple):
    """`size` bytes of a structure, `offset` bytes from its start, which native argument `number` is."""

    offset: int
    size: int
    number: int


class Argument(NamedTuple):
    """args[n] of a probe: its native type, and the type that D translates it to ("" for none).

    `mapping` is the number of the native argument that it is taken from, or UNREACHABLE if D cannot read it.
    With `pointed` that is the address of the value in the program.  A structure may be in several native
    arguments: its `parts`.  A type is given as itself or as its name.
    """

    native: str | Type
    xlate: str = ""
    mapping: int = 0
    pointed: bool = False
    parts: tuple[Part, ...] = ()


class Symbol(NamedTuple):
    """A kernel symbol: `address` may be UNPLACED, `type` is its C type or the name of it ("" if unknown)."""

    name: str
    module: str
    address: int
    size: int
    type: Type | str = ""


class Catalog(Protocol):
    """The system as the compiler sees it."""

    types: Scope  # the kernel's, with its modules

    def probes(self, description: ProbeDesc) -> Sequence[ProbeInfo]:
        """The probes that a description (globs, or a number in `id`) matches, perhaps none."""

    def identified(self, probe: ProbeInfo) -> ProbeInfo | None:
        """The probe whose arguments args[] are; None where `probe` is a description that matches several."""

    def arguments(self, probe: ProbeInfo) -> Sequence[Argument] | None:
        """The types of args[]; None if the provider does not tell them."""

    def provider_attributes(self, provider: str) -> ProviderAttributes | None:
        """Stability of provider, module, function, name, args; None for an unknown provider."""

    def symbol(self, module: str | None, name: str) -> Symbol | None:
        """A kernel symbol, in `module` or, for None, in any; None if there is none of that name."""

    def has_module(self, name: str) -> bool:
        """Whether a kernel module of that name is loaded and has types."""

    def mistake(self, description: ProbeDesc) -> tuple[str, str] | None:
        """Why a description names no probe, as a diagnostic's tag and text; None if that is unknown."""

    def implements(self, provider: str) -> bool:
        """Whether a kernel has a provider of that name, of which it knows every probe."""
