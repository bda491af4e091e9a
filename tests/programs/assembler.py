"""Assembly text → machine code, and small static programs of it: keystone for every machine.

Keystone gives bytes and no symbols: functions are told by `.type`, and where
labels lie by asking for them behind the text.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path

import keystone

MODES = {
    "amd64": (keystone.KS_ARCH_X86, keystone.KS_MODE_64),
    "i386": (keystone.KS_ARCH_X86, keystone.KS_MODE_32),
    "arm64": (keystone.KS_ARCH_ARM64, keystone.KS_MODE_LITTLE_ENDIAN),
    "sparc": (keystone.KS_ARCH_SPARC, keystone.KS_MODE_SPARC32 | keystone.KS_MODE_BIG_ENDIAN),
    "sparcv9": (keystone.KS_ARCH_SPARC, keystone.KS_MODE_SPARC64 | keystone.KS_MODE_BIG_ENDIAN),
}
# Instructions that are younger than keystone, as it knows them.
YOUNGER = {"endbr64": ".byte 0xf3, 0x0f, 0x1e, 0xfa", "endbr32": ".byte 0xf3, 0x0f, 0x1e, 0xfb",
           "bti c": "hint #34"}
MACHINES = {"sparc": (1, 2, 0, ">"), "sparcv9": (2, 43, 2, ">"), "arm64": (2, 183, 0, "<")}
# class, e_machine, e_flags, byte order
BASE, HEADERS = 0x10000, 0x100
SHF_ALLOC_EXECUTE, STT_FUNC, STB_GLOBAL, PF_RX = 6, 2, 1, 5


def assemble(machine: str, text: str, address: int = 0) -> bytes:
    """The bytes of instructions that are separated by ; or lines.  Raises keystone.KsError.

    An x86 text with % in it is in AT&T's syntax, any other in Intel's.
    """
    engine = keystone.Ks(*MODES[machine])
    if machine in ("amd64", "i386") and "%" in text:
        engine.syntax = keystone.KS_OPT_SYNTAX_ATT
    lines = [YOUNGER.get(line.strip(), line) for line in re.split("[;\n]", _with_named_labels(text))]
    code, _ = engine.asm("\n".join(map(_with_explicit_radix, lines)), address)
    return bytes(code or b"")


def _with_explicit_radix(line: str) -> str:
    """Decimal numbers become hexadecimal, but in a line with a string.

    Keystone 0.9.2 never sets its default radix: it reads 10 as ten or as
    sixteen, by what lay in the memory that it was given.  Texts may have no
    numbers with a decimal point: with the wrong radix it does not know them.
    """
    if '"' in line:
        return line
    return re.sub(r"(?<![\w.])(0|[1-9]\d*)(?![\w.])", lambda number: hex(int(number[0])), line)


def _with_named_labels(text: str) -> str:
    """Numbers as labels (1:, 1f, 1b), which keystone does not know, become names."""
    parts = re.split(r"(\b\d+:|\b\d+[fb]\b)", text)
    counts: dict[str, int] = {}
    for at in range(1, len(parts), 2):
        number, kind = parts[at][:-1], parts[at][-1]
        before = counts.get(number, 0)
        if kind == ":":
            counts[number] = before + 1
        parts[at] = f".L{number}_{before + (kind == 'f')}" if kind != ":" else f".L{number}_{before + 1}:"
    return "".join(parts)


def _functions(machine: str, text: str, address: int) -> tuple[bytes, list[tuple[bytes, int, int]]]:
    """Code, and (name, address, size) of each label in it that is no local one."""
    code = assemble(machine, text, address)
    names = re.findall(r"^\s*([A-Za-z_]\w*):", text, re.MULTILINE)
    starts = [address]
    if len(names) > 1:
        labels = [f".word {name}" for name in names]
        asked = assemble(machine, "\n".join((text, ".balign 8", *labels)), address)
        order = MACHINES[machine][-1]
        starts = list(struct.unpack(f"{order}{len(names)}I", asked[-4 * len(names):]))
    ends = [*starts[1:], address + len(code)]
    return code, [(name.encode(), start, end - start)
                  for name, start, end in zip(names, starts, ends, strict=True)]


def write_program(path: Path, machine: str, text: str) -> None:
    """Write a static program, for SPARC or AArch64, that begins with `text`; a label begins a function."""
    write_code(path, machine, *_functions(machine, f"_start: {text}", BASE + HEADERS))


def write_code(path: Path, machine: str, code: bytes, functions: list[tuple[bytes, int, int]]) -> None:
    """Write a program whose `code` begins at BASE + HEADERS, with (name, address, size) of each function."""
    address = BASE + HEADERS
    kind, number, flags, order = MACHINES[machine]
    wide = kind == 2
    info, strings = STB_GLOBAL << 4 | STT_FUNC, b"\0"
    symbols = bytes(24 if wide else 16)
    for name, start, size in functions:
        symbols += struct.pack(order + "IBBHQQ", len(strings), info, 0, 1, start, size) if wide else \
            struct.pack(order + "IIIBBH", len(strings), start, size, info, 0, 1)
        strings += name + b"\0"
    names = b"\0.text\0.symtab\0.strtab\0"
    places, body = [], bytearray(HEADERS)
    for data in (code, symbols, strings, names):
        body += bytes(-len(body) % 8)
        places.append((len(body), len(data)))
        body += data
    body += bytes(-len(body) % 8)
    row = struct.Struct(order + ("IIQQQQIIQQ" if wide else "IIIIIIIIII"))
    sections = bytes(row.size) + b"".join(row.pack(*each) for each in (
        (1, 1, SHF_ALLOC_EXECUTE, address, *places[0], 0, 0, 4, 0),
        (7, 2, 0, 0, *places[1], 3, 1, 8, 24 if wide else 16),
        (15, 3, 0, 0, *places[2], 0, 0, 1, 0),
        (0, 3, 0, 0, *places[3], 0, 0, 1, 0)))
    size = HEADERS + len(code)
    segment = struct.pack(order + "IIQQQQQQ", 1, PF_RX, 0, BASE, BASE, size, size, BASE) if wide else \
        struct.pack(order + "IIIIIIII", 1, 0, BASE, BASE, size, size, PF_RX, BASE)
    length = 64 if wide else 52
    header = struct.pack(order + "4sBBB9xHHI", b"\x7fELF", kind, 1 if order == "<" else 2, 1, 2, number, 1)
    header += struct.pack(order + ("QQQ" if wide else "III"), address, length, len(body))
    header += struct.pack(order + "IHHHHHH", flags, length, len(segment), 1, row.size, 5, 4)
    body[:length + len(segment)] = header + segment
    path.write_bytes(body + sections)
    path.chmod(0o755)
