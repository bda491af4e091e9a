"""The object that `-G` generates: registration code, DOF, stubs, and notes for other tracers."""

from __future__ import annotations

import os
import struct

from dof import format as dof
from dof.elf import (
    SHF_ALLOC,
    SHF_EXECINSTR,
    SHF_GROUP,
    SHF_INFO_LINK,
    SHF_WRITE,
    SHT_GROUP,
    SHT_NOTE,
    SHT_PROGBITS,
    SHT_REL,
    SHT_RELA,
    SHT_SUNW_DOF,
    STB_GLOBAL,
    STB_WEAK,
    STT_FUNC,
    STT_OBJECT,
    STV_HIDDEN,
    ElfFile,
    Section,
    Symbol,
)
from dof.format import DofError
from dof.model import Probe, Program, Provider
from dof.usdt import stapsdt as notes
from dof.usdt.instructions import InstructionSet
from dof.usdt.plan import Instance, Plan
from dof.usdt.sites import ALIAS_PREFIX, LinkError
from dof.writer import write

DOF_SECTION = ".SUNW_dof"
DOF_SYMBOL = b"__SUNW_dof"
STUB_SECTION = ".text.usdt"
GRP_COMDAT = 1
# e_ident[EI_OSABI] where it is not 0 (System V): FreeBSD's compiler and its dtrace -G write FreeBSD's.
EI_OSABI = 7
OSABI = {"freebsd": 9}
# A longer function name would cost the probe (DTRACE_FUNCNAMELEN, with the NUL).
FUNCTION_NAME_MAX = {"illumos": 128, "linux": 128, "freebsd": 192}


def generate_object(plan: Plan, machine: InstructionSet, program: Program, target: str, *,
                    stapsdt: bool, linktype: str) -> bytes:
    """The relocatable object, or with `linktype` "dof" the bare DOF with no relocations done.

    Raises LinkError for a machine that the target system does not run on.
    """
    program.providers = _providers(plan, FUNCTION_NAME_MAX[target])
    program.model = dof.MODEL_LP64 if machine.bits == 64 else dof.MODEL_ILP32
    for difo in program.objects():  # the linker fills in distances, as for the probes' addresses
        difo.ureltab = [each._replace(type=dof.RELO_DOFREL) for each in difo.ureltab]
    try:
        data = write(program, byteorder="little" if machine.order == "<" else "big")
    except DofError as error:
        raise LinkError(str(error)) from None
    if linktype == "dof":
        return data
    return _Writer(_template(machine, target), machine, target).write(plan, data, stapsdt)


def _template(machine: InstructionSet, target: str) -> bytes:
    """The registration object for a system and an instruction set."""
    try:
        with open(f"{os.path.dirname(__file__)}/registration/{target}-{machine.name}.bin", "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise LinkError(f"no {machine.name} programs run on {target}") from None


def _providers(plan: Plan, longest: int) -> list[Provider]:
    result: dict[str, Provider] = {}
    for instance in plan.instances:
        definition = instance.provider
        provider = result.setdefault(definition.name, Provider(definition.name, definition.attributes))
        provider.probes.append(Probe(
            function=_fit(instance.function, longest), name=instance.probe.name,
            native=[each.type for each in instance.probe.native],
            xlated=[each.type for each in instance.probe.visible],
            mapping=instance.probe.mapping(),
            offsets=sorted(each.offset for each in instance.points if not each.enabled),
            enabled_offsets=sorted(each.offset for each in instance.points if each.enabled),
            symbol=instance.symbol.decode("utf-8", "surrogateescape")))
    return list(result.values())


def _fit(name: str, limit: int) -> str:
    return name.encode()[:limit - 1].decode("utf-8", "ignore")


class _Writer:
    """Fills a copy of the registration object."""

    def __init__(self, template: bytes, machine: InstructionSet, target: str) -> None:
        self._elf = ElfFile(template)
        self._machine = machine
        self._target = target
        symtab = self._elf.symbol_table()
        assert symtab is not None
        self._symtab: Section = symtab
        self._symbols: dict[bytes, int] = {}
        self._semaphores = 0
        self._semaphore_of: dict[tuple[str, str], int] = {}

    def write(self, plan: Plan, data: bytes, stapsdt: bool) -> bytes:
        """The object's bytes; `data` is the DOF."""
        if plan.stubs:
            self._add_semaphores(plan)
            self._add_stubs(plan)
        self._add_dof(data)
        if plan.key:
            section = self._dof_section()
            self._elf.add_symbol(self._symtab, Symbol(plan.anchor, 0, 1, STB_GLOBAL << 4 | STT_OBJECT,
                                                      STV_HIDDEN, section.index))
        if stapsdt and plan.instances:
            self._add_notes(plan)
        saved = bytearray(self._elf.save())
        saved[EI_OSABI] = OSABI.get(self._target, 0)
        return bytes(saved)

    def _dof_section(self) -> Section:
        section = self._elf.section(DOF_SECTION)
        assert section is not None
        return section

    def _symbol(self, name: bytes) -> int:
        """The index of a symbol of another object (or of a stub), added when it is new."""
        if name not in self._symbols:
            self._symbols[name] = self._elf.add_symbol(
                self._symtab, Symbol(name, 0, 0, STB_GLOBAL << 4, STV_HIDDEN, 0))
        return self._symbols[name]

    def _add_semaphores(self, plan: Plan) -> None:
        """A counter for each probe whose is-enabled test is to answer other tracers."""
        probes = dict.fromkeys((reference.provider.name, reference.probe.name)
                               for reference in plan.stubs.values() if reference.enabled)
        if not plan.semaphores or not probes:
            return
        name = plan.anchor + b".semaphores"
        section = self._elf.add_section(notes.SEMAPHORE_SECTION, SHT_PROGBITS, bytes(2 * len(probes)),
                                        flags=SHF_ALLOC | SHF_WRITE, align=2)
        self._semaphores = self._elf.add_symbol(self._symtab, Symbol(
            name, 0, 2 * len(probes), STB_GLOBAL << 4 | STT_OBJECT, STV_HIDDEN, section.index))
        self._semaphore_of = {probe: 2 * number for number, probe in enumerate(probes)}

    def _add_stubs(self, plan: Plan) -> None:
        code = bytearray()
        section = self._elf.add_section(STUB_SECTION, SHT_PROGBITS, b"",
                                        flags=SHF_ALLOC | SHF_EXECINSTR, align=16)
        entries = []
        for name, reference in plan.stubs.items():
            stub = plan.stub(self._machine, reference)
            # A weak function's stub is weak too: another generated object may hold its twin.
            binding = STB_WEAK if name.startswith(ALIAS_PREFIX + b".") else STB_GLOBAL
            self._symbols[name] = self._elf.add_symbol(self._symtab, Symbol(
                name, len(code), len(stub.code), binding << 4 | STT_FUNC, STV_HIDDEN, section.index))
            text = bytearray(stub.code)
            place = self._semaphore_of.get((reference.provider.name, reference.probe.name), 0)
            for offset, kind, addend in stub.relocations:
                entries.append((len(code) + offset, self._semaphores, kind, place + addend))
                if not self._machine.addends:
                    struct.pack_into("<i", text, offset, place + addend)
            code += text.ljust((len(text) + 15) & ~15, b"\0")
        self._elf.edit(section)[:] = code
        self._add_relocations(section, entries)

    def _add_dof(self, data: bytes) -> None:
        elf, section = self._elf, self._dof_section()
        places = _addresses(data, "little" if self._machine.order == "<" else "big")
        contents = bytearray(data)
        order = self._machine.order
        half = 0  # where in an address, which is 64 bits, the relocation goes
        if self._machine.bits == 32:
            # The relocation gives 32 bits of distance and the kernel adds in 64.  Data follow code,
            # so the distance from here to a function is negative: the upper half is all ones.
            section.flags |= SHF_WRITE
            half = 0 if order == "<" else 4
            for place, _ in places:
                struct.pack_into(f"{order}q", contents, place, -1 << 32)
        # gdb takes DOF of the proper type for another dialect, whose addresses are absolute, and
        # stops at the first; on Linux it has the notes.
        section.type = SHT_PROGBITS if self._target == "linux" else SHT_SUNW_DOF
        elf.edit(section)[:] = contents
        for index, symbol in enumerate(elf.symbols(self._symtab)):
            if symbol.name == DOF_SYMBOL:
                elf.set_symbol(self._symtab, index, symbol._replace(size=len(data), info=STT_OBJECT))
        self._add_relocations(section, [
            (place + half, self._symbol(name), self._machine.relative, half) for place, name in places])

    def _add_relocations(self, section: Section, entries: list[tuple[int, int, int, int]]) -> None:
        """Relocations as (offset, symbol, type, addend); without addends these are in place already."""
        if not entries:
            return
        kind, prefix = (SHT_RELA, ".rela") if self._machine.addends else (SHT_REL, ".rel")
        table = self._elf.add_section(prefix + section.name, kind, b"", flags=SHF_INFO_LINK,
                                      align=self._machine.bits // 8, link=self._symtab.index,
                                      info=section.index)
        layout, shift = self._elf.relocation_layout(table)
        table.entry_size = layout.size
        fields = 3 if self._machine.addends else 2
        rows = b"".join(layout.pack(*(offset, symbol << shift | type, addend)[:fields])
                        for offset, symbol, type, addend in entries)
        self._elf.edit(table)[:] = rows

    def _add_notes(self, plan: Plan) -> None:
        base = self._add_base()
        data = bytearray()
        entries = []
        absolute, bits = self._machine.absolute, self._machine.bits
        for instance, offset, tail in _sites(plan):
            provider, probe = instance.provider.name, instance.probe.name
            operands = self._machine.operands(instance.probe.native, tail)
            semaphore = self._semaphore_of.get((provider, probe))
            note, at = notes.build(provider.replace("-", "__"), probe.replace("-", "__"), operands, bits,
                                   address=0 if self._machine.addends else offset,
                                   semaphore=0 if self._machine.addends else semaphore or 0)
            at += len(data)
            entries.append((at, self._symbol(instance.symbol), absolute, offset))
            entries.append((at + bits // 8, base, absolute, 0))
            if semaphore is not None:
                entries.append((at + bits // 4, self._semaphores, absolute, semaphore))
            data += note
        section = self._elf.add_section(notes.SECTION, SHT_NOTE, bytes(data), align=4)
        self._add_relocations(section, entries)

    def _add_base(self) -> int:
        """.stapsdt.base: one byte for the whole program, by which a reader sees a file that was moved."""
        elf = self._elf
        # The group comes before its members: linkers insist.
        group = elf.add_section(".group", SHT_GROUP, b"", align=4, entry_size=4, link=self._symtab.index)
        base = elf.add_section(notes.BASE_SECTION, SHT_PROGBITS, b"\0", flags=SHF_ALLOC | SHF_GROUP)
        symbol = elf.add_symbol(self._symtab, Symbol(notes.BASE_SYMBOL, 0, 1, STB_WEAK << 4 | STT_OBJECT,
                                                     STV_HIDDEN, base.index))
        elf.append(group, struct.pack("<II", GRP_COMDAT, base.index))
        group.info = symbol
        return symbol


def _sites(plan: Plan) -> list[tuple[Instance, int, bool]]:
    return [(instance, point.offset, point.tail) for instance in plan.instances
            for point in instance.points if not point.enabled]


def _addresses(data: bytes, order: dof.ByteOrder) -> list[tuple[int, bytes]]:
    """Where DOF holds an address to relocate, and the symbol it is that of."""
    header = dof.unpack(dof.Header, data, 0, order)
    table = data[header.section_offset:header.section_offset + header.section_count * header.section_size]
    sections = dof.unpack_all(dof.SectionHeader, table, order)
    places = []
    for section in sections:
        if section.type != dof.URELHDR:
            continue
        head = dof.unpack(dof.RelocationHeader, data, section.offset, order)
        entries = sections[head.table]
        strings = sections[head.strtab].offset
        rows = data[entries.offset:entries.offset + entries.size]
        for entry in dof.unpack_all(dof.RelocationDesc, rows, order):
            start = strings + entry.name
            places.append((sections[head.target].offset + entry.offset, data[start:data.index(b"\0", start)]))
    return places
