
DIFO 0x0 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 29010702    ldgs DT_VAR(263), %r2		! DT_VAR(263) = "arg1"
02: 29010803    ldgs DT_VAR(264), %r3		! DT_VAR(264) = "arg2"
03: 08020302    mul  %r2, %r3, %r2
04: 07010201    add  %r1, %r2, %r1
05: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
arg1             263  scl glb r    D type (integer) (size 8)
arg2             264  scl glb r    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 29010702    ldgs DT_VAR(263), %r2		! DT_VAR(263) = "arg1"
02: 06010201    sub  %r1, %r2, %r1
03: 29010802    ldgs DT_VAR(264), %r2		! DT_VAR(264) = "arg2"
04: 25000003    setx DT_INTEGER[0], %r3		! 0x3
05: 01020302    or   %r2, %r3, %r2
06: 02010201    xor  %r1, %r2, %r1
07: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
arg1             263  scl glb r    D type (integer) (size 8)
arg2             264  scl glb r    D type (integer) (size 8)
