
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x4
01: 23000001    ret  %r1

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x20
02: 04010201    sll  %r1, %r2, %r1
03: 2e010203    sra  %r1, %r2, %r3
04: 29010704    ldgs DT_VAR(263), %r4		! DT_VAR(263) = "arg1"
05: 25000105    setx DT_INTEGER[1], %r5		! 0x1
06: 07040504    add  %r4, %r5, %r4
07: 04040204    sll  %r4, %r2, %r4
08: 2e040205    sra  %r4, %r2, %r5
09: 0f030500    cmp  %r3, %r5
10: 1a00000d    ble  13
11: 2e010201    sra  %r1, %r2, %r1
12: 1100000e    ba   14
13: 2e040201    sra  %r4, %r2, %r1
14: 04010201    sll  %r1, %r2, %r1
15: 2e010201    sra  %r1, %r2, %r1
16: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
arg1             263  scl glb r    D type (integer) (size 8)

DIFO 0x2 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 29010602    ldgs DT_VAR(262), %r2		! DT_VAR(262) = "arg0"
02: 25000103    setx DT_INTEGER[1], %r3		! 0x20
03: 04020302    sll  %r2, %r3, %r2
04: 2e020304    sra  %r2, %r3, %r4
05: 0f010400    cmp  %r1, %r4
06: 1a000009    ble  9
07: 25000005    setx DT_INTEGER[0], %r5		! 0x1
08: 1100000a    ba   10
09: 2e020305    sra  %r2, %r3, %r5
10: 04050305    sll  %r5, %r3, %r5
11: 2e050305    sra  %r5, %r3, %r5
12: 25000206    setx DT_INTEGER[2], %r6		! 0x2
13: 0f050600    cmp  %r5, %r6
14: 1a000017    ble  23
15: 0f010400    cmp  %r1, %r4
16: 1a000013    ble  19
17: 25000001    setx DT_INTEGER[0], %r1		! 0x1
18: 11000014    ba   20
19: 2e020301    sra  %r2, %r3, %r1
20: 04010301    sll  %r1, %r3, %r1
21: 2e010301    sra  %r1, %r3, %r1
22: 11000018    ba   24
23: 25000201    setx DT_INTEGER[2], %r1		! 0x2
24: 04010301    sll  %r1, %r3, %r1
25: 2e010301    sra  %r1, %r3, %r1
26: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
