
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 2c050001    ldts DT_VAR(1280), %r1		! DT_VAR(1280) = "depth"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 07010201    add  %r1, %r2, %r1
03: 2d050001    stts %r1, DT_VAR(1280)		! DT_VAR(1280) = "depth"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
depth            1280 scl tls r/w  D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010101    ldgs DT_VAR(257), %r1		! DT_VAR(257) = "timestamp"
01: 2d050101    stts %r1, DT_VAR(1281)		! DT_VAR(1281) = "start"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
start            1281 scl tls w    D type (integer) (size 8)
timestamp        257  scl glb r    D type (integer) (size 8)

DIFO 0x2 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 2c050101    ldts DT_VAR(1281), %r1		! DT_VAR(1281) = "start"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
start            1281 scl tls r    D type (integer) (size 8)

DIFO 0x3 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010101    ldgs DT_VAR(257), %r1		! DT_VAR(257) = "timestamp"
01: 2c050102    ldts DT_VAR(1281), %r2		! DT_VAR(1281) = "start"
02: 06010201    sub  %r1, %r2, %r1
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
start            1281 scl tls r    D type (integer) (size 8)
timestamp        257  scl glb r    D type (integer) (size 8)

DIFO 0x4 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 2d050100    stts %r0, DT_VAR(1281)		! DT_VAR(1281) = "start"
01: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
start            1281 scl tls w    D type (integer) (size 8)
