"""Our getopt against the standard library's, over command lines of all sorts."""

from __future__ import annotations

import getopt
from types import ModuleType
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dof import commandline

LETTERS = "3:6:Ceo:x:S"
WORDS = ("all-errors", "emit=", "help", "types=", "helper")
PIECES = st.sampled_from(["-e", "-o", "x", "-ofile", "-eSo", "--", "-", "--emit", "--emit=dof", "--he",
                          "--help", "--e", "--help=1", "--none", "-x", "a=b", "--all", "-:", "-z", "-32", ""])


def outcome(module: ModuleType | Any, argv: list[str]) -> object:
    try:
        return module.gnu_getopt(argv, LETTERS, WORDS)
    except module.GetoptError as problem:
        return problem.msg, problem.opt


@settings(max_examples=500, deadline=None)
@given(st.lists(PIECES, max_size=6))
def test_as_the_standard_library_does(argv: list[str]) -> None:
    assert outcome(commandline, argv) == outcome(getopt, argv)
