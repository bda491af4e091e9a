"""Providers that make all their probes when a description first may mean one of them."""

from __future__ import annotations

from dof.globs import matcher
from dof.model import ProbeDesc
from runtime.framework.probes.registry import AttributeSet, Operations, Provider

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.framework.probes.privileges import Credentials


class OnDemand(Operations):
    """The operations of such a provider."""

    provider: Provider

    def __init__(self) -> None:
        self._made = False

    def serve(self, provider: Provider, attributes: AttributeSet) -> None:
        """Be the operations of a provider that has been registered."""
        self.provider = provider
        provider.operations, provider.attributes = self, attributes

    def provide(self, desc: ProbeDesc, who: Credentials | None = None) -> None:
        test = matcher(desc.provider)
        if not self._made and (test is None or test(self.provider.name)):
            self._made = True
            self.make()

    def make(self) -> None:
        """Create the probes."""
        raise NotImplementedError
