"""The block layer: what is read from and written to the disk, and when."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.kernel.kernel import Kernel


def run(line: str, kernel: Kernel, capfd: pytest.CaptureFixture[str]) -> list[tuple[str, object, int]]:
    """(hook, buffer, time) in order."""
    seen: list[tuple[str, object, int]] = []

    def watch(name: str) -> object:
        return lambda thread, buffer: seen.append((name, buffer, kernel.hrtime()))

    for name in ("io_start", "io_done", "io_wait_start", "io_wait_done"):
        setattr(kernel.hooks, name, watch(name))
    kernel.spawn(["/bin/sh", "-c", line], stopped=False)
    kernel.run()
    capfd.readouterr()
    return seen


def of(path: Path, seen: list[tuple[str, object, int]]) -> list[tuple[str, int, int, bool, int]]:
    return [(name, buffer.offset, buffer.count, buffer.is_read, time)  # type: ignore[attr-defined]
            for name, buffer, time in seen if buffer.vnode.path == str(path)]  # type: ignore[attr-defined]


def test_a_host_file_is_read_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "data"
    path.write_bytes(bytes(100_000))
    events = of(path, run(f"cat {path} > /dev/null; cat {path} > /dev/null", Kernel(), capfd))
    assert [event[:4] for event in events] == [
        (name, offset, count, True) for offset, count in ((0, 65536), (65536, 36864))
        for name in ("io_start", "io_wait_start", "io_done", "io_wait_done")]
    assert all(later - earlier > 50_000 for (_, _, _, _, earlier), (_, _, _, _, later)
               in zip(events[1::4], events[2::4], strict=True))


def test_a_transfer_tells_the_disks_number(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "data").write_bytes(b"x")
    seen = run(f"cat {tmp_path}/data", Kernel(), capfd)
    assert {buffer.device for _name, buffer, _time in seen} == {0x800}  # type: ignore[attr-defined]


def test_written_files_reach_the_disk(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "new"
    events = of(path, run(f"head -c 5000 /dev/zero > {path}; cat {path} > /dev/null; sync", Kernel(), capfd))
    assert [event[:4] for event in events] == [("io_start", 0, 8192, False), ("io_done", 0, 8192, False)]
    assert not path.exists()


def test_synchronous_writes_wait(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "new"
    line = f"dd if=/dev/zero of={path} bs=512 count=1 conv=fsync"
    names = [event[0] for event in of(path, run(line, Kernel(), capfd))]
    assert names == ["io_start", "io_wait_start", "io_done", "io_wait_done"]
