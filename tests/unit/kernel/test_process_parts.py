"""Parts of processes by themselves: who may look into whom, what System V IPC grants, how processes end."""

from __future__ import annotations

import errno
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.kernel.base.errors import SyscallError
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
)
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
