"""A provider file as SystemTap's dtrace reads it: which probes there are, and how many arguments each has.

That one knows no types and asks little of the rest: what stands outside of providers does not matter to it,
semicolons may be missing, `//` and `#` begin comments, and any word is a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dif.records import NamedTuple
from dof.usdt.definition import Argument, ProbeDefinition, ProviderDefinition

_TOKEN = re.compile(
    r"(?s)(?P<skipped>\s+|//[^\n]*|\#[^\n]*|/\*.*?(?:\*/|\Z))|[\w$]+|\"(?:\\.|[^\"\\\n])*\"|.")
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
    """A probe's arguments have no end; `file` (by line markers, else "") and `line` say of which."""

    def __init__(self, message: str, file: str, line: int) -> None:
        super().__init__(message)
        self.file, self.line = file, line


class _Token(NamedTuple):
    text: str
    at: int  # where it begins


class _Reader:
    """The tokens of a text, read from the left."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = [_Token(match[0], match.start()) for match in _TOKEN.finditer(text)
                        if match["skipped"] is None]
        self._next = 0

    def providers(self) -> Iterator[tuple[str, Iterator[ProbeDefinition]]]:
        """Each provider's name, with its probes, which must be read before the next provider is."""
        while self._next < len(self._tokens):
            if self._take("provider", _NAME, "{"):
                yield self._tokens[self._next - 2].text, self._probes()
            else:
                self._next += 1

    def _probes(self) -> Iterator[ProbeDefinition]:
        while self._next < len(self._tokens) and not self._take("}"):
            if not self._take("probe", _NAME):
                self._next += 1
                continue
            name, native = self._tokens[self._next - 1], []
            if self._take("("):
                native = self._arguments(name)
                if self._take(":", "("):
                    self._arguments(name)  # as a D program sees them
            yield ProbeDefinition(name.text.replace("__", "-"), native)

    def _take(self, *wanted: str | re.Pattern[str]) -> bool:
        """Whether the next tokens are those; reads them if they are."""
        found = self._tokens[self._next:self._next + len(wanted)]
        is_there = len(found) == len(wanted) and all(
            each.text == want if isinstance(want, str) else want.fullmatch(each.text)
            for each, want in zip(found, wanted, strict=True))
        self._next += len(wanted) * is_there
        return is_there

    def _arguments(self, probe: _Token) -> list[Argument]:
        """The arguments up to the closing parenthesis.  Raises ProbeSyntaxError if there is none."""
        found: list[list[str]] = [[]]
        depth = 1
        while self._next < len(self._tokens):
            text = self._tokens[self._next].text
            self._next += 1
            if text in _ENDS and depth == 1:
                break
            depth += (text in _OPENING) - (text in _CLOSING)
            if not depth:
                return [Argument(_type(each)) for each in found if each and each != ["void"]]
            if depth == 1 and text == ",":
                found.append([])
            else:
                found[-1].append(text)
        raise ProbeSyntaxError(f"the arguments of probe {probe.text} never end", *self._place(probe))

    def _place(self, token: _Token) -> tuple[str, int]:
        before = self._text[:token.at]
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
