
DIFO 0x0 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 26000101    sets DT_STRING[1], %r1		! "a:b:c"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 26000701    sets DT_STRING[7], %r1		! ":"
03: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
04: 2f001f01    call DIF_SUBR(31), %r1		! strtok
05: 23000001    ret  %r1

DIFO 0x1 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 31000000    pushtv DT_TYPE(0), %r0		! DT_TYPE(0) = D type
01: 26000101    sets DT_STRING[1], %r1		! ":"
02: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
03: 2f001f01    call DIF_SUBR(31), %r1		! strtok
04: 23000001    ret  %r1
