"""Every subroutine of the table has a function, and they do what the manual says."""

from __future__ import annotations

import ctypes
import itertools
import socket
import struct

import pytest

from dif import isa
from dof.globs import matcher
from runtime.framework.base.faults import DifFault, FaultKind
from runtime.framework.values import addresstext, builtins, jsonpath, subroutines

RESULTS = [
    ("substr", ["abcdef", 0, -2], b"abcd"), ("substr", ["abcdef", 2, -1], b"cde"),
    ("substr", ["abcdef", -6, -2], b"abcd"), ("substr", ["abcdef", -7, -2], b""),
    ("substr", ["abcdef", 4, -2], b""), ("substr", ["abcdef", 6, 1], b""),
    ("strlen", ["hello"], 5), ("strlen", [""], 0),
    ("strjoin", ["ab", "cd"], b"abcd"), ("toupper", ["aZ9é"], None), ("tolower", ["AbC"], b"abc"),
    ("strchr", ["a,b,c", ord(",")], b",b,c"), ("strrchr", ["a,b,c", ord(",")], b",c"),
    ("strchr", ["abc", ord("x")], 0), ("strstr", ["foobar", "oba"], b"obar"), ("strstr", ["foo", "x"], 0),
    ("index", ["foobar", "o"], 1), ("index", ["foobar", "o", 2], 2), ("index", ["foobar", "x"], -1),
    ("index", ["foo", "", 5], 3), ("rindex", ["foofoo", "foo"], 3), ("rindex", ["foofoo", "foo", 2], 0),
    ("rindex", ["", ""], 0), ("rindex", ["foo", "", -1], 0), ("rindex", ["foo", "x", 9], -1),
    ("substr", ["abcdef", 2], b"cdef"), ("substr", ["abcdef", 1, 3], b"bcd"),
    ("substr", ["abcdef", -3, 2], b"de"),
    ("substr", ["abcdef", 1, -1], b"bcde"), ("substr", ["abc", -5, 4], b"ab"), ("substr", ["abc", 9], b""),
    ("substr", ["abc", -5, 2], b""), ("substr", ["abc", -5, -1], b""), ("substr", ["abc", -2, -1], b"b"),
    ("substr", ["abc", 1, -9], b""), ("substr", ["abc", 2, 0], b""), ("substr", ["abc", -3], b"abc"),
    ("basename", ["/foo/bar/"], b"bar"), ("basename", ["/"], b"/"), ("basename", [""], b"."),
    ("dirname", ["/foo/bar//"], b"/foo"), ("dirname", ["foo"], b"."), ("dirname", ["/foo"], b"/"),
    ("cleanpath", ["/a//b/./c/../d"], b"/a/b/d"), ("cleanpath", ["/a/../.."], b"/"),
    ("cleanpath", ["/foo/..bar"], b"/foo/..bar"),
    ("lltostr", [0], b"0"), ("lltostr", [-12], b"-12"), ("lltostr", [255, 16], b"0xff"),
    ("lltostr", [8, 8], b"010"), ("lltostr", [0, 16], b"0x0"), ("lltostr", [-1, 2], b"1" * 64),
    ("strtoll", ["  -0x1f"], 0), ("strtoll", ["-0x1f", 16], -31), ("strtoll", ["12abc"], 12),
    ("strtoll", [" \t12"], 12), ("strtoll", ["\n12"], 0), ("strtoll", ["\r12"], 0), ("strtoll", ["\v12"], 0),
    ("htons", [0x1234], 0x3412), ("htonl", [0x12345678], 0x78563412), ("ntohll", [1], 1 << 56),
    ("strtok", [",,a,b", ","], b"a"), ("strtok", [",", ","], 0),
    ("json", ['{"a":[1,{"b":"x\\"y"}]}', "a[1].b"], b'x\\"y'), ("json", ['{"a":1}', "b"], 0),
    ("json", ["[true , 2]", "0"], b"true"), ("json", ['{"a":{"b":[1]}}', "a"], b'{"b":[1]}'),
    ("getmajor", [5 << 32 | 7], 5), ("getminor", [5 << 32 | 7], 7), ("progenyof", [1], 1),
    ("progenyof", [2], 0),
]


def call(world, name: str, values: list[object]):
    """The subroutine's result: an integer, or the string at it."""
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.trace("ldgs arg0, %r1\nret %r1")))
    tracer.go()
    firing = tracer.device.tracing.state.environment.firings[0]
    firing.begin(world.a, 1, (0, 0, 0, 0, 0))
    numbers = []
    for value in values:
        if isinstance(value, str):
            numbers.append(world.framework.platform.strings.intern(value.encode()))
        else:
            numbers.append(value & 0xFFFFFFFFFFFFFFFF)
    (bound,) = [b for b in subroutines.subroutines(world.framework.target).values() if b.name == name]
    old = {"old": 0} if bound.wants_old else {}
    return firing, bound.function(firing, *bound.values(numbers), **old)


@pytest.mark.parametrize(("name", "values", "expected"), RESULTS)
def test_results(make_world, name: str, values: list[object], expected: object) -> None:
    firing, result = call(make_world("translate"), name, values)
    if isinstance(expected, bytes):
        assert firing.string(result) == expected
    elif expected is not None:
        assert result == expected & 0xFFFFFFFFFFFFFFFF


def test_every_variable_has_a_row() -> None:
    rows = {variable.name for variable in isa.VARIABLES}
    assert builtins.SOURCES.keys() | builtins.NOT_HERE == rows
    assert not builtins.SOURCES.keys() & builtins.NOT_HERE


@pytest.mark.parametrize("target", isa.TARGETS)
def test_every_row_has_a_function(target: str) -> None:
    assert set(subroutines.subroutines(target)) == set(isa.subroutines(target))


def test_strings_are_cut_to_strsize(make_world) -> None:
    firing, result = call(make_world("translate"), "toupper", ["x" * 300])
    assert firing.string(result) == b"X" * 255


def test_copyin_and_out(make_world) -> None:
    world = make_world("translate")
    world.host.current.memory.add(0x1000, b"user data\0")
    firing, result = call(world, "copyinstr", [0x1000])
    assert firing.string(result) == b"user data"
    functions = {b.name: b.function for b in subroutines.subroutines(world.framework.target).values()}
    address = functions["copyin"](firing, 0x1005, 4)
    assert firing.load(address, 4) == b"data"
    functions["copyout"](firing, address, 0x1000, 4)
    functions["copyoutstr"](firing, result, 0x1005, 5)
    assert world.host.current.memory.load(0x1000, 4) == b"data"


@pytest.mark.parametrize(("raw", "text"), [
    (bytes(16), "::"), (bytes(15) + b"\1", "::1"), (bytes(10) + b"\xff\xff\x7f\0\0\1", "::ffff:127.0.0.1"),
    (bytes.fromhex("20010db8000000000000000000000001"), "2001:db8::1"),
    (bytes.fromhex("fe80000000000000021122fffe334455"), "fe80::211:22ff:fe33:4455"),
    (bytes.fromhex("20010000000000010000000000000001"), "2001:0:0:1::1"),
    (bytes.fromhex("00010000000022220000000033334444"), "1::2222:0:0:3333:4444"),
    (bytes.fromhex("00010000000022220000000000034444"), "1:0:0:2222::3:4444"),
    (bytes.fromhex("00010000000200030004000500060007"), "1::2:3:4:5:6:7"),
    (bytes.fromhex("00010002000300040005000600070000"), "1:2:3:4:5:6:7:0"),
    (bytes.fromhex("00010002000300040005000600000000"), "1:2:3:4:5:6::"),
    (bytes(14) + b"\1\0", "0:0:0:0:0:0:0.0.1.0"), (bytes(14) + b"\xff\xff", "0:0:0:0:0:0:0.0.255.255"),
    (bytes(12) + b"\1\2\3\4", "::1.2.3.4"), (bytes(10) + b"\xff\xff" + bytes(4), "::ffff:0.0.0.0"),
])
def test_ipv6(raw: bytes, text: str) -> None:
    assert addresstext.ipv6(raw).decode() == text


@pytest.mark.parametrize("text", ["{", "[1", '{"a"', '{"a":1x}'[:6], "[tru,1]", '{"a":}', "[[", '"a"'])
def test_json_survives_malformed_text(text: str) -> None:
    assert jsonpath.lookup(text.encode(), b"a") is None


@pytest.mark.parametrize(("glob", "yes", "no"), [
    ("*read*", "pread64", "write"), ("f?o", "foo", "fo"), ("[a-c]x", "bx", "dx"), ("[!a]x", "bx", "ax"),
    (r"a\*b", "a*b", "axb"), ("a[", "", "a["), ("[]]", "]", "x"), ("a*ab*b", "aab_b", "ab"),
    ("*a" * 30 + "b", "a" * 190 + "b", "a" * 190),  # hours, if every way to place the letters were tried
])
def test_globs(glob: str, yes: str, no: str) -> None:
    test = matcher(glob)
    assert test is not None
    assert not yes or test(yes)
    assert not test(no)


def test_memory_of_no_size_is_no_string(make_world) -> None:
    assert call(make_world("translate", 1, "freebsd"), "memstr", [1, 2, 0])[1] == 0


def test_bcopy_into_scratch_space(make_world) -> None:
    firing, address = call(make_world("translate"), "alloca", [8])
    functions = {each.name: each.function for each in subroutines.subroutines("illumos").values()}
    text = firing.environment.strings.intern(b"from")
    functions["bcopy"](firing, text, address, 5, old=0)
    assert firing.string(address) == b"from"
    with pytest.raises(DifFault) as caught:
        functions["bcopy"](firing, text, address + 4, 5, old=77)
    assert caught.value.address == 77


def test_a_stack_that_cannot_be_read(world) -> None:
    from dof.model import Action, ActionKind
    from runtime.framework.base.host import MemoryFault

    def unreadable(limit: int) -> list[int]:
        assert world.host.probing
        raise MemoryFault(0x123)

    tracer = world.tracer()
    error = [world.trace(f"ldgs arg{number}, %r1\nret %r1") for number in (2, 4, 5)]
    stack = world.ecb("test:::a", Action(ActionKind.USTACK, arg=2))
    tracer.enable(stack, world.ecb("dtrace:::ERROR", *error))
    tracer.go()
    world.host.current.user_stack = unreadable
    world.fire(world.a)
    assert tracer.integers() == [(2, 1, FaultKind.BADADDR, 0x123)] and not world.host.probing


def test_helper_names_frames(world) -> None:
    from dof import writer
    from dof.model import Action, ActionKind, Ecb, ProbeDesc, Program
    text = world.dif("""setx 64, %r2
        ldgs arg0, %r1\nsetx 0x400100, %r3\ncmp %r1, %r3\nbne no\nsets "java frame", %r1\nret %r1
        no:\nret %r0""", "string")
    program = Program(ecbs=[Ecb(ProbeDesc("dtrace", "helper", "ustack"), None,
                                [Action(ActionKind.DIFEXPR, text)])])
    generation = world.framework.helpers.load(100, writer.write(program), 0, 0)
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", Action(ActionKind.JSTACK, arg=64 << 32 | 3)))
    tracer.go()
    world.fire(world.a)
    data = tracer.records()[0][1][0]
    assert data[32:64] == b"java frame\0\0\0".ljust(32, b"\0")
    world.framework.helpers.unload(100, generation)
    world.framework.helpers.unload(100, generation)
    for pid, number in ((100, generation + 1), (101, generation)):
        with pytest.raises(ValueError, match="no helper generation"):
            world.framework.helpers.unload(pid, number)


NAMED, ZERO, BAD = 'sets "one", %r1\nret %r1', "ret %r0", "setx 1, %r1\nldub [%r1], %r1\nret %r1"
OF_FRAME = "ldgs arg0, %r1\nsetx 0x400200, %r2\ncmp %r1, %r2\nbne no\nsets \"two\", %r1\nret %r1\nno: ret %r0"
POINTER = 'ldgs arg1, %r1\nsetx 0x7001, %r2\ncmp %r1, %r2\nbne no\nsets "odd", %r1\nret %r1\nno: ret %r0'


@pytest.mark.parametrize(("clauses", "room", "names"), [
    ([(None, [NAMED])], 16, b"one\0one\0"), ([(ZERO, [NAMED])], 16, b"\0\0"),
    ([(ZERO, [NAMED]), (NAMED, [OF_FRAME])], 16, b"\0two\0"), ([(None, [NAMED, ZERO])], 16, b"\0\0"),
    ([(None, [ZERO, NAMED])], 16, b"one\0one\0"), ([(None, [POINTER])], 16, b"\0odd\0"),
    ([(None, [OF_FRAME]), (None, [NAMED])], 16, b"one\0two\0"),
    ([(None, [BAD]), (None, [NAMED])], 16, b"\0\0"), ([(None, [NAMED])], 8, b"one\0one\0"),
    ([(None, [NAMED])], 5, b"one\0o"), ([(None, [NAMED])], 4, b"one\0")])
def test_what_helpers_say_of_two_frames(world, clauses: list[tuple[str | None, list[str]]], room: int,
                                        names: bytes) -> None:
    """The last action's value counts, of the first clause that has one; what fails says nothing."""
    from dof import writer
    from dof.model import Action, ActionKind, Ecb, ProbeDesc, Program

    for predicate, actions in clauses:  # each in a file of its own
        tested = None if predicate is None else world.dif(predicate)
        named = [Action(ActionKind.DIFEXPR, world.dif(text, "string")) for text in actions]
        program = Program(ecbs=[Ecb(ProbeDesc("dtrace", "helper", "ustack"), tested, named)])
        world.framework.helpers.load(100, writer.write(program), 0, 0)
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", Action(ActionKind.JSTACK, arg=room << 32 | 2)))
    tracer.go()
    world.fire(world.a)
    data = tracer.records()[0][1][0]
    assert data[:24] == struct.pack("<3Q", 100, 0x400100, 0x400200)
    assert data[24:].ljust(16, b"\0") == names.ljust(16, b"\0")


def test_as_many_helpers_as_there_may_be(make_world, monkeypatch) -> None:
    """Clauses count, not their actions; and objects with providers, not the providers."""
    from dif import limits
    from dof import writer
    from dof.model import Action, ActionKind, Attributes, Ecb, Probe, ProbeDesc, Program, Provider

    monkeypatch.setattr(limits, "HELPER_CLAUSES", 3)
    monkeypatch.setattr(limits, "HELPER_DOFS", 2)
    world = make_world("translate")
    helpers, said, made = world.framework.helpers, [], []
    helpers.tell = said.append

    class Meta:
        def provide_process(self, provider: Provider, pid: int, module: str) -> None:
            made.append((provider.name, pid, module))

        def remove_process(self, provider: Provider, pid: int, module: str) -> None:
            made.remove((provider.name, pid, module))

    world.framework.register_meta(Meta())
    action = Action(ActionKind.DIFEXPR, world.dif(NAMED, "string"))

    def naming(count: int) -> bytes:
        clause = Ecb(ProbeDesc("dtrace", "helper", "ustack"), None, [action] * 9)
        return writer.write(Program(ecbs=[clause] * count))

    def providers(*names: str) -> bytes:
        probe = Probe("f", "go", 0x400100, [], [], [], [4], [], "s")
        return writer.write(Program(providers=[Provider(name, (Attributes(5, 5, 5),) * 5, [probe])
                                               for name in names]))

    assert not helpers.has_actions(100)
    first = helpers.load(100, naming(2), 0, 0)
    with pytest.raises(ValueError, match="over 3 clauses"):
        helpers.load(100, naming(2), 0, 0)
    assert helpers.load(100, naming(1), 0, 0) == first + 1 and helpers.has_actions(100)
    helpers.unload(100, first)
    helpers.load(100, naming(2), 0, 0)
    assert len(said) == 1
    one = helpers.load(101, providers("a", "b", "c"), 0, 0x1000, module="m")
    helpers.load(101, providers("d"), 0, 0x2000)
    helpers.load(101, providers("d"), 0, 0x2000)  # they are there already
    assert len(said) == 1 and [helpers.has(101, at) for at in (0x1000, 0x2000, 0x3000)] == [True, True, False]
    helpers.load(101, providers("e"), 0, 0x3000)
    assert "over 2 objects" in said[1] and not helpers.has_actions(101)
    assert made == [("a", 101, "m"), ("b", 101, "m"), ("c", 101, "m"), ("d", 101, "")]
    helpers.unload(101, one)
    helpers.load(101, providers("e", "pid", "x" * 54), 0, 0x3000)
    assert made == [("d", 101, ""), ("e", 101, "")] and len(said) == 4
    helpers.duplicate(100, 102)
    helpers.duplicate(103, 104)
    helpers.forget(100)
    assert [helpers.has_actions(pid) for pid in (100, 102, 104)] == [False, True, False]


def test_what_ends_takes_its_providers_along(world) -> None:
    from dof import writer
    from dof.model import Attributes, Probe, Program, Provider

    class Meta:
        def __init__(self) -> None:
            self.said: list[tuple[str, str, int]] = []

        def provide_process(self, provider: Provider, pid: int, module: str) -> None:
            self.said.append(("made", provider.name, pid))

        def remove_process(self, provider: Provider, pid: int, module: str) -> None:
            self.said.append(("gone", provider.name, pid))

    meta = Meta()
    world.framework.register_meta(meta)
    probe = Probe("main", "go", 0x400100, [], [], [], [4], [], "s")
    program = Program(providers=[Provider("prov", (Attributes(5, 5, 5),) * 5, [probe])])
    helpers = world.framework.helpers
    generation = helpers.load(100, writer.write(program), 0, 0)
    helpers.duplicate(100, 101)
    helpers.forget(101)
    helpers.unload(100, generation)
    helpers.forget(100)
    assert meta.said == [(what, "prov", pid) for what, pid in (("made", 100), ("made", 101), ("gone", 101),
                                                               ("gone", 100))]


def test_helper_refuses(world) -> None:
    with pytest.raises(ValueError, match=r"DOF|header"):
        world.framework.helpers.load(100, b"\x7fDOF" + b"\0" * 100, 0, 0)


WORDS = ("", "a", "b", "ab", "ba", "aab", "abab", "bbaab")


@pytest.mark.parametrize("name", ["strchr", "strrchr", "strstr"])
def test_as_in_c(make_world, name: str) -> None:
    """The C library's own function tells where; 0 stands for NULL, 1 more than the offset for a place."""
    own = getattr(ctypes.CDLL(None), name)
    own.restype = ctypes.c_void_p
    world = make_world("interpret")
    firing, _ = call(world, "strlen", [""])
    intern = world.framework.platform.strings.intern
    (bound,) = [b for b in subroutines.subroutines(world.framework.target).values() if b.name == name]
    for text in WORDS:
        for part in (*"abc\0",) if name != "strstr" else (*WORDS, "c", "abc"):
            buffer = ctypes.create_string_buffer(text.encode())
            there = own(buffer, part.encode() if name == "strstr" else ord(part))
            at = intern(text.encode())
            found = bound.function(firing, at, intern(part.encode()) if name == "strstr" else ord(part))
            expected = 0 if there is None else there - ctypes.addressof(buffer) + 1
            assert (found - at + 1 if found else 0) == expected, (text, part)


def test_places_and_parts(make_world) -> None:
    """index(), rindex() and substr() by their definitions, at every position in and around a string."""
    world = make_world("interpret")
    firing, _ = call(world, "strlen", [""])
    intern = world.framework.platform.strings.intern
    found = {b.name: b.function for b in subroutines.subroutines(world.framework.target).values()}
    mask = (1 << 64) - 1
    for text in WORDS[1:]:
        at = intern(text.encode())
        firing.begin(world.a, 1, (0, 0, 0, 0, 0))  # with all scratch space
        for position in range(-len(text) - 2, len(text) + 3):
            for part in ("a", "ab", "b", "bb", "c"):
                there = [n for n in range(len(text)) if text.startswith(part, n)]
                first = min((n for n in there if n >= position), default=-1)
                last = max((n for n in there if n <= position), default=-1)
                where = intern(part.encode())
                what = text, part, position
                assert found["index"](firing, at, where, position & mask) == first & mask, what
                assert found["rindex"](firing, at, where, position & mask) == last & mask, what
            start = position if position >= 0 else max(len(text) + position, 0)
            for length in (None, 0, 1, 2, 9):
                end = len(text) if length is None else (
                    max(len(text) + position + length, 0) if position < -len(text) else start + length)
                made = found["substr"](firing, at, position & mask, *([] if length is None else [length]))
                assert firing.string(made) == text[start:end].encode(), (text, position, length)


@pytest.mark.parametrize(("name", "values", "expected"), [
    ("index", ["", ""], 0), ("index", ["", "", 5], 0), ("index", ["", "x"], -1), ("index", ["", "x", 0], -1),
    ("index", ["foobar", "o", -9], 1), ("index", ["foobar", "r", 5], 5), ("index", ["foobar", "r", 6], -1),
    ("index", ["foobar", "", 6], 6), ("index", ["foobar", "", 3], 3), ("index", ["foobar", "foobar"], 0),
    ("rindex", ["foobar", "r", 5], 5), ("rindex", ["foobar", "r", 4], -1),
    ("rindex", ["foobar", "f", -1], -1),
    ("rindex", ["foobar", "", 99], 6), ("strtok", ["a b", ""], b"a b"), ("strtok", ["", ","], 0),
    ("strtok", ["a", "a"], 0), ("strtok", ["xxaxx", "x"], b"a"), ("htons", [0xFFFF1234], 0x3412),
    ("htonl", [0xFFFFFFFF12345678], 0x78563412), ("inet_ntoa", ["0123"], b"48.49.50.51"),
    ("inet_ntop", [2, "0123"], b"48.49.50.51"), ("inet_ntop", [2 | 1 << 32, "0123"], b"48.49.50.51"),
    ("inet_ntoa6", ["0123456789abcdef"], b"3031:3233:3435:3637:3839:6162:6364:6566")])
def test_more_results(make_world, name: str, values: list[object], expected: object) -> None:
    firing, result = call(make_world("translate"), name, values)
    if isinstance(expected, bytes):
        assert firing.string(result) == expected
    else:
        assert result == expected & 0xFFFFFFFFFFFFFFFF


@pytest.mark.parametrize("family", [0, 1, 3, 9, 11, 25, 27, 28, 29])
def test_families_without_a_text(make_world, family: int) -> None:
    with pytest.raises(DifFault) as caught:
        call(make_world("translate"), "inet_ntop", [family, "0123456789abcdef"])
    assert caught.value.kind == FaultKind.ILLOP
    assert str(caught.value).startswith("ILLOP at 0x0, DIF offset")


@pytest.mark.parametrize(("raw", "text"), [
    (bytes(10) + b"\xff\xff\1\2\3\4", b"1.2.3.4"), (bytes(12) + b"\1\2\3\4", b"1.2.3.4"),
    (bytes(15) + b"\1", b"::1"),
    (bytes(16), b"::"), (b"\xfe\x80" + bytes(13) + b"\1", b"fe80::1")])
def test_addresses_with_another_within(make_world, raw: bytes, text: bytes) -> None:
    """inet_ntoa6() shows that one alone."""
    world = make_world("translate")
    world.host.memory.add(0xFFFFFE0000002000, raw)
    firing, result = call(world, "inet_ntoa6", [0xFFFFFE0000002000])
    assert firing.string(result) == text


@pytest.mark.parametrize("start", range(7))
@pytest.mark.parametrize("length", range(1, 8))
@pytest.mark.parametrize("rest", [0x1, 0xFF, 0x100, 0x101, 0xABCD])
def test_one_run_of_zeros(start: int, length: int, rest: int) -> None:
    """As the host's inet_ntop(3) has it, where the kernel's rule is the same: no address is within."""
    groups = [0 if start <= at < start + length else rest for at in range(8)]
    raw = struct.pack(">8H", *groups)
    if length == 1 or start + length > 8 or raw[:10] == bytes(10):
        return
    assert addresstext.ipv6(raw).decode() == socket.inet_ntop(socket.AF_INET6, raw)


@pytest.mark.parametrize(("groups", "text"), [
    ("1 0 0 2 0 0 100 5", "1::2:0:0:100:5"), ("1 0 0 2 0 0 ff 5", "1:0:0:2::ff:5"),
    ("1 0 0 2 0 0 101 5", "1::2:0:0:101:5"), ("1 0 0 ff 0 0 100 5", "1::ff:0:0:100:5"),
    ("1 0 2 0 ff 3 4 5", "1:0:2::ff:3:4:5"), ("1 0 2 0 100 3 4 5", "1::2:0:100:3:4:5")])
def test_which_of_two_runs(groups: str, text: str) -> None:
    """The first of two of one length, but the later one if a group below 0x100 follows it."""
    raw = struct.pack(">8H", *(int(group, 16) for group in groups.split()))
    assert addresstext.ipv6(raw).decode() == text


def test_random_numbers(world) -> None:
    """xorshift64*, as its author gives it: the same sequence in each state, and none is 0."""
    tracer = world.tracer()
    tracer.enable(world.ecb("test:::a", world.trace("call DIF_SUBR(0), %r1\nret %r1")))
    tracer.go()
    for _ in range(20):
        world.fire(world.a)
    found = [value & 0xFFFFFFFFFFFFFFFF for _, value in tracer.integers()]
    inverse = pow(0x2545F4914F6CDD1D, -1, 1 << 64)
    seeds = [value * inverse & 0xFFFFFFFFFFFFFFFF for value in found]
    for seed, following in itertools.pairwise(seeds):
        seed ^= seed >> 12
        seed ^= seed << 25 & 0xFFFFFFFFFFFFFFFF
        seed ^= seed >> 27
        assert following == seed
    assert len(set(found)) == 20 and 0 not in found


def test_memory_for_printm(make_world) -> None:
    """memref() makes a pair of words, on a boundary of eight bytes."""
    firing, first = call(make_world("translate", target="freebsd"), "memref", [0x1234, 7])
    assert first % 8 == 0 and firing.load(first, 16) == struct.pack("<QQ", 0x1234, 7)
    second = subroutines.memref(firing, 5, 6)
    assert second == first + 16 and firing.load(second, 16) == struct.pack("<QQ", 5, 6)
