"""Changes of the source, one at a time, that the tests should notice; prints those that survive, by package.

usage: mutants.py [--seed N] [--count N] [--budget SECONDS] [--keep FOLDER] [PACKAGE ...]

PACKAGE is a directory as runtime/kernel or dc, or a directory or file in one, which has the tests of its
package.  A change is one comparison or truth value turned round, one number raised, one call, raise or return
dropped, or one `and` for `or`; the same seed makes the same changes.

All changes are written into one copy of the tree, each behind a switch: `a < b` becomes
`(a <= b if _mutant(7) else a < b)`.  The tests run once with every switch off; that tells which tests pass,
how long each takes, and which changes each reaches, in its own process or in one that it starts
(mutation.py keeps the record).  Then, change by change, the tests that reach it run with its switch on, those
of the nearest files first and the quickest of a file first, until one fails.  They run in a fork of a
process that has imported everything already (mutantplugin.py); a change that importing reached has a
process of its own.  A test that fails is run once more with the switch off, and counts if it passes.  What
hangs counts as noticed.  --budget bounds the seconds of processor that one change's tests take, as measured
with the switch off.

equivalent.toml names changes that no test can notice, each with its reason; those are told and not run.
With --keep the folder stays: the next run with the same words measures only tests that are new, and
runs only them, for the changes that have survived so far.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
# where the tests of a package are
TESTS = {"dc": ("tests/unit/dc", "tests/golden", "tests/unit/languageserver",
                "tests/unit/runtime/test_ctf.py", "tests/unit/providers/fasttrap/test_types.py", "tests/tst",
                "tests/unit/transcripts"),
         "dif": ("tests/unit/dif", "tests/unit/dof"),
         "dof": ("tests/unit/dof", "tests/unit/transcripts", "tests/unit/test_ends.py",
                 "tests/unit/test_walls_files.py", "tests/unit/dc/test_options.py"),
         "runtime/consumer": ("tests/unit/consumer", "tests/unit/api", "tests/unit/test_ends.py",
                              "tests/tst", "tests/unit/transcripts"),
         "runtime/framework": ("tests/unit/framework", "tests/tst", "tests/unit/dc/test_values.py",
                               "tests/unit/dc/test_generative.py"),
         "runtime/kernel": ("tests/unit/kernel", "tests/unit/runtime", "tests/unit/recordings",
                            "tests/unit/providers"),
         "runtime/providers": ("tests/unit/providers", "tests/unit/runtime/test_device.py",
                               "tests/unit/framework/test_privileges.py",
                               "tests/unit/dof/usdt", "tests/tst/usdt", "tests/tst/pid"),
         "runtime/programs": (*(f"tests/unit/runtime/test_{name}.py" for name in (
                                  "calls", "ctf", "debugfiles", "golang", "limits", "names", "objectfile",
                                  "split")),
                              "tests/unit/instances/test_types.py", "tests/unit/providers/fasttrap"),
         "runtime/command": ("tests/unit/consumer", "tests/unit/api", "tests/unit/test_end_to_end.py",
                             "tests/unit/test_ends.py", "tests/unit/test_hostile_commands.py",
                             "tests/unit/dc/test_command.py", "tests/unit/dof/test_command.py",
                             "tests/unit/dof/usdt", "tests/unit/dtest", "tests/unit/manual",
                             "tests/unit/instances/test_cluster.py", "tests/unit/runtime/test_budgets.py",
                             "tests/unit/recordings", "tests/unit/runtime/test_device.py", "tests/tst",
                             "tests/unit/transcripts"),
         "runtime/api": ("tests/unit/api", "tests/unit/consumer"),
         "runtime/instances": ("tests/unit/instances",),
         "runtime/dtest": ("tests/unit/dtest", "tests/unit/test_ends.py", "tests/unit/test_wheel.py",
                           "tests/unit/test_walls_files.py", "tests/unit/manual"),
         "runtime/languageserver": ("tests/unit/languageserver",),
         "runtime/manual": ("tests/unit/manual", "tests/unit/test_wheel.py"),
         "runtime/recordings": ("tests/unit/recordings", "tests/unit/instances/test_network.py",
                                "tests/unit/test_hostile_commands.py"),
         "runtime/ioctl": ("tests/unit/runtime/test_device.py", "tests/unit/runtime/test_host_system.py",
                           "tests/unit/consumer", "tests/unit/providers/fasttrap/test_zones.py",
                           "tests/unit/test_walls_files.py"),
         # what lies in runtime itself
         "runtime": ("tests/unit/runtime", "tests/unit/consumer", "tests/unit/framework",
                     "tests/unit/providers", "tests/unit/instances", "tests/unit/recordings",
                     "tests/unit/kernel/test_objects.py",
                     "tests/unit/test_end_to_end.py", "tests/unit/test_walls_files.py")}
COPIED = ("dc", "dif", "dof", "runtime", "tests", "dtrace.py", "pyproject.toml", "README.md", "Makefile",
          "MANIFEST.in", "LICENSE")
TURNED = {ast.Eq: "!=", ast.NotEq: "==", ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">",
          ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is"}


class Change(NamedTuple):
    """One change.

    The text from `start` to `end` (line from 1, column in UTF-8 bytes) becomes `switched`, where {number}
    stands for the switch and {text} for the text that was there.
    """

    path: Path
    start: tuple[int, int]
    end: tuple[int, int]
    switched: str
    function: str
    what: str

    @property
    def name(self) -> str:
        """The name in equivalent.toml: it tells the text of the line, as numbers of lines change."""
        row = self.path.read_text().splitlines()[self.start[0] - 1].strip()
        return f"{self.path.relative_to(ROOT)}: {self.function}: {row}: {self.what}"


def _change(path: Path, node: ast.expr | ast.stmt, switched: str, function: str, what: str) -> Change:
    assert node.end_lineno is not None and node.end_col_offset is not None
    return Change(path, (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset), switched,
                  function, " ".join(what.split()))


def _of_node(path: Path, node: ast.AST, function: str) -> Iterator[Change]:
    """Yield the changes of one node."""
    instead = "({new} if _mutant({{number}}) else ({{text}}))"
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        turned = TURNED[type(node.ops[0])]
        new = f"(({ast.unparse(node.left)}) {turned} ({ast.unparse(node.comparators[0])}))"
        yield _change(path, node, _escaped(instead, new), function, f"{ast.unparse(node)} becomes {new}")
    elif isinstance(node, ast.BoolOp):
        word = " or " if isinstance(node.op, ast.And) else " and "
        new = f"({word.join(f'({ast.unparse(value)})' for value in node.values)})"
        yield _change(path, node, _escaped(instead, new), function, f"{ast.unparse(node)} becomes {new}")
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        new = str(node.value + 1)
        yield _change(path, node, _escaped(instead, new), function, f"{node.value} becomes {new}")
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield _change(path, node, "_mutant({number}) or {text}", function, f"without {ast.unparse(node)}")
    elif isinstance(node, ast.Raise):
        yield _change(path, node, "if not _mutant({number}): {text}", function,
                      f"without {ast.unparse(node)}")
    elif isinstance(node, ast.Return) and node.value is not None and ast.unparse(node.value) != "None":
        new = {"True": "False", "False": "True"}.get(ast.unparse(node.value), "None")
        yield _change(path, node.value, _escaped(instead, new), function,
                      f"{ast.unparse(node)} becomes return {new}")


def _escaped(instead: str, new: str) -> str:
    return instead.format(new=new.replace("{", "{{").replace("}", "}}"))


def changes(path: Path) -> Iterator[Change]:
    """Yield every change of a file's functions; annotations, patterns and f-strings stay as they are."""
    pending: list[tuple[ast.AST, str, bool]] = [(ast.parse(path.read_bytes()), "", False)]
    while pending:
        node, name, inside = pending.pop()
        if isinstance(node, ast.JoinedStr | ast.AnnAssign | ast.arg | ast.Assert | ast.pattern):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if inside:
            yield from _of_node(path, node, name)
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            name = f"{name}.{node.name}" if name else node.name
        inside = inside or isinstance(node, ast.FunctionDef)
        pending += [(child, name, inside) for child in ast.iter_child_nodes(node)]


def files(package: str) -> list[Path]:
    """Return the files of a package without those of the packages in it."""
    if package.endswith(".py"):
        return [ROOT / package]
    within = [ROOT / other for other in TESTS if other.startswith(f"{package}/")]
    return sorted(path for path in (ROOT / package).rglob("*.py")
                  if not any(path.is_relative_to(other) for other in within))


def tests(package: str) -> tuple[str, ...]:
    """Return where the tests of a package, or of what is in one, are."""
    around = [package, *map(str, Path(package).parents)]
    return next((TESTS[name] for name in around if name in TESTS and (ROOT / package).exists()), ())


def drawn(package: str, seed: int, count: int) -> list[Change]:
    """Return `count` changes of a package, no two of which overlap, and which compile."""
    draw = random.Random(f"{seed} {package}")
    possible = [change for path in files(package) for change in changes(path)]
    draw.shuffle(possible)
    chosen: list[Change] = []
    for change in possible:
        if len(chosen) == count:
            break
        apart = all(change.path != other.path or change.end <= other.start or other.end <= change.start
                    for other in chosen)
        if apart and _compiles(switched(change.path.read_bytes(), {0: change})):
            chosen.append(change)
    return chosen


def _compiles(source: bytes) -> bool:
    try:
        compile(source, "source", "exec")
    except SyntaxError:
        return False
    return True


def switched(source: bytes, numbered: dict[int, Change]) -> bytes:
    """Return the source of a file with its changes, which do not overlap, behind switches."""
    rows = source.splitlines(keepends=True)
    starts = [0]
    for row in rows:
        starts.append(starts[-1] + len(row))
    for number, change in sorted(numbered.items(), key=lambda item: item[1].start, reverse=True):
        first, last = (starts[line - 1] + column for line, column in (change.start, change.end))
        text = source[first:last].decode()
        source = source[:first] + change.switched.format(number=number, text=text).encode() + source[last:]
    return source


class Drawn(NamedTuple):
    """A change as a folder keeps it; the name, without line, is that of equivalent.toml."""

    package: str
    path: str
    line: int
    name: str


class Copy:
    """A copy of the tree with every change behind its switch, and a virtual environment that imports it."""

    def __init__(self, folder: Path, packages: list[str], seed: int, count: int) -> None:
        self.folder, self.tree = folder, folder / "tree"
        kept = folder / "changes.json"
        if not kept.exists():
            found = [(package, change) for package in packages for change in drawn(package, seed, count)]
            self._build(dict(enumerate((change for _, change in found), 1)))
            kept.write_text(json.dumps([
                Drawn(package, str(change.path.relative_to(ROOT)), change.start[0], change.name)
                for package, change in found]))
        self.changes = dict(enumerate((Drawn(*row) for row in json.loads(kept.read_text())), 1))
        shutil.copytree(ROOT / "tests", self.tree / "tests", dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("__pycache__"))

    def _build(self, numbered: dict[int, Change]) -> None:
        self.tree.mkdir(parents=True)
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, self.tree / name, ignore=shutil.ignore_patterns("__pycache__"))
            elif source.exists():
                shutil.copy(source, self.tree / name)
        for path in {change.path for change in numbered.values()}:
            own = {number: change for number, change in numbered.items() if change.path == path}
            (self.tree / path.relative_to(ROOT)).write_bytes(switched(path.read_bytes(), own))
        shutil.copy(Path(__file__).with_name("mutantplugin.py"), self.folder)
        shutil.copy(Path(__file__).with_name("mutation.py"), self.tree)
        for name in COPIED[:4]:  # a process without site-packages (python -S) finds the switches, too
            with open(self.tree / name / "__init__.py", "a") as package:
                package.write("\nimport mutation\n")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", self.tree / ".venv"], check=True)
        packages = next(path for path in sys.path if path.endswith("site-packages"))
        own_packages = next((self.tree / ".venv").glob("lib/*/site-packages"))
        lines = (self.folder, self.tree, "import mutation", packages)
        (own_packages / "mutants.pth").write_text("".join(f"{line}\n" for line in lines))
        for script in Path(sys.executable).parent.iterdir():
            text = script.read_bytes() if script.is_file() else b""
            if text.startswith(f"#!{sys.executable}\n".encode()):
                copied = self.tree / ".venv/bin" / script.name
                copied.write_bytes(f"#!{self.python}\n".encode() + text.partition(b"\n")[2])
                copied.chmod(0o755)
        subprocess.run([self.python, "-m", "compileall", "-q", *COPIED[:4]], cwd=self.tree, check=True)

    @property
    def python(self) -> Path:
        return self.tree / ".venv/bin/python"

    def pytest(self, mode: str, words: list[str]) -> None:
        """Run the tests at the given paths; the plugin does what `mode` says and leaves a file behind."""
        environment = {**os.environ, "MUTANTS": mode, "PYTHONDONTWRITEBYTECODE": "1",
                       "PATH": f"{self.python.parent}:{os.environ['PATH']}"}
        subprocess.run([self.python, "-m", "pytest", "-p", "mutantplugin", "-p", "no:cacheprovider", "-s",
                        "--continue-on-collection-errors", *words], cwd=self.tree, env=environment,
                       stdout=(self.folder / f"{mode}.log").open("w"), stderr=subprocess.STDOUT, check=False)

    def results(self) -> dict[int, dict[str, object]]:
        """Return what each change's run has shown so far, by its number."""
        path = self.folder / "results.json"
        return {int(number): result for number, result in json.loads(path.read_text()).items()} \
            if path.exists() else {}


def _equivalent() -> dict[str, str]:
    """Return the reasons of the changes that no test can notice, by their names."""
    return {change["name"]: change["reason"]
            for change in tomllib.loads(EQUIVALENT.read_text()).get("change", ())}


def main() -> int:
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10, help="changes of each package")
    parser.add_argument("--budget", type=int, default=60, help="processor seconds of tests for one change")
    parser.add_argument("--keep", type=Path, help="a folder that stays, and from which the next run goes on")
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", default=list(TESTS))
    options = parser.parse_args()
    unknown = sorted(package for package in options.packages if not tests(package))
    if unknown:
        parser.error(f"no such package: {', '.join(unknown)}; there are {', '.join(TESTS)}")
    with tempfile.TemporaryDirectory() as folder:
        run(options, (options.keep or Path(folder)).absolute())
    return 0


def run(options: argparse.Namespace, folder: Path) -> None:
    """Make the changes, run them, and print what survives and the table."""
    copy = Copy(folder, options.packages, options.seed, options.count)
    reasons = _equivalent()
    same = {number for number, each in copy.changes.items() if each.name in reasons}
    wanted = {number: [each.path, Path(each.path).stem]
              for number, each in copy.changes.items() if number not in same}
    (folder / "wanted.json").write_text(json.dumps({"budget": options.budget, "changes": wanted}))
    words = list(dict.fromkeys(path for package in options.packages for path in tests(package)))
    copy.pytest("measure", words)
    copy.pytest("run", words)
    results = copy.results()
    table: dict[str, Counter[str]] = {package: Counter() for package in options.packages}
    for number, each in copy.changes.items():
        row, result = table[each.package], results.get(number, {})
        row["changes"] += 1
        if number in same:
            row["equivalent"] += 1
        elif result.get("noticed"):
            row["noticed"] += 1
        else:
            print(f"survives {result.get('tests', 0)} tests: {each.name} (line {each.line})", flush=True)
    for package, row in [*table.items(), ("all", sum(table.values(), Counter()))]:
        judged = row["changes"] - row["equivalent"]
        print(f"{package}: {row['changes']} changes, {row['equivalent']} equivalent, {row['noticed']} noticed"
              f" ({row['noticed'] * 100 / max(judged, 1):.1f} %)")


if __name__ == "__main__":
    sys.exit(main())
