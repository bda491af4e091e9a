"""The compiler's view of a machine: what it asks, answered over the device."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dc.names.catalog import Argument, ProbeInfo, ProviderAttributes, Symbol
from dc.types.scopes import Scope
from dc.types.types import Type
from dof.model import Attributes, ProbeDesc
from runtime.border import ArgDesc, BorderError, ProbeDescription
from runtime.consumer.events.descriptions import Descriptions

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.consumer.events.answers import Answers
    from runtime.consumer.system import KernelNames

_MAX_ARGUMENTS = 32


class DeviceCatalog:
    """A dc.names.catalog.Catalog.

    `types` are the kernel's types, and `symbols` finds its symbols.  What no kernel can tell comes from
    the programs: `user_arguments` returns the arguments of a function of theirs, `user_type` a type that
    a probe of theirs names.  With `no_target`, the probes of process 0 (pid$target where there is no such
    process, in a program that is only compiled) are taken to be what their descriptions say.
    """

    def __init__(self, answers: Answers, descriptions: Descriptions, types: Scope,
                 symbols: KernelNames | None = None,
                 mistake: Callable[[ProbeDesc], tuple[str, str] | None] = lambda description: None,
                 user_arguments: Callable[[ProbeInfo], Sequence[Argument] | None] = lambda probe: None,
                 user_type: Callable[[ProbeInfo, str], Type | None] = lambda probe, name: None,
                 no_target: bool = False) -> None:
        self._answers = answers
        self._descriptions = descriptions
        self._symbols = symbols
        self._mistake = mistake
        self._user_arguments = user_arguments
        self._user_type = user_type
        self._no_target = no_target
        self._providers: dict[str, ProviderAttributes | None] = {}
        self._arguments: dict[int, Sequence[Argument] | None] = {}
        self.types = types

    def probes(self, description: ProbeDesc) -> Sequence[ProbeInfo]:
        if description.id:
            probe = self._descriptions.probe(description.id)
            return [ProbeInfo(*probe)] if probe.name else []
        wanted = ProbeDescription(0, *description[:4])
        found = self._descriptions.matching(wanted, description.instance).of(ProbeInfo)
        if not found and self._no_target and _is_of_process_0(description.provider):
            return [ProbeInfo(0, *description[:4])]
        return found

    def identified(self, probe: ProbeInfo) -> ProbeInfo | None:
        return probe

    def arguments(self, probe: ProbeInfo) -> Sequence[Argument] | None:
        if probe.id not in self._arguments:
            self._arguments[probe.id] = self._ask_arguments(probe) or self._user_arguments(probe)
        return self._arguments[probe.id]

    def _ask_arguments(self, probe: ProbeInfo) -> Sequence[Argument] | None:
        found = []
        for index in range(_MAX_ARGUMENTS):
            try:
                answer = self._answers.argument(probe.id, index)
            except BorderError:
                break
            if answer is None:
                break
            found.append(self._argument(probe, answer))
        return found or None

    def _argument(self, probe: ProbeInfo, answer: ArgDesc) -> Argument:
        """What the kernel has no type for may be a type of the program's."""
        known = self.types.lookup(answer.native)
        if answer.xlate in ("", answer.native) and (known is None or known.is_of_program()):
            type_ = self._user_type(probe, answer.native)
            if type_ is not None:
                return Argument(type_, "", answer.mapping)
        return Argument(answer.native, answer.xlate, answer.mapping)

    def provider_attributes(self, provider: str) -> ProviderAttributes | None:
        if provider not in self._providers:
            self._providers[provider] = self._ask_provider(provider)
        return self._providers[provider]

    def _ask_provider(self, name: str) -> ProviderAttributes | None:
        try:
            answer = self._answers.provider(name)
        except BorderError:
            return None
        a, b, c, d, e = (Attributes(*triple) for triple in answer.attributes)
        return a, b, c, d, e

    def symbol(self, module: str | None, name: str) -> Symbol | None:
        return self._symbols.named(module, name) if self._symbols else None

    def has_module(self, name: str) -> bool:
        return self.types.module(name) is not None

    def implements(self, provider: str) -> bool:
        return self.provider_attributes(provider) is not None

    def mistake(self, description: ProbeDesc) -> tuple[str, str] | None:
        return self._mistake(description)


def _is_of_process_0(provider: str) -> bool:
    """Whether a provider's name has the number 0 behind it, as pid0 and myserv0."""
    stem = provider.removesuffix("0")
    return stem not in ("", provider) and not stem[-1].isdigit()
