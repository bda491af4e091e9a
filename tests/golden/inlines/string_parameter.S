
DIFO 0x0 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 26000101    sets DT_STRING[1], %r1		! "a"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 31000002    pushtv DT_TYPE(0), %r2		! DT_TYPE(0) = D type
03: 2f001802    call DIF_SUBR(24), %r2		! lltostr
04: 33000000    flushts
05: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
06: 30010002    pushtr DT_TYPE(1), %r0, %r2	! DT_TYPE(1) = string
07: 2f001701    call DIF_SUBR(23), %r1		! strjoin
08: 23000001    ret  %r1

DIFO 0x1 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 29011602    ldgs DT_VAR(278), %r2		! DT_VAR(278) = "pid"
02: 31000002    pushtv DT_TYPE(0), %r2		! DT_TYPE(0) = D type
03: 2f001802    call DIF_SUBR(24), %r2		! lltostr
04: 33000000    flushts
05: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
06: 30010002    pushtr DT_TYPE(1), %r0, %r2	! DT_TYPE(1) = string
07: 2f001701    call DIF_SUBR(23), %r1		! strjoin
08: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
pid              278  scl glb r    D type (integer) (size 4)
execname         280  scl glb r    string (unknown) by ref (size 256)
