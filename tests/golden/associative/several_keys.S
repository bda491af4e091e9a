
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010101    ldgs DT_VAR(257), %r1		! DT_VAR(257) = "timestamp"
01: 29011602    ldgs DT_VAR(278), %r2		! DT_VAR(278) = "pid"
02: 31000002    pushtv DT_TYPE(0), %r2		! DT_TYPE(0) = D type
03: 29011802    ldgs DT_VAR(280), %r2		! DT_VAR(280) = "execname"
04: 30010002    pushtr DT_TYPE(1), %r0, %r2	! DT_TYPE(1) = string
05: 29011402    ldgs DT_VAR(276), %r2		! DT_VAR(276) = "probefunc"
06: 30010002    pushtr DT_TYPE(1), %r0, %r2	! DT_TYPE(1) = string
07: 36050001    stgaa %r1, DT_VAR(1280)		! DT_VAR(1280) = "seen"
08: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
timestamp        257  scl glb r    D type (integer) (size 8)
probefunc        276  scl glb r    string (unknown) by ref (size 256)
pid              278  scl glb r    D type (integer) (size 4)
execname         280  scl glb r    string (unknown) by ref (size 256)
seen             1280 arr glb w    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 26000101    sets DT_STRING[1], %r1		! "init"
03: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
04: 26000601    sets DT_STRING[6], %r1		! "main"
05: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
06: 34050001    ldgaa DT_VAR(1280), %r1		! DT_VAR(1280) = "seen"
07: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
seen             1280 arr glb r    D type (integer) (size 8)
