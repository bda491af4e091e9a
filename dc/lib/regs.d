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
inline int R_R1 = 33;
