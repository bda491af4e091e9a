
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 0f010200    cmp  %r1, %r2
03: 12000008    be   8
04: 29010701    ldgs DT_VAR(263), %r1		! DT_VAR(263) = "arg1"
05: 25000103    setx DT_INTEGER[1], %r3		! 0x2
06: 0f010300    cmp  %r1, %r3
07: 13000010    bne  16
08: 29010801    ldgs DT_VAR(264), %r1		! DT_VAR(264) = "arg2"
09: 25000203    setx DT_INTEGER[2], %r3		! 0x3
10: 0f010300    cmp  %r1, %r3
11: 12000010    be   16
12: 29010901    ldgs DT_VAR(265), %r1		! DT_VAR(265) = "arg3"
13: 10010000    tst  %r1
14: 13000010    bne  16
15: 23000002    ret  %r2
16: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
arg1             263  scl glb r    D type (integer) (size 8)
arg2             264  scl glb r    D type (integer) (size 8)
arg3             265  scl glb r    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 23000001    ret  %r1
