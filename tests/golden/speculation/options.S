
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 2f000a01    call DIF_SUBR(10), %r1		! speculation
01: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "x"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
x                1280 scl glb w    D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "x"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
x                1280 scl glb r    D type (integer) (size 4)

DIFO 0x2 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)
