
DIFO 0x0 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 25000001    setx DT_INTEGER[0], %r1		! 0x2
03: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
04: 2f002001    call DIF_SUBR(32), %r1		! substr
05: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)

DIFO 0x1 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 25000001    setx DT_INTEGER[0], %r1		! 0x1
03: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
04: 25000101    setx DT_INTEGER[1], %r1		! 0x3
05: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
06: 2f002001    call DIF_SUBR(32), %r1		! substr
07: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)

DIFO 0x2 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 25000001    setx DT_INTEGER[0], %r1		! 0xfffffffffffffffe
03: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
04: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
05: 25000102    setx DT_INTEGER[1], %r2		! 0x20
06: 04010201    sll  %r1, %r2, %r1
07: 2e010201    sra  %r1, %r2, %r1
08: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
09: 2f002001    call DIF_SUBR(32), %r1		! substr
10: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
execname         280  scl glb r    string (unknown) by ref (size 256)
