
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010001    ldgs DT_VAR(256), %r1		! DT_VAR(256) = "curthread"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x4c
02: 07010201    add  %r1, %r2, %r1
03: 21010001    lduw [%r1], %r1
04: 25000102    setx DT_INTEGER[1], %r2		! 0x20
05: 04010201    sll  %r1, %r2, %r1
06: 2e010201    sra  %r1, %r2, %r1
07: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
curthread        256  scl glb r    D type (pointer) (size 8)

DIFO 0x1 returns D type (integer) (size 1)
OFF OPCODE      INSTRUCTION
00: 29010001    ldgs DT_VAR(256), %r1		! DT_VAR(256) = "curthread"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1c
02: 07010201    add  %r1, %r2, %r1
03: 21010001    lduw [%r1], %r1
04: 25000102    setx DT_INTEGER[1], %r2		! 0x4
05: 0f010200    cmp  %r1, %r2
06: 13000009    bne  9
07: 25000202    setx DT_INTEGER[2], %r2		! 0x6
08: 11000023    ba   35
09: 25000303    setx DT_INTEGER[3], %r3		! 0x2
10: 0f010300    cmp  %r1, %r3
11: 1300000e    bne  14
12: 25000302    setx DT_INTEGER[3], %r2		! 0x2
13: 11000023    ba   35
14: 25000403    setx DT_INTEGER[4], %r3		! 0x1
15: 0f010300    cmp  %r1, %r3
16: 13000013    bne  19
17: 25000402    setx DT_INTEGER[4], %r2		! 0x1
18: 11000023    ba   35
19: 25000503    setx DT_INTEGER[5], %r3		! 0x20
20: 0f010300    cmp  %r1, %r3
21: 13000018    bne  24
22: 25000602    setx DT_INTEGER[6], %r2		! 0x7
23: 11000023    ba   35
24: 25000703    setx DT_INTEGER[7], %r3		! 0x10
25: 0f010300    cmp  %r1, %r3
26: 1300001d    bne  29
27: 25000102    setx DT_INTEGER[1], %r2		! 0x4
28: 11000023    ba   35
29: 25000803    setx DT_INTEGER[8], %r3		! 0x8
30: 0f010300    cmp  %r1, %r3
31: 13000022    bne  34
32: 25000902    setx DT_INTEGER[9], %r2		! 0x3
33: 11000023    ba   35
34: 0e000002    mov  %r0, %r2
35: 25000a01    setx DT_INTEGER[10], %r1		! 0x38
36: 04020102    sll  %r2, %r1, %r2
37: 2e020102    sra  %r2, %r1, %r2
38: 23000002    ret  %r2

NAME             ID   KND SCP FLAG TYPE
curthread        256  scl glb r    D type (pointer) (size 8)

DIFO 0x2 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010001    ldgs DT_VAR(256), %r1		! DT_VAR(256) = "curthread"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x28
02: 07010201    add  %r1, %r2, %r1
03: 22010001    ldx  [%r1], %r1
04: 1e010001    ldsw [%r1], %r1
05: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
curthread        256  scl glb r    D type (pointer) (size 8)
