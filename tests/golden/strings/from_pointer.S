
DIFO 0x0 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "p"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
p                1280 scl glb r    D type (pointer) (size 8)

DIFO 0x1 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29050101    ldgs DT_VAR(1281), %r1		! DT_VAR(1281) = "buffer"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
buffer           1281 scl glb r    D type (array) by ref (size 16)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 2a050201    stgs %r1, DT_VAR(1282)		! DT_VAR(1282) = "s"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
s                1282 scl glb w    string (unknown) by ref (size 256)
