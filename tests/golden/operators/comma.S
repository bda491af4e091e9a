
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 2a050101    stgs %r1, DT_VAR(1281)		! DT_VAR(1281) = "y"
02: 25000101    setx DT_INTEGER[1], %r1		! 0x2
03: 2a050201    stgs %r1, DT_VAR(1282)		! DT_VAR(1282) = "z"
04: 25000201    setx DT_INTEGER[2], %r1		! 0x4
05: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "x"
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
x                1280 scl glb w    D type (integer) (size 4)
y                1281 scl glb w    D type (integer) (size 4)
z                1282 scl glb w    D type (integer) (size 4)
