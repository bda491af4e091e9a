"""Bringing a new process to where its libraries are mapped, before any of their code has run.

That is the moment at which DTrace evaluates probe descriptions by default
(`-x evaltime=preinit`).  The dynamic loader announces it to debuggers by
calling _dl_debug_state with _r_debug.r_state RT_CONSISTENT (<link.h>).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from runtime.kernel.memory import MemoryFault
from runtime.providers.fasttrap.tracepoints import Refused

if TYPE_CHECKING:
    from runtime.kernel.process import Process
    from runtime.providers.fasttrap.objects import LoadObject
    from runtime.providers.fasttrap.provider import Fasttrap

ANNOUNCE, STATE = "_dl_debug_state", "_r_debug"
RT_CONSISTENT = 0
STATE_OFFSETS = {32: 12, 64: 24}  # of r_state in struct r_debug


def is_new(process: Process) -> bool:
    """Whether it has not come to its first instruction."""
    return len(process.threads) == 1 and not process.leader.started


def advance(owner: Fasttrap, process: Process) -> bool:
    """Let a new process map its libraries; it then stands still if it did so before.

    False if it has no dynamic loader.

    Other processes of the machine run meanwhile.
    """
    loader, announce, state = _loader(owner, process)
    if loader is None:
        return False
    space = owner.tracepoints.of(process)
    key = object()

    def act(thread: Any, _regs: Any) -> None:
        try:
            now = int.from_bytes(thread.read(state + STATE_OFFSETS[process.bits], 4), "little")
        except MemoryFault:
            return
        if now == RT_CONSISTENT:
            owner.kernel.stop_process(thread)
    try:
        space.add(announce, key, act)
    except Refused:
        return False
    waiting = process.stopped
    process.resume()
    owner.kernel.run(lambda: process.stopped or process.zombie or process.space is not space.space)
    if process.space is space.space:
        space.remove(announce, key)
    if not waiting:
        process.resume()
    return True


def _loader(owner: Fasttrap, process: Process) -> tuple[LoadObject | None, int, int]:
    """The object that loads the others, and its two symbols' addresses."""
    for each in owner.objects.of(process):
        if not each.is_program and os.path.basename(each.file.path).startswith("ld"):
            announce, state = each.file.symbol_address(ANNOUNCE), each.file.symbol_address(STATE)
            if announce is not None and state is not None:
                return each, announce + each.bias, state + each.bias
    return None, 0, 0
