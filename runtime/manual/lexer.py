# ruff: noqa: SIM905
"""D for Pygments: colours in the manual, and in whatever else uses Pygments (the lexer is called dtrace)."""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer, bygroups, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

from dc.names.builtins import Role, table

_KEYWORDS = tuple("""
break case continue counter default do else enum extern for goto if import inline offsetof probe provider
register restrict return self sizeof static stringof struct switch this translator typedef union while xlate
""".split())
_TYPES = tuple("""
auto char const double float int long short signed string unsigned userland void volatile
""".split())
_ROWS = [*table("illumos").values(), *table("freebsd").values()]
_VARIABLES = sorted({row.name for row in _ROWS if row.role in (Role.VARIABLE, Role.ARRAY)})
_FUNCTIONS = sorted({row.name for row in _ROWS} - set(_VARIABLES) - {"self", "this"})


class DtraceLexer(RegexLexer):
    """The language D of DTrace."""

    name = "DTrace's D"
    aliases: ClassVar[list[str]] = ["dtrace"]
    filenames: ClassVar[list[str]] = ["*.d"]
    mimetypes: ClassVar[list[str]] = ["text/x-dtrace"]
    url = "https://illumos.org/books/dtrace/"
    tokens: ClassVar[dict[str, list[object]]] = {
        "root": [
            (r"\s+", Text),
            (r"#!.*", Comment.Hashbang),
            (r"#\s*pragma\b.*|#.*", Comment.Preproc),
            (r"/\*[\s\S]*?\*/", Comment.Multiline),
            (r'"(?:\\.|[^"\\\n])*"', String),
            (r"'(?:\\.|[^'\\\n])*'", String.Char),
            (r"(\$)(\$?\w+|\$)", bygroups(Punctuation, Name.Variable.Magic)),
            (r"@\w*", Name.Variable.Global),
            # a probe description: what has colons, or BEGIN and its like
            (r"(?:[\w*?$.`+%~\[\]!-]*:){1,3}[\w*?.%+\[\]!-]*", Name.Label),
            (r"\b(?:BEGIN|END|ERROR|(?:tick|profile)-\w+)\b", Name.Label),
            (r"\b0[xX][0-9a-fA-F]+[uUlL]*\b|\b\d+(?:[uUlL]*|ns|us|ms|s|hz)\b", Number),
            (words(_KEYWORDS, r"\b", r"\b"), Keyword),
            (words(_TYPES, r"\b", r"\b"), Keyword.Type),
            (r"\b\w+_t\b", Keyword.Type),
            (words(_VARIABLES, r"\b", r"\b"), Name.Builtin),
            (words(_FUNCTIONS, r"\b", r"(?=\s*\()"), Name.Function),
            (r"[A-Za-z_][\w`]*", Name),
            (r"[-+*/%&|^~!<>=?.]+", Operator),
            (r"[{}()\[\];,:`]", Punctuation),
            (r".", Text),
        ],
    }
