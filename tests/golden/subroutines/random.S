
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 2f000001    call DIF_SUBR(0), %r1		! rand
01: 25000002    setx DT_INTEGER[0], %r2		! 0xa
02: 0b010201    srem %r1, %r2, %r1
03: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "x"
04: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
x                1280 scl glb w    D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 2f000001    call DIF_SUBR(0), %r1		! rand
01: 23000001    ret  %r1
