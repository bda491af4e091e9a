"""What a kernel refuses in a DIF object, every rule with its reason.

The rules are those of the DTrace virtual machine as the Dynamic Tracing Guide
states them and a kernel enforces them before it runs anything: known opcodes,
registers that exist, %r0 never written, reserved bits zero, references inside
their tables, forward branches only, a final `ret`, variables that agree with
every earlier definition.  Helpers (DIF that runs on behalf of an unprivileged
process) obey a second, narrower set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping

from dif import isa, syntax
from dif.difo import Difo, DifType, DifVar
from dif.isa import Op
from dif.records import Record

Variables = Mapping[tuple[int, int], DifVar]  # by (scope, id)


class Refusal(Record, frozen=True):
    """One reason to refuse an object.

    `part` is "text", "variable" or "return"; `index` the instruction's or the
    table entry's number.
    """

    part: str
    index: int
    reason: str

    @property
    def offset(self) -> int:
        """Byte offset of the instruction in the DIF text."""
        return self.index * 4

    def __str__(self) -> str:
        if self.part == "text":
            return f"instruction {self.index} (offset {self.offset}): {self.reason}"
        if self.part == "variable":
            return f"variable {self.index}: {self.reason}"
        return f"return type: {self.reason}"


def validate(difo: Difo, *, target: str = "illumos", helper: bool = False,
             known: Variables | None = None) -> list[Refusal]:
    """Everything a kernel of `target` refuses in `difo`; an empty list is a clean object.

    `known` holds the user variables that earlier objects of the same tracing
    state defined (see `define`).  With `helper` the helper rules apply too.
    """
    refusals = list(_text(difo, target))
    refusals += _return(difo.rtype)
    refusals += _variables(difo.vartab, known or {})
    if not refusals:
        refusals = list(_undeclared(difo))
    if helper:
        refusals += _helper(difo, target)
    return refusals


def define(difo: Difo, known: MutableMapping[tuple[int, int], DifVar]) -> None:
    """Enter the user variables of a validated object in `known`; first definitions stay."""
    for variable in difo.vartab:
        if variable.id >= isa.VAR_OTHER_UBASE:
            known.setdefault((variable.scope, variable.id), variable)


def with_string_size(difo: Difo, strsize: int) -> Difo:
    """`difo` with each user string variable of size 0 given the system's string size in bytes."""
    def sized(variable: DifVar) -> DifVar:
        kind = variable.type
        if variable.id < isa.VAR_OTHER_UBASE or kind.kind != isa.TYPE_STRING or kind.size:
            return variable
        return variable._replace(type=kind._replace(size=strsize))
    if not any(sized(variable) is not variable for variable in difo.vartab):
        return difo
    return difo.with_variables([sized(variable) for variable in difo.vartab])


# -- instructions ----------------------------------------------------------------------------------

_READS_RD = {isa.Format.RD}  # ret


class _Checks:
    """The check of each operand role, over one object."""

    def __init__(self, difo: Difo, target: str) -> None:
        self.length = len(difo.text)
        self.integers = len(difo.inttab)
        self.strings = len(difo.strtab)
        self.subroutines = isa.subroutines(target)
        self.by_role: dict[str, Callable[[isa.Opcode, int, int], str | None]] = {
            "register": self.register, "label": self.label, "integer": self.integer,
            "string": self.string, "variable": self.variable, "subroutine": self.subroutine,
            "type": self.type, "translation": self.translation,
        }

    def register(self, _opcode: isa.Opcode, _pc: int, value: int) -> str | None:
        return f"invalid register %r{value}" if value >= isa.NREGS else None

    def label(self, _opcode: isa.Opcode, pc: int, value: int) -> str | None:
        if value >= self.length:
            return f"invalid branch target {value}"
        return f"backward branch to {value}" if value <= pc else None

    def integer(self, _opcode: isa.Opcode, _pc: int, value: int) -> str | None:
        return f"invalid integer reference {value}" if value >= self.integers else None

    def string(self, _opcode: isa.Opcode, _pc: int, value: int) -> str | None:
        return f"invalid string reference {value}" if value >= self.strings else None

    def variable(self, opcode: isa.Opcode, _pc: int, value: int) -> str | None:
        if opcode.format == isa.Format.VAR_ARRAY:
            return None  # eight bits cannot name anything but an array
        least = isa.VAR_OTHER_MIN if opcode.format == isa.Format.VAR_LOAD else isa.VAR_OTHER_UBASE
        return f"invalid variable {value:#x}" if value < least else None

    def subroutine(self, _opcode: isa.Opcode, _pc: int, value: int) -> str | None:
        return None if value in self.subroutines else f"invalid subroutine {value}"

    def type(self, opcode: isa.Opcode, _pc: int, value: int) -> str | None:
        by_reference = opcode.code == Op.PUSHTR
        allowed = (isa.TYPE_CTF, isa.TYPE_STRING) if by_reference else (isa.TYPE_CTF,)
        return None if value in allowed else \
            f"invalid {'reference' if by_reference else 'value'} type {value}"

    def translation(self, opcode: isa.Opcode, _pc: int, _value: int) -> str | None:
        return f"{opcode.name} cannot be executed"


def _text(difo: Difo, target: str) -> Iterator[Refusal]:
    checks = _Checks(difo, target)
    sound: set[int] = set()  # words found good wherever they stand, that is all but branches
    for pc, word in enumerate(difo.text):
        if word in sound:
            continue
        opcode = isa.OPCODES.get(word >> 24)
        if opcode is None:
            yield Refusal("text", pc, f"invalid opcode {word >> 24}")
            continue
        reasons = list(_instruction(opcode, pc, word, checks))
        for reason in reasons:
            yield Refusal("text", pc, reason)
        if not reasons and opcode.format != isa.Format.LABEL:
            sound.add(word)
    if not difo.text:
        yield Refusal("text", 0, "no instructions")
    elif difo.text[-1] >> 24 != Op.RET:
        yield Refusal("text", len(difo.text) - 1, "expected ret as last instruction")


def _instruction(opcode: isa.Opcode, pc: int, word: int, checks: _Checks) -> Iterator[str]:
    form = opcode.format
    for name, operand in zip(syntax.names(form), syntax.operands(form), strict=True):
        value = operand.get(word)
        reason = checks.by_role[operand.role](opcode, pc, value)
        if reason:
            yield reason
        if value == 0 and name == "rd" and form not in _READS_RD:
            yield "cannot write to %r0"
        if value == 0 and name == "[rd]":
            yield "cannot store to the address in %r0"
    if word & syntax.reserved(form):
        yield "reserved bits are not zero"


# -- return type and variables ---------------------------------------------------------------------

def _return(rtype: DifType) -> Iterator[Refusal]:
    if not rtype.by_reference and rtype.size not in (0, 1, 2, 4, 8):
        yield Refusal("return", 0, f"bad size {rtype.size} for a value")


def _variables(table: list[DifVar], known: Variables) -> Iterator[Refusal]:
    for index, variable in enumerate(table):
        reason = _variable(variable, known)
        if reason:
            yield Refusal("variable", index, reason)


def _variable(variable: DifVar, known: Variables) -> str | None:
    kind = variable.type
    if variable.scope not in syntax.SCOPES:
        return f"unknown scope {variable.scope}"
    if variable.kind not in syntax.VARIABLE_KINDS:
        return f"unknown kind {variable.kind}"
    if variable.id > isa.VAR_OTHER_MAX:
        return f"id {variable.id:#x} exceeds the limit"
    if variable.id < isa.VAR_OTHER_UBASE:
        return None
    if kind.flags & isa.TF_BYREF:
        if kind.size == 0:
            return "passed by reference with size 0"
        if variable.scope != isa.SCOPE_THREAD and kind.size > isa.VAR_STATIC_MAX:
            return f"size {kind.size} by reference exceeds {isa.VAR_STATIC_MAX}"
    earlier = known.get((variable.scope, variable.id))
    if earlier is None:
        return None
    if earlier.kind != variable.kind:
        return f"{variable.id:#x} changed kind"
    if earlier.type.flags != kind.flags:
        return f"{variable.id:#x} changed type flags"
    if kind.size not in (0, earlier.type.size):
        return f"{variable.id:#x} changed size"
    return None


def _undeclared(difo: Difo) -> Iterator[Refusal]:
    """Instructions that name a user variable above the highest one declared in its scope."""
    highest = dict.fromkeys(syntax.SCOPES, isa.VAR_OTHER_UBASE - 1)
    for variable in difo.vartab:
        highest[variable.scope] = max(highest[variable.scope], variable.id)
    for pc, word in enumerate(difo.text):
        opcode = isa.OPCODES[word >> 24]
        if opcode.format not in (isa.Format.VAR_LOAD, isa.Format.VAR_STORE):
            continue
        number = word >> 8 & 0xFFFF
        if number > highest[syntax.scope_of(opcode)]:
            yield Refusal("text", pc, f"undeclared variable {number:#x}")


# -- helpers ---------------------------------------------------------------------------------------

def _helper(difo: Difo, target: str) -> Iterator[Refusal]:
    variables, subroutines = isa.variables(target), isa.subroutines(target)
    for pc, word in enumerate(difo.text):
        op, number = word >> 24, word >> 8 & 0xFFFF
        opcode = isa.OPCODES.get(op)
        if opcode is not None and opcode.dynamic:
            what = "store to" if opcode.format == isa.Format.VAR_STORE else "load"
            yield Refusal("text", pc, f"a helper cannot {what} a dynamic variable")
        elif op == Op.LDGS and number < isa.VAR_OTHER_UBASE:
            row = variables.get(number)
            if row is None or not row.helper:
                yield Refusal("text", pc, f"a helper cannot load {row.name if row else hex(number)}")
        elif op == Op.CALL:
            subr = subroutines.get(number)
            if subr is not None and not subr.helper:
                yield Refusal("text", pc, f"a helper cannot call {subr.name}")
