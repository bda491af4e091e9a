"""What all of the kernel stands on, by value: identities, budgets, events, queues, remembered paths."""

from __future__ import annotations

import errno
import stat
from collections.abc import Sequence
from typing import Any

import pytest

from runtime.kernel.base.budgets import MOST_REFUSALS, Budget, Budgets, Limits, written
from runtime.kernel.base.capabilities import COUNT, capabilities_of, privileges_of
from runtime.kernel.base.clock import Event
from runtime.kernel.base.identity import FILES, NOBODY, Credentials, Identity
from runtime.kernel.base.privileges import (
    ALL,
    BASIC,
    BITS,
    FILE_DAC_WRITE,
    FILE_OWNER,
    FILE_WRITE,
    PROC_SETID,
    SYS_TIME,
    ZONE_DEFAULT,
    ZONE_MOST,
    privilege_names,
    privilege_set,
)
from runtime.kernel.base.wait import WaitQueue
from runtime.kernel.vfs import walks
from runtime.kernel.vfs.walks import Walks


def test_who_a_process_begins_as() -> None:
    root, user = Identity(0, 0), Identity(5, 6, (7,))
    assert (root.privileges, root.permitted, root.privileges_as(5)) == (ALL, ALL, BASIC)
    assert (user.privileges, user.permitted, user.privileges_as(0), user.owner) == (BASIC, BASIC, ALL, 5)
    assert [user.ruid, user.euid, user.suid, user.fsuid] == [5] * 4
    assert [user.rgid, user.egid, user.sgid, user.fsgid, user.groups] == [6, 6, 6, 6, (7,)]
    assert not (user.no_new_privileges or user.protected or user.aside)
    assert user.is_only(5, 6) and not user.is_only(5, 7) and not user.is_only(6, 6)
    assert root.has(SYS_TIME) and not user.has(SYS_TIME)
    root.demand(SYS_TIME)
    with pytest.raises(OSError) as caught:
        user.demand(SYS_TIME)
    assert caught.value.errno == errno.EPERM


@pytest.mark.parametrize("name", ["ruid", "euid", "suid", "rgid", "egid", "sgid"])
def test_a_process_of_several_is_nobodys(name: str) -> None:
    who = Identity(5, 6)
    before = who.state
    setattr(who, name, 9)
    assert who.state is not before and not who.unmixed and who.owner == NOBODY and not who.is_only(5, 6)
    setattr(who, name, 5 if name.endswith("uid") else 6)
    assert who.unmixed and who.owner == 5
    who.protected = True
    assert who.owner == NOBODY and who.unmixed_as(5, 6) and not who.is_only(5, 6)


@pytest.mark.parametrize(("real", "effective", "saved", "again"), [
    (0, 5, 5, True), (5, 0, 5, True), (5, 5, 0, True), (5, 5, 5, False)])
def test_the_superuser_can_come_back(real: int, effective: int, saved: int, again: bool) -> None:
    who = Identity(5, 6)
    who.ruid, who.euid, who.suid = real, effective, saved
    assert who.permitted == (ALL if again else BASIC)


def test_files_are_used_as_another() -> None:
    who = Identity(0, 0)
    who.use_files_as(5)
    assert (who.fsuid, who.aside, who.privileges) == (5, FILES, ALL & ~FILES)
    who.use_files_as(6)
    assert (who.fsuid, who.aside) == (6, FILES)
    who.use_files_as(0)
    assert (who.fsuid, who.aside, who.privileges) == (0, 0, ALL)


@pytest.mark.parametrize(("mode", "uids", "gids", "protected"), [
    (0o755, (5, 5), (6, 6), False), (0o4755, (9, 9), (6, 6), True), (0o2755, (5, 5), (8, 8), True),
    (0o2745, (5, 5), (6, 6), False), (0o6755, (9, 9), (8, 8), True)])
def test_who_executes_a_file(mode: int, uids: tuple[int, int], gids: tuple[int, int],
                             protected: bool) -> None:
    who = Identity(5, 6, (7,))
    who.aside = 1
    new = who.executing(stat.S_IFREG | mode, 9, 8)
    assert ((new.euid, new.suid), (new.egid, new.sgid), new.ruid, new.rgid) == (uids, gids, 5, 6)
    assert (new.fsuid, new.fsgid, new.groups) == (uids[0], gids[0], (7,))
    assert (new.protected, new.aside) == (protected, 0)
    assert (who.euid, who.aside) == (5, 1)


def test_privileges_that_are_taken_do_not_come_back() -> None:
    who = Identity(0, 0)
    who.restrict(ALL & ~SYS_TIME & ~FILE_WRITE)
    assert not who.has(SYS_TIME) and who.has(PROC_SETID) and who.inheritable == BASIC & ~FILE_WRITE
    who.restrict(ALL)
    assert not who.has(SYS_TIME)


def test_what_file_operations_check() -> None:
    root, user = Credentials(), Credentials(5, 6, (7,))
    assert root.has(ALL) and user.has(BASIC) and not user.has(FILE_OWNER)
    assert [user.member(gid) for gid in (5, 6, 7, 8)] == [False, True, True, False]
    assert [root.owns(uid) for uid in (0, 5)] == [True, True]
    assert [user.owns(uid) for uid in (0, 5, 6)] == [False, True, False]
    partly = Credentials(5, 6, privileges=FILE_OWNER | FILE_WRITE | FILE_DAC_WRITE, whole=False)
    assert [partly.owns(uid) for uid in (0, 5, 6)] == [False, True, True]
    assert [partly.may_as(FILE_DAC_WRITE, uid) for uid in (0, 6)] == [False, True]
    assert Credentials(0, 0, privileges=FILE_DAC_WRITE, whole=False).may_as(FILE_DAC_WRITE, 0)
    assert not Credentials(5, 6, privileges=FILE_OWNER).owns(5)


def test_names_of_privileges() -> None:
    assert privilege_set("") == privilege_set("none") == 0 and privilege_set("all") == ALL
    assert privilege_set("basic, sys_time") == BASIC | SYS_TIME
    assert privilege_names(SYS_TIME | FILE_WRITE) == ["file_write", "sys_time"]
    assert len(privilege_names(ALL)) == len(BITS) == 74
    assert not ZONE_DEFAULT & ~ZONE_MOST and "sys_time" in privilege_names(ZONE_MOST & ~ZONE_DEFAULT)
    with pytest.raises(ValueError, match="there is no privilege such"):
        privilege_set("basic,such")


def test_capabilities_are_those_of_linux() -> None:
    assert COUNT == 41
    each = {0: "file_chown", 6: "proc_setid", 7: "proc_setid", 10: "net_privaddr", 18: "proc_chroot",
            24: "sys_resource", 25: "sys_time", 14: "proc_lock_memory"}
    for number, name in each.items():
        assert privileges_of(1 << number) == BITS[name] and capabilities_of(BITS[name]) >> number & 1
    assert capabilities_of(ALL) == (1 << COUNT) - 1 and capabilities_of(BASIC) == 0
    assert privileges_of(1 << COUNT) == 0


class TestBudgets:
    def test_what_is_used(self) -> None:
        told: list[int] = []
        budget = Budget(10, errno.ENOMEM, lambda: told.append(budget.used))
        budget.take(4)
        budget.take(6)
        assert (budget.used, told) == (10, [])
        with pytest.raises(OSError) as caught:
            budget.take(1)
        assert (caught.value.errno, budget.used, told) == (errno.ENOMEM, 10, [10])
        budget.take(0)
        budget.take(-3)
        assert [budget.grant(size) for size in (2, 1, 1)] == [2, 1, 0] and told == [10, 10]
        budget.give(4)
        assert (budget.grant(9), budget.used) == (4, 10)
        budget.limit = 5
        assert (budget.grant(1), budget.used) == (0, 10)

    @pytest.mark.parametrize("last", [100, 101])
    def test_time_on_processors_is_used_up(self, last: int, capfd: pytest.CaptureFixture[str]) -> None:
        budgets = Budgets(Limits(cputime=200))
        ended: list[str] = []
        budgets.stop = ended.append
        budgets.ran(100)
        assert budgets.cpu_left == 100 and not ended
        budgets.ran(last - 1)
        assert bool(ended) == (last == 101)
        budgets.ran(1)
        assert ended == ["a budget is used up"] and budgets.ended == (
            "programs have used their time on CPUs (-x cputime=200ns)")
        budgets.ran(1000)
        assert len(ended) == 1 and budgets.cpu_left is None
        capfd.readouterr()

    def test_who_goes_on_is_stopped(self, capfd: pytest.CaptureFixture[str]) -> None:
        budgets = Budgets(Limits(openfiles=7))
        ended: list[str] = []
        budgets.stop = ended.append
        for _ in range(MOST_REFUSALS - 1):
            budgets.refuse("openfiles")
        budgets.refuse("disk")
        assert not ended
        budgets.refuse("openfiles")
        budgets.refuse("openfiles")
        assert len(ended) == 1 and budgets.ended == (
            f"programs have met a limit {MOST_REFUSALS:,} times and went on (-x openfiles=7)")
        for _ in range(2):
            budgets.tell("something is left out")
        lines = capfd.readouterr().err.splitlines()
        assert lines[0] == "kernel: 7 files are open: programs get ENFILE (-x openfiles=7)"
        assert lines[2:] == ["dtrace: something is left out"] and "disk is full" in lines[1]

    def test_last_words_have_room(self) -> None:
        budgets = Budgets(Limits(output=10))
        assert budgets.output.grant(20) == 10 and budgets.ended == "the output is full (-x output=10)"
        budgets.last_words()
        assert budgets.output.grant(100) == 100

    @pytest.mark.parametrize(("option", "value", "text"), [
        ("cputime", 10**9, "1s"), ("timeout", 1500 * 10**6, "1500ms"), ("cputime", 1001, "1001ns"),
        ("cputime", 7000, "7us"), ("processes", 1024, "1024"), ("openfiles", 1 << 20, "1048576"),
        ("disk", 3 << 30, "3g"), ("disk", 1 << 20, "1m"), ("disk", 1025 << 10, "1025k"), ("disk", 5, "5"),
        ("disk", 0, "0")])
    def test_limits_as_they_are_set(self, option: str, value: int, text: str) -> None:
        assert written(option, value) == text


def nothing() -> None:
    """Do it."""


def test_events_are_in_order() -> None:
    events = [Event(5, 2, nothing), Event(5, 1, nothing), Event(4, 9, nothing)]
    assert [(each.time, each.sequence) for each in sorted(events)] == [(4, 9), (5, 1), (5, 2)]
    assert not Event(5, 1, nothing) < Event(5, 1, nothing)
    event = Event(1, 2, nothing)
    assert (event.interval, event.cancelled) == (0, False)
    event.cancel()
    assert event.cancelled


class Sleeper:
    def __init__(self, woken: list[Any]) -> None:
        self.queues: Sequence[WaitQueue] = ()
        self.woken = woken

    def wakeup(self, queue: WaitQueue | None, events: int = 0) -> None:
        self.woken.append(self)
        if queue is not None:
            queue.leave(self)


def test_who_sleeps_longest_is_woken_first() -> None:
    woken: list[Any] = []
    queue, sleepers = WaitQueue(), [Sleeper(woken) for _ in range(3)]
    assert not queue and queue.name == "wait" and queue.wake_all() == 0
    for each in (sleepers[1], sleepers[0], sleepers[2], sleepers[1]):
        queue.join(each)
    queue.leave(sleepers[2])
    queue.leave(sleepers[2])
    assert queue and queue.wake_all() == 2 and woken == [sleepers[1], sleepers[0]] and not queue


def test_so_many_paths_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walks, "MOST_WALKS", 2)
    known: Any = Walks()
    place, who = object(), Credentials()
    for path in (b"a", b"b"):
        known.remember(place, path, who, place, path)
    assert [known.find((place, path, who)) for path in (b"a", b"b", b"c")] == [
        (place, b"a"), (place, b"b"), None]
    known.remember(place, b"c", who, place, b"c")
    assert [known.find((place, path, who)) is None for path in (b"a", b"b", b"c")] == [
        True, True, False]
    known.forget()
    assert known.find((place, b"c", who)) is None
