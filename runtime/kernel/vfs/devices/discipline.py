"""What a terminal does to the bytes that pass through it, as termios(3) describes.

Settings are those of struct termios as the kernel knows it (<asm-generic/termbits.h>).
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable

from runtime.kernel.base.signals import SIGINT, SIGQUIT, SIGTSTP

ISTRIP, INLCR, IGNCR, ICRNL, IXON, IXANY, IUTF8 = 0x20, 0x40, 0x80, 0x100, 0x400, 0x800, 0x4000
OPOST, ONLCR, OCRNL = 1, 4, 8
(ISIG, ICANON, ECHO, ECHOE, ECHOK, ECHONL, NOFLSH, TOSTOP, ECHOCTL, ECHOKE, IEXTEN) = (
    1, 2, 8, 0x10, 0x20, 0x40, 0x80, 0x100, 0x200, 0x800, 0x8000)
(VINTR, VQUIT, VERASE, VKILL, VEOF, VTIME, VMIN, VSWTC, VSTART, VSTOP, VSUSP, VEOL, VREPRINT, VDISCARD,
 VWERASE, VLNEXT, VEOL2) = range(17)
SETTINGS = struct.Struct("<4IB19s")  # modes of input, output, control, local; discipline; characters
DEFAULT = (ICRNL | IXON, OPOST | ONLCR, 0xBF,
           ISIG | ICANON | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE | IEXTEN, 0,
           bytes.fromhex("03 1c 7f 15 04 00 01 00 11 13 1a 00 12 0f 17 16 00 00 00"))
CAPACITY = 65536  # bytes that may wait for the master
MAX_LINE = 4095  # bytes of a line, its end not counted
# letters and digits of Latin-1, of which words are: with UTF-8 a character's first byte is looked up
_WORD = frozenset((*b"_0123456789", *range(65, 91), *range(97, 123), *range(0xC0, 0x100))) - {0xD7, 0xF7}
NEWLINE, RETURN, TAB, SPACE, DELETE = 10, 13, 9, 32, 127


class LineDiscipline:
    """A terminal's line discipline: it edits and echoes input, and processes output.

    It calls `signal(number)` for ^C and its like.  `output` has the bytes for the terminal's other side.
    """

    def __init__(self, signal: Callable[[int], None]) -> None:
        self.set(SETTINGS.pack(*DEFAULT))
        self.output = bytearray()
        self.stopped = False  # output stands still since ^S
        self.arrivals = 0  # of lines, or in non-canonical mode of bytes
        self._signal = signal
        self._lines: deque[bytes] = deque()  # ready to be read; an empty one is an end of file
        self._line = bytearray()  # being typed
        self._literal = False  # the next character is taken as it is

    def settings(self) -> bytes:
        """struct termios, 36 bytes."""
        return SETTINGS.pack(self.input_modes, self.output_modes, self.control_modes, self.local_modes,
                             self._number, self.characters)

    def set(self, settings: bytes) -> None:
        """Take new settings: a struct termios, 36 bytes."""
        canonical = getattr(self, "local_modes", ICANON) & ICANON
        (self.input_modes, self.output_modes, self.control_modes, self.local_modes, self._number,
         self.characters) = SETTINGS.unpack(settings)
        if self.local_modes & ICANON and not canonical and self._line:
            self._end_line()
        self._keys = self._special()
        if not self.input_modes & IXON:
            self.stopped = False

    def _special(self) -> dict[int, Callable[[int], None]]:
        """Return what to do for each character with a special meaning."""
        control, keys = self.characters, dict[int, Callable[[int], None]]()
        if self.local_modes & ICANON:
            keys = {control[VEOL]: self._line_end, control[VERASE]: self._erase, control[VKILL]: self._kill,
                    control[VEOF]: self._end_of_file}
            if self.local_modes & IEXTEN:
                keys |= {control[VEOL2]: self._line_end, control[VWERASE]: self._erase_word,
                         control[VLNEXT]: self._take_literally}
                if self.local_modes & ECHO:
                    keys[control[VREPRINT]] = self._reprint
            keys[NEWLINE] = self._line_end
        if self.local_modes & ISIG:
            keys |= {control[at]: self._interrupt for at in (VINTR, VQUIT, VSUSP)}
        if self.input_modes & IXON:
            keys |= {control[VSTART]: self._start, control[VSTOP]: self._stop}
        keys.pop(0, None)  # NUL switches a special character off
        return keys

    # -- towards the program --------------------------------------------------------------------

    def receive(self, data: bytes) -> None:
        """Take bytes that were typed."""
        if not self._keys and not self.local_modes & ECHO and not self.input_modes & (
                ISTRIP | INLCR | IGNCR | ICRNL):
            self._line += data
            self.arrivals += 1
            return
        for character in data:
            self._receive(character)

    def _receive(self, character: int) -> None:
        modes = self.input_modes
        if modes & ISTRIP:
            character &= 0x7F
        if self._literal:
            self._literal = False
            self._plain(character)
            return
        if self.stopped and modes & IXANY:
            self.stopped = False
        if character == RETURN:
            if modes & IGNCR:
                return
            if modes & ICRNL:
                character = NEWLINE
        elif character == NEWLINE and modes & INLCR:
            character = RETURN
        self._keys.get(character, self._plain)(character)

    def _plain(self, character: int) -> None:
        if self.local_modes & ICANON and len(self._line) >= MAX_LINE:
            return
        self._line.append(character)
        self.arrivals += not self.canonical
        if self.local_modes & ECHO:
            self._echo(character)

    def _echo(self, character: int) -> None:
        if self._controls(character):
            self.output += bytes((ord("^"), character ^ 0x40))
        else:
            self.output += self._processed(bytes((character,)))

    def _echo_newline(self) -> None:
        self.output += self._processed(bytes((NEWLINE,)))

    def _controls(self, character: int) -> bool:
        """Whether a character is echoed as ^X."""
        return bool(self.local_modes & ECHOCTL) and character != TAB and (
            character < SPACE or character == DELETE)

    def _end_line(self) -> None:
        self._lines.append(bytes(self._line))
        self.arrivals += 1
        self._line.clear()

    def _line_end(self, character: int) -> None:
        if character == NEWLINE and self.local_modes & (ECHO | ECHONL):
            self._echo_newline()
        elif self.local_modes & ECHO:
            self._echo(character)
        self._line.append(character)
        self._end_line()

    def _end_of_file(self, _character: int) -> None:
        self._end_line()

    def _last_character(self) -> bytes:
        """The bytes of the last character of the line; none if its first one is not in the line."""
        size = 1
        while self.input_modes & IUTF8 and size <= len(self._line) and self._line[-size] & 0xC0 == 0x80:
            size += 1
        return bytes(self._line[-size:]) if size <= len(self._line) else b""

    def _take_last(self) -> bytes:
        """Remove the last character of the line and return its bytes."""
        taken = self._last_character()
        del self._line[len(self._line) - len(taken):]
        return taken

    def _show_erased(self, taken: bytes) -> None:
        hidden = len(taken) == 1 and (taken[0] < SPACE or taken[0] == DELETE)
        if self.local_modes & ECHO:
            self.output += b"\b \b" * (2 * bool(self.local_modes & ECHOCTL) if hidden else 1)

    def _erase(self, character: int) -> None:
        taken = self._take_last()
        if not taken:
            return
        if self.local_modes & ECHOE:
            self._show_erased(taken)
        elif self.local_modes & ECHO:
            self._echo(character)

    def _erase_word(self, _character: int) -> None:
        found = False
        while taken := self._last_character():
            part_of_word = taken[0] in _WORD
            if found and not part_of_word:
                break
            found |= part_of_word
            self._show_erased(self._take_last())

    def _kill(self, character: int) -> None:
        if not self._line:
            return
        visibly = ECHO | ECHOE | ECHOK | ECHOKE
        if self.local_modes & visibly == visibly:
            while taken := self._take_last():
                self._show_erased(taken)
            return
        self._line.clear()
        if self.local_modes & ECHO:
            self._echo(character)
            if self.local_modes & ECHOK:
                self._echo_newline()

    def _reprint(self, character: int) -> None:
        self._echo(character)
        self._echo_newline()
        for shown in self._line:
            self._echo(shown)

    def _take_literally(self, _character: int) -> None:
        self._literal = True
        if self.local_modes & ECHO and self.local_modes & ECHOCTL:
            self.output += b"^\b"

    def _interrupt(self, character: int) -> None:
        number = {self.characters[VINTR]: SIGINT, self.characters[VQUIT]: SIGQUIT}.get(character, SIGTSTP)
        if not self.local_modes & NOFLSH:
            self.flush_input()
        self.stopped = False
        if self.local_modes & ECHO:
            self._echo(character)
        self._signal(number)

    def _start(self, _character: int) -> None:
        self.stopped = False

    def _stop(self, _character: int) -> None:
        self.stopped = True

    @property
    def canonical(self) -> bool:
        return bool(self.local_modes & ICANON)

    def waiting(self) -> int:
        """Return the number of bytes that can be read."""
        return sum(map(len, self._lines)) + (0 if self.canonical else len(self._line))

    def readable(self, least: int = 1) -> bool:
        """Whether there is a line, or `least` bytes in non-canonical mode."""
        return bool(self._lines) if self.canonical else self.waiting() >= least

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes of one line, or in non-canonical mode of all that was typed."""
        if self.canonical:
            line = self._lines.popleft()
            if len(line) > size:
                self._lines.appendleft(line[size:])
            return line[:size]
        self._line[:0] = b"".join(self._lines)
        self._lines.clear()
        data = bytes(self._line[:size])
        del self._line[:size]
        return data

    def flush_input(self) -> None:
        self._lines.clear()
        self._line.clear()

    # -- towards the other side -----------------------------------------------------------------

    @property
    def room(self) -> int:
        """How many bytes can be written now."""
        return 0 if self.stopped else max(0, CAPACITY - len(self.output))

    def write(self, data: bytes) -> int:
        """Take as much of what a program writes as there is room for; returns the number of bytes."""
        data = data[:self.room]
        self.output += self._processed(data)
        return len(data)

    def _processed(self, data: bytes) -> bytes:
        if not self.output_modes & OPOST:
            return data
        lines = data.split(b"\n")
        if self.output_modes & OCRNL:
            lines = [line.replace(b"\r", b"\n") for line in lines]
        return (b"\r\n" if self.output_modes & ONLCR else b"\n").join(lines)
