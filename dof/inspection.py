"""DOF section by section, as data for JSON and as a table: what is in the file, whatever it means."""

from __future__ import annotations

from dof import format as dof
from dof.container import Container

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import Any


def describe(container: Container) -> dict[str, Any]:
    """Header and sections with their decoded entries, of JSON's types only."""
    header = {name: _plain(value) for name, value in container.header._asdict().items()}
    return {"header": header,
            "sections": [_section(container, index) for index in range(len(container.sections))]}


def _section(container: Container, index: int) -> dict[str, Any]:
    section = container.sections[index]
    found: dict[str, Any] = {"index": index, "name": dof.section_name(section.type), **section._asdict()}
    found.update(_contents(container, index))
    return found


def _contents(container: Container, index: int) -> dict[str, Any]:
    section, order = container.sections[index], container.order
    row, raw = dof.SECTIONS.get(section.type), container.contents(index)
    container.spend(len(raw), container.where(index))
    if row is None:
        return {"bytes": raw.hex()}
    if section.type in (dof.STRTAB, dof.SOURCE, dof.COMMENTS):
        return {"strings": _strings(raw)}
    if row.entry is None:
        return {"bytes": raw.hex()}
    if section.type == dof.DIFOHDR:
        size = dof.size_of(dof.TypeDesc)
        heads = dof.unpack_all(dof.TypeDesc, raw[:size], order)
        return {"entries": [_plain(head) for head in heads], "links": dof.words(raw[size:], 4, order)}
    # A version 1 provider may lack its last link.
    whole = raw.ljust(dof.size_of(row.entry), b"\0") if section.type == dof.PROVIDER else raw
    return {"entries": [_plain(entry) for entry in dof.unpack_all(row.entry, whole, order)]}


def _strings(raw: bytes) -> dict[str, str]:
    """Byte offset -> string."""
    found, at = {}, 0
    for piece in raw.split(b"\0")[:-1]:
        found[str(at)] = piece.decode("utf-8", "backslashreplace")
        at += len(piece) + 1
    return found


def _plain(value: Any) -> Any:
    """A structure as a mapping; a one-field structure as its field; bytes as hex."""
    if isinstance(value, bytes):
        return value.hex()
    if hasattr(value, "_asdict"):
        fields = {name: _plain(item) for name, item in value._asdict().items()}
        return fields["value"] if list(fields) == ["value"] else fields
    return value


def table(container: Container) -> str:
    """The header in one line and the section headers as columns.  Ends in a newline."""
    header = container.header
    model = {dof.MODEL_ILP32: "ILP32", dof.MODEL_LP64: "LP64"}[header.model]
    lines = [f"DOF version {header.version}, {container.order}-endian, {model}, "
             f"{header.section_count} sections, load size {header.load_size}, file size {header.file_size}",
             f"{'INDEX':>5} {'TYPE':<10} {'FLAGS':<5} {'ALIGN':>5} {'ENTSIZE':>7} {'OFFSET':>8} {'SIZE':>8}"]
    lines += [f"{index:>5} {dof.section_name(section.type):<10} "
              f"{'LOAD' if section.flags & dof.FLAG_LOAD else '-':<5} {section.align:>5} "
              f"{section.entry_size:>7} {section.offset:>8} {section.size:>8}"
              for index, section in enumerate(container.sections)]
    return "\n".join(lines) + "\n"
