
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x20
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 2f000f01    call DIF_SUBR(15), %r1		! alloca
03: 39050001    stls %r1, DT_VAR(1280)		! DT_VAR(1280) = "p"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
p                1280 scl loc w    D type (pointer) (size 8)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "p"
03: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
04: 25000001    setx DT_INTEGER[0], %r1		! 0x20
05: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
06: 2f001001    call DIF_SUBR(16), %r1		! bcopy
07: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
p                1280 scl loc r    D type (pointer) (size 8)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010701    ldgs DT_VAR(263), %r1		! DT_VAR(263) = "arg1"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 25000001    setx DT_INTEGER[0], %r1		! 0x10
03: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
04: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "p"
05: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
06: 2f001101    call DIF_SUBR(17), %r1		! copyinto
07: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg1             263  scl glb r    D type (integer) (size 8)
p                1280 scl loc r    D type (pointer) (size 8)

DIFO 0x3 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010801    ldgs DT_VAR(264), %r1		! DT_VAR(264) = "arg2"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 25000001    setx DT_INTEGER[0], %r1		! 0x4
03: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
04: 2f000801    call DIF_SUBR(8), %r1		! copyin
05: 1e010001    ldsw [%r1], %r1
06: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg2             264  scl glb r    D type (integer) (size 8)

DIFO 0x4 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29010901    ldgs DT_VAR(265), %r1		! DT_VAR(265) = "arg3"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 2f000901    call DIF_SUBR(9), %r1		! copyinstr
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg3             265  scl glb r    D type (integer) (size 8)

DIFO 0x5 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29010901    ldgs DT_VAR(265), %r1		! DT_VAR(265) = "arg3"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 25000001    setx DT_INTEGER[0], %r1		! 0xa
03: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
04: 2f000901    call DIF_SUBR(9), %r1		! copyinstr
05: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg3             265  scl glb r    D type (integer) (size 8)
