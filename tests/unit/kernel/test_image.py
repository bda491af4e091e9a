"""Machines described in TOML."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.kernel.base.tomlfile import LARGEST
from runtime.kernel.image import ImageError, read_image
from runtime.kernel.kernel import Kernel

MACHINE = """\
[machine]
cpus = 2
walltime = 2026-02-03T04:05:06Z

[env]
A = "1"

[[user]]
name = "traced"
uid = 4321
groups = [4]

[[file]]
path = "/srv/greeting"
text = "hello\\n"
owner = "traced"
mode = "0600"

[[file]]
path = "/srv/deep/er/link"
link = "/srv/greeting"

[[device]]
path = "/dev/scratch"
kind = "zero"

[[process]]
name = "first"
command = "sh -c 'id -un; id -G; echo $A $B; date -u +%F; cat /srv/deep/er/link; wc -c < /srv/greeting'"
user = "traced"
env = { B = "2" }

[[process]]
command = ["sh", "-c", "cat; echo of $(nproc)"]
after = ["first"]
stdin = "/srv/greeting"

[[process]]
command = "sh -c 'echo late'"
delay = 300
stdout = "/srv/log"

[[process]]
command = "sh -c 'sleep 1; cat /srv/log'"
"""


def test_a_machine_boots(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "machine.toml"
    path.write_text(MACHINE)
    image = read_image(str(path))
    assert image.cpus == 2
    kernel = Kernel(ncpus=image.cpus)
    started = image.boot(kernel)
    assert [process.pid for process in started] == [100, 101]
    assert kernel.run(10 * 10**9) in ("done", "until")
    assert capfd.readouterr().out.splitlines() == [
        "traced", "4321 4", "1 2", "2026-02-03", "hello", "6", "hello", "of 2", "late"]
    assert not Path("/srv/greeting").exists()
    kernel.close()


@pytest.mark.parametrize(("old", "new", "place", "reason"), [
    ("cpus = 2", "cpus = ", ":2:", "Invalid value"),
    ("cpus = 2", "cpus = 0", ":2:", "machine.cpus: must be a number from 1 to 64"),
    ("cpus = 2", "cores = 2", ":2:", "machine.cores: there is no such key"),
    ("uid = 4321", "uid = true", ":10:", "user.uid"),
    ('mode = "0600"', 'mode = "0680"', ":17:", "file.mode: must be octal"),
    ('link = "/srv/greeting"', 'link = "x"\ntext = ""', ":2", "file.link: cannot stand beside text"),
    ('kind = "zero"', 'kind = "one"', ":25:", "device.kind: must be one of"),
    ('user = "traced"', 'user = "nobody"', ":30:", "process.user: there is no user nobody"),
    ('after = ["first"]', 'after = ["last"]', ":35:", "process.after: process last does not exist"),
    ("delay = 300", "delay = -1", ":40:", "process.delay"),
    ('stdin = "/srv/greeting"', 'stdin = "greeting"', ":36:", "process.stdin: must be an absolute path"),
    ('command = "sh -c \'echo late\'"', "command = []", ":39:", "process.command"),
    ('command = "sh -c \'echo late\'"', "command = \"it's\"", ":39:", "process.command: No closing"),
    ("[env]", "[environment]", ":5:", "environment: there is no such table"),
    ("[[user]]", "[user]", ":8:", "user: is to be written [[user]]"),
])
def test_mistakes_are_located(old: str, new: str, place: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "machine.toml"
    assert old in MACHINE
    path.write_text(MACHINE.replace(old, new, 1))
    with pytest.raises(ImageError) as caught:
        read_image(str(path))
    assert str(caught.value).startswith(f"{path}{place}") and reason in str(caught.value)


def test_what_cannot_be_started_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "machine.toml"
    path.write_text('[[process]]\ncommand = "no-such-program"\n')
    with pytest.raises(ImageError, match=r":1: no-such-program: No such file"):
        read_image(str(path)).boot(Kernel())
    with pytest.raises(ImageError, match="No such file"):
        read_image(str(tmp_path / "none.toml"))


WHOLE = """\
[machine]
seed = 7
walltime = 2026-02-03T04:05:06.000007
root = "here"
strsize = 1024
file = ["a", "/b"]
[[zone]]
name = "web"
id = 3
nodename = "w"
[[zone]]
name = "plain"
root = "/z/plain"
[[user]]
name = "one"
uid = 4294967294
[[user]]
name = "two"
uid = 0
gid = 4294967294
groups = [0, 7]
zone = "web"
privileges = "basic"
[[file]]
path = "/empty"
[[file]]
path = "/d"
directory = true
[[file]]
path = "/copied"
from = "beside"
mode = "7"
owner = "root"
[[process]]
command = ["a", "b c"]
zone = "plain"
user = "root"
cwd = "/d"
delay = 3
stderr = "/log"
[[process]]
name = "x"
command = "a 'b c'"
stdin = "/in"
stdout = "/out"
"""


def test_what_a_description_says(tmp_path: Path) -> None:
    """Each value that is not spelled out in the first example, by value."""
    path = tmp_path / "machine.toml"
    path.write_text(WHOLE)
    (tmp_path / "beside").write_bytes(b"data")
    image = read_image(str(path), ("root", "strsize", "file"))
    assert (image.cpus, image.seed, image.walltime) == (None, 7, 1770091506000007000)
    assert image.options == {"root": str(tmp_path / "here"), "strsize": 1024,
                             "file": [str(tmp_path / "a"), "/b"]}
    assert [(zone.name, zone.root, zone.nodename, zone.number, zone.line) for zone in image.zones] == [
        ("web", "/zones/web", "w", 3, 7), ("plain", "/z/plain", "plain", None, 11)]
    one, two = image.users.values()
    assert (one.uid, one.gid, one.groups, one.zone, one.privileges) == (
        4294967294, 4294967294, (), None, None)
    assert (two.uid, two.gid, two.groups, two.zone) == (0, 4294967294, (0, 7), "web") and two.privileges
    assert [(file.path, file.data, file.link, file.directory, file.mode, file.owner)
            for file in image.files] == [
        ("/empty", b"", None, False, 0o644, None), ("/d", None, None, True, 0o755, None),
        ("/copied", b"data", None, False, 7, "root")]
    first, second = image.processes
    assert (first.command, first.name, first.user, first.zone, first.cwd, first.delay,
            first.redirections) == (("a", "b c"), None, "root", "plain", "/d", 3_000_000, {2: "/log"})
    assert first.line == WHOLE[:WHOLE.index("[[process]]")].count("\n") + 1
    assert (second.command, second.name, second.redirections, second.delay, second.after) == (
        ("a", "b c"), "x", {0: "/in", 1: "/out"}, 0, ())
    assert image.zone_of("two") == "web" and image.zone_of("one") == image.zone_of("99") == "global"
    who = image.identity("4294967295", None)
    assert (who.ruid, who.rgid) == (4294967295, 4294967295)
    for name in ("4294967296", "three"):
        with pytest.raises(ValueError, match=f"there is no user {name}"):
            image.identity(name, None)
    assert image.identity("two", None).limit == two.privileges != image.identity("one", None).limit


@pytest.mark.parametrize(("text", "line", "reason"), [
    ("[machine]\nseed = -1", 2, "machine.seed: must be a number from 0 to 4611686018427387904"),
    ("[machine]\nseed = 4611686018427387905", 2, "machine.seed: must be a number"),
    ("[machine]\ncpus = 65", 2, "machine.cpus: must be a number from 1 to 64"),
    ("[machine]\nwalltime = 3", 2, "machine.walltime: must be a date and time"),
    ("[machine]\nroot = [1.5]", 2, "machine.root: must be a string or a number"),
    ("[machine]\nroot = true", 2, "machine.root: must be a string or a number"),
    ("env = 1", 1, "env: is to be written [env]"),
    ("[env]\nA = 1", 1, "env: must have strings as values"),
    ("file = [1]", 1, "file: is to be written [[file]]"),
    ('[[zone]]\nname = "a/b"', 2, "zone.name: must be up to 64 letters"),
    (f'[[zone]]\nname = "{"z" * 65}"', 2, "zone.name: must be up to 64 letters"),
    ('[[zone]]\nname = "global"', 2, "zone.name: there is a zone global already"),
    ('[[zone]]\nname = "a"\n[[zone]]\nname = "a"', 4, "zone.name: there is a zone a already"),
    ('[[zone]]\nname = "a"\nid = 0', 3, "zone.id: must be a number from 1 to"),
    ('[[zone]]\nname = "a"\nroot = "a"', 3, "zone.root: must be an absolute path"),
    ('[[zone]]\nname = "a"\nprivileges = "none,such"', 3, "zone.privileges: "),
    ('[[zone]]\nname = "a"\nowner = "a"', 3, "zone.owner: there is no such key"),
    ('[[user]]\nname = ""', 2, "user.name: must be a string"),
    ('[[user]]\nname = "a"', 1, "user.uid: must be a number from 0 to 4294967294"),
    ('[[user]]\nname = "a"\nuid = 4294967295', 3, "user.uid: must be a number from 0 to 4294967294"),
    ('[[user]]\nname = "a"\nuid = 1\ngid = -1', 4, "user.gid: must be a number from 0 to 4294967294"),
    ('[[user]]\nname = "a"\nuid = 1\ngroups = [-1]', 4, "user.groups: must be a list of numbers"),
    ('[[user]]\nname = "a"\nuid = 1\ngroups = 1', 4, "user.groups: must be a list of numbers"),
    ('[[user]]\nname = "a"\nuid = 1\nzone = "b"', 4, "user.zone: there is no zone b"),
    ('[[user]]\nname = "a"\nuid = 1\nhome = "b"', 4, "user.home: there is no such key"),
    ('[[file]]\npath = "a"', 2, "file.path: must be an absolute path"),
    ('[[file]]\ntext = "a"', 1, "file.path: must be a string"),
    ('[[file]]\npath = "/a"\nfrom = "none"', 3, "file.from: none: No such file"),
    ('[[file]]\npath = "/a"\nfrom = ""', 3, "file.from: must be a string"),
    ('[[file]]\npath = "/a"\nmode = "07777"', 3, "file.mode: must be octal digits"),
    ('[[file]]\npath = "/a"\nowner = "b"', 3, "file.owner: there is no user b"),
    ('[[file]]\npath = "/a"\nsize = 1', 3, "file.size: there is no such key"),
    ('[[device]]\npath = "/a"', 1, "device.kind: must be a string"),
    ('[[device]]\npath = "a"\nkind = "null"', 2, "device.path: must be an absolute path"),
    ('[[device]]\npath = "/a"\nkind = "null"\nx = 1', 4, "device.x: there is no such key"),
    ("[[process]]\ncommand = [1]", 2, "process.command: must be a string or a list of strings"),
    ("[[process]]\ncommand = \"\"", 2, "process.command: must be a string or a list of strings"),
    ('[[process]]\ncommand = "a"\ndelay = 1099511627777', 3, "process.delay: must be a number from 0 to"),
    ('[[process]]\ncommand = "a"\nafter = "b"', 3, "process.after: must be a list of names"),
    ('[[process]]\ncommand = "a"\nafter = [1]', 3, "process.after: must be a list of names"),
    ('[[process]]\ncommand = "a"\nafter = ["b"]\n[[process]]\nname = "b"\ncommand = "b"', 3,
     "process.after: process b stands further down"),
    ('[[process]]\ncommand = "a"\nzone = "b"', 3, "process.zone: there is no zone b"),
    ('[[process]]\ncommand = "a"\nenv = { A = 1 }', 3, "process.env: must have strings as values"),
    ('[[process]]\ncommand = "a"\ncwd = "b"', 3, "process.cwd: must be an absolute path"),
    ('[[process]]\ncommand = "a"\nuid = 1', 3, "process.uid: there is no such key"),
])
def test_every_key_is_checked(text: str, line: int, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "machine.toml"
    path.write_text(text + "\n")
    with pytest.raises(ImageError) as caught:
        read_image(str(path), ("root",))
    assert str(caught.value).startswith(f"{path}:{line}: {reason}")


def test_a_description_is_not_read_without_end(tmp_path: Path) -> None:
    path = tmp_path / "machine.toml"
    path.write_bytes(b"#" * (LARGEST + 1))
    with pytest.raises(ImageError, match=f"longer than {LARGEST >> 20} MB$"):
        read_image(str(path))
    path.write_bytes(b"#" * LARGEST)
    assert not read_image(str(path)).processes
    path.write_text("a = " + "[" * 100_000)
    with pytest.raises(ImageError, match=r"tables or lists within too many others$"):
        read_image(str(path))


BOOTED = """\
[[user]]
name = "one"
uid = 4321
gid = 5
[[file]]
path = "/srv/made"
directory = true
mode = "0751"
owner = "one"
[[file]]
path = "/srv/made/short"
link = "elsewhere"
[[file]]
path = "/srv/made/plain"
text = "text"
mode = "0640"
owner = "one"
[[device]]
path = "/srv/nothing"
kind = "null"
[[device]]
path = "/srv/made/full"
kind = "full"
[[process]]
name = "fails"
command = "no-such-program"
delay = 1
[[process]]
command = "sh -c 'cd /srv; stat -c \\"%a %u %g %F %N\\" * */*; tail -n1 /etc/passwd /etc/group'"
after = ["fails"]
stdout = "/srv/told"
[[process]]
command = "sh -c 'cat; stat -c %a /srv/told; wc -c < /srv/nothing'"
stdin = "/srv/told"
delay = 2000
"""


def test_what_a_description_makes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Also where a process that others wait for cannot be started."""
    path = tmp_path / "machine.toml"
    path.write_text(BOOTED)
    kernel = Kernel()
    try:
        read_image(str(path)).boot(kernel)
        assert kernel.run(60 * 10**9) in ("done", "until")
    finally:
        kernel.close()
    out, error = capfd.readouterr()
    assert out.splitlines() == [
        "751 4321 5 directory 'made'", "666 0 0 character special file 'nothing'",
        "644 0 0 regular empty file 'told'", "666 0 0 character special file 'made/full'",
        "640 4321 5 regular file 'made/plain'", "777 0 0 symbolic link 'made/short' -> 'elsewhere'",
        "==> /etc/passwd <==", "one:x:4321:5::/:/bin/sh", "", "==> /etc/group <==", "one:x:5:", "644", "0"]
    assert error == f"{path}:24: no-such-program: No such file or directory\n"


@pytest.mark.parametrize(("text", "reason"), [
    ('[[file]]\npath = "/srv/d"\ndirectory = true\n[[file]]\npath = "/srv/d"\n',
     ": /srv/d: Is a directory"),
    ('[[file]]\npath = "/srv/f"\n[[file]]\npath = "/srv/f/x"\n', ": /srv/f/x: Not a directory"),
    ('[[file]]\npath = "/srv/f"\n[[device]]\npath = "/srv/f/x"\nkind = "null"\n',
     ": /srv/f/x: Not a directory"),
    ('[[zone]]\nname = "a"\nid = 5\n[[zone]]\nname = "b"\nid = 5\n', ":4: zone: "),
    ('[[process]]\ncommand = "true"\nstdin = "/none"\n', ":1: true: No such file or directory"),
    ('[[process]]\ncommand = "true"\nstdout = "/srv"\n', ":1: true: Is a directory"),
    ('[[process]]\ncommand = "true"\ncwd = "/none"\n', ":1: true: No such file or directory"),
])
def test_what_cannot_be_made_is_an_error(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "machine.toml"
    path.write_text(text)
    kernel = Kernel()
    try:
        with pytest.raises(ImageError) as caught:
            read_image(str(path)).boot(kernel)
    finally:
        kernel.close()
    assert str(caught.value).startswith(f"{path}{reason}")


def test_what_is_no_text_is_told_without_a_line(tmp_path: Path) -> None:
    path = tmp_path / "machine.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ImageError, match=r"machine.toml: 'utf-8' codec"):
        read_image(str(path))
