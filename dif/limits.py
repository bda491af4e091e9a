"""The machine's dimensions (dtrace.h), apart from the tables of dif.isa: DOF headers state them."""

DIF_VERSION = 2
MASK = (1 << 64) - 1  # the largest value of a register
NREGS = 8  # DIF_DIR_NREGS: integer registers
NTUPLE = 8  # DIF_DTR_NREGS: tuple registers
