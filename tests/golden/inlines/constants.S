
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x2a
01: 23000001    ret  %r1

DIFO 0x1 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 26000101    sets DT_STRING[1], %r1		! "hello"
01: 23000001    ret  %r1

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x54
01: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "x"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
x                1280 scl glb w    D type (integer) (size 4)
