"""Program → DOF bytes.

The layout is the format's own compiler's: header, section headers, loadable
data in section order, the program's string table last, then (aligned to 8)
the unloaded sections.  The same program gives the same bytes; equal sections
are stored once.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from dif import limits
from dif.records import Record
from dof import format as dof
from dof.format import ByteOrder, DofError, SectionHeader

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:  # the linker of static probes, which starts often, has no use for these
    from dif.difo import Difo, DifType, DifVar, Reloc
    from dof.model import Action, Ecb, Probe, Program, Provider, Translator


def write(program: Program, *, version: int | None = None, byteorder: ByteOrder = "little",
          share: bool = True, relocation: int = dof.RELO_DOFREL) -> bytes:
    """The DOF of `program`.

    `version` None means 1, or 2 when a probe has is-enabled offsets.  With
    `share` false DIF objects are shared only where the program shares the
    object itself.  `relocation` is the type of the relocations of probe
    addresses: RELO_DOFREL (the object file's linker makes them relative) or
    RELO_SETX.  Raises DofError for a program no kernel can load.
    """
    if version is None:
        enabled = (probe.enabled_offsets for provider in program.providers for probe in provider.probes)
        version = 2 if any(enabled) else 1
    try:
        return _Writer(byteorder, version, share, relocation).program(program)
    except struct.error as error:
        raise DofError("program", "a value does not fit its field") from error


def probe_address_offsets(data: bytes) -> list[int]:
    """Byte offset within DOF `data` of each probe's address field, providers and probes in order."""
    from dof.container import parse
    container = parse(data)
    return [section.offset + at for index in container.of_type(dof.PROBES)
            for section in (container.sections[index],)
            for at in range(0, section.size, section.entry_size)]


class _Section(Record):
    type: int
    data: bytes


class _Strings:
    """The program's string table: offset 0 is the empty string, equal strings are one."""

    def __init__(self) -> None:
        self.data = bytearray(b"\0")
        self._offsets: dict[bytes, int] = {b"": 0}
        self._lists: dict[tuple[bytes, ...], int] = {}

    def add(self, text: str) -> int:
        raw = _raw(text)
        if raw not in self._offsets:
            self._offsets[raw] = self._append(raw)
        return self._offsets[raw]

    def add_list(self, texts: Iterable[str]) -> int:
        """Consecutive strings, as argument types are stored; 0 for none."""
        key = tuple(_raw(text) for text in texts)
        if not key:
            return 0
        if key not in self._lists:
            starts = [self._append(raw) for raw in key]
            self._lists[key] = starts[0]
            for raw, start in zip(key, starts, strict=True):
                self._offsets.setdefault(raw, start)
        return self._lists[key]

    def _append(self, raw: bytes) -> int:
        start = len(self.data)
        self.data += raw + b"\0"
        return start


def _raw(text: str) -> bytes:
    raw = text.encode("utf-8", "surrogateescape")
    if b"\0" in raw:
        shown = text if len(text) <= 60 else f"{text[:57]}..."
        raise DofError("string", f"{shown!r} contains a NUL")
    return raw


_STRTAB = 0  # the program's string table is the first section


class _Writer:
    """Sections being gathered; each method adds what it is named for and returns its number."""

    def __init__(self, order: ByteOrder, version: int, share: bool, relocation: int) -> None:
        if version not in dof.VERSIONS:
            raise DofError("header", f"no DOF version {version}")
        self._order = order
        self._version = version
        self._share = share
        self._relocation = relocation
        self._sections = [_Section(dof.STRTAB, b"")]
        self._strings = _Strings()
        self._shared: dict[tuple[int, bytes], int] = {}
        self._difos: dict[int, int] = {}
        self._translators: list[int] = []

    def program(self, program: Program) -> bytes:
        # Translators come first: translations in DIF link to them (in a member's own DIF, to
        # earlier ones).
        for translator in program.translators:
            self._translators.append(self._translator(translator))
        for ecb in program.ecbs:
            self._ecb(ecb)
        for provider in program.providers:
            self._provider(provider)
        for difo in program.difos:
            if id(difo) not in self._difos:
                self._difo(difo, loose=True)
        if program.options:
            self._options(program.options)
        self._unloaded(program)
        return self._layout(program.model)

    # -- sections --

    def _add(self, kind: int, data: bytes, *, share: bool = False) -> int:
        if share and (kind, data) in self._shared:
            return self._shared[kind, data]
        self._sections.append(_Section(kind, data))
        number = len(self._sections) - 1
        if share:
            self._shared[kind, data] = number
        return number

    def _add_one(self, kind: int, value: tuple[int, ...], *, share: bool = False) -> int:
        return self._add(kind, dof.pack(value, self._order), share=share)

    def _layout(self, model: int) -> bytes:
        self._sections[_STRTAB].data = bytes(self._strings.data)
        loaded = [n for n, s in enumerate(self._sections) if dof.SECTIONS[s.type].loadable and n != _STRTAB]
        unloaded = [n for n, s in enumerate(self._sections) if not dof.SECTIONS[s.type].loadable]
        start = dof.size_of(dof.Header) + len(self._sections) * dof.size_of(SectionHeader)
        body = bytearray()
        headers: dict[int, SectionHeader] = {}
        for number in (*loaded, _STRTAB):
            self._place(number, body, start, headers)
        load_size = start + len(body)
        if unloaded:
            body += bytes(-load_size % 8)
        for number in unloaded:
            self._place(number, body, start, headers)
        if load_size >= dof.MAX_LOAD_SIZE:
            raise DofError("header", f"load size {load_size} exceeds the maximum")
        encoding = next(code for code, order in dof.ENCODINGS.items() if order == self._order)
        header = dof.Header(
            dof.MAGIC, model, encoding, self._version, limits.DIF_VERSION, limits.NREGS, limits.NTUPLE,
            bytes(6), 0,
            dof.size_of(dof.Header), dof.size_of(SectionHeader), len(self._sections),
            dof.size_of(dof.Header), load_size, start + len(body), 0)
        table = dof.pack_all((headers[n] for n in range(len(self._sections))), self._order)
        return dof.pack(header, self._order) + table + bytes(body)

    def _place(self, number: int, body: bytearray, start: int,
               headers: dict[int, SectionHeader]) -> None:
        section = self._sections[number]
        row = dof.SECTIONS[section.type]
        body += bytes(-(start + len(body)) % row.align)
        headers[number] = SectionHeader(section.type, row.align, dof.FLAG_LOAD if row.loadable else 0,
                                        row.entry_size, start + len(body), len(section.data))
        body += section.data

    # -- enablings --

    def _ecb(self, ecb: Ecb) -> int:
        string, name = self._strings.add, ecb.probe
        provider = f"{name.instance}:{name.provider}" if name.instance else name.provider
        probe = self._add_one(dof.PROBEDESC, dof.ProbeDescription(
            _STRTAB, string(provider), string(name.module), string(name.function), string(name.name),
            name.id), share=True)
        predicate = dof.NONE if ecb.predicate is None else self._difo(ecb.predicate)
        descs = [self._action(action) for action in ecb.actions]
        if len(descs) > dof.MAX_ACTIONS:
            raise DofError(str(ecb.probe), f"over {dof.MAX_ACTIONS} actions")
        actions = self._add(dof.ACTDESC, dof.pack_all(descs, self._order), share=True) if descs else dof.NONE
        return self._add_one(dof.ECBDESC, dof.EcbDesc(probe, predicate, actions, 0, ecb.uarg))

    def _action(self, action: Action) -> dof.ActionDesc:
        difo = dof.NONE if action.difo is None else self._difo(action.difo)
        strtab, arg = dof.NONE, action.arg & 0xFFFFFFFFFFFFFFFF
        if action.string is not None:
            if not action.string:
                raise DofError("action", "empty format string")
            strtab, arg = _STRTAB, self._strings.add(action.string)
        return dof.ActionDesc(difo, strtab, action.kind, action.ntuple, arg, action.uarg)

    def _options(self, options: list[tuple[int, int]]) -> None:
        descs = (dof.OptionDesc(number, dof.NONE, value) for number, value in options)
        self._add(dof.OPTDESC, dof.pack_all(descs, self._order))

    # -- DIF objects --

    def _difo(self, difo: Difo, *, loose: bool = False) -> int:
        if id(difo) not in self._difos:
            self._difos[id(difo)] = self._new_difo(difo, loose)
        return self._difos[id(difo)]

    def _new_difo(self, difo: Difo, loose: bool) -> int:
        # A table that is relocated belongs to one object only.
        moved = bool(difo.kreltab or difo.ureltab)
        names = [variable.name for variable in difo.vartab if variable.name or difo.strtab]
        names += [reloc.name for reloc in (*difo.kreltab, *difo.ureltab)]
        strtab, offsets = _string_table(difo.strtab, names)
        links = [self._add(dof.DIF, dof.pack_words(difo.text, 4, self._order), share=True)]
        strings = integers = dof.NONE
        if difo.inttab or moved:
            integers = self._add(dof.INTTAB, dof.pack_words(difo.inttab, 8, self._order), share=not moved)
            links.append(integers)
        if strtab:
            strings = self._add(dof.STRTAB, strtab, share=True)
            links.append(strings)
        if difo.vartab:
            rows = (_variable(variable, offsets) for variable in difo.vartab)
            links.append(self._add(dof.VARTAB, dof.pack_all(rows, self._order), share=True))
        if difo.xltab:
            refs = (dof.TranslationRef(self._translator_section(ref.translator), ref.member, ref.argument)
                    for ref in difo.xltab)
            links.append(self._add(dof.XLTAB, dof.pack_all(refs, self._order), share=True))
        if difo.typtab:
            kinds = dof.pack_all((_type(kind) for kind in difo.typtab), self._order)
            links.append(self._add(dof.TYPTAB, kinds, share=True))
        head = dof.pack(_type(difo.rtype), self._order) + dof.pack_words(links, 4, self._order)
        number = self._add(dof.DIFOHDR, head, share=self._share and not loose)
        for kind, table in ((dof.KRELHDR, difo.kreltab), (dof.URELHDR, difo.ureltab)):
            if table:
                self._relocations(kind, table, offsets, strings, integers)
        return number

    def _translator_section(self, index: int) -> int:
        if not 0 <= index < len(self._translators):
            raise DofError("translation", f"no translator {index}")
        return self._translators[index]

    def _relocations(self, kind: int, table: list[Reloc], offsets: dict[str, int], strings: int,
                     integers: int) -> None:
        rows = (dof.RelocationDesc(offsets[reloc.name], reloc.type, reloc.offset, reloc.data)
                for reloc in table)
        entries = self._add(dof.RELTAB, dof.pack_all(rows, self._order))
        self._add_one(kind, dof.RelocationHeader(strings, entries, integers))

    # -- translators and providers --

    def _translator(self, translator: Translator) -> int:
        rows = [dof.MemberDesc(dof.NONE if member.difo is None else self._difo(member.difo),
                               self._strings.add(member.name), *_type(member.type))
                for member in translator.members]
        members = self._add(dof.XLMEMBERS, dof.pack_all(rows, self._order))
        desc = dof.TranslatorDesc(members, _STRTAB, self._strings.add_list(translator.inputs),
                                  len(translator.inputs), self._strings.add(translator.type),
                                  translator.attributes.word)
        return self._add_one(dof.XLEXPORT if translator.exported else dof.XLIMPORT, desc)

    def _provider(self, provider: Provider) -> None:
        _check_length(provider.name, dof.PROVIDER_NAME_MAX, "provider name")
        entries: list[dof.ProbeEntry] = []
        mapping = bytearray()
        offsets: list[int] = []
        enabled: list[int] = []
        for probe in provider.probes:
            entries.append(self._probe(probe, len(mapping), len(offsets), len(enabled)))
            mapping += bytes(probe.mapping)
            offsets += probe.offsets
            enabled += probe.enabled_offsets
        if not entries:
            raise DofError(f"provider {provider.name}", "no probes")
        probes = self._add(dof.PROBES, dof.pack_all(entries, self._order))
        arguments = self._add(dof.PRARGS, bytes(mapping))
        sites = self._add(dof.PROFFS, dof.pack_words(offsets, 4, self._order))
        # The null link of is-enabled offsets is 0, unlike every other.
        tests = self._add(dof.PRENOFFS, dof.pack_words(enabled, 4, self._order)) if enabled else 0
        of_provider, of_module, of_function, of_name, of_args = (each.word for each in provider.attributes)
        number = self._add_one(dof.PROVIDER, dof.ProviderDesc(
            _STRTAB, probes, arguments, sites, self._strings.add(provider.name),
            of_provider, of_module, of_function, of_name, of_args, tests))
        rows = [dof.RelocationDesc(self._strings.add(probe.symbol), self._relocation,
                                   at * dof.size_of(dof.ProbeEntry), 0)
                for at, probe in enumerate(provider.probes) if probe.symbol is not None]
        if rows:
            table = self._add(dof.RELTAB, dof.pack_all(rows, self._order))
            self._add_one(dof.URELHDR, dof.RelocationHeader(_STRTAB, table, probes))
        if provider.exports:
            exported = [number, *(self._translator_section(index) for index in provider.exports)]
            self._add(dof.PREXPORT, dof.pack_words(exported, 4, self._order))

    def _probe(self, probe: Probe, mapping: int, offsets: int, enabled: int) -> dof.ProbeEntry:
        _check_length(probe.name, dof.PROBE_NAME_MAX, "probe name")
        where = f"probe {probe.name}"
        if not probe.offsets and not probe.enabled_offsets:
            raise DofError(where, "no offsets")
        if self._version == 1 and probe.enabled_offsets:
            raise DofError(where, "is-enabled offsets need DOF version 2")
        if len(probe.mapping) != len(probe.xlated):
            raise DofError(where, f"{len(probe.mapping)} mappings of {len(probe.xlated)} arguments")
        if any(not 0 <= value < len(probe.native) for value in probe.mapping):
            raise DofError(where, f"argument mapping outside {len(probe.native)} native arguments")
        if max(len(probe.native), len(probe.xlated)) > 0xFF:
            raise DofError(where, "over 255 arguments")
        if max(len(probe.offsets), len(probe.enabled_offsets)) > 0xFFFF:
            raise DofError(where, "over 65535 sites")
        for text in (*probe.native, *probe.xlated):
            _check_length(text, dof.ARGUMENT_TYPE_MAX, "argument type")
        string = self._strings
        return dof.ProbeEntry(
            probe.address, string.add(probe.function), string.add(probe.name),
            string.add_list(probe.native), string.add_list(probe.xlated), mapping, offsets,
            len(probe.native), len(probe.xlated), len(probe.offsets),
            enabled if probe.enabled_offsets else 0, len(probe.enabled_offsets), 0, 0)

    def _unloaded(self, program: Program) -> None:
        for kind, text in ((dof.SOURCE, program.source), (dof.COMMENTS, program.comments)):
            if text:  # these sections are texts as a whole, so a NUL within them is no end
                self._add(kind, text.encode("utf-8", "surrogateescape") + b"\0")
        if program.utsname:
            self._add(dof.UTSNAME, program.utsname)


def _check_length(text: str, limit: int, what: str) -> None:
    if len(_raw(text)) >= limit:
        raise DofError(what, f"{text[:32]!r}… of {limit} bytes or more")


def _string_table(table: bytes, names: list[str]) -> tuple[bytes, dict[str, int]]:
    """`table` with every name in it (added at its end where missing), and where each is."""
    grown = bytearray(table)
    offsets: dict[str, int] = {}
    for name in names:
        raw = _raw(name) + b"\0"
        if name not in offsets and raw not in grown:
            grown += b"\0" if not grown and name else b""
            offsets[name] = len(grown)
            grown += raw
        offsets.setdefault(name, grown.find(raw))
    return bytes(grown), offsets


def _type(kind: DifType) -> dof.TypeDesc:
    return dof.TypeDesc(kind.kind, kind.ckind, kind.flags, 0, kind.size)


def _variable(variable: DifVar, offsets: dict[str, int]) -> dof.VariableDesc:
    return dof.VariableDesc(offsets.get(variable.name, 0), variable.id, variable.kind, variable.scope,
                            variable.flags, *_type(variable.type))
