"""The options of one tracing session."""

from __future__ import annotations

from collections.abc import Iterable

from dc.options import BY_NUMBER, UNSET, OptionError, Phase, Value, find

__all__ = ["OptionError", "Options"]

_POLICIES = {0: "ring", 1: "fill", 2: "switch"}


class Options:
    """`values` holds what is set and numeric, by name: run-time and dynamic options, and the flags
    that concern output.  `compiler` holds what the compiler is to know, lists for options that add up.
    """

    def __init__(self, target: str = "illumos") -> None:
        self.values: dict[str, int] = {}
        self.compiler: dict[str, Value | list[str]] = {"target": target}
        self.oformat = "text"

    def is_set(self, name: str) -> bool:
        return name in self.values

    @property
    def policy(self) -> str:
        """The buffer policy: ring, fill or switch."""
        return _POLICIES.get(self.values.get("bufpolicy", 2), "switch")

    def set(self, name: str, text: str | None = None, *, active: bool = False) -> None:
        """Set an option as -x does.  `active` tells that tracing has begun.  Raises OptionError."""
        option = find(name)
        if active and option.phase is Phase.RUNTIME:
            raise OptionError("Operation illegal when tracing is active")
        self.assign(name, option.parse(text))

    def assign(self, name: str, value: Value) -> None:
        """Set an option to a value that is parsed already."""
        option = find(name)
        if name == "oformat":
            self.oformat = str(value)
        elif option.many:
            listed = self.compiler.setdefault(name, [])
            assert isinstance(listed, list)
            listed.append(str(value))
        elif value == UNSET and option.phase is not Phase.COMPILE:
            self.values.pop(name, None)
            self.compiler.pop(name, None)
        else:
            self.compiler[name] = value
            if isinstance(value, int):
                self.values[name] = int(value)

    def for_kernel(self) -> list[tuple[int, int]]:
        """(number, value) of every option the kernel knows and that is set, by number."""
        return sorted((option.number, self.values[option.name]) for option in BY_NUMBER.values()
                      if option.name in self.values and option.number is not None)

    def reload(self, options: Iterable[tuple[int, int]]) -> None:
        """Take over what the kernel made of the options (signed 64-bit values, UNSET for unset)."""
        for number, value in options:
            option = BY_NUMBER.get(number)
            if option is None:
                continue
            signed = value - (1 << 64) if value >> 63 else value
            if signed == UNSET:
                self.values.pop(option.name, None)
            else:
                self.values[option.name] = signed
