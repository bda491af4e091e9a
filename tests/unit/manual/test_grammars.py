"""Colours of D: the lexer for Pygments and the grammar for editors see the same."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from pygments import lex
from pygments.token import Comment, Keyword, Name, String, Token

from runtime.manual.lexer import DtraceLexer
from runtime.manual.textmate import GRAMMAR, grammar, text

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = sorted((ROOT / "tests/golden").rglob("*.d"))
PROGRAM = '''#!/usr/sbin/dtrace -s
#pragma D option quiet
/* two
 lines */
syscall::read:entry
/execname == "cat" && self->x[$target, 0x1F] > 10ms/
{ @a[strlen(copyinstr(arg1)), 'c'] = quantize((uint64_t)timestamp); }
'''


def scopes(source: str) -> list[tuple[str, str]]:
    """Tokenize as an editor does: line by line, always by the first pattern of those that match nearest."""
    rules = [(re.compile(str(each.get("match") or each["begin"])), each) for each in grammar()["patterns"]]
    found: list[tuple[str, str]] = []
    inside: dict[str, object] | None = None
    for line in source.split("\n"):
        at = 0
        while at <= len(line):
            if inside is not None:
                end = re.compile(str(inside["end"])).search(line, at)
                found.append((str(inside["name"]), line[at:end.end() if end else len(line)]))
                if end is None:
                    break
                at, inside = end.end(), None
                continue
            matches = [(match.start(), number) for number, (pattern, _rule) in enumerate(rules)
                       if (match := pattern.search(line, at)) and match[0]]
            if not matches:
                break
            pattern, rule = rules[min(matches)[1]]
            match = pattern.search(line, at)
            assert match is not None
            if "begin" in rule:
                inside, at = rule, match.start()
                found.append((str(rule["name"]), match[0]))
                at = match.end()
                continue
            found.append((str(rule.get("name", "")), match[0]))
            at = match.end()
    return found


def test_pygments_finds_the_lexer_by_its_name() -> None:
    from pygments.lexers import get_lexer_by_name

    assert get_lexer_by_name("dtrace").name == DtraceLexer.name


def test_the_committed_grammar_is_the_tables() -> None:
    assert Path(GRAMMAR).read_text() == text(), "make manual has not been run"
    assert json.loads(text())["scopeName"] == "source.dtrace"


def test_an_editor_colours_what_pygments_colours() -> None:
    wanted = {Keyword: "keyword.control", Name.Builtin: "variable.language",
              Name.Function: "support.function", Keyword.Type: "storage.type",
              Name.Label: "entity.name.tag.probe",
              Name.Variable.Global: "variable.other.aggregation", String: "string.quoted.double"}
    for source in (PROGRAM, *(path.read_text() for path in SCRIPTS[:120])):
        if "\x0c" in source or "\\\n" in source:
            continue
        ours = [(kind.removesuffix(".dtrace"), piece) for kind, piece in scopes(source)]
        for token, kind in wanted.items():
            pygments = [piece for found, piece in lex(source, DtraceLexer()) if found is token]
            assert [piece for name, piece in ours if name == kind] == pygments, (kind, source)


@pytest.mark.parametrize(("piece", "token"), [
    ("#!/usr/sbin/dtrace -s", Comment.Hashbang), ("syscall::read:entry", Name.Label), ("self", Keyword),
    ("execname", Name.Builtin), ("strlen", Name.Function), ("@a", Name.Variable.Global),
    ("/* two\n lines */", Comment.Multiline), ("uint64_t", Keyword.Type)])
def test_pygments(piece: str, token: object) -> None:
    assert (token, piece) in [(found, text) for found, text in lex(PROGRAM, DtraceLexer())]
    assert Token.Error not in {found for found, _ in lex(PROGRAM, DtraceLexer())}
