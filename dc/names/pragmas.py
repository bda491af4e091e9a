"""Control lines: `#pragma D option quiet` and the like.

Every directive may stand after `#pragma D`, and some after a bare `#`.  An
unknown `#pragma` is ignored, as ISO C demands; an unknown `#pragma D` is an
error.  The lexer itself does `#line`.
"""

from __future__ import annotations

from dc import stability, versions
from dc.diagnostics import Span, did_you_mean, error
from dc.names.catalog import PROVIDER_PARTS
from dc.options import OptionError, Options, more
from dc.source.tree import Pragma
from dof.model import Attributes

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object

Words = list[str | bytes | int]


class PragmaTarget(Protocol):
    """What the program under compilation lets its pragmas change."""

    options: Options

    def set_attributes(self, name: str, attributes: Attributes, span: Span) -> None:
        """Set the stability of a global identifier, now or when it is declared.  Raises D_PRAGMA_SCOPE."""

    def set_provider_attributes(self, provider: str, part: str, attributes: Attributes, span: Span) -> None:
        """Set the stability of one of PROVIDER_PARTS of a declared provider.  Raises D_PRAGMA_UNUSED."""

    def set_binding(self, name: str, version: tuple[int, int, int], span: Span) -> None:
        """Set the version of D that brought a global identifier.  Raises D_PRAGMA_SCOPE."""

    def has_dependency(self, kind: str, name: str, span: Span) -> bool:
        """Whether a "provider", "module" or "library" is there.  Raises D_PRAGMA_DEPEND."""

    def option_changed(self, name: str) -> None:
        """Adapt to an option that was set, such as the size of strings."""


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
        raise error("D_PRAGCTL_INVAL", node.span, "a control line begins with a word")
    if name == "error":
        shown = " ".join(_text(word)
                         for word in words if not isinstance(word, int))
        raise error("D_PRAGERR", node.span, f"#error: {shown}")
    if name == "ident":
        return
    action = _ACTIONS.get(name)
    if action is not None and prefix == 2:
        action(words, node.span, target)
    elif prefix == 0:
        raise error("D_PRAGCTL_INVAL", node.span, f"there is no control line #{name} in D",
                    *(("#include and #define need the -C option",) if name in _CPP else ()))
    elif prefix == 2:
        raise error("D_PRAGMA_INVAL", node.span, f"there is no #pragma D {name}",
                    *did_you_mean(name, [*_ACTIONS, "error", "ident", "line"]))


_CPP = frozenset(("include", "define", "undef", "if", "ifdef", "ifndef", "else", "elif", "endif"))


def _option(words: Words, span: Span, target: PragmaTarget) -> None:
    if not words or not isinstance(words[0], str):
        raise error("D_PRAGMA_MALFORM", span, "#pragma D option is followed by NAME or NAME=VALUE")
    if len(words) > 1:
        raise error("D_PRAGMA_MALFORM", span, "#pragma D option sets one option, written without spaces")
    name, equals, value = words[0].partition("=")
    try:
        target.options.set(name, value if equals else None, program=True)
    except OptionError as exception:
        to = f"={value}" if equals else ""
        raise error("D_PRAGMA_OPTSET", span, f"option {name}{to} cannot be set: {exception}",
                    more(name)) from None
    target.option_changed(name)


def _attributes(words: Words, span: Span, target: PragmaTarget) -> None:
    text, name = _two(words, span, "attributes", "ATTRIBUTES NAME", str)
    attributes = stability.parse(text)
    if attributes is None:
        raise error("D_PRAGMA_INVAL", span, f"{text} are no attributes, such as Stable/Evolving/Common")
    if name != "provider":
        target.set_attributes(name, attributes, span)
        return
    rest = [str(word) for word in words[2:]]
    if len(rest) < 2:
        raise error("D_PRAGMA_MALFORM", span,
                    "#pragma D attributes is followed by ATTRIBUTES provider NAME PART")
    if rest[1] not in PROVIDER_PARTS:
        raise error("D_PRAGMA_INVAL", span,
                    f"a provider has no part {rest[1]} with attributes, only {', '.join(PROVIDER_PARTS)}")
    target.set_provider_attributes(rest[0], rest[1], attributes, span)


def _binding(words: Words, span: Span, target: PragmaTarget) -> None:
    text, name = _two(words, span, "binding", '"VERSION" NAME', bytes)
    version = versions.parse(text)
    if version is None:
        raise error("D_PRAGMA_INVAL", span, f"{text} is no version, such as 1.0")
    target.set_binding(name, version, span)


def _depends_on(words: Words, span: Span, target: PragmaTarget) -> None:
    kind, name = _two(words, span, "depends_on", "CLASS NAME", str)
    if kind not in ("provider", "module", "library"):
        raise error("D_PRAGMA_INVAL", span, "programs depend on providers, modules and libraries only")
    if not target.has_dependency(kind, name, span):
        raise error("D_PRAGMA_DEPEND", span, f"this needs the {kind} {name}, which is not there")


def _two(words: Words, span: Span, pragma: str, form: str, first: type) -> tuple[str, str]:
    """The two words that nearly every pragma has; the first is a quoted string if `first` is bytes."""
    if len(words) < 2 or not isinstance(words[0], first) or not isinstance(words[1], str):
        raise error("D_PRAGMA_MALFORM", span, f"#pragma D {pragma} is followed by {form}")
    return _text(words[0]), words[1]


def _text(word: str | bytes | int) -> str:
    """A word as messages show it: the string that a quoted one stands for may be no UTF-8."""
    return word.decode(errors="backslashreplace") if isinstance(word, bytes) else str(word)


_ACTIONS = {"attributes": _attributes, "binding": _binding, "depends_on": _depends_on, "option": _option}
