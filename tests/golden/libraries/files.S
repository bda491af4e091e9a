
DIFO 0x0 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x20
02: 04010201    sll  %r1, %r2, %r1
03: 2e010201    sra  %r1, %r2, %r1
04: 29010002    ldgs DT_VAR(256), %r2		! DT_VAR(256) = "curthread"
05: 25000103    setx DT_INTEGER[1], %r3		! 0x50
06: 07020302    add  %r2, %r3, %r2
07: 22020002    ldx  [%r2], %r2
08: 25000203    setx DT_INTEGER[2], %r3		! 0x100
09: 07020302    add  %r2, %r3, %r2
10: 25000303    setx DT_INTEGER[3], %r3		! 0xa8
11: 07020302    add  %r2, %r3, %r2
12: 1e020003    ldsw [%r2], %r3
13: 0f010300    cmp  %r1, %r3
14: 19000011    blu  17
15: 0e000003    mov  %r0, %r3
16: 11000018    ba   24
17: 25000404    setx DT_INTEGER[4], %r4		! 0x8
18: 07020402    add  %r2, %r4, %r2
19: 22020002    ldx  [%r2], %r2
20: 25000504    setx DT_INTEGER[5], %r4		! 0x4
21: 04010401    sll  %r1, %r4, %r1
22: 07020102    add  %r2, %r1, %r2
23: 22020003    ldx  [%r2], %r3
24: 0e030001    mov  %r3, %r1
25: 10010000    tst  %r1
26: 1200001f    be   31
27: 25000401    setx DT_INTEGER[4], %r1		! 0x8
28: 07030103    add  %r3, %r1, %r3
29: 22030003    ldx  [%r3], %r3
30: 11000020    ba   32
31: 0e000003    mov  %r0, %r3
32: 0e030001    mov  %r3, %r1
33: 10010000    tst  %r1
34: 1200002d    be   45
35: 0e030001    mov  %r3, %r1
36: 25000602    setx DT_INTEGER[6], %r2		! 0x30
37: 07010201    add  %r1, %r2, %r1
38: 22010001    ldx  [%r1], %r1
39: 10010000    tst  %r1
40: 1200002d    be   45
41: 0e030001    mov  %r3, %r1
42: 07010201    add  %r1, %r2, %r1
43: 22010001    ldx  [%r1], %r1
44: 23000001    ret  %r1
45: 10030000    tst  %r3
46: 12000031    be   49
47: 26000101    sets DT_STRING[1], %r1		! "<unknown>"
48: 23000001    ret  %r1
49: 26000b01    sets DT_STRING[11], %r1		! "<none>"
50: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
curthread        256  scl glb r    D type (pointer) (size 8)
arg0             262  scl glb r    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x20
02: 04010201    sll  %r1, %r2, %r1
03: 2e010201    sra  %r1, %r2, %r1
04: 29010002    ldgs DT_VAR(256), %r2		! DT_VAR(256) = "curthread"
05: 25000103    setx DT_INTEGER[1], %r3		! 0x50
06: 07020302    add  %r2, %r3, %r2
07: 22020002    ldx  [%r2], %r2
08: 25000203    setx DT_INTEGER[2], %r3		! 0x100
09: 07020302    add  %r2, %r3, %r2
10: 25000303    setx DT_INTEGER[3], %r3		! 0xa8
11: 07020302    add  %r2, %r3, %r2
12: 1e020003    ldsw [%r2], %r3
13: 0f010300    cmp  %r1, %r3
14: 19000011    blu  17
15: 0e000003    mov  %r0, %r3
16: 11000018    ba   24
17: 25000404    setx DT_INTEGER[4], %r4		! 0x8
18: 07020402    add  %r2, %r4, %r2
19: 22020002    ldx  [%r2], %r2
20: 25000504    setx DT_INTEGER[5], %r4		! 0x4
21: 04010401    sll  %r1, %r4, %r1
22: 07020102    add  %r2, %r1, %r2
23: 22020003    ldx  [%r2], %r3
24: 0e030001    mov  %r3, %r1
25: 10010000    tst  %r1
26: 1200001f    be   31
27: 25000601    setx DT_INTEGER[6], %r1		! 0x10
28: 07030103    add  %r3, %r1, %r3
29: 22030003    ldx  [%r3], %r3
30: 23000003    ret  %r3
31: 0e000003    mov  %r0, %r3
32: 23000003    ret  %r3

NAME             ID   KND SCP FLAG TYPE
curthread        256  scl glb r    D type (pointer) (size 8)
arg0             262  scl glb r    D type (integer) (size 8)
