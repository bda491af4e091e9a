"""The machine's dimensions (dtrace.h), and its unit of time.  They stand apart from the tables of dif.isa,
because others need no more than these."""

DIF_VERSION = 2
MASK = (1 << 64) - 1  # the largest value of a register
NREGS = 8  # DIF_DIR_NREGS: integer registers
NTUPLE = 8  # DIF_DTR_NREGS: tuple registers
SECOND = 10**9  # in nanoseconds, the unit of all time in D
