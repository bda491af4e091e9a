"""Clauses: what each records, where, and how that is laid out.

A `Clause` is made once from a DOF description and shared by every probe it
matches.  Offsets, sizes and alignments are
bytes; a principal record begins with dtrace_rechdr_t (12 bytes), an
aggregation record with the aggregation's id (4 bytes).
"""

from __future__ import annotations

from collections.abc import Callable

from dif import isa
from dif.difo import DifType
from dif.records import Record, field, replace
from dof import model
from dof.actionrules import Refused, check_actions
from dof.model import ActionClass, ActionKind
from dof.options import OptionId
from runtime.border import RECHDR, AggDesc, RecDesc
from runtime.framework.buffers import aggregation
from runtime.framework.firing.code import Code

_EPID_SIZE = 4
RECORD_MAX = 1 << 30


class Action(Record):
    """One action with its record.  `position` counts from 1, as faults report it."""

    position: int
    kind: int
    code: Code | None
    size: int
    arg: int
    uarg: int
    format: int = 0
    alignment: int = 1
    offset: int = 0
    in_tuple: bool = False

    @property
    def klass(self) -> int:
        return self.kind & 0xFF00

    @property
    def record(self) -> RecDesc:
        return RecDesc(self.kind, self.size, self.offset, self.alignment, self.format, self.arg, self.uarg)


class Aggregation(Action):
    """An aggregating action: `keys` the tuple's actions (the variable's id first).

    `base` is where its record would begin in the principal record; offsets of
    keys and of the action itself count from there once laid out.
    """

    id: int = 0
    keys: list[Action] = field(default_factory=list)
    operand: Action | None = None  # the expression before it whose value is the increment
    initial: int = 0
    base: int = 0
    shape: int = 0  # the same for all of the state's aggregations with keys of the same sizes
    form: aggregation.Form = aggregation.Form(0, (), 0, ())  # of its records, once laid out

    @property
    def value_offset(self) -> int:
        """Where the values begin in an aggregation record."""
        return self.offset - self.base

    @property
    def variable(self) -> int | None:
        """The number of the aggregation variable; None if it is known only when the clause runs."""
        code = self.keys[0].code if self.keys else None
        return code.constant if code is not None else None

    @property
    def sizes(self) -> tuple[int, ...]:
        """Sizes of the keys' records."""
        return tuple(key.size for key in self.keys)

    def shape_records(self) -> None:
        """Make `form` of the offsets."""
        self.form = aggregation.Form(self.id, tuple((key.offset - self.base, key.size) for key in self.keys),
                                     self.value_offset, (self.initial, *[0] * (self.size // 8 - 1)))

    def describe(self, epid: int) -> AggDesc:
        """What AGGDESC returns."""
        parts = [action for action in (*self.keys, self) if action.size]
        records = tuple(part.record._replace(offset=part.offset - self.base) for part in parts)
        return AggDesc(self.id, epid, self.value_offset + self.size, records)


class Clause(Record):
    """A predicate with its actions, laid out."""

    probe: model.ProbeDesc
    predicate: Code | None
    uarg: int
    actions: list[Action] = field(default_factory=list)
    size: int = RECHDR.size
    needed: int = RECHDR.size
    alignment: int = _EPID_SIZE

    @property
    def records(self) -> list[Action]:
        """Actions of the principal record, in order."""
        return [action for action in self.actions
                if not action.in_tuple and action.klass != ActionClass.AGGREGATION]

    @property
    def destructive(self) -> bool:
        """Whether it needs the destructive option."""
        classes = (ActionClass.PROC_DESTRUCTIVE, ActionClass.KERNEL_DESTRUCTIVE)
        return any(action.klass in classes or (action.code is not None and action.code.destructive)
                   for action in self.actions)

    def for_probe(self, desc: model.ProbeDesc) -> Clause:
        """The same clause for another description."""
        return replace(self, probe=desc)

    def lay_out(self) -> None:
        """Give every record its offset (dtrace_ecb_resize's rules).  Raises Refused."""
        self.size = self.needed = RECHDR.size
        tuple_end = tuple_base = -1
        for action in self.actions:
            self.alignment = max(self.alignment, action.alignment)
            if isinstance(action, Aggregation):
                action.base = tuple_base
                action.offset = _up(tuple_end, action.alignment)
                self.needed = max(self.needed, action.offset + action.size)
                action.shape_records()
                tuple_end = -1
            elif action.in_tuple:
                if tuple_end < 0:
                    tuple_base = _up(self.size, 8)
                    tuple_end = tuple_base + _EPID_SIZE
                action.offset = _up(tuple_end, action.alignment)
                tuple_end = action.offset + action.size
            else:
                action.offset = _up(self.size, action.alignment)
                self.size = action.offset + action.size
                self.needed = max(self.needed, self.size)
            if max(self.size, self.needed, tuple_end) > RECORD_MAX:
                raise Refused("records of a clause are too large")
        only_speculates = len(self.actions) == 1 and self.actions[0].kind == ActionKind.SPECULATE
        if self.actions and not only_speculates and self.size == RECHDR.size:
            self.size = 0
        self.size = _up(self.size, _EPID_SIZE)
        self.needed = _up(self.needed, _EPID_SIZE)


def _up(value: int, alignment: int) -> int:
    return (value + alignment - 1) & -alignment


def alignment(size: int) -> int:
    """The alignment of a record: the largest power of two, at most 8, that divides its size."""
    return min(size & -size, 8) if size else 1


# -- sizes of records, by kind --------------------------------------------------------------------

Options = list[int]


def _expression(desc: model.Action, rtype: DifType, options: Options) -> tuple[int, int]:
    if rtype.size or rtype.kind != isa.TYPE_STRING:
        return rtype.size, desc.arg
    return options[OptionId.STRSIZE], desc.arg


def _stack(desc: model.Action, rtype: DifType, options: Options) -> tuple[int, int]:
    frames = desc.arg or options[OptionId.STACKFRAMES]
    return frames * 8, frames


def _ustack(desc: model.Action, rtype: DifType, options: Options) -> tuple[int, int]:
    frames, room = desc.arg & 0xFFFFFFFF, desc.arg >> 32
    if desc.kind == ActionKind.JSTACK:
        frames = frames or options[OptionId.JSTACKFRAMES]
        room = room or options[OptionId.JSTACKSTRSIZE]
    frames = frames or options[OptionId.USTACKFRAMES]
    return _up((frames + 1) * 8 + room, 8), room << 32 | frames


def _symbol(desc: model.Action, rtype: DifType, options: Options) -> tuple[int, int]:
    user = desc.kind in (ActionKind.USYM, ActionKind.UMOD, ActionKind.UADDR)
    return 16 if user else 8, desc.arg


def _own(desc: model.Action, rtype: DifType, options: Options) -> tuple[int, int]:
    return rtype.size, desc.arg


def _bare(desc: model.Action, rtype: DifType, options: Options) -> tuple[int, int]:
    return 0, desc.arg


_SIZES: dict[int, Callable[[model.Action, DifType, Options], tuple[int, int]]] = {
    ActionKind.DIFEXPR: _expression,
    ActionKind.PRINTF: _expression,
    ActionKind.PRINTA: _expression,
    ActionKind.SYSTEM: _expression,
    ActionKind.FREOPEN: _expression,
    ActionKind.LIBACT: _expression,
    ActionKind.TRACEMEM: _expression,
    ActionKind.TRACEMEM_DYNSIZE: _expression,
    ActionKind.PRINTM: _own,
    ActionKind.STACK: _stack,
    ActionKind.USTACK: _ustack,
    ActionKind.JSTACK: _ustack,
    ActionKind.SYM: _symbol,
    ActionKind.MOD: _symbol,
    ActionKind.USYM: _symbol,
    ActionKind.UMOD: _symbol,
    ActionKind.UADDR: _symbol,
    ActionKind.STOP: _bare,
    ActionKind.BREAKPOINT: _bare,
    ActionKind.PANIC: _bare,
    ActionKind.CHILL: _bare,
    ActionKind.RAISE: _bare,
    ActionKind.SPECULATE: _bare,
    ActionKind.COMMIT: _bare,
    ActionKind.DISCARD: _bare,
    ActionKind.EXIT: _own,
}
FORMATTED = frozenset({ActionKind.PRINTF, ActionKind.PRINTA, ActionKind.SYSTEM, ActionKind.FREOPEN,
                       ActionKind.DIFEXPR})


class ClauseBuilder:
    """Turns one DOF description into a Clause, refusing what the kernel refuses.

    `new_format` gives a string its number, `new_aggregation` an id.
    """

    def __init__(self, options: Options, new_format: Callable[[str], int],
                 new_aggregation: Callable[[Aggregation], int]) -> None:
        self._options = options
        self._new_format = new_format
        self._new_aggregation = new_aggregation

    def build(self, desc: model.Ecb, predicate: Code | None, codes: list[Code | None]) -> Clause:
        """The laid-out clause; `codes` are its actions' DIF, in order.  Raises Refused."""
        check_actions(desc.actions)
        clause = Clause(desc.probe, predicate, desc.uarg)
        for action, code in zip(desc.actions, codes, strict=True):
            if action.kind & 0xFF00 == ActionClass.AGGREGATION:
                self._aggregate(clause, action, code)
            else:
                self._record(clause, action, code)
        clause.lay_out()
        return clause

    def _record(self, clause: Clause, desc: model.Action, code: Code | None) -> None:
        rtype = code.difo.rtype if code is not None else DifType()
        size, arg = _SIZES[desc.kind](desc, rtype, self._options)
        if size > RECORD_MAX:
            raise Refused("record of an action is too large")
        number = self._new_format(desc.string) if desc.kind in FORMATTED and desc.string is not None else 0
        clause.actions.append(Action(len(clause.actions) + 1, desc.kind, code, size, arg, desc.uarg,
                                     number, alignment(size)))

    def _aggregate(self, clause: Clause, desc: model.Action, code: Code | None) -> None:
        size = aggregation.value_size(desc.kind, desc.arg)
        keys = clause.actions[-desc.ntuple:]
        new = Aggregation(len(clause.actions) + 1, desc.kind, code, size, desc.arg, desc.uarg, 0, 8)
        new.initial = aggregation.initial(desc.kind, desc.arg)
        last = keys[-1]
        if last.kind == ActionKind.DIFEXPR and last.code is not None and not last.code.difo.rtype.size \
                and last.code.difo.rtype.kind != isa.TYPE_STRING:
            new.operand = last
        for key in keys:
            key.in_tuple = True
        keys[0].alignment = max(keys[0].alignment, _EPID_SIZE)
        new.keys = [key for key in keys if key is not new.operand]
        new.id = self._new_aggregation(new)
        clause.actions.append(new)

