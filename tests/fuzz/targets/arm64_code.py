"""AArch64 code under the pid provider: any word gets a plan, or is refused."""

from __future__ import annotations

from runtime.providers.fasttrap.instructions.arm64 import Arm64
from tests.fuzz import instructions
from tests.fuzz.engine import Target
from tests.fuzz.mutation import blind, fields, mixed

WORDS = (0xD503201F, 0xD503245F, 0x14000002, 0x94000002, 0x54000041, 0x34000045, 0x36080045, 0xD61F0220,
         0xD63F0220, 0xD65F03C0, 0xD65F0BFF, 0xD71F0822, 0xD73F0822, 0x10000051, 0x90000051, 0x58000051,
         0x98000051, 0x9C000051, 0xD4000001, 0xD42000E0, 0xA9BF7BFD, 0xC85F7C20, 0xC8017C20, 0x8B020020,
         0x4E227C20, 0xD503233F, 0x00000000)


class _Planning:
    def __init__(self) -> None:
        self._isa = Arm64()

    def __call__(self, data: bytes) -> object:
        return instructions.plan_all(self._isa, data, 0x10000)


def seeds() -> list[bytes]:
    words = [word.to_bytes(4, "little") for word in WORDS]
    return [*words, b"".join(words)]


def target() -> Target:
    def located(data: bytes) -> list[tuple[int, int, str]]:
        return [(at, 4, "little") for at in range(0, len(data) - 3, 4)]

    return Target(_Planning(), (), mixed((2, fields(located, 0.7)), (1, blind)), seeds)
