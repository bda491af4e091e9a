"""Trees as text, for `-x tree` and `dc --emit ast`: syntax trees, and the checker's typed trees."""

from __future__ import annotations

from collections.abc import Iterator

from dc.names.values import Value
from dc.source.tree import Node


def tree_lines(tree: Node | Value) -> Iterator[str]:
    """A tree as indented lines: a node, and below it its parts.

    A node of the syntax tree is shown with its kind, line and fields, a typed value with its type.
    """
    pending: list[tuple[Node | Value, int]] = [(tree, 0)]
    while pending:
        each, level = pending.pop()
        said = f"{each.describe()}: {each.type_name}" if isinstance(each, Value) else line_of(each)
        yield "  " * level + said
        children: list[Node | Value] = [*each.children()]
        pending += [(child, level + 1) for child in reversed(children)]


def line_of(node: Node) -> str:
    """A node of the syntax tree without its parts."""
    said: list[str] = []
    for name in type(node).__match_args__:
        value = getattr(node, name)
        plain = isinstance(value, list) and value and not any(isinstance(one, Node) for one in value)
        if name != "span" and (isinstance(value, str | int | bytes) or plain):
            said.append(f"{name}={value!r}")
    return " ".join([f"{type(node).__name__}:{node.span.line}", *said])
