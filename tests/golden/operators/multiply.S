
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x3
02: 08010201    mul  %r1, %r2, %r1
03: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "x"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
x                1280 scl glb w    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "x"
01: 08010101    mul  %r1, %r1, %r1
02: 2a050101    stgs %r1, DT_VAR(1281)		! DT_VAR(1281) = "y"
03: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
x                1280 scl glb r    D type (integer) (size 8)
y                1281 scl glb w    D type (integer) (size 8)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "x"
01: 06000101    sub  %r0, %r1, %r1
02: 25000002    setx DT_INTEGER[0], %r2		! 0x7
03: 08010201    mul  %r1, %r2, %r1
04: 2a050201    stgs %r1, DT_VAR(1282)		! DT_VAR(1282) = "z"
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
x                1280 scl glb r    D type (integer) (size 8)
z                1282 scl glb w    D type (integer) (size 8)
