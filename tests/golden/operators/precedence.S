
DIFO 0x0 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 29010602    ldgs DT_VAR(262), %r2		! DT_VAR(262) = "arg0"
02: 04020102    sll  %r2, %r1, %r2
03: 07020102    add  %r2, %r1, %r2
04: 25000101    setx DT_INTEGER[1], %r1		! 0x4
05: 29010703    ldgs DT_VAR(263), %r3		! DT_VAR(263) = "arg1"
06: 09010301    sdiv %r1, %r3, %r1
07: 25000203    setx DT_INTEGER[2], %r3		! 0x3
08: 0b010301    srem %r1, %r3, %r1
09: 06020102    sub  %r2, %r1, %r2
10: 23000002    ret  %r2

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
arg1             263  scl glb r    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 29010702    ldgs DT_VAR(263), %r2		! DT_VAR(263) = "arg1"
02: 29010803    ldgs DT_VAR(264), %r3		! DT_VAR(264) = "arg2"
03: 29010904    ldgs DT_VAR(265), %r4		! DT_VAR(265) = "arg3"
04: 03030403    and  %r3, %r4, %r3
05: 02020302    xor  %r2, %r3, %r2
06: 01010201    or   %r1, %r2, %r1
07: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
arg1             263  scl glb r    D type (integer) (size 8)
arg2             264  scl glb r    D type (integer) (size 8)
arg3             265  scl glb r    D type (integer) (size 8)

DIFO 0x2 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x3
02: 04010201    sll  %r1, %r2, %r1
03: 29010702    ldgs DT_VAR(263), %r2		! DT_VAR(263) = "arg1"
04: 0f010200    cmp  %r1, %r2
05: 25000101    setx DT_INTEGER[1], %r1		! 0x1
06: 18000008    bl   8
07: 0e000001    mov  %r0, %r1
08: 29010802    ldgs DT_VAR(264), %r2		! DT_VAR(264) = "arg2"
09: 0f010200    cmp  %r1, %r2
10: 1300000d    bne  13
11: 25000101    setx DT_INTEGER[1], %r1		! 0x1
12: 23000001    ret  %r1
13: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
arg1             263  scl glb r    D type (integer) (size 8)
arg2             264  scl glb r    D type (integer) (size 8)

DIFO 0x3 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 10010000    tst  %r1
02: 25000001    setx DT_INTEGER[0], %r1		! 0x1
03: 12000005    be   5
04: 0e000001    mov  %r0, %r1
05: 29010702    ldgs DT_VAR(263), %r2		! DT_VAR(263) = "arg1"
06: 0d020002    not  %r2, %r2
07: 29010803    ldgs DT_VAR(264), %r3		! DT_VAR(264) = "arg2"
08: 06000303    sub  %r0, %r3, %r3
09: 08020302    mul  %r2, %r3, %r2
10: 07010201    add  %r1, %r2, %r1
11: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
arg1             263  scl glb r    D type (integer) (size 8)
arg2             264  scl glb r    D type (integer) (size 8)

DIFO 0x4 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 10010000    tst  %r1
02: 13000013    bne  19
03: 29010701    ldgs DT_VAR(263), %r1		! DT_VAR(263) = "arg1"
04: 10010000    tst  %r1
05: 25000001    setx DT_INTEGER[0], %r1		! 0x1
06: 13000008    bne  8
07: 0e000001    mov  %r0, %r1
08: 29010802    ldgs DT_VAR(264), %r2		! DT_VAR(264) = "arg2"
09: 10020000    tst  %r2
10: 12000010    be   16
11: 29010902    ldgs DT_VAR(265), %r2		! DT_VAR(265) = "arg3"
12: 10020000    tst  %r2
13: 12000010    be   16
14: 25000002    setx DT_INTEGER[0], %r2		! 0x1
15: 11000011    ba   17
16: 0e000002    mov  %r0, %r2
17: 0f010200    cmp  %r1, %r2
18: 12000015    be   21
19: 25000001    setx DT_INTEGER[0], %r1		! 0x1
20: 23000001    ret  %r1
21: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
arg1             263  scl glb r    D type (integer) (size 8)
arg2             264  scl glb r    D type (integer) (size 8)
arg3             265  scl glb r    D type (integer) (size 8)
