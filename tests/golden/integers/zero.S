
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 2a050000    stgs %r0, DT_VAR(1280)		! DT_VAR(1280) = "x"
01: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
x                1280 scl glb w    D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 2d050000    stts %r0, DT_VAR(1280)		! DT_VAR(1280) = "y"
01: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
y                1280 scl tls w    D type (integer) (size 4)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 39050000    stls %r0, DT_VAR(1280)		! DT_VAR(1280) = "z"
01: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
z                1280 scl loc w    D type (integer) (size 4)

DIFO 0x3 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 23000000    ret  %r0
