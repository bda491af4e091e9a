
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 10010000    tst  %r1
02: 13000005    bne  5
03: 25000002    setx DT_INTEGER[0], %r2		! 0xa
04: 11000010    ba   16
05: 25000103    setx DT_INTEGER[1], %r3		! 0x1
06: 0f010300    cmp  %r1, %r3
07: 1300000a    bne  10
08: 25000202    setx DT_INTEGER[2], %r2		! 0x14
09: 11000010    ba   16
10: 25000303    setx DT_INTEGER[3], %r3		! 0x2
11: 0f010300    cmp  %r1, %r3
12: 1300000f    bne  15
13: 25000402    setx DT_INTEGER[4], %r2		! 0x1e
14: 11000010    ba   16
15: 25000502    setx DT_INTEGER[5], %r2		! 0x28
16: 2a050002    stgs %r2, DT_VAR(1280)		! DT_VAR(1280) = "x"
17: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
x                1280 scl glb w    D type (integer) (size 4)
