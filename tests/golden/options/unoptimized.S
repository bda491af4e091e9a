
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 07010001    add  %r1, %r0, %r1
02: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "x"
03: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
x                1280 scl glb w    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 07010201    add  %r1, %r2, %r1
03: 29010602    ldgs DT_VAR(262), %r2		! DT_VAR(262) = "arg0"
04: 25000003    setx DT_INTEGER[0], %r3		! 0x1
05: 07020302    add  %r2, %r3, %r2
06: 08010201    mul  %r1, %r2, %r1
07: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x5
01: 2a050101    stgs %r1, DT_VAR(1281)		! DT_VAR(1281) = "y"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
y                1281 scl glb w    D type (integer) (size 4)

DIFO 0x3 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 10010000    tst  %r1
02: 12000008    be   8
03: 29010701    ldgs DT_VAR(263), %r1		! DT_VAR(263) = "arg1"
04: 10010000    tst  %r1
05: 13000008    bne  8
06: 25000001    setx DT_INTEGER[0], %r1		! 0x1
07: 23000001    ret  %r1
08: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
arg1             263  scl glb r    D type (integer) (size 8)
