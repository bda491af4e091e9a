
DIFO 0x0 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 26000101    sets DT_STRING[1], %r1		! "{\"a\": [1, 2]}"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 26000f01    sets DT_STRING[15], %r1		! "a[1]"
03: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
04: 2f002f01    call DIF_SUBR(47), %r1		! json
05: 23000001    ret  %r1

DIFO 0x1 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 26000101    sets DT_STRING[1], %r1		! "n"
03: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
04: 2f002f01    call DIF_SUBR(47), %r1		! json
05: 33000000    flushts
06: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
07: 2f003001    call DIF_SUBR(48), %r1		! strtoll
08: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)
