
DIFO 0x0 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 10010000    tst  %r1
02: 25000001    setx DT_INTEGER[0], %r1		! 0x1
03: 13000005    bne  5
04: 0e000001    mov  %r0, %r1
05: 29010702    ldgs DT_VAR(263), %r2		! DT_VAR(263) = "arg1"
06: 10020000    tst  %r2
07: 25000002    setx DT_INTEGER[0], %r2		! 0x1
08: 1300000a    bne  10
09: 0e000002    mov  %r0, %r2
10: 0f010200    cmp  %r1, %r2
11: 25000001    setx DT_INTEGER[0], %r1		! 0x1
12: 1300000e    bne  14
13: 0e000001    mov  %r0, %r1
14: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
arg1             263  scl glb r    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x1
02: 0f010200    cmp  %r1, %r2
03: 25000001    setx DT_INTEGER[0], %r1		! 0x1
04: 14000006    bg   6
05: 0e000001    mov  %r0, %r1
06: 29010703    ldgs DT_VAR(263), %r3		! DT_VAR(263) = "arg1"
07: 0f030200    cmp  %r3, %r2
08: 25000002    setx DT_INTEGER[0], %r2		! 0x1
09: 1400000b    bg   11
10: 0e000002    mov  %r0, %r2
11: 0f010200    cmp  %r1, %r2
12: 25000001    setx DT_INTEGER[0], %r1		! 0x1
13: 1300000f    bne  15
14: 0e000001    mov  %r0, %r1
15: 2a050001    stgs %r1, DT_VAR(1280)		! DT_VAR(1280) = "x"
16: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
arg1             263  scl glb r    D type (integer) (size 8)
x                1280 scl glb w    D type (integer) (size 4)
