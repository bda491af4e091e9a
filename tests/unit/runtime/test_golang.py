"""Which programs Go's compiler made, and which version of it: what .go.buildinfo and two symbols tell."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dc.names.catalog import UNREACHABLE
from dc.types.scopes import Scope
from dc.types.types import Function, Integer, Member, Model, Record, Type
from dif.elfnumbers import EM_386, EM_AARCH64, EM_X86_64
from runtime.kernel.base.errors import MemoryFault
from runtime.programs import golang
from runtime.programs.objectfile import Function as Code
from runtime.programs.usertypes import UserTypes

MAGIC = b"\xff Go buildinf:"
TEXT = {"runtime.text": 0x1000, "runtime.etext": 0x5000}
STRING, HEADER = 0x7000, 0x6000  # where a version's string is, and what leads there


def inline(version: bytes) -> bytes:
    """As Go 1.18 and later write it: the size of an address, flags, and at 32 the version."""
    return (MAGIC + b"\x08\x02").ljust(32, b"\0") + bytes((len(version),)) + version


def pointing(flags: int = 0, header: int = HEADER) -> bytes:
    """As earlier ones do: at 16 is the address of a string's header."""
    return (MAGIC + bytes((8, flags))).ljust(16, b"\0") + header.to_bytes(8, "little") + bytes(8)


def memory(version: bytes, size: int | None = None) -> dict[int, bytes]:
    length = len(version) if size is None else size
    return {HEADER: STRING.to_bytes(8, "little") + length.to_bytes(8, "little"), STRING: version}


def found(info: bytes | None, machine: int = EM_X86_64, bits: int = 64, text: dict[str, int] | None = None,
          held: dict[int, bytes] | None = None) -> tuple[range, int]:
    sections = {".go.buildinfo": info}
    elf: Any = SimpleNamespace(section=sections.get, contents=bytes, machine=machine, bits=bits)

    def read(address: int, size: int) -> bytes:
        data = (held or {}).get(address, b"")
        if len(data) < size:
            raise MemoryFault(address)
        return data[:size]

    assert golang.is_go(elf) == (info is not None)
    return golang.compiled(elf, read, (TEXT if text is None else text).get)


NONE = range(0), 0


@pytest.mark.parametrize(("version", "registers"), [
    (b"go1.4", 0), (b"go1.16.15", 0), (b"go1.17", 9), (b"go1.21rc2", 9), (b"devel go1.22-5c7d2f", 9),
    (b"go1.100", 9)])
def test_versions(version: bytes, registers: int) -> None:
    """From 1.17 on nine registers take arguments, on amd64 alone."""
    text = range(0x1000, 0x5000)
    for info, held in ((inline(version), {}), (pointing(), memory(version)), (pointing(1), memory(version))):
        assert found(info, held=held) == (text, registers)
        assert found(info, EM_386, 32, held=held) == (text, 0)
        assert found(info, EM_AARCH64, held=held) == NONE


@pytest.mark.parametrize("info", [
    None, b"", inline(b""), inline(b"hello"), inline(b"go1.x"), inline(b"go2.3"),
    b"\xff Go build inf:" + inline(b"go1.20")[14:], b" " + inline(b"go1.20"), inline(b"go1.20")[:20],
    pointing()[:31]])
def test_what_is_none_of_gos(info: bytes | None) -> None:
    assert found(info, held=memory(b"go1.20")) == NONE


def test_what_is_not_there() -> None:
    """Without either symbol no function is known to be Go's; nor if the version cannot be read."""
    for name, at in TEXT.items():
        assert found(inline(b"go1.20"), text={name: at}) == NONE
    for held in ({}, {HEADER: memory(b"")[HEADER]}, memory(b"go1.20", 20)):
        assert found(pointing(), held=held) == NONE
    assert found(pointing(), held=memory(b"go1.20".ljust(64), 1 << 40)) == (range(0x1000, 0x5000), 9)


INT = Integer("int", 8, True, False, 64, 8)
PAIR = Record("struct", "pair", "", True)
PAIR.define([Member("a", INT, 0), Member("b", INT, 64)], 16, 8)
VOID = Integer("void", 0, True, False, 0, 1)


@pytest.mark.parametrize(("go", "returns", "results"), [
    (9, INT, [1]), (9, PAIR, [UNREACHABLE]), (9, VOID, []),
    (0, INT, [UNREACHABLE]), (0, PAIR, [UNREACHABLE]), (None, INT, [1])])
def test_arguments_and_results(go: int | None, returns: Type, results: list[int]) -> None:
    """Go's results are in places of its own: only a word in a register is where C has it."""
    parameters: tuple[Type, ...] = (INT, PAIR, INT) if go is None else (INT, INT, INT)
    signature = Function(returns, parameters, False, (None,) * 3)
    found = SimpleNamespace(signature=lambda _start: signature, scope=Scope.intrinsic(Model.LP64))
    own: Any = SimpleNamespace(of=lambda _file: found)
    file: Any = SimpleNamespace(bits=64, elf=SimpleNamespace(machine=EM_X86_64))

    def mappings(probe: str, name: str) -> list[int] | None:
        made = UserTypes.arguments(own, file, Code(name, 0, 1, go=go), probe)
        return None if made is None else [each.mapping for each in made]

    assert mappings("entry", "f") == ([0, UNREACHABLE, 3] if go is None else [0, 1, 2])
    assert mappings("return", "f") == [0, *results]
    assert mappings("return", "f.part") == (None if go is None else [0, *results])
