
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x64
01: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "n"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 scl glb w    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 07010201    add  %r1, %r2, %r1
03: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "n"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 scl glb r/w  D type (integer) (size 8)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x2
02: 06010201    sub  %r1, %r2, %r1
03: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "n"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 scl glb r/w  D type (integer) (size 8)

DIFO 0x3 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x3
02: 08010201    mul  %r1, %r2, %r1
03: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "n"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 scl glb r/w  D type (integer) (size 8)

DIFO 0x4 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x4
02: 09010201    sdiv %r1, %r2, %r1
03: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "n"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 scl glb r/w  D type (integer) (size 8)

DIFO 0x5 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x32
02: 0b010201    srem %r1, %r2, %r1
03: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "n"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 scl glb r/w  D type (integer) (size 8)

DIFO 0x6 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x2
02: 04010201    sll  %r1, %r2, %r1
03: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "n"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 scl glb r/w  D type (integer) (size 8)

DIFO 0x7 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 2e010201    sra  %r1, %r2, %r1
03: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "n"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 scl glb r/w  D type (integer) (size 8)

DIFO 0x8 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
01: 25000002    setx DT_INTEGER[0], %r2		! 0xfff
02: 03010201    and  %r1, %r2, %r1
03: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "n"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 scl glb r/w  D type (integer) (size 8)

DIFO 0x9 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x10
02: 01010201    or   %r1, %r2, %r1
03: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "n"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 scl glb r/w  D type (integer) (size 8)

DIFO 0xa returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x3
02: 02010201    xor  %r1, %r2, %r1
03: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "n"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 scl glb r/w  D type (integer) (size 8)
