"""What fires at an x86 trap: entries with arguments in registers, and returns; at most probes, and quickly.

A tracepoint that has been hit once mostly does one thing ever after: it fires one probe, and the thread goes
on in the tracepoint's slot.  `shortened` returns a function that does no more than that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from runtime.kernel.base.traps import Hit
from runtime.kernel.cpu.x86.engine import RAX, RDX, Registers

if TYPE_CHECKING:
    from runtime.framework.probes.registry import Probe
    from runtime.kernel.cpu.x86.engine import Engine
    from runtime.kernel.process.thread import Thread
    from runtime.providers.fasttrap.instructions.space import Act, Tracepoint

class Entry:
    """Fires a probe with the first five arguments, which are in `registers`."""

    __slots__ = ("probe", "registers")

    def __init__(self, probe: Probe, registers: Sequence[int]) -> None:
        self.probe, self.registers = probe, registers

    def __call__(self, _thread: Thread, regs: Registers) -> None:
        fire = self.probe.fire
        if fire is not None:
            first, second, third, fourth, fifth = self.registers[:5]
            fire(regs[first], regs[second], regs[third], regs[fourth], regs[fifth])


class Return:
    """Fires a probe at `offset` of a function, at an instruction that always returns."""

    __slots__ = ("offset", "probe")

    def __init__(self, probe: Probe, offset: int) -> None:
        self.probe, self.offset = probe, offset

    def __call__(self, _thread: Thread, regs: Registers) -> None:
        fire = self.probe.fire
        if fire is not None:
            fire(self.offset, regs[RAX], regs[RDX], 0, 0)


def shortened(point: Tracepoint, engine: Engine, otherwise: Callable[[Thread, int], object]) -> Hit:
    """Return what is done at the hits of a tracepoint that does one thing and has a slot.

    A thread with data of a tracer's is left to `otherwise`, with the address.  The thread is in the slot
    already: there it still is at the tracepoint, for all who ask.
    """
    act, = point.acts
    return Hit(point.go, _MADE.get(type(act), _any)(act, point, engine, otherwise))


# These differ in how the probe fires only: a call of a function in common would take as long as the rest.

def _entry(act: Entry, point: Tracepoint, engine: Engine,
           otherwise: Callable[[Thread, int], object]) -> Callable[[], None]:
    probe, regs, quick = act.probe, engine.regs, engine.quick
    first, second, third, fourth, fifth = act.registers[:5]

    def hit() -> None:
        try:
            if engine.thread.data:
                otherwise(engine.thread, point.address)
            else:
                point.hits += 1
                fire = probe.fire
                if fire is not None:
                    needs = probe.needs  # to read a register takes a while
                    if not needs:
                        fire(0, 0, 0, 0, 0)
                    elif needs == 1:
                        fire(regs[first], 0, 0, 0, 0)
                    else:
                        fire(regs[first], regs[second], regs[third], regs[fourth], regs[fifth])
            if quick is not None and quick.given:
                engine.on_act()
        except BaseException as failure:
            engine.fail(failure)
    return hit


def _return(act: Return, point: Tracepoint, engine: Engine,
            otherwise: Callable[[Thread, int], object]) -> Callable[[], None]:
    probe, offset, regs, quick = act.probe, act.offset, engine.regs, engine.quick

    def hit() -> None:
        try:
            if engine.thread.data:
                otherwise(engine.thread, point.address)
            else:
                point.hits += 1
                fire = probe.fire
                if fire is not None:
                    if probe.needs > 1:
                        fire(offset, regs[RAX], regs[RDX], 0, 0)
                    else:
                        fire(offset, 0, 0, 0, 0)
            if quick is not None and quick.given:
                engine.on_act()
        except BaseException as failure:
            engine.fail(failure)
    return hit


def _any(act: Act, point: Tracepoint, engine: Engine,
         otherwise: Callable[[Thread, int], object]) -> Callable[[], None]:
    regs, quick = engine.regs, engine.quick

    def hit() -> None:
        try:
            if engine.thread.data:
                otherwise(engine.thread, point.address)
            else:
                point.hits += 1
                act(engine.thread, regs)
            if quick is not None and quick.given:
                engine.on_act()
        except BaseException as failure:
            engine.fail(failure)
    return hit


_MADE: dict[type, Callable[..., Callable[[], None]]] = {Entry: _entry, Return: _return}
