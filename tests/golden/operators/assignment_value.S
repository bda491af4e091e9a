
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x5
01: 2a050201    stgs %r1, DT_VAR(1282)		! DT_VAR(1282) = "c"
02: 2a050101    stgs %r1, DT_VAR(1281)		! DT_VAR(1281) = "b"
03: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "a"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
a                1280 scl glb w    D type (integer) (size 4)
b                1281 scl glb w    D type (integer) (size 4)
c                1282 scl glb w    D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x7
01: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "a"
02: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
a                1280 scl glb w    D type (integer) (size 4)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 2a050301    stgs %r1, DT_VAR(1283)		! DT_VAR(1283) = "e"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
e                1283 scl glb w    D type (integer) (size 4)

DIFO 0x3 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050301    ldgs DT_VAR(1283), %r1		! DT_VAR(1283) = "e"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x2
02: 07010201    add  %r1, %r2, %r1
03: 2a050301    stgs %r1, DT_VAR(1283)		! DT_VAR(1283) = "e"
04: 25000102    setx DT_INTEGER[1], %r2		! 0x1
05: 04010201    sll  %r1, %r2, %r1
06: 2a050401    stgs %r1, DT_VAR(1284)		! DT_VAR(1284) = "d"
07: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
e                1283 scl glb r/w  D type (integer) (size 4)
d                1284 scl glb w    D type (integer) (size 4)
