"""Operands of an instruction: where each lies in the word and how it is written.

`isa.Format` names an instruction's operands; this table gives each name its
bits and its spelling (the spelling of `dtrace -S`).  The assembler, the
disassembler and the validator read it.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from dif import isa


class Operand(NamedTuple):
    """A field of an instruction word.

    `shift` and `width` in bits; `before` and `after` surround the number in
    text.  `role` groups operands by meaning: register, label, integer,
    string, variable, subroutine, type, translation.
    """

    shift: int
    width: int
    before: str
    after: str
    role: str

    def get(self, word: int) -> int:
        """The field's value in `word`."""
        return word >> self.shift & self.limit

    @property
    def limit(self) -> int:
        """The largest value the field holds."""
        return (1 << self.width) - 1

    def text(self, value: int) -> str:
        return f"{self.before}{value}{self.after}"


OPERANDS: dict[str, Operand] = {
    "r1": Operand(16, 8, "%r", "", "register"),
    "r2": Operand(8, 8, "%r", "", "register"),
    "rd": Operand(0, 8, "%r", "", "register"),
    "rs": Operand(0, 8, "%r", "", "register"),
    "[r1]": Operand(16, 8, "[%r", "]", "register"),
    "[rd]": Operand(0, 8, "[%r", "]", "register"),
    "label": Operand(0, 24, "", "", "label"),
    "index": Operand(8, 16, "DT_INTEGER[", "]", "integer"),
    "strindex": Operand(8, 16, "DT_STRING[", "]", "string"),
    "var": Operand(8, 16, "DT_VAR(", ")", "variable"),
    "var8": Operand(16, 8, "DT_VAR(", ")", "variable"),
    "subr": Operand(8, 16, "DIF_SUBR(", ")", "subroutine"),
    "type": Operand(16, 8, "DT_TYPE(", ")", "type"),
    "xlref": Operand(8, 16, "DT_XLREF[", "]", "translation"),
}

# A variable's store is written register first, the reverse of its load.
_WRITTEN = {isa.Format.VAR_STORE: ("rs", "var")}


@cache
def names(form: isa.Format) -> tuple[str, ...]:
    """The operand names of `form`, in the order they are written."""
    if form in _WRITTEN:
        return _WRITTEN[form]
    return tuple(form.value.split(", ")) if form.value else ()


@cache
def operands(form: isa.Format) -> tuple[Operand, ...]:
    """The operands of `form`, in the order they are written."""
    return tuple(OPERANDS[name] for name in names(form))


@cache
def reserved(form: isa.Format) -> int:
    """The bits below the opcode that must be zero in `form`."""
    used = 0
    for operand in operands(form):
        used |= operand.limit << operand.shift
    return ~used & 0xFFFFFF


def scope_of(opcode: isa.Opcode) -> int:
    """The scope of the variable that a variable load or store names (from its third letter)."""
    return {"g": isa.SCOPE_GLOBAL, "t": isa.SCOPE_THREAD, "l": isa.SCOPE_LOCAL}[opcode.name[2]]


TYPE_KINDS = {isa.TYPE_CTF: "ctf", isa.TYPE_STRING: "string"}
TYPE_FLAGS = {isa.TF_BYREF: "byref", isa.TF_BYUREF: "byuref"}
VARIABLE_KINDS = {isa.KIND_ARRAY: "array", isa.KIND_SCALAR: "scalar"}
SCOPES = {isa.SCOPE_GLOBAL: "global", isa.SCOPE_THREAD: "thread", isa.SCOPE_LOCAL: "local"}
VARIABLE_FLAGS = {isa.F_REF: "read", isa.F_MOD: "written"}
# CTF_K_* of <sys/ctf.h>, in order
CTF_KINDS = dict(enumerate((
    "unknown", "integer", "float", "pointer", "array", "function", "struct", "union", "enum",
    "forward", "typedef", "volatile", "const", "restrict")))
# dof_relodesc_t types
RELOCATIONS = {0: "none", 1: "setx", 2: "dofrel"}
