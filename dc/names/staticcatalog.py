"""The catalog where no kernel runs, as libdtrace has it when it is opened with no device.

It accepts any probe description, knows the stable providers' arguments from the manual, and those of a
machine's probes from the machine, and has the variables that the header of the types declares.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dc.names.catalog import UNPLACED, Argument, Catalog, ProbeInfo, ProviderAttributes, Symbol
from dc.types.scopes import Scope
from dc.types.types import Model
from dof.model import ProbeDesc


class StaticCatalog:
    """A catalog without a kernel; `types` are the kernel's (by default C's own).

    `header` is the text of the emulated kernel's header, which says where its variables lie.  Without
    it the variables that `types` declares have types, but no addresses.  `machine` returns the catalog of a
    machine, whose probes have the arguments that it says, unless the manual says them; it is called when a
    program asks for such an argument.
    """

    def __init__(self, types: Scope | None = None, model: int = Model.LP64, header: str = "",
                 machine: Callable[[], Catalog | None] = lambda: None) -> None:
        self.types = types or Scope.intrinsic(model)
        self._header = header
        self._load_machine = machine
        self._loaded: list[Catalog | None] = []
        self._symbols: dict[str, Symbol] | None = None

    def probes(self, description: ProbeDesc) -> Sequence[ProbeInfo]:
        """The description itself as the only probe, even if it has globs."""
        return [ProbeInfo(description.id, *description[:4])]

    def identified(self, probe: ProbeInfo) -> ProbeInfo | None:
        from dc.names.stableproviders import arguments

        machine = self._machine() if arguments(probe.provider, probe.name) is None else None
        found = machine.probes(ProbeDesc(*probe[1:])) if machine is not None else ()
        return probe if not found else found[0] if len(found) == 1 else None

    def arguments(self, probe: ProbeInfo) -> Sequence[Argument] | None:
        from dc.names.stableproviders import arguments

        if not probe.id:
            return arguments(probe.provider, probe.name)
        machine = self._machine()
        return machine.arguments(probe) if machine is not None else None

    def _machine(self) -> Catalog | None:
        if not self._loaded:
            self._loaded.append(self._load_machine())
        return self._loaded[0]

    def provider_attributes(self, provider: str) -> ProviderAttributes | None:
        from dc.names.stableproviders import ATTRIBUTES

        return ATTRIBUTES.get(provider)

    def symbol(self, module: str | None, name: str) -> Symbol | None:
        scope = self.types if module is None else self.types.module(module)
        type_ = scope.variable(name) if scope is not None else None
        if type_ is None:
            return None
        from dc.names.kernelheader import MODULE, placed

        if self._symbols is None:
            self._symbols = {each.name: each for each in placed(self.types, self._header)}
        return self._symbols.get(name) or Symbol(name, MODULE, UNPLACED, type_.size, str(type_))

    def has_module(self, name: str) -> bool:
        return self.types.module(name) is not None

    def mistake(self, description: ProbeDesc) -> tuple[str, str] | None:
        return None

    def implements(self, provider: str) -> bool:
        return False
