"""PROVIDER sections and what they link to → Provider.

The checks are those a kernel makes of the providers in DOF that a process
registers; lengths count the NUL.
"""

from __future__ import annotations

from dof import format as dof
from dof.container import Container, relocation_header, relocations
from dof.format import DofError
from dof.model import Attributes, Probe, Provider

_V1_SIZE = 40  # dof_provider_t up to dofpv_prenoffs


def read_providers(container: Container, translators: dict[int, int], *,
                   keep_long_names: bool) -> list[Provider]:
    """Every provider, in file order.

    `translators` gives the program's index of a translator section.  A kernel
    passes over a probe whose function name does not fit a probe
    (`keep_long_names` false).  Raises DofError.
    """
    symbols = _symbols(container)
    exports = _exports(container, translators)
    return [_ProviderReader(container, index, symbols, keep_long_names).read(exports.get(index, []))
            for index in container.of_type(dof.PROVIDER)]


def _symbols(container: Container) -> dict[tuple[int, int], str]:
    """(PROBES section, byte offset) -> symbol of the relocation there."""
    found = {}
    for index in container.of_type(dof.URELHDR):
        head = relocation_header(container, index)
        if container.sections[head.target].type != dof.PROBES:
            continue
        where = container.where(head.table)
        for entry in relocations(container, head):
            found[head.target, entry.offset] = container.string(head.strtab, entry.name, where)
    return found


def _exports(container: Container, translators: dict[int, int]) -> dict[int, list[int]]:
    """PROVIDER section -> indices of the translators it exports (PREXPORT: provider, then those)."""
    found: dict[int, list[int]] = {}
    for index in container.of_type(dof.PREXPORT):
        links = dof.words(container.contents(index), 4, container.order)
        owner = links[0] if links else dof.NONE
        found[owner] = [translators[link] for link in links[1:] if link in translators]
    return found


class _ProviderReader:
    """One provider: its descriptor, checked links, and then its probes."""

    def __init__(self, container: Container, index: int, symbols: dict[tuple[int, int], str],
                 keep_long_names: bool) -> None:
        self._dof = container
        self._where = container.where(index)
        self._symbols = symbols
        self._keep_long_names = keep_long_names
        self._version = container.header.version
        section = container.sections[index]
        needed = _V1_SIZE if self._version == 1 else dof.size_of(dof.ProviderDesc)
        if section.offset % 4:
            raise DofError(self._where, "misaligned offset")
        if section.size < needed:
            raise DofError(self._where, f"size {section.size} is below {needed}")
        raw = container.contents(index).ljust(dof.size_of(dof.ProviderDesc), b"\0")
        self._desc = desc = dof.unpack(dof.ProviderDesc, raw, 0, container.order)
        self._strtab = container.link(desc.strtab, dof.STRTAB, self._where)
        self._probes = container.link(desc.probes, dof.PROBES, self._where)
        self._arguments = container.link(desc.arguments, dof.PRARGS, self._where)
        self._offsets = container.link(desc.offsets, dof.PROFFS, self._where)
        self._enabled: int | None = None
        if self._version > 1 and desc.enabled_offsets != 0:
            self._enabled = container.link(desc.enabled_offsets, dof.PRENOFFS, self._where)
        self._check_tables()

    def _check_tables(self) -> None:
        self._entries(self._arguments, 1)
        self._entries(self._offsets, 4)
        if self._enabled is not None:
            self._entries(self._enabled, 4)
        section = self._dof.sections[self._probes]
        where = self._dof.where(self._probes)
        if section.entry_size == 0 or section.entry_size > section.size:
            raise DofError(where, f"bad entry size {section.entry_size}")
        if section.entry_size % 8 or section.entry_size < dof.size_of(dof.ProbeEntry):
            raise DofError(where, f"bad entry size {section.entry_size}")

    def _entries(self, index: int, size: int) -> None:
        section = self._dof.sections[index]
        if section.entry_size != size:
            raise DofError(self._dof.where(index), f"entry size {section.entry_size}, not {size}")
        if section.offset % size:
            raise DofError(self._dof.where(index), "misaligned offset")

    def read(self, exports: list[int]) -> Provider:
        desc = self._desc
        name = self._name(desc.name, dof.PROVIDER_NAME_MAX, "provider", self._where)
        provider = Provider(name, (
            Attributes.of_word(desc.provider_attributes), Attributes.of_word(desc.module_attributes),
            Attributes.of_word(desc.function_attributes), Attributes.of_word(desc.name_attributes),
            Attributes.of_word(desc.args_attributes)), exports=exports)
        section = self._dof.sections[self._probes]
        for number in range(section.size // section.entry_size):
            probe = self._probe(number, number * section.entry_size)
            if probe is not None:
                provider.probes.append(probe)
        return provider

    def _name(self, start: int, limit: int, what: str, where: str) -> str:
        """A string shorter than `limit` bytes with its NUL."""
        name = self._dof.string(self._strtab, start, where, limit)
        if len(name.encode("utf-8", "surrogateescape")) >= limit:
            raise DofError(where, f"{what} name of {limit} bytes or more")
        return name

    def _probe(self, number: int, offset: int) -> Probe | None:
        where = f"{self._dof.where(self._probes)} probe {number}"
        base = self._dof.sections[self._probes].offset
        entry = dof.unpack(dof.ProbeEntry, self._dof.data, base + offset, self._dof.order)
        function = self._dof.string(self._strtab, entry.function, where)
        name = self._name(entry.name, dof.PROBE_NAME_MAX, "probe", where)
        offsets = self._slice(self._offsets, entry.offset_index, entry.offset_count, 4, where)
        enabled = self._enabled_offsets(entry, where)
        if not offsets and not enabled:
            raise DofError(where, "no offsets")
        mapping = self._slice(self._arguments, entry.argument_index, entry.xlated_count, 1, where)
        native = self._types(entry.native, entry.native_count, where)
        xlated = self._types(entry.xlated, entry.xlated_count, where)
        for value in mapping:
            if value >= entry.native_count:
                raise DofError(where, f"argument mapping {value} with {entry.native_count} native arguments")
        too_long = len(function.encode("utf-8", "surrogateescape")) >= dof.FUNCTION_NAME_MAX
        if too_long and not self._keep_long_names:
            return None
        return Probe(function, name, entry.address, native, xlated, mapping, offsets, enabled,
                     self._symbols.get((self._probes, offset)))

    def _enabled_offsets(self, entry: dof.ProbeEntry, where: str) -> list[int]:
        if self._version == 1:
            return []
        if self._enabled is None:
            if entry.enabled_index or entry.enabled_count:
                raise DofError(where, "is-enabled offsets without their section")
            return []
        return self._slice(self._enabled, entry.enabled_index, entry.enabled_count, 4, where)

    def _slice(self, index: int, first: int, count: int, width: int, where: str) -> list[int]:
        section = self._dof.sections[index]
        if (first + count) * width > section.size:
            raise DofError(where, f"entries {first} to {first + count} past {self._dof.where(index)}")
        self._dof.spend(count * 8, where)
        start = section.offset + first * width
        return dof.words(self._dof.data[start:start + count * width], width, self._dof.order)

    def _types(self, start: int, count: int, where: str) -> list[str]:
        types = []
        for _ in range(count):
            text = self._dof.string(self._strtab, start, where, dof.ARGUMENT_TYPE_MAX)
            size = len(text.encode("utf-8", "surrogateescape")) + 1
            if size > dof.ARGUMENT_TYPE_MAX:
                raise DofError(where, f"argument type of {dof.ARGUMENT_TYPE_MAX} bytes or more")
            types.append(text)
            start += size
        return types
