"""Random DIF of a tracer without kernel privileges: every load that succeeds lies where it may look.

DTRACE_LOADS tells how many programs are tried; 100,000 take minutes.
"""

from __future__ import annotations

import os
import random

import pytest

from runtime.framework.firing.memory import SLOT_SHIFT, Memory
from runtime.framework.probes.privileges import Credentials, Privilege
from tests.unit.framework.conftest import World, trace
from tests.unit.framework.test_privileges import Family, Played

PROGRAMS = int(os.environ.get("DTRACE_LOADS", "400"))
BASE = 0xFFFFFE0000000000
THREAD, PROCESS, CRED, CPU, PID, FILE, VNODE, OPS, NAMES, SECRET = (BASE + n * 0x1000 for n in range(1, 11))
PATH, NAME = NAMES + 16, NAMES + 48
LAYOUTS = {
    "kthread_t": {"t_procp": 16, "t_cred": 24, "t_cpu": 32}, "proc_t": {"p_pidp": 8, "p_secret": 96},
    "struct pid": {"pid_id": 4}, "cred_t": {"cr_uid": 40}, "cpu_t": {"cpu_idle_thread": 56},
    "file_t": {"f_vnode": 8, "f_offset": 32}, "vnode_t": {"v_path": 24, "v_op": 40},
    "vnodeops_t": {"vnop_name": 8},
}
# What the manual of privileges lists, as addresses of this kernel: of the current thread, and of a file.
OF_THREAD = ((THREAD, 40), (PROCESS, 104), (CRED, 48), (CPU, 64), (PID + 4, 4))
OF_FILE = ((FILE, 40), (VNODE + 24, 8), (VNODE + 40, 8), (OPS + 8, 8), (PATH, 10), (NAME, 4))
ARENAS = range(0xFFFFD000, 0xFFFFD000 + 64)  # the tracer's own: strings, variables, scratch space
PLACES = [SECRET, VNODE, OPS, NAMES, 0, 4096, (1 << 64) - 8]
PLACES += [address + offset for address, size in (*OF_THREAD, *OF_FILE)
           for offset in (-8, -1, 0, 1, size - 8, size - 1, size)]


def furnished(world: World) -> None:
    """Put the current thread's structures, a file's, and secrets around them into the kernel's memory."""
    host = world.host
    host.layouts = LAYOUTS
    memory = bytearray(b"s3cret! " * 0x1600)
    for at, value in ((THREAD + 16, PROCESS), (THREAD + 24, CRED), (THREAD + 32, CPU), (PROCESS + 8, PID),
                      (FILE + 8, VNODE), (VNODE + 24, PATH), (VNODE + 40, OPS), (OPS + 8, NAME)):
        memory[at - BASE:at - BASE + 8] = value.to_bytes(8, "little")
    memory[PATH - BASE:PATH - BASE + 10] = b"/etc/motd\0"
    memory[NAME - BASE:NAME - BASE + 4] = b"ufs\0"
    host.memory.add(BASE, bytes(memory))
    host.current.address = THREAD
    host.current.file = lambda descriptor: FILE if descriptor == 3 else 0  # type: ignore[method-assign]
    host.current.memory.add(0x10000, b"u" * 256)


def program(chance: random.Random) -> str:
    """A few loads and calls at places near and in what may be seen, and far from it."""
    lines = [f"setx {chance.choice(PLACES) & (1 << 64) - 1}, %r1", f"setx {chance.randrange(1, 64)}, %r2"]
    for _ in range(chance.randrange(1, 5)):
        one, two = chance.choice(("%r1", "%r3")), chance.choice(("%r1", "%r3"))
        size = chance.choice("bhw")
        lines += chance.choice((
            [f"setx {chance.choice(PLACES) & (1 << 64) - 1}, %r3"],
            [f"{chance.choice(('ld', 'rld'))}u{size} [{one}], %r3"],
            [f"{chance.choice(('ldx', 'rldx'))} [{one}], %r3"],
            [f"add {one}, %r2, %r3"],
            [f"pushtv ctf, {one}", f"call {chance.choice(('strlen', 'mutex_owner', 'rw_read_held'))}, %r3",
             "flushts"],
            [f"pushtv ctf, {one}", f"call {chance.choice(('basename', 'cleanpath', 'inet_ntoa'))}, %r3",
             "flushts"],
            [f"pushtv ctf, {one}", f"pushtv ctf, {two}",
             f"call {chance.choice(('strjoin', 'strstr', 'index', 'strtok'))}, %r3", "flushts"],
            [f"pushtv ctf, {one}", "pushtv ctf, %r2", "pushtv ctf, %r2", "call substr, %r3", "flushts"],
            ["setx 3, %r3", "pushtv ctf, %r3", "call getf, %r3", "flushts"],
            ["allocs %r2, %r3", f"copys {one}, %r2, %r3"],
            [f"scmp {one}, {two}"],
            ["ldgs curthread, %r3"],
        ))
    return "\n".join([*lines, f"ret {chance.choice(('%r1', '%r3'))}"])


@pytest.mark.parametrize("engine", ["interpret", "translate"])
def test_no_load_leaves_what_may_be_seen(monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
    world = World(engine, ncpus=1)
    furnished(world)
    chance = random.Random(15)
    operations = Played(Family(Privilege.USER | Privilege.KERNEL, None, True, False))
    needs = operations.family.needs
    probe = world.framework.register("played", world.provider.attributes, needs, operations,
                                     zone=3).create("m", "f", "p")
    loads: list[tuple[int, int]] = []
    load, string = Memory.load, Memory._kernel_string

    def noted(memory: Memory, address: int, size: int) -> bytes:
        data = load(memory, address, size)
        loads.append((address, size))
        return data

    def noted_string(memory: Memory, address: int, limit: int) -> bytes:
        text = string(memory, address, limit)
        loads.append((address, min(len(text) + 1, limit)))
        return text

    monkeypatch.setattr(Memory, "load", noted)
    monkeypatch.setattr(Memory, "_kernel_string", noted_string)
    who = Credentials(zone=3, kernel=False, proc_zone=False)
    succeeded = faulted = 0
    for number in range(PROGRAMS // 2):
        text = program(chance)
        world.host.current.zone = chance.choice((0, 3, 3, 3))
        if number % 500 == 0:
            world.host.timers.clear()
        tracer = world.tracer(who)
        tracer.enable(world.ecb("played:::p", trace(text)), bufsize=1024, aggsize=0)
        tracer.go()
        loads.clear()
        world.fire(probe)
        state = tracer.device.tracing.state
        faulted += state.buffers[0].errors
        ranges = (*(OF_THREAD if world.host.current.zone == 3 else ()),
                  *(OF_FILE if state.environment.firings[0].file else ()))
        for address, size in loads:
            succeeded += size > 0
            assert not size or address >> SLOT_SHIFT in ARENAS or any(
                start <= address and address + size <= start + length for start, length in ranges), \
                f"{size} bytes at {address:#x} by\n{text}"
        tracer.device.close()
    assert succeeded > PROGRAMS // 10 and faulted > PROGRAMS // 10, "both happen"
