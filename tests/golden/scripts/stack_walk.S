
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1d
01: 28020101    ldga DT_VAR(2), %r1, %r1		! DT_VAR(2) = "uregs"
02: 39050001    stls %r1, DT_VAR(1280)		! DT_VAR(1280) = "f"
03: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
uregs            2    arr glb r    D type (integer) (size 8)
f                1280 scl loc w    D type (pointer) (size 8)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "f"
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 25000001    setx DT_INTEGER[0], %r1		! 0x10
03: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
04: 2f000801    call DIF_SUBR(8), %r1		! copyin
05: 39050101    stls %r1, DT_VAR(1281)		! DT_VAR(1281) = "a"
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
f                1280 scl loc r    D type (pointer) (size 8)
a                1281 scl loc w    D type (struct) by ref (size 16)

DIFO 0x2 returns D type (pointer) (size 8)
OFF OPCODE      INSTRUCTION
00: 38050101    ldls DT_VAR(1281), %r1		! DT_VAR(1281) = "a"
01: 22010001    ldx  [%r1], %r1
02: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
a                1281 scl loc r    D type (struct) by ref (size 16)

DIFO 0x3 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 38050101    ldls DT_VAR(1281), %r1		! DT_VAR(1281) = "a"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x8
02: 07010201    add  %r1, %r2, %r1
03: 22010001    ldx  [%r1], %r1
04: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
a                1281 scl loc r    D type (struct) by ref (size 16)
