"""Flame graphs of aggregations keyed by stacks: folded text, and a self-contained SVG."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape

from runtime.consumer import stacks
from runtime.consumer.blobs import looks_like_string, until_nul
from runtime.consumer.entries import Entry
from runtime.consumer.settings import Settings
from runtime.consumer.values import distribution_name

Folded = dict[tuple[str, ...], int]

_WIDTH, _ROW, _MARGIN, _TITLE = 1200, 17, 10, 40
_CHARACTER = 7.1  # columns of text to pixels
_NARROWEST = 0.3  # pixels


def fold(entries: Iterable[Entry], settings: Settings) -> Folded:
    """Stacks, outermost frame first, with their weights; other keys become the outermost frames.

    Entries without a stack among their keys, distributions, and weights below 1 are left out.
    """
    folded: Folded = {}
    for entry in entries:
        layout = entry.layout
        if distribution_name(layout.value.action) or not any(k.action in stacks.STACKS for k in layout.keys):
            continue
        weight = entry.value.scalar
        if weight < 1:
            continue
        names: list[str] = []
        frames: list[str] = []
        for key in layout.keys:
            data = entry.key(key)
            if key.action in stacks.STACKS:
                lines = stacks.stack_lines(key, data, settings.symbols)
                frames += [line.decode("utf-8", "replace").split("+0x")[0] for line in reversed(lines)]
            elif key.action in stacks.SYMBOLS:
                names.append(stacks.name(key, data, settings).decode("utf-8", "replace"))
            elif len(data) in (1, 2, 4, 8):
                names.append(str(int.from_bytes(data, "little", signed=True)))
            elif looks_like_string(data):
                names.append(until_nul(data).decode("utf-8", "replace"))
        path = tuple(name.replace(";", ":").replace("\n", " ") for name in names + frames)
        folded[path] = folded.get(path, 0) + weight
    return folded


def folded_text(folded: Folded) -> str:
    """One `frame;frame;frame weight` line a stack, sorted: what flame graph tools read."""
    return "".join(f"{';'.join(path)} {weight}\n" for path, weight in sorted(folded.items()))


@dataclass(slots=True)
class _Node:
    name: str
    weight: int = 0
    children: dict[str, _Node] = field(default_factory=dict)


def _tree(folded: Folded) -> tuple[_Node, int]:
    """The merged tree and its depth."""
    root, depth = _Node("all"), 0
    for path, weight in sorted(folded.items()):
        root.weight += weight
        node = root
        for name in path:
            node = node.children.setdefault(name, _Node(name))
            node.weight += weight
        depth = max(depth, len(path))
    return root, depth


def _colour(name: str) -> str:
    """A warm colour that is always the same for a name; kernel frames are cooler."""
    seed = zlib.crc32(name.encode())
    if name.startswith(("genunix`", "unix`")):
        return f"rgb({60 + seed % 60},{140 + (seed >> 8) % 60},{200 + (seed >> 16) % 50})"
    return f"rgb({205 + seed % 50},{90 + (seed >> 8) % 110},{30 + (seed >> 16) % 40})"


def svg(folded: Folded, title: str = "Flame graph") -> str:
    """The picture: widths are weights, the outermost frame is at the bottom, a tooltip names each."""
    root, depth = _tree(folded)
    height = _TITLE + (depth + 1) * _ROW + _MARGIN
    scale = (_WIDTH - 2 * _MARGIN) / (root.weight or 1)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" '
           f'viewBox="0 0 {_WIDTH} {height}" font-family="monospace" font-size="12">',
           f'<rect width="{_WIDTH}" height="{height}" fill="#fdf6e3"/>',
           f'<text x="{_WIDTH / 2:.0f}" y="24" text-anchor="middle" font-size="16">{escape(title)}</text>']
    pending: list[tuple[_Node, int, int]] = [(root, 0, 0)]
    while pending:
        node, start, level = pending.pop()
        width = node.weight * scale
        if width < _NARROWEST:
            continue
        out.append(_box(node, _MARGIN + start * scale, height - _MARGIN - (level + 1) * _ROW, width,
                        root.weight))
        at = start
        for child in node.children.values():
            pending.append((child, at, level + 1))
            at += child.weight
    return "\n".join(out) + "\n</svg>\n"


def _box(node: _Node, x: float, y: float, width: float, total: int) -> str:
    share = 100 * node.weight / (total or 1)
    fits = int(width / _CHARACTER)
    name = node.name if len(node.name) <= fits else node.name[:fits - 2] + ".." if fits > 3 else ""
    return (f'<g><title>{escape(node.name)} ({node.weight}, {share:.2f}%)</title>'
            f'<rect x="{x:.1f}" y="{y}" width="{max(width - 0.4, 0.1):.1f}" height="{_ROW - 1}" rx="1" '
            f'fill="{_colour(node.name)}"/>'
            + (f'<text x="{x + 3:.1f}" y="{y + 12}">{escape(name)}</text>' if name else "") + "</g>")
