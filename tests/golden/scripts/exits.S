
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010101    ldgs DT_VAR(257), %r1		! DT_VAR(257) = "timestamp"
01: 29011602    ldgs DT_VAR(278), %r2		! DT_VAR(278) = "pid"
02: 31000002    pushtv DT_TYPE(0), %r2		! DT_TYPE(0) = D type
03: 36050001    stgaa %r1, DT_VAR(1280)		! DT_VAR(1280) = "started"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
timestamp        257  scl glb r    D type (integer) (size 8)
pid              278  scl glb r    D type (integer) (size 4)
started          1280 arr glb w    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 29011602    ldgs DT_VAR(278), %r2		! DT_VAR(278) = "pid"
02: 31000002    pushtv DT_TYPE(0), %r2		! DT_TYPE(0) = D type
03: 36050101    stgaa %r1, DT_VAR(1281)		! DT_VAR(1281) = "names"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
pid              278  scl glb r    D type (integer) (size 4)
execname         280  scl glb r    string (unknown) by ref (size 256)
names            1281 arr glb w    string (unknown) by ref (size 256)

DIFO 0x2 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29011601    ldgs DT_VAR(278), %r1		! DT_VAR(278) = "pid"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 34050001    ldgaa DT_VAR(1280), %r1		! DT_VAR(1280) = "started"
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
pid              278  scl glb r    D type (integer) (size 4)
started          1280 arr glb r    D type (integer) (size 8)

DIFO 0x3 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29011a01    ldgs DT_VAR(282), %r1		! DT_VAR(282) = "walltimestamp"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
walltimestamp    282  scl glb r    D type (integer) (size 8)

DIFO 0x4 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29011601    ldgs DT_VAR(278), %r1		! DT_VAR(278) = "pid"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 34050101    ldgaa DT_VAR(1281), %r1		! DT_VAR(1281) = "names"
03: 10010000    tst  %r1
04: 13000006    bne  6
05: 26000001    sets DT_STRING[0], %r1		! ""
06: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
pid              278  scl glb r    D type (integer) (size 4)
names            1281 arr glb r    string (unknown) by ref (size 256)

DIFO 0x5 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29011601    ldgs DT_VAR(278), %r1		! DT_VAR(278) = "pid"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
pid              278  scl glb r    D type (integer) (size 4)

DIFO 0x6 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010101    ldgs DT_VAR(257), %r1		! DT_VAR(257) = "timestamp"
01: 29011602    ldgs DT_VAR(278), %r2		! DT_VAR(278) = "pid"
02: 31000002    pushtv DT_TYPE(0), %r2		! DT_TYPE(0) = D type
03: 34050002    ldgaa DT_VAR(1280), %r2		! DT_VAR(1280) = "started"
04: 06010201    sub  %r1, %r2, %r1
05: 25000002    setx DT_INTEGER[0], %r2		! 0x3b9aca00
06: 0a010201    udiv %r1, %r2, %r1
07: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
timestamp        257  scl glb r    D type (integer) (size 8)
pid              278  scl glb r    D type (integer) (size 4)
started          1280 arr glb r    D type (integer) (size 8)

DIFO 0x7 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010101    ldgs DT_VAR(257), %r1		! DT_VAR(257) = "timestamp"
01: 29011602    ldgs DT_VAR(278), %r2		! DT_VAR(278) = "pid"
02: 31000002    pushtv DT_TYPE(0), %r2		! DT_TYPE(0) = D type
03: 34050002    ldgaa DT_VAR(1280), %r2		! DT_VAR(1280) = "started"
04: 06010201    sub  %r1, %r2, %r1
05: 25000002    setx DT_INTEGER[0], %r2		! 0xf4240
06: 0a010201    udiv %r1, %r2, %r1
07: 25000102    setx DT_INTEGER[1], %r2		! 0x3e8
08: 0c010201    urem %r1, %r2, %r1
09: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
timestamp        257  scl glb r    D type (integer) (size 8)
pid              278  scl glb r    D type (integer) (size 4)
started          1280 arr glb r    D type (integer) (size 8)

DIFO 0x8 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29011601    ldgs DT_VAR(278), %r1		! DT_VAR(278) = "pid"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 36050000    stgaa %r0, DT_VAR(1280)		! DT_VAR(1280) = "started"
03: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
pid              278  scl glb r    D type (integer) (size 4)
started          1280 arr glb w    D type (integer) (size 8)

DIFO 0x9 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29011601    ldgs DT_VAR(278), %r1		! DT_VAR(278) = "pid"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 36050100    stgaa %r0, DT_VAR(1281)		! DT_VAR(1281) = "names"
03: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
pid              278  scl glb r    D type (integer) (size 4)
names            1281 arr glb w    string (unknown) by ref (size 256)
