
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x2
01: 25000102    setx DT_INTEGER[1], %r2		! 0x1
02: 31000002    pushtv DT_TYPE(0), %r2		! DT_TYPE(0) = D type
03: 36050001    stgaa %r1, DT_VAR(1280)		! DT_VAR(1280) = "a"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
a                1280 arr glb w    D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 34050001    ldgaa DT_VAR(1280), %r1		! DT_VAR(1280) = "a"
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
a                1280 arr glb r    D type (integer) (size 4)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010701    ldgs DT_VAR(263), %r1		! DT_VAR(263) = "arg1"
01: 29010602    ldgs DT_VAR(262), %r2		! DT_VAR(262) = "arg0"
02: 25000003    setx DT_INTEGER[0], %r3		! 0x20
03: 04020302    sll  %r2, %r3, %r2
04: 2e020302    sra  %r2, %r3, %r2
05: 31000002    pushtv DT_TYPE(0), %r2		! DT_TYPE(0) = D type
06: 36050001    stgaa %r1, DT_VAR(1280)		! DT_VAR(1280) = "a"
07: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
arg1             263  scl glb r    D type (integer) (size 8)
a                1280 arr glb w    D type (integer) (size 4)

DIFO 0x3 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x20
02: 04010201    sll  %r1, %r2, %r1
03: 2e010201    sra  %r1, %r2, %r1
04: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
05: 34050001    ldgaa DT_VAR(1280), %r1		! DT_VAR(1280) = "a"
06: 33000000    flushts
07: 29010703    ldgs DT_VAR(263), %r3		! DT_VAR(263) = "arg1"
08: 04030203    sll  %r3, %r2, %r3
09: 2e030203    sra  %r3, %r2, %r3
10: 31000003    pushtv DT_TYPE(0), %r3		! DT_TYPE(0) = D type
11: 34050002    ldgaa DT_VAR(1280), %r2		! DT_VAR(1280) = "a"
12: 07010201    add  %r1, %r2, %r1
13: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
arg1             263  scl glb r    D type (integer) (size 8)
a                1280 arr glb r    D type (integer) (size 4)
