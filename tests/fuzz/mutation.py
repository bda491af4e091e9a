"""How inputs are made of other inputs.

`blind` changes bytes anywhere.  `fields` changes numbers where a format has them, which a function tells that
knows the format.  `tokens` changes texts word by word.  `Grammar` writes texts from rules.  All take a
random.Random and nothing else that could vary: a seed repeats a run.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

Field = tuple[int, int, str]  # offset, bytes, byte order
Locate = Callable[[bytes], Sequence[Field]]
T = TypeVar("T")
Mutator = Callable[[random.Random, bytes, Sequence[bytes]], bytes]

BYTES = (0, 1, 2, 4, 7, 8, 0x10, 0x20, 0x3F, 0x40, 0x7F, 0x80, 0xFE, 0xFF)
TOKEN = re.compile(rb"\s+|[A-Za-z_$][\w$]*|0[xX][0-9a-fA-F]+|\d+|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?"
                   rb"|->|<<=|>>=|\+\+|--|[-+*/%&|^<>=!]=|&&|\|\||\^\^|<<|>>|.", re.DOTALL)


def number(rng: random.Random, bits: int, old: int = 0) -> int:
    """A number that is likely to be a border case, of so many bits; or one near `old`."""
    kind = rng.randrange(6)
    if kind == 0:
        value = old + rng.choice((-1, 1, -8, 8, -2, 2, 4, 16))
    elif kind == 1:
        value = rng.randrange(0, 70)
    elif kind == 2:
        value = 1 << rng.randrange(bits)
    elif kind == 3:
        value = (1 << rng.randrange(1, bits + 1)) - rng.randrange(1, 9)
    elif kind == 4:
        value = rng.getrandbits(bits)
    else:
        value = rng.choice((0, 1, -1, (1 << bits - 1) - 1, 1 << bits - 1))
    return value & (1 << bits) - 1


def blind(rng: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Change, insert, remove, repeat bytes; or put a part of another seed in."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        at = rng.randrange(len(out) + 1)
        size = rng.choice((1, 1, 1, 2, 4, 8, 16, 64))
        kind = rng.randrange(8)
        if kind <= 2 and at < len(out):
            out[at] = rng.choice(BYTES) if rng.random() < 0.5 else rng.randrange(256)
        elif kind == 3 and at < len(out):
            out[at] ^= 1 << rng.randrange(8)
        elif kind == 4:
            out[at:at] = rng.randbytes(size)
        elif kind == 5:
            del out[at:at + size]
        elif kind == 6:
            out[at:at] = out[at:at + size] * rng.choice((1, 1, 2, 5))
        elif seeds:
            other = rng.choice(seeds)
            begin = rng.randrange(len(other) + 1)
            out[at:at + rng.choice((0, size))] = other[begin:begin + size * 4]
    return bytes(out)


def fields(locate: Locate, share: float = 0.85) -> Mutator:
    """A mutator that changes the fields which `locate` finds; but for `share` of the inputs it is blind."""
    known: dict[bytes, Sequence[Field]] = {}  # of seeds, which come again and again

    def mutate(rng: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
        if rng.random() >= share:
            return blind(rng, data, seeds)
        found = known.get(data)
        if found is None:
            if len(known) > 3000:
                known.clear()
            found = known[data] = locate(data)
        if not found:
            return blind(rng, data, seeds)
        out = bytearray(data)
        for _ in range(rng.choice((1, 1, 1, 2, 2, 4, 8))):
            at, size, order = rng.choice(found)
            if at + size > len(out):
                continue
            if rng.random() < 0.2:  # the value of another field
                other, length, its = rng.choice(found)
                value = int.from_bytes(out[other:other + length],
                                       its) & (1 << size * 8) - 1  # type: ignore[arg-type]
            else:
                value = number(rng, size * 8, int.from_bytes(out[at:at + size],
                                                             order))  # type: ignore[arg-type]
            out[at:at + size] = value.to_bytes(size, order)  # type: ignore[arg-type]
        return bytes(out)
    return mutate


@lru_cache(maxsize=4096)  # seeds come again and again
def words_of(data: bytes) -> tuple[bytes, ...]:
    """The tokens of a text, blanks among them; put together they are the text."""
    return tuple(TOKEN.findall(data))


def tokens(words: Sequence[bytes] = (), share: float = 0.9, longest: int = 6000) -> Mutator:
    """A mutator for texts: it replaces, inserts, removes, repeats and swaps tokens.

    New ones come from `words`, from the text itself and from other seeds.
    """
    def one(rng: random.Random, mine: Sequence[bytes], theirs: Sequence[bytes]) -> bytes:
        kind = rng.randrange(10)
        if kind <= 3 and words:
            return rng.choice(words)
        if kind <= 5 and theirs:
            return rng.choice(theirs)
        if kind <= 7 and mine:
            return rng.choice(mine)
        if kind == 8:
            return str(number(rng, rng.choice((8, 16, 32, 64)))).encode()
        return bytes([rng.choice((0, 9, 10, 32, 34, 39, 47, 92, 123, 125, 255, rng.randrange(256)))])

    def mutate(rng: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
        if rng.random() >= share or len(data) > longest:
            return blind(rng, data, seeds)[:longest]
        mine = list(words_of(data))
        theirs = words_of(rng.choice(seeds)[:longest])
        for _ in range(rng.choice((1, 1, 2, 3, 5))):
            at = rng.randrange(len(mine) + 1)
            kind = rng.randrange(7)
            if kind <= 1 and at < len(mine):
                mine[at] = one(rng, mine, theirs)
            elif kind == 2:
                mine.insert(at, one(rng, mine, theirs))
            elif kind == 3:
                del mine[at:at + rng.choice((1, 1, 2, 4))]
            elif kind == 4:
                mine[at:at] = mine[at:at + rng.choice((1, 2, 4, 8))] * rng.choice((1, 1, 2, 9))
            elif kind == 5 and mine:
                other = rng.randrange(len(mine))
                here = min(at, len(mine) - 1)
                mine[here], mine[other] = mine[other], mine[here]
            else:
                begin = rng.randrange(len(theirs) + 1)
                mine[at:at] = theirs[begin:begin + rng.choice((2, 4, 12))]
        return b"".join(mine)
    return mutate


def mixed(*mutators: tuple[float, Mutator]) -> Mutator:
    """One of several mutators each time, by their weights."""
    weights, chosen = zip(*mutators, strict=True)

    def mutate(rng: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
        return rng.choices(chosen, weights)[0](rng, data, seeds)
    return mutate


class Grammar:
    """Writes texts from rules: a name → texts, of which one is taken.  <name> in a text stands for a rule.

    Deeper than `depth` the first text of a rule is taken, which therefore must end.
    """

    _REFERENCE = re.compile(r"<(\w+)>")

    def __init__(self, rules: Mapping[str, Sequence[str]], depth: int = 7) -> None:
        self._rules = {name: [self._REFERENCE.split(text) for text in texts]
                       for name, texts in rules.items()}
        self._depth = depth

    def write(self, rng: random.Random, name: str) -> str:
        """A text of the rule `name`."""
        out: list[str] = []
        self._write(rng, name, 0, out)
        return "".join(out)

    def _write(self, rng: random.Random, name: str, depth: int, out: list[str]) -> None:
        texts = self._rules[name]
        parts = texts[0] if depth >= self._depth else rng.choice(texts)
        for index, part in enumerate(parts):
            if index % 2:
                self._write(rng, part, depth + 1, out)
            else:
                out.append(part)

    def mutator(self, name: str) -> Mutator:
        """Writes a new text, whatever it is given."""
        return lambda rng, _data, _seeds: self.write(rng, name).encode()


class Choices:
    """Decisions that an input makes: each takes a byte or two of it; behind its end all are 0.

    So a generator becomes something that bytes can be mutated for, and that gets smaller as they do.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> bool:
        """Whether the input has more to decide."""
        return self._at < len(self._data)

    def below(self, limit: int) -> int:
        """A number from 0 to `limit` - 1."""
        size = 1 if limit <= 256 else 2
        value = int.from_bytes(self._data[self._at:self._at + size], "little")
        self._at += size
        return value % limit

    def of(self, values: Sequence[T]) -> T:
        """One of `values`."""
        return values[self.below(len(values))]


def choices(longest: int) -> Mutator:
    """A mutator for inputs that are read as Choices: half of them are new, of up to `longest` bytes."""
    def mutate(rng: random.Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
        if rng.random() < 0.5:
            return rng.randbytes(rng.randrange(1, longest))
        return blind(rng, data, seeds)[:longest]
    return mutate
