
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 39050001    stls %r1, DT_VAR(1280)		! DT_VAR(1280) = "n"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 scl loc w    D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 39050101    stls %r1, DT_VAR(1281)		! DT_VAR(1281) = "s"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)
s                1281 scl loc w    string (unknown) by ref (size 256)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 04010201    sll  %r1, %r2, %r1
03: 39050201    stls %r1, DT_VAR(1282)		! DT_VAR(1282) = "other"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 scl loc r    D type (integer) (size 4)
other            1282 scl loc w    D type (integer) (size 4)

DIFO 0x3 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 38050201    ldls DT_VAR(1282), %r1		! DT_VAR(1282) = "other"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
other            1282 scl loc r    D type (integer) (size 4)
