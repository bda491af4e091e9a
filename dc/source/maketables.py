"""Writes dc/source/tables.py, the parser's tables, from dc/source/grammar.lark.

Run `python -m dc.source.maketables` after any change of the grammar; a test
compares the tables.  lark computes the LALR automaton here, once, so that the
compiler itself does not import lark.
"""

from __future__ import annotations

from pathlib import Path

STARTS = ("d_program", "d_expression", "d_type")
HEADER = '''"""LALR tables of dc/source/grammar.lark, by `python -m dc.source.maketables`: do not edit.

A state's actions give a terminal n > 0, shift and go to state n, or n < 0,
reduce by rule -n.  DEFAULT names the rule by which a state reduces whatever
follows, or -1.  GOTO gives a nonterminal's state.  Both are text, "NAME number
NAME number ...", because text loads at once.  A rule is its nonterminal,
its length, its builder method ("" passes the value on), and which of the last
values on the stack (-1 is the last) that method receives.
"""

from __future__ import annotations

'''


def generate() -> str:
    """The text of dc/source/tables.py.  Raises lark's GrammarError on a conflict between reductions."""
    from lark import Lark

    lark = Lark((Path(__file__).parent / "grammar.lark").read_text(), parser="lalr", lexer="basic",
                start=list(STARTS))
    table = lark.parser.parser._parse_table
    nonterminals = {str(rule.origin.name) for rule in lark.rules}
    rules = {rule: number for number, rule in enumerate(lark.rules, 1)}
    states = _number_states(table)
    actions: list[dict[str, int]] = [{}]
    gotos: list[dict[str, int]] = [{}]
    defaults = [-1]
    for state in states:
        steps: dict[str, int] = {}
        moves: dict[str, int] = {}
        for symbol, (action, target) in sorted(table.states[state].items()):
            if action.name == "Reduce":
                steps[symbol] = -rules[target]
            else:
                (moves if symbol in nonterminals else steps)[symbol] = states[target]
        kinds = set(steps.values())
        alone = len(kinds) == 1 and min(kinds) < 0
        defaults.append(-kinds.pop() if alone else -1)
        actions.append({} if alone else steps)
        gotos.append(moves)
    parts = [HEADER]
    described = [("", 0, "", ())] + [_describe(rule) for rule in rules]
    keywords, operators = _literals(lark)
    for name, kind, value in (
        ("START", "dict[str, int]", {name: states[table.start_states[name]] for name in STARTS}),
        ("END", "dict[str, int]", {name: states[table.end_states[name]] for name in STARTS}),
        ("RULES", "tuple[tuple[str, int, str, tuple[int, ...]], ...]", tuple(described)),
        ("DEFAULT", "tuple[int, ...]", tuple(defaults)),
        ("ACTIONS", "tuple[str, ...]", tuple(map(_packed, actions))),
        ("GOTO", "tuple[str, ...]", tuple(map(_packed, gotos))),
        ("KEYWORDS", "dict[str, str]", keywords),
        ("OPERATORS", "dict[str, str]", operators),
    ):
        items = [f"{key!r}: {item!r}" for key, item in value.items()] if isinstance(value, dict) \
            else [repr(item) for item in value]
        opening, closing = "{}" if isinstance(value, dict) else "()"
        parts.append(f"{name}: {kind} = {opening}\n{_lines(items)}{closing}\n")
    return "".join(parts)


def _lines(items: list[str]) -> str:
    """Items on lines of at most 110 columns; an item that is longer becomes adjacent literals."""
    lines = [""]
    for item in items:
        if len(lines[-1]) + len(item) > 104:
            lines.append("")
        if len(item) > 104:
            words = item[1:-1].split(" ")
            pieces = [" ".join(words[at:at + 8]) for at in range(0, len(words), 8)]
            lines[-1] += "\n     ".join(f"'{piece} '" for piece in pieces[:-1]) + f"\n     '{pieces[-1]}', "
        else:
            lines[-1] += f"{item}, "
    return "".join(f"    {line.rstrip()}\n" for line in lines)


def _packed(row: dict[str, int]) -> str:
    return " ".join(f"{name} {number}" for name, number in row.items())


def _number_states(table: object) -> dict[int, int]:
    """lark's states numbered from 1 in the order they are reached, the same in every run."""
    numbers: dict[int, int] = {}
    queue = [table.start_states[name] for name in STARTS]  # type: ignore[attr-defined]
    while queue:
        state = queue.pop(0)
        if state not in numbers:
            numbers[state] = len(numbers) + 1
            steps = sorted(table.states[state].items())  # type: ignore[attr-defined]
            queue += [target for _symbol, (action, target) in steps if action.name == "Shift"]
    return numbers


def _describe(rule: object) -> tuple[str, int, str, tuple[int, ...]]:
    symbols = rule.expansion  # type: ignore[attr-defined]
    kept = tuple(index for index, symbol in enumerate(symbols)
                 if not (symbol.is_term and symbol.filter_out))
    alias = rule.alias or ""  # type: ignore[attr-defined]
    if not alias and len(kept) != 1:
        raise ValueError(f"{rule} needs a builder method")
    from_end = tuple(index - len(symbols) for index in kept)
    return str(rule.origin.name), len(symbols), alias, from_end  # type: ignore[attr-defined]


def _literals(lark: object) -> tuple[dict[str, str], dict[str, str]]:
    texts = {terminal.pattern.value: terminal.name
             for terminal in lark.terminals if terminal.pattern is not None}  # type: ignore[attr-defined]
    keywords = {text: name for text, name in sorted(texts.items()) if text.isalpha()}
    operators = {text: name for text, name in sorted(texts.items()) if not text.isalpha()}
    return keywords, operators


if __name__ == "__main__":
    (Path(__file__).parent / "tables.py").write_text(generate())
