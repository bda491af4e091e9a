"""How large the DIF of a test suite is: python tests/conformance/sizes.py SUITE [--compare TABLE] [--opt 0]

Compiles every D program of a suite directory (<category>/*.d) without a
kernel, as `-w -x defaultargs` would, and prints one line for each:

    script, status, tag, ECBs, DIFOs, instructions      (tab-separated)

With --compare, a table in the same form of another compiler: prints the
scripts that need more instructions or other ECBs here, and the totals.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path
from typing import NamedTuple

from dc.compiler import compile as compile_d
from dc.diagnostics import CompileError
from dc.options import Options
from dif import isa
from dof.model import Action, ActionKind, Program

RETURN_ZERO = isa.fmt(isa.Op.RET)

VARIABLES = dict.fromkeys(("target", "pid", "ppid", "pgid", "sid", "uid", "euid", "gid", "egid", "projid",
                           "taskid"), 1)


class Row(NamedTuple):
    script: str
    status: int
    tag: str
    ecbs: int = 0
    difos: int = 0
    instructions: int = 0


def measure(path: Path, name: str, opt: str) -> Row:
    """Compile one script."""
    options = Options()
    options.set("defaultargs")
    options.set("destructive")
    options.values["opt"] = int(opt)
    try:
        source = path.read_text(encoding="utf-8", errors="surrogateescape")
        program = compile_d(source, options=options, arguments=[str(path)], variables=VARIABLES).program
    except CompileError as exception:
        return Row(name, 1, exception.tag)
    return Row(name, 0, "", len(program.ecbs), *count(program))


def count(program: Program) -> tuple[int, int]:
    """DIFOs and instructions that come from expressions of the source.

    The constants that an action needs besides (an aggregation's id, a
    printf() without arguments) are left out, as another compiler's listing
    leaves them out.
    """
    difos = [each.predicate for each in program.ecbs if each.predicate is not None]
    for ecb in program.ecbs:
        first = {index - action.ntuple for index, action in enumerate(ecb.actions) if action.ntuple}
        difos += [action.difo for index, action in enumerate(ecb.actions)
                  if action.difo is not None and index not in first and not is_made_up(ecb.actions, index)]
    return len(difos), sum(len(difo.text) for difo in difos)


def is_made_up(actions: list[Action], index: int) -> bool:
    action = actions[index]
    assert action.difo is not None
    alone = sum(each.uarg == action.uarg for each in actions) == 1
    first = index == 0 or actions[index - 1].uarg != action.uarg
    empty = action.difo.text == [RETURN_ZERO] and action.difo.rtype.size == 8
    if action.kind == ActionKind.LIBACT:
        return empty or (first and action.difo.rtype.size == 8)
    return action.kind == ActionKind.PRINTA or (action.string is not None and alone and empty)


def compare(rows: list[Row], table: Path) -> int:
    """Print where the other compiler does better; the number of such scripts."""
    with table.open(newline="") as file:
        theirs = {line["script"]: line for line in csv.DictReader(file, delimiter="\t")}
    worse = ours = other = both = 0
    for row in rows:
        their = theirs.get(row.script)
        if their is None or their["status"] != "0":
            continue
        if row.status:
            print(f"{row.script}: does not compile ({row.tag})")
            continue
        both += 1
        ours += row.instructions
        other += int(their["instructions"])
        if row.instructions > int(their["instructions"]) or row.ecbs != int(their["ecbs"]):
            worse += 1
            print(f"{row.script}: {row.ecbs} ECBs, {row.instructions} instructions; theirs "
                  f"{their['ecbs']}, {their['instructions']}")
    share = 100 * ours / other if other else 0
    print(f"{both} scripts: {ours} instructions, theirs {other} ({share:.1f} %); {worse} are worse")
    return worse


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("suite", type=Path)
    parser.add_argument("--compare", type=Path)
    parser.add_argument("--opt", default="1")
    arguments = parser.parse_args()
    scripts = sorted(arguments.suite.glob("*/*.d"))
    rows = [measure(path, str(path.relative_to(arguments.suite)), arguments.opt) for path in scripts]
    if arguments.compare:
        return min(1, compare(rows, arguments.compare))
    print("\t".join(Row._fields))
    for row in rows:
        print("\t".join(map(str, row)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
