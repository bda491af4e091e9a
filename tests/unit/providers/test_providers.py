"""proc, sched, io, fbt, sdt, sysinfo and vminfo: each firing and argument as worked out from the program."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import atonce
import pytest

from dof.model import ProbeDesc
from runtime.command.command import main
from runtime.machine import Machine

Counts = Callable[..., dict[str, int]]
Programs = Callable[[str], str]
Trace = Callable[..., str]
KILOBYTES_256 = 262144


@pytest.fixture
def disk(program: Programs, tmp_path: Path) -> str:
    """The command that reads, writes and maps."""
    for name in ("read", "mapped"):
        (tmp_path / name).write_bytes(bytes(range(256)) * 1024)
    return f"{program('disk')} {tmp_path}/read {tmp_path}/written {tmp_path}/mapped"


# -- proc --------------------------------------------------------------------------------------------

def test_processes_threads_and_signals(counts: Counts, program: Programs) -> None:
    assert counts("proc::: { @[probename] = count(); }", program("family")) == {
        "create": 5, "start": 6, "exit": 6,  # five children and the program itself
        "lwp-create": 6, "lwp-start": 7, "lwp-exit": 7,  # and one thread
        "exec": 2, "exec-success": 1, "exec-failure": 1,
        "signal-send": 12,  # 6 SIGCHLD (one to dtrace), SIGKILL, 2 SIGUSR1, SIGUSR2, SIGTERM, SIGSEGV
        "signal-discard": 7,  # 6 SIGCHLD, SIGUSR2
        "signal-handle": 3, "signal-clear": 1, "fault": 1}


def test_arguments_of_proc(trace: Trace, program: Programs) -> None:
    output = trace("""
        proc:::create { printf("create %d of %d\\n", args[0]->pr_pid - $target, args[0]->pr_ppid - $target); }
        proc:::exec { printf("exec %s\\n", args[0]); }
        proc:::exec-failure { printf("failure %d\\n", args[0]); }
        proc:::exec-success { printf("success %s %s\\n", execname, curpsinfo->pr_psargs); }
        proc:::exit { printf("exit %d\\n", args[0]); }
        proc:::fault { printf("fault %d %x\\n", args[0], (uintptr_t)args[1]->si_addr); }
        proc:::lwp-create /args[1]->pr_pid == $target/ { printf("lwp %d\\n", args[0]->pr_lwpid); }
        proc:::signal-send /args[2] != SIGCHLD/
        { printf("send %d to %d %s\\n", args[2], args[1]->pr_pid - $target, args[1]->pr_fname); }
        proc:::signal-handle { printf("handle %d %d\\n", args[0], args[1]->si_signo); }
        proc:::signal-clear { printf("clear %d\\n", args[0]); }
        """, program("family"))
    lines = output.splitlines()
    assert [line for line in lines if line.startswith("create")] == [f"create {n} of 0" for n in range(1, 6)]
    assert [line for line in lines if line.startswith("exit")] == ["exit 1"] * 3 + ["exit 2"] + ["exit 1"] * 2
    for line in ("exec /no/such/program", "exec /bin/true", "failure 2", "success true true", "fault 6 123",
                 "clear 15"):
        assert lines.count(line) == 1, line
    assert [line for line in lines if line.startswith("send")] == [
        "send 9 to 4 family", *["send 10 to 0 family"] * 2, "send 12 to 0 family", "send 15 to 0 family",
        "send 11 to 0 family"]
    assert [line for line in lines if line.startswith("handle")] == [
        "handle 10 10", "handle 10 10", "handle 11 11"]


@pytest.mark.parametrize(("entry", "wanted"), [
    (0, "success, fault 6 at 0"), (1, "success, fault 6 at 1"),
    (0x7FFFFFFFEFFF, "success, fault 5 at 7fffffffefff"), (0x7FFFFFFFF000, "failure 8"),
    ((1 << 64) - 1, "failure 8")])
def test_only_an_entry_past_all_addresses_is_no_program(entry: int, wanted: str, program: Programs,
                                                        trace: Trace, tmp_path: Path) -> None:
    """As Linux has it: a program that begins where no code lies is executed, and ends by a fault."""
    image, changed = bytearray(Path(program("family")).read_bytes()), tmp_path / "changed"
    image[24:32] = entry.to_bytes(8, "little")  # e_entry
    changed.write_bytes(image)
    changed.chmod(0o755)
    output = trace("""
        proc:::exec-success /execname == "changed"/ { printf("success"); }
        proc:::exec-failure { printf("failure %d", args[0]); }
        proc:::fault { printf(", fault %d at %x", args[0], (uintptr_t)args[1]->si_addr); }
        """, f"sh -c 'exec {changed}'")
    assert output.strip() == wanted


# -- sched -------------------------------------------------------------------------------------------

def test_one_thread_naps_and_yields(counts: Counts, program: Programs) -> None:
    found = counts("sched::: /probename != \"tick\"/ { @[probename] = count(); }", program("naps"))
    # of each but the last two, one is dtrace's: it falls asleep, and is woken when the program has ended
    assert found == {"sleep": 4, "wakeup": 4, "enqueue": 4, "dequeue": 5, "on-cpu": 5, "off-cpu": 5,
                     "remain-cpu": 7, "change-pri": 1}


def test_ticks_are_ten_milliseconds_apart(trace: Trace, program: Programs) -> None:
    script = 'sched:::tick { printf("%d %d %s\\n", cpu, timestamp, args[1]->pr_fname); }'
    output = trace(script, program("naps"), "-x", "ncpus=2")
    ticks = re.findall(r"(\d+) (\d+) naps", output)
    assert len(ticks) > 3 and {cpu for cpu, _time in ticks} == {"0"}, "an idle CPU ticks for nobody"
    late = [int(time) % 10_000_000 for _cpu, time in ticks]
    assert max(late) < 1000


def test_on_and_off_alternate(trace: Trace, program: Programs) -> None:
    output = trace("""sched:::on-cpu, sched:::off-cpu /pid != $pid/
        { printf("=%d %d %s\\n", cpu, tid, probename); }""", program("crowd"), "-x", "ncpus=2")
    events = re.findall(r"=(\d) (\d+) (on|off)-cpu", output)
    assert len(events) > 20
    running: dict[str, str] = {}
    for cpu, thread, what in events:
        if what == "on":
            assert cpu not in running and thread not in running.values()
            running[cpu] = thread
        else:
            assert running.pop(cpu) == thread
    assert {cpu for cpu, _thread, _what in events} == {"0", "1"}


def test_a_threads_time_passes_on_a_cpu_only(trace: Trace, program: Programs) -> None:
    script = """sched:::on-cpu, sched:::off-cpu /pid != $pid/
        { printf("=%d %d %s %d\\n", timestamp, tid, probename, vtimestamp); }"""
    output = trace(script, program("crowd"), "-x", "ncpus=2")
    events = re.findall(r"=(\d+) (\d+) (on|off)-cpu (-?\d+)", output)
    times: dict[str, str] = {}
    for _when, thread, what, time in sorted(events, key=lambda event: int(event[0])):
        assert what == "off" or time == times.get(thread, "0")
        times[thread] = time
    assert len(times) > 4


def test_arguments_of_sched(trace: Trace, program: Programs) -> None:
    output = trace("""
        sched:::enqueue { printf("enqueue %s %d\\n", args[1]->pr_fname, args[2]->cpu_id); }
        sched:::wakeup /args[1]->pr_pid == $target/ { printf("wakeup %d\\n", args[0]->pr_lwpid); }
        sched:::off-cpu /execname == "naps"/ { printf("next %s\\n", args[1]->pr_fname); }
        """, program("naps"))
    lines = output.splitlines()
    assert lines.count("enqueue naps 0") == 3
    assert sum(line.startswith("wakeup ") for line in lines) == 3
    assert lines.count("next sched") == 4


# -- io, vminfo, sysinfo -----------------------------------------------------------------------------

def test_transfers_and_their_bytes(counts: Counts, disk: str) -> None:
    clauses = """io:::start /args[2]->fi_name != "disk"/
        { @[strjoin(args[2]->fi_name, args[0]->b_flags & B_READ ? " R" : " W")] = sum(args[0]->b_bcount); }"""
    # the second cluster of what is written holds 34464 bytes, in 9 pages
    assert counts(clauses, disk) == {
        "read R": KILOBYTES_256, "mapped R": KILOBYTES_256, "written W": 65536 + 36864}


def test_every_transfer_is_done(counts: Counts, disk: str) -> None:
    clauses = """io:::start, io:::done, io:::wait-start, io:::wait-done /args[2]->fi_name == "read"/
        { @[probename] = count(); }"""
    found = counts(clauses, disk)
    assert found == {"start": 4, "done": 4, "wait-start": 4, "wait-done": 4}


def test_arguments_of_io(trace: Trace, disk: str, tmp_path: Path) -> None:
    output = trace("""io:::start /args[2]->fi_name == "read"/ { printf("%s %s %d %d\\n", args[2]->fi_pathname,
        args[1]->dev_name, args[1]->dev_major, args[2]->fi_offset); }""", disk)
    assert output.splitlines() == [
        *(f"{tmp_path}/read sd 8 {offset}" for offset in range(0, KILOBYTES_256, 65536)), ""]


def test_faults_are_counted_as_what_they_are(counts: Counts, disk: str) -> None:
    clauses = """syscall::getppid:entry { marks[pid]++; }
        vminfo::: /pid == $target && marks[pid] == 1/ { @[strjoin(probename, " of zeros")] = sum(arg0); }
        vminfo::: /pid == $target && marks[pid] == 2/ { @[strjoin(probename, " of a file")] = sum(arg0); }
        vminfo::: /pid == $target + 2 && marks[pid] == 1/
        { @[strjoin(probename, " of a child")] = sum(arg0); }"""
    assert counts(clauses, disk) == {
        "as_fault of zeros": 10, "zfod of zeros": 10,
        "as_fault of a file": 4, "maj_fault of a file": 4, "pgin of a file": 4, "pgpgin of a file": 64,
        "fspgin of a file": 64,
        "prot_fault of a child": 10, "cow_fault of a child": 10}


def test_activity_is_counted(counts: Counts, disk: str) -> None:
    clauses = """sysinfo:::sysread, sysinfo:::syswrite, sysinfo:::readch, sysinfo:::writech,
        sysinfo:::sysfork, sysinfo:::sysvfork, sysinfo:::bwrite { @[probename] = sum(arg0); }"""
    assert counts(clauses, disk) == {"sysread": 5, "readch": KILOBYTES_256, "syswrite": 1, "writech": 100000,
                                     "sysfork": 1, "sysvfork": 1, "bwrite": 2}


def test_counters_stand_in_memory(trace: Trace, disk: str) -> None:
    output = trace('sysinfo:::readch { printf("%d %d\\n", *(uint64_t *)arg1, arg0); }', disk)
    assert output.split() == [str(number) for n in range(4) for number in (n * 65536, 65536)]


def test_switches_are_those_of_sched(counts: Counts, program: Programs) -> None:
    found = counts("sched:::on-cpu, sysinfo:::pswitch { @[probename] = count(); }", program("crowd"),
                   "-x", "ncpus=2")
    assert found["on-cpu"] == found["pswitch"] > 10


# -- fsinfo --------------------------------------------------------------------------------------------

def test_operations_on_files(trace: Trace, disk: str) -> None:
    output = trace("""fsinfo:::read, fsinfo:::write { @[probename, args[0]->fi_name] = sum(arg1); }
        fbt::fop_read:return /arg1 == 0/ { @functions = count(); } fsinfo:::read { @probes = count(); }
        END { printa("%s %s %@d\\n", @); printa("%@d", @functions); printa(" %@d\\n", @probes); }""", disk)
    lines = output.split()
    assert "read read 262144" in output and lines[-1] == lines[-2]


def test_every_counter_has_its_probe(trace: Trace) -> None:
    output = trace("""vminfo:::pgrec, vminfo:::scan, sysinfo:::xcalls { @never = count(); }
        vminfo:::fspgin, vminfo:::pgpgin { @[probename] = sum(arg0); }
        END { printa("%s %@d\\n", @); printa("%@d", @never); }""", "ls /etc")
    pages = dict(line.split() for line in output.splitlines() if line.startswith(("fspgin", "pgpgin")))
    assert pages["fspgin"] == pages["pgpgin"] and int(pages["fspgin"]) > 0


def test_modules_of_counters(capfd: pytest.CaptureFixture[str]) -> None:
    """What belongs to the processor is in unix, as in illumos; all else in genunix."""
    assert main(["-l", "-n", "sysinfo:unix::,vminfo:unix::,vminfo:::zfod,sysinfo:::readch"]) == 0
    lines = [line.split()[1:] for line in capfd.readouterr().out.splitlines()[1:]]
    assert [name for _, module, _, name in lines if module == "unix"] == [
        "syscall", "pswitch", "inv_swtch", "idlethread", "trap", "xcalls"]
    assert [name for _, module, _, name in lines if module == "genunix"] == ["zfod", "readch"]


# -- fbt, sdt ----------------------------------------------------------------------------------------

def test_functions_return_as_often_as_they_are_entered(counts: Counts, disk: str) -> None:
    clauses = "fbt::fop_*: { @[strjoin(probefunc, strjoin(\":\", probename))] = count(); }"
    found = counts(clauses, disk)
    assert found["fop_read:entry"] == 5 and found["fop_write:entry"] == 1
    for name, number in found.items():
        assert found[name.replace("entry", "return")] == number


def test_arguments_of_functions(trace: Trace, disk: str) -> None:
    output = trace("""fbt::fop_read:entry { self->vnode = args[0]; printf("%s %d\\n",
            basename(stringof(args[0]->v_path)), args[1]->uio_resid); self->uio = args[1]; }
        fbt::bdev_strategy:entry /self->vnode/
        { printf("%d %d\\n", args[0]->b_vp == self->vnode, stackdepth > 2); }
        fbt::fop_read:return /self->uio/
        { printf("%d left, %d\\n", self->uio->uio_resid, arg1); self->vnode = 0; self->uio = 0; }""", disk)
    assert output.splitlines()[:5] == ["read 65536", "1 1", "0 left, 0", "read 65536", "1 1"]


def test_addresses_of_pointers_and_attributes_of_files(trace: Trace, disk: str) -> None:
    output = trace("""fbt::fop_open:entry { self->vnode = *args[0]; }
        fbt::fop_read:entry /args[0] == self->vnode/
        { printf("%s %d\\n", basename(stringof(self->vnode->v_path)),
          args[1]->uio_iov->iov_len == args[1]->uio_resid); exit(0); }""", disk)
    assert output.splitlines()[0] == "read 1"


def test_system_calls_are_functions(trace: Trace, disk: str) -> None:
    output = trace("""fbt::exece:entry { self->depth = stackdepth; }
        fbt::gexec:entry /self->depth/
        { printf("%s %d\\n", basename(stringof((*args[0])->v_path)), stackdepth > self->depth); }
        fbt::write:return /arg0 && arg1 > 0/ { printf("%s\\n", probefunc); exit(0); }""",
                   f"sh -c '{disk}; true'")
    assert output.split("\n")[:2] == ["disk 1", "write"]


def test_failed_functions_return_the_error(counts: Counts) -> None:
    found = counts('fbt::vn_openat:return /arg1 == ENOENT/ { @[probefunc] = count(); }', "ls -d /etc")
    assert found["vn_openat"] >= 1


def test_places_of_our_own(counts: Counts, program: Programs) -> None:
    found = counts("sdt:::process-gone { @[stringof(args[0]->p_user.u_comm)] = count(); }", program("family"))
    assert found == {"family": 5, "true": 1}


def test_looking_takes_no_time(trace: Trace, disk: str) -> None:
    last = "syscall::exit_group:entry { printf(\"%d\\n\", timestamp); exit(0); }"
    looking = "syscall::open*:entry { @[curpsinfo->pr_fname, ustack(2)] = count(); }"
    assert trace(last, disk).split("\n")[0] == trace(looking + last, disk).split("\n")[0]


# -- nobody watches ------------------------------------------------------------------------------------

@pytest.mark.parametrize("provider", ["proc", "sched", "io", "fbt", "sdt", "sysinfo", "vminfo", "syscall"])
def test_disabled_probes_leave_nothing_behind(provider: str) -> None:
    machine = Machine()
    try:
        hooks = machine.kernel.hooks
        points = [name for name in vars(hooks) if not name.startswith("_")]
        before = [getattr(hooks, name) for name in points]
        probes = machine.framework.match(ProbeDesc(provider, "", "", ""))
        assert probes
        for probe in probes:
            probe.provider.operations.enable(probe)
        assert [getattr(hooks, name) for name in points] != before
        assert provider != "sched" or machine.kernel.scheduler.cpus[0].next_event() == 10_000_000
        for probe in probes:
            probe.provider.operations.disable(probe)
        assert [getattr(hooks, name) for name in points] == before
        assert machine.kernel.scheduler.cpus[0].next_event() > 1 << 60, "the clock ticks for nobody"
    finally:
        machine.close()


def test_kernel_functions_from_inside() -> None:
    """/proc/dtrace/fbt tells a program which of the kernel's functions have enabled probes."""
    run = atonce.run(["dtrace", "-q", "-n", "fbt::closef:entry,fbt::fop_read:{}", "-c",
                      "cat /proc/dtrace/fbt"], check=True)
    rows = [line.split(None, 4) for line in run.stdout.splitlines() if line]
    assert rows[0] == ["ADDRESS", "MODULE", "FUNCTION", "ENABLED", "ARGUMENTS"]
    enabled = {row[2]: row[3] for row in rows[1:] if row[3] != "-"}
    assert enabled == {"closef": "entry", "fop_read": "entry,return"}
    assert [int(row[0], 16) for row in rows[1:]] == sorted(int(row[0], 16) for row in rows[1:])
    assert next(row for row in rows if row[2] == "closef")[4] == "(file_t *)"


def test_arguments_that_a_function_of_the_kernel_has_not_are_0(trace: Trace) -> None:
    script = 'fbt::cv_wait:entry { printf("%d %d", arg0 != 0, arg1 | arg2 | arg3 | arg4 | arg7); exit(0); }'
    assert trace(script, "sleep 1").split() == ["1", "0"]


# how many arguments are not always 0, by provider and by those of its probes that have another number
ARGUMENTS = {"proc": 1, "sched": 1, "io": 1, "fsinfo": 1, "sysinfo": 3, "vminfo": 3,
             "proc:exec-success proc:start proc:lwp-start proc:lwp-exit": 0,
             "sched:sleep sched:on-cpu sched:remain-cpu": 0,
             "proc:fault proc:signal-clear proc:signal-discard proc:signal-send": 2, "proc:signal-handle": 3,
             "sched:enqueue sched:dequeue sched:change-pri fsinfo:read fsinfo:write": 2}


def test_arguments_that_a_probe_has_not_are_0(program: Programs, disk: str, trace: Trace) -> None:
    script = """proc:::, sched:::, io:::, fsinfo:::, sysinfo:::, vminfo:::
        { @[probeprov, probename, arg0 != 0, arg1 != 0, arg2 != 0, arg3 != 0, arg4 != 0] = count(); }
        END { printa("=%s %s %d %d %d %d %d\\n", @); }"""
    seen: dict[str, set[int]] = {}
    for command in (program("family"), disk, program("naps")):
        for line in re.findall(r"^=(.*)", trace(script, command), re.MULTILINE):
            provider, name, *words = line.split()
            seen.setdefault(f"{provider}:{name}", set()).update(
                at for at, word in enumerate(words) if word == "1")
    special = {name: count for names, count in ARGUMENTS.items() for name in names.split() if ":" in name}
    assert len(seen) > 50 and special.keys() <= seen.keys()
    assert seen == {name: set(range(special.get(name, ARGUMENTS[name.partition(":")[0]]))) for name in seen}


def test_rates_that_are_there_before_they_are_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    """Those that dtrace(1) of illumos lists; any other is made when it is asked for."""
    assert main(["-l", "-P", "profile"]) == 0
    names = [line.split()[-1] for line in capfd.readouterr().out.splitlines()[1:]]
    assert names == [*(f"profile-{rate}" for rate in (97, 199, 499, 997, 1999, 4001, 4999)),
                     *(f"tick-{rate}" for rate in (1, 10, 100, 500, 1000, 5000))]
    assert main(["-l", "-n", "tick-7s,profile-98,tick-1"]) == 0
    names = [line.split()[-1] for line in capfd.readouterr().out.splitlines()[1:]]
    assert names == ["tick-7s", "profile-98", "tick-1"]
