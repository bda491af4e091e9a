"""Instructions of one form in a page of code: its words are compared at once, as parts of one long number."""

from __future__ import annotations

from collections.abc import Iterator

from runtime.kernel.memory.physical import PAGE

SIZE = 4  # bytes of an instruction
ONES = sum(1 << 8 * at for at in range(0, PAGE, SIZE))
TOP, REST = 0x80000000 * ONES, 0x7FFFFFFF * ONES


def number(code: bytes | memoryview) -> int:
    """Return code of at most a page, which begins at a multiple of four, as `Form.places` takes it."""
    return int.from_bytes(code, "little")


def word_at(code: bytes | memoryview, place: int) -> int:
    return int.from_bytes(code[place:place + SIZE], "little")


class Form:
    """The words that are `value`, which is not 0, under `mask`."""

    def __init__(self, mask: int, value: int) -> None:
        self.mask, self.value = mask, value
        self._mask, self._value = mask * ONES, value * ONES

    def places(self, code: int) -> Iterator[int]:
        """Yield where such words stand in code, a `number`."""
        unlike = (code ^ self._value) & self._mask
        found = ((unlike & REST) + REST | unlike) & TOP ^ TOP  # the top bits of the words that are like it
        if not found:
            return
        flags = found.to_bytes(PAGE, "little")
        at = flags.find(0x80)
        while at >= 0:
            yield at - SIZE + 1
            at = flags.find(0x80, at + 1)
