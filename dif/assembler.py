"""Text → Difo.

The language is the disassembler's complete form.  Beside the numeric spelling
of every operand a person may write what it stands for:

    setx 4096, %r1          an integer, entered in the integer table
    sets "name", %r1        a string, entered in the string table
    ldgs pid, %r1           a built-in variable or one declared by .variable
    call strlen, %r1        a subroutine of the target
    pushtr string, %r2, %r1 a tuple member's type
    be done                 a label, defined by a line `done:`

`!` and `#` start a comment.  The directives are listed at `_DIRECTIVES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dif import isa, syntax
from dif.difo import Difo, DifVar, Reloc, Translation
from dif.isa import Op

_MESSAGE_MAX = 120  # messages quote the text they are about; it may be anything


class AssemblerError(ValueError):
    """Text that is not DIF: `line` (from 1) and `what`."""

    def __init__(self, line: int, what: str) -> None:
        what = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in what)
        what = what if len(what) <= _MESSAGE_MAX else what[:_MESSAGE_MAX] + "..."
        super().__init__(f"line {line}: {what}")
        self.line = line
        self.what = what


def assemble(text: str, *, target: str = "illumos") -> Difo:
    """The object that `text` describes; a leading `.difo NAME` is allowed.

    The object is as written: `validator.validate` judges it.  Raises
    AssemblerError.
    """
    return assemble_lines(enumerate(text.splitlines(), 1), target=target)


def assemble_lines(lines: Iterable[tuple[int, str]], *, target: str = "illumos") -> Difo:
    """As `assemble`, from (line number, line) pairs of a larger text."""
    unit = _Unit(target)
    number = 1
    for number, line in lines:
        try:
            unit.line(number, syntax.tokens(line))
        except AssemblerError:
            raise
        except ValueError as error:
            raise AssemblerError(number, str(error)) from None
    return unit.finish()


class _Unit:
    """One object in the making."""

    def __init__(self, target: str) -> None:
        self._difo = Difo([])
        self._strings = bytearray()
        self._integers: dict[int, int] = {}
        self._labels: dict[str, int] = {}
        self._branches: list[tuple[int, str, int]] = []  # instruction, label, line
        self._line = 1
        self._builtin = {row.name: row.id for row in isa.variables(target).values()}
        self._subroutines = {row.name: number for number, row in isa.subroutines(target).items()}
        self._symbolic: dict[str, Callable[[isa.Opcode, str], int]] = {
            "integer": self._integer, "string": self._string, "variable": self._variable_number,
            "subroutine": self._subroutine, "type": self._type, "label": self._label,
        }

    def line(self, number: int, tokens: list[str]) -> None:
        self._line = number
        while tokens and tokens[0].endswith(":") and tokens[0] != ":":
            name = tokens.pop(0)[:-1]
            if name in self._labels:
                raise ValueError(f"label {name} is defined twice")
            self._labels[name] = len(self._difo.text)
        if not tokens:
            return
        name, *words = tokens
        if name.startswith("."):
            if name not in _DIRECTIVES:
                raise ValueError(f"unknown directive {name}")
            _DIRECTIVES[name](self, words)
        else:
            self._difo.text.append(self._instruction(name, words))

    def finish(self) -> Difo:
        for pc, label, line in self._branches:
            if label not in self._labels:
                raise AssemblerError(line, f"unknown label {label}")
            self._difo.text[pc] |= self._labels[label]
        for name in (*(v.name for v in self._difo.vartab),
                     *(r.name for r in (*self._difo.kreltab, *self._difo.ureltab))):
            if name:
                self._enter(name.encode("utf-8", "surrogateescape"))
        self._difo.strtab = bytes(self._strings)
        return self._difo

    # -- instructions --

    def _instruction(self, name: str, words: list[str]) -> int:
        opcode = isa.BY_NAME.get(name)
        if opcode is None:
            raise ValueError(f"unknown instruction {name}")
        operands = list(syntax.operands(opcode.format))
        if opcode.code == Op.PUSHTV and len(words) == 2:
            del operands[1]  # the size register, of no use to a value
        if len(words) != len(operands):
            expected = ", ".join(syntax.names(opcode.format)) or "no operands"
            raise ValueError(f"{name}: expected {expected}")
        word = opcode.code << 24
        for operand, token in zip(operands, words, strict=True):
            value = self._operand(opcode, operand, token)
            if not 0 <= value <= operand.limit:
                raise ValueError(f"{name}: {token} is out of range")
            word |= value << operand.shift
        return word

    def _operand(self, opcode: isa.Opcode, operand: syntax.Operand, token: str) -> int:
        if token.startswith(operand.before) and token.endswith(operand.after):
            digits = token[len(operand.before):len(token) - len(operand.after)]
            if digits.isascii() and digits.isdigit():
                return int(digits) if len(digits) < 20 else -1
        if operand.role in self._symbolic:
            return self._symbolic[operand.role](opcode, token)
        raise ValueError(f"{opcode.name}: expected {operand.before}N{operand.after}, found {token}")

    def _integer(self, _opcode: isa.Opcode, token: str) -> int:
        value = _unsigned(syntax.number(token))
        if value not in self._integers:
            self._integers[value] = len(self._difo.inttab)
            self._difo.inttab.append(value)
        return self._integers[value]

    def _string(self, _opcode: isa.Opcode, token: str) -> int:
        return self._enter(syntax.unquote(token))

    def _enter(self, raw: bytes) -> int:
        """The offset of a string in the table, which gets it if it has none."""
        if not self._strings:
            self._strings += b"\0"
        at = self._strings.find(raw + b"\0")
        if at < 0:
            at = len(self._strings)
            self._strings += raw + b"\0"
        return at

    def _variable_number(self, opcode: isa.Opcode, token: str) -> int:
        scope = syntax.scope_of(opcode)
        for variable in self._difo.vartab:
            if variable.name == token and variable.scope == scope:
                return variable.id
        if scope == isa.SCOPE_GLOBAL and token in self._builtin:
            return self._builtin[token]
        raise ValueError(f"unknown variable {token}")

    def _subroutine(self, _opcode: isa.Opcode, token: str) -> int:
        if token not in self._subroutines:
            raise ValueError(f"unknown subroutine {token}")
        return self._subroutines[token]

    def _type(self, _opcode: isa.Opcode, token: str) -> int:
        return syntax.value_of(syntax.TYPE_KINDS, token)

    def _label(self, _opcode: isa.Opcode, token: str) -> int:
        if token[:1].isdigit():
            raise ValueError(f"expected a label, found {token}")
        self._branches.append((len(self._difo.text), token, self._line))
        return 0

    # -- directives --

    def name(self, words: list[str]) -> None:
        _count(words, 1, "a name")

    def returns(self, words: list[str]) -> None:
        self._difo.rtype = syntax.type_value(words)

    def integer(self, words: list[str]) -> None:
        _count(words, 1, "an integer")
        value = _unsigned(syntax.number(words[0]))
        self._integers.setdefault(value, len(self._difo.inttab))
        self._difo.inttab.append(value)

    def string(self, words: list[str]) -> None:
        _count(words, 1, "a string")
        self._strings += syntax.unquote(words[0]) + b"\0"

    def ascii(self, words: list[str]) -> None:
        _count(words, 1, "a string")
        self._strings += syntax.unquote(words[0])

    def word(self, words: list[str]) -> None:
        _count(words, 1, "an instruction word")
        value = syntax.number(words[0])
        if not 0 <= value <= 0xFFFFFFFF:
            raise ValueError(f"{words[0]} is not a 32-bit word")
        self._difo.text.append(value)

    def variable(self, words: list[str]) -> None:
        _count(words, 9, "NAME ID KIND SCOPE FLAGS and a type")
        name, number, kind, scope, flags = words[:5]
        self._difo.vartab.append(DifVar(
            _text(name), syntax.number(number), syntax.value_of(syntax.VARIABLE_KINDS, kind),
            syntax.value_of(syntax.SCOPES, scope), syntax.flags_value(syntax.VARIABLE_FLAGS, flags),
            syntax.type_value(words[5:])))

    def translation(self, words: list[str]) -> None:
        _count(words, 3, "TRANSLATOR MEMBER ARGUMENT")
        self._difo.xltab.append(Translation(*map(syntax.number, words)))

    def type(self, words: list[str]) -> None:
        self._difo.typtab.append(syntax.type_value(words))

    def kernel_relocation(self, words: list[str]) -> None:
        self._difo.kreltab.append(_reloc(words))

    def user_relocation(self, words: list[str]) -> None:
        self._difo.ureltab.append(_reloc(words))


def _reloc(words: list[str]) -> Reloc:
    _count(words, 4, "NAME TYPE OFFSET DATA")
    return Reloc(_text(words[0]), syntax.value_of(syntax.RELOCATIONS, words[1]),
                 syntax.number(words[2]), syntax.number(words[3]))


def _count(words: list[str], count: int, what: str) -> None:
    if len(words) != count:
        raise ValueError(f"expected {what}")


def _text(token: str) -> str:
    return syntax.unquote(token).decode("utf-8", "surrogateescape")


def _unsigned(value: int) -> int:
    if not -1 << 63 <= value < 1 << 64:
        raise ValueError(f"{value} does not fit 64 bits")
    return value & 0xFFFFFFFFFFFFFFFF


_DIRECTIVES: dict[str, Callable[[_Unit, list[str]], None]] = {
    ".difo": _Unit.name,  # NAME: starts an object
    ".returns": _Unit.returns,  # KIND CTF-KIND SIZE FLAGS
    ".integer": _Unit.integer,  # VALUE: one entry of the integer table
    ".string": _Unit.string,  # "TEXT": appended to the string table with its NUL
    ".ascii": _Unit.ascii,  # "TEXT": appended without
    ".variable": _Unit.variable,  # "NAME" ID KIND SCOPE FLAGS and a type as of .returns
    ".translation": _Unit.translation,  # TRANSLATOR MEMBER ARGUMENT
    ".type": _Unit.type,  # a type as of .returns
    ".kernel-relocation": _Unit.kernel_relocation,  # "SYMBOL" TYPE OFFSET DATA
    ".user-relocation": _Unit.user_relocation,
    ".word": _Unit.word,  # an instruction word as it is
}
DIRECTIVES = tuple(_DIRECTIVES)
