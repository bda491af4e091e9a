"""Changes of the source, one at a time, that the tests should notice; prints those that survive, by package.

usage: mutants.py [--seed N] [--count N] [--timeout SECONDS] [--near] [PACKAGE ...]

PACKAGE is a directory as runtime/kernel or dc. Each change is made in a copy of the tree, where
tests run until one fails: first the files of tests that import the changed module or name it, then
the others of the package. The tests have to pass without a change. A change is one comparison
turned round, one number raised, one call, raise or return dropped, or one `and` for `or`; the same
seed makes the same changes. A run past the timeout counts as noticed, and is told.  With --near only those
tests run that name the module: quick, but what survives may be noticed by others.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
# where the tests of a package are
TESTS = {"dc": "tests/unit/dc", "dif": "tests/unit/dif", "dof": "tests/unit/dof",
         "runtime/consumer": "tests/unit/consumer", "runtime/framework": "tests/unit/framework",
         "runtime/kernel": "tests/unit/kernel", "runtime/providers": "tests/unit/providers",
         "runtime/instances": "tests/unit/instances"}
COPIED = ("dc", "dif", "dof", "runtime", "tests", "pyproject.toml", "README.md", "Makefile", "MANIFEST.in")
TURNED = {ast.Eq: "!=", ast.NotEq: "==", ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">",
          ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is"}


class Change(NamedTuple):
    """One change: of the text from `start` to `end` (line from 1, column in UTF-8 bytes) to `text`."""

    path: Path
    start: tuple[int, int]
    end: tuple[int, int]
    text: str
    what: str

    def apply(self, source: bytes) -> bytes:
        rows = source.splitlines(keepends=True)
        before = b"".join(rows[:self.start[0] - 1]) + rows[self.start[0] - 1][:self.start[1]]
        after = rows[self.end[0] - 1][self.end[1]:] + b"".join(rows[self.end[0]:])
        return before + self.text.encode() + after

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.start[0]}: {self.what}"


def _place(node: ast.expr | ast.stmt) -> tuple[tuple[int, int], tuple[int, int]]:
    assert node.end_lineno is not None and node.end_col_offset is not None
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def _of_node(path: Path, node: ast.AST) -> Iterator[Change]:
    """Yield the changes of one node."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        turned = TURNED[type(node.ops[0])]
        text = f"({ast.unparse(node.left)} {turned} {ast.unparse(node.comparators[0])})"
        yield Change(path, *_place(node), text, f"{ast.unparse(node)} becomes {text}")
    elif isinstance(node, ast.BoolOp):
        word = " or " if isinstance(node.op, ast.And) else " and "
        text = f"({word.join(f'({ast.unparse(value)})' for value in node.values)})"
        yield Change(path, *_place(node), text, f"{ast.unparse(node)} becomes {text}")
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield Change(path, *_place(node), str(node.value + 1), f"{node.value} becomes {node.value + 1}")
    elif (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)) or isinstance(node, ast.Raise):
        yield Change(path, *_place(node), "pass", f"without {ast.unparse(node)}")
    elif isinstance(node, ast.Return) and node.value is not None and ast.unparse(node.value) != "None":
        yield Change(path, *_place(node), "return None", f"{ast.unparse(node)} becomes return None")


def changes(path: Path) -> Iterator[Change]:
    """Yield every change of a file's functions; annotations and f-strings stay as they are."""
    pending: list[tuple[ast.AST, bool]] = [(ast.parse(path.read_bytes()), False)]
    while pending:
        node, inside = pending.pop()
        if isinstance(node, ast.JoinedStr | ast.AnnAssign | ast.arg | ast.Assert):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if inside:
            yield from _of_node(path, node)
        inside = inside or isinstance(node, ast.FunctionDef)
        pending += [(child, inside) for child in ast.iter_child_nodes(node)]


def tests_of(changed: Path, package: str) -> list[list[str]]:
    """Return the files of tests to run: those that name the changed module, and then the package's others."""
    module = ".".join(changed.relative_to(ROOT).with_suffix("").parts)
    own = sorted((ROOT / TESTS[package]).rglob("test_*.py"))
    near = [path for path in sorted((ROOT / "tests/unit").rglob("test_*.py"))
            if module in path.read_text() or changed.stem in path.stem]
    others = [path for path in own if path not in near]
    return [[str(path.relative_to(ROOT)) for path in group] for group in (near, others) if group]


def noticed(change: Change, tree: Path, package: str, timeout: int, near: bool) -> bool:
    """Whether a test fails with the change, which is made in a copy of the tree and taken back."""
    target = tree / change.path.relative_to(ROOT)
    original = target.read_bytes()
    target.write_bytes(change.apply(original))
    try:
        for files in tests_of(change.path, package)[:1 if near else None]:
            command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *files]
            try:
                done = subprocess.run(command, cwd=tree, capture_output=True, timeout=timeout, check=False,
                                      env={**os.environ, "PYTHONPATH": str(tree)})
            except subprocess.TimeoutExpired:
                print(f"takes too long: {change}", flush=True)
                return True
            if done.returncode:
                return True
        return False
    finally:
        target.write_bytes(original)


def copy_of_tree(folder: Path) -> Path:
    tree = folder / "tree"
    tree.mkdir()
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.exists():
            shutil.copy(source, tree / name)
    return tree


def main() -> int:
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10, help="changes of each package")
    parser.add_argument("--timeout", type=int, default=600, help="seconds for the tests of one change")
    parser.add_argument("--near", action="store_true", help="run only tests that name the changed module")
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", default=list(TESTS))
    options = parser.parse_args()
    unknown = sorted(set(options.packages) - set(TESTS))
    if unknown:
        parser.error(f"no such package: {', '.join(unknown)}; there are {', '.join(TESTS)}")
    made: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        tree = copy_of_tree(Path(folder))
        for package in options.packages:
            draw = random.Random(f"{options.seed} {package}")
            possible = [change for path in sorted((ROOT / package).rglob("*.py")) for change in changes(path)]
            for change in draw.sample(possible, min(options.count, len(possible))):
                made[package] += 1
                if noticed(change, tree, package, options.timeout, options.near):
                    seen[package] += 1
                else:
                    print(f"survives: {change}", flush=True)
    for package, count in made.items():
        print(f"{package}: {seen[package]} of {count} noticed ({seen[package] * 100 // count} %)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
