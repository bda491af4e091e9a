
DIFO 0x0 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x20
02: 04010201    sll  %r1, %r2, %r1
03: 2e010201    sra  %r1, %r2, %r1
04: 29010002    ldgs DT_VAR(256), %r2		! DT_VAR(256) = "curthread"
05: 25000103    setx DT_INTEGER[1], %r3		! 0x70
06: 07020302    add  %r2, %r3, %r2
07: 22020002    ldx  [%r2], %r2
08: 25000203    setx DT_INTEGER[2], %r3		! 0x140
09: 07020302    add  %r2, %r3, %r2
10: 25000303    setx DT_INTEGER[3], %r3		! 0xa8
11: 07020302    add  %r2, %r3, %r2
12: 25000403    setx DT_INTEGER[4], %r3		! 0x10
13: 07020304    add  %r2, %r3, %r4
14: 1e040004    ldsw [%r4], %r4
15: 0f010400    cmp  %r1, %r4
16: 19000013    blu  19
17: 0e000004    mov  %r0, %r4
18: 1100001b    ba   27
19: 25000505    setx DT_INTEGER[5], %r5		! 0x18
20: 07020502    add  %r2, %r5, %r2
21: 22020002    ldx  [%r2], %r2
22: 25000605    setx DT_INTEGER[6], %r5		! 0x5
23: 04010501    sll  %r1, %r5, %r1
24: 07020102    add  %r2, %r1, %r2
25: 07020302    add  %r2, %r3, %r2
26: 22020004    ldx  [%r2], %r4
27: 0e040001    mov  %r4, %r1
28: 10010000    tst  %r1
29: 12000022    be   34
30: 25000501    setx DT_INTEGER[5], %r1		! 0x18
31: 07040104    add  %r4, %r1, %r4
32: 22040004    ldx  [%r4], %r4
33: 11000023    ba   35
34: 0e000004    mov  %r0, %r4
35: 0e040001    mov  %r4, %r1
36: 10010000    tst  %r1
37: 12000030    be   48
38: 0e040001    mov  %r4, %r1
39: 25000702    setx DT_INTEGER[7], %r2		! 0x50
40: 07010201    add  %r1, %r2, %r1
41: 22010001    ldx  [%r1], %r1
42: 10010000    tst  %r1
43: 12000030    be   48
44: 0e040001    mov  %r4, %r1
45: 07010201    add  %r1, %r2, %r1
46: 22010001    ldx  [%r1], %r1
47: 23000001    ret  %r1
48: 10040000    tst  %r4
49: 12000034    be   52
50: 26000101    sets DT_STRING[1], %r1		! "<unknown>"
51: 23000001    ret  %r1
52: 26000b01    sets DT_STRING[11], %r1		! "<none>"
53: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
curthread        256  scl glb r    D type (pointer) (size 8)
arg0             262  scl glb r    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x20
02: 04010201    sll  %r1, %r2, %r1
03: 2e010201    sra  %r1, %r2, %r1
04: 29010003    ldgs DT_VAR(256), %r3		! DT_VAR(256) = "curthread"
05: 25000104    setx DT_INTEGER[1], %r4		! 0x70
06: 07030403    add  %r3, %r4, %r3
07: 22030003    ldx  [%r3], %r3
08: 25000204    setx DT_INTEGER[2], %r4		! 0x140
09: 07030403    add  %r3, %r4, %r3
10: 25000304    setx DT_INTEGER[3], %r4		! 0xa8
11: 07030403    add  %r3, %r4, %r3
12: 25000404    setx DT_INTEGER[4], %r4		! 0x10
13: 07030405    add  %r3, %r4, %r5
14: 1e050005    ldsw [%r5], %r5
15: 0f010500    cmp  %r1, %r5
16: 19000013    blu  19
17: 0e000005    mov  %r0, %r5
18: 1100001b    ba   27
19: 25000506    setx DT_INTEGER[5], %r6		! 0x18
20: 07030603    add  %r3, %r6, %r3
21: 22030003    ldx  [%r3], %r3
22: 25000606    setx DT_INTEGER[6], %r6		! 0x5
23: 04010601    sll  %r1, %r6, %r1
24: 07030103    add  %r3, %r1, %r3
25: 07030403    add  %r3, %r4, %r3
26: 22030005    ldx  [%r3], %r5
27: 0e050001    mov  %r5, %r1
28: 10010000    tst  %r1
29: 12000021    be   33
30: 07050205    add  %r5, %r2, %r5
31: 22050005    ldx  [%r5], %r5
32: 23000005    ret  %r5
33: 0e000005    mov  %r0, %r5
34: 23000005    ret  %r5

NAME             ID   KND SCP FLAG TYPE
curthread        256  scl glb r    D type (pointer) (size 8)
arg0             262  scl glb r    D type (integer) (size 8)
