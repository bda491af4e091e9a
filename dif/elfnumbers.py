"""Numbers of ELF files that both ends of the suite need: kinds of files, machines, and segments.

Source: <elf.h>, by its names.  `dof.elf` reads and writes ELF files and has the numbers of sections and
symbols.  These stand here because the emulated kernel loads programs and knows nothing of DOF.
"""

from __future__ import annotations

ET_REL, ET_EXEC, ET_DYN, ET_CORE = 1, 2, 3, 4  # e_type
EM_SPARC, EM_386, EM_SPARCV9, EM_X86_64, EM_AARCH64 = 2, 3, 43, 62, 183  # e_machine
EM_MIPS, EM_PPC, EM_PPC64, EM_S390, EM_ARM, EM_RISCV, EM_LOONGARCH = 8, 20, 21, 22, 40, 243, 258
PT_LOAD, PT_INTERP, PT_NOTE = 1, 3, 4  # p_type
PT_GNU_EH_FRAME, PT_GNU_STACK = 0x6474E550, 0x6474E551
PF_X, PF_W, PF_R = 1, 2, 4  # p_flags
SHF_COMPRESSED = 1 << 11  # a section's flag

