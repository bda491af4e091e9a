"""Where the arguments and results of many signatures are, on every machine: `calls.txt`.

A line that is not indented is a signature; below it is, by machine, what argN each parameter is (`*N`: its
address; `[offset:size=N ...]`: its parts; `v2`: the first half of vector register 1; `-`: D cannot read it)
and where the result is.  (That real programs agree, test_types shows.)  `make golden` writes the file anew;
read the diff, with the processor's ABI beside it, before you commit it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dc.names.catalog import UNREACHABLE
from dc.types.scopes import Scope
from dc.types.types import Array, Enum, Float, Function, Integer, Member, Model, Pointer, Record, Type
from dif.elfnumbers import EM_386, EM_AARCH64, EM_SPARC, EM_SPARCV9, EM_X86_64
from runtime.programs import abi, golang
from runtime.programs.pairs import Numbers

EXPECTED = Path(__file__).parent / "calls.txt"
NUMBERS = Numbers(Scope.intrinsic(Model.LP64), EM_X86_64, "<")
BASIC: dict[str, Type] = {
    "c": Integer("char", 1, True, True, 8, 1), "h": Integer("short", 2, True, False, 16, 2),
    "i": Integer("int", 4, True, False, 32, 4), "l": Integer("long", 8, True, False, 64, 8),
    "f": Float("float", 4, 4), "d": Float("double", 8, 8), "x": Float("long double", 16, 16),
    "q": NUMBERS.integer("__int128", True), "Q": NUMBERS.floating("_Float128", 16),
    "F": NUMBERS.complex("complex float", 8), "D": NUMBERS.complex("complex double", 16),
    "X": NUMBERS.complex("complex long double", 32),
    "b": Integer("int", 4, True, False, 3, 4), "e": Enum("E", {"A": 1}, "", 4, True),
    "u": Function(Integer("int", 4, True, False, 32, 4), (), False, ())}
# A letter is a type above, {...} a structure of them, <...> a union, [n...] an array, p a pointer; the result
# comes first.
SIGNATURES = """
i|iiiiiiiii|lclclclcl|ddddddddddd|fifififififififififif|ipippp|eh|qq|iqi|iiiqi|iiiiiqi|xix|l{i}|i{l}i|i{ll}i
i{lll}i
i{dd}d|i{ff}f|i{fi}i|i{if}d|i{ffff}i|i{fffff}i|i{dddd}i|i{ddddd}i|i{ld}{dl}|iiiiii{ll}i|iiiii{ll}i|iiiiii{ld}i
idddddddd{dd}d|iddddddd{dd}d|iddddddd{ld}i|i{c}{cc}{ccc}|i{cccccccc}i|i{ccccccccc}i|i{h[3h]i}i|i[2i]i|i{[2d]}i
i{[16c]}i|i{[17c]}i|i{{i}{i}}i|i{{d}{d}}d|i{x}i|i{q}i|i{p}i|i{e}i|iiiiiii{l}i|i{}i|{l}i
{ll}i|{lll}i|{dd}i|{ld}i|{dl}i
{ffff}i|{dddd}i|{fi}i|{x}i|{q}i|qi|xi|di|fi|ci|pi|{c}i|{cccccccccccccccc}i|{ccccccccccccccccc}i
{[4l]}i|{[5l]}i|{f}i
i{iii}iii{iii}|i{lc}{cl}{hl}|iiiiiiii{ll}{ll}i|iiiiiii{ll}i|iiiiiiiqi|iddddddddfd|i{dd}{dd}{dd}{dd}{dd}i|i{ccc}h{hc}
FF|DD|XX|QQ|iFDi|iXi|iQi|{F}{F}|{D}{D}|{Q}{Q}|{X}i|iddddddddFi|idddddddDi|iddddddddQ{Q}i|i{iF}{Fi}{dF}{lF}|i{QQ}{QQQQ}i
{Qi}i|iqQqQ|iiq{q}q|iiiiiiii{q}iq|iiiiiiq{q}i
<id><id>|<ff><fd><lf>|<{dd}i><d{ll}>i|i<[3d]c>i|<[20c]i>i|<x>i|<xi>i|i<FD>i|i<ffff>i
{bbb}{b[3c]}|{lb}{bd}|{bbbf}i|i{[5f]}{[4f]}{[3d]}i|i{[0i]}i|{[0d]f}{f[0d]}|i{{{{f}}}{f}}i|i{[2{fd}]}i|{[2{ff}]}i
iu|i{}{}i{l}
"""
MACHINES = {"amd64": (64, EM_X86_64), "i386": (32, EM_386), "arm64": (64, EM_AARCH64),
            "sparc": (32, EM_SPARC), "sparcv9": (64, EM_SPARCV9)}


def _type(text: str, at: int, bits: int) -> tuple[Type, int]:
    """The type that stands at a place, and where the next one does."""
    letter = text[at]
    if letter == "p":
        return Pointer(BASIC["c"], bits // 8), at + 1
    if letter == "[":
        end = at + 1
        while text[end].isdigit():
            end += 1
        element, after = _type(text, end, bits)
        return Array(element, int(text[at + 1:end])), after + 1
    if letter not in "{<":
        return BASIC[letter], at + 1
    members: list[Member] = []
    end, align, at = 0, 1, at + 1
    while text[at] not in "}>":
        type_, at = _type(text, at, bits)
        place = 0 if letter == "<" else end if type_.is_bitfield() else end + -end % (8 * type_.align)
        members.append(Member(f"m{len(members)}", type_, place))
        end = max(end, place + getattr(type_, "bits", 8 * type_.size))
        align = max(align, type_.align)
    record = Record("struct" if letter == "{" else "union", None, "", True)
    record.define(members, -(-end // (8 * align)) * align, align)
    return record, at + 1


def signature(text: str, bits: int) -> Function:
    types, at = [], 0
    while at < len(text):
        type_, at = _type(text, at, bits)
        types.append(type_)
    return Function(types[0], tuple(types[1:]), False, (None,) * (len(types) - 1))


def _number(number: int) -> str:
    if number == UNREACHABLE:
        return "-"
    if number >= abi.IN_MEMORY:
        return f"m{number - abi.IN_MEMORY}"
    return f"v{number - abi.VECTOR_HALVES}" if number >= abi.VECTOR_HALVES else str(number)


def _place(place: abi.Place) -> str:
    if place.parts:
        return f"[{' '.join(f'{each.offset}:{each.size}={_number(each.number)}' for each in place.parts)}]"
    return "*" * place.pointed + _number(place.number)


def told() -> Iterator[str]:
    """Yield every line of the file."""
    for text in SIGNATURES.strip().replace("\n", "|").split("|"):
        yield text
        for name, (bits, machine) in MACHINES.items():
            made = signature(text, bits)
            where = " ".join(map(_place, abi.places(made, bits, machine)))
            yield f"    {name} {where} -> {_place(abi.returned(made.returns, bits, machine))}"
        for bits, registers in ((64, golang.REGISTERS), (64, 0), (32, 0)):
            places = golang.places(signature(text, bits), bits, registers)
            yield f"    go, {bits} bits, {registers} registers: {' '.join(map(_number, places))}"


def test_places() -> None:
    assert list(told()) == EXPECTED.read_text().splitlines(), "if this is meant, say `make golden`"


if __name__ == "__main__":
    EXPECTED.write_text("\n".join(told()) + "\n")
