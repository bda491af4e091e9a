"""What an instance may send: the records that our own program lays out, worked out here, before it answers.

Sizes come from the DOF that went down, never from what comes up.  So a size of 0 or of a tebibyte, a record
past its end or of another form is refused before anything is allocated.
"""

from __future__ import annotations

from dif.difo import Difo, DifType
from dif.isa import TF_BYREF, TYPE_STRING, VARIABLES, Op
from dif.records import Record, field, replace
from dof.model import Action, ActionKind, Ecb, Program
from dof.options import UNSET, OptionId, kernel_defaults
from runtime.border import AggDesc, EprobeDesc, RecDesc
from runtime.framework.firing.code import Code
from runtime.framework.tracing.clauses import Aggregation, ClauseBuilder, Refused

_INSTANCE, _PID, _EXECNAME = (next(row.id for row in VARIABLES if row.name == name)
                              for name in ("instance", "pid", "execname"))
_POINTER = 3  # a pointer's kind in CTF
Shape = tuple[int, tuple[RecDesc, ...]]


def _plain(records: tuple[RecDesc, ...]) -> tuple[RecDesc, ...]:
    """Records without the numbers that a kernel gives: of formats it matters whether there is one."""
    return tuple(record._replace(format=int(bool(record.format))) for record in records)


def _loads(difo: Difo | None, variable: int) -> bool:
    """Whether a DIF object does nothing but load a variable."""
    return difo is not None and len(difo.text) == 2 and difo.text[0] >> 24 == Op.LDGS \
        and difo.text[0] >> 8 & 0xFFFF == variable


def by_instance(ecb: Ecb, size: int) -> Ecb:
    """Return a clause whose aggregations by pointers have the instance as their last key, in `size` bytes.

    A pointer means something in one instance alone: equal ones of two are not the same.
    """
    load = Difo([Op.LDGS << 24 | _INSTANCE << 8 | 1, Op.RET << 24 | 1],
                DifType(TYPE_STRING, flags=TF_BYREF, size=size))
    actions: list[Action] = []
    for action in ecb.actions:
        keys = actions[len(actions) - action.ntuple:] if action.ntuple else []
        if any(_is_pointer(key) for key in keys) and not any(_loads(key.difo, _INSTANCE) for key in keys):
            actions.append(Action(ActionKind.DIFEXPR, load, uarg=action.uarg))
            action = replace(action, ntuple=action.ntuple + 1)
        actions.append(action)
    return replace(ecb, actions=actions)


def _is_pointer(key: Action) -> bool:
    """Whether a key of an aggregation is a pointer as it is, with no name looked up."""
    return key.kind == ActionKind.DIFEXPR and key.difo is not None and key.difo.rtype.ckind == _POINTER


class Layouts(Record):
    """The forms of everything that the programs sent to one child record.

    `clauses` and `aggregations` lead from a form to its stamps: offsets and sizes of records that hold the
    instance's path and nothing else.  `claims` are those of a process's number and its name.  `formats` are
    the strings of the actions, without their NULs.
    """

    options: list[int] = field(default_factory=kernel_defaults)
    clauses: dict[tuple[int, Shape], tuple[tuple[int, int], ...]] = field(default_factory=dict)
    aggregations: dict[Shape, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    claims: dict[tuple[int, Shape], tuple[tuple[int, int], tuple[int, int]]] = field(default_factory=dict)
    formats: set[bytes] = field(default_factory=set)

    def expect(self, program: Program) -> None:
        """Take in a program that goes down."""
        for number, value in program.options:
            if number < len(self.options):
                self.options[number] = value if value != UNSET else self.options[number]
        builder = ClauseBuilder(self.options, lambda _text: 1, lambda _aggregation: 1)
        for ecb in program.ecbs:
            self.formats.update(action.string.encode("utf-8", "surrogateescape") for action in ecb.actions
                                if action.string is not None)
            try:
                self._clause(builder, ecb)
            except Refused:
                continue  # the instance will refuse it, too

    def _clause(self, builder: ClauseBuilder, ecb: Ecb) -> None:
        codes = [None if action.difo is None else Code(action.difo, 0) for action in ecb.actions]
        clause = builder.build(ecb, None, codes)
        records = clause.records
        stamps = tuple((action.offset, action.size) for action in records
                       if action.code is not None and _loads(action.code.difo, _INSTANCE))
        shape = clause.size, _plain(tuple(action.record for action in records))
        self.clauses[ecb.uarg, shape] = stamps
        claimed = [next(((action.offset, action.size) for action in records
                         if action.code is not None and _loads(action.code.difo, variable)), None)
                   for variable in (_PID, _EXECNAME)]
        if claimed[0] is not None and claimed[1] is not None:
            self.claims[ecb.uarg, shape] = claimed[0], claimed[1]
        for action in clause.actions:
            if isinstance(action, Aggregation):
                description = action.describe(0)
                keys = tuple((key.offset - action.base, key.size) for key in action.keys
                             if key.code is not None and _loads(key.code.difo, _INSTANCE))
                self.aggregations[description.size, _plain(description.records)] = keys

    def clause(self, description: EprobeDesc) -> tuple[tuple[int, int], ...] | None:
        """The stamps of an enabling's records; None if no program of ours has such records."""
        return self.clauses.get((description.uarg, (description.size, _plain(description.records))))

    def claim(self, description: EprobeDesc) -> tuple[tuple[int, int], tuple[int, int]] | None:
        """Where an enabling records a process's number and its name, if it does."""
        return self.claims.get((description.uarg, (description.size, _plain(description.records))))

    def aggregation(self, description: AggDesc) -> tuple[tuple[int, int], ...] | None:
        """The stamps of an aggregation's keys; None if no program of ours aggregates so."""
        return self.aggregations.get((description.size, _plain(description.records)))

    @property
    def largest_buffer(self) -> int:
        """The most bytes of one snapshot."""
        sizes = (self.options[OptionId.BUFSIZE], self.options[OptionId.AGGSIZE])
        return max((size for size in sizes if size != UNSET), default=0)
