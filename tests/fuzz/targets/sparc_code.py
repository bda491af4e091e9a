"""SPARC code under the pid provider: any word gets a plan, or is refused, in V8 and in V9."""

from __future__ import annotations

from runtime.providers.fasttrap.instructions.sparc import Sparc
from tests.fuzz import instructions
from tests.fuzz.engine import Target
from tests.fuzz.mutation import blind, fields, mixed

WORDS = (0x01000000, 0x81C7E008, 0x81C3E008, 0x40000010, 0x9DE3BFA0, 0x81E80000, 0x10800004, 0x02BFFFFC,
         0x0AC10006,
         0x91D02038, 0x03000040, 0x8210_2001, 0xC2002004, 0xC4206008, 0x30480004, 0x81CFE008, 0x8143E00F,
         0xC1102004)


class _Planning:
    def __init__(self) -> None:
        self._sets = Sparc(32), Sparc(64)

    def __call__(self, data: bytes) -> object:
        return instructions.plan_all(self._sets[len(data) >> 2 & 1], data, 0x10000)


def seeds() -> list[bytes]:
    words = [word.to_bytes(4, "big") for word in WORDS]
    return [*words, b"".join(words)]


def target() -> Target:
    def located(data: bytes) -> list[tuple[int, int, str]]:
        return [(at, 4, "big") for at in range(0, len(data) - 3, 4)]

    return Target(_Planning(), (), mixed((2, fields(located, 0.7)), (1, blind)), seeds)
