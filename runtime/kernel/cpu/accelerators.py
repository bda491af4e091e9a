"""What goes beyond the engine's public interface, to be quick or to be exact, and how each is turned off.

Each stands in files of its own, is found by probing, and is left out where it is not found.  A name that is
set in dtrace's environment leaves it out, too, to see whether it is at fault for something.  Virtual time
does not depend on any of them; results do not, but for what is said of the first and the last two.
"""

from __future__ import annotations

import os

# x86 and AArch64 programs run without all of the following, and without the engine's own structures.  Beside
# what the last two lose, instructions that fault half-way have changed registers
PUBLIC = "DTRACE_PUBLIC_ENGINE"
# x86 programs (runtime.kernel.cpu.x86, in its files quickcalls, directtraps, counting, chaining, protecting,
# hostfloat and decoding):
SLOW_CALLS = "DTRACE_SLOW_CALLS"  # the engine stops for each system call
CALLED_TRAPS = "DTRACE_CALLED_TRAPS"  # each trap is looked up by one function
CALLED_COUNTER = "DTRACE_CALLED_COUNTER"  # each block of code calls what counts it
LOOKED_UP_JUMPS = "DTRACE_LOOKED_UP_JUMPS"  # each jump to code that lies elsewhere looks for that
SEARCHED_TLB = "DTRACE_SEARCHED_TLB"  # for each translated block all of the TLB is searched for its page
# the engine computes floating-point numbers and vectors: `hostfloat` begins with what it does otherwise; and
# decoding, which builds upon that, is the engine's, too
SOFT_FLOATS = "DTRACE_SOFT_FLOATS"
# the engine decodes as it does: `decoding` begins with a list of what it puts right; AVX is not offered
PLAIN_DECODING = "DTRACE_PLAIN_DECODING"


def left_out(name: str) -> bool:
    """Whether the environment has one of them left out."""
    return bool(os.environ.get(name))
