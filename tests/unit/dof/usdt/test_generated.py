"""What -G makes of a small object of each machine, whole: `generated/NAME.txt` shows every byte that counts.

The objects are put together here, so that no compiler is needed.  A listing has the sections, the symbols,
the relocations and the contents of the object as -G leaves it and of the object that it generates; of the
latter not what is the same for all (the registration code).  The listings agree with readelf(1) of the same
files.  `make golden` writes them anew; read the diff before you commit it.
"""

from __future__ import annotations

import struct
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest

from dof.usdt import registration
from dof.usdt.definition import Argument, ProbeDefinition, ProviderDefinition, probe_symbol
from dof.usdt.link import link
from dof.usdt.semaphores import MACHINES as TARGETS
from dof.usdt.semaphores import write_semaphores

HERE = Path(__file__).parent
INT, LONG, TEXT = Argument("int", "a", 4, True), Argument("long", "b", 8, True), Argument("char *", "s")
DOUBLE = Argument("double", "d", 8, False, True)
PROVIDERS = [ProviderDefinition("shop", [
    ProbeDefinition("sold-out", [INT, TEXT], [TEXT._replace(type="string"), INT]),
    ProbeDefinition("many", [LONG, DOUBLE, *[INT._replace(name="")] * 6]), ProbeDefinition("never")])]
SOLD, ASKS, MANY = (probe_symbol("shop", probe, enabled=enabled) for probe, enabled in (
    ("sold-out", False), ("sold-out", True), ("many", False)))


class Machine(NamedTuple):
    """An object: its ELF header's numbers, and pieces of code, each with the call that is in it.

    A call is its offset in the piece, its relocation's type, and the probe function.
    """

    number: int
    bits: int
    order: str
    rela: bool
    pieces: list[tuple[str, tuple[int, int, str] | None]]


def x86(first: int, indirect: int) -> list[tuple[str, tuple[int, int, str] | None]]:
    return [("90", None), ("e800000000", (1, first, SOLD)), ("e800000000", (1, 2, ASKS)), ("c3", None),
            ("ff1500000000", (2, indirect, SOLD)), ("e900000000", (1, first, MANY)),
            ("e800000000", (1, first, MANY)), ("ff2500000000", (2, indirect, SOLD)),
            ("e900000000", (1, first, ASKS))]


def sparc(call: int) -> list[tuple[str, tuple[int, int, str] | None]]:
    return [("01000000", None), ("4000000090100001", (0, call, SOLD)), ("4000000001000000", (0, call, ASKS)),
            ("01000000", None), ("4000000001000000", (0, call, SOLD)), ("4000000081e80000", (0, call, MANY)),
            ("4000000001000000", (0, call, MANY)), ("400000009e100001", (0, call, SOLD)),
            ("4000000090100001", (0, call, ASKS))]


MACHINES = {
    "x86-64": Machine(62, 64, "<", True, x86(4, 41)),
    "i386": Machine(3, 32, "<", False, x86(4, 43)),
    "aarch64": Machine(183, 64, "<", True, [
        ("1f2003d5", None), ("00000094", (0, 283, SOLD)), ("00000094", (0, 283, ASKS)), ("c0035fd6", None),
        ("00000094", (0, 283, SOLD)), ("00000014", (0, 282, MANY)), ("00000094", (0, 283, MANY)),
        ("00000014", (0, 282, SOLD)), ("00000014", (0, 282, ASKS))]),
    "sparcv9": Machine(43, 64, ">", True, sparc(7)),
    "sparc": Machine(2, 32, ">", True, sparc(18)),
}
# Which pieces a function has: one that is global, one that is weak, and one of this object alone.
FUNCTIONS = (("first", 1, range(4)), ("copied", 2, range(4, 6)), ("hidden.part.0", 0, range(6, 9)))


def built(machine: Machine) -> bytes:
    """Return the relocatable object, laid out as an assembler does."""
    wide, order = machine.bits == 64, machine.order
    starts = [0]
    for code, _ in machine.pieces:
        starts.append(starts[-1] + len(code) // 2)
    names = sorted({call[2] for _, call in machine.pieces if call})
    strings, symbols, relocations = b"\0", [(0, 0, 0, 0, 0)], []
    rows = [(name, (binding << 4) | 2, 1, starts[each[0]], starts[each[-1] + 1] - starts[each[0]])
            for name, binding, each in sorted(FUNCTIONS, key=lambda row: bool(row[1]))]
    for name, info, section, value, size in rows + [(name, 0x10, 0, 0, 0) for name in names]:
        symbols.append((len(strings), info, section, value, size))
        strings += name.encode() + b"\0"
    for start, (_, call) in zip(starts, machine.pieces, strict=False):
        if call:
            at, kind, name = call
            number = 1 + len(FUNCTIONS) + names.index(name)
            info = number << (32 if wide else 8) | kind
            relocations.append(struct.pack(order + ("QQq" if wide else "IIi"), start + at, info, -4)
                               if machine.rela else struct.pack(order + "II", start + at, info))
    table = b"".join(struct.pack(order + "IBBHQQ", name, info, 0, section, value, size) if wide else
                     struct.pack(order + "IIIBBH", name, value, size, info, 0, section)
                     for name, info, section, value, size in symbols)
    relocated = ".rela.text" if machine.rela else ".rel.text"
    entry = (24 if machine.rela else 16) if wide else (12 if machine.rela else 8)
    contents: list[tuple[str, int, int, bytes, int, int, int, int]] = [
        ("", 0, 0, b"", 0, 0, 0, 0),
        (".text", 1, 6, bytes.fromhex("".join(code for code, _ in machine.pieces)), 0, 0, 16, 0),
        (relocated, 4 if machine.rela else 9, 0x40, b"".join(relocations), 3, 1, machine.bits // 8, entry),
        (".symtab", 2, 0, table, 4, 2, machine.bits // 8, 24 if wide else 16),
        (".strtab", 3, 0, strings, 0, 0, 1, 0)]
    shown = b"\0" + b"".join(name.encode() + b"\0" for name, *_ in contents[1:]) + b".shstrtab\0"
    contents.append((".shstrtab", 3, 0, shown, 0, 0, 1, 0))
    size, data, headers = 64 if wide else 52, b"", b""
    for name, kind, flags, each, to, info, align, entry in contents:
        data += bytes(-(size + len(data)) % max(align, 1))
        headers += struct.pack(order + ("IIQQQQIIQQ" if wide else "10I"), shown.index(name.encode() + b"\0"),
                               kind, flags, 0, size + len(data) if kind else 0, len(each), to, info, align,
                               entry)
        data += each
    data += bytes(-len(data) % 8)
    ident = b"\x7fELF" + bytes((2 if wide else 1, 1 if order == "<" else 2, 1)) + bytes(9)
    return ident + struct.pack(order + ("HHIQQQIHHHHHH" if wide else "HHIIIIIHHHHHH"), 1, machine.number, 1,
                               0, 0, size + len(data), 0, size, 0, 0, 64 if wide else 40, len(contents),
                               len(contents) - 1) + data + headers


class Row(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry: int


def listed(data: bytes, known: frozenset[str] = frozenset()) -> list[str]:
    """Return a listing of an ELF file, without the lines that are known."""
    wide, order = data[4] == 2, "<" if data[5] == 1 else ">"
    at, = struct.unpack_from(order + ("Q" if wide else "I"), data, 40 if wide else 32)
    count, names = struct.unpack_from(order + "HH", data, 60 if wide else 48)
    layout = struct.Struct(order + ("IIQQQQIIQQ" if wide else "10I"))
    rows = [Row._make(layout.unpack_from(data, at + number * layout.size)) for number in range(count)]
    contents = [data[row.offset:row.offset + row.size] for row in rows]

    def text(table: bytes, where: int) -> str:
        return table[where:table.index(b"\0", where)].decode()

    def symbols(row: Row) -> list[str]:
        table, strings, found = contents[rows.index(row)], contents[row.link], []
        for where in range(0, len(table), 24 if wide else 16):
            name, info, other, section, value, size = struct.unpack_from(order + "IBBHQQ", table, where) \
                if wide else [struct.unpack_from(order + "IIIBBH", table, where)[each]
                              for each in (0, 3, 4, 5, 1, 2)]
            found.append(f"{text(strings, name)} value={value:#x} size={size} info={info:#x} other={other}"
                         f" section={section:#x}")
        return found

    titles = [text(contents[names], row.name) for row in rows]
    lines = [f"header {data[:16].hex()} {data[16:40 if not wide else 24].hex()}"]
    for number, (title, row, each) in enumerate(zip(titles, rows, contents, strict=True)):
        if not number:
            continue
        lines.append(f"[{number}] {title} type={row.kind:#x} flags={row.flags:#x} address={row.address}"
                     f" size={row.size} link={row.link} info={row.info} align={row.align} entry={row.entry}")
        if row.kind == 2:
            lines += [f"  {place} {symbol}" for place, symbol in enumerate(symbols(row))]
        elif row.kind in (4, 9):
            word = {(True, 4): "QQq", (True, 9): "QQ", (False, 4): "IIi", (False, 9): "II"}[wide, row.kind]
            named = symbols(rows[row.link])
            for offset, info, *addend in struct.iter_unpack(order + word, each):
                shift = 32 if wide else 8
                lines.append(f"  {offset:#x} type={info & ((1 << shift) - 1)} {addend or ''}"
                             f" {named[info >> shift].partition(' ')[0]}")
        elif row.kind != 3:
            lines += [f"  {place:#06x} {each[place:place + 32].hex(' ', -4)}"
                      for place in range(0, len(each), 32)]
    return [line for line in lines if line not in known]


def _registration(name: str, target: str) -> frozenset[str]:
    return frozenset(listed((Path(registration.__path__[0]) / f"{target}-{name}.bin").read_bytes()))


def listing(name: str, folder: Path) -> str:
    """Return the listings of a machine's object and of what -G generates, plainly and with semaphores."""
    machine, lines = MACHINES[name], []
    for notes, target in (("no", "illumos"),) if name.startswith("sparc") else \
            (("yes", "linux"), ("semaphores", "linux")):
        part, output = folder / f"{name}.o", folder / f"{name}-{notes}.o"
        part.write_bytes(built(machine))
        providers = [PROVIDERS[0]]
        link(providers, [str(part)], str(output), target=target, stapsdt=notes)
        lines += [f"== the object, notes: {notes}", *listed(part.read_bytes()),
                  f"== what is generated, notes: {notes}",
                  *listed(output.read_bytes(), _registration(name, target))]
    output = folder / f"{name}-semaphores-alone.o"
    write_semaphores(PROVIDERS, [str(part)], str(output), TARGETS["s390x"])
    lines += ["== semaphores of notes", *listed(output.read_bytes())]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", MACHINES)
def test_what_is_generated(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    expected = (HERE / f"generated/{name}.txt").read_text()
    assert listing(name, Path()).splitlines() == expected.splitlines(), "if this is meant, say `make golden`"


def regenerate() -> None:
    """Write every listing."""
    import os

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in MACHINES:
            (HERE / f"generated/{name}.txt").write_text(listing(name, Path()))


if __name__ == "__main__":
    regenerate()
