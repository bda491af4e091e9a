"""Files that hold others, as no compiler makes them: ELF, Mach-O, archives."""

from __future__ import annotations

import struct

Row = tuple[str, int, int, bytes, int, int, int, int]  # name, type, flags, data, link, info, align, entry


def elf(rows: list[Row], bits: int = 64, order: str = "<") -> bytearray:
    """A relocatable file of these sections, from number 1 on; the table of their names is the last."""
    wide = bits == 64
    at, names = 64 if wide else 52, b"\0"
    section = struct.Struct(order + ("IIQQQQIIQQ" if wide else "IIIIIIIIII"))
    body, table = b"", bytes(section.size)
    for name, kind, flags, data, linked, info, align, entry in [*rows, (".shstrtab", 3, 0, b"", 0, 0, 1, 0)]:
        start = len(names)
        names += name.encode() + b"\0"
        contents = data if name != ".shstrtab" else names
        table += section.pack(start, kind, flags, 0, at + len(body), len(contents), linked, info, align,
                              entry)
        body += contents + bytes(-len(contents) % 8)
    fields = (1, 62 if wide else 2, 1, 0, 0, at + len(body), 0, at, 0, 0, section.size, len(rows) + 2,
              len(rows) + 1)
    ident = b"\x7fELF" + bytes([bits // 32, "<>".index(order) + 1, 1]) + bytes(9)
    header = struct.pack(order + ("HHIQQQIHHHHHH" if wide else "HHIIIIIHHHHHH"), *fields)
    return bytearray(ident + header + body + table)


def macho(contents: bytes, *, bits: int = 64, order: str = "<", name: bytes = b"__dof_prov",
          kind: int = 0) -> bytes:
    """A Mach-O file with one segment of one section, __DATA,NAME, of this kind (S_DTRACE_DOF is 15)."""
    wide = bits == 64
    header, segment, section = (32, 72, 80) if wide else (28, 56, 68)
    at = header + segment + section
    magic = 0xFEEDFACF if wide else 0xFEEDFACE
    out = struct.pack(order + "IIIIIII", magic, 0x1000007, 3, 2, 1, segment + section, 0) + bytes(4 * wide)
    words = "Q" if wide else "I"
    out += struct.pack(f"{order}II16s{words * 4}IIII", 0x19 if wide else 1, segment + section, b"__DATA",
                       0, len(contents), at, len(contents), 7, 7, 1, 0)
    out += struct.pack(f"{order}16s16s{words * 2}IIIII", name, b"__DATA", 0, len(contents), at, 0, 0, 0, kind)
    return out.ljust(at, b"\0") + contents


def fat(*files_: bytes) -> bytes:
    out = struct.pack(">II", 0xCAFEBABE, len(files_))
    at = 8 + 20 * len(files_)
    for number, each in enumerate(files_):
        out += struct.pack(">IIIII", (0x1000007, 0x100000C)[number], 3, at, len(each), 0)
        at += len(each)
    return out + b"".join(files_)


def member(name: bytes, data: bytes) -> bytes:
    return name.ljust(48) + str(len(data)).encode().ljust(10) + b"`\n" + data + b"\n" * (len(data) % 2)
