
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 29011402    ldgs DT_VAR(276), %r2		! DT_VAR(276) = "probefunc"
02: 30010002    pushtr DT_TYPE(1), %r0, %r2	! DT_TYPE(1) = string
03: 37050001    sttaa %r1, DT_VAR(1280)		! DT_VAR(1280) = "started"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
started          1280 arr tls w    D type (integer) (size 4)
probefunc        276  scl glb r    string (unknown) by ref (size 256)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010101    ldgs DT_VAR(257), %r1		! DT_VAR(257) = "timestamp"
01: 29011702    ldgs DT_VAR(279), %r2		! DT_VAR(279) = "tid"
02: 31000002    pushtv DT_TYPE(0), %r2		! DT_TYPE(0) = D type
03: 26000102    sets DT_STRING[1], %r2		! "y"
04: 30010002    pushtr DT_TYPE(1), %r0, %r2	! DT_TYPE(1) = string
05: 37050101    sttaa %r1, DT_VAR(1281)		! DT_VAR(1281) = "ts"
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
ts               1281 arr tls w    D type (integer) (size 8)
timestamp        257  scl glb r    D type (integer) (size 8)
tid              279  scl glb r    D type (integer) (size 4)

DIFO 0x2 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29011701    ldgs DT_VAR(279), %r1		! DT_VAR(279) = "tid"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 26000101    sets DT_STRING[1], %r1		! "y"
03: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
04: 35050101    ldtaa DT_VAR(1281), %r1		! DT_VAR(1281) = "ts"
05: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
ts               1281 arr tls r    D type (integer) (size 8)
tid              279  scl glb r    D type (integer) (size 4)

DIFO 0x3 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29011401    ldgs DT_VAR(276), %r1		! DT_VAR(276) = "probefunc"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 37050000    sttaa %r0, DT_VAR(1280)		! DT_VAR(1280) = "started"
03: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
started          1280 arr tls w    D type (integer) (size 4)
probefunc        276  scl glb r    string (unknown) by ref (size 256)
