"""Whose business a symbol's address is: the compiler's, or the loader's of the program (`-x linkmode`)."""

from __future__ import annotations

from dc.diagnostics import Span, error
from dc.names.catalog import UNPLACED, Symbol
from dif.records import NamedTuple

PROGRAM = "`"  # the module, as it were, of the symbols of the program that D is linked into
PRIMARY = frozenset(("unix", "genunix"))  # modules that are at their place whenever a kernel runs
_STATIC = {"kernel": lambda module: True, "static": lambda module: True,
           "primary": PRIMARY.__contains__, "dynamic": lambda module: False}


class Linking(NamedTuple):
    """`mode` is a word of `-x linkmode`; `undefined` allows relocations of kernel symbols to remain
    (`-x knodefs`), `user_undefined` those of the program's (`-x unodefs`).
    """

    mode: str = "kernel"
    undefined: bool = False
    user_undefined: bool = False

    def relocation(self, symbol: Symbol, span: Span) -> str | None:
        """The name to relocate a symbol's address by, None where it is final.  Raises D_ASRELO.

        That of a program's symbol begins with PROGRAM.
        """
        if symbol.module == PROGRAM:
            if not self.user_undefined:
                raise error("D_ASRELO", span, f"``{symbol.name} is known to the program's linker only",
                            "dtrace -G leaves it to the linker, as -x unodefs does")
            return PROGRAM + symbol.name
        if _STATIC[self.mode](symbol.module):
            if symbol.address == UNPLACED:
                raise error("D_IDENT_UNDEF", span, f"{symbol.module}`{symbol.name}: its "
                            "address is known to the running kernel only",
                            "-x linkmode=dynamic -x knodefs leaves it to the loader")
            return None
        if not self.undefined:
            kind = "primary" if symbol.module in PRIMARY else "loadable"
            raise error("D_ASRELO", span, f"{symbol.module}`{symbol.name} is not of the {kind} kernel, "
                        "and known to a linker only", "-x knodefs leaves it to the linker")
        return symbol.name
