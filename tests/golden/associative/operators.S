
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 34050002    ldgaa DT_VAR(1280), %r2		! DT_VAR(1280) = "n"
03: 07020102    add  %r2, %r1, %r2
04: 36050002    stgaa %r2, DT_VAR(1280)		! DT_VAR(1280) = "n"
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 arr glb r/w  D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x2
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 34050001    ldgaa DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
03: 25000102    setx DT_INTEGER[1], %r2		! 0x1
04: 07010201    add  %r1, %r2, %r1
05: 36050001    stgaa %r1, DT_VAR(1280)		! DT_VAR(1280) = "n"
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 arr glb r/w  D type (integer) (size 4)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x3
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 34050001    ldgaa DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
03: 25000102    setx DT_INTEGER[1], %r2		! 0x5
04: 07010201    add  %r1, %r2, %r1
05: 36050001    stgaa %r1, DT_VAR(1280)		! DT_VAR(1280) = "n"
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 arr glb r/w  D type (integer) (size 4)

DIFO 0x3 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x4
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 34050001    ldgaa DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
03: 25000102    setx DT_INTEGER[1], %r2		! 0x1
04: 04010201    sll  %r1, %r2, %r1
05: 36050001    stgaa %r1, DT_VAR(1280)		! DT_VAR(1280) = "n"
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 arr glb r/w  D type (integer) (size 4)

DIFO 0x4 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x5
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 34050001    ldgaa DT_VAR(1280), %r1		! DT_VAR(1280) = "n"
03: 25000102    setx DT_INTEGER[1], %r2		! 0x1
04: 06010202    sub  %r1, %r2, %r2
05: 36050002    stgaa %r2, DT_VAR(1280)		! DT_VAR(1280) = "n"
06: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
n                1280 arr glb r/w  D type (integer) (size 4)

DIFO 0x5 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x3
01: 25000102    setx DT_INTEGER[1], %r2		! 0x7
02: 31000002    pushtv DT_TYPE(0), %r2		! DT_TYPE(0) = D type
03: 36050001    stgaa %r1, DT_VAR(1280)		! DT_VAR(1280) = "n"
04: 33000000    flushts
05: 25000202    setx DT_INTEGER[2], %r2		! 0x6
06: 31000002    pushtv DT_TYPE(0), %r2		! DT_TYPE(0) = D type
07: 36050001    stgaa %r1, DT_VAR(1280)		! DT_VAR(1280) = "n"
08: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
n                1280 arr glb w    D type (integer) (size 4)
