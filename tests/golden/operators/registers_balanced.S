
DIFO 0x0 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 29010702    ldgs DT_VAR(263), %r2		! DT_VAR(263) = "arg1"
02: 07010201    add  %r1, %r2, %r1
03: 29010802    ldgs DT_VAR(264), %r2		! DT_VAR(264) = "arg2"
04: 29010903    ldgs DT_VAR(265), %r3		! DT_VAR(265) = "arg3"
05: 07020302    add  %r2, %r3, %r2
06: 08010201    mul  %r1, %r2, %r1
07: 29010a02    ldgs DT_VAR(266), %r2		! DT_VAR(266) = "arg4"
08: 29010b03    ldgs DT_VAR(267), %r3		! DT_VAR(267) = "arg5"
09: 07020302    add  %r2, %r3, %r2
10: 29010c03    ldgs DT_VAR(268), %r3		! DT_VAR(268) = "arg6"
11: 29010d04    ldgs DT_VAR(269), %r4		! DT_VAR(269) = "arg7"
12: 07030403    add  %r3, %r4, %r3
13: 08020302    mul  %r2, %r3, %r2
14: 06010201    sub  %r1, %r2, %r1
15: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
arg1             263  scl glb r    D type (integer) (size 8)
arg2             264  scl glb r    D type (integer) (size 8)
arg3             265  scl glb r    D type (integer) (size 8)
arg4             266  scl glb r    D type (integer) (size 8)
arg5             267  scl glb r    D type (integer) (size 8)
arg6             268  scl glb r    D type (integer) (size 8)
arg7             269  scl glb r    D type (integer) (size 8)
