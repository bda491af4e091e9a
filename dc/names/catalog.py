"""What the compiler asks of the system it compiles for: probes, their arguments, symbols, types.

The runtime's consumer answers from the kernel (over /dev/dtrace).  A
`StaticCatalog` answers without one, as libdtrace does when it is opened with
no device: any probe description is accepted, the stable providers' arguments
are known from the manual, and variables are those that the header of the types declares.
In front of either a compiler puts what its programs say of providers: `SessionCatalog`.
"""

from __future__ import annotations

from collections.abc import Sequence

from dc.names.scopes import Scope
from dc.names.types import Model, Type
from dif.light import NamedTuple, Protocol
from dof.model import Attributes, ProbeDesc

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dc.names.declarations import Declarations
    from dc.names.providers import Providers, Translates
    from dc.source.tree import ProviderDeclaration

ProviderAttributes = tuple[Attributes, Attributes, Attributes, Attributes, Attributes]
PROVIDER_PARTS = ("provider", "module", "function", "name", "args")  # which they are, in this order

UNREACHABLE = -1
UNPLACED = -1  # the address of a symbol of a kernel that is somewhere else


def changed(attributes: ProviderAttributes, part: str, new: Attributes) -> ProviderAttributes:
    """A provider's stability with one of PROVIDER_PARTS another."""
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


class Argument(NamedTuple):
    """args[n] of a probe: its native type, the type it is translated to ("" for none).

    `mapping` is which native argument it is taken from; UNREACHABLE where D
    cannot read it.  A type is given itself or by name.
    """

    native: str | Type
    xlate: str = ""
    mapping: int = 0


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
        """The probes a description (globs, or a number in `id`) names; none if there are none."""

    def arguments(self, probe: ProbeInfo) -> Sequence[Argument] | None:
        """The types of args[]; None when the provider does not say."""

    def provider_attributes(self, provider: str) -> ProviderAttributes | None:
        """Stability of provider, module, function, name, args; None for an unknown provider."""

    def symbol(self, module: str | None, name: str) -> Symbol | None:
        """A kernel symbol, in `module` or in any."""

    def has_module(self, name: str) -> bool:
        """Whether a kernel module of that name is loaded and has types."""

    def mistake(self, description: ProbeDesc) -> tuple[str, str] | None:
        """Why a description names no probe, as a diagnostic's tag and text; None: nobody knows."""

    def implements(self, provider: str) -> bool:
        """Whether a kernel has a provider of that name, of which it knows every probe."""


class StaticCatalog:
    """No kernel: the types of `types`, every probe, the stable providers' arguments.

    `header` is the emulated kernel's, which says where its variables lie; without it those that `types`
    declares have types only.
    """

    def __init__(self, types: Scope | None = None, model: Model = Model.LP64, header: str = "") -> None:
        self.types = types or Scope.intrinsic(model)
        self._header = header
        self._symbols: dict[str, Symbol] | None = None

    def probes(self, description: ProbeDesc) -> Sequence[ProbeInfo]:
        """Just what was asked for, globs and all."""
        return [ProbeInfo(description.id, *description[:4])]

    def arguments(self, probe: ProbeInfo) -> Sequence[Argument] | None:
        from dc.names.stable import arguments

        return arguments(probe.provider, probe.name)

    def provider_attributes(self, provider: str) -> ProviderAttributes | None:
        from dc.names.stable import ATTRIBUTES

        return ATTRIBUTES.get(provider)

    def symbol(self, module: str | None, name: str) -> Symbol | None:
        scope = self.types if module is None else self.types.module(module)
        type_ = scope.variable(name) if scope is not None else None
        if type_ is None:
            return None
        from dc.names.kernelvariables import MODULE, placed

        if self._symbols is None:
            self._symbols = {each.name: each for each in placed(self.types, self._header)}
        return self._symbols.get(name) or Symbol(name, MODULE, UNPLACED, type_.size, str(type_))

    def has_module(self, name: str) -> bool:
        return self.types.module(name) is not None

    def mistake(self, description: ProbeDesc) -> tuple[str, str] | None:
        return None

    def implements(self, provider: str) -> bool:
        return False


class SessionCatalog:
    """A catalog with what programs and libraries declare: their own providers, and pragmas about any."""

    def __init__(self, system: Catalog) -> None:
        self.types = system.types
        self.symbol, self.has_module = system.symbol, system.has_module
        self.mistake, self.implements = system.mistake, system.implements
        self._system = system
        self._providers: Providers | None = None  # made when the first is declared
        self._stabilities: dict[str, ProviderAttributes] = {}  # by pragma

    def declare(self, node: ProviderDeclaration, declarations: Declarations, translates: Translates) -> None:
        """Take a provider declaration.  Raises CompileError."""
        if self._providers is None:
            from dc.names.providers import Providers

            self._providers = Providers(self._system)
        self._providers.declare(node, declarations, translates)

    def set_attributes(self, provider: str, part: str, attributes: Attributes) -> bool:
        """Set the stability of one of PROVIDER_PARTS; False where there is no such provider."""
        known = self.provider_attributes(provider)
        if known is not None:
            self._stabilities[provider] = changed(known, part, attributes)
        return known is not None

    def probes(self, description: ProbeDesc) -> Sequence[ProbeInfo]:
        """Those that are only declared have no number."""
        found = self._system.probes(description)
        if self._providers is None or description.id or (found and not found[0].id):
            return found
        return [*self._providers.matching(description), *found]

    def arguments(self, probe: ProbeInfo) -> Sequence[Argument] | None:
        declared = self._providers.arguments(probe.provider, probe.name) \
            if self._providers is not None and not probe.id else None
        return self._system.arguments(probe) if declared is None else declared

    def provider_attributes(self, provider: str) -> ProviderAttributes | None:
        known = self._stabilities.get(provider)
        if known is None and self._providers is not None and provider in self._providers.definitions:
            known = self._providers.definitions[provider].attributes
        return self._system.provider_attributes(provider) if known is None else known
