
DIFO 0x0 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 23000001    ret  %r1

DIFO 0x1 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 2f001901    call DIF_SUBR(25), %r1		! basename
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)

DIFO 0x2 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29011401    ldgs DT_VAR(276), %r1		! DT_VAR(276) = "probefunc"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 2f000c01    call DIF_SUBR(12), %r1		! strlen
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
probefunc        276  scl glb r    string (unknown) by ref (size 256)

DIFO 0x3 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 29011802    ldgs DT_VAR(280), %r2		! DT_VAR(280) = "execname"
02: 30010002    pushtr DT_TYPE(1), %r0, %r2	! DT_TYPE(1) = string
03: 31000000    pushtv DT_TYPE(0), %r0		! DT_TYPE(0) = D type
04: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
05: 2f002002    call DIF_SUBR(32), %r2		! substr
06: 33000000    flushts
07: 30010002    pushtr DT_TYPE(1), %r0, %r2	! DT_TYPE(1) = string
08: 36050001    stgaa %r1, DT_VAR(1280)		! DT_VAR(1280) = "a"
09: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)
a                1280 arr glb w    D type (integer) (size 4)
