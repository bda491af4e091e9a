
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010101    ldgs DT_VAR(257), %r1		! DT_VAR(257) = "timestamp"
01: 2d050001    stts %r1, DT_VAR(1280)		! DT_VAR(1280) = "on"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
on               1280 scl tls w    D type (integer) (size 8)
timestamp        257  scl glb r    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 2c050001    ldts DT_VAR(1280), %r1		! DT_VAR(1280) = "on"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
on               1280 scl tls r    D type (integer) (size 8)

DIFO 0x2 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 23000001    ret  %r1

DIFO 0x3 returns D type (array) by ref (size 16)
OFF OPCODE      INSTRUCTION
00: 28000001    ldga DT_VAR(0), %r0, %r1		! DT_VAR(0) = "args"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x50
02: 07010201    add  %r1, %r2, %r1
03: 22010001    ldx  [%r1], %r1
04: 25000102    setx DT_INTEGER[1], %r2		! 0x100
05: 07010201    add  %r1, %r2, %r1
06: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
args             0    arr glb r    D type (unknown) (size 0)

DIFO 0x4 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010101    ldgs DT_VAR(257), %r1		! DT_VAR(257) = "timestamp"
01: 2c050002    ldts DT_VAR(1280), %r2		! DT_VAR(1280) = "on"
02: 06010201    sub  %r1, %r2, %r1
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
on               1280 scl tls r    D type (integer) (size 8)
timestamp        257  scl glb r    D type (integer) (size 8)

DIFO 0x5 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 2d050000    stts %r0, DT_VAR(1280)		! DT_VAR(1280) = "on"
01: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
on               1280 scl tls w    D type (integer) (size 8)
