"""Call frame information, piece by piece: pointers, expressions, every instruction, as DWARF 5 has them."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.cpu.callframes import (
    BadFrame,
    Common,
    Cursor,
    Read,
    Row,
    _Machine,
    common_entry,
    evaluate,
    extent,
    find_entry,
    load_bias,
    recovered,
    rules,
)
from runtime.kernel.cpu.emulator import read_at, search_pointers
from runtime.kernel.cpu.frametables import frame_tables
from runtime.kernel.cpu.sectionheaders import section_headers

BASE = 0x5000


def at(data: bytes, base: int = BASE) -> Read:
    """Read these bytes, which begin at `base`."""
    def read(address: int, size: int) -> bytes:
        if not base <= address <= address + size <= base + len(data):
            raise MemoryFault(address)
        return data[address - base:address - base + size]
    return read


def uleb(value: int) -> bytes:
    out = bytearray()
    while True:
        value, low = value >> 7, value & 0x7F
        out.append(low | (0x80 if value else 0))
        if not value:
            return bytes(out)


def sleb(value: int) -> bytes:
    out = bytearray()
    while True:
        low, value = value & 0x7F, value >> 7
        done = (value == 0 and not low & 0x40) or (value == -1 and low & 0x40)
        out.append(low | (0 if done else 0x80))
        if done:
            return bytes(out)


def test_numbers_of_any_length() -> None:
    draw = random.Random(1)
    for _ in range(500):
        value = draw.getrandbits(draw.randrange(1, 64))
        signed = value if draw.random() < 0.5 else -value
        for encoded, number, is_signed in ((uleb(value), value, False), (sleb(signed), signed, True)):
            cursor = Cursor(at(encoded + b"\x7f"), BASE, 8)
            assert (cursor.leb(is_signed), cursor.at) == (number, BASE + len(encoded))
    with pytest.raises(BadFrame):
        Cursor(at(b"\xff" * 30), BASE, 8).leb()


@pytest.mark.parametrize(("encoding", "data", "word", "expected"), [
    (0x00, b"\1\2\3\4\5\6\7\x08", 8, 0x0807060504030201), (0x00, b"\1\2\3\4", 4, 0x04030201),
    (0x02, b"\xfe\xff", 8, 0xFFFE), (0x0A, b"\xfe\xff", 8, (1 << 64) - 2),
    (0x0A, b"\xfe\xff", 4, (1 << 32) - 2),
    (0x03, b"\xfc\xff\xff\xff", 8, 0xFFFFFFFC), (0x0B, b"\xfc\xff\xff\xff", 8, (1 << 64) - 4),
    (0x04, b"\xff" * 8, 8, (1 << 64) - 1), (0x0C, b"\xff" * 8, 8, (1 << 64) - 1),
    (0x01, b"\xc0\x00", 8, 0x40), (0x01, b"\x40", 8, 0x40), (0x09, b"\x40", 8, (1 << 64) - 0x40),
    (0x1B, b"\x10\0\0\0", 8, BASE + 0x10), (0x1B, b"\xf0\xff\xff\xff", 8, BASE - 0x10),
    (0x3B, b"\x10\0\0\0", 8, 0x9010), (0x33, b"\xf0\xff\xff\xff", 4, 0x8FF0), (0x12, b"\2\0", 4, BASE + 2),
    (0x9B, b"\4\0\0\0\x78\x56\x34\x12\0\0\0\0", 8, 0x12345678),
    (0x9B, b"\4\0\0\0\x78\x56\x34\x12", 4, 0x12345678),
    *((encoding, bytes(8), 8, None) for encoding in (0x05, 0x06, 0x08, 0x0D, 0x20, 0x43, 0x50, 0x70))])
def test_pointers(encoding: int, data: bytes, word: int, expected: int | None) -> None:
    """Each form, from where it counts, and what it leads to; None: there is no such encoding."""
    cursor = Cursor(at(data), BASE, word)
    if expected is None:
        with pytest.raises(BadFrame):
            cursor.pointer(encoding, 0x9000)
    else:
        assert cursor.pointer(encoding, 0x9000) == expected


OPERATIONS: dict[int, tuple[int, Callable[..., int]]] = {  # how many values each takes; all are signed
    0x1A: (2, lambda a, b: a & b), 0x1C: (2, lambda a, b: a - b), 0x1E: (2, lambda a, b: a * b),
    0x21: (2, lambda a, b: a | b), 0x22: (2, lambda a, b: a + b), 0x27: (2, lambda a, b: a ^ b),
    0x29: (2, lambda a, b: a == b), 0x2A: (2, lambda a, b: a >= b), 0x2B: (2, lambda a, b: a > b),
    0x2C: (2, lambda a, b: a <= b), 0x2D: (2, lambda a, b: a < b), 0x2E: (2, lambda a, b: a != b),
    0x1F: (1, lambda a: -a), 0x20: (1, lambda a: ~a), 0x96: (0, int)}
NUMBERS = {0x08: "<B", 0x09: "<b", 0x0A: "<H", 0x0B: "<h", 0x0C: "<I", 0x0D: "<i", 0x0E: "<Q", 0x0F: "<q"}


def wrapped(value: int, word: int) -> int:
    sign = 1 << 8 * word - 1
    return (value & 2 * sign - 1 ^ sign) - sign


def pushed(draw: random.Random, registers: dict[int, int]) -> tuple[bytes, int]:
    """An operation that pushes a value, and the value."""
    kind = draw.randrange(5)
    if kind == 0:
        number = draw.randrange(32)
        return bytes((0x30 + number,)), number
    if kind == 1:
        code = draw.choice(list(NUMBERS))
        data = draw.randbytes(struct.calcsize(NUMBERS[code]))
        return bytes((code,)) + data, int(struct.unpack(NUMBERS[code], data)[0])
    number = draw.randrange(-1 << 40, 1 << 40)
    if kind == 2:
        return b"\x10" + uleb(abs(number)), abs(number)
    if kind == 3:
        return b"\x11" + sleb(number), number
    register = draw.choice(list(registers))
    return bytes((0x70 + register,)) + sleb(number), registers[register] + number


@pytest.mark.parametrize("word", [4, 8])
def test_random_expressions(word: int) -> None:
    draw = random.Random(word)
    registers = {number: draw.getrandbits(8 * word) for number in (0, 5, 16, 31)}
    for _ in range(400):
        first = draw.getrandbits(8 * word)
        block, stack = b"", [wrapped(first, word)]
        for _ in range(draw.randrange(1, 14)):
            code = draw.choice([*OPERATIONS, 0x12, 0x16, 0x23, 0x24, 0x25])
            needs = OPERATIONS[code][0] if code in OPERATIONS else {0x12: 1, 0x23: 1}.get(code, 2)
            if len(stack) < needs or draw.random() < 0.4:
                more, value = pushed(draw, registers)
                stack.append(value)
            elif code == 0x12:
                more, _ = b"\x12", stack.append(stack[-1])
            elif code == 0x16:
                more, stack[-2:] = b"\x16", stack[:-3:-1]
            elif code == 0x23:
                more, stack[-1] = b"\x23\x85\x01", stack[-1] + 0x85
            elif code in (0x24, 0x25):  # by a number of bits that makes sense
                by = draw.randrange(8 * word)
                more, value = bytes((0x08, by, code)), stack.pop() & (1 << 8 * word) - 1
                stack.append(value << by if code == 0x24 else value >> by)
            else:
                taken = stack[len(stack) - needs:]
                more = bytes((code,))
                if needs:
                    stack[-needs:] = [int(OPERATIONS[code][1](*taken))]
            block += more
            stack[-1] = wrapped(stack[-1], word)
        found = evaluate(at(b""), block, registers, word, first)
        assert wrapped(found, word) == stack[-1] and 0 <= found < 1 << 8 * word, block.hex()


def test_expressions_that_read_memory() -> None:
    read = at(struct.pack("<QQ", BASE + 8, 77))
    assert evaluate(read, b"\x06", {}, 8, BASE) == BASE + 8
    assert evaluate(read, b"\x06\x06", {}, 8, BASE) == 77
    assert evaluate(read, b"\x70\x08\x06", {0: BASE}, 8) == 77
    assert evaluate(read, b"\x38\x22\x06", {}, 4, BASE) == 77
    with pytest.raises(MemoryFault):
        evaluate(read, b"\x06", {}, 8, BASE + 16)


@pytest.mark.parametrize("block", [
    b"", b"\x96", b"\x22", b"\x31\x22", b"\x31\x16", b"\x12", b"\x06", b"\x23\x01", b"\x71\x00", b"\x31\xff",
    b"\x31\x13\x22", b"\x31\x28\x00\x00"])
def test_expressions_without_a_value(block: bytes) -> None:
    """Of nothing, of too little, of a register that is not known, or of an operation that is not."""
    with pytest.raises(BadFrame):
        evaluate(at(b""), block, {0: 1}, 8)


EARLIER = Row((7, 8), None, {3: ("offset", -16, b""), 6: ("register", 5, b"")})
STEPS = {  # instructions, and what changes from EARLIER: the CFA, its expression, registers
    b"\x00": {}, b"\x83\x02": {3: ("offset", -16, b"")}, b"\x86\x03": {6: ("offset", -24, b"")},
    b"\x05\x46\x04": {70: ("offset", -32, b"")}, b"\x11\x06\x7f": {6: ("offset", 8, b"")},
    b"\x14\x06\x02": {6: ("value", -16, b"")}, b"\x15\x06\x7e": {6: ("value", 16, b"")},
    b"\x07\x03": {3: ("undefined", 0, b"")}, b"\x08\x03": {3: None}, b"\x08\x09": {},
    b"\x09\x03\x0c": {3: ("register", 12, b"")}, b"\xc3": {3: ("offset", -8, b"")}, b"\xc6": {6: None},
    b"\x06\x03": {3: ("offset", -8, b"")}, b"\x06\x06": {6: None},
    b"\x10\x06\x02\x76\x00": {6: ("expression", 0, b"\x76\x00")},
    b"\x16\x06\x01\x31": {6: ("value expression", 0, b"\x31")},
    b"\x0c\x06\x10": {"cfa": (6, 16)}, b"\x12\x06\x7e": {"cfa": (6, 16)}, b"\x0d\x05": {"cfa": (5, 8)},
    b"\x0e\x20": {"cfa": (7, 32)}, b"\x13\x7d": {"cfa": (7, 24)}, b"\x0f\x02\x77\x08": {"block": b"\x77\x08"},
    b"\x0f\x01\x31\x0c\x06\x10": {"cfa": (6, 16)},
    b"\x2e\x85\x01\x83\x01": {3: ("offset", -8, b"")}, b"\x2d\x83\x01": {3: ("offset", -8, b"")},
    b"\x2c\x83\x01": {3: ("offset", -8, b"")},
    b"\x0a\x83\x05\x0c\x01\x02\x0b": {}, b"\x0a\x0a\x83\x05\x0b\x83\x06\x0b": {}}


def machine(data: bytes) -> _Machine:
    common = Common(4, -8, 16, 0x1B, True, False, (0, 0))
    made = _Machine(at(data), common, 8)
    made.row, made.initial = EARLIER.copy(), Row(None, None, {3: ("offset", -8, b"")})
    return made


@pytest.mark.parametrize("step", STEPS, ids=bytes.hex)
def test_every_instruction(step: bytes) -> None:
    made = machine(step)
    made.run(BASE, BASE + len(step), 0, 0)
    changed = dict(STEPS[step])
    assert made.row.cfa == changed.pop("cfa", EARLIER.cfa)
    assert made.row.cfa_expression == changed.pop("block", None)
    assert made.row.registers == {number: rule for number, rule in {**EARLIER.registers, **changed}.items()
                                  if rule is not None}


@pytest.mark.parametrize("step", [
    b"\x0b", b"\x1f", b"\x3f", b"\x17", b"\x10\x06\x80\x80\x08", b"\x0a\x0b\x0b"], ids=bytes.hex)
def test_instructions_that_are_none(step: bytes) -> None:
    made = machine(step + bytes(9))
    with pytest.raises(BadFrame):
        made.run(BASE, BASE + len(step), 0, 0)


@pytest.mark.parametrize(("advance", "distance"), [
    (b"\x41", 4), (b"\x7f", 252), (b"\x02\xff", 1020), (b"\x03\x00\x01", 1024),
    (b"\x04\x00\x00\x01\x00", 1 << 18)])
def test_where_a_row_begins(advance: bytes, distance: int) -> None:
    """What stands behind an advance holds from there on: not before."""
    program = advance + b"\x0e\x20"
    for pc, offset in ((0x1000, 8), (0x1000 + distance - 1, 8), (0x1000 + distance, 32), (1 << 40, 32)):
        made = machine(program)
        made.run(BASE, BASE + len(program), 0x1000, pc)
        assert made.row.cfa == (7, offset)


@pytest.mark.parametrize("length", [0, 1, 1 << 16, (1 << 16) + 1])
def test_lengths_of_expressions(length: int) -> None:
    program = b"\x0f" + uleb(length) + b"\x30" * length  # DW_CFA_def_cfa_expression
    made = machine(program)
    if length > 1 << 16:
        with pytest.raises(BadFrame):
            made.run(BASE, BASE + len(program), 0, 1)
    else:
        made.run(BASE, BASE + len(program), 0, 1)
        assert made.row.cfa_expression == b"\x30" * length


def test_a_row_at_an_address() -> None:
    program = b"\x01\x10\0\0\0\x0e\x20"  # 16 from the pointer, which stands 1 behind the beginning
    for pc, offset in ((BASE + 16, 8), (BASE + 17, 32)):
        made = machine(program)
        made.run(BASE, BASE + len(program), 0, pc)
        assert made.row.cfa == (7, offset)


def entries(augmentation: bytes = b"zR\0", version: int = 1, head: bytes = b"", letters: bytes = b"\x01\x1b",
            more: bytes = b"\x00") -> bytes:
    """A CIE and an FDE of 0x40 bytes of code from 0x100 behind it."""
    aligned, program = b"\x01\x78\x10", b"\x0c\x07\x08\x90\x01"  # and the return register
    body = bytes(4) + bytes((version,)) + augmentation + head + aligned + letters + program
    common = struct.pack("<I", len(body)) + body
    own = struct.pack("<I", len(common) + 4) + struct.pack("<iI", 0x100, 0x40) + more + b"\x41\x0e\x10"
    return common + struct.pack("<I", len(own)) + own + bytes(4)


@pytest.mark.parametrize(("augmentation", "version", "head", "letters", "signal"), [
    (b"zR\0", 1, b"", b"\x01\x1b", False), (b"zRS\0", 1, b"", b"\x01\x1b", True),
    (b"zR\0", 3, b"", b"\x01\x1b", False),
    (b"zR\0", 4, b"\x08\0", b"\x01\x1b", False), (b"zPLR\0", 1, b"", b"\x07\x9b\1\2\3\4\x1b\x1b", False),
    (b"zRB\0", 1, b"", b"\x01\x1b", False), (b"zR\0", 1, b"", b"\x03\x1b\xff\xff", False)])
def test_common_entries(augmentation: bytes, version: int, head: bytes, letters: bytes, signal: bool) -> None:
    """What an augmentation says is read as far as it matters, and the rest is passed over."""
    data = entries(augmentation, version, head, letters)
    read = at(data)
    common = common_entry(read, BASE, 8)
    assert (common.code_align, common.data_align, common.return_register, common.encoding, common.augmented,
            common.signal) == (1, -8, 16, 0x1B, True, signal)
    entry = BASE + 4 + struct.unpack("<I", data[:4])[0]
    start = entry + 8 + 0x100
    assert extent(read, entry, 8) == (start, 0x40)
    for pc, cfa in ((start, (7, 8)), (start + 1, (7, 16)), (start + 0x3F, (7, 16))):
        found = rules(read, entry, pc, 8)
        assert found is not None and found[0].cfa == cfa
        assert found[0].registers == {16: ("offset", -8, b"")}
    assert rules(read, entry, start - 1, 8) is rules(read, entry, start + 0x40, 8) is None


@pytest.mark.parametrize("data", [
    bytes(40), b"\xff\xff\xff\xff" + bytes(40), struct.pack("<I", 1 << 16) + bytes(40),
    entries(b"eh\0"), entries(b"zR\0", letters=b"\x01\x4d")])
def test_entries_that_are_none(data: bytes) -> None:
    with pytest.raises((BadFrame, MemoryFault)):
        entry = BASE + 4 + struct.unpack("<I", data[:4])[0] if data[0] not in (0, 255) else BASE
        rules(at(data), entry, 0, 8)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 8])
def test_a_table_of_functions(count: int) -> None:
    """The last that begins at or before an address; none before the first, nor of another encoding."""
    starts = [0x100 * (number + 1) for number in range(count)]
    rows = b"".join(struct.pack("<ii", start, -start) for start in starts)
    table = b"\x01\x1b\x03\x3b" + bytes(4) + struct.pack("<I", count) + rows
    for pc in range(0x80, 0x100 * (count + 2), 0x7F):
        below = [start for start in starts if start <= pc]
        assert find_entry(at(table), BASE, BASE + pc, 8) == (BASE - below[-1] if below else None)
    for place, byte in ((0, 2), (2, 0xFF), (3, 0x1B)):
        broken = bytearray(table)
        broken[place] = byte
        with pytest.raises(BadFrame):
            find_entry(at(bytes(broken)), BASE, BASE, 8)


@pytest.mark.parametrize(("rule", "value"), [
    (("offset", -16, b""), 0x1111), (("value", -16, b""), 0x7F0), (("register", 5, b""), 50),
    (("register", 9, b""), None), (("undefined", 0, b""), None), (("expression", 0, b"\x23\x08"), 0x3333),
    (("value expression", 0, b"\x23\x08"), 0x808)])
def test_registers_of_the_caller(rule: tuple[str, int, bytes], value: int | None) -> None:
    memory = at(struct.pack("<4Q", 0x1111, 0x2222, 0, 0x3333), 0x7F0)
    before = {3: 30, 5: 50, 7: 0x7F8}
    expected = {3: 30, 5: 50, 7: 0x800} | ({} if value is None else {3: value})
    if value is None:
        del expected[3]
    for row in (Row((7, 8), None, {3: rule}), Row((1, 99), b"\x77\x08", {3: rule})):
        assert recovered(memory, row, before, 7, 8) == expected
    for row in (Row(), Row((9, 0))):
        with pytest.raises(BadFrame):
            recovered(memory, row, before, 7, 8)


@pytest.mark.parametrize(("loads", "address", "bias"), [
    ([(0, 0)], 0x5000, 0x5000), ([(0, 0x400000)], 0x5000, 0x5000 - 0x400000), ([], 0x5000, None),
    ([(0x2000, 0)], 0x5000, None), ([(0, 0), (0x1000, 0x3000)], 0x5FFF, 0x5000),
    ([(0, 0), (0x1000, 0x3000)], 0x6000, 0x3000), ([(0, 0), (0x1000, 0x3000)], 0x9000, 0x3000)])
def test_by_how_much_a_file_has_moved(loads: list[tuple[int, int]], address: int, bias: int | None) -> None:
    assert load_bias(loads, 0x5000, address) == bias


# -- sections with entries ------------------------------------------------------------------------------

def file_with(bits: int, order: str, sections: dict[bytes, tuple[int, int, bytes]]) -> bytes:
    """An ELF file with these sections: flags, address, contents; their names are in the last."""
    names = b"\0" + b"\0".join(sections) + b"\0.shstrtab\0"
    size = 64 if bits == 64 else 52
    body, headers = b"", [bytes(64 if bits == 64 else 40)]
    for name, (flags, address, data) in {**sections, b".shstrtab": (0, 0, names)}.items():
        word = "Q" if bits == 64 else "I"
        headers.append(struct.pack(f"{order}II{word}{word}{word}{word}", names.index(name), 1, flags, address,
                                   size + len(body), len(data)).ljust(len(headers[0]), b"\0"))
        body += data
    start = size + len(body)
    elf = bytearray(size)
    struct.pack_into(f"{order}{'Q' if bits == 64 else 'I'}", elf, 40 if bits == 64 else 32, start)
    struct.pack_into(f"{order}HH", elf, size - 4, len(headers), len(headers) - 1)
    return bytes(elf) + body + b"".join(headers)


@pytest.mark.parametrize("bits", [64, 32])
@pytest.mark.parametrize("order", ["<", ">"])
def test_sections_of_a_file(bits: int, order: str) -> None:
    data = file_with(bits, order, {b".one": (5, 0x1000, b"first"), b".two": (2, 0x2000, b"second!")})

    def read(offset: int, size: int) -> bytes:
        return data[offset:offset + size]
    headers, names = section_headers(read, bits, order)
    assert names == 3 and len(headers) == 4
    size = 64 if bits == 64 else 52
    assert [tuple(each) for each in headers[1:3]] == [(1, 5, 0x1000, size, 5), (6, 2, 0x2000, size + 5, 7)]
    for cut in (1, 20, len(data) - size):
        kept = data[:-cut]
        with pytest.raises(struct.error):
            section_headers(lambda offset, size, kept=kept: kept[offset:offset + size], bits, order)
    none, place = bytearray(data), 40 if bits == 64 else 32
    none[place:place + bits // 8] = bytes(bits // 8)
    assert section_headers(lambda offset, size: bytes(none[offset:offset + size]), bits, order) == ([], 3)


def frames(bits: int, starts: list[int], is_debug: bool, end: bytes = bytes(4)) -> bytes:
    """A CIE and an FDE of 16 bytes of code from each of the starts on, whose rows differ by their order."""
    word = "Q" if bits == 64 else "I"
    mark, letters = (0xFFFFFFFF, b"\0") if is_debug else (0, b"zR\0")
    align = b"\x01\x78\x10" + (b"" if is_debug else b"\x01\x00")
    body = struct.pack("<IB", mark, 1) + letters + align + b"\x0c\x07\x08"
    data = struct.pack("<I", len(body)) + body
    for number, start in enumerate(starts):
        body = struct.pack(f"<I{word}{word}", 0 if is_debug else len(data) + 4, start, 16)
        body += (b"" if is_debug else b"\0") + b"\x0e" + bytes((16 + number,))
        data += struct.pack("<I", len(body)) + body
    return data + end


@pytest.mark.parametrize("bits", [64, 32])
@pytest.mark.parametrize("is_debug", [False, True])
def test_tables_without_an_index(bits: int, is_debug: bool) -> None:
    """In any order, up to what is damaged; .debug_frame has no address of its own."""
    starts = [0x300, 0x100, 0x200]
    name, other = (b".debug_frame", b".eh_frame") if is_debug else (b".eh_frame", b".debug_frame")

    def tables(contents: bytes, indexed: bool = False, flags: int = 0) -> list[object]:
        data = file_with(bits, "<", {name: (flags, 0x5000, contents), b".text": (6, 0x100, bytes(16))})
        assert other not in data
        return list(frame_tables(lambda offset, size: data[offset:offset + size], bits, indexed))
    table, = tables(frames(bits, starts, is_debug))
    found = {}
    for pc in range(0xF0, 0x320, 8):
        row = table.row(pc)  # type: ignore[attr-defined]
        if row is not None:
            found[pc] = row[0].cfa
    assert found == {at + more: (7, 16 + starts.index(at)) for at in starts for more in (0, 8)}
    assert len(tables(frames(bits, starts, is_debug), True)) == is_debug
    assert tables(frames(bits, starts, is_debug), flags=0x800) == []
    for end in (b"\xff\xff\xff\xff" + bytes(40), struct.pack("<II", 1 << 20, 0x77) + bytes(40), b"\x05\0",
                b""):
        damaged, = tables(frames(bits, starts, is_debug, end))
        assert damaged.row(0x208)[0].cfa == (7, 18)  # type: ignore[attr-defined]
    assert frame_tables(lambda offset, size: b"", bits, False) == []


# -- structures of the engine ----------------------------------------------------------------------------

def test_what_pointers_lead_to(tmp_path: Path) -> None:
    """In a file that stands for this process's memory: structures, and what they point to."""
    at, far = 1 << 16, 3 << 16
    memory = bytearray(1 << 19)
    struct.pack_into("<6Q", memory, at, 0, 5, far + 4, 1 << 60, (1 << 16) - 8, far)
    memory[far + 4096:far + 4100] = b"MARK"
    memory[(1 << 16) - 8:(1 << 16) - 4] = b"MARK"
    path = tmp_path / "memory"
    path.write_bytes(memory)
    with path.open("rb") as file:
        number = file.fileno()
        assert read_at(number, at, 8) == bytes(8) and read_at(number, len(memory) - 3, 8) == bytes(3)
        assert read_at(number, len(memory), 8) == read_at(-1, 0, 8) == b""
        assert search_pointers(number, at, b"MARK") == far + 4096
        assert search_pointers(number, at, b"NONE") is None
