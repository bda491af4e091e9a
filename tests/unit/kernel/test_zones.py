"""Zones, and who a process is: what the kernel keeps of it, and what processes of a zone see and may do."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import compilers
import pytest

from runtime.consumer.consumer import Consumer
from runtime.consumer.events.handler import Callbacks
from runtime.kernel.base.privileges import BASIC, BITS, ZONE_MOST, privilege_names, privilege_set
from runtime.kernel.image import ImageError, read_image
from runtime.kernel.kernel import Kernel
from runtime.kernel.net.address import AF_UNIX
from runtime.kernel.net.socket import SOCK_STREAM, Peer, Socket
from runtime.machine import Machine

ZONES = """\
[[zone]]
name = "web"
privileges = "default,dtrace_proc,dtrace_user"

[[zone]]
name = "db"
id = 7
nodename = "base"
root = "/"

[[user]]
name = "alice"
uid = 4321
zone = "web"
privileges = "basic,dtrace_user"
"""
WEB, DB, ALICE = 'zone = "web"\n', 'zone = "db"\n', 'user = "alice"\n'
UNTIL = 200 * 10**9
PROGRAMS = Path(__file__).parent / "zones"


def described(folder: Path, *processes: tuple[str, str]) -> str:
    """Write the description of a machine with the zones and these processes: keys, and a shell's command."""
    path = folder / "machine.toml"
    path.write_text(ZONES + "".join(f"\n[[process]]\n{keys}command = ['sh', '-c', '''{command}''']\n"
                                    for keys, command in processes))
    return str(path)


def run(folder: Path, capfd: pytest.CaptureFixture[str], *processes: tuple[str, str]) -> list[str]:
    """Run such a machine; returns the lines that its processes print."""
    kernel = Kernel()
    try:
        read_image(described(folder, *processes)).boot(kernel)
        capfd.readouterr()
        assert kernel.run(UNTIL) in ("done", "until")
        return capfd.readouterr().out.splitlines()
    finally:
        kernel.close()


def traced(folder: Path, script: str, *processes: tuple[str, str], ncpus: int = 1) -> list[str]:
    """Trace such a machine; returns what the clauses trace."""
    machine = Machine({"image": described(folder, *processes), "ncpus": str(ncpus)})
    found: list[str] = []
    try:
        with Consumer.open(machine) as dtrace:
            keep = Callbacks(lambda firing: found.extend(map(str, firing.values)))
            dtrace.trace(script, keep, seconds=UNTIL / 10**9)
        return found
    finally:
        machine.close()


def test_a_zone_is_an_object_of_the_kernel(tmp_path: Path) -> None:
    script = """
    this zone_t *zone;
    syscall::exit_group:entry { this->zone = curthread->t_procp->p_zone;
        trace(zonename); trace(this->zone->zone_id); trace(stringof(this->zone->zone_name));
        trace(stringof(this->zone->zone_rootpath)); trace(stringof(this->zone->zone_nodename));
        trace(stringof(this->zone->zone_rootvp->v_path)); trace(this->zone == curthread->t_cred->cr_zone);
        trace(stringof(`global_zone->zone_next->zone_name));
        this->zone = `zone0.zone_next->zone_next;
        trace(stringof(this->zone->zone_name)); trace(this->zone->zone_next);
        trace(curpsinfo->pr_zoneid); exit(0); }"""
    rest = ["1", "web", "db", "0"]
    assert traced(tmp_path, script, (WEB, "exit")) == [
        "web", "1", "web", "/zones/web", "web", "/zones/web", *rest, "1"]
    assert traced(tmp_path, script, (DB, "(exit)")) == ["db", "7", "db", "/", "base", "/", *rest, "7"]


def test_credentials_are_one_truth_in_memory_and_for_programs(tmp_path: Path) -> None:
    script = """
    this cred_t *cred;
    syscall::exit_group:entry { this->cred = curthread->t_cred;
        trace(this->cred->cr_uid); trace(this->cred->cr_ruid); trace(this->cred->cr_sgid);
        trace((uint64_t)this->cred->cr_priv.crprivs[0].pbits[0]);
        trace(this->cred->cr_priv.crprivs[3].pbits[2]);
        trace((uint64_t)this->cred->cr_zone->zone_privset->pbits[0]);
        trace(curthread->t_procp->p_flag); exit(0); }"""
    basic, limit = privilege_set("basic dtrace_user"), privilege_set("default dtrace_proc dtrace_user")
    low = 0xFFFFFFFF
    alice = [4321, 4321, 4321, basic & low, limit >> 64, limit & low, 0]
    root = [0, 0, 0, limit & low, limit >> 64, limit & low, 0]
    assert traced(tmp_path, script, (ALICE, "exit")) == [str(value) for value in alice]
    assert traced(tmp_path, script, (WEB, "exit")) == [str(value) for value in root]


def test_named_privileges_limit_root_and_no_zone_has_those_of_the_machine(tmp_path: Path) -> None:
    kernel = Kernel()
    try:
        mine = 'privileges = "dtrace_proc"\n'
        started = read_image(described(tmp_path, (mine, ":"), (ALICE + mine, ":"), (DB + mine, ":"),
                                       (WEB + 'privileges = "all"\n', ":"))).boot(kernel)
        held = [process.identity.privileges for process in started]
        assert held == [BITS["dtrace_proc"], BITS["dtrace_proc"], 0, started[3].zone.limit]
        assert not held[3] & ~ZONE_MOST and "dtrace_kernel" not in privilege_names(ZONE_MOST)
        assert kernel.init.identity.inheritable == BASIC
    finally:
        kernel.close()


def test_a_zone_sees_its_own_sockets_alone(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    count, kernel = "wc -l < /proc/net/unix", Kernel()
    try:
        read_image(described(tmp_path, ("", count), (WEB, f"sleep 1; {count}"), (DB, f"sleep 2; {count}"))
                   ).boot(kernel)
        web = kernel.zones.find("web")
        assert web is not None
        Socket(web.network, AF_UNIX, SOCK_STREAM, Peer(0, 0, 0))
        capfd.readouterr()
        kernel.run(UNTIL)
        assert capfd.readouterr().out.split() == ["1", "2", "1"]
    finally:
        kernel.close()


def test_a_zone_has_its_own_files_and_node_name(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    printed = run(tmp_path, capfd,
                  ("", "uname -n; echo mine >/zones/web/tmp/note; echo others >/tmp/note;"
                       "test -e /zones/web/bin/sh && echo whole"),
                  (WEB, "sleep 1; uname -n; cat /tmp/note; pwd; test -e /zones || cd ..; pwd"),
                  (DB, "sleep 2; uname -n; cat /tmp/note"),
                  (ALICE, "sleep 3; id -un; grep -c alice /etc/passwd"))
    assert printed == ["dtrace", "whole", "web", "mine", "/", "/", "base", "others", "alice", "1"]


@pytest.mark.parametrize(("old", "new", "place", "reason"), [
    ('name = "db"', 'name = "web"', ":6:", "zone.name: there is a zone web already"),
    ('name = "db"', 'name = "../db"', ":6:", "zone.name: must be up to 64 letters"),
    ("id = 7", "id = 0", ":7:", "zone.id: must be a number from 1 to 8191"),
    ('root = "/"', 'root = "db"', ":9:", "zone.root: must be an absolute path"),
    ("dtrace_proc", "dtrace_pork", ":3:", "zone.privileges: there is no privilege dtrace_pork"),
    ('zone = "web"', 'zone = "wep"', ":14:", "user.zone: there is no zone wep"),
    ('"basic,dtrace_user"', '"dtrace_user;"', ":15:", "user.privileges: there is no privilege dtrace_user;"),
    (WEB + "command", 'zone = "Web"\ncommand', ":18:", "process.zone: there is no zone Web"),
])
def test_mistakes_are_located(old: str, new: str, place: str, reason: str, tmp_path: Path) -> None:
    path = Path(described(tmp_path, (WEB, ":")))
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(ImageError, match=re.escape(reason)) as caught:
        read_image(str(path))
    assert str(caught.value).startswith(f"{path}{place}")


def test_zones_with_one_number_and_roots_that_are_files(tmp_path: Path) -> None:
    path = Path(described(tmp_path))
    for old, new, reason in (("id = 7", "id = 1", ":5: zone: there is a zone 1 already"),
                             ('root = "/"', 'root = "/etc/passwd"', ":5: db: Not a directory")):
        path.write_text(ZONES.replace(old, new))
        kernel = Kernel()
        with pytest.raises(ImageError, match=re.escape(reason)):
            read_image(str(path)).boot(kernel)
        kernel.close()


def commanded(folder: Path, capfd: pytest.CaptureFixture[str], command: str, name: str = "outlook") -> str:
    """Run a shell's command in the global zone, with `$PROGRAM` compiled; returns what it prints."""
    program = folder / name
    building = compilers.building(["-O1", "-w", "-o", str(program), str(PROGRAMS / f"{name}.c")])
    if building is None:
        pytest.skip("no C compiler: the ways out of a zone")
    subprocess.run(building, check=True)
    path = folder / "machine.toml"
    path.write_text(f"{ZONES}\n[env]\nPROGRAM = '{program}'\n\n[[process]]\n"
                    f"command = ['sh', '-c', '''{command}''']\n")
    kernel = Kernel()
    capfd.readouterr()
    read_image(str(path)).boot(kernel)
    kernel.run(UNTIL)
    kernel.close()
    return capfd.readouterr().out


HIDDEN = """\
kill: ESRCH
tgkill: ESRCH
queue a signal: ESRCH
kill a group: ESRCH
trace: ESRCH
read memory: ESRCH
pidfd: ESRCH
session: ESRCH
priority: ESRCH
affinity: ESRCH
clock of a process: EINVAL
proc: ENOENT
set: ENOENT
number of a set: EINVAL
segment: ENOENT
queue: ENOENT
socket: ECONNREFUSED
node name: done
time: EPERM
device: EPERM
"""


def test_no_way_leads_out_of_a_zone(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out = commanded(tmp_path, capfd, """
        $PROGRAM & server=$!; sleep 1; cd /etc; exec 7</etc
        zlogin web "uname -n; $PROGRAM $server 7; uname -n"; uname -n
        zlogin db $PROGRAM $server | grep -c done
        $PROGRAM $server; kill $server""")
    served, inside, seen, outside = out.partition("set 0\n")[0], *out.partition("set 0\n")[2].partition("1\n")
    assert served == "segment: done\nqueue: done\nsocket: done\n"
    assert inside == (f"web\n{HIDDEN}open there: EACCES\nopen above: EACCES\nopen by proc: EACCES\n"
                      "go there: EACCES\nopen from there: ENOENT\nchange root: done\nopen up there: ENOENT\n"
                      "other\ndtrace\n")
    assert seen == "1\n"  # of a zone with the machine's own files, too, only the node name can be set
    assert {line for line in outside.splitlines() if "done" not in line} == {"kill a group: ESRCH"}


def test_what_runs_in_a_zone_types_no_command_for_who_started_it(tmp_path: Path,
                                                                 capfd: pytest.CaptureFixture[str]) -> None:
    out = commanded(tmp_path, capfd, "$PROGRAM global; $PROGRAM web; zlogin web $PROGRAM global", "typing")
    assert out == "typed\nEPERM\ntyped\n"


def test_commands_tell_of_zones_and_enter_them(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out = commanded(tmp_path, capfd, """
        zonename; zoneadm list; zoneadm list -p | tail -1; zoneadm list -cv | head -2 | tail -1
        zlogin web 'zonename; zoneadm list -p; pwd; readlink /proc/self/exe; grep -c zones/ /proc/self/maps
                    cat /proc/sys/kernel/hostname; ls /proc | grep -c "^1$"; zlogin db ls'
        echo $?; zlogin wep ls; echo $?; zlogin; echo $?; zoneadm boot; echo $?
        echo web 2>&1 >/proc/1/zone | grep -c I/O""")
    assert out == """\
global
global
web
db
7:db:running:/::lx:excl
   0 global           running    /                              lx       excl
web
1:web:running:/::lx:excl
/
/usr/bin/readlink
0
web
0
1
1
2
2
1
"""


def test_entering_a_zone_needs_a_privilege(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    alice = ALICE + 'zone = "global"\n'
    printed = run(tmp_path, capfd, (alice, "zlogin web id -u 2>&1"),
                  (alice + 'privileges = "basic,proc_zone"\n', "sleep 1; zlogin web 'id -u; zonename'"))
    assert printed == ["zlogin: You lack sufficient privilege to enter a zone (proc_zone)", "4321", "web"]


def test_a_set_id_program_has_the_privileges_of_its_zone_and_is_marked(tmp_path: Path) -> None:
    found = traced(tmp_path, """
        syscall::exit_group:entry /execname == "mine"/ { this->cred = curthread->t_cred;
            trace(this->cred->cr_ruid); trace(this->cred->cr_uid); trace(this->cred->cr_suid);
            trace(this->cred->cr_priv.crprivs[0].pbits[2] == this->cred->cr_zone->zone_privset->pbits[2]);
            trace(curthread->t_procp->p_flag & 0x10000000); exit(0); }""",
                   (WEB, "cp /bin/true /mine; chmod 4755 /mine"), (ALICE, "sleep 1; /mine"))
    assert found == ["4321", "0", "0", "1", str(0x10000000)]


def test_another_user_of_a_zone(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """zlogin -l: with the ids and privileges of the description, if it may become another."""
    out = commanded(tmp_path, capfd, """
        zlogin -l alice web 'id -un; zonename; touch /etc/new || echo refused'
        zlogin -l bob web id; echo $?; zlogin -x web; echo $?""")
    assert out == "alice\nweb\nrefused\n1\n2\n"
    alone = ALICE + 'zone = "global"\nprivileges = "basic,proc_zone"\n'
    assert run(tmp_path, capfd, (alone, "zlogin -l root web id 2>/dev/null || echo no")) == ["no"]
    script = """syscall::exit_group:entry /execname == "true"/ { this->cred = curthread->t_cred;
        trace(this->cred->cr_uid); trace((uint64_t)this->cred->cr_priv.crprivs[0].pbits[0]); exit(0); }"""
    basic = privilege_set("basic dtrace_user") & 0xFFFFFFFF
    assert traced(tmp_path, script, ("", "zlogin -l alice web /bin/true")) == ["4321", str(basic)]


@pytest.mark.parametrize(("privileges", "wanted"), [
    ("", "no no no no no no no"),
    ("file_dac_read", "read no no no no no no"),
    ("file_dac_search", "no no search no no no no"),
    ("file_dac_write", "no no no no no no no"),  # a file of root's takes all privileges
    ("file_dac_execute", "no no no run no no no"),
    ("file_owner", "no no no no no sticky no"),
    ("file_chown_self", "no no no no no no given"),
    ("file_chown", "no no no no no no given"),
    ("file_dac_read,file_dac_search,file_dac_execute", "read no search run no no no"),
    ("all", "read write search run mode sticky given"),
])
def test_files_by_privileges(privileges: str, wanted: str, tmp_path: Path,
                             capfd: pytest.CaptureFixture[str]) -> None:
    """What a mode does not give a user, privileges do; files of root change with all of them only."""
    tries = {"read": "cat $d/read", "write": "echo >$d/read", "search": "ls -d $d/closed/file",
             "run": "$d/run", "mode": "chmod 644 $d/run", "sticky": "rm -f $d/sticky/file",
             "given": "echo >/tmp/given-away; chown 0 /tmp/given-away"}
    command = "; ".join(f"({each}) >/dev/null 2>&1 && echo {name} || echo no" for name, each in tries.items())
    made = """mkdir -m 755 /tmp/d; cd /tmp/d; echo >read; chmod 600 read; mkdir closed; echo >closed/file
        chmod 700 closed; cp /bin/true run; chmod 700 run; mkdir -m 1777 sticky; cd sticky; echo >file
        chown 9 file"""
    keys = ALICE + 'zone = "global"\n' + (f'privileges = "basic,{privileges}"\n' if privileges else "")
    assert run(tmp_path, capfd, ("", made), (keys, f"sleep 1; d=/tmp/d; {command}")) == wanted.split()


def test_root_without_privileges_is_a_user(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    made = "echo >/tmp/his; chmod 600 /tmp/his; chown 9 /tmp/his"
    tries = "cat /tmp/his >/dev/null 2>&1 && echo read || echo no"
    assert run(tmp_path, capfd, ("", made), ('privileges = "basic"\n', f"sleep 1; {tries}"),
               ("", f"sleep 2; {tries}")) == ["no", "read"]


def test_scheduling_others_takes_a_privilege(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """By sched(7): one's own processes may be scheduled, without real-time policies."""
    tries = ("taskset -p 1 100", "chrt -o -p 0 100", "taskset -p 1 $$", "chrt -b -p 0 $$", "chrt -f -p 5 $$")
    command = "; ".join(f"{each} >/dev/null 2>&1 && echo done || echo no" for each in tries)
    keys = ALICE + 'zone = "global"\n'
    printed = run(tmp_path, capfd, ("", "sleep 9"), (keys, command),
                  (keys + 'privileges = "basic,proc_priocntl"\n', "sleep 3;" + command))
    assert printed == ["no", "no", "done", "done", "no", *["done"] * 5]


def test_processes_that_another_binds_to_a_cpu_go_there(tmp_path: Path) -> None:
    """Though they never sleep."""
    busy = ("", "while :; do :; done")
    binding = ("", "for cpu in 1 2; do taskset -p $cpu 101; taskset -p $cpu 102; sleep .02; done >/dev/null")
    found = traced(tmp_path, """
        syscall::sched_setaffinity:return { bound++; }
        profile-1999 /(pid == 101 || pid == 102) && (bound == 2 || bound == 4)/ { trace(10 * bound + cpu); }
        tick-10ms /bound == 4 && over++ == 2/ { exit(0); }""", busy, busy, binding, ncpus=2)
    assert set(found) == {"20", "41"}


def tried(folder: Path, capfd: pytest.CaptureFixture[str], name: str, privileges: str,
          arguments: str) -> list[str]:
    """What a program prints as a user with these privileges; process 100 and the file /tmp/his are root's."""
    program = folder / name
    building = compilers.building(["-O1", "-w", "-static", "-o", str(program), str(PROGRAMS / f"{name}.c")])
    if building is None:
        pytest.skip(f"no C compiler: {name}.c")
    subprocess.run(building, check=True)
    path = folder / "machine.toml"
    path.write_text(f"""{ZONES}
        [[file]]
        path = "/tmp/his"
        text = "text"
        mode = "0666"
        [[file]]
        path = "/bin/{name}"
        from = "{program}"
        mode = "0755"
        [[file]]
        path = "/bin/victim"
        from = "/bin/sleep"
        mode = "4755"
        [[process]]
        command = "sleep 9"
        [[process]]
        user = "alice"
        zone = "global"
        privileges = "{privileges}"
        command = "{name} 100 {arguments}"
        """)
    kernel = Kernel()
    capfd.readouterr()
    read_image(str(path)).boot(kernel)
    kernel.run(UNTIL)
    kernel.close()
    return capfd.readouterr().out.splitlines()


USUAL = {"read a file": "done", "write a file": "done", "make a file": "done", "change a file": "EPERM",
         "network": "done", "local socket": "done", "link": "done", "examine": "done", "signal": "EPERM",
         "trace": "EPERM", "become root": "EPERM", "capabilities": ",,", "less in force": "EPERM",
         "all that is left": "EPERM", "more": "EPERM", "fork": "done"}


SOME = {"signal": "done", "capabilities": "0 5 19, 5 19, 0 5 19", "less in force": "done",
        "all that is left": "done"}


@pytest.mark.parametrize(("lacking", "more", "otherwise"), [
    ("", "", {}),
    ("file_read", "", {"read a file": "EACCES"}),
    ("file_write", "", {"write a file": "EACCES", "make a file": "EACCES", "link": "EACCES"}),
    ("file_link_any", "", {"link": "EPERM"}),
    ("net_access", "", {"network": "EACCES"}),
    ("proc_fork", "", {"fork": "EPERM"}),
    ("proc_exec", "", {"execute": "EPERM"}),
    ("proc_info", "", {"examine": "ENOENT", "signal": "ESRCH", "trace": "ESRCH"}),
    ("", "proc_owner,file_chown", SOME),
    ("proc_session", "proc_owner,file_chown", {**SOME, "signal": "EPERM"}),
    ("", "proc_setid", {"capabilities": "6 7, 6 7, 6 7"}),
])
def test_what_basic_privileges_give(lacking: str, more: str, otherwise: dict[str, str], tmp_path: Path,
                                    capfd: pytest.CaptureFixture[str]) -> None:
    """And what capabilities a program finds that it has; to become the superuser takes all privileges."""
    held = ",".join(name for name in privilege_names(BASIC) if name != lacking)
    found: dict[str, str] = {}
    for line in tried(tmp_path, capfd, "basics", f"{held},{more}", "/tmp/his"):
        what, _, outcome = line.partition(":")
        found[what] = (found[what] + "," + outcome if what in found else outcome).strip()
    assert found == {**USUAL, **otherwise}


LOOKS = """\
maps: EACCES
environ: EACCES
mem: EACCES
cwd: EACCES
root: EACCES
exe: EACCES
cwd/: EACCES
fd/1: EACCES
root of it: EACCES
its program: EACCES
its directory: EACCES
before: something
environment before: something
memory: nothing
change memory: nothing
environment: nothing
map: nothing
memory anew: EACCES
map anew: EACCES
"""


@pytest.mark.parametrize("privileges", ["basic", "basic,dtrace_user,dtrace_proc", "basic,proc_owner",
                                        "basic,file_dac_read,file_dac_write,file_dac_search"])
def test_no_process_looks_into_one_with_more_privileges(privileges: str, tmp_path: Path,
                                                        capfd: pytest.CaptureFixture[str]) -> None:
    """Nor through what it opened before the other executed a set-user-id program."""
    assert tried(tmp_path, capfd, "lookinto", privileges, "/bin/victim") == LOOKS.splitlines()
