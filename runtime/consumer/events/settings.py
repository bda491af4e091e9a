"""What a renderer needs besides the bytes: option values, symbols, the target process."""

from __future__ import annotations

from collections.abc import Callable

from dc.options import Options
from dif.hostfiles import read_if_any
from dif.records import Record, field
from dof.printf import WIDEST
from runtime.consumer.events.symbols import NoSymbols

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from runtime.consumer.events.symbols import Symbols


class Settings(Record):
    """The run-time view of options.

    `target` is the process id of `$target`, 0 when there is none.  `read` returns a whole file of the system
    that is traced, None if there is none: it has the names of hosts and ports.
    """

    options: Options = field(default_factory=Options)
    symbols: Symbols = field(default_factory=NoSymbols)
    target: int = 0
    read: Callable[[str], bytes | None] = read_if_any
    utc: bool = False  # times are shown in UTC, not in the host's time zone
    terminal: str = ""  # $TERM: decides whether packed aggregations may use block elements

    def is_set(self, name: str) -> bool:
        return self.options.is_on(name)

    def get(self, name: str, default: int = 0) -> int:
        return self.options.number(name, default)

    @property
    def stack_indent(self) -> int:
        """Columns."""
        return min(self.options.number("stackindent"), WIDEST)

    @property
    def bars_utf8(self) -> bool:
        """Whether the bars of distributions are drawn with Unicode block elements."""
        return self.options.choice("encoding", "") == "utf8"

    @property
    def packs_utf8(self) -> bool:
        """Whether packed aggregations are drawn so, as the option or else the terminal allows."""
        encoding = self.options.choice("encoding", "")
        if encoding:
            return encoding == "utf8"
        return self.terminal not in ("sun", "sun-color", "dumb")
