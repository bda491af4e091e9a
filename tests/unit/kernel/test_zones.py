"""Zones, and who a process is: what the kernel keeps of it, and what processes of a zone see and may do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from runtime.consumer.consumer import Consumer
from runtime.consumer.events.handler import Callbacks
from runtime.kernel.base.privileges import BASIC, BITS, ZONE_MOST, privilege_names, privilege_set
from runtime.kernel.image import ImageError, read_image
from runtime.kernel.kernel import Kernel
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
UNTIL = 20 * 10**9


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


def traced(folder: Path, script: str, *processes: tuple[str, str]) -> list[str]:
    """Trace such a machine; returns what the clauses trace."""
    machine = Machine({"image": described(folder, *processes)})
    found: list[str] = []
    try:
        with Consumer.open(machine) as dtrace:
            keep = Callbacks(lambda firing: found.extend(map(str, firing.values)))
            dtrace.trace(script, keep)
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
