
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "s"
01: 25000002    setx DT_INTEGER[0], %r2		! 0xffffffff
02: 03010201    and  %r1, %r2, %r1
03: 29050102    ldgs DT_VAR(1281), %r2		! DT_VAR(1281) = "u"
04: 0f010200    cmp  %r1, %r2
05: 17000008    bgeu 8
06: 25000101    setx DT_INTEGER[1], %r1		! 0x1
07: 23000001    ret  %r1
08: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
s                1280 scl glb r    D type (integer) (size 4)
u                1281 scl glb r    D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050101    ldgs DT_VAR(1281), %r1		! DT_VAR(1281) = "u"
01: 29050002    ldgs DT_VAR(1280), %r2		! DT_VAR(1280) = "s"
02: 25000003    setx DT_INTEGER[0], %r3		! 0xffffffff
03: 03020302    and  %r2, %r3, %r2
04: 0f010200    cmp  %r1, %r2
05: 17000008    bgeu 8
06: 25000101    setx DT_INTEGER[1], %r1		! 0x1
07: 23000001    ret  %r1
08: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
s                1280 scl glb r    D type (integer) (size 4)
u                1281 scl glb r    D type (integer) (size 4)

DIFO 0x2 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "s"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x30
02: 04010201    sll  %r1, %r2, %r1
03: 2e010201    sra  %r1, %r2, %r1
04: 29050102    ldgs DT_VAR(1281), %r2		! DT_VAR(1281) = "u"
05: 25000103    setx DT_INTEGER[1], %r3		! 0xffff
06: 03020302    and  %r2, %r3, %r2
07: 0f010200    cmp  %r1, %r2
08: 1600000b    bge  11
09: 25000201    setx DT_INTEGER[2], %r1		! 0x1
10: 23000001    ret  %r1
11: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
s                1280 scl glb r    D type (integer) (size 4)
u                1281 scl glb r    D type (integer) (size 4)
