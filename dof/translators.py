"""XLIMPORT and XLEXPORT sections → Translator."""

from __future__ import annotations

from collections.abc import Callable

from dif.difo import Difo, DifType
from dof import format as dof
from dof.container import Container
from dof.format import DofError
from dof.model import Attributes, Member, Translator


def translator_numbers(container: Container) -> dict[int, int]:
    """Translator section -> its index in what `read_translators` returns."""
    return {section: number for number, section in
            enumerate(container.of_type(dof.XLIMPORT, dof.XLEXPORT))}


def read_translators(container: Container, difo: Callable[[int], Difo]) -> list[Translator]:
    """Every translator, in file order.  `difo` reads a DIFOHDR section.  Raises DofError."""
    return [_translator(container, index, difo) for index in translator_numbers(container)]


def _translator(container: Container, index: int, difo: Callable[[int], Difo]) -> Translator:
    where, section = container.where(index), container.sections[index]
    if section.size < dof.size_of(dof.TranslatorDesc):
        raise DofError(where, "truncated")
    desc = dof.unpack(dof.TranslatorDesc, container.data, section.offset, container.order)
    strtab = container.link(desc.strtab, dof.STRTAB, where)
    members = container.link(desc.members, dof.XLMEMBERS, where)
    inputs, start = [], desc.input_types
    for _ in range(desc.input_count):
        inputs.append(container.string(strtab, start, where))
        start += len(inputs[-1].encode("utf-8", "surrogateescape")) + 1
    entries = dof.unpack_all(dof.MemberDesc, container.contents(members), container.order)
    container.spend(section.size + len(entries) * 16, where)
    return Translator(inputs, container.string(strtab, desc.type, where), Attributes.of_word(desc.attributes),
                      [_member(container, entry, strtab, where, difo) for entry in entries],
                      exported=section.type == dof.XLEXPORT)


def _member(container: Container, entry: dof.MemberDesc, strtab: int, where: str,
            difo: Callable[[int], Difo]) -> Member:
    code = None if entry.difo == dof.NONE else difo(container.link(entry.difo, dof.DIFOHDR, where))
    kind = DifType(entry.type_kind, entry.type_ckind, entry.type_flags, entry.type_size)
    return Member(container.string(strtab, entry.name, where), kind, code)
