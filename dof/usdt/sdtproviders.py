"""A provider file as SystemTap's dtrace reads it: which probes there are, and how many arguments each has.

That one knows no types and asks little of the rest: what stands outside of providers does not matter to it,
semicolons may be missing, `//` and `#` begin comments, and any word is a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dof.usdt.definition import ARGUMENTS_MAX, Argument, ProbeDefinition, ProviderDefinition

_TOKEN = re.compile(
    r"(?s)(?P<skipped>\s+|//[^\n]*|\#[^\n]*|/\*.*?(?:\*/|\Z))|[\w$]+"
    r"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|.")
_MARKER = re.compile(r'^#(?:line)? (\d+) "(.*)"', re.MULTILINE)
_NAME = re.compile(r"[\w$]+")
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_ENDS = frozenset(";}")  # of what holds arguments
_TAGS = frozenset(("struct", "union"))
# Words of types that the header knows, as far as they make sense together.
_WORDS = frozenset(("char", "double", "float", "int", "long", "short", "signed", "unsigned", "void", "const",
                    "volatile"))
_TYPES = frozenset(f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64, "ptr"))


class ProbeSyntaxError(Exception):
    """A probe's arguments have no end or are too many.

    `file` (by line markers, else "") and `line` say of which probe.
    """

    def __init__(self, message: str, file: str, line: int) -> None:
        super().__init__(message)
        self.file, self.line = file, line


class _Reader:
    """The tokens of a text, read from the left."""

    def __init__(self, text: str) -> None:
        self._text = text
        found = [match for match in _TOKEN.finditer(text) if match["skipped"] is None]
        self._tokens = [match[0] for match in found]
        self._places = [match.start() for match in found]
        self._next = 0

    def providers(self) -> Iterator[tuple[str, Iterator[ProbeDefinition]]]:
        """Each provider's name, with its probes, which must be read before the next provider is."""
        while self._skip_to("provider"):
            name = self._named("provider")
            if name and self._take("{"):
                yield name, self._probes()

    def _probes(self) -> Iterator[ProbeDefinition]:
        while self._next < len(self._tokens) and not self._take("}"):
            place = self._next
            name = self._named("probe")
            if not name:
                continue
            native: list[Argument] = []
            if self._take("("):
                native = self._arguments(name, place)
                if self._take(":") and self._take("("):
                    self._arguments(name, place)  # as a D program sees them
            yield ProbeDefinition(name.replace("__", "-"), native)

    def _skip_to(self, word: str) -> bool:
        """Read up to the next such word; return whether there is one."""
        try:
            self._next = self._tokens.index(word, self._next)
        except ValueError:
            self._next = len(self._tokens)
        return self._next < len(self._tokens)

    def _named(self, kind: str) -> str:
        """The name behind the word `kind`; "" if the next tokens are others, of which it reads one."""
        if self._take(kind):
            following = "".join(self._tokens[self._next:self._next + 1])
            if _NAME.fullmatch(following):
                self._next += 1
                return following
        else:
            self._next += 1
        return ""

    def _take(self, text: str) -> bool:
        """Whether the next token is `text`; reads it if it is."""
        is_next = self._next < len(self._tokens) and self._tokens[self._next] == text
        self._next += is_next
        return is_next

    def _arguments(self, probe: str, place: int) -> list[Argument]:
        """The arguments, up to their parenthesis, of a probe at token `place`.  Raises ProbeSyntaxError."""
        found: list[list[str]] = [[]]
        depth = 1
        while self._next < len(self._tokens):
            text = self._tokens[self._next]
            self._next += 1
            if text in _ENDS and depth == 1:
                break
            depth += (text in _OPENING) - (text in _CLOSING)
            if not depth:
                return [Argument(_type(each)) for each in found if each and each != ["void"]]
            if depth > 1 or text != ",":
                found[-1].append(text)
            elif len(found) == ARGUMENTS_MAX:
                raise ProbeSyntaxError(f"probe {probe} has more than {ARGUMENTS_MAX} arguments",
                                       *self._line(place))
            else:
                found.append([])
        raise ProbeSyntaxError(f"the arguments of probe {probe} never end", *self._line(place))

    def _line(self, place: int) -> tuple[str, int]:
        """The file and the line of a token."""
        before = self._text[:self._places[place]]
        marker = None
        for marker in _MARKER.finditer(before):  # noqa: B007
            pass
        if marker is None:
            return "", before.count("\n") + 1
        return marker[2], int(marker[1]) + before.count("\n", marker.end()) - 1


def _type(words: Sequence[str]) -> str:
    """An argument's type as C text; "" for one that needs a header, or that is more than words and stars."""
    named = len(words) > 1 and _NAME.fullmatch(words[-1]) and words[-1] not in _WORDS | _TYPES \
        and words[-2] not in _TAGS
    kept = list(words[:-1] if named else words)
    if kept == ["string"]:
        return "const char *"
    tags = {at + 1 for at, word in enumerate(kept) if word in _TAGS} if "*" in kept else set()
    known = all(at in tags or at + 1 in tags or word in _WORDS or word in _TYPES or word == "*"
                for at, word in enumerate(kept))
    return " ".join(kept) if known else ""


def parse_probes(text: str) -> list[ProviderDefinition]:
    """The providers of a file's text, after preprocessing if that was asked for.

    Of several declarations of a probe the last one counts.  Raises ProbeSyntaxError.
    """
    found: dict[str, dict[str, ProbeDefinition]] = {}
    for provider, probes in _Reader(text).providers():
        found.setdefault(provider, {}).update((each.name, each) for each in probes)
    return [ProviderDefinition(name, list(probes.values())) for name, probes in found.items()]
