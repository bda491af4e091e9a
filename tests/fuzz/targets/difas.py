"""Text for difas: what is read is written as DOF, listed again, and read again as the same program."""

from __future__ import annotations

from dif import isa
from dif.assembler import AssemblerError
from dof import reader, text, writer
from dof.format import DofError
from tests.fuzz import programs
from tests.fuzz.engine import Target
from tests.fuzz.mutation import blind, mixed, tokens

WORDS = [row.name.encode() for row in isa.OPCODES.values()] + [
    b".difo", b".ecb", b".action", b".predicate", b".option", b".probe", b".provider", b".translator",
    b".member",
    b".source", b".model", b".native", b".xlated", b".mapping", b".offsets", b".enabled", b".inputs",
    b".exports",
    b"%r0", b"%r1", b"%r7", b"%r8", b"0x500", b"arg0", b"timestamp", b"strlen", b"DIFEXPR", b"-", b"\n",
    b'"a"',
    b".global", b".thread", b".local", b".int", b".string", b".rtype", b".reloc", b".xlref", b"DT_TYPE(0)",
    b"[%r1]"]


def run(data: bytes) -> object:
    program = text.load(data.decode("utf-8", "surrogateescape"))
    again = text.load(text.dump(program))
    if text.dump(again) != text.dump(program):
        raise AssertionError("a listing that is read again is listed otherwise")
    dof = writer.write(program)
    reader.read(dof)
    return len(program.ecbs), len(program.providers), len(program.translators)


def seeds() -> list[bytes]:
    return [text.dump(programs.compiled(source).program).encode() for source in programs.FIRING] + [
        b"ldgs arg0, %r1\nret %r1\n", b"setx 5, %r1\nsets \"a\", %r2\n"
        b"scmp %r1, %r2\nbe L1\nnop\nL1: ret %r1\n"]


def target() -> Target:
    return Target(run, (AssemblerError, DofError), mixed((4, tokens(WORDS)), (1, blind)), seeds)
