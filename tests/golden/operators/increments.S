
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 07010202    add  %r1, %r2, %r2
03: 2a050002    stgs %r2, DT_VAR(1280)		! DT_VAR(1280) = "n"
04: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
n                1280 scl glb r/w  D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 07010201    add  %r1, %r2, %r1
03: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "n"
04: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
n                1280 scl glb r/w  D type (integer) (size 4)

DIFO 0x2 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 06010202    sub  %r1, %r2, %r2
03: 2a050002    stgs %r2, DT_VAR(1280)		! DT_VAR(1280) = "n"
04: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
n                1280 scl glb r/w  D type (integer) (size 4)

DIFO 0x3 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 06010201    sub  %r1, %r2, %r1
03: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "n"
04: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
n                1280 scl glb r/w  D type (integer) (size 4)

DIFO 0x4 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 2c050001    ldts DT_VAR(1280), %r1		! DT_VAR(1280) = "m"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 07010201    add  %r1, %r2, %r1
03: 2d050001    stts %r1, DT_VAR(1280)		! DT_VAR(1280) = "m"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
m                1280 scl tls r/w  D type (integer) (size 4)

DIFO 0x5 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 2c050001    ldts DT_VAR(1280), %r1		! DT_VAR(1280) = "m"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 07010201    add  %r1, %r2, %r1
03: 2d050001    stts %r1, DT_VAR(1280)		! DT_VAR(1280) = "m"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
m                1280 scl tls r/w  D type (integer) (size 4)

DIFO 0x6 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "k"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 06010201    sub  %r1, %r2, %r1
03: 39050001    stls %r1, DT_VAR(1280)		! DT_VAR(1280) = "k"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
k                1280 scl loc r/w  D type (integer) (size 8)
