"""The catalog of one compiler: what its programs and libraries declare, in front of the system's."""

from __future__ import annotations

from collections.abc import Sequence

from dc.names.catalog import Argument, Catalog, ProbeInfo, ProviderAttributes, changed
from dof.model import Attributes, ProbeDesc

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dc.names.providers import Providers, Translates
    from dc.source.tree import ProviderDeclaration
    from dc.types.declarations import Declarations


class SessionCatalog:
    """A catalog with the providers that programs declare, and the stability that pragmas set."""

    def __init__(self, system: Catalog) -> None:
        self.types = system.types
        self.symbol, self.has_module = system.symbol, system.has_module
        self.mistake, self.implements = system.mistake, system.implements
        self.identified = system.identified
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
        """As Catalog.probes; a probe that is only declared has no number."""
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
