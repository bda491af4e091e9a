"""What a line costs dc in long programs, beside what it costs in short ones.

    python tests/benchmarks/throughput.py [lines, 10000 by default] [shape ...]

Each shape of program is compiled to DOF in this process, once with 1,000 lines and once with many: lines
a second, and the cost of a line in the long one as a ratio to the short one's.  A ratio well above 1
means that something takes longer the more there is of it.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from contextlib import suppress

from dc.arguments import parse
from dc.compiler import compile
from dof import writer
from dof.format import DofError
from runtime.command.entries import GARBAGE

SHORT = 1_000


def _repeated(line: str, before: str = "", after: str = "") -> Callable[[int], str]:
    """A program of so many lines: `line` with its number for every #."""
    return lambda count: before + "".join(line.replace("#", str(number)) for number in range(count)) + after


def _declared_and_used(declaration: str, use: str) -> Callable[[int], str]:
    declarations, uses = _repeated(declaration + "\n"), _repeated(use + "\n", "BEGIN\n{\n", "}\n")
    return lambda count: declarations(count // 2) + uses(count // 2)


SHAPES: dict[str, Callable[[int], str]] = {
    "clauses": _repeated('syscall::f#:entry /execname == "p#" && arg0 > #/ { @a[probefunc] = sum(arg1); }\n'),
    "descriptions": _repeated("syscall::f#:entry,\n", after="BEGIN { @[probefunc] = count(); }\n"),
    "statements": _repeated('\tself->x = arg0 * # + strlen(execname);\n', "BEGIN\n{\n", "}\n"),
    "conditions": _repeated("\tif (arg0 == #) trace(arg1); else trace(#);\n", "BEGIN\n{\n", "}\n"),
    "keys": _repeated("\ta[pid, execname, #] = timestamp;\n", "BEGIN\n{\n", "}\n"),
    "globals": _declared_and_used("int g#;", "\tg# = g# + 1;"),
    "inlines": _declared_and_used("inline int I#[int a] = a + #;", "\ttrace(I#[pid]);"),
    "typedefs": _declared_and_used("typedef int t#;", "\ttrace((t#)arg0);"),
    "structs": _declared_and_used("struct s# { int a; struct s# *next; };",
                                  "\ttrace(((struct s# *)arg0)->next->a);"),
    "translators": _declared_and_used("struct o# { int a; }; translator struct o# < int V > { a = V; };",
                                      "\ttrace((xlate <struct o#> ((int)arg0)).a);"),
    "enumerators": _declared_and_used("enum e# { E# = # };", "\ttrace(E#);"),
    "provider": _repeated("\tprobe p#(int, char *);\n", "provider many\n{\n", "};\nBEGIN { }\n"),
    "comments": _repeated("/* # */\n", after="BEGIN { }\n"),
}


def cost(shape: str, lines: int) -> float:
    """Processor seconds that `lines` lines of a shape take to become DOF."""
    source = SHAPES[shape](lines)
    arguments = parse(["-x", "zdefs", "-e", "-"])
    assert arguments is not None
    start = time.process_time()
    result = compile(source, options=arguments.options)
    with suppress(DofError):  # which is refused in the end where it is more than a kernel takes
        writer.write(result.program)
    return time.process_time() - start


def main() -> None:
    numbers = [int(each) for each in sys.argv[1:] if each.isdigit()]
    lines = numbers[0] if numbers else 10_000
    gc.set_threshold(GARBAGE)
    for shape in [each for each in sys.argv[1:] if not each.isdigit()] or SHAPES:
        short = min(cost(shape, SHORT) for _ in range(3)) / SHORT
        long = cost(shape, lines) / lines
        print(f"{shape:14}{1 / long:10,.0f} lines/s   {long / short:5.2f} x a line among {SHORT}")


if __name__ == "__main__":
    main()
