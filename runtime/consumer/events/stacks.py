"""Stacks and symbols in records as text (stack, ustack, jstack, sym, mod, usym, umod, uaddr)."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from dif.records import Record
from dof.model import ActionKind
from runtime.border import RecDesc
from runtime.consumer.events.errors import AnswerError
from runtime.consumer.events.names import printable_bytes
from runtime.consumer.events.settings import Settings
from runtime.consumer.events.symbols import (
    Mapped,
    Symbol,
    kernel_address,
    kernel_module_name,
    spell,
    user_address,
    user_module_name,
)

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.consumer.events.symbols import Symbols

USER_STACKS = frozenset((ActionKind.USTACK, ActionKind.JSTACK))
STACKS = USER_STACKS | {ActionKind.STACK}
SYMBOLS = frozenset((ActionKind.SYM, ActionKind.MOD, ActionKind.USYM, ActionKind.UMOD, ActionKind.UADDR))
# where signal handlers return to, in C libraries and kernels
TRAMPOLINES = frozenset(("__restore_rt", "__restore", "__kernel_sigreturn", "__kernel_rt_sigreturn"))
_DEFAULT = b"  %-50s"
_UTF8 = "utf-8", "surrogateescape"  # names of files may be in any encoding


class UserFrame(Record, frozen=True):
    """A program counter and, from a ustack helper, a string for it (`@…` annotates the frame)."""

    address: int
    note: bytes = b""


def kernel_frames(record: RecDesc, data: bytes) -> list[int]:
    """Program counters of a stack() record, innermost first."""
    depth = record.arg & 0xFFFFFFFF
    width = record.size // depth if depth else 0
    if width not in (4, 8):
        raise AnswerError("a stack record of a strange size")
    counters = struct.unpack_from(f"<{depth}{'Q' if width == 8 else 'I'}", data)
    return list(counters[:counters.index(0)] if 0 in counters else counters)


def user_frames(record: RecDesc, data: bytes) -> tuple[int, list[UserFrame]]:
    """Process id and frames of a ustack() or jstack() record.

    `arg` is frames in the low half, bytes of string table in the high half; the data are the
    process id, that many program counters, and the strings.
    """
    depth, size = record.arg & 0xFFFFFFFF, record.arg >> 32
    if not depth:
        return 0, []
    if len(data) < 8 * (depth + 1):
        raise AnswerError("a user stack record of a strange size")
    pid, *counters = struct.unpack_from(f"<{depth + 1}Q", data)
    notes = data[8 * (depth + 1):8 * (depth + 1) + size].split(b"\0") if size else []
    frames = []
    for index, address in enumerate(counters):
        if not address:
            break
        frames.append(UserFrame(address, notes[index] if index < len(notes) else b""))
    return pid & 0xFFFFFFFF, frames


def placed(pid: int, frames: list[UserFrame],
           symbols: Symbols) -> Iterator[tuple[UserFrame, Symbol | None, Mapped | None]]:
    """Yield each frame with its symbol or, where that is not known, with its mapping.

    A return address belongs to the function of the call before it, which may be the last thing in that
    function when what is called never returns.
    """
    if not pid:
        yield from ((frame, None, None) for frame in frames)
        return
    returned = False
    for frame in frames:
        symbol = symbols.user(pid, frame.address)
        trampoline = symbol is not None and symbol.name in TRAMPOLINES
        if returned and not trampoline:
            symbol = symbols.user(pid, frame.address - 1)
        yield frame, symbol, None if symbol else symbols.user_mapping(pid, frame.address - returned)
        returned = not trampoline


def _user_lines(pid: int, frames: list[UserFrame], symbols: Symbols) -> Iterator[bytes]:
    for frame, symbol, mapped in placed(pid, frames, symbols):
        note, annotation = frame.note, frame.note.startswith(b"@")
        # A helper may name any address.  It is believed only in writable memory, where its own code lies.
        if note and not annotation and pid and symbol is None and (mapped is None or mapped.writable):
            yield printable_bytes(note)
            continue
        yield spell(symbol, mapped, frame.address, True).encode(*_UTF8)
        if annotation:
            yield b"  [ %s ]" % printable_bytes(note[1:])


def stack_lines(record: RecDesc, data: bytes, symbols: Symbols) -> list[bytes]:
    """One line a frame, innermost first."""
    if record.action == ActionKind.STACK:
        return [kernel_address(symbols, address).encode(*_UTF8) for address in kernel_frames(record, data)]
    return list(_user_lines(*user_frames(record, data), symbols))


def stack(record: RecDesc, data: bytes, settings: Settings, indent: int | None = None,
          form: bytes = b"%s") -> bytes:
    """A stack as text: a newline, then indented lines.  `form` formats each frame."""
    if record.action != ActionKind.STACK and not record.arg & 0xFFFFFFFF:
        return b""
    margin = b" " * (settings.stack_indent if indent is None else indent)
    lines = [margin + form % line + b"\n" for line in stack_lines(record, data, settings.symbols)]
    return b"\n" + b"".join(lines)


def module(record: RecDesc, data: bytes, settings: Settings) -> bytes:
    """The module's or object's name of a mod() or umod() record."""
    if record.action == ActionKind.MOD:
        return kernel_module_name(settings.symbols, struct.unpack_from("<Q", data)[0]).encode(*_UTF8)
    pid, address = struct.unpack_from("<QQ", data)
    return user_module_name(settings.symbols, pid, address).encode(*_UTF8)


def name(record: RecDesc, data: bytes, settings: Settings) -> bytes:
    """The name that a record of one of the SYMBOLS actions stands for."""
    symbols = settings.symbols
    if record.action in (ActionKind.MOD, ActionKind.UMOD):
        return module(record, data, settings)
    if record.action == ActionKind.SYM:
        return kernel_address(symbols, struct.unpack_from("<Q", data)[0], offset=False).encode(*_UTF8)
    pid, address = struct.unpack_from("<QQ", data)
    return user_address(symbols, pid, address, offset=record.action == ActionKind.UADDR).encode(*_UTF8)


def symbol(record: RecDesc, data: bytes, settings: Settings) -> bytes:
    """The column trace() and printa() print for such a record."""
    return _DEFAULT % name(record, data, settings)
