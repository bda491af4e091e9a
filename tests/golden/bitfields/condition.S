
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "f"
01: 1f010001    ldub [%r1], %r1
02: 25000002    setx DT_INTEGER[0], %r2		! 0x1
03: 03010203    and  %r1, %r2, %r3
04: 10030000    tst  %r3
05: 1200000d    be   13
06: 05010201    srl  %r1, %r2, %r1
07: 25000102    setx DT_INTEGER[1], %r2		! 0x3
08: 03010201    and  %r1, %r2, %r1
09: 25000202    setx DT_INTEGER[2], %r2		! 0x2
10: 0f010200    cmp  %r1, %r2
11: 1300000d    bne  13
12: 23000002    ret  %r2
13: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
f                1280 scl glb r    D type (pointer) (size 8)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "f"
01: 1f010001    ldub [%r1], %r1
02: 25000002    setx DT_INTEGER[0], %r2		! 0x1
03: 05010201    srl  %r1, %r2, %r1
04: 25000103    setx DT_INTEGER[1], %r3		! 0x3
05: 03010301    and  %r1, %r3, %r1
06: 10010000    tst  %r1
07: 12000009    be   9
08: 23000002    ret  %r2
09: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
f                1280 scl glb r    D type (pointer) (size 8)
