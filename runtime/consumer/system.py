"""What a consumer asks of the machine it traces, beside the Device: time, CPUs, symbols."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from runtime.consumer.events.symbols import Symbols

if TYPE_CHECKING:
    from dc.names.catalog import Argument, ProbeInfo
    from dc.types.scopes import Scope
    from dc.types.types import Type
    from dof.model import ProbeDesc
    from runtime.consumer.catalog import KernelNames


class System(Protocol):
    """The machine as a consumer sees it.  Times are nanoseconds since boot."""

    ncpus: int
    symbols: Symbols
    names: KernelNames | None  # kernel symbols by name, for the compiler

    @property
    def types(self) -> Scope:
        """The kernel's types."""
        ...

    @property
    def interrupted(self) -> bool:
        """Whether somebody in the machine has asked the consumer's process to end tracing."""
        ...

    def now(self) -> int: ...

    def mistake(self, description: ProbeDesc) -> tuple[str, str] | None:
        """What is wrong with a description of a process's probes (see dc.names.catalog.Catalog)."""
        ...

    def user_arguments(self, probe: ProbeInfo) -> Sequence[Argument] | None:
        """The arguments of a probe in a program, as its debug information tells them."""
        ...

    def user_type(self, probe: ProbeInfo, name: str) -> Type | None:
        """A type that the program's debug information tells, "struct foo *" or "foo_t"."""
        ...

    def wait(self, until: int) -> bool:
        """Let the machine run until `until`, or until something happened that a consumer waits for:
        a traced process ended, exit() was called.  Whether it was the latter.
        """
        ...
