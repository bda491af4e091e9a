"""The type that a message may suggest: the known one nearest to a name that is unknown.

Imported only for an error.  Headers and libraries are not read for this: every word in them is a
candidate until it is looked up.
"""

from __future__ import annotations

from dc.diagnostics import did_you_mean
from dc.types.scopes import Scope
from dc.types.types import Enum, Record


def similar_type(scope: Scope, name: str) -> tuple[str, ...]:
    """A hint with the type nearest to `name`, which may be "struct x" or the like."""
    keyword, _, word = name.rpartition(" ")

    def spelt(word: str) -> str:
        return f"{keyword} {word}".strip()

    def known(word: str) -> bool:
        found = scope.lookup(spelt(word))
        base = found.resolve() if found is not None else None
        return not (base is None or (isinstance(base, Record) and not base.is_defined)
                    or (isinstance(base, Enum) and base.values is None))

    return did_you_mean(word, words_of(scope), known, spelt)


def words_of(scope: Scope) -> set[str]:
    """The names in a scope and those behind it, and every word of the texts they declare from."""
    words: set[str] = set()
    program = scope.module("")
    for each in (*scope.chain(), *([program] if program is not None else ())):
        words.update(key.rpartition(" ")[2] for key in each.types)
        if each.loader is not None:
            words |= each.loader.words()
    return words
