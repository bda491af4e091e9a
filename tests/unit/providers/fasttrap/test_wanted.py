"""What is remembered of tracers' wishes and of programs' files: within bounds, whatever programs do."""

from __future__ import annotations

import contextlib
import gc
import shutil
from pathlib import Path

import pytest

from runtime.border import BorderError, Command, ProbeDescription
from runtime.framework.probes.privileges import Credentials
from runtime.machine import Machine, MachineDevice
from runtime.providers.fasttrap import pid, wanted
from runtime.providers.fasttrap.discovery import offer_of
from runtime.providers.fasttrap.wanted import Wanted


def ask(device: MachineDevice, *names: str) -> None:
    """Ask for probes, which there are not."""
    with contextlib.suppress(BorderError):
        device.ioctl(Command.PROBEMATCH, ProbeDescription(0, *names).pack())


def test_wishes_end_with_their_tracer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program may open the device, ask for any name, and close it, again and again."""
    monkeypatch.setattr(wanted, "MOST", 50)
    machine = Machine({})
    try:
        stays = machine.device()
        process = machine.spawn(["true"])
        names = f"app{process.pid}", f"pid{process.pid}", "pid*"
        for provider in names:
            ask(stays, provider, "a.out", "main", "entry")
        fasttrap = machine._fasttrap.load()
        lists = fasttrap.discovery.wanted, fasttrap.pids[process.pid].wanted, fasttrap.of_all
        before = [list(each) for each in lists]
        for turn in range(3):
            device = machine.device(Credentials(turn + 1))
            for number in range(100):
                for provider in names:
                    ask(device, provider, "none", f"f{turn}x{number}", "entry")
                    ask(device, f"no{turn}x{number}{provider}", "", "", "")
            assert all(len(list(each)) <= 50 + len(kept) for each, kept in zip(lists, before, strict=True))
            stays_open = machine.device(Credentials(turn + 1))
            device.close()
            assert len(list(lists[0])) > len(before[0])
            stays_open.close()
            stays_open.close()
            assert [list(each) for each in lists] == before
    finally:
        machine.close()


def test_the_first_wish_is_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wanted, "MOST", 2)
    names: Wanted[str] = Wanted()
    for name in ("a", "b", "a", "c"):
        names.add(name, None)
    assert [name for name, _who in names] == ["b", "c"]


def test_files_that_programs_map_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program may make, map and remove files without end."""
    machine = Machine({})
    try:
        objects, offers = machine._fasttrap.load().objects, machine._fasttrap.load().discovery._offers
        size = Path("/bin/true").stat().st_size
        monkeypatch.setattr(objects._files, "_room", 5 * size)
        for number in range(20):
            shutil.copy("/bin/true", tmp_path / f"{number}")
            file = objects.file(str(tmp_path / f"{number}"))
            assert file is not None and objects.file(file.path) is file
            offers[file] = offer_of(file.elf)
            del file
            assert sum(len(each.elf.data) for each in objects._files._made.values() if each) <= 5 * size
        assert len(objects._files._made) < 6
        gc.collect()
        assert 0 < len(offers) < 6, "what a file offers goes with it"
    finally:
        machine.close()


def test_instructions_of_few_functions_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tracer may ask for each function of each process; what is forgotten is read again."""
    made = []
    for most in (pid.MOST_BODIES, 2):
        monkeypatch.setattr(pid, "MOST_BODIES", most)
        machine = Machine({})
        try:
            device, process = machine.device(), machine.spawn(["true"])
            ask(device, f"pid{process.pid}", "libc.so*", "strc*", "return")
            provider = machine._fasttrap.load().pids[process.pid]
            made.append(len(provider.provider.probes))
            assert len(provider._bodies) <= most
        finally:
            machine.close()
    assert made[0] == made[1] > 2
