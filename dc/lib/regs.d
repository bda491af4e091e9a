/*
 * Indices of uregs[] for x86-64 programs, by the names and numbers that
 * illumos' D gives them: the 32-bit registers first, then the 64-bit set.
 */
inline int R_GS = 0;
inline int R_FS = 1;
inline int R_ES = 2;
inline int R_DS = 3;
inline int R_EDI = 4;
inline int R_ESI = 5;
inline int R_EBP = 6;
inline int R_ESP = 7;
inline int R_EBX = 8;
inline int R_EDX = 9;
inline int R_ECX = 10;
inline int R_EAX = 11;
inline int R_TRAPNO = 12;
inline int R_ERR = 13;
inline int R_EIP = 14;
inline int R_CS = 15;
inline int R_EFL = 16;
inline int R_UESP = 17;
inline int R_SS = 18;

inline int R_R15 = 19;
inline int R_R14 = 20;
inline int R_R13 = 21;
inline int R_R12 = 22;
inline int R_R11 = 23;
inline int R_R10 = 24;
inline int R_R9 = 25;
inline int R_R8 = 26;
inline int R_RDI = 27;
inline int R_RSI = 28;
inline int R_RBP = 29;
inline int R_RBX = 30;
inline int R_RDX = 31;
inline int R_RCX = 32;
inline int R_RAX = 33;
inline int R_RIP = 36;
inline int R_RFL = 38;
inline int R_RSP = 39;
inline int R_FSBASE = 45;
inline int R_GSBASE = 46;

inline int R_PC = 36;
inline int R_SP = 39;
inline int R_PS = 38;
inline int R_R0 = 33;
inline int R_R1 = 30;

/*
 * Indices for SPARC programs: the general registers have the numbers that the
 * architecture gives them, and the special ones follow.  R_PC, R_SP, R_PS (the
 * condition codes) and R_R0 (%o0), above, have the same index for both.
 */
inline int R_G0 = 0;
inline int R_G1 = 1;
inline int R_G2 = 2;
inline int R_G3 = 3;
inline int R_G4 = 4;
inline int R_G5 = 5;
inline int R_G6 = 6;
inline int R_G7 = 7;
inline int R_O0 = 8;
inline int R_O1 = 9;
inline int R_O2 = 10;
inline int R_O3 = 11;
inline int R_O4 = 12;
inline int R_O5 = 13;
inline int R_O6 = 14;
inline int R_O7 = 15;
inline int R_L0 = 16;
inline int R_L1 = 17;
inline int R_L2 = 18;
inline int R_L3 = 19;
inline int R_L4 = 20;
inline int R_L5 = 21;
inline int R_L6 = 22;
inline int R_L7 = 23;
inline int R_I0 = 24;
inline int R_I1 = 25;
inline int R_I2 = 26;
inline int R_I3 = 27;
inline int R_I4 = 28;
inline int R_I5 = 29;
inline int R_I6 = 30;
inline int R_I7 = 31;
inline int R_CCR = 32;
inline int R_NPC = 34;
inline int R_Y = 35;

/*
 * Indices for AArch64 programs: X0 to X30 by their numbers.  The frame pointer
 * is X29, the link register X30; R_PC, R_SP, R_R0 (X0) and R_PS, which PSTATE
 * is here, are as above.
 */
inline int R_X0 = 0;
inline int R_X1 = 1;
inline int R_X2 = 2;
inline int R_X3 = 3;
inline int R_X4 = 4;
inline int R_X5 = 5;
inline int R_X6 = 6;
inline int R_X7 = 7;
inline int R_X8 = 8;
inline int R_X9 = 9;
inline int R_X10 = 10;
inline int R_X11 = 11;
inline int R_X12 = 12;
inline int R_X13 = 13;
inline int R_X14 = 14;
inline int R_X15 = 15;
inline int R_X16 = 16;
inline int R_X17 = 17;
inline int R_X18 = 18;
inline int R_X19 = 19;
inline int R_X20 = 20;
inline int R_X21 = 21;
inline int R_X22 = 22;
inline int R_X23 = 23;
inline int R_X24 = 24;
inline int R_X25 = 25;
inline int R_X26 = 26;
inline int R_X27 = 27;
inline int R_X28 = 28;
inline int R_X29 = 29;
inline int R_X30 = 30;
inline int R_FP = 29;
inline int R_LR = 30;
inline int R_PSTATE = 38;
