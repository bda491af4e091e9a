"""Whether the compiler fills in the address of a symbol, or a linker does (`-x linkmode`)."""

from __future__ import annotations

from dc.diagnostics import Span, error
from dc.names.catalog import UNPLACED, Symbol
from dif.records import NamedTuple

PROGRAM = "`"  # stands for a module in symbols of the program that D is linked into
PRIMARY = frozenset(("unix", "genunix"))  # modules that are at their place whenever a kernel runs
_STATIC = {"kernel": lambda module: True, "static": lambda module: True,
           "primary": PRIMARY.__contains__, "dynamic": lambda module: False}


class Linking(NamedTuple):
    """How symbols are linked: `mode` is a word of `-x linkmode`.

    `undefined` (`-x knodefs`) allows relocations of kernel symbols to remain for a linker,
    `user_undefined` (`-x unodefs`) those of the program's symbols.
    """

    mode: str = "kernel"
    undefined: bool = False
    user_undefined: bool = False

    def relocation(self, symbol: Symbol, span: Span) -> str | None:
        """The name by which a linker is to find a symbol's address; None where the address is final.

        The name of a program's symbol begins with PROGRAM.  Raises D_ASRELO, D_IDENT_UNDEF.
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
