
DIFO 0x0 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x20
02: 04010201    sll  %r1, %r2, %r1
03: 2e010201    sra  %r1, %r2, %r1
04: 0f010000    cmp  %r1, %r0
05: 1800001c    bl   28
06: 29010002    ldgs DT_VAR(256), %r2		! DT_VAR(256) = "curthread"
07: 25000103    setx DT_INTEGER[1], %r3		! 0x70
08: 07020302    add  %r2, %r3, %r2
09: 22020002    ldx  [%r2], %r2
10: 25000203    setx DT_INTEGER[2], %r3		! 0x140
11: 07020302    add  %r2, %r3, %r2
12: 25000303    setx DT_INTEGER[3], %r3		! 0xa8
13: 07020302    add  %r2, %r3, %r2
14: 25000403    setx DT_INTEGER[4], %r3		! 0x10
15: 07020304    add  %r2, %r3, %r4
16: 1e040004    ldsw [%r4], %r4
17: 0f010400    cmp  %r1, %r4
18: 1600001c    bge  28
19: 25000504    setx DT_INTEGER[5], %r4		! 0x18
20: 07020402    add  %r2, %r4, %r2
21: 22020002    ldx  [%r2], %r2
22: 25000604    setx DT_INTEGER[6], %r4		! 0x5
23: 04010401    sll  %r1, %r4, %r1
24: 07020102    add  %r2, %r1, %r2
25: 07020302    add  %r2, %r3, %r2
26: 22020002    ldx  [%r2], %r2
27: 1100001d    ba   29
28: 0e000002    mov  %r0, %r2
29: 0e020001    mov  %r2, %r1
30: 10010000    tst  %r1
31: 13000022    bne  34
32: 26000101    sets DT_STRING[1], %r1		! "<none>"
33: 23000001    ret  %r1
34: 0e020003    mov  %r2, %r3
35: 25000504    setx DT_INTEGER[5], %r4		! 0x18
36: 07030403    add  %r3, %r4, %r3
37: 22030003    ldx  [%r3], %r3
38: 25000705    setx DT_INTEGER[7], %r5		! 0x50
39: 07030503    add  %r3, %r5, %r3
40: 22030003    ldx  [%r3], %r3
41: 10030000    tst  %r3
42: 1300002d    bne  45
43: 26000801    sets DT_STRING[8], %r1		! "<unknown>"
44: 23000001    ret  %r1
45: 07020402    add  %r2, %r4, %r2
46: 22020002    ldx  [%r2], %r2
47: 07020502    add  %r2, %r5, %r2
48: 22020001    ldx  [%r2], %r1
49: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
curthread        256  scl glb r    D type (pointer) (size 8)
arg0             262  scl glb r    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x20
02: 04010201    sll  %r1, %r2, %r1
03: 2e010201    sra  %r1, %r2, %r1
04: 0f010000    cmp  %r1, %r0
05: 1800001c    bl   28
06: 29010003    ldgs DT_VAR(256), %r3		! DT_VAR(256) = "curthread"
07: 25000104    setx DT_INTEGER[1], %r4		! 0x70
08: 07030403    add  %r3, %r4, %r3
09: 22030003    ldx  [%r3], %r3
10: 25000204    setx DT_INTEGER[2], %r4		! 0x140
11: 07030403    add  %r3, %r4, %r3
12: 25000304    setx DT_INTEGER[3], %r4		! 0xa8
13: 07030403    add  %r3, %r4, %r3
14: 25000404    setx DT_INTEGER[4], %r4		! 0x10
15: 07030405    add  %r3, %r4, %r5
16: 1e050005    ldsw [%r5], %r5
17: 0f010500    cmp  %r1, %r5
18: 1600001c    bge  28
19: 25000505    setx DT_INTEGER[5], %r5		! 0x18
20: 07030503    add  %r3, %r5, %r3
21: 22030003    ldx  [%r3], %r3
22: 25000605    setx DT_INTEGER[6], %r5		! 0x5
23: 04010501    sll  %r1, %r5, %r1
24: 07030103    add  %r3, %r1, %r3
25: 07030403    add  %r3, %r4, %r3
26: 22030003    ldx  [%r3], %r3
27: 1100001d    ba   29
28: 0e000003    mov  %r0, %r3
29: 0e030001    mov  %r3, %r1
30: 10010000    tst  %r1
31: 13000022    bne  34
32: 0e000001    mov  %r0, %r1
33: 23000001    ret  %r1
34: 07030203    add  %r3, %r2, %r3
35: 22030001    ldx  [%r3], %r1
36: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
curthread        256  scl glb r    D type (pointer) (size 8)
arg0             262  scl glb r    D type (integer) (size 8)
