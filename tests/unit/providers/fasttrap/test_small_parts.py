"""Parts of the providers of programs by themselves: what is read of memory, and probes that come and go."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dof import model
from runtime.framework.probes.registry import Registry
from runtime.kernel.base.errors import MemoryFault
from runtime.programs.objectfile import Function
from runtime.providers.fasttrap import pid, startup, usdt
from runtime.providers.fasttrap.instructions import x86
from runtime.providers.fasttrap.instructions.space import TracedSpace


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
    programs: Any = SimpleNamespace(
        kernel=SimpleNamespace(processes={7: process}, current=SimpleNamespace(pc=0x2000, regs=None)),
        registry=Registry(), tracepoints=SimpleNamespace(of=lambda _process: space),
        objects=SimpleNamespace(at=lambda _process, _address: SimpleNamespace(name="libshop.so")))
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
        providers.provide_process(each, 7)
    operations = providers.providers[7, "shop"]

    def places() -> dict[str, list[int]]:
        return {probe.name: found for probe, found in operations.places()}
    assert places() == {"sold": [0x1005, 0x1009, 0x2001], "asked": [0x10, 4], "told": [0x2003]}
    first.probes.append(model.Probe("sell", "never", 0x3000, offsets=[1]))
    providers.remove_process(first, 7)
    assert places() == {"sold": [0x2001], "told": [0x2003]}
    providers.remove_process(first, 7)
    assert places() == {"sold": [0x2001], "told": [0x2003]}
    providers.remove_process(second, 7)
    assert "shop7" not in programs.registry.providers
    providers.remove_process(second, 7)


def test_arguments_of_a_programs_probe() -> None:
    """By the translation of its arguments, or as a note says; 0 beyond them and where nothing can be read."""
    providers, programs = offered()
    shop = model.Provider("shop", usdt.DEFAULT_ATTRIBUTES)
    shop.probes.append(model.Probe("sell", "sold", 0x1000, offsets=[5], mapping=[2, 0]))
    providers.provide_process(shop, 7)
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
