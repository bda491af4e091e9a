
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 34050001    ldgaa DT_VAR(1280), %r1		! DT_VAR(1280) = "a"
03: 25000102    setx DT_INTEGER[1], %r2		! 0x20
04: 04010201    sll  %r1, %r2, %r1
05: 2e010201    sra  %r1, %r2, %r1
06: 33000000    flushts
07: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
08: 26000101    sets DT_STRING[1], %r1		! "x"
09: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
10: 34050201    ldgaa DT_VAR(1282), %r1		! DT_VAR(1282) = "c"
11: 33000000    flushts
12: 29010603    ldgs DT_VAR(262), %r3		! DT_VAR(262) = "arg0"
13: 04030203    sll  %r3, %r2, %r3
14: 2e030203    sra  %r3, %r2, %r3
15: 31000003    pushtv DT_TYPE(0), %r3		! DT_TYPE(0) = D type
16: 34050103    ldgaa DT_VAR(1281), %r3		! DT_VAR(1281) = "b"
17: 04030203    sll  %r3, %r2, %r3
18: 2e030203    sra  %r3, %r2, %r3
19: 33000000    flushts
20: 31000003    pushtv DT_TYPE(0), %r3		! DT_TYPE(0) = D type
21: 36050001    stgaa %r1, DT_VAR(1280)		! DT_VAR(1280) = "a"
22: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
a                1280 arr glb r/w  D type (integer) (size 4)
b                1281 arr glb r    D type (integer) (size 4)
c                1282 arr glb r    D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 26000101    sets DT_STRING[1], %r1		! "y"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 34050302    ldgaa DT_VAR(1283), %r2		! DT_VAR(1283) = "d"
03: 25000003    setx DT_INTEGER[0], %r3		! 0x20
04: 04020302    sll  %r2, %r3, %r2
05: 2e020302    sra  %r2, %r3, %r2
06: 33000000    flushts
07: 31000002    pushtv DT_TYPE(0), %r2		! DT_TYPE(0) = D type
08: 34050102    ldgaa DT_VAR(1281), %r2		! DT_VAR(1281) = "b"
09: 33000000    flushts
10: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
11: 34050301    ldgaa DT_VAR(1283), %r1		! DT_VAR(1283) = "d"
12: 04010301    sll  %r1, %r3, %r1
13: 2e010301    sra  %r1, %r3, %r1
14: 33000000    flushts
15: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
16: 26000301    sets DT_STRING[3], %r1		! "z"
17: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
18: 36050202    stgaa %r2, DT_VAR(1282)		! DT_VAR(1282) = "c"
19: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
b                1281 arr glb r    D type (integer) (size 4)
c                1282 arr glb w    D type (integer) (size 4)
d                1283 arr glb r    D type (integer) (size 4)
