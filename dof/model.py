"""What DOF says, as data: programs (enablings), providers, and their parts.

The writer turns a model into bytes and the reader turns validated bytes into
a model.  Nothing here knows about sections, offsets or byte order.
"""

from __future__ import annotations

from collections.abc import Iterator

from dif.records import NamedTuple, Record, field

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dif.difo import Difo, DifType


class ActionKind:
    """DTRACEACT_* and DTRACEAGG_* (dtrace.h); the class is the upper byte.

    These and the numbers below are plain integers, as an Enum of so many members takes long to define.
    """

    NONE = 0
    DIFEXPR = 1
    EXIT = 2
    PRINTF = 3
    PRINTA = 4
    LIBACT = 5
    TRACEMEM = 6
    TRACEMEM_DYNSIZE = 7
    PRINTM = 8  # FreeBSD
    USTACK = 0x0101
    JSTACK = 0x0102
    USYM = 0x0103
    UMOD = 0x0104
    UADDR = 0x0105
    STOP = 0x0201
    RAISE = 0x0202
    SYSTEM = 0x0203
    FREOPEN = 0x0204
    STACK = 0x0401
    SYM = 0x0402
    MOD = 0x0403
    BREAKPOINT = 0x0501
    PANIC = 0x0502
    CHILL = 0x0503
    SPECULATE = 0x0601
    COMMIT = 0x0602
    DISCARD = 0x0603
    AGG_COUNT = 0x0701
    AGG_MIN = 0x0702
    AGG_MAX = 0x0703
    AGG_AVG = 0x0704
    AGG_SUM = 0x0705
    AGG_STDDEV = 0x0706
    AGG_QUANTIZE = 0x0707
    AGG_LQUANTIZE = 0x0708
    AGG_LLQUANTIZE = 0x0709


ACTION_NAMES: dict[int, str] = {
    number: name.lower() for name, number in vars(ActionKind).items() if name.isupper()}


class ActionClass:
    """The upper byte of an action kind."""

    DATA = 0x0000
    PROC = 0x0100
    PROC_DESTRUCTIVE = 0x0200
    PROC_CONTROL = 0x0300
    KERNEL = 0x0400
    KERNEL_DESTRUCTIVE = 0x0500
    SPECULATIVE = 0x0600
    AGGREGATION = 0x0700


class LibAct:
    """DT_ACT_* ordinals of dt_impl.h: what a LIBACT action's `arg` counts from LIBACT_BASE."""

    CLEAR = 15
    NORMALIZE = 16
    DENORMALIZE = 17
    TRUNC = 18
    FTRUNCATE = 21
    SETOPT = 28


# DT_ACT_BASE: one past the last subroutine of the target.
LIBACT_BASE = {"illumos": 49, "freebsd": 54}


class ProbeDesc(NamedTuple):
    """A probe description; each field may be a glob, empty means any; id 0 means by name.

    `instance` is a pattern of the instances that it is for, where several are traced as one; DOF has no
    field for it, and carries it in front of the provider's name.
    """

    provider: str = ""
    module: str = ""
    function: str = ""
    name: str = ""
    id: int = 0
    instance: str = ""

    def __str__(self) -> str:
        return ":".join((self.instance, *self[:4]) if self.instance else self[:4])

    @property
    def own(self) -> bool:
        """Whether it means a probe of dtrace's own: at the beginning or end of tracing, or at errors."""
        return self[1:4] in [("", "", name) for name in OWN_PROBES] and self.provider in ("", "dtrace")


OWN_PROBES = ("BEGIN", "END", "ERROR")  # of the provider dtrace
# Provider, module and function of the clauses by which a process names its own stack frames.
USTACK_HELPER = ("dtrace", "helper", "ustack")


class Action(Record, eq=True):
    """dof_actdesc_t.

    `string` is the format (printf-like actions) or, for a DIFEXPR of `print`,
    the type name; it is None where the section has none.  `arg` is the
    kind-specific argument, `uarg` the consumer's own, `ntuple` the number of
    key actions of the aggregating action this one belongs to (as the field
    says: the number of *subsequent* tuple actions).
    """

    kind: int
    difo: Difo | None = None
    arg: int = 0
    uarg: int = 0
    ntuple: int = 0
    string: str | None = None


class Ecb(Record, eq=True):
    """dof_ecbdesc_t: one probe description with its predicate and actions."""

    probe: ProbeDesc
    predicate: Difo | None = None
    actions: list[Action] = field(default_factory=list)
    uarg: int = 0


class Attributes(NamedTuple):
    """Stability: name, data, class (DTRACE_STABILITY_* 0-7, DTRACE_CLASS_* 0-5)."""

    name: int
    data: int
    klass: int

    @classmethod
    def of_word(cls, word: int) -> Attributes:
        """From a dof_attr_t: name, data, class from the highest byte down; the lowest is not used."""
        return cls(word >> 24 & 0xFF, word >> 16 & 0xFF, word >> 8 & 0xFF)

    @property
    def word(self) -> int:
        """The dof_attr_t."""
        return self.name << 24 | self.data << 16 | self.klass << 8


class Probe(Record, eq=True):
    """dof_probe_t: one probe of one function of a provider.

    `native` and `xlated` are argument type strings; `mapping[i]` is the
    native argument that xlated argument i takes.  `offsets` and
    `enabled_offsets` are bytes from `address`.  `symbol` is what the
    relocation of `address` names, None where it has none.
    """

    function: str
    name: str
    address: int = 0
    native: list[str] = field(default_factory=list)
    xlated: list[str] = field(default_factory=list)
    mapping: list[int] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    enabled_offsets: list[int] = field(default_factory=list)
    symbol: str | None = None


class Provider(Record, eq=True):
    """dof_provider_t with its probes; `attributes` are provider, module, function, name, args.

    `exports` are indices of the program's translators that the provider offers.
    """

    name: str
    attributes: tuple[Attributes, Attributes, Attributes, Attributes, Attributes]
    probes: list[Probe] = field(default_factory=list)
    exports: list[int] = field(default_factory=list)


class Member(Record, eq=True):
    """dof_xlmember_t: a member of a translator; `difo` computes it (None when imported)."""

    name: str
    type: DifType
    difo: Difo | None = None


class Translator(Record, eq=True):
    """dof_xlator_t: from `inputs` (type names) to `type`; imported, or exported with its DIF."""

    inputs: list[str]
    type: str
    attributes: Attributes
    members: list[Member] = field(default_factory=list)
    exported: bool = False


class Program(Record, eq=True):
    """Everything one DOF object carries.

    `options` are (DTRACEOPT_* id, value).  `source` and `comments` are the
    unloaded informational sections, `utsname` the bytes of a struct utsname
    or empty.  `model` is 1 (ILP32) or 2 (LP64).  `difos` are DIF objects that
    nothing above refers to (an assembler's output).
    """

    ecbs: list[Ecb] = field(default_factory=list)
    options: list[tuple[int, int]] = field(default_factory=list)
    providers: list[Provider] = field(default_factory=list)
    source: str = ""
    comments: str = ""
    model: int = 2
    utsname: bytes = b""
    translators: list[Translator] = field(default_factory=list)
    difos: list[Difo] = field(default_factory=list)

    def __repr__(self) -> str:
        """A line: what it is for, not its code."""
        first = [str(ecb.probe) for ecb in self.ecbs[:3]]
        more = ["..."] if len(self.ecbs) > len(first) else []
        what = ", ".join([*first, *more, *(f"provider {each.name}" for each in self.providers)])
        return f"<Program {what or 'without clauses'}>"

    def objects(self) -> Iterator[Difo]:
        """Every DIF object, each once, in the order the program refers to them."""
        return iter({id(difo): difo for difo in self.references()}.values())

    def references(self) -> Iterator[Difo]:
        """The DIF objects in the order the program refers to them, at every reference."""
        for translator in self.translators:
            yield from (member.difo for member in translator.members if member.difo is not None)
        for ecb in self.ecbs:
            if ecb.predicate is not None:
                yield ecb.predicate
            yield from (action.difo for action in ecb.actions if action.difo is not None)
        yield from self.difos
