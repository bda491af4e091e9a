"""Finds the declaration of a name in long texts when a program first asks for the name.

A kernel's header and our libraries are long, and a D program asks for little
of them.  So an index first searches a text for the name, which is quick.  Only
if the text has it, the index cuts the text into declarations, and examines
those that have the name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from dif.records import NamedTuple

MANY = 200  # names asked for, after which a text's words are looked up instead of searched for


class Piece(NamedTuple):
    """A declaration: its text, and where it stands."""

    file: str
    line: int
    text: str


def _names(pieces: Sequence[Piece]) -> set[str]:
    """The types that some declarations introduce."""
    if not pieces:
        return set()
    from dc.types.declarationtexts import introduced

    return set().union(*(introduced(each.text, "typedef") for each in pieces))


class Source:
    """A text of declarations.  `is_usable` is called once, before the first declaration is taken."""

    def __init__(self, file: str, text: str, is_usable: Callable[[], bool] = lambda: True) -> None:
        self._file = file
        self.text = text
        self._is_usable = is_usable
        self._pieces: list[tuple[str, int]] | None = None  # texts and lines of those not taken yet

    def copy(self) -> Source:
        """The same text with none of its declarations taken; it is cut once for all copies."""
        copied = Source(self._file, self.text, self._is_usable)
        copied._pieces = list(self.pieces())
        return copied

    def take(self, kind: str, key: str) -> list[Piece]:
        """The declarations that introduce `key` (see dc.types.declarationtexts.introduced)."""
        words = key.split() if " " in key else ("" if kind == "value" else kind, key)
        if not all(word in self.text for word in words):
            return []
        from dc.types.declarationtexts import introduced

        pieces = self.pieces()
        found = [each for each in pieces if words[-1] in each[0] and words[0] in each[0]
                 and (words[0] != "typedef" or key in each[0][each[0].rfind("}") + 1:])  # behind its members
                 and key in introduced(each[0], kind)]
        for each in found:
            pieces.remove(each)
        return [Piece(self._file, line, text) for text, line in found]

    def pieces(self) -> list[tuple[str, int]]:
        """The declarations not yet taken: their texts and the lines they start on."""
        if self._pieces is None:
            from dc.types.declarationtexts import pieces

            self._pieces = pieces(self.text) if self._is_usable() else []
        return self._pieces


class Index:
    """The declarations of some texts, each of which can be taken once."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self._sources = list(sources)
        self._asked: set[tuple[str, str]] = set()
        self._words: set[str] | None = None  # of all texts, once it is worth the while to gather them

    def copy(self) -> Index:
        """An index of the same texts for another program; the texts are cut and searched for words once.

        Nothing may have been taken from this one.
        """
        copied = Index(source.copy() for source in self._sources)
        if self._words is None:
            self._words = self.words()
        copied._words = self._words
        return copied

    def take_type(self, key: str) -> list[Piece]:
        """The declarations of the type `key` and of translators to it; none when called again."""
        taken = []
        for source in self._to_search("typedef", key):
            found = source.take("typedef", key)
            for name in sorted({key} | _names(found)):  # its other names, too
                found += source.take("translator", name)
            taken += found
        return taken

    def take_value(self, name: str) -> list[Piece]:
        """The declarations of the inline, variable or enumerator `name`; none when called again."""
        return [piece for source in self._to_search("value", name) for piece in source.take("value", name)]

    def words(self) -> set[str]:
        """The words of all texts."""
        from dc.types.declarationtexts import words

        return set().union(*(words(source.text) for source in self._sources))

    def names(self) -> list[str]:
        """Names of values not yet taken."""
        from dc.types.declarationtexts import introduced

        return [name for source in self._sources for text, _line in source.pieces()
                for name in introduced(text, "value")]

    def _to_search(self, kind: str, key: str) -> list[Source]:
        """The texts in which to search; none for a key that was searched for before."""
        if (kind, key) in self._asked:
            return []
        self._asked.add((kind, key))
        if len(self._asked) == MANY:
            self._words = self.words()
        known = self._words is None or key[key.rfind(" ") + 1:] in self._words
        return self._sources if known else []
