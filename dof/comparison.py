"""Two programs compared by what they mean: `difdis --diff`.

Each program becomes an outline: blocks (an option, an ECB, a probe of a provider, a translator) with lines
that say what is in them.  Whatever only numbers things is resolved or counted anew: strings, integers and
variables stand where an instruction refers to them, branches go to labels, and a consumer's own arguments are
ordinals.  Two programs whose outlines agree mean the same; the order of sections, of string tables and of
variables' numbers has no part in it, nor have the text of the program, comments and the name of a system.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dif import disassembler, isa, syntax
from dif.difo import Difo, DifVar
from dif.records import NamedTuple
from dof.format import DofError
from dof.model import ACTION_NAMES, Action, Ecb, Probe, Program, Provider, Translator
from dof.options import OPTION_NAMES

_MOST_LINES = 1 << 18  # of an outline
_MOST_PAIRS = 1 << 24  # lines of one by lines of the other that are compared in search of the fewest changes
_CONTEXT = 2  # lines shown around a change
_USER_VARIABLES = 0x500  # DIF_VAR_OTHER_UBASE: numbers from here on are the compiler's choice


class Block(NamedTuple):
    """Something that either program has, and in which they may differ; `name` is unique in an outline."""

    name: str
    lines: tuple[str, ...]


def differences(old: Program, new: Program) -> list[str]:
    """How `new` differs from `old`: lines that begin with `-`, `+` or a blank, below the names of blocks.

    Empty if they mean the same.  Raises DofError for programs too large to compare.
    """
    before, after = outline(old), outline(new)
    if before == after:
        return []
    shown: list[str] = []
    for first, second in _paired(before, after):
        if first == second:
            continue
        name = first.name if first is not None else second.name if second is not None else ""
        shown.append(f"  {name}")
        shown += _changes(first.lines if first is not None else ("(none)",),
                          second.lines if second is not None else ("(none)",))
    return shown


def outline(program: Program) -> list[Block]:
    """The blocks of a program, each with a name of its own.  Raises DofError if it is too large."""
    blocks: list[Block] = []
    counts: dict[str, int] = {}
    for block in _blocks(program, _Names()):
        counts[block.name] = number = counts.get(block.name, 0) + 1
        blocks.append(block if number == 1 else Block(f"{block.name} (number {number})", block.lines))
    return blocks


def _blocks(program: Program, names: _Names) -> Iterator[Block]:
    yield Block("data model", ({1: "ILP32", 2: "LP64"}.get(program.model, str(program.model)),))
    for number, value in sorted(dict(program.options).items()):
        yield Block(f"option {OPTION_NAMES.get(number, number)}", (str(value),))
    for translator in program.translators:
        yield Block(f"translator {', '.join(translator.inputs)} -> {translator.type}",
                    tuple(_translator(translator, program, names)))
    for ecb in program.ecbs:
        yield Block(f"clause {ecb.probe}", tuple(_ecb(ecb, program, names)))
    for provider in sorted(program.providers, key=lambda each: each.name):
        yield from _provider(provider, program)
    for difo in program.difos:
        yield Block("DIF object", tuple(_difo(difo, program, names)))


class _Names:
    """What the variables of a program are called: two of one name and scope stay two.

    It also counts the lines: objects can be referred to many times, and a small file mean very many.
    """

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, str], dict[int, int]] = {}
        self._room = _MOST_LINES

    def spend(self, difo: Difo) -> None:
        """Account for the lines of an object.  Raises DofError when there are too many."""
        self._room -= 1 + len(difo.text) + len(difo.vartab) + len(difo.kreltab) + len(difo.ureltab)
        if self._room < 0:
            raise DofError("program", f"more than {_MOST_LINES} lines to compare")

    def variable(self, variable: DifVar) -> str:
        """The name of a variable, and its number if the system gave it."""
        name = {isa.SCOPE_THREAD: "self->", isa.SCOPE_LOCAL: "this->"}.get(variable.scope, "") + variable.name
        if variable.scope == isa.SCOPE_GLOBAL and variable.id < _USER_VARIABLES:
            return f"{name}({variable.id:#x})"
        numbers = self._numbers.setdefault((variable.scope, variable.name), {})
        place = numbers.setdefault(variable.id, len(numbers) + 1)
        return name if place == 1 else f"{name}#{place}"


# -- the lines of a block --------------------------------------------------------------------------------

def _ecb(ecb: Ecb, program: Program, names: _Names) -> Iterator[str]:
    if ecb.probe.id:
        yield f"probe {ecb.probe.id}"
    if ecb.predicate is not None:
        yield "predicate"
        yield from _indented(_difo(ecb.predicate, program, names))
    statements: dict[int, int] = {}
    for action in ecb.actions:
        ordinal = statements.setdefault(action.uarg, len(statements) + 1)
        yield from _action(action, ordinal, program, names)


def _action(action: Action, statement: int, program: Program, names: _Names) -> Iterator[str]:
    parts = [f"statement {statement}: {syntax.name_of(ACTION_NAMES, action.kind)}"]
    parts += [f"argument {action.arg:#x}"] if action.arg else []
    parts += [f"keys {action.ntuple}"] if action.ntuple else []
    parts += [_quoted(action.string)] if action.string is not None else []
    yield " ".join(parts)
    if action.difo is not None:
        yield from _indented(_difo(action.difo, program, names))


def _translator(translator: Translator, program: Program, names: _Names) -> Iterator[str]:
    yield f"{'exported' if translator.exported else 'imported'} {'/'.join(map(str, translator.attributes))}"
    for member in translator.members:
        yield f"member {member.name}: {syntax.type_text(member.type)}"
        if member.difo is not None:
            yield from _indented(_difo(member.difo, program, names))


def _provider(provider: Provider, program: Program) -> Iterator[Block]:
    kinds = ("provider", "module", "function", "name", "arguments")
    lines = [f"stability of {kind}: {'/'.join(map(str, each))}"
             for kind, each in zip(kinds, provider.attributes, strict=True)]
    lines += [f"exports {program.translators[number].type}" for number in provider.exports
              if number < len(program.translators)]
    yield Block(f"provider {provider.name}", tuple(lines))
    for probe in sorted(provider.probes, key=lambda each: (each.name, each.function, each.address)):
        yield Block(f"probe {provider.name}::{probe.function}:{probe.name}", tuple(_probe(probe)))


def _probe(probe: Probe) -> Iterator[str]:
    symbol = "" if probe.symbol is None else f" {probe.symbol or '(no name)'}"
    yield f"address {probe.address:#x}{symbol}"
    for number, kind in enumerate(probe.native):
        yield f"native argument {number}: {kind}"
    for number, kind in enumerate(probe.xlated):
        source = f" from {probe.mapping[number]}" if number < len(probe.mapping) else ""
        yield f"args[{number}]: {kind}{source}"
    for what, offsets in (("probe", probe.offsets), ("is-enabled test", probe.enabled_offsets)):
        for offset in sorted(offsets):
            yield f"{what} at {offset:+#x}"


def _difo(difo: Difo, program: Program, names: _Names) -> Iterator[str]:
    """The object with all that it refers to in its place, labels where branches go, and its tables' rest."""
    names.spend(difo)
    yield f"returns {syntax.type_text(difo.rtype)}"
    rows = sorted((names.variable(each), each) for each in difo.vartab)
    for name, each in rows:
        yield (f"variable {name}: {syntax.name_of(syntax.VARIABLE_KINDS, each.kind)} "
               f"{syntax.flags_text(syntax.VARIABLE_FLAGS, each.flags)} {syntax.type_text(each.type)}")
    for kind, table in (("kernel", difo.kreltab), ("user", difo.ureltab)):
        for reloc in table:
            yield (f"{kind} relocation {syntax.name_of(syntax.RELOCATIONS, reloc.type)} {reloc.name} "
                   f"{reloc.offset} {reloc.data:#x}")
    for each_type in difo.typtab:
        yield f"type {syntax.type_text(each_type)}"
    variables = {(each.scope, each.id): name for name, each in reversed(rows) if each.name}
    targets = sorted({word & 0xFFFFFF for word in difo.text if _is_branch(word)})
    labels = {target: f"L{number}" for number, target in enumerate(targets, 1)}
    for at, word in enumerate(difo.text):
        if at in labels:
            yield f"{labels[at]}:"
        yield "  " + _instruction(word, difo, program, variables, labels)


def _is_branch(word: int) -> bool:
    opcode = isa.OPCODES.get(word >> 24)
    return opcode is not None and any(each.role == "label" for each in syntax.operands(opcode.format))


def _instruction(word: int, difo: Difo, program: Program, variables: dict[tuple[int, int], str],
                 labels: dict[int, str]) -> str:
    """One instruction as the assembler writes it, but for what its operands refer to."""
    opcode = isa.OPCODES.get(word >> 24)
    if opcode is None or word & syntax.reserved(opcode.format):
        return disassembler.instruction(word)
    shown = []
    for operand in syntax.operands(opcode.format):
        value = operand.get(word)
        meant = operand.text(value)
        if operand.role == "integer" and value < len(difo.inttab):
            meant = f"{difo.inttab[value]:#x}"
        elif operand.role == "string" and value < len(difo.strtab):
            meant = syntax.quote(difo.string(value))
        elif operand.role == "variable":
            meant = variables.get((syntax.scope_of(opcode), value), meant)
        elif operand.role == "label":
            meant = labels[value]
        elif operand.role == "translation" and value < len(difo.xltab):
            ref = difo.xltab[value]
            meant = f"{_member(program, ref.translator, ref.member)}({ref.argument})"
        shown.append(meant)
    return f"{opcode.name:<4} {', '.join(shown)}".rstrip()


def _member(program: Program, number: int, member: int) -> str:
    if number < len(program.translators) and member < len(program.translators[number].members):
        translator = program.translators[number]
        return f"{translator.type}.{translator.members[member].name}"
    return f"translator {number}.{member}"


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def _quoted(text: str) -> str:
    return syntax.quote(text.encode("utf-8", "surrogateescape"))


# -- what has changed ------------------------------------------------------------------------------------

def _paired(old: Sequence[Block], new: Sequence[Block]) -> Iterator[tuple[Block | None, Block | None]]:
    """Blocks of one name together, in the order of the old outline, with None where one side has none.

    A block of the new outline that stands in another order than before is a change, too: clauses run in
    their order.
    """
    fresh = {block.name: block for block in new}
    known = {block.name for block in old}
    for block in old:
        yield block, fresh.get(block.name)
    yield from ((None, block) for block in new if block.name not in known)
    was = [block.name for block in old if block.name in fresh]
    now = [block.name for block in new if block.name in known]
    if was != now:
        yield Block("order", tuple(was)), Block("order", tuple(now))


def _changes(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """The lines that are gone and that are new, with a few around them."""
    from difflib import SequenceMatcher

    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    old, new, lead = old[start:], new[start:], old[max(0, start - _CONTEXT):start]
    shown = [f"    {line}" for line in lead]
    if len(old) * len(new) > _MOST_PAIRS:
        return [*shown, f"-   ({len(old)} lines)", f"+   ({len(new)} lines)"]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        for tag, first, end, begin, stop in group:
            if tag == "equal":
                shown += [f"    {line}" for line in old[first:end]]
            else:
                shown += [f"-   {line}" for line in old[first:end]]
                shown += [f"+   {line}" for line in new[begin:stop]]
    return shown
