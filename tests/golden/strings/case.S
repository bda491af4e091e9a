
DIFO 0x0 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 2f002c01    call DIF_SUBR(44), %r1		! toupper
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)

DIFO 0x1 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 26000101    sets DT_STRING[1], %r1		! "ABC"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 2f002d01    call DIF_SUBR(45), %r1		! tolower
03: 23000001    ret  %r1
