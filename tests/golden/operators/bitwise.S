
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0xff
02: 03010201    and  %r1, %r2, %r1
03: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "x"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
x                1280 scl glb w    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010701    ldgs DT_VAR(263), %r1		! DT_VAR(263) = "arg1"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x80
02: 01010201    or   %r1, %r2, %r1
03: 2a050101    stgs %r1, DT_VAR(1281)		! DT_VAR(1281) = "y"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg1             263  scl glb r    D type (integer) (size 8)
y                1281 scl glb w    D type (integer) (size 8)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "x"
01: 29050102    ldgs DT_VAR(1281), %r2		! DT_VAR(1281) = "y"
02: 02010201    xor  %r1, %r2, %r1
03: 2a050201    stgs %r1, DT_VAR(1282)		! DT_VAR(1282) = "z"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
x                1280 scl glb r    D type (integer) (size 8)
y                1281 scl glb r    D type (integer) (size 8)
z                1282 scl glb w    D type (integer) (size 8)

DIFO 0x3 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050201    ldgs DT_VAR(1282), %r1		! DT_VAR(1282) = "z"
01: 0d010001    not  %r1, %r1
02: 2a050301    stgs %r1, DT_VAR(1283)		! DT_VAR(1283) = "w"
03: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
z                1282 scl glb r    D type (integer) (size 8)
w                1283 scl glb w    D type (integer) (size 8)
