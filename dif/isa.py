"""The DIF machine as data: opcodes, subroutines, built-in variables, limits.

Every reader of DIF (assembler, disassembler, validator, compiler, both
engines) iterates these tables; none has an opcode list of its own.  Numbers
are those of <sys/dtrace.h> of illumos; where FreeBSD's header numbers or adds
a thing differently the row says so (`targets`, `TARGETS`).

An instruction is 32 bits: op in bits 31-24, then one of the layouts below.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dif.limits import DIF_VERSION as DIF_VERSION
from dif.limits import MASK
from dif.limits import NREGS as NREGS
from dif.limits import NTUPLE as NTUPLE
from dif.records import NamedTuple

# dtrace_difv kinds, scopes, flags
KIND_ARRAY, KIND_SCALAR = 0, 1
SCOPE_GLOBAL, SCOPE_THREAD, SCOPE_LOCAL = 0, 1, 2
F_REF, F_MOD = 0x1, 0x2


class Format:
    """Operand layouts of an instruction word: each is its assembler operands.

    `r1` is bits 23-16, `r2` bits 15-8, `rd` (or `rs`) bits 7-0; `label` is
    bits 23-0; `var`, `index` and `subr` are bits 23-8.
    """

    R1_R2_RD = "r1, r2, rd"
    R1_RD = "r1, rd"
    R1_R2 = "r1, r2"
    R1 = "r1"
    LABEL = "label"
    LOAD = "[r1], rd"
    STORE = "r1, [rd]"
    RD = "rd"
    NONE = ""
    INTEGER = "index, rd"
    STRING = "strindex, rd"
    VAR_ARRAY = "var8, r2, rd"  # var in r1's byte, index register in r2
    VAR_LOAD = "var, rd"
    VAR_STORE = "var, rs"
    CALL = "subr, rd"
    PUSH = "type, r2, rs"  # type in r1's byte, size register in r2
    XLATE = "xlref, rd"


class Flags:
    """What an instruction does to the condition codes."""

    NONE = 0
    SET = 1
    USE = 2


class Opcode(NamedTuple):
    """One row of the instruction table.

    `size` is the width in bytes of a load or store (0 otherwise); `signed`
    tells a sign-extending load or a signed comparison or division.  `pure`
    means the result depends on the source registers only, so that the
    optimizer may fold, share or drop it; `commutes` that r1 and r2 may be
    exchanged.  A pure instruction that `faults` does so for a zero divisor.  With
    `neutral` as its right operand, a pure instruction leaves the left one as it
    is; with `absorbing` it returns that.  `scope` is that of the variable which
    is loaded or stored; a `dynamic` variable is a thread-local one or an element
    of an array, a `keyed` instruction takes the array's keys from the tuple.
    `address_in_rd` means that rd is read as an address, and not written.
    """

    code: int
    name: str
    format: str  # of Format
    size: int = 0
    signed: bool = False
    pure: bool = False
    commutes: bool = False
    flags: int = Flags.NONE
    space: str = ""  # "", "kernel" (checked rld), "user" (uld) for loads
    faults: bool = False
    neutral: int | None = None
    absorbing: int | None = None
    scope: int | None = None
    dynamic: bool = False
    keyed: bool = False
    address_in_rd: bool = False


class Op:
    """Opcode numbers (DIF_OP_*).  They are plain integers, as 79 members of an Enum take long to define."""

    OR = 1
    XOR = 2
    AND = 3
    SLL = 4
    SRL = 5
    SUB = 6
    ADD = 7
    MUL = 8
    SDIV = 9
    UDIV = 10
    SREM = 11
    UREM = 12
    NOT = 13
    MOV = 14
    CMP = 15
    TST = 16
    BA = 17
    BE = 18
    BNE = 19
    BG = 20
    BGU = 21
    BGE = 22
    BGEU = 23
    BL = 24
    BLU = 25
    BLE = 26
    BLEU = 27
    LDSB = 28
    LDSH = 29
    LDSW = 30
    LDUB = 31
    LDUH = 32
    LDUW = 33
    LDX = 34
    RET = 35
    NOP = 36
    SETX = 37
    SETS = 38
    SCMP = 39
    LDGA = 40
    LDGS = 41
    STGS = 42
    LDTA = 43
    LDTS = 44
    STTS = 45
    SRA = 46
    CALL = 47
    PUSHTR = 48
    PUSHTV = 49
    POPTS = 50
    FLUSHTS = 51
    LDGAA = 52
    LDTAA = 53
    STGAA = 54
    STTAA = 55
    LDLS = 56
    STLS = 57
    ALLOCS = 58
    COPYS = 59
    STB = 60
    STH = 61
    STW = 62
    STX = 63
    ULDSB = 64
    ULDSH = 65
    ULDSW = 66
    ULDUB = 67
    ULDUH = 68
    ULDUW = 69
    ULDX = 70
    RLDSB = 71
    RLDSH = 72
    RLDSW = 73
    RLDUB = 74
    RLDUH = 75
    RLDUW = 76
    RLDX = 77
    XLATE = 78
    XLARG = 79


def _rows() -> Iterable[Opcode]:
    def rows(names: str, form: str, **properties: object) -> Iterable[Opcode]:
        for name in names.split():
            yield Opcode(getattr(Op, name.upper()), name, form, **properties)  # type: ignore[arg-type]

    yield from rows("or xor add", Format.R1_R2_RD, pure=True, commutes=True, neutral=0)
    yield from rows("and", Format.R1_R2_RD, pure=True, commutes=True, neutral=MASK, absorbing=0)
    yield from rows("mul", Format.R1_R2_RD, pure=True, commutes=True, neutral=1, absorbing=0)
    yield from rows("sll srl sub", Format.R1_R2_RD, pure=True, neutral=0)
    yield from rows("sra", Format.R1_R2_RD, pure=True, signed=True, neutral=0)
    yield from rows("udiv", Format.R1_R2_RD, pure=True, faults=True, neutral=1)
    yield from rows("sdiv", Format.R1_R2_RD, pure=True, faults=True, neutral=1, signed=True)
    yield from rows("urem", Format.R1_R2_RD, pure=True, faults=True)
    yield from rows("srem", Format.R1_R2_RD, pure=True, faults=True, signed=True)
    yield from rows("not mov", Format.R1_RD, pure=True)
    yield from rows("cmp scmp", Format.R1_R2, flags=Flags.SET)
    yield from rows("tst", Format.R1, flags=Flags.SET)
    yield from rows("ba", Format.LABEL)
    yield from rows("be bne bgu bgeu blu bleu", Format.LABEL, flags=Flags.USE)
    yield from rows("bg bge bl ble", Format.LABEL, flags=Flags.USE, signed=True)
    for prefix, space in (("", ""), ("u", "user"), ("r", "kernel")):
        for size, letter in ((1, "b"), (2, "h"), (4, "w")):
            yield from rows(f"{prefix}lds{letter}", Format.LOAD, size=size, signed=True, space=space)
            yield from rows(f"{prefix}ldu{letter}", Format.LOAD, size=size, space=space)
        yield from rows(f"{prefix}ldx", Format.LOAD, size=8, space=space)
    for size, letter in ((1, "b"), (2, "h"), (4, "w"), (8, "x")):
        yield from rows(f"st{letter}", Format.STORE, size=size, address_in_rd=True)
    yield from rows("ret", Format.RD)
    yield from rows("nop popts flushts", Format.NONE)
    yield from rows("setx", Format.INTEGER, pure=True)
    yield from rows("sets", Format.STRING, pure=True)
    yield from rows("ldga", Format.VAR_ARRAY, scope=SCOPE_GLOBAL)
    yield from rows("ldta", Format.VAR_ARRAY, scope=SCOPE_THREAD, dynamic=True)
    for prefix, form in (("ld", Format.VAR_LOAD), ("st", Format.VAR_STORE)):
        yield from rows(f"{prefix}gs", form, scope=SCOPE_GLOBAL)
        yield from rows(f"{prefix}ls", form, scope=SCOPE_LOCAL)
        yield from rows(f"{prefix}ts", form, scope=SCOPE_THREAD, dynamic=True)
        yield from rows(f"{prefix}gaa", form, scope=SCOPE_GLOBAL, dynamic=True, keyed=True)
        yield from rows(f"{prefix}taa", form, scope=SCOPE_THREAD, dynamic=True, keyed=True)
    yield from rows("call", Format.CALL)
    yield from rows("pushtr pushtv", Format.PUSH)
    yield from rows("allocs", Format.R1_RD)
    yield from rows("copys", Format.R1_R2_RD, address_in_rd=True)
    yield from rows("xlate xlarg", Format.XLATE)


OPCODES: dict[int, Opcode] = {row.code: row for row in sorted(_rows(), key=lambda r: r.code)}
BY_NAME: dict[str, Opcode] = {row.name: row for row in OPCODES.values()}

# -- limits (dtrace.h, dtrace_impl.h) ------------------------------------------------------------

INDEX_MAX = 0xFFFF
VAR_OTHER_MIN, VAR_OTHER_UBASE, VAR_OTHER_MAX = 0x0100, 0x0500, 0xFFFF
DIFO_MAXSIZE = 256 * 1024
VAR_STATIC_MAX = 16 * 1024  # largest by-reference global or local, bytes

# dtrace_diftype kinds and flags
TYPE_CTF, TYPE_STRING = 0, 1
TF_BYREF, TF_BYUREF = 0x1, 0x2



# -- instruction words -----------------------------------------------------------------------------

class Fields(NamedTuple):
    """An instruction word taken apart; every layout's fields, used or not."""

    op: int
    r1: int
    r2: int
    rd: int
    imm: int  # bits 23-8: var, subr, setx, sets, xlref
    label: int  # bits 23-0


def decode(word: int) -> Fields:
    """Take a 32-bit instruction word apart."""
    return Fields(word >> 24 & 0xFF, word >> 16 & 0xFF, word >> 8 & 0xFF, word & 0xFF,
                  word >> 8 & 0xFFFF, word & 0xFFFFFF)


def fmt(op: int, r1: int = 0, r2: int = 0, rd: int = 0) -> int:
    """An instruction of the three-byte layout (DIF_INSTR_FMT)."""
    return op << 24 | r1 << 16 | r2 << 8 | rd


def wide(op: int, index: int, rd: int = 0) -> int:
    """An instruction of the 16-bit index layout (setx, sets, ld/st variable, call, xlate)."""
    return op << 24 | index << 8 | rd


def branch(op: int, label: int) -> int:
    """A branch to instruction number `label`."""
    return op << 24 | label


# -- built-in variables ----------------------------------------------------------------------------

TARGETS = ("illumos", "freebsd")
NUMBERING = {"illumos": "illumos", "linux": "illumos", "freebsd": "freebsd"}  # by the word of -x target


Version = tuple[int, int, int]
_STABLE, _EVOLVING = "Stable/Stable/Common", "Evolving/Evolving/Common"


class Variable(NamedTuple):
    """A built-in variable.

    `type` is its D type; `@args` is what the probe says of each argument.  All
    are global.  `helper` tells whether helper DIF may load it; `since` is the
    version of D that brought it; `stability` its name/data/class, as the
    manual writes them.
    """

    id: int
    name: str
    type: str
    kind: int = KIND_SCALAR
    helper: bool = False
    targets: tuple[str, ...] = TARGETS
    since: Version = (1, 0, 0)
    stability: str = _STABLE


def _variables() -> Iterable[Variable]:
    yield Variable(0x0000, "args", "@args", KIND_ARRAY)
    yield Variable(0x0001, "regs", "uint64_t", KIND_ARRAY)
    yield Variable(0x0002, "uregs", "uint64_t", KIND_ARRAY)
    yield Variable(0x0003, "vmregs", "uint64_t", KIND_ARRAY, targets=("illumos",), since=(1, 7, 0))
    yield Variable(0x0100, "curthread", "kthread_t *", helper=True, stability="Stable/Private/Common")
    yield Variable(0x0101, "timestamp", "uint64_t")
    yield Variable(0x0102, "vtimestamp", "uint64_t")
    yield Variable(0x0103, "ipl", "uint_t")
    yield Variable(0x0104, "epid", "uint_t")
    yield Variable(0x0105, "id", "uint_t")
    for n in range(10):
        yield Variable(0x0106 + n, f"arg{n}", "int64_t", helper=True)
    yield Variable(0x0110, "stackdepth", "uint32_t")
    yield Variable(0x0111, "caller", "uintptr_t")
    yield Variable(0x0112, "probeprov", "string")
    yield Variable(0x0113, "probemod", "string")
    yield Variable(0x0114, "probefunc", "string")
    yield Variable(0x0115, "probename", "string")
    yield Variable(0x0116, "pid", "pid_t", helper=True)
    yield Variable(0x0117, "tid", "id_t", helper=True)
    yield Variable(0x0118, "execname", "string", helper=True)
    yield Variable(0x0119, "zonename", "string", helper=True)
    yield Variable(0x011A, "walltimestamp", "int64_t")
    yield Variable(0x011B, "ustackdepth", "uint32_t", since=(1, 2, 0))
    yield Variable(0x011C, "ucaller", "uint64_t", since=(1, 2, 0))
    yield Variable(0x011D, "ppid", "pid_t", helper=True)
    yield Variable(0x011E, "uid", "uid_t", helper=True)
    yield Variable(0x011F, "gid", "gid_t", helper=True)
    yield Variable(0x0120, "errno", "int")
    yield Variable(0x0121, "execargs", "string", helper=True, targets=("freebsd",))
    yield Variable(0x0121, "threadname", "string", targets=("illumos",), since=(1, 13, 0))
    yield Variable(0x0122, "jid", "int", targets=("freebsd",), since=(1, 13, 0))
    yield Variable(0x0123, "jailname", "string", targets=("freebsd",), since=(1, 13, 0))
    # The path of an instance, of many that are traced as one, and the last part of it.
    yield Variable(0x01F0, "instance", "string", stability=_EVOLVING)
    yield Variable(0x01F1, "vmname", "string", stability=_EVOLVING)
    yield Variable(0x0200, "cpu", "int", targets=("freebsd",), since=(1, 6, 3))


VARIABLES: tuple[Variable, ...] = tuple(_variables())


# -- subroutines -----------------------------------------------------------------------------------

class Subroutine(NamedTuple):
    """A DIF subroutine.

    `numbers` maps a target to its DIF_SUBR_* number (the two disagree from 46
    on); `prototype` is its D signature in the notation of the manual;
    `min_args`/`max_args` bound the tuple.  `helper` tells whether helper DIF
    may call it, `destructive` that it needs the destructive option; `since` and
    `stability` are as a variable's.
    """

    name: str
    numbers: dict[str, int]
    prototype: str
    min_args: int
    max_args: int
    helper: bool = False
    destructive: bool = False
    since: Version = (1, 0, 0)
    stability: str = _STABLE


def _subroutines() -> Iterable[Subroutine]:
    def row(number: int | dict[str, int], name: str, prototype: str, args: tuple[int, int],
            *properties: str, since: Version = (1, 0, 0)) -> Subroutine:
        numbers = dict.fromkeys(TARGETS, number) if isinstance(number, int) else number
        return Subroutine(name, numbers, prototype, *args, "helper" in properties,
                          "destructive" in properties, since,
                          _EVOLVING if "evolving" in properties else _STABLE)

    yield row(0, "rand", "int()", (0, 0))
    for target, mutex, rwlock, thread in (
            ("illumos", "genunix`kmutex_t", "genunix`krwlock_t", "genunix`kthread_t"),
            ("freebsd", "struct mtx", "struct rwlock", "struct thread")):
        yield row({target: 1}, "mutex_owned", f"int({mutex} *)", (1, 1), "evolving")
        yield row({target: 2}, "mutex_owner", f"{thread} *({mutex} *)", (1, 1), "evolving")
        yield row({target: 3}, "mutex_type_adaptive", f"int({mutex} *)", (1, 1), "evolving")
        yield row({target: 4}, "mutex_type_spin", f"int({mutex} *)", (1, 1), "evolving")
        yield row({target: 5}, "rw_read_held", f"int({rwlock} *)", (1, 1), "evolving")
        yield row({target: 6}, "rw_write_held", f"int({rwlock} *)", (1, 1), "evolving")
        yield row({target: 7}, "rw_iswriter", f"int({rwlock} *)", (1, 1), "evolving")
    yield row(8, "copyin", "void *(uintptr_t, size_t)", (2, 2), "helper")
    yield row(9, "copyinstr", "string(uintptr_t, [size_t])", (1, 2), "helper")
    yield row(10, "speculation", "int()", (0, 0))
    yield row(11, "progenyof", "int(pid_t)", (1, 1))
    yield row(12, "strlen", "size_t(const char *)", (1, 1))
    yield row(13, "copyout", "void(void *, uintptr_t, size_t)", (3, 3), "destructive")
    yield row(14, "copyoutstr", "void(char *, uintptr_t, size_t)", (3, 3), "destructive")
    yield row(15, "alloca", "void *(size_t)", (1, 1), "helper")
    yield row(16, "bcopy", "void(void *, void *, size_t)", (3, 3), "helper")
    yield row(17, "copyinto", "void(uintptr_t, size_t, void *)", (3, 3), "helper")
    yield row(18, "msgdsize", "size_t(mblk_t *)", (1, 1))
    yield row(19, "msgsize", "size_t(mblk_t *)", (1, 1))
    yield row(20, "getmajor", "genunix`major_t(genunix`dev_t)", (1, 1), "evolving")
    yield row(21, "getminor", "genunix`minor_t(genunix`dev_t)", (1, 1), "evolving")
    yield row(22, "ddi_pathname", "string(void *, int64_t)", (2, 2), "evolving")
    yield row(23, "strjoin", "string(const char *, const char *)", (2, 2), "helper")
    yield row(24, "lltostr", "string(int64_t, [int])", (1, 2), "helper")
    yield row(25, "basename", "string(const char *)", (1, 1))
    yield row(26, "dirname", "string(const char *)", (1, 1))
    yield row(27, "cleanpath", "string(const char *)", (1, 1))
    yield row(28, "strchr", "string(const char *, char)", (2, 2), "helper", since=(1, 1, 0))
    yield row(29, "strrchr", "string(const char *, char)", (2, 2), "helper", since=(1, 1, 0))
    yield row(30, "strstr", "string(const char *, const char *)", (2, 2), "helper", since=(1, 1, 0))
    yield row(31, "strtok", "string(const char *, const char *)", (2, 2), since=(1, 1, 0))
    yield row(32, "substr", "string(const char *, int, [int])", (2, 3), since=(1, 1, 0))
    yield row(33, "index", "int(const char *, const char *, [int])", (2, 3), "helper", since=(1, 1, 0))
    yield row(34, "rindex", "int(const char *, const char *, [int])", (2, 3), "helper", since=(1, 1, 0))
    yield row(35, "htons", "uint16_t(uint16_t)", (1, 1), "helper", "evolving", since=(1, 3, 0))
    yield row(36, "htonl", "uint32_t(uint32_t)", (1, 1), "helper", "evolving", since=(1, 3, 0))
    yield row(37, "htonll", "uint64_t(uint64_t)", (1, 1), "helper", "evolving", since=(1, 3, 0))
    yield row(38, "ntohs", "uint16_t(uint16_t)", (1, 1), "helper", "evolving", since=(1, 3, 0))
    yield row(39, "ntohl", "uint32_t(uint32_t)", (1, 1), "helper", "evolving", since=(1, 3, 0))
    yield row(40, "ntohll", "uint64_t(uint64_t)", (1, 1), "helper", "evolving", since=(1, 3, 0))
    yield row(41, "inet_ntop", "string(int, void *)", (2, 2), "helper", since=(1, 5, 0))
    yield row(42, "inet_ntoa", "string(ipaddr_t *)", (1, 1), "helper", since=(1, 5, 0))
    yield row(43, "inet_ntoa6", "string(in6_addr_t *)", (1, 1), "helper", since=(1, 5, 0))
    yield row(44, "toupper", "string(const char *)", (1, 1), since=(1, 8, 0))
    yield row(45, "tolower", "string(const char *)", (1, 1), since=(1, 8, 0))
    yield row({"illumos": 46, "freebsd": 51}, "getf", "file_t *(int)", (1, 1), since=(1, 10, 0))
    yield row({"illumos": 47, "freebsd": 52}, "json", "string(const char *, const char *)", (2, 2),
              "helper", since=(1, 11, 0))
    yield row({"illumos": 48, "freebsd": 53}, "strtoll", "int64_t(const char *, [int])", (1, 2),
              "helper", since=(1, 11, 0))
    yield row({"freebsd": 46}, "memref", "uintptr_t *(void *, size_t)", (2, 2), "helper", since=(1, 1, 0))
    yield row({"freebsd": 47}, "sx_shared_held", "int(struct sx *)", (1, 1), "evolving")
    yield row({"freebsd": 48}, "sx_exclusive_held", "int(struct sx *)", (1, 1), "evolving")
    yield row({"freebsd": 49}, "sx_isexclusive", "int(struct sx *)", (1, 1), "evolving")
    yield row({"freebsd": 50}, "memstr", "string(void *, char, size_t)", (3, 3), "helper")


SUBROUTINES: tuple[Subroutine, ...] = tuple(_subroutines())


_VARIABLES = {target: {row.id: row for row in VARIABLES if target in row.targets} for target in TARGETS}
_SUBROUTINES = {target: {row.numbers[target]: row for row in SUBROUTINES if target in row.numbers}
                for target in TARGETS}


def variables(target: str = "illumos") -> Mapping[int, Variable]:
    """Built-in variables of `target`, by id."""
    return _VARIABLES[target]


def subroutines(target: str = "illumos") -> Mapping[int, Subroutine]:
    """Subroutines of `target`, by number."""
    return _SUBROUTINES[target]
