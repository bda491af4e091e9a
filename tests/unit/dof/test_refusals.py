"""What a kernel refuses in DOF: one broken field each, and the reason that comes out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dif import isa
from dof import format as dof
from dof import reader, writer
from dof.container import load_size, parse
from dof.format import DofError
from dof.model import Action, ActionKind, Ecb, ProbeDesc, Program

Edit = Callable[[Any], Any]
ALL = 1 << 32

HEADER: list[tuple[Edit, str, int]] = [
    (lambda e: e.header("load_size", 8 << 20), "header: load size 8388608 exceeds the maximum", 7),
    (lambda e: e.header("load_size", 63), "header: load size 63 is below the header's", 22),
    (lambda e: e.header("load_size", 1 << 20), "header: truncated: load size is 1048576", 14),
    (lambda e: e.header("magic", b"\x7fELF"), "header: no DOF magic number", 22),
    (lambda e: e.header("model", 0), "header: invalid data model 0", 22),
    (lambda e: e.header("model", 3), "header: invalid data model 3", 22),
    (lambda e: e.header("encoding", 2), "header: encoding is not this kernel's (little-endian)", 22),
    (lambda e: e.header("encoding", 3), "header: encoding is not this kernel's (little-endian)", 22),
    (lambda e: e.header("version", 0), "header: unsupported DOF version 0", 22),
    (lambda e: e.header("version", 3), "header: unsupported DOF version 3", 22),
    (lambda e: e.header("dif_version", 1), "header: unsupported DIF version 1", 22),
    (lambda e: e.header("dif_registers", 9), "header: uses 9 integer registers", 22),
    (lambda e: e.header("dif_tuple_registers", 9), "header: uses 9 tuple registers", 22),
    *((lambda e, n=n: e.header("ident_pad", bytes(n) + b"\1" + bytes(5 - n)),
       "header: non-zero padding in the identification", 22) for n in range(6)),
    (lambda e: e.header("flags", 1), "header: invalid flags 0x1", 22),
    (lambda e: e.header("flags", 1 << 31), "header: invalid flags 0x80000000", 22),
    (lambda e: e.header("section_size", 0), "header: section header size is zero", 22),
    (lambda e: e.header("section_count", ALL - 1), "header: section headers exceed the load size", 22),
    (lambda e: e.header("section_offset", 1 << 63), "header: section headers exceed the load size", 22),
    (lambda e: e.header("section_offset", 68), "header: misaligned section headers", 22),
    (lambda e: e.header("section_size", 20), "header: misaligned section header size", 22),
    (lambda e: e.header("section_size", 24), "header: section header size 24 is too small", 22),
]

SECTIONS: list[tuple[Edit, str]] = [
    *((lambda e, kind=kind: e.section(dof.INTTAB, "type", kind),
       f"({dof.section_name(kind)}): not permitted in an enabling")
      for kind in (dof.PROVIDER, dof.PROBES, dof.PRARGS, dof.PROFFS)),
    (lambda e: e.section(dof.DIF, "flags", 0), "(DIF): loadable section without the load flag"),
    (lambda e: e.section(dof.DIF, "align", 0), "is not aligned to 0"),
    (lambda e: e.section(dof.DIF, "align", 3), "(DIF): alignment 3 is not a power of two"),
    (lambda e: e.section(dof.DIF, "align", 1 << 20), "is not aligned to 1048576"),
    (lambda e: e.section(dof.DIF, "offset", 1 << 40), "(DIF): extends past the load size"),
    (lambda e: e.section(dof.DIF, "size", 1 << 40), "(DIF): extends past the load size"),
    (lambda e: e.section(dof.DIF, "offset", (1 << 64) - 4), "(DIF): extends past the load size"),
    (lambda e: e.section(dof.STRTAB, "size", 3), "(STRTAB): string table does not end in a NUL"),
    (lambda e: e.section(dof.STRTAB, "size", 0), "(STRTAB): string table does not end in a NUL"),
]

LINKS: list[tuple[Edit, str]] = [
    (lambda e: e.entry(dof.ECBDESC, "probes", 999), "(ECBDESC): link to section 999"),
    (lambda e: e.entry(dof.ECBDESC, "probes", dof.NONE), f"(ECBDESC): link to section {dof.NONE}"),
    (lambda e: e.entry(dof.ECBDESC, "probes", 0), "(ECBDESC): link to section 0 (STRTAB), wanted PROBEDESC"),
    (lambda e: e.entry(dof.ECBDESC, "predicate", 0), "link to section 0 (STRTAB), wanted DIFOHDR"),
    (lambda e: e.entry(dof.ECBDESC, "actions", 0), "link to section 0 (STRTAB), wanted ACTDESC"),
    (lambda e: e.section(dof.ECBDESC, "size", 23), "(ECBDESC): truncated"),
    (lambda e: e.section(dof.ECBDESC, "align", 4), "(ECBDESC): alignment 4, not 8"),
    (lambda e: e.section(dof.PROBEDESC, "align", 8), "(PROBEDESC): alignment 8, not 4"),
    (lambda e: e.section(dof.PROBEDESC, "size", 20), "(PROBEDESC): truncated"),
    (lambda e: e.entry(dof.PROBEDESC, "strtab", 1), "link to section 1 (PROBEDESC), wanted STRTAB"),
    *((lambda e, field=field: e.entry(dof.PROBEDESC, field, 10000),
       "string index 10000 past section 0 (STRTAB)") for field in ("provider", "module", "function", "name")),
    (lambda e: e.section(dof.ACTDESC, "align", 4), "(ACTDESC): alignment 4, not 8"),
    (lambda e: e.section(dof.ACTDESC, "entry_size", 40), "(ACTDESC): entry size 40, not 32"),
    (lambda e: e.section(dof.ACTDESC, "size", 16), "(ACTDESC): size 16 is not a positive multiple of 32"),
    (lambda e: e.section(dof.ACTDESC, "size", 0), "(ACTDESC): size 0 is not a positive multiple of 32"),
    (lambda e: e.entry(dof.ACTDESC, "strtab", dof.NONE), "action 0: link to section"),
    (lambda e: e.entry(dof.ACTDESC, "strtab", 1), "action 0: link to section 1 (PROBEDESC), wanted STRTAB"),
    (lambda e: e.entry(dof.ACTDESC, "arg", 1 << 40), "action 0: string index 1099511627776 past"),
    (lambda e: e.entry(dof.ACTDESC, "arg", 0), "action 0: empty format string"),
    (lambda e: e.entry(dof.ACTDESC, "difo", 1), "action 0: link to section 1 (PROBEDESC), wanted DIFOHDR"),
    (lambda e: e.entry(dof.ACTDESC, "arg", 5, number=1), "action 1: an expression with argument 0x5"),
    (lambda e: e.entry(dof.ACTDESC, "kind", ActionKind.PRINTM, number=2), "printm without a DIF object"),
    (lambda e: e.section(dof.DIFOHDR, "align", 8), "(DIFOHDR): alignment 8, not 4"),
    (lambda e: e.section(dof.DIFOHDR, "size", 8), "(DIFOHDR): bad size 8"),
    (lambda e: e.section(dof.DIFOHDR, "size", 11), "(DIFOHDR): bad size 11"),
    (lambda e: e.section(dof.DIF, "align", 8), "(DIF): alignment 8, not 4"),
    (lambda e: e.section(dof.DIF, "entry_size", 8), "(DIF): entry size 8, not 4"),
    (lambda e: e.section(dof.DIF, "size", 6), "(DIF): size is not a multiple of the entry size"),
    (lambda e: e.section(dof.DIF, "size", 0), "instruction 0 (offset 0): no instructions"),
    (lambda e: e.section(dof.DIF, "type", dof.TYPTAB), "unrecognized subsection section 2 (TYPTAB)"),
    (lambda e: e.section(dof.DIF, "type", 99), "unrecognized subsection section 2 (type 99)"),
    (lambda e: e.section(dof.INTTAB, "align", 4), "(INTTAB): alignment 4, not 8"),
    (lambda e: e.section(dof.VARTAB, "entry_size", 24), "(VARTAB): entry size 24, not 20"),
    (lambda e: e.section(dof.STRTAB, "entry_size", 1, nth=1), "(STRTAB): entry size 1, not 0"),
    (lambda e: e.entry(dof.DIF, "value", 0), "instruction 0 (offset 0): invalid opcode 0"),
]

OPTIONS: list[tuple[Edit, str]] = [
    (lambda e: e.section(dof.OPTDESC, "align", 4), "(OPTDESC): alignment 4, not 8"),
    (lambda e: e.section(dof.OPTDESC, "entry_size", 0), "(OPTDESC): bad entry size 0"),
    (lambda e: e.section(dof.OPTDESC, "entry_size", 8), "(OPTDESC): bad entry size 8"),
    (lambda e: e.entry(dof.OPTDESC, "strtab", 0), "(OPTDESC): option 0 has a string table"),
    (lambda e: e.entry(dof.OPTDESC, "value", -2), "(OPTDESC): option 0 is unset"),
    (lambda e: e.entry(dof.OPTDESC, "value", -1), "(OPTDESC): option 0 has negative value -1"),
    (lambda e: e.entry(dof.OPTDESC, "option", 32), "(OPTDESC): unknown option 32"),
]

PROVIDERS: list[tuple[Edit, str]] = [
    (lambda e: e.section(dof.PROVIDER, "size", 43), "(PROVIDER): size 43 is below 44"),
    (lambda e: e.header("version", 1).section(dof.PROVIDER, "size", 39), "(PROVIDER): size 39 is below 40"),
    *((lambda e, field=field: e.entry(dof.PROVIDER, field, 99), "(PROVIDER): link to section 99")
      for field in ("strtab", "probes", "arguments", "offsets", "enabled_offsets")),
    *((lambda e, field=field: e.entry(dof.PROVIDER, field, 6), ", wanted ")
      for field in ("strtab", "probes", "arguments", "offsets", "enabled_offsets")),
    (lambda e: e.entry(dof.PROVIDER, "name", 10000), "(PROVIDER): string index 10000 past"),
    (lambda e: e.section(dof.PROBES, "entry_size", 0), "(PROBES): bad entry size 0"),
    (lambda e: e.section(dof.PROBES, "entry_size", 4096), "(PROBES): bad entry size 4096"),
    (lambda e: e.section(dof.PROBES, "entry_size", 52), "(PROBES): bad entry size 52"),
    (lambda e: e.section(dof.PROBES, "entry_size", 40), "(PROBES): bad entry size 40"),
    (lambda e: e.section(dof.PROFFS, "entry_size", 8), "(PROFFS): entry size 8, not 4"),
    (lambda e: e.section(dof.PRARGS, "entry_size", 2), "(PRARGS): entry size 2, not 1"),
    (lambda e: e.section(dof.PRENOFFS, "entry_size", 2), "(PRENOFFS): entry size 2, not 4"),
    (lambda e: e.entry(dof.PROBES, "function", 10000), "probe 0: string index 10000 past"),
    (lambda e: e.entry(dof.PROBES, "name", 10000), "probe 0: string index 10000 past"),
    (lambda e: e.entry(dof.PROBES, "native", 10000), "probe 0: string index 10000 past"),
    (lambda e: e.entry(dof.PROBES, "xlated", 10000), "probe 0: string index 10000 past"),
    (lambda e: e.entry(dof.PROBES, "native_count", 255), "probe 0: string index"),
    (lambda e: e.entry(dof.PROBES, "offset_count", 4), "probe 0: entries 0 to 4 past section"),
    (lambda e: e.entry(dof.PROBES, "offset_index", ALL - 1), f"probe 0: entries {ALL - 1} to {ALL + 1} past"),
    (lambda e: e.entry(dof.PROBES, "enabled_count", 3), "probe 0: entries 0 to 3 past section"),
    (lambda e: e.entry(dof.PROBES, "enabled_index", ALL - 1), f"probe 0: entries {ALL - 1} to {ALL} past"),
    (lambda e: e.entry(dof.PROVIDER, "enabled_offsets", 0),
     "probe 0: is-enabled offsets without their section"),
    (lambda e: e.entry(dof.PROBES, "enabled_count", 0, number=2), "probe 2: no offsets"),
    (lambda e: e.header("version", 1), "probe 2: no offsets"),
    (lambda e: e.entry(dof.PROBES, "argument_index", 9), "probe 0: entries 9 to 11 past section"),
    (lambda e: e.entry(dof.PRARGS, "value", 3), "probe 0: argument mapping 3 with 2 native arguments"),
    (lambda e: e.entry(dof.PRARGS, "value", 2), "probe 0: argument mapping 2 with 2 native arguments"),
    (lambda e: e.section(dof.URELHDR, "size", 8), "(URELHDR): invalid relocation header"),
    (lambda e: e.section(dof.URELHDR, "align", 8), "(URELHDR): "),
    (lambda e: e.entry(dof.URELHDR, "strtab", 1), ", wanted STRTAB"),
    (lambda e: e.entry(dof.URELHDR, "table", 1), ", wanted RELTAB"),
    (lambda e: e.entry(dof.URELHDR, "target", 99), "(URELHDR): link to section 99"),
    (lambda e: e.section(dof.RELTAB, "entry_size", 16), "(RELTAB): invalid relocation table"),
    (lambda e: e.section(dof.RELTAB, "align", 4), "(RELTAB): invalid relocation table"),
    (lambda e: e.entry(dof.RELTAB, "type", 3), "(URELHDR): invalid relocation type 3"),
    (lambda e: e.entry(dof.RELTAB, "offset", 137), "(URELHDR): relocation offset 137 is outside its target"),
    (lambda e: e.entry(dof.RELTAB, "offset", (1 << 64) - 8), "is outside its target"),
    (lambda e: e.entry(dof.RELTAB, "offset", 4), "(URELHDR): misaligned relocation at 4"),
    # A target that is the section table itself: its own header is out of bounds.
    (lambda e: e.section(dof.PROBES, "offset", 64), "(URELHDR): relocation offset 48 is outside its target"),
]


def label(value: object) -> str:
    return value if isinstance(value, str) else ""


def refused(read: Callable[[], object], reason: str) -> DofError:
    with pytest.raises(DofError) as caught:
        read()
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize(("edit", "reason", "errno"), HEADER, ids=label)
def test_header(edit_enabling: Any, edit: Edit, reason: str, errno: int) -> None:
    data = bytes(edit(edit_enabling).data)
    assert refused(lambda: reader.read_enabling(data), reason).errno == errno


@pytest.mark.parametrize(("edit", "reason"), SECTIONS + LINKS + OPTIONS, ids=label)
def test_enabling(edit_enabling: Any, edit: Edit, reason: str) -> None:
    data = bytes(edit(edit_enabling).data)
    refused(lambda: reader.read_enabling(data), reason)


@pytest.mark.parametrize(("edit", "reason"), PROVIDERS, ids=label)
def test_providers(edit_providers: Any, edit: Edit, reason: str) -> None:
    data = bytes(edit(edit_providers).data)
    refused(lambda: reader.read_helper(data, base=0, address=0), reason)


def test_the_untouched_programs_are_accepted(edit_enabling: Any, edit_providers: Any) -> None:
    assert len(reader.read_enabling(bytes(edit_enabling.data)).ecbs) == 2
    assert len(reader.read_helper(bytes(edit_providers.data), base=0, address=0).providers[0].probes) == 3


def test_a_loaded_section_needs_an_alignment(edit_enabling: Any) -> None:
    """A kernel subtracts one from the alignment and takes the rest as a mask: of 0, everything."""
    data = bytes(edit_enabling.section(dof.DIF, "align", 0).data)
    refused(lambda: reader.read_enabling(data), "is not aligned to 0")


def test_what_a_kernel_copies_in(edit_enabling: Any) -> None:
    head = bytes(edit_enabling.data[:64])
    assert load_size(head) == len(edit_enabling.data)
    assert refused(lambda: load_size(head[:63]), "shorter than a DOF header").errno == 14


def test_links_go_to_loaded_sections() -> None:
    data = writer.write(Program(ecbs=[Ecb(ProbeDesc("a", "b", "c", "d"))], source="x"))
    container = parse(data)
    source = container.of_type(dof.SOURCE)[0]
    with pytest.raises(DofError, match="which is not loaded"):
        container.link(source, None, "here")


@pytest.mark.parametrize("size", [0, 1, 1 << 40, (1 << 64) - 1])
def test_what_is_not_loaded_may_be_anywhere(size: int) -> None:
    """A kernel does not look at it; who reads the file gets what is there of it."""
    data = bytearray(writer.write(Program(ecbs=[Ecb(ProbeDesc("a", "b", "c", "d"))], source="x")))
    source = parse(bytes(data)).of_type(dof.SOURCE)[0]
    at = 64 + 32 * source + 24
    data[at:at + 8] = size.to_bytes(8, "little")
    assert reader.read(bytes(data)).source == "x" * (size > 0)
    data[at - 8:at] = size.to_bytes(8, "little")
    assert len(reader.read(bytes(data)).ecbs) == len(reader.read_enabling(bytes(data)).ecbs) == 1


def test_subsections_may_not_repeat_or_grow(enabling: Program) -> None:
    data = bytearray(writer.write(enabling))
    container = parse(bytes(data))
    header = container.sections[container.of_type(dof.DIFOHDR)[1]]
    first = data[header.offset + 8:header.offset + 12]
    data[header.offset + 12:header.offset + 16] = first
    refused(lambda: reader.read_enabling(bytes(data)), "more than one DIF")
    enabling.ecbs[0].actions[1].difo.text[:0] = [isa.fmt(isa.Op.NOP)] * 65536
    refused(lambda: reader.read_enabling(writer.write(enabling)), "exceeds maximum size")


def test_too_many_actions() -> None:
    program = Program(ecbs=[Ecb(ProbeDesc(), actions=[Action(ActionKind.STACK)] * 16384)])
    assert len(reader.read_enabling(writer.write(program)).ecbs[0].actions) == 16384
    program.ecbs[0].actions.append(Action(ActionKind.STACK))
    refused(lambda: writer.write(program), "over 16384 actions")


@pytest.mark.parametrize(("field", "reason"), [
    ("name", "PROVIDER): provider name of 64 bytes or more"),
    ("probe", "probe 0: probe name of 64 bytes or more"),
    ("type", "probe 0: argument type of 128 bytes or more"),
])
def test_long_names(edit_providers: Any, field: str, reason: str) -> None:
    """The string table, made one long string, stands in for every name."""
    container = parse(bytes(edit_providers.data))
    strtab = container.sections[0]
    long = b"x" * 200 + b"\0"
    edit_providers.data += long
    edit_providers.section(dof.STRTAB, "size", strtab.size + len(long))
    edit_providers.header("load_size", len(edit_providers.data))
    if field == "name":
        edit_providers.entry(dof.PROVIDER, "name", strtab.size)
    else:
        edit_providers.entry(dof.PROBES, {"probe": "name", "type": "native"}[field], strtab.size)
    refused(lambda: reader.read_helper(bytes(edit_providers.data), base=0, address=0), reason)


def test_a_function_name_too_long_drops_the_probe(providers: Program) -> None:
    providers.providers[0].probes[1].function = "f" * 192
    data = writer.write(providers)
    kernel = reader.read_helper(data, base=0, address=0)
    assert [probe.name for probe in kernel.providers[0].probes] == ["go", "maybe"]
    assert [probe.name for probe in reader.read(data).providers[0].probes] == ["go", "stop", "maybe"]


def test_helper_actions(enabling: Program) -> None:
    helper = ProbeDesc("dtrace", "helper", "ustack", "")
    predicate = enabling.ecbs[0].predicate
    good = Program(ecbs=[Ecb(helper, predicate, [Action(ActionKind.DIFEXPR, predicate)])])
    assert len(reader.read_helper(writer.write(good), base=0, address=0).ecbs) == 1
    bad = Program(ecbs=[Ecb(helper, None, [Action(ActionKind.EXIT, predicate)])])
    refused(lambda: reader.read_helper(writer.write(bad), base=0, address=0), "helper action other than")
    predicate.text[0] = isa.wide(isa.Op.LDGS, 0x101, 1)
    data = writer.write(good)
    refused(lambda: reader.read_helper(data, base=0, address=0), "a helper cannot load timestamp")
    elsewhere = Program(ecbs=[Ecb(ProbeDesc("a", "b", "c", "d"), predicate)])
    assert len(reader.read_helper(writer.write(elsewhere), base=0, address=0).ecbs) == 1


def test_variables_of_one_state_agree_across_requests(enabling: Program) -> None:
    known: dict = {}
    reader.read_enabling(writer.write(enabling), known=known)
    assert list(known) == [(0, 0x500)]
    difo = enabling.ecbs[1].actions[0].difo
    difo.vartab[0] = type(difo.vartab[0])("n", 0x500, 0)
    refused(lambda: reader.read_enabling(writer.write(enabling), known=known), "0x500 changed kind")
