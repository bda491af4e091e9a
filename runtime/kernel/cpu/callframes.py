"""Call frame information: how the caller's registers are found, from a program's .eh_frame.

The format is that of the Linux Standard Base, chapter "Exception Frames", and of DWARF 5, sections
6.4 (call frames) and 2.5 (expressions).  Everything is read through a `read(address, size)` function,
in one process's memory as its program sees it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable

from dif.records import Record, field

Read = Callable[[int, int], bytes]

# pointer encodings (DW_EH_PE_*)
OMIT, INDIRECT = 0xFF, 0x80
_FORMATS = {0x0: (0, False), 0x2: (2, False), 0x3: (4, False), 0x4: (8, False),
            0xA: (2, True), 0xB: (4, True), 0xC: (8, True)}  # size (0: an address's), signed
ULEB, SLEB = 0x1, 0x9
PC_RELATIVE, DATA_RELATIVE = 0x10, 0x30
MAX_LENGTH = 1 << 16  # of one entry, bytes
MAX_STEPS = 1000  # of an expression


class BadFrame(Exception):
    """The information is missing, damaged, or of a kind that unwinding does not need."""


class Cursor:
    """A position in memory, with `word` bytes to an address."""

    def __init__(self, read: Read, at: int, word: int) -> None:
        self.read = read
        self.at = at
        self.word = word

    def number(self, size: int, signed: bool = False) -> int:
        value = int.from_bytes(self.read(self.at, size), "little", signed=signed)
        self.at += size
        return value

    def leb(self, signed: bool = False) -> int:
        value = shift = 0
        while True:
            byte = self.number(1)
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                break
            if shift > 70:
                raise BadFrame
        return value - (1 << shift) if signed and byte & 0x40 else value

    def pointer(self, encoding: int, data: int = 0) -> int:
        """Read an encoded pointer; `data` is the base of data-relative ones."""
        start = self.at
        if encoding & 0xF in (ULEB, SLEB):
            value = self.leb(encoding & 0xF == SLEB)
        elif encoding & 0xF in _FORMATS:
            size, signed = _FORMATS[encoding & 0xF]
            value = self.number(size or self.word, signed)
        else:
            raise BadFrame
        if encoding & 0x70 == PC_RELATIVE:
            value += start
        elif encoding & 0x70 == DATA_RELATIVE:
            value += data
        elif encoding & 0x70:
            raise BadFrame
        value &= (1 << 8 * self.word) - 1
        if encoding & INDIRECT:
            value = Cursor(self.read, value, self.word).number(self.word)
        return value


class Row(Record):
    """The rules by which the caller's registers are found at one place.

    `cfa` is (register, offset), or else there is an expression; `registers` maps a DWARF register to
    ("offset" from the CFA, "value" at offset from it, "register", "expression", "value expression"), the
    number that belongs to it, and the bytes of an expression.
    """

    cfa: tuple[int, int] | None = None
    cfa_expression: bytes | None = None
    registers: dict[int, tuple[str, int, bytes]] = field(default_factory=dict)

    def copy(self) -> Row:
        return Row(self.cfa, self.cfa_expression, dict(self.registers))


class Common(Record):
    """A common information entry (CIE): what the functions that refer to it share."""

    code_align: int
    data_align: int
    return_register: int
    encoding: int
    augmented: bool
    signal: bool
    program: tuple[int, int]


def load_bias(loads: Iterable[tuple[int, int]], beginning: int, address: int) -> int | None:
    """Return what to add to the addresses of a file, in an area that shows it at `address`; None if unknown.

    `loads` are the file offset and the address of each segment; the file's beginning would be at `beginning`.
    Small programs have their first pages mapped twice, as data and as code: the last segment that begins at
    or below `address` in the file is what the area shows.
    """
    load = max((each for each in loads if each[0] <= address - beginning), default=None)
    return None if load is None else beginning + load[0] - load[1]


def find_entry(read: Read, header: int, pc: int, word: int) -> int | None:
    """Return the address of the frame description entry (FDE) for `pc`, by the table at `header`."""
    cursor = Cursor(read, header, word)
    if cursor.number(1) != 1:
        raise BadFrame
    frame_encoding, count_encoding, table_encoding = (cursor.number(1) for _ in range(3))
    cursor.pointer(frame_encoding, header)
    if count_encoding == OMIT or table_encoding != DATA_RELATIVE | 0xB:
        raise BadFrame
    count = cursor.pointer(count_encoding, header)
    table, low, high = cursor.at, 0, count
    mask = (1 << 8 * word) - 1

    def entry(index: int) -> tuple[int, int]:
        place = Cursor(read, table + 8 * index, word)
        return (place.number(4, True) + header) & mask, (place.number(4, True) + header) & mask

    while low < high:
        middle = (low + high) // 2
        if entry(middle)[0] <= pc:
            low = middle + 1
        else:
            high = middle
    return entry(low - 1)[1] if low else None


def extent(read: Read, entry: int, word: int) -> tuple[int, int]:
    """Return the address and the size of the code that the FDE at `entry` describes."""
    return _opened(read, entry, word, False)[3:]


def _opened(read: Read, entry: int, word: int, is_debug: bool) -> tuple[Cursor, int, Common, int, int]:
    """Open an FDE; returns a cursor behind its range, its end, its CIE, the range's start and size."""
    cursor = Cursor(read, entry, word)
    length = cursor.number(4)
    if not 0 < length < MAX_LENGTH:
        raise BadFrame
    here = cursor.at
    end, owner = here + length, cursor.number(4)
    common = common_entry(read, owner if is_debug else here - owner, word)
    start = cursor.pointer(common.encoding)
    return cursor, end, common, start, cursor.pointer(common.encoding & 0xF)


def rules(read: Read, entry: int, pc: int, word: int, is_debug: bool = False) -> tuple[Row, Common] | None:
    """Return the row of the FDE at `entry` that holds at `pc`; None if `pc` is not in its range.

    In .debug_frame, which begins at address 0, an entry names its CIE by address, else by distance.
    """
    cursor, end, common, start, span = _opened(read, entry, word, is_debug)
    if not start <= pc < start + span:
        return None
    if common.augmented:
        cursor.at += cursor.leb()
    machine = _Machine(read, common, word)
    machine.run(*common.program, 0, 1 << 64)
    machine.initial = machine.row.copy()
    machine.run(cursor.at, end, start, pc)
    return machine.row, common


def common_entry(read: Read, address: int, word: int) -> Common:
    """Return the CIE at `address`.  Raises BadFrame."""
    cursor = Cursor(read, address, word)
    length = cursor.number(4)
    if not 0 < length < MAX_LENGTH:
        raise BadFrame
    end = cursor.at + length
    cursor.number(4)  # the id that makes it a CIE
    version = cursor.number(1)
    augmentation = bytearray()
    while byte := cursor.number(1):
        augmentation.append(byte)
    if version >= 4:
        cursor.number(2)  # sizes of addresses and of segment selectors
    code, data = cursor.leb(), cursor.leb(signed=True)
    return_register = cursor.number(1) if version == 1 else cursor.leb()
    encoding = 0
    if augmentation.startswith(b"z"):
        after = cursor.leb()
        after += cursor.at
        for letter in augmentation[1:]:
            if letter == ord("R"):
                encoding = cursor.number(1)
            elif letter == ord("P"):
                cursor.pointer(cursor.number(1) & ~INDIRECT)
            elif letter == ord("L"):
                cursor.number(1)
        cursor.at = after
    elif augmentation:
        raise BadFrame
    return Common(code, data, return_register, encoding, augmentation.startswith(b"z"), b"S" in augmentation,
                  (cursor.at, end))


class _Machine:
    """Runs the instructions of a CIE and an FDE."""

    def __init__(self, read: Read, common: Common, word: int) -> None:
        self.read, self.common, self.word = read, common, word
        self.row = self.initial = Row()
        self.saved: list[Row] = []

    def run(self, at: int, end: int, location: int, pc: int) -> None:
        """Run the instructions [at, end), from `location` on, up to the row that holds at `pc`."""
        cursor = Cursor(self.read, at, self.word)
        while cursor.at < end:
            opcode = cursor.number(1)
            advance = self._advance(opcode, cursor)
            if advance is None:
                self._step(opcode, cursor)
                continue
            location = advance if opcode == 0x01 else location + advance * self.common.code_align
            if location > pc:
                return

    def _advance(self, opcode: int, cursor: Cursor) -> int | None:
        if opcode >> 6 == 1:
            return opcode & 0x3F
        if opcode in (0x02, 0x03, 0x04):
            return cursor.number(1 << opcode - 2)
        return cursor.pointer(self.common.encoding) if opcode == 0x01 else None

    def _step(self, opcode: int, cursor: Cursor) -> None:
        registers = self.row.registers
        if opcode >> 6 == 2:  # DW_CFA_offset
            registers[opcode & 0x3F] = ("offset", cursor.leb() * self.common.data_align, b"")
        elif opcode >> 6 == 3:  # DW_CFA_restore
            self._restore(opcode & 0x3F)
        elif opcode in _STEPS:
            _STEPS[opcode](self, cursor)
        else:
            raise BadFrame

    def _restore(self, register: int) -> None:
        rule = self.initial.registers.get(register)
        if rule is None:
            self.row.registers.pop(register, None)
        else:
            self.row.registers[register] = rule

    def block(self, cursor: Cursor) -> bytes:
        length = cursor.leb()
        if length > MAX_LENGTH:
            raise BadFrame
        at, cursor.at = cursor.at, cursor.at + length
        return self.read(at, length)

    def rule(self, kind: str, cursor: Cursor, signed: bool) -> None:
        register = cursor.leb()
        self.row.registers[register] = (kind, cursor.leb(signed) * self.common.data_align, b"")

    def expression(self, kind: str, cursor: Cursor) -> None:
        register = cursor.leb()
        self.row.registers[register] = (kind, 0, self.block(cursor))

    def same(self, cursor: Cursor) -> None:
        self.row.registers.pop(cursor.leb(), None)

    def undefined(self, cursor: Cursor) -> None:
        self.row.registers[cursor.leb()] = ("undefined", 0, b"")

    def register(self, cursor: Cursor) -> None:
        register = cursor.leb()
        self.row.registers[register] = ("register", cursor.leb(), b"")

    def arguments_size(self, cursor: Cursor) -> None:
        """DW_CFA_GNU_args_size: of no interest to an unwinder."""
        cursor.leb()

    def remember(self, _cursor: Cursor) -> None:
        self.saved.append(self.row.copy())

    def recall(self, _cursor: Cursor) -> None:
        if not self.saved:
            raise BadFrame
        self.row = self.saved.pop()

    def define(self, cursor: Cursor, factor: int = 1, signed: bool = False) -> None:
        register = cursor.leb()
        self.row.cfa, self.row.cfa_expression = (register, cursor.leb(signed) * factor), None

    def define_register(self, cursor: Cursor) -> None:
        self.row.cfa = (cursor.leb(), self.row.cfa[1] if self.row.cfa else 0)

    def define_offset(self, cursor: Cursor, factor: int = 1, signed: bool = False) -> None:
        if self.row.cfa is None:
            raise BadFrame
        self.row.cfa = (self.row.cfa[0], cursor.leb(signed) * factor)

    def define_expression(self, cursor: Cursor) -> None:
        self.row.cfa_expression = self.block(cursor)


_STEPS: dict[int, Callable[[_Machine, Cursor], None]] = {
    0x00: lambda machine, cursor: None,
    0x05: lambda machine, cursor: machine.rule("offset", cursor, False),
    0x06: lambda machine, cursor: machine._restore(cursor.leb()),
    0x07: _Machine.undefined,
    0x08: _Machine.same,
    0x09: _Machine.register,
    0x0A: _Machine.remember,
    0x0B: _Machine.recall,
    0x0C: _Machine.define,
    0x0D: _Machine.define_register,
    0x0E: _Machine.define_offset,
    0x0F: _Machine.define_expression,
    0x10: lambda machine, cursor: machine.expression("expression", cursor),
    0x11: lambda machine, cursor: machine.rule("offset", cursor, True),
    0x12: lambda machine, cursor: machine.define(cursor, machine.common.data_align, True),
    0x13: lambda machine, cursor: machine.define_offset(cursor, machine.common.data_align, True),
    0x14: lambda machine, cursor: machine.rule("value", cursor, False),
    0x15: lambda machine, cursor: machine.rule("value", cursor, True),
    0x16: lambda machine, cursor: machine.expression("value expression", cursor),
    0x2C: lambda machine, cursor: None,  # DW_CFA_AARCH64_negate_ra_state_with_pc: signatures are dropped
    0x2D: lambda machine, cursor: None,  # DW_CFA_AARCH64_negate_ra_state
    0x2E: _Machine.arguments_size,
}


_UNARY = {0x06: "deref", 0x1F: "neg", 0x20: "not"}
_BINARY: dict[int, Callable[[int, int], int]] = {
    0x1A: lambda a, b: a & b, 0x1C: lambda a, b: a - b, 0x1E: lambda a, b: a * b, 0x21: lambda a, b: a | b,
    0x22: lambda a, b: a + b, 0x24: lambda a, b: a << min(b, 64), 0x25: lambda a, b: a >> min(b, 64),
    0x27: lambda a, b: a ^ b,
}
_SIGNED: dict[int, Callable[[int, int], bool]] = {
    0x29: operator.eq, 0x2A: operator.ge, 0x2B: operator.gt, 0x2C: operator.le, 0x2D: operator.lt,
    0x2E: operator.ne,
}
_CONSTANTS = {0x08: (1, False), 0x09: (1, True), 0x0A: (2, False), 0x0B: (2, True), 0x0C: (4, False),
              0x0D: (4, True), 0x0E: (8, False), 0x0F: (8, True)}


class Frame:
    """One frame of a stack: its registers by DWARF number, and its program counter."""

    def __init__(self, registers: dict[int, int], pc: int, interrupted: bool) -> None:
        self.registers = registers
        self.pc = pc
        self.interrupted = interrupted  # pc is the next instruction itself, not what follows a call


def recovered(read: Read, row: Row, registers: dict[int, int], stack: int, word: int,
              own: dict[int, int] | None = None) -> dict[int, int]:
    """Return the caller's registers, as far as they are known, by number.

    `stack` is the number of the stack pointer.  `own` are columns that rules may use and the caller does
    not inherit.  Raises BadFrame, MemoryFault.
    """
    mask = (1 << 8 * word) - 1
    old = registers | own if own else registers
    if row.cfa_expression is not None:
        cfa = evaluate(read, row.cfa_expression, old, word)
    elif row.cfa is not None and row.cfa[0] in old:
        cfa = (old[row.cfa[0]] + row.cfa[1]) & mask
    else:
        raise BadFrame
    found = registers | {stack: cfa}
    for register, (kind, value, block) in row.registers.items():
        each = _recover(read, kind, value, block, cfa, old, word)
        if each is None:
            found.pop(register, None)
        else:
            found[register] = each & mask
    return found


def _recover(read: Read, kind: str, value: int, block: bytes, cfa: int, old: dict[int, int],
             word: int) -> int | None:
    """Return a register of the caller; None if it is not known."""
    if kind == "offset":
        return int.from_bytes(read((cfa + value) & (1 << 8 * word) - 1, word), "little")
    if kind == "value":
        return cfa + value
    if kind == "register":
        return old.get(value)
    if kind == "undefined":
        return None
    address = evaluate(read, block, old, word, cfa)
    return address if kind == "value expression" else int.from_bytes(read(address, word), "little")


def evaluate(read: Read, block: bytes, registers: dict[int, int], word: int,
             first: int | None = None) -> int:
    """Return the value of a DWARF expression, whose stack begins with `first`."""
    cursor, end = Cursor(lambda at, size: block[at:at + size], 0, word), len(block)
    mask = (1 << 8 * word) - 1
    stack = [] if first is None else [first]
    for _ in range(MAX_STEPS):
        if cursor.at >= end:
            break
        opcode = cursor.number(1)
        try:
            _operate(opcode, cursor, stack, registers, read, word)
        except (IndexError, KeyError):
            raise BadFrame from None
        if stack:
            stack[-1] &= mask
    if not stack:
        raise BadFrame
    return stack[-1]


def _operate(opcode: int, cursor: Cursor, stack: list[int], registers: dict[int, int], read: Read,
             word: int) -> None:
    if 0x30 <= opcode <= 0x4F:  # DW_OP_lit*
        stack.append(opcode - 0x30)
    elif 0x70 <= opcode <= 0x8F:  # DW_OP_breg*
        stack.append(registers[opcode - 0x70] + cursor.leb(signed=True))
    elif opcode in _CONSTANTS:
        stack.append(cursor.number(*_CONSTANTS[opcode]))
    elif opcode in (0x10, 0x11):  # DW_OP_constu, DW_OP_consts
        stack.append(cursor.leb(opcode == 0x11))
    elif opcode in _BINARY:
        right, left = stack.pop(), stack.pop()
        stack.append(_BINARY[opcode](left, right))
    elif opcode in _SIGNED:
        sign = 1 << 8 * word - 1
        right, left = ((stack.pop() ^ sign) - sign for _ in range(2))
        stack.append(_SIGNED[opcode](left, right))
    elif opcode == 0x23:  # DW_OP_plus_uconst
        stack[-1] += cursor.leb()
    elif opcode in _UNARY:
        value = stack.pop()
        stack.append({"deref": lambda: int.from_bytes(read(value, word), "little"),
                      "neg": lambda: -value, "not": lambda: ~value}[_UNARY[opcode]]())
    elif opcode == 0x12:  # DW_OP_dup
        stack.append(stack[-1])
    elif opcode == 0x16:  # DW_OP_swap
        stack[-1], stack[-2] = stack[-2], stack[-1]
    elif opcode != 0x96:  # DW_OP_nop
        raise BadFrame
