"""Files that are read whole: regular ones, no larger than is asked for."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from dif.hostfiles import bounded, read_beginning, read_if_any, read_whole

MEGABYTE = 1 << 20


@pytest.mark.parametrize("size", [0, 1, 5000, MEGABYTE, MEGABYTE + 1])
def test_a_regular_file(size: int, tmp_path: Path) -> None:
    path, data = str(tmp_path / "file"), os.urandom(size)
    Path(path).write_bytes(data)
    assert read_whole(path) == read_whole(path, size) == read_if_any(path) == data
    assert read_beginning(path, 100) == data[:100] and read_beginning(path, size + 1) == data
    if size:
        with pytest.raises(OSError, match=f"longer than {(size - 1) >> 20} MB") as caught:
            read_whole(path, size - 1)
        assert (caught.value.errno, caught.value.filename) == (errno.EFBIG, path)
    assert bounded(data, path, size) == data


@pytest.mark.parametrize(("kind", "code", "told"), [
    ("pipe", errno.EINVAL, "not a regular file"), ("folder", errno.EISDIR, "Is a directory"),
    ("/dev/zero", errno.EINVAL, "not a regular file"), ("missing", errno.ENOENT, "No such file")])
def test_what_is_no_regular_file(kind: str, code: int, told: str, tmp_path: Path) -> None:
    """None is waited for, and no descriptor stays open."""
    path = kind if kind.startswith("/") else str(tmp_path / kind)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        os.mkdir(path)
    opened = os.listdir("/proc/self/fd")
    for read in (read_whole, lambda name: read_beginning(name, 10)):
        with pytest.raises(OSError, match=told) as caught:
            read(path)
        assert (caught.value.errno, caught.value.filename) == (code, path)
    assert read_if_any(path) is None
    assert os.listdir("/proc/self/fd") == opened


def test_files_of_proc_are_read_to_their_end() -> None:
    """One read(2) of them returns a page at most."""
    with open("/proc/kallsyms", "rb") as file:
        assert read_whole("/proc/kallsyms") == file.read()
    with pytest.raises(OSError, match="longer than 0 MB"):
        read_whole("/proc/kallsyms", 5000)
