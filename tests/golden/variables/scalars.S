
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "declared"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
declared         1280 scl glb w    D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "declared"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 07010201    add  %r1, %r2, %r1
03: 2a050101    stgs %r1, DT_VAR(1281)		! DT_VAR(1281) = "undeclared"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
declared         1280 scl glb r    D type (integer) (size 4)
undeclared       1281 scl glb w    D type (integer) (size 4)

DIFO 0x2 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050101    ldgs DT_VAR(1281), %r1		! DT_VAR(1281) = "undeclared"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
undeclared       1281 scl glb r    D type (integer) (size 4)
