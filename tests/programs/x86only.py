"""Tests that hosts of other processors than x86 skip, and what that leaves out.

They compile code of x86 with the host's own compiler, or compare with what the host's processor does.  Tests
of the same things for AArch64 and SPARC, whose programs are assembled or cross-compiled, run on every host.
"""

from __future__ import annotations

# (the end of a test's file, a part of its name): what is not covered
X86 = {
    ("fasttrap/test_reach.py", ""): "pid probes in x86 code that is out of reach",
    ("fasttrap/test_signals.py", ""): "signals upon probed x86 code",
    ("fasttrap/test_every_instruction.py", ""): "every x86 instruction with a probe",
    ("fasttrap/test_every_offset.py", ""): "pid probes at every offset of x86 programs",
    ("fasttrap/test_function_search.py", ""): "x86 functions that no symbol tells of",
    ("fasttrap/test_indirect.py", ""): "jumps by tables in x86 code",
    ("fasttrap/test_table.py", ""): "jumps by tables in x86 code",
    ("fasttrap/test_padded.py", ""): "padded x86 code",
    ("fasttrap/test_processes.py", ""): "pid probes in x86 processes",
    ("fasttrap/test_restless.py", ""): "x86 code that changes",
    ("fasttrap/test_debugger.py", ""): "debuggers of x86 programs that are traced",
    ("fasttrap/test_operands.py", ""): "operands of x86 instructions",
    ("fasttrap/test_golang.py", ""): "Go's calling convention on x86",
    ("fasttrap/test_unusual_programs.py", ""): "unusual x86 programs",
    ("kernel/test_quick_calls.py", ""): "system calls that machine code beside the x86 engine carries out",
    ("kernel/test_refused_calls.py", ""): "refused system calls of x86",
    ("kernel/test_senseless_calls.py", ""): "senseless system calls of x86",
    ("kernel/test_unwind.py", ""): "stacks of x86 programs",
    ("kernel/test_public_engine.py", ""): "the x86 engine's own structures beside its public interface",
    ("runtime/test_unoffered.py", "test_message["): "instructions of x86 that are not offered",
    ("runtime/test_names.py", "test_stubs[flags3]"): "stubs with x86's branch tracking",
    ("kernel/test_core.py", "breakpoint_in_text"): "a trap in x86 text",
    **{("kernel/test_programs.py", f"native_run[{name}-"): "programs with code or registers of x86"
       for name in ("code", "corners", "faults", "floats", "jit", "oddities", "unfinished")},
    ("usdt/test_notesheader.py", ""): "the header of notes with x86's compilers",
    ("usdt/test_matrix.py", "x86-64"): "-G with objects that the host runs",
    ("usdt/test_emulated.py", "x86-64"): "-G with objects that the host runs",
}


def left_out(file: str, name: str) -> str | None:
    """Return what a test covers that only x86 has; None for a test that runs on every host."""
    return next((lost for (end, part), lost in X86.items() if file.endswith(end) and part in name), None)
