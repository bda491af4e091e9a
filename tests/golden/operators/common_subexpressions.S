
DIFO 0x0 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 29010702    ldgs DT_VAR(263), %r2		! DT_VAR(263) = "arg1"
02: 07010201    add  %r1, %r2, %r1
03: 08010101    mul  %r1, %r1, %r1
04: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
arg1             263  scl glb r    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "y"
01: 08010101    mul  %r1, %r1, %r1
02: 07010101    add  %r1, %r1, %r1
03: 2a050101    stgs %r1, DT_VAR(1281)		! DT_VAR(1281) = "x"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
y                1280 scl glb r    D type (integer) (size 4)
x                1281 scl glb w    D type (integer) (size 4)
