"""The kernel's allocator as fbt shows it, and what is said of what only other systems have."""

from __future__ import annotations

from collections.abc import Callable

import atonce
import pytest

Trace = Callable[..., str]
Counts = Callable[..., dict[str, int]]


def test_objects_come_from_their_caches_and_go_back(counts: Counts) -> None:
    """A process that opens, forks and ends: as many objects are freed as were made, and its own besides."""
    found = counts("""
        fbt::kmem_cache_alloc:entry { @[strjoin("+", stringof(args[0]->cache_name))] = count(); }
        fbt::kmem_cache_free:entry { @[strjoin("-", stringof(args[0]->cache_name))] = count(); }
        proc:::exit { @["exits"] = count(); } """, "sh -c '(:); (:)'")
    assert found["exits"] == 3
    made, freed = ([found[f"{sign}{name}_cache"] for name in ("process", "thread", "lwp", "as")]
                   for sign in "+-")
    assert (made, freed) == ([2] * 4, [3] * 4)  # the command itself was there before
    assert found["-file_cache"] == found["+file_cache"] + 3 > 3  # standard input, output and error


def test_an_allocated_object_is_the_one_that_is_used(trace: Trace) -> None:
    """The file that open(2) allocates is the one that getf finds; a process is the one that proc tells of."""
    out = trace("""
        fbt::kmem_cache_alloc:entry { self->files = args[0]->cache_name == "file_cache"; }
        fbt::kmem_cache_alloc:return /self->files && execname == "cat"/ { file = arg1; }
        syscall::fstat:entry, syscall::newfstatat:entry { self->wanted = 1; }
        fbt::getf:return /self->wanted && file && arg1 == file && !done/ { done = 1; printf("same "); }
        fbt::kmem_cache_free:entry /args[0]->cache_name == "process_cache"/ {
            printf("%d ", ((proc_t *)arg1)->p_pidp->pid_id == $target); }""", "cat /etc/hostname")
    assert {"1", "same"} <= set(out.split()), out


def test_pieces_of_the_heap_are_given_back_where_they_were_taken(trace: Trace) -> None:
    """What goes into a pipe is allocated, what comes out freed, byte by byte."""
    out = trace("""
        fbt::kmem_alloc:entry { self->size = args[0]; @["taken"] = sum(args[0]); }
        fbt::kmem_alloc:return { size[arg1] = self->size; }
        fbt::kmem_free:entry { @["given"] = sum(arg1); @["frees"] = sum(1); }
        fbt::kmem_free:entry /size[arg0] == arg1/ { @["known"] = sum(1); }
        END { printa(" %s=%@d", @); }""",
        "sh -c 'echo 12345 | cat >/dev/null'")
    found = {name: int(value) for name, _, value in (each.partition("=") for each in out.split())}
    assert 0 < found["taken"] <= found["given"] and found["known"] > found["frees"] / 2 > 2, found


@pytest.mark.parametrize(("description", "words"), [
    ("plockstat$target:::mutex-acquire", "use pid$target::pthread_mutex_lock: and syscall::futex:"),
    ("lockstat:::adaptive-block", "has no locks"),
    ("cpc:::PAPI_tot_cyc-all-10000", "use profile:::profile-997"),
    ("zfs:::", "use io::: for the disk and fsinfo::: for files"),
    ("fbt:zfs::entry", "there is no ZFS here: use fop_*"),
    ("nfsv3:::op-read-start", "use fsinfo::: for files"),
    ("fbt::kmem_cache_reap:entry", "there are kmem_cache_alloc, kmem_cache_free, kmem_alloc and kmem_free"),
])
def test_what_has_no_equivalent_is_told_with_what_to_use(description: str, words: str) -> None:
    done = atonce.run(["dtrace", "-n", description, "-c", "/bin/true"])
    assert done.returncode == 1 and words in done.stderr, done.stderr
