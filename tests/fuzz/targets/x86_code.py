"""x86-64 code under the pid provider: any bytes get a plan, or are refused."""

from __future__ import annotations

from runtime.providers.fasttrap.instructions.x86 import X86
from tests.fuzz import instructions
from tests.fuzz.engine import Target
from tests.fuzz.mutation import blind, mixed

CODE = tuple(bytes.fromhex(text) for text in (
    "55", "4889e5", "c3", "c20800", "e800000000", "e9fcffffff", "eb05", "7405", "0f8400010000",
    "488b0500100000",
    "ff2500100000", "ff1500100000", "ffd0", "ff6008", "e303", "e2fe", "67e302", "f30f1efa", "cc", "cd80",
    "0f05", "0f0b",
    "f4", "c8100001", "6690", "f3a4", "f2ae", "c4e27990c0", "62f17c4810c0", "0fae38", "8f00", "8f3500100000",
    "ff3500100000",
    "48ff2500100000", "9a0000000000", "cb", "cf", "0f01f9", "64488b042528000000", "4c8d1d00100000",
    "c7050010000001000000",
    "0fc70d00100000", "f048ff0500100000", "660f3a0f0500100000ff", "66e80000", "66c3", "f2e900000000",
    "3e7405", "c6f800",
    "c7f800000000", "0f34", "0f35", "e4ff", "48a10000000000000000", "e80500000090c3"))
PREFIXES = (b"\x66", b"\x67", b"\xf2", b"\xf3", b"\xf0", b"\x2e", b"\x3e", b"\x64", b"\x65", b"\x48", b"\x4f",
            b"\x41", b"\x36")


def mutate(rng, data, seeds):  # type: ignore[no-untyped-def]
    """Prefixes, other instructions' bytes behind an opcode, and opcodes with random operands."""
    kind = rng.randrange(5)
    if kind == 0:
        return rng.choice(PREFIXES) + data
    if kind == 1:
        return rng.randbytes(rng.choice((1, 2, 3))) + rng.choice((b"", b"\x05\0\x10\0\0",
                                                                  b"\x04\x25\0\0\0\0")) + rng.randbytes(8)
    if kind == 2:
        return rng.choice(PREFIXES) + rng.choice((b"", b"\x0f", b"\x0f\x38", b"\x0f\x3a")) + rng.randbytes(9)
    return blind(rng, data, seeds)[:64]


class _Planning:
    def __init__(self, bits: int, start: int) -> None:
        self._isa, self._start = X86(bits), start

    def __call__(self, data: bytes) -> object:
        return instructions.plan_all(self._isa, data, self._start)


def made(bits: int, start: int) -> Target:
    """The target of either instruction set."""
    return Target(_Planning(bits, start), (), mixed((4, mutate), (1, blind)), lambda: CODE)


def target() -> Target:
    return made(64, 0x401000)
