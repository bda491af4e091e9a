
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010001    ldgs DT_VAR(256), %r1		! DT_VAR(256) = "curthread"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x30
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
01: 25000002    setx DT_INTEGER[0], %r2		! 0x4
02: 07010201    add  %r1, %r2, %r1
03: 21010001    lduw [%r1], %r1
04: 0f010200    cmp  %r1, %r2
05: 13000008    bne  8
06: 25000102    setx DT_INTEGER[1], %r2		! 0x6
07: 11000022    ba   34
08: 25000203    setx DT_INTEGER[2], %r3		! 0x2
09: 0f010300    cmp  %r1, %r3
10: 1300000d    bne  13
11: 25000202    setx DT_INTEGER[2], %r2		! 0x2
12: 11000022    ba   34
13: 25000303    setx DT_INTEGER[3], %r3		! 0x1
14: 0f010300    cmp  %r1, %r3
15: 13000012    bne  18
16: 25000302    setx DT_INTEGER[3], %r2		! 0x1
17: 11000022    ba   34
18: 25000403    setx DT_INTEGER[4], %r3		! 0x20
19: 0f010300    cmp  %r1, %r3
20: 13000017    bne  23
21: 25000502    setx DT_INTEGER[5], %r2		! 0x7
22: 11000022    ba   34
23: 25000603    setx DT_INTEGER[6], %r3		! 0x10
24: 0f010300    cmp  %r1, %r3
25: 1300001c    bne  28
26: 25000002    setx DT_INTEGER[0], %r2		! 0x4
27: 11000022    ba   34
28: 25000703    setx DT_INTEGER[7], %r3		! 0x8
29: 0f010300    cmp  %r1, %r3
30: 13000021    bne  33
31: 25000802    setx DT_INTEGER[8], %r2		! 0x3
32: 11000022    ba   34
33: 0e000002    mov  %r0, %r2
34: 25000901    setx DT_INTEGER[9], %r1		! 0x38
35: 04020102    sll  %r2, %r1, %r2
36: 2e020102    sra  %r2, %r1, %r2
37: 23000002    ret  %r2

NAME             ID   KND SCP FLAG TYPE
curthread        256  scl glb r    D type (pointer) (size 8)

DIFO 0x2 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010001    ldgs DT_VAR(256), %r1		! DT_VAR(256) = "curthread"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x10
02: 07010201    add  %r1, %r2, %r1
03: 22010001    ldx  [%r1], %r1
04: 1e010001    ldsw [%r1], %r1
05: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
curthread        256  scl glb r    D type (pointer) (size 8)
