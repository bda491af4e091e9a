
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29011601    ldgs DT_VAR(278), %r1		! DT_VAR(278) = "pid"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x64
02: 0f010200    cmp  %r1, %r2
03: 13000005    bne  5
04: 23000002    ret  %r2
05: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
pid              278  scl glb r    D type (integer) (size 4)

DIFO 0x1 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 0f010200    cmp  %r1, %r2
03: 1a000006    ble  6
04: 25000101    setx DT_INTEGER[1], %r1		! 0xf
05: 23000001    ret  %r1
06: 25000201    setx DT_INTEGER[2], %r1		! 0x9
07: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)

DIFO 0x2 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010701    ldgs DT_VAR(263), %r1		! DT_VAR(263) = "arg1"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x3e8
02: 08010201    mul  %r1, %r2, %r1
03: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg1             263  scl glb r    D type (integer) (size 8)
