"""The instructions of a function, and where it returns.

The text is decoded from the beginning on, and its control flow followed from
the entry.  Where the two disagree, where bytes are no instructions, or where
the function reads its own text as data, only what control flow reaches counts
as instructions; the rest is refused.
"""

from __future__ import annotations

from typing import TypeVar

from dif.records import Record, field
from runtime.programs.objectfile import Function, ObjectFile
from runtime.providers.fasttrap.instructions.space import Instruction, InstructionSet

I = TypeVar("I", bound=Instruction)  # noqa: E741


class Body(Record):
    """What is known of a function's text; addresses as the file counts them.

    `instructions` are those that can be traced, in order; after those in `returns` the function may be left.
    `refused` has the reason for each stretch that does not count as instructions, by where it starts.
    `jumps` are the computed jumps that may lead to such stretches.
    """

    instructions: list[int] = field(default_factory=list)
    returns: list[int] = field(default_factory=list)
    refused: dict[int, str] = field(default_factory=dict)
    jumps: list[int] = field(default_factory=list)


def analyse(file: ObjectFile, function: Function, isa: InstructionSet[I]) -> Body:
    """Find the instructions and the return points of a function and of its cold parts."""
    body = Body()
    for start, size in [(function.start, function.size), *function.cold]:
        part = _part(file, function, isa, start, size, body)
        for before, instruction in zip([None, *part], part, strict=False):
            if before is not None and (why := isa.undefined_behind(before, instruction)):
                body.refused[instruction.address] = why
                continue
            body.instructions.append(instruction.address)
            if _may_return(function, isa, instruction):
                body.returns.append(instruction.address)
    return body


def _part(file: ObjectFile, function: Function, isa: InstructionSet[I], start: int, size: int,
          body: Body) -> list[I]:
    code = file.code(start, size)
    sweep = isa.walk(code, start)
    end = sweep[-1].address + sweep[-1].size if sweep else start
    by_address = {instruction.address: instruction for instruction in sweep}
    data = {address for instruction in sweep if (address := isa.data_reference(instruction)) is not None
            and start <= address < start + size}
    if end >= start + len(code) and not data:
        return sweep
    reached = _follow(isa, code, start, function)
    body.jumps += [each.address for each in reached.values()
                   if isa.is_jump(each) and isa.direct_target(each) is None]
    refused = body.refused
    if end < start + len(code):
        refused[end] = "no instruction"
    for address in sorted(data - reached.keys()):
        refused[address] = "data"
    before_reached = True
    for address in sorted(by_address):
        if address not in reached and before_reached:  # a stretch begins
            refused.setdefault(address, "not reached by control flow, next to data")
        before_reached = address in reached
    return [reached[address] for address in sorted(reached)]


def _follow(isa: InstructionSet[I], code: bytes, start: int, function: Function) -> dict[int, I]:
    """Every instruction that can be reached by jumps, and by going on to the next one."""
    reached: dict[int, I] = {}
    todo = [start]
    while todo:
        address = todo.pop()
        while start <= address < start + len(code) and address not in reached:
            instruction = isa.decode(code[address - start:], address)
            if instruction is None:
                break
            reached[address] = instruction
            target = isa.direct_target(instruction)
            if target is not None and isa.is_jump(instruction):
                todo.append(target)
            if isa.never_continues(instruction):
                break
            address += instruction.size
    return reached


def _may_return(function: Function, isa: InstructionSet[I], instruction: I) -> bool:
    """Whether executing it may leave the function: `ret`, or a jump out of it."""
    if isa.is_return(instruction):
        return True
    if not isa.is_jump(instruction):
        return False
    target = isa.direct_target(instruction)
    return target is None or not function.contains(target)
