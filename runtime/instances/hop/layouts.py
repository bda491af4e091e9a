"""What an instance may send: the records that our own program lays out, worked out here, before it answers.

Sizes come from the DOF that went down, never from what comes up.  So a size of 0 or of a tebibyte, a record
past its end or of another form is refused before anything is allocated.
"""

from __future__ import annotations

from dif.isa import VARIABLES
from dif.records import Record, field
from dof.actionrules import Refused
from dof.model import Ecb, Program
from dof.options import UNSET, OptionId, kernel_defaults
from runtime.border import AggDesc, EprobeDesc, RecDesc
from runtime.consumer.aggregations.byinstance import loads
from runtime.framework.firing.code import Code
from runtime.framework.tracing.clauses import Aggregation, ClauseBuilder

_INSTANCE, _PID, _EXECNAME = (next(row.id for row in VARIABLES if row.name == name)
                              for name in ("instance", "pid", "execname"))
Shape = tuple[int, tuple[RecDesc, ...]]


def _plain(records: tuple[RecDesc, ...]) -> tuple[RecDesc, ...]:
    """Records without the numbers that a kernel gives: of formats it matters whether there is one."""
    return tuple(record._replace(format=int(bool(record.format))) for record in records)


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
                       if action.code is not None and loads(action.code.difo, _INSTANCE))
        shape = clause.size, _plain(tuple(action.record for action in records))
        self.clauses[ecb.uarg, shape] = stamps
        claimed = [next(((action.offset, action.size) for action in records
                         if action.code is not None and loads(action.code.difo, variable)), None)
                   for variable in (_PID, _EXECNAME)]
        if claimed[0] is not None and claimed[1] is not None:
            self.claims[ecb.uarg, shape] = claimed[0], claimed[1]
        for action in clause.actions:
            if isinstance(action, Aggregation):
                description = action.describe(0)
                keys = tuple((key.offset - action.base, key.size) for key in action.keys
                             if key.code is not None and loads(key.code.difo, _INSTANCE))
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
