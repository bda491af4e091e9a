"""Assembler and disassembler: what one writes, the other reads."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dif import assembler, disassembler, isa, syntax
from dif.difo import Difo, DifType, DifVar, Reloc, Translation
from dif.limits import MASK

words = st.integers(0, 0xFFFFFFFF)
names = st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=8)
types = st.builds(DifType, st.integers(0, 255), st.integers(0, 255), st.integers(0, 255), words)
relocs = st.lists(st.builds(Reloc, names, words, st.integers(0, 1 << 64 - 1), st.integers(0, 1 << 64 - 1)),
                  max_size=3)
difos = st.builds(
    Difo, text=st.lists(words, max_size=20), rtype=types,
    inttab=st.lists(st.integers(0, (1 << 64) - 1), max_size=4), strtab=st.binary(max_size=12),
    vartab=st.lists(st.builds(DifVar, names, words, st.integers(0, 255), st.integers(0, 255),
                              st.integers(0, 0xFFFF), types), max_size=3),
    kreltab=relocs, ureltab=relocs,
    xltab=st.lists(st.builds(Translation, words, words, words), max_size=3),
    typtab=st.lists(types, max_size=3))


@given(difos)
@settings(max_examples=60, deadline=None)
def test_any_object_survives_text(difo: Difo) -> None:
    """Text → object → text is identical, and the object is the same but for names added to strtab."""
    text = disassembler.text(assembler.assemble(disassembler.text(difo)))
    again = assembler.assemble(text)
    assert disassembler.text(again) == text
    assert again.strtab.startswith(difo.strtab)
    again.strtab = difo.strtab
    assert again == difo


@pytest.mark.parametrize("opcode", isa.OPCODES.values(), ids=lambda row: row.name)
def test_every_opcode_round_trips(opcode: isa.Opcode) -> None:
    word = opcode.code << 24
    for number, operand in enumerate(syntax.operands(opcode.format), 1):
        word |= number << operand.shift
    text = disassembler.instruction(word)
    assert text.split()[0] == opcode.name
    assert assembler.assemble(text).text == [word]


def test_every_opcode_is_in_the_table() -> None:
    assert sorted(isa.OPCODES) == list(range(1, 80))


@pytest.mark.parametrize("word", [
    0, 80 << 24, 0xFF000000, isa.fmt(isa.Op.NOT, 1, 1, 1), isa.fmt(isa.Op.RET, 1)])
def test_what_no_instruction_spells_is_a_word(word: int) -> None:
    assert disassembler.instruction(word) == f".word {word:#010x}"
    assert assembler.assemble(f".word {word:#x}").text == [word]


def test_words_a_person_would_write() -> None:
    difo = assembler.assemble("""
        .difo length            # of a string kept in a variable
        .returns ctf integer 8 -
        .variable "name" 0x500 scalar global read string unknown 256 byref
        ldgs    name, %r1
        setx    -1, %r2
        setx    0xffffffffffffffff, %r3
        sets    "a \\"quoted\\"\\n", %r4
        tst     %r1
        be      none            ! no name
        pushtr  string, %r0, %r1
        call    strlen, %r1
        ldgs    pid, %r5
none:   ret     %r1
    """)
    assert difo.inttab == [0xFFFFFFFFFFFFFFFF]
    assert difo.strtab == b'\0a "quoted"\n\0name\0'
    assert difo.text == [
        isa.wide(isa.Op.LDGS, 0x500, 1), isa.wide(isa.Op.SETX, 0, 2), isa.wide(isa.Op.SETX, 0, 3),
        isa.wide(isa.Op.SETS, 1, 4), isa.fmt(isa.Op.TST, 1), isa.branch(isa.Op.BE, 9),
        isa.fmt(isa.Op.PUSHTR, 1, 0, 1), isa.wide(isa.Op.CALL, 12, 1), isa.wide(isa.Op.LDGS, 0x116, 5),
        isa.fmt(isa.Op.RET, 0, 0, 1)]
    assert difo.rtype == DifType(0, 1, 0, 8)


def test_subroutine_names_are_the_targets() -> None:
    assert assembler.assemble("call getf, %r1").text == [isa.wide(isa.Op.CALL, 46, 1)]
    assert assembler.assemble("call getf, %r1", target="freebsd").text == [isa.wide(isa.Op.CALL, 51, 1)]


@pytest.mark.parametrize(("text", "line", "message"), [
    ("mov %r1, %r2\nfrob %r1", 2, "unknown instruction frob"),
    (".frob", 1, "unknown directive .frob"),
    ('.kernel-relocation "a" 1 2', 1, "expected NAME TYPE OFFSET DATA"),
    ('nop\n.user-relocation "a" 1 2 3 4', 2, "expected NAME TYPE OFFSET DATA"),
    ("mov %r1", 1, "mov: expected r1, rd"),
    ("ret", 1, "ret: expected rd"),
    ("mov %r1, %r256", 1, "mov: %r256 is out of range"),
    ("mov r1, %r2", 1, "mov: expected %rN, found r1"),
    ("ldx %r1, %r2", 1, "ldx: expected [%rN], found %r1"),
    ("ba there", 1, "unknown label there"),
    ("ba 0x1000000", 1, "expected a label, found 0x1000000"),
    ("a: nop\na: nop", 2, "label a is defined twice"),
    ('sets "open, %r1', 1, "string does not end"),
    ('sets "\\q", %r1', 1, "unknown escape \\q"),
    ("setx 0x10000000000000000, %r1", 1, "18446744073709551616 does not fit 64 bits"),
    ("setx " + "9" * 5000 + ", %r1", 1, "expected a number"),
    ("ldgs frob, %r1", 1, "unknown variable frob"),
    ("call frob, %r1", 1, "unknown subroutine frob"),
    ("pushtr frob, %r1, %r2", 1, "expected a number, found frob"),
    (".returns ctf integer 8", 1, "expected a type: KIND CTF-KIND SIZE FLAGS"),
    (".variable x", 1, "expected NAME ID KIND SCOPE FLAGS and a type"),
    (".word 0x100000000", 1, "0x100000000 is not a 32-bit word"),
])
def test_errors_name_the_line(text: str, line: int, message: str) -> None:
    with pytest.raises(assembler.AssemblerError) as caught:
        assembler.assemble(text)
    assert caught.value.line == line
    assert message in str(caught.value)


@pytest.mark.parametrize(("length", "shown"), [(119, "x" * 119), (120, "x" * 120), (121, "x" * 120 + "...")])
def test_messages_have_a_most(length: int, shown: str) -> None:
    """They quote what they are about, of which lines may have any amount."""
    assert assembler.AssemblerError(3, "x" * length).what == shown


def test_the_classic_listing() -> None:
    difo = Difo(
        [isa.wide(isa.Op.SETX, 0, 1), isa.wide(isa.Op.STGS, 0x500, 1), isa.wide(isa.Op.SETS, 1, 2),
         isa.fmt(isa.Op.PUSHTR, 1, 0, 2), isa.fmt(isa.Op.PUSHTV, 0, 0, 1), isa.wide(isa.Op.LDGAA, 0x501, 3),
         isa.wide(isa.Op.CALL, 0, 3), 0, isa.fmt(isa.Op.RET, 0, 0, 1)],
        DifType(0, 3, isa.TF_BYUREF, 8), [255], b"\0x\0a\0",
        [DifVar("x", 0x500, 1, 0, 2, DifType(0, 1, 0, 4)),
         DifVar("a", 0x501, 0, 0, 3, DifType(1, 0, 1, 256))],
        [Reloc("genunix`foo", 1, 8)])
    assert disassembler.listing(difo, 0x80) == """
DIFO 0x80 returns D type (pointer) by user ref (size 8)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0xff
01: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "x"
02: 26000102    sets DT_STRING[1], %r2		! "x"
03: 30010002    pushtr DT_TYPE(1), %r0, %r2	! DT_TYPE(1) = string
04: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
05: 34050103    ldgaa DT_VAR(1281), %r3		! DT_VAR(1281) = "a"
06: 2f000003    call DIF_SUBR(0), %r3		! rand
07: 00000000    (illegal opcode)
08: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
x                1280 scl glb w    D type (integer) (size 4)
a                1281 arr glb r/w  string (unknown) by ref (size 256)

KREL OFFSET   DATA     NAME
1    8        0        genunix`foo
"""


@pytest.mark.parametrize(("word", "text"), [
    (isa.wide(isa.Op.SETX, 0, 1), "setx DT_INTEGER[0], %r1\t\t! 0x7"),
    (isa.wide(isa.Op.SETX, 1, 1), "setx DT_INTEGER[1], %r1"),
    (isa.wide(isa.Op.SETS, 2, 1), 'sets DT_STRING[2], %r1\t\t! ""'),
    (isa.wide(isa.Op.SETS, 3, 1), "sets DT_STRING[3], %r1"),
    (isa.wide(isa.Op.XLATE, 0, 1), "xlate DT_XLREF[0], %r1\t\t! DT_XLREF[0] = 1.2"),
    (isa.wide(isa.Op.XLATE, 1, 1), "xlate DT_XLREF[1], %r1"),
    (isa.wide(isa.Op.LDGS, 0x500, 1), 'ldgs DT_VAR(1280), %r1\t\t! DT_VAR(1280) = "x"'),
    (isa.wide(isa.Op.LDLS, 0x500, 1), "ldls DT_VAR(1280), %r1"),
    (isa.wide(isa.Op.LDGS, 0x501, 1), "ldgs DT_VAR(1281), %r1"),
    (isa.fmt(isa.Op.PUSHTR, 1, 0, 1), "pushtr DT_TYPE(1), %r0, %r1\t\t! DT_TYPE(1) = string"),
    (isa.fmt(isa.Op.PUSHTR, 2, 0, 1), "pushtr DT_TYPE(2), %r0, %r1"),
    (isa.wide(isa.Op.CALL, 53, 1), "call DIF_SUBR(53), %r1\t\t! strtoll"),
    (isa.wide(isa.Op.CALL, 54, 1), "call DIF_SUBR(54), %r1\t\t! unknown")])
def test_what_an_instruction_refers_to(word: int, text: str) -> None:
    """As far as the object has it: the tables end behind their last entries."""
    difo = Difo([], inttab=[7], strtab=b"\0a\0", xltab=[Translation(1, 2, 0)],
                vartab=[DifVar("x", 0x500, 1, 0, 2, DifType(0, 1, 0, 4))])
    assert disassembler.instruction(word, difo) == text


@pytest.mark.parametrize(("text", "shown"), [
    ("x" * 100, "x" * 100), ("x" * 101, "x" * 100 + "..."), ("x" * 5000, "x" * 100 + "..."),
    ("\a" * 25, r"\x07" * 25), ("\a" * 26, r"\x07" * 25 + "..."), ("ü", "ü"), ("\U000e0000", r"\U000e0000")])
def test_messages_are_printable_and_bounded(text: str, shown: str) -> None:
    with pytest.raises(assembler.AssemblerError) as caught:
        assembler.assemble(text)
    assert str(caught.value) == f"line 1: unknown instruction {shown}"
    assert caught.value.what == f"unknown instruction {shown}"


@pytest.mark.parametrize(("text", "table"), [
    ('sets "", %r1', b"\0"), ('sets "a", %r1\nsets "", %r2\nsets "a", %r3', b"\0a\0"),
    ('sets "ab", %r1\nsets "b", %r2', b"\0ab\0"),
    ('.string "a"\nsets "a", %r1\nsets "", %r2', b"a\0"), ('.string ""\nsets "", %r1', b"\0"),
    ('.variable "v" 1280 scalar global read ctf integer 8 -\nldgs v, %r1', b"\0v\0")])
def test_a_string_is_entered_once(text: str, table: bytes) -> None:
    assert assembler.assemble(text).strtab == table


def test_an_integer_is_entered_once() -> None:
    difo = assembler.assemble(".integer 5\n.integer 7\n.integer 5\nsetx 5, %r1\nsetx 7, %r2\nsetx -1, %r3")
    assert difo.inttab == [5, 7, 5, MASK]
    assert difo.text == [isa.wide(isa.Op.SETX, index, rd) for index, rd in ((0, 1), (1, 2), (3, 3))]


@pytest.mark.parametrize(("number", "fits"), [
    ("65535", True), ("65536", False), ("0065535", True), ("1" + "0" * 30, False), ("0" * 14 + "65535", True),
    ("0" * 15 + "65535", False)])
def test_operands_of_sixteen_bits(number: str, fits: bool) -> None:
    if fits:
        assert assembler.assemble(f"setx DT_INTEGER[{number}], %r1").text == [isa.wide(isa.Op.SETX, 65535, 1)]
        return
    with pytest.raises(assembler.AssemblerError, match="is out of range"):
        assembler.assemble(f"setx DT_INTEGER[{number}], %r1")


@pytest.mark.parametrize(("value", "word"), [
    (str(-1 << 63), 1 << 63), (str(MASK), MASK), (str(1 << 64), None), (str((-1 << 63) - 1), None)])
def test_integers_of_64_bits(value: str, word: int | None) -> None:
    for line in (f"setx {value}, %r1", f".integer {value}"):
        if word is not None:
            assert assembler.assemble(line).inttab == [word]
            continue
        with pytest.raises(assembler.AssemblerError, match="does not fit 64 bits"):
            assembler.assemble(line)


@pytest.mark.parametrize("line", [
    ".difo", ".difo a b", ".integer", ".integer 1 2", ".string", '.string "a" "b"', ".ascii", ".word",
    ".word 1 2", '.variable "x" 1280 scalar global read', ".translation 1 2", ".translation 1 2 3 4"])
def test_directives_count_their_words(line: str) -> None:
    with pytest.raises(assembler.AssemblerError, match="line 2: "):
        assembler.assemble(f"nop\n{line}\nret %r0")


@pytest.mark.parametrize(("line", "wrong"), [
    (".string hello", "expected a string, found hello"), (".string", "expected a string"),
    (".string 5", "expected a string, found 5")])
def test_a_string_needs_its_quotes(line: str, wrong: str) -> None:
    with pytest.raises(assembler.AssemblerError, match=f"line 2: {wrong}"):
        assembler.assemble(f"nop\n{line}\nret %r0")
    assert assembler.assemble('.string "hello"\nret %r0').strtab.endswith(b"hello\0")
