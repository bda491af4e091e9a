
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 2c050001    ldts DT_VAR(1280), %r1		! DT_VAR(1280) = "traced"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
traced           1280 scl tls r    D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 23000001    ret  %r1

DIFO 0x2 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 2c050001    ldts DT_VAR(1280), %r1		! DT_VAR(1280) = "traced"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
traced           1280 scl tls r    D type (integer) (size 4)

DIFO 0x3 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x2
01: 23000001    ret  %r1

DIFO 0x4 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 2c050001    ldts DT_VAR(1280), %r1		! DT_VAR(1280) = "traced"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
traced           1280 scl tls r    D type (integer) (size 4)

DIFO 0x5 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 2d050000    stts %r0, DT_VAR(1280)		! DT_VAR(1280) = "traced"
01: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
traced           1280 scl tls w    D type (integer) (size 4)
