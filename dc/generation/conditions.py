"""Code generation of conditions: comparisons and logical operators as branches."""

from __future__ import annotations

from dc.checking import rules
from dc.checking.typed import Binary, Conditional, Constant, Unary
from dc.generation.ir import Label
from dc.names.values import Value
from dc.types.types import Integer
from dif.arithmetic import NEGATED
from dif.isa import Op

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dc.generation.generator import Generator

_BRANCHES = {"==": (Op.BE, Op.BE), "!=": (Op.BNE, Op.BNE), "<": (Op.BL, Op.BLU), "<=": (Op.BLE, Op.BLEU),
             ">": (Op.BG, Op.BGU), ">=": (Op.BGE, Op.BGEU)}  # signed, unsigned
OPERATORS = frozenset({*_BRANCHES, "&&", "||", "^^"})


def branch(generator: Generator, node: Value, label: Label, when: bool) -> None:
    """Go to `label` if the node is true (`when`) or false (not `when`); else fall through."""
    code = generator.code
    if isinstance(node, Constant):
        if bool(node.value) == when:
            code.branch(Op.BA, label)
    elif isinstance(node, Unary) and node.op == "!":
        branch(generator, node.operand, label, not when)
    elif isinstance(node, Binary) and node.op == ",":
        generator.effect(node.left)
        branch(generator, node.right, label, when)
    elif isinstance(node, Binary) and node.op in ("&&", "||"):
        if (node.op == "||") == when:
            branch(generator, node.left, label, when)
            branch(generator, node.right, label, when)
        else:
            through = Label()
            branch(generator, node.left, through, not when)
            branch(generator, node.right, label, when)
            code.place(through)
    else:
        taken = test(generator, node)
        code.branch(taken if when else NEGATED[taken], label)


def test(generator: Generator, node: Value) -> Op:
    """Set the condition codes; return the branch that is taken if the node is true."""
    code = generator.code
    if isinstance(node, Unary) and node.op == "!":
        return NEGATED[test(generator, node.operand)]
    if isinstance(node, Binary) and node.op == "^^":
        left = boolean(generator, node.left, 0)
        right = boolean(generator, node.right, 0)
        code.emit(Op.CMP, a=left, b=right)
        return Op.BNE
    if not (isinstance(node, Binary) and node.op in _BRANCHES):
        code.emit(Op.TST, a=generator.value(node))
        return Op.BNE
    left = generator.value(node.left)
    right = generator.value(node.right)
    signed_op, unsigned_op = _BRANCHES[node.op]
    if node.left.type.is_string() or node.right.type.is_string():
        code.emit(Op.SCMP, a=left, b=right)
        return signed_op
    if rules.is_zero(node.right) and node.op in ("==", "!="):
        code.emit(Op.TST, a=left)
    else:
        code.emit(Op.CMP, a=left, b=right)
    return signed_op if _compares_signed(node) else unsigned_op


def _compares_signed(node: Binary) -> bool:
    """Pointers compare unsigned; integers by their common type."""
    left, right = node.left.type, node.right.type
    if not left.is_integer() or not right.is_integer():
        return False
    ranks = []
    for type_ in (left, right):
        base = type_.resolve()
        ranks.append((base.bits if isinstance(base, Integer) else base.size * 8, not base.is_signed()))
    return not max(ranks)[1]


def boolean(generator: Generator, node: Value, dest: int) -> int:
    """The node's truth as 0 or 1 in a register."""
    code = generator.code
    dest = dest or code.register()
    done = Label()
    compound = isinstance(node, Binary) and node.op in ("&&", "||")
    if isinstance(node, Constant):
        return code.integer(bool(node.value), dest)
    if isinstance(node, Binary) and node.op == ",":
        generator.effect(node.left)
        return boolean(generator, node.right, dest)
    if compound:
        false = Label()
        branch(generator, node, false, False)
        code.integer(1, dest)
        code.branch(Op.BA, done)
        code.place(false)
        code.integer(0, dest)
    else:
        taken = test(generator, node)
        code.integer(1, dest)
        code.branch(taken, done)
        code.integer(0, dest)
    code.place(done)
    return dest


def returned(generator: Generator, node: Value, *, truth: bool = False, kept: int = 8) -> None:
    """End the routine with the node's value.

    With `truth` any non-zero value will do for true; only the `kept` low bytes
    of the value are of any use.
    """
    code = generator.code
    if isinstance(node, Binary) and node.op == ",":
        generator.effect(node.left)
        returned(generator, node.right, truth=truth, kept=kept)
    elif isinstance(node, Conditional):
        other = Label()
        branch(generator, node.test, other, False)
        returned(generator, node.then, truth=truth, kept=kept)
        code.place(other)
        returned(generator, node.otherwise, truth=truth, kept=kept)
    elif truth and isinstance(node, Binary) and node.op in ("&&", "||"):
        _returned_logical(generator, node)
    elif truth and isinstance(node, Binary) and node.op == "!=" and not _compares_strings(node):
        left = generator.value(node.left)
        code.emit(Op.RET, c=code.binary(Op.XOR, left, generator.value(node.right)))
    elif (isinstance(node, Binary) and node.op in OPERATORS and node.op != "^^") or \
            (isinstance(node, Unary) and node.op == "!"):
        false = Label()
        branch(generator, node, false, False)
        code.emit(Op.RET, c=_some_truth(generator, node) if truth else code.integer(1))
        code.place(false)
        code.emit(Op.RET)
    else:
        code.emit(Op.RET, c=generator.low_bytes(node, kept))


def _returned_logical(generator: Generator, node: Binary) -> None:
    """a && b returns b unless a is false; a || b returns a unless it is false."""
    code = generator.code
    label = Label()
    if node.op == "&&":
        branch(generator, node.left, label, False)
        returned(generator, node.right, truth=True)
        code.place(label)
        code.emit(Op.RET)
        return
    if _is_condition(node.left):
        branch(generator, node.left, label, False)
        code.emit(Op.RET, c=code.integer(1))
    else:
        register = generator.value(node.left)
        code.emit(Op.TST, a=register)
        code.branch(Op.BE, label)
        code.emit(Op.RET, c=register)
    code.place(label)
    returned(generator, node.right, truth=True)


def _some_truth(generator: Generator, node: Value) -> int:
    """A register that is not zero: the constant that was compared with, if there was one."""
    if isinstance(node, Binary):
        for operand in (node.right, node.left):
            if isinstance(operand, Constant) and operand.value:
                return generator.code.integer(operand.value)
    return generator.code.integer(1)


def _is_condition(node: Value) -> bool:
    return (isinstance(node, Binary) and node.op in OPERATORS) or \
        (isinstance(node, Unary) and node.op == "!")


def _compares_strings(node: Binary) -> bool:
    return node.left.type.is_string() or node.right.type.is_string()
