"""The name that a message may suggest: the known one nearest to a name that is unknown.

Imported only for an error.
"""

from __future__ import annotations

from dc.diagnostics import did_you_mean
from dc.names.catalog import Catalog
from dc.names.identifiers import Names
from dc.types.scopes import Scope
from dc.types.similartypes import words_of
from dif.limits import NANOSECONDS
from dof.model import ProbeDesc


def similar_value(names: Names, scope: Scope, name: str) -> tuple[str, ...]:
    """The variable, function, inline or enumerator nearest to `name`."""
    return did_you_mean(name, {*names.known(), *words_of(scope)},
                        lambda word: names.find(word) is not None or scope.enumerator(word) is not None)


def similar_symbol(catalog: Catalog, module: str | None, name: str) -> tuple[str, ...]:
    """The kernel's symbol nearest to `name`."""
    return did_you_mean(name, words_of(catalog.types), lambda word: catalog.symbol(module, word) is not None)


def _unknown_unit(name: str) -> str:
    """What stands behind the number of a name such as tick-5x, if it is no unit; else an empty string."""
    kind, _, rate = name.partition("-")
    unit = rate.lstrip("0123456789")
    known = not unit or unit == rate or unit == "hz" or unit in NANOSECONDS
    return "" if kind not in ("tick", "profile") or known else unit


def similar_probe(catalog: Catalog, description: ProbeDesc) -> tuple[str, ...]:
    """For a description that matches no probe: one that differs from it a little in a single field."""
    provider, module, function, name = description[:4]
    unit = _unknown_unit(name) if provider in ("", "profile") else ""
    if unit:
        return (f"{unit} is no unit of a rate: hz, {', '.join(NANOSECONDS)} are",)
    variants = ((provider, lambda text: ProbeDesc(text, module, function, name)),
                (module, lambda text: ProbeDesc(provider, text, function, name)),
                (function, lambda text: ProbeDesc(provider, module, text, name)),
                (name, lambda text: ProbeDesc(provider, module, function, text)))
    for at, (wanted, variant) in enumerate(variants, 1):
        there = {str(probe[at]) for probe in catalog.probes(variant(""))} if wanted else set()
        known = {text: str(variant(text)) for text in there}
        hint = did_you_mean(wanted, known, spelt=known.__getitem__)
        if hint:
            return hint
    return ()
