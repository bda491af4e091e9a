"""A program with everything in it, and an editor that breaks its DOF one field at a time."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dif.assembler import assemble
from dif.difo import Reloc
from dof import format as dof
from dof import writer
from dof.model import Action, ActionKind, Attributes, Ecb, Probe, ProbeDesc, Program, Provider
from dof.options import OptionId

sys.path.insert(0, str(Path(__file__).parent))

STABLE = Attributes(5, 5, 5)


def make_enabling() -> Program:
    predicate = assemble('.returns ctf integer 8 -\nldgs pid, %r1\nret %r1')
    value = assemble("""
        .returns ctf integer 8 -
        .variable "n" 0x500 scalar global read|written ctf integer 8 -
        setx 10, %r1
        sets "text", %r2
        stgs %r1, n
        ret %r1""")
    return Program(
        ecbs=[Ecb(ProbeDesc("syscall", "", "read", "entry"), predicate,
                  [Action(ActionKind.PRINTF, string="%d\n"), Action(ActionKind.DIFEXPR, value),
                   Action(ActionKind.AGG_COUNT, arg=1, ntuple=1)], uarg=7),
              Ecb(ProbeDesc("dtrace", "", "", "BEGIN"), None, [Action(ActionKind.EXIT, value)])],
        options=[(0, 4096), (OptionId.CPU, -1)])


def make_providers() -> Program:
    return Program(providers=[Provider("prov", (STABLE,) * 5, [
        Probe("main", "go", 0x10, ["int", "char *"], ["int", "string"], [0, 1], [4, 8], [16], "main"),
        Probe("main", "stop", 0x20, offsets=[12], symbol="main"),
        Probe("test", "maybe", 0x30, ["int"], ["int"], [0], enabled_offsets=[2], symbol="test")])])


class Editor:
    """DOF bytes whose fields can be set by name; offsets come from the format's own tables."""

    def __init__(self, data: bytes) -> None:
        self.data = bytearray(data)
        self._header = dof.unpack(dof.Header, data)

    def _set(self, structure: type, base: int, field: str, value: object) -> Editor:
        old = dof.unpack(structure, bytes(self.data), base)
        raw = dof.pack(old._replace(**{field: value}))
        self.data[base:base + len(raw)] = raw
        return self

    def header(self, field: str, value: object) -> Editor:
        return self._set(dof.Header, 0, field, value)

    def section(self, kind: int, field: str, value: int, nth: int = 0) -> Editor:
        return self._set(dof.SectionHeader, self._at(kind, nth), field, value)

    def entry(self, kind: int, field: str, value: object, *, nth: int = 0, number: int = 0) -> Editor:
        """Set a field of entry `number` of the nth section of type `kind`."""
        structure = dof.SECTIONS[kind].entry
        assert structure is not None
        header = dof.unpack(dof.SectionHeader, bytes(self.data), self._at(kind, nth))
        return self._set(structure, header.offset + number * dof.size_of(structure), field, value)

    def _at(self, kind: int, nth: int) -> int:
        table = [(at, dof.unpack(dof.SectionHeader, bytes(self.data), at)) for at in range(
            self._header.section_offset,
            self._header.section_offset + self._header.section_count * 32, 32)]
        return [at for at, header in table if header.type == kind][nth]


@pytest.fixture
def enabling() -> Program:
    return make_enabling()


@pytest.fixture
def providers() -> Program:
    return make_providers()


@pytest.fixture
def edit_enabling() -> Editor:
    return Editor(writer.write(make_enabling()))


@pytest.fixture
def edit_providers() -> Editor:
    return Editor(writer.write(make_providers()))


@pytest.fixture
def relocated() -> Program:
    """One object whose integer table is relocated against a program's symbol."""
    program = make_enabling()
    difo = assemble(".returns ctf integer 8 -\nsetx 0x100, %r1\nret %r1")
    difo.ureltab = [Reloc("symbol", dof.RELO_SETX, 0)]
    difo.strtab = b"\0symbol\0kernel\0"
    difo.kreltab = [Reloc("kernel", dof.RELO_SETX, 0, 3)]
    program.ecbs[0].predicate = difo
    return program
