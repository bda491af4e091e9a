"""What a provider file declares, as data: providers, their probes, their arguments.

The D compiler builds it from `provider` declarations; `-h` and `-G` read it.
"""

from __future__ import annotations

from dif.records import NamedTuple, Record, field
from dof.model import Attributes

# An undeclared attribute of a provider is Private/Private/Unknown (DTrace manual, "Stability").
PRIVATE = Attributes(1, 1, 0)
ARGUMENTS_MAX = 255  # of a probe: DOF counts them in a byte
ProviderAttributes = tuple[Attributes, Attributes, Attributes, Attributes, Attributes]
DEFAULT_ATTRIBUTES: ProviderAttributes = (PRIVATE, PRIVATE, PRIVATE, PRIVATE, PRIVATE)


class Argument(NamedTuple):
    """One argument: its C type as text, and how a caller passes it.

    `size` is in bytes, of the data model the file was compiled for.  `tag`
    is "struct x" or "union x" when the type is, or points to, one.
    """

    type: str
    name: str = ""
    size: int = 8
    signed: bool = False
    floating: bool = False
    tag: str = ""


class ProbeDefinition(Record):
    """A probe by its D name (dashes, not double underscores).

    `translated` is None when only the native arguments are declared: D then
    sees those.
    """

    name: str
    native: list[Argument] = field(default_factory=list)
    translated: list[Argument] | None = None

    @property
    def visible(self) -> list[Argument]:
        """The arguments that D programs see as args[]."""
        return self.native if self.translated is None else self.translated

    def mapping(self) -> list[int]:
        """For each argument D sees, the native argument it takes: by name, else by place."""
        names = {each.name: index for index, each in reversed(list(enumerate(self.native))) if each.name}
        return [names.get(each.name, index) if each.name else index
                for index, each in enumerate(self.visible)]


class ProviderDefinition(Record):
    """A provider with its stability: provider, module, function, name, args."""

    name: str
    probes: list[ProbeDefinition] = field(default_factory=list)
    attributes: ProviderAttributes = DEFAULT_ATTRIBUTES


def function_name(name: str) -> str:
    """How a provider's or probe's name is spelt in C functions: each dash as two underscores."""
    return name.replace("-", "__")


def macro_name(name: str) -> str:
    """How a provider's, probe's or file's name is spelt in C macros."""
    return name.upper().replace("-", "_").replace(".", "_")


# How the symbol of a probe site goes on in objects for Linux, for linkers to say of one that -G has not seen.
UNSEEN = ".give_this_object_to_dtrace_G"


def probe_symbol(provider: str, probe: str, *, enabled: bool = False) -> str:
    """The C function a probe site calls."""
    prefix = "__dtraceenabled" if enabled else "__dtrace"
    return f"{prefix}_{function_name(provider)}___{function_name(probe)}"
