
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 39050001    stls %r1, DT_VAR(1280)		! DT_VAR(1280) = "m"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
m                1280 scl loc w    D type (pointer) (size 8)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010701    ldgs DT_VAR(263), %r1		! DT_VAR(263) = "arg1"
01: 39050101    stls %r1, DT_VAR(1281)		! DT_VAR(1281) = "r"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg1             263  scl glb r    D type (integer) (size 8)
r                1281 scl loc w    D type (pointer) (size 8)

DIFO 0x2 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "m"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 2f000101    call DIF_SUBR(1), %r1		! mutex_owned
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
m                1280 scl loc r    D type (pointer) (size 8)

DIFO 0x3 returns D type (pointer) (size 8)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "m"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 2f000201    call DIF_SUBR(2), %r1		! mutex_owner
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
m                1280 scl loc r    D type (pointer) (size 8)

DIFO 0x4 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "m"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 2f000301    call DIF_SUBR(3), %r1		! mutex_type_adaptive
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
m                1280 scl loc r    D type (pointer) (size 8)

DIFO 0x5 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "m"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 2f000401    call DIF_SUBR(4), %r1		! mutex_type_spin
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
m                1280 scl loc r    D type (pointer) (size 8)

DIFO 0x6 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 38050101    ldls DT_VAR(1281), %r1		! DT_VAR(1281) = "r"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 2f000501    call DIF_SUBR(5), %r1		! rw_read_held
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
r                1281 scl loc r    D type (pointer) (size 8)

DIFO 0x7 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 38050101    ldls DT_VAR(1281), %r1		! DT_VAR(1281) = "r"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 2f000601    call DIF_SUBR(6), %r1		! rw_write_held
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
r                1281 scl loc r    D type (pointer) (size 8)

DIFO 0x8 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 38050101    ldls DT_VAR(1281), %r1		! DT_VAR(1281) = "r"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 2f000701    call DIF_SUBR(7), %r1		! rw_iswriter
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
r                1281 scl loc r    D type (pointer) (size 8)
