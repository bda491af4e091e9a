"""DIF, the machine that D programs are compiled for, as data.  It imports nothing of the other packages.

In: text or instruction words.  Out: DIF objects (Difo), listings, and what a kernel would refuse.

isa.py            the tables: opcodes, subroutines, built-in variables; limits.py: the machine's dimensions
arithmetic.py     what each pure opcode and each branch condition means
difo.py           a DIF object: instructions, integers, strings, variables
syntax.py         how DIF is written; assembler.py reads it, disassembler.py writes it
validator.py      every rule by which a kernel refuses an object
userregisters.py  what numbers uregs[] takes for AArch64, by target
elfnumbers.py     numbers of ELF that the emulated kernel needs as well as dof.elf
hostfiles.py      files of the host that are read whole, within bounds, for all packages
records.py        data classes and named tuples that cost little to define, for all packages
"""
