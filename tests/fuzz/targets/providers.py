"""Provider files for `dtrace -h` and `-G`, and for sdt-dtrace: what is read becomes a header."""

from __future__ import annotations

import contextlib

from dc.diagnostics import CompileError
from dc.names.providers import parse_providers
from dc.types.types import Model
from dof.usdt import notesheader
from dof.usdt.header import generate
from dof.usdt.sdtproviders import ProbeSyntaxError, parse_probes
from tests.fuzz.engine import Target
from tests.fuzz.mutation import Grammar, blind, mixed, tokens

GRAMMAR = Grammar({
    "file": ("provider p { <probes>};", "<types> provider <name> { <probes>}; <pragmas>",
             "<types> provider a { <probes>}; provider b { <probes>};"),
    "types": ("", "typedef struct t { int a; char *b; <type> c; } t_t; ", "struct s; enum e { A, B = 3 }; "),
    "probes": ("probe x(); ", "<probe> <probes>", "<probe> <probe> <probes>"),
    "probe": ("probe x();", "probe <name>(<arguments>);", "probe <name>(<arguments>) : (<arguments>);"),
    "arguments": ("int", "", "<type> a, <type> b", "<type> a, <arguments>", "void"),
    "type": ("int", "char *", "struct s *", "uint64_t", "t_t *", "double", "enum e", "void *", "string",
             "int[4]",
             "unsigned long long", "const char *const", "int (*)(int)", "struct t"),
    "name": ("p", "my__probe", "a_b", "x__y__z", "provider", "q1", "a" * 70),
    "pragmas": ("", "#pragma D attributes Evolving/Evolving/Common provider p provider\n<pragmas>",
                "#pragma D option x=1\n"),
})
WORDS = (b"provider", b"probe", b"{", b"}", b";", b"(", b")", b",", b":", b"int", b"char *", b"struct s",
         b"...",
         b"typedef", b"__", b"-", b"string", b"void",
         b"#pragma D attributes Stable/Stable/ISA provider p args\n")


def run(data: bytes) -> object:
    model = Model.ILP32 if len(data) & 1 else Model.LP64
    text = data.decode("utf-8", "surrogateescape")
    with contextlib.suppress(ProbeSyntaxError):
        notesheader.generate(parse_probes(text), types=True)
    found = parse_providers(text, model=model)
    generate(found.providers, "x.h")
    return len(found.providers), sum(len(each.probes) for each in found.providers), found.has_clauses


def target() -> Target:
    return Target(run, (CompileError,), mixed((3, tokens(WORDS)), (3, GRAMMAR.mutator("file")), (1, blind)))
