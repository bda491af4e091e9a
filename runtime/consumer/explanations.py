"""Why a clause failed, in words: what the value was, and what to write instead.

In come a fault, the typed tree that the failing DIF was generated from, and the text of its parts; out comes
a sentence such as `arg1 is 0x7f5a10, a user address: copyinstr(arg1)`, or nothing where nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dc.checking import rules
from dc.checking.typed import (
    Assign,
    Binary,
    BuiltinElement,
    Cast,
    Conditional,
    Constant,
    Dereference,
    Element,
    FunctionCall,
    Gathered,
    MemberAccess,
    Scalar,
    Stringof,
)
from dc.generation.generator import Generated
from dc.names.values import Value, value_size
from dif import isa
from dif.limits import MASK
from dif.records import NamedTuple
from runtime.border import FaultKind

TextOf = Callable[[Value], str]

_PAGE = 4096
_USERS = 1 << 48  # the end of programs' addresses
_KERNEL = 1 << 63  # where the kernel's begin
# the argument that is a user address
_COPIES = {"copyin": 0, "copyinstr": 0, "copyinto": 0, "copyout": 1, "copyoutstr": 1}


class Reach(NamedTuple):
    """Memory that an expression reaches: `offset` bytes behind `pointer`.

    `reached` is what is loaded there, None for a string or bytes.  `copied` is the subroutine that copies
    from or to a program's memory, "" for the kernel's.  Of many bytes (`long`) any may be the one that is
    not there.
    """

    pointer: Value
    offset: int = 0
    reached: Dereference | MemberAccess | None = None
    copied: str = ""
    string: bool = False
    long: bool = False


def explain(kind: int, address: int, source: Generated, at: int, text: TextOf, absent: bool) -> str:
    """The sentence about a fault; `at` is the number of the instruction, -1 for none: its record was copied.

    With `absent`, the memory is there once the program has used it.
    """
    part = source.parts[at] if at >= 0 else None
    if kind == FaultKind.DIVZERO and isinstance(part, Binary):
        return f"{text(part.right) or 'the divisor'} is 0"
    if kind not in (FaultKind.BADADDR, FaultKind.BADALIGN):
        return general(kind)
    opcode = isa.OPCODES[source.difo.text[at] >> 24] if at >= 0 else None
    stores = opcode is not None and opcode.format == isa.Format.STORE
    reaches = list(_recorded(source.value) if part is None else _stores(part) if stores else _reaches(part))
    different = {(text(each.pointer) or each, each.offset) for each in reaches}
    reach = reaches[0] if len(different) == 1 else None
    if kind == FaultKind.BADALIGN:
        return _aligned(address, reach, text)
    if stores:
        return _stored(address, reach, text)
    of_program = (opcode is not None and opcode.space == "user") or isinstance(part, _ARGUMENTS)
    return _bad(address, reach, source, text, absent, of_program)


def general(kind: int) -> str:
    """The sentence about all faults of a kind; "" where there is none."""
    return _SENTENCES.get(kind, "")


_ARGUMENTS = Scalar, BuiltinElement, Gathered  # what may lie on a program's stack
_SENTENCES: dict[int, str] = {
    FaultKind.NOSCRATCH: "scratch memory is what the buffer has left: -x bufsize makes it larger",
    FaultKind.KPRIV: "dtrace may not look into the kernel: that takes the privilege dtrace_kernel",
    FaultKind.UPRIV: "dtrace may not look into this process: that takes dtrace_proc, and its owner's rights",
    FaultKind.BADSTACK: "the program's stack pointer does not lead to a stack",
}


# -- what is reached -----------------------------------------------------------------------------------

def _reaches(node: Value) -> Iterator[Reach]:
    """Memory that the code of a node itself reaches, without that of its operands."""
    if isinstance(node, Dereference):
        yield _element(node) or Reach(node.operand, 0, node)
    elif isinstance(node, MemberAccess):
        yield _member(node)
    elif isinstance(node, FunctionCall) and node.function.name in _COPIES:
        yield Reach(node.arguments[_COPIES[node.function.name]], copied=node.function.name, long=True)
    elif isinstance(node, FunctionCall):
        for argument in node.arguments:
            yield from _string(argument)
            if rules.is_pointer(argument.type) and not argument.by_reference:
                yield Reach(argument, string=rules.is_string_like(argument.type))
    elif isinstance(node, Binary):
        yield from _string(node.left)
        yield from _string(node.right)
    elif isinstance(node, Assign):
        yield from _string(node.value)
        if isinstance(node.target, Element):
            yield from _reaches(node.target)
    elif isinstance(node, Element):
        for key in node.keys:
            yield from _string(key)


def _recorded(value: Value) -> Iterator[Reach]:
    """Memory that is copied into a record."""
    if value.type.is_string():
        yield from _string(value)
    elif value.by_reference:
        yield from (each._replace(long=True) for each in _reaches(value))
    else:
        yield Reach(value, long=True)


def _string(value: Value) -> Iterator[Reach]:
    """Memory that a value has, which is an address in a register: a string, or an object."""
    if isinstance(value, Conditional):
        yield from _string(value.then)
        yield from _string(value.otherwise)
    elif isinstance(value, Stringof | Cast) and value.type.is_string():
        if value.operand.by_reference:
            yield from _string(value.operand)
        else:
            yield Reach(value.operand, string=True, long=True)
    elif isinstance(value, Dereference | MemberAccess) and value.by_reference:
        yield from _reaches(value)


def _element(node: Dereference) -> Reach | None:
    """Of an element of an array that is a member, by a constant index: the member's own."""
    sum_ = node.operand
    if isinstance(sum_, Binary) and isinstance(sum_.left, MemberAccess) and sum_.left.type.is_array() \
            and isinstance(sum_.right, Constant):
        reach = _member(sum_.left)
        return reach._replace(offset=reach.offset + sum_.right.value * node.type.size)
    return None


def _member(node: MemberAccess) -> Reach:
    inner, offset = node, node.member.byte
    while not inner.arrow and isinstance(inner.base, MemberAccess):
        inner = inner.base
        offset += inner.member.byte
    base = inner.base
    if not inner.arrow and isinstance(base, Dereference):
        base = base.operand
    return Reach(base, offset, node)


def _stores(node: Value) -> Iterator[Reach]:
    """Memory that an assignment stores into."""
    target = node.target if isinstance(node, Assign) else node
    if isinstance(target, Dereference | MemberAccess):
        yield from _reaches(target)


# -- what is said of it --------------------------------------------------------------------------------

def _subject(address: int, reach: Reach | None, text: TextOf, begins: bool = True) -> str:
    """The value that was an address, and what it was; `begins` says that its first byte was not there."""
    if reach is None:
        return f"{address:#x} is"
    pointer = _uncast(reach.pointer)
    name = "" if isinstance(pointer, Constant) else text(pointer)
    if reach.long and not (begins and (reach.string or reach.copied)):
        return f"{name} leads to {address:#x}," if name else f"{address:#x} is"
    value = address - reach.offset & MASK
    return f"{name} is {value:#x}," if name else f"{value:#x} is"


def _bad(address: int, reach: Reach | None, source: Generated, text: TextOf, absent: bool,
         of_program: bool) -> str:
    """Of memory that cannot be read; `of_program` where an instruction reads the program's."""
    copied = reach.copied if reach is not None else ""
    of_program |= copied != ""
    subject = _subject(address, reach, text, begins=address < _PAGE or of_program == (address >= _KERNEL))
    pointed = address - (reach.offset if reach is not None else 0) & MASK
    if pointed == 0:
        return f"{subject} a null pointer"
    if min(address, pointed) < _PAGE:
        subject = subject if pointed < _PAGE else f"{address:#x} is"
        return f"{subject} in the first page, where no memory ever is"
    if _USERS <= address < _KERNEL:
        return f"{subject} neither a user address nor one of the kernel"
    if address >= _KERNEL:
        return f"{subject} a kernel address: read it without {copied}()" if copied else \
            f"{subject} a kernel address, and no memory is there"
    if absent:
        return f"{subject} a user address that is not in memory yet: use the return probe"
    if of_program:
        return f"{subject} a user address, and the program has no memory there"
    advice = _copying(reach, source, text) if reach is not None else ""
    return f"{subject} a user address: {advice or 'copyin() and copyinstr() copy what is there'}"


def _stored(address: int, reach: Reach | None, text: TextOf) -> str:
    subject = _subject(address, reach, text)
    if _PAGE <= address < _USERS:
        return f"{subject} a user address: copyout() writes there"
    return f"{subject} not D's own memory: clauses write to variables and to what alloca() returned"


def _aligned(address: int, reach: Reach | None, text: TextOf) -> str:
    size = value_size(reach.reached.type) if reach is not None and reach.reached is not None else 0
    what = f"not a multiple of {size}" if size else "not aligned"
    return f"{_subject(address, reach, text)} {what}"


def _copying(reach: Reach, source: Generated, text: TextOf) -> str:
    """The expression that copies from the program what was looked for in the kernel; "" if there is none."""
    pointer = _uncast(reach.pointer)
    written, node = text(pointer), reach.reached
    if not written or (node is None and not (reach.string or reach.long)):
        return ""
    if isinstance(node, Dereference) and isinstance(node.operand, Binary) \
            and rules.is_pointer(node.operand.left.type) and not text(node).startswith("*"):
        pointer, written = node.operand, f"&{text(node)}"
    if rules.is_pointer(pointer.type):
        written = f"(uintptr_t){written}" if not isinstance(pointer, Binary) or written.startswith("&") \
            else f"(uintptr_t)({written})"
    if node is None:
        return f"copyinstr({written})" if reach.string else f"copyin({written}, {source.difo.rtype.size})"
    object_ = node.type if isinstance(node, Dereference) else rules.target_of(reach.pointer.type)
    copy = f"({object_} *)copyin({written}, sizeof ({object_}))"
    return f"*{copy}" if isinstance(node, Dereference) else f"({copy})->{_members(node)}"


def _members(node: MemberAccess) -> str:
    """The names of a member and of those that it lies in."""
    name = node.member.name or ""
    return name if node.arrow or not isinstance(node.base, MemberAccess) else f"{_members(node.base)}.{name}"


def _uncast(value: Value) -> Value:
    """A value without the casts around it."""
    while isinstance(value, Cast | Stringof):
        value = value.operand
    return value
