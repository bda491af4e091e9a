
DIFO 0x0 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x5
01: 25000102    setx DT_INTEGER[1], %r2		! 0x1
02: 31000002    pushtv DT_TYPE(0), %r2		! DT_TYPE(0) = D type
03: 26000102    sets DT_STRING[1], %r2		! "x"
04: 30010002    pushtr DT_TYPE(1), %r0, %r2	! DT_TYPE(1) = string
05: 34050002    ldgaa DT_VAR(1280), %r2		! DT_VAR(1280) = "kept"
06: 10020000    tst  %r2
07: 1300000c    bne  12
08: 25000203    setx DT_INTEGER[2], %r3		! 0x10
09: 3a030002    allocs %r3, %r2
10: 36050002    stgaa %r2, DT_VAR(1280)		! DT_VAR(1280) = "kept"
11: 34050002    ldgaa DT_VAR(1280), %r2		! DT_VAR(1280) = "kept"
12: 3e010002    stw  %r1, [%r2]
13: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
kept             1280 arr glb r/w  D type (struct) by ref (size 16)

DIFO 0x1 returns D type (integer) (size 0)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 26000101    sets DT_STRING[1], %r1		! "x"
03: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
04: 34050001    ldgaa DT_VAR(1280), %r1		! DT_VAR(1280) = "kept"
05: 10010000    tst  %r1
06: 1300000b    bne  11
07: 25000102    setx DT_INTEGER[1], %r2		! 0x10
08: 3a020001    allocs %r2, %r1
09: 36050001    stgaa %r1, DT_VAR(1280)		! DT_VAR(1280) = "kept"
10: 34050001    ldgaa DT_VAR(1280), %r1		! DT_VAR(1280) = "kept"
11: 25000202    setx DT_INTEGER[2], %r2		! 0x8
12: 07010201    add  %r1, %r2, %r1
13: 22010002    ldx  [%r1], %r2
14: 25000303    setx DT_INTEGER[3], %r3		! 0x3
15: 07020302    add  %r2, %r3, %r2
16: 3f020001    stx  %r2, [%r1]
17: 23000000    ret  %r0

NAME             ID   KND SCP FLAG TYPE
kept             1280 arr glb r/w  D type (struct) by ref (size 16)

DIFO 0x2 returns D type (integer) (size 4)
OFF OPCODE      INSTRUCTION
00: 25000001    setx DT_INTEGER[0], %r1		! 0x1
01: 31000001    pushtv DT_TYPE(0), %r1		! DT_TYPE(0) = D type
02: 26000101    sets DT_STRING[1], %r1		! "x"
03: 30010001    pushtr DT_TYPE(1), %r0, %r1	! DT_TYPE(1) = string
04: 34050001    ldgaa DT_VAR(1280), %r1		! DT_VAR(1280) = "kept"
05: 10010000    tst  %r1
06: 13000009    bne  9
07: 25000102    setx DT_INTEGER[1], %r2		! 0x10
08: 3a020001    allocs %r2, %r1
09: 1e010001    ldsw [%r1], %r1
10: 23000001    ret  %r1

NAME             ID   KND SCP FLAG TYPE
kept             1280 arr glb r    D type (struct) by ref (size 16)
