"""sdt-dtrace(1): what builds call `dtrace` that were written for SystemTap's, which knows -h and -G only.

The headers have notes (-x header=sdt), and -G makes the object with their semaphores.  Builds give it flags
of the compiler, and -k, which have nothing to do here.
"""

from __future__ import annotations

import re
import sys

from runtime.command import command

_COMPILER = re.compile(r"-(f(?!$).*|O.*|g.*|W.*|m(?!32$).+|std=.*|pipe|pthread|k)")
_WITH_VALUE = frozenset(("-s", "-o", "-I", "-D", "-U", "-x"))


def main(argv: list[str] | None = None) -> int:
    """The command; returns its exit status."""
    words = iter(sys.argv[1:] if argv is None else argv)
    kept: list[str] = []
    header = "sdt"
    for word in words:
        if word in _WITH_VALUE:
            kept += [word, *[value for value in (next(words, None),) if value is not None]]
        elif word == "--types":
            header = "types"
        elif word == "-m32":
            kept.append("-32")
        elif not _COMPILER.fullmatch(word):
            kept.append(word)
    return command.main([f"-xheader={header}", *kept])


if __name__ == "__main__":
    sys.exit(main())
