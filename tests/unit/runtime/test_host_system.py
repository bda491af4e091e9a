"""The operating system in the emulated machine's place, judged by itself: children, processes, names."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import signal
import struct
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from runtime.border import BorderError
from runtime.consumer.events.symbols import Mapped, Symbol
from runtime.ioctl import hostsymbols, hostsystem
from runtime.ioctl.hostdevice import HostDevice
from runtime.ioctl.hostsymbols import FUNCTION_MOST, HostMapping, HostSymbols
from runtime.ioctl.hostsystem import HostSystem
from runtime.kernel.base.budgets import Budgets, Limits

SHELL = ["sh", "-c"]
needs_linux = pytest.mark.skipif(sys.platform != "linux",
                                 reason="no Linux: children stand still by its ptrace")


def state(pid: int) -> str:
    """The letter of a process's state."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.fixture
def system() -> HostSystem:
    return HostSystem("/no/device", "illumos")


@needs_linux
def test_a_child_stands_still_until_it_may_go_on(system: HostSystem, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    child = system.spawn([*SHELL, f"echo $A > {mark}; exit 3"], {"A": "b", "PATH": os.environ["PATH"]})
    assert state(child.pid) == "T" and child.exit_status is None
    assert os.path.samefile(f"/proc/{child.pid}/exe", "/bin/sh")  # it has its program
    time.sleep(0.05)
    assert not mark.exists()
    child.resume()
    assert system.wait(system.now() + 20 * 10**9)
    assert os.waitstatus_to_exitcode(child.exit_status or 0) == 3 and mark.read_text() == "b\n"
    assert child.exit_status == 3 << 8  # it stays
    other = HostSystem("/no/device", "illumos")
    other.environment = {"A": "own"}
    child = other.spawn(["/bin/sh", "-c", f"echo $A > {mark}; kill -9 $$"])
    child.resume()
    assert other.wait(other.now() + 20 * 10**9)
    assert child.exit_status == 9 and mark.read_text() == "own\n"


@needs_linux
def test_a_child_stands_still_before_the_parent_goes_on(system: HostSystem) -> None:
    """Even where both have one processor, and the parent is on it."""
    cpus = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cpus)})
    try:
        children = [system.spawn(["/bin/true"]) for _ in range(4)]
        states = [state(child.pid) for child in children]
    finally:
        os.sched_setaffinity(0, cpus)
    assert states == ["T"] * 4
    for child in children:
        child.resume()
    assert [os.waitpid(child.pid, 0)[1] for child in children] == [0] * 4


@needs_linux
def test_a_child_goes_on_where_it_stands(system: HostSystem, monkeypatch: pytest.MonkeyPatch) -> None:
    """FreeBSD's ptrace(2) is told so by an address of 1; Linux looks at none."""
    library, addresses = ctypes.CDLL(None, use_errno=True), []

    def ptrace(request: int, pid: int, address: ctypes.c_void_p, data: ctypes.c_void_p) -> int:
        addresses.append(address.value)
        return int(library.ptrace(request, pid, address, data))
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **_options: SimpleNamespace(ptrace=ptrace))
    child = system.spawn(["/bin/true"])
    child.resume()
    assert system.wait(system.now() + 20 * 10**9) and child.exit_status == 0 and addresses == [1]


def children() -> set[str]:
    """Which processes are this one's, also those that have ended."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if path.read_text().rpartition(")")[2].split()[1] == str(os.getpid()):
                found.add(path.parent.name)
    return found


@needs_linux
@pytest.mark.parametrize(("words", "number"), [(["/no/such"], errno.ENOENT), (["/etc/passwd"], errno.EACCES),
                                               (["nosuchprogram"], errno.ENOENT)])
def test_what_cannot_be_started(system: HostSystem, words: list[str], number: int) -> None:
    before = children()
    with pytest.raises(OSError) as caught:
        system.spawn(words)
    assert (caught.value.errno, caught.value.filename) == (number, words[0])
    assert children() == before  # nothing is left of it


def test_processes_that_are_there(system: HostSystem) -> None:
    child = os.fork()
    if not child:
        signal.pause()
        os._exit(0)
    process = system.grab(child)
    process.resume()  # nothing: it has not stood still
    assert (process.pid, process.exit_status) == (child, None)
    before = system.now()
    assert not system.wait(before + 30_000_000) and system.now() - before >= 30_000_000
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert process.exit_status == 0 and system.wait(system.now() + 10**10)
    with pytest.raises(OSError) as caught:
        system.grab(child)
    assert caught.value.errno == errno.ESRCH and str(caught.value).endswith(os.strerror(errno.ESRCH))


def test_another_users_process_lives(system: HostSystem, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_pid: int, _number: int) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(hostsystem.os, "kill", refuse)
    assert system.grab(1).exit_status is None


def test_a_wait_ends_when_it_is_interrupted(system: HostSystem) -> None:
    threading.Timer(0.05, system.interrupt).start()
    before = time.monotonic()
    assert system.wait(system.now() + 20 * 10**9) and system.interrupted
    assert 0.04 < time.monotonic() - before < 10
    assert not HostSystem("", "freebsd").wait(0)


def test_cpus_that_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert HostSystem("", "freebsd").ncpus == 1


def test_what_there_is_no_use_for(system: HostSystem, tmp_path: Path) -> None:
    assert (system.patient, system.clean, system.names, system.target) == (False, False, None, "illumos")
    assert system.system() is system and system.ids["pid"] == os.getpid() and system.ncpus == os.cpu_count()
    assert (system.tracepoints(), *system.unread_types(), *system.refusals(True),
            *system.unknown_calls()) == ("",)
    assert system.absent(5) is False and system.types is system.types
    assert system.types.lookup("kthread_t") is not None
    (tmp_path / "file").write_bytes(b"data")
    assert system.read(str(tmp_path / "file")) == b"data" and system.read("/no/such") is None
    with open(tmp_path / "out", "wb") as out:
        system.shell(b"echo one; exit 3", out.fileno())
    assert (tmp_path / "out").read_bytes() == b"one\n"
    with pytest.raises(BorderError) as caught:
        system.device()
    assert caught.value.errno == errno.ENOENT


def test_a_device_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    device = HostDevice(str(tmp_path / "file"), "illumos")
    device.close()
    device.close()  # once is enough


KALLSYMS = b"""\
ffffffff81000000 T _text
ffffffff81000100 t early
ffffffff81000200 D data
ffffffff81000300 W weak
ffffffffc0000000 t mod_init\t[some_module]
0000000000000000 T hidden
ffffffff81000280 w later
"""
MAPS = b"""\
00400000-00401000 r-xp 00001000 08:01 123    /bin/a b
00600000-00601000 rw-p 00000000 08:01 9 /bin/a b
7ffd0000-7ffd1000 rw-p 00000000 00:00 0      [stack]
7f000000-7f001000 r--p 00002000 00:00 0
"""


@pytest.fixture
def symbols(monkeypatch: pytest.MonkeyPatch) -> HostSymbols:
    texts = {"/proc/kallsyms": KALLSYMS, "/proc/7/maps": MAPS, "/proc/9/maps": b""}
    monkeypatch.setattr(hostsymbols, "read_if_any", texts.get)
    return HostSymbols(Budgets(Limits()))


@pytest.mark.parametrize(("address", "found"), [
    (0xFFFFFFFF81000000, ("unix", "_text", 0xFFFFFFFF81000000)),
    (0xFFFFFFFF810000FF, ("unix", "_text", 0xFFFFFFFF81000000)),
    (0xFFFFFFFF81000100, ("unix", "early", 0xFFFFFFFF81000100)),
    (0xFFFFFFFF81000240, ("unix", "early", 0xFFFFFFFF81000100)),
    (0xFFFFFFFF810002FF, ("unix", "later", 0xFFFFFFFF81000280)),
    (0xFFFFFFFF81000300, ("unix", "weak", 0xFFFFFFFF81000300)),
    (0xFFFFFFFFC0000005, ("some_module", "mod_init", 0xFFFFFFFFC0000000)),
    (0xFFFFFFFFC0000000 + FUNCTION_MOST - 1, ("some_module", "mod_init", 0xFFFFFFFFC0000000)),
    (0xFFFFFFFFC0000000 + FUNCTION_MOST, None), (0xFFFFFFFF80FFFFFF, None), (0, None), (5, None)])
def test_kernel_addresses(symbols: HostSymbols, address: int, found: tuple[str, str, int] | None) -> None:
    assert symbols.kernel(address) == (None if found is None else Symbol(*found))
    module = None if found is None else \
        Mapped(found[0], 0xFFFFFFFFC0000000 if found[0] != "unix" else 0xFFFFFFFF81000000)
    assert symbols.kernel_module(address) == module
    assert FUNCTION_MOST == 65536


def test_no_kernel_symbols(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hostsymbols, "read_if_any", lambda path: None)
    assert HostSymbols(Budgets(Limits())).kernel(0xFFFFFFFF81000000) is None


def test_mappings_of_processes(symbols: HostSymbols, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [HostMapping(0x400000, 0x401000, b"/bin/a b", 0x1000, False),
                HostMapping(0x600000, 0x601000, b"/bin/a b", 0, True),
                HostMapping(0x7F000000, 0x7F001000, b"", 0x2000, False)]
    assert symbols._areas(7) == expected and symbols._areas(9) == symbols._areas(5) == []
    monkeypatch.setattr(hostsymbols, "read_if_any", {"/proc/7/maps": b""}.get)
    symbols.remember(7)  # it has ended: what it had is kept
    assert symbols._areas(7) == expected


@needs_linux
def test_own_addresses_have_names() -> None:
    found = HostSymbols(Budgets(Limits())).user(os.getpid(), _address_of(b"malloc"))
    # a python that is not linked at a place of its choice has its own way to the function there
    assert found is not None and found.object.startswith(("libc", "python")) and "malloc" in found.name


def _address_of(name: bytes) -> int:
    import ctypes

    function = ctypes.cast(getattr(ctypes.CDLL(None), name.decode()), ctypes.c_void_p).value
    assert function is not None and struct.calcsize("P") == 8
    return function
