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


class Import(NamedTuple):
    """`import module`, or `from module import name`; `typing` where only a type checker does it."""

    module: str
    name: str  # empty for a plain import
    typing: bool


class Source(NamedTuple):
    """What one module says, without its tree: those of all would be a burden for what runs afterwards."""

    docstring: str | None
    statements: int  # at the top, with the docstring
    imports: tuple[Import, ...]  # inside functions, too
    strings: frozenset[str]  # but for docstrings
    constants: tuple[Constant, ...]


class Constant(NamedTuple):
    """A number with a name of its own, in capitals, at the top of a module; no underscore leads it."""

    module: str
    name: str
    value: int | float


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
def source(name: str) -> Source:
    tree = ast.parse(modules()[name].read_text(encoding="utf-8"))
    imports: list[Import] = []
    strings: set[str] = set()
    nodes: list[tuple[ast.AST, bool]] = [(tree, False)]
    for node, typing in nodes:
        children = list(ast.iter_child_nodes(node))
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            children.remove(node.body[0])
        elif isinstance(node, ast.If):
            typing = typing or "TYPE_CHECKING" in ast.unparse(node.test)
        elif isinstance(node, ast.Import):
            imports += [Import(alias.name, "", typing) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: relative import"
            imports += [Import(node.module or "", alias.name, typing) for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            strings.add(node.value)
        nodes += [(child, typing) for child in children if not isinstance(child, ast.expr_context)]
    return Source(ast.get_docstring(tree), len(tree.body), tuple(imports), frozenset(strings),
                  tuple(constant for node in tree.body for constant in _constants(name, node)))


def room(name: str) -> str:
    """The directory of a module."""
    return str(modules()[name].parent.relative_to(ROOT))


@functools.cache
def arrows() -> frozenset[Arrow]:
    """Every import, inside functions too, and every use of another package's data."""
    found = {Arrow(name, target, typing) for name in modules() for target, typing in _imported(name)}
    found |= {Arrow(name, target, False) for name in modules() for target in _opened(name)}
    return frozenset(arrow for arrow in found if arrow.source != arrow.target)


def _imported(name: str) -> Iterator[tuple[str, bool]]:
    for each in source(name).imports:
        for target in (f"{each.module}.{each.name}", each.module):
            if target in modules():
                yield target, each.typing
                break


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
    for text in source(name).strings:
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


@functools.cache
def constants() -> tuple[Constant, ...]:
    """Every numeric constant."""
    return tuple(constant for name in modules() for constant in source(name).constants)


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
