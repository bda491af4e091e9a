"""Go programs: which functions Go's compiler made, and where their arguments are when they are entered.

Facts: Go's internal ABI specification (amd64), in its source as cmd/compile/abi-internal.md, and the layout
of the section .go.buildinfo, as debug/buildinfo reads it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dc.names.catalog import UNREACHABLE
from dc.types.types import Array, Record
from dif.elfnumbers import EM_386, EM_X86_64
from runtime.kernel.base.errors import MemoryFault

if TYPE_CHECKING:
    from collections.abc import Callable

    from dc.types.types import Function, Type
    from dof.elf import ElfFile

    Read = Callable[[int, int], bytes]  # of an address, as the file counts, and a size; raises MemoryFault

REGISTERS, VECTORS = 9, 15  # of arguments on amd64; elsewhere, and before, all are on the stack
FIRST = 17  # the minor version of Go 1 that passes arguments in registers first
OLD_ABI = ".abi0"  # ends the names of functions whose arguments are on the stack
DEEPEST_VALUE = 32  # structures within one another
_BUILDINFO, _MAGIC = ".go.buildinfo", b"\xff Go buildinf:"
_WORD = 8  # bytes of an address in .go.buildinfo, where it has addresses
_POINTER_AT, _INLINE_AT, _INLINE = 16, 32, 2  # where the version is, or its string; the flag that says which
_VERSION = re.compile(rb"go1\.(\d+)")
_TEXT = "runtime.text", "runtime.etext"  # symbols: where the text that Go's compiler made begins and ends


def is_go(elf: ElfFile) -> bool:
    """Whether Go's tools have built a program."""
    return elf.section(_BUILDINFO) is not None


def compiled(elf: ElfFile, read: Read, symbol: Callable[[str], int | None]) -> tuple[range, int]:
    """The addresses of the functions that Go's compiler made, and how many registers take arguments there.

    Without such functions there are no addresses.  `symbol` returns a symbol's address.
    """
    section = elf.section(_BUILDINFO)
    if section is None or elf.machine not in (EM_X86_64, EM_386):
        return range(0), 0
    start, end = map(symbol, _TEXT)
    version = _VERSION.search(_version(read, bytes(elf.contents(section)[:_INLINE_AT + 64])))
    if version is None or start is None or end is None:
        return range(0), 0
    return range(start, end), REGISTERS if int(version[1]) >= FIRST and elf.bits == 64 else 0


def _version(read: Read, info: bytes) -> bytes:
    """What .go.buildinfo, beginning with `info`, says the version is: a string, or where one's address is."""
    if not info.startswith(_MAGIC) or len(info) < _INLINE_AT:
        return b""
    if info[len(_MAGIC) + 1] & _INLINE:
        return info[_INLINE_AT:]
    try:
        header = read(int.from_bytes(info[_POINTER_AT:_POINTER_AT + _WORD], "little"), 2 * _WORD)
        size = min(int.from_bytes(header[_WORD:], "little"), 64)
        return read(int.from_bytes(header[:_WORD], "little"), size)
    except MemoryFault:
        return b""


def places(signature: Function, bits: int, registers: int) -> list[int]:
    """For each parameter the number N of the argN that is its value; UNREACHABLE where none is.

    `registers` is how many the function takes arguments in.  Words of the stack follow them.
    """
    used = [0, 0, 0]  # registers, vector registers, bytes of the stack
    return [_place(type_, used, bits // 8, registers) for type_ in signature.parameters]


def _place(type_: Type, used: list[int], word: int, registers: int) -> int:
    kinds = _kinds(type_, DEEPEST_VALUE) if registers else None
    simple = type_.size <= word and (type_.is_scalar() or type_.is_function())
    if kinds is None or used[0] + kinds.count("r") > registers or used[1] + kinds.count("v") > VECTORS:
        align = min(max(type_.align, 1), word)
        at = -(-used[2] // align) * align
        used[2] = at + (type_.size or word * type_.is_function())
        return registers + at // word if simple and at % word == 0 else UNREACHABLE
    at = used[0]
    used[0] += kinds.count("r")
    used[1] += kinds.count("v")
    return at if simple else UNREACHABLE


def _kinds(type_: Type, depth: int) -> str | None:
    """A letter for each part of a value: "r" goes to a register, "v" to a vector register.

    None for a value that goes to the stack: it has an array of two elements or more.
    """
    base = type_.resolve()
    if isinstance(base, Array):
        if base.count > 1 or not depth:
            return None
        return _kinds(base.element, depth - 1) if base.count else ""
    if not isinstance(base, Record):
        return "v" if base.is_float() else "r"
    found = ""
    for member in (base.members or ()) if depth else ():
        part = _kinds(member.type, depth - 1)
        if part is None or len(found) > REGISTERS + VECTORS:
            return None
        found += part
    return found if depth else None
