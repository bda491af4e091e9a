
DIFO 0x0 returns D type (integer) (size 1)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "c"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
c                1280 scl glb r    D type (integer) (size 1)

DIFO 0x1 returns D type (integer) (size 2)
OFF OPCODE      INSTRUCTION
00: 29050101    ldgs DT_VAR(1281), %r1		! DT_VAR(1281) = "h"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
h                1281 scl glb r    D type (integer) (size 2)

DIFO 0x2 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29050201    ldgs DT_VAR(1282), %r1		! DT_VAR(1282) = "w"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
w                1282 scl glb r    D type (integer) (size 8)

DIFO 0x3 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29011501    ldgs DT_VAR(277), %r1		! DT_VAR(277) = "probename"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
probename        277  scl glb r    string (unknown) by ref (size 256)

DIFO 0x4 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "c"
01: 29050102    ldgs DT_VAR(1281), %r2		! DT_VAR(1281) = "h"
02: 07010201    add  %r1, %r2, %r1
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
c                1280 scl glb r    D type (integer) (size 1)
h                1281 scl glb r    D type (integer) (size 2)
