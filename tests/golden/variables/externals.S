
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "n"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 scl glb w    D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
n                1280 scl glb r    D type (integer) (size 4)
