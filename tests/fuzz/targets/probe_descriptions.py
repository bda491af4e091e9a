"""Probe descriptions: globs matched against names as a kernel does, specifiers read as the compiler does."""

from __future__ import annotations

from dc.checking.externals import Declarer
from dc.compiler import Compiler
from dc.diagnostics import CompileError
from dc.source.lexer import Lexer, Macros
from dc.source.parser import parse_program
from dc.source.specifiers import describe
from dc.source.tree import Clause
from dof.globs import matcher
from tests.fuzz import programs
from tests.fuzz.engine import Target
from tests.fuzz.mutation import blind, mixed, tokens

NAMES = ("", "syscall", "pid123", "libc.so.6", "read", "entry", "a[b", "x-y\\z", "é",
         "aaaaaaaaaaaaaaaaaaaaaaaaab",
         "]", "_Zfoo*bar")
PARTS = (b"syscall", b"pid$target", b"*", b"?", b"[a-z]", b"[!a-c]", b"\\*", b":", b"::", b":::", b"[", b"]",
         b"-",
         b"entry", b"return", b"profile-997hz", b"tick-1s", b"fbt", b"BEGIN", b"$1", b"$$1", b"a.out", b"`",
         b",",
         b"**", b"*a*a*a", b"lib*.so*", b"[[a-b]*", b"[]", b"[!]", b"1", b"pid1::foo:2f")
EVERY = 32  # so many inputs go to the matcher for each one that goes to the compiler's reader as well


class _Reading:
    """Reads specifiers as the compiler does."""

    def __init__(self) -> None:
        self._declarer: Declarer = Compiler(programs.catalog()).declarer
        self._count = 0

    def __call__(self, data: bytes) -> object:
        text = data.decode("utf-8", "surrogateescape")
        tests = [matcher(field) for field in text.split(":")[:4]]
        found = tuple(sum(test is None or test(name) for name in NAMES) for test in tests)
        self._count += 1
        if self._count % EVERY:
            return found
        macros = Macros(["script", "x", "y:z"], {"target": 7, "pid": 1}, True)
        for node in parse_program(Lexer(text + "{}", self._declarer, macros=macros)):
            if isinstance(node, Clause):
                for each in node.probes:
                    describe(each, macros)
        return "read"


def seeds() -> list[bytes]:
    return [b"syscall::read:entry", b"pid$target:libc.so.*:[a-m]*:entry", b"*:*:*:*", b"BEGIN", b"a,b,c",
            b"fbt:unix:x?y:return", b"profile-1001", b":::", b"[[a-b]*:x\\::", b"*a*a*a*a*a*a*a*a*a*a*b"]


def target() -> Target:
    return Target(_Reading(), (CompileError,), mixed((3, tokens(PARTS, longest=600)), (1, blind)), seeds,
                  seconds=3)
