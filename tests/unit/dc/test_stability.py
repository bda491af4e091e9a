"""What a clause's stability is drawn from: names, keys and types (manual, chapter on stability)."""

from __future__ import annotations

import pytest

from dc.compiler import compile as compile_d
from dc.names.builtins import PRIVATE, STABLE
from dc.names.staticcatalog import StaticCatalog
from dc.types.headers import header_types
from dof.model import Attributes

HEADER = """
typedef struct thing { int size; } thing_t;
typedef long ticks_t;
enum state { ASLEEP, AWAKE };
extern int hz;
"""


def stability(source: str) -> Attributes:
    catalog = StaticCatalog(header_types(HEADER, name="genunix"), header=HEADER)
    (clause,) = compile_d(source, catalog=catalog).clauses
    return clause.attributes


@pytest.mark.parametrize("source", [
    "BEGIN { trace(`hz); }", "BEGIN { @[`hz] = count(); }", "BEGIN { @a[1, `hz] = sum(1); clear(@a); }",
    "BEGIN { trace(sizeof (thing_t)); }", "BEGIN { trace(sizeof (`hz)); }", "BEGIN { trace((ticks_t)1); }",
    "BEGIN { self->t = (struct thing *)arg0; }", "enum state s; BEGIN { trace(s == AWAKE); }",
])
def test_what_is_the_kernels_is_private(source: str) -> None:
    assert stability(source) == PRIVATE


@pytest.mark.parametrize("source", [
    "BEGIN { @ = sum(`hz); }", "BEGIN { trace(sizeof (int)); }", "BEGIN { trace((char *)arg0); }",
    "enum mine { NO, YES } m; BEGIN { trace(m == YES); }", "thing_t *t; BEGIN { trace(t); }",
    "struct mine { ticks_t at; }; BEGIN { trace((ticks_t)1); trace(sizeof (struct mine)); }",
])
def test_what_is_the_programs_is_stable(source: str) -> None:
    """A kernel's type that a record of the program has a member of is the program's from then on."""
    assert stability(source) == STABLE
