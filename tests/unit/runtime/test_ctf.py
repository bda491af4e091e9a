"""Types from CTF: as GNU tools write it, beside DWARF of the same program; as illumos and FreeBSD do."""

from __future__ import annotations

import random
import struct
import zlib
from functools import partial
from pathlib import Path
from subprocess import run

import atonce
import pytest

from dc.types.scopes import Scope
from dc.types.types import Array, Function, Integer, Kind, Member, Model, Pointer, Record, Type, Typedef
from dof.elf import ElfFile
from runtime.programs.ctf import CtfTypes, KernelTypes
from runtime.programs.ctfwriter import write_ctf
from runtime.programs.dwarf import DwarfTypes

ORDER = Path(__file__).parent.parent / "providers" / "fasttrap" / "order.c"
ALL_TYPES = Path(__file__).with_name("all_types.c")
KEYS = ("struct order", "struct customer", "order_t", "money_t", "enum kind")


def build(folder: Path, *flags: str, source: str | None = None) -> Path:
    program, text = folder / "program", folder / "program.c"
    text.write_text(source if source is not None else ORDER.read_text())
    run(["gcc", *flags, "-o", str(program), str(text)], check=True)
    return program


def types_of(program: Path) -> CtfTypes:
    return CtfTypes(ElfFile(program.read_bytes()), "program", Model.LP64)


def address_of(program: Path, name: bytes) -> int:
    elf = ElfFile(program.read_bytes())
    table = elf.section(".symtab")
    assert table is not None
    return next(each.value for each in elf.symbols(table) if each.name == name)


def shape(type_: Type | None, depth: int = 3, *, of_program: bool = True) -> object:
    """All that matters of a type, down to some depth, and whether its pointers are those of a program."""
    inner = partial(shape, depth=depth - 1, of_program=of_program)
    assert type_ is not None
    base = type_.resolve()
    spelt = str(type_), type_.size
    if isinstance(base, Record) and depth:
        members = [(each.name, each.offset, each.type.is_bitfield(), getattr(each.type, "bits", 0),
                    inner(each.type)) for each in base.members or ()]
        return (*spelt, base.align, base.userland == of_program, members)
    if isinstance(base, Pointer) and depth:
        return (*spelt, base.userland == of_program, inner(base.target))
    if isinstance(base, Array) and depth:
        return (*spelt, base.count, inner(base.element))
    if isinstance(base, Function) and depth:
        return (*spelt, base.variadic, inner(base.returns),
                [inner(each) for each in base.parameters])
    return (*spelt, getattr(base, "values", None), getattr(base, "signed", None), getattr(base, "char", None))


def test_as_dwarf(tmp_path: Path) -> None:
    program = build(tmp_path, "-gctf", "-g", "-rdynamic")
    compact = types_of(program)
    dwarf = DwarfTypes(program.read_bytes(), "program", Model.LP64)
    for key in KEYS:
        assert shape(compact.scope.lookup(key)) == shape(dwarf.scope.lookup(key)), key
    serve, expected = (each.signature(address_of(program, b"serve")) for each in (compact, dwarf))
    assert serve is not None and expected is not None
    assert str(serve.returns) == str(expected.returns) == "long"
    assert [shape(each) for each in serve.parameters] == [shape(each) for each in expected.parameters]
    assert compact.scope.lookup("struct nothing") is None
    assert compact.signature(1) is None


def offsets(folder: Path, flags: tuple[str, ...], members: list[tuple[str, str]]) -> list[int]:
    """Where members of ALL_TYPES are, as the compiler has it: (tag, member) to bytes."""
    asked = ", ".join(f"__builtin_offsetof(struct {tag}, {name})" for tag, name in members)
    source = f"{ALL_TYPES.read_text()}\nunsigned long long offsets[] = {{ {asked} }};\n"
    run(["gcc", "-w", *flags, "-c", "-xc", "-", "-o", str(folder / "asked.o")], input=source, text=True,
        check=True)
    elf = ElfFile((folder / "asked.o").read_bytes())
    table = elf.section(".symtab")
    assert table is not None
    found = next(each for each in elf.symbols(table) if each.name == b"offsets")
    data = bytes(elf.contents(elf.section_at(found.section)))[found.value:found.value + found.size]
    return [number for number, in struct.iter_unpack("<Q", data)]


@pytest.mark.parametrize("flags", [(), ("-m32", "-gz", "-shared", "-nostdlib"), ("-gdwarf-4",)])
def test_every_kind_of_type(flags: tuple[str, ...], tmp_path: Path) -> None:
    """CTF, DWARF, and the CTF that we write of DWARF's types tell the same, also where members are."""
    model = Model.ILP32 if "-m32" in flags else Model.LP64
    program = build(tmp_path, "-g", "-gctf", "-rdynamic", "-w", *flags, source=ALL_TYPES.read_text())
    compact = CtfTypes(ElfFile(program.read_bytes()), "program", model)
    dwarf = DwarfTypes(program.read_bytes(), "program", model)
    keys = ("struct node", "struct flags", "struct letters", "union word", "enum sign", "node_t", "handler_t",
            "table_t")
    for key in keys:
        assert shape(compact.scope.lookup(key)) == shape(dwarf.scope.lookup(key)), key
    every = (*keys, "enum little", "struct odd", "struct huge")
    data = write_ctf(dwarf.scope, [key.split()[-1] for key in every])
    # unit, parent's label and name; then where labels, objects, functions and the indices of both begin
    assert not any(struct.unpack_from("<9I", data, 4))
    written = KernelTypes(data, "program", model)
    for key in every:
        assert shape(written.scope.lookup(key), of_program=False) == shape(dwarf.scope.lookup(key)), key
    for name in (b"serve", b"nothing", b"many", b"mixed", b"main"):
        assert shape(compact.signature(address_of(program, name))) == \
            shape(dwarf.signature(address_of(program, name))), name
    members = [("node", "at"), ("node", "most"), ("node", "three"), ("node", "rest"), ("odd", "matrix"),
               ("huge", "last"), ("huge", "odd")]
    told = offsets(tmp_path, flags, members)
    for types in (dwarf, written):
        records = [(types.scope.lookup(f"struct {tag}"), name) for tag, name in members]
        found = [isinstance(record, Record) and record.member(name) for record, name in records]
        assert [each and each.byte for each in found] == told


def test_types_of_several_units(tmp_path: Path) -> None:
    """What is common lies together; of structures of one name that differ, the first is found."""
    for name, member in (("one", "int first; struct both *b;"), ("two", "long other; struct both *b;")):
        (tmp_path / f"{name}.c").write_text(
            f"struct both {{ int n; }}; struct same {{ {member} }}; struct {name} {{ struct same s; }};"
            f"long {name}(struct {name} *p) {{ return (long)p->s.b; }}\n")
    program = build(tmp_path, "-gctf", "-rdynamic", str(tmp_path / "one.c"), str(tmp_path / "two.c"),
                    source="int main(void) { return 0; }")
    types = types_of(program)
    for key, members in (("one", ["s"]), ("two", ["s"]), ("both", ["n"]), ("same", ["first", "b"])):
        record = types.scope.lookup(f"struct {key}")
        assert isinstance(record, Record) and [each.name for each in record.members or ()] == members


def test_traced(tmp_path: Path) -> None:
    program = build(tmp_path, "-gctf", "-O1", "-rdynamic")
    done = atonce.run(["dtrace", "-x", "copyin=touch", "-qn",
                       'pid$target::serve:entry { printf("%s %d %d", stringof(args[0]->who->name),'
                       ' args[0]->rest, ((struct order *)arg0)->next->parts[2]); }',
                       "-c", program], check=True)
    assert done.stdout.strip() == "ada 1000 6", done.stderr


def test_damaged(tmp_path: Path) -> None:
    """Whatever the bytes are, types are found or not."""
    program = build(tmp_path, "-gctf", "-rdynamic")
    address = address_of(program, b"serve")
    data = program.read_bytes()
    section = ElfFile(data).section(".ctf")
    assert section is not None
    chance = random.Random(7)
    for _ in range(150):
        broken = bytearray(data)
        for _ in range(chance.choice((1, 1, 3, 40))):
            broken[section.offset + chance.randrange(section.size)] = chance.choice((0, 0xFF, 0x80, 0x17))
        types = CtfTypes(ElfFile(bytes(broken)), "program", Model.LP64)
        for key in KEYS:
            found = types.scope.lookup(key)
            assert found is None or found.size >= 0
        types.signature(address)


# -- as illumos and FreeBSD write it ------------------------------------------------------------------------

class Writer:
    """Writes a dictionary of <sys/ctf.h>, version 2 or 3."""

    def __init__(self, version: int) -> None:
        self.wide = version == 3
        self.version = version
        self.strings = bytearray(b"\0")
        self.types = b""
        self.functions = b""
        self.count = 0

    def name(self, text: str) -> int:
        at = len(self.strings)
        self.strings += text.encode() + b"\0"
        return at if text else 0

    def add(self, kind: int, name: str, size: int, items: bytes = b"", count: int = 0) -> int:
        if self.wide:
            large = size >= 0xFFFFFFFF
            head = struct.pack("<III", self.name(name), kind << 26 | 1 << 25 | count, size)
        else:
            large = size >= 0xFFFF
            head = struct.pack("<IHH", self.name(name), kind << 11 | 1 << 10 | count,
                               0xFFFF if large else size)
        self.types += head + (struct.pack("<II", size >> 32, size & 0xFFFFFFFF) if large else b"") + items
        self.count += 1
        return self.count

    def record(self, name: str, size: int, members: list[tuple[str, int, int]]) -> int:
        large = size >= (1 << 29 if self.wide else 8192)
        items = b""
        for member, type_, offset in members:
            if large:
                items += struct.pack("<IHHII", self.name(member), type_, 0, offset >> 32, offset & 0xFFFFFFFF)
            else:
                items += struct.pack("<III" if self.wide else "<IHH", self.name(member), type_, offset)
        return self.add(Kind.STRUCT, name, size, items, len(members))

    def function(self, known: bool, returns: int = 0, *arguments: int) -> None:
        info = Kind.FUNCTION << (26 if self.wide else 11) | len(arguments) if known else 0
        words = [info, returns, *arguments] if known else [info]
        self.functions += struct.pack(f"<{len(words)}{'I' if self.wide else 'H'}", *words)

    def data(self, compressed: bool) -> bytes:
        functions = self.functions + bytes(-len(self.functions) % 4)
        types, strings = len(functions), len(functions) + len(self.types)
        body = functions + self.types + bytes(self.strings)
        return struct.pack("<HBB8I", 0xCFF1, self.version, int(compressed), 0, 0, 0, 0, 0, types, strings,
                           len(self.strings)) + (zlib.compress(body) if compressed else body)


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("version", [2, 3])
def test_illumos(version: int, compressed: bool, tmp_path: Path) -> None:
    """A dictionary whose functions stand in the order of the symbols, unknown ones between."""
    plain = build(tmp_path, "-O1")
    elf = ElfFile(plain.read_bytes())
    table = elf.section(".symtab")
    assert table is not None
    writer = Writer(version)
    number = writer.add(Kind.INTEGER, "int", 4, struct.pack("<I", 1 << 24 | 32))
    bits = writer.add(Kind.INTEGER, "unsigned", 4, struct.pack("<I", 3))
    large = writer.add(Kind.INTEGER, "long", 8, struct.pack("<I", 1 << 24 | 64))
    record = writer.count + 2
    pointer = writer.add(Kind.POINTER, "", record)
    writer.record("order", 24, [("id", number, 0), ("flag", bits, 320 - 256), ("next", pointer, 128)])
    bounds = struct.pack("<III" if version == 3 else "<HHI", number, number, 5000)
    array = writer.add(Kind.ARRAY, "", 0, bounds)
    letter = writer.add(Kind.INTEGER, "letter", 1, struct.pack("<I", 3 << 24 | 8))
    wide_letter = writer.add(Kind.INTEGER, "wide_letter", 4, struct.pack("<I", 3 << 24 | 32))
    writer.record("letters", 5, [("one", letter, 0), ("wide", wide_letter, 8)])
    writer.record("huge", 20000 + 8, [("many", array, 0), ("last", large, 160000)])
    writer.add(Kind.TYPEDEF, "order_t", record)
    values = struct.pack("<IiIi", writer.name("RETAIL"), -1, writer.name("BULK"), 7)
    writer.add(Kind.ENUM, "kind", 4, values, 2)
    writer.add(Kind.FORWARD, "elsewhere", Kind.STRUCT)
    for symbol in elf.symbols(table):
        if symbol.type == 2 and symbol.section and symbol.name:
            writer.function(symbol.name == b"serve", large, pointer, number)
    (tmp_path / "ctf").write_bytes(writer.data(compressed))
    program = tmp_path / "with"
    run(["objcopy", "--add-section", f".SUNW_ctf={tmp_path / 'ctf'}", str(plain), str(program)], check=True)
    types = types_of(program)
    signature = types.signature(address_of(program, b"serve"))
    assert signature is not None
    assert [str(each) for each in (signature.returns, *signature.parameters)] == \
        ["long", "struct order *", "int"]
    assert types.signature(address_of(program, b"main")) is None
    order, huge, kind = (types.scope.lookup(f"{key}") for key in ("order_t", "struct huge", "enum kind"))
    assert order is not None and huge is not None and kind is not None
    found = order.resolve()
    assert isinstance(found, Record) and found.members is not None
    assert [(each.name, each.offset, each.type.size) for each in found.members] == [
        ("id", 0, 4), ("flag", 64, 4), ("next", 128, 8)]
    assert found.members[1].type.is_bitfield() and getattr(found.members[1].type, "bits", 0) == 3
    assert isinstance(huge, Record) and [each.byte for each in huge.members or ()] == [0, 20000]
    assert getattr(kind, "values", None) == {"RETAIL": -1, "BULK": 7}
    letters = types.scope.lookup("struct letters")
    assert isinstance(letters, Record) and letters.members is not None
    assert [(getattr(each.type, "char", None), each.type.size) for each in letters.members] == [
        (True, 1), (False, 4)]


@pytest.mark.parametrize("size", [(1 << 29) - 1, 1 << 29, (1 << 32) - 2, (1 << 32) - 1, 1 << 32, 5 << 33])
def test_large_structures(size: int) -> None:
    """As they are written for another kernel: the offsets of members have room, whatever the size."""
    scope = Scope(Model.LP64, Scope.intrinsic(Model.LP64), "k")
    byte = scope.basic("char")
    record = Record("struct", "large", "k")
    record.define([Member("first", byte, 0), Member("last", byte, 8 * (size - 1))], size, 1)
    most = Array(byte, (1 << 31) - 1)
    scope.types.update({"struct large": record, "most": Typedef("most", most, "k"),
                        "more": Typedef("more", Array(byte, 1 << 31), "k")})
    read = KernelTypes(write_ctf(scope, ["large", "most", "more"]), "k", Model.LP64).scope
    found = read.lookup("struct large")
    assert isinstance(found, Record) and found.members is not None
    assert (found.size, [each.offset for each in found.members]) == (size, [0, 8 * (size - 1)])
    counts = [getattr(type_.resolve(), "count", None) for type_ in map(read.lookup, ("most", "more"))
              if type_ is not None]
    assert counts == [(1 << 31) - 1, 0]


@pytest.mark.parametrize(("most", "known"), [(400_000, True), (150_000, False), (5_000, False)])
def test_names_that_share_bytes(most: int, known: bool) -> None:
    """Each is counted where it is read: few bytes may stand for many."""
    scope = Scope(Model.LP64, Scope.intrinsic(Model.LP64), "kernel")
    record = Record("struct", "many", "kernel")
    record.define([Member("m" * 5000, scope.basic("int"), 32 * number) for number in range(60)], 240, 4)
    scope.types["struct many"] = record
    try:
        types = KernelTypes(write_ctf(scope, ["many"]), "kernel", Model.LP64, most)
    except ValueError:
        found = None
    else:
        found = types.scope.lookup("struct many")
    assert (isinstance(found, Record) and found.size == 240) == known


@pytest.mark.parametrize(("size", "encoding", "expected"), [  # size, sign, character, bits
    (4, 1 << 24 | 32, (4, True, False, 32)), (4, 32, (4, False, False, 32)), (4, 0, (4, False, False, 32)),
    (4, 1 << 24 | 1, (4, True, False, 1)), (4, 5, (4, False, False, 5)), (1, 3 << 24 | 8, (1, True, True, 8)),
    (1, 2 << 24, (1, False, True, 8)), (2, 2 << 24 | 16, (2, False, False, 16)),
    (8, 1 << 24, (8, True, False, 64)), (0, 1 << 24 | 17, (3, True, False, 17)),
    (0, 0, (0, False, False, 0))])
def test_encodings_of_integers(size: int, encoding: int, expected: tuple[int, bool, bool, int]) -> None:
    """A dictionary of illumos: no bits, or as many as the size has, are all of them."""
    types = struct.pack("<IHHI", 1, 1 << 11 | 1 << 10, size, encoding)
    types += struct.pack("<IHH", 5, 10 << 11 | 1 << 10, 1)
    names = b"\0odd\0odd_t\0"
    data = struct.pack("<HBB8I", 0xCFF1, 2, 0, 0, 0, 0, 0, 0, 0, len(types), len(names)) + types + names
    found = KernelTypes(data, "kernel", Model.LP64).scope.lookup("odd_t")
    assert found is not None
    base = found.resolve()
    assert isinstance(base, Integer)
    assert (base.size, base.signed and bool(base.size), base.char, base.bits) == expected
