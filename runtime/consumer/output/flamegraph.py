"""Flame graphs of aggregations keyed by stacks: folded text, and a self-contained SVG."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from html import escape

from dif.records import Record, field
from runtime.consumer.aggregations.entries import Entry
from runtime.consumer.aggregations.results import distribution_name
from runtime.consumer.events import stacks
from runtime.consumer.events.names import printable
from runtime.consumer.events.recordbytes import looks_like_string, until_nul
from runtime.consumer.events.settings import Settings

Folded = dict[tuple[str, ...], int]

_WIDTH, _ROW, _MARGIN, _TITLE = 1200, 17, 10, 40
_FIELD = 230  # pixels of the field for searching
_XHTML = "http://www.w3.org/1999/xhtml"
_CHARACTER = 7.1  # columns of text to pixels
_NARROWEST = 0.3  # pixels

_STYLE = """
.flame { --back: #fdf6e3; --text: #1c1e21; --dim: #6a7078; background: var(--back); max-width: 100%; }
.flame > rect { fill: var(--back); }
.flame text { fill: var(--text); pointer-events: none; }
.flame g text { fill: #16181c; }
.flame g { cursor: pointer; }
.flame g:hover rect { stroke: var(--text); }
.flame g.found rect { fill: #c040ff; }
.flame .faded { opacity: .55; }
.flame input { width: 100%; box-sizing: border-box; font: 12px monospace; padding: 1px 4px;
  color: var(--text); background: var(--back); border: 1px solid var(--dim); border-radius: 3px; }
@media (prefers-color-scheme: dark) { .flame { --back: #16181c; --text: #dfe2e7; --dim: #8b929c; } }
"""

# A click makes a frame as wide as the picture, a click on the lowest (or Escape) shows all again; what is
# typed into the field marks the frames whose names have it, and tells their share.  `/` leads to the field.
_SCRIPT = """
{
const svg = document.currentScript.closest("svg"), [left, width, character] = %s;
const frames = [...svg.querySelectorAll("g")], field = svg.querySelector("input");
const share = svg.querySelector(".share"), of = (frame, name) => Number(frame.dataset[name]);
let chosen = frames[0];
function fit(name, pixels) {
  const short = name.slice(name.indexOf("`") + 1), fits = Math.floor(pixels / character);
  if (name.length <= fits) return name;
  return short.length <= fits ? short : fits > 3 ? short.slice(0, fits - 2) + ".." : "";
}
function zoom(wanted) {
  chosen = wanted;
  const from = of(chosen, "at"), to = from + of(chosen, "weight"), level = of(chosen, "level");
  for (const frame of frames) {
    const at = of(frame, "at"), end = at + of(frame, "weight");
    const [box, text] = frame.querySelectorAll("rect, text");
    frame.style.display = at < to && end > from ? "" : "none";
    frame.classList.toggle("faded", of(frame, "level") < level);
    const x = left + (Math.max(at, from) - from) * width / (to - from);
    const pixels = (Math.min(end, to) - Math.max(at, from)) * width / (to - from);
    box.setAttribute("x", x);
    box.setAttribute("width", Math.max(pixels - 0.4, 0.1));
    text.setAttribute("x", x + 3);
    text.textContent = fit(frame.dataset.name, pixels);
  }
  search();
}
function search() {
  const part = field.value.toLowerCase(), found = [];
  for (const frame of frames) {
    const has = part !== "" && frame.dataset.name.toLowerCase().includes(part);
    frame.classList.toggle("found", has);
    if (has && frame.style.display !== "none") found.push(frame);
  }
  const from = of(chosen, "at"), to = from + of(chosen, "weight");
  let sum = 0, covered = from;
  found.sort((one, other) => of(one, "at") - of(other, "at") || of(one, "level") - of(other, "level"));
  for (const frame of found) {
    const at = of(frame, "at"), start = Math.max(at, covered), end = Math.min(at + of(frame, "weight"), to);
    if (end > start) { sum += end - start; covered = end; }
  }
  share.textContent = part && to > from ? (100 * sum / (to - from)).toFixed(1) + "%%" : "";
}
frames.forEach(frame => frame.addEventListener("click", () => zoom(frame)));
field.addEventListener("input", search);
document.addEventListener("keydown", event => {
  if (event.key === "/" && document.activeElement !== field) { field.focus(); event.preventDefault(); }
  if (event.key === "Escape") { field.value = ""; zoom(frames[0]); }
});
}
"""


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
        path = tuple(printable(name.replace(";", ":").replace("\n", " ")) for name in names + frames)
        folded[path] = folded.get(path, 0) + weight
    return folded


def folded_text(folded: Folded) -> str:
    """One `frame;frame;frame weight` line a stack, sorted: what flame graph tools read."""
    return "".join(f"{';'.join(path)} {weight}\n" for path, weight in sorted(folded.items()))


class _Node(Record):
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
    place = _WIDTH - _MARGIN - _FIELD
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" class="flame" width="{_WIDTH}" height="{height}" '
           f'viewBox="0 0 {_WIDTH} {height}" font-family="monospace" font-size="12">',
           f'<style>{_STYLE}</style>',
           f'<rect width="{_WIDTH}" height="{height}"/>',
           f'<text x="{_WIDTH / 2:.0f}" y="24" text-anchor="middle" font-size="16">{escape(title)}</text>',
           f'<text class="share" x="{place - 8}" y="24" text-anchor="end"/>',
           f'<foreignObject x="{place}" y="8" width="{_FIELD}" height="24"><input xmlns="{_XHTML}" '
           f'placeholder="search ( / )" aria-label="search" /></foreignObject>']
    pending: list[tuple[_Node, int, int]] = [(root, 0, 0)]
    while pending:
        node, start, level = pending.pop()
        width = node.weight * scale
        if width < _NARROWEST:
            continue
        out.append(_box(node, start, _MARGIN + start * scale, height - _MARGIN - (level + 1) * _ROW, width,
                        root.weight, level))
        at = start
        for child in node.children.values():
            pending.append((child, at, level + 1))
            at += child.weight
    script = _SCRIPT % [_MARGIN, _WIDTH - 2 * _MARGIN, _CHARACTER]
    return "\n".join(out) + f"\n<script><![CDATA[{script}]]></script>\n</svg>\n"


def _fit(name: str, width: float) -> str:
    """A name, or as much of it as a box has room for: without its module, or cropped."""
    fits = int(width / _CHARACTER)
    if len(name) <= fits:
        return name
    short = name.partition("`")[2] or name
    return short if len(short) <= fits else short[:fits - 2] + ".." if fits > 3 else ""


def _box(node: _Node, at: int, x: float, y: float, width: float, total: int, level: int) -> str:
    share, name = 100 * node.weight / total, escape(node.name)
    return (f'<g data-at="{at}" data-weight="{node.weight}" data-level="{level}" data-name="{name}">'
            f'<title>{name} ({node.weight}, {share:.2f}%)</title>'
            f'<rect x="{x:.1f}" y="{y}" width="{max(width - 0.4, 0.1):.1f}" height="{_ROW - 1}" rx="1" '
            f'fill="{_colour(node.name)}"/>'
            f'<text x="{x + 3:.1f}" y="{y + 12}">{escape(_fit(node.name, width))}</text></g>')
