
DIFO 0x0 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 39050001    stls %r1, DT_VAR(1280)		! DT_VAR(1280) = "%1"
02: 29010701    ldgs DT_VAR(263), %r1		! DT_VAR(263) = "arg1"
03: 39050101    stls %r1, DT_VAR(1281)		! DT_VAR(1281) = "%2"
04: 29010801    ldgs DT_VAR(264), %r1		! DT_VAR(264) = "arg2"
05: 29010902    ldgs DT_VAR(265), %r2		! DT_VAR(265) = "arg3"
06: 29010a03    ldgs DT_VAR(266), %r3		! DT_VAR(266) = "arg4"
07: 29010b04    ldgs DT_VAR(267), %r4		! DT_VAR(267) = "arg5"
08: 29010c05    ldgs DT_VAR(268), %r5		! DT_VAR(268) = "arg6"
09: 29010d06    ldgs DT_VAR(269), %r6		! DT_VAR(269) = "arg7"
10: 25000007    setx DT_INTEGER[0], %r7		! 0x1
11: 07060706    add  %r6, %r7, %r6
12: 03050605    and  %r5, %r6, %r5
13: 01040504    or   %r4, %r5, %r4
14: 07030403    add  %r3, %r4, %r3
15: 02020302    xor  %r2, %r3, %r2
16: 06010201    sub  %r1, %r2, %r1
17: 38050102    ldls DT_VAR(1281), %r2		! DT_VAR(1281) = "%2"
18: 08020102    mul  %r2, %r1, %r2
19: 38050001    ldls DT_VAR(1280), %r1		! DT_VAR(1280) = "%1"
20: 07010201    add  %r1, %r2, %r1
21: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
arg1             263  scl glb r    D type (integer) (size 8)
arg2             264  scl glb r    D type (integer) (size 8)
arg3             265  scl glb r    D type (integer) (size 8)
arg4             266  scl glb r    D type (integer) (size 8)
arg5             267  scl glb r    D type (integer) (size 8)
arg6             268  scl glb r    D type (integer) (size 8)
arg7             269  scl glb r    D type (integer) (size 8)
%1               1280 scl loc r/w  D type (integer) (size 8)
%2               1281 scl loc r/w  D type (integer) (size 8)
