"""What the pid provider does to code before it traces it: decode, look around, plan, build copies."""

from __future__ import annotations

from typing import Any

from runtime.providers.fasttrap.instructions.treatment import Plan, Treatment, Unreachable

NEAR, FAR = 0x1000, 0x7FFF_0000_0000  # where a slot may lie
MOST = 12  # instructions of an input


def plan_all(isa: Any, code: bytes, start: int) -> object:
    """Plan each instruction of `code`, which begins at `start`; the treatments of those there are."""
    before, ends = None, []
    for each in isa.walk(code, start)[:MOST]:
        isa.text(each), isa.is_return(each), isa.is_jump(each), isa.never_continues(each)
        isa.direct_target(each), isa.data_reference(each)
        if before is not None:
            isa.undefined_behind(before, each)
        before = each
        ends.append(planned(isa, code[each.address - start:], each.address).treatment)
    if not ends:
        ends.append(planned(isa, code, start).treatment)
    return tuple(sorted({str(each) for each in ends}))


def planned(isa: Any, code: bytes, pc: int) -> Plan:
    """The plan for one instruction; AssertionError if it contradicts itself."""
    plan: Plan = isa.plan(code[:isa.longest], pc)
    if plan.treatment in (Treatment.DISPLACED, Treatment.REWRITTEN):
        assert plan.build is not None, "nothing builds the copy"
        for slot in (start for start in (pc + NEAR, FAR) if isa.bits == 64 or start < 1 << 32):
            try:
                copy = plan.build(slot, pc)
            except Unreachable:
                loan = plan.loan() if plan.loan is not None else None
                copy = loan.copy if loan is not None else None
            if copy is not None:
                assert 0 < len(copy.code) <= isa.slot_size, f"{len(copy.code)} bytes in a slot"
                places = [place for place, _pc, _depth in copy.restarts]
                assert places == sorted(places) and places[0] == 0, f"restarts {places}"
                assert places[-1] <= len(copy.code), f"restarts {places} of {len(copy.code)} bytes"
    if plan.treatment is not Treatment.REFUSED:
        assert code.startswith(plan.code) and plan.code, "the plan is for another instruction"
    return plan
