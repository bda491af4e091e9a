"""Parts of the providers of programs by themselves: what is read of memory, and probes that come and go."""

from __future__ import annotations

import errno
import struct
from types import SimpleNamespace
from typing import Any

import pytest

from dof import model
from dof.format import DofError
from dof.model import ProbeDesc
from runtime.framework.probes.registry import Registry
from runtime.kernel.base.errors import MemoryFault, SyscallError
from runtime.kernel.cpu.sparc.engine import MISALIGNED, SparcEngine
from runtime.programs.objectfile import Function
from runtime.providers.fasttrap import discovery, fasttrap, pid, startup, usdt
from runtime.providers.fasttrap import pid as pids
from runtime.providers.fasttrap.discovery import Discovery
from runtime.providers.fasttrap.fasttrap import Fasttrap
from runtime.providers.fasttrap.instructions import x86
from runtime.providers.fasttrap.instructions.arm64 import Arm64, ArmSpace
from runtime.providers.fasttrap.instructions.space import Refused, TracedSpace
from runtime.providers.fasttrap.instructions.sparc import Misaligned, Sparc, SparcPlan, SparcSpace
from runtime.providers.fasttrap.instructions.treatment import Plan, Treatment


class Memory:
    """Bytes from 0x1000 on."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def read(self, address: int, size: int) -> bytes:
        if not 0x1000 <= address <= address + size <= 0x1000 + len(self.data):
            raise MemoryFault(address)
        return self.data[address - 0x1000:][:size]


def test_whether_all_libraries_are_there() -> None:
    """The loader's word is 0; it may be the last one of what is mapped, or not be there at all."""
    memory: Any = Memory(b"\0\0\0\0\1\0\0\0\0\0\0\1\0\0\0\0")
    assert [startup._consistent(0x1000 + at)(memory) for at in (0, 4, 8, 12, 13, 16, -1)] == [
        True, False, False, True, False, False, False]


@pytest.mark.parametrize("trap", [b"\xcc", b"\xb4\xb5\xb6\xb7"])
def test_text_without_traps(trap: bytes) -> None:
    """Whatever part of it is read: of a trap at its end there may be the first bytes only."""
    text = bytes(range(1, 17))
    trapped = text[:4] + trap + text[4 + len(trap):12] + trap + text[12 + len(trap):]
    memory = Memory(trapped)
    points = {0x1000 + at: SimpleNamespace(original=text[at:at + len(trap)]) for at in (4, 12)}
    space: Any = SimpleNamespace(space=memory, isa=SimpleNamespace(trap=trap), points=points)
    for start in range(16):
        for size in range(17 - start):
            if not any(at < start < at + len(trap) for at in (4, 12)):
                assert TracedSpace.original(space, 0x1000 + start, size) == text[start:start + size]


def test_an_offset_of_a_function() -> None:
    """It is an instruction's, within the function: what lies behind may be a further part of it."""
    made: list[object] = []
    body = SimpleNamespace(instructions=[0x400, 0x404, 0x40F, 0x410, 0x414])
    provider: Any = SimpleNamespace(_body=lambda each, function: body,
                                    _create=lambda *words: made.append(words[-1]))
    for offset in ("0", "1", "4", "f", "10", "14"):
        pid.PidProvider._at_offset(provider, None, Function("f", 0x400, 0x10), "f", offset)  # type: ignore[arg-type]
    assert made == [[0x400], [0x404], [0x40F]]


def test_a_function_by_another_name() -> None:
    """Only one that begins there; where none does, nothing is known but its place."""
    known = Function("choose_fast", 0x400, 0x10)
    for symbols, described in ((known, None), (None, known)):
        file = SimpleNamespace(function_at=lambda at, found=symbols: found,
                               described=lambda at, found=described: found)
        each: Any = SimpleNamespace(bias=0x1000, file=file)
        named = [pid._named(each, address, "choose") for address in (0x1400, 0x1404)]
        assert [(each.name, each.start, each.size) for each in named] == [
            ("choose", 0x400, 0x10), ("choose", 0x404, 0)]
    nothing: Any = SimpleNamespace(bias=0, file=SimpleNamespace(function_at=lambda at: None,
                                                                described=lambda at: None))
    found = pid._named(nothing, 0x77, "f")
    assert (found.name, found.start, found.size) == ("f", 0x77, 0)


def offered() -> tuple[Any, Any]:
    """What makes providers of programs, and process 7."""
    space = SimpleNamespace(space=SimpleNamespace(users=0), remove=lambda *_: None,
                            convention=SimpleNamespace(argument=lambda thread, index, called: 0x100 + index))
    process = SimpleNamespace(pid=7, bits=32, space=object(), identity=SimpleNamespace(owner=0),
                              zone=SimpleNamespace(id=0))
    library = SimpleNamespace(name="libshop.so.1", answers_to=lambda name: name == "libshop.so")
    programs: Any = SimpleNamespace(
        kernel=SimpleNamespace(processes={7: process}, current=SimpleNamespace(pc=0x2000, regs=None)),
        registry=Registry(), tracepoints=SimpleNamespace(of=lambda _process: space),
        objects=SimpleNamespace(at=lambda _process, address: library if address < 1 << 32 else None))
    return usdt.UsdtProviders(programs), programs


def test_a_library_that_goes_takes_its_probes_along() -> None:
    """Of a probe that another one has, too, only the places; the rest of the provider stays."""
    providers, programs = offered()
    first, second = (model.Provider("shop", usdt.DEFAULT_ATTRIBUTES) for _ in range(2))
    first.probes += [model.Probe("sell", "sold", 0x1000, offsets=[5, 9]),
                     model.Probe("sell", "asked", 0xFFFFFFF0, offsets=[0x20], enabled_offsets=[0x14])]
    second.probes += [model.Probe("sell", "sold", 0x2000, offsets=[1]),
                      model.Probe("sell", "told", 0x2000, enabled_offsets=[3])]
    for each in (first, second, first):
        providers.provide_process(each, 7, "")
    operations = providers.providers[7, "shop"]

    def places() -> dict[str, list[int]]:
        return {probe.name: found for probe, found in operations.places()}
    assert places() == {"sold": [0x1005, 0x1009, 0x2001], "asked": [0x10, 4], "told": [0x2003]}
    first.probes.append(model.Probe("sell", "never", 0x3000, offsets=[1]))
    providers.remove_process(first, 7, "")
    assert places() == {"sold": [0x2001], "told": [0x2003]}
    providers.remove_process(first, 7, "")
    assert places() == {"sold": [0x2001], "told": [0x2003]}
    providers.remove_process(second, 7, "")
    assert "shop7" not in programs.registry.providers
    providers.remove_process(second, 7, "")


@pytest.mark.parametrize(("address", "module", "expected"), [
    (0x1000, "", "libshop.so.1"), (0x1000, "libshop.so", "libshop.so.1"), (0x1000, "tea", "tea"),
    ((1 << 32) - 4, "", "libshop.so.1"), (1 << 32, "tea", "tea"), (1 << 32, "", "")])
def test_modules_are_what_programs_call_them(address: int, module: str, expected: str) -> None:
    """Unless that is another name of the file that the code is in; code that is made has no file."""
    providers, _programs = offered()
    providers._programs.kernel.processes[7].bits = 64
    shop = model.Provider("shop", usdt.DEFAULT_ATTRIBUTES)
    shop.probes.append(model.Probe("sell", "sold", address, offsets=[0]))
    providers.provide_process(shop, 7, module)
    probes = providers.providers[7, "shop"].provider.probes
    assert list(probes) == [(expected, "sell", "sold")]
    providers.provide_process(shop, 7, "m2")
    assert list(probes) == [(expected, "sell", "sold"), ("m2", "sell", "sold")]
    providers.remove_process(shop, 7, module)
    assert list(probes) == [("m2", "sell", "sold")]


def test_arguments_of_a_programs_probe() -> None:
    """By the translation of its arguments, or as a note says; 0 beyond them and where nothing can be read."""
    providers, programs = offered()
    shop = model.Provider("shop", usdt.DEFAULT_ATTRIBUTES)
    shop.probes.append(model.Probe("sell", "sold", 0x1000, offsets=[5], mapping=[2, 0]))
    providers.provide_process(shop, 7, "")
    operations = providers.providers[7, "shop"]
    probe, = operations.provider.probes.values()
    assert [operations.getarg(probe, index) for index in range(4)] == [0x102, 0x100, 0, 0]

    def fails(_thread: object, _regs: object) -> int:
        raise MemoryFault(0)
    probe.arg.readers[0x2000] = [lambda thread, regs: 77, fails]
    probe.arg.readers[0x3000] = [lambda thread, regs: 88]
    assert [operations.getarg(probe, index) for index in range(3)] == [77, 0, 0]
    for pc, values in ((0x3000, [88, 0]), (0x4000, [0, 0])):
        programs.kernel.current.pc = pc
        assert [operations.getarg(probe, index) for index in range(2)] == values


def test_plans_that_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan for bytes that were seen elsewhere is made anew for the place; only so many are kept."""
    monkeypatch.setattr(x86, "MOST_KNOWN", 3)
    isa = x86.X86(64)
    codes = [bytes.fromhex(code) for code in ("90", "50", "4889e5", "f30f1efa", "51", "4889e7")]
    for _ in range(2):
        for at, code in enumerate(codes):
            plan = isa.plan(code.ljust(16, b"\x90"), 0x1000 * at)
            assert plan.code == code
            if plan.build is None:
                assert plan.go == 0x1000 * at + len(code)
            else:
                built = plan.build(0x1000 * at + 0x100, 0x1000 * at)
                assert built.restarts[0][1] == 0x1000 * at and built.code.startswith(code)
            assert len(isa._known) <= 3


# -- which processes are meant ------------------------------------------------------------------------------

def process(pid: int, *, alive: bool = True, new: bool = False) -> Any:
    return SimpleNamespace(pid=pid, space=object() if alive else None, zone=None, new=new)


def test_which_processes_a_provider_means(monkeypatch: pytest.MonkeyPatch) -> None:
    """None that has ended, and none that the tracer may not trace; a number is one's own."""
    processes = {each.pid: each for each in (process(7), process(17), process(8, alive=False), process(77))}
    monkeypatch.setattr(pids, "may_trace", lambda who, each: each.pid != 77)
    monkeypatch.setattr(fasttrap, "process_of", lambda kernel, pid: kernel.processes.get(pid))
    self: Any = SimpleNamespace(kernel=SimpleNamespace(processes=processes))
    meant = {name: [each.pid for each in Fasttrap._meant(self, name)]
             for name in ("pid*", "pid?", "pid*7", "shop*", "", "pid7", "shop17", "shop", "pid9", "pid77")}
    assert meant == {"pid*": [7, 17], "pid?": [7], "pid*7": [7, 17], "shop*": [7, 17], "": [],
                     "pid7": [7], "shop17": [17], "shop": [], "pid9": [], "pid77": []}


@pytest.mark.parametrize(("description", "new", "there", "expected"), [
    ("pid7:::", True, False, "advance provide"), ("pid7:::", False, False, "provide"),
    ("pid7:lib*::", True, True, "advance provide"), ("pid7:a.out:main:", True, True, "provide"),
    ("pid7:a.out:main:", True, False, "provide advance provide"),
    ("pid7:a.out:main:", False, False, "provide"), ("shop7:::", True, False, "provide advance provide"),
    ("shop7:::", True, True, "provide")])
def test_when_a_new_process_runs_on(description: str, new: bool, there: bool, expected: str,
                                    monkeypatch: pytest.MonkeyPatch) -> None:
    """Until its libraries are there: where the probes may be in one, or are nowhere else."""
    done: list[str] = []
    one = process(7, new=new)

    def advanced(_programs: object, each: Any) -> bool:
        done.append("advance")
        each.new = False
        return True
    monkeypatch.setattr(fasttrap, "advance", advanced)
    self: Any = SimpleNamespace(
        programs=None, _meant=lambda name, who: [one], _may_advance=lambda each: each.new,
        _has_any=lambda desc: there, _provide=lambda desc, who: done.append("provide"))
    Fasttrap.provide(self, ProbeDesc(*description.split(":")))
    assert " ".join(done) == expected


def test_a_moment_that_is_there_already() -> None:
    nothing: Any = None
    assert startup.advance(nothing, nothing, "exec") is False


def test_who_is_sought_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that live, by the number at the name's end, that the tracer may trace."""
    processes = {each.pid: each for each in (process(7), process(17), process(27, alive=False), process(8),
                                             process(47))}
    monkeypatch.setattr(discovery, "may_trace", lambda who, each: each.pid != 47)
    asked: list[int] = []
    programs: Any = SimpleNamespace(kernel=SimpleNamespace(processes=processes),
                                    objects=SimpleNamespace(of=lambda each: asked.append(each.pid) or []))
    found = {}
    for name in ("shop7", "shop17", "shop*", "shop", "shop27", "shop47"):
        nothing: Any = None
        Discovery(programs, nothing, nothing).seek(ProbeDesc(name, "", "", ""), None)
        found[name], asked[:] = asked.copy(), []
    assert found == {"shop7": [7], "shop17": [7, 17], "shop*": [7, 17, 8], "shop": [], "shop27": [7],
                     "shop47": [7]}


# -- the device of programs ---------------------------------------------------------------------------------

REMOVED = struct.pack("<i", 9)


@pytest.mark.parametrize(("number", "memory", "result"), [
    (usdt.ADD_DOF, bytes(88), 5), (usdt.ADD_DOF, bytes(79), errno.EFAULT), (usdt.REMOVE_DOF, b"", 0),
    (usdt.FREEBSD_REMOVE_DOF, REMOVED, 0), (usdt.FREEBSD_REMOVE_DOF, REMOVED[:3], errno.EFAULT),
    (usdt.FREEBSD_ADD_DOF | 1 << 32, bytes(88), 0), (0x64746804, bytes(88), errno.ENOTTY),
    (usdt.ADD_DOF, b"broken".ljust(88), errno.E2BIG), (usdt.ADD_DOF, b"wrong".ljust(88), errno.EINVAL)])
def test_the_device_of_programs(number: int, memory: bytes, result: int,
                                monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be read, what is no DOF, what is no request; FreeBSD's structures are another."""
    data = bytearray(memory)
    unloaded: list[int] = []

    def load(_pid: int, dof: bytes, *_more: object) -> int:
        if memory.startswith(b"broken"):
            raise DofError("header", "too \33 much", errno.E2BIG)
        if memory.startswith(b"wrong"):
            raise ValueError
        return 5

    def write(address: int, written: bytes) -> None:
        data[address - 0x1000:address - 0x1000 + len(written)] = written
    monkeypatch.setattr(usdt, "load_size", lambda header, order: 8)
    thread: Any = SimpleNamespace(
        pid=7, process=SimpleNamespace(processor=SimpleNamespace(order="<")), write=write,
        read=lambda address, size: bytes(size) if address < 0x1000 or address > 0x9000 else
        Memory(bytes(data)).read(address, size))
    helpers: Any = SimpleNamespace(load=load, unload=lambda pid, number: unloaded.append(number))
    said: list[str] = []
    device = usdt.HelperDevice(helpers, said.append)
    argument = 9 if number == usdt.REMOVE_DOF else 0x1000
    try:
        assert device.ioctl(thread, number, argument) == result
    except SyscallError as error:
        assert error.errno == result
    told = "process 7: its DOF is refused: header: too \\x1b much"
    assert said == ([told] if memory.startswith(b"broken") else [])
    assert unloaded == ([9] if result == 0 and not number & 1 else [])
    if number & 0xFFFFFFFF == usdt.FREEBSD_ADD_DOF:
        assert data == bytes(84) + b"\5\0\0\0"


# -- exclusive accesses of AArch64 --------------------------------------------------------------------------

LDXR, STXR, LDAXP, STLXP = 0xC85F7C00, 0xC8017C00, 0xC87F8400, 0xC8218400
RET, NOP, LDAR, CAS = 0xD65F03C0, 0xD503201F, 0xC8DFFC00, 0xC8A07C41


def exclusives(*words: int) -> Any:
    """The space of a program whose text is these words, and nothing behind them."""
    text = b"".join(word.to_bytes(4, "little") for word in words)
    space: Any = SimpleNamespace(original=Memory(text).read, _exclusive={})
    return space


@pytest.mark.parametrize(("words", "load", "store"), [
    ([LDXR], True, False), ([STXR], False, True), ([NOP, NOP, LDAXP], True, False), ([STLXP], False, True),
    ([NOP] * 3, False, False), ([NOP, RET, LDXR], False, False), ([STXR, LDXR], False, True),
    ([LDXR, STXR], True, False), ([LDAR, CAS, STXR], False, True),
    ([NOP] * 32 + [LDXR], False, False), ([NOP] * 31 + [LDXR], True, False)])
def test_which_exclusive_access_comes_next(words: list[int], load: bool, store: bool) -> None:
    """The other kind, a return and the end of the text end the search."""
    assert ArmSpace._finds(exclusives(*words), 0x1000, 4, True) is load
    assert ArmSpace._finds(exclusives(*words), 0x1000, 4, False) is store
    last = 0x1000 + 4 * (len(words) - 1)
    assert ArmSpace._finds(exclusives(*reversed(words)), last, -4, True) is load


@pytest.mark.parametrize("at", [0, 511, 1023])
@pytest.mark.parametrize(("word", "found"), [
    (LDXR, True), (STLXP, True), (LDAR, False), (CAS, False), (NOP, False), (0x08000000, True),
    (0x48080000, True), (0x00080008, False), (0x08800800, False)])
def test_pages_with_exclusive_accesses(word: int, found: bool, at: int) -> None:
    words = [NOP] * 1024
    words[at] = word
    space = exclusives(*words)
    for _ in range(2):  # the second time from memory
        assert ArmSpace._has_exclusive(space, 0x1000) is found
        space.original = None if 0x1000 in space._exclusive else space.original
    assert ArmSpace._has_exclusive(exclusives(*words), 0x2000) is False


def test_words_that_are_undefined_for_ever() -> None:
    """Those whose upper half is 0; they are padding."""
    isa = Arm64()
    assert [isa.decode(word.to_bytes(4, "little"), 0) is None
            for word in (0, 5, 0xFFFF, 0x10000, 0x1FFFF, 0x20000, NOP)] == [True] * 3 + [False] * 4


# -- tracepoints ----------------------------------------------------------------------------------------

@pytest.mark.parametrize(("users", "leaving"), [(1, True), (2, False), (3, False)])
def test_traps_stay_in_memory_that_goes_with_its_last_process(users: int, leaving: bool) -> None:
    traced = SimpleNamespace(space=SimpleNamespace(users=users), leaving=False)
    told: list[object] = []
    self: Any = SimpleNamespace(leaving=[told.append], _traced=lambda thread: traced, _retire=told.append)
    one: Any = SimpleNamespace(process="process")
    Fasttrap._exited(self, one, 1)
    assert traced.leaving is leaving and told == ["process", "process"]


@pytest.mark.parametrize("changed", [False, True])
def test_code_that_has_changed_since_it_was_looked_at(changed: bool) -> None:
    """What the program has written there is put back in the end, and is executed in its own way."""
    old = Plan(Treatment.EMULATED, "old", code=b"\x90")
    new = Plan(Treatment.EMULATED, "new", code=b"\x50")
    patched: list[object] = []
    space: Any = SimpleNamespace(_plans={0x1000: old}, points={}, isa=SimpleNamespace(trap=b"\xcc"),
                                 original=lambda address, size: (b"\x50" if changed else b"\x90")[:size],
                                 space=SimpleNamespace(patch=lambda *words: patched.append(words)))
    space.plan = lambda address: space._plans.get(address, new)
    point = TracedSpace._place(space, 0x1000)
    assert (point.plan.why, point.original) == (("new", b"\x50") if changed else ("old", b"\x90"))
    assert patched == [(0x1000, b"\xcc")] and space.points == {0x1000: point}


def test_text_that_cannot_be_read() -> None:
    """The longest piece that is there is looked at; where nothing is, there is no instruction."""
    memory = Memory(b"\x48\x89\xe5\x90")
    asked: list[bytes] = []
    isa = SimpleNamespace(longest=15, plan=lambda code, address: asked.append(code) or "plan")

    def read(address: int, size: int) -> bytes:
        if address + size > 0x1004:
            raise MemoryFault(max(address, 0x1004))
        return memory.read(address, size)
    space: Any = SimpleNamespace(isa=isa, original=read)
    plans: list[Any] = [TracedSpace._make_plan(space, 0x1000 + at) for at in (0, 3, 4)]
    assert plans[:2] == ["plan", "plan"] and asked == [b"\x48\x89\xe5\x90", b"\x90"]
    assert (plans[2].treatment, plans[2].why) == (Treatment.REFUSED, "unreadable")


def test_an_instruction_of_sparc_that_faults_is_no_end_of_a_function() -> None:
    raised: list[object] = []
    engine = object.__new__(SparcEngine)
    engine.version = 9
    engine.raise_trap = lambda number: raised.append(number)  # type: ignore[method-assign, assignment]
    engine.raise_fault = lambda address: raised.append(address)  # type: ignore[method-assign, assignment]
    processor = SimpleNamespace(engine=engine)
    thread: Any = SimpleNamespace(regs=None, process=SimpleNamespace(processor=processor))

    def step(regs: object, error: Exception | None) -> None:
        if error is not None:
            raise error
    nothing: Any = None
    for error, goes_on in ((None, True), (Misaligned(0x1002), False), (MemoryFault(0x5000), False)):
        plan = SparcPlan(Treatment.EMULATED, "", step=lambda regs, error=error: step(regs, error))  # type: ignore[misc]
        point: Any = SimpleNamespace(plan=plan)
        assert SparcSpace._step(nothing, thread, point) is goes_on
    assert raised == [MISALIGNED[9], 0x5000]


@pytest.mark.parametrize(("always", "target", "fires"), [(True, 5, True), (False, 5, False),
                                                         (False, 50, True)])
def test_what_a_function_of_sparc_returns(always: bool, target: int, fires: bool,
                                          monkeypatch: pytest.MonkeyPatch) -> None:
    """Both registers of a result, %o0 and %o1; a jump within the function is no end of it."""
    fired: list[object] = []
    probe: Any = SimpleNamespace(fire=lambda *values: fired.append(values))
    space: Any = SimpleNamespace(_before=lambda address: 0, original=lambda address, size: bytes(size),
                                 _watchers={}, add=lambda *values: None)
    monkeypatch.setattr(Sparc, "is_return", staticmethod(lambda before: always))
    SparcSpace.watch_return(space, 0x1000, probe, 12, lambda address: address < 10)
    ((_probe, left),) = space._watchers[0x1000]
    regs: Any = SimpleNamespace(read=lambda number: 0x100 + number)
    left(None, regs, target)
    assert fired == [(12, 0x108, 0x109, 0, 0)] * fires
    probe.fire = None
    left(None, regs, target)
    assert len(fired) == fires


def test_a_tracepoint_without_room_is_one_no_more() -> None:
    """Where the program takes away the memory of its slot."""
    done: list[object] = []
    points = [SimpleNamespace(address=address, slot=0x9000 + address,
                              plan=SimpleNamespace(build=None if address == 3 else "build"))
              for address in range(5)]
    slots = {point.slot: point for point in points}

    def house(point: Any, _build: object) -> None:
        if point.address == 1:
            raise Refused("no room")
    space: Any = SimpleNamespace(slots=slots, _house=house,
                                 points={0: points[0], 1: points[1], 2: None, 3: points[3]},
                                 _settle=lambda point: done.append(("settled", point.address)),
                                 _lift=lambda point: done.append(("lifted", point.address)))
    TracedSpace._move_out(space, [0x9000, 0x9001, 0x9002, 0x9003, 0x9008])
    assert done == [("settled", 0), ("lifted", 1)] and list(slots) == [0x9004]
    assert [point.slot for point in points] == [None, None, 0x9002, 0x9003, 0x9004]
