
DIFO 0x0 returns string (unknown) by ref (size 256)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x20
02: 04010201    sll  %r1, %r2, %r1
03: 2e010201    sra  %r1, %r2, %r1
04: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
05: 2f002e01    call DIF_SUBR(46), %r1		! getf
06: 10010000    tst  %r1
07: 1200000c    be   12
08: 25000102    setx DT_INTEGER[1], %r2		! 0x8
09: 07010201    add  %r1, %r2, %r1
10: 22010001    ldx  [%r1], %r1
11: 1100000d    ba   13
12: 0e000001    mov  %r0, %r1
13: 0e010002    mov  %r1, %r2
14: 10020000    tst  %r2
15: 1200001d    be   29
16: 0e010002    mov  %r1, %r2
17: 25000203    setx DT_INTEGER[2], %r3		! 0x30
18: 07020302    add  %r2, %r3, %r2
19: 22020002    ldx  [%r2], %r2
20: 10020000    tst  %r2
21: 1200001d    be   29
22: 0e010002    mov  %r1, %r2
23: 07020302    add  %r2, %r3, %r2
24: 22020002    ldx  [%r2], %r2
25: 33000000    flushts
26: 31000002    pushtv DT_TYPE(0), %r2		! DT_TYPE(0) = D type
27: 2f001b02    call DIF_SUBR(27), %r2		! cleanpath
28: 23000002    ret  %r2
29: 10010000    tst  %r1
30: 12000021    be   33
31: 26000102    sets DT_STRING[1], %r2		! "<unknown>"
32: 23000002    ret  %r2
33: 26000b02    sets DT_STRING[11], %r2		! "<none>"
34: 23000002    ret  %r2

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)

DIFO 0x1 returns D type (integer) (size 8)
OFF OPCODE      INSTRUCTION
00: 29010601    ldgs DT_VAR(262), %r1		! DT_VAR(262) = "arg0"
01: 25000002    setx DT_INTEGER[0], %r2		! 0x20
02: 04010201    sll  %r1, %r2, %r1
03: 2e010201    sra  %r1, %r2, %r1
04: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
05: 2f002e01    call DIF_SUBR(46), %r1		! getf
06: 10010000    tst  %r1
07: 1200000c    be   12
08: 25000102    setx DT_INTEGER[1], %r2		! 0x10
09: 07010201    add  %r1, %r2, %r1
10: 22010001    ldx  [%r1], %r1
11: 23000001    ret  %r1
12: 0e000001    mov  %r0, %r1
13: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
arg0             262  scl glb r    D type (integer) (size 8)
