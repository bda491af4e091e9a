"""How DIF is written: operands, names of numbers, tokens.

`isa.Format` names an instruction's operands; the first table gives each name
its bits and its spelling (the spelling of `dtrace -S`).  The assembler, the
disassembler and the validator read it, so text and words agree by
construction.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from dif import isa
from dif.difo import DifType
from dif.records import NamedTuple

TYPE_CHECKING = False  # as in typing, which would cost more than it is worth here
if TYPE_CHECKING:
    import re

LONGEST_LINE = 1 << 19  # characters: a table of strings has 65,536 bytes, four characters each


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
def names(form: str) -> tuple[str, ...]:
    """The operand names of `form`, in the order they are written."""
    if form in _WRITTEN:
        return _WRITTEN[form]
    return tuple(form.split(", ")) if form else ()


@cache
def operands(form: str) -> tuple[Operand, ...]:
    """The operands of `form`, in the order they are written."""
    return tuple(OPERANDS[name] for name in names(form))


@cache
def reserved(form: str) -> int:
    """The bits below the opcode that must be zero in `form`."""
    used = 0
    for operand in operands(form):
        used |= operand.limit << operand.shift
    return ~used & 0xFFFFFF


def scope_of(opcode: isa.Opcode) -> int:
    """The scope of the variable that a variable load or store names."""
    assert opcode.scope is not None
    return opcode.scope


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


# -- tokens ----------------------------------------------------------------------------------------

_ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, '"': 34, "\\": 92}
_UNESCAPED = {10: "\\n", 9: "\\t", 13: "\\r", 34: '\\"', 92: "\\\\"}


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what matches a token, and an escape; DIF that is not read from text needs neither."""
    import re

    return (re.compile(r'"(?:[^"\\]|\\.)*"|[^\s,"]+|,'),
            re.compile(r"\\(x[0-9a-fA-F]{2}|.)", re.DOTALL))


def tokens(line: str) -> list[str]:
    """Split a line of text form; commas separate and are dropped, `!` and `#` start a comment.

    Raises ValueError for a string that does not end, and for a line that is longer than any DIF needs.
    """
    if len(line) > LONGEST_LINE:
        raise ValueError(f"a line of {len(line)} characters: {LONGEST_LINE} are the most")
    token, _escape = _patterns()
    found, position = [], 0
    while position < len(line):
        if line[position].isspace():
            position += 1
            continue
        if line[position] in "!#":
            break
        match = token.match(line, position)
        if match is None:
            raise ValueError("string does not end")
        found.append(match.group())
        position = match.end()
    return [token for token in found if token != ","]


def quote(raw: bytes) -> str:
    """`raw` between double quotes, in ASCII."""
    return '"' + "".join(
        _UNESCAPED.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}") for byte in raw) + '"'


def unquote(token: str) -> bytes:
    """The bytes of a quoted token.  Raises ValueError for anything else."""
    if len(token) < 2 or token[0] != '"' or token[-1] != '"':
        raise ValueError(f"expected a string, found {token}")

    def one(match: re.Match[str]) -> str:
        body = match.group(1)
        if len(body) == 3:
            return chr(int(body[1:], 16))
        if body not in _ESCAPES:
            raise ValueError(f"unknown escape \\{body}")
        return chr(_ESCAPES[body])

    text = token[1:-1]
    _token, escape = _patterns()
    # Text between escapes is UTF-8; escapes are single bytes.
    raw, position = b"", 0
    for match in escape.finditer(text):
        raw += text[position:match.start()].encode("utf-8", "surrogateescape")
        raw += one(match).encode("latin-1")
        position = match.end()
    return raw + text[position:].encode("utf-8", "surrogateescape")


def number(token: str) -> int:
    """A decimal, 0x or 0b integer, possibly negative.  Raises ValueError."""
    try:
        return int(token, 0)
    except ValueError:
        raise ValueError(f"expected a number, found {token}") from None


def name_of(table: dict[int, str], value: int) -> str:
    """`value`'s name in one of the tables above, or the number itself."""
    return table.get(value) or str(value)


def value_of(table: dict[int, str], token: str) -> int:
    """The reverse of `name_of`.  Raises ValueError."""
    for value, text in table.items():
        if text == token:
            return value
    return number(token)


def flags_text(table: dict[int, str], value: int) -> str:
    """Flag names joined by `|`, what has no name as a number; `-` for none."""
    parts = [text for bit, text in table.items() if value & bit]
    rest = value & ~sum(table)
    return "|".join(parts + ([hex(rest)] if rest else [])) or "-"


def flags_value(table: dict[int, str], token: str) -> int:
    """The reverse of `flags_text`.  Raises ValueError."""
    value = 0
    for part in token.split("|") if token != "-" else ():
        value |= value_of(table, part)
    return value


def type_text(kind: DifType) -> str:
    """A type as four tokens: kind, CTF kind, size in bytes, flags."""
    return (f"{name_of(TYPE_KINDS, kind.kind)} {name_of(CTF_KINDS, kind.ckind)} "
            f"{kind.size} {flags_text(TYPE_FLAGS, kind.flags)}")


def type_value(words: Sequence[str]) -> DifType:
    """The reverse of `type_text`, from its tokens.  Raises ValueError."""
    if len(words) != 4:
        raise ValueError("expected a type: KIND CTF-KIND SIZE FLAGS")
    kind, ckind, size, flags = words
    return DifType(value_of(TYPE_KINDS, kind), value_of(CTF_KINDS, ckind),
                   flags_value(TYPE_FLAGS, flags), number(size))
