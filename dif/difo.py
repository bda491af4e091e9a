"""A DIF object (DIFO): one compiled D expression and the tables it names."""

from __future__ import annotations

from dif import isa
from dif.records import NamedTuple, Record, field


class DifType(NamedTuple):
    """dtrace_diftype_t: how a value is passed and how large it is.

    `kind` is TYPE_CTF or TYPE_STRING, `ckind` the CTF kind (informational),
    `flags` TF_BYREF/TF_BYUREF, `size` bytes (0 for a string means the default
    string size).
    """

    kind: int = isa.TYPE_CTF
    ckind: int = 0
    flags: int = 0
    size: int = 0

    @property
    def by_reference(self) -> bool:
        return bool(self.flags & (isa.TF_BYREF | isa.TF_BYUREF))


class DifVar(NamedTuple):
    """dtrace_difv_t: a variable that a DIFO loads or stores.  `name` is the string itself."""

    name: str
    id: int
    kind: int = isa.KIND_SCALAR
    scope: int = isa.SCOPE_GLOBAL
    flags: int = 0
    type: DifType = DifType()


class Reloc(NamedTuple):
    """dof_relodesc_t against a DIFO's integer table: `offset` in bytes into it."""

    name: str
    type: int
    offset: int
    data: int = 0


class Translation(NamedTuple):
    """dof_xlref_t: what an `xlate` or `xlarg` instruction refers to.

    `translator` indexes the program's translators, `member` that one's
    members; `argument` is the probe argument xlarg translates.
    """

    translator: int
    member: int
    argument: int = 0


class Difo(Record, eq=True):
    """One DIF object.

    `text` holds 32-bit instruction words; `inttab` unsigned 64-bit values;
    `strtab` NUL-terminated strings that `sets` names by byte offset (offset 0
    is the empty string when the table is not empty).  `kreltab` and `ureltab`
    are relocations against the kernel's and a user program's symbols.
    `xltab` (translations not yet linked in) and `typtab` make an object that
    tools read and write, and that a kernel refuses.
    """

    text: list[int]
    rtype: DifType = DifType()
    inttab: list[int] = field(default_factory=list)
    strtab: bytes = b""
    vartab: list[DifVar] = field(default_factory=list)
    kreltab: list[Reloc] = field(default_factory=list)
    ureltab: list[Reloc] = field(default_factory=list)
    xltab: list[Translation] = field(default_factory=list)
    typtab: list[DifType] = field(default_factory=list)

    def string(self, offset: int) -> bytes:
        """The string at `offset` of the string table, without its NUL."""
        end = self.strtab.find(b"\0", offset)
        return self.strtab[offset:end if end >= 0 else len(self.strtab)]

    def with_variables(self, vartab: list[DifVar]) -> Difo:
        """The same object with another variable table."""
        return Difo(self.text, self.rtype, self.inttab, self.strtab, vartab, self.kreltab, self.ureltab,
                    self.xltab, self.typtab)
