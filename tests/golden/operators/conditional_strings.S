
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 10010000    tst  %r1
02: 12000005    be   5
03: 26000101    sets DT_STRING[1], %r1		! "yes"
04: 11000006    ba   6
05: 26000501    sets DT_STRING[5], %r1		! "no"
06: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "s"
07: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
s                1280 scl glb w    string (unknown) by ref (size 256)

DIFO 0x1 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29010701    ldgs DT_VAR(263), %r1		! DT_VAR(263) = "arg1"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x3
02: 0f010200    cmp  %r1, %r2
03: 13000006    bne  6
04: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
05: 23000001    ret  %r1
06: 26000101    sets DT_STRING[1], %r1		! "other"
07: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg1             263  scl glb r    D type (integer) (size 8)
execname         280  scl glb r    string (unknown) by ref (size 256)
