"""What a consumer asks of the machine it traces, beside the Device: time, CPUs, symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from dc.names.catalog import Argument, ProbeInfo, Symbol
    from dc.types.scopes import Scope
    from dc.types.types import Type
    from dof.model import ProbeDesc
    from runtime.border import Device
    from runtime.consumer.events.symbols import Symbols


class KernelNames(Protocol):
    """Kernel symbols by name; `named` is as Catalog.symbol."""

    def named(self, module: str | None, name: str) -> Symbol | None: ...


class System(Protocol):
    """The machine as a consumer sees it.  Times are nanoseconds since boot."""

    @property
    def ncpus(self) -> int: ...

    @property
    def symbols(self) -> Symbols: ...

    @property
    def names(self) -> KernelNames | None:
        """Kernel symbols by name, for the compiler."""
        ...

    @property
    def types(self) -> Scope:
        """The kernel's types."""
        ...

    @property
    def interrupted(self) -> bool:
        """Whether a signal in the machine has asked the consumer's process to end tracing."""
        ...

    def now(self) -> int: ...

    def absent(self, address: int) -> bool:
        """Whether a probe has lately asked for what lies there in a program, and it was not in memory."""
        ...

    def mistake(self, description: ProbeDesc) -> tuple[str, str] | None:
        """What is wrong with a description of a process's probes, as dc.names.catalog.Catalog has it."""
        ...

    def user_arguments(self, probe: ProbeInfo) -> Sequence[Argument] | None:
        """The arguments of a probe in a program, as its debug information tells them."""
        ...

    def user_type(self, probe: ProbeInfo, name: str) -> Type | None:
        """A type that the program's debug information tells, "struct foo *" or "foo_t"."""
        ...

    patient: bool  # whether no tracer need ask for its status while only dtrace's own probes are traced

    def wait(self, until: int) -> bool:
        """Let the machine run until `until`, or until a traced process ends or exit() is called.

        Returns whether it stopped early.
        """
        ...

    def relieve(self, wanted: bool) -> None:
        """Say whether buffers of what is traced from now on are to end a wait before they are full."""
        ...


class Controlled(Protocol):
    """A process that a session controls."""

    @property
    def exit_status(self) -> int | None:
        """The status that wait(2) reports; None while the process lives."""
        ...

    def resume(self) -> None:
        """Let it run."""
        ...


CredentialsT = TypeVar("CredentialsT", contravariant=True)


class Traceable(Protocol[CredentialsT]):
    """A machine with DTrace in it, which a session may be opened on."""

    @property
    def target(self) -> str:
        """Whose numbers D programs have: illumos or freebsd."""
        ...

    @property
    def ids(self) -> Mapping[str, int]:
        """The values of $pid, $uid and their like of the consumer's process there."""
        ...

    @property
    def clean(self) -> bool:
        """Whether nothing of the host's environment is to be seen, its time zone among it."""
        ...

    def read(self, path: str) -> bytes | None:
        """A whole file of the machine; None if there is none."""
        ...

    def device(self, credentials: CredentialsT | None = None) -> Device:
        """An open of /dev/dtrace with these privileges, or with all."""
        ...

    def system(self) -> System: ...
