"""What a message may suggest: the known name nearest to one that nobody knows.

Imported only when there is something to complain about.  Headers and libraries
are not read for this: every word in them is a candidate until it is looked up.
"""

from __future__ import annotations

from collections.abc import Iterable

from dc.diagnostics import did_you_mean
from dc.names.catalog import Catalog
from dc.names.identifiers import Names
from dc.names.scopes import Scope
from dc.names.types import Enum, Record
from dof.model import ProbeDesc


def similar_type(scope: Scope, name: str) -> tuple[str, ...]:
    """The type nearest to `name`, which may be "struct x" or the like."""
    keyword, _, word = name.rpartition(" ")

    def spelt(word: str) -> str:
        return f"{keyword} {word}".strip()

    def known(word: str) -> bool:
        found = scope.lookup(spelt(word))
        base = found.resolve() if found is not None else None
        return not (base is None or (isinstance(base, Record) and not base.is_defined)
                    or (isinstance(base, Enum) and base.values is None))

    return did_you_mean(word, _words(scope), known, spelt)


def similar_value(names: Names, scope: Scope, name: str) -> tuple[str, ...]:
    """The variable, function, inline or enumerator nearest to `name`."""
    return did_you_mean(name, {*names.known(), *_words(scope)},
                        lambda word: names.find(word) is not None or scope.enumerator(word) is not None)


def similar_symbol(catalog: Catalog, module: str | None, name: str) -> tuple[str, ...]:
    """The kernel's symbol nearest to `name`."""
    return did_you_mean(name, _words(catalog.types), lambda word: catalog.symbol(module, word) is not None)


def similar_probe(catalog: Catalog, description: ProbeDesc) -> tuple[str, ...]:
    """A description that differs from one that matches nothing in a single field, and not by much."""
    provider, module, function, name = description[:4]
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


def _words(scope: Scope) -> Iterable[str]:
    words: set[str] = set()
    program = scope.module("")
    for each in (*scope.chain(), *([program] if program is not None else ())):
        words.update(key.rpartition(" ")[2] for key in each.types)
        if each.loader is not None:
            words |= each.loader.words()
    return words
