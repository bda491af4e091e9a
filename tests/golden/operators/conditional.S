
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 10010000    tst  %r1
02: 12000005    be   5
03: 25000001    setx DT_INTEGER[0], %r1		! 0x1
04: 11000006    ba   6
05: 25000101    setx DT_INTEGER[1], %r1		! 0x2
06: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "x"
07: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
x                1280 scl glb w    D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 29010702    ldgs DT_VAR(263), %r2		! DT_VAR(263) = "arg1"
02: 0f010200    cmp  %r1, %r2
03: 1a000006    ble  6
04: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
05: 11000007    ba   7
06: 29010701    ldgs DT_VAR(263), %r1		! DT_VAR(263) = "arg1"
07: 2a050101    stgs %r1, DT_VAR(1281)		! DT_VAR(1281) = "y"
08: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
arg1             263  scl glb r    D type (integer) (size 8)
y                1281 scl glb w    D type (integer) (size 8)
