"""Control lines: `#pragma D option quiet` and the like.

A directive is known by how it is introduced: some may stand after a bare `#`,
all after `#pragma D`.  Unknown `#pragma`s are ignored, as ISO C asks; unknown
`#pragma D`s are errors.  (`#line` is the lexer's business.)
"""

from __future__ import annotations

from dc import stability
from dc.catalog import PROVIDER_PARTS
from dc.diagnostics import did_you_mean, error
from dc.options import OptionError, Options, parse_version
from dc.syntax import Pragma, Span
from dif.light import Protocol
from dof.model import Attributes

Words = list[str | bytes | int]


class PragmaTarget(Protocol):
    """What the program under compilation lets its pragmas change."""

    options: Options

    def set_attributes(self, name: str, attributes: Attributes, span: Span) -> None:
        """Of a global identifier; kept for later if there is none yet.  Raises D_PRAGMA_SCOPE."""

    def set_provider_attributes(self, provider: str, part: str, attributes: Attributes, span: Span) -> None:
        """Of one of PROVIDER_PARTS of a provider that is declared before.  Raises D_PRAGMA_UNUSED."""

    def set_binding(self, name: str, version: tuple[int, int, int], span: Span) -> None:
        """The version from which a global identifier exists.  Raises D_PRAGMA_SCOPE."""

    def has_dependency(self, kind: str, name: str, span: Span) -> bool:
        """Whether a "provider", "module" or "library" is there.  Raises D_PRAGMA_DEPEND."""

    def option_changed(self, name: str) -> None:
        """An option was set: what depends on it (string's size) follows."""


def apply(node: Pragma, target: PragmaTarget) -> None:
    """Do what a control line says.  Raises CompileError."""
    words = list(node.words)
    prefix = 0  # 0 bare, 1 after "pragma", 2 after "pragma D"
    for expected in ("pragma", "D"):
        if words and words[0] == expected:
            words.pop(0)
            prefix += 1
        else:
            break
    if not words:
        return
    name = words.pop(0)
    if not isinstance(name, str):
        raise error("D_PRAGCTL_INVAL", node.span, "invalid control directive")
    if name == "error":
        shown = " ".join(word.decode() if isinstance(word, bytes) else word
                         for word in words if not isinstance(word, int))
        raise error("D_PRAGERR", node.span, f"#error: {shown}")
    if name == "ident":
        return
    action = _ACTIONS.get(name)
    if action is not None and prefix == 2:
        action(words, node.span, target)
    elif prefix == 0:
        raise error("D_PRAGCTL_INVAL", node.span, f"invalid control directive: #{name}",
                    *(("#include and #define need the -C option",) if name in _CPP else ()))
    elif prefix == 2:
        raise error("D_PRAGMA_INVAL", node.span, f"invalid D pragma: {name}",
                    *did_you_mean(name, [*_ACTIONS, "error", "ident", "line"]))


_CPP = frozenset(("include", "define", "undef", "if", "ifdef", "ifndef", "else", "elif", "endif"))


def _option(words: Words, span: Span, target: PragmaTarget) -> None:
    if not words or not isinstance(words[0], str):
        raise error("D_PRAGMA_MALFORM", span, "malformed #pragma option <option>=<val>")
    if len(words) > 1:
        raise error("D_PRAGMA_MALFORM", span, "superfluous arguments specified for #pragma option")
    name, equals, value = words[0].partition("=")
    try:
        target.options.set(name, value if equals else None, program=True)
    except OptionError as exception:
        to = f" to '{value}'" if equals else ""
        raise error("D_PRAGMA_OPTSET", span, f"failed to set option '{name}'{to}: {exception}") from None
    target.option_changed(name)


def _attributes(words: Words, span: Span, target: PragmaTarget) -> None:
    text, name = _two(words, span, "attributes", "<attributes> <ident>", str)
    attributes = stability.parse(text)
    if attributes is None:
        raise error("D_PRAGMA_INVAL", span, "invalid attributes specified by #pragma attributes")
    if name != "provider":
        target.set_attributes(name, attributes, span)
        return
    rest = [str(word) for word in words[2:]]
    if len(rest) < 2:
        raise error("D_PRAGMA_MALFORM", span,
                    "malformed #pragma attributes <attributes> provider <name> <part>")
    if rest[1] not in PROVIDER_PARTS:
        raise error("D_PRAGMA_INVAL", span,
                    f'invalid component "{rest[1]}" in attribute #pragma for provider {rest[0]}')
    target.set_provider_attributes(rest[0], rest[1], attributes, span)


def _binding(words: Words, span: Span, target: PragmaTarget) -> None:
    text, name = _two(words, span, "binding", '"version" <ident>', bytes)
    version = parse_version(text)
    if version is None:
        raise error("D_PRAGMA_INVAL", span, "invalid version string specified by #pragma binding")
    target.set_binding(name, version, span)


def _depends_on(words: Words, span: Span, target: PragmaTarget) -> None:
    kind, name = _two(words, span, "depends_on", "<class> <name>", str)
    if kind not in ("provider", "module", "library"):
        raise error("D_PRAGMA_INVAL", span, f"invalid class {kind} specified by #pragma depends_on")
    if not target.has_dependency(kind, name, span):
        raise error("D_PRAGMA_DEPEND", span, f"program requires {kind} {name}")


def _two(words: Words, span: Span, pragma: str, form: str, first: type) -> tuple[str, str]:
    """The two words nearly every pragma has, the first a quoted string if `first` is bytes."""
    if len(words) < 2 or not isinstance(words[0], first) or not isinstance(words[1], str):
        raise error("D_PRAGMA_MALFORM", span, f"malformed #pragma {pragma} {form}")
    one = words[0]
    return one.decode() if isinstance(one, bytes) else str(one), words[1]


_ACTIONS = {"attributes": _attributes, "binding": _binding, "depends_on": _depends_on, "option": _option}
