"""Machines described in TOML."""

from __future__ import annotations

from pathlib import Path

import pytest

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
