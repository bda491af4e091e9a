"""Numbers that uregs[] takes: those right for every processor, and those of other systems for AArch64.

Names and numbers of illumos stand in dc/lib/regs.d.  A kernel whose programs are of one processor can number
its registers as it likes: so do Oracle's and FreeBSD's DTrace for AArch64, as their D libraries say
(libdtrace/arm64/regs.d; cddl/lib/libdtrace/regs_aarch64.d).
"""

RESULT, PC, STATUS, STACK = 33, 36, 38, 39

# by the word of -x target; X0 to X30 have the numbers 0 to 30 everywhere
AARCH64 = {
    "linux": {"R_SP": 32, "R_PC": 33, "R_PSTATE": 34, "R_PS": 34, "R_R0": 0},
    "freebsd": {"R_SP": 31, "R_PC": 32, "R_R0": 0}}
_HERE = {"R_SP": STACK, "R_PC": PC, "R_PSTATE": STATUS, "R_PS": STATUS, "R_R0": 0}


def translation(target: str) -> dict[int, int]:
    """Return our numbers of the AArch64 registers that `target` numbers in another way, by its own."""
    return {number: _HERE[name] for name, number in AARCH64.get(target, {}).items()}
