"""`dc --emit html`: a program's source, tree, DIF and DOF in one page, each linked to the others.

Everything that is linked has labels: c1 is the clause of the first ECB, p1 its predicate, s3 the statement
with the number 3 (which actions bear in DOF, too), n7 a node of the tree, i2-5 an instruction.  `data-l` has
the labels that a piece goes by, `data-a` those that it lights when it is pointed at, `data-b` those around
it, which it lights less.  page.html has the looks, and the script that lights them.
"""

from __future__ import annotations

import html
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from dc.checking.treelines import line_of
from dc.source.tree import Node
from dif.disassembler import instruction
from dif.records import Record, field
from dof import format as dof
from dof.container import Container, parse
from dof.model import ACTION_NAMES

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dc.compiler import ClauseInfo
    from dc.diagnostics import Span
    from dif.difo import Difo
    from dof.model import Program

_TEMPLATE = "page.html"
_ROW, _WORD = 16, 4  # bytes of a line, and of an instruction
_Place = tuple[int, int]  # line and column, from 1
_NOWHERE = (0, 0), (0, 0)


class _Labels(Record):
    """The labels of statements, predicates and descriptions by their spans, and of sections of DOF."""

    by_span: dict[Span, list[str]] = field(default_factory=dict)
    by_section: dict[int, dict[str, None]] = field(default_factory=dict)


def page(name: str, text: str, nodes: Sequence[Node], program: Program, clauses: Sequence[ClauseInfo],
         data: bytes) -> bytes:
    """The page of one program: `nodes` are its syntax trees, `data` the DOF of `program`."""
    container = parse(data)
    labels = _Labels()
    for number, info in enumerate(clauses, 1):
        labels.by_span.setdefault(info.span, []).append(f"c{number}")
        if info.predicate is not None:
            labels.by_span.setdefault(info.predicate, []).append(f"p{number}")
        for statement, span in info.statements.items():
            labels.by_span.setdefault(span, []).append(f"s{statement}")
    source, tree = _Source(text), []
    counter = iter(range(1, 1 << 62))
    for node in nodes:
        tree += _tree(node, 0, (), (), labels, counter, source)
    _link_sections(container, labels.by_section)
    parts = {"TITLE": _text(name), "SOURCE": "".join(source.lines()), "TREE": "".join(tree),
             "DIF": "".join(_dif(container, program, clauses)), "DOF": "".join(_dof(container, data, labels))}
    with open(os.path.join(os.path.dirname(__file__), _TEMPLATE), encoding="utf-8") as file:
        template = file.read()
    whole = re.sub(f"@({'|'.join(parts)})@", lambda found: parts[found[1]], template)
    return whole.encode("utf-8", "backslashreplace")


def _text(text: str) -> str:
    """Text for the page: what a browser would not show is escaped."""
    return html.escape("".join(char if char.isprintable() or char in "\t\n" else ascii(char)[1:-1]
                               for char in text))


def _piece(text: str, member: Iterable[str], lights: Iterable[str], around: Iterable[str] = ()) -> str:
    """A piece of text with its labels."""
    near = f' data-b="{" ".join(around)}"' if around else ""
    return f'<span data-l="{" ".join(member)}" data-a="{" ".join(lights)}"{near}>{_text(text)}</span>'


# -- source and tree -------------------------------------------------------------------------------------

class _Source:
    """The text, and for each of its characters the labels that it goes by, outermost first."""

    def __init__(self, text: str) -> None:
        self._lines = text.removesuffix("\n").split("\n")
        self._labels: list[list[tuple[str, ...]]] = [[()] * len(line) for line in self._lines]
        self._around: dict[str, Sequence[str]] = {}  # by the node's own label

    def label(self, start: _Place, end: _Place, labels: Sequence[str], around: Sequence[str]) -> None:
        """Add labels, of which the last is a node's own, to the characters from `start` to before `end`."""
        self._around[labels[-1]] = around
        for number in range(start[0], min(end[0], len(self._lines)) + 1):
            row = self._labels[number - 1]
            first = start[1] - 1 if number == start[0] else 0
            last = min(end[1] - 1 if number == end[0] else len(row), len(row))
            for at in range(max(first, 0), last):
                row[at] = (*row[at], *labels)

    def lines(self) -> Iterator[str]:
        """Yield the lines of the page."""
        for number, (line, row) in enumerate(zip(self._lines, self._labels, strict=True), 1):
            yield f'<span class="number">{number}</span>'
            at = 0
            while at < len(line):
                end = next((n for n in range(at, len(line)) if row[n] != row[at]), len(line))
                text, labels = line[at:end], row[at]
                yield _piece(text, labels, labels[-1:], self._around[labels[-1]]) if labels else _text(text)
                at = end
            yield "\n"


def _tree(node: Node, level: int, member: tuple[str, ...], around: tuple[str, ...], labels: _Labels,
          counter: Iterator[int], source: _Source) -> list[str]:
    """The lines of a tree; labels its characters, too.

    A node goes by the labels of all that it is in (`member`); around it are those of the innermost one.
    """
    own = tuple(labels.by_span.get(node.span, ())) if node.span.line else ()
    new = [each for each in own if each not in member]
    member, around = (*member, *new), own or around
    name = f"n{next(counter)}"
    start, end = _extent(node)
    if start[0]:
        source.label(start, end, [*new, name], around)
    lines = [f'<span class="line">{"  " * level}'
             f'{_piece(line_of(node), (name, *member), [name], around)}</span>']
    for child in node.children():
        lines += _tree(child, level + 1, member, around, labels, counter, source)
    return lines


def _extent(node: Node) -> tuple[_Place, _Place]:
    """From where to where a node and all below it stand; (0, 0) for one that is not in the text."""
    span = node.span
    places = [((span.line, span.column), (span.line, span.end))] if span.line and not span.file else []
    places += [extent for child in node.children() if (extent := _extent(child))[0][0]]
    if not places:
        return _NOWHERE
    return min(first for first, _ in places), max(last for _, last in places)


# -- DIF -------------------------------------------------------------------------------------------------

def _dif(container: Container, program: Program, clauses: Sequence[ClauseInfo]) -> Iterator[str]:
    """Yield each clause with its objects.  An object that several actions share is shown with each."""
    ecbs = container.of_type(dof.ECBDESC)
    for number, (ecb, info, index) in enumerate(zip(program.ecbs, clauses, ecbs, strict=True), 1):
        desc, = dof.unpack_all(dof.EcbDesc, container.contents(index), container.order)
        yield f'<h3>{_piece(f"clause {number}: {info.description}", [f"c{number}"], [f"c{number}"])}</h3>'
        if ecb.predicate is not None:
            yield from _object("predicate", ecb.predicate, desc.predicate, f"p{number}")
        actions = [] if desc.actions == dof.NONE else dof.unpack_all(
            dof.ActionDesc, container.contents(desc.actions), container.order)
        for action, row in zip(ecb.actions, actions, strict=True):
            yield from _object(ACTION_NAMES[action.kind], action.difo, row.difo, f"s{action.uarg}")


def _object(what: str, difo: Difo | None, section: int, label: str) -> Iterator[str]:
    yield f'<span class="line">{_piece(what, [label], [label])}</span>'
    for at, word in enumerate(difo.text if difo is not None else ()):
        name = f"i{section}-{at}"
        yield f'<span class="line"><span class="offset">{at}</span>' \
              f'{_piece(instruction(word, difo).expandtabs(6), [name, label], [name], [label])}</span>'


# -- DOF -------------------------------------------------------------------------------------------------

def _link_sections(container: Container, by_section: dict[int, dict[str, None]]) -> None:
    """Find out which sections belong to which clauses, predicates and statements."""
    def link(index: int, label: str) -> None:
        if index == dof.NONE:
            return
        by_section.setdefault(index, {})[label] = None
        if container.sections[index].type == dof.DIFOHDR:
            raw = container.contents(index)[dof.size_of(dof.TypeDesc):]
            for below in dof.words(raw, 4, container.order):
                link(below, label)

    for number, index in enumerate(container.of_type(dof.ECBDESC), 1):
        ecb, = dof.unpack_all(dof.EcbDesc, container.contents(index), container.order)
        for section in (index, ecb.probes):
            link(section, f"c{number}")
        link(ecb.predicate, f"p{number}")
        if ecb.actions != dof.NONE:
            for action in dof.unpack_all(dof.ActionDesc, container.contents(ecb.actions), container.order):
                link(ecb.actions, f"s{action.uarg}")
                link(action.difo, f"s{action.uarg}")


def _dof(container: Container, data: bytes, labels: _Labels) -> Iterator[str]:
    """Yield the bytes: header, section headers, then each section, in the order of the file."""
    head, size = container.header.section_offset, container.header.section_size
    yield "<h3>header</h3>"
    yield from _rows(data, 0, head, ())
    yield "<h3>section headers</h3>"
    for index in range(len(container.sections)):
        yield from _rows(data, head + index * size, size, list(labels.by_section.get(index, ())))
    objects = _instructions(container)
    for index, section in sorted(enumerate(container.sections), key=lambda each: each[1].offset):
        mine, start = list(labels.by_section.get(index, ())), section.offset
        name = f"{index} {dof.section_name(section.type)}"
        yield f"<h3>{_piece(name, mine, mine) if mine else _text(name)}</h3>"
        if section.type == dof.ACTDESC:
            for row in dof.unpack_all(dof.ActionDesc, container.contents(index), container.order):
                yield from _rows(data, start, section.entry_size, [f"s{row.uarg}"])
                start += section.entry_size
        elif section.type == dof.DIF:
            for at in range(section.size // _WORD):
                own = [f"i{head}-{at}" for head in objects[index]]
                yield from _rows(data, start + at * _WORD, _WORD, own, mine)
        else:
            yield from _rows(data, start, section.size, mine)


def _rows(data: bytes, start: int, size: int, lights: Sequence[str], around: Sequence[str] = ()
          ) -> Iterator[str]:
    """Yield bytes of the file, sixteen in a line."""
    for at in range(start, start + size, _ROW):
        text = data[at:min(at + _ROW, start + size)].hex(" ", -4)
        linked = [*lights, *around]
        shown = _piece(text, linked, lights, around) if linked else f"<span>{text}</span>"
        yield f'<span class="line"><span class="offset">{at:x}</span>{shown}</span>'


def _instructions(container: Container) -> Mapping[int, list[int]]:
    """For each DIF section, the objects (DIFOHDR sections) whose instructions it has."""
    found: dict[int, list[int]] = defaultdict(list)
    for index in container.of_type(dof.DIFOHDR):
        for below in dof.words(container.contents(index)[dof.size_of(dof.TypeDesc):], 4, container.order):
            if container.sections[below].type == dof.DIF:
                found[below].append(index)
    return found
