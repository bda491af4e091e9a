"""From the error of a clause to the place in the program's source, and what was wrong there.

A kernel tells which enabling failed, in which action and at which offset of its DIF.  The session that has
compiled the program knows what each instruction was generated from; of DOF from elsewhere nothing is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from dc.diagnostics import Span
from dif.records import Record, replace
from dof.globs import matches
from runtime.border import BorderError
from runtime.consumer.aggregations.byinstance import by_instance
from runtime.consumer.aggregations.entries import INSTANCE_KEY
from runtime.consumer.events.answers import APART, CLAUSE, recorded
from runtime.consumer.events.errors import AnswerError
from runtime.consumer.events.notices import Place
from runtime.consumer.explanations import explain, general
from runtime.consumer.reader import ERROR_ECB
from runtime.consumer.sourcetext import Text

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dc.compiler import ClauseInfo, CompileResult
    from dc.generation.generator import Generated
    from dof.model import Ecb, Program
    from runtime.border import ProbeDescription
    from runtime.consumer.events.descriptions import Descriptions
    from runtime.consumer.events.notices import Fault

    # a program, its text, the script's path ("" if it is none), and the text before it was preprocessed
    Compiled = tuple[CompileResult, str, str, str]

_INSTRUCTION = 4  # bytes of an instruction
_FAULTS = 10_000  # faults that are remembered
_ENABLINGS = 1 << 20  # that are looked at


class _Clause(Record):
    """An enabled clause; `info` and `text` are None where it was compiled elsewhere."""

    ecb: Ecb
    info: ClauseInfo | None = None
    text: Text | None = None

    def own(self, action: int) -> int:
        """The number of an action in the program, from that in a clause with instances as keys."""
        sent = by_instance(self.ecb, INSTANCE_KEY).actions[:max(action, 0)]
        return action - sum(each.uarg == INSTANCE_KEY for each in sent)

    def source(self, action: int) -> Generated | Span | None:
        """Return what an action (0 the predicate) was generated from, or where its statement stands."""
        if self.info is None or not 0 <= action <= len(self.ecb.actions):
            return None
        if action == 0:
            return self.info.sources[0]
        return self.info.sources[action] or self.info.statements.get(self.ecb.actions[action - 1].uarg)


class Sources:
    """The clauses of a session: those of all programs that were enabled, in their order."""

    def __init__(self, descriptions: Descriptions, compiled: Sequence[Compiled], enabled: Sequence[Program]
                 ) -> None:
        self._descriptions = descriptions
        self._clauses: list[_Clause] = []
        self._found: dict[int, tuple[_Clause | None, bool]] = {}  # by enabling
        self._located: dict[tuple[int, ...], tuple[Place, str] | None] = {}
        self._numbered, self._turns, self._alike = 0, dict[int, int](), Counter[object]()  # see `_turn`
        known = {id(result.program): (result.clauses, Text(*text)) for result, *text in compiled}
        for program in enabled:
            infos, lines = known.get(id(program), ([None] * len(program.ecbs), None))
            self._clauses += [_Clause(ecb, info, lines)
                              for ecb, info in zip(program.ecbs, infos, strict=True) if ecb.uarg != ERROR_ECB]
        self._recording: dict[tuple[int, ...], list[_Clause]] = {}  # by the statements that they record
        for each in self._clauses:
            self._recording.setdefault(tuple(action.uarg for action in recorded(each.ecb)), []).append(each)

    def locate(self, fault: Fault, absent: bool) -> Fault:
        """The error with its place and what is known of the value; as it is where neither is known.

        With `absent`, the memory is there once the program has used it.
        """
        if fault.epid not in self._found:
            self._found[fault.epid] = self._clause_of(fault.epid)
        clause, apart = self._found[fault.epid]
        if clause is None:
            return fault
        if apart:
            fault = replace(fault, action=clause.own(fault.action))
        key = fault.epid, fault.action, fault.offset, fault.fault, fault.address, absent
        if key not in self._located:
            if len(self._located) >= _FAULTS:
                self._located.clear()
            self._located[key] = _look(clause, fault, absent)
        found = self._located[key]
        return fault if found is None else replace(fault, source=found[0], why=found[1])

    # -- which clause it is ----------------------------------------------------------------------------

    def _clause_of(self, epid: int) -> tuple[_Clause | None, bool]:
        """The clause of an enabling, and whether it was sent with instances as keys."""
        told = self._descriptions.ecb(epid)
        if told.uarg >= CLAUSE:
            return _at(self._clauses, told.uarg & (CLAUSE - 1)), bool(told.uarg & APART)
        fits = self._recording.get(tuple(record.uarg for record in told.records), [])
        if len(fits) > 1:  # they aggregate only, or another compiler has numbered statements, too
            probe = self._descriptions.probe(told.probe_id)
            fits = [each for each in fits if _means(each.ecb, probe)]
        return _at(fits, self._turn(epid) if len(fits) > 1 else 0), False

    def _turn(self, epid: int) -> int:
        """How many enablings of the same probe with equal records come before: a kernel numbers them in the
        order of their clauses.
        """
        for number in range(self._numbered + 1, min(epid, _ENABLINGS) + 1):
            self._numbered = number
            with suppress(BorderError, AnswerError):
                told = self._descriptions.ecb(number)
                alike = told.probe_id, tuple(record.uarg for record in told.records)
                self._turns[number] = self._alike[alike]
                self._alike[alike] += 1
        return self._turns.get(epid, _ENABLINGS)


def _at(clauses: Sequence[_Clause], index: int) -> _Clause | None:
    return clauses[index] if index < len(clauses) else None


def _look(clause: _Clause, fault: Fault, absent: bool) -> tuple[Place, str] | None:
    """The place of an error, and what was wrong there."""
    source, text = clause.source(fault.action), clause.text
    if source is None or text is None:
        return None
    if isinstance(source, Span):
        return text.place(source), general(fault.fault)
    at = fault.offset // _INSTRUCTION if 0 <= fault.offset < _INSTRUCTION * len(source.parts) else -1
    part = source.parts[at] if at >= 0 else None
    why = explain(fault.fault, fault.address, source, at, text.of, absent)
    return text.place_of(part or source.value), why


def _means(ecb: Ecb, probe: ProbeDescription) -> bool:
    return all(map(matches, ecb.probe[:4], probe[1:]))
