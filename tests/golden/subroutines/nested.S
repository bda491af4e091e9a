
DIFO 0x0 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 2f001902    call DIF_SUBR(25), %r2		! basename
03: 33000000    flushts
04: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
05: 2f001a01    call DIF_SUBR(26), %r1		! dirname
06: 33000000    flushts
07: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
08: 2f000c01    call DIF_SUBR(12), %r1		! strlen
09: 33000000    flushts
10: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
11: 2f001801    call DIF_SUBR(24), %r1		! lltostr
12: 33000000    flushts
13: 30010002    pushtr DT_TYPE(1), %r0, %r2	! DT_TYPE(1) = string
14: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
15: 2f001701    call DIF_SUBR(23), %r1		! strjoin
16: 33000000    flushts
17: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
18: 2f000c01    call DIF_SUBR(12), %r1		! strlen
19: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)
