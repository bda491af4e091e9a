"""Probes as -l lists them, and the reports of -v: stability and argument types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from dc.names.catalog import Argument, Catalog, ProbeInfo, ProviderAttributes
from dc.stability import CLASSES, HIGHEST, STABILITIES
from dof.model import Attributes
from runtime.consumer.events.names import printable

HEADING = f"{'ID':>5} {'PROVIDER':>10} {'MODULE':>17} {'FUNCTION':>33} NAME\n"


def line(probe: ProbeInfo) -> str:
    provider, module, function, name = map(printable, probe[1:5])
    return f"{probe.id:5} {provider:>10} {module:>17} {function:>33} {name}\n"


def _attributes(title: str, attributes: Attributes) -> str:
    return (f"\n\t{title}\n"
            f"\t\tIdentifier Names: {STABILITIES[attributes.name]}\n"
            f"\t\tData Semantics:   {STABILITIES[attributes.data]}\n"
            f"\t\tDependency Class: {CLASSES[attributes.klass]}\n")


def _least(attributes: Iterable[Attributes]) -> Attributes:
    """The lowest stability of each sort, which is all that the whole can promise."""
    rows = [*attributes, HIGHEST]
    return Attributes(min(a.name for a in rows), min(a.data for a in rows), min(a.klass for a in rows))


def probe_report(probe: ProbeInfo, provider: ProviderAttributes | None,
                 arguments: Sequence[Argument] | None) -> str:
    """The stability of a probe's description and arguments, and the types of args[]."""
    out = ""
    if provider is not None:
        parts = provider[1:4]
        named = [part for part, text in zip(parts, (probe.module, probe.function, probe.name), strict=True)
                 if text]
        out += _attributes("Probe Description Attributes", _least([provider[0], *named]))
        out += _attributes("Argument Attributes", provider[4])
    out += "\n\tArgument Types\n"
    for index, argument in enumerate(arguments or ()):
        out += f"\t\targs[{index}]: {printable(str(argument.xlate or argument.native or '(unknown)'))}\n"
    return out + ("" if arguments else "\t\tNone\n") + "\n"


def program_report(what: str, name: str, descriptions: Iterable[Attributes],
                   statements: Iterable[Attributes]) -> str:
    """The least stability of a program's probe descriptions and of its statements."""
    return (f"\nStability attributes for {what} {name}:\n"
            + _attributes("Minimum Probe Description Attributes", _least(descriptions))
            + _attributes("Minimum Statement Attributes", _least(statements)))


def list_probes(probes: Iterable[ProbeInfo], catalog: Catalog, write: Callable[[str], None],
                verbose: bool, instance: Callable[[int], str] = lambda _number: "") -> None:
    """One line a probe; with `verbose` a report below it.

    `instance` returns what stands in front of a line: whose probe it is, where there are several instances.
    """
    for probe in probes:
        write(instance(probe.id) + line(probe))
        if verbose:
            write(probe_report(probe, catalog.provider_attributes(probe.provider), catalog.arguments(probe)))
