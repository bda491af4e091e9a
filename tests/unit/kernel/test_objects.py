"""Kernel memory as D sees it: chains of real pointers, variables, and faults where nothing may be loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.consumer.consumer import Consumer
from runtime.consumer.events.handler import Callbacks
from runtime.kernel.kernel import Kernel
from runtime.kernel.memory.kmem import DEVICE_BASE, DEVICES
from runtime.kernel.memory.placement import BASE
from runtime.machine import Machine

UNMAPPED = BASE - 4096  # between the heap and the tables of objects


def values(script: str, command: list[str] | None = None, end: str = "proc:::exit { exit(0); }",
           **options: str) -> list[object]:
    """What the clauses of `script` trace, in order."""
    machine = Machine(options)
    try:
        with Consumer.open(machine) as dtrace:
            found: list[object] = []
            if command:
                machine.spawn(command).resume()
                script += end
            keep = Callbacks(lambda firing: found.extend(firing.values), fault=lambda fault: None)
            dtrace.trace(script, keep)
            return found
    finally:
        machine.close()


def fault(expression: str, **options: str) -> tuple[int, int]:
    """Kind (DTRACEFLT_*) and address of the fault that an expression ends in."""
    script = f"BEGIN {{ trace({expression}); }} BEGIN {{ exit(0); }} ERROR {{ trace(arg4); trace(arg5); }}"
    found = values(script, **options)
    kind, address = (int(str(value)) for value in found)
    return kind, address & (1 << 64) - 1


def test_thread_chain_ends_in_the_open_file(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    command = ["/bin/sh", "-c", f"exec 7<{file}; kill -0 $$"]
    chain = "curthread->t_procp->p_user.u_finfo.fi_list[7].uf_file"
    found = values(f"""syscall::kill:entry {{
        trace(stringof({chain}->f_vnode->v_path)); trace(fds[7].fi_pathname);
        trace(getf(7) == {chain}); trace(curthread->t_procp->p_pidp->pid_id == pid);
        trace(stringof(curthread->t_procp->p_parent->p_user.u_comm) == "dtrace");
        trace(curthread->t_cpu->cpu_thread == curthread);
        trace(stringof(curthread->t_procp->p_user.u_comm)); trace(fds[7].fi_fs != ""); }}""",
                   command)
    path = str(file)
    assert [str(value) for value in found] == [path, path, "1", "1", "1", "1", "sh", "1"]


def test_variables() -> None:
    found = values("""BEGIN { trace(`ncpus); trace(`nr_cpu_ids); trace(`max_pfn > 0);
        trace(`kernproc->p_pidp->pid_id); trace(`lbolt == timestamp / 10000000); trace(`kernproc == &`p0);
        trace(`rootvp == `rootdir);
        trace(`cpu[2]->cpu_id); trace(`cpu_list->cpu_next->cpu_id); exit(0); }""", ncpus="3")
    assert found == [3, 3, 1, 0, 1, 1, 1, 2, 1]


@pytest.mark.parametrize(("address", "bad"), [
    (0, 0), (8, 8), (UNMAPPED, UNMAPPED),
    (0x400000, 0x400000),  # a program's memory is not the kernel's
    *((DEVICE_BASE + base + 16, DEVICE_BASE + base + 16) for base, _size in DEVICES.values()),
    ((1 << 64) - 4, (1 << 64) - 4)])
def test_bad_addresses(address: int, bad: int) -> None:
    assert fault(f"*(int *){address:#x}") == (1, bad)


def test_device_is_where_the_kernel_says() -> None:
    assert fault("*`apicadr") == (1, DEVICE_BASE + DEVICES["apic"][0])
    assert fault("`hpet_base[2]") == (1, DEVICE_BASE + DEVICES["hpet"][0] + 8)


@pytest.mark.parametrize("engine", ["translate", "interpret"])
@pytest.mark.parametrize(("action", "bad"), [
    *((f"trace(*({kind} *)ADDRESS)", 0) for kind in ("char", "uint16_t", "int", "int64_t")),
    ("trace(stringof((char *)ADDRESS))", 0), ("trace(strlen((char *)ADDRESS))", 0),
    ('trace(stringof((char *)ADDRESS) == "x")', 0), ('trace(strjoin("x", (char *)ADDRESS))', 0),
    ('trace(strstr((char *)ADDRESS, "x"))', 0), ("a[stringof((char *)ADDRESS)] = 1", 0),
    ("bcopy((void *)ADDRESS, alloca(8), 8)", 0), ("trace(*(struct timespec *)ADDRESS)", 15),
    ("tracemem((void *)ADDRESS, 8)", 7), ("trace(inet_ntoa((ipaddr_t *)ADDRESS))", 0),
    ("trace(mutex_owned((kmutex_t *)ADDRESS))", 0), ("self->s = *(struct timespec *)ADDRESS", 0),
    ("copyout((void *)ADDRESS, 0, 8)", 0), ("copyoutstr((char *)ADDRESS, 0, 8)", 0)])
def test_no_load_reaches_a_device(engine: str, action: str, bad: int) -> None:
    """Its registers change when they are read, so none is: the address is bad before that."""
    address = DEVICE_BASE + DEVICES["hpet"][0] + 0xF0
    for where in (f"{address:#x}", "((uintptr_t)`hpet_base + 0xf0)"):
        script = ("#pragma D option destructive\n"
                  f"BEGIN {{ {action.replace('ADDRESS', where)}; }} BEGIN {{ exit(0); }} "
                  "ERROR { trace(arg4); trace(arg5); }")
        kind, at = values(script, engine=engine)
        assert (int(str(kind)), int(str(at)) & (1 << 64) - 1) == (1, address + bad), where


@pytest.mark.parametrize("engine", ["translate", "interpret"])
def test_strings_at_one_address_are_equal(engine: str) -> None:
    """Whatever is there: nothing has to be looked at."""
    script = """BEGIN { trace(stringof((char *)8) == stringof((char *)8)); self->p = (char *)8;
        this->q = self->p; trace(stringof(self->p) != stringof(this->q));
        bcopy((void *)8, alloca(1), pid - pid); trace(strlen("ok")); exit(0); }"""
    assert [int(str(each)) for each in values(script, engine=engine)] == [1, 0, 2]


@pytest.mark.parametrize("engine", ["translate", "interpret"])
@pytest.mark.parametrize(("type_", "offset"), [("short", 1), ("int", 2), ("int", 1), ("int64_t", 4)])
def test_alignment_matters_where_it_does(type_: str, offset: int, engine: str) -> None:
    address = f"(uintptr_t)curthread + {offset}"
    kind, at = fault(f"*({type_} *)({address})", strictalign="", engine=engine)
    assert kind == 2 and at % 4096 == offset
    assert values(f"BEGIN {{ trace(1 + 0 * *({type_} *)({address})); exit(0); }}", engine=engine) == [1]
    assert values("BEGIN { trace(*(char *)((uintptr_t)curthread + 1) * 0); exit(0); }", strictalign="") == [0]


def test_alignment_comes_before_the_address() -> None:
    assert fault("*(int *)2", strictalign="yes") == (2, 2)
    assert fault("*(int *)4", strictalign="yes") == (1, 4)


def test_libraries_read_aligned() -> None:
    found = values('proc:::exit { trace(curpsinfo->pr_fname); trace(curlwpsinfo->pr_lwpid == tid); }',
                   ["/bin/true"], strictalign="yes")
    assert [str(value) for value in found] == ["true", "1"]


def test_programs_compiled_elsewhere_find_the_variables() -> None:
    from dc.names.kernelheader import OBJECTS, kernel_header, placed
    from runtime.kernel.objects.variables import ALIASES, VARIABLES

    machine = Machine()
    try:
        symbols = list(placed(machine.types, kernel_header()))
        for each in symbols:
            found = machine.named(None, each.name)
            assert found is not None and (found.address, found.size) == (each.address, each.size)
        assert ALIASES.keys() == OBJECTS
        assert VARIABLES.keys() <= {each.name for each in symbols}
    finally:
        machine.close()


def test_memory_without_swap() -> None:
    found = values("""BEGIN { trace(`k_anoninfo.ani_max); trace(`k_anoninfo.ani_mem_resv > 0);
        trace(`availrmem == `physmem); trace(`physmem >= `freemem && `freemem > `swapfs_minfree);
        trace(stringof(`devnamesp[8].dn_name)); trace(`utsname.nodename); exit(0); }""", ["/bin/true"])
    assert [str(value) for value in found] == ["0", "1", "1", "1", "sd", "dtrace"]


def test_members_that_only_scripts_ask_for() -> None:
    found = values("""syscall::exit_group:entry { this->p = curthread->t_procp;
        trace(this->p->p_usrstack > (caddr_t)uregs[R_SP]);
        trace(this->p->p_usrstack - this->p->p_stksize <= (caddr_t)uregs[R_SP]);
        trace(curthread->t_lwp->lwp_state); trace(this->p->p_flag); trace(`p0.p_flag);
        trace(stringof(`rootvfs->vfs_next->vfs_vnodecovered->v_path)); trace(`rootvfs->vfs_vnodecovered);
        trace(this->p->p_task->tk_zone == `global_zone); trace(`global_zone->zone_rootvp == `rootdir); }""",
                   ["sh", "-c", "exit 0"])
    assert [str(value) for value in found] == ["1", "1", "2", "0", "1", "/proc", "0", "1", "1"]


def test_registers_that_hold_no_numbers_of_programs() -> None:
    """Segments as Linux has them in 64-bit programs, by both sets of numbers; flags with those always set."""
    found = values("""syscall::exit_group:entry { trace(uregs[R_CS]); trace(uregs[R_SS]); trace(uregs[15]);
        trace(uregs[18]); trace(uregs[R_DS] | uregs[R_ES] | uregs[R_FS] | uregs[R_GS] | uregs[12]);
        trace(uregs[16] & 0x202); trace(uregs[38] == uregs[16]); trace(uregs[46]);
        trace(uregs[45] > 4096 && uregs[45] == *(uintptr_t *)copyin(uregs[45], 8)); }""",
                   ["sh", "-c", "exit 0"])
    assert [str(value) for value in found] == ["51", "43", "51", "43", "0", str(0x202), "1", "0", "1"]


def test_signals_that_are_ignored() -> None:
    found = values("""syscall::exit_group:entry /execname == "sh"/
        { trace(curthread->t_procp->p_ignore.__sigbits[0] & 1 << SIGUSR1 - 1); }""",
                   ["sh", "-c", "trap '' USR1; exit 0"])
    assert [str(value) for value in found] == ["512"]


def test_counters_of_fsflush() -> None:
    """A file of two pages stays open for 33 s: each second finds them, the 31st writes them."""
    found = values("""tick-33s { trace(`fsf_cycles); trace(`fsf_total.fsf_examined);
        trace(`fsf_total.fsf_modified); trace(`fsf_total.fsf_locked); trace(`fsf_recent.fsf_scan);
        trace(`fsf_total.fsf_coalesce); exit(0); }""",
                   ["sh", "-c", "exec 3>/tmp/flushed; printf %08000d 7 >&3; exec sleep 40"])
    cycles, examined, *rest = map(int, map(str, found))
    assert cycles in (32, 33) and examined in (60, 62)
    assert rest == [2, 2, 0, 0]


CLOSING = "exec 5</etc/group 6<&5; exec 300</dev/null; exec 300<&-; exec 5<&-; exec 6<&-; kill -0 $$"


def test_a_list_of_descriptors_grows_and_stays() -> None:
    """What lies behind the list's end is no descriptor, however many files a process has had open."""
    info = "curthread->t_procp->p_user.u_finfo"
    found = values(f"""
        syscall::brk:entry /!self->list/ {{ self->list = {info}.fi_list; trace({info}.fi_nfiles); }}
        syscall::kill:entry {{ trace({info}.fi_nfiles); trace({info}.fi_list == self->list);
            trace({info}.fi_list[{info}.fi_nfiles - 1].uf_file); trace({info}.fi_list[300].uf_file); }}
        syscall::kill:entry {{ trace({info}.fi_list[{info}.fi_nfiles].uf_file); }}
        ERROR {{ trace(arg4); }}""", ["bash", "-c", CLOSING])
    assert [str(value) for value in found[-6:]] == ["32", "512", "1", "0", "0", "1"]


def test_closef_is_called_for_each_descriptor_and_frees_with_the_last() -> None:
    found = values("""
        fbt::closef:entry /execname == "bash" && args[0]->f_vnode->v_path != 0 &&
            stringof(args[0]->f_vnode->v_path) == "/etc/group"/ { trace(args[0]->f_count); self->in = 1; }
        fbt::fop_close:entry /self->in/ { trace(stringof(args[0]->v_path)); trace(caller != 0); }
        fbt::closef:return /self->in/ { trace(args[1]); self->in = 0; }""", ["bash", "-c", CLOSING])
    calls = [list(map(str, found[at:at + 4])) for at in range(0, len(found), 4)]
    assert len(calls) > 2 and all(call[1:] == ["/etc/group", "1", "0"] for call in calls)
    assert [call[0] for call in calls].index("1") == len(calls) - 1  # only the last is the last


def test_the_hook_of_closef_is_called_before_a_file_goes(capfd: pytest.CaptureFixture[str]) -> None:
    kernel = Kernel()
    freed: list[int] = []
    assert kernel.closef_hook is None
    kernel.closef_hook = lambda: freed.append(kernel.current.pid)
    child = kernel.spawn(["/bin/sh", "-c", "exec 5</dev/null 6<&5; exec 5<&-; kill -STOP $$"], stopped=False)
    kernel.run(lambda: child.stopped)
    before = len(freed)
    for number in (6, 0):
        child.files.close(number)  # the one is the last of its file, the other is the shell's own
    kernel.close()
    assert len(freed) - before == 2 and before > 0


def test_families_of_processes() -> None:
    """A process whose children are a zombie and two that sleep: chains lead on and back, and end."""
    found = values("""syscall::exit_group:entry /execname == "sleep"/ { this->p = curthread->t_procp;
        this->a = this->p->p_child; this->b = this->a->p_sibling; this->c = this->b->p_sibling;
        trace(this->a->p_stat); trace(this->b->p_stat); trace(this->c->p_stat); trace(this->p->p_stat);
        trace(this->a->p_wdata); trace(this->c->p_sibling); trace(this->b->p_child);
        trace(this->a->p_parent == this->p && this->b->p_parent == this->p && this->c->p_parent == this->p);
        trace(this->p->p_next->p_prev == this->p); trace(this->p->p_prev->p_next == this->p);
        trace(`p0.p_prev); trace(`p0.p_next->p_prev == &`p0);
        trace(this->p->p_lwpcnt); trace(this->a->p_lwpcnt); trace(this->b->p_lwprcnt);
        trace(curthread->t_forw == curthread); trace(curthread->t_back == curthread);
        trace(this->b->p_tlist->t_procp == this->b); trace(this->b->p_tlist->t_state);
        trace(curthread->t_state);
        trace(this->b->p_ppid == pid); trace(this->p->p_pidp->pid_id == pid); exit(0); }""",
                   ["sh", "-c", "(exit 3) & sleep 9 & sleep 9 & exec sleep 2"], "")
    assert [int(str(value)) for value in found] == [
        3, 1, 1, 6, 3 << 8, 0, 0, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1, 1, 4, 1, 1]
