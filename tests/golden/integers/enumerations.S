
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x6
01: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "c"
02: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
c                1280 scl glb w    D type (enum) (size 4)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29050001    ldgs DT_VAR(1280), %r1		! DT_VAR(1280) = "c"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x5
02: 0f010200    cmp  %r1, %r2
03: 13000006    bne  6
04: 25000101    setx DT_INTEGER[1], %r1		! 0x1
05: 23000001    ret  %r1
06: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
c                1280 scl glb r    D type (enum) (size 4)

DIFO 0x2 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x6
01: 23000001    ret  %r1

DIFO 0x3 returns D type (enum) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
