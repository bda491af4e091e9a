"""Many tests on the workers of dask.distributed.

Each worker gets the directories of the tests once, as an archive, and unpacks it into a directory of its own,
which is removed at the end.  It needs this package, and for C programs a compiler.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from distributed import Client, as_completed

from runtime.dtest.cases import Case
from runtime.dtest.runner import Done, Runner, Settings

_REACHING = 10.0  # seconds to reach the scheduler
LARGEST = 256 << 20  # bytes of an archive


class WorkersError(Exception):
    """The scheduler, or the tests, cannot be had; the message is one line."""


def run_there(address: str, settings: Settings, cases: Sequence[Case]) -> Iterator[tuple[Case, Done]]:
    """Run tests on the workers of a scheduler; yield each as it ends.  Raises WorkersError."""
    try:
        client = Client(address, timeout=_REACHING)
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise WorkersError(f"nothing answers at {address}: {reason}") from None
    digests: list[str] = []
    try:
        if not client.scheduler_info(n_workers=-1)["workers"]:
            raise WorkersError(f"{address} has no workers: start some with `dask worker {address}`")
        futures = {}
        for top in sorted({_top(case) for case in cases}):
            archive = _packed(top)
            digests.append(hashlib.sha256(archive).hexdigest())
            (there,) = client.scatter([archive], broadcast=True)
            for case in cases:
                if _top(case) == top:
                    future = client.submit(_run, there, digests[-1], tuple(case)[1:], settings, pure=False)
                    futures[future] = case
        for future in as_completed(list(futures)):
            try:
                verdict = future.result()
            except Exception as error:
                raise WorkersError(f"a worker cannot run {futures[future].name}: {error}; this package must "
                                   "be there, too, and of the same version") from None
            yield futures[future], verdict
    finally:
        with suppress(Exception):
            client.run(_forget, digests)
        client.close(timeout=_REACHING)


def _top(case: Case) -> Path:
    """The directory from which a test's name leads to it."""
    return case.path.parents[case.name.count("/")]


def _packed(top: Path) -> bytes:
    """A directory as an archive.  Raises WorkersError."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz", compresslevel=1) as archive:
        for path in sorted(top.rglob("*")):
            if path.is_file() and not path.is_symlink():
                archive.add(path, path.relative_to(top).as_posix(), recursive=False)
                if data.tell() > LARGEST:
                    raise WorkersError(f"{top}: longer than {LARGEST >> 20} MB when packed")
    return data.getvalue()


# -- at a worker -----------------------------------------------------------------------------------------

def _place(digest: str) -> Path:
    return Path(tempfile.gettempdir()) / f"dtest-{os.getuid()}-{os.getpid()}-{digest[:16]}"


def _run(archive: bytes, digest: str, case: tuple[str, str, str], settings: Settings) -> Done:
    place = _place(digest)
    if not place.exists():
        fresh = Path(tempfile.mkdtemp(prefix="dtest-"))
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            # Python 3.11.3 and older have no filters; the archive is of dtest's own making there, too
            tar.extraction_filter = getattr(tarfile, "data_filter", None)
            tar.extractall(fresh)
        try:
            fresh.rename(place)
        except OSError:  # another thread was first
            shutil.rmtree(fresh)
    with tempfile.TemporaryDirectory(prefix="dtest-") as folder:
        name, kind, tag = case
        return Runner.at(Path(folder), settings).run(Case(place / name, name, kind, tag))


def _forget(digests: Sequence[str]) -> None:
    for digest in digests:
        shutil.rmtree(_place(digest), ignore_errors=True)
