
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 31000000    pushtv DT_TYPE(0), %r0		! DT_TYPE(0) = D type
01: 2f002e01    call DIF_SUBR(46), %r1		! getf
02: 39050001    stls %r1, DT_VAR(1280)		! DT_VAR(1280) = "f"
03: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
f                1280 scl loc w    D type (pointer) (size 8)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "f"
01: 10010000    tst  %r1
02: 13000005    bne  5
03: 25000001    setx DT_INTEGER[0], %r1		! 0x1
04: 23000001    ret  %r1
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
f                1280 scl loc r    D type (pointer) (size 8)
