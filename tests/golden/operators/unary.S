
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
01: 06000101    sub  %r0, %r1, %r1
02: 2a050101    stgs %r1, DT_VAR(1281)		! DT_VAR(1281) = "a"
03: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 scl glb r    D type (integer) (size 4)
a                1281 scl glb w    D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
01: 2a050201    stgs %r1, DT_VAR(1282)		! DT_VAR(1282) = "b"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 scl glb r    D type (integer) (size 4)
b                1282 scl glb w    D type (integer) (size 4)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
01: 10010000    tst  %r1
02: 25000001    setx DT_INTEGER[0], %r1		! 0x1
03: 12000005    be   5
04: 0e000001    mov  %r0, %r1
05: 2a050301    stgs %r1, DT_VAR(1283)		! DT_VAR(1283) = "c"
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 scl glb r    D type (integer) (size 4)
c                1283 scl glb w    D type (integer) (size 4)

DIFO 0x3 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
01: 0d010001    not  %r1, %r1
02: 2a050401    stgs %r1, DT_VAR(1284)		! DT_VAR(1284) = "d"
03: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 scl glb r    D type (integer) (size 4)
d                1284 scl glb w    D type (integer) (size 4)

DIFO 0x4 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
01: 10010000    tst  %r1
02: 25000001    setx DT_INTEGER[0], %r1		! 0x1
03: 13000005    bne  5
04: 0e000001    mov  %r0, %r1
05: 2a050501    stgs %r1, DT_VAR(1285)		! DT_VAR(1285) = "e"
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 scl glb r    D type (integer) (size 4)
e                1285 scl glb w    D type (integer) (size 4)
