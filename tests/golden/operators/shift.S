
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x3
02: 2e010201    sra  %r1, %r2, %r1
03: 39050001    stls %r1, DT_VAR(1280)		! DT_VAR(1280) = "s"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
s                1280 scl loc w    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x3
02: 05010201    srl  %r1, %r2, %r1
03: 39050101    stls %r1, DT_VAR(1281)		! DT_VAR(1281) = "u"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
u                1281 scl loc w    D type (integer) (size 8)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 29010702    ldgs DT_VAR(263), %r2		! DT_VAR(263) = "arg1"
02: 04010201    sll  %r1, %r2, %r1
03: 39050201    stls %r1, DT_VAR(1282)		! DT_VAR(1282) = "l"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
arg1             263  scl glb r    D type (integer) (size 8)
l                1282 scl loc w    D type (integer) (size 8)
