"""The machine's dimensions (dtrace.h), apart from the tables of dif.isa: DOF headers state them."""

DIF_VERSION = 2
NREGS = 8  # DIF_DIR_NREGS: integer registers
NTUPLE = 8  # DIF_DTR_NREGS: tuple registers
