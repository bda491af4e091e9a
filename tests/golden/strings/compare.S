
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 26000102    sets DT_STRING[1], %r2		! "sh"
02: 27010200    scmp %r1, %r2
03: 13000006    bne  6
04: 25000002    setx DT_INTEGER[0], %r2		! 0x1
05: 23000002    ret  %r2
06: 29011402    ldgs DT_VAR(276), %r2		! DT_VAR(276) = "probefunc"
07: 27010200    scmp %r1, %r2
08: 1200000b    be   11
09: 25000001    setx DT_INTEGER[0], %r1		! 0x1
10: 23000001    ret  %r1
11: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
probefunc        276  scl glb r    string (unknown) by ref (size 256)
execname         280  scl glb r    string (unknown) by ref (size 256)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 26000102    sets DT_STRING[1], %r2		! "m"
02: 27010200    scmp %r1, %r2
03: 16000006    bge  6
04: 25000001    setx DT_INTEGER[0], %r1		! 0x1
05: 23000001    ret  %r1
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)

DIFO 0x2 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 26000102    sets DT_STRING[1], %r2		! "m"
02: 27010200    scmp %r1, %r2
03: 14000006    bg   6
04: 25000001    setx DT_INTEGER[0], %r1		! 0x1
05: 23000001    ret  %r1
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)

DIFO 0x3 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 26000102    sets DT_STRING[1], %r2		! "m"
02: 27010200    scmp %r1, %r2
03: 1a000006    ble  6
04: 25000001    setx DT_INTEGER[0], %r1		! 0x1
05: 23000001    ret  %r1
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)

DIFO 0x4 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 26000102    sets DT_STRING[1], %r2		! "m"
02: 27010200    scmp %r1, %r2
03: 18000006    bl   6
04: 25000001    setx DT_INTEGER[0], %r1		! 0x1
05: 23000001    ret  %r1
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)
