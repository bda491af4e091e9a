"""Parts of the tracing of programs by themselves: how functions are called, what files offer, mistakes."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from harness import Machine

from dof import model
from dof.model import ProbeDesc
from runtime.framework.probes.registry import Registry
from runtime.kernel.base.errors import MemoryFault
from runtime.kernel.cpu.arm64.registers import Registers as ArmRegisters
from runtime.kernel.cpu.sparc.registers import Registers as SparcRegisters
from runtime.kernel.cpu.sparc.registers import State8, State9
from runtime.programs.abi import IN_MEMORY
from runtime.providers.fasttrap import discovery, loadobjects, mistakes, pid, usdt
from runtime.providers.fasttrap.instructions import arm64, scratch, sparc, x86
from runtime.providers.fasttrap.instructions.scratch import REGION, Region, Scratch
from runtime.providers.fasttrap.pid import MAX_TEXT, NO_FUNCTION, PidProvider

Case = tuple[Any, Any, int, list[str]]


def thread(regs: Any, order: str, fails_from: int = 1 << 60) -> Any:
    """A thread in whose memory each word holds its own address."""
    def read(address: int, size: int) -> bytes:
        if address >= fails_from:
            raise MemoryFault(address)
        return b"".join(at.to_bytes(8 if size % 8 == 0 else 4, order)  # type: ignore[arg-type]
                        for at in range(address, address + size, 8 if size % 8 == 0 else 4))
    return SimpleNamespace(regs=regs, read=read)


def x86_registers() -> list[int]:
    regs = [0x100 + number for number in range(17)]
    regs[x86.RSP] = 0x1000
    return regs


def arm_registers() -> ArmRegisters:
    regs = ArmRegisters()
    for number in range(31):
        regs[number] = 0x100 + number
    regs[31] = 0x1000
    return regs


def sparc_registers(bits: int) -> SparcRegisters:
    regs = SparcRegisters(State8() if bits == 32 else State9())
    for number in range(1, 32):
        regs.write(number, 0x100 + number)
    regs.write(14, 0x1000 if bits == 32 else 0x1000 - 2047)
    return regs


CONVENTIONS: dict[str, tuple[Any, Any, str, list[int], list[int]]] = {
    # what reads arguments, registers, byte order, arguments 0 to 9 in a function that was called, and without
    "amd64": (x86.RegisterConvention(x86.ARGUMENTS), x86_registers(), "little",
              [0x107, 0x106, 0x102, 0x101, 0x108, 0x109, 0x1008, 0x1010, 0x1018, 0x1020],
              [0x107, 0x106, 0x102, 0x101, 0x108, 0x109, 0x1000, 0x1008, 0x1010, 0x1018]),
    "go": (x86.RegisterConvention(x86.GO_ARGUMENTS), x86_registers(), "little",
           [0x100, 0x103, 0x101, 0x107, 0x106, 0x108, 0x109, 0x10A, 0x10B, 0x1008],
           [0x100, 0x103, 0x101, 0x107, 0x106, 0x108, 0x109, 0x10A, 0x10B, 0x1000]),
    "i386": (x86.StackConvention(32), x86_registers(), "little", list(range(0x1004, 0x102C, 4)),
             list(range(0x1000, 0x1028, 4))),
    "arm64": (arm64.ArmConvention(), arm_registers(), "little", [*range(0x100, 0x108), 0x1000, 0x1008],
              [*range(0x100, 0x108), 0x1000, 0x1008]),
    "sparc": (sparc.SparcConvention(32), sparc_registers(32), "big",
              [*range(0x108, 0x10E), *range(0x105C, 0x106C, 4)], [*range(0x108, 0x10E),
                                                                  *range(0x105C, 0x106C, 4)]),
    "sparcv9": (sparc.SparcConvention(64), sparc_registers(64), "big",
                [*range(0x108, 0x10E), *range(0x10B0, 0x10D0, 8)],
                [*range(0x108, 0x10E), *range(0x10B0, 0x10D0, 8)])}


ON_STACK = {"amd64": 6, "i386": 0, "arm64": 8}  # the first argument there; D reads no larger ones elsewhere


@pytest.mark.parametrize("name", CONVENTIONS)
def test_arguments(name: str) -> None:
    convention, regs, order, called, jumped = CONVENTIONS[name]
    reader = thread(regs, order)
    assert [convention.argument(reader, index, True) for index in range(10)] == called
    assert [convention.argument(reader, index, False) for index in range(10)] == jumped
    assert convention.argument(thread(regs, order, 0), 9, True) == 0
    for index in range(ON_STACK.get(name, 10), 10):  # where an argument is: each word holds its own address
        assert convention.argument(reader, IN_MEMORY + index, True) == called[index]
        assert convention.argument(reader, IN_MEMORY + index, False) == jumped[index]
    fired: list[tuple[int, ...]] = []
    for needs in (5, 2, 1, 0):
        probe = SimpleNamespace(fire=lambda *values: fired.append(values), needs=needs)
        convention.entry(probe)(reader, regs)
        assert len(fired[-1]) == 5 and list(fired.pop())[:needs] == called[:needs]
    convention.entry(SimpleNamespace(fire=None, needs=5))(reader, regs)
    if name == "i386":
        convention.entry(SimpleNamespace(fire=lambda *values: fired.append(values), needs=5))(
            thread(regs, order, 0), regs)
        assert fired == [(0,) * 5]


@pytest.mark.parametrize(("name", "register"), [("amd64", 0), ("i386", 0), ("arm64", 0), ("sparc", 8),
                                                ("sparcv9", 8)])
def test_results(name: str, register: int) -> None:
    convention, regs, *_ = CONVENTIONS[name]
    read = regs.read if name.startswith("sparc") else regs.__getitem__
    assert convention.result(regs) == read(register) == 0x100 + register
    before = regs[arm64.PC] if name == "arm64" else 0
    convention.say_enabled(None, regs)
    assert read(register) == 1
    if name == "arm64":
        assert regs[arm64.PC] == before + 4
    if name.startswith("sparc"):
        regs.write(register, 0x100 + register)
    else:
        regs[register] = 0x100 + register


def test_returns() -> None:
    fired: list[tuple[int, ...]] = []
    regs: Any = x86_registers()
    inside: Any = SimpleNamespace(fire=lambda *values: fired.append(values), needs=2)
    for target, times in ((5, 1), (50, 0)):
        x86.may_return(inside, 9, lambda _regs, _thread, to=target: to,  # type: ignore[misc]
                       lambda address: address >= 10)(None, regs)  # type: ignore[arg-type]
        assert fired == [(9, 0x100, 0x102, 0, 0)] * times
        fired.clear()


def test_a_provider_stays_as_long_as_a_part_of_its_program() -> None:
    """What two libraries of a process offer under one name is gone when both are unloaded."""
    process = SimpleNamespace(pid=7, space=object(), identity=SimpleNamespace(owner=0),
                              zone=SimpleNamespace(id=0))
    programs: Any = SimpleNamespace(kernel=SimpleNamespace(processes={7: process}), registry=Registry(),
                                    tracepoints=SimpleNamespace(of=lambda _process: None))
    providers, shop = usdt.UsdtProviders(programs), model.Provider("shop", usdt.DEFAULT_ATTRIBUTES)
    for change in (providers.provide_process, providers.provide_process, providers.remove_process):
        change(shop, 7, "")
        assert "shop7" in programs.registry.providers
    for _ in range(2):
        providers.remove_process(shop, 7, "")
        assert not programs.registry.providers


def test_a_disabled_probe_has_no_traps() -> None:
    """Neither where it is nor where the program asks whether it is enabled."""
    placed: list[int] = []
    space = SimpleNamespace(space=SimpleNamespace(users=0), add=lambda address, *_: placed.append(address),
                            remove=lambda address, _probe: placed.remove(address),
                            convention=SimpleNamespace(entry=lambda _probe: None, say_enabled=None))
    process = SimpleNamespace(pid=7, bits=64, space=object(), identity=SimpleNamespace(owner=0),
                              zone=SimpleNamespace(id=0))
    programs: Any = SimpleNamespace(kernel=SimpleNamespace(processes={7: process}), registry=Registry(),
                                    tracepoints=SimpleNamespace(of=lambda _process: space),
                                    objects=SimpleNamespace(at=lambda _process, _address: None))
    shop = model.Provider("shop", usdt.DEFAULT_ATTRIBUTES)
    shop.probes.append(model.Probe("sell", "sold", 0x1000, offsets=[5, 9], enabled_offsets=[2]))
    providers = usdt.UsdtProviders(programs)
    providers.provide_process(shop, 7, "")
    operations = providers.providers[7, "shop"]
    probe, = operations.provider.probes.values()
    counted: list[object] = []
    operations._count_listeners = lambda *what: counted.append(what)  # type: ignore[method-assign]
    probe.arg.semaphores[:] = [0x5000, 0x7000]  # type: ignore[attr-defined]
    operations.data_mapped(0x5000, 0x6000)
    operations.enable(probe)
    probe.enabled = True
    assert placed == [0x1005, 0x1009, 0x1002]
    operations.data_mapped(0x5000, 0x7000)  # a library's text comes before its data
    operations.disable(probe)
    assert not placed
    assert counted == [([0x5000, 0x7000], 1), ([0x5000], 1), ([0x5000, 0x7000], -1)]


def test_counters_of_tracers() -> None:
    """They have two bytes, the last ones of a page at times; one that is not mapped is left out."""
    page = bytearray(b"\xfe\xff\x09" + bytes(4093))

    def read(address: int, size: int) -> bytes:
        if address < 4096 or address + size > 8192:
            raise MemoryFault(address)
        return bytes(page[address - 4096:][:size])

    def write(address: int, data: bytes) -> None:
        page[address - 4096:address - 4096 + len(data)] = data
    space = SimpleNamespace(space=SimpleNamespace(users=1, read=read, write=write))
    counted: Any = SimpleNamespace(space=space)
    for change in (1, 1, 1, -1):
        usdt.UsdtProvider._count_listeners(counted, [4096, 100, 8190], change)
    assert page == b"\0\0\x09" + bytes(4091) + b"\2\0"


# -- what files offer -------------------------------------------------------------------------------------

def test_a_provider_is_made_once_for_each_process(monkeypatch: pytest.MonkeyPatch) -> None:
    notes: Any = {"noted": ["probe"]}
    monkeypatch.setattr(discovery, "offer_of", lambda elf: discovery.Offer(
        [(0x40, b"DOF", ["shop", "stock"])], True, notes))
    loaded: list[tuple[object, ...]] = []
    noted: list[tuple[object, ...]] = []

    class File:
        elf, path = None, "/bin/shop"
    each: Any = SimpleNamespace(file=File(), bias=0x1000, name="shop")
    processes = {pid: SimpleNamespace(pid=pid, space=object(), environment=[]) for pid in (7, 17, 8)}
    programs: Any = SimpleNamespace(kernel=SimpleNamespace(processes=processes),
                                    objects=SimpleNamespace(of=lambda process: [each]))
    helper: Any = SimpleNamespace(load_early=lambda process, *rest: loaded.append((process.pid, *rest)))
    usdt: Any = SimpleNamespace(provide_notes=lambda process, at, name, probes: noted.append(
        (process.pid, name, probes)))
    made = discovery.Discovery(programs, helper, usdt)
    monkeypatch.setattr(discovery, "may_trace", lambda who, process: True)
    made.seek(ProbeDesc("shop7", "", "", ""), None)
    assert [row[0] for row in loaded] == [7] and loaded[0] == (7, b"DOF", 0x1000, 0x1040, "shop")
    assert noted == []
    made.seek(ProbeDesc("stock7", "", "", ""), None)  # of the same object
    assert len(loaded) == 2
    made.seek(ProbeDesc("shop7", "", "", ""), None)
    made.loaded(processes[7], each)  # type: ignore[arg-type]
    assert len(loaded) == 2
    made.seek(ProbeDesc("noted*", "", "", ""), None)
    assert noted == [(7, "noted", ["probe"]), (17, "noted", ["probe"]), (8, "noted", ["probe"])]
    made.forget(processes[7])  # type: ignore[arg-type]
    made.loaded(processes[7], each)  # type: ignore[arg-type]
    assert (loaded[2:], noted[3:]) == ([(7, b"DOF", 0x1000, 0x1040, "shop")], [(7, "noted", ["probe"])])
    made.loaded(processes[8], each)  # type: ignore[arg-type]
    assert len(noted) == 4


# -- mistakes ---------------------------------------------------------------------------------------------

def owner(functions: dict[str, list[int]], too_much: bool = False) -> Any:
    """One process, 7, with one object, a.out, whose functions have the given sizes."""
    def named(name: str) -> list[SimpleNamespace]:
        return [SimpleNamespace(start=0x400, size=size) for size in functions.get(name, ())]
    file = SimpleNamespace(named=named,
                           resolvers=lambda name: ["r"] if name == "indirect" else [])
    return SimpleNamespace(
        kernel=SimpleNamespace(processes={7: SimpleNamespace(pid=7, space=object(), zone=None)}),
        resolve=lambda desc: desc, objects=SimpleNamespace(of=lambda _process: [SimpleNamespace(
            name="a.out", bias=0x1000, file=file)]), pids={7: SimpleNamespace(
                too_much=lambda desc, objects: too_much, refused={0x1400: "data", 0x1410: "data"})})


@pytest.mark.parametrize(("text", "tag"), [
    ("syscall:::entry", None), ("pid*:a.out:main:entry", "D_PROC_LIB"), ("pid*:libc*:main:entry", None),
    ("pid0:::entry", "D_PROC_BADPID"), ("pid2147483648:::entry", "D_PROC_BADPID"),
    ("pid2147483647:::entry", "D_PROC_GRAB"), ("pid8:::entry", "D_PROC_GRAB"), ("pid7:::entry", None),
    ("pid7:::nowhere", "D_PROC_NAME"), ("pid7:::1f", None), ("pid7:::ret*", None), ("pid7:::", None),
    ("pid7:a.out:main:entry", "D_PROC_CREATEFAIL"), ("pid7::main:return", None),
    ("pid7:a.out:none:entry", "D_PROC_FUNC"), ("pid7::none:entry", "D_PROC_FUNC"),
    ("pid7:libx:none:entry", None), ("pid7::indirect:entry", None),
    ("pid7::main:f", "D_PROC_ALIGN"), ("pid7::main:10", "D_PROC_OFF"), ("pid7::main:1f", "D_PROC_OFF"),
    ("pid7::twice:10", "D_PROC_CREATEFAIL"), ("pid7::twice:1f", "D_PROC_ALIGN"),
    ("pid7::twice:20", "D_PROC_OFF"), ("pid7::m*:99", None),
    (f"pid7:a.out:{NO_FUNCTION}:401000", None), (f"pid7::{NO_FUNCTION}:401000", None),
    (f"pid7:libc:{NO_FUNCTION}:401000", "D_PROC_LIB"), (f"pid7::{NO_FUNCTION}:entry", "D_PROC_NAME"),
    (f"pid7::{NO_FUNCTION}:", "D_PROC_NAME")])
def test_mistakes(text: str, tag: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mistakes, "process_of", lambda kernel, pid: kernel.processes.get(pid))
    provider, module, function, name = text.split(":")
    desc = ProbeDesc(provider, module, function, name)
    found = mistakes.explain(owner({"main": [16], "twice": [16, 32]}), desc)
    assert (found[0] if found else None) == tag


def test_too_many_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mistakes, "process_of", lambda kernel, pid: kernel.processes.get(pid))
    found = mistakes.explain(owner({}, too_much=True), ProbeDesc("pid7", "", "main", ""))
    assert found is not None and found[0] == "D_PROC_CREATEFAIL"
    objects: Any = [SimpleNamespace(name=name, file=[SimpleNamespace(size=MAX_TEXT // 2)])
                    for name in ("a", "b")]
    provider: Any = SimpleNamespace(_functions=lambda desc, file: [(each, "f") for each in file])

    def much(module: str, function: str, name: str) -> bool:
        return PidProvider.too_much(provider, ProbeDesc("pid7", module, function, name), objects)
    assert not much("", "", "")
    objects[1].file[0].size += 1
    assert much("", "", "") and much("*", "f*", "*") and much("", "f", "1*")
    assert not much("", "", "entry") and not much("a", "", "") and not much("", NO_FUNCTION, "")


# -- slots ------------------------------------------------------------------------------------------------

class Space:
    """Areas of an address space, in order."""

    limit = 1 << 47

    def __init__(self, *taken: tuple[int, int]) -> None:
        self.areas = [SimpleNamespace(start=start, end=end) for start, end in taken]

    def overlapping(self, low: int, high: int) -> list[Any]:
        return sorted((each for each in self.areas if each.start < high and low < each.end),
                      key=lambda each: each.start)

    def map(self, area: Any) -> None:
        assert not self.overlapping(area.start, area.end) and area.start % REGION == 0
        self.areas.append(area)

    def unmap(self, start: int, end: int) -> None:
        self.areas = [each for each in self.areas if (each.start, each.end) != (start, end)]

    def free_range(self, size: int) -> int:
        return 0x7F0000000000


def test_slots_of_a_region() -> None:
    region = Region(REGION, REGION // 4 - 1)  # four, and a few bytes at the end
    size = REGION // 4 - 1
    nobody = [region.take(lambda slot: False) for _ in range(5)]
    assert nobody == [REGION, REGION + size, REGION + 2 * size, REGION + 3 * size, None]
    for slot in (REGION + size, REGION):
        region.give(slot)
    assert region.take(lambda slot: slot == REGION + size) == REGION
    assert region.take(lambda slot: True) is None
    assert region.take(lambda slot: False) == REGION + size
    assert region.take(lambda slot: False) is None
    exact = Region(0, REGION // 2)
    assert [exact.take(lambda slot: False) for _ in range(3)] == [0, REGION // 2, None]
    assert [region.slot_of(REGION + at) for at in (0, size - 1, size)] == [REGION, REGION, REGION + size]


def test_where_slots_are() -> None:
    """As near as can be to a place below the code, in reach of it, and elsewhere where there is no room."""
    reach = 16 * REGION
    code = 64 * REGION
    space: Any = Space((code, code + REGION))
    scratch = Scratch(space, REGION // 2, reach, lambda slot: False)
    first, second = scratch.take(code, False), scratch.take(code + 100, False)
    assert first is not None and second == first + REGION // 2 and code - reach <= first < code
    third = scratch.take(code, False)
    assert third is not None and third % REGION == 0 and third != first
    assert scratch.slot_of(first + 5) == first and scratch.slot_of(code) is None
    scratch.give(second)
    assert [scratch.take(code, False) for _ in range(2)] == [second, third + REGION // 2]
    assert scratch.drop(first, first + 1) == [first, second] and scratch.drop(first, first + 1) == []
    assert scratch.slot_of(first) is None and scratch.slot_of(third) == third
    scratch.unmap()
    assert [(each.start, each.end) for each in space.areas][:1] == [(code, code + REGION)]
    full: Any = Space((0, 1 << 46))
    scratch = Scratch(full, REGION // 2, reach, lambda slot: False)
    assert scratch.take(code, False) is None
    assert [scratch.take(code, True) for _ in range(2)] == [0x7F0000000000, 0x7F0000000000 + REGION // 2]
    assert scratch.take(code, False) is None
    low: Any = Space((code, code + REGION))
    assert (Scratch(low, REGION, 1 << 31, lambda slot: False).take(REGION, False) or 0) >= 0x10000


def test_a_thread_that_stopped_at_a_tracepoint_of_sparc() -> None:
    """What comes after a displaced instruction is no longer kept: the registers are as they were."""
    regs = sparc_registers(64)
    regs.pc, regs.npc = 0x2000, 0x2004
    kept = regs.copy()
    stopped = SimpleNamespace(regs=regs, data={sparc.NPC: 0x1008})
    regs.pc = 0x9000
    space: Any = SimpleNamespace(state_at=lambda pc: (0x1004, 0) if pc == 0x9000 else None)
    space.leave_slot = lambda each: sparc.SparcSpace.leave_slot(space, each)
    sparc.SparcSpace.retry(space, stopped, None, kept)  # type: ignore[arg-type]
    assert (regs.pc, regs.npc, stopped.data) == (0x2000, 0x2004, {})


def test_a_thread_that_stopped_at_a_tracepoint_of_arm64() -> None:
    """What an emulated instruction has done to the registers is undone: it comes anew."""
    regs = arm_registers()
    regs[arm64.PC] = 0x1004
    kept = arm64.ArmSpace.registers(None, SimpleNamespace(regs=regs))  # type: ignore[arg-type]
    before = list(regs)
    regs[arm64.PC], regs[30], regs[0] = 0x9000, 5, 6
    point: Any = SimpleNamespace(address=0x1000)
    arm64.ArmSpace.retry(None, SimpleNamespace(regs=regs), point, kept)  # type: ignore[arg-type]
    assert list(regs) == [0x1000 if number == arm64.PC else value for number, value in enumerate(before)]


def test_dof_that_was_found_before_its_program_registers_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not loaded twice, but anew for a program that was executed since."""
    loads: list[int] = []
    helpers: Any = SimpleNamespace(forget=lambda pid: None, has=lambda pid, address: address == 72,
                                   load=lambda pid, *_more: loads.append(pid) or len(loads))
    monkeypatch.setattr(usdt, "load_size", lambda data, order: 8)
    device = usdt.HelperDevice(helpers, print)
    processes: list[Any] = [SimpleNamespace(pid=pid, processor=SimpleNamespace(order="<")) for pid in (7, 64)]
    for process in processes:
        device.load_early(process, b"DOF", 0, 64, "m")
        device.load_early(process, b"DOF", 0, 72, "m")  # it has registered that one already
    device.forget(7)
    threads: list[Any] = [SimpleNamespace(
        pid=each.pid, process=each, read=lambda address, size: struct.pack(usdt.HELPER, b"m", 0, 64)[:size])
        for each in processes]
    assert [device.ioctl(each, usdt.ADD_DOF, 1) for each in threads] == [3, 2]
    assert loads == [7, 64, 7]
    assert device.ioctl(threads[1], usdt.ADD_DOF, 1) == 4


def test_what_a_resolver_has_chosen_gets_the_probes_that_mean_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pid, "_named", lambda each, address, name: (address, name))
    made: list[tuple[object, ...]] = []
    wanted = [(ProbeDesc("pid7", module, function, name), None) for module, function, name in (
        ("libm*", "choose", "entry"), ("libc*", "choose", "return"), ("libm*", "other", "0"),
        ("", "ch*", "4"))]
    provider: Any = SimpleNamespace(
        wanted=wanted, _names=lambda desc, _function: ["choose"] if desc.function.startswith("ch") else [],
        _probes=lambda *words: made.append(words))
    for code in (b"", b"x"):
        file = SimpleNamespace(code=lambda at, size, found=code: found)
        each = SimpleNamespace(name="libm.so.6", bias=0x1000, file=file)
        site: Any = SimpleNamespace(resolves=(each, "choose"), function=None)
        PidProvider._resolved(provider, site, 0x1040)
        assert [words[0] for words in made] == (["entry", "4"] if code else [])
    assert made[0][1:] == (each, (0x1040, "choose"), "choose")


def test_slots_are_given_back(machine: Callable[..., Machine], build: Callable[..., str], tmp_path: Path,
                              monkeypatch: pytest.MonkeyPatch) -> None:
    """However often probes come, are hit and go beside one that stays, their memory is the same."""
    monkeypatch.setattr(scratch, "REGION", 1 << 12)
    source = tmp_path / "many.c"
    source.write_text("""#include <unistd.h>
        __attribute__((noinline)) int f(int n) { volatile int k = n; return k * 3 + getppid(); }
        int main(void) { int sum = 0; for (int n = 0; n < 60; n++) sum += f(n); return !sum; }""")
    traced = machine()
    process = traced.start(build(str(source), "-O1"))
    stays, *others = traced.probes(f"pid{process.pid}:a.out:f:")
    used: list[int] = []

    def mark(_thread: object, name: str, _arguments: object) -> None:
        if name == "getppid":
            areas = [area for area in process.space.areas if area.path == scratch.NAME]
            used.append(sum(area.end - area.start for area in areas))
            traced.disable(others)
            traced.enable(others)
    traced.enable([stays, *others])
    traced.kernel.hooks.syscall_entry = mark
    assert traced.run(process).status == 0
    assert len(used) == 60 and used[0] == used[-1] > 0 and len(others) > 5


def test_what_is_held_of_files() -> None:
    file: Any = SimpleNamespace(elf=SimpleNamespace(data=bytes(100)), debug_data=bytes(20))
    assert (loadobjects._size(file), loadobjects._size(None)) == (120, 0)
