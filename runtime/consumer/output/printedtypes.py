"""print(): a value shown by its type, members and elements on lines of their own."""

from __future__ import annotations

import struct
from collections.abc import Callable

from dc.types.types import Array, Enum, Float, Function, Integer, Pointer, Record, String, Type
from runtime.consumer.events.names import printable

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.consumer.events.symbols import Symbols

_INDENT = "    "
_NATURAL = (1, 2, 4, 8)


def _spelling(type_: Type) -> str:
    """A type's name as CTF spells it: anonymous records have an empty tag, functions no prototype."""
    target = type_.target if isinstance(type_, Pointer) else None
    if target is not None and target.is_function():
        return "int (*)()"
    return str(type_).replace("(anon)", "")


def _character(code: int) -> str:
    if 0x20 <= code < 0x7F:
        return f"'{chr(code)}'"
    return "'\\0'" if code == 0 else f"'\\{code:03o}'"


def _hexadecimal(value: int) -> str:
    return f"{value:#x}" if value else "0"


class TypePrinter:
    """Writes one value.  `symbols` names function pointers."""

    def __init__(self, symbols: Symbols) -> None:
        self._symbols = symbols
        self._out: list[str] = []

    def render(self, type_: Type, data: bytes) -> bytes:
        """`data` holds a value of `type_`, little-endian."""
        self._out = []
        self._member("", type_, 0, data, 0, element=False)
        return "".join(self._out).encode("utf-8", "surrogateescape")

    def _member(self, name: str, type_: Type, offset: int, data: bytes, depth: int, element: bool) -> None:
        """A member, an array element, or the value itself.  `offset` counts bits."""
        base, out = type_.resolve(), self._out
        structured = isinstance(base, Record) and base.members is not None
        if element and not structured:
            self._value(base, offset, data, depth)
            return
        label = printable(_spelling(type_))
        if name:
            label += ("" if label.endswith(("*", " ")) else " ") + printable(name)
            if isinstance(base, Integer) and (base.bits != base.size * 8 or offset % 8):
                label += f" :{base.bits}"
            label += " ="
        out.append(("\n" if element else "") + _INDENT * depth + label + " ")
        if not structured:
            self._value(base, offset, data, depth)
            out.append("\n")
            return
        assert isinstance(base, Record)
        out.append("{\n")
        for member in base.members or ():
            self._member(member.name or "", member.type, offset + member.offset, data, depth + 1, False)
        out.append(_INDENT * depth + "}" + ("\n" if depth and not element else ""))

    def _value(self, base: Type, offset: int, data: bytes, depth: int) -> None:
        writer = _WRITERS.get(type(base))
        self._out.append("<forward decl>" if writer is None else writer(self, base, offset, data, depth))

    def _integer(self, base: Type, offset: int, data: bytes, _depth: int) -> str:
        assert isinstance(base, Integer)
        shift, size = offset % 8, base.bits // 8
        raw = int.from_bytes(data[offset // 8:offset // 8 + (shift + base.bits + 7) // 8], "little")
        value = raw >> shift & (1 << base.bits) - 1
        if base.enum is not None:  # a bit-field
            return self._named(base.enum, value - (value >> base.bits - 1 << base.bits) * base.signed)
        whole = shift == 0 and base.bits % 8 == 0 and size in _NATURAL
        return _character(value) if whole and base.is_text() else _hexadecimal(value)

    def _float(self, base: Type, offset: int, data: bytes, _depth: int) -> str:
        code = {4: "<f", 8: "<d"}.get(base.size)
        if code is None:
            return "<unknown encoding>"
        return f"{struct.unpack_from(code, data, offset // 8)[0]:+.7e}"

    def _pointer(self, base: Type, offset: int, data: bytes, _depth: int) -> str:
        assert isinstance(base, Pointer)
        value = int.from_bytes(data[offset // 8:offset // 8 + base.size], "little")
        symbol = self._symbols.kernel(value) if base.target.is_function() else None
        return printable(f"{symbol.object}`{symbol.name}") if symbol else _hexadecimal(value)

    def _enumeration(self, base: Type, offset: int, data: bytes, _depth: int) -> str:
        assert isinstance(base, Enum)
        return self._named(base, int.from_bytes(data[offset // 8:offset // 8 + base.size], "little",
                                                signed=base.signed))

    @staticmethod
    def _named(enum: Enum, value: int) -> str:
        return printable(enum.name_of(value) or str(value))

    def _text(self, data: bytes, count: int, offset: int) -> str | None:
        """The characters of an array that holds printable text and a NUL."""
        raw = data[offset // 8:offset // 8 + count]
        text, nul, _rest = raw.partition(b"\0")
        return text.decode() if nul and all(0x20 <= c < 0x7F for c in text) else None

    def _string(self, base: Type, offset: int, data: bytes, depth: int) -> str:
        return self._quoted(self._text(data, base.size, offset) or "", depth)

    @staticmethod
    def _quoted(text: str, depth: int) -> str:
        """A string stands alone at the top, in brackets as a member."""
        return f'[ "{text}" ]' if depth else f'"{text}"'

    def _array(self, base: Type, offset: int, data: bytes, depth: int) -> str:
        assert isinstance(base, Array)
        element = base.element.resolve()
        if isinstance(element, Integer) and element.is_text():
            text = self._text(data, base.count, offset)
            if text is not None:
                return self._quoted(text, depth)
        structured = isinstance(element, Record)
        self._out.append("[ ")
        for index in range(base.count):
            self._member("", base.element, offset + index * element.size * 8, data, depth + 1, True)
            if index < base.count - 1:
                self._out.append(", ")
        return "\n" + _INDENT * depth + "]" if structured and base.count else " ]"


_Writer = Callable[[TypePrinter, Type, int, bytes, int], str]
_WRITERS: dict[type[Type], _Writer] = {
    Integer: TypePrinter._integer, Float: TypePrinter._float, Pointer: TypePrinter._pointer,
    Function: TypePrinter._pointer, Enum: TypePrinter._enumeration, String: TypePrinter._string,
    Array: TypePrinter._array,
}
