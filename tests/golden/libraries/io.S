
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
01: 25000002    setx DT_INTEGER[0], %r2		! 0x70
02: 07010201    add  %r1, %r2, %r1
03: 22010001    ldx  [%r1], %r1
04: 10010000    tst  %r1
05: 13000008    bne  8
06: 26000102    sets DT_STRING[1], %r2		! "nfs"
07: 23000002    ret  %r2
08: 22010003    ldx  [%r1], %r3
09: 25000104    setx DT_INTEGER[1], %r4		! 0x10
10: 07010401    add  %r1, %r4, %r1
11: 1e010001    ldsw [%r1], %r1
12: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
13: 2f001801    call DIF_SUBR(24), %r1		! lltostr
14: 33000000    flushts
15: 30010003    pushtr DT_TYPE(1), %r0, %r3	! DT_TYPE(1) = string
16: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
17: 2f001702    call DIF_SUBR(23), %r2		! strjoin
18: 23000002    ret  %r2

NAME             ID   KND SCP FLAG TYPE
args             0    arr glb r    D type (unknown) (size 0)

DIFO 0x2 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 28000001    ldga DT_VAR(0), %r0, %r1		! DT_VAR(0) = "args"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x78
02: 07010201    add  %r1, %r2, %r1
03: 22010001    ldx  [%r1], %r1
04: 10010000    tst  %r1
05: 13000008    bne  8
06: 26000102    sets DT_STRING[1], %r2		! "<none>"
07: 23000002    ret  %r2
08: 25000103    setx DT_INTEGER[1], %r3		! 0x50
09: 07010301    add  %r1, %r3, %r1
10: 22010003    ldx  [%r1], %r3
11: 10030000    tst  %r3
12: 1300000f    bne  15
13: 26000802    sets DT_STRING[8], %r2		! "<unknown>"
14: 23000002    ret  %r2
15: 22010002    ldx  [%r1], %r2
16: 23000002    ret  %r2

NAME             ID   KND SCP FLAG TYPE
args             0    arr glb r    D type (unknown) (size 0)
