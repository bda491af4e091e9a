
DIFO 0x0 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 26000101    sets DT_STRING[1], %r1		! "a"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 26000301    sets DT_STRING[3], %r1		! "b"
03: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
04: 2f001701    call DIF_SUBR(23), %r1		! strjoin
05: 23000001    ret  %r1

DIFO 0x1 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 26000101    sets DT_STRING[1], %r1		! ":"
03: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
04: 2f001701    call DIF_SUBR(23), %r1		! strjoin
05: 33000000    flushts
06: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
07: 29011401    ldgs DT_VAR(276), %r1		! DT_VAR(276) = "probefunc"
08: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
09: 2f001701    call DIF_SUBR(23), %r1		! strjoin
10: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
probefunc        276  scl glb r    string (unknown) by ref (size 256)
execname         280  scl glb r    string (unknown) by ref (size 256)
