
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010101    ldgs DT_VAR(257), %r1		! DT_VAR(257) = "timestamp"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x5
02: 06010201    sub  %r1, %r2, %r1
03: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "x"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
timestamp        257  scl glb r    D type (integer) (size 8)
x                1280 scl glb w    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x5
01: 29050002    ldgs DT_VAR(1280), %r2		! DT_VAR(1280) = "x"
02: 06010201    sub  %r1, %r2, %r1
03: 2a050101    stgs %r1, DT_VAR(1281)		! DT_VAR(1281) = "y"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
x                1280 scl glb r    D type (integer) (size 8)
y                1281 scl glb w    D type (integer) (size 8)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "x"
01: 29050102    ldgs DT_VAR(1281), %r2		! DT_VAR(1281) = "y"
02: 06010201    sub  %r1, %r2, %r1
03: 25000002    setx DT_INTEGER[0], %r2		! 0x1
04: 06010201    sub  %r1, %r2, %r1
05: 2a050201    stgs %r1, DT_VAR(1282)		! DT_VAR(1282) = "z"
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
x                1280 scl glb r    D type (integer) (size 8)
y                1281 scl glb r    D type (integer) (size 8)
z                1282 scl glb w    D type (integer) (size 8)
