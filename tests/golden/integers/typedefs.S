
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0xffffffff
02: 03010201    and  %r1, %r2, %r1
03: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "w"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
w                1280 scl glb w    D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "w"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
w                1280 scl glb r    D type (integer) (size 4)

DIFO 0x2 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010701    ldgs DT_VAR(263), %r1		! DT_VAR(263) = "arg1"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg1             263  scl glb r    D type (integer) (size 8)

DIFO 0x3 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x8
01: 23000001    ret  %r1
