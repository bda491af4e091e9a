
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x3
02: 0a010201    udiv %r1, %r2, %r1
03: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "n"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 scl glb r/w  D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x3
02: 03010201    and  %r1, %r2, %r1
03: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "n"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 scl glb r/w  D type (integer) (size 8)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x5
02: 05010201    srl  %r1, %r2, %r1
03: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "n"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 scl glb r/w  D type (integer) (size 8)
