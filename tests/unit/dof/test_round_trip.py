"""Programs through bytes and text and back, in both byte orders and versions; and DOF made by hand."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dif import isa
from dif.difo import Difo, DifType, DifVar, Reloc, Translation
from dof import format as dof
from dof import inspection, reader, text, writer
from dof.container import parse
from dof.format import DofError
from dof.model import (
    Action,
    ActionKind,
    Attributes,
    Ecb,
    Member,
    Probe,
    ProbeDesc,
    Program,
    Provider,
    Translator,
)

u8, u32, u64 = st.integers(0, 0xFF), st.integers(0, 0xFFFFFFFF), st.integers(0, (1 << 64) - 1)
names = st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=6)
texts = st.text(st.characters(blacklist_categories=["Cs"]), max_size=6)  # of a whole section
types = st.builds(DifType, u8, u8, u8, u32)
relocs = st.lists(st.builds(Reloc, names, u32, u64, u64), max_size=2)


@st.composite
def difos(draw: st.DrawFn, translators: int = 0) -> Difo:
    variable = st.builds(DifVar, names, u32, u8, u8, st.integers(0, 0xFFFF), types)
    variables = draw(st.lists(variable, max_size=2))
    kernel, user = draw(relocs), draw(relocs)
    ref = st.builds(Translation, st.integers(0, max(translators - 1, 0)), u32, u32)
    refs = st.lists(ref, max_size=2) if translators else st.just([])
    table = b"\0" + b"".join(name.encode() + b"\0" for name in [
        *(v.name for v in variables), *(r.name for r in (*kernel, *user)), draw(names)])
    return Difo(draw(st.lists(u32, max_size=6)), draw(types), draw(st.lists(u64, max_size=3)), table,
                variables, kernel, user, draw(refs), draw(st.lists(types, max_size=2)))


@st.composite
def programs(draw: st.DrawFn) -> Program:
    attributes = st.builds(Attributes, u8, u8, u8)
    members = st.lists(st.builds(Member, names, types, st.none() | difos()), max_size=2)
    translator = st.builds(Translator, st.lists(names, max_size=2), names, attributes, members, st.booleans())
    translators = draw(st.lists(translator, max_size=2))
    code = st.none() | difos(len(translators))
    formats = names.filter(bool)
    actions = (st.builds(Action, st.sampled_from([2, 5, 0x401, 0x701, 99]), code, u64, u64, u32)
               | st.builds(Action, st.sampled_from([1, 3, 4, 0x203]), code, st.just(0), u64, u32, formats))
    ecbs = st.builds(Ecb, st.builds(ProbeDesc, names, names, names, names, u32, st.just("")), code,
                     st.lists(actions, max_size=3), u64)
    probes = st.builds(_probe, names, names, u64, st.lists(names, max_size=3), st.none() | names,
                       st.lists(u32, min_size=1, max_size=2), st.lists(u32, max_size=2))
    exports = st.lists(st.sampled_from(range(len(translators))), max_size=2) if translators else st.just([])
    providers = st.builds(Provider, names, st.tuples(*[attributes] * 5),
                          st.lists(probes, min_size=1, max_size=2), exports)
    return Program(
        draw(st.lists(ecbs, max_size=3)),
        draw(st.lists(st.tuples(u32, st.integers(-1 << 63, (1 << 63) - 1)), max_size=2)),
        draw(st.lists(providers, max_size=2)), draw(texts), draw(texts), draw(st.sampled_from([1, 2])),
        draw(st.binary(max_size=4)), translators, draw(st.lists(difos(len(translators)), max_size=2)))


def _probe(function: str, name: str, address: int, arguments: list[str], symbol: str | None,
           offsets: list[int], enabled: list[int]) -> Probe:
    mapping = list(reversed(range(len(arguments))))
    return Probe(function, name, address, arguments, [arguments[n] for n in mapping], mapping, offsets,
                 enabled, symbol)


@given(programs(), st.sampled_from(["little", "big"]))
@settings(max_examples=50, deadline=None)
def test_any_program_survives_bytes_and_text(program: Program, order: dof.ByteOrder) -> None:
    data = writer.write(program, byteorder=order)
    assert data == writer.write(program, byteorder=order)
    assert reader.read(writer.write(program, byteorder=order, share=False)) == program
    again = reader.read(data)
    assert again == program
    assert text.load(text.dump(program)) == program
    shown = text.dump(again)
    assert text.dump(reader.read(writer.write(text.load(shown), share=False))) == shown
    assert inspection.describe(parse(data))["header"]["load_size"] <= len(data)
    assert inspection.table(parse(data)).count("\n") == 2 + len(parse(data).sections)


def test_every_section_type_is_written_and_read(enabling: Program, providers: Program,
                                                relocated: Program) -> None:
    member = Difo([isa.fmt(isa.Op.RET, 0, 0, 1)])
    stable = Attributes(1, 1, 1)
    program = Program(
        enabling.ecbs, enabling.options, providers.providers, source="BEGIN", comments="by hand",
        model=enabling.model, utsname=b"\1\2",
        translators=[Translator(["struct a *"], "ainfo_t", stable, [Member("x", DifType())]),
                     Translator(["struct b *"], "binfo_t", stable, [Member("y", DifType(), member)], True)])
    program.providers[0].exports = [1]
    program.ecbs.append(relocated.ecbs[0])
    program.ecbs[1].actions[0].difo.xltab = [Translation(0, 0, 1)]
    program.ecbs[1].actions[0].difo.typtab = [DifType(1, 2, 3, 4)]
    for order in dof.ENCODINGS.values():
        for version in (None, 2):
            data = writer.write(program, byteorder=order, version=version)
            assert {section.type for section in parse(data).sections} == set(dof.SECTIONS)
            assert reader.read(data) == program


def test_version_is_the_least_that_will_do(enabling: Program, providers: Program) -> None:
    assert writer.write(enabling)[6] == 1
    assert writer.write(providers)[6] == 2
    with pytest.raises(DofError, match="is-enabled offsets need DOF version 2"):
        writer.write(providers, version=1)
    with pytest.raises(DofError, match="no DOF version 3"):
        writer.write(enabling, version=3)


def test_equal_parts_are_stored_once(enabling: Program) -> None:
    once = writer.write(enabling)
    enabling.ecbs += reader.read(once).ecbs
    twice = parse(writer.write(enabling))
    before = parse(once)
    for kind in (dof.DIF, dof.INTTAB, dof.STRTAB, dof.VARTAB, dof.DIFOHDR, dof.PROBEDESC, dof.ACTDESC):
        assert len(twice.of_type(kind)) == len(before.of_type(kind))
    assert len(twice.of_type(dof.ECBDESC)) == 2 * len(before.of_type(dof.ECBDESC))


def test_sharing_is_seen_by_the_reader(enabling: Program) -> None:
    read = reader.read(writer.write(enabling))
    assert read.ecbs[0].actions[1].difo is read.ecbs[1].actions[0].difo


def test_relocated_tables_are_not_shared(relocated: Program) -> None:
    plain = Difo(relocated.ecbs[0].predicate.text, DifType(0, 1, 0, 8), [0x100])
    relocated.ecbs[1].predicate = plain
    program = reader.read_helper(writer.write(relocated), base=0x7000, address=0)
    assert program.ecbs[0].predicate.inttab == [0x7100]
    assert program.ecbs[1].predicate.inttab == [0x100]


def test_probe_addresses_are_relocated(providers: Program) -> None:
    data = writer.write(providers)
    at = writer.probe_address_offsets(data)
    assert [struct.unpack_from("<Q", data, offset)[0] for offset in at] == [0x10, 0x20, 0x30]
    read = reader.read_helper(data, base=1, address=0x400000)
    assert [p.address for p in read.providers[0].probes] == [
        0x400000 + offset + value for offset, value in zip(at, (0x10, 0x20, 0x30), strict=True)]
    based = writer.write(providers, relocation=dof.RELO_SETX)
    read = reader.read_helper(based, base=0x1000, address=0x400000)
    assert [p.address for p in read.providers[0].probes] == [0x1010, 0x1020, 0x1030]


def test_a_version_1_provider_may_end_before_is_enabled_offsets(providers: Program) -> None:
    del providers.providers[0].probes[2]
    providers.providers[0].probes[0].enabled_offsets = []
    data = bytearray(writer.write(providers))
    container = parse(bytes(data))
    header = container.header.section_offset + container.of_type(dof.PROVIDER)[0] * 32
    struct.pack_into("<Q", data, header + 24, 40)
    assert reader.read(bytes(data)) == providers
    assert reader.read_helper(bytes(data), base=0, address=0).providers[0].name == "prov"


@pytest.mark.parametrize(("change", "message"), [
    (lambda p: p.providers[0].probes.clear(), "provider prov: no probes"),
    (lambda p: p.providers[0].probes[1].offsets.clear(), "probe stop: no offsets"),
    (lambda p: p.providers[0].probes[0].mapping.pop(), "probe go: 1 mappings of 2 arguments"),
    (lambda p: p.providers[0].probes[0].mapping.__setitem__(0, 2), "outside 2 native arguments"),
    (lambda p: p.providers[0].probes[0].native.__setitem__(0, "x" * 128), "of 128 bytes or more"),
    (lambda p: setattr(p.providers[0], "name", "x" * 64), "provider name: 'xxx"),
    (lambda p: setattr(p.providers[0].probes[0], "name", "a\0b"), r"'a\x00b' contains a NUL"),
    (lambda p: setattr(p.providers[0].probes[0], "name", "a\0" + "b" * 58), "b' contains a NUL"),
    (lambda p: setattr(p.providers[0].probes[0], "name", "a\0" + "b" * 59), rf"'a\x00{'b' * 55}...'"),
    (lambda p: setattr(p.providers[0].probes[0], "address", -1), "a value does not fit its field"),
    (lambda p: p.ecbs.append(Ecb(ProbeDesc(), actions=[Action(ActionKind.PRINTF, string="")])),
     "empty format string"),
    (lambda p: p.difos.append(Difo([], xltab=[Translation(0, 0)])), "no translator 0"),
    (lambda p: p.difos.append(Difo([0] * (2 << 20))), "exceeds the maximum"),
])
def test_the_writer_refuses_what_no_kernel_loads(providers: Program, change: object, message: str) -> None:
    change(providers)  # type: ignore[operator]
    with pytest.raises(DofError) as caught:
        writer.write(providers)
    assert message in str(caught.value)


def handmade(order: str) -> bytes:
    """`BEGIN { trace(10); }` spelled out field by field from the structures of <sys/dtrace.h>."""
    def pack(codes: str, *values: object) -> bytes:
        return struct.pack(order + codes, *values)

    strings = b"\0dtrace\0BEGIN\0"
    probe = pack("6I", 0, 1, 0, 0, 8, 0)  # strtab, provider, module, function, name, id
    code = pack("2I", 0x25000001, 0x23000001)  # setx DT_INTEGER[0], %r1; ret %r1
    integers = pack("Q", 10)
    head = pack("4BI2I", 0, 1, 0, 0, 8, 2, 3)  # CTF integer, by value, 8 bytes; links
    action = pack("4I2Q", 4, 0xFFFFFFFF, 1, 0, 0, 0)  # DIFO, no strings, DIFEXPR
    ecb = pack("4IQ", 1, 0xFFFFFFFF, 5, 0, 0)
    bodies = [(3, 8, 0, ecb), (4, 4, 24, probe), (5, 8, 32, action), (6, 4, 0, head), (7, 4, 4, code),
              (8, 1, 0, strings), (19, 8, 8, integers)]
    wanted = [8, 4, 7, 19, 6, 5, 3]  # section order by type; data in that order, strings last
    by_type = {kind: (align, entsize, body) for kind, align, entsize, body in bodies}
    offset = 64 + 32 * len(wanted)
    places, data = {}, b""
    for kind in [*wanted[1:], 8]:
        align, _entsize, body = by_type[kind]
        data += bytes(-(offset + len(data)) % align)
        places[kind] = offset + len(data)
        data += body
    table = b"".join(pack("4I2Q", kind, by_type[kind][0], 1, by_type[kind][1], places[kind],
                          len(by_type[kind][2])) for kind in wanted)
    size = offset + len(data)
    encoding = 1 if order == "<" else 2
    ident = b"\x7fDOF" + bytes([2, encoding, 1, 2, 8, 8]) + bytes(6)
    return ident + pack("4I4Q", 0, 64, 32, len(wanted), 64, size, size, 0) + table + data


@pytest.mark.parametrize(("code", "order"), [("<", "little"), (">", "big")])
def test_bytes_are_those_of_the_header_file(code: str, order: dof.ByteOrder) -> None:
    difo = Difo([isa.wide(isa.Op.SETX, 0, 1), isa.fmt(isa.Op.RET, 0, 0, 1)], DifType(0, 1, 0, 8), [10])
    program = Program(ecbs=[Ecb(ProbeDesc("dtrace", "", "", "BEGIN"), None, [Action(1, difo)])])
    assert writer.write(program, byteorder=order).hex() == handmade(code).hex()
    assert reader.read(handmade(code)) == program
