
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "c"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 07010201    add  %r1, %r2, %r1
03: 25000102    setx DT_INTEGER[1], %r2		! 0x38
04: 04010201    sll  %r1, %r2, %r1
05: 2e010201    sra  %r1, %r2, %r1
06: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "c"
07: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
c                1280 scl glb r/w  D type (integer) (size 1)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050101    ldgs DT_VAR(1281), %r1		! DT_VAR(1281) = "h"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 06010201    sub  %r1, %r2, %r1
03: 25000102    setx DT_INTEGER[1], %r2		! 0xffff
04: 03010201    and  %r1, %r2, %r1
05: 2a050101    stgs %r1, DT_VAR(1281)		! DT_VAR(1281) = "h"
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
h                1281 scl glb r/w  D type (integer) (size 2)

DIFO 0x2 returns D type (integer) (size 1)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "c"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 07010201    add  %r1, %r2, %r1
03: 25000102    setx DT_INTEGER[1], %r2		! 0x38
04: 04010201    sll  %r1, %r2, %r1
05: 2e010201    sra  %r1, %r2, %r1
06: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "c"
07: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
c                1280 scl glb r/w  D type (integer) (size 1)

DIFO 0x3 returns D type (integer) (size 2)
OFF OPCODE      INSTRUCTION
00: 29050101    ldgs DT_VAR(1281), %r1		! DT_VAR(1281) = "h"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 07010202    add  %r1, %r2, %r2
03: 25000103    setx DT_INTEGER[1], %r3		! 0xffff
04: 03020302    and  %r2, %r3, %r2
05: 2a050102    stgs %r2, DT_VAR(1281)		! DT_VAR(1281) = "h"
06: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
h                1281 scl glb r/w  D type (integer) (size 2)
