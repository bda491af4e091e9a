
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "x"
02: 25000002    setx DT_INTEGER[0], %r2		! 0x4
03: 0f010200    cmp  %r1, %r2
04: 1a000006    ble  6
05: 23000002    ret  %r2
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
x                1280 scl glb w    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "x"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
x                1280 scl glb r    D type (integer) (size 8)
