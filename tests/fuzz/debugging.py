"""What the compiler asks of a program's debug information, in whatever form it is."""

from __future__ import annotations

from runtime.programs.objectfile import Function, ObjectFile
from runtime.programs.usertypes import UserTypes
from tests.fuzz import engine

KEYS = ("struct point", "point_t", "struct pair", "enum color", "union nothing", "n::d")
SPLIT = "split.dwo"


def ask(data: bytes) -> object:
    """All arguments of an ELF file's functions, and some of its types; what was found."""
    split = (engine.CORPUS / "sources" / SPLIT).read_bytes()
    file = ObjectFile("/p", data, None, read=lambda path: split if path.endswith(SPLIT) else None)
    types = UserTypes(lambda _pid, _module: [])
    functions = file.functions[:20] or [Function("f", 0, 1)]
    found = [types.arguments(file, each, probe) for each in functions for probe in ("entry", "return")]
    scope = types.of(file).scope
    known = [scope.own(key) for key in KEYS]
    words = scope.loader.words() if scope.loader is not None else ()
    return (sum(each is not None for each in found),
            tuple(type_ is not None and type_.size for type_ in known),
            len(words) > 0)
