
DIFO 0x0 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 26000101    sets DT_STRING[1], %r1		! "abc"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 2f000c01    call DIF_SUBR(12), %r1		! strlen
03: 23000001    ret  %r1

DIFO 0x1 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 2f000c01    call DIF_SUBR(12), %r1		! strlen
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 256)

DIFO 0x2 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
02: 2f000c01    call DIF_SUBR(12), %r1		! strlen
03: 25000002    setx DT_INTEGER[0], %r2		! 0x1
04: 07010201    add  %r1, %r2, %r1
05: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "x"
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
x                1280 scl glb w    D type (integer) (size 8)
