
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010101    ldgs DT_VAR(257), %r1		! DT_VAR(257) = "timestamp"
01: 2d050001    stts %r1, DT_VAR(1280)		! DT_VAR(1280) = "start"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
start            1280 scl tls w    D type (integer) (size 8)
timestamp        257  scl glb r    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 2d050101    stts %r1, DT_VAR(1281)		! DT_VAR(1281) = "fd"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
fd               1281 scl tls w    D type (integer) (size 8)
arg0             262  scl glb r    D type (integer) (size 8)

DIFO 0x2 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 2c050001    ldts DT_VAR(1280), %r1		! DT_VAR(1280) = "start"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
start            1280 scl tls r    D type (integer) (size 8)

DIFO 0x3 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010101    ldgs DT_VAR(257), %r1		! DT_VAR(257) = "timestamp"
01: 2c050002    ldts DT_VAR(1280), %r2		! DT_VAR(1280) = "start"
02: 06010201    sub  %r1, %r2, %r1
03: 39050001    stls %r1, DT_VAR(1280)		! DT_VAR(1280) = "delta"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
start            1280 scl tls r    D type (integer) (size 8)
timestamp        257  scl glb r    D type (integer) (size 8)
delta            1280 scl loc w    D type (integer) (size 8)

DIFO 0x4 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 23000001    ret  %r1

DIFO 0x5 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)

DIFO 0x6 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 0f010000    cmp  %r1, %r0
02: 1a000004    ble  4
03: 23000001    ret  %r1
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)

DIFO 0x7 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x2
01: 23000001    ret  %r1

DIFO 0x8 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)

DIFO 0x9 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 2c050101    ldts DT_VAR(1281), %r1		! DT_VAR(1281) = "fd"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
fd               1281 scl tls r    D type (integer) (size 8)

DIFO 0xa returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "delta"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
delta            1280 scl loc r    D type (integer) (size 8)

DIFO 0xb returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 2d050000    stts %r0, DT_VAR(1280)		! DT_VAR(1280) = "start"
01: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
start            1280 scl tls w    D type (integer) (size 8)

DIFO 0xc returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 2d050100    stts %r0, DT_VAR(1281)		! DT_VAR(1281) = "fd"
01: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
fd               1281 scl tls w    D type (integer) (size 8)

DIFO 0xd returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 23000001    ret  %r1

DIFO 0xe returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x2
01: 23000001    ret  %r1
