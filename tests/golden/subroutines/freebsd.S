
DIFO 0x0 returns D type (pointer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 25000001    setx DT_INTEGER[0], %r1		! 0x8
03: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
04: 2f002e01    call DIF_SUBR(46), %r1		! getf
05: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)

DIFO 0x1 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 25000001    setx DT_INTEGER[0], %r1		! 0x20
03: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
04: 25000101    setx DT_INTEGER[1], %r1		! 0x10
05: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
06: 2f003201    call DIF_SUBR(50), %r1		! memstr
07: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)

DIFO 0x2 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29012201    ldgs DT_VAR(290), %r1		! DT_VAR(290) = "jid"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
jid              290  scl glb r    D type (integer) (size 4)

DIFO 0x3 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)
