
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x20
02: 04010201    sll  %r1, %r2, %r1
03: 2e010201    sra  %r1, %r2, %r1
04: 39050001    stls %r1, DT_VAR(1280)		! DT_VAR(1280) = "a"
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
a                1280 scl loc w    D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010701    ldgs DT_VAR(263), %r1		! DT_VAR(263) = "arg1"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x20
02: 04010201    sll  %r1, %r2, %r1
03: 2e010201    sra  %r1, %r2, %r1
04: 39050101    stls %r1, DT_VAR(1281)		! DT_VAR(1281) = "b"
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg1             263  scl glb r    D type (integer) (size 8)
b                1281 scl loc w    D type (integer) (size 4)

DIFO 0x2 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "a"
01: 38050102    ldls DT_VAR(1281), %r2		! DT_VAR(1281) = "b"
02: 0f010200    cmp  %r1, %r2
03: 16000006    bge  6
04: 25000001    setx DT_INTEGER[0], %r1		! 0x1
05: 23000001    ret  %r1
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
a                1280 scl loc r    D type (integer) (size 4)
b                1281 scl loc r    D type (integer) (size 4)

DIFO 0x3 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "a"
01: 38050102    ldls DT_VAR(1281), %r2		! DT_VAR(1281) = "b"
02: 0f010200    cmp  %r1, %r2
03: 14000006    bg   6
04: 25000001    setx DT_INTEGER[0], %r1		! 0x1
05: 23000001    ret  %r1
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
a                1280 scl loc r    D type (integer) (size 4)
b                1281 scl loc r    D type (integer) (size 4)

DIFO 0x4 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "a"
01: 38050102    ldls DT_VAR(1281), %r2		! DT_VAR(1281) = "b"
02: 0f010200    cmp  %r1, %r2
03: 1a000006    ble  6
04: 25000001    setx DT_INTEGER[0], %r1		! 0x1
05: 23000001    ret  %r1
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
a                1280 scl loc r    D type (integer) (size 4)
b                1281 scl loc r    D type (integer) (size 4)

DIFO 0x5 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "a"
01: 38050102    ldls DT_VAR(1281), %r2		! DT_VAR(1281) = "b"
02: 0f010200    cmp  %r1, %r2
03: 18000006    bl   6
04: 25000001    setx DT_INTEGER[0], %r1		! 0x1
05: 23000001    ret  %r1
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
a                1280 scl loc r    D type (integer) (size 4)
b                1281 scl loc r    D type (integer) (size 4)

DIFO 0x6 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "a"
01: 38050102    ldls DT_VAR(1281), %r2		! DT_VAR(1281) = "b"
02: 0f010200    cmp  %r1, %r2
03: 13000006    bne  6
04: 25000001    setx DT_INTEGER[0], %r1		! 0x1
05: 23000001    ret  %r1
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
a                1280 scl loc r    D type (integer) (size 4)
b                1281 scl loc r    D type (integer) (size 4)

DIFO 0x7 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "a"
01: 38050102    ldls DT_VAR(1281), %r2		! DT_VAR(1281) = "b"
02: 0f010200    cmp  %r1, %r2
03: 12000006    be   6
04: 25000001    setx DT_INTEGER[0], %r1		! 0x1
05: 23000001    ret  %r1
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
a                1280 scl loc r    D type (integer) (size 4)
b                1281 scl loc r    D type (integer) (size 4)
