"""Tests of what x86 programs have by an accelerator only: they are skipped where a switch leaves that out.

All other tests pass whatever is left out (runtime.kernel.cpu.accelerators).
"""

from __future__ import annotations

from x86only import rows

from runtime.kernel.cpu import accelerators
from runtime.kernel.cpu.accelerators import CALLED_TRAPS, PLAIN_DECODING, PUBLIC, SOFT_FLOATS

FLOATS, DECODING = (PUBLIC, SOFT_FLOATS), (PUBLIC, SOFT_FLOATS, PLAIN_DECODING)
# (the end of a test's file, a part of its name): the switches, and what is not covered
TESTS = {
    ("kernel/test_programs.py", "native_run[floats-"): (FLOATS, "exact floating-point numbers"),
    ("kernel/test_programs.py", "native_run[plainfloats-"): (FLOATS, "exact floating-point numbers"),
    ("kernel/test_programs.py", "native_run[edges-"): (FLOATS, "x87's state after a fault"),
    ("kernel/test_programs.py", "native_run[faults-"): (DECODING, "exact faults"),
    ("kernel/test_programs.py", "native_run[oddities-"): (DECODING, "exact decoding"),
    ("kernel/test_programs.py", "native_run[unfinished-"): ((PUBLIC,), "instructions that fault half-way"),
    ("kernel/test_quick_calls.py", "blocks_count"): ((PUBLIC,), "code that counts itself"),
    ("kernel/test_quick_calls.py", "skip_the_trap"): ((PUBLIC,), "system calls that the engine waits for"),
    ("kernel/test_quick_calls.py", "though_they"): ((PUBLIC,), "system calls that the engine answers"),
    ("kernel/test_unwind.py", "every_instruction"): ((PUBLIC,), "registers at each instruction"),
    ("kernel/test_vectors.py", ""): (DECODING, "AVX"),
    ("fasttrap/test_direct_traps.py", "looked_up"): ((PUBLIC, CALLED_TRAPS), "traps that machine code leads"),
}


def left_out(file: str, name: str) -> str | None:
    """Return why a test is skipped, and what that leaves out; None for a test that runs."""
    return next((f"{switch} is set: {lost}" for switches, lost in rows(TESTS, file, name)
                 for switch in switches if accelerators.left_out(switch)), None)
