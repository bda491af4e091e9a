
DIFO 0x0 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 28000001    ldga DT_VAR(0), %r0, %r1		! DT_VAR(0) = "args"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x10
02: 07010201    add  %r1, %r2, %r1
03: 22010001    ldx  [%r1], %r1
04: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
args             0    arr glb r    D type (unknown) (size 0)

DIFO 0x1 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 28000001    ldga DT_VAR(0), %r0, %r1		! DT_VAR(0) = "args"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x68
02: 07010201    add  %r1, %r2, %r1
03: 22010001    ldx  [%r1], %r1
04: 22010002    ldx  [%r1], %r2
05: 25000103    setx DT_INTEGER[1], %r3		! 0x10
06: 07010301    add  %r1, %r3, %r1
07: 1e010001    ldsw [%r1], %r1
08: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
09: 2f001801    call DIF_SUBR(24), %r1		! lltostr
10: 33000000    flushts
11: 31000002    pushtv DT_TYPE(0), %r2		! DT_TYPE(0) = D type
12: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
13: 2f001701    call DIF_SUBR(23), %r1		! strjoin
14: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
args             0    arr glb r    D type (unknown) (size 0)

DIFO 0x2 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 28000001    ldga DT_VAR(0), %r0, %r1		! DT_VAR(0) = "args"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x70
02: 07010201    add  %r1, %r2, %r1
03: 22010001    ldx  [%r1], %r1
04: 10010000    tst  %r1
05: 1200000e    be   14
06: 25000102    setx DT_INTEGER[1], %r2		! 0x30
07: 07010202    add  %r1, %r2, %r2
08: 22020002    ldx  [%r2], %r2
09: 10020000    tst  %r2
10: 1200000e    be   14
11: 31000002    pushtv DT_TYPE(0), %r2		! DT_TYPE(0) = D type
12: 2f001b02    call DIF_SUBR(27), %r2		! cleanpath
13: 23000002    ret  %r2
14: 10010000    tst  %r1
15: 12000012    be   18
16: 26000102    sets DT_STRING[1], %r2		! "<unknown>"
17: 23000002    ret  %r2
18: 26000b02    sets DT_STRING[11], %r2		! "<none>"
19: 23000002    ret  %r2

NAME             ID   KND SCP FLAG TYPE
args             0    arr glb r    D type (unknown) (size 0)
