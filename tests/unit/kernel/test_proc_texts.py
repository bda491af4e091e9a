"""Files of /proc as proc(5) lays them out, of machines and processes of known sizes and times."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from runtime.kernel.base.budgets import Budget
from runtime.kernel.base.capabilities import capabilities_of
from runtime.kernel.base.kernelfunctions import KFUNCTIONS
from runtime.kernel.base.privileges import ALL
from runtime.kernel.base.signals import SIG_DFL, SIG_IGN, Action, Pending, SignalState, bit
from runtime.kernel.vfs.proc import proctext

SECOND = 10**9


def thread(running: bool = False, stopped: bool | None = None, tracer: int = 5) -> Any:
    trace = None if stopped is None else SimpleNamespace(stopped=stopped,
                                                         tracer=SimpleNamespace(pid=tracer, zone="zone"))
    return SimpleNamespace(running=running, trace=trace, mask=bit(2), pending=Pending(bit(1) | bit(32)),
                           affinity=0b11101)


def process(pid: int = 7, **more: Any) -> Any:
    identity = SimpleNamespace(ruid=1, euid=2, suid=3, fsuid=4, rgid=5, egid=6, sgid=7, fsgid=8,
                               groups=(9, 10), has=lambda privilege: True, privileges=ALL, permitted=ALL,
                               limit=ALL, no_new_privileges=True)
    signals = SignalState(Budget(9))
    signals.pending.mask = bit(9)
    signals.actions = {3: Action(SIG_IGN), 4: Action(SIG_DFL), 5: Action(4096)}
    given: dict[str, Any] = {
        "zombie": False, "stopped": False, "threads": [thread()], "space": None, "arguments": [b"a", b"b c"],
        "exiting": False, "environment": [b"X=1", b"Y="], "cpu_time": 25 * 10**6,
        "children_cpu_time": 35 * 10**6,
        "shown_ppid": 3, "pgid": 4, "sid": 5, "nice": -4, "start_time": 99 * 10**6, "status": 0x100,
        "execname": b"program", "terminal": None, "identity": identity, "signals": signals,
        "view": SimpleNamespace(umask=0o22),
        "zone": SimpleNamespace(sees=lambda zone: zone == "zone",
                                shown=lambda path: b"/seen" + path if path else b""),
        "limit": lambda number: (number * 10, (1 << 64) - 1), "knows": lambda other: other.pid != 99,
        "traffic": SimpleNamespace(bytes_read=11, bytes_written=12, reads=13, writes=14)}
    return SimpleNamespace(pid=pid, **given | more)


def machine(**more: Any) -> Any:
    one, two, hidden = process(), process(12, cpu_time=5 * 10**6), process(99)
    given: dict[str, Any] = {
        "memory": SimpleNamespace(size=64 << 20, free_frames=1000), "current": SimpleNamespace(process=one),
        "processes": {7: one, 12: two, 99: hidden}, "hrtime": lambda: 2500 * 10**6,
        "walltime": lambda: 1002 * SECOND + 500 * 10**6, "ncpus": 2, "page_ins": 3}
    return SimpleNamespace(**given | more)


def test_the_machine() -> None:
    kernel = machine()
    memory = dict(line.split(":") for line in proctext.meminfo(kernel).decode().splitlines())
    assert {name: text.strip() for name, text in memory.items() if text.strip() != "0 kB"} == {
        "MemTotal": "65536 kB", "MemFree": "4000 kB", "MemAvailable": "4000 kB", "Active": "61536 kB"}
    assert proctext.meminfo(kernel).startswith(b"MemTotal:          65536 kB\nMemFree:            4000 kB\n")
    assert proctext.vmstat(kernel) == b"nr_free_pages 1000\npgpgin 12\npgpgout 0\npswpin 0\npswpout 0\n"
    assert proctext.uptime(kernel) == b"2.50 5.00\n"
    assert proctext.loadavg(kernel) == b"0.00 0.00 0.00 1/2 12\n"
    assert proctext.loadavg(machine(processes={})) == b"0.00 0.00 0.00 1/0 0\n"
    assert proctext.machine_stat(kernel).decode().splitlines() == [
        "cpu  3 0 0 497 0 0 0 0 0 0", "cpu0 1 0 0 249 0 0 0 0 0 0", "cpu1 1 0 0 249 0 0 0 0 0 0", "intr 0",
        "ctxt 0", "btime 1000", "processes 12", "procs_running 1", "procs_blocked 0"]
    busy = machine(hrtime=lambda: 10**7, ncpus=1, processes={})
    assert proctext.machine_stat(busy).splitlines()[:2] == [b"cpu  0 0 0 1 0 0 0 0 0 0",
                                                            b"cpu0 0 0 0 1 0 0 0 0 0 0"]
    assert b"processes 0\n" in proctext.machine_stat(busy)
    overdone = machine(hrtime=lambda: 10**7)
    assert proctext.machine_stat(overdone).splitlines()[:2] == [b"cpu  3 0 0 0 0 0 0 0 0 0",
                                                                b"cpu0 1 0 0 0 0 0 0 0 0 0"]


@pytest.mark.parametrize("seen", [True, False])
def test_functions_of_the_kernel(seen: bool) -> None:
    kernel = machine()
    kernel.current.process.identity.has = lambda privilege: seen
    rows = [line.split() for line in proctext.kallsyms(kernel).decode().splitlines()]
    assert len(rows) == len(KFUNCTIONS) and all(len(row[0]) == 16 for row in rows)
    for address, kind, name, module in rows:
        assert (int(address, 16), kind, module) == (KFUNCTIONS[name].address * seen, "T",
                                                    f"[{KFUNCTIONS[name].module}]")
    assert not seen or [row[0] for row in rows] == sorted(row[0] for row in rows)


@pytest.mark.parametrize(("shown", "state"), [
    (process(zombie=True, stopped=True), "Z"), (process(threads=[thread(), thread(stopped=True)]), "t"),
    (process(stopped=True, threads=[thread(stopped=False)]), "T"),
    (process(threads=[thread(), thread(True)]), "R"),
    (process(), "S"), (process(threads=[]), "S")])
def test_states(shown: Any, state: str) -> None:
    assert proctext._state(shown) == state


AREAS = [SimpleNamespace(start=0x400000, end=0x402000, prot=5, shared=False, offset=2, path=b"/bin/program",
                         pages=SimpleNamespace(vnode=SimpleNamespace(attributes=SimpleNamespace(dev=0x801,
                                                                                         ino=77)))),
         SimpleNamespace(start=0x7FFF0000, end=0x7FFF2000, prot=3, shared=False, offset=9, path=b"[stack]",
                         pages=None),
         SimpleNamespace(start=0x8000, end=0x9000, prot=0, shared=True, offset=0, path=b"", pages=object()),
         SimpleNamespace(start=0x9000, end=0xA000, prot=2, shared=True, offset=0, path=b"", pages=None)]


def test_memory_of_a_process() -> None:
    shown = process(space=SimpleNamespace(areas=AREAS, size=0x6000, resident_pages=lambda: 3))
    assert proctext.maps(shown).decode().splitlines() == [
        "00400000-00402000 r-xp 00002000 08:01 77 ".ljust(73) + "/seen/bin/program",
        "7fff0000-7fff2000 rw-p 00000000 00:00 0 ".ljust(73) + "/seen[stack]",
        "00008000-00009000 ---s 00000000 00:00 0 ", "00009000-0000a000 -w-s 00000000 00:00 0 "]
    assert proctext.statm(shown) == b"6 3 0 0 0 3 0\n"
    assert (proctext.maps(process()), proctext.statm(process())) == (b"", b"0 0 0 0 0 0 0\n")
    assert proctext._sizes(shown) == (0x6000, 3) and proctext._sizes(process()) == (0, 0)


def test_the_line_of_a_process() -> None:
    space = SimpleNamespace(areas=AREAS, size=0x6000, resident_pages=lambda: 3)
    node = SimpleNamespace(attributes=SimpleNamespace(rdev=0x8801))
    terminal = SimpleNamespace(node=node, foreground=44)
    shown = process(space=space, terminal=terminal, threads=[thread(True)] * 2)
    words = proctext.stat(shown).decode().split()
    assert words[:10] == ["7", "(program)", "R", "3", "4", "5", "34817", "44", "4194304", "0"]
    assert words[13:25] == ["2", "0", "3", "0", "16", "-4", "2", "0", "9", "24576", "3", "50"]
    assert len(words) == 52 and words[37] == "17" and words[51] == "256"
    assert words[30:34] == ["1", "2", "4", "16"]
    assert {*words[9:13], *words[25:30], *words[34:37], *words[38:51]} == {"0"}
    assert proctext.stat(process()).split()[6:8] == [b"0", b"-1"]
    bare = process(terminal=SimpleNamespace(node=None, foreground=44))
    assert proctext._terminal(bare) == (0, -1)


def test_the_status_of_a_process() -> None:
    space = SimpleNamespace(areas=AREAS, size=0x600000, locked=0x3000, resident_pages=lambda: 300)
    shown = process(space=space, threads=[thread(stopped=False), thread()])
    assert proctext.status(shown).decode().splitlines() == [
        "Name:\tprogram", "Umask:\t0022", "State:\tS (sleeping)", "Tgid:\t7", "Ngid:\t0", "Pid:\t7",
        "PPid:\t3",
        "TracerPid:\t5", "Uid:\t1\t2\t3\t4", "Gid:\t5\t6\t7\t8", "FDSize:\t64", "Groups:\t9 10 ",
        "VmPeak:\t    6144 kB", "VmSize:\t    6144 kB", "VmLck:\t      12 kB", "VmRSS:\t    1200 kB",
        "Threads:\t2",
        "SigPnd:\t0000000080000001", "ShdPnd:\t0000000000000100", "SigBlk:\t0000000000000002",
        "SigIgn:\t0000000000000004", "SigCgt:\t0000000000000010", "CapInh:\t0000000000000000",
        *(f"{name}:\t{capabilities_of(ALL):016x}" for name in ("CapPrm", "CapEff", "CapBnd")),
        "CapAmb:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t0", "Cpus_allowed:\t1d",
        "Cpus_allowed_list:\t0,2-4"]
    bare = proctext.status(process(view=None, threads=[]))
    assert b"SigBlk:\t0000000000000000\n" in bare and b"Cpus_allowed_list:\t\n" in bare
    assert b"Umask:\t0000\n" in bare and b"TracerPid:\t0\n" in bare and b"Threads:\t0\n" in bare
    hidden = process(threads=[thread(stopped=True)])
    hidden.zone.sees = lambda zone: False
    assert b"TracerPid:\t0\n" in proctext.status(hidden)


def test_words_and_counts_of_a_process() -> None:
    assert (proctext.cmdline(process()), proctext.environ(process())) == (b"a\0b c\0", b"X=1\0Y=\0")
    assert proctext.cmdline(process(exiting=True)) == b""
    assert proctext.io(process()) == (b"rchar: 11\nwchar: 12\nsyscr: 13\nsyscw: 14\nread_bytes: 0\n"
                                      b"write_bytes: 0\ncancelled_write_bytes: 0\n")
    lines = proctext.limits(process()).decode().splitlines()
    assert len(lines) == 17
    assert lines[0] == "Limit                     Soft Limit           Hard Limit           Units     "
    assert lines[2] == "Max file size             10                   unlimited            bytes     "
    assert lines[14] == "Max nice priority         130                  unlimited            "
    edge = process(limit=lambda number: ((1 << 64) - 2, 1 << 64))
    assert proctext.limits(edge).splitlines()[1].split()[3:5] == [b"18446744073709551614", b"unlimited"]
