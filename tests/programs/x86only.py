"""Tests that hosts of other processors than x86 skip, and what that leaves out.

They compile code of x86 with the host's own compiler, or compare with what the host's processor does.  Tests
of the same things for AArch64 and SPARC, whose programs are assembled or cross-compiled, run on every host.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

import compilers

Row = TypeVar("Row")
# (the end of a test's file, a part of its name): what is not covered
X86 = {
    ("fasttrap/test_direct_traps.py", "looked_up"): "traps that the host's own code leads",
    ("fasttrap/test_reach.py", ""): "x86 operands out of reach, as zig places no section there",
    ("fasttrap/test_golang.py", "test_registers"): "types of Go's arguments, which zig drops from assembly",
    ("kernel/test_quick_calls.py", "blocks_count"): "x86 code whose blocks the host's own code counts",
    ("kernel/test_quick_calls.py", "skip_the_trap"): "system calls that x86's engine waits for",
    ("kernel/test_quick_calls.py", "though_they"): "system calls that the host's own code carries out",
    ("drp.DTRACEDROP_STKSTROVERFLOW.helper.ksh", ""): "stacks whose output has x86's offsets",
    ("tst.jstack.ksh", ""): "stacks whose output has x86's offsets",
    ("kernel/test_public_engine.py", "harms_dtrace"): "instructions of x86 that the engine lets pass",
    ("kernel/test_public_engine.py", "of_the_library"): "changes of the engine's library, made for x86 hosts",
    ("kernel/test_unwind.py", "is_remembered"): "the stacks of x86 programs that are remembered",
    ("runtime/test_names.py", "test_stubs[flags3]"): "stubs with x86's branch tracking",
    **{("kernel/test_programs.py", f"native_run[{name}-"): "programs with code or registers of x86"
       for name in ("code", "context", "corners", "edges", "faults", "floats", "jit", "oddities",
                    "plainfloats", "unfinished")},
    ("providers/test_syscall.py", "sets_its_segment"): "a call that x86 programs alone make",
    ("usdt/test_matrix.py", "-fcf-protection=full"): "-G with flags that x86's compilers alone have",
    ("usdt/test_link.py", "in_an_archive[-m32]"):
        "a generated object in an archive for i386: zig's linker takes no member for a common symbol",
    **{("usdt/test_link.py", f"{name}[-m32"): "gdb's view of an i386 program, which the host does not run"
       for name in ("every_hit_and_its_arguments", "gdb_answer_is_enabled")},
}


def rows(table: Mapping[tuple[str, str], Row], file: str, name: str) -> Iterator[Row]:
    """What a table says of a test: a key is the end of a test's file, and a part of its name."""
    return (row for (end, part), row in table.items() if file.endswith(end) and part in name)


def left_out(file: str, name: str) -> str | None:
    """Return why a test is skipped, and what that leaves out; None for a test that runs on this host."""
    if compilers.HOST == "x86-64":
        return None
    return next((f"no x86-64 host: {lost}" for lost in rows(X86, file, name)), None)
