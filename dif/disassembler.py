"""Difo → text: the classic listing of `dtrace -S`, and a complete form that assembles again."""

from __future__ import annotations

from dif import isa, syntax
from dif.difo import Difo, DifType, DifVar, Reloc
from dif.isa import Op

# -- the complete form -----------------------------------------------------------------------------


def text(difo: Difo, name: str = "d0") -> str:
    """`difo` as text from which the assembler makes the same object.

    A word that no instruction spells (an unknown opcode, reserved bits set)
    appears as `.word`.  Ends in a newline.
    """
    lines = [f".difo {name}", f".returns {syntax.type_text(difo.rtype)}"]
    lines += [f".integer {value:#x}" for value in difo.inttab]
    lines += _string_lines(difo.strtab)
    lines += [_variable_line(variable) for variable in difo.vartab]
    lines += [f".translation {ref.translator} {ref.member} {ref.argument}" for ref in difo.xltab]
    lines += [f".type {syntax.type_text(kind)}" for kind in difo.typtab]
    lines += [_reloc_line(".kernel-relocation", reloc) for reloc in difo.kreltab]
    lines += [_reloc_line(".user-relocation", reloc) for reloc in difo.ureltab]
    lines += [f"\t{instruction(word, difo)}" for word in difo.text]
    return "\n".join(lines) + "\n"


def instruction(word: int, difo: Difo | None = None) -> str:
    """One instruction word; with its object, a comment says what it refers to."""
    opcode = isa.OPCODES.get(word >> 24)
    if opcode is None or word & syntax.reserved(opcode.format):
        return f".word {word:#010x}"
    hidden = "r2" if opcode.code == Op.PUSHTV and not syntax.OPERANDS["r2"].get(word) else ""
    line = _spelling(opcode, word, hidden)
    comment = _comment(opcode, word, difo) if difo is not None else None
    return f"{line}\t\t! {comment}" if comment else line


def _spelling(opcode: isa.Opcode, word: int, hidden: str) -> str:
    """Name and operands, all but the one named `hidden`: pushtv has no use for its size register."""
    named = zip(syntax.names(opcode.format), syntax.operands(opcode.format), strict=True)
    shown = [operand.text(operand.get(word)) for name, operand in named if name != hidden]
    return f"{opcode.name:<4} {', '.join(shown)}" if shown else opcode.name


def _string_lines(table: bytes) -> list[str]:
    *whole, rest = table.split(b"\0")
    lines = [f".string {syntax.quote(raw)}" for raw in whole]
    return [*lines, f".ascii {syntax.quote(rest)}"] if rest else lines


def _variable_line(variable: DifVar) -> str:
    name = syntax.quote(variable.name.encode("utf-8", "surrogateescape"))
    return (f".variable {name} {variable.id:#x} {syntax.name_of(syntax.VARIABLE_KINDS, variable.kind)} "
            f"{syntax.name_of(syntax.SCOPES, variable.scope)} "
            f"{syntax.flags_text(syntax.VARIABLE_FLAGS, variable.flags)} {syntax.type_text(variable.type)}")


def _reloc_line(directive: str, reloc: Reloc) -> str:
    name = syntax.quote(reloc.name.encode("utf-8", "surrogateescape"))
    kind = syntax.name_of(syntax.RELOCATIONS, reloc.type)
    return f"{directive} {name} {kind} {reloc.offset} {reloc.data:#x}"


# -- comments --------------------------------------------------------------------------------------

_TYPE_NAMES = {isa.TYPE_CTF: "D type", isa.TYPE_STRING: "string"}


def _comment(opcode: isa.Opcode, word: int, difo: Difo) -> str | None:
    """What the instruction's reference means, as far as the object tells."""
    for operand in syntax.operands(opcode.format):
        value = operand.get(word)
        if operand.role == "integer" and value < len(difo.inttab):
            return f"{difo.inttab[value]:#x}"
        if operand.role == "string" and value < len(difo.strtab):
            return syntax.quote(difo.string(value))
        if operand.role == "variable":
            name = _variable_name(difo, value, syntax.scope_of(opcode))
            return f"{operand.text(value)} = {syntax.quote(name.encode('utf-8', 'surrogateescape'))}" \
                if name else None
        if operand.role == "subroutine":
            return _subroutine_name(value)
        if operand.role == "type" and value in _TYPE_NAMES:
            return f"{operand.text(value)} = {_TYPE_NAMES[value]}"
        if operand.role == "translation" and value < len(difo.xltab):
            ref = difo.xltab[value]
            return f"{operand.text(value)} = {ref.translator}.{ref.member}"
    return None


def _variable_name(difo: Difo, number: int, scope: int) -> str | None:
    return next((variable.name for variable in difo.vartab
                 if variable.id == number and variable.scope == scope), None)


def _subroutine_name(number: int) -> str:
    for target in isa.TARGETS:
        row = isa.subroutines(target).get(number)
        if row is not None:
            return row.name
    return "unknown"


# -- the classic listing ---------------------------------------------------------------------------


def listing(difo: Difo, address: int = 0) -> str:
    """`difo` as `dtrace -S` lists it: instructions, then variables, then relocations.

    `address` is what the heading shows where the real command shows the
    object's address.  Begins with an empty line, ends in a newline.
    """
    lines = ["", f"DIFO {address:#x} returns {_type_phrase(difo.rtype)}",
             f"{'OFF':<3} {'OPCODE':<8}    INSTRUCTION"]
    lines += [f"{pc:02d}: {word:08x}    {_listed(word, difo)}" for pc, word in enumerate(difo.text)]
    if difo.vartab:
        lines += ["", f"{'NAME':<16} {'ID':<4} {'KND':<3} {'SCP':<3} {'FLAG':<4} TYPE"]
        lines += [_variable_row(variable) for variable in difo.vartab]
    if difo.xltab:
        lines += ["", f"{'XLID':<4} {'ARG':<3} MEMBER"]
        lines += [f"{ref.translator:<4} {ref.argument:<3} {ref.member}" for ref in difo.xltab]
    for heading, table in (("KREL", difo.kreltab), ("UREL", difo.ureltab)):
        if table:
            lines += ["", f"{heading:<4} {'OFFSET':<8} {'DATA':<8} NAME"]
            lines += [f"{reloc.type:<4} {reloc.offset:<8} {reloc.data:<8} {reloc.name}" for reloc in table]
    return "\n".join(lines) + "\n"


def _listed(word: int, difo: Difo) -> str:
    opcode = isa.OPCODES.get(word >> 24)
    if opcode is None:
        return "(illegal opcode)"
    line = _spelling(opcode, word, "r2" if opcode.code == Op.PUSHTV else "")
    comment = _comment(opcode, word, difo)
    pad = "\t" if opcode.code == Op.PUSHTR else "\t\t"
    return f"{line}{pad}! {comment}" if comment else line


def _type_phrase(kind: DifType) -> str:
    name = _TYPE_NAMES.get(kind.kind) or f"{kind.kind:#x}"
    ckind = syntax.CTF_KINDS.get(kind.ckind) or f"{kind.ckind:#x}"
    by = ""
    if kind.by_reference:
        by = " by user ref" if kind.flags & isa.TF_BYUREF else " by ref"
    return f"{name} ({ckind}){by} (size {kind.size})"


_KIND_COLUMN = {isa.KIND_ARRAY: "arr", isa.KIND_SCALAR: "scl"}
_SCOPE_COLUMN = {isa.SCOPE_GLOBAL: "glb", isa.SCOPE_THREAD: "tls", isa.SCOPE_LOCAL: "loc"}


def _variable_row(variable: DifVar) -> str:
    known = isa.F_REF | isa.F_MOD
    flags = [f"{variable.flags & ~known:#x}"] if variable.flags & ~known else []
    flags += [letter for bit, letter in ((isa.F_REF, "r"), (isa.F_MOD, "w")) if variable.flags & bit]
    return (f"{variable.name:<16} {variable.id:<4} {syntax.name_of(_KIND_COLUMN, variable.kind):<3} "
            f"{syntax.name_of(_SCOPE_COLUMN, variable.scope):<3} {'/'.join(flags):<4} "
            f"{_type_phrase(variable.type)}")
