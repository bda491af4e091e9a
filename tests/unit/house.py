"""What the sources say about themselves: who imports whom, which constants stand where."""

from __future__ import annotations

import ast
import functools
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("dif", "dof", "dc", "runtime")


class Arrow(NamedTuple):
    """`source` needs `target`, both module names; `typing` where only a type checker does."""

    source: str
    target: str
    typing: bool


@functools.cache
def modules() -> dict[str, Path]:
    """Every module by its dotted name; a package by its own."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path
    return found


@functools.cache
def tree(name: str) -> ast.Module:
    return ast.parse(modules()[name].read_text(encoding="utf-8"))


def room(name: str) -> str:
    """The directory of a module."""
    return str(modules()[name].parent.relative_to(ROOT))


@functools.cache
def arrows() -> frozenset[Arrow]:
    """Every import, inside functions too, and every use of another package's data."""
    found: set[Arrow] = set()
    for name in modules():
        found.update(Arrow(name, target, typing) for target, typing in _imports(name, tree(name), False)
                     if target != name)
        found.update(Arrow(name, target, False) for target in _opened(name))
    return frozenset(found)


def _imports(name: str, node: ast.AST, typing: bool) -> Iterator[tuple[str, bool]]:
    for child in ast.iter_child_nodes(node):
        inner = typing or (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test))
        if isinstance(child, ast.Import):
            yield from ((alias.name, inner) for alias in child.names if alias.name in modules())
        elif isinstance(child, ast.ImportFrom):
            for alias in child.names:
                for target in (f"{child.module}.{alias.name}", child.module or ""):
                    if target in modules():
                        yield target, inner
                        break
        yield from _imports(name, child, inner)


@functools.cache
def _data() -> dict[str, str]:
    """Files that are no modules, by the end of their paths: the package that they belong to."""
    found = {}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*"):
            if path.is_file() and path.suffix not in (".py", ".pyc") and path.name != "README.md":
                found[path.name] = package
    return found


def _opened(name: str) -> Iterator[str]:
    """Modules and data files of other packages that are named in strings, such as an argument of open()."""
    package = name.partition(".")[0]
    documents = {id(node.body[0].value) for node in ast.walk(tree(name))  # type: ignore[attr-defined]
                 if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node)}
    for node in ast.walk(tree(name)):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in documents:
            continue
        text = node.value
        if text in modules() and "." in text:
            yield text
        owner = _data().get(text.rpartition("/")[2]) if text else None
        if owner is not None and owner != package:
            yield owner


def circles(edges: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Groups of modules of which each leads to every other (Tarjan's strongly connected components)."""
    graph = defaultdict(list)
    for source, target in edges:
        graph[source].append(target)
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    path: list[str] = []
    found = []

    def visit(name: str) -> None:
        number[name] = low[name] = len(number)
        path.append(name)
        for target in graph[name]:
            if target not in number:
                visit(target)
                low[name] = min(low[name], low[target])
            elif target in path:
                low[name] = min(low[name], number[target])
        if low[name] == number[name]:
            group = path[path.index(name):]
            del path[path.index(name):]
            if len(group) > 1:
                found.append(sorted(group))

    for name in list(graph):
        if name not in number:
            visit(name)
    return sorted(found)


class Constant(NamedTuple):
    """A number with a name of its own, in capitals, at the top of a module."""

    module: str
    name: str
    value: int | float


@functools.cache
def constants() -> tuple[Constant, ...]:
    """Every numeric constant; a leading underscore is no part of the name."""
    return tuple(constant for name in modules() for node in tree(name).body
                 for constant in _constants(name, node))


def _constants(module: str, node: ast.stmt) -> Iterator[Constant]:
    pairs: list[tuple[ast.expr, ast.expr]] = []
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        pairs.append((node.target, node.value))
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs += zip(target.elts, node.value.elts, strict=False)
            else:
                pairs.append((target, node.value))
    for target, value in pairs:
        if isinstance(target, ast.Name) and target.id.lstrip("_").isupper():
            number = _number(value)
            if number is not None:
                yield Constant(module, target.id.lstrip("_"), number)


def _number(node: ast.expr) -> int | float | None:
    """What an expression of numbers alone is worth."""
    allowed = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)
    if not all(isinstance(each, allowed) for each in ast.walk(node)):
        return None
    value = eval(compile(ast.Expression(node), "", "eval"), {"__builtins__": {}})
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
