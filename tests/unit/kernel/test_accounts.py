"""What parts of the kernel take from a budget, they give back: by value, after any sequence of calls."""

from __future__ import annotations

import errno
import random
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.kernel.base.budgets import Budget
from runtime.kernel.base.identity import Identity
from runtime.kernel.objects.members import _groups
from runtime.kernel.objects.variables import _anoninfo, _flushed, _load_average
from runtime.kernel.process.daemons import Flush
from runtime.kernel.process.sysvipc import IPC_PRIVATE, Ipc, MessageQueue
from runtime.kernel.vfs import locks
from runtime.kernel.vfs.locks import END, LOCK, Lock, LockTable
from runtime.kernel.vfs.pipe import Pipe


class Plain:
    """Locks byte by byte: who has which kind on each of the first hundred."""

    def __init__(self) -> None:
        self.held: dict[object, list[bool | None]] = {}

    def set(self, owner: object, kind: bool | None, start: int, end: int) -> bool:
        others = [row for other, row in self.held.items() if other is not owner]
        for at in range(start, end):
            if kind is not None and any(row[at] is not None and (kind or row[at]) for row in others):
                return False
        row = self.held.setdefault(owner, [None] * 100)
        row[start:end] = [kind] * (end - start)
        return True

    def count(self) -> int:
        """How many stretches of one kind there are."""
        return sum(kind is not None and (at == 0 or row[at - 1] is not kind)
                   for row in self.held.values() for at, kind in enumerate(row))


def test_locks_are_as_byte_by_byte_and_paid_for() -> None:
    draw, heap, plain = random.Random(7), Budget(1 << 40), Plain()
    table, owners = LockTable(heap), [object(), object(), object()]
    for _ in range(3000):
        owner, start = draw.choice(owners), draw.randrange(99)
        end = draw.randrange(start + 1, min(start + 12, 100) + 1)
        kind = draw.choice([None, False, False, True])
        if kind is None:
            table.clear(owner, start, end)
            plain.set(owner, None, start, end)
        else:
            assert table.set(Lock(owner, kind, start, end, 5)) == plain.set(owner, kind, start, end)
        assert heap.used == LOCK * plain.count()
    for owner in owners:
        table.clear(owner, 0, END)
    assert heap.used == 0


def test_a_file_has_a_most_of_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "MOST_LOCKS", 10)
    table, owner = LockTable(), object()
    for number in range(9):
        assert table.set(Lock(owner, True, 2 * number, 2 * number + 1))
    with pytest.raises(OSError) as caught:  # one may be cut in two
        table.set(Lock(owner, True, 1 << 20, (1 << 20) + 1))
    assert caught.value.errno == errno.ENOLCK
    table.clear(owner, 0, 1)
    assert table.set(Lock(owner, True, 1 << 20, (1 << 20) + 1))
    poor = LockTable(Budget(2 * LOCK, errno.ENOMEM))
    assert poor.set(Lock(owner, True, 0, 1))
    with pytest.raises(OSError) as caught:
        poor.set(Lock(owner, True, 2, 3))
    assert caught.value.errno == errno.ENOLCK


def test_a_pipe_is_full_at_its_capacity() -> None:
    heap = Budget(1 << 20)
    pipe = Pipe(heap)
    pipe.readers = pipe.writers = 1
    assert pipe.write(b"x" * 65536) == 65536 and heap.used == 65536
    with pytest.raises(BlockingIOError):
        pipe.write(b"x")
    assert pipe.write(b"") == 0 and pipe.read(0) == b"" and len(pipe.read(4096)) == 4096
    for size in (4097, 4096):  # what is no larger than a page goes in as a whole, anything else as it fits
        assert pipe.write(b"y" * size) == 4096 and len(pipe.read(4096)) == 4096
    assert pipe.write(b"q" * 4096) == 4096 and len(pipe.read(100)) == 100
    with pytest.raises(BlockingIOError):
        pipe.write(b"z" * 4096)
    assert pipe.write(b"z" * 4097) == 100
    used = heap.used
    assert used == len(pipe.data)
    pipe.put_back(b"back")
    assert heap.used == used + 4 and pipe.read(4) == b"back"
    pipe.readers = 0
    with pytest.raises(BrokenPipeError):
        pipe.write(b"")
    pipe.writers = 0
    while pipe.read(10_000):
        pass
    assert heap.used == 0 and pipe.read(5) == b""


def test_variables_by_value() -> None:
    threads = {n: SimpleNamespace(running=n < 3) for n in range(5)}
    kernel = SimpleNamespace(threads=threads, processes={})
    assert _load_average(None, kernel) == b"\x00\x03\0\0" * 3  # type: ignore[arg-type]
    words = _flushed(Flush(examined=5, written=6, time=7))
    assert [int.from_bytes(words[at:at + 8], "little") for at in range(0, 56, 8)] == [5, 5, 6, 6, 0, 7, 0]
    assert len(words) == 56 and _anoninfo(None, kernel) == bytes(40)  # type: ignore[arg-type]
    who = SimpleNamespace(identity=SimpleNamespace(groups=tuple(range(1, 20))))
    found = _groups(None, who)  # type: ignore[arg-type]
    assert found == b"".join(number.to_bytes(4, "little") for number in range(1, 17))


def test_removed_objects_of_system_v_give_their_memory_back() -> None:
    """A queue takes a kibibyte, and has room again where another one went; more than there is has none."""
    process: Any = SimpleNamespace(zone=object(), identity=Identity(0, 0))
    heap = Budget(4 * 1024)
    queues = Ipc(heap).messages

    def make() -> MessageQueue:
        return queues.get(IPC_PRIVATE, 0, process,
                          lambda: MessageQueue(IPC_PRIVATE, 0o600, process.identity, 0))
    for _ in range(20):
        made = [make() for _ in range(4)]
        assert heap.used == 4 * 1024
        with pytest.raises(OSError, match="No space"):
            make()
        for each in made:
            queues.remove(each)
        assert heap.used == 0
