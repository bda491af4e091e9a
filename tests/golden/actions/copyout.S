
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x10
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 2f000f01    call DIF_SUBR(15), %r1		! alloca
03: 39050001    stls %r1, DT_VAR(1280)		! DT_VAR(1280) = "b"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
b                1280 scl loc w    D type (pointer) (size 8)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "b"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
03: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
04: 25000001    setx DT_INTEGER[0], %r1		! 0x10
05: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
06: 2f000d01    call DIF_SUBR(13), %r1		! copyout
07: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
b                1280 scl loc r    D type (pointer) (size 8)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 26000101    sets DT_STRING[1], %r1		! "text"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 29010701    ldgs DT_VAR(263), %r1		! DT_VAR(263) = "arg1"
03: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
04: 25000001    setx DT_INTEGER[0], %r1		! 0x8
05: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
06: 2f000e01    call DIF_SUBR(14), %r1		! copyoutstr
07: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg1             263  scl glb r    D type (integer) (size 8)
