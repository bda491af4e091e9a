"""Files that commands write: whole, or not at all.

    write({"shop.o": data, "stock.o": changed})       # both, or neither

Each file is written beside its place, and all are put there once the last one is complete.  Until then it
has no name where the file system can do that (O_TMPFILE of Linux), so that a command that is killed leaves
nothing; elsewhere it has another name.
So an error (a full disk, say) leaves what was there before as it was, and readers never see half a file.
What is no regular file (a device, a FIFO, /dev/stdout) is written where it is, before any file appears.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Container, Mapping, Sequence

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from typing import IO, TypeVar

    _Result = TypeVar("_Result")

STANDARD_OUTPUT = "-"
_LINKS = 40  # symbolic links in a row, as Linux follows
_DESCRIPTORS = "/proc/self/fd"  # names of open files, by which one without a name gets one
_PREFIX = 50  # characters of a file's name in its temporary name: a name has 255 bytes at most


class _Staged:
    """A file that waits beside its place until it `is_there`; `former` is another name of what was there.

    It is open as `unnamed` if it has no name yet.
    """

    def __init__(self, path: str, place: str) -> None:
        self.path = path
        self.place = place
        self.temporary = _unused_name(place)
        self.former = ""
        self.unnamed: int | None = None
        self.is_there = False


def write(files: Mapping[str, bytes], *, as_old: Container[str] = ()) -> None:
    """Write every file, or none.  "-" is standard output.

    Files of `as_old` keep the time of their last change.  An existing file keeps its mode.  A symbolic link
    stays one: what it leads to is written.  Raises OSError whose `filename` is the name given here, or
    "standard output".
    """
    staged: list[_Staged] = []
    direct: list[str] = []
    try:
        for path, data in files.items():
            place = _named(path, _place, path)
            if _is_direct(place):
                direct.append(path)
            else:
                staged.append(_Staged(path, place))
                _named(path, _stage, staged[-1], data, path in as_old)
        for path in direct:
            _named("standard output" if path == STANDARD_OUTPUT else path, _write_directly, path, files[path])
        _put_in_place(staged)
    finally:
        for each in staged:
            if each.unnamed is not None:
                os.close(each.unnamed)
            _remove(each.temporary)


def _named(name: str, step: Callable[..., _Result], *arguments: object) -> _Result:
    """Do a step, whose OSError gets the name."""
    try:
        return step(*arguments)
    except OSError as error:
        error.filename = name
        raise


def _place(path: str) -> str:
    """The path that a path leads to through symbolic links, whether there is a file or not."""
    if path == STANDARD_OUTPUT:
        return path
    for _ in range(_LINKS):
        folder = os.path.realpath(os.path.dirname(path))
        path = os.path.join(folder, os.path.basename(path))
        if folder.startswith("/proc/") or not os.path.islink(path):  # links of /proc lead to open files
            return path
        path = os.path.join(folder, os.readlink(path))
    return path


def _is_direct(place: str) -> bool:
    """Whether a path is written where it is: standard output, an open file, what is no regular file."""
    if place == STANDARD_OUTPUT or place.startswith("/proc/"):
        return True
    try:
        return not stat.S_ISREG(os.stat(place).st_mode)
    except FileNotFoundError:
        return False


def _write_directly(path: str, data: bytes) -> None:
    if path == STANDARD_OUTPUT:
        try:
            write_all(sys.stdout.buffer, data)
            sys.stdout.flush()
        except OSError:
            discard(sys.stdout)  # one complaint is enough
            raise
        return
    with open(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC), "wb") as file:
        file.write(data)


def _unused_name(place: str) -> str:
    folder, name = os.path.split(place)
    lead = os.path.join(folder, f".{name[:_PREFIX]}.{os.getpid()}.")
    number = 0
    while os.path.lexists(f"{lead}{number}"):
        number += 1
    return f"{lead}{number}"


def _stage(file: _Staged, data: bytes, as_old: bool) -> None:
    """Write the file beside its place, with the owner, the mode and, if asked, the time of the one there."""
    try:
        before = os.stat(file.place)
        os.close(os.open(file.place, os.O_WRONLY | os.O_CLOEXEC))  # fails where it may not be written
    except FileNotFoundError:
        before = None
    file.unnamed = _open_unnamed(os.path.dirname(file.place))
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    descriptor = os.open(file.temporary, flags, 0o666) if file.unnamed is None else file.unnamed
    with open(descriptor, "wb", closefd=file.unnamed is None) as out:
        out.write(data)
        if before is not None:
            now = os.fstat(out.fileno())
            if (before.st_uid, before.st_gid) != (now.st_uid, now.st_gid):
                try:  # noqa: SIM105
                    os.fchown(out.fileno(), before.st_uid, before.st_gid)
                except PermissionError:
                    pass  # another's file becomes ours, as with any editor
            os.fchmod(out.fileno(), stat.S_IMODE(before.st_mode))
            if as_old:
                out.flush()
                os.utime(out.fileno(), ns=(before.st_atime_ns, before.st_mtime_ns))


def _open_unnamed(folder: str) -> int | None:
    """Open a new file without a name in a directory; None where there are none."""
    unnamed = getattr(os, "O_TMPFILE", 0)
    if not unnamed or not os.path.isdir(_DESCRIPTORS):
        return None
    try:
        return os.open(folder or ".", unnamed | os.O_WRONLY | os.O_CLOEXEC, 0o666)
    except OSError:
        return None  # the file system has none; what else is wrong shows when the file gets its name


def _give_name(unnamed: int, path: str) -> None:
    # (With a directory's descriptor, which counts for nothing here, Python has the link in /proc followed.)
    os.link(f"{_DESCRIPTORS}/{unnamed}", path, src_dir_fd=unnamed, follow_symlinks=True)


def _put_in_place(staged: Sequence[_Staged]) -> None:
    """Rename all files; where one cannot be, bring back what was there before."""
    try:
        for each in staged:
            if len(staged) > 1 and os.path.lexists(each.place):
                each.former = _unused_name(each.place)
                _named(each.path, _keep, each)
            if each.unnamed is not None:
                each.temporary = _unused_name(each.place)
                _named(each.path, _give_name, each.unnamed, each.temporary)
            _named(each.path, os.replace, each.temporary, each.place)
            each.is_there = True
    except OSError:
        for each in staged:
            if each.former:
                os.replace(each.former, each.place)
            elif each.is_there:
                _remove(each.place)
        raise
    finally:
        for each in staged:
            if each.former:
                _remove(each.former)


def _keep(file: _Staged) -> None:
    """Give what is there its second name."""
    try:
        os.link(file.place, file.former)
    except OSError:  # a file system without hard links
        os.rename(file.place, file.former)


def _remove(path: str) -> None:
    if os.path.lexists(path):
        os.unlink(path)


def write_all(stream: IO[bytes], data: bytes) -> None:
    """Write all of the bytes.  A stream without a buffer (PYTHONUNBUFFERED) stops early at a signal."""
    while data:
        written = stream.write(data)
        if written is None:
            from errno import EAGAIN

            raise BlockingIOError(EAGAIN, os.strerror(EAGAIN))
        data = data[written:]


def discard(stream: IO[bytes] | IO[str]) -> None:
    """Let what a stream still holds go nowhere: else it is written when the stream or the process ends."""
    try:
        number = stream.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, number)
        os.close(nowhere)
    except (OSError, ValueError):
        pass  # it is no file, or it is closed
