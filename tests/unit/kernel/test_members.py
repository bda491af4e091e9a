"""What members of the kernel's structures hold, worked out from the objects that they show."""

from __future__ import annotations

import stat
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.kernel.memory.placement import Kind
from runtime.kernel.net.address import AF_INET, AF_INET6, Address
from runtime.kernel.objects import members
from runtime.kernel.vfs.disk.block import PAGE, BufferCache


class Shown:
    """Objects at addresses: each is where its kind and name say."""

    def __init__(self, **kernel: Any) -> None:
        self.kernel: Any = SimpleNamespace(**kernel)

    def address(self, kind: Kind, shown: Any) -> Any:
        return (kind, getattr(shown, "tid", getattr(shown, "pid", shown))) if shown is not None else 0


def thread(tid: int = 5, **more: Any) -> Any:
    """One that sleeps."""
    given = {"dead": False, "context": object(), "running": False, "cpu": None, "queues": [],
             "process": SimpleNamespace(stopped=False, zombie=False, nice=0, threads=[]), **more}
    return SimpleNamespace(tid=tid, **given)


def on_cpu(**more: Any) -> Any:
    one = thread(running=True, **more)
    one.cpu = SimpleNamespace(current=one)
    return one


RUNNABLE = thread(running=True)
SWITCHED = thread(running=True, cpu=SimpleNamespace(current=RUNNABLE))


@pytest.mark.parametrize(("shown", "state"), [
    (thread(dead=True), 8), (thread(process=SimpleNamespace(stopped=True)), 16), (thread(context=None), 4),
    (thread(), 1), (on_cpu(), 4), (RUNNABLE, 2), (SWITCHED, 2)])
def test_states_of_threads(shown: Any, state: int) -> None:
    objects: Any = Shown()
    assert members._thread_state(objects, shown) == state


@pytest.mark.parametrize(("threads", "zombie", "state"), [
    ([], True, 3), ([thread()], False, 1), ([thread(), RUNNABLE], False, 2), ([RUNNABLE, on_cpu()], False, 6),
    ([thread(process=SimpleNamespace(stopped=True))], False, 4), ([thread(dead=True)], False, 1)])
def test_states_of_processes(threads: list[Any], zombie: bool, state: int) -> None:
    objects: Any = Shown()
    process: Any = SimpleNamespace(threads=threads, zombie=zombie)
    assert members._process_state(objects, process) == state


@pytest.mark.parametrize(("context", "tid", "nice", "priority"), [
    (None, 0, 0, -1), (None, 1, 0, 60), (None, 7, 5, 60), (object(), 7, 0, 59), (object(), 7, 19, 40),
    (object(), 7, -20, 59), (object(), 7, 59, 0), (object(), 7, 70, 0)])
def test_priorities(context: object, tid: int, nice: int, priority: int) -> None:
    objects: Any = Shown()
    shown = thread(tid, context=context, process=SimpleNamespace(nice=nice))
    assert members._priority(objects, shown) == priority


@pytest.mark.parametrize(("mask", "cpus", "bound"), [
    (1, 2, 0), (2, 2, 1), (8, 4, 3), (3, 2, -1), (0, 2, -1), (1, 1, -1), (6, 4, -1)])
def test_who_is_bound_to_a_cpu(mask: int, cpus: int, bound: int) -> None:
    objects: Any = Shown()
    shown = thread(affinity=mask, kernel=SimpleNamespace(ncpus=cpus))
    assert members._bound_cpu(objects, shown) == bound


def test_what_a_thread_waits_for() -> None:
    queue: Any = object()
    assert members._sleep_queue(thread(queues=[queue, object()])) is queue
    assert members._sleep_queue(thread()) is None
    assert members._sleep_queue(thread(queues=[queue], running=True)) is None
    objects: Any = Shown(scheduler=SimpleNamespace(cpu="this"))
    assert members._cpu_of(objects, thread()) == (Kind.CPU, "this")
    assert members._cpu_of(objects, thread(cpu="that")) == (Kind.CPU, "that")


def test_rings_of_threads() -> None:
    """A process's, and all; one that is in none is its own neighbour."""
    process = SimpleNamespace(threads=[])
    one, two, three, other = (thread(tid, process=process) for tid in (1, 2, 3, 9))
    process.threads += [one, two, three]
    objects: Any = Shown(threads={each.tid: each for each in (one, two, three)})
    for step in (1, -1):
        member = members._sibling(Kind.THREAD, step)
        ring: list[Any] = [one, two, three][::step]
        for each, following in zip(ring, [*ring[1:], ring[0]], strict=True):
            assert member(objects, each) == members._all_threads(objects, each, step)
            assert member(objects, each) == (Kind.THREAD, following.tid)
        assert member(objects, other) == members._all_threads(objects, other, step) == (Kind.THREAD, 9)


def test_lists_of_processes() -> None:
    """The kernel's own come first; lists have ends, and what is in none has no neighbour."""
    family: list[Any] = []
    parent = SimpleNamespace(children=family)
    first, second, third, other = (SimpleNamespace(pid=pid, parent=parent) for pid in (0, 4, 5, 9))
    family += [second, third]
    orphan: Any = SimpleNamespace(pid=10, parent=None)
    objects: Any = Shown(system={0: first}, processes={4: second, 5: third})
    following, before = members._neighbour(1), members._neighbour(-1)
    assert [following(objects, each) for each in (first, second, third, other)] == [
        (Kind.PROCESS, 4), (Kind.PROCESS, 5), 0, 0]
    assert [before(objects, each) for each in (first, second, third, other)] == [
        0, (Kind.PROCESS, 0), (Kind.PROCESS, 4), 0]
    assert [members._next_sibling(objects, each) for each in (second, third, other, orphan)] == [  # type: ignore[arg-type]
        (Kind.PROCESS, 5), 0, 0, 0]


def test_memory_of_a_process() -> None:
    areas = [SimpleNamespace(start=0x1000, end=0x2000, growsdown=False),
             SimpleNamespace(start=0x7000, end=0x9000, growsdown=True)]
    process: Any = SimpleNamespace(space=SimpleNamespace(areas=areas, brk_start=0x3000), initial_stack=0x8F00,
                                   bits=64, start_time=7)
    gone: Any = SimpleNamespace(space=None, initial_stack=0, bits=64)
    objects: Any = Shown(walltime_offset=100)
    assert (members._stack(process), members._stack(gone)) == ((0x7000, 0x9000), (0, 0))
    assert [members._space("brk_start")(objects, each) for each in (process, gone)] == [0x3000, 0]
    assert members._space("absent")(objects, process) == 0
    assert [members._on_stack(each, 3) for each in (process, gone)] == [0x8F18, 0]
    process.bits = 32
    assert members._on_stack(process, 3) == 0x8F0C
    assert members._started(objects, process) == 107


def test_file_systems() -> None:
    class Root:
        def __init__(self, name: str) -> None:
            self.file_system = name
    root, proc, made = map(Root, ("ufs", "proc", "tmpfs"))
    objects: Any = Shown(vfs=SimpleNamespace(root=root, mounts={root: None, proc: 1, made: 2}))

    def node(kind: int, mounted: object) -> Any:
        return SimpleNamespace(kind=kind, mount_root=lambda: mounted)
    shown = [members._operations(objects, node(kind, mounted)) for kind, mounted in (
        (stat.S_IFIFO, proc), (stat.S_IFSOCK, None), (stat.S_IFREG, proc), (stat.S_IFREG, None))]
    assert shown == ["fifofs", "sockfs", "proc", "ufs"]
    following: Any = [members._next_mount(objects, each) for each in (root, proc, made)]  # type: ignore[arg-type]
    assert following == [proc, made, None]


def test_who_a_process_is() -> None:
    objects: Any = Shown()
    identity = SimpleNamespace(groups=tuple(range(1, 20)), privileges=1, inheritable=1 << 40, permitted=2,
                               limit=(1 << 96) - 1)
    process: Any = SimpleNamespace(identity=identity, terminal=None)
    assert members._groups(objects, process) == b"".join(
        number.to_bytes(4, "little") for number in range(1, 17))
    assert members._privileges(objects, process) == (
        b"\1".ljust(12, b"\0") + b"\0\0\0\0\0\1".ljust(12, b"\0") + b"\2".ljust(12, b"\0") + b"\xff" * 12)
    assert members._terminal_device(objects, process) == 0
    process.terminal = SimpleNamespace(node=SimpleNamespace(attributes=SimpleNamespace(rdev=0x8801)))
    assert members._terminal_device(objects, process) == 0x8801
    assert members._signals(1 << 64 | 5) == b"\5".ljust(8, b"\0")


def test_ends_of_connections() -> None:
    objects: Any = Shown()
    four = SimpleNamespace(local=Address(AF_INET, b"\x7f\0\0\1", 0x1234), remote=None, initial=5, sent=2)
    six = SimpleNamespace(local=Address(AF_INET6, bytes(15) + b"\1", 80), remote=four.local)
    none = SimpleNamespace(local=None, remote=None)
    sockets: list[Any] = [four, six, none]
    assert [members._version(objects, each) for each in sockets] == [4, 6, 4]
    assert [members._port("local")(objects, each) for each in sockets] == [b"\x12\x34", b"\0\x50", b"\0\0"]
    assert [members._host("local")(objects, each) for each in sockets] == [
        bytes(10) + b"\xff\xff\x7f\0\0\1", bytes(15) + b"\1", bytes(16)]
    assert [members._host("remote")(objects, each) for each in sockets] == [
        bytes(16), bytes(10) + b"\xff\xff\x7f\0\0\1", bytes(16)]
    assert [members._next(each) for each in (sockets[0], None)] == [7, 0]


def test_cpus_and_disks() -> None:
    cpus = [SimpleNamespace(number=number) for number in range(3)]
    objects: Any = Shown(scheduler=SimpleNamespace(cpus=cpus))
    assert [members._next_cpu(objects, each).number for each in cpus] == [1, 2, 0]  # type: ignore[arg-type]
    buffer: Any = SimpleNamespace(device=0x801)
    assert members._disk(buffer) == 8 << 32 | 1
    cells: Any = [members.ARRAYS[Kind.FILES][0](SimpleNamespace(file_table=table)) for table in (
        SimpleNamespace(length=32), None)]
    assert cells == [32, 0]


def test_what_a_cache_holds() -> None:
    """Clusters of 64 KB; what lies behind a file's end needs none, and is not written."""
    cluster = 65536
    node: Any = SimpleNamespace(attributes=SimpleNamespace(dev=1, ino=2, size=3 * cluster + 5), dirty=None)
    cache = BufferCache()
    reads = cache.missing(node, cluster - 1, 2)
    assert [(each.offset, each.count, each.is_read) for each in reads] == [(0, cluster, True),
                                                                          (cluster, cluster, True)]
    assert not cache.missing(node, 0, 2 * cluster)
    held = [cache.holds(node, offset, size) for offset, size in (
        (0, 2 * cluster), (0, 2 * cluster + 1), (2 * cluster, 1), (2 * cluster, 0), (3 * cluster + 5, 9),
        (3 * cluster + 4, 9), (5 * cluster, 1))]
    assert held == [True, False, False, True, True, False, True]
    cache.written(node, 3 * cluster - 1, 3)
    assert cache.holds(node, 2 * cluster, 9 * cluster)
    assert [(each.offset, each.count, each.is_read) for each in cache.pending(node)] == [
        (2 * cluster, cluster, False), (3 * cluster, PAGE, False)]
    node.attributes.size = 3 * cluster
    assert [each.offset for each in cache.dirty(node)] == [2 * cluster]
    assert node.dirty is None and not cache.pending(node) and not cache.missing(node, 3 * cluster, 1)
