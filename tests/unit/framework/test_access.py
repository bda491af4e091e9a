"""Kernel structures: what tracers without kernel privileges may read of them, and what subroutines find."""

from __future__ import annotations

import struct
from collections.abc import Mapping

import pytest

from dof.model import Action, ActionKind, Ecb
from runtime.consumer.consumer import Consumer
from runtime.consumer.events.handler import Callbacks
from runtime.consumer.events.notices import FAULTS
from runtime.framework.base.faults import FaultKind
from runtime.framework.firing.access import of_file, readable_bytes
from runtime.framework.firing.memory import SCRATCH, base
from runtime.framework.probes.privileges import Credentials, Privilege
from runtime.framework.probes.registry import Operations, Probe
from runtime.machine import Machine
from tests.unit.framework.conftest import Tracer

NOBODY = {"kernel": False}


def traced(program: str, command: list[str] | None = None, **privileges: bool) -> list[object]:
    """The values that a program traces, and what its errors are called."""
    found: list[object] = []
    machine = Machine({"ncpus": "1"})
    if command:
        machine.spawn(command).resume()
    with Consumer.open(machine, Credentials(**privileges)) as dtrace:
        dtrace.trace(program, Callbacks(
            firing=lambda firing: found.extend(firing.values),
            fault=lambda fault: found.append(FAULTS[fault.fault])), seconds=1)
    machine.close()
    return found


OWN = ["curthread->t_procp->p_pidp->pid_id == pid", "curthread->t_cred->cr_uid == uid",
       "curthread->t_cpu->cpu_id == cpu", "curthread->t_cpu->cpu_thread == curthread",
       "curthread->t_did == curthread->t_did"]
FOREIGN = ["`kernproc->p_pidp->pid_id", "curthread->t_procp->p_parent->p_pidp->pid_id",
           "curthread->t_procp->p_cred->cr_zone->zone_id", "curthread->t_cpu->cpu_physid->cpu_chipid",
           "curthread->t_cpu->cpu_intr_actv"]


@pytest.mark.parametrize("expression", OWN)
def test_what_the_kernel_keeps_of_the_current_thread(expression: str) -> None:
    """dtrace_proc or dtrace_user opens these structures."""
    program = f"BEGIN {{ trace({expression}); exit(0); }}"
    assert traced(program, **NOBODY)[0] == 1
    assert traced(program)[0] == 1


@pytest.mark.parametrize("expression", FOREIGN)
def test_what_they_point_to_stays_closed(expression: str) -> None:
    program = f"BEGIN {{ trace({expression}); exit(0); }} ERROR {{ exit(0); }}"
    assert "invalid kernel access" in traced(program, **NOBODY)
    assert "invalid kernel access" not in traced(program)


def test_getf_opens_the_file() -> None:
    """Its file_t, its vnode's path and the name of its operations, for as long as the clause runs."""
    get = "getf(arg0)->f_vnode"
    program = f"""
        syscall::read:entry {{
            self->path = {get}->v_path;
            trace(stringof({get}->v_path));
            trace(stringof({get}->v_op->vnop_name));
        }}
        syscall::read:entry {{ trace(stringof(self->path)); exit(0); }}
        ERROR {{ exit(0); }}"""
    found = traced(program, ["cat", "/etc/hostname"], **NOBODY)
    assert found[0].startswith("/") and found[1]
    assert found[2] == "invalid kernel access"
    found = traced(f"syscall::read:entry {{ trace({get}->v_type); }} ERROR {{ exit(0); }}",
                   ["cat", "/etc/hostname"], **NOBODY)
    assert found == ["invalid kernel access"]


GETF = "setx 3, %r1\npushtv ctf, %r1\ncall getf, %r1"


def test_files_close_behind_a_barrier(world) -> None:
    """While a tracer without kernel privileges may hold a file by getf(), and at no other time."""
    host = world.host

    def tracing(text: str, **privileges: bool) -> Tracer:
        tracer: Tracer = world.tracer(Credentials(**privileges))
        tracer.enable(world.ecb("dtrace:::BEGIN", world.trace(f"{text}\nret %r1")))
        tracer.go()
        return tracer

    tracing(GETF)
    tracing("ldgs pid, %r1", kernel=False)
    assert host.closef_hook is None
    first, second = tracing(GETF, kernel=False), tracing(GETF, kernel=False)
    host.closef_hook()
    assert host.said == ["cross call"]
    first.stop()
    assert host.closef_hook is not None
    second.device.close()
    assert host.closef_hook is None


def test_strings_end_where_access_ends() -> None:
    """A string without a NUL in what is open is not open."""
    def string_at(place: str) -> list[object]:
        program = f"BEGIN {{ trace(stringof((char *){place})); exit(0); }} ERROR {{ exit(0); }}"
        return traced(program, **NOBODY)

    assert string_at("&curthread->t_did + 1") == [""]
    last = "curthread + sizeof (kthread_t) - 4"  # the upper half of t_name, a kernel address
    assert string_at(last) == string_at("curthread + sizeof (kthread_t)") == ["invalid kernel access"]


SCRATCH_SPACE = 1 << 16  # bytes: as many as the buffer has
STRLEN = "pushtv ctf, %r1\ncall strlen, %r1"


@pytest.mark.parametrize(("cpu", "offset", "expected"), [
    (0, -2, 1), (0, -1, -FaultKind.KPRIV), (0, 0, -FaultKind.KPRIV), (0, 1, -FaultKind.KPRIV),
    (1, -2, -FaultKind.KPRIV)])
def test_strings_end_where_scratch_space_ends(world, cpu: int, offset: int, expected: int) -> None:
    """Open is one with its NUL in the last byte; none without one, behind the end, or of another CPU."""
    own = f"setx {base(SCRATCH) + SCRATCH_SPACE - 2}, %r1\nsetx 0x78, %r2\nstb %r2, [%r1]"
    full = f"setx {base(SCRATCH) + SCRATCH_SPACE - 1}, %r1\nstb %r2, [%r1]" if offset == -1 else ""
    at = f"setx {base(SCRATCH + cpu) + SCRATCH_SPACE + offset}, %r1"
    assert seen(world, Privilege.USER, "\n".join((own, full, at, STRLEN))) == [expected]


def test_path_of_a_device() -> None:
    program = """io:::start { trace(ddi_pathname(((buf_t *)arg0)->b_dip, -1)); exit(0); }"""
    assert traced(program, ["sh", "-c", "echo x > /tmp/disk && sync /tmp/disk"]) == ["/devices/sd@0,0"]


# -- whose firings are seen ----------------------------------------------------------------------------

class Mixed(Operations):
    """`user`: where its probes fire.  They are not seen there by others but for `restricted`."""

    user = True

    def usermode(self, probe: Probe) -> bool:
        return self.user

    def restricts(self, probe: Probe) -> bool:
        return probe.name == "restricted"


MINE = {"uid": 7, "gid": 7, "kernel": False, "proc_owner": False, "proc_zone": False}


def seen(world, needs: Privilege, text: str, *, uid: int = 7, zone: int = 0, user: bool = True,
         name: str = "p", **privileges: int) -> list[int]:
    """What a firing records, or the fault it leaves, negative; nothing if it is not seen."""
    world = type(world)(world.framework.engine)
    operations = Mixed()
    operations.user = user
    provider = world.framework.register("mixed", world.provider.attributes, needs, operations)
    probe = provider.create("m", "f", name)
    tracer = world.tracer(Credentials(**{**MINE, **privileges}))
    tracer.enable(world.ecb(f"mixed:::{name}", world.trace(f"{text}\nret %r1")),
                  world.ecb("dtrace:::ERROR", world.trace("ldgs arg4, %r1\nsub %r0, %r1, %r1\nret %r1")))
    tracer.go()
    world.host.current.uid = world.host.current.gid = uid
    world.host.current.zone = zone
    world.fire(probe, 5)
    return [value for _epid, value in tracer.integers()]


PID, ARGUMENT, BOTH = "ldgs pid, %r1", "ldgs arg0, %r1", Privilege.USER | Privilege.KERNEL


def test_firings_in_ones_own_processes(world) -> None:
    """The syscall provider's way: other users' and zones' are not seen without proc_owner, proc_zone."""
    assert seen(world, Privilege.USER, PID) == [100]
    assert seen(world, Privilege.USER, PID, uid=8) == []
    assert seen(world, Privilege.USER, PID, zone=3) == []
    assert seen(world, Privilege.USER, PID, uid=8, proc_owner=True) == [100]
    assert seen(world, Privilege.USER, PID, zone=3, proc_zone=True) == [100]


def test_firings_in_the_kernel(world) -> None:
    """The profile provider's way: profile-N is dropped, tick-N hides what it interrupts."""
    assert seen(world, BOTH, ARGUMENT) == [5]
    assert seen(world, BOTH, PID, user=False) == []
    restricted = {"name": "restricted"}
    assert seen(world, BOTH, PID, user=False, **restricted) == [100]
    assert seen(world, BOTH, ARGUMENT, user=False, **restricted) == [-FaultKind.KPRIV]
    assert seen(world, BOTH, ARGUMENT, uid=8, **restricted) == [5]
    assert seen(world, BOTH, PID, uid=8, **restricted) == [-FaultKind.UPRIV]
    assert seen(world, BOTH, ARGUMENT, zone=3, **restricted) == [-FaultKind.KPRIV]
    assert seen(world, BOTH, PID, zone=3, **restricted) == [-FaultKind.UPRIV]
    assert seen(world, BOTH, PID, uid=8, zone=3, user=False, kernel=True) == [100]


COPYIN = "setx 4096, %r1\npushtv ctf, %r1\nsetx 8, %r2\npushtv ctf, %r2\ncall copyin, %r1"


@pytest.mark.parametrize("text", [COPYIN, "setx 4096, %r1\nuldx [%r1], %r1", "ldgs tid, %r1",
                                  "setx 1, %r1\npushtv ctf, %r1\ncall progenyof, %r1",
                                  "ldgs ustackdepth, %r1"])
def test_memory_of_others_is_closed_where_their_firings_come(world, text: str) -> None:
    """The check stands at the gate to the program, so that no way in can do without it."""
    restricted = {"name": "restricted"}
    assert seen(world, BOTH, text, uid=8, **restricted) == [-FaultKind.UPRIV]
    assert seen(world, BOTH, text, zone=3, **restricted) == [-FaultKind.UPRIV]
    assert seen(world, BOTH, text, zone=3, proc_zone=True, **restricted) != [-FaultKind.UPRIV]


def test_a_process_that_has_had_other_ids(world) -> None:
    """It may hold what was theirs."""
    world.host.current.changed_credentials = True
    assert not Credentials(**MINE).same_user(world.host.current)
    assert not Credentials(**MINE).may_control(world.host.current)
    world.host.current.uid = world.host.current.gid = 7
    assert Credentials(**MINE).may_destroy(world.host.current)
    assert not Credentials(**MINE, whole=False).may_destroy(world.host.current)
    assert not Credentials(**{**MINE, "user": False}).may_destroy(world.host.current)


def test_dtrace_kernel_alone(world) -> None:
    """It shows the kernel and may not stop it; it has no program's probes, and writes no other's memory."""
    alone = {"uid": 7, "gid": 7, "user": False, "proc": False, "proc_owner": False, "proc_zone": False}
    holder = Credentials(**alone)
    assert holder.kernel and not holder.may_control(world.host.current)
    assert not holder.sees_provider(Privilege.PROC | Privilege.OWNER | Privilege.ZONEOWNER, 0, 0)
    tracer = world.tracer(holder)
    tracer.enable(world.ecb("test:::a", Action(ActionKind.PANIC, world.const(0))),
                  world.ecb("test:::a", Action(ActionKind.CHILL, world.const(9))),
                  world.ecb("dtrace:::ERROR", world.trace("ldgs arg4, %r1\nret %r1")), destructive=1)
    tracer.go()
    world.fire(world.a)
    assert [value for _epid, value in tracer.integers()] == [FaultKind.KPRIV] * 2
    assert not world.host.said


def test_ticks_end_tracing_of_an_idle_machine() -> None:
    assert traced("tick-10ms { trace(1); exit(0); } profile-10ms { trace(2); }",
                  uid=7, gid=7, **NOBODY, proc_owner=False) == [1]


@pytest.mark.parametrize(("privileges", "uid", "works"), [
    ({}, 7, True), ({}, 8, False), ({"proc_owner": True}, 8, True), ({"kernel": True}, 8, False)])
def test_processes_that_may_be_stopped(world, privileges: dict[str, bool], uid: int, works: bool) -> None:
    credentials = Credentials(**{**MINE, **privileges})
    world.host.current.uid = world.host.current.gid = uid
    assert credentials.may_destroy(world.host.current) == works
    assert credentials.may_control(world.host.current) == (uid == 7)
    assert Credentials().may_control(world.host.current)


# -- subroutines on made-up structures ---------------------------------------------------------------

LAYOUTS = {"mblk_t": {"b_rptr": 0, "b_wptr": 8, "b_datap": 16, "b_cont": 24}, "dblk_t": {"db_type": 4}}
AT = 0xFFFFFE0000000000


def result(world, name: str, words: list[int], layouts: Mapping[str, Mapping[str, int]] = LAYOUTS) -> object:
    """What a subroutine says of words in kernel memory; None if it faults."""
    world.host.layouts = layouts
    world.host.memory.add(AT, struct.pack(f"<{len(words)}Q", *words))
    tracer = world.tracer()
    clause: Ecb = world.ecb("test:::a", world.trace(
        f"setx {AT}, %r1\npushtv ctf, %r1\ncall {name}, %r1\nret %r1"))
    tracer.enable(clause)
    tracer.go()
    world.fire(world.a)
    values = tracer.integers()
    return values[0][1] if values else None


OWNER = 0x7FFFFFFFFFFFFFF8
MUTEXES = {0: (0, 0, 1, 0), OWNER: (1, OWNER, 1, 0), OWNER | 1: (1, OWNER, 1, 0), 0xFF: (0, 0, 0, 1),
           0xFFFF: (1, 0, 0, 1), 0x1FF: (1, 0, 0, 1), 0x80FF: (1, 0, 0, 1),
           0x100FF: (0, 0, 0, 1), OWNER | 6: (1, 0, 0, 0)}


@pytest.mark.parametrize("word", MUTEXES)
@pytest.mark.parametrize("number", range(4))
def test_mutexes(make_world, word: int, number: int) -> None:
    """Free, held, waited for, spinning free and held, destroyed (where illumos looks at the spin lock)."""
    names = ("mutex_owned", "mutex_owner", "mutex_type_adaptive", "mutex_type_spin")
    assert result(make_world("interpret"), names[number], [word]) == MUTEXES[word][number]


READER, WAITED_FOR = 8, 1
LOCKS = {0: (0, 0, 0), WAITED_FOR: (0, 0, 0), READER: (1, 0, 0), 3 * READER | WAITED_FOR: (1, 0, 0),
         OWNER | 4: (0, 1, 0)}


@pytest.mark.parametrize("word", LOCKS)
@pytest.mark.parametrize("number", range(3))
def test_locks_of_readers_and_writers(make_world, word: int, number: int) -> None:
    """Free, waited for, held by one and by three readers, and by a writer that is another thread."""
    names = ("rw_read_held", "rw_write_held", "rw_iswriter")
    assert result(make_world("interpret"), names[number], [word]) == LOCKS[word][number]


def test_messages(world) -> None:
    """Sizes of two blocks, of which the second is no data."""
    data, other = AT + 64, AT + 72
    words = [100, 110, data, AT + 32, 200, 205, other, 0, 0, 7 << 32]
    assert result(world, "msgsize", words) == 15
    assert result(type(world)("interpret"), "msgdsize", words) == 10


def test_messages_of_many_blocks(world) -> None:
    """128 are measured; a chain of more may be one without an end."""
    for count, size in ((127, 127), (128, 128), (129, None)):
        blocks = [word for at in range(count)
                  for word in (10, 11, AT, AT + 32 * (at + 1) if at + 1 < count else 0)]
        assert result(type(world)("translate"), "msgsize", blocks) == size


@pytest.mark.parametrize("text", [b"/", b"/a", b"/abc", b"/abcd"])
def test_strings_of_a_file_are_open_with_their_end(text: bytes, make_world) -> None:
    """And no byte more, whatever lies behind them."""
    host = make_world("interpret").host
    host.layouts = {"file_t": {"f_vnode": 0}, "vnode_t": {"v_path": 0, "v_op": 8},
                    "vnodeops_t": {"vnop_name": 0}}
    file, vnode, path, operations, name = (AT + 0x100 * at for at in range(5))
    for address, data in ((file, vnode), (vnode, path | operations << 64), (operations, name)):
        host.memory.add(address, data.to_bytes(16, "little"))
    host.memory.add(path, text + b"\0xyz\0")
    host.memory.add(name, text + b"\0\0\0xyz\0")
    for start, size in ((file, 8), (vnode, 8), (vnode + 8, 8), (operations, 8), (path, len(text) + 1),
                        (name, len(text) + 1)):
        found = [readable_bytes(start + at, of_file(host, file)) for at in range(size)]
        assert found == [*range(size, 0, -1)]
        assert readable_bytes(start + size, of_file(host, file)) == (8 if start == vnode else 0)


DEVICES = {"dev_info_t": {"devi_node_name": 0, "devi_addr": 8, "devi_parent": 16}}


def test_structures_that_make_no_sense(world) -> None:
    """A message that ends before it begins, a device that is its own parent, one whose path is too long."""
    def path_of(letters: int) -> object:
        words = [AT + 80, 0, AT + 24, *[0] * 7, *[0x6161616161616161] * (letters // 8), *[0] * 64]
        return result(type(world)(world.framework.engine), "ddi_pathname", words, DEVICES)

    assert result(world, "msgsize", [110, 100, 0, 0]) is None
    assert result(type(world)(world.framework.engine), "msgsize", [100, 100, 0, 0]) == 0
    assert result(type(world)(world.framework.engine), "ddi_pathname", [0, 0, AT], DEVICES) is None
    assert path_of(240) is not None and path_of(248) is None  # behind /devices/, and with a NUL


def test_structures_that_this_kernel_has_not(world) -> None:
    assert result(world, "msgsize", [0] * 8, {}) is None
