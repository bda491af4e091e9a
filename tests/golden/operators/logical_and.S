
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 10010000    tst  %r1
02: 12000008    be   8
03: 29010701    ldgs DT_VAR(263), %r1		! DT_VAR(263) = "arg1"
04: 10010000    tst  %r1
05: 12000008    be   8
06: 25000001    setx DT_INTEGER[0], %r1		! 0x1
07: 23000001    ret  %r1
08: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
arg1             263  scl glb r    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 10010000    tst  %r1
02: 1200000b    be   11
03: 29010701    ldgs DT_VAR(263), %r1		! DT_VAR(263) = "arg1"
04: 10010000    tst  %r1
05: 1200000b    be   11
06: 29010801    ldgs DT_VAR(264), %r1		! DT_VAR(264) = "arg2"
07: 10010000    tst  %r1
08: 1200000b    be   11
09: 25000001    setx DT_INTEGER[0], %r1		! 0x1
10: 23000001    ret  %r1
11: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
arg1             263  scl glb r    D type (integer) (size 8)
arg2             264  scl glb r    D type (integer) (size 8)
