"""DOF bytes → Program.

Three entrances: `read` for tools, `read_enabling` and `read_helper` for a
kernel, which refuse what a kernel refuses (DIF included) before anything is
used.  Any bytes end in a Program or in one DofError, in bounded time and
memory.  Sections that several links name are read once: the objects, action
lists and instruction lists made of them are shared, so change none in place.
"""

from __future__ import annotations

from collections.abc import MutableMapping

from dif import isa, validator
from dif.difo import Difo, DifType, DifVar, Reloc, Translation
from dof import format as dof
from dof.container import Container, View, parse, relocate, relocation_header, relocations
from dof.format import ByteOrder, DofError
from dof.model import USTACK_HELPER, Action, ActionKind, Ecb, ProbeDesc, Program
from dof.options import OPTION_MAX, STRSIZE_DEFAULT, UNSET, OptionId
from dof.providers import read_providers
from dof.translators import read_translators, translator_numbers

Known = MutableMapping[tuple[int, int], DifVar]

# Actions whose string is a format; DIFEXPR has one too when print() made it.
_PRINTF_LIKE = {ActionKind.PRINTF, ActionKind.PRINTA, ActionKind.SYSTEM, ActionKind.FREOPEN}
_KERNEL_KIND = 0xFFFF  # of an action's 32 bits a kernel keeps these (dtrace_actkind_t)
_NAME_WIDTHS = (63, 63, 191, 63)  # of a kernel's probe description, less the NUL


def read(data: bytes) -> Program:
    """The Program in a DOF file of either byte order and version; DIF is not judged.

    Raises DofError.
    """
    container = parse(data, View.FILE)
    reader = _Reader(container, View.FILE)
    program = Program(model=container.header.model)
    reader.translators = numbers = translator_numbers(container)
    program.translators = read_translators(container, reader.difo)
    program.ecbs = reader.ecbs()
    program.options = reader.options()
    program.providers = read_providers(container, numbers, keep_long_names=True)
    program.difos = reader.loose()
    program.source = _text(container, dof.SOURCE)
    program.comments = _text(container, dof.COMMENTS)
    program.utsname = b"".join(container.contents(index) for index in container.of_type(dof.UTSNAME)[:1])
    return program


def read_enabling(data: bytes, *, target: str = "illumos", known: Known | None = None,
                  strsize: int = STRSIZE_DEFAULT) -> Program:
    """The Program a kernel of `target` makes of an ENABLE request's DOF.

    `known` holds the tracing state's user variables and is added to; string
    variables of size 0 get `strsize` bytes.  Raises DofError for anything the
    kernel refuses, the first fault found.
    """
    container = relocate(parse(data, View.ENABLING))
    reader = _Reader(container, View.ENABLING, target, known, strsize)
    return Program(ecbs=reader.ecbs(), options=reader.options(), model=container.header.model)


def read_helper(data: bytes, *, base: int, address: int, target: str = "illumos",
                known: Known | None = None, order: ByteOrder = "little") -> Program:
    """The Program a kernel makes of the DOF a process of byte order `order` registers.

    `base` is the load address of the object the DOF is part of, `address` the
    DOF's own (dofhp_addr, dofhp_dof).  Probes whose function name is too long
    for a probe are left out.  Raises DofError.
    """
    container = relocate(parse(data, View.HELPER, order), base, address)
    reader = _Reader(container, View.HELPER, target, known)
    ecbs = reader.ecbs()
    return Program(ecbs=ecbs, providers=read_providers(container, {}, keep_long_names=False),
                   model=container.header.model)


def _text(container: Container, kind: int) -> str:
    raw = b"\n".join(container.contents(index).removesuffix(b"\0") for index in container.of_type(kind))
    return raw.decode("utf-8", "surrogateescape")


class _Reader:
    """One pass over a container; sections that are referred to twice become one object."""

    def __init__(self, container: Container, view: View, target: str = "illumos",
                 known: Known | None = None, strsize: int = STRSIZE_DEFAULT) -> None:
        self._dof = container
        self._strict = view is not View.FILE
        self._helper = view is View.HELPER
        self._target = target
        self._known: Known = {} if known is None else known
        self._strsize = strsize
        self._difos: dict[int, Difo] = {}
        self._texts: dict[int, list[int]] = {}
        self._actions: dict[int, list[Action]] = {}
        self._helper_checked: set[int] = set()
        self._relocations: dict[tuple[int, int], list[Reloc]] | None = None
        self.translators: dict[int, int] = {}  # section number -> index in the program

    # -- enablings --

    def ecbs(self) -> list[Ecb]:
        return [self._ecb(index) for index in self._dof.of_type(dof.ECBDESC)]

    def _ecb(self, index: int) -> Ecb:
        container, where = self._dof, self._dof.where(index)
        section = container.sections[index]
        if section.size < dof.size_of(dof.EcbDesc):
            raise DofError(where, "truncated")
        self._aligned(index, 8)
        desc = dof.unpack(dof.EcbDesc, container.data, section.offset, container.order)
        ecb = Ecb(self._probe(container.link(desc.probes, dof.PROBEDESC, where)), uarg=desc.uarg)
        container.spend(64, where)
        if desc.predicate != dof.NONE:
            ecb.predicate = self.difo(container.link(desc.predicate, dof.DIFOHDR, where))
        if desc.actions != dof.NONE:
            ecb.actions = self._action_list(container.link(desc.actions, dof.ACTDESC, where))
        if self._helper and ecb.probe[:3] == USTACK_HELPER:
            self._check_helper(ecb, where)
        return ecb

    def _probe(self, index: int) -> ProbeDesc:
        container, where = self._dof, self._dof.where(index)
        section = container.sections[index]
        self._aligned(index, 4)
        if section.size < dof.size_of(dof.ProbeDescription):
            raise DofError(where, "truncated")
        desc = dof.unpack(dof.ProbeDescription, container.data, section.offset, container.order)
        strtab = container.link(desc.strtab, dof.STRTAB, where)
        widths = _NAME_WIDTHS if self._strict else (None,) * 4
        names = [container.string(strtab, start, where, width) for start, width in
                 zip((desc.provider, desc.module, desc.function, desc.name), widths, strict=True)]
        provider, module, function, name = names
        return ProbeDesc(provider, module, function, name, desc.id)

    def _action_list(self, index: int) -> list[Action]:
        if index not in self._actions:
            self._actions[index] = self._read_actions(index)
        return self._actions[index]

    def _read_actions(self, index: int) -> list[Action]:
        container, where = self._dof, self._dof.where(index)
        section, size = container.sections[index], dof.size_of(dof.ActionDesc)
        self._aligned(index, 8)
        if section.entry_size != size:
            raise DofError(where, f"entry size {section.entry_size}, not {size}")
        if section.size < size or section.size % size:
            raise DofError(where, f"size {section.size} is not a positive multiple of {size}")
        if section.size // size > dof.MAX_ACTIONS:
            raise DofError(where, f"over {dof.MAX_ACTIONS} actions")
        entries = dof.unpack_all(dof.ActionDesc, container.contents(index), container.order)
        return [self._action(desc, f"{where} action {number}") for number, desc in enumerate(entries)]

    def _action(self, desc: dof.ActionDesc, where: str) -> Action:
        if self._strict:
            desc = desc._replace(kind=desc.kind & _KERNEL_KIND)
        action = Action(desc.kind, arg=desc.arg, uarg=desc.uarg, ntuple=desc.ntuple)
        self._dof.spend(64, where)
        has_table = desc.strtab != dof.NONE
        if desc.kind in _PRINTF_LIKE:
            action.arg = 0
            if has_table or (self._strict and desc.kind != ActionKind.PRINTA):
                action.string = self._format(desc, where)
        elif desc.kind == ActionKind.DIFEXPR and has_table:
            action.arg, action.string = 0, self._format(desc, where)
        elif self._strict and desc.kind == ActionKind.DIFEXPR and desc.arg:
            raise DofError(where, f"an expression with argument {desc.arg:#x} and no string table")
        if desc.difo != dof.NONE:
            action.difo = self.difo(self._dof.link(desc.difo, dof.DIFOHDR, where))
        elif self._strict and desc.kind == ActionKind.PRINTM:
            raise DofError(where, "printm without a DIF object")
        return action

    def _format(self, desc: dof.ActionDesc, where: str) -> str:
        text = self._dof.string(self._dof.link(desc.strtab, dof.STRTAB, where), desc.arg, where)
        if not text:
            raise DofError(where, "empty format string")
        return text

    def _check_helper(self, ecb: Ecb, where: str) -> None:
        for action in ecb.actions:
            if action.kind != ActionKind.DIFEXPR or action.difo is None:
                raise DofError(where, "a helper action other than an expression")
        for difo in (ecb.predicate, *(action.difo for action in ecb.actions)):
            if difo is None or id(difo) in self._helper_checked:
                continue
            self._helper_checked.add(id(difo))
            refusals = validator.validate(difo, target=self._target, helper=True)
            if refusals:
                raise DofError(where, str(refusals[0]))

    # -- DIF objects --

    def difo(self, index: int) -> Difo:
        """The DIF object of DIFOHDR section `index`."""
        if index not in self._difos:
            difo = self._read_difo(index)
            if self._strict:
                difo = self._judge(difo, self._dof.where(index))
            self._difos[index] = difo
        return self._difos[index]

    def loose(self) -> list[Difo]:
        """DIF objects that nothing read so far refers to."""
        return [self.difo(index) for index in self._dof.of_type(dof.DIFOHDR) if index not in self._difos]

    def _judge(self, difo: Difo, where: str) -> Difo:
        difo = validator.with_string_size(difo, self._strsize)
        refusals = validator.validate(difo, target=self._target, known=self._known)
        if refusals:
            raise DofError(where, str(refusals[0]))
        validator.define(difo, self._known)
        return difo

    def _read_difo(self, index: int) -> Difo:
        container, where = self._dof, self._dof.where(index)
        raw, order = container.contents(index), container.order
        self._aligned(index, 4)
        if len(raw) < 12 or len(raw) % 4:
            raise DofError(where, f"bad size {len(raw)}")
        kind = dof.unpack(dof.TypeDesc, raw, 0, order)
        parts: dict[int, int] = {}
        total = 0
        for link in dof.words(raw[8:], 4, order):
            part = container.link(link, None, where)
            total += container.sections[part].size
            if total > isa.DIFO_MAXSIZE:
                raise DofError(where, "exceeds maximum size")
            self._check_part(part, parts, where)
            parts[container.sections[part].type] = part
        if dof.DIF not in parts:
            raise DofError(where, "missing DIF text")
        container.spend(total, where)
        return self._assemble(kind, parts)

    def _check_part(self, part: int, parts: dict[int, int], where: str) -> None:
        section = self._dof.sections[part]
        permitted = _KERNEL_PARTS if self._strict else _ALL_PARTS
        if section.type not in permitted:
            raise DofError(where, f"unrecognized subsection {self._dof.where(part)}")
        row = dof.SECTIONS[section.type]
        self._aligned(part, row.align)
        if section.type in parts:
            raise DofError(where, f"more than one {row.name}")
        if section.entry_size != row.entry_size:
            raise DofError(self._dof.where(part), f"entry size {section.entry_size}, not {row.entry_size}")
        if row.entry_size and section.size % row.entry_size:
            raise DofError(self._dof.where(part), "size is not a multiple of the entry size")

    def _assemble(self, kind: dof.TypeDesc, parts: dict[int, int]) -> Difo:
        container, order = self._dof, self._dof.order

        def raw(section: int) -> bytes:
            return container.contents(parts[section]) if section in parts else b""

        strtab, where = raw(dof.STRTAB), container.where(parts[dof.DIF])
        difo = Difo(
            text=self._text(parts[dof.DIF]),
            rtype=DifType(kind.kind, kind.ckind, kind.flags, kind.size),
            inttab=dof.words(raw(dof.INTTAB), 8, order),
            strtab=strtab,
            vartab=[self._variable(desc, strtab, where)
                    for desc in dof.unpack_all(dof.VariableDesc, raw(dof.VARTAB), order)],
        )
        if not self._strict:
            refs = dof.unpack_all(dof.TranslationRef, raw(dof.XLTAB), order)
            difo.xltab = [Translation(self.translators.get(ref.translator, ref.translator), ref.member,
                                      ref.argument) for ref in refs]
            difo.typtab = [DifType(desc.kind, desc.ckind, desc.flags, desc.size)
                           for desc in dof.unpack_all(dof.TypeDesc, raw(dof.TYPTAB), order)]
            if dof.INTTAB in parts:
                difo.kreltab = self._relocs(dof.KRELHDR, parts[dof.INTTAB])
                difo.ureltab = self._relocs(dof.URELHDR, parts[dof.INTTAB])
        return difo

    def _text(self, section: int) -> list[int]:
        if section not in self._texts:
            self._texts[section] = dof.words(self._dof.contents(section), 4, self._dof.order)
        return self._texts[section]

    def _variable(self, desc: dof.VariableDesc, strtab: bytes, where: str) -> DifVar:
        # A kernel never looks at a variable's name, so an index past the table is no fault.
        end = strtab.find(b"\0", desc.name)
        raw = strtab[desc.name:end] if end >= 0 else b""
        self._dof.spend(len(raw), where)
        return DifVar(raw.decode("utf-8", "surrogateescape"), desc.id, desc.kind, desc.scope, desc.flags,
                      DifType(desc.type_kind, desc.type_ckind, desc.type_flags, desc.type_size))

    def _relocs(self, kind: int, inttab: int) -> list[Reloc]:
        if self._relocations is None:
            self._relocations = {}
            for index in self._dof.of_type(dof.KRELHDR, dof.URELHDR):
                head = relocation_header(self._dof, index)
                where = self._dof.where(head.table)
                self._relocations.setdefault((self._dof.sections[index].type, head.target), []).extend(
                    Reloc(self._dof.string(head.strtab, entry.name, where), entry.type, entry.offset,
                          entry.data) for entry in relocations(self._dof, head))
        return self._relocations.get((kind, inttab), [])

    # -- options --

    def options(self) -> list[tuple[int, int]]:
        """(option, value) pairs of every OPTDESC section; a kernel view refuses bad ones."""
        found: list[tuple[int, int]] = []
        for index in self._dof.of_type(dof.OPTDESC):
            where, section = self._dof.where(index), self._dof.sections[index]
            self._aligned(index, 8)
            if section.entry_size < dof.size_of(dof.OptionDesc):
                raise DofError(where, f"bad entry size {section.entry_size}")
            if section.size % section.entry_size:
                raise DofError(where, "size is not a multiple of the entry size")
            for offset in range(section.offset, section.offset + section.size, section.entry_size):
                desc = dof.unpack(dof.OptionDesc, self._dof.data, offset, self._dof.order)
                self._dof.spend(16, where)
                if self._strict:
                    _check_option(desc, where)
                found.append((desc.option, desc.value))
        return found

    def _aligned(self, index: int, align: int) -> None:
        if self._dof.sections[index].align != align:
            raise DofError(self._dof.where(index),
                           f"alignment {self._dof.sections[index].align}, not {align}")


_KERNEL_PARTS = {dof.DIF, dof.INTTAB, dof.STRTAB, dof.VARTAB}
_ALL_PARTS = _KERNEL_PARTS | {dof.XLTAB, dof.TYPTAB}


def _check_option(desc: dof.OptionDesc, where: str) -> None:
    if desc.strtab != dof.NONE:
        raise DofError(where, f"option {desc.option} has a string table")
    if desc.value == UNSET:
        raise DofError(where, f"option {desc.option} is unset")
    if desc.option >= OPTION_MAX:
        raise DofError(where, f"unknown option {desc.option}")
    if desc.value < 0 and desc.option != OptionId.CPU:  # CPU -1 means all
        raise DofError(where, f"option {desc.option} has negative value {desc.value}")
