
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 26000101    sets DT_STRING[1], %r1		! "a string"
01: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "s"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
s                1280 scl glb w    string (unknown) by ref (size 32)

DIFO 0x1 returns string (unknown) by ref (size 32)
OFF OPCODE      INSTRUCTION
00: 29011801    ldgs DT_VAR(280), %r1		! DT_VAR(280) = "execname"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
execname         280  scl glb r    string (unknown) by ref (size 32)

DIFO 0x2 returns string (unknown) by ref (size 32)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "s"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x20
02: 30010201    pushtr DT_TYPE(1), %r2, %r1	! DT_TYPE(1) = string
03: 30010201    pushtr DT_TYPE(1), %r2, %r1	! DT_TYPE(1) = string
04: 2f001701    call DIF_SUBR(23), %r1		! strjoin
05: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
s                1280 scl glb r    string (unknown) by ref (size 32)
