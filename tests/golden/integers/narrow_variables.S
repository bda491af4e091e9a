
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x38
02: 04010201    sll  %r1, %r2, %r1
03: 2e010201    sra  %r1, %r2, %r1
04: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "c"
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
c                1280 scl glb w    D type (integer) (size 1)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x30
02: 04010201    sll  %r1, %r2, %r1
03: 2e010201    sra  %r1, %r2, %r1
04: 2a050101    stgs %r1, DT_VAR(1281)		! DT_VAR(1281) = "s"
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
s                1281 scl glb w    D type (integer) (size 2)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 2a050201    stgs %r1, DT_VAR(1282)		! DT_VAR(1282) = "i"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
i                1282 scl glb w    D type (integer) (size 4)

DIFO 0x3 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0xff
02: 03010201    and  %r1, %r2, %r1
03: 2a050301    stgs %r1, DT_VAR(1283)		! DT_VAR(1283) = "uc"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
uc               1283 scl glb w    D type (integer) (size 1)

DIFO 0x4 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0xffff
02: 03010201    and  %r1, %r2, %r1
03: 2a050401    stgs %r1, DT_VAR(1284)		! DT_VAR(1284) = "us"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
us               1284 scl glb w    D type (integer) (size 2)

DIFO 0x5 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0xffffffff
02: 03010201    and  %r1, %r2, %r1
03: 2a050501    stgs %r1, DT_VAR(1285)		! DT_VAR(1285) = "ui"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
ui               1285 scl glb w    D type (integer) (size 4)

DIFO 0x6 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "c"
01: 29050102    ldgs DT_VAR(1281), %r2		! DT_VAR(1281) = "s"
02: 07010201    add  %r1, %r2, %r1
03: 29050202    ldgs DT_VAR(1282), %r2		! DT_VAR(1282) = "i"
04: 07010201    add  %r1, %r2, %r1
05: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
c                1280 scl glb r    D type (integer) (size 1)
s                1281 scl glb r    D type (integer) (size 2)
i                1282 scl glb r    D type (integer) (size 4)

DIFO 0x7 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050301    ldgs DT_VAR(1283), %r1		! DT_VAR(1283) = "uc"
01: 29050402    ldgs DT_VAR(1284), %r2		! DT_VAR(1284) = "us"
02: 07010201    add  %r1, %r2, %r1
03: 29050502    ldgs DT_VAR(1285), %r2		! DT_VAR(1285) = "ui"
04: 07010201    add  %r1, %r2, %r1
05: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
uc               1283 scl glb r    D type (integer) (size 1)
us               1284 scl glb r    D type (integer) (size 2)
ui               1285 scl glb r    D type (integer) (size 4)
