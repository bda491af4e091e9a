
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29011601    ldgs DT_VAR(278), %r1		! DT_VAR(278) = "pid"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x64
02: 0f010200    cmp  %r1, %r2
03: 13000005    bne  5
04: 23000002    ret  %r2
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
pid              278  scl glb r    D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "level"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 07010201    add  %r1, %r2, %r1
03: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "level"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
level            1280 scl glb r/w  D type (integer) (size 4)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "level"
01: 29011702    ldgs DT_VAR(279), %r2		! DT_VAR(279) = "tid"
02: 31000002    pushtv DT_TYPE(0), %r2		! DT_TYPE(0) = D type
03: 36050101    stgaa %r1, DT_VAR(1281)		! DT_VAR(1281) = "depth"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
tid              279  scl glb r    D type (integer) (size 4)
level            1280 scl glb r    D type (integer) (size 4)
depth            1281 arr glb w    D type (integer) (size 4)

DIFO 0x3 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29011601    ldgs DT_VAR(278), %r1		! DT_VAR(278) = "pid"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x64
02: 0f010200    cmp  %r1, %r2
03: 13000009    bne  9
04: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "level"
05: 0f010000    cmp  %r1, %r0
06: 1a000009    ble  9
07: 25000101    setx DT_INTEGER[1], %r1		! 0x1
08: 23000001    ret  %r1
09: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
pid              278  scl glb r    D type (integer) (size 4)
level            1280 scl glb r    D type (integer) (size 4)

DIFO 0x4 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "level"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 06010201    sub  %r1, %r2, %r1
03: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "level"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
level            1280 scl glb r/w  D type (integer) (size 4)

DIFO 0x5 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 23000001    ret  %r1

DIFO 0x6 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29011701    ldgs DT_VAR(279), %r1		! DT_VAR(279) = "tid"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 34050101    ldgaa DT_VAR(1281), %r1		! DT_VAR(1281) = "depth"
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
tid              279  scl glb r    D type (integer) (size 4)
depth            1281 arr glb r    D type (integer) (size 4)

DIFO 0x7 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29011701    ldgs DT_VAR(279), %r1		! DT_VAR(279) = "tid"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 36050100    stgaa %r0, DT_VAR(1281)		! DT_VAR(1281) = "depth"
03: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
tid              279  scl glb r    D type (integer) (size 4)
depth            1281 arr glb w    D type (integer) (size 4)
