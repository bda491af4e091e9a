"""Parts of processes by themselves: who may look into whom, what System V IPC grants, how processes end."""

from __future__ import annotations

import errno
import struct
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.kernel.base.errors import MemoryFault, SyscallError
from runtime.kernel.base.identity import Identity
from runtime.kernel.base.privileges import (
    ALL,
    BASIC,
    IPC_DAC_READ,
    IPC_DAC_WRITE,
    IPC_OWNER,
    PROC_INFO,
    PROC_OWNER,
    PROC_SESSION,
    PROC_SETID,
    PROC_ZONE,
)
from runtime.kernel.base.wait import WaitQueue
from runtime.kernel.process import futex, usermemory
from runtime.kernel.process.lifecycle import Lifecycle
from runtime.kernel.process.process import Process
from runtime.kernel.process.sysvipc import MessageQueue, Registry, Shared
from runtime.kernel.process.zones import Zone, Zones


def zones() -> tuple[Zone, Zone, Zone]:
    made: Any = SimpleNamespace(attach=lambda *_: None)
    known = Zones(made, b"node")
    root: Any = None
    return (known.global_zone, *(known.add(name, f"/zones/{name}".encode(), root, b"", ALL) for name in "ab"))


def process(uid: int = 5, gid: int = 6, *, zone: Zone, sid: int = 1, plus: int = 0, minus: int = 0,
            **ids: Any) -> Process:
    made: Process = object.__new__(Process)
    made.zone, made.sid, made.parent = zone, sid, None
    made.identity = Identity(uid, gid, inheritable=(BASIC | plus) & ~minus)
    for name, value in ids.items():
        setattr(made.identity, name, value)
    return made


def control(who: Process, whom: Process) -> int:
    try:
        who.demand_control(whom)
    except SyscallError as error:
        assert not who.may_control(whom) and error.errno is not None
        return error.errno
    assert who.may_control(whom)
    return 0


ESRCH, EPERM = errno.ESRCH, errno.EPERM
# what is special about the one and about the other: what controlling says, whether it may trace, and knows
CONTROLLED: list[tuple[dict[str, Any], dict[str, Any], int, bool, bool]] = [
    ({}, {}, 0, True, True), ({}, {"uid": 7}, EPERM, False, True), ({}, {"gid": 7}, EPERM, True, True),
    ({"plus": PROC_OWNER}, {"uid": 7}, 0, True, True),
    ({"uid": 0}, {"uid": 7}, 0, True, True), ({}, {"uid": 0}, EPERM, False, True),
    ({"plus": PROC_OWNER}, {"uid": 0}, 0, False, True),  # who would get all privileges from there
    ({"minus": PROC_SESSION}, {"sid": 2}, EPERM, False, True), ({"minus": PROC_SESSION}, {}, 0, False, True),
    ({"minus": PROC_SESSION}, {"minus": PROC_SESSION}, 0, True, True),
    ({"minus": PROC_INFO}, {"minus": PROC_INFO}, 0, True, True),
    ({"minus": PROC_INFO}, {"uid": 7}, EPERM, False, False),
    ({"minus": PROC_INFO | PROC_SESSION}, {"sid": 2, "minus": PROC_INFO | PROC_SESSION}, EPERM, False, False),
    ({}, {"sid": 2}, 0, True, True), ({}, {"protected": True}, EPERM, False, True),
    ({}, {"suid": 7}, EPERM, True, True), ({}, {"ruid": 7}, EPERM, True, True),
    ({"ruid": 7}, {}, 0, False, True), ({"euid": 7}, {}, EPERM, True, True),
    ({}, {"euid": 7}, EPERM, True, True),
    ({}, {"ruid": 7, "suid": 7}, EPERM, True, True), ({}, {"ruid": 7, "euid": 7}, EPERM, True, True),
    ({}, {"ruid": 7, "euid": 7, "suid": 7}, EPERM, False, True), ({}, {"rgid": 7}, EPERM, True, True),
    ({}, {"plus": PROC_OWNER}, 0, False, True)]


@pytest.mark.parametrize("place", range(len(CONTROLLED)))
def test_who_may_look_into_whom(place: int) -> None:
    mine, whose, says, traces, knows = CONTROLLED[place]
    top, one, other = zones()
    for here, there in ((top, top), (one, one), (top, one)):
        who, whom = process(zone=here, **mine), process(zone=there, **whose)
        assert (control(who, whom), who.may_trace(whom), who.knows(whom)) == (says, traces, knows)
        assert who.may_trace(who) and who.knows(who)
    for here, there in ((one, top), (one, other)):
        who, whom = process(zone=here, **mine), process(zone=there, **whose)
        assert (control(who, whom), who.may_trace(whom), who.knows(whom)) == (ESRCH, False, False)


def test_parents_as_zones_know_them() -> None:
    top, one, other = zones()
    for here, there, pid in ((top, top, 7), (one, one, 7), (top, one, 7), (one, top, 1), (one, other, 1)):
        child, parent = process(zone=here), process(zone=there)
        parent.pid = 7
        assert (child.ppid, child.shown_ppid) == (0, 0)
        child.parent = parent
        assert (child.ppid, child.shown_ppid) == (7, pid)


def test_names_and_numbers_of_zones() -> None:
    known = Zones(SimpleNamespace(attach=lambda *_: None), b"node")  # type: ignore[arg-type]
    root: Any = None
    for name in ("", "-a", ".a", "_a", "a b", "a/b", "a" * 65, "global"):
        with pytest.raises(ValueError, match="zone"):
            known.add(name, b"/", root, b"", ALL)
    assert known.add("a" * 64, b"/z", root, b"", ALL, 2).id == 2
    assert [known.add(name, b"/z", root, b"", ALL).id for name in ("1", "a-._b")] == [1, 3]
    for number in range(4):
        with pytest.raises(ValueError, match=f"a zone {number} already"):
            known.add("new", b"/", root, b"", ALL, number)
    chain, at = [], known.global_zone
    while at is not None:
        chain.append(at.id)
        at = at.next  # type: ignore[assignment]
    assert chain == [each.id for each in known] == [0, 2, 1, 3] and known.find("1") and not known.find("new")
    zone = known.add("n", b"/z/n", root, b"", ALL)
    assert [zone.shown(path) for path in (b"/z/n", b"/z/n/x", b"/z/nx", b"/x", b"/z")] == [
        b"/", b"/x", b"/z/nx", b"/x", b"/z"]
    assert known.global_zone.shown(b"/z/n") == b"/z/n"


# -- System V IPC ---------------------------------------------------------------------------------------

def grants(shared: Shared, wanted: int, *who: Any, plus: int = 0) -> bool:
    try:
        shared.demand(Identity(*who, inheritable=plus), wanted)
    except SyscallError as error:
        assert error.errno == errno.EACCES
        return False
    return True


def test_whom_system_v_objects_let() -> None:
    """The owner, the creator; their groups; others: each its own three bits.  Privileges stand in."""
    shared = Shared(7, 0o1642, Identity(5, 6), 0)
    shared.uid, shared.gid = 8, 9
    for who, granted in (((5, 1), 6), ((8, 1), 6), ((1, 6), 4), ((1, 9), 4), ((1, 1, (3, 9)), 4),
                         ((1, 1, (6,)), 4), ((1, 1, (5, 8)), 2), ((5, 6), 6)):
        assert [bool(grants(shared, wanted, *who)) for wanted in (4, 2, 6, 0)] == [
            granted & 4 > 0, granted & 2 > 0, granted == 6, True], who
    assert grants(shared, 6, 0, 1)
    assert not grants(shared, 6, 1, 1, plus=IPC_DAC_WRITE) and grants(shared, 6, 1, 1, plus=IPC_DAC_READ)
    assert not grants(shared, 6, 1, 6, plus=IPC_DAC_READ) and grants(shared, 6, 1, 6, plus=IPC_DAC_WRITE)
    for uid, plus, owns in ((5, 0, True), (8, 0, True), (1, 0, False), (6, 0, False), (1, IPC_OWNER, True),
                            (0, 0, True)):
        if owns:
            shared.demand_owner(Identity(uid, 6, inheritable=plus))
        else:
            with pytest.raises(SyscallError) as error:
                shared.demand_owner(Identity(uid, 6, inheritable=plus))
            assert error.value.errno == EPERM
    assert shared.mode == 0o642


def test_numbers_of_system_v_objects() -> None:
    """The lowest place that is free, and a part that grows with each removal; as many as there may be."""
    top, one, other = zones()
    used: list[int] = []
    heap: Any = SimpleNamespace(take=used.append, give=lambda size: used.append(-size))
    known = Registry[MessageQueue](heap, 3, "heading")

    def get(key: int, flags: int, zone: Zone = top, uid: int = 5) -> MessageQueue:
        who: Any = SimpleNamespace(zone=zone, identity=Identity(uid, 6))
        return known.get(key, flags, who, lambda: MessageQueue(key, flags, who.identity, 0))

    def refused(number: int, *words: Any) -> bool:
        with pytest.raises(SyscallError) as error:
            get(*words)
        return error.value.errno == number
    assert refused(errno.ENOENT, 7, 0o600)
    first, second, third = get(7, 0o1600), get(0, 0o600), get(0, 0o600, one)
    assert [each.number for each in (first, second, third)] == [0, 1, 2] and used == [1024] * 3
    assert refused(errno.ENOSPC, 0, 0o600) and len(used) == 3
    assert get(7, 0o600) is get(7, 0o1600) is first and refused(errno.EEXIST, 7, 0o3600)
    assert get(7, 0o2600) is first and refused(errno.EACCES, 7, 0o600, top, 4) and get(7, 0, top, 4) is first
    assert refused(errno.EACCES, 7, 0o004, top, 4) and refused(errno.EACCES, 7, 0o040, top, 4)
    known.charge(first, 300)
    known.remove(second)
    known.remove(first)
    assert used[3:] == [300, -1024, -1324] and first.removed and not third.removed
    again = get(7, 0o1600, one)
    assert again.number == 2 * 32768 and known.find(2 * 32768, one) is known.at(32768, one) is again
    assert get(0, 0).number == 2 * 32768 + 1
    assert known.seen(one) == [third, again] and len(known.seen(top)) == 3 and known.seen(other) == []
    for call, number, zone in ((known.find, 0, top), (known.at, -1, top), (known.at, 3, top),
                               (known.at, 2, other), (known.find, 2 * 32768, other)):
        with pytest.raises(SyscallError):
            call(number, zone)
    assert known.table(other) == b"heading\n" and known.table(top).count(b"\n") == 4
    known._sequence = 32767
    known.remove(again)
    again = get(7, 0o1600, one)
    assert again.number == 0 and again.permissions(64)[24:28] == bytes(4)  # the part begins anew


# -- futexes -----------------------------------------------------------------------------------------------

class Words:
    """A thread whose words lie in one private area, and who wakes others."""

    def __init__(self, bits: int = 64, tid: int = 9) -> None:
        self.bits, self.tid, self.robust_list = bits, tid, 0
        self.bytes = bytearray(0x1000)
        self.process: Any = self
        self.processor = SimpleNamespace(order="<", bits=bits)
        self.memory = SimpleNamespace(find=lambda at: SimpleNamespace(prot=1, shared=False, pages=None)
                                      if 0x1000 <= at < 0x2000 else None)
        self.kernel = SimpleNamespace(futexes={})

    def read(self, address: int, size: int) -> bytes:
        if not 0x1000 <= address <= address + size <= 0x2000:
            raise MemoryFault(address)
        return bytes(self.bytes[address - 0x1000:address - 0x1000 + size])

    def write(self, address: int, data: bytes) -> None:
        self.read(address, len(data))
        self.bytes[address - 0x1000:address - 0x1000 + len(data)] = data

    def put(self, address: int, *values: int, size: int = 4) -> None:
        for at, value in enumerate(values):
            self.write(address + size * at, (value & (1 << 8 * size) - 1).to_bytes(size, "little"))

    def word(self, address: int) -> int:
        return int.from_bytes(self.read(address, 4), "little")


class Sleeper:
    """One who waits on a word."""

    def __init__(self, log: list[int], number: int) -> None:
        self.log, self.number, self.queues = log, number, ()

    def wakeup(self, queue: WaitQueue, events: int = 0) -> None:
        queue.leave(self)  # type: ignore[arg-type]
        self.log.append(self.number)


def sleeping(thread: Any, address: int, numbers: range, mask: int = 0xFFFFFFFF) -> list[int]:
    log: list[int] = []
    queue = futex._queue(thread, futex.key_of(thread, address))
    for number in numbers:
        one: Any = Sleeper(log, number)
        queue.join(one)
        queue.masks[one] = mask
    return log


def signed(value: int, bits: int) -> int:
    return value - (value >> bits - 1 << bits)


COMPARED = (*((kind, 5) for kind in range(6)), (0, 0xFFF), (2, 0x7FF), (3, 0x800), (4, 0xFFF), (5, 0))


@pytest.mark.parametrize("operation", range(16))
def test_waking_by_an_old_value(operation: int) -> None:
    """FUTEX_WAKE_OP of futex(2): how the second word changes, and when those that wait on it wake."""
    for old in (0, 5, 0x7FF, 0xFFFFFFFF, 0x80000000):
        for argument in (0, 3, 31, 33, 0x7FF, 0x800, 0xFFF):
            for comparison, compared in COMPARED:
                thread: Any = Words()
                thread.put(0x1100, 7, old)
                first, second = sleeping(thread, 0x1100, range(3)), sleeping(thread, 0x1104, range(10, 13))
                code = operation << 28 | comparison << 24 | argument << 12 | compared
                if operation & 7 > 4:
                    with pytest.raises(SyscallError):
                        futex.wake_op(thread, 0x1100, 2, 1, 0x1104, code)
                    continue
                woken = futex.wake_op(thread, 0x1100, 2, 1, 0x1104, code)
                value, by = signed(old, 32), signed(argument, 12)
                by = 1 << (by & 31) if operation & 8 else by
                new = (by, value + by, value | by, value & ~by, value ^ by)[operation & 7]
                limit = signed(compared, 12)
                wakes = (value == limit, value != limit, value < limit, value <= limit, value > limit,
                         value >= limit)[comparison]
                assert thread.word(0x1104) == new & 0xFFFFFFFF and thread.word(0x1100) == 7
                assert (woken, first, second) == (2 + wakes, [0, 1], [10][:wakes])


def test_who_wakes_and_who_moves() -> None:
    thread: Any = Words()
    log = sleeping(thread, 0x1100, range(3), 1)
    log_b = sleeping(thread, 0x1100, range(3, 6), 6)
    key = futex.key_of(thread, 0x1100)
    assert futex.wake(thread, key, 5, 8) == futex.wake(thread, key, 0) == futex.wake(thread, key, -1) == 0
    assert futex.wake(thread, key, 2, 4) == 2 and log_b == [3, 4]
    with pytest.raises(SyscallError):
        futex.wake(thread, key, 1, 0)
    assert futex.requeue(thread, 0x1100, 1, 2, 0x1200) == 3 and log == [0]
    queue = thread.kernel.futexes[futex.key_of(thread, 0x1200)]
    assert [each.number for each in queue.sleepers] == [1, 2]
    assert [queue.masks[each] for each in queue.sleepers] == [1, 1]
    assert all(each.queues == (queue,) for each in queue.sleepers)
    assert futex.requeue(thread, 0x1200, 0, 5, 0x1200) == futex.requeue(thread, 0x1300, 1, 1, 0x1200) == 0
    assert futex.requeue(thread, 0x1100, 0, 0, 0x1200) == futex.requeue(thread, 0x1100, 0, -1, 0x1200) == 0
    assert futex.wake_address(thread, 0x1200, 9) == 2 and futex.wake_address(thread, 0x9000, 1) == 0
    assert futex.wake_address(thread, 0x1201, 1) == 0
    for address, error in ((0x1102, SyscallError), (0x9000, MemoryFault)):
        with pytest.raises(error):
            futex.key_of(thread, address)


@pytest.mark.parametrize("bits", [64, 32])
def test_robust_locks_of_a_thread_that_ends(bits: int) -> None:
    """set_robust_list(2): a list of entries, from each of which a lock's word lies a distance away."""
    size = bits // 8
    for distance in (-16, 24):
        thread: Any = Words(bits)
        thread.robust_list = 0x1010
        entries = (0x1100, 0x1200, 0x1300)
        thread.put(0x1010, 0x1100, distance, size=size)
        for entry, after in zip(entries, (0x1201, 0x1300, 0x1010), strict=True):  # the lowest bit is a mark
            thread.put(entry, after, size=size)
        values = (9, 10, 0x80000009)
        for entry, value in zip(entries, values, strict=True):
            thread.put(entry + distance, value)
        logs = [sleeping(thread, entry + distance, range(2)) for entry in entries]
        futex.exit_robust(thread)
        assert [thread.word(entry + distance) for entry in entries] == [0x40000000, 10, 0xC0000000]
        assert logs == [[0], [], [0]]
    for start, after in ((0, 0x1100), (0x1010, 0), (0x1010, 0x9000), (0x9000, 0x1100)):
        thread = Words(bits)
        thread.robust_list = start
        thread.put(0x1010, after, 8, size=size)
        thread.put(0x1108, 9)
        futex.exit_robust(thread)
        assert thread.word(0x1108) == 9
    thread = Words(bits)
    thread.robust_list = 0x1010
    thread.put(0x1010, 0x1100, 8, size=size)
    thread.put(0x1100, 0x1100, size=size)  # a list without an end
    thread.put(0x1108, 9)
    futex.exit_robust(thread)
    assert thread.word(0x1108) == 0x40000000


def test_locks_that_hand_on_priorities() -> None:
    thread: Any = Words()
    thread.find_thread = lambda tid: SimpleNamespace() if tid == 10 else None
    thread.put(0x1100, 0)
    assert futex.lock_pi(thread, 0x1100, None, True) == 0 and thread.word(0x1100) == 9
    for value, patient, error in ((9, True, errno.EDEADLK), (0x80000009, True, errno.EDEADLK),
                                  (11, True, errno.ESRCH), (10, False, errno.EAGAIN)):
        thread.put(0x1100, value)
        with pytest.raises(SyscallError) as refused:
            futex.lock_pi(thread, 0x1100, None, patient)
        assert refused.value.errno == error and thread.word(0x1100) == value
    thread.put(0x1100, 0x40000000)
    assert futex.lock_pi(thread, 0x1100, None, False) == 0 and thread.word(0x1100) == 0x40000009
    log = sleeping(thread, 0x1100, range(2))
    assert futex.unlock_pi(thread, 0x1100) == 0 and log == [0] and thread.word(0x1100) == 0
    assert futex.lock_pi(thread, 0x1100, None, False) == 0 and thread.word(0x1100) == 0x80000009
    thread.put(0x1100, 10)
    with pytest.raises(SyscallError):
        futex.unlock_pi(thread, 0x1100)
    assert log == [0]


# -- into a zone ------------------------------------------------------------------------------------------

def entering(name: str = "a", user: str = "", **more: Any) -> tuple[int, Any]:
    """What going into a zone says, and the process then."""
    known = Zones(SimpleNamespace(attach=lambda *_: None), b"node")  # type: ignore[arg-type]
    root: Any = None
    zone = known.add("a", b"/zones/a", root, b"", BASIC | PROC_OWNER)
    users = {"user": Identity(7, 8), "rich": Identity(9, 8, inheritable=BASIC | PROC_OWNER | IPC_OWNER)}
    one: Any = process(zone=more.pop("zone", known.global_zone), plus=more.pop("plus", 0) | PROC_ZONE)
    one.threads, one.space = [1], SimpleNamespace(users=1)
    one.kernel = SimpleNamespace(zones=known, users=users, vfs=SimpleNamespace(
        context=lambda cwd, root: (cwd, root)))
    for key, value in more.items():
        setattr(one, key, value)
    try:
        Process.enter_zone(one, name, user)
    except SyscallError as error:
        assert error.errno is not None
        assert one.zone is not zone and one.identity.ruid == 5
        return error.errno, one
    assert one.zone is zone and one.view == ("/", None)
    assert not one.identity.permitted & ~zone.limit and one.identity.limit == zone.limit
    return 0, one


def test_who_goes_into_a_zone() -> None:
    said, one = entering(plus=IPC_OWNER)
    assert said == 0 and one.identity.ruid == 5
    assert not one.identity.has(IPC_OWNER) and one.identity.has(BASIC)
    assert entering("b")[0] == errno.EINVAL
    assert entering(threads=[1, 2])[0] == entering(space=SimpleNamespace(users=2))[0] == EPERM
    assert entering(zone=zones()[1])[0] == EPERM
    assert entering(identity=Identity(5, 6))[0] == EPERM
    assert entering("a", "user")[0] == EPERM  # another's ids take another privilege
    assert entering("a", "nobody", plus=PROC_SETID)[0] == errno.EINVAL
    said, one = entering("a", "user", plus=PROC_SETID)
    assert said == 0 and one.identity.ruid == 7 and one.identity.protected
    assert one.kernel.users["user"].protected is False and one.kernel.users["user"].limit == ALL
    assert entering("a", "rich", plus=PROC_SETID)[0] == EPERM  # who would have more
    assert entering("a", "rich", plus=PROC_SETID | PROC_OWNER)[0] == 0


def test_credentials_stay_while_nothing_changes() -> None:
    top, one, _other = zones()
    who: Any = process(zone=top)
    who._made_of, who._seen, who._credentials = (None,), None, None
    first = who.credentials
    assert (first.uid, first.gid, first.privileges, first.whole) == (5, 6, BASIC, False)
    assert who.credentials is first
    who.identity.no_new_privileges = True  # which is none of theirs
    assert who.credentials is first
    who.identity.fsuid = 0
    second = who.credentials
    assert second is not first and (second.uid, second.privileges, second.whole) == (0, ALL, True)
    who.zone, one.limit = one, BASIC
    assert who.credentials.whole is False


def test_how_processes_end() -> None:
    made: Any = object.__new__(Process)
    for status, shell, kind in ((0, 0, 1), (3 << 8, 3, 1), (255 << 8, 255, 1), (9, 137, 2),
                                (11 | 0x80, 139, 3)):
        made.status = status
        assert (made.exit_status, made.end) == (shell, kind)
    made.arguments = [b"program", b"-x", b"y" * 90]
    assert made.psargs == (b"program -x " + b"y" * 90)[:79]
    made.limits = {1: (5, 7)}
    assert (made.file_size_limit, made.limit(1), made.limit(2)) == (5, (5, 7), ((1 << 64) - 1,) * 2)
    made.dead_cpu_time, made.threads = 5, [SimpleNamespace(cpu_time=7), SimpleNamespace(cpu_time=9)]
    assert made.cpu_time == 21 and made.leader is made.threads[0]
    made.stopped, calls = True, []
    made.continued = SimpleNamespace(wake_all=lambda: calls.append(1))
    made.resume(), made.resume()
    assert calls == [1] and not made.stopped
    family: list[Any] = [object.__new__(Process) for _ in range(3)]
    for at, each in enumerate(family):
        each.pid, each.parent = at + 10, family[at - 1] if at else None
    assert [family[2].is_progeny_of(pid) for pid in (12, 11, 10, 9)] == [True, True, True, False]
    for name, number in (("space", errno.ESRCH), ("file_table", errno.EBADF), ("view", errno.ENOENT)):
        setattr(made, name, None)
        with pytest.raises(SyscallError) as error:
            getattr(made, {"space": "memory", "file_table": "files", "view": "fs"}[name])
        assert error.value.errno == number


# -- memory of programs -----------------------------------------------------------------------------------

class Pages(Words):
    """Of the pages from 0x10000 on, those whose numbers are given are there."""

    def __init__(self, *there: int, bits: int = 64, order: str = "<") -> None:
        super().__init__(bits)
        self.there = there
        self.bytes = bytearray(0x8000)
        self.processor = SimpleNamespace(order=order, bits=bits)

    def read(self, address: int, size: int) -> bytes:
        for at in range(address, address + size):
            if (at - 0x10000) >> 12 not in self.there:
                raise MemoryFault(at)
        return bytes(self.bytes[address - 0x10000:address - 0x10000 + size])

    def write(self, address: int, data: bytes) -> None:
        self.read(address, len(data))
        self.bytes[address - 0x10000:address - 0x10000 + len(data)] = data


@pytest.mark.parametrize("bits", [64, 32])
@pytest.mark.parametrize("order", ["<", ">"])
def test_words_of_programs(bits: int, order: Any) -> None:
    one: Any = Pages(0, bits=bits, order=order)
    size, end = bits // 8, {"<": "little", ">": "big"}[order]
    one.write(0x10000, b"".join(value.to_bytes(size, end) for value in (1, (1 << bits) - 1, 0x10005)))
    assert usermemory.word(one) == size and usermemory.order(one) == order
    assert usermemory.read_words(one, 0x10000, 3) == (1, (1 << bits) - 1, 0x10005)
    usermemory.write_int(one, 0x10100, -5)
    assert usermemory.read_int(one, 0x10100) == -5
    assert one.read(0x10100, 4) == (0xFFFFFFFB).to_bytes(4, end)
    half = 1 << bits - 1
    for pairs, good in (([], True), ([(0x10000, 5), (7, 0)], True), ([(0, half - 1)], True),
                        ([(0, half)], False), ([(0, half - 1), (0, 1)], False),
                        ([(0, half - 2), (0, 1)], True)):
        one.write(0x10200, b"".join(value.to_bytes(size, end) for pair in pairs for value in pair))
        if good:
            assert usermemory.read_iovec(one, 0x10200, len(pairs)) == pairs
        else:
            with pytest.raises(SyscallError):
                usermemory.read_iovec(one, 0x10200, len(pairs))
    one = Pages(*range(8), bits=bits, order=order)
    assert len(usermemory.read_iovec(one, 0x10000, 1024)) == 1024
    for count in (-1, 1025):
        with pytest.raises(SyscallError):
            usermemory.read_iovec(one, 0x10000, count)
    for seconds, fraction, wide, expected in (
            (3, 5, 64, 3 * 10**9 + 5), (3, 5, 32, 3 * 10**9 + 5), (-1, 0, 64, None), (0, 10**9, 32, None),
            (0, -1, 32, None), (1, 10**9 - 1, 64, 1_999_999_999),
            (1, 5 | 7 << 32, 64, 1_000_000_005 if bits == 32 else None)):
        one.write(0x10000, struct.pack(order + ("qq" if wide == 64 else "ii"), seconds, fraction))
        if expected is None:
            with pytest.raises(SyscallError):
                usermemory.read_timespec(one, 0x10000, wide)
        else:
            assert usermemory.read_timespec(one, 0x10000, wide) == expected


def test_places_of_an_iovec() -> None:
    """What lies up to the first byte that is not mapped, or all."""
    one: Any = Pages(0, 1, 3)
    one.bytes[:] = bytes(at * 7 % 251 for at in range(0x8000))
    start = 0x10000

    def data(at: int, size: int) -> bytes:
        return bytes(one.bytes[at:at + size])
    vector = [(start + 5, 10), (0, 0), (start + 0x3000, 4)]
    for gather in (usermemory.gather, usermemory.gather_some):
        assert gather(one, vector) == data(5, 10) + data(0x3000, 4)
    with pytest.raises(MemoryFault):
        usermemory.gather(one, [(start + 5, 10), (start + 0x1FFF, 2)])
    assert usermemory.gather_some(one, [(start + 9, 3), (start + 0xFF0, 0x2000), (start, 5)]) == \
        data(9, 3) + data(0xFF0, 0x1010)
    assert usermemory.gather_some(one, [(start + 9, 3), (0, 4)]) == data(9, 3)
    with pytest.raises(MemoryFault):
        usermemory.gather_some(one, [(start + 0x2000, 4), (start, 5)])
    vector = [(start + 0x10, 6), (0, 0), (start + 0xFFE, 4), (start + 0x1FFC, 9), (start + 0x3000, 5)]
    for size in range(26):
        text = bytes(range(100, 100 + size))
        one.bytes[:] = bytes(0x8000)
        done = usermemory.scatter_some(one, vector, text)
        assert done == min(size, 14)
        assert data(0x10, 6) + data(0xFFE, 4) + data(0x1FFC, 4) == text[:14].ljust(14, b"\0")
        assert not any(one.bytes[0x3000:]) and sum(map(bool, one.bytes)) == done
    vector[3] = start + 0x1FFC, 4
    usermemory.scatter(one, vector, bytes(range(100, 117)))
    assert data(0x1FFC, 4) + data(0x3000, 5) == bytes((*range(110, 117), 0, 0))
    with pytest.raises(MemoryFault):
        usermemory.scatter(one, [(start + 0x1FFC, 9)], b"12345")
    usermemory.scatter(one, [(start, 3), (0, 50)], b"abc")
    assert data(0, 3) == b"abc"


# -- when memory is full ----------------------------------------------------------------------------------

class _Hog:
    """A process that has memory."""


class Full:
    """A machine without memory; what is kept of executables has `kept` frames."""

    def __init__(self, kept: int = 0) -> None:
        self.memory, self.ended, self.given = SimpleNamespace(free_frames=0), list[int](), list[int]()
        self.processes: dict[int, Any] = {}
        self.lifecycle: Lifecycle = object.__new__(Lifecycle)
        self.lifecycle.kernel = self  # type: ignore[assignment]
        self.lifecycle._recent = SimpleNamespace(clear=lambda: self._free(kept))  # type: ignore[assignment]
        self.lifecycle.kill_group = self._end  # type: ignore[method-assign,assignment]

    def _free(self, count: int) -> None:
        self.memory.free_frames += count

    def _end(self, process: Any, signal: int) -> None:
        self.ended.append(process.pid)
        process.exiting = True

    def add(self, pid: int, pages: int, *, users: int = 1, exiting: bool = False, space: bool = True) -> Any:
        def give_up() -> None:
            self.given.append(pid)
            self._free(pages)
        memory = SimpleNamespace(resident_pages=lambda: pages, give_up=give_up, users=users, size=pages << 13)
        made: Any = object.__new__(_Hog)
        made.pid, made.memory, made.space, made.exiting = pid, memory, memory if space else None, exiting
        made.execname, made.identity = b"hog", SimpleNamespace(ruid=3)
        self.processes[pid] = made
        return made


def test_the_largest_process_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr("runtime.kernel.process.lifecycle.console", told.append)
    full = Full(kept=2)
    asks = full.add(5, 10).space
    assert full.lifecycle.make_room(asks) and full.ended == [] and told == []  # what was kept is enough
    full = Full()
    assert not full.lifecycle.make_room(asks) and full.ended == []
    full.add(9, 50, space=False)
    small, large = full.add(5, 10), full.add(6, 20)
    assert full.lifecycle.make_room(small.space) and (full.ended, full.given) == ([6], [6])
    assert told == ["Out of memory: Killed process 6 (hog) total-vm:160kB, rss:80kB, UID:3"]
    assert large.exiting and not small.exiting
    full = Full()
    alone = full.add(5, 10)
    assert not full.lifecycle.make_room(alone.space) and (full.ended, full.given) == ([5], [])
    full = Full()  # one that ends already gives up its pages, another's that others share it keeps
    full.add(4, 30, exiting=True), full.add(7, 40, exiting=True, users=2)
    asks = full.add(5, 10).space
    full.add(6, 20)
    assert full.lifecycle.make_room(asks) and (full.ended, full.given) == ([6], [4, 6])
    full = Full()
    asks = full.add(5, 10, exiting=True).space
    full.add(7, 40, users=2)
    assert not full.lifecycle.make_room(asks) and (full.ended, full.given) == ([7], [])
