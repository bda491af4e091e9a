"""Paths and patterns, identities over hops, numbers of a hop, and addresses of instances."""

from __future__ import annotations

import sys
import uuid
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import bare

from dof.model import ActionKind, Ecb, Program
from dof.options import OPTION_MAX, UNSET, OptionId, kernel_defaults
from dof.reader import read
from runtime.border import RecDesc
from runtime.consumer.aggregations.byinstance import _INSTANCE, by_instance, loads
from runtime.instances.hop.layouts import Layouts
from runtime.instances.hop.maps import Numbers
from runtime.instances.roster.identities import Directory, apart, derived, new
from runtime.instances.roster.paths import last, matches, mistake_in, shown
from runtime.instances.wire.addresses import places_of
from runtime.instances.wire.verbs import Verb


@pytest.mark.parametrize("pattern,path,found", [
    ("", "host", True), ("", "p1", False), ("p1", "p1", True), ("p1", "p1/vm1", False),
    ("p*", "p12", True), ("p*", "p1/vm1", False), ("*", "p1", True), ("*/vm1", "p1/vm1", True),
    ("p1/**", "p1", True), ("p1/**", "p1/vm1", True), ("p1/**", "p1/vm1/n1", True),
    ("p1/**", "p2/vm1", False),
    ("**", "host", True), ("**", "a/b/c", True), ("**/n1", "p1/vm1/n1", True), ("**/n1", "n1", True),
    ("p1/**/n1", "p1/n1", True), ("p1/**/n1", "p1/a/b/n1", True), ("p1/**/n1", "p1/a/b", False),
    ("p[12]", "p2", True), ("p[12]", "p3", False), ("p1/", "p1/", True), ("/p1", "p1", False)])
def test_patterns(pattern: str, path: str, found: bool) -> None:
    assert matches(pattern, path) is found


def test_names() -> None:
    assert last("p1/vm1/n1") == "n1" and last("host") == "host"
    assert mistake_in("p1/vm-1.b_2") is None
    for path in ("", "/p1", "p1/", "a//b", "a b", "a:b", "a*", "a/..", "a\nb"):
        assert mistake_in(path)
    assert shown("a\x1b[31m\n") == "a\\x1b[31m\\x0a"


def test_identities_of_three_hops() -> None:
    """As RFC 4122 has it: each hop's UUIDv5 is of the UUID it heard and of whom it heard it from."""
    born = new()
    assert born.version == 1
    speakers = ["vm1", "p1", "far.example:7070"]
    heard, table = born, []
    for speaker in speakers:
        directory = Directory()
        assert directory.hear(1, speaker, [("syscall", heard)]) == []
        known, = directory.of(1)
        table.append((known.heard, known.own))
        (_, heard), = directory.advertised(1)
    by_hand = born
    for speaker, (was_heard, own) in zip(speakers, table, strict=True):
        assert was_heard == by_hand
        by_hand = uuid.uuid5(by_hand, speaker)
        assert own == by_hand and own.version == 5
    assert derived(born, "a") != derived(born, "b")


def test_two_providers_that_claim_one_identity_are_kept_apart() -> None:
    directory, same = Directory(), new()
    assert directory.hear(1, "p1", [("syscall", same)]) == []
    assert directory.hear(2, "p2", [("syscall", same), ("io", new())]) == ["syscall"]
    assert directory.hear(2, "p2", [("syscall", same), ("vm", new())]) == []  # told once
    assert [each.name for each in directory.of(2)] == ["vm", "syscall"]  # it has no io any more
    assert [name for name, _ in directory.advertised(2)] == ["vm"]
    directory.retire(1)
    assert directory.hear(3, "p3", [("syscall", same)]) == []


def test_a_second_instance_of_a_name() -> None:
    assert apart("vm1", []) == "vm1"
    assert apart("vm1", ["vm1"]) == "vm1~2"
    assert apart("vm1", ["vm1", "vm1~2"]) == "vm1~3"


def test_numbers_of_a_hop() -> None:
    numbers = Numbers(100)
    assert [numbers.up(0, 7), numbers.up(1, 7), numbers.up(2, 7), numbers.up(1, 9)] == [7, 100, 101, 102]
    assert numbers.up(0, 100) == 103  # too large to be kept: its number is taken
    assert [numbers.down(n) for n in (7, 100, 102, 103, 500)] == [(0, 7), (1, 7), (1, 9), (0, 100), None]
    assert numbers.known(1, 9) and not numbers.known(2, 9)
    assert numbers.count(1) == 2


def test_where_kernel_addresses_lie_in_a_record() -> None:
    stack, sym = ActionKind.STACK, ActionKind.SYM
    assert places_of((RecDesc(stack, 24, 16, 8, 0, 3, 0), RecDesc(sym, 8, 40, 8, 0, 0, 0))) == (
        *((at, Verb.KERNEL_SYMBOL) for at in (16, 24, 32, 40)),)
    for size, depth in ((24, 0), (24, 2), (16, 3), (0, 0), (8 << 20, 0xFFFFFFFF)):  # not what it says
        assert places_of((RecDesc(stack, size, 16, 8, 0, depth, 0),)) == ()


@pytest.mark.parametrize(("keys", "asked", "more"), [
    ("[(char *)arg0]", 0, 1), ("[arg0]", 0, 0), ("[arg0, (int *)arg1, 5]", 0, 1), ("", 0, 0),
    ("[(char *)arg0, instance]", 1, 0), ("[instance, arg0]", 1, 0), ("[execname, pid]", 0, 0),
    ("[ustack()]", 0, 1), ("[jstack(3), arg0]", 0, 1), ("[usym(arg0)]", 0, 1), ("[ustack(), instance]", 1, 0),
    ("[5, umod(arg0)]", 0, 1), ("[uaddr(arg0)]", 0, 1), ("[stack()]", 0, 0), ("[sym(arg0)]", 0, 0)])
def test_aggregations_by_addresses_are_by_instance(keys: str, asked: int, more: int) -> None:
    """An address means something in one instance alone; who asks for the instance gets it as it is."""
    def asking(ecb: Ecb) -> int:
        return sum(loads(each.difo, _INSTANCE) for each in ecb.actions)

    ecb, = read(bare.program(f"bare:mod:func:fire {{ @a{keys} = sum(arg2); }}")).ecbs
    kept = by_instance(ecb, 24)
    assert (asking(ecb), asking(kept)) == (asked, asked + more)
    assert kept.actions[-1].ntuple == ecb.actions[-1].ntuple + more
    assert len(kept.actions) == len(ecb.actions) + more


def test_the_instance_comes_before_an_increment() -> None:
    """A kernel takes the last of a tuple for how much is added."""
    ecb, = read(bare.program("bare:mod:func:fire { @[ustack()] = quantize(arg2, arg1); }")).ecbs
    kept = by_instance(ecb, 24).actions
    assert [loads(each.difo, _INSTANCE) for each in kept] == [False, False, True, False, False]
    assert kept[3] == ecb.actions[2] and kept[4].ntuple == 4


def test_options_of_programs_that_go_down() -> None:
    """The last one counts; what leaves an option as it is, and options that there are not, do not."""
    layouts = Layouts()
    assert layouts.largest_buffer == 0
    layouts.expect(Program(options=[(OptionId.BUFSIZE, 4096), (OPTION_MAX, 5), (OPTION_MAX + 1, 5)]))
    layouts.expect(Program(options=[(OptionId.BUFSIZE, UNSET), (OPTION_MAX - 1, 7), (OptionId.STRSIZE, 0)]))
    expected = kernel_defaults()
    expected[OptionId.BUFSIZE], expected[OPTION_MAX - 1], expected[OptionId.STRSIZE] = 4096, 7, 0
    assert layouts.options == expected and layouts.largest_buffer == 4096
    layouts.expect(Program(options=[(OptionId.AGGSIZE, 8192), (OptionId.BUFSIZE, 512)]))
    assert layouts.largest_buffer == 8192
