
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "p"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x4
02: 07010201    add  %r1, %r2, %r1
03: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "p"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
p                1280 scl glb r/w  D type (pointer) (size 8)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050101    ldgs DT_VAR(1281), %r1		! DT_VAR(1281) = "q"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x18
02: 07010201    add  %r1, %r2, %r1
03: 2a050101    stgs %r1, DT_VAR(1281)		! DT_VAR(1281) = "q"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
q                1281 scl glb r/w  D type (pointer) (size 8)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "p"
01: 25000002    setx DT_INTEGER[0], %r2		! 0xc
02: 07010201    add  %r1, %r2, %r1
03: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "p"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
p                1280 scl glb r/w  D type (pointer) (size 8)

DIFO 0x3 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050101    ldgs DT_VAR(1281), %r1		! DT_VAR(1281) = "q"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x30
02: 06010201    sub  %r1, %r2, %r1
03: 2a050101    stgs %r1, DT_VAR(1281)		! DT_VAR(1281) = "q"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
q                1281 scl glb r/w  D type (pointer) (size 8)
