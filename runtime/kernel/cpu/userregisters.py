"""Numbers that uregs[] takes on every processor, beyond the processor's own (dc/lib/regs.d)."""

RESULT, PC, STATUS, STACK = 33, 36, 38, 39
