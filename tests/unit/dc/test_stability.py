"""What a clause's stability is drawn from: names, keys and types (manual, chapter on stability)."""

from __future__ import annotations

import pytest

from dc.compiler import compile as compile_d
from dc.diagnostics import CompileError
from dc.names.builtins import PRIVATE, STABLE, attributes
from dc.names.catalog import Argument, ProbeInfo
from dc.names.staticcatalog import StaticCatalog
from dc.types.headers import header_types
from dof.model import Attributes, ProbeDesc

EVOLVING = attributes("Evolving", "Evolving", "Common")
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


@pytest.mark.parametrize(("expression", "expected"), [
    ("rand()", STABLE), ("strlen(\"a\")", STABLE), ("progenyof(1)", STABLE), ("dirname(\"/\")", STABLE),
    ("index(\"b\", \"a\")", STABLE), ("inet_ntop(2, alloca(4))", STABLE),
    *((f"{name}(1)", EVOLVING) for name in ("htons", "htonl", "htonll", "ntohs", "ntohl", "ntohll")),
    ("ddi_pathname(alloca(1), 0)", EVOLVING)])
def test_subroutines(expression: str, expected: Attributes) -> None:
    """As the manual's chapter on them has it: what is about devices and networks may change."""
    assert stability(f"BEGIN {{ trace({expression}); }}") == expected


class Twice(StaticCatalog):
    """A catalog in which every description means two probes of a provider with stable names."""

    def probes(self, description: ProbeDesc) -> list[ProbeInfo]:
        return [ProbeInfo(number, "p", "m", f"f{number}", "n") for number in (1, 2)]

    def provider_attributes(self, provider: str) -> tuple[Attributes, ...]:
        return (Attributes(5, 5, 5),) * 5

    def arguments(self, probe: ProbeInfo) -> list[Argument]:
        return [Argument("char *", "char *")]


@pytest.mark.parametrize("description", ["p:m*:f:n", "p:m:f*:n", "p:m:f:n*", "p:::n", "p::f:n", "p:m::n"])
def test_no_probe_stands_for_others_where_a_stable_name_is_open(description: str) -> None:
    with pytest.raises(CompileError) as caught:
        compile_d(f"{description} {{ trace(stringof(args[0])); }}", catalog=Twice())
    assert caught.value.tag == "D_ARGS_MULTI"
    compile_d("p:m:f:n { trace(stringof(args[0])); }", catalog=Twice())
