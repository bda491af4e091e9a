
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 39050001    stls %r1, DT_VAR(1280)		! DT_VAR(1280) = "a"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
a                1280 scl loc w    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "a"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x7
02: 09010201    sdiv %r1, %r2, %r1
03: 39050101    stls %r1, DT_VAR(1281)		! DT_VAR(1281) = "b"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
a                1280 scl loc r    D type (integer) (size 8)
b                1281 scl loc w    D type (integer) (size 8)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x7
01: 38050002    ldls DT_VAR(1280), %r2		! DT_VAR(1280) = "a"
02: 09010201    sdiv %r1, %r2, %r1
03: 39050201    stls %r1, DT_VAR(1282)		! DT_VAR(1282) = "c"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
a                1280 scl loc r    D type (integer) (size 8)
c                1282 scl loc w    D type (integer) (size 8)
