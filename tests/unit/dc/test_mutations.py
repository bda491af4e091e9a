"""Programs with a few tokens changed: whatever the compiler says of them, it says it as a compiler.

The scripts of tests/tst are the stock.  A changed program is refused with an error
that has a place, or it compiles to what a kernel takes.
"""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path

import pytest

from dc.compiler import compile as compile_d
from dc.diagnostics import TAGS, CompileError
from dc.options import Options
from dif.validator import validate
from dof.writer import write

SCRIPTS = Path(__file__).parents[2] / "tst"
PER_SEED = 60
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|/\*.*?\*/|[A-Za-z_`$@][\w`]*|\d\w*|->|\+\+|--|<<=?|>>=?|&&|\|\||'
                    r"\^\^|[-+*/%&^|<>=!]=|\s+|.", re.DOTALL)
_BINARY = frozenset(re.findall(r"\S+", "+ - * / % & | ^ << >> == != < > <= >= && || ^^ ,"))
_ODD = """curthread pid execname self this args arg0 uregs sizeof stringof string void int struct count stack
trace printf printa copyin xlate 0 1 64 0x8000000000000000 18446744073709551615ULL "" 'a' @ @a"""


def kind(token: str) -> str:
    """Tokens of a kind may stand for each other."""
    if token in _BINARY:
        return "binary"
    if token in ("->", "."):
        return "member"
    first = token[0]
    return "name" if first.isalpha() or first in "_`" else "number" if first.isdigit() else \
        first if first in '"@$' else ""


@cache
def stock() -> tuple[list[list[str]], dict[str, list[str]]]:
    """The scripts as tokens, and all their tokens by kind."""
    texts = [path.read_text(errors="surrogateescape") for path in sorted(SCRIPTS.rglob("*.d"))]
    scripts = [_TOKEN.findall(text) for text in texts]
    kinds: dict[str, list[str]] = {}
    for token in dict.fromkeys([*_TOKEN.findall(_ODD), *(token for script in scripts for token in script)]):
        kinds.setdefault(kind(token), []).append(token)
    return scripts, kinds


def mutated(chance: random.Random) -> str:
    scripts, kinds = stock()
    tokens = list(chance.choice(scripts))
    places = [place for place, token in enumerate(tokens) if not token.isspace()]
    for place in chance.sample(places, min(len(places), chance.choice((1, 1, 2, 3, 5)))):
        way = chance.random()
        if way < 0.75:
            tokens[place] = chance.choice(kinds[kind(tokens[place])])
        elif way < 0.85:
            tokens[place] = ""
        else:
            tokens[place] += " " + chance.choice(chance.choice(list(kinds.values())))
    return "".join(tokens)


@pytest.mark.parametrize("seed", range(5))
def test_a_compiler_stays_a_compiler(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(PER_SEED):
        source = mutated(chance)
        options = Options()
        options.assign("defaultargs")
        try:
            program = compile_d(source, options=options, collect=chance.random() < 0.3).program
        except CompileError as error:
            assert error.diagnostics
            assert all(each.tag in TAGS and each.message for each in error.diagnostics), source
            continue
        write(program)
        for difo in program.objects():
            assert not validate(difo), source
