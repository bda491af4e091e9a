
DIFO 0x0 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x2
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
03: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
04: 2f002901    call DIF_SUBR(41), %r1		! inet_ntop
05: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)

DIFO 0x1 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29010701    ldgs DT_VAR(263), %r1		! DT_VAR(263) = "arg1"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 2f002a01    call DIF_SUBR(42), %r1		! inet_ntoa
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg1             263  scl glb r    D type (integer) (size 8)

DIFO 0x2 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29010801    ldgs DT_VAR(264), %r1		! DT_VAR(264) = "arg2"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 2f002b01    call DIF_SUBR(43), %r1		! inet_ntoa6
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg2             264  scl glb r    D type (integer) (size 8)
