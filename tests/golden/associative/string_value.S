
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 29011602    ldgs DT_VAR(278), %r2		! DT_VAR(278) = "pid"
02: 31000002    pushtv DT_TYPE(0), %r2		! DT_TYPE(0) = D type
03: 36050001    stgaa %r1, DT_VAR(1280)		! DT_VAR(1280) = "last"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
pid              278  scl glb r    D type (integer) (size 4)
execname         280  scl glb r    string (unknown) by ref (size 256)
last             1280 arr glb w    string (unknown) by ref (size 256)

DIFO 0x1 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 34050001    ldgaa DT_VAR(1280), %r1		! DT_VAR(1280) = "last"
03: 10010000    tst  %r1
04: 13000006    bne  6
05: 26000001    sets DT_STRING[0], %r1		! ""
06: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
last             1280 arr glb r    string (unknown) by ref (size 256)
