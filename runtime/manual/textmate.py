"""A TextMate grammar of D, for editors: made of the rules of the lexer for Pygments.

    python -m runtime.manual.textmate        writes dtrace.tmLanguage.json beside this file

Editors and Pygments so have one set of words, those of the compiler's tables.
"""

from __future__ import annotations

import json
import os
from typing import Any

from pygments.lexer import words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text, _TokenType

from dof.outputs import write
from runtime.manual.lexer import DtraceLexer

GRAMMAR = os.path.join(os.path.dirname(__file__), "dtrace.tmLanguage.json")
_SCOPES: dict[_TokenType, str] = {
    Comment.Hashbang: "comment.line.shebang", Comment.Preproc: "meta.preprocessor",
    Comment.Multiline: "comment.block", String: "string.quoted.double", String.Char: "string.quoted.single",
    Name.Variable.Global: "variable.other.aggregation", Name.Label: "entity.name.tag.probe",
    Number: "constant.numeric", Keyword: "keyword.control", Keyword.Type: "storage.type",
    Name.Builtin: "variable.language", Name.Function: "support.function", Operator: "keyword.operator",
    Punctuation: "punctuation",
}
_MACRO = "variable.parameter.macro"
_PLAIN = (Text, Name)  # what an editor does not colour


def grammar() -> dict[str, object]:
    """Return the grammar."""
    patterns: list[dict[str, object]] = []
    rules: Any = DtraceLexer.tokens["root"]  # pairs of a pattern and a token, as Pygments has them
    for pattern, token in rules:
        regex = pattern.get() if isinstance(pattern, words) else str(pattern)
        if token is Comment.Multiline:
            patterns.append({"name": f"{_SCOPES[token]}.dtrace", "begin": r"/\*", "end": r"\*/"})
        elif not isinstance(token, _TokenType):  # a macro variable: its parts are one word here
            patterns.append({"name": f"{_MACRO}.dtrace", "match": regex})
        elif token in _PLAIN:
            if token is Name:  # a word that is none of those above is not looked at from its middle
                patterns.append({"match": regex})
        else:
            patterns.append({"name": f"{_SCOPES[token]}.dtrace", "match": regex})
    return {"name": DtraceLexer.name, "scopeName": "source.dtrace", "fileTypes": ["d"],
            "firstLineMatch": "^#!.*\\bdtrace\\b", "patterns": patterns}


def text() -> str:
    """Return the file's text."""
    return json.dumps(grammar(), indent=1) + "\n"


if __name__ == "__main__":
    write({GRAMMAR: text().encode()})
