
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 26000102    sets DT_STRING[1], %r2		! "one"
02: 30010002    pushtr DT_TYPE(1), %r0, %r2	! DT_TYPE(1) = string
03: 36050001    stgaa %r1, DT_VAR(1280)		! DT_VAR(1280) = "names"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
names            1280 arr glb w    D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 34050001    ldgaa DT_VAR(1280), %r1		! DT_VAR(1280) = "names"
03: 25000002    setx DT_INTEGER[0], %r2		! 0x1
04: 07010201    add  %r1, %r2, %r1
05: 36050001    stgaa %r1, DT_VAR(1280)		! DT_VAR(1280) = "names"
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)
names            1280 arr glb r/w  D type (integer) (size 4)

DIFO 0x2 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 26000101    sets DT_STRING[1], %r1		! "one"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 34050001    ldgaa DT_VAR(1280), %r1		! DT_VAR(1280) = "names"
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
names            1280 arr glb r    D type (integer) (size 4)
