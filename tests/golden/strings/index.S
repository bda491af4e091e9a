
DIFO 0x0 returns D type (integer) (size 1)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 1c010001    ldsb [%r1], %r1
02: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)

DIFO 0x1 returns D type (integer) (size 1)
OFF OPCODE      INSTRUCTION
00: 26000101    sets DT_STRING[1], %r1		! "abc"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 07010201    add  %r1, %r2, %r1
03: 1c010001    ldsb [%r1], %r1
04: 23000001    ret  %r1
