
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 26000102    sets DT_STRING[1], %r2		! "sh"
02: 27010200    scmp %r1, %r2
03: 13000006    bne  6
04: 25000001    setx DT_INTEGER[0], %r1		! 0x1
05: 23000001    ret  %r1
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 23000001    ret  %r1
