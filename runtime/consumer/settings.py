"""What a renderer needs besides the bytes: option values, symbols, the target process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from runtime.consumer.symbols import NoSymbols, Symbols

STACK_INDENT = 14  # default indentation of a stack frame, columns
ASCII, UTF8 = 1, 2  # values of the `encoding` option


@dataclass(slots=True)
class Settings:
    """The run-time view of options.

    `options` maps an option's name to its value; a name that is absent is unset.  `target` is the
    process id of `$target`, 0 when there is none.
    """

    options: Mapping[str, int] = field(default_factory=dict)
    symbols: Symbols = field(default_factory=NoSymbols)
    target: int = 0
    terminal: str = ""  # $TERM: decides whether packed aggregations may use block elements

    def is_set(self, name: str) -> bool:
        return name in self.options

    def get(self, name: str, default: int = 0) -> int:
        return self.options.get(name, default)

    @property
    def stack_indent(self) -> int:
        return self.options.get("stackindent", STACK_INDENT)

    @property
    def packs_utf8(self) -> bool:
        """Whether packed aggregations are drawn with Unicode block elements."""
        encoding = self.options.get("encoding")
        if encoding is not None:
            return encoding == UTF8
        return self.terminal not in ("sun", "sun-color", "dumb")
